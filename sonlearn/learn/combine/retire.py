"""Which members a stream can do without, decided at a few hearings from what they have said so far.

At a hearing members are dropped one by one, always the one whose absence costs the least for its share of the time, as
long as the loss grows by less than `PRICE` times that share. The loss without a member is that of a combiner run anew
over what the others said, on the last three quarters of the rows. What has many features starts slowly: a member on
pairs or triples is dropped only if it makes no difference at all, where rows are short (there it is cheap, and wins on
long streams) or its own loss is still falling.

A deterministic function of the rows heard: a resumed run decides as one long run does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.learn.combine.combiner import combine, firmness_for, new_combiner
from sonlearn.learn.losses import Loss, losses
from sonlearn.members import Member
from sonlearn.viewtable import VIEWS

#: Rows learned at which members are heard; what they say is kept until the last one.
HEARINGS = (4096, 16384, 65536)
#: What the loss may grow by, relatively, for all of the time.
PRICE = 0.2
#: Below this a member makes no difference.
NOTHING = 1e-4
#: Rows of up to so many entries are short.
SHORT = 24
#: A member is still learning if its loss on the second half of what it said is below this share of the first half's.
FALLING = 0.9
#: A_0 of the combiner that judges.
FIRMNESS = (4.0,)


class Case(NamedTuple):
    """What a hearing goes by."""

    loss: Loss
    members: tuple[Member, ...]  # the combiner's inputs; those that have no cost are no members and stay
    classes: bool
    heard: np.ndarray  # float32[rows, inputs + 3]; what each member said, the loss's parameter, label, weight
    costs: np.ndarray  # float64[k]; time of each member a row, in any unit
    short: bool  # whether rows are short
    decay: float = 0.0  # what combiners forget with each row


def next_hearing(rows: int) -> int:
    """Rows still to be learned before the next hearing; 0: there is none."""
    return next((hearing - rows for hearing in HEARINGS if hearing > rows), 0)


def retired(case: Case, left: list[int]) -> list[int]:
    """Positions of the members to retire, of those `left`; two stay at least."""
    left, going = list(left), []
    share = case.costs / case.costs.sum()
    kept = {i for i in left if is_kept(case, i)}
    now = loss_of(case, left)
    while len(left) > 2:
        cases = []
        for i in left:
            without = loss_of(case, [j for j in left if j != i])
            harm = (without - now) / max(now, 1e-300)
            if harm < (NOTHING if i in kept else PRICE * share[i]):
                cases.append((harm / max(share[i], 1e-300), without, i))
        if not cases:
            break
        _, now, worst = min(cases)
        left.remove(worst)
        going.append(worst)
    return going


def is_kept(case: Case, i: int) -> bool:
    """Whether member i is one that starts slowly and should be given time."""
    if VIEWS[case.members[i].view].kind != "tuples":
        return False
    said, y = case.heard[:, i].astype(np.float64) / case.members[i].gain, case.heard[:, -2].astype(np.float64)
    off = (y - (np.clip(said, -1.0, 1.0) if case.classes else said)) ** 2
    middle = len(off) // 2
    return case.short or float(off[middle:].mean()) < FALLING * float(off[:middle].mean())


def loss_of(case: Case, chosen: list[int]) -> float:
    """Mean loss of a combiner of the `chosen` on the rows that judge."""
    inputs = [*chosen, *range(len(case.costs), len(case.members))]
    firmness = FIRMNESS if case.classes else firmness_for(case.loss)
    out, y, weight = replayed(case, inputs, firmness)[1:]
    each, start = np.zeros(len(y)), len(y) // 4
    losses(Loss(case.loss.code, float(case.heard[:, -3].mean())), out, y, each)
    return float(np.average(each[start:], weights=weight[start:]))


def replayed(case: Case, chosen: list[int], firmness: tuple[float, ...]) -> tuple:
    """(combiner of the `chosen` after what was heard, its predictions, labels, weights)."""
    V = np.ascontiguousarray(case.heard[:, chosen], dtype=np.float64)
    par, y, weight = (np.ascontiguousarray(case.heard[:, at], dtype=np.float64) for at in (-3, -2, -1))
    combiner = new_combiner((case.members[i] for i in chosen), firmness, case.decay)
    out = np.zeros(len(y))
    combine(Loss(case.loss.code, par), combiner, V, y, weight, True, np.zeros((len(chosen) + 2, len(chosen))), out)
    return combiner, out, y, weight
