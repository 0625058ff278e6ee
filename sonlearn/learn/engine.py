"""The seam: what every learner is to the rest of the program, an engine over rows of numbered features.

An engine is made of options once and holds no state. Its state is a value, a NamedTuple of arrays (and of other such
tuples), which its methods take and return. `sonlearn.learn.learner` keeps the names of the features, the labels and one
engine with its state; `sonlearn.files.storage` walks the state without knowing its fields. An engine can hold engines.

Two conventions make that work:

- what grows with the stream has length 0 along its first axis in a new state, and no other array has: storage checks
  the shapes of a file against `Engine.new` and leaves free what is 0 there;
- counters and other scalars stand in a structured array of length 1 (`now`), so that they have names.

All that the program asks of an engine is declared in `Engine`; what an engine of several classes adds is in
`ClassEngine`. A new engine defines the abstract methods and overrides defaults where it has more to offer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.arrays import grown as grown
from sonlearn.data.rows import Rows

#: A state: a NamedTuple of arrays and of further such tuples.
State = Any


class Predictions(NamedTuple):
    """What an engine fills in, row by row and before the label is used."""

    prediction: np.ndarray  # float64[n], what the loss is taken of
    raw: np.ndarray  # float64[n], the same before any projection or link
    # float64[n], what `raw` would be of a model at rest, to which no labels come any more; NaN where that is `raw`
    offline: np.ndarray

    @classmethod
    def empty(cls, n: int) -> Predictions:
        """Room for n rows."""
        return cls(np.zeros(n), np.zeros(n), np.full(n, np.nan))


class Contributions(NamedTuple):
    """What the k members of an ensemble predict for n rows, and what each contributes to `Predictions.raw`."""

    names: tuple[str, ...]  # of the members at work
    predictions: np.ndarray  # float64[n, k], of each member, in the terms of `raw`
    weight: np.ndarray  # float64[k], the combiner's
    contributions: np.ndarray  # float64[n, k], what each member adds to `raw`
    start: np.ndarray  # float64[n], `raw` if no member added anything


class Engine(ABC):
    """A learner as the program sees it: options in, states and predictions out.

    Attributes
    ----------
    unknown : bool
        Whether rows must name the features that no row learned from has had, as -1 (`sonlearn.views.view`).
    """

    unknown: bool = False

    @abstractmethod
    def new(self) -> State:
        """State of a learner that has seen nothing."""

    @abstractmethod
    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """`state` with room for learning `rows`, whose features are below `features`."""

    @abstractmethod
    def learn(self, state: State, rows: Rows, out: Any, start: int) -> tuple[State, int]:
        """Predict and learn rows from `start` on; returns the state and the first row that it refused, or n.

        `out` is a `Predictions`, of several classes a `Scores`. A refused row would have led to numbers out of all
        bounds, or has another reason (`refusal`). It and the rows after it have changed nothing.
        """

    @abstractmethod
    def predict(self, state: State, rows: Rows, out: Any) -> int:
        """Predict `rows` and change nothing; returns the first row whose prediction is not finite, or n."""

    @abstractmethod
    def weights(self, state: State, features: int) -> np.ndarray:
        """float64[features]: weights in the scale of the input, of what is linear in it."""

    @abstractmethod
    def packed(self, state: State) -> State:
        """`state` without unused capacity, for storage: equal states give equal arrays."""

    def facts(self, state: State) -> dict[str, Any]:
        """Further facts about a state, numbers and arrays by name (``alpha``, ``eigenvalues``, ``members``, ...)."""
        return {}

    def refusal(self, rows: Rows, row: int) -> tuple[str, str] | None:
        """(found, expected) for a row that `learn` refused; None where its numbers were out of bounds."""
        return None

    def next_pass(self, state: State) -> None:
        """Take note, in `state`, that the rows to come have been learned from before."""
        return

    def contributions(self, state: State, rows: Rows, number: int | None = None) -> Contributions | None:
        """What the members contribute, in the class of that number if there are several; None without members."""
        return None


class ClassEngine(Engine):
    """An engine of several classes. Labels of rows are numbers of classes, in the order in which classes were met."""

    @abstractmethod
    def new(self, classes: int = 0) -> State:
        """State that has seen nothing, with room for so many classes."""

    @abstractmethod
    def met(self, state: State) -> int:
        """How many classes have been met."""

    def reordered(self, state: State, order: list[int | None]) -> State:
        """`state` with its classes in another order; None stands for a class that it has not met."""
        raise NotImplementedError
