"""Several classes: how they are written, which labels fit them, and what is made of the scores of a row.

A class is a whole number or a name, and its number is the order in which it was met. With ``--oaa K`` classes are 1 to
K, or 0 to K - 1, as Vowpal Wabbit's; with ``--classes auto`` they are whatever labels come.

A class's probability is in proportion to 1/(1 + exp(-score)). With ``--oaa K`` all K classes count, those that have not
been met with the score of the unseen-class learner (`multiclass.by_method`); with ``--classes auto`` those that
have been met, and in the loss of a row whose class is new that one as well. With ``--multinomial K`` the probabilities
are softmax's, exp(score) in the place of 1/(1 + exp(-score)), and all K classes count; with ``--classes auto`` beside
it their labels are whatever comes. The loss is the logarithm of one over the probability of the row's class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.linear_algebra import exponential, total_of
from sonlearn.errors import InputError, shorten
from sonlearn.jit import inline, jit
from sonlearn.learn.engine import Predictions
from sonlearn.learn.predicted import Predicted
from sonlearn.options import LearnOptions

#: Number of a class that has not been met.
UNMET = -1
_WHOLE = 2.0**53


class Classes:
    """The classes of a stream.

    Parameters
    ----------
    options : LearnOptions
        ``oaa``, ``multinomial``: how many there can be; with ``classes`` they have any labels, else 1 to that number,
        or 0 to one less.

    Attributes
    ----------
    most : int or None
        How many there can be.
    labels : list of int and str
        Those met, in that order.
    first : int or None
        Of numbered classes the least label (0 or 1), once it is known.
    names, worded
        As of `sonlearn.learn.labels.LabelEncoder`: there are no two classes.
    kind : str
        As that of `sonlearn.learn.labels.LabelEncoder`: learners whose scores become probabilities alike may share one.
    """

    names, worded = None, False

    def __init__(self, options: LearnOptions):
        self.most = options.oaa or options.multinomial
        self._cap = self.most or options.max_classes
        self._numbered = options.classes is None
        self._flag = "--oaa" if options.multinomial is None else "--multinomial"
        self._softmax, self.kind = options.softmax, "softmax" if options.softmax else "classes"
        self.labels: list[int | str] = []
        self.first: int | None = None
        self._numbers: dict[int | str, int] = {}

    def header(self) -> dict[str, Any]:
        """Return what a model file is told."""
        return {"labels": list(self.labels), "first": self.first}

    def restore(self, header: dict[str, Any]) -> None:
        """Inverse of `header`; ValueError, KeyError or TypeError where it is none."""
        labels, self.first = list(header["labels"]), header["first"]
        if not all(type(label) in (int, str) for label in labels):
            raise ValueError("classes are neither whole numbers nor names")
        self.labels, self._numbers = [], {}
        self._meet(labels)

    def merged(self, headers: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The classes of all of several learners with these headers. Raises InputError: each says otherwise."""
        order = list(dict.fromkeys(label for header in headers for label in header["labels"]))
        firsts = {header["first"] for header in headers} - {None}
        if len(firsts) > 1:
            most = self.most or 0
            raise InputError("<learners>", f"classes 1 to {most}", f"0 to {most - 1}, as of another learner")
        return {"labels": order, "first": next(iter(firsts), None)}

    @property
    def scores(self) -> int:
        """Return how many scores a row has: one for each class met."""
        return len(self.labels)

    @property
    def settled(self) -> bool:
        """Return whether a row may be learned alone: some class has been met or named."""
        return bool(self.labels)

    def coded(self, batch: Batch, *, remember: bool) -> tuple[np.ndarray, int]:
        """(float64[n] numbers of the rows' classes, the first row with a label that is no class, or n).

        With `remember`, the rows before that one are learned from: new classes get their numbers. Else they are UNMET.
        """
        labels = _labels(batch)
        fitting, end = self._fitting(labels)
        numbers: dict[Any, float] = {None: math.nan, **self._numbers}  # 3.0 finds 3
        if remember:
            self.first = self._least(fitting)
            for row in np.flatnonzero(batch.weight[:end] > 0).tolist() if fitting.keys() - numbers else ():
                label = labels[row]
                if label not in numbers:
                    if len(self.labels) == self._cap:
                        end = row
                        break
                    numbers[label] = len(self.labels)
                    self._meet([label if isinstance(label, str) else int(label)])
        return np.array([numbers.get(label, UNMET) for label in labels], dtype=np.float64), end

    def number(self, label: float) -> int | None:
        """The number of the class of a label that is no name, if it has been met or named."""
        return self._numbers.get(label)  # type: ignore[call-overload, no-any-return]  # 3.0 finds 3

    def _fitting(self, labels: list[float | str | None]) -> tuple[dict[Any, None], int]:
        """(labels that are classes, in the order of their first rows; the first row with one that is none, or n)."""
        fitting: dict[Any, None] = {}
        for label in dict.fromkeys(labels):
            if label is not None and self._problem(label, fitting):
                return fitting, labels.index(label)
            fitting[label] = None
        return fitting, len(labels)

    def error(self, batch: Batch, row: int) -> InputError:
        """Return what to say of the label of `row`."""
        *before, value = _labels(batch.part(0, row + 1))
        assert value is not None
        found = f"label {shorten(value) if isinstance(value, str) else f'{value:.16g}'}"
        expected = self._problem(value, dict.fromkeys(before)) or self._full()
        return InputError(batch.source, found, expected, int(batch.lines[row]))

    def text(self, values: np.ndarray) -> list[str]:
        """Labels as they are written, of `values`."""
        return [
            f"{value:.0f}" if value % 1 == 0 and not self._named else str(self.labels[int(value)]) if value >= 0
            else "unknown" for value in values.tolist()
        ]  # fmt: skip

    def numbers_of(self, y: np.ndarray) -> np.ndarray:
        """int64[n]: which of the classes labels are (`Predicted.label`), -1 for one that has not been met."""
        place = {self._value(k): k for k in range(len(self.labels))}
        return np.array([place.get(label, -1) for label in y.tolist()], dtype=np.int64)

    def judged(self, out: Predictions, y: np.ndarray, batch: Batch, rests: bool) -> Predicted:
        """Return what comes of the scores of rows of the classes `y` (as `coded` gives them).

        Where the model `rests` a class that it has not met has no loss.
        """
        n = len(y)
        values = np.array([self._value(UNMET), *map(self._value, range(len(self.labels)))])
        winner, raw, loss, other = np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n)
        probabilities = np.zeros(out.raw.shape)
        judge(self.most or 0, self._softmax, out, y, winner, raw, loss, probabilities, other)
        loss[rests & (y < 0)] = math.nan
        label = np.where(np.isnan(y) | (y < out.met) | (batch.weight > 0), y, UNMET)
        if not self._named:
            label = np.where(batch.y % 1 == 0, batch.y, label + 0.5)
        prediction = values[winner + 1]
        return Predicted(
            prediction, raw, loss, out.refused, label, prediction, raw, out.raw,
            probabilities=probabilities, other=other, met=out.met, unseen=out.unseen,
        )  # fmt: skip

    # -- how ---------------------------------------------------------------------------------------------------------

    @property
    def _named(self) -> bool:
        """Return whether the first class is a name: then what `prediction` says of each is its number.

        Else a whole number is itself, and of a name it is that of the class and a half, which is no whole number.
        """
        return bool(self.labels) and isinstance(self.labels[0], str)

    def _value(self, number: int) -> float:
        """Return what `prediction` says of a class."""
        if number == UNMET:
            return 1.0 if self._numbered else UNMET if self._named else math.nan
        label = self.labels[number]
        return float(number) if self._named else number + 0.5 if isinstance(label, str) else float(label)

    def _meet(self, labels: list[int | str]) -> None:
        for label in labels:
            self._numbers[label] = len(self.labels)
            self.labels.append(label)

    def _least(self, values: dict[float | str, Any]) -> int | None:
        """Return `first` after `values`: with numbered classes, 0 or K tells whether labels begin with 0 or with 1."""
        if self.first is not None or not self._numbered:
            return self.first
        return 0 if 0 in values else 1 if self.most in values else None

    def _problem(self, value: float | str, before: dict[float | str, Any]) -> str:
        """Say what is expected, not the label `value`, with the labels `before` it in the batch; empty: it fits."""
        if self._numbered:
            first = self._least(before)
            low, high = (0, self.most) if first is None else (first, first + self.most - 1)
            if isinstance(value, str) or value != math.floor(value) or not low <= value <= high:
                either = f"1 to {self.most}, or 0 to {self.most - 1},"
                expected = f"{either if first is None else f'{low} to {high}'} for {self._flag} {self.most}"
                if not isinstance(value, str) and value == math.floor(value) > high:
                    return f"{expected} (more classes: {self._flag} {int(value) + (first == 0)})"
                return f"{expected} (classes of any name: --classes auto)"
            return ""
        if not isinstance(value, str) and (value != math.floor(value) or abs(value) > _WHOLE):
            return "a whole number or a name, for a class (real labels: --loss squared, without --classes)"
        return ""

    def _full(self) -> str:
        """Return what is expected in place of a further class where there are as many as there can be."""
        if self.most is not None:
            return f"one of the {self.most} classes met before (more classes: {self._flag} {self.most + 1})"
        return (
            f"one of the {self._cap} classes met before, the most that there can be (more: --max-classes N; "
            "labels that are values: --loss squared, without --classes)"
        )


def _labels(batch: Batch) -> list[float | str | None]:
    """The label of each row, None for none."""
    names = batch.class_names or [None] * batch.n
    return [y if y == y else name for y, name in zip(batch.y.tolist(), names, strict=True)]


def first_occurrences(y: np.ndarray, met: int) -> np.ndarray:
    """int64[new classes]: the rows that show that class number met, met + 1, ... is there; y float64[n], NaN: none."""
    most = np.maximum.accumulate(np.where(np.isnan(y), -1.0, y)) if len(y) else y
    new = np.arange(met, int(most[-1]) + 1) if len(y) else np.zeros(0)
    return np.searchsorted(most, new).astype(np.int64)


@jit
def judge(most, softmax, out, y, winner, raw, loss, probabilities, other):
    """Fill in what is made of each row's scores.

    Parameters
    ----------
    most : int, how many classes there can be, 0: any number; softmax : bool, whether probabilities are softmax's
    out : Predictions; y : float64[n], numbers of the rows' classes
    winner : int64[n]; raw, loss, other : float64[n]; probabilities : float64[n, K]; filled in
    """
    for i in range(len(y)):
        met, best = out.met[i], UNMET
        for k in range(met):
            if best == UNMET or out.raw[i, k] > out.raw[i, best]:
                best = k
        winner[i], raw[i] = best, out.raw[i, best] if best != UNMET else out.unseen[i]
        unseen, top = log_share(out.unseen[i], softmax), log_share(raw[i], softmax)
        others = max(most - met, 0)
        if others > 0:
            top = max(top, unseen)
        total = others * math.exp(unseen - top) if others > 0 else 0.0
        for k in range(met):
            probabilities[i, k] = log_share(out.raw[i, k], softmax) - top
        for k in range(met):
            probabilities[i, k] = exponential(probabilities[i, k])
        total += total_of(probabilities[i], met)
        other[i] = math.exp(unseen - top) / total if others > 0 else 0.0
        for k in range(probabilities.shape[1]):
            probabilities[i, k] = probabilities[i, k] / total if k < met else other[i]
        loss[i] = math.nan
        if y[i] == y[i]:
            new = not 0.0 <= y[i] < met
            own = unseen if new else log_share(out.raw[i, int(y[i])], softmax)
            whole = top + math.log(total) if total > 0.0 else -math.inf
            if new and most == 0:  # that class as well: ln(exp(whole) + exp(unseen))
                whole = max(whole, unseen) + math.log1p(math.exp(-abs(whole - unseen)))
            loss[i] = whole - own


@inline
def log_share(z, softmax):
    """Logarithm of what the probability of a class with the score z is in proportion to: exp(z), or 1/(1 + exp(-z))."""
    if softmax:
        return z
    return -math.log1p(math.exp(-z)) if z > 0.0 else z - math.log1p(math.exp(z))
