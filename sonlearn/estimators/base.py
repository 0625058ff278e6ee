"""What the estimators for scikit-learn and for River have in common: parameters, classes, and pickling.

An estimator's parameters are the fields of `LearnOptions`, by the same names and with the same defaults, so that
nothing is said twice. It has one `Learner`, which knows its classes by number: two are -1 and +1, more are ``--oaa``'s.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.files.storage import pack, unpack
from sonlearn.learn.learner import Learner, PredictedClass
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.losses import PROBABILISTIC as PROBABILISTIC
from sonlearn.options.methods import METHODS

#: Losses with which classes can be learned, their labels being -1 and +1.
CLASS_LOSSES = (*CLASSIFICATION, "squared")

#: Fields that say which classes there are: an estimator is told by the labels it is given.
OF_LABELS = ("oaa", "classes", "multinomial", "positive")
#: Fields that say how the command line writes a prediction; an estimator has its own ways.
OF_OUTPUT = ("link", "binary", "threshold")
#: Fields of `LearnOptions` with their defaults.
LEARNING = {
    field.name: field.default
    for field in dataclasses.fields(LearnOptions)
    if field.name not in (*OF_LABELS, *OF_OUTPUT)
}


def constructor(defaults: dict[str, Any]) -> Callable[..., None]:
    """An ``__init__`` with these keywords that only keeps them.

    Both libraries read the parameters from its signature, and want no work to be done before the first row.
    """
    listed = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default) for name, default in defaults.items()
    ]
    signature = inspect.Signature(listed)

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807
        bound = signature.bind(**given)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *listed])  # type: ignore[attr-defined]
    return __init__


def class_options(estimator: Any) -> LearnOptions:
    """The options of a classifier. Raises OptionError, also for a loss of values."""
    options = LearnOptions(**_given(estimator))
    if options.loss not in CLASS_LOSSES:
        raise OptionError(f"loss {options.loss}: expected one of {', '.join(CLASS_LOSSES)} for classes")
    return options


def value_options(estimator: Any) -> LearnOptions:
    """The options of a regressor: squared loss where none is given. Raises OptionError, also for a loss of classes."""
    given = _given(estimator)
    given["loss"] = given["loss"] or "squared"
    if given["loss"] in CLASSIFICATION:
        raise OptionError(f"loss {given['loss']} is for classes; expected squared or another loss of values")
    return LearnOptions(**given)


def _given(estimator: Any) -> dict[str, Any]:
    """Options as they were given, but for a seed where nothing is drawn: River sets one on whatever has a seed."""
    given = {name: getattr(estimator, name) for name in LEARNING}
    method = LearnOptions(method=given["method"], sketch=given["sketch"]).method
    if "seed" not in METHODS[method].takes:
        given.pop("seed", None)
    return given


def has_softmax(learner: Learner) -> bool:
    """Whether the scores of `learner` are logarithms of probabilities."""
    return learner.options.several and learner.options.method == "committee"


def learner_of_classes(options: LearnOptions, classes: int | None, text: TextOptions | None, threads: int) -> Learner:
    """A learner of classes numbered from 0 on: two, one of them against the other; more; or None: as they come."""
    if classes == 2:
        if options.coverage is not None and options.loss == "squared":  # labels are classes here, and get sets
            options = dataclasses.replace(options, binary=True)
        return Learner(options, text, threads=threads)
    how = {"oaa": classes} if classes is not None and classes > 2 else {"classes": "auto"}
    learner = Learner(dataclasses.replace(options, **how), text, threads=threads)
    learner.declare_classes(range(classes or 0))
    return learner


def labels_of(learner: Learner, numbers: np.ndarray) -> np.ndarray:
    """float64[n]: classes, by number, as the learner is told them."""
    return np.asarray(numbers, dtype=np.float64) if learner.options.several else np.where(numbers == 1, 1.0, -1.0)


def raw_of(learner: Learner, batch: Batch, online: bool = False) -> np.ndarray:
    """Raw predictions float64[n, K], of each class met; float64[n, 1] of a learner that has no several classes.

    `online`: as while labels keep arriving.
    """
    predicted = learner.predict(batch, online=online)
    return predicted.scores if isinstance(predicted, PredictedClass) else predicted.raw[:, None]


def intervals_of(learner: Learner, batch: Batch, *, labels_follow: bool = False) -> np.ndarray:
    """float64[n, 2]: ends of the intervals of the rows. Raises OptionError where the learner keeps no coverage."""
    check_coverage(learner)
    said: Any = learner.predict(batch, online=labels_follow, labels_follow=labels_follow)
    return np.column_stack([said.low, said.high])


def sets_of(learner: Learner, batch: Batch, *, labels_follow: bool = False) -> np.ndarray:
    """bool[n, K]: which classes are in the rows' sets. Raises OptionError where the learner keeps no coverage."""
    check_coverage(learner)
    said: Any = learner.predict(batch, online=labels_follow, labels_follow=labels_follow)
    return np.asarray(said.sets)


def check_coverage(learner: Learner) -> None:
    """Raise OptionError where the learner keeps no coverage."""
    if learner.options.coverage is None:
        raise OptionError("sets and intervals: the estimator keeps no coverage; give coverage=0.9 before it learns")


def best_of(learner: Learner, raw: np.ndarray) -> np.ndarray:
    """int64[n]: number of the likeliest class of rows with these raw predictions."""
    return raw.argmax(axis=1) if learner.options.several else (raw[:, 0] > 0).astype(np.int64)


class PickleMixin:
    """Of an estimator with a `learner_`: copies and pickles hold numbers, as the model's file does."""

    def __getstate__(self) -> dict[str, Any]:
        """The attributes, the learner as header and packed arrays."""
        above = getattr(super(), "__getstate__", None)
        state = dict(above() if above else self.__dict__)
        if "learner_" in state:
            header, arrays = state["learner_"].to_arrays()
            packed = {name: (array.dtype.str, array.shape, pack(array)) for name, array in arrays.items()}
            state["learner_"] = header, packed
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Inverse of `__getstate__`."""
        state = dict(state)
        if "learner_" in state:
            header, packed = state["learner_"]
            arrays = {name: unpack(data, dtype, shape) for name, (dtype, shape, data) in packed.items()}
            state["learner_"] = Learner.from_arrays(header, arrays, threads=state.get("threads", 1))
        above = getattr(super(), "__setstate__", None)
        if above:
            above(state)
        else:
            self.__dict__.update(state)
