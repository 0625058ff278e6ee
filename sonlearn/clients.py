"""What the estimators for scikit-learn and for River have in common: parameters, probabilities, and pickling.

An estimator's parameters are the fields of `LearnOptions`, by the same names and with the same defaults, so that
nothing is said twice. Of K > 2 classes each has a learner against all others.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sonlearn.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.learn.learner import Learner
from sonlearn.members import default_members
from sonlearn.methods import METHODS
from sonlearn.options import CLASSIFICATION, LearnOptions

#: Losses with which classes can be learned, their labels being -1 and +1.
CLASS_LOSSES = (*CLASSIFICATION, "squared")
#: Losses whose best prediction tells the probability of a class: its logit, or 2 P - 1.
PROBABILISTIC = ("logistic", "squared", "squared_hinge")

#: Fields that say which classes there are: an estimator is told by the labels it is given.
OF_LABELS = ("oaa", "classes")
#: Fields that say how the command line writes a prediction; an estimator has its own ways.
OF_OUTPUT = ("link", "binary")
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

    def __init__(self, **given):  # noqa: N807
        bound = signature.bind(**given)
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *listed])
    return __init__


def class_options(estimator: Any) -> LearnOptions:
    """The options of a classifier. Raises OptionError, also for a loss of values."""
    options = LearnOptions(**_given(estimator))
    if options.loss not in CLASS_LOSSES:
        raise OptionError(f"loss {options.loss}: expected one of {', '.join(CLASS_LOSSES)} for classes")
    return options


def value_options(estimator: Any) -> LearnOptions:
    """The options of a regressor: squared loss and a method that suits values, where none is given."""
    given = _given(estimator)
    given["loss"] = given["loss"] or "squared"
    if given["loss"] in CLASSIFICATION:
        raise OptionError(f"loss {given['loss']} is for classes; expected squared or another loss of values")
    unsaid = given["method"] is None and given["sketch"] is None and not given["members"]
    if unsaid and default_members(given["loss"]) == default_members("logistic"):
        given["method"] = "nag"  # there is no committee for values
    return LearnOptions(**given)


def _given(estimator: Any) -> dict[str, Any]:
    """Options as they were given, but for a seed where nothing is drawn: River sets one on whatever has a seed."""
    given = {name: getattr(estimator, name) for name in LEARNING}
    method = LearnOptions(method=given["method"], sketch=given["sketch"]).method
    if "seed" not in METHODS[method].takes:
        given.pop("seed", None)
    return given


def probabilities(loss: str, raw: np.ndarray) -> np.ndarray:
    """float64[n, K] from raw predictions float64[n, L]; rows sum to 1.

    L = 1: of the second of two classes; else of each class against all others, and the sum is made 1.
    """
    p = np.exp(-np.logaddexp(0.0, -raw)) if loss == "logistic" else np.clip((1.0 + raw) / 2.0, 0.0, 1.0)
    if p.shape[1] == 1:
        return np.hstack([1.0 - p, p])
    total = p.sum(axis=1, keepdims=True)
    return np.divide(p, total, out=np.full_like(p, 1.0 / p.shape[1]), where=total > 0)


def raw_of(learners: Iterable[Learner], batch: Batch) -> np.ndarray:
    """Raw predictions float64[n, L]."""
    return np.column_stack([learner.predict(batch).raw for learner in learners])


class Kept:
    """Of an estimator with `learners_`: copies and pickles hold numbers, as the model's file does."""

    def __getstate__(self) -> dict[str, Any]:
        """The attributes, learners as headers and arrays."""
        above = getattr(super(), "__getstate__", None)
        state = dict(above() if above else self.__dict__)
        if "learners_" in state:
            state["learners_"] = [learner.to_arrays() for learner in state["learners_"]]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Inverse of `__getstate__`."""
        state = dict(state)
        if "learners_" in state:
            state["learners_"] = [_learner(*kept, state.get("threads", 1)) for kept in state["learners_"]]
        above = getattr(super(), "__setstate__", None)
        if above:
            above(state)
        else:
            self.__dict__.update(state)


def _learner(header: dict[str, Any], arrays: dict[str, np.ndarray], threads: int) -> Learner:
    """A learner with arrays of its own: a copy must not share them, and a memory map may be read-only."""
    return Learner.from_arrays(header, {name: np.array(array) for name, array in arrays.items()}, threads=threads)
