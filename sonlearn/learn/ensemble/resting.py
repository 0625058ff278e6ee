"""Members at rest: what their predictions are worth once no labels come; of values and two classes, of rows of numbers.

A member that has just learned a row's neighbours predicts it better than it will predict a row of next week, the more
so the more labels follow one another; and what memorises gains most. A combiner that learns of predictions that are
made while labels come relies on it too much then. So views and members are copied now and then, when the rows learned
have grown by a `SHARE`; of the rows learned since then some are kept, all of them or so many in equal distances that
these are `ROWS` or have `ENTRIES`. When the next copy is due, the last one predicts the rows kept. By these is asked
whose weights `predict` takes: those of the combiner that has learned of members at rest so far, or the usual ones,
whichever have the smaller loss there. Then that combiner takes a step for each of the rows.

Rows of words show new features as long as they come: a copy would cost more than to learn them, and there is none.
"""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

from sonlearn.data.arrays import grown
from sonlearn.data.axes import State
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_jit
from sonlearn.learn.ensemble.combiner import Combiner

#: Rows from one copy to the next: a share of those learned, but at least so many.
SHARE, LEAST = 1 / 2, 1024
#: Rows that are kept from one copy to the next, and their entries, at most.
ROWS, ENTRIES = 256, 1 << 18
#: Rows learned; at which the next copy is due, 0: none is any more; whether there is one; whether the weights of
#: members at rest were better; of how many rows one is kept; features of the rows learned, and of those of the copy;
#: rows kept; number of the constant feature.
NOW = [(name, "i8") for name in ("learned", "due", "copied", "better", "stride", "seen", "known", "rows", "constant")]


class Resting(NamedTuple):
    """A combiner, a copy of what predicts, and rows learned since."""

    combiner: Combiner  # of members with a long memory
    labels: State  # of the committee, as views and members
    views: tuple
    members: tuple
    ends: np.ndarray  # int64[rows or more]; where the entries of a row end
    features: np.ndarray  # int64[entries or more]
    ids: np.ndarray  # int64[entries or more]
    values: np.ndarray  # float64[entries or more]
    facts: np.ndarray  # float64[rows or more, 3]; label, weight and base
    now: np.ndarray  # structured [1]


def new_resting(combiner: Combiner, labels: State, views: tuple, members: tuple) -> Resting:
    """No copy yet, and no row; all states are new ones."""
    now = np.zeros(1, dtype=NOW)
    now["due"], now["stride"] = LEAST, 1
    entries = np.zeros((2, 0), np.int64)
    return Resting(
        combiner, labels, views, members, np.zeros(0, np.int64), *entries, np.zeros(0), np.zeros((0, 3)), now
    )


def copied(resting: Resting, labels: State, views: tuple, members: tuple, entries: int) -> Resting:
    """A new copy of these states, and no rows; `entries` are those of all rows learned."""
    now = resting.now.copy()
    learned = int(now["learned"][0])
    rows = max(int(learned * SHARE), LEAST)
    most = min(max(ENTRIES * learned // max(entries, 1), 1), ROWS)
    now["due"], now["stride"], now["known"] = learned + rows, -(-rows // most), now["seen"]
    now["copied"], now["rows"] = 1, 0
    labels, views, members = copy.deepcopy((labels, views, members))
    return packed(resting._replace(labels=labels, views=views, members=members, now=now))


def forget_rows(resting: Resting) -> None:
    """Nothing is learned of the rows kept, nor of others before the next copy: members have changed a lot since."""
    resting.now["rows"] = resting.now["copied"] = 0


def rows_left(resting: Resting) -> int:
    """Rows still to be learned before a copy is due; 0: none is to come."""
    now = resting.now[0]
    return max(int(now["due"] - now["learned"]), 0)


def with_room(resting: Resting, rows: int, entries: int) -> Resting:
    """`resting` with room for so many more."""
    n, entries = int(resting.now["rows"][0]), _entries(resting) + entries
    return resting._replace(
        ends=grown(resting.ends, n + rows), facts=grown(resting.facts, n + rows),
        features=grown(resting.features, entries), ids=grown(resting.ids, entries),
        values=grown(resting.values, entries),
    )  # fmt: skip


def spare(resting: Resting, rows: int, longest: int) -> tuple[Resting, int]:
    """(`resting` with room for so many more of up to `longest` entries, how many can be learned without a new copy)."""
    resting, now = with_room(resting, rows, rows * longest), resting.now[0]
    n = int(now["rows"])
    room = min(len(resting.facts) - n, (len(resting.values) - _entries(resting)) // max(longest, 1))
    return resting, min(room * int(now["stride"]), rows_left(resting) - 1)


def _entries(resting: Resting) -> int:
    n = int(resting.now["rows"][0])
    return int(resting.ends[n - 1]) if n else 0


def packed(resting: Resting) -> Resting:
    """`resting` without spare room."""
    n, entries = int(resting.now["rows"][0]), _entries(resting)
    return resting._replace(
        ends=resting.ends[:n], facts=resting.facts[:n], features=resting.features[:entries],
        ids=resting.ids[:entries], values=resting.values[:entries],
    )  # fmt: skip


def kept_rows(resting: Resting) -> Rows:
    """The rows kept; features that the copy has not seen have the number -1."""
    own, now = packed(resting), resting.now[0]
    indptr = np.concatenate([np.zeros(1, np.int64), own.ends])
    features = np.where(own.features < now["known"], own.features, -1)
    y, weight, base = np.ascontiguousarray(own.facts.T)
    return Rows(indptr, features, own.values, y, weight, base, np.zeros((len(y), 2)), int(now["constant"]), own.ids)


@bare_jit
def keep(resting, rows):
    """Count `rows` that are learned, and keep some of them, for which there is room.

    resting : Resting, modified; rows : Rows, as they were read
    """
    now = resting.now[0]
    now["constant"] = rows.constant
    for i in range(len(rows.y)):
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        now["learned"] += 1
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            now["seen"] = max(now["seen"], rows.features[place] + 1)
        if now["copied"] == 0 or now["learned"] % now["stride"] != 0:
            continue
        n = now["rows"]
        at = resting.ends[n - 1] if n > 0 else 0
        for place in range(rows.indptr[i], rows.indptr[i + 1]):
            resting.features[at] = rows.features[place]
            resting.ids[at] = rows.ids[place]
            resting.values[at] = rows.values[place]
            at += 1
        resting.ends[n] = at
        resting.facts[n, 0], resting.facts[n, 1], resting.facts[n, 2] = rows.y[i], rows.weight[i], rows.base[i]
        now["rows"] = n + 1
