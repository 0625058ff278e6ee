"""Which members a stream can do without, decided once, from what they have said of its first rows.

Members are dropped one by one, always the one whose absence costs the least log loss for each unit of its time, as long
as that stays below `PRICE`. The loss without a member is that of a combiner run anew over what the others said: a
deterministic function of the first `HEARD` rows, so that a resumed run decides as one long run does.
"""

from __future__ import annotations

import numpy as np

from sonlearn.learn.combine.combiner import combine, new_combiner
from sonlearn.learn.losses import Loss, losses
from sonlearn.members import Member

#: Rows that are heard, and the first of those that judge (before them the combiner is still finding its weights).
HEARD, JUDGED_FROM = 4096, 1024
#: Share of the loss that a member has to save for each unit of its time (`Member.cost`).
PRICE = 0.002


def retired(loss: Loss, members: tuple[Member, ...], heard: np.ndarray) -> list[int]:
    """Positions of the members to retire.

    Parameters
    ----------
    loss : Loss
    members : tuple of k Member
    heard : float64[HEARD, k + 2]
        What each member said; label; weight.
    """
    left = list(range(len(members)))
    now = _loss_of(loss, left, members, heard)
    while len(left) > 1:
        prices = []
        for i in left:
            rest = [j for j in left if j != i]
            without = _loss_of(loss, rest, members, heard)
            prices.append(((without - now) / max(now, 1e-12) / members[i].cost, without, i))
        price, without, worst = min(prices)
        if price >= PRICE:
            break
        left.remove(worst)
        now = without
    return [i for i in range(len(members)) if i not in left]


def _loss_of(loss: Loss, chosen: list[int], members: tuple[Member, ...], heard: np.ndarray) -> float:
    """Mean loss of a combiner of the `chosen` on the rows that judge."""
    V, y, weight = np.ascontiguousarray(heard[:, chosen]), heard[:, -2].copy(), heard[:, -1].copy()
    combiner = new_combiner(members[i] for i in chosen)
    out, each = np.zeros(len(y)), np.zeros(len(y))
    combine(loss, combiner, V, y, weight, True, np.zeros((len(chosen) + 2, len(chosen))), out)
    losses(loss, out, y, each)
    return float(np.average(each[JUDGED_FROM:], weights=weight[JUDGED_FROM:]))
