"""How frequent each class has been of late: exponentially weighted means of the labels, without any feature.

With l_k the logarithm of the share of class k and the rate d, after a row of class y

    l_k <- l_k + ln(1 - d) for every class,    l_y <- ln(exp(l_y) + d)

and a class scores l_k, no less than ln(`LEAST`). On a stream that stays with a class for a while this says which one;
on shuffled rows it says little, and the combiner leaves it aside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_jit
from sonlearn.jit.sequence import Call
from sonlearn.learn import axes
from sonlearn.learn.axes import BY_CLASS, Scalars
from sonlearn.learn.engine import Engine, Predictions

#: Shares are not below this.
LEAST = 0.01


class SharesState(NamedTuple):
    """What has been counted."""

    logs: Annotated[np.ndarray, BY_CLASS]  # float64[classes]; l_k
    now: Annotated[np.ndarray, Scalars()]  # structured [1]: classes


class Shares(Engine):
    """Member of several classes (see `sonlearn.learn.multiclass`).

    Parameters
    ----------
    decay : float
        The rate: what a row counts.
    """

    merges = True
    counts = True

    def __init__(self, decay: float):
        self._decay = decay

    def new(self, classes: int = 0) -> SharesState:
        """State that has seen nothing."""
        return SharesState(np.zeros(0), np.zeros(1, dtype=[("classes", "i8")]))

    def reserve(self, state: SharesState, rows: Rows, features: int) -> SharesState:
        """Room for the classes of `rows`."""
        return axes.reserved(state, classes=1 + int(np.nanmax(rows.y, initial=-1.0)))

    def calls(self, state: SharesState, rows: Rows, out: Predictions, start: int = 0) -> list[Call]:
        """See `Engine.calls`; no row is refused."""
        return [(learn, (self._decay, state.logs, state.now, rows, out.raw, start))]

    def predict(self, state: SharesState, rows: Rows, out: Predictions) -> int:
        """Predict and change nothing."""
        classes = state.now["classes"][0]
        out.raw[:, :classes] = np.maximum(state.logs[:classes], math.log(LEAST))
        return len(rows.y)

    def met(self, state: SharesState) -> int:
        """How many classes have occurred."""
        return int(state.now["classes"][0])

    def renumbered(
        self, state: SharesState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> SharesState:
        """`state` with other numbers (see `Engine.renumbered`)."""
        found = super().renumbered(state, numbers, features, slots)
        if slots is not None:
            found.logs[np.setdiff1d(np.arange(len(found.logs)), slots[: len(state.logs)])] = -np.inf
        return found

    def merge(self, states: Sequence[SharesState], base: SharesState, rows: Sequence[int]) -> SharesState:
        """The shares of one run over all rows (see `Engine.merge`)."""
        now, every = base.now.copy(), (base, *states)
        now["classes"] = K = max(int(each.now["classes"][0]) for each in every)
        start, *others = (np.append(np.exp(each.logs), np.zeros(K - len(each.logs))) for each in every)
        found = np.maximum(merging.summed(start, others, merging.shares(rows, 1.0 - self._decay)), 0.0)
        return SharesState(np.log(found, out=np.full(K, -np.inf), where=found > 0.0), now)

    def facts(self, state: SharesState) -> dict[str, Any]:
        """bytes that it takes."""
        return {"bytes": state.logs.nbytes}


@bare_jit
def learn(decay, logs, now, rows, out, start):
    """Predict and count rows from `start` on.

    Parameters
    ----------
    decay : float; logs : float64[classes], changed; now : structured [1], changed
    rows : Rows, labels slots; out : float64[n, K], filled in up to the classes shown before each row
    """
    least, fades = math.log(LEAST), math.log(1.0 - decay)
    for i in range(start, len(rows.y)):
        for k in range(now[0]["classes"]):
            out[i, k] = max(logs[k], least)
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        y = int(rows.y[i])
        if y >= now[0]["classes"]:
            now[0]["classes"] = y + 1
            logs[y] = -math.inf
        for k in range(now[0]["classes"]):
            logs[k] += fades
        logs[y] = math.log(math.exp(logs[y]) + decay)
