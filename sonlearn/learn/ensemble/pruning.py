"""Which members a stream can do without, decided at a few checkpoints.

The first checkpoints are about the rows alone. Of several classes it is asked after `words_after` rows whether they are
words: whether a large share of their entries is of features not met before. Then members that are for numbers go, but
where rows have numbers beside, as those of tables with names that come once: there all stay. Where rows are of numbers
alone, members that are of no use beside boosted trees go. After `first` rows it is asked whether tuples
are scattered: where rows are long and nearly all pairs are new, as in text, members on pairs and triples take most of
the time and tell nearly nothing. Whether rows are of numbers is asked again: if not, boosted trees go.

At later checkpoints members are dropped one by one, the one first whose absence costs the least for its share of the
time, as long as the loss grows by less than `price` times that share: that of the online combination, and of a member
with a long memory that of the offline one as well. By how much the loss grows says the combiner (`Importance`).

What has many features starts slowly: a member on pairs or triples is dropped only if it makes no difference at all,
where rows are short (there it is cheap, and wins on long streams) or its own loss is still falling. Boosted trees,
which are grown anew of twice as many rows, are dropped only so, too. Of several classes members on tuples of short rows
of numbers are not asked as long as their errors fall (`Rules.patience`). A stream may change late: members that forget
and cost little are judged at the last checkpoint only, and means of the labels, which cost next to nothing, go all or
none, if they make no difference. On words the cheap members of several classes are asked from `cheap_after` rows on:
naive Bayes is the best of the first thousand rows, and others catch up. Where there is a budget, members are dropped
until the rest fit the budget.

Of two classes none is judged before the rarer one has come `rarer` times: a few dozen rows cannot tell what helps to
find others of their kind.

Where labels come late, the rows that were predicted before any had come say nothing of members, and do not count.

A deterministic function of the rows learned: a resumed run decides as one long run does.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from sonlearn.learn.boosting.state import MAX_CLASSES
from sonlearn.learn.ensemble.combiner import Combiner, conditioned, noise_weight
from sonlearn.options.members import Member
from sonlearn.options.views import VIEWS

#: Tuples of which so many are new are scattered. Of 13 sets of long rows of numbers the largest share in the view where
#: it is least was .70, of 12 of long texts (but for two with .69 and .71, which go on as before) the smallest .81.
SCATTERED = 0.8
#: So many features for each entry, and rows are words. Of 17 sets those of words have .36 to .69, others up to .06.
RARE = 0.2
#: Rows of up to so many entries are short.
SHORT = 24
#: Of more classes, members on single features are of use beside trees: over 29 tables of 41 to 241 classes, .95 of the
#: loss. With those on tuples as well it is .94, in 1.2 times the time, and models are up to 19 times as large.
FEW_CLASSES = 40
#: So many entries have the value 1, and rows have names: there, too (40 tables of 3 to 38 classes: loss .97).
NAMES = 0.25


class Rules(NamedTuple):
    """Values of a kind of problem.

    Attributes
    ----------
    words_after, first : int
        Rows learned at which it is asked whether rows are words (0: never), and whether tuples are scattered.
    checkpoints : tuple of int
        Rows learned at which members are judged.
    price : float
        What the loss may grow by, relatively, for all of the time.
    negligible : float
        Below this a member makes no difference.
    little : float
        What forgets and takes less than this share of the time waits for the last checkpoint.
    cheap, cheap_after : float, int
        Members that cost so much at most are not asked before so many rows of words.
    row_cost : float
        What a member at work costs a row beside its own time, the combiners' in units of `Member.cost`.
    patience : float
        Where rows are short numbers, members on tuples are not asked while their errors fall below this share: trees
        look back at a bounded number of rows, tables learn from all, and what they will be worth on a long stream
        cannot be seen from its beginning.
    rarer : int
        Of two classes, rows of the rarer one below which no member is judged.
    falling : float
        Where rows are long, members on tuples start slowly while their errors fall below this share.
    """

    words_after: int
    first: int
    checkpoints: tuple[int, ...]
    price: float
    negligible: float
    little: float
    cheap: float
    cheap_after: int
    row_cost: float
    patience: float
    rarer: int = 0
    falling: float = 0.9


TWO_RULES = Rules(0, 512, (4096, 16384, 65536), 0.1, 1e-4, 0.05, 0.0, 0, 10.0, 0.0, rarer=100)
VALUE_RULES = TWO_RULES._replace(rarer=0)
#: Several classes.
CLASS_RULES = Rules(
    64, 512, (1024, 2048, 4096, 8192, 16384, 65536), 0.015, 0.003, 0.0, 1.0, 4096, 0.0, 0.96, falling=0.0
)


class PruningCase(NamedTuple):
    """What a checkpoint goes by."""

    rules: Rules
    inputs: tuple[Member, ...]  # of the online combination; those beyond the costs are no members and stay
    long: tuple[int, ...]  # positions of the inputs of the offline combination
    rows: int  # learned that count
    tally: np.ndarray  # float64[k, 5]; of the committee
    costs: np.ndarray  # float64[k]; time of each member, in any unit
    short: bool  # whether rows are short
    words: bool = False  # whether rows are words
    allowed: float = math.inf  # of `costs`, the sum that may be left
    late: int = 0  # rows learned before those that count
    classes: int = 0  # that there will be, as far as can be seen
    rarer: int = 0  # of two classes, rows learned of the rarer one
    names: bool = False  # whether rows have names


def next_checkpoint(rules: Rules, rows: int) -> int:
    """Rows still to be learned before the next checkpoint; 0: there is none."""
    every = (rules.words_after, rules.first, *rules.checkpoints)
    return min((at - rows for at in every if at > rows), default=0)


def prune(case: PruningCase, importance: Importance, kept: list[int]) -> list[int]:
    """Positions of the members to prune at the checkpoint after these rows, of those `kept`."""
    if case.rows in (case.rules.words_after, case.rules.first):
        lacking = lacking_rows(case, kept)
        going = unfit_for_words(case, kept) if case.words else [] if lacking else useless_beside_trees(case, kept)
        if case.rows == case.rules.words_after:
            return going
        going = list(dict.fromkeys([*scattered(case, kept), *lacking, *going]))
    else:
        going = pruned(case, importance, kept) if case.rarer >= case.rules.rarer else []
    return going + over_budget(case, importance, [i for i in kept if i not in going])


def pruned(case: PruningCase, importance: Importance, kept: list[int]) -> list[int]:
    """Positions of the members to prune, of those `kept`; two stay at least, and two of the offline combination.

    One unit after the other goes, each time the one that is cheapest to miss: what a member's absence costs grows as
    others go. Those that see what others say make these look of little use, and would be of none without them: they are
    judged last, beside those that stay.
    """
    stacked, going = [i for i in kept if case.inputs[i].stacked], list[int]()
    kept = [i for i in kept if i not in stacked]
    share = case.costs / max(case.costs.sum() - case.costs[stacked].sum(), 1e-300)
    units = units_of(case, kept, share)
    while len(kept) > 2:
        prices = [price_of(case, importance, kept, unit, share[unit].sum()) for unit in units]
        if not units or min(prices) == math.inf:
            break
        unit = units.pop(int(np.argmin(prices)))
        kept = [i for i in kept if i not in unit]
        going += unit
    return going + [i for i in stacked if price_of(case, importance, [*kept, i], [i], 0.0) < math.inf]


def price_of(case: PruningCase, importance: Importance, kept: list[int], unit: list[int], share: float) -> float:
    """Growth of the loss without the members `unit` for their `share` of the time; inf: they have to stay."""
    growth, member = importance.loss_growth(kept, unit), case.inputs[unit[0]]
    needed = member.method == "ewma" or starts_slowly(case, unit[0])
    most = case.rules.negligible if needed else case.rules.price * share
    goes = len(kept) - len(unit) >= 2 and growth < most and offline_growth(case, importance, kept, unit) < most
    return growth / max(share, 1e-9) if goes else math.inf


def units_of(case: PruningCase, kept: list[int], share: np.ndarray) -> list[list[int]]:
    """Return what goes or stays as one: members that are asked at this checkpoint, and means of the labels together.

    `share`: float64[k], of the time.
    """
    rules, last = case.rules, case.rows >= max(case.rules.checkpoints, default=0)
    young = case.words and case.rows < rules.cheap_after
    means = [i for i in kept if case.inputs[i].method == "ewma"]
    units = []
    for i in kept:
        member = case.inputs[i]
        waits = (member.rate > 0.0 and share[i] < rules.little and not last) or still_learning(case, i)
        if i not in means and member.cost > 0.0 and not waits and not (young and member.cost <= rules.cheap):
            units.append([i])
    return [*units, means] if means and last else units


def offline_growth(case: PruningCase, importance: Importance, kept: list[int], unit: list[int]) -> float:
    """By what share the loss of the offline combination grows without the members `unit`; inf: they have to stay.

    0 where it is the online one, or they have no part in it.
    """
    long = [i for i in kept if i in case.long]
    rest = [i for i in long if i not in unit]
    if len(long) == len(kept) or len(rest) == len(long):
        return 0.0
    return importance.loss_growth(long, unit) if len(rest) >= 2 else math.inf


def over_budget(case: PruningCase, importance: Importance, kept: list[int]) -> list[int]:
    """Positions of the members to prune, of those `kept`, until the others cost no more than is allowed."""
    kept, going = list(kept), []
    while len(kept) > 1 and case.costs[kept].sum() > case.allowed:
        stacked = [i for i in kept if case.inputs[i].stacked]  # of no use without others
        some = stacked or [i for i in kept if case.costs[i] > 0.0]
        prices = [importance.loss_growth(kept, [i]) / max(case.costs[i], 1e-9) for i in some]
        going.append(some[int(np.argmin(prices))])
        kept.remove(going[-1])
    return going


def unfit_for_words(case: PruningCase, kept: list[int]) -> list[int]:
    """Positions of the members for numbers, of those `kept`, unless rows of words have numbers; two stay at least."""
    for_numbers = [i for i in kept if not case.inputs[i].words]
    numbers = len(of_numbers(case, kept)) > len(lacking_rows(case, kept))
    return [] if numbers or len(kept) - len(for_numbers) < 2 else for_numbers


def scattered(case: PruningCase, kept: list[int]) -> list[int]:
    """Positions of the members on tuples, of those `kept`, if rows are long and tuples scattered in all their views."""
    tuple_members = [i for i in kept if on_tuples(case.inputs[i])]
    if case.short or not tuple_members or len(kept) - len(tuple_members) < 2:
        return []
    entries, features = case.tally[tuple_members, 2:4].T
    each = features / np.maximum(entries, 1.0)
    return tuple_members if each.min() >= SCATTERED else []


def of_numbers(case: PruningCase, kept: list[int]) -> list[int]:
    """Positions of the members, of those `kept`, whose views are of rows of numbers."""
    return [i for i in kept if VIEWS[case.inputs[i].view].kind == "fourier"]


def lacking_rows(case: PruningCase, kept: list[int]) -> list[int]:
    """Positions of the members `of_numbers`, of those `kept`, whose views generated less than half the rows.

    Such a view generates whole rows or nothing.
    """
    asked, rows = of_numbers(case, kept), case.late + case.rows
    lacking = [i for i in asked if 2 * case.tally[i, 2] <= rows * case.tally[i, 3]]
    return lacking if len(lacking) < len(kept) else []


def useless_beside_trees(case: PruningCase, kept: list[int]) -> list[int]:
    """Positions of the members, of those `kept`, that are of no use beside boosted trees, if any can be grown."""
    if case.classes > MAX_CLASSES or all(case.inputs[i].method != "boost" for i in kept):
        return []
    only_tuples = case.names or case.classes > FEW_CLASSES
    going = (i for i in kept if not case.inputs[i].beside_trees)  # of several classes
    return [i for i in going if on_tuples(case.inputs[i]) or not only_tuples]


def on_tuples(member: Member) -> bool:
    """Return whether a member learns from pairs or triples: what has many features, and starts slowly."""
    return VIEWS[member.view].kind == "tuples"


def still_learning(case: PruningCase, i: int) -> bool:
    """Return whether member i is one on tuples of short rows of numbers that the rules have `patience` with."""
    member, patience = case.inputs[i], case.rules.patience
    asked = patience > 0.0 and case.short and not case.words and on_tuples(member) and not member.rate
    return asked and errors_fall(case, i, patience)


def starts_slowly(case: PruningCase, i: int) -> bool:
    """Return whether member i is one that starts slowly and should be given time; what forgets has no time."""
    if case.inputs[i].method == "boost":
        return True
    if not on_tuples(case.inputs[i]) or case.inputs[i].rate > 0.0:
        return False
    return case.short or errors_fall(case, i, case.rules.falling)


def errors_fall(case: PruningCase, i: int, share: float) -> bool:
    """Return whether errors of member i in the second half of its rows are below a share of those in the first.

    They are taken to be two means, which the mean and that weighted by the rows before each tell.
    """
    h, errors, _, _, late = case.tally[i]
    mean, last = errors / max(h, 1e-300), 2.0 * late / max(h * h, 1e-300)
    return bool(2.0 * last - mean < share * (3.0 * mean - 2.0 * last))


# ---------------------------------------------------------------------------------------------------------------- judge


class Importance:
    """By what share of itself the mean loss of a combination grows without some of its inputs, as its combiner has it.

    Beside the weights that are best for a loss, it is about (w - w_best)'A (w - w_best) / 2 larger, A its curvature,
    which the combiner keeps. So without the inputs `unit` it is at least

        u' (P_uu)^-1 u / 2,    P = A^-1

    larger, with u the weights of the unit. The set of weights with the least loss so far is asked. Per row, of the n
    that it remembers, this is the growth g. A weight of no use makes the loss of n rows that it was fitted to less by
    1/(2 n) in the mean: that is taken off.
    """

    def __init__(self, case: PruningCase, combiner: Combiner, squared: bool):
        self._members, self._combiner, self._best = len(case.costs), combiner, int(np.argmin(combiner.loss))
        recent = combiner.recent[self._best]
        self._n = float(recent[0])
        self._loss = recent[1] / max(self._n, 1e-300) * (noise_weight(recent) if squared else 1.0)
        self._of = functools.cache(self._combination)

    def loss_growth(self, kept: list[int], unit: list[int]) -> float:
        """By what share the loss of a combination of those `kept` grows without those of the `unit`."""
        if not self._n > 0.0:
            return math.inf
        combination = self._of(tuple(kept))
        u, P = combination.w[self._best, unit], combination.P[self._best][np.ix_(unit, unit)]
        return (float(u @ np.linalg.solve(P, u)) - len(unit)) / (2.0 * self._n) / max(self._loss, 1e-30)

    def _combination(self, kept: tuple[int, ...]) -> Combiner:
        """The combiner of those `kept`, and of inputs that are no members."""
        return conditioned(self._combiner, [i for i in range(self._members) if i not in kept])
