"""Reward models that know how sure they are: the default of `sonlearn.learn.bandits.bandit`.

Views of the rows, the diagonal and the sketched model, and the loop of `rounds` over them.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import PART
from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.data.rows import Rows
from sonlearn.learn.bandits import rounds
from sonlearn.learn.bandits.diagonal import DiagonalState, new_diagonal
from sonlearn.learn.bandits.explore import rule_of
from sonlearn.learn.bandits.rounds import Decided, DecisionScratch, Models, Params, Problem, RewardModel, run
from sonlearn.learn.bandits.sketched import BLOCKS, ROWS, new_sketched, params
from sonlearn.learn.diagonal_fd.dense import DenseDiagonalFDState, new_work
from sonlearn.learn.multiclass.pairs import bytes_of, count_pairs, more_room
from sonlearn.options.bandit import CB_TYPES, BanditOptions
from sonlearn.views import make_view

#: What the dense view shows.
COMPONENTS, WIDTH = 256, 1.25


class ConfidentState(NamedTuple):
    """All that has been learned, but for the names of the features."""

    sparse: Any  # of the view of the diagonal model
    dense: Any  # of the view of the sketched one
    diagonal: Annotated[DiagonalState, PART]
    sketched: DenseDiagonalFDState  # see `sketched.new_sketched`
    now: np.ndarray  # structured [1], see `rounds.SCALARS`


class ConfidentRewards(RewardModel):
    """The diagonal and the sketched reward model side by side (see `RewardModel`)."""

    def __init__(self, options: BanditOptions):
        self._params = Params(rule_of(options), CB_TYPES.index(options.cb_type), params(options.decay))
        self._sparse = make_view("lunit")
        self._dense = make_view("fourier", components=COMPONENTS, widths=(WIDTH,), linear=1.0, binary=True)
        K = self._columns = options.actions or 1
        self._work = DecisionScratch(*np.zeros((2, K)), np.zeros((K, 4)), *np.zeros((2, K)), new_work(BLOCKS, ROWS))

    def new(self, classes: int = 0) -> ConfidentState:
        """State that has seen nothing."""
        return ConfidentState(
            self._sparse.new(), self._dense.new(), new_diagonal(self._columns), new_sketched(),
            np.zeros(1, rounds.SCALARS),
        )  # fmt: skip

    def parts(self, state: ConfidentState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"sparse": self._sparse, "dense": self._dense}

    def rows_of(self, decisions: Decisions) -> Batch:
        """The rows as they are: numbered actions share one."""
        return decisions.rows

    def run(
        self, state: ConfidentState, rows: Rows, size: int, problem: Problem, out: Decided, learn: bool
    ) -> ConfidentState:
        """Decide, and if `learn` learn, the decisions of a problem."""
        if learn:
            state = self.reserve(state, rows, size)
        own, sparse = self._sparse.seen(state.sparse, rows, learn)
        views, dense = self._dense.seen(state.dense, rows, learn)
        state = state._replace(sparse=own, dense=views)
        if learn and not len(state.sketched.now) and self._dense.features(state.dense):
            state = state._replace(sketched=new_sketched(self._columns))
        self._reserve_work(int(np.diff(problem.first).max(initial=0)))
        at = 0
        while True:
            models = Models(state.diagonal, state.sketched, state.now)
            at, places = run(self._params, models, self._work, sparse, dense, problem, out, at, learn)
            if at == len(problem.action):
                return state
            pairs = more_room(state.diagonal.pairs, places, self._columns)
            state = state._replace(diagonal=state.diagonal._replace(pairs=pairs))

    def _reserve_work(self, longest: int) -> None:
        """Scratch for decisions of so many candidates."""
        if longest > len(self._work.mean):
            room = 2 * longest
            self._work = self._work._replace(score=np.zeros((room, 4)), mean=np.zeros(room), width=np.zeros(room))

    def reserve(self, state: ConfidentState, rows: Rows, size: int) -> ConfidentState:
        """See `RewardModel.reserve`."""
        if {len(array) for array in state.sketched} not in ({0}, {self._columns}):
            raise ValueError("the sketches are not those of the actions")
        return super().reserve(state, rows, size)

    def facts(self, state: ConfidentState) -> dict[str, Any]:
        """Pairs of a feature and an action, bytes, each model's recent squared error."""
        now, pairs, sketched = state.now[0], state.diagonal.pairs, state.sketched
        return {
            "pairs": count_pairs(pairs), "bytes": bytes_of(pairs) + sum(array.nbytes for array in sketched),
            "error of the diagonal model": float(now["error_d"]),
            "error of the sketched model": float(now["error_s"]) if len(sketched.now) else None,
        }  # fmt: skip
