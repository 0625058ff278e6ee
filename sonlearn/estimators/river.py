"""Estimators for River (extra ``river``): the same learners over dicts of features.

Names of features are hashed as Vowpal Wabbit does it: ``{"width": 3.5, "colour": "red"}`` is the line
``|  width:3.5 colour:red`` of its format, and with 32 bits two names hardly ever meet. Numbers, texts and booleans are
values; 0 is the same as nothing. None and NaN are missing values: the text of the feature is empty then, which is a
feature that says so. Entries are put in the order of their slots, for the order in a dict has no meaning.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from river import base

from sonlearn.data.batch import Batch
from sonlearn.errors import InputError
from sonlearn.estimators.base import (
    LEARNING,
    PickleMixin,
    best_of,
    class_options,
    constructor,
    has_softmax,
    intervals_of,
    labels_of,
    learner_of_classes,
    raw_of,
    sets_of,
    value_options,
)
from sonlearn.learn.learner import Learner
from sonlearn.learn.links import PROBABILISTIC, probabilities
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.text.hashing import VW_CONSTANT, hash_bytes

SOURCE = "<dict>"


@functools.lru_cache(maxsize=1 << 16)
def _slot(name: str, text: str | None) -> int:
    """VW's hash of a feature, or of a feature with a text for a value."""
    slot = hash_bytes(name.encode("utf-8", "surrogatepass"))
    return slot if text is None else hash_bytes(text.encode("utf-8", "surrogatepass"), slot)


def _entry(name: Hashable, value: Any, mask: int, row: int) -> tuple[int, float]:
    """(slot, value) of a feature."""
    if isinstance(value, str):
        return _slot(str(name), value) & mask, 1.0
    if value is None or value != value:
        return _slot(str(name), "") & mask, 1.0
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(SOURCE, row, None, f"{value!r} for the feature {name!r}", "a finite number or a text")
    return _slot(str(name), None) & mask, number


def _numbers(values: Any, what: str, n: int) -> np.ndarray:
    """float64[n] of labels or weights, one each or one for all. Raises InputError."""
    try:
        given = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        given = None
    if given is None or given.shape not in ((), (n,)) or None in np.ravel(np.asarray(values, dtype=object)):
        raise InputError(SOURCE, None, None, f"{what} {values!r}", f"a number as {what}") from None
    return np.full(n, given) if given.ndim == 0 else given


def batch_of(rows: list[dict[Hashable, Any]], y: Any, weight: Any, bits: int, constant: bool) -> Batch:
    """Batch of dicts of features, hashed to 2^bits slots; labels and weights float64[n], or one for all rows.

    Raises
    ------
    InputError
        A value is neither a finite number nor a text, a label is infinite or no number, a weight is no finite number
        from 0 on.
    """
    y, weight = _numbers(y, "label", len(rows)), _numbers(weight, "weight", len(rows))
    for row, (label, h) in enumerate(zip(y, weight, strict=True), 1):
        if math.isinf(label):
            raise InputError(SOURCE, row, None, f"label {label}", "a finite number")
        if not 0.0 <= h < math.inf:
            raise InputError(SOURCE, row, None, f"weight {h}", "a finite number, 0 or more")
    mask = (1 << bits) - 1
    indptr, indices, values = [0], [], []
    for row, features in enumerate(rows, 1):
        entries = sorted(_entry(name, value, mask, row) for name, value in features.items())
        entries = [(slot, value) for slot, value in entries if value != 0.0]
        if constant:
            entries.append((VW_CONSTANT & mask, 1.0))
        indices += [slot for slot, _ in entries]
        values += [value for _, value in entries]
        indptr.append(len(indices))
    n = len(rows)
    return Batch(
        np.array(indptr, np.int64), np.array(indices, np.int64), np.array(values, np.float64),
        y, weight, np.arange(1, n + 1), SOURCE, constant=VW_CONSTANT & mask,
    )  # fmt: skip


def _rows(X: Any) -> list[dict[Hashable, Any]]:
    """Dicts of a table: pandas, polars, or a list of dicts."""
    if hasattr(X, "iloc"):
        X = X.to_dict(orient="records")
    rows = X.to_dicts() if hasattr(X, "to_dicts") else X
    return list(rows)


def _index(X: Any) -> Any:
    return getattr(X, "index", None) if hasattr(X, "iloc") else None


class _Son(PickleMixin):
    """What classes and values have in common."""

    bits: int
    constant: bool
    threads: int

    def _options(self) -> LearnOptions:
        raise NotImplementedError

    @property
    def _text(self) -> TextOptions:
        return TextOptions(format="vw", bits=self.bits, constant=self.constant)

    def _unlabelled(self, rows: list[dict[Hashable, Any]], weight: Any = 1.0) -> Batch:
        return batch_of(rows, np.full(len(rows), np.nan), weight, self.bits, self.constant)


class SonClassifier(_Son, base.MiniBatchClassifier):
    """Online classifier of any number of classes, which may turn up as the stream goes on.

    Booleans, and two classes that were named beforehand, have one learner; else each class is learned against all
    others, as with ``--classes auto``: a class that comes late has lost nothing.

    Parameters
    ----------
    method, loss, sketch_size, ... :
        The fields of `sonlearn.LearnOptions`; None: the method's default. Nothing has to be tuned.
    bits : int
        Names are hashed to 2^bits slots.
    constant : bool
        Learn an intercept.
    classes : tuple or None
        All labels there are, if that is known; any other is refused then.
    threads : int
        How many threads may learn side by side; results are the same.
    """

    __init__ = constructor(LEARNING | {"members": "", "bits": 32, "constant": True, "classes": None, "threads": 1})

    @property
    def _multiclass(self) -> bool:
        return self.classes is None or len(self.classes) != 2

    def _options(self) -> LearnOptions:
        return class_options(self)

    def learn_one(self, x: dict[Hashable, Any], y: Hashable, w: float = 1.0) -> None:
        """Learn one example; `w`, from 0 on, is its importance weight. InputError: see `batch_of`."""
        self._learn([x], [y], [w])

    def learn_many(self, X: Any, y: Iterable[Hashable]) -> None:
        """Learn the rows of a table in order: the same as `learn_one` of each."""
        rows, y = _rows(X), list(y)
        if len(rows) != len(y):
            raise ValueError(f"{len(y)} labels, expected one each for {len(rows)} rows")
        self._learn(rows, y, np.ones(len(rows)))

    def predict_proba_one(self, x: dict[Hashable, Any], **kwargs: Any) -> dict[Hashable, float]:
        """{class: probability} of the classes known; NotImplementedError for a loss that tells none."""
        return next(iter(self._probabilities([x])), {})

    def predict_one(self, x: dict[Hashable, Any], **kwargs: Any) -> Hashable | None:
        """The likeliest class, None before any was seen."""
        return self._predicted([x])[0]

    def predict_set_one(self, x: dict[Hashable, Any]) -> set[Hashable]:
        """The classes in the row's set, which holds the share `coverage` of the labels; of nothing learned, none.

        Raises OptionError: the estimator has no `coverage`.
        """
        if not hasattr(self, "learner_"):
            return set()
        inside = sets_of(self.learner_, self._unlabelled([x]), labels_follow=True)[0].tolist()
        return {label for label, one in zip(self._classes, inside, strict=True) if one}

    def predict_proba_many(self, X: Any) -> Any:
        """`predict_proba_one` of the rows of a table, as a pandas table."""
        import pandas as pd

        return pd.DataFrame(self._probabilities(_rows(X)), columns=self._classes, index=_index(X))

    def predict_many(self, X: Any) -> Any:
        """`predict_one` of the rows of a table, as a pandas series."""
        import pandas as pd

        return pd.Series(self._predicted(_rows(X)), index=_index(X))

    @property
    def _classes(self) -> list[Hashable]:
        return list(getattr(self, "numbers_", self.classes or ()))

    def _learn(self, rows: list[dict[Hashable, Any]], y: list[Hashable], weight: Any) -> None:
        """Learn rows in order."""
        if not len(rows):
            return
        batch = self._unlabelled(rows, weight)
        if not hasattr(self, "numbers_"):
            self._begin(y[0])
        for row, (label, h) in enumerate(zip(y, batch.weight, strict=True)):
            if self.fixed_ and label not in self.numbers_:
                known = ", ".join(map(repr, self.numbers_))
                raise InputError(SOURCE, row + 1, None, f"label {label!r}", f"one of the classes {known}")
            if h > 0:
                self.numbers_.setdefault(label, len(self.numbers_))
        numbers = np.array([self.numbers_.get(label, 0) for label in y])
        self.learner_.partial_fit(batch._replace(y=labels_of(self.learner_, numbers)))

    def _begin(self, label: Hashable) -> None:
        classes = self.classes
        if classes is None and isinstance(label, bool | np.bool_):
            classes = (False, True)
        count = None if classes is None else len(classes)
        self.learner_ = learner_of_classes(self._options(), count, self._text, self.threads)
        self.numbers_, self.fixed_ = {name: k for k, name in enumerate(classes or ())}, classes is not None

    def _predicted(self, rows: list[dict[Hashable, Any]]) -> list[Hashable | None]:
        classes = self._classes
        if not rows or not hasattr(self, "learner_") or not classes:
            return [None] * len(rows)
        raw = raw_of(self.learner_, self._unlabelled(rows), online=True)
        return [classes[k] for k in best_of(self.learner_, raw)]

    def _probabilities(self, rows: list[dict[Hashable, Any]]) -> list[dict[Hashable, float]]:
        classes, learner = self._classes, getattr(self, "learner_", None)
        loss = self._options().loss
        if loss not in PROBABILISTIC:
            raise NotImplementedError(f"loss {loss} tells no probabilities")
        if learner is None or not rows or len(classes) < 2:
            return [dict.fromkeys(classes, 1.0 / max(len(classes), 1)) for _ in rows]
        found = probabilities(loss, raw_of(learner, self._unlabelled(rows), online=True), has_softmax(learner))
        return [dict(zip(classes, row, strict=True)) for row in found.tolist()]


class SonRegressor(_Son, base.MiniBatchRegressor):
    """Online regressor: squared loss, unless `loss` says otherwise.

    Parameters
    ----------
    method, loss, sketch_size, ... :
        The fields of `sonlearn.LearnOptions`; None: the method's default; method None: what suits the loss.
    bits, constant, threads :
        As for `SonClassifier`.
    """

    __init__ = constructor(LEARNING | {"members": "", "bits": 32, "constant": True, "threads": 1})

    def _options(self) -> LearnOptions:
        return value_options(self)

    def learn_one(self, x: dict[Hashable, Any], y: float, w: float = 1.0) -> None:
        """Learn one example; `w`, from 0 on, is its importance weight. InputError: see `batch_of`."""
        self._learn([x], [y], w)

    def learn_many(self, X: Any, y: Iterable[float]) -> None:
        """Learn the rows of a table in order: the same as `learn_one` of each."""
        self._learn(_rows(X), list(y), 1.0)

    def predict_one(self, x: dict[Hashable, Any]) -> float:
        """The prediction (of poisson loss: the expected count); of nothing learned, 0 (1)."""
        return self._predicted([x])[0]

    def predict_many(self, X: Any) -> Any:
        """`predict_one` of the rows of a table, as a pandas series."""
        import pandas as pd

        return pd.Series(self._predicted(_rows(X)), index=_index(X))

    def predict_interval_one(self, x: dict[Hashable, Any]) -> tuple[float, float]:
        """(low, high) of the row's interval, which holds the share `coverage` of the labels.

        Raises OptionError: the estimator has no `coverage`.
        """
        learner = getattr(self, "learner_", None) or Learner(self._options(), self._text)
        low, high = intervals_of(learner, self._unlabelled([x]), labels_follow=True)[0].tolist()
        return low, high

    def _learn(self, rows: list[dict[Hashable, Any]], y: list[float], weight: Any) -> None:
        if len(rows) != len(y):
            raise ValueError(f"{len(y)} labels, expected one each for {len(rows)} rows")
        batch = batch_of(rows, y, weight, self.bits, self.constant)
        if not hasattr(self, "learner_"):
            self.learner_ = Learner(self._options(), self._text, threads=self.threads)
        self.learner_.partial_fit(batch)

    def _predicted(self, rows: list[dict[Hashable, Any]]) -> list[float]:
        learner = getattr(self, "learner_", None) or Learner(self._options(), self._text)
        p = learner.predict(self._unlabelled(rows), online=True).prediction
        values: list[float] = (np.exp(p) if learner.options.loss == "poisson" else p).tolist()
        return values


__all__ = ["SonClassifier", "SonRegressor"]
