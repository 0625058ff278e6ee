"""Several classes with a method: each class learned against all others, or all of them together with softmax.

`OneVsRest` has a binary learner a class, all of which are shown the same rows. The learner of class k sees a row with
the label +1 if the row is of that class and -1 if not, which makes K problems of two classes of one of K (Rifkin,
Klautau: In Defense of One-Vs-All Classification, JMLR 2004); the class whose learner says most is predicted.

Classes are numbered as they are met. A class that is met late is no different from one known from the start: a spare
learner has seen every row as one of no class of its own, and a new class begins with a copy of its state. So each
class's learner says, row by row, what a binary learner of the relabelled stream says, however the stream is cut. Once
as many classes have been met as there can be, the spare learner is dropped.

`Multinomial` has one learner (`newton`, `projected`, `dense`, `first_order`) of K classes at once: a weight vector a
class, one metric, and softmax over what they say. Here are the counts of them. Those that have not been met yet have
had the same gradients in every row, and so say the same: what stands for all of them in `Predictions.unseen`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import Axis, Scalars, summed
from sonlearn.data.rows import NO_ROWS, Rows, is_learned, learned_rows, rows_between
from sonlearn.jit import jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.by_row import EngineByRow, RowOfEngine, copy_one
from sonlearn.learn.classes import first_occurrences
from sonlearn.learn.engine import Contributions, Engine, Predictions, State, engine_class, make_engine
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS


class OneVsRestState(NamedTuple):
    """All that has been learned."""

    classes: tuple  # the classes' states, in the order in which classes were met
    unseen: State  # what a class that has not been met would have learned
    counts: Annotated[np.ndarray, Axis(), summed]  # int64[classes]; rows learned of each
    now: Annotated[np.ndarray, Scalars()]  # structured [1]; seen: features


class OneVsRest(Engine):
    """Engine of several classes.

    Labels of rows are numbers of classes from 0 on, in the order in which classes are met, and NaN. In rows that are
    only predicted any other number may stand.

    Parameters
    ----------
    options : LearnOptions
        ``oaa`` or ``classes`` is set.
    threads : int
        How many classes may learn side by side.
    """

    def __init__(self, options: LearnOptions, threads: int = 1):
        self._most, self._threads = options.oaa, threads
        self._binaries = [make_engine(options.of_one_class) for _ in range(threads)]
        self._binary = self._binaries[0]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.merges = self._binary.merges

    def new(self, classes: int = 0) -> OneVsRestState:
        """State that has seen nothing, with room for so many classes: none that has been met."""
        fresh = tuple(self._binary.new() for _ in range(classes))
        return OneVsRestState(fresh, self._binary.new(), np.zeros(classes, np.int64), np.zeros(1, [("seen", "i8")]))

    def met(self, state: OneVsRestState) -> int:
        """Return how many classes have been met."""
        return len(state.classes)

    def parts(self, state: OneVsRestState) -> dict[str, Any]:
        """See `Engine.parts`; the spare learner is one as long as it is needed."""
        spare = {} if len(state.classes) == self._most else {"unseen": self._binary}
        return {"classes": (self._binary,) * len(state.classes), **spare}

    def reserve(self, state: OneVsRestState, rows: Rows, features: int) -> OneVsRestState:
        """Learners have room for what they have been shown; theirs of the batch comes with it."""
        now = state.now.copy()
        now["seen"] = features
        return super().reserve(state, NO_ROWS, features)._replace(now=now)

    def learn(self, state: OneVsRestState, rows: Rows, out: Predictions, start: int) -> tuple[OneVsRestState, int]:
        """Learn rows from `start` on; see `Engine.learn`. What a class's learner refuses is marked; others learn it.

        A row is refused by all if it is the first of its class and that one's learner refuses it: so no class is met.
        """
        part, out = rows_between(rows, start, len(rows.y)), out.part(start, len(rows.y))
        births = first_occurrences(np.where(learned_rows(part), part.y, np.nan), len(state.classes))
        classes, unseen, end = self._grown(state, part, births, out)
        counts = np.zeros(len(classes), np.int64)
        counts[: len(state.counts)] = state.counts
        counted = learned_rows(part)[:end] & ~out.refused[:end]
        counts += np.bincount(part.y[:end][counted].astype(np.int64), minlength=len(classes))
        out.met[:end] = len(state.classes) + np.searchsorted(births, np.arange(end))
        return state._replace(classes=classes, unseen=unseen, counts=counts), start + end

    def predict(self, state: OneVsRestState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        n, count = len(rows.y), len(state.classes)
        learners = (*state.classes, state.unseen)[: self._most]
        out.met[:] = count

        def ask(binary: Engine, k: int) -> int:
            own = Predictions.empty(n)
            at = binary.predict(learners[k], rows, own)
            (out.raw[:, k] if k < count else out.unseen)[:] = own.raw[:, 0]
            return at

        at = min(self._each(ask, len(learners)), default=n)
        out.raw[:, count:] = out.unseen[:, None]
        return at

    def contributions(self, state: OneVsRestState, rows: Rows, number: int) -> Contributions | None:
        """Return what the members of the class of that number say of `rows`; None where classes have none."""
        return self._binary.contributions(state.classes[number], rows)

    def weights(self, state: OneVsRestState, features: int, number: int | None = None) -> np.ndarray:
        """See `Engine.weights`."""
        if number is not None:
            return self._binary.weights(state.classes[number], features)
        rows = [self._binary.weights(own, features) for own in state.classes]
        return np.array(rows).reshape(len(rows), features)

    def facts(self, state: OneVsRestState) -> dict[str, Any]:
        """classes: of each the rows learned (`examples`), and what its learner has to tell."""
        pairs = zip(state.counts.tolist(), state.classes, strict=True)
        return {"classes": [{"examples": count, **self._binary.facts(own)} for count, own in pairs]}

    def next_pass(self, state: OneVsRestState, again: bool) -> None:
        """See `Engine.next_pass`."""
        for own in (*state.classes, state.unseen):
            self._binary.next_pass(own, again)

    def reordered(self, state: OneVsRestState, order: list[int | None]) -> OneVsRestState:
        """`state` with its classes in another order; None stands for one that has not been met, and is from now on."""
        unseen = self._binary.packed(state.unseen)
        classes = tuple(copy.deepcopy(unseen) if k is None else state.classes[k] for k in order)
        counts = np.array([0 if k is None else state.counts[k] for k in order], dtype=np.int64)
        unseen = self._binary.new() if len(order) == self._most else state.unseen
        return state._replace(classes=classes, unseen=unseen, counts=counts)

    def by_row(self) -> EngineByRow:
        """See `Engine.by_row`."""
        return OneVsRestByRow(self, Predictions.empty(1))

    # -- how ---------------------------------------------------------------------------------------------------------

    def _each(self, call: Callable[[Engine, int], Any], n: int) -> list[Any]:
        """``call(engine, k)`` for each k < n, by several threads where there are, each with an engine of its own."""
        done: list[Any] = [None] * n

        def work(worker: int) -> None:
            for k in range(worker, n, self._threads):
                done[k] = call(self._binaries[worker], k)

        list((self._pool.map if self._pool else map)(work, range(self._threads)))
        return done

    def _grown(
        self, state: OneVsRestState, rows: Rows, births: np.ndarray, out: Predictions
    ) -> tuple[tuple, State, int]:
        """The classes' states and the spare one after `rows`, and the first row that a new class refused, or n."""
        met, task = len(state.classes), BinaryTask(rows, out, int(state.now["seen"][0]))
        jobs, spare, n = self._born(state, task, births)
        born = births[: len(jobs) - met]
        needed = self._most is None or len(jobs) < self._most
        numbers: list[int | None] = [*range(len(jobs)), *([None] if needed else [])]
        jobs += [spare] if needed else []
        done = self._each(lambda binary, k: task.learned(binary, *jobs[k], n, numbers[k]), len(jobs))
        for k in range(met, out.raw.shape[1]):
            begin = int(born[k - met]) if k - met < len(born) else n
            out.raw[:begin, k] = out.unseen[:begin]
        if len(born) and not needed:  # of the row that shows the last class, too, the spare learner would say that
            out.unseen[born[-1]] = out.raw[born[-1], len(jobs) - 1]
        count = met + len(born)
        return tuple(done[:count]), done[count] if needed else self._binary.new(), n

    def _born(
        self, state: OneVsRestState, task: BinaryTask, births: np.ndarray
    ) -> tuple[list[tuple[State, int]], tuple[State, int], int]:
        """The states of all classes, those born included, and of the spare learner; the first row refused, or n.

        With each state the row from which on it is to learn.
        """
        jobs, spare, at = [(own, 0) for own in state.classes], state.unseen, 0
        for position in births.tolist():
            if position > at:
                spare, at = task.learned(self._binary, spare, at, position, None), position
            own = copy.deepcopy(self._binary.packed(spare))
            first = task.learned(self._binary, own, position, position + 1, len(jobs))
            if task.out.refused[position]:
                return jobs, (spare, at), position
            jobs.append((first, position + 1))
        return jobs, (spare, at), len(task.rows.y)


class BinaryTask(NamedTuple):
    """Rows that the learners of single classes learn."""

    rows: Rows
    out: Predictions
    features: int

    def learned(self, binary: Engine, own: State, begin: int, stop: int, number: int | None) -> State:
        """The state after rows begin..stop-1, learned as class `number` (None: as no class); fills its scores."""
        part, shown = rows_between(self.rows, begin, stop), self.out.part(begin, stop)
        found, right = Predictions.empty(stop - begin), part.y == (-1 if number is None else number)
        y = np.where(np.isnan(part.y), np.nan, np.where(right, 1.0, -1.0))
        own = binary.learn_all(own, part._replace(y=y), found, self.features)
        if number is None:
            shown.unseen[:] = found.raw[:, 0]
        else:
            shown.raw[:, number] = found.raw[:, 0]
        shown.refused[:] |= found.refused
        return own


class OneVsRestByRow(EngineByRow):
    """`OneVsRest.learn` of rows that come one by one in the same buffers, but for those that show a class."""

    _engine: OneVsRest

    def _begin(self, state: OneVsRestState, rows: Rows, out: Predictions) -> OneVsRestState:
        """See `EngineByRow`."""
        learners = [engine for each in self._engine.parts(state).values() for engine in np.atleast_1d(each)]
        n = len(learners)
        y, scores, refused = np.empty((n, 1)), np.zeros((n, 1, 1)), np.zeros((n, 1), dtype=bool)
        room = Predictions.of_scores
        self._learners = [
            RowOfEngine(
                engine, own, rows._replace(y=y[k]), room(scores[k])._replace(refused=refused[k]), self._features, []
            )
            for k, (engine, own) in enumerate(zip(learners, (*state.classes, state.unseen), strict=False))
        ]
        state = self._with_stages(state)._replace(now=state.now.copy(), counts=state.counts.copy())
        begin: Calls = [(is_met, (rows, len(state.classes))), (against_rest, (rows.y, y))]
        end: Calls = [
            (copy_one, (self._features, state.now["seen"])),
            (gather, (rows, len(state.classes), scores, refused, state.counts, out)),
        ]
        if all(each.is_prepared for each in self._learners):
            self._arrange(begin, 1, self._learners, end)
        else:
            self._arrange([], 1, [], [])
        return state

    def _with_stages(self, state: OneVsRestState) -> OneVsRestState:
        """See `EngineByRow`."""
        K, states = len(state.classes), [each.state for each in self._learners]
        return state._replace(classes=tuple(states[:K]), unseen=states[K] if len(states) > K else state.unseen)


@jit
def is_met(rows, classes):
    """1 if the row is not the first one of its class that is learned, else 0."""
    return 0 if is_learned(rows.weight[0], rows.y[0]) and rows.y[0] >= classes else 1


@jit
def against_rest(y, labels):
    """labels[k, 0] <- the label of a row of class y[0] for the learner of class k; the last may be of none."""
    for k in range(len(labels)):
        labels[k, 0] = y[0] if y[0] != y[0] else 1.0 if y[0] == k else -1.0


@jit
def gather(rows, classes, scores, refused, counts, out):
    """Put what the learners of single classes say of a row into `out`, and count its class.

    scores : float64[learners, 1, 1]; refused : bool[learners, 1]; counts : int64[classes]
    """
    out.met[0] = classes
    if len(scores) > classes:
        out.unseen[0] = scores[classes, 0, 0]
    for k in range(len(out.raw[0])):
        out.raw[0, k] = scores[k, 0, 0] if k < classes else out.unseen[0]
    for k in range(len(refused)):
        out.refused[0] |= refused[k, 0]
        refused[k, 0] = False
    if is_learned(rows.weight[0], rows.y[0]) and not out.refused[0]:
        counts[int(rows.y[0])] += 1


class MultinomialState(NamedTuple):
    """All that has been learned."""

    own: State  # of the engine beneath
    counts: Annotated[np.ndarray, Axis(), summed]  # int64[K]; rows learned of each class


class Multinomial(Engine):
    """Engine of several classes that share a metric.

    Labels of rows are numbers of classes from 0 on, in the order in which classes are met, and NaN. In rows that are
    only predicted any other number may stand.
    """

    def __init__(self, options: LearnOptions):
        self._classes = options.multinomial
        self._engine = engine_class(METHODS[options.method].engine)(options)
        self.merges = self._engine.merges

    def new(self, classes: int = 0) -> MultinomialState:
        """State that has seen nothing; room is for all classes, however many of them have been met."""
        return MultinomialState(self._engine.new(), np.zeros(self._classes, np.int64))

    def met(self, state: MultinomialState) -> int:
        """Count the classes met, with those of lower numbers than the last one (a caller may declare them)."""
        return int(np.flatnonzero(state.counts).max(initial=-1)) + 1

    def parts(self, state: MultinomialState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"own": self._engine}

    def learn(self, state: MultinomialState, rows: Rows, out: Predictions, start: int) -> tuple[MultinomialState, int]:
        """Learn rows from `start` on; see `Engine.learn`."""
        margins = Predictions.empty(len(rows.y), self._classes)
        own, at = self._engine.learn(state.own, rows, margins, start)
        to_input(rows, start, at, True, margins.raw, state.counts, out)
        return state._replace(own=own), at

    def calls(
        self, state: MultinomialState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True
    ) -> Calls:
        """See `Engine.calls`; of one row."""
        margins = Predictions.empty(1, self._classes)
        calls = self._engine.calls(state.own, rows, margins, start, learns)
        return [*calls, (to_input, (rows, 0, 1, learns, margins.raw, state.counts, out))] if calls else calls

    def predict(self, state: MultinomialState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        margins = Predictions.empty(len(rows.y), self._classes)
        at = self._engine.predict(state.own, rows, margins)
        to_input(rows, 0, len(rows.y), False, margins.raw, state.counts, out)
        return at

    def refusal(self, rows: Rows, row: int) -> tuple[str, str] | None:
        """(found, expected) for a row that `learn` refused; None if its numbers were out of bounds."""
        return self._engine.refusal(rows, row)

    def weights(self, state: MultinomialState, features: int, number: int | None = None) -> np.ndarray:
        """See `Engine.weights`."""
        w = self._engine.weights(state.own, features)
        return w if number is None else w[number]

    def reordered(self, state: MultinomialState, order: list[int | None]) -> MultinomialState:
        """`state` with its classes in another order (see `Engine.reordered`)."""
        met = self.met(state)
        further = iter(range(met, self._classes))  # alike as long as no row of them has been learned
        places = [next(further) if k is None else k for k in order]
        places += [k for k in range(self._classes) if k not in places]
        return MultinomialState(axes.reordered(state.own, places), state.counts[places])

    def facts(self, state: MultinomialState) -> dict[str, Any]:
        """classes: of each the rows learned (`examples`); and what the learner that they share has to tell."""
        counts = state.counts[: self.met(state)].tolist()
        return {"classes": [{"examples": count} for count in counts], **self._engine.facts(state.own)}


@jit
def to_input(rows, start, stop, learns, scores, counts, out):
    """Put what a learner of all classes says of rows start..stop-1 into `out`; where it `learns`, count their classes.

    scores : float64[n, K], set to 0; counts : int64[K]
    """
    met = 0
    for k in range(len(counts)):
        if counts[k] > 0:
            met = k + 1
    for i in range(start, stop):
        for k in range(len(out.raw[i])):
            out.raw[i, k] = scores[i, k]
        out.met[i] = met
        if met < len(counts):
            out.unseen[i] = scores[i, met]
        if learns and is_learned(rows.weight[i], rows.y[i]):
            counts[int(rows.y[i])] += 1
            met = max(met, int(rows.y[i]) + 1)
    scores.fill(0.0)
