"""Members at rest: what their predictions are worth once no labels come; of values and two classes, of rows of numbers.

A member that has just learned a row's neighbours predicts it better than it will predict a row of next week, the more
so the more labels follow one another; and what memorises gains most. A combiner that learns of predictions that are
made while labels come relies on it too much then. So views and members are copied now and then, when the rows learned
have grown by a share (`COPY_INTERVAL`); of the rows learned since then some are kept, all of them or so many in equal
distances that these are `MAX_ROWS` or have `MAX_ENTRIES`. When the next copy is due, the last one predicts the rows
kept.

`predict` takes the mean of the members, and of their usual combination, that would have erred least there: with e_i
the errors in a row, of two classes those of the probabilities, the weights a_i >= 0 that add up to 1 and have the least

    a' P a,    P <- RETENTION P + mean of e e' / the least mean of an e_i squared

Of two classes the weights are then those of log-odds, which no mean of probabilities gives exactly; one of the e_i is
that of the probability 1/2, so that weights may add up to less where copies often err.
So it makes no more of a season than the members do, and what copies count depends on how long ago they were, not on how
much all err. In a mean the i-th of the rows kept weighs 1/(i + DISTANCE_PRIOR), since `predict` may ask for any
distance: the nearest rows, which are asked for most, are then not outnumbered by those that a copy predicts long after.
Where one class is rare and does not come among them, what says least of it errs least, by next to nothing: of two
classes all but the usual combination count as wrong once more.

Boosted trees of all rows kept, which predict once labels end, may be worth more than those that have been combined
(`at_rest`). How trees of the rows before err in the last ones is known, and how the usual combination erred there when
these came; members at rest err less than that as P says.

Rows of words show new features as long as they come: a copy would cost more than to learn them, and there is none.
"""

from __future__ import annotations

import copy
import math
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import PART, Counted, State
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import jit
from sonlearn.learn.losses import sure_gain

#: Rows before the first copy; and from one to the next, as a share of those learned.
FIRST_COPY_ROWS, COPY_INTERVAL = 256, 1 / 4
#: What is left of P when the next copy has predicted; and by how much the usual weights are preferred, as a share of
#: the least mean square of errors that is added to all others.
RETENTION, PREFERENCE = 0.6, 0.2
#: The preference is at least for so much of an input's own error, or rounding would leave two that err alike nothing.
ROUNDING = 1e-12
#: Added to the number of a row kept; the reciprocal is what the row weighs.
DISTANCE_PRIOR = 25
#: From so many features for each entry on there are no copies: of words, or of names that come once.
MAX_FEATURES_PER_ENTRY = 0.05
#: Rows that are kept from one copy to the next, and their entries, at most.
MAX_ROWS, MAX_ENTRIES = 256, 1 << 18
#: Rows learned whose errors are kept; shares that trees of more rows may have of the weights. None where their own loss
#: is so many times that of the combination: rows ahead it would be more.
ERRORS, SHARES, MOST = 1024, np.arange(21) / 20, 1.75
#: In place of an error; larger than any.
NONE = 1e300
#: Rows learned, from 0 on after a merge; at which the next copy is due, 0: none is any more; whether there is one;
#: of how many rows one is kept; features of the rows learned, and of those of the copy; rows kept, and their entries;
#: number of the constant feature.
NOW = [(name, "i8") for name in ("learned", "due", "copied", "stride", "seen", "known", "rows", "entries", "constant")]
OF_ROWS, OF_ENTRIES = Counted("rows"), Counted("entries")


class KeptRows(NamedTuple):
    """Rows learned since the copy was made."""

    ends: Annotated[np.ndarray, OF_ROWS]  # int64[rows]; where the entries of a row end
    features: Annotated[np.ndarray, OF_ENTRIES]  # int64[entries]
    ids: Annotated[np.ndarray, OF_ENTRIES]  # int64[entries]
    values: Annotated[np.ndarray, OF_ENTRIES]  # float64[entries]
    marks: Annotated[np.ndarray, OF_ENTRIES]  # uint32[entries]; see `Batch.marks`
    facts: Annotated[np.ndarray, OF_ROWS]  # float64[rows, 3]; label, weight and base
    now: np.ndarray  # structured [1]


class Copy(NamedTuple):
    """What predicts, as it was."""

    labels: State  # of the committee, as views and members
    views: tuple
    members: tuple


class Resting(NamedTuple):
    """What members at rest weigh, a copy of what predicts, and rows learned since."""

    products: np.ndarray  # float64[k + 2, k + 2]; P of the inputs, of 0, and of the usual combination of the inputs
    weights: np.ndarray  # float64[k + 2]
    copy: tuple  # one `Copy`, or none
    kept: Annotated[KeptRows, PART]
    # float64[ERRORS]; of the usual combination in row r of those learned, at r modulo ERRORS: see
    # `progress.update_losses`; `NONE`: there is none
    errors: np.ndarray
    # float64[2]; faded as P: sum of the mean |error| that these weights would have had in the rows kept, in the unit of
    # the labels, and of ones
    ahead: np.ndarray


def new_resting(k: int, copies: bool = True) -> Resting:
    """No copy yet, and no row: the usual weights of k inputs; whether there are to be `copies`."""
    now = np.zeros(1, dtype=NOW)
    now["due"], now["stride"] = FIRST_COPY_ROWS * copies, 1
    kept = KeptRows(*np.zeros((3, 0), np.int64), np.zeros(0), np.zeros(0, np.uint32), np.zeros((0, 3)), now)
    return Resting(np.zeros((k + 2, k + 2)), np.eye(k + 2)[-1], (), kept, np.full(ERRORS, NONE), np.zeros(2))


def copied(resting: Resting, then: Copy, rows: int, entries: int) -> Resting:
    """With a new copy of these states, which have learned so many rows with so many entries, and no rows."""
    now = resting.kept.now.copy()
    more = max(int(rows * COPY_INTERVAL), int(FIRST_COPY_ROWS * COPY_INTERVAL))
    most = min(max(MAX_ENTRIES * rows // max(entries, 1), 1), MAX_ROWS)
    now["due"], now["stride"], now["known"] = now["learned"] + more, -(-more // most), now["seen"]
    now["copied"], now["rows"], now["entries"] = 1, 0, 0
    return axes.packed(resting._replace(copy=(copy.deepcopy(then),), kept=resting.kept._replace(now=now)))


def learn(
    resting: Resting, inputs: list[int], errors: np.ndarray, weight: np.ndarray, most: float = 0.0, unit: float = 1.0
) -> None:
    """Take in the errors, float64[m, n], of `inputs` and the last one or two of others; `weight`: of the n rows.

    All but the usual combination err by `most` once more, at the last row. `unit`: that of the errors, in the labels'.
    """
    near = weight / np.arange(DISTANCE_PRIOR + 1, DISTANCE_PRIOR + 1 + len(weight))
    products = np.einsum("in,jn,n->ij", errors, errors, near)
    products[np.diag_indices(len(errors) - 1)] += most**2 * near[-1:].sum()
    least = products.diagonal().min()
    if least > 0.0:
        resting.products[:] *= RETENTION
        resting.ahead[:] *= RETENTION
        at = [*inputs, *range(len(inputs) - len(errors), 0)]
        resting.ahead[:] += unit * (np.abs(resting.weights[at] @ errors) @ near / near.sum()), 1.0
        resting.products[np.ix_(at, at)] += products / least
        solve_weights(resting)


def at_rest(resting: Resting, inputs: list[int], errors: np.ndarray, weight: np.ndarray, classes: bool) -> Resting:
    """With a share for one of these `inputs`, which have learned more: where that gains most, and surely gains.

    errors : float64[m + 1, n], those of the inputs in rows that they have not learned, and the usual combination's; of
    `classes` 1 less the probability of the right one; weight : float64[n]
    """
    w, P = resting.weights, resting.products
    usual = errors[-1] * (math.sqrt(w @ P @ w / P[-1, -1]) if P[-1, -1] > 0.0 else 1.0)
    mixed = usual + SHARES[:, None, None] * (errors[:-1] - usual)
    losses = -np.log1p(-np.minimum(mixed, 1.0 - ROUNDING)) if classes else mixed**2
    gains = losses[0] - losses
    sure = sure_gain(gains, weight) * (losses[-1] @ weight <= MOST * (losses[0, 0] @ weight))
    share, j = np.unravel_index(sure.argmax(), sure.shape)
    own = (1.0 - SHARES[share]) * w
    own[inputs[j]] += SHARES[share]
    return resting._replace(weights=own)


def solve_weights(resting: Resting) -> None:
    """Weights anew, of what there are products of: while one is below 0, the lowest one is left out."""
    squares = resting.products.diagonal()
    some = np.flatnonzero(squares)
    least = squares[some].min(initial=np.inf)
    while len(some):
        more = PREFERENCE * np.diag((some < len(squares) - 1) * np.maximum(least, ROUNDING * squares[some]))
        w = np.linalg.solve(resting.products[np.ix_(some, some)] + more, np.ones(len(some)))
        if w.min() >= 0.0:
            resting.weights[:] = 0.0
            resting.weights[some] = w / w.sum()
            return
        some = np.delete(some, w.argmin())


def leave_out(resting: Resting, inputs: list[int]) -> None:
    """Give these `inputs` no weight."""
    resting.products[inputs] = resting.products[:, inputs] = 0.0
    solve_weights(resting)


def weights_without(resting: Resting, inputs: list[int]) -> np.ndarray:
    """Return the weights, float64[k + 2], that there are without these `inputs`."""
    if resting.weights[inputs].any():
        resting = resting._replace(products=resting.products.copy(), weights=resting.weights.copy())
        leave_out(resting, inputs)
    return resting.weights


def error_ahead(resting: Resting) -> float:
    """Mean |error| of rows ahead of the last label, in the unit of the labels; 0: not known."""
    total, weight = resting.ahead
    return float(total / weight) if weight > 0.0 else 0.0


def last_errors(resting: Resting, rows: int, n: int) -> np.ndarray:
    """Those in the last n of so many rows learned."""
    return resting.errors[np.arange(rows - n, rows) % ERRORS]


def reset(resting: Resting) -> None:
    """The usual weights; nothing is learned of the rows kept, nor of others before the next copy."""
    resting.errors[:] = NONE
    resting.products[:], resting.ahead[:] = 0.0, 0.0
    resting.weights[:], now = np.eye(len(resting.weights))[-1], resting.kept.now
    now["rows"] = now["entries"] = now["copied"] = 0


def rows_left(resting: Resting) -> int:
    """Rows still to be learned before a copy is due; 0: none is to come."""
    now = resting.kept.now[0]
    return max(int(now["due"] - now["learned"]), 0)


def with_room(resting: Resting, rows: int, entries: int) -> Resting:
    """`resting` with room for so many more."""
    now = resting.kept.now[0]
    return axes.reserved(resting, rows=int(now["rows"]) + rows, entries=int(now["entries"]) + entries)


def reserve_ahead(resting: Resting, rows: int, longest: int) -> tuple[Resting, int]:
    """(`resting` with room for so many more of up to `longest` entries, how many can be learned without a new copy)."""
    resting = with_room(resting, rows, rows * longest)
    kept, now = resting.kept, resting.kept.now[0]
    room = min(len(kept.facts) - now["rows"], (len(kept.values) - now["entries"]) // max(longest, 1))
    return resting, min(int(room * now["stride"]), rows_left(resting) - 1)


def kept_rows(resting: Resting) -> Rows:
    """The rows kept; features that the copy has not seen have the number -1."""
    own = axes.packed(resting).kept
    indptr = np.concatenate([np.zeros(1, np.int64), own.ends])
    features = np.where(own.features < own.now["known"], own.features, -1)
    y, weight, base = np.ascontiguousarray(own.facts.T)
    constant = int(own.now["constant"][0])
    return Rows(indptr, features, own.values, y, weight, base, np.zeros((len(y), 2)), constant, own.ids, own.marks)


@jit
def buffer_rows(kept, rows):
    """Count `rows` that are learned, and keep some of them, as long as there is room.

    kept : KeptRows, modified; rows : Rows, as they were read
    """
    now = kept.now[0]
    now["constant"] = rows.constant
    for i in range(len(rows.y)):
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        begin, end = rows.indptr[i], rows.indptr[i + 1]
        now["learned"] += 1
        for place in range(begin, end):
            now["seen"] = max(now["seen"], rows.features[place] + 1)
        n, at = now["rows"], now["entries"]
        if now["copied"] == 0 or now["learned"] % now["stride"] != 0:
            continue
        if n >= len(kept.facts) or at + end - begin > len(kept.values):
            continue
        for place in range(begin, end):
            kept.features[at] = rows.features[place]
            kept.ids[at] = rows.ids[place]
            kept.values[at] = rows.values[place]
            kept.marks[at] = rows.marks[place] if len(rows.marks) > 0 else 0
            at += 1
        kept.ends[n] = at
        kept.facts[n, 0], kept.facts[n, 1], kept.facts[n, 2] = rows.y[i], rows.weight[i], rows.base[i]
        now["rows"], now["entries"] = n + 1, at
