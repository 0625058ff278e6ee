"""Malformed lines of a run: whether one ends it, or is left out; and what is known of those that were.

Of text that a kernel reads, `line_error` makes of its error code the InputError that names place, finding, and what was
expected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, SonlearnError, shorten
from sonlearn.options.spec import raw
from sonlearn.text import rows as code
from sonlearn.text.columns import ARRAY, FINITE

#: Malformed lines that are described when they are skipped.
SHOWN_ERRORS = 10
_EXPECTED = {
    "svmlight": {
        code.BAD_LABEL: f"a label ({FINITE}), then index:value pairs",
        code.BAD_INDEX: "index:value with an index from 0 to 9223372036854775807",
        code.BAD_INTEGER: "an integer index",
        code.BAD_VALUE: f"{FINITE} as value of the feature",
        code.BAD_QID: "qid: and an integer",
        code.BIG_NUMBER: "a number of at most 1.8e308",
        code.REPEATED: "every index once (without --strict, values of the same index are summed)",
    },
    "vw": {
        code.NO_BAR: "a bar '|' before the features (VW text); for LIBSVM text use --format svmlight",
        code.BAD_LABEL: f"a label ({FINITE}), or nothing, before the first bar; names of classes: --classes auto",
        code.BAD_WEIGHT: "an importance weight (a finite number, at least 0) after the label",
        code.BAD_BASE: f"a base ({FINITE}) after label and importance",
        code.MANY_LABELS: "a tag that touches the bar, or a bar, after label, importance and base",
        code.TAG_NOT_LAST: "the tag to be the last word before the bar",
        code.BAD_NAMESPACE: "a namespace, a blank or a bar behind the bar",
        code.BAD_NAMESPACE_WEIGHT: f"{FINITE} as weight of the namespace",
        code.BAD_FEATURE_VALUE: f"{FINITE} as value of the feature, or a text that does not begin like one",
        code.BAR_IN_VALUE: "no bar inside a text value; put a blank before the bar",
        code.CARRIAGE_RETURN: "a carriage return only at the end of the line",
        code.BIG_NUMBER: "a number of at most 1.8e308",
    },
}
#: Labels of VW's --multilabel_oaa.
_SEVERAL = re.compile(rb"[0-9]+(,[0-9]+)+[ \t]*('?[^ \t]*)?")
#: What lines of other text look like: fastText's, and words.
_FASTTEXT = re.compile(rb"__label__[^ \t]+[ \t]")
_WORDS = re.compile(rb"(?<![^\W\d])[^\W\d]{2,}+[,.!?]?[ \t]+[^\W\d]")
#: Where a word ends, for quoting it.
_WORD = {"svmlight": re.compile(rb"[^ \t\n\v\f\r#]*"), "vw": re.compile(rb"[^ \t\n|]*")}


#: Labels of other kinds of problems, and what these are.
_COSTS = re.compile(rb"[^\s:|]+:[0-9.eE+-]+")
_BANDIT = re.compile(rb"[^\s:|]+:[0-9.eE+-]+:[0-9.eE+-]+")
_SHARED = re.compile(rb"shared( +'[^ ]*)?|(ccb|slates) +(shared|action|slot)( .*)?")
_ONE_LABEL = "one label for each example: "
_SLOTS = "one decision at a time: give each slot a block of its own, with --cb_explore_adf"
#: What to do about decisions of other kinds, by the first word of their lines.
OTHER_DECISIONS = {
    b"ccb": _SLOTS,
    b"slates": _SLOTS,
    b"ca": "actions that are numbered: cut their range into K, with --cb_explore K",
}


def shifted(errors: list[InputError], lines: int) -> list[InputError]:
    """The same errors, with `lines` more lines before them."""
    return [error.but(line=(error.line or 0) + lines) for error in errors] if lines else errors


def without_rows(batch: Batch, problems: dict[int, InputError]) -> tuple[Batch, list[InputError]]:
    """A batch without the rows that have `problems`, and these with the rows' tags."""
    if not problems:
        return batch, []
    errors = [error.but(tag=batch.tags[row] if batch.tags else "") for row, error in problems.items()]
    return batch.at(np.setdiff1d(np.arange(batch.n), list(problems))), errors


def no_example(names: str, found: str, count: int, errors: Sequence[SonlearnError]) -> InputError:
    """Return what to say where there is none, but `count` malformed lines with these `errors`, or what was `found`."""
    if count:
        found = f"{count} malformed lines and nothing else (the first: {errors[0]})"
    return InputError(names, found, "at least one example")


class Malformed:
    """Decides on malformed lines, and remembers those that were left out.

    Parameters
    ----------
    on_error : str
        ``stop``: the first one ends the run; ``skip``: it is left out and counted.
    max_errors : int or None
        With ``skip``: the one after that many ends the run.

    Attributes
    ----------
    errors : list of InputError
        The first `SHOWN_ERRORS` that were left out.
    count : int
        How many were.
    fatal : SonlearnError or None
        The one that has ended the run.
    tags : list of str
        The tags of those behind the last batch; those before are the batches' own.
    """

    def __init__(self, on_error: str, max_errors: int | None):
        self.skips = on_error == "skip"
        self.allowed = max_errors if self.skips else 0
        self.errors: list[InputError] = []
        self.count = 0
        self.fatal: SonlearnError | None = None
        self.tags: list[str] = []

    def anew(self) -> Malformed:
        """One that decides alike, and has met nothing."""
        return Malformed("skip" if self.skips else "stop", self.allowed)

    def admit(self, errors: Sequence[InputError]) -> InputError | None:
        """Count further ones, in their order, up to the one that ends the run; return that, or None."""
        count = len(errors) if self.allowed is None else min(len(errors), max(self.allowed - self.count, 0))
        self.errors += errors[: min(count, SHOWN_ERRORS - len(self.errors))]
        self.count += count
        return errors[count] if count < len(errors) else None

    def filtered(self, batches: Iterable[Any], errors: Sequence[InputError]) -> Iterator[Any]:
        """Yield batches with what was left out before their rows, up to the malformed line that ends the run.

        Parameters
        ----------
        batches : of Batch or Decisions, in the order of their lines
        errors : those of all malformed lines, in their order

        Raises
        ------
        InputError
            That of the line that ends the run.
        """
        fatal = self.fatal = self.admit(errors)
        left = list(errors) if self.skips else []
        for batch in batches:
            before = np.searchsorted(batch.lines, [one.line or 0 for one in left]).tolist()
            skipped = [(row, one.tag) for row, one in zip(before, left, strict=True) if row < batch.n]
            left = left[len(skipped) :]
            batch = batch._replace(skipped=[*((0, tag) for tag in self.tags), *skipped] or None)
            if fatal is not None:
                batch = batch.part(0, int(np.searchsorted(batch.lines, fatal.line or 0)))
            if batch.n:
                self.tags = []
                yield batch
        self.tags += [one.tag for one in left]
        if fatal is not None:
            raise fatal


def other_problem(before: bytes, format: str = "vw") -> tuple[str, str] | None:
    """(what it is, what is expected) where labels before the bar are of costs, of bandits or several; else None."""
    words = before.split()
    if not words:
        return None
    if _SHARED.fullmatch(before.strip()) or any(_BANDIT.fullmatch(word) for word in words):
        remedy = "decisions are learned with --cb_explore_adf or --cb_adf (blocks of lines), --cb_explore K or --cb K"
        expected = OTHER_DECISIONS.get(words[0], f"{_ONE_LABEL}{remedy}")
        return f"{shorten(before.strip())}: contextual-bandit text", expected
    if _COSTS.fullmatch(words[0]):
        expected = (
            f"{_ONE_LABEL}for costs of classes (VW's --csoaa, --csoaa_ldf, --wap) give a line for each class, its "
            "label CLASS:COST:1, with --cb K, or the class of least cost alone (--oaa K, --classes auto)"
        )
        return f"{shorten(before.strip())}: cost-sensitive labels", expected
    if format == "vw" and _SEVERAL.fullmatch(before.strip()):
        expected = "one label; several labels (VW's --multilabel_oaa) are not taken: give a row, or a model, each"
        return shorten(before.strip()), expected
    return None


def name_problems(batch: Batch) -> dict[int, InputError]:
    """The errors, by row, of labels of VW text that are no names of classes but of another kind of problem."""
    names = batch.class_names or []
    problems = {name: other_problem(raw(name)) for name in dict.fromkeys(names) if name is not None}
    return {
        row: InputError(batch.source, *problem, line=int(batch.lines[row]), column=1)
        for row, name in enumerate(names) if (problem := problems.get(name)) is not None
    }  # fmt: skip


#: Words of a name of a column, at most: more are a text.
NAME = 3


def _meant(line: bytes) -> str:
    """Say what to do about a line that is none of LIBSVM text, as a message's end, where it looks like other text."""
    if line.startswith(b"["):
        return ARRAY
    if _FASTTEXT.match(line):
        return "; this looks like fastText's: sed 's/^__label__\\([^ ]*\\)/\\1 |/' FILE | sonlearn train --classes auto"
    for delimiter in (b",", b";", b"\t"):
        fields = line.split(delimiter)
        if len(fields) > 1 and b":" not in line and all(0 < len(field.split()) <= NAME for field in fields):
            return "; this looks like CSV: train with --label COLUMN"
    if _WORDS.search(line):
        return "; words are read as VW text, behind a label and a bar: 1 | words; or of a table or JSON: --text NAME"
    return ""


def line_error(buf: np.ndarray, begin: int, at: int, what: int, place: tuple[str, int, str]) -> InputError:
    """The error for the line of `buf` that begins at `begin`.

    Parameters
    ----------
    at : int, offset of the offending word
    what : int, the kernel's code
    place : (source, line number, format)
    """
    source, line, format = place
    text = code.line_at(buf, begin).removesuffix(b"\r")
    if format == "vw" and what not in (code.NO_BAR, code.BIG_NUMBER) and b"|" not in text:
        what, at = code.NO_BAR, begin
    if 0 in text:
        return InputError(source, "a zero byte", "text; is this a binary file?", line, text.index(0) + 1)
    if what in (code.BAD_LABEL, code.BAD_WEIGHT, code.MANY_LABELS, code.TAG_NOT_LAST, code.BAD_BASE):
        problem = other_problem(text.partition(b"|")[0], format)
        if problem is not None:
            return InputError(source, *problem, line=line, column=1)
    expected = _EXPECTED[format][what]
    if format == "svmlight" and what in (code.BAD_LABEL, code.BAD_INDEX, code.BAD_INTEGER):
        expected += _meant(text)
    if what == code.NO_BAR:
        at, word = begin, text
    else:
        match = _WORD[format].match(text, at - begin)
        word = (match and match.group()) or text[at - begin : at - begin + 1].strip()
    return InputError(source, shorten(word) if word else "nothing", expected, line, at - begin + 1)


def repeated_index(buf: np.ndarray, begin: int) -> int:
    """Offset of the first index that stands twice in the LIBSVM line that begins at `begin`; -1 if none does."""
    text = code.line_at(buf, begin).partition(b"#")[0]
    seen = set()
    for match in re.finditer(rb"(?<![^ \t\v\f\r])([0-9]+)(\.0*)?:", text):
        index = int(match[1])
        if index in seen:
            return begin + match.start()
        seen.add(index)
    return -1
