"""The interface between learners and the rest of the program: an engine learns rows of numbered features.

An engine is built once from the options and holds no state. Its state is a value: a NamedTuple of arrays and of further
such tuples, which its methods take and return. `sonlearn.learn.learner` holds the names of the features, the labels and
one engine with its state. `sonlearn.files.storage` walks the state without knowing its fields. An engine may contain
other engines.

The fields of a state say what their rows are and how they are merged (`sonlearn.data.axes`), so that an engine need
not. Two conventions apply to states:

- An array that grows with the stream has length 0 along its first axis in a new state, and no other array has. Storage
  checks the shapes in a file against `Engine.new` and leaves these lengths free.
- Counters and other scalars are fields of a structured array of length 1 (`now`), so that they have names.

`Engine` declares everything that the program requires of an engine, of one score a row (values, two classes) or of one
for each of several classes. A new engine defines the abstract methods and overrides the defaults that it improves on,
and `make_engine` finds it by the name that the table `sonlearn.options.methods` has: methods that share an engine
differ only in their values there.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import axes, merging
from sonlearn.data.rows import Rows, rows_between
from sonlearn.errors import OptionError
from sonlearn.jit.sequence import Calls, run_calls
from sonlearn.learn.by_row import EngineByRow
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: A state: a NamedTuple of arrays and of further such tuples.
State = Any
#: Features, at least, that there is room for beyond those that have occurred, where rows come one by one.
SPARE_FEATURES = 64

#: Name of an engine -> (module, class). Modules are imported on first use, because each one defines kernels.
_MAKERS = {
    "sketched": ("newton.engine", "SketchedNewton"),
    "diagonal_fd": ("diagonal_fd.engine", "DiagonalFD"),
    "first_order": ("first_order.engine", "FirstOrder"),
    "bayes": ("bayes", "NaiveBayes"),
    "boosting": ("boosting.engine", "Boost"),
    "ewma": ("ewma", "LabelMean"),
    "dense": ("dense.engine", "Dense"),
    "metagrad_fd": ("newton.metagrad", "SketchedMetaGrad"),
    "metagrad": ("dense.engine", "MetaGrad"),
    "mixture": ("ensemble.mixture", "Mixture"),
    "projected": ("projected", "Projected"),
    "committee": ("ensemble.committee", "Committee"),
    "multinomial": ("multiclass.by_method", "Multinomial"),
    "one_vs_rest": ("multiclass.by_method", "OneVsRest"),
}


class Predictions(NamedTuple):
    """Predictions of n rows. An engine fills in each one before it uses the row's label.

    K is 1 for values and two classes; of several classes there is a score for each.

    Attributes
    ----------
    raw : float64[n, K]
        The prediction before any projection or link; of several classes their scores.
    prediction : float64[n, K]
        The argument of the loss, where an engine needs room for it: `raw` within its bounds.
    offline : float64[n, K]
        What `raw` would be of a model at rest, to which no labels come any more; NaN where that is `raw`. Of a
        committee it is by the weights that are learned while labels come.
    met : int64[n]
        How many classes had occurred before the row.
    unseen : float64[n]
        The score of a class that had not occurred, as long as there can be one.
    refused : bool[n]
        Rows that are left out, by the engine or by one of the learners within it.
    """

    raw: np.ndarray
    prediction: np.ndarray
    offline: np.ndarray
    met: np.ndarray
    unseen: np.ndarray
    refused: np.ndarray

    @classmethod
    def empty(cls, n: int, K: int = 1) -> Predictions:
        """Room for n rows of K scores."""
        by_row = np.zeros(n, np.int64), np.zeros(n), np.zeros(n, dtype=bool)
        return cls(np.zeros((n, K)), np.zeros((n, K)), np.full((n, K), np.nan), *by_row)

    @classmethod
    def of_scores(cls, raw: np.ndarray) -> Predictions:
        """Room for scores alone, in the array `raw`, float64[n, K]."""
        return cls.empty(len(raw), 0)._replace(raw=raw, prediction=np.zeros(raw.shape))

    def part(self, start: int, stop: int) -> Predictions:
        """Rows start..stop-1, in the same memory."""
        return Predictions(*(array[start:stop] for array in self))

    def of_classes(self, K: int) -> Predictions:
        """The first K scores."""
        if self.raw.shape[1] == K:
            return self
        return Predictions(*(np.ascontiguousarray(array[:, :K]) if array.ndim > 1 else array for array in self))


def first_not_finite(out: Predictions) -> int:
    """The first row with a score that is not finite, or n."""
    finite = np.isfinite(out.raw).all(axis=1)
    return len(finite) if finite.all() else int(np.argmin(finite))


class Contributions(NamedTuple):
    """Predictions of the k active members of an ensemble for n rows, and their contributions to `Predictions.raw`."""

    names: tuple[str, ...]  # of the active members
    predictions: np.ndarray  # float64[n, k], on the scale of `raw`
    weight: np.ndarray  # float64[k], the combiner's weights
    contributions: np.ndarray  # float64[n, k], the term that each member adds to `raw`
    start: np.ndarray  # float64[n], `raw` without the members' contributions


class Engine(ABC):
    """A learner: options in, states and predictions out.

    Labels of rows are values, or -1 and +1. Of several classes they are the numbers of the classes, in the order in
    which these occurred first.

    Attributes
    ----------
    unknown : bool
        Whether rows must list features that no learned row contained, with the number -1 (`sonlearn.views.view`).
    merges : bool
        Whether states can be merged: `renumbered` and `merge` may be called.
    counts : bool
        Whether learning only counts. Rows that have been learned before must not be learned again then.
    counts_features : bool
        Whether `reserve` counts features: ``now["seen"]`` of a state is of how many there have been.
    by_class : bool
        Whether labels are numbers of classes: `reserve` makes room for them, and ``now["classes"]`` of a state is how
        many have occurred.
    retention : float
        What is left of sums over rows after each further row; 1: all.
    """

    unknown: bool = False
    merges: bool = False
    counts: bool = False
    counts_features: bool = False
    by_class: bool = False
    retention: float = 1.0

    @abstractmethod
    def new(self, classes: int = 0) -> State:
        """State of an untrained learner; of several classes, with room for so many."""

    def template(self, classes: int) -> State:
        """Return what `storage.rebuilt` goes by: `new`, with `Maybe` where there may be more."""
        return self.new(classes)

    def parts(self, state: State) -> dict[str, Any]:
        """The engines of the fields of `state` that are states of other engines: one, or of a tuple of states a tuple.

        To reserve, pack, renumber and merge `state` is to do it with these.
        """
        return {}

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """`state` with room for learning `rows`, whose features are below `features`."""
        state = axes.each_part(self.parts(state), lambda engine, own: engine.reserve(own, rows, features), state)
        shown = 1 + int(np.nanmax(rows.y, initial=-1.0)) if self.by_class else 0
        state = axes.reserved(state, seen=features, classes=shown)
        if self.counts_features and features > state.now["seen"][0]:
            now = state.now.copy()
            now["seen"], state = features, state._replace(now=now)
        return state

    def learn(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """Predict and learn rows from `start` on; returns the state and the first row that it refused, or n.

        A row is refused if its numbers would be out of bounds, or for another reason (see `refusal`). The refused row
        and the rows after it have changed nothing.
        """
        at = run_calls(self.calls(state, rows, out, start))
        return state, len(rows.y) if at is None else int(at)

    def calls(self, state: State, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """The kernels that predict and, where it `learns`, learn rows from `start` on, with their arguments.

        One of them returns the first row that it has not learned; if none does, all rows are learned. Empty: `learn`
        does what no kernel does. An engine with a `predict` of its own need not know `learns`.
        """
        return []

    def reserve_ahead(self, state: State, rows: Rows, features: int) -> tuple[State, int]:
        """`reserve` for rows that come one by one: (`state`, of how many features it may be).

        `rows` are the buffers of one row, as long as it can be.
        """
        most = 2 * features + SPARE_FEATURES
        return self.reserve(state, rows, most), most

    def learn_all(self, state: State, rows: Rows, out: Predictions, features: int) -> State:
        """`reserve` and `learn`; a row that is refused is left out, marked in `out.refused`, and predicted as 0."""
        state, n, at = self.reserve(state, rows, features), len(rows.y), -1
        while at < n:
            state, at = self.learn(state, rows, out, at + 1)
            if at < n:
                out.refused[at], out.raw[at] = True, 0.0
        return state

    def settle(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """`learn` after a merge: of an engine with members, what combines them learns the rows, and they only predict.

        Members that forget learn them too: they are for the last rows. An engine without members learns as ever.
        """
        return self.learn(state, rows, out, start)

    def predict(self, state: State, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing; returns the first row whose prediction is not finite, or n."""
        at = run_calls(self.calls(state, rows, out, learns=False))
        return len(rows.y) if at is None else int(at)

    def predict_all(self, state: State, rows: Rows, out: Predictions) -> None:
        """`predict` all `rows`, those behind one whose prediction is not finite as well."""
        n, at = len(rows.y), 0
        while at < n:
            at += 1 + self.predict(state, rows_between(rows, at, n), out.part(at, n))

    def weights(self, state: State, features: int, number: int | None = None) -> np.ndarray:
        """float64[features]: weights of the linear part of the model, in the scale of the input; 0 without such a part.

        Of several classes, those of class `number`, or with None float64[K, features].
        """
        return np.zeros(features)

    def met(self, state: State) -> int:
        """Return how many of several classes have occurred."""
        return int(state.now["classes"][0]) if self.by_class else 0

    def reordered(self, state: State, order: list[int | None]) -> State:
        """`state` with its classes in another order; None stands for a class that has not occurred in it."""
        return state

    def packed(self, state: State) -> State:
        """`state` without unused capacity, for storage: equal states give equal arrays."""
        return axes.packed(axes.each_part(self.parts(state), lambda engine, own: engine.packed(own), state))

    def first_features(self, state: State, features: int) -> State:
        """`state` without the features from number `features` on, which it has only room for."""
        return axes.at_most(state, "seen", features) if self.counts_features else state

    def for_prediction(self, state: State) -> State:
        """`packed`, or less of it, as long as `predict` gives the same."""
        return self.packed(state)

    def at_rest(self, state: State) -> State:
        """Return what predicts best as long as no labels come, and never learns; it may share arrays with `state`."""
        return axes.each_part(self.parts(state), lambda engine, own: engine.at_rest(own), state)

    def error_ahead(self, state: State) -> float:
        """Mean |error| that values ahead of the last label have had, where no labels came; 0: not known."""
        return 0.0

    def facts(self, state: State) -> dict[str, Any]:
        """Further numbers and arrays of a state, by name (``alpha``, ``eigenvalues``, ``members``, ...)."""
        return {}

    def renumbered(self, state: State, numbers: axes.Numbers) -> State:
        """`state` with other numbers of its features; `state` itself may change no more, nor be used.

        Parameters
        ----------
        state
            Packed.
        numbers : Numbers
            Feature f becomes feature numbers.features[f], and class k class numbers.classes[k].
        """
        state = axes.each_part(self.parts(state), lambda engine, own: engine.renumbered(own, numbers), state)
        return axes.renumbered(self.up_to_date(state), numbers)

    def up_to_date(self, state: State) -> State:
        """`state`, packed, with what has been put off (forgetting, shrinkage) done to all features."""
        return state

    def merge(self, states: Sequence[State], base: State, rows: Sequence[int]) -> State:
        """One state of what several learners have learned, each since the state `base` that they began with.

        All of them have gone through `renumbered`, to the same number of features. What are sums over rows is exactly
        what one learner of all rows, in the order of `states`, would have. Arguments are not modified.

        Parameters
        ----------
        states : of G learners, in the order of the rows
        base : with which each of them began
        rows : [G], rows that each has learned since
        """

        def merge(engine: Engine, start: State, *own: State) -> State:
            return engine.merge(own, start, rows)

        found = axes.merged(states, base, self.shares(states, base))
        return axes.each_part(self.parts(base), merge, base, *states, into=found)

    def shares(self, states: Sequence[State], base: State) -> np.ndarray:
        """float64[G]: what forgetting leaves of each learner's sums (`sonlearn.data.merging.shares`)."""
        learned = axes.rows_learned(states, base) if self.retention < 1.0 else np.zeros(len(states))
        return merging.shares(learned, self.retention)

    def add_momentum(self, state: State, base: State, previous: State) -> State:
        """A merged state whose weights go on as they moved before; see `sonlearn.data.merging.MOMENTUM`.

        `base` is what the learners began with, `previous` what those before them began with; both are packed, and
        features have the same numbers in all three. Arguments are not modified. Weights that are not known to gain by
        it stay.
        """
        return state

    def refusal(self, rows: Rows, row: int) -> tuple[str, str] | None:
        """(found, expected) for a row that `learn` refused; None if its numbers were out of bounds."""
        return None

    def by_row(self) -> EngineByRow:
        """Return what learns rows one by one quickly."""
        return EngineByRow(self, Predictions.empty(1))

    def next_pass(self, state: State, again: bool) -> None:
        """Record in `state` that the next rows have been learned before (`again`), or that they are new."""
        return

    def combined_as(self, state: State, other: State) -> State:
        """`state`, its members combined as those of `other` are, a state that has learned much the same."""
        return state

    def contributions(self, state: State, rows: Rows, number: int | None = None) -> Contributions | None:
        """The members' contributions, to the score of class `number` if there are several; None without members."""
        return None


def too_wide(rows: Rows, row: int, most: int, method: str, keeps: str) -> tuple[str, str] | None:
    """(found, expected) for a row with a feature from `most` on, which `method` refuses; None without one."""
    if int(rows.features[rows.indptr[row] : rows.indptr[row + 1]].max(initial=-1)) < most:
        return None
    return f"a feature after {most:,} others", f"at most {most:,} with --method {method}, which keeps {keeps}"


def check_width(features: np.ndarray, most: int, method: str) -> None:
    """Raise OptionError where a learner's features, int64[features], have a number from `most` on once it is merged."""
    if features.max(initial=-1) >= most:
        raise OptionError(f"learners of {method} with more than {most:,} features in all")


def padded(known: np.ndarray, features: int) -> np.ndarray:
    """float64[features], or of K classes float64[K, features]: weights `known` of the first features, 0 of others.

    known : float64[1 or K, as many or fewer]
    """
    w = np.zeros((len(known), features))
    w[:, : known.shape[1]] = known
    return w if len(known) > 1 else w[0]


def make_engine(options: LearnOptions, threads: int = 1) -> Engine:
    """The engine for `options`.

    Parameters
    ----------
    options : LearnOptions
    threads : int
        Number of threads of an ensemble. With 0 or 1, everything runs in the calling thread.
    """
    name, threads = METHODS[options.method].engine, max(threads, 1)
    if options.several and name != "committee":
        name = "one_vs_rest" if options.multinomial is None else "multinomial"
    make = engine_class(name)
    return make(options, threads) if name in ("committee", "one_vs_rest") else make(options)


def engine_class(name: str) -> Any:
    """The class of an engine."""
    module, maker = _MAKERS[name]
    return getattr(importlib.import_module(f"sonlearn.learn.{module}"), maker)
