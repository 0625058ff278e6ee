"""What the estimators for scikit-learn and for River have in common: parameters and classes.

An estimator's parameters are the fields of `LearnOptions`, by the same names and with the same defaults, and those of
its library (`sonlearn.options.python`). It has one `Learner`, which knows its classes by number: two are -1 and +1,
more are ``--oaa``'s.
"""

from __future__ import annotations

import contextlib
import copy
import math
import signal
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.interrupts import Interrupts
from sonlearn.learn.learner import Learner
from sonlearn.learn.predicted import probabilities
from sonlearn.options import LearnOptions, TextOptions, losses
from sonlearn.options.methods import METHODS
from sonlearn.options.python import Parameter, errors_in_keywords, parameters_of

#: Fields that say which classes there are: an estimator knows by the labels it is given, or has other parameters.
OF_LABELS = ("oaa", "classes", "multinomial", "positive")
#: Fields that say how the command line writes a prediction; an estimator has its own ways.
OF_OUTPUT = ("link", "binary")
#: Fields for classes alone.
OF_CLASSES = ("threshold",)
#: The options of `LearnOptions` that are parameters, of a classifier; a regressor has none `OF_CLASSES`.
LEARNING = {
    name: parameter for name, parameter in parameters_of(LearnOptions).items() if name not in (*OF_LABELS, *OF_OUTPUT)
}
INTERCEPT = Parameter(True, "bool", "learn an intercept")
#: Further parameters of classifiers.
FOR_CLASSES = {
    "positive": Parameter(
        None, "Any", "of two classes, the one that `threshold` is of, and that has the label +1; None: the second"
    ),
    "multinomial": Parameter(
        False, "bool", "of several classes: softmax, with a `method` a learner that all classes share; False: one "
        "against all others, without `method` the committee of classes",
    ),
}  # fmt: skip


class Options:
    """Of an estimator: its parameters as options, with messages that name the estimator and its parameters."""

    #: The parameters, as `with_parameters` has them.
    PARAMETERS: Mapping[str, Parameter]
    learner_: Learner
    positive_: int
    #: Options that have another name here.
    _RENAMED: Mapping[str, str] = {}

    def __getstate__(self) -> dict[str, Any]:
        """The attributes, without the buffers of one row."""
        state: dict[str, Any] = dict(super().__getstate__())  # type: ignore[call-overload]
        state.pop("_buffers", None)
        return state

    def __copy__(self) -> Self:
        """A copy that shares nothing: what one of the two learns, its classes and columns too, the other never sees."""
        return copy.deepcopy(self)

    def _class_options(self, **labels: Any) -> LearnOptions:
        """The options of a classifier, with what is known of labels. Raises OptionError, also for a loss of values."""
        options, known = self._checked_options(**self._given(), **labels), ", ".join(losses.OF_CLASSES)
        if options.loss not in losses.OF_CLASSES:
            raise OptionError(f"{type(self).__name__}: loss {options.loss}: expected one of {known} for classes")
        return options

    def _value_options(self) -> LearnOptions:
        """The options of a regressor: squared loss where none is given. OptionError, also for a loss of classes."""
        given = self._given()
        given["loss"] = given["loss"] or "squared"
        if given["loss"] in losses.CLASSIFICATION:
            expected = "expected squared or another loss of values"
            raise OptionError(f"{type(self).__name__}: loss {given['loss']} is for classes; {expected}")
        return self._checked_options(**given)

    def _checked_options(self, **given: Any) -> LearnOptions:
        with errors_in_keywords(type(self).__name__, self._RENAMED):
            return LearnOptions(**given)

    def _given(self) -> dict[str, Any]:
        """Options as they were given, but for a seed where nothing is drawn: libraries set whatever seed there is."""
        given = {name: self._option(name) for name in LEARNING if name in self.PARAMETERS or name in self._RENAMED}
        method = self._checked_options(method=given["method"], sketch=given["sketch"]).method
        if "seed" not in METHODS[method].takes:
            given.pop("seed", None)
        return given

    def _option(self, name: str) -> Any:
        return getattr(self, name)

    def _number_of_positive(self, classes: Any) -> int:
        """The number of the class that is +1, of two: the second, unless `positive` says otherwise."""
        positive = getattr(self, "positive", None)
        known = list(classes if classes is not None else ())
        if positive is None:
            return 1
        if len(known) != 2 or positive not in known:
            found = ", ".join(map(repr, known)) or "classes as they come"
            raise OptionError(
                f"{type(self).__name__}: positive {positive!r}: expected one of two classes; found {found}"
            )
        return known.index(positive)

    @property
    def _sign(self) -> float:
        """Return what raw predictions are multiplied with to speak for class 1, of two; of several classes 1."""
        return 2.0 * self.positive_ - 1.0

    def _labels_of(self, numbers: Any) -> Any:
        """Classes, by number (int64[n], or one), as the labels that the learner takes, float64[n]."""
        return 1.0 * numbers if self.learner_.options.several else self._sign * (2.0 * numbers - 1.0)

    def _numbers_of(self, raw: np.ndarray) -> Any:
        """int[...]: numbers of the classes that are predicted, of raw predictions float64[..., K or 1]."""
        learner = self.learner_
        if learner.options.several:
            return raw.argmax(axis=-1)
        (low, high), least = learner.options.bounds, learner.threshold
        if not low <= least < high:  # predictions within the bounds are all above it, or none is
            least = math.copysign(math.inf, least - low)
        above = raw.T[0] > least
        return (above if self.positive_ else ~above).view(np.int8)

    def _probabilities_of(self, raw: np.ndarray) -> np.ndarray:
        """float64[..., K]: probabilities of the classes, of raw predictions float64[..., K or 1]."""
        return probabilities(self.learner_.options, raw)[..., :: int(self._sign)]

    def _sets(self, batch: Batch, *, labels_follow: bool = False) -> np.ndarray:
        """bool[n, K]: which classes are in the rows' sets. Raises OptionError where the learner keeps no coverage."""
        return np.asarray(with_coverage(self.learner_, batch, labels_follow).sets)[:, :: int(self._sign)]

    def _learner_of_classes(self, classes: int | None, text: TextOptions | None, threads: int) -> Learner:
        """A learner of classes numbered from 0 on: two, one of them against the other; more; or None: as they come.

        Raises OptionError: options contradict each other.
        """
        multinomial = bool(getattr(self, "multinomial", False))
        if classes == 2:
            options = self._class_options()
            if options.coverage is not None and options.loss == "squared":  # labels are classes here, and get sets
                options = self._class_options(binary=True)
            return Learner(options, text, threads=threads)
        if multinomial and classes is None:
            raise OptionError(f"{type(self).__name__}: multinomial: expected classes=(...), all that will ever occur")
        how: dict[str, Any] = {"classes": "auto"}
        if classes is not None and classes > 2:
            how = {"multinomial" if multinomial else "oaa": classes}
        learner = Learner(self._class_options(**how), text, threads=threads)
        learner.declare_classes(range(classes or 0))
        return learner


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """In this context a first Ctrl-C waits for the end, so that a batch is learned and counted whole; no second one.

    Other signals, and a Ctrl-C that Python does not handle, are the program's that calls.
    """
    former = signal.getsignal(signal.SIGINT)
    with Interrupts(signals=(signal.SIGINT,) if callable(former) else ()) as interrupts:
        yield
    if interrupts.received is not None and callable(former):
        former(interrupts.received, None)


def weights_of_classes(class_weight: Any, labels: Any) -> np.ndarray:
    """float64[n]: the weight of each label; 1 for those that `class_weight`, a dict or None, does not name."""
    return np.array([(class_weight or {}).get(label, 1.0) for label in labels], dtype=np.float64)


def values_of(learner: Learner, batch: Batch, online: bool = False) -> np.ndarray:
    """float64[n]: predictions of values, within the options' bounds; of poisson loss the expected count."""
    p = learner.predict(batch, online=online).prediction
    return np.exp(p) if learner.options.loss == "poisson" else p


def intervals_of(learner: Learner, batch: Batch, *, labels_follow: bool = False) -> np.ndarray:
    """float64[n, 2]: ends of the intervals of the rows. Raises OptionError where the learner keeps no coverage."""
    found = with_coverage(learner, batch, labels_follow)
    return np.column_stack([found.low, found.high])


def with_coverage(learner: Learner, batch: Batch, labels_follow: bool) -> Any:
    """Predict rows, with sets or intervals. Raises OptionError where the learner keeps no coverage."""
    if learner.options.coverage is None:
        raise OptionError("sets and intervals: the estimator keeps no coverage; give coverage=0.9 before it learns")
    return learner.predict(batch, online=labels_follow, labels_follow=labels_follow)
