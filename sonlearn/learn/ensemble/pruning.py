"""Which members a stream can do without, decided at a few hearings from what they have said so far.

The hearing after `FIRST` rows is about the rows alone: where they are long and nearly all pairs are new, as in text,
members on pairs and triples take most of the time and tell nearly nothing.

At `CHECKPOINTS` members are dropped one by one, the one first whose absence costs the least for its share of the time,
as long as the loss grows by less than `PRICE` times that share. The loss without a member is that of a combiner run
anew over what the others said, on the last three quarters of the rows. What has many features starts slowly: a member
on pairs or triples is dropped only if it makes no difference at all, where rows are short (there it is cheap, and wins
on long streams) or its own loss is still falling. Where there is a budget, dropping goes on until it is kept.

A deterministic function of the rows heard: a resumed run decides as one long run does.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sonlearn.data.rows import NO_ROWS
from sonlearn.learn.ensemble.combiner import combine_some, new_combiner, prior_precision_for
from sonlearn.learn.losses import Loss, losses
from sonlearn.options.members import Member
from sonlearn.options.views import VIEWS

#: Rows learned at which it is asked whether tuples are strewn.
FIRST = 512
#: Rows learned at which members are heard; what they say is kept until the last one.
CHECKPOINTS = (4096, 16384, 65536)
#: Tuples of which so many are new are strewn. Of 13 sets of long rows of numbers the largest share in the view where
#: it is least was .70, of 12 of long texts (but for two with .69 and .71, which go on as before) the smallest .81.
SCATTERED = 0.8
#: What the loss may grow by, relatively, for all of the time.
PRICE = 0.2
#: Below this a member makes no difference.
NOTHING = 1e-4
#: Rows of up to so many entries are short.
SHORT = 24
#: A member is still learning if its loss on the second half of what it said is below this share of the first half's.
FALLING = 0.9
#: A_0 of the combiner that judges.
PRIOR_PRECISION = (4.0,)


class Case(NamedTuple):
    """What a hearing goes by."""

    loss: Loss
    members: tuple[Member, ...]  # the combiner's inputs; those that have no cost are no members and stay
    classes: bool
    history: np.ndarray  # float32[rows, inputs + 3]; what each member said, the loss's parameter, label, weight
    costs: np.ndarray  # float64[k]; time of each member a row, in any unit
    short: bool  # whether rows are short
    allowed: float = math.inf  # of `costs`, the sum that may be left
    decay: float = 0.0  # what combiners forget with each row


def rows_to_next_checkpoint(rows: int) -> int:
    """Rows still to be learned before the next hearing; 0: there is none."""
    return min((checkpoint - rows for checkpoint in (FIRST, *CHECKPOINTS) if checkpoint > rows), default=0)


def before_first_checkpoint(rows: int) -> bool:
    """Whether the first hearing is still to come after so many rows."""
    return rows < FIRST


def members_to_prune(case: Case, left: list[int], seen: np.ndarray, run: Callable[..., list] = map) -> list[int]:
    """Positions of the members to retire at the hearing after the rows heard; see `scattered` and `pruned_members`."""
    if len(case.history) != FIRST:
        return pruned_members(case, left, run)
    going = scattered(case, left, seen) + shown_nothing(case, left, seen)
    return going + beyond_budget(case, [i for i in left if i not in going], run)


def pruned_members(case: Case, left: list[int], run: Callable[..., list] = map) -> list[int]:
    """Positions of the members to retire, of those `left`; two stay at least. `run`: ``map``, maybe side by side.

    What a member's absence costs grows as others go. So only the one that looked cheapest to miss is judged anew, if
    others have gone since it was, and goes if it still is.
    """
    left, going = list(left), []
    if len(left) <= 2:
        return beyond_budget(case, left, run)
    share = case.costs / max(case.costs.sum(), 1e-300)
    now, *without = run(lambda i: loss_of(case, [j for j in left if j != i]), [None, *left])
    queue = [(_price(loss, now, share[i]), i, loss, len(left)) for i, loss in zip(left, without, strict=True)]
    heapq.heapify(queue)
    while queue and len(left) > 2:
        price, i, loss, among = heapq.heappop(queue)
        if among != len(left):
            loss = loss_of(case, [j for j in left if j != i])
            price = _price(loss, now, share[i])
            if queue and price > queue[0][0]:
                heapq.heappush(queue, (price, i, loss, len(left)))
                continue
        if price * share[i] < (NOTHING if is_kept(case, i) else PRICE * share[i]):
            left.remove(i)
            going.append(i)
            now = loss
    return going + beyond_budget(case, left, run)


def beyond_budget(case: Case, left: list[int], run: Callable[..., list] = map) -> list[int]:
    """Positions of the members to retire, of those `left`, until the others cost no more than is allowed."""
    left, going = list(left), []
    while len(left) > 1 and case.costs[left].sum() > case.allowed:
        now, *without = run(lambda i: loss_of(case, [j for j in left if j != i]), [None, *left])
        prices = [_price(loss, now, case.costs[i]) for i, loss in zip(left, without, strict=True)]
        going.append(left.pop(int(np.argmin(prices))))
    return going


def _price(without: float, now: float, share: float) -> float:
    """Relative growth of the loss for each unit of time saved."""
    return (without - now) / max(now, 1e-300) / max(share, 1e-300)


def scattered(case: Case, left: list[int], seen: np.ndarray) -> list[int]:
    """Positions of the members on tuples, of those `left`, if rows are long and tuples strewn in all their views.

    `seen`: float64[k, 2], entries that each member has seen, and different ones.
    """
    those = [i for i in left if on_tuples(case.members[i])]
    if case.short or not those or len(left) - len(those) < 2:
        return []
    return those if (seen[those, 1] / np.maximum(seen[those, 0], 1.0)).min() >= SCATTERED else []


def shown_nothing(case: Case, left: list[int], seen: np.ndarray) -> list[int]:
    """Positions of the members, of those `left`, whose views of rows of numbers have shown less than half the rows.

    Such a view shows rows whole or not at all.
    """
    of_numbers = [i for i in left if VIEWS[case.members[i].view].kind == "fourier"]
    those = [i for i in of_numbers if 2 * seen[i, 0] <= FIRST * seen[i, 1]]
    return those if len(those) < len(left) else []


def on_tuples(member: Member) -> bool:
    """Whether a member sees pairs or triples: what has many features, and starts slowly."""
    return VIEWS[member.view].kind == "tuples"


def is_kept(case: Case, i: int) -> bool:
    """Whether member i is one that starts slowly and should be given time."""
    if not on_tuples(case.members[i]):
        return False
    said, y = case.history[:, i].astype(np.float64) / case.members[i].gain, case.history[:, -2].astype(np.float64)
    off = (y - (np.clip(said, -1.0, 1.0) if case.classes else said)) ** 2
    middle = len(off) // 2
    return case.short or float(off[middle:].mean()) < FALLING * float(off[:middle].mean())


def loss_of(case: Case, chosen: list[int]) -> float:
    """Mean loss of a combiner of the `chosen` on the rows that judge."""
    inputs = [*chosen, *range(len(case.costs), len(case.members))]
    prior_precision = PRIOR_PRECISION if case.classes else prior_precision_for(case.loss)
    out, y, weight = replayed(case, inputs, prior_precision)[1:]
    each, start = np.zeros(len(y)), len(y) // 4
    losses(Loss(case.loss.code, float(case.history[:, -3].mean())), out, y, each)
    return float(np.average(each[start:], weights=weight[start:]))


def replayed(case: Case, chosen: list[int], prior_precision: tuple[float, ...]) -> tuple:
    """(combiner after what was heard of the `chosen`, its predictions, labels, weights)."""
    V = np.ascontiguousarray(case.history[:, chosen], dtype=np.float64)
    par, y, weight = (np.ascontiguousarray(case.history[:, at], dtype=np.float64) for at in (-3, -2, -1))
    combiner, out = new_combiner(case.members, prior_precision, case.decay), np.zeros(len(y))
    combine_some(Loss(case.loss.code, par), combiner, chosen, V, NO_ROWS._replace(y=y, weight=weight), True, out)
    return combiner, out, y, weight
