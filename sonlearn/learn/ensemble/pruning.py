"""Which members a stream can do without, decided at a few checkpoints from their predictions so far.

The checkpoint after `FIRST` rows is about the rows alone: where they are long and nearly all pairs are new, as in text,
members on pairs and triples take most of the time and tell nearly nothing.

At `CHECKPOINTS` members are dropped one by one, the one first whose absence costs the least for its share of the time,
as long as the loss grows by less than `PRICE` times that share: that of the online combination, and of a member with a
long memory that of the offline one as well. The loss without a member is that of a combiner run anew over the
predictions of the others, on the last three quarters of the last `JUDGED` rows. What has many features starts slowly:
a member on pairs or triples is dropped only if it makes no difference at all, where rows are short (there it is cheap,
and wins on long streams) or its own loss is still falling. A stream may change late: members that forget and cost
little are judged at the last checkpoint only, and means of the labels, which cost next to nothing, go all or none, if
they make no difference. Where there is a budget, members are dropped until the rest fit the budget.

A deterministic function of the rows learned: a resumed run decides as one long run does.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from sonlearn.data.rows import NO_ROWS
from sonlearn.learn.ensemble.combiner import combine_some, new_combiner, precision_for
from sonlearn.learn.losses import Loss, losses
from sonlearn.options.members import Member
from sonlearn.options.views import VIEWS

#: Rows learned at which it is asked whether tuples are scattered.
FIRST = 512
#: Rows learned at which members are pruned; their predictions are kept until the last one.
CHECKPOINTS = (4096, 16384, 65536)
#: Predictions that are judged, the last ones.
JUDGED = 8192
#: Tuples of which so many are new are scattered. Of 13 sets of long rows of numbers the largest share in the view where
#: it is least was .70, of 12 of long texts (but for two with .69 and .71, which go on as before) the smallest .81.
SCATTERED = 0.8
#: What the loss may grow by, relatively, for all of the time.
PRICE = 0.2
#: Below this a member makes no difference.
NOTHING = 1e-4
#: What forgets and takes less than this share of the time waits for the last checkpoint.
LITTLE = 0.05
#: Rows of up to so many entries are short.
SHORT = 24
#: A member is still learning if its loss on the second half of its predictions is below this share of the first half's.
FALLING = 0.9
#: Prior precision of the combiner that judges.
PRECISION = (4.0,)


class PruningCase(NamedTuple):
    """What a checkpoint goes by."""

    loss: Loss
    inputs: tuple[Member, ...]  # of the online combination; those that have no cost are no members and stay
    long: tuple[int, ...]  # positions of the inputs of the offline combination
    classes: bool
    rows: np.ndarray  # float32[rows, inputs + 3]; the inputs, the loss's parameter, label, weight
    costs: np.ndarray  # float64[k]; time of each member a row, in any unit
    short: bool  # whether rows are short
    allowed: float = math.inf  # of `costs`, the sum that may be left
    decay: float = 0.0  # what combiners forget with each row


def next_checkpoint(rows: int) -> int:
    """Rows still to be learned before the next checkpoint; 0: there is none."""
    return min((at - rows for at in (FIRST, *CHECKPOINTS) if at > rows), default=0)


def before_first_checkpoint(rows: int) -> bool:
    """Whether the first checkpoint is still to come after so many rows."""
    return rows < FIRST


def prune(case: PruningCase, left: list[int], entries: np.ndarray, run: Callable[..., list] = map) -> list[int]:
    """Positions of the members to prune at the checkpoint after these rows; see `scattered` and `pruned`."""
    if len(case.rows) != FIRST:
        return pruned(case, left, run)
    going = scattered(case, left, entries) + lacking_rows(case, left, entries)
    return going + beyond_budget(case, [i for i in left if i not in going], run)


def pruned(case: PruningCase, left: list[int], run: Callable[..., list] = map) -> list[int]:
    """Positions of the members to prune, of those `left`; two stay at least, and two of the offline combination.

    What a member's absence costs grows as others go. So only the one that looked cheapest to miss is judged anew, if
    others have gone since it was, and goes if it still is. `run`: ``map``, maybe side by side.
    """
    left, going = list(left), []
    if len(left) <= 2:
        return beyond_budget(case, left, run)
    means = [i for i in left if case.inputs[i].method == "ewma"]
    share = case.costs / max(case.costs.sum(), 1e-300)
    last = len(case.rows) >= CHECKPOINTS[-1]
    units = [[i] for i in left if i not in means and (last or not case.inputs[i].rate or share[i] >= LITTLE)]
    if means and last:
        units.append(means)
    known = Losses(case)
    now, *others = run(lambda unit: known.of([j for j in left if j not in unit]), [[], *units])
    queue = [
        (_price(loss, now, share[unit].sum()), unit, loss, len(left)) for unit, loss in zip(units, others, strict=True)
    ]
    heapq.heapify(queue)
    while queue and len(left) > 2:
        price, unit, loss, among = heapq.heappop(queue)
        part = share[unit].sum()
        if among != len(left):
            loss = known.of([j for j in left if j not in unit])
            price = _price(loss, now, part)
            if queue and price > queue[0][0]:
                heapq.heappush(queue, (price, unit, loss, len(left)))
                continue
        most = NOTHING if unit is means or starts_slowly(case, unit[0]) else PRICE * part
        if len(left) - len(unit) >= 2 and price * part < most and offline_growth(case, known, left, unit) < most:
            left = [i for i in left if i not in unit]
            going += unit
            now = loss
    return going + beyond_budget(case, left, run)


def offline_growth(case: PruningCase, known: Losses, left: list[int], unit: list[int]) -> float:
    """By what share the loss of the offline combination grows without the members `unit`; inf: they have to stay.

    0 where it is the online one, or they have no part in it.
    """
    long = [i for i in left if i in case.long]
    rest = [i for i in long if i not in unit]
    if len(long) == len(left) or len(rest) == len(long):
        return 0.0
    if len(rest) < 2:
        return math.inf
    before = known.of(long)
    return (known.of(rest) - before) / max(before, 1e-300)


def beyond_budget(case: PruningCase, left: list[int], run: Callable[..., list] = map) -> list[int]:
    """Positions of the members to prune, of those `left`, until the others cost no more than is allowed."""
    left, going, known = list(left), [], Losses(case)
    while len(left) > 1 and case.costs[left].sum() > case.allowed:
        now, *others = run(lambda i: known.of([j for j in left if j != i]), [None, *left])
        prices = [_price(loss, now, case.costs[i]) for i, loss in zip(left, others, strict=True)]
        going.append(left.pop(int(np.argmin(prices))))
    return going


def _price(without: float, now: float, share: float) -> float:
    """Relative growth of the loss for each unit of time saved."""
    return (without - now) / max(now, 1e-300) / max(share, 1e-300)


def scattered(case: PruningCase, left: list[int], entries: np.ndarray) -> list[int]:
    """Positions of the members on tuples, of those `left`, if rows are long and tuples scattered in all their views.

    `entries`: float64[k, 2], entries of rows that each member has learned, and different ones.
    """
    tuple_members = [i for i in left if on_tuples(case.inputs[i])]
    if case.short or not tuple_members or len(left) - len(tuple_members) < 2:
        return []
    each = entries[tuple_members, 1] / np.maximum(entries[tuple_members, 0], 1.0)
    return tuple_members if each.min() >= SCATTERED else []


def lacking_rows(case: PruningCase, left: list[int], entries: np.ndarray) -> list[int]:
    """Positions of the members, of those `left`, whose views of rows of numbers generated less than half the rows.

    Such a view generates whole rows or nothing.
    """
    of_numbers = [i for i in left if VIEWS[case.inputs[i].view].kind == "fourier"]
    lacking = [i for i in of_numbers if 2 * entries[i, 0] <= FIRST * entries[i, 1]]
    return lacking if len(lacking) < len(left) else []


def on_tuples(member: Member) -> bool:
    """Whether a member learns from pairs or triples: what has many features, and starts slowly."""
    return VIEWS[member.view].kind == "tuples"


def starts_slowly(case: PruningCase, i: int) -> bool:
    """Whether member i is one that starts slowly and should be given time; what forgets has no time."""
    if not on_tuples(case.inputs[i]) or case.inputs[i].rate > 0.0:
        return False
    own = case.rows[:, i].astype(np.float64) / case.inputs[i].gain
    y = case.rows[:, -2].astype(np.float64)
    off = (y - (np.clip(own, -1.0, 1.0) if case.classes else own)) ** 2
    middle = len(off) // 2
    return case.short or float(off[middle:].mean()) < FALLING * float(off[:middle].mean())


class Losses:
    """`replay_loss` members on a history, each worked out once."""

    def __init__(self, case: PruningCase):
        self._case, self._found = case, dict[tuple[int, ...], float]()

    def of(self, chosen: list[int]) -> float:
        """The loss of a combiner of the `chosen`."""
        if tuple(chosen) not in self._found:
            self._found[tuple(chosen)] = replay_loss(self._case, chosen)
        return self._found[tuple(chosen)]


def replay_loss(case: PruningCase, chosen: list[int]) -> float:
    """Mean loss of a combiner of the `chosen` on the rows that judge."""
    at = [*chosen, *range(len(case.costs), len(case.inputs))]
    precision = PRECISION if case.classes else precision_for(case.loss)
    out, y, weight = replayed(case, at, case.inputs, at, precision)[1:]
    each, start = np.zeros(len(y)), len(y) // 4
    losses(Loss(case.loss.code, float(case.rows[:, -3].mean())), out, y, each)
    return float(np.average(each[start:], weights=weight[start:]))


def replayed(
    case: PruningCase,
    at: Sequence[int],
    inputs: Sequence[Member],
    places: Sequence[int],
    precision: tuple[float, ...],
) -> tuple:
    """A combiner of `inputs` run over the last rows of the history.

    `at` are the columns of the history that it learns, `places` where they stand among its inputs; the others are 0.
    Returns the combiner, its predictions, labels and weights, float64[min(rows, JUDGED)] each.
    """
    rows = case.rows[-JUDGED:]
    V = np.ascontiguousarray(rows[:, list(at)], dtype=np.float64)
    par, y, weight = (np.ascontiguousarray(rows[:, column], dtype=np.float64) for column in (-3, -2, -1))
    combiner, out = new_combiner(inputs, precision, case.decay), np.zeros(len(y))
    loss = Loss(case.loss.code, par)
    combine_some(loss, combiner, list(places), V, NO_ROWS._replace(y=y, weight=weight), True, out)
    return combiner, out, y, weight
