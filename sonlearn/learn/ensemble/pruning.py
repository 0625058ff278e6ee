"""Which members a stream can do without, decided at a few checkpoints from their predictions so far.

The first checkpoints are about the rows alone. Of several classes it is asked after `words_after` rows whether they are
words: whether a large share of their entries is of features not met before. Then members that are for numbers go. Where
rows are of numbers, members that are of no use beside boosted trees go. After `first` rows it is asked whether tuples
are scattered: where rows are long and nearly all pairs are new, as in text, members on pairs and triples take most of
the time and tell nearly nothing. Whether rows are of numbers is asked again: if not, boosted trees go.

At later checkpoints members are dropped one by one, the one first whose absence costs the least for its share of the
time, as long as the loss grows by less than `price` times that share: that of the online combination, and of a member
with a long memory that of the offline one as well. By how much the loss grows without a member says a judge.
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

**Judges** say what members are worth beside each other, from their history.

`ReplayJudge` runs a combiner anew over the last rows, and asks its matrix what the weights would have been without
members. Where labels are mostly chance, even a member that tells all there is to tell changes the loss little: its
growth is a share of the loss or, where that is less, of what is explained of it. `FittedJudge`, of several classes,
looks for the weights that are best for the rows: while rows are few a combiner is still learning.
"""

from __future__ import annotations

import functools
import heapq
import math
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from sonlearn.data.arrays import plain
from sonlearn.jit.sequence import run_calls
from sonlearn.learn.boosting.state import CLASSES
from sonlearn.learn.ensemble.combiner import PERIOD, new_combiner
from sonlearn.learn.ensemble.history import WIDTH, History, multiplicity
from sonlearn.options.members import Member
from sonlearn.options.views import VIEWS

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.target import Part, Target

#: Tuples of which so many are new are scattered. Of 13 sets of long rows of numbers the largest share in the view where
#: it is least was .70, of 12 of long texts (but for two with .69 and .71, which go on as before) the smallest .81.
SCATTERED = 0.8
#: So many features for each entry, and rows are words. Of 17 sets those of words have .36 to .69, others up to .06.
RARE = 0.2
#: Rows of up to so many entries are short.
SHORT = 24
#: A member of long rows still learns if its errors fall below this share (`errors_fall`).
FALLING = 0.9


class Rules(NamedTuple):
    """Values of a kind of problem.

    Attributes
    ----------
    words_after, first : int
        Rows learned at which it is asked whether rows are words (0: never), and whether tuples are scattered.
    checkpoints : tuple of int
        Rows learned at which members are judged; their predictions are kept until the last one.
    price : float
        What the loss may grow by, relatively, for all of the time.
    nothing : float
        Below this a member makes no difference.
    little : float
        What forgets and takes less than this share of the time waits for the last checkpoint.
    cheap, cheap_after : float, int
        Members that cost so much at most are not asked before so many rows of words.
    row_cost : float
        What a member at work costs a row beside its own time, the combiners' in units of `Member.cost`.
    patience : float
        Where rows are short numbers, members on tuples are not asked while their errors in the second half of the
        history are below this share of those in the first: trees look back at a bounded number of rows, tables learn
        from all, and what they will be worth on a long stream cannot be seen from its beginning.
    rarer : int
        Of two classes, rows of the rarer one below which no member is judged.
    most : float
        What a member predicts beyond counts as this, where it is asked whether its loss still falls.
    kept : int
        Rows of the history that are kept: the last ones.
    """

    words_after: int
    first: int
    checkpoints: tuple[int, ...]
    price: float
    nothing: float
    little: float
    cheap: float
    cheap_after: int
    row_cost: float
    patience: float
    rarer: int = 0
    most: float = math.inf
    kept: int = 8192


TWO_RULES = Rules(0, 512, (4096, 16384, 65536), 0.2, 1e-4, 0.05, 0.0, 0, 10.0, 0.0, rarer=100, most=1.0)
VALUE_RULES = TWO_RULES._replace(rarer=0, most=math.inf)
#: Several classes.
CLASS_RULES = Rules(64, 512, (1024, 2048, 4096, 8192, 16384, 65536), 0.015, 0.003, 0.0, 1.0, 4096, 0.0, 0.96)


class Judge(Protocol):
    """Who says what members are worth beside each other."""

    def growth(self, left: list[int], unit: list[int]) -> float:
        """By what share the loss of a combination of those `left` grows without those of the `unit`."""


class PruningCase(NamedTuple):
    """What a checkpoint goes by."""

    rules: Rules
    inputs: tuple[Member, ...]  # of the online combination; those beyond the costs are no members and stay
    long: tuple[int, ...]  # positions of the inputs of the offline combination
    rows: int  # learned that count
    history: History  # of the last of those, oldest first
    costs: np.ndarray  # float64[k]; time of each member, in any unit
    short: bool  # whether rows are short
    words: bool = False  # whether rows are words
    allowed: float = math.inf  # of `costs`, the sum that may be left
    decay: float = 0.0  # what combiners forget with each row
    late: int = 0  # rows learned before those that count
    classes: int = 0  # that there will be, as far as can be seen
    rarer: int = 0  # of two classes, rows learned of the rarer one


def next_checkpoint(rules: Rules, rows: int) -> int:
    """Rows still to be learned before the next checkpoint, or the first row that counts; 0: there is none."""
    every = (0, rules.words_after, rules.first, *rules.checkpoints)
    return min((at - rows for at in every if at > rows), default=0)


def prune(case: PruningCase, judge: Judge, left: list[int], entries: np.ndarray) -> list[int]:
    """Positions of the members to prune at the checkpoint after these rows, of those `left`.

    `entries`: float64[k, 2], entries of rows that each member has learned, and different ones.
    """
    if case.rows in (case.rules.words_after, case.rules.first):
        lacking = lacking_rows(case, left, entries)
        others = [] if lacking else outdone(case, left)
        if case.rows == case.rules.words_after:
            return out_of_place(case, left) or others
        going = scattered(case, left, entries)
        going += lacking + [i for i in others if i not in going]
    else:
        going = pruned(case, judge, left) if case.rarer >= case.rules.rarer else []
    return going + beyond_budget(case, judge, [i for i in left if i not in going])


def pruned(case: PruningCase, judge: Judge, left: list[int]) -> list[int]:
    """Positions of the members to prune, of those `left`; two stay at least, and two of the offline combination.

    What a member's absence costs grows as others go. So only the one that looked cheapest to miss is judged anew, if
    others have gone since it was, and goes if it still is. Those that see what others say make these look of little
    use, and would be of none without them: they are judged last, beside those that stay.
    """
    stacked, going = [i for i in left if case.inputs[i].stacked], []
    left = [i for i in left if i not in stacked]
    if len(left) <= 2:
        return going
    share = case.costs / max(case.costs.sum() - case.costs[stacked].sum(), 1e-300)
    units = units_of(case, left, share)
    growths = [judge.growth(left, unit) for unit in units]
    queue = [
        (_price(growth, share[unit].sum()), unit, growth, len(left))
        for unit, growth in zip(units, growths, strict=True)
    ]
    heapq.heapify(queue)
    while queue and len(left) > 2:
        price, unit, growth, among = heapq.heappop(queue)
        part = share[unit].sum()
        if among != len(left):
            growth = judge.growth(left, unit)
            price = _price(growth, part)
            if queue and price > queue[0][0]:
                heapq.heappush(queue, (price, unit, growth, len(left)))
                continue
        means = case.inputs[unit[0]].method == "ewma"
        most = case.rules.nothing if means or starts_slowly(case, unit[0]) else case.rules.price * part
        if len(left) - len(unit) >= 2 and price * part < most and offline_growth(case, judge, left, unit) < most:
            left = [i for i in left if i not in unit]
            going += unit
    for i in stacked:
        every, nothing = [*left, i], case.rules.nothing
        if judge.growth(every, [i]) < nothing and offline_growth(case, judge, every, [i]) < nothing:
            going.append(i)
    return going


def units_of(case: PruningCase, left: list[int], share: np.ndarray) -> list[list[int]]:
    """Return what goes or stays as one: members that are asked at this checkpoint, and means of the labels together.

    `share`: float64[k], of the time.
    """
    rules, last = case.rules, case.rows >= max(case.rules.checkpoints, default=0)
    young = case.words and case.rows < rules.cheap_after
    means = [i for i in left if case.inputs[i].method == "ewma"]
    units = []
    for i in left:
        member = case.inputs[i]
        waits = (member.rate > 0.0 and share[i] < rules.little and not last) or gathers(case, i)
        if i not in means and member.cost > 0.0 and not waits and not (young and member.cost <= rules.cheap):
            units.append([i])
    return [*units, means] if means and last else units


def offline_growth(case: PruningCase, judge: Judge, left: list[int], unit: list[int]) -> float:
    """By what share the loss of the offline combination grows without the members `unit`; inf: they have to stay.

    0 where it is the online one, or they have no part in it.
    """
    long = [i for i in left if i in case.long]
    rest = [i for i in long if i not in unit]
    if len(long) == len(left) or len(rest) == len(long):
        return 0.0
    return judge.growth(long, unit) if len(rest) >= 2 else math.inf


def beyond_budget(case: PruningCase, judge: Judge, left: list[int]) -> list[int]:
    """Positions of the members to prune, of those `left`, until the others cost no more than is allowed."""
    left, going = list(left), []
    while len(left) > 1 and case.costs[left].sum() > case.allowed:
        stacked = [i for i in left if case.inputs[i].stacked]  # of no use without others
        some = stacked or [i for i in left if case.costs[i] > 0.0]
        prices = [_price(judge.growth(left, [i]), case.costs[i]) for i in some]
        going.append(some[int(np.argmin(prices))])
        left.remove(going[-1])
    return going


def _price(growth: float, share: float) -> float:
    """Relative growth of the loss for each unit of time saved."""
    return growth / max(share, 1e-300)


def out_of_place(case: PruningCase, left: list[int]) -> list[int]:
    """Positions of the members for numbers, of those `left`, if rows are words; two stay at least."""
    for_numbers = [i for i in left if not case.inputs[i].words]
    return for_numbers if case.words and len(left) - len(for_numbers) >= 2 else []


def scattered(case: PruningCase, left: list[int], entries: np.ndarray) -> list[int]:
    """Positions of the members on tuples, of those `left`, if rows are long and tuples scattered in all their views."""
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
    lacking = [i for i in of_numbers if 2 * entries[i, 0] <= (case.late + case.rows) * entries[i, 1]]
    return lacking if len(lacking) < len(left) else []


def outdone(case: PruningCase, left: list[int]) -> list[int]:
    """Positions of the members, of those `left`, that are of no use beside boosted trees, if any can be grown."""
    going = [i for i in left if not case.inputs[i].beside_trees]  # of several classes
    trees = any(case.inputs[i].method == "boost" for i in left) and case.classes <= CLASSES
    return going if trees else []


def on_tuples(member: Member) -> bool:
    """Return whether a member learns from pairs or triples: what has many features, and starts slowly."""
    return VIEWS[member.view].kind == "tuples"


def gathers(case: PruningCase, i: int) -> bool:
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
    scalar = case.history.inputs.shape[2] == 1  # of several classes those of long rows are given none
    return case.short or (scalar and errors_fall(case, i, FALLING))


def errors_fall(case: PruningCase, i: int, share: float) -> bool:
    """Return whether the errors of member i in the second half of the history are below a share of those in the first.

    They are squared; of several classes rows of which another class that is compared has a score as high.
    """
    inputs, facts = case.history.inputs[:, i].astype(np.float64), case.history.facts
    if inputs.shape[1] > 1:
        others = np.where(np.arange(1, inputs.shape[1]) < facts[:, :1], inputs[:, 1:], -math.inf)
        off = (others.max(axis=1) >= inputs[:, 0]).astype(np.float64)
    else:
        most = case.rules.most
        off = (facts[:, 1] - np.clip(inputs[:, 0] / case.inputs[i].gain, -most, most)) ** 2
    middle = len(off) // 2
    return float(off[middle:].mean()) < share * float(off[:middle].mean())


# --------------------------------------------------------------------------------------------------------------- judges


#: What is explained of a loss counts as this share of it at least.
LEAST_EXPLAINED = 0.05
#: Standard errors by which the growth of a loss may be larger than it was found to be, while members are young.
DOUBT = 1.5
#: Newton steps to the best weights, at most, and a step that is no longer worth another.
STEPS, STEP_TOLERANCE = 8, 1e-3
#: Rows at a time: products of larger arrays are shared among threads that wait for each other.
BLOCK_ROWS = 2048
#: Prior precision of the weights that are fitted.
JUDGE_PRIOR = 1.0


class ReplayJudge:
    """Growths of the mean loss of combinations, on the last three quarters of the rows.

    A combiner learns the rows anew, once. Without some of its inputs each `PERIOD` of rows is combined with the weights
    that are the others' by its matrix as it was before: where the loss is squared, those it would have learned.

    Parameters
    ----------
    target : Target
    case : PruningCase
    """

    def __init__(self, target: Target, case: PruningCase):
        self._target, self._case, self._loss = target, case, functools.cache(self._conditioned)
        self._means = tuple(i for i in range(len(case.costs)) if case.inputs[i].method in ("ewma", "shares"))
        self._replayed = functools.cache(self._replay)

    def growth(self, left: list[int], unit: list[int]) -> float:
        """By what share the loss of a combination of those `left` grows without those of the `unit`.

        The share is of the loss or, where that is less, of what it is below the loss of means of the labels; where no
        member is one, of a combination of nothing.
        """
        now, constant = self._loss(tuple(left)), self._loss(self._means)
        share = max(min(now, constant - now), LEAST_EXPLAINED * now, 1e-300)
        return (self._loss(tuple(i for i in left if i not in unit)) - now) / share

    def _conditioned(self, chosen: tuple[int, ...]) -> float:
        """The loss of a combination of the `chosen`, and of inputs that are no members."""
        every_w, every_P, V, part, periods = self._replayed()
        gone = [i for i in range(len(self._case.costs)) if i not in chosen]
        P, weight = every_P[:, :, gone], part.rows.weight
        w = every_w - (P @ np.linalg.solve(P[:, gone], every_w[:, gone, None]))[:, :, 0]
        z = np.einsum("kn,nk->n", V[:, :, 0], w[periods])
        return float(self._target.losses(z[:, None], part) @ weight / weight.sum())

    def _replay(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, Part, np.ndarray]:
        """(w and P of a combiner of all inputs before each period, float64[periods, k(, k)]; V, rows, their periods).

        The last three are of the rows that judge.
        """
        target, case = self._target, self._case
        V, part = target.remembered(case.history)
        combiner, n, w, P = new_combiner(case.inputs, target.judging, case.decay), V.shape[1], [], []
        for start in range(0, n, PERIOD):
            which = slice(start, min(start + PERIOD, n))
            w.append(combiner.w[0].copy())
            P.append(combiner.P[0].copy())
            own, z = plain(V[:, which]), np.zeros((len(part.rows.y[which]), 1))
            run_calls(target.combine(combiner, own, part.between(which), True, z))
        judged = slice(n // 4, n)
        return np.array(w), np.array(P), V[:, judged], part.between(judged), np.arange(n)[judged] // PERIOD


class FittedJudge:
    """By what share of itself the loss of members of several classes grows without one of them, at most.

    Of the loss with the best weights for the last three quarters of the rows, and without a member that with the
    weights to which one Newton step leads: no less than the least there is. A weight that is of no use makes the loss
    of n rows that it was fitted to less by 1/(2 n) in the mean: that is taken off. `DOUBT` standard errors of the
    difference are added, so that what has not been shown to be of no use stays: a thousand rows tell little.
    """

    def __init__(self, case: PruningCase):
        self._case, self._growths = case, dict[tuple[int, ...], np.ndarray]()
        self._w = np.array([each.weight for each in case.inputs])

    def growth(self, left: list[int], unit: list[int]) -> float:
        """The growth without those of the `unit`, which are taken one by one."""
        if tuple(left) not in self._growths:  # weights are near those that are best without one of them
            self._w[left], self._growths[tuple(left)] = fitted(self._case, left, start=self._w)
        return float(self._growths[tuple(left)][[left.index(i) for i in unit]].sum())


def fitted(case: PruningCase, chosen: list[int], start: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The weights of least loss of the `chosen` on the rows that judge, sought from `start` on (float64[k], of all).

    And the growth without each, see `FittedJudge`; float64[chosen] both.

    What there is of each row is in float32, as in the history: growths are compared with shares of a hundredth.
    """
    members, every, k = [case.inputs[i] for i in chosen], case.history.classes, len(chosen)
    w_0, own = (np.array([getattr(member, what) for member in members]) for what in ("weight", "precision"))
    first, precision = len(every) // 4, np.maximum(JUDGE_PRIOR, own)
    judging = first + np.flatnonzero(every[first:] > 0)
    n, size = len(judging), min(max(len(judging), 1), BLOCK_ROWS)
    history = History(*(part[np.append(judging, judging[:1].repeat(-n % size))] for part in case.history))
    h, classes = history.weight.astype(np.float32).reshape(-1, size), history.classes
    h.flat[n:] = 0.0  # rows that fill the last block
    total = float(h.sum(dtype=np.float64))
    if not total > 0.0:
        return w_0, np.full(k, math.inf)
    V = history.inputs[:, chosen].reshape(-1, size, k, WIDTH).transpose(3, 0, 2, 1).astype(np.float32, order="C")
    counted = np.where(np.arange(WIDTH) < classes[:, None], multiplicity(classes), -math.inf)
    counted = counted.reshape(-1, size, WIDTH).transpose(2, 0, 1).astype(np.float32)
    w = w_0.copy() if start is None else start[chosen]
    for _ in range(STEPS):
        p, _ = probabilities(counted + w.astype(np.float32) @ V)
        mean = np.einsum("cbkn,cbn->bkn", V, p)
        H = (V * (h * p)[:, :, None] @ V.swapaxes(2, 3)).sum(axis=(0, 1))
        H -= (h[:, None] * mean @ mean.swapaxes(1, 2)).sum(axis=0)
        A = np.diag(precision) + (H + H.T) / 2.0
        step = np.linalg.solve(A, precision * (w - w_0) + np.einsum("bkn,bn->k", mean - V[0], h))
        longest = np.abs(step).max()
        w -= step * min(1.0, 1.0 / longest) if longest > 0.0 else 0.0
        if longest < STEP_TOLERANCE:
            break
    inverse = np.linalg.inv(A)
    others = w - inverse * (w / np.diag(inverse))[:, None]  # row j: the weights where that of member j is 0
    now = probabilities(counted + w.astype(np.float32) @ V)[1]
    without = probabilities(counted[:, :, None] + others.astype(np.float32) @ V)[1]
    more, loss = without - now[:, None], max(float((now * h).sum(dtype=np.float64)) / total, 1e-30)
    mean = np.einsum("bkn,bn->k", more, h) / total
    spread = np.sqrt(np.einsum("bkn,bn->k", (more - mean[:, None]) ** 2, h * h)) / total
    return w, (mean + DOUBT * spread - float((h * h).sum()) / (2.0 * total * total)) / loss


def probabilities(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(softmax along the first axis, the losses of its first entries); z : float32[WIDTH, ...]."""
    top = z.max(axis=0)
    p = np.exp(z - top)
    total = p.sum(axis=0)
    return p / total, np.log(total) + top - z[0]
