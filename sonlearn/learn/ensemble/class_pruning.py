"""Which members a stream of several classes can do without, decided after a few numbers of rows from their history.

The history of a row are the members' scores for its class, for the `RIVALS` classes that the combination found
likeliest beside it, and for `SAMPLED` of the rest, each of which stands for as many classes as were left out: a
thousand classes need no more room than eight. What decides is the loss on the last three quarters of the rows with the
weights that are best for them: softmax, in which a sampled class counts as often as it stands for others. Without the
sample a class that is hard to tell would always be last of those compared, and the best weights would turn the members
round. To run a combiner anew over the history for each member that might go takes three times as long; so that is done
only at late checkpoints, when few are left.

After `WORDS_AFTER` rows it is asked of the rows alone whether they are words: whether a large share of their entries
is of features not met before. Then members that are for numbers are pruned. After `FIRST` rows it is asked whether
tuples are scattered: where rows are long and nearly all pairs are new, members on pairs and triples take most of the
time and tell next to nothing.

After each of `CHECKPOINTS` rows members are pruned one by one, the one first whose absence costs the least for its
share of the time, while the loss grows by less than `PRICE` times that share, with some certainty (`Growths`): members
are still learning, and a thousand rows tell little. What has many features starts slowly: a member on pairs or triples
is pruned only if it makes no difference, where rows are short. On words the cheap members are asked from `CHEAP_AFTER`
rows on: naive Bayes is the best of the first thousand rows, and others catch up.
Members of long memory are asked twice: what they add to all members, and to those of long memory, for labels may stop
coming. Where there is a budget, members are dropped until the rest fit the budget.

A deterministic function of the history: a resumed run decides as one long run does.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection
from typing import NamedTuple

import numpy as np

from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.ensemble.class_combiner import SURPRISE, ClassCombiner, combine, new_class_combiner, scratch_for
from sonlearn.learn.ensemble.pruning import FIRST, SCATTERED, SHORT
from sonlearn.learn.multiclass.arow import find_rivals
from sonlearn.learn.multiclass.sums import exponential, largest, total_of
from sonlearn.options.class_members import ClassMember
from sonlearn.options.views import VIEWS

__all__ = [
    "FIRST",
    "SHORT",
    "WORDS_AFTER",
    "ClassHistory",
    "ClassPruningCase",
    "doubt_after",
    "new_history",
    "next_checkpoint",
    "out_of_place",
    "pruned",
    "remembered",
    "replayed",
    "scattered",
    "too_early",
]

#: Rows learned after which it is asked whether they are words.
WORDS_AFTER = 64
#: So many features for each entry, and rows are words. Of 17 sets those of words have .36 to .69, others up to .06.
WORDS = 0.2
#: Rows learned after which members are pruned; WORDS_AFTER and FIRST come before.
CHECKPOINTS = (1024, 2048, 4096, 8192, 16384, 65536)
#: Members that cost so much at most are not asked before so many rows of words: what counts words is best at first,
#: and what learns margins goes on learning when that has said what it can.
CHEAP, CHEAP_AFTER = 1.0, 4096
#: What the loss may grow by, relatively, for all of the time; and for a member that starts slowly.
PRICE, NOTHING = 0.015, 0.003
#: Standard errors by which the growth of a loss may be larger than it was found to be, while members are young.
DOUBT = 1.5
#: Newton steps to the best weights, at most, and a step that is no longer worth another.
STEPS, CLOSE = 8, 1e-3
#: Sums of probabilities are no less, so that they have a logarithm.
TINIEST = 1e-300
#: Rows of history that are kept: the last ones.
KEPT = 8192
#: Classes of a row's history beside its own: the likeliest, and a sample of the others.
RIVALS, SAMPLED = 4, 3
WIDTH = 1 + RIVALS + SAMPLED
#: A_0 of the combiner that judges, and a multiple of it that keeps a weight where it is.
_PRIOR, _FIXED = 1.0, 1e12
#: Row t's sample begins at the fractional part of t times this, the golden section.
_TURN = 0.6180339887498949


class ClassHistory(NamedTuple):
    """The last rows learned, oldest first.

    Attributes
    ----------
    scores : float32[rows, k, WIDTH]; of the row's class, then of the others: of all of them where no more fit, else of
        the `RIVALS` likeliest and of `SAMPLED` that stand for the rest
    weight : float64[rows]
    classes : int64[rows]; how many had been met, 0 where the row's own had not
    """

    scores: np.ndarray
    weight: np.ndarray
    classes: np.ndarray


def new_history(members: int) -> ClassHistory:
    """A history of no rows."""
    return ClassHistory(np.zeros((0, members, WIDTH), np.float32), np.zeros(0), np.zeros(0, np.int64))


def next_checkpoint(rows: int) -> int:
    """Rows still to be learned before members are next pruned; 0: that will not be."""
    return min((at - rows for at in (WORDS_AFTER, FIRST, *CHECKPOINTS) if at > rows), default=0)


def remembered(
    history: ClassHistory, at: list[int], V: np.ndarray, logs: np.ndarray, met: np.ndarray, t: np.ndarray,
    y: np.ndarray, weight: np.ndarray,
) -> ClassHistory:  # fmt: skip
    """`history` with the rows that are learned from, of which at most `KEPT` stay.

    Parameters
    ----------
    at : positions of the members at work; V : float64[len(at), n, K], their scores
    logs : float64[n, K], logarithms of the combination's probabilities
    met, t : int64[n]; classes met and rows learned before each row
    y : float64[n], NaN where nothing is learned; weight : float64[n]
    """
    learned = np.flatnonzero(~np.isnan(y))
    some = np.zeros((len(at), len(learned), WIDTH), np.float32)
    classes = np.zeros(len(learned), np.int64)
    sample_classes(V, logs, met, t, y, learned, np.zeros(WIDTH - 1, np.int64), some, classes)
    scores = np.zeros((len(learned), history.scores.shape[1], WIDTH), np.float32)
    scores[:, at] = some.transpose(1, 0, 2)
    parts = (scores, weight[learned], classes)
    return ClassHistory(*(np.concatenate([old, new])[-KEPT:] for old, new in zip(history, parts, strict=True)))


class Judged(NamedTuple):
    """The rows of a history that judge."""

    scores: np.ndarray  # float32[rows, k, WIDTH]
    classes: np.ndarray  # int64[rows]; how many scores there are
    counted: np.ndarray  # float64[rows, WIDTH]; logarithms of how many classes each stands for
    weight: np.ndarray  # float64[rows]; 0 where there was nothing to lose


class Sums(NamedTuple):
    """Space for one row."""

    p: np.ndarray  # float64[WIDTH]
    mean: np.ndarray  # float64[k]
    apart: np.ndarray  # float64[k, WIDTH]


class ClassPruningCase(NamedTuple):
    """What members are judged by."""

    members: tuple[ClassMember, ...]
    history: ClassHistory
    costs: np.ndarray  # float64[k]; what each has taken
    short: bool  # whether rows are short
    words: bool  # whether rows are words
    allowed: float = math.inf  # of `costs`, the sum that may be left
    decay: float = 0.0  # what combiners forget with each row
    doubt: float = DOUBT  # standard errors that are added to what a loss has been found to grow by


def out_of_place(case: ClassPruningCase, left: list[int]) -> list[int]:
    """Positions of the members for numbers, of those `left`, if rows are words; two stay at least."""
    for_numbers = [i for i in left if not case.members[i].words]
    return for_numbers if case.words and len(left) - len(for_numbers) >= 2 else []


def scattered(case: ClassPruningCase, left: list[int], entries: np.ndarray) -> list[int]:
    """Positions of the members on tuples, of those `left`, if rows are long and tuples scattered in all their views.

    `entries`: float64[k, 2], entries that each member has had, and different ones.
    """
    on_tuples = [i for i in left if _on_tuples(case.members[i])]
    if case.short or not on_tuples or len(left) - len(on_tuples) < 2:
        return []
    return on_tuples if (entries[on_tuples, 1] / np.maximum(entries[on_tuples, 0], 1.0)).min() >= SCATTERED else []


def too_early(case: ClassPruningCase, rows: int) -> set[int]:
    """Positions of the members that are not asked after so many rows: on words, the cheap ones while they are young."""
    some = case.words and rows < CHEAP_AFTER
    return {i for i, member in enumerate(case.members) if some and member.cost <= CHEAP}


def pruned(case: ClassPruningCase, left: list[int], held: Collection[int] = ()) -> list[int]:
    """Positions of the members to prune, of those `left`, but none of `held`; two stay at least.

    Where there is a budget those held go as well.
    """
    left, going = list(left), []
    known = Growths(case) if case.doubt > 0.0 else ReplayedGrowths(case)
    slow = {i: _is_slow(case, i) for i in left}
    share = case.costs / max(case.costs.sum(), 1e-300)
    while len(left) > 2:
        some = [i for i in left if (case.costs[i] > 0.0 or case.members[i].cost > 0.0) and i not in held]
        if not some:
            break
        least = {i: known.among_all(left, i) for i in some}
        i, growth = cheapest(least, functools.partial(known.without, left), share, slow)
        if not growth < (NOTHING if slow[i] else PRICE * share[i]):
            break
        left.remove(i)
        going.append(i)
    while len(left) > 1 and case.costs[left].sum() > case.allowed:
        some = [i for i in left if case.costs[i] > 0.0]
        going.append(min(some, key=lambda i: (known.without(left, i) / case.costs[i], i)))
        left.remove(going[-1])
    return going


def cheapest(
    least: dict[int, float], growth: Callable[[int], float], share: np.ndarray, slow: dict[int, bool]
) -> tuple[int, float]:
    """(the member whose absence costs the least for its share of the time, what the loss grows by without it).

    `least`: of each a bound of its growth from below, so that few growths have to be worked out.
    """

    def price(i: int, growth: float) -> tuple[float, int]:
        own = growth / max(share[i], 1e-300)
        return (max(own, PRICE) if slow[i] else own), i

    found: dict[int, float] = {}
    for i in sorted(least, key=lambda i: price(i, least[i])):
        if found and price(i, least[i]) > min(price(j, own) for j, own in found.items()):
            break
        found[i] = growth(i)
    best = min(found, key=lambda i: price(i, found[i]))
    return best, found[best]


def replayed(
    case: ClassPruningCase, chosen: list[int], prior: float, surprise: float = SURPRISE
) -> tuple[ClassCombiner, np.ndarray]:
    """(combiner of the `chosen` after the history, float64[rows] its losses, NaN where there was nothing to lose)."""
    history, k = case.history, len(chosen)
    V = np.ascontiguousarray(history.scores[:, chosen].transpose(1, 0, 2), dtype=np.float64)
    n, classes = V.shape[1], np.minimum(history.classes, WIDTH)
    weights, precision = (
        np.array([getattr(case.members[i], what) for i in chosen]) for what in ("weight", "precision")
    )
    if (history.classes > WIDTH).any():  # one more input, of a weight that stays 1
        V = np.concatenate([V, multiplicity(history.classes)[None]])
        weights, precision = np.append(weights, 1.0), np.append(precision, _FIXED)
    combiner = new_class_combiner(weights, case.decay, precision, prior)
    out = np.zeros(V.shape[1:])
    combine(combiner, V, classes, np.zeros(n), history.weight, True, surprise, scratch_for(len(V), WIDTH), out)
    own = combiner._replace(w=combiner.w[:k], A=combiner.A[:k, :k], prior=combiner.prior[:k])
    return own, np.where(classes > 0, -out[:, 0], np.nan)


def multiplicity(classes: np.ndarray) -> np.ndarray:
    """float64[rows, WIDTH]: the logarithm of how many classes each one of a history of so many `classes` stands for."""
    out = np.zeros((len(classes), WIDTH))
    out[:, 1 + RIVALS :] = np.log(np.maximum(classes - 1 - RIVALS, SAMPLED) / SAMPLED)[:, None]
    return out


class Fit(NamedTuple):
    """Weights of some members for the rows that judge, and what it costs to do without one of them."""

    w: np.ndarray  # float64[k]
    growth: np.ndarray  # float64[k]; see `Growths`


def fitted(case: ClassPruningCase, chosen: list[int]) -> Fit:
    """The weights of least loss of the `chosen` on the rows that judge."""
    history, members = case.history, [case.members[i] for i in chosen]
    w_0, precision = (np.array([getattr(member, what) for member in members]) for what in ("weight", "precision"))
    at, first = np.array(chosen, dtype=np.int64), len(history.weight) // 4
    rows = Judged(
        history.scores[first:], np.minimum(history.classes, WIDTH)[first:], multiplicity(history.classes[first:]),
        np.where(history.classes > 0, history.weight, 0.0)[first:],
    )  # fmt: skip
    total = rows.weight.sum()
    if not total > 0.0:
        return Fit(w_0, np.full(len(chosen), math.inf))
    w, k = w_0.copy(), len(chosen)
    scratch, A, g = Sums(np.zeros(WIDTH), np.zeros(k), np.zeros((k, WIDTH))), np.zeros((k, k)), np.zeros(k)
    for _ in range(STEPS):
        A[:], g[:] = np.diag(_PRIOR * precision), _PRIOR * precision * (w - w_0)
        add_up(rows, at, w, scratch, A, g)
        step = np.linalg.solve(A, g)
        longest = np.abs(step).max()
        w -= step * min(1.0, 1.0 / longest) if longest > 0.0 else 0.0
        if longest < CLOSE:
            break
    inverse = np.linalg.inv(A)
    others = w - inverse * (w / np.diag(inverse))[:, None]  # row j: the weights where that of member j is 0
    sums = np.zeros((k, 3))
    loss = differences(rows, at, w, others - w, scratch, sums) / total
    squares = float((rows.weight**2).sum())
    mean = sums[:, 0] / total
    spread = np.sqrt(np.maximum(sums[:, 2] - 2.0 * mean * sums[:, 1] + mean * mean * squares, 0.0)) / total
    return Fit(w, (mean + case.doubt * spread - squares / (2.0 * total * total)) / max(loss, 1e-300))


def doubt_after(rows: int) -> float:
    """`ClassPruningCase.doubt` after so many rows; none once rows are missing: then `ReplayedGrowths` judge."""
    return DOUBT if rows <= KEPT else 0.0


class Growths:
    """By what share of itself the loss of members grows without one of them, at most.

    Of the loss with the best weights for the rows that judge, and without a member that with the weights to which one
    Newton step leads: no less than the least there is. A weight that is of no use makes the loss of n rows that it was
    fitted to less by 1/(2 n) in the mean: that is taken off. `case.doubt` standard errors of the difference are added,
    so that what has not been shown to be of no use stays.
    """

    def __init__(self, case: ClassPruningCase):
        self._case, self._fits = case, dict[tuple[int, ...], Fit]()

    def without(self, left: list[int], i: int) -> float:
        """The larger growth without member i: of those `left`, and of those of them whose memory is long."""
        lasting = [j for j in left if self._case.members[j].lasting]
        found = self.among_all(left, i)
        return max(found, self.among_all(lasting, i)) if i in lasting and 1 < len(lasting) < len(left) else found

    def among_all(self, left: list[int], i: int) -> float:
        """The growth without member i of those `left`: no more than `without`."""
        if tuple(left) not in self._fits:
            self._fits[tuple(left)] = fitted(self._case, left)
        return float(self._fits[tuple(left)].growth[left.index(i)])


class ReplayedGrowths(Growths):
    """The same of the losses of combiners run anew over the history: what will come of it, where members are few.

    Without `SURPRISE`, with which a combiner learns more slowly what to do without a member.
    """

    def __init__(self, case: ClassPruningCase):
        super().__init__(case)
        self._losses = dict[tuple[int, ...], float]()

    def among_all(self, left: list[int], i: int) -> float:
        """The growth without member i of those `left`: no more than `without`."""
        now = self._loss(left)
        return (self._loss([j for j in left if j != i]) - now) / max(now, 1e-300)

    def _loss(self, among: list[int]) -> float:
        if tuple(among) not in self._losses:
            losses, start = replayed(self._case, among, _PRIOR, 0.0)[1], len(self._case.history.weight) // 4
            known = start + np.flatnonzero(~np.isnan(losses[start:]))
            found = np.average(losses[known], weights=self._case.history.weight[known]) if len(known) else 0.0
            self._losses[tuple(among)] = float(found)
        return self._losses[tuple(among)]


def _on_tuples(member: ClassMember) -> bool:
    """Whether a member is on pairs or triples: what has many features, and starts slowly."""
    return VIEWS[member.view].kind == "tuples"


def _is_slow(case: ClassPruningCase, i: int) -> bool:
    """Whether member i is one that starts slowly and should be given time."""
    return case.short and _on_tuples(case.members[i])


@bare_jit
def add_up(rows, at, w, scratch, A, g):
    """A <- A + sum of h H and g <- g + sum of h times the slope of the loss, over the rows that judge, at weights w.

    Parameters
    ----------
    rows : Judged; at : int64[k], positions of the members; w : float64[k]
    scratch : Sums; A : float64[k, k], g : float64[k]: changed
    """
    p, mean, apart = scratch.p, scratch.mean, scratch.apart
    for i in range(len(rows.weight)):
        h, count = rows.weight[i], rows.classes[i]
        if not h > 0.0:
            continue
        judge_row(rows, i, at, w, p)
        for j in range(len(at)):
            mean[j] = 0.0
            for c in range(count):
                mean[j] += p[c] * rows.scores[i, at[j], c]
            g[j] += h * (mean[j] - rows.scores[i, at[j], 0])
            for c in range(count):
                apart[j, c] = rows.scores[i, at[j], c] - mean[j]
        for j in range(len(at)):
            for l in range(j + 1):  # noqa: E741
                total = 0.0
                for c in range(count):
                    total += p[c] * apart[j, c] * apart[l, c]
                A[j, l] += h * total
    for j in range(len(at)):
        for l in range(j):  # noqa: E741
            A[l, j] = A[j, l]


@bare_jit
def differences(rows, at, w, steps, scratch, sums):
    """sums[m] <- sums of h d, h^2 d and h^2 d^2 of the differences d that steps[m] from w on make to the losses.

    Returns the sum of the losses at w, each times its h. `steps` is float64[m, k], sums float64[m, 3].
    """
    z, p, total = scratch.apart[0], scratch.p, 0.0
    for i in range(len(rows.weight)):
        h, count = rows.weight[i], rows.classes[i]
        if not h > 0.0:
            continue
        before = judge_row(rows, i, at, w, p)
        total += h * before
        for m in range(len(steps)):
            for c in range(count):
                z[c] = 0.0
            for j in range(len(at)):
                by = steps[m, j]
                for c in range(count):
                    z[c] += by * rows.scores[i, at[j], c]
            top = largest(z, count)
            whole = 0.0
            for c in range(count):
                whole += p[c] * exponential(z[c] - top)
            d = math.log(max(whole, TINIEST)) + top - z[0]
            sums[m, 0] += h * d
            sums[m, 1] += h * h * d
            sums[m, 2] += h * h * d * d
    return total


@bare_inline
def judge_row(rows, i, at, w, p):
    """p[:count] <- the probabilities of row i's classes with weights w; returns the loss."""
    count = rows.classes[i]
    for c in range(count):
        p[c] = rows.counted[i, c]
    for j in range(len(at)):
        for c in range(count):
            p[c] += w[j] * rows.scores[i, at[j], c]
    top, own = largest(p, count), p[0]
    for c in range(count):
        p[c] = exponential(p[c] - top)
    whole = total_of(p, count)
    for c in range(count):
        p[c] /= whole
    return math.log(whole) + top - own


@bare_jit
def sample_classes(V, logs, met, t, y, learned, others, scores, classes):
    """scores[:, at] <- scores of row learned[at] for its class, and for the others of its history; classes[at] <- met.

    Parameters
    ----------
    V : float64[k, n, K]; logs : float64[n, K]; met, t : int64[n]; y : float64[n]; learned : int64[rows]
    others : int64[WIDTH - 1], scratch
    scores : float32[k, rows, WIDTH]; classes : int64[rows]: filled in
    """
    for at in range(len(learned)):
        i = learned[at]
        own = int(y[i])
        if own >= met[i]:
            continue
        found = find_rivals(logs[i], met[i], own, others if met[i] <= WIDTH else others[:RIVALS])
        if met[i] > WIDTH:
            found = sample(met[i], own, t[i] * _TURN, others)
        for j in range(len(V)):
            scores[j, at, 0] = V[j, i, own]
            for place in range(found):
                scores[j, at, 1 + place] = V[j, i, others[place]]
        classes[at] = met[i]


@bare_inline
def sample(met, own, turn, others):
    """others[RIVALS:] <- of the classes but `own` and others[:RIVALS], `SAMPLED` at even distances; returns WIDTH - 1.

    All of them are taken equally often where `turn` has any fractional part with equal probability.
    """
    rest = met - 1 - RIVALS
    first = turn - math.floor(turn)
    for found in range(SAMPLED):
        rank = int((found + first) * rest / SAMPLED)  # among the classes that are left
        k, before = rank, -1
        while k != before:
            before, k = k, rank + (1 if own <= k else 0)
            for place in range(RIVALS):
                k += 1 if others[place] <= before else 0
        others[RIVALS + found] = k
    return RIVALS + SAMPLED
