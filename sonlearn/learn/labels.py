"""Labels of a stream: how they are written, and which do not fit the loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.text.columns import LIKELY_MISSING, no_labels, number_text
from sonlearn.text.suspicions import is_other_number

#: How labels are written, once known: not yet met; the negative one as 0, or as -1; as two words, or any two labels.
UNKNOWN, ZERO_ONE, PLUS_MINUS, WORDS = range(4)
#: In the place of a label that does not fit.
UNFIT = -math.inf
#: Words, in lower case, that are the positive label of two even if they come first.
POSITIVE = frozenset((
    "yes", "y", "true", "t", "positive", "pos", "spam", "good", "win", "won", "on", "active", "churned",
    "ja", "j", "oui", "si", "sí", "sì", "sim", "tak", "wahr", "vrai",
))  # fmt: skip
#: The numbers of words, in lower case.
_TRUTH = {"true": "1", "false": "0"}


class LabelEncoder:
    """The labels -1 and +1 of classification, which may be written 0 and 1 throughout; poisson counts, from 0 on.

    Labels of two classes may be two words as well. The positive one is `positive`, if it is given; else the first that
    comes, if it says so (`POSITIVE`), else the second: which it is has to be settled before the first row is learned.
    With `positive`, numbers may be any two. Other losses take any number, unless predictions are classes (`binary`).

    Attributes
    ----------
    labels, scores
        As of `sonlearn.learn.classes.Classes`: no several classes, and one score.
    words : [str or None, str or None], the negative and the positive label, as far as they are known
    numeric : bool
        Whether the first label was a number, so that no word may come.
    """

    labels: tuple[str, ...] = ()
    scores = 1

    def __init__(self, options: LearnOptions):
        self.loss, self._classes = options.loss, options.binary or options.loss in CLASSIFICATION
        self.kind = "margins" if self._classes else self.loss  # the same for losses that read labels alike
        self.coding, self.numeric = WORDS if options.positive and self._classes else UNKNOWN, False
        self.words: list[str | None] = [None, _written(options.positive) if options.positive else None]

    def coded(self, batch: Batch, *, remember: bool) -> tuple[np.ndarray, int]:
        """(float64[n] labels as the loss takes them, UNFIT where it does not; the first row of these, or n).

        With `remember` the coding that shows in the rows before that one is settled.
        """
        y, named = batch.y, np.isnan(batch.y) & batch.named
        if not self._classes:
            y = np.where(named | ((y < 0) & (self.loss == "poisson")), UNFIT, y)
            return y, first_unfit(y)
        if self.coding == WORDS or (not self.numeric and _begins_with(named, y)):
            y, words = self._of_words(batch)
            if remember and words != self.words:
                self.words, self.coding = words, WORDS
            return y, first_unfit(y)
        zero, minus = y == 0, y == -1
        bad = named | ~(np.isnan(y) | (y == 1) | zero | minus)
        negative, coding = zero | minus, self.coding
        if coding == UNKNOWN and negative.any():
            coding = ZERO_ONE if zero[np.argmax(negative)] else PLUS_MINUS
        bad |= minus if coding == ZERO_ONE else zero
        coded = np.where(bad, UNFIT, np.where(zero, -1.0, y))
        end = first_unfit(coded)
        if remember and negative[:end].any():
            self.coding = coding
        if remember and not np.isnan(y[:end]).all():
            self.numeric = True
        if remember and batch.class_names is not None and None in self.words:
            for name, label in zip(batch.class_names[:end], y[:end].tolist(), strict=True):
                if name is not None and self.words[int(label)] is None:
                    self.words[int(label)] = name  # true or false
        return coded, end

    def _of_words(self, batch: Batch) -> tuple[np.ndarray, list[str | None]]:
        """`coded` where labels are words, or two numbers of which one is the positive one; and the `words` by then."""
        out, words = np.full(batch.n, np.nan), list(self.words)
        for row, written in enumerate(labels_written(batch)):
            if written is None:
                continue
            word = written if written in words else _as_known(written, words)
            fits = word in words or _place(words, word)
            out[row] = UNFIT if not fits else 1.0 if word == words[1] else -1.0
        return out, words

    def error(self, batch: Batch, row: int) -> InputError:
        """Return what to say of the label of `row`."""
        name, y = batch.class_names[row] if batch.class_names is not None else None, float(batch.y[row])
        found = f"label {y:g}" if name is None else f"label {shorten(name)}"
        if self._classes and self.coding == WORDS and self.loss != "poisson":
            known = [word or "another" for word in self._of_words(batch.part(0, row))[1]]
            negative, positive = (shorten(word) for word in known)
            what = labels_written(batch.part(row, row + 1))[0] or ""
            values = ["values: --loss squared"] * all(map(is_other_number, [*known, what]))
            remedies = "; ".join([*no_labels([*known, what]), *values, "several classes: --classes auto"])
            expected = f"{negative} or {positive}, the two labels so far ({remedies})"
            return InputError(batch.source, found, expected, int(batch.lines[row]))
        if self.loss == "poisson" and name is None:
            expected = "a label of at least 0 for --loss poisson (any number: --loss squared)"
        elif not self._classes:
            expected = f"a number for --loss {self.loss} (names of classes: --classes auto)"
        else:
            expected = {PLUS_MINUS: "-1 or +1", ZERO_ONE: "0 or 1", UNKNOWN: "-1 and +1, or 0 and 1,"}[self.coding]
            remedy = "real labels: --loss squared"
            if name is not None and name.lower() in LIKELY_MISSING:
                remedy = "an example without a label has nothing in its place"
            elif self.coding != UNKNOWN and y in (-1, 0):
                so_far, other = ("0 and 1", "0") if self.coding == ZERO_ONE else ("-1 and +1", "-1")
                remedy = f"labels so far are {so_far}: write {other}"
            elif name is not None:
                remedy = "several classes: --oaa K, or --classes auto"
            elif y == math.floor(y):
                other = f"; two other labels: --positive {y:g}" if self.coding == UNKNOWN else ""
                remedy = f"several classes: --oaa K, or --classes auto; values: --loss squared{other}"
            what = "--binary" if self.loss not in CLASSIFICATION else f"--loss {self.loss}"
            expected = f"{expected} for {what} ({remedy})"
        return InputError(batch.source, found, expected, int(batch.lines[row]))

    def header(self) -> dict[str, Any]:
        """Return what a model file is told."""
        return {"coding": self.coding, "words": list(self.words), "numeric": self.numeric}

    def restore(self, header: dict[str, Any]) -> None:
        """Inverse of `header`; ValueError, KeyError or TypeError where it is none."""
        negative, positive = header["words"]
        self.coding, self.words, self.numeric = int(header["coding"]), [negative, positive], bool(header["numeric"])

    def merged(self, headers: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Say how labels are written by these headers of several learners. Raises InputError: each says otherwise."""
        known = {header["coding"] for header in headers}
        if {ZERO_ONE, PLUS_MINUS} <= known:
            raise InputError("<learners>", "labels -1 and +1", "0 and 1, as of another learner")
        words: list[str | None] = [None, None]
        for header in headers:
            for place, word in enumerate(header["words"]):
                if word is not None and (words[place] not in (None, word) or word == words[1 - place]):
                    found = f"labels {header['words'][0]} and {header['words'][1]}"
                    raise InputError("<learners>", found, f"{words[0]} and {words[1]}; give --positive LABEL")
                words[place] = word if word is not None else words[place]
        numeric = any(header["numeric"] for header in headers)
        if WORDS in known and numeric:
            raise InputError("<learners>", "labels that are words", "numbers, as of another learner")
        return {"coding": max(known), "words": words, "numeric": numeric}

    @property
    def names(self) -> tuple[str, str] | None:
        """Return how the negative and the positive label are written; None where there are no two classes."""
        if not self._classes:
            return None
        negative, positive = self.words
        if self.coding == WORDS:
            return negative or "other", positive or "other"
        zero = self.coding == ZERO_ONE or (self.coding == UNKNOWN and self.worded)
        return negative or ("0" if zero else "-1"), positive or "1"

    @property
    def worded(self) -> bool:
        """Return whether labels are two words, or any two numbers."""
        return self.coding == WORDS or self.words != [None, None]

    @property
    def settled(self) -> bool:
        """Return whether a row may be learned alone: labels of two classes are -1 and +1, not yet to be found out."""
        return not self._classes or (self.coding == PLUS_MINUS and self.numeric)

    def number(self, label: float) -> float:
        """Return how the engine has a label where they are `settled`: as it is."""
        return label

    def numbers_of(self, y: np.ndarray) -> np.ndarray:
        """int64[n]: which of two classes labels are (`Predicted.label`): 1 of those above 0, else 0."""
        return np.asarray(y > 0, dtype=np.int64)


def first_unfit(y: np.ndarray) -> int:
    """The first row whose label is UNFIT in float64[n], or n."""
    unfit = y == UNFIT
    return int(np.argmax(unfit)) if unfit.any() else len(y)


def labels_written(batch: Batch) -> list[str | None]:
    """The labels of a batch as texts, of numbers in their shortest form; None where there is none."""
    texts = [number_text(value) or None for value in batch.y.tolist()]
    names = batch.class_names or texts
    return [text if name is None else name for name, text in zip(names, texts, strict=True)]


def _written(word: str) -> str:
    """A label as `labels_written` has it, also a number."""
    try:
        return number_text(float(word)) if math.isfinite(float(word)) else word
    except ValueError:
        return word


def _as_known(word: str, words: list[str | None]) -> str:
    """A label as `words` have it: true and false may be written in capitals there, or 1 and 0."""
    number = _TRUTH.get(word.lower(), word)
    return next((known for known in words if known is not None and _TRUTH.get(known.lower(), known) == number), word)


def _begins_with(named: np.ndarray, y: np.ndarray) -> bool:
    """Return whether the first label of a batch is a word."""
    given = np.flatnonzero(named | ~np.isnan(y))
    return bool(len(given) and named[given[0]])


def _place(words: list[str | None], word: str) -> bool:
    """Make room for a new label, as the class that it is to be; false where two, or one but for capitals, are known."""
    negative, positive = words
    if None not in words or word.lower() in (known.lower() for known in words if known):
        return False
    if negative is None and positive is None:
        words[word.lower() in POSITIVE] = word
    else:
        words[words.index(None)] = word
    return True
