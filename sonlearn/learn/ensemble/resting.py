"""Members at rest: what their predictions are worth once no labels come; of values and two classes, of rows of numbers.

A member that has just learned a row's neighbours predicts it better than it will predict a row of next week, the more
so the more labels follow one another; and what memorises gains most. A combiner that learns of predictions that are
made while labels come relies on it too much then. So views and members are copied now and then, when the rows learned
have grown by a `SHARE`; of the rows learned since then some are kept, all of them or so many in equal distances that
these are `ROWS` or have `ENTRIES`. When the next copy is due, the last one predicts the rows kept. By these is asked
whose weights `predict` takes: those of the combiner that has learned of members at rest so far, if their loss was
surely the smaller one, or the usual ones. Then that combiner takes a step for each of the rows.

Rows of words show new features as long as they come: a copy would cost more than to learn them, and there is none.
"""

from __future__ import annotations

import copy
from typing import Annotated, NamedTuple

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import PART, Counted, State
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_jit
from sonlearn.learn.ensemble.combiner import Combiner

#: Rows from one copy to the next: a share of those learned, but at least so many.
SHARE, LEAST = 1 / 2, 1024
#: They surely gain where the sum of gains is so many times its standard deviation, were there none: of two classes the
#: gains of the rows kept last; of values, which gain or lose together as the season is, the means of all copies.
SURE_OF_ROWS, SURE_OF_COPIES = 2.0, 1.5
#: From so many features for each entry on there are no copies: of words, or of names that come once.
MOST_FEATURES = 0.05
#: Rows that are kept from one copy to the next, and their entries, at most.
ROWS, ENTRIES = 256, 1 << 18
#: Rows learned, from 0 on after a merge; at which the next copy is due, 0: none is any more; whether there is one;
#: whether the weights of members at rest were surely better; of how many rows one is kept; features of the rows
#: learned, and of those of the copy; rows kept, and their entries; number of the constant feature; sums of gains, and
#: of their squares.
NOW = [(name, "i8") for name in ("learned", "due", "copied", "better", "stride", "seen", "known", "rows", "entries")]
NOW += [("constant", "i8"), ("gain", "f8"), ("square", "f8")]
OF_ROWS, OF_ENTRIES = Counted("rows"), Counted("entries")


class KeptRows(NamedTuple):
    """Rows learned since the copy was made."""

    ends: Annotated[np.ndarray, OF_ROWS]  # int64[rows]; where the entries of a row end
    features: Annotated[np.ndarray, OF_ENTRIES]  # int64[entries]
    ids: Annotated[np.ndarray, OF_ENTRIES]  # int64[entries]
    values: Annotated[np.ndarray, OF_ENTRIES]  # float64[entries]
    facts: Annotated[np.ndarray, OF_ROWS]  # float64[rows, 3]; label, weight and base
    now: np.ndarray  # structured [1]


class Copy(NamedTuple):
    """What predicts, as it was."""

    labels: State  # of the committee, as views and members
    views: tuple
    members: tuple


class Resting(NamedTuple):
    """A combiner, a copy of what predicts, and rows learned since."""

    combiner: Combiner  # of members with a long memory
    copy: tuple  # one `Copy`, or none
    kept: Annotated[KeptRows, PART]


def new_resting(combiner: Combiner) -> Resting:
    """No copy yet, and no row."""
    now = np.zeros(1, dtype=NOW)
    now["due"], now["stride"] = LEAST, 1
    return Resting(combiner, (), KeptRows(*np.zeros((3, 0), np.int64), np.zeros(0), np.zeros((0, 3)), now))


def copied(resting: Resting, then: Copy, rows: int, entries: int) -> Resting:
    """With a new copy of these states, which have learned so many rows with so many entries, and no rows."""
    now = resting.kept.now.copy()
    more = max(int(rows * SHARE), LEAST)
    most = min(max(ENTRIES * rows // max(entries, 1), 1), ROWS)
    now["due"], now["stride"], now["known"] = now["learned"] + more, -(-more // most), now["seen"]
    now["copied"], now["rows"], now["entries"] = 1, 0, 0
    return axes.packed(resting._replace(copy=(copy.deepcopy(then),), kept=resting.kept._replace(now=now)))


def judge(resting: Resting, gains: np.ndarray, values: bool) -> None:
    """Take in what the weights gained in each of the rows kept, float64[n], of `values` or of two classes."""
    now, sure = resting.kept.now, SURE_OF_COPIES if values else SURE_OF_ROWS
    if not values:
        now["gain"], now["square"] = gains.sum(), gains @ gains
    elif len(gains):
        now["gain"] += gains.mean()
        now["square"] += gains.mean() ** 2
    now["better"] = now["gain"] > sure * np.sqrt(now["square"])


def forget_rows(resting: Resting) -> None:
    """Nothing is learned of the rows kept, nor of others before the next copy: members have changed a lot since."""
    now = resting.kept.now
    now["rows"] = now["entries"] = now["copied"] = 0


def rows_left(resting: Resting) -> int:
    """Rows still to be learned before a copy is due; 0: none is to come."""
    now = resting.kept.now[0]
    return max(int(now["due"] - now["learned"]), 0)


def with_room(resting: Resting, rows: int, entries: int) -> Resting:
    """`resting` with room for so many more."""
    now = resting.kept.now[0]
    return axes.reserved(resting, rows=int(now["rows"]) + rows, entries=int(now["entries"]) + entries)


def spare(resting: Resting, rows: int, longest: int) -> tuple[Resting, int]:
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
    return Rows(indptr, features, own.values, y, weight, base, np.zeros((len(y), 2)), constant, own.ids)


@bare_jit
def keep(kept, rows):
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
            at += 1
        kept.ends[n] = at
        kept.facts[n, 0], kept.facts[n, 1], kept.facts[n, 2] = rows.y[i], rows.weight[i], rows.base[i]
        now["rows"], now["entries"] = n + 1, at
