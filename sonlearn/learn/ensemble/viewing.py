"""Several views of the same rows, shown side by side."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

import numpy as np

from sonlearn.data.rows import Rows, rows_between
from sonlearn.learn.ensemble.progress import SEVERAL, VALUES
from sonlearn.options.views import VIEWS
from sonlearn.views import make_view
from sonlearn.views.view import MergedView, View, parts_of

#: (name of a view, start, stop) -> rows start..stop-1 as that view shows them, and how many features it has had by
#: then. Each view is asked for all rows in their order, by one thread at a time.
Seen = Callable[[str, int, int], tuple[Rows, int]]


class Views:
    """Views by name (`sonlearn.options.views`); a state is the tuple of theirs, and the verbs are those of a view.

    Parameters
    ----------
    names : names of views
    kind : int
        What labels are (`progress`): views that choose by what tells of the label have to know.
    """

    def __init__(self, names: Iterable[str], kind: int):
        self.names = tuple(names)
        self.every = tuple(_view(name, kind) for name in self.names)

    def new(self) -> tuple:
        """States of views that have seen nothing."""
        return tuple(view.new() for view in self.every)

    def reserve(self, states: tuple, rows: Rows, features: int, needed: Container[str] | None = None) -> tuple:
        """`states` with room for `rows`, whose features are below `features`, in the `needed` views (None: all)."""
        return tuple(
            view.reserve(own, rows, features) if needed is None or name in needed else own
            for name, view, own in zip(self.names, self.every, states, strict=True)
        )

    def showing(self, states: tuple, rows: Rows, learn: bool, in_parts: bool = False) -> tuple[list, Seen]:
        """(states, `rows` as seen), where a view sees rows, and its state changes, when it is asked for them.

        Where views `learn`, their statistics take the rows in, and `reserve` comes first. `in_parts`: each sees the
        part of a row that is its own, else all of it.
        """
        own, parts = list(states), parts_of(rows) if in_parts else {}

        def show(name: str, start: int, stop: int) -> tuple[Rows, int]:
            i, part = self.names.index(name), rows_between(parts.get(VIEWS[name].part, rows), start, stop)
            if learn:
                own[i], shown = self.every[i].fit_transform(own[i], part)
            else:
                shown = self.every[i].transform(own[i], part)
            return shown, self.every[i].features(own[i])

        return own, show

    def kept(self, states: tuple, needed: Container[str]) -> tuple:
        """`states`, those that are not `needed` any more as new."""
        return tuple(
            own if name in needed else view.new()
            for name, view, own in zip(self.names, self.every, states, strict=True)
        )

    def renumbered(self, states: tuple, numbers: np.ndarray, features: int) -> tuple[tuple, dict[str, np.ndarray]]:
        """(`states` with other numbers of the raw features, the numbers of what each view has shown then)."""
        found = [view.renumbered(own, numbers, features) for view, own in zip(self.every, states, strict=True)]
        return tuple(own for own, _ in found), {name: own for name, (_, own) in zip(self.names, found, strict=True)}

    def merge(self, name: str, states: Sequence[tuple], base: tuple) -> MergedView:
        """The view of that name of several such states, which `renumbered` has made (see `View.merge`)."""
        at = self.names.index(name)
        return self.every[at].merge([own[at] for own in states], base[at])

    def sizes(self, states: tuple) -> dict[str, int]:
        """How many features each view has shown."""
        return {name: view.features(s) for name, view, s in zip(self.names, self.every, states, strict=True)}


def _view(name: str, kind: int) -> View:
    """A view; what chooses entries by what they tell of the label is told what that is."""
    chooses = VIEWS[name].kind == "tuples"
    return make_view(name, numbers=kind == VALUES, several=kind == SEVERAL) if chooses else make_view(name)
