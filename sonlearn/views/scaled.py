"""Views that keep the features of a row and change its values: raw, logarithms, unit length, tf-idf."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sonlearn.arrays import grown
from sonlearn.batch import Rows
from sonlearn.jit import bare_jit
from sonlearn.views.numbers import room_for
from sonlearn.views.view import new_now

#: Smaller values count as this, so that squares of what is left of them are not 0.
_TINY = 1e-100


class State(NamedTuple):
    """What a view of this kind has counted."""

    now: np.ndarray  # features; t: rows learned from
    df: np.ndarray  # int64[features]: those with the feature (idf only, else int64[0])


class Params(NamedTuple):
    """What is done to a row."""

    idf: bool
    unit: bool
    constant: bool


class Raw:
    """The rows as they are."""

    of_labels = False

    def new(self) -> State:
        """State of a view that has seen nothing."""
        return State(new_now("t"), np.zeros(0, np.int64))

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """Note how many features there are."""
        now = state.now.copy()
        now["features"] = features
        return state._replace(now=now)

    def see(self, state: State, rows: Rows) -> tuple[State, Rows]:
        """`rows`, without unknown features."""
        return state, self.look(state, rows)

    def look(self, state: State, rows: Rows) -> Rows:
        """The same."""
        known = rows.features[: rows.indptr[-1]] >= 0
        if known.all():
            return rows
        indptr = np.concatenate(([0], np.cumsum(known)))[rows.indptr]
        kept = np.flatnonzero(known)
        return rows._replace(indptr=indptr, features=rows.features[kept], values=rows.values[kept])

    def features(self, state: State) -> int:
        """Features so far."""
        return int(state.now["features"][0])

    def packed(self, state: State) -> State:
        """`state` without spare room."""
        return state._replace(df=state.df[: self.features(state)])


class Scaled(Raw):
    """Values sign(x) ln(1 + |x|), weighted and divided as `Params` say.

    Parameters
    ----------
    idf : bool
        Times ln((t + 2)/(df_j + 1)), t the number of rows before this one, df_j of those with feature j.
    unit : bool
        Rows without their constant are divided by their 2-norm.
    constant : bool
        Keep the constant feature, as it is.
    """

    def __init__(self, *, idf: bool = False, unit: bool = False, constant: bool = True):
        self._params = Params(idf, unit, constant)

    def reserve(self, state: State, rows: Rows, features: int) -> State:
        """Let the counts hold what `rows` may bring."""
        used = self.features(state)
        state = super().reserve(state, rows, features)
        return state._replace(df=grown(state.df, features, min(used, len(state.df)))) if self._params.idf else state

    def see(self, state: State, rows: Rows) -> tuple[State, Rows]:
        """Rows with changed values, each before it is counted."""
        out = room_for(rows, int(rows.indptr[-1]))
        scale_rows(self._params, state, rows, out, True)
        return state, out

    def look(self, state: State, rows: Rows) -> Rows:
        """The same, counting nothing."""
        out = room_for(rows, int(rows.indptr[-1]))
        scale_rows(self._params, state, rows, out, False)
        return out


@bare_jit
def scale_rows(params, state, rows, out, learn):
    """Fill `out`; count features in `state` where a row is learned from."""
    now, df = state.now[0], state.df
    constant, at, last, log_x = rows.constant, 0, 0.0, 0.0
    for i in range(len(rows.indptr) - 1):
        begin, xx = at, 0.0
        learned = learn and rows.weight[i] > 0.0 and rows.y[i] == rows.y[i]
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, x = rows.features[place], rows.values[place]
            if x == 0.0 or (j == constant and not params.constant):
                continue
            if j != constant:
                if x != last:  # words and indicators have the same value again and again
                    last, log_x = x, math.copysign(math.log1p(max(abs(x), _TINY)), x)
                x = log_x
                if params.idf:
                    n = df[j] if j >= 0 else 0
                    x *= math.log((now["t"] + 2.0) / (n + 1.0))
                    if learned:
                        df[j] = n + 1
                xx += x * x
            if j >= 0:
                out.features[at] = j
                out.values[at] = x
                at += 1
        if params.unit and xx > 0.0:
            norm = math.sqrt(xx)
            for k in range(begin, at):
                if out.features[k] != constant:
                    out.values[k] /= norm
        out.indptr[i + 1] = at
        if learned:
            now["t"] += 1
