"""Estimators for River (extra ``river``): the same learners over dicts of features.

Names of features are hashed as Vowpal Wabbit does it: ``{"width": 3.5, "colour": "red"}`` is the line
``|  width:3.5 colour:red`` of its format, and with 32 bits two names hardly ever meet. Numbers, texts and booleans are
values; 0 is the same as nothing; dates and times of the module datetime, and the words of texts that `text` names, are
what they are in JSON with ``--chain_hash`` (`sonlearn.text.records`). None and NaN are missing values: the text of the
feature is empty then, which is a feature that says so. Entries are put in the order of their slots, for the order in a
dict has no meaning.
"""

from __future__ import annotations

import datetime
import functools
import math
import operator
import reprlib
import struct
import sys
from collections.abc import Container, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from river.bandit.base import ContextualPolicy
from river.base import MiniBatchClassifier, MiniBatchRegressor

from sonlearn.data.arrays import collected
from sonlearn.data.batch import Batch
from sonlearn.errors import InputError, shorten
from sonlearn.estimators import base
from sonlearn.estimators.bandit import SonlearnBandit
from sonlearn.learn.by_row import OneRow
from sonlearn.learn.learner import Learner
from sonlearn.learn.predicted import PROBABILISTIC
from sonlearn.options import TextOptions
from sonlearn.options.python import Parameter, errors_in_keywords, with_parameters
from sonlearn.text.dates import date_in, hours_in
from sonlearn.text.encode import RowLists, mark_of, parts_of, words_of
from sonlearn.text.hashing import VW_CONSTANT, hash_bytes
from sonlearn.views.index import Entries

if TYPE_CHECKING:
    from typing import Unpack

    from sonlearn.options.keywords import RiverClassifierKeywords, RiverRegressorKeywords

SOURCE = "<dict>"


@functools.lru_cache(maxsize=1 << 16)
def _slot(name: str, text: str | None) -> int:
    """VW's hash of a feature, or of a feature with a text for a value."""
    slot = hash_bytes(name.encode("utf-8", "surrogatepass"))
    return slot if text is None else hash_bytes(text.encode("utf-8", "surrogatepass"), slot)


#: What Python and NumPy make numbers of, and is none.
_NO_NUMBERS = bytes, bytearray, memoryview, complex, np.complexfloating, np.timedelta64


def _display(value: Any) -> str:
    """A value for a message, in a short line: pandas shows its objects in several."""
    return " ".join(reprlib.repr(value).split())


def _has_hash(label: Any) -> bool:
    """Return whether a label can be a class: a tuple of lists cannot, nor a duration of NumPy without a unit."""
    try:
        hash(label)
    except (TypeError, ValueError):
        return False
    return True


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA, of which it cannot be said whether it equals itself."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _features_of(name: str, value: Any, texts: Container[str]) -> Iterator[tuple[int, float, int]]:
    """Yield (slot, value, mark) of the features that a value becomes; marks are those of `Batch.marks`.

    Raises OverflowError, TypeError or ValueError for what is no number either.
    """
    if _is_missing(value) or isinstance(value, str):
        text = value if isinstance(value, str) else ""
        words = words_of(text) or [""] if name in texts else [text]
        yield from ((_slot(name, word), 1.0, int(name in texts)) for word in words)
    elif isinstance(value, datetime.time):
        hours = hours_in(str(value.replace(tzinfo=None))) or 0.0
        hour = f"hour={int(hours)}"
        yield _slot(name, None), hours, 0
        yield _slot(f"{name}.{hour}", None), 1.0, mark_of(name, "hour", hour)
    elif isinstance(value, datetime.date | np.datetime64) and (found := date_in(str(value))):
        for part, feature, number in parts_of(found, name):
            yield _slot(f"{name}.{feature}", None), number, mark_of(name, part, feature)
    else:
        number = math.nan if isinstance(value, _NO_NUMBERS) else float(value)
        if not math.isfinite(number):
            raise ValueError
        yield _slot(name, None), number, 0


def _entries(
    features: Mapping[Hashable, Any], mask: int, texts: Container[str], row: int
) -> list[tuple[int, float, int]]:  # fmt: skip
    """[(slot, value, mark)] of a dict, in the order of the slots, those that are 0 left out."""
    if not isinstance(features, Mapping):
        found = f"{shorten(str(features))} ({type(features).__name__})"
        expected = "a dict of features; of the words of a text: text=('name',), or BagOfWords() | ..."
        raise InputError(SOURCE, found, expected, row)
    entries = []
    for name, value in features.items():
        try:
            entries += [(slot & mask, x, told) for slot, x, told in _features_of(str(name), value, texts) if x]
        except (OverflowError, TypeError, ValueError):
            found = f"{_display(value)} for the feature {name!r}"
            raise InputError(SOURCE, found, "a finite number or a text", row) from None
    return sorted(entries)


def _numbers(values: Any, what: str, n: int) -> np.ndarray:
    """float64[n] of labels or weights, one each or one for all. Raises InputError."""
    each = np.ravel(np.asarray(values, dtype=object))
    try:
        numbers = not any(one is None or isinstance(one, (str, *_NO_NUMBERS)) for one in each)
        given = np.asarray(values, dtype=np.float64) if numbers else None
    except (OverflowError, TypeError, ValueError):
        given = None
    if given is None or given.shape not in ((), (n,)):
        raise InputError(SOURCE, f"{what} {_display(values)}", f"a number as {what}") from None
    return np.full(n, given) if given.ndim == 0 else given


def batch_of(
    rows: list[dict[Hashable, Any]], y: Any, weight: Any, bits: int, constant: bool, texts: Container[str] = ()
) -> Batch:
    """Batch of dicts of features, hashed to 2^bits slots; labels and weights float64[n], or one for all rows.

    Without labels, y is None. Of the features `texts` the words count.

    Raises
    ------
    InputError
        A value is neither a finite number nor a text, a label is no finite number, a weight is no finite number from 0
        on.
    """
    unlabelled, weight = y is None, _numbers(weight, "weight", len(rows))
    y = np.full(len(rows), np.nan) if unlabelled else _numbers(y, "label", len(rows))
    mask = (1 << bits) - 1
    lists, marks = RowLists(VW_CONSTANT & mask if constant else None), list[int]()
    for row, (features, label, h) in enumerate(zip(rows, y, weight, strict=True), 1):
        if not (unlabelled or math.isfinite(label)):
            raise InputError(SOURCE, f"label {label}", "a finite number", row)
        if not 0.0 <= h < math.inf:
            raise InputError(SOURCE, f"weight {h}", "a finite number, 0 or more", row)
        entries = _entries(features, mask, texts, row)
        lists.entries += [(slot, value) for slot, value, _ in entries]
        marks += [*(of for *_, of in entries), *[0] * constant]
        lists.add(row, label, h)
    told = np.array(marks, np.uint32) if any(marks) else None
    return lists.take()._replace(source=SOURCE, constant=VW_CONSTANT & mask, marks=told)


class _Names:
    """The features of a dict of numbers, for dicts with the same names in the same order, as in most streams.

    `entries` has room for the values of such a dict, and 1 for the constant.
    """

    def __init__(self, names: tuple[Hashable, ...], mask: int, constant: bool):
        slots = {name: _slot(str(name), None) & mask for name in names}
        order = sorted(names, key=slots.__getitem__)
        ids = [slots[name] for name in order] + [VW_CONSTANT & mask] * constant
        self.names, self._n = names, len(names)
        # names that are equal, as 1 and True, may be other texts; and where names share a slot, their order depends on
        # the values: such rows go by `_entries`
        plain = len(set(slots.values())) == self._n > 1 and all(type(name) is str for name in names)
        self._values = operator.itemgetter(*order) if plain else None
        self._entries = Entries(np.array(ids, np.int64), np.ones(len(ids)))
        self._fill = struct.Struct(f"{self._n}d").pack_into  # takes no text for a number, as NumPy does

    def entries(self, x: dict[Hashable, Any]) -> Entries | None:
        """The row of a dict of numbers with these names; None where that needs more care."""
        if self._values is None:
            return None
        values = self._values(x)
        try:
            self._fill(self._entries.values.data, 0, *values)
            if not math.isfinite(sum(values)):
                return None
        except (OverflowError, TypeError, struct.error):  # no number, or a whole one out of all bounds
            return None
        if all(values):
            return self._entries
        filled = self._entries.values != 0.0
        return Entries(self._entries.ids[filled], self._entries.values[filled])


#: Types of labels and weights that are numbers without further ado.
_NUMBERS = frozenset((float, int, bool, np.float64, np.int64, np.bool_))


def _rows(X: Any) -> list[dict[Hashable, Any]]:
    """Dicts of a table: pandas, polars, PyArrow, or a list of dicts."""
    X = collected(X)
    if hasattr(X, "iloc"):
        X = X.to_dict(orient="records")
    rows = X.to_dicts() if hasattr(X, "to_dicts") else X.to_pylist() if hasattr(X, "to_pylist") else X
    return list(rows)


def _in_pandas(kind: str, values: list[Any], X: Any, **more: Any) -> Any:
    """Return predictions of the rows of X as a `kind` of pandas; as they are where there is none, as in River."""
    try:
        import pandas
    except ImportError:
        return values
    return getattr(pandas, kind)(values, index=X.index if hasattr(X, "iloc") else None, **more)


_CLIENT = {
    "bits": Parameter(32, "int", "names of features are hashed to 2^bits slots"),
    "constant": base.INTERCEPT,
    "text": Parameter(
        None, "str | list[str] | tuple[str, ...] | None", "features whose words count; any other text is a category"
    ),
    "threads": Parameter(1, "int", "how many threads may learn side by side; results are the same"),
}
_LEARNING = base.LEARNING | {"members": base.LEARNING["members"]._replace(default="")}
_CLASSIFIER = _LEARNING | base.FOR_CLASSES | {
    "classes": Parameter(
        None, "tuple[Any, ...] | list[Any] | None", "all labels there are, if that is known; any other is refused then"
    ),
    "class_weight": Parameter(
        None, "dict[Any, float] | None", "what the weight of a row of a class is multiplied with"
    ),
} | _CLIENT  # fmt: skip
_REGRESSOR = {name: each for name, each in (_LEARNING | _CLIENT).items() if name not in base.OF_CLASSES}
#: Parameters that may change while a model learns: they say what is made of a prediction.
_MUTABLE = frozenset(("min_prediction", "max_prediction", "threshold"))


class _RiverEstimator(base.Options):
    """What classes and values have in common."""

    bits: int
    constant: bool
    text: str | list[str] | tuple[str, ...] | None
    threads: int

    @property
    def _text(self) -> TextOptions:
        return TextOptions(format="vw", bits=self.bits, constant=self.constant)

    @property
    def _texts(self) -> frozenset[str]:
        """The features whose words count."""
        return frozenset((self.text,) if isinstance(self.text, str) else self.text or ())

    @property
    def _mutable_attributes(self) -> set[str]:
        """Parameters that `mutate` may change."""
        return set(_MUTABLE & set(self.PARAMETERS))

    @property
    def _raw_memory_usage(self) -> int:
        """Bytes of what has been learned. (River itself would follow references into compiled kernels and Numba.)"""
        learner = self.__dict__.get("learner_")
        return sys.getsizeof(self) + (0 if learner is None else sum(a.nbytes for a in learner.to_arrays()[1].values()))

    def clone(self, new_params: dict[str, Any] | None = None, include_attributes: bool = False) -> Self:
        """A new estimator with these parameters, or others; with `include_attributes` also with what was learned."""
        self.__dict__.pop("_buffers", None)  # of one row; River would copy them
        copied: Self = super().clone(new_params, include_attributes)  # type: ignore[misc]
        return copied

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _MUTABLE and "learner_" in self.__dict__:
            with errors_in_keywords(type(self).__name__):
                self.learner_.report_with(**{name: value})
        super().__setattr__(name, value)

    def learn_many(self, X: Any, y: Iterable[Any], w: Any = 1.0) -> None:
        """Learn the rows of a table in order: the same as `learn_one` of each; `w`: a weight, or one for each row."""
        rows, y = _rows(X), list(y)
        if len(rows) != len(y):
            raise ValueError(f"{len(y)} labels, expected one each for {len(rows)} rows")
        self._learn(rows, y, w)

    def predict_many(self, X: Any) -> Any:
        """`predict_one` of the rows of a table, as a pandas series; without pandas, a list."""
        return _in_pandas("Series", self._predicted(_rows(X)), X)

    def _learn(self, rows: list[dict[Hashable, Any]], y: list[Any], weight: Any) -> None:
        """Learn rows in order, with as many labels."""
        raise NotImplementedError

    def _predicted(self, rows: list[dict[Hashable, Any]]) -> list[Any]:
        """Return what is predicted of rows."""
        raise NotImplementedError

    def _unlabelled(self, rows: list[dict[Hashable, Any]], weight: Any = 1.0) -> Batch:
        return batch_of(rows, None, weight, self.bits, self.constant, self._texts)

    def _prepared(self, x: dict[Hashable, Any]) -> tuple[OneRow, Entries] | None:
        """The way for one row, and the row; None where it has to go as a batch. InputError: see `batch_of`."""
        learner, mask = self.__dict__.get("learner_"), (1 << self.bits) - 1
        one, names = self.__dict__.get("_buffers", (None, None))
        if one is None or one.learner is not learner:
            if learner is None or not OneRow.serves(learner):
                return None
            one, names = self._buffers = OneRow(learner, VW_CONSTANT & mask, SOURCE), _Names((), 0, False)
        entries = None
        if isinstance(x, dict):
            given = tuple(x)
            if given != names.names:
                names = _Names(given, mask, self.constant)
                self._buffers = one, names
            entries = names.entries(x)
        if entries is None:
            found = [*_entries(x, mask, self._texts, 1), *[(VW_CONSTANT & mask, 1.0, 0)] * self.constant]
            ids, values, marks = zip(*found, strict=True) if found else ((), (), ())
            if 1 in marks:  # words
                return None
            entries = Entries(np.array(ids, np.int64), np.array(values, np.float64), np.array(marks, np.uint32))
        return one, entries

    def _raw_scores(self, x: dict[Hashable, Any]) -> Any:
        """The raw prediction of a row by the way for one (see `OneRow.raw`); None where it has to go as a batch."""
        found = self._prepared(x)
        return None if found is None else found[0].raw(found[1])

    def _learn_fast(self, x: dict[Hashable, Any], y: Any, w: Any) -> bool:
        """Learn a row by the way for one; false where it has to go as a batch, or label or weight are refused."""
        if type(w) not in _NUMBERS or type(y) not in _NUMBERS or not 0.0 <= w < math.inf or not abs(y) < math.inf:
            return False
        found = self._prepared(x)
        if found is None or not found[0].knows(y):
            return False
        try:
            found[0].learn(found[1], float(y), float(w))
        except (InputError, OverflowError):  # which the batch says
            return False
        return True


@with_parameters(_CLASSIFIER)
class SonlearnClassifier(_RiverEstimator, MiniBatchClassifier):
    """Online classifier of any number of classes, which may turn up as the stream goes on. Nothing has to be tuned.

    Booleans, and two classes that were named beforehand, have one learner; else each class is learned against all
    others, as with ``--classes auto``: a class that comes late has lost nothing.
    """

    classes: tuple[Any, ...] | list[Any] | None
    class_weight: dict[Any, float] | None
    positive: Any

    def __init__(self, **given: Unpack[RiverClassifierKeywords]) -> None: ...

    @property
    def _multiclass(self) -> bool:
        return self.classes is None or len(self.classes) != 2

    def learn_one(self, x: dict[Hashable, Any], y: Hashable, w: float = 1.0) -> None:
        """Learn one example; `w`, from 0 on, is its importance weight. InputError: see `batch_of`."""
        number = self.__dict__.get("numbers_", {}).get(y) if _has_hash(y) else None
        if number is not None:
            own = w if self.class_weight is None or type(w) not in _NUMBERS else w * self.class_weight.get(y, 1.0)
            if self._learn_fast(x, self._labels_of(number), own):
                return
        self._learn([x], [y], [w])

    def predict_proba_one(self, x: dict[Hashable, Any], **kwargs: Any) -> dict[Hashable, float]:
        """{class: probability} of the classes known; NotImplementedError for a loss that tells none."""
        classes = self._classes
        raw = self._raw_scores(x) if len(classes) > 1 else None
        if raw is not None and self.learner_.options.loss in PROBABILISTIC:
            return dict(zip(classes, self._probabilities_of(raw).tolist(), strict=True))
        return next(iter(self._probabilities([x])), {})

    def predict_one(self, x: dict[Hashable, Any], **kwargs: Any) -> Hashable | None:
        """The likeliest class, or that of `threshold`; None before any was seen."""
        raw = self._raw_scores(x) if self._classes else None
        if raw is not None:
            return self._classes[int(self._numbers_of(raw))]
        return self._predicted([x])[0]

    def predict_set_one(self, x: dict[Hashable, Any]) -> set[Hashable]:
        """The classes in the row's set, which holds the share `coverage` of the labels; of nothing learned, none.

        Raises OptionError: the estimator has no `coverage`.
        """
        if not hasattr(self, "learner_"):
            return set()
        inside = self._sets(self._unlabelled([x]), labels_follow=True)[0].tolist()
        return {label for label, one in zip(self._classes, inside, strict=True) if one}

    def predict_proba_many(self, X: Any) -> Any:
        """`predict_proba_one` of the rows of a table, as a pandas table; without pandas, a list of dicts."""
        return _in_pandas("DataFrame", self._probabilities(_rows(X)), X, columns=self._classes)

    @property
    def _classes(self) -> list[Hashable]:
        names, learner = list(getattr(self, "numbers_", self.classes or ())), getattr(self, "learner_", None)
        return names if learner is None or not learner.options.several else [names[k] for k in learner.classes]

    def _learn(self, rows: list[dict[Hashable, Any]], y: list[Any], weight: Any) -> None:
        """See `_RiverEstimator`."""
        if not len(rows):
            return
        batch = self._unlabelled(rows, weight)
        for row, label in enumerate(y, 1):
            if not _has_hash(label):
                raise InputError(SOURCE, f"label {_display(label)}", "a class: a text or a number", row)
            if _is_missing(label):
                raise InputError(SOURCE, f"label {label}", "a class; leave out rows without a label", row)
        if self.class_weight is not None:
            batch = batch._replace(weight=batch.weight * base.weights_of_classes(self.class_weight, y))
        if not hasattr(self, "numbers_"):
            self._begin(y[0])
        for row, (label, h) in enumerate(zip(y, batch.weight, strict=True)):
            if self.fixed_ and label not in self.numbers_:
                known = ", ".join(map(repr, self.numbers_))
                raise InputError(SOURCE, f"label {_display(label)}", f"one of the classes {known}", row + 1)
            if h > 0:
                self.numbers_.setdefault(label, len(self.numbers_))
        numbers = np.array([self.numbers_.get(label, 0) for label in y])
        with errors_in_keywords(type(self).__name__):
            self.learner_.partial_fit(batch._replace(y=self._labels_of(numbers)))

    def _begin(self, label: Hashable) -> None:
        classes = self.classes
        if classes is None and isinstance(label, bool | np.bool_):
            classes = (False, True)
        count = None if classes is None else len(classes)
        self.positive_ = self._number_of_positive(classes)
        self.learner_ = self._learner_of_classes(count, self._text, self.threads)
        self.numbers_, self.fixed_ = {name: k for k, name in enumerate(classes or ())}, classes is not None

    def _predicted(self, rows: list[dict[Hashable, Any]]) -> list[Hashable | None]:
        classes = self._classes
        if not rows or not hasattr(self, "learner_") or not classes:
            return [None] * len(rows)
        raw = self.learner_.predict(self._unlabelled(rows), online=True).scores
        return [classes[number] for number in self._numbers_of(raw)]

    def _probabilities(self, rows: list[dict[Hashable, Any]]) -> list[dict[Hashable, float]]:
        classes, learner = self._classes, getattr(self, "learner_", None)
        loss = self._class_options().loss
        if loss not in PROBABILISTIC:
            raise NotImplementedError(f"loss {loss} tells no probabilities")
        if learner is None or not rows or len(classes) < 2:
            return [dict.fromkeys(classes, 1.0 / max(len(classes), 1)) for _ in rows]
        found = self._probabilities_of(learner.predict(self._unlabelled(rows), online=True).scores)
        return [dict(zip(classes, row, strict=True)) for row in found.tolist()]


@with_parameters(_REGRESSOR)
class SonlearnRegressor(_RiverEstimator, MiniBatchRegressor):
    """Online regressor: squared loss, unless `loss` says otherwise. Nothing has to be tuned."""

    def __init__(self, **given: Unpack[RiverRegressorKeywords]) -> None: ...

    def learn_one(self, x: dict[Hashable, Any], y: float, w: float = 1.0) -> None:
        """Learn one example; `w`, from 0 on, is its importance weight. InputError: see `batch_of`."""
        if not self._learn_fast(x, y, w):
            self._learn([x], [y], w)

    def predict_one(self, x: dict[Hashable, Any]) -> float:
        """The prediction (of poisson loss: the expected count); of nothing learned, 0 (1)."""
        raw = self._raw_scores(x)
        if raw is None:
            return self._predicted([x])[0]
        options = self.learner_.options
        low, high = options.bounds
        p = min(max(float(raw[0]), low), high)
        return float(np.exp(p)) if options.loss == "poisson" else p

    def predict_interval_one(self, x: dict[Hashable, Any]) -> tuple[float, float]:
        """(low, high) of the row's interval, which holds the share `coverage` of the labels.

        Raises OptionError: the estimator has no `coverage`.
        """
        learner = getattr(self, "learner_", None) or self._new()
        low, high = base.intervals_of(learner, self._unlabelled([x]), labels_follow=True)[0].tolist()
        return low, high

    def _new(self) -> Learner:
        return Learner(self._value_options(), self._text, threads=self.threads)

    def _learn(self, rows: list[dict[Hashable, Any]], y: list[Any], weight: Any) -> None:
        """See `_RiverEstimator`."""
        batch = batch_of(rows, y, weight, self.bits, self.constant, self._texts)
        if not hasattr(self, "learner_"):
            self.learner_ = self._new()
        with errors_in_keywords(type(self).__name__):
            self.learner_.partial_fit(batch)

    def _predicted(self, rows: list[dict[Hashable, Any]]) -> list[float]:
        learner = getattr(self, "learner_", None) or self._new()
        values: list[float] = base.values_of(learner, self._unlabelled(rows), online=True).tolist()
        return values


class SonlearnPolicy(ContextualPolicy):
    """A contextual policy for ``river.bandit``: ``pull(arm_ids, context)``, ``update(arm_id, context, reward)``.

    Arms may come and go. They have no features but their name, so each learns for itself.

    Parameters
    ----------
    explore : str
        How an arm is chosen; see `sonlearn.options.bandit.BanditOptions`.
    min_probability : float
        No arm has a probability below this share of one divided by their number.
    seed : int
        Of the choices.
    reward_obj, reward_scaler, burn_in :
        Those of River's policies; what is learned is the reward as it is, without the scaler.

    Attributes
    ----------
    bandit : SonlearnBandit
    """

    def __init__(
        self,
        explore: str = "ucb",
        min_probability: float = 0.0,
        seed: int = 0,
        reward_obj: Any = None,
        reward_scaler: Any = None,
        burn_in: int = 0,
    ):
        super().__init__(reward_obj=reward_obj, reward_scaler=reward_scaler, burn_in=burn_in)
        self.explore, self.min_probability, self.seed = explore, min_probability, seed
        self.bandit = SonlearnBandit(explore=explore, min_probability=min_probability, bandit_seed=seed)

    def _pull(self, arm_ids: list[Any], context: dict[Any, Any] | None) -> Any:
        return arm_ids[self.bandit.decide(context or {}, [_named(arm) for arm in arm_ids]).action]

    def update(self, arm_id: Any, context: dict[Any, Any] | None, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn the reward, the first of the arguments, of an arm in a context. Raises InputError."""
        if len(reward_args) != 1:
            raise InputError("<memory>", f"{len(reward_args)} rewards", "one number")
        self.bandit.learn(context or {}, 0, float(reward_args[0]), actions=[_named(arm_id)])
        super().update(arm_id, context, *reward_args, **reward_kwargs)


def _named(arm: Any) -> dict[str, Any]:
    return {f"arm={arm}": 1.0}


__all__ = ["SonlearnClassifier", "SonlearnPolicy", "SonlearnRegressor"]
