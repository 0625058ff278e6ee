"""Several views of the same rows, shown side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from sonlearn.batch import Rows
from sonlearn.views import make_view


class Seen(NamedTuple):
    """Rows as every view shows them."""

    rows: dict[str, Rows]
    sizes: dict[str, int]  # features of each view

    def between(self, start: int, stop: int, y: np.ndarray) -> Seen:
        """Rows start..stop-1, with the labels `y`."""
        return self._replace(rows={n: rows_between(r, start, stop)._replace(y=y) for n, r in self.rows.items()})

    def beside(self, other: Seen) -> Seen:
        """What both show."""
        return Seen(self.rows | other.rows, self.sizes | other.sizes)


class Views:
    """Views by name (`sonlearn.viewtable`); a state is the tuple of theirs, and the verbs are those of a view.

    Parameters
    ----------
    names : names of views
    run : function like ``map`` that gives a list
    """

    def __init__(self, names: Iterable[str], run: Callable[..., list]):
        self.names, self._map = tuple(names), run
        self._views = tuple(make_view(name) for name in self.names)

    def new(self) -> tuple:
        """States of views that have seen nothing."""
        return tuple(view.new() for view in self._views)

    def reserve(self, states: tuple, rows: Rows, features: int) -> tuple:
        """`states` with room for seeing `rows`, whose features are below `features`."""
        return tuple(view.reserve(s, rows, features) for view, s in zip(self._views, states, strict=True))

    def see(self, states: tuple, rows: Rows) -> tuple[tuple, Seen]:
        """`rows` as seen, each before the statistics take it in; `reserve` comes first."""
        shown = self._map(lambda view, s: view.see(s, rows), self._views, states)
        states = tuple(s for s, _ in shown)
        return states, self._seen(states, [r for _, r in shown])

    def look(self, states: tuple, rows: Rows) -> Seen:
        """`rows` as seen by the views as they are, for prediction."""
        return self._seen(states, self._map(lambda view, s: view.look(s, rows), self._views, states))

    def packed(self, states: tuple) -> tuple:
        """`states` without spare room."""
        return tuple(view.packed(s) for view, s in zip(self._views, states, strict=True))

    def of_labels(self) -> tuple[str, ...]:
        """Names of the views that depend on labels, not only on whether there is one."""
        return tuple(name for name, view in zip(self.names, self._views, strict=True) if view.of_labels)

    def sizes(self, states: tuple) -> dict[str, int]:
        """How many features each view has shown."""
        return {name: view.features(s) for name, view, s in zip(self.names, self._views, states, strict=True)}

    def _seen(self, states: tuple, rows: list[Rows]) -> Seen:
        return Seen(dict(zip(self.names, rows, strict=True)), self.sizes(states))


def rows_between(rows: Rows, start: int, stop: int) -> Rows:
    """Rows start..stop-1."""
    begin, end = rows.indptr[start], rows.indptr[stop]
    return rows._replace(
        indptr=rows.indptr[start : stop + 1] - begin, features=rows.features[begin:end], values=rows.values[begin:end],
        y=rows.y[start:stop], weight=rows.weight[start:stop], base=rows.base[start:stop],
    )  # fmt: skip
