"""Several views of the same rows, shown side by side."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence

import numpy as np

from sonlearn.data.rows import Rows
from sonlearn.learn.ensemble.label_scale import LabelScale
from sonlearn.named import NamedTuple
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.views import VIEWS
from sonlearn.views import make_view
from sonlearn.views.view import MergedView, View


class Seen(NamedTuple):
    """Rows as every view shows them, or, where there is `show`, will when it is asked."""

    rows: dict[str, Rows]
    sizes: dict[str, int]  # features of each view
    scale: LabelScale | None = None  # how labels are to be read, for those who learn them
    show: Callable[[str, int, int], tuple[Rows, int]] | None = None

    def part(self, name: str, start: int, stop: int) -> tuple[Rows, int]:
        """Rows start..stop-1 as the view of that name shows them, and how many features it has had by then.

        Where views `show`, each is asked for all rows in their order, by one thread at a time.
        """
        if self.show is not None:
            return self.show(name, start, stop)
        return rows_between(self.rows[name], start, stop), self.sizes[name]

    def between(self, start: int, stop: int, y: np.ndarray) -> Seen:
        """Rows start..stop-1, with the labels `y`."""
        rows = {n: rows_between(r, start, stop)._replace(y=y) for n, r in self.rows.items()}
        return self._replace(rows=rows, scale=None if self.scale is None else self.scale.between(start, stop))

    def beside(self, other: Seen) -> Seen:
        """What both show."""
        return self._replace(rows=self.rows | other.rows, sizes=self.sizes | other.sizes)


class Views:
    """Views by name (`sonlearn.options.views`); a state is the tuple of theirs, and the verbs are those of a view.

    Parameters
    ----------
    names : names of views
    run : function like ``map`` that gives a list
    loss : str
        What labels are for: views that choose by what tells of the label have to know.
    several : bool
        Labels are numbers of classes.
    """

    def __init__(self, names: Iterable[str], run: Callable[..., list], loss: str, several: bool = False):
        self.names, self._map = tuple(names), run
        self._views = tuple(_view(name, loss, several) for name in self.names)

    def of(self, name: str) -> View:
        """The view of that name."""
        return self._views[self.names.index(name)]

    def new(self) -> tuple:
        """States of views that have seen nothing."""
        return tuple(view.new() for view in self._views)

    def reserve(self, states: tuple, rows: Rows, features: int, needed: Container[str] | None = None) -> tuple:
        """`states` with room for `rows`, whose features are below `features`, in the `needed` views (None: all)."""
        at = self._places(needed)
        return tuple(self._views[i].reserve(s, rows, features) if i in at else s for i, s in enumerate(states))

    def showing(self, states: tuple, rows: Rows, learn: bool) -> tuple[list, Seen]:
        """(states, `rows` as seen), where a view sees rows, and its state changes, when it is asked for them.

        Where views `learn`, their statistics take the rows in, and `reserve` comes first.
        """
        own = list(states)

        def show(name: str, start: int, stop: int) -> tuple[Rows, int]:
            i, part = self.names.index(name), rows_between(rows, start, stop)
            if learn:
                own[i], shown = self._views[i].fit_transform(own[i], part)
            else:
                shown = self._views[i].transform(own[i], part)
            return shown, self._views[i].features(own[i])

        return own, Seen({}, {}, show=show)

    def fit_transform(self, states: tuple, rows: Rows, needed: Container[str] | None = None) -> tuple[tuple, Seen]:
        """`rows` as seen by the `needed` views (None: all), before the statistics take it in; `reserve` comes first."""
        return self._shown(states, rows, needed, learn=True)

    def transform(self, states: tuple, rows: Rows, needed: Container[str] | None = None) -> Seen:
        """`rows` as seen by the views as they are, for prediction."""
        return self._shown(states, rows, needed, learn=False)[1]

    def _shown(self, states: tuple, rows: Rows, needed: Container[str] | None, learn: bool) -> tuple[tuple, Seen]:
        own, seen = self.showing(states, rows, learn)
        names, n = [self.names[i] for i in self._places(needed)], len(rows.y)
        shown = self._map(lambda name: seen.part(name, 0, n)[0], names)
        return tuple(own), Seen(dict(zip(names, shown, strict=True)), self.sizes(tuple(own)))

    def kept(self, states: tuple, needed: Container[str]) -> tuple:
        """`states`, those that are not `needed` any more as new."""
        return tuple(
            own if name in needed else view.new()
            for name, view, own in zip(self.names, self._views, states, strict=True)
        )

    def packed(self, states: tuple) -> tuple:
        """`states` without spare room."""
        return tuple(view.packed(s) for view, s in zip(self._views, states, strict=True))

    def renumbered(self, states: tuple, numbers: np.ndarray, features: int) -> tuple[tuple, dict[str, np.ndarray]]:
        """(`states` with other numbers of the raw features, the numbers of what each view has shown then)."""
        found = [view.renumbered(own, numbers, features) for view, own in zip(self._views, states, strict=True)]
        return tuple(own for own, _ in found), {name: own for name, (_, own) in zip(self.names, found, strict=True)}

    def merge(self, name: str, states: Sequence[tuple], base: tuple) -> MergedView:
        """The view of that name of several such states, which `renumbered` has made (see `View.merge`)."""
        at = self.names.index(name)
        return self._views[at].merge([own[at] for own in states], base[at])

    def of_labels(self) -> tuple[str, ...]:
        """Names of the views that depend on labels, not only on whether there is one."""
        return tuple(name for name, view in zip(self.names, self._views, strict=True) if view.of_labels)

    def sizes(self, states: tuple) -> dict[str, int]:
        """How many features each view has shown."""
        return {name: view.features(s) for name, view, s in zip(self.names, self._views, states, strict=True)}

    def _places(self, needed: Container[str] | None) -> list[int]:
        return [i for i, name in enumerate(self.names) if needed is None or name in needed]


def _view(name: str, loss: str, several: bool) -> View:
    """A view; what chooses entries by what they tell of the label is told what that is."""
    chooses = VIEWS[name].kind == "tuples"
    return make_view(name, numbers=loss not in CLASSIFICATION, several=several) if chooses else make_view(name)


def rows_between(rows: Rows, start: int, stop: int) -> Rows:
    """Rows start..stop-1."""
    if start == 0 and stop == len(rows.y):
        return rows
    begin, end = rows.indptr[start], rows.indptr[stop]
    return rows._replace(
        indptr=rows.indptr[start : stop + 1] - begin, features=rows.features[begin:end], values=rows.values[begin:end],
        y=rows.y[start:stop], weight=rows.weight[start:stop], base=rows.base[start:stop],
        unseen=rows.unseen[start:stop], ids=rows.ids[begin:end],
    )  # fmt: skip
