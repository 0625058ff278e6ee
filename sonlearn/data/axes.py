"""What the first axis of each array of a state numbers, stated once, beside the field; and what follows from it.

The fields of a state, a NamedTuple, say in their annotations what their rows are, and how they are merged::

    class DenseState(NamedTuple):
        w: Annotated[np.ndarray, BY_FEATURE]  # float64[features, C]
        z: Annotated[np.ndarray, BY_FEATURE, summed]  # float64[features, C]; sum of gradients
        now: Annotated[np.ndarray, Scalars(rows="t", totals=("t",))]

From that `reserved`, `packed`, `renumbered` and `merged` make what engines (`sonlearn.learn.engine.Engine`) and views
(`sonlearn.views.view.View`) have to do with a state; these add what has arithmetic of its own. A field that says
nothing stays as it is, and in a merge it is the base's. Scalars of `now` say how many rows are in use: `seen` features,
`classes` classes. Where classes stand on another axis than the first, `Classes` says so.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.arrays import grown

State = Any
#: (the base's array, those of the learners, `sonlearn.data.merging.shares` of these) -> the merged array.
Rule = Callable[[np.ndarray, Sequence[np.ndarray], np.ndarray], np.ndarray]


class Numbers(NamedTuple):
    """Other numbers of the features and the classes of a state; below 0: left out."""

    features: np.ndarray  # int64[features of the state]
    most: int  # features that there are then
    classes: np.ndarray | None = None  # int64[classes of the state]; None: they stay


class Axis:
    """An axis that neither grows nor gets other numbers."""

    def reserved(self, array: Any, now: np.ndarray, room: dict[str, int]) -> Any:
        """`array` with room for as many as `room` says of a scalar of `now`."""
        return array

    def packed(self, array: Any, now: np.ndarray) -> Any:
        """`array` without the rows that are not in use."""
        return array

    def renumbered(self, array: Any, numbers: Numbers) -> Any:
        """`array`, packed, with other numbers of its rows."""
        return array


class Counted(Axis):
    """An axis whose first rows are in use.

    Parameters
    ----------
    used : str
        The scalar that counts what is in use.
    rows : callable
        How many rows so many take.
    """

    def __init__(self, used: str, rows: Callable[[int], int] = int):
        self._used, self._rows = used, rows

    def reserved(self, array: Any, now: np.ndarray, room: dict[str, int]) -> Any:
        """See `Axis.reserved`."""
        wanted = self._rows(room.get(self._used, 0))
        return array if wanted <= len(array) else grown(array, wanted, self._rows(int(now[self._used][0])))

    def packed(self, array: Any, now: np.ndarray) -> Any:
        """See `Axis.packed`."""
        return array[: self._rows(int(now[self._used][0]))]


class Features(Counted):
    """The axis of the features, of which a scalar says how many are in use."""

    def renumbered(self, array: Any, numbers: Numbers) -> Any:
        """See `Axis.renumbered`."""
        return merging.renumbered(array, numbers.features, numbers.most, shared=True)


class _Classes(Counted):
    def renumbered(self, array: Any, numbers: Numbers) -> Any:
        if numbers.classes is None:
            return array
        slots = numbers.classes[: len(array)]
        return merging.renumbered(array, slots, 1 + int(slots.max(initial=-1)), shared=True)


BY_FEATURE, BY_CLASS = Features("seen"), _Classes("classes")


class Part(Axis):
    """A state within a state. Its rows are counted by its own scalars, or if it has none by those of the whole."""

    def reserved(self, array: Any, now: np.ndarray, room: dict[str, int]) -> Any:
        """See `Axis.reserved`."""
        return _changed(array, lambda axis, own: axis.reserved(own, _now(array, now), room))

    def packed(self, array: Any, now: np.ndarray) -> Any:
        """See `Axis.packed`."""
        return _changed(array, lambda axis, own: axis.packed(own, _now(array, now)))

    def renumbered(self, array: Any, numbers: Numbers) -> Any:
        """See `Axis.renumbered`."""
        return _changed(array, lambda axis, own: axis.renumbered(own, numbers))


PART = Part()


class Classes(NamedTuple):
    """The last K places of an axis are those of K classes that share the rest of a state; beside the first axis."""

    axis: int


def reordered(state: State, places: Sequence[int]) -> State:
    """`state` whose class c is what class places[c] was, wherever `Classes` says that they stand."""
    more = {}
    for name, hint in typing.get_type_hints(type(state), include_extras=True).items():
        own = getattr(state, name)
        if hasattr(own, "_fields"):
            more[name] = reordered(own, places)
        for said in getattr(hint, "__metadata__", ()):
            if isinstance(said, Classes):
                others = own.shape[said.axis] - len(places)
                more[name] = np.take(own, [*range(others), *(others + place for place in places)], said.axis)
    return state._replace(**more)


def summed(base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
    """A sum over rows. Rows that only some of the arrays have are those of classes, and 0 in the others."""
    length = max(len(each) for each in (base, *others))
    first, *rest = (each if len(each) == length else grown(each, length)[:length] for each in (base, *others))
    return np.asarray(merging.summed(first, rest, by))


def pooled(base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
    """Moments of all rows (`sonlearn.data.merging.moments`); nothing is forgotten."""
    return merging.moments(base, others) if base.size else base


class Scalars(Axis):
    """The structured array `now`, of length 1.

    Parameters
    ----------
    rows : str
        The scalar that counts the rows learned; empty: there is none.
    sums, totals : of str
        Scalars that are sums over rows, the latter of those of which nothing is ever forgotten.
    largest : of str
        Scalars of which the largest is kept.
    features : str
        The scalar that counts the features, where there is one.
    most : float
        Sums end here.
    """

    def __init__(
        self, rows: str = "", sums: Sequence[str] = (), totals: Sequence[str] = (),
        largest: Sequence[str] = ("classes",), features: str = "seen", most: float | None = None,
    ):  # fmt: skip
        self.rows, self._sums, self._totals, self._largest = rows, sums, totals, largest
        self._features, self._most = features, most

    def renumbered(self, array: Any, numbers: Numbers) -> Any:
        """See `Axis.renumbered`."""
        now = array.copy()
        if self._features in (now.dtype.names or ()):
            now[self._features] = numbers.most
        if "classes" in (now.dtype.names or ()) and numbers.classes is not None:
            now["classes"] = 1 + numbers.classes[: int(now["classes"][0])].max(initial=-1)
        return now

    def __call__(self, base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
        """The rule of a merge."""
        now, whole = base.copy(), np.ones(len(by))
        for name in (*self._sums, *self._totals):
            shares = by if name in self._sums else whole
            total = merging.summed(base[name], [each[name] for each in others], shares)
            now[name] = total if self._most is None else np.minimum(total, self._most)
        for name in set(self._largest) & set(now.dtype.names or ()):
            now[name] = max(int(each[name][0]) for each in (base, *others))
        return now


def each_part(makers: dict[str, Any], call: Callable[..., State], *states: State, into: State | None = None) -> State:
    """The first of `states`, or `into`, with call(maker, its own in each of `states`) in the place of states within.

    `makers` are what made these, by field: one, or of a tuple of states a tuple.
    """
    found = {}
    for name, maker in makers.items():
        own = [getattr(state, name) for state in states]
        found[name] = tuple(map(call, maker, *own)) if isinstance(maker, tuple) else call(maker, *own)
    state = states[0] if into is None else into
    return state._replace(**found) if found else state


#: The scalars of a state that has none.
_NONE = np.zeros(1, [])


def reserved(state: State, **room: int) -> State:
    """`state` with room for as many as `room` says of scalars of `now`."""
    return PART.reserved(state, getattr(state, "now", _NONE), room)


def at_most(state: State, name: str, most: int) -> State:
    """`state` whose scalar `name` is `most` at most."""
    now = state.now.copy()
    now[name] = np.minimum(now[name], most)
    return state._replace(now=now)


def packed(state: State) -> State:
    """`state` without unused capacity."""
    return PART.packed(state, getattr(state, "now", _NONE))


def renumbered(state: State, numbers: Numbers) -> State:
    """`state`, packed, with other numbers (see `sonlearn.learn.engine.Engine.renumbered`)."""
    return PART.renumbered(state, numbers)


def rows_learned(states: Sequence[State], base: State) -> list[int]:
    """Rows that each of `states` has learned since `base`."""
    rows = next(axis.rows for _, axis, _ in axes_of(type(base)) if isinstance(axis, Scalars))
    return [int(state.now[rows][0] - base.now[rows][0]) for state in states]


def merged(states: Sequence[State], base: State, by: np.ndarray) -> State:
    """`base` with each field merged that has a rule; `by` are `sonlearn.data.merging.shares`."""
    return base._replace(**{
        name: rule(getattr(base, name), [getattr(state, name) for state in states], by)
        for name, _, rule in axes_of(type(base)) if rule is not None
    })  # fmt: skip


def _axes(kind: type) -> tuple[tuple[str, Axis, Rule | None], ...]:
    found = []
    for name, hint in typing.get_type_hints(kind, include_extras=True).items():
        said = hint.__metadata__ if typing.get_origin(hint) is Annotated else ()
        axis = next((each for each in said if isinstance(each, Axis)), Axis())
        rule = next((each for each in said if callable(each)), None)
        if said:
            found.append((name, axis, rule))
    return tuple(found)


#: (field, its axis, its rule or None) of the fields of a kind of state that say something.
axes_of: Callable[[type], tuple[tuple[str, Axis, Rule | None], ...]] = functools.cache(_axes)


def _now(state: State, now: np.ndarray) -> np.ndarray:
    return state.now if "now" in state._fields else now


def _changed(state: State, change: Callable[[Axis, Any], Any]) -> State:
    """`state` with every field changed that says something of its axis."""
    more = {}
    for name, axis, _ in axes_of(type(state)):
        own = getattr(state, name)
        found = change(axis, own)
        if found is not own:
            more[name] = found
    return state._replace(**more) if more else state
