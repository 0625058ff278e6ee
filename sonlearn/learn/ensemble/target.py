"""What members and combiner learn of labels, and what becomes of the combination: all that the kind of problem decides.

A `Target` is `scalar_target.ScalarTarget` for values and two classes, `slots.ClassSlots` for several classes. What
members predict of n rows is V, float64[inputs, n, K], and the combination z, float64[n, K]: K = 1, but of several
classes those met so far.

What is done with rows is said in calls of kernels (`sonlearn.jit.sequence`): a batch makes them once, and rows that
come one by one make them again and again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows, is_learned, rows_between
from sonlearn.jit import bare_jit
from sonlearn.jit.sequence import Call, run_calls
from sonlearn.learn.engine import Contributions, Engine, Predictions, State
from sonlearn.learn.ensemble import pruning
from sonlearn.learn.ensemble.combiner import Combiner, copy_inputs, new_combiner, of_inputs, without
from sonlearn.learn.ensemble.history import History
from sonlearn.learn.ensemble.judges import ReplayJudge
from sonlearn.learn.ensemble.pruning import Judge, PruningCase
from sonlearn.options import LearnOptions
from sonlearn.options.members import Member

#: Predictions that are judged, or combined anew, at a checkpoint: the last ones.
JUDGED = 8192


class Late(NamedTuple):
    """How the inputs of rows are kept until their labels come: in what unit, and for how many classes."""

    mean: np.ndarray  # float64[n]
    unit: np.ndarray  # float64[n]
    met: np.ndarray  # int64[n]


class Measured(NamedTuple):
    """How good combinations of rows were, float64[n] each."""

    loss: np.ndarray  # NaN where there was nothing to choose
    error: np.ndarray  # 1 for a wrong class, or the squared error; likewise
    surprise: np.ndarray  # as `drift.watch` takes it: 1 less the probability of the right class, or size of the error


class Part(NamedTuple):
    """Rows that are learned or asked at a time."""

    rows: Rows  # with labels as members learn them
    scale: Any  # how to read them
    base: np.ndarray  # float64[n]
    span: tuple[int, int]  # which of the rows that views show they are

    def between(self, at: slice) -> Part:
        """Some of the rows."""
        begin = self.span[0]
        return Part(
            rows_between(self.rows, at.start, at.stop), between(self.scale, at.start, at.stop), self.base[at],
            (begin + at.start, begin + at.stop),
        )  # fmt: skip


class Target(ABC):
    """The kind of problem that a committee has.

    Parameters
    ----------
    options : LearnOptions
    members : tuple of Member

    Attributes
    ----------
    inputs : tuple of Member
        Inputs of the combiner: the members first.
    precision : tuple of float
        Prior precision of the combiner's sets of weights.
    relative : bool
        Whether changes of the stream are looked for in errors of any size (see `drift.watch`).
    history_width : int
        Numbers that the history keeps of an input for a row.
    """

    inputs: tuple[Member, ...]
    precision: tuple[float, ...]
    relative = False
    history_width = 1

    def __init__(self, options: LearnOptions, members: tuple[Member, ...]):
        self.options, self.members = options, members

    @property
    def rules(self) -> pruning.Rules:
        """By which members are pruned."""
        return pruning.SEVERAL if self.options.several else pruning.SCALAR

    # -- labels ------------------------------------------------------------------------------------------------------

    @abstractmethod
    def new(self, classes: int) -> State:
        """State of one that has seen no label; so many classes have been named."""

    @abstractmethod
    def label_calls(self, state: State, rows: Rows, now: np.ndarray, again: bool) -> tuple[Rows, Any, list[Call]]:
        """(the rows as members learn them, how to read them, the calls that fill these in and count the labels).

        The second is a NamedTuple of arrays with one number for each row. `now`: of the committee's state; `again`:
        whether the rows have been learned from before. The state has room for the labels.
        """

    def learned(self, state: State, rows: Rows, now: np.ndarray, again: bool) -> tuple[State, Rows, Any]:
        """The state that has counted the labels of `rows`, and what `label_calls` gives, filled in."""
        rows, scale, calls = self.label_calls(state, rows, now, again)
        run_calls(calls)
        return state, rows, scale

    def is_ready(self, state: State, rows: Rows) -> list[Call]:
        """Calls that are done, and change nothing, where `state` has room for the labels of `rows`."""
        return []

    def asked(self, state: State, rows: Rows, now: np.ndarray) -> tuple[Rows, Any]:
        """`learned` of rows that are predicted only, for whatever stands in their labels."""
        rows, scale, calls = self.label_calls(state, rows._replace(y=np.full(len(rows.y), np.nan)), now, again=True)
        run_calls(calls)
        return rows, scale

    @abstractmethod
    def width(self, state: State) -> int:
        """K."""

    @abstractmethod
    def merged(self, states: Sequence[State], base: State) -> tuple[State, list[np.ndarray | None]]:
        """(one state of what several have seen since `base`, the numbers of the classes of the base and of each)."""

    def met(self, state: State) -> int:
        """How many classes have been met or named."""
        return 0

    def expected(self, state: State) -> int:
        """How many classes there will be, as far as can be seen."""
        return 0

    def reordered(self, state: State, order: list[int | None]) -> State:
        """See `Engine.reordered`."""
        return state

    def late(self, scale: Any) -> Late:
        """How inputs of rows that `scale` reads are kept until their labels come; `met` may be changed in place."""
        return Late(scale.mean, scale.unit, np.ones(len(scale.mean), np.int64))

    # -- members and combiner ----------------------------------------------------------------------------------------

    @abstractmethod
    def engine_of(self, member: Member) -> Engine:
        """The learner of a member."""

    def labels_of(self, member: Member, rows: Rows, scale: Any) -> np.ndarray:
        """float64[n]: the labels that a member learns, of `rows` with those that most learn."""
        return rows.y

    @abstractmethod
    def room(self, V: np.ndarray) -> Predictions:
        """Room for what a member predicts, of which V, float64[n, K], is a part."""

    @abstractmethod
    def to_input(self, V: np.ndarray, member: Member, scale: Any) -> list[Call]:
        """Make an input of the combiner of what the member has left in V, float64[n, K]."""

    @abstractmethod
    def combine(
        self, combiner: Combiner, V: np.ndarray, scale: Any, rows: Rows, learns: bool, z: np.ndarray
    ) -> list[Call]:
        """Fill z, float64[n, K]; where it `learns`, the combiner, whose inputs are V, takes a step for each row."""

    @abstractmethod
    def finish(
        self, state: State, scale: Any, base: np.ndarray, z: Sequence[np.ndarray], out: Predictions
    ) -> list[Call]:
        """Fill `out` with what the online and the offline combination, z, mean; `base`: float64[n], of the rows."""

    # -- what is counted ---------------------------------------------------------------------------------------------

    @abstractmethod
    def tally_up(self, tally: np.ndarray, at: list[int], V: np.ndarray, scale: Any, rows: Rows) -> list[Call]:
        """tally[at[j]] += (h, h error) of what stands in V[j], row by row of those that are learned."""

    @abstractmethod
    def measure(self, scale: Any, rows: Rows, z: np.ndarray, out: Measured) -> list[Call]:
        """Fill in how good the combination z was, where rows are learned."""

    @abstractmethod
    def remember(
        self, history: History, now: np.ndarray, at: list[int], V: np.ndarray, z: np.ndarray, scale: Any, rows: Rows
    ) -> list[Call]:
        """Write the rows that are learned into the history, which has room for them; V are the inputs `at`.

        `now`: of the committee's state, which has not counted them.
        """

    # -- pruning -----------------------------------------------------------------------------------------------------

    def judge(self, case: PruningCase) -> Judge:
        """Who judges members at a checkpoint."""
        return ReplayJudge(self, case)

    @abstractmethod
    def replayed(
        self, case: PruningCase, at: Sequence[int], judges: bool = False
    ) -> tuple[Combiner, np.ndarray, np.ndarray]:
        """A combiner run over the last rows of the history, all of whose inputs but those `at` are 0.

        `judges`: with the precision that judges members. Returns the combiner, its losses (NaN where there was nothing
        to choose) and the weights of the rows, float64[rows] each.
        """

    def replayed_anew(self, case: PruningCase, at: list[int]) -> Combiner:
        """A combiner that has learned the history of the inputs `at`."""
        combiner = self.replayed(case, at)[0]
        return without(combiner, [i for i in range(len(self.inputs)) if i not in at])

    def still_learns(self, case: PruningCase, i: int) -> bool:
        """Whether the own loss of member i is still falling."""
        return False

    # -- reports -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def contributions(
        self, state: State, scale: Any, V: np.ndarray, w: np.ndarray, z: np.ndarray, base: np.ndarray,
        number: int | None,
    ) -> Contributions:  # fmt: skip
        """Of the inputs V, their weights w and the offline combination z; without the members' names."""

    @abstractmethod
    def weights(
        self, state: State, of_slot: Callable[[int | None], np.ndarray], number: int | None, features: int
    ) -> np.ndarray:
        """See `Engine.weights`; ``of_slot(k)`` are the weights of score k, None of the one score."""

    def facts(self, state: State) -> dict[str, Any]:
        """What there is to tell of the labels."""
        return {}

    # -- how ---------------------------------------------------------------------------------------------------------

    def new_combiner(self, inputs: Sequence[Member]) -> Combiner:
        """A combiner that has learned nothing."""
        return new_combiner(inputs, self.precision, self.options.decay)

    def combine_some(
        self, combiner: Combiner, at: Sequence[int], V: np.ndarray, scale: Any, rows: Rows, learns: bool, z: np.ndarray
    ) -> list[Call]:
        """`combine`, where only the inputs `at` have ever been other than 0; V, float64[len(at), n, K]: what they are.

        The bits are those of `combine` with zeros for all others, in the time that those at work take.
        """
        own = of_inputs(combiner, at)
        calls = self.combine(own, V, scale, rows, learns, z)
        if learns and own is not combiner:
            calls.append((copy_inputs, (own, combiner, np.array(at))))
        return calls


def between(scale: Any, start: int, stop: int) -> Any:
    """Of how to read rows, rows start..stop-1."""
    if start == 0 and stop == len(scale[0]):
        return scale
    return type(scale)(*(array[start:stop] for array in scale))


@bare_jit
def add_up(total, measured, y, weight):
    """total += (h, h loss_i, h error_i) row by row, of the rows learned where there was something to choose.

    total : float64[3], modified; measured : Measured; y, weight : float64[n]
    """
    for i in range(len(y)):
        if is_learned(weight[i], y[i]) and measured.loss[i] == measured.loss[i]:
            total[0] += weight[i]
            total[1] += weight[i] * measured.loss[i]
            total[2] += weight[i] * measured.error[i]
