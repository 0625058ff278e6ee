"""One decision after the other: estimate, choose, learn; and the reward models that know how sure they are.

`ConfidentRewards`, the default, shows views of the rows to the diagonal and the sketched model, in one loop (`run`).

Rewards are negative costs. Both models learn them scaled to [0, 1], by the lowest and the highest that have been
learned; until two different ones have been, there is nothing to learn. Of both models the one decides that has
predicted the rewards of late with the smaller squared error (`RATE`); the sketched one only where it has rows.

How a decision that comes from a log is learned, with reward r of action a, chosen with probability p (``--cb_type``):

    dm    the row of a, reward r
    mtr   the same with importance (1/p) E/N: E decisions, N candidates so far (Vowpal Wabbit's)
    ips   the rows of all candidates, reward r/p of a and 0 of the others
    dr    the rows of all candidates, their expected rewards m, and m_a + (r - m_a)/p of a
          (Dudik, Langford, Li: Doubly robust policy evaluation and learning, ICML 2011)

Scaled rewards of 0 are the least that there has been. Where no probability is known it counts as 1.

With `--decay` RATE every precision that has been learned is multiplied by 1 - RATE after each decision with a reward,
whichever action it was of: what has not been tried of late becomes doubtful. Expected rewards stay.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import PART
from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.data.rows import Rows, spread
from sonlearn.jit import inline, jit
from sonlearn.learn.bandits import diagonal, sketched
from sonlearn.learn.bandits.diagonal import DiagonalState
from sonlearn.learn.bandits.explore import ExplorationRule, probabilities, rule_of, sample_action
from sonlearn.learn.bandits.sketched import SketchedState, Work, new_sketched
from sonlearn.learn.diagonal_fd.rounds import DiagonalFDParams
from sonlearn.learn.engine import Engine
from sonlearn.learn.pairs import places_needed, room_for_pairs
from sonlearn.learn.tables import bytes_of, count_pairs, more_room, new_pairs
from sonlearn.options.bandit import CB_TYPES, BanditOptions
from sonlearn.views import make_view

DM, MTR, IPS, DR = range(4)
#: What the dense view shows.
COMPONENTS, WIDTH = 256, 1.25
#: Weight of the newest squared error in the mean of them.
RATE = 0.002
#: Both models count in inverse proportion to this power of their errors.
POWER = 4
#: Precisions of the diagonal model are renewed where less than this is left of the oldest.
RENEWAL_SHARE = 1e-12
#: Scalars of the state. drawn: choices made here, each out of a number of its own; learned: decisions with a
#: cost; renewed: the same when the diagonal model's precisions were; candidates: of those learned; low, high: rewards;
#: error_d, error_s: means of the two models' squared errors; weight: of these.
SCALARS = [("drawn", "i8"), ("learned", "i8"), ("renewed", "i8"), ("candidates", "i8"), ("low", "f8"), ("high", "f8"),
           ("error_d", "f8"), ("error_s", "f8"), ("weight", "f8")]  # fmt: skip


class Params(NamedTuple):
    """What does not change."""

    rule: ExplorationRule
    cb_type: int
    sketch: DiagonalFDParams  # with the retention: 1 - decay


class Problem(NamedTuple):
    """Decisions, as `sonlearn.data.decisions.Decisions` has them."""

    first: np.ndarray  # int64[n + 1]
    row: np.ndarray  # int64[candidates]
    column: np.ndarray  # int64[candidates]
    action: np.ndarray  # int64[n]
    cost: np.ndarray  # float64[n]
    probability: np.ndarray  # float64[n]
    costs: np.ndarray  # float64[candidates], or float64[0]


class Decided(NamedTuple):
    """What comes of n decisions: decision i has the candidates ``first[i]:first[i + 1]``.

    Attributes
    ----------
    first : int64[n + 1]
    probability : float64[candidates]
        With which each would be chosen; those of a decision add up to 1.
    mean : float64[candidates]
        Expected costs.
    width : float64[candidates]
        Of their confidence: one standard deviation, in units of costs.
    action : int64[n]
        The candidate chosen, counted from the decision's first; of a log, the log's.
    loss : float64[n]
        The cost of that action; of a log with probabilities, the cost times this model's probability of the action
        over the log's: an unbiased estimate of what this model would have cost. NaN where no cost is known.
    """

    first: np.ndarray
    probability: np.ndarray
    mean: np.ndarray
    width: np.ndarray
    action: np.ndarray
    loss: np.ndarray

    @classmethod
    def empty(cls, first: np.ndarray) -> Decided:
        """Room for decisions with these candidates."""
        candidates, n = int(first[-1]), len(first) - 1
        return cls(first, *np.zeros((3, candidates)), np.zeros(n, np.int64), np.zeros(n))

    def part(self, start: int, stop: int) -> Decided:
        """The decisions `start` to `stop` - 1, in the same memory."""
        a, b = self.first[start], self.first[stop]
        of_candidates = self.probability[a:b], self.mean[a:b], self.width[a:b]
        return Decided(self.first[start : stop + 1] - a, *of_candidates, self.action[start:stop], self.loss[start:stop])

    @property
    def refused(self) -> np.ndarray:
        """bool[n]: decisions that could not be learned from; there are none."""
        return np.zeros(len(self.action), dtype=bool)


class RewardModel(Engine):
    """What learns rewards, and decides by them, in the place of `learn` and `predict`.

    A state is a NamedTuple with `now`, see `SCALARS`. `reserve` raises ValueError where its arrays do not fit.
    """

    @abstractmethod
    def rows_of(self, decisions: Decisions) -> Batch:
        """The rows that are to be numbered for `run`."""

    @abstractmethod
    def run(self, state: Any, rows: Rows, problem: Problem, out: Decided, learn: bool) -> Any:
        """Decide, and if `learn` learn, the decisions of a problem; `reserve` comes first. Returns the state."""


class DecisionScratch(NamedTuple):
    """One decision under way: of the columns z, v."""

    z: np.ndarray  # float64[columns]
    v: np.ndarray  # float64[columns]
    # float64[6, longest]; of the candidates: of the diagonal model z and v, of the sketched one mean and width, and of
    # both mean and width of the scaled reward
    score: np.ndarray
    sketch: Work


class ConfidentState(NamedTuple):
    """All that has been learned, but for the names of the features."""

    sparse: Any  # of the view of the diagonal model
    dense: Any  # of the view of the sketched one
    diagonal: Annotated[DiagonalState, PART]
    sketched: SketchedState  # see `new_sketched`
    now: np.ndarray  # structured [1], see `SCALARS`


class ConfidentRewards(RewardModel):
    """The diagonal and the sketched reward model side by side (see `RewardModel`)."""

    def __init__(self, options: BanditOptions):
        sketch = sketched.PARAMS._replace(retention=1.0 - options.decay)
        self._params = Params(rule_of(options), CB_TYPES.index(options.cb_type), sketch)
        self._sparse = make_view("lunit")
        self._dense = make_view("fourier", components=COMPONENTS, widths=(WIDTH,), linear=1.0, rows="all")
        self._columns, self._sketch = options.actions or 1, sketched.new_work()

    def new(self, classes: int = 0) -> ConfidentState:
        """State that has seen nothing."""
        return ConfidentState(
            self._sparse.new(), self._dense.new(), DiagonalState(new_pairs(2), np.zeros((self._columns, 2))),
            new_sketched(), np.zeros(1, SCALARS),
        )  # fmt: skip

    def parts(self, state: ConfidentState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"sparse": self._sparse, "dense": self._dense}

    def rows_of(self, decisions: Decisions) -> Batch:
        """The rows as they are: numbered actions share one."""
        return decisions.rows

    def run(self, state: ConfidentState, rows: Rows, problem: Problem, out: Decided, learn: bool) -> ConfidentState:
        """Decide, and if `learn` learn, the decisions of a problem."""
        own, sparse = self._sparse.transform(state.sparse, rows, learn)
        views, dense = self._dense.transform(state.dense, rows, learn)
        state = state._replace(sparse=own, dense=views)
        if learn and not len(state.sketched.now) and self._dense.features(state.dense):
            state = state._replace(sketched=new_sketched(self._columns))
        longest, at = int(np.diff(problem.first).max(initial=0)), 0
        scratch = DecisionScratch(*np.zeros((2, self._columns)), np.zeros((6, longest)), self._sketch)
        while True:
            at, places = run(self._params, state, scratch, sparse, dense, problem, out, at, learn)
            if at == len(problem.action):
                return state
            pairs = more_room(state.diagonal.pairs, places, self._columns)
            state = state._replace(diagonal=state.diagonal._replace(pairs=pairs))

    def reserve(self, state: ConfidentState, rows: Rows, size: int) -> ConfidentState:
        """See `RewardModel.reserve`."""
        if {len(array) for array in state.sketched} not in ({0}, {self._columns}):
            raise ValueError("the sketches are not those of the actions")
        return super().reserve(state, rows, size)

    def facts(self, state: ConfidentState) -> dict[str, Any]:
        """Pairs of a feature and an action, bytes, each model's recent squared error."""
        now, pairs, sketches = state.now[0], state.diagonal.pairs, state.sketched
        return {
            "pairs": count_pairs(pairs), "bytes": bytes_of(pairs) + sum(array.nbytes for array in sketches),
            "error of the diagonal model": float(now["error_d"]),
            "error of the sketched model": float(now["error_s"]) if len(sketches.now) else None,
        }  # fmt: skip


@jit(allocates=True)
def run(params, state, scratch, sparse, dense, problem, out, start, learn):
    """Decide, and if `learn` learn, decisions from `start` on until there is no room for pairs.

    Returns where that is and how many places are needed there, or (n, 0).

    Parameters
    ----------
    params : Params; state : ConfidentState, changed if `learn`; scratch : DecisionScratch
    sparse, dense : Rows, the candidates' as each model sees them; not modified
    problem : Problem, not modified; out : Decided, filled in
    start : int; learn : bool
    """
    now = state.now[0]
    for i in range(start, len(problem.action)):
        begin, end = problem.first[i], problem.first[i + 1]
        if learn:
            pairs, columns = state.diagonal.pairs, len(state.diagonal.bias)
            entries = sparse.indptr[problem.row[end - 1] + 1] - sparse.indptr[problem.row[begin]]
            needed = places_needed(pairs, entries, end - begin, columns)
            if room_for_pairs(pairs, columns) < needed:
                return i, needed
        shows = estimate(params, state, scratch, sparse, dense, problem, begin, end)
        decide(params, now, scratch, out, begin, end, shows)
        action, cost, p = outcome(params.rule.seed, state.now, problem, out, i, learn)
        if learn and not math.isnan(cost):
            learn_reward(params, state, scratch, sparse, dense, problem, begin, end, action, -cost, p)
    return len(problem.action), 0


@inline
def outcome(seed, scalars, problem, out, i, learn):
    """(action, its cost, with what probability it was chosen) of decision i, which are filled in; 1 if nobody knows.

    They are the log's, or the action is drawn. If `learn`, that and a known cost are counted in `scalars` (structured
    [1], see `SCALARS`).
    """
    now, begin, end = scalars[0], problem.first[i], problem.first[i + 1]
    action, cost, p = problem.action[i], problem.cost[i], problem.probability[i]
    if len(problem.costs) > 0 or action < 0:
        action = sample_action(seed, now["drawn"] + (0 if learn else i), out.probability[begin:end])
        cost = problem.costs[begin + action] if len(problem.costs) > 0 else math.nan
        p = out.probability[begin + action]
        out.loss[i] = cost
        now["drawn"] += 1 if learn else 0
    else:
        out.loss[i] = cost if math.isnan(p) else cost * out.probability[begin + action] / p
        p = 1.0 if math.isnan(p) else p
    out.action[i] = action
    if learn and not math.isnan(cost):
        now["low"] = min(now["low"], -cost) if now["learned"] > 0 else -cost
        now["high"] = max(now["high"], -cost) if now["learned"] > 0 else -cost
        now["learned"] += 1
        now["candidates"] += end - begin
    return action, cost, p


@inline(allocates=True)
def estimate(params, state, scratch, sparse, dense, problem, begin, end):
    """Return what both models say of the candidates, into scratch.score; whether the sketched one has rows."""
    features, squares, shows, now = 0, 0.0, True, state.now[0]
    left = left_of(params, now, now["learned"])
    room = sketched.MAX_FEATURES if len(state.sketched.now) > 0 else 0
    for c in range(begin, end):
        row, k, a = problem.row[c], problem.column[c], c - begin
        if c == begin or row != problem.row[c - 1]:
            diagonal.score(state.diagonal, sparse, row, left, scratch.z, scratch.v)
            features, squares = spread(dense, row, scratch.sketch.x)
            features = min(features, room)
        scratch.score[0, a], scratch.score[1, a] = scratch.z[k], scratch.v[k]
        if features > 0 and 0.0 < squares < sketched.MAX_SQUARED_NORM:
            scratch.score[2, a], scratch.score[3, a] = sketched.estimate(
                params.sketch, state.sketched, scratch.sketch, k, features, squares, now["learned"]
            )
        else:
            scratch.score[2, a], shows = 0.0, False
    return shows


@inline(allocates=True)
def decide(params, now, scratch, out, begin, end, shows):
    """Fill in the probabilities, expected costs and widths of a decision's candidates."""
    n, link, score = end - begin, params.cb_type < IPS, scratch.score
    share = share_of(now) if shows else 0.0
    scale = now["high"] - now["low"] if now["high"] > now["low"] else 1.0
    for a in range(n):
        m, s = diagonal.estimate(link, params.rule.width, score[0, a], score[1, a])
        if share > 0.0:
            m += share * (score[2, a] - m)
            s += share * (score[3, a] - s)
        score[4, a], score[5, a] = m, s
        out.mean[begin + a], out.width[begin + a] = -(now["low"] + scale * m), scale * s
    probabilities(params.rule, now["learned"], score[4, :n], score[5, :n], out.probability[begin:end])


@inline
def left_of(params, now, at):
    """Return what is left after `at` decisions of a precision that the diagonal model learned when last renewed."""
    return params.sketch.retention ** float(at - now["renewed"])


@inline
def share_of(now):
    """Return what the sketched model counts in expected rewards and widths; the diagonal one has the rest."""
    d, s = now["error_d"] ** POWER, now["error_s"] ** POWER
    return d / (d + s) if d + s > 0.0 else 0.5


@inline(allocates=True)
def learn_reward(params, state, scratch, sparse, dense, problem, begin, end, action, reward, p):
    """Learn the reward, which `outcome` has counted, of a decision's candidate `action`, chosen with probability p."""
    now = state.now[0]
    at = now["learned"] - 1
    left, differ, link = left_of(params, now, at), now["high"] > now["low"], params.cb_type < IPS
    r = (reward - now["low"]) / (now["high"] - now["low"]) if differ else 0.0
    if differ:
        count_errors(now, scratch, action, link, r)
    for c in range(begin, end if differ else begin):  # of rewards that are all the same there is nothing to learn
        a, target, weight = c - begin, r, 1.0
        if link and a != action:
            continue
        if params.cb_type == MTR:
            weight = now["learned"] / (p * now["candidates"])
        elif not link:
            expected = 0.0 if params.cb_type == IPS else scratch.score[4, a]
            target = expected + ((r - expected) / p if a == action else 0.0)
        row, k = problem.row[c], problem.column[c]
        z, v = scratch.score[0, a], scratch.score[1, a]
        diagonal.update(link, state.diagonal, sparse, row, left, k, z, v, target, weight)
        features, squares = spread(dense, row, scratch.sketch.x)
        if features > 0 and 0.0 < squares < sketched.MAX_SQUARED_NORM:
            sketched.update(params.sketch, state.sketched, scratch.sketch, k, features, at, target, weight)
    if left < RENEWAL_SHARE:
        diagonal.renew(state.diagonal, left_of(params, now, now["learned"]))
        now["renewed"] = now["learned"]


@inline
def count_errors(now, scratch, action, link, r):
    """Take the squared errors of both models at the chosen candidate into their means."""
    m, _ = diagonal.estimate(link, 0.0, scratch.score[0, action], 0.0)
    now["weight"] += RATE * (1.0 - now["weight"])
    share = RATE / now["weight"]
    now["error_d"] += share * ((m - r) ** 2 - now["error_d"])
    now["error_s"] += share * ((scratch.score[2, action] - r) ** 2 - now["error_s"])
