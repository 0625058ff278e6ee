"""Views that keep the features of a row and change its values: raw, logarithms, unit length, tf-idf."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data.axes import Features, Numbers, Scalars, merged, pooled, summed
from sonlearn.data.rows import SQUARES, Rows, begin_row, is_learned, leave_out
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.views.codes import MAX_SUM, clip_value, log_of_next, moments_with, standard
from sonlearn.views.index import copy_known
from sonlearn.views.view import MergedView, Place, View, new_now

BY_FEATURE = Features("features")


class ScaledState(NamedTuple):
    """What a view of this kind has counted."""

    # features; t: weight of the rows learned from
    now: Annotated[np.ndarray, Scalars(totals=("t",), features="features", most=MAX_SUM)]
    # float64[features, 1]: of those with the feature (idf only, else float64[features, 0])
    df: Annotated[np.ndarray, BY_FEATURE, summed]
    # float64[features, 3]: weight, mean, M2 of its values (z only, else float64[features, 0])
    moments: Annotated[np.ndarray, BY_FEATURE, pooled]


class ScaledParams(NamedTuple):
    """What is done to a row."""

    z: bool
    idf: bool
    unit: bool
    constant: bool


class Scaled(View):
    """Values sign(x) ln(1 + |x|), weighted and divided as `ScaledParams` say; or in standard deviations from the mean.

    Parameters
    ----------
    z : bool
        (x - mean)/sd of the feature's values, x included, within +-5; 1 while all are equal.
    idf : bool
        Times ln((t + 2)/(df_j + 1)), t the number of rows before this one, df_j of those with feature j.
    unit : bool
        Rows without their constant are divided by their 2-norm.
    constant : bool
        Keep the constant feature, as it is.
    """

    raw = "features"

    def __init__(self, *, z: bool = False, idf: bool = False, unit: bool = False, constant: bool = True):
        super().__init__(ScaledParams(z, idf, unit, constant), scale_rows)

    def _new_work(self, longest: int) -> np.ndarray:
        return np.zeros(3)

    def new(self) -> ScaledState:
        """State of a view that has seen nothing."""
        z, idf = self._params.z, self._params.idf
        return ScaledState(new_now("t:f8"), np.zeros((0, int(idf))), np.zeros((0, 3 if z and not idf else 0)))

    def renumbered(self, state: ScaledState, numbers: Numbers) -> tuple[ScaledState, np.ndarray]:
        """See `View.renumbered`; features seen are the raw ones."""
        return super().renumbered(state, numbers)[0], numbers.features[: self.features(state)]

    def merge(self, states: Sequence[ScaledState], base: ScaledState) -> MergedView:
        """Counts as of one run; features have the numbers that they have."""
        numbers = np.arange(self.features(base))
        return MergedView(merged(states, base, np.ones(len(states))), [numbers] * len(states), numbers)


class Raw(Scaled):
    """The rows as they are, what has no number left out and measured."""

    def transform(self, state: ScaledState, rows: Rows, learn: bool) -> tuple[ScaledState, Rows]:
        """See `View.transform`."""
        every = (rows.features[: rows.indptr[-1]] >= 0).all()
        return (state, rows) if every else super().transform(state, rows, learn)

    def calls(self, state: ScaledState, rows: Rows, out: Rows, learn: bool = True, start: Place = (0, 0)) -> Calls:
        """See `View.calls`."""
        return [(copy_rows, (rows, out, *start))]


@jit
def copy_rows(rows, out, i, at):
    """Fill `out` from row `i`, place `at` of the output on; returns where that ends."""
    while i < len(rows.indptr) - 1:
        at = copy_known(rows, i, out, at)
        i += 1
    return i, at


@inline
def mean_idf(df, rows, i, log_t):
    """Mean of ln((t + 2)/(df_j + 1)) over the features of row i that rows before had, else 1."""
    total, n = 0.0, 0
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j = rows.features[place]
        if j >= 0 and j != rows.constant and df[j, 0] > 0.0 and clip_value(rows.values[place]) != 0.0:
            total += log_t - log_of_next(df[j, 0])
            n += 1
    return total / n if n > 0 else 1.0


@jit
def scale_rows(params, state, scratch, rows, out, i, at, learn):
    """Fill `out` from row `i`, place `at` of the output on; returns where that ends. Counts what is learned from."""
    now, df = state.now[0], state.df
    constant, last, log_x = rows.constant, 0.0, 0.0
    while i < len(rows.indptr) - 1:
        begin, xx, log_t = at, 0.0, math.log(now["t"] + 2.0)
        begin_row(out.unseen, i)
        learned = learn and is_learned(rows.weight[i], rows.y[i])
        usual = mean_idf(df, rows, i, log_t) if params.idf else 0.0
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            j, x = rows.features[place], clip_value(rows.values[place])
            if x == 0.0 or (j == constant and not params.constant):
                continue
            if j != constant and params.z:
                moments_with(x, rows.weight[i], j, state.moments, scratch, learned)
                x = standard(x, scratch)
            elif j != constant:
                if x != last:  # words and indicators have the same value again and again
                    last, log_x = x, math.copysign(math.log1p(abs(x)), x)
                x = log_x
                if params.idf:
                    n = df[j, 0] if j >= 0 else 0.0
                    x *= log_t - log_of_next(n) if n > 0.0 else usual
                    if learned:
                        df[j, 0] = min(n + rows.weight[i], MAX_SUM)
                xx += x * x
            if j >= 0:
                out.features[at] = j
                out.values[at] = x
                at += 1
            else:
                leave_out(out.unseen, i, x)
        if params.unit and xx > 0.0:
            norm = 1.0 / math.sqrt(xx)
            out.unseen[i, SQUARES] *= norm * norm
            for k in range(begin, at):
                if out.features[k] != constant:
                    out.values[k] *= norm
        out.indptr[i + 1] = at
        if learned:
            now["t"] = min(now["t"] + rows.weight[i], MAX_SUM)
        i += 1
    return i, at
