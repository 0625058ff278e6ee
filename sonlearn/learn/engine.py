"""The seam: what every learner is to the rest of the program, an engine over interned rows.

An engine is made of options once and holds no state; its state is a value, a NamedTuple of arrays (and of other such
tuples), which its verbs take and give back. `sonlearn.learn.learner` keeps the names of the features, the labels and
one engine with its state; `sonlearn.files.storage` walks the state without being told its fields. An engine can hold engines.

Two conventions make that work:

- what grows with the stream has length 0 along its first axis in a new state, and no other array has: storage checks
  the shapes of a file against `new` and leaves free what is 0 there;
- counters and other scalars stand in a structured array of length 1 (`now`), so that they have names.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

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
    """What the k members of an engine of engines say of n rows, and what comes of it, in the terms of `raw`.

    An engine that has members has a `voices(state, rows, number)`, which changes nothing: `number` is that of a class
    where it has several, else None.
    """

    names: tuple[str, ...]  # of those at work
    said: np.ndarray  # float64[n, k], what each predicts
    weight: np.ndarray  # float64[k], of what it tells the combiner
    moved: np.ndarray  # float64[n, k], that weight times what it tells
    start: np.ndarray  # float64[n], what is predicted where no member says anything


class Engine(Protocol):
    """The verbs of a learner."""

    def new(self) -> State:
        """State of a learner that has seen nothing."""

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """`state` with room for learning `rows`, whose features are below `features`."""

    def learn(self, state: State, rows: Rows, out: Predictions, start: int) -> tuple[State, int]:
        """Predict and learn rows from `start` on; returns the state and the first row that it refused, or n.

        A refused row would have led to numbers out of all bounds. It and those after it have changed nothing. An engine
        with other reasons has a `refusal(rows, row)`: (found, expected), or None where it is the numbers.
        """

    def predict(self, state: State, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing; returns the first row whose prediction is not finite, or n."""

    def weights(self, state: State, features: int) -> np.ndarray:
        """float64[features]: weights in the scale of the input (of what is linear in it)."""

    def packed(self, state: State) -> State:
        """`state` without spare room, for storage: equal states give equal arrays."""

    def facts(self, state: State) -> dict[str, Any]:
        """What else there is to tell of a state: numbers and arrays by name."""
