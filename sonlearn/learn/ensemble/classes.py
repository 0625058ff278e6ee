"""The committee of several classes: members that score all classes at once, on views shared by all, and a combiner.

A row goes through every view once, each member scores all classes that have been met and learns from it, and the
combiner (`class_combiner`) makes probabilities of their scores, all of them given before the label is used.

Inside, a class is a slot: 0, 1, ... in the order in which the rows learned have shown them. So nothing depends on how
classes are numbered or named outside, and one that comes late is no different from any other. For a class that has not
been met there is no score but one for all such together, by Good and Turing: after t rows that have shown n classes
only once each, the next row is of a new class with the probability (n + 1/2)/(t + 1).

There are two combinations, each with weights of its own. The *online* one is over all members at work: it predicts
while rows are learned. The *offline* one is over members of long memory only: it predicts where labels have stopped
coming, in `predict`. Where no member forgets they are the same.

Rows are taken in chunks, so that the scores of all members for all classes need a bounded space; where they end
changes no bit.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.jit import bare_jit
from sonlearn.learn.delay import ScoresQueue, exchange_scores, new_scores_queue, with_room
from sonlearn.learn.engine import Contributions, Engine, Predictions
from sonlearn.learn.ensemble.class_combiner import (
    PRIOR,
    ClassCombiner,
    combine_members,
    level,
    new_class_combiner,
)
from sonlearn.learn.ensemble.class_pruning import (
    FIRST,
    SHORT,
    WORDS,
    WORDS_AFTER,
    ClassHistory,
    ClassPruningCase,
    doubt_after,
    new_history,
    next_checkpoint,
    out_of_place,
    pruned,
    remembered,
    replayed,
    scattered,
    too_early,
)
from sonlearn.learn.ensemble.committee import LIMIT, NOW, first_wild
from sonlearn.learn.ensemble.importance import relative_weights
from sonlearn.learn.ensemble.jobs import Job, work_off
from sonlearn.learn.ensemble.merging import majority, merge_class_combiners, merge_histories, merge_now, went_on
from sonlearn.learn.ensemble.viewing import Seen, Views, rows_between
from sonlearn.learn.multiclass.one_vs_rest import first_occurrences
from sonlearn.options import LearnOptions
from sonlearn.options.class_members import CLASS_METHODS, ClassMember, class_member, default_class_members
from sonlearn.options.members import NAG_SECONDS

#: Scores held at a time, of all members, rows of a chunk and classes; and rows of a chunk at least.
CELLS, LEAST_ROWS = 1 << 19, 8
_UNMET = -1
WORK = [("rows", "i8"), ("entries", "i8"), ("features", "i8"), ("once", "i8"), ("words", "i8")]


class ClassesState(NamedTuple):
    """All that has been learned."""

    views: tuple  # states of the views
    members: tuple  # states of the members
    online: ClassCombiner
    offline: ClassCombiner
    # float64[k, 4]; of each member the sums of h and of h * error over the rows learned, how many entries of its view
    # it has had, and up to the first time that members are pruned of how many different features
    tally: np.ndarray
    history: ClassHistory  # see `class_pruning`, up to the last time that members are pruned
    slots: np.ndarray  # int64[classes]; of the number of a class, its slot or -1
    counts: np.ndarray  # int64[slots]; rows learned of each
    waiting: ScoresQueue  # scores of rows whose labels come late
    active: np.ndarray  # bool[k]; members at work
    now: np.ndarray  # structured [1], as of a committee
    # structured [1]: rows learned; their entries and features; classes shown once; whether rows are words
    work: np.ndarray

    @property
    def classes(self) -> tuple:
        """Numbers of the classes that have been met or named."""
        return tuple(range(len(self.slots)))


class ClassCommittee(Engine):
    """Engine of the committee of several classes (see `sonlearn.learn.engine.Engine` for the verbs).

    Labels of rows are numbers of classes from 0 on, in the order in which classes are met or were named, and NaN. In
    rows that are only predicted any other number may stand.

    Parameters
    ----------
    options : LearnOptions
        ``members``: of which members, empty: those of `sonlearn.options.class_members`.
    threads : int
        How many views and members may run side by side.
    """

    #: Views count the features that no row learned from has had (`sonlearn.views.view`).
    unknown = True

    def __init__(self, options: LearnOptions, threads: int = 1):
        self._options, self._most = options, options.oaa or options.multinomial
        names = options.members or default_class_members(options.budget)
        self.members = tuple(class_member(name) for name in names)
        self._engines = tuple(make_class_member(member, options.decay) for member in self.members)
        self._threads = threads if threads > 1 else 0
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        views = dict.fromkeys(member.view for member in self.members)
        self._views = Views(views, options.loss, several=True)
        self._prunes, self.merges = options.prune and options.budget != "rich", True
        self._room = np.zeros(0)
        self._lasting = [i for i, member in enumerate(self.members) if member.lasting]

    def new(self, classes: int = 0) -> ClassesState:
        """State that has seen nothing; so many classes have been named."""
        combiners = [self._new_combiner() for _ in range(2)]
        k = len(self.members)
        return ClassesState(
            self._views.new(), tuple(engine.new() for engine in self._engines), *combiners,
            np.zeros((k, 4)), new_history(k), np.full(classes, _UNMET), np.zeros(0, np.int64),
            new_scores_queue(self._options.label_delay, k), np.ones(k, dtype=bool), np.zeros(1, dtype=NOW),
            np.zeros(1, dtype=WORK),
        )  # fmt: skip

    def _new_combiner(self) -> ClassCombiner:
        weights, precision = (np.array([getattr(m, what) for m in self.members]) for what in ("weight", "precision"))
        return new_class_combiner(weights, self._options.decay, precision)

    def met(self, state: ClassesState) -> int:
        """How many classes have been met or named."""
        return len(state.slots)

    def reserve(self, state: ClassesState, rows: Rows, features: int) -> ClassesState:
        """Views have room for the batch, members for what they have been shown; theirs of the batch comes with it."""
        views = self._views.reserve(state.views, rows, features, self._needed(state))
        sizes, members = self._views.sizes(views), list(state.members)
        for i in self._active(state):
            members[i] = self._engines[i].reserve(members[i], NO_ROWS, sizes[self.members[i].view])
        return state._replace(views=views, members=tuple(members))

    def learn(self, state: ClassesState, rows: Rows, out: Predictions, start: int) -> tuple[ClassesState, int]:
        """Learn rows from `start` on; see `Engine.learn`."""
        return self._learn(state, rows, out, start, settles=False)

    def settle(self, state: ClassesState, rows: Rows, out: Predictions, start: int) -> tuple[ClassesState, int]:
        """`learn`, but members of a long memory only predict, unless there are new classes; see `Engine.settle`."""
        return self._learn(state, rows, out, start, settles=True)

    def _learn(
        self, state: ClassesState, rows: Rows, out: Predictions, start: int, settles: bool
    ) -> tuple[ClassesState, int]:
        end = first_wild(rows.indptr, rows.values, rows.y, rows.weight, start, LIMIT)
        part, out = rows_between(rows, start, end), out.part(start, end)
        part = part._replace(weight=relative_weights(state.now, part.weight, part.y))
        learned = part.weight > 0  # and labelled: a NaN is of no class
        births = first_occurrences(np.where(learned, part.y, np.nan), len(state.slots))
        out.met[:] = len(state.slots) + np.searchsorted(births, np.arange(end - start))
        state, part = self._slotted(state, part, learned)
        settles = settles and not len(births)
        at = 0
        while at < end - start:
            stop = min(at + self._rows_at_a_time(state), end - start)
            stop = self._up_to_checkpoint(state, part, at, stop)
            state = self._learn_chunk(state, rows_between(part, at, stop), out.part(at, stop), settles)
            at = stop
        return state, end

    def predict(self, state: ClassesState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        n, known = len(rows.y), len(state.counts)
        out.met[:] = len(state.slots)
        weight = relative_weights(state.now, rows.weight, rows.y, learn=False)
        rows = rows._replace(y=np.full(n, np.nan), weight=weight)
        for at in range(0, n, self._rows_at_a_time(state)):
            stop = min(at + self._rows_at_a_time(state), n)
            part = rows_between(rows, at, stop)
            V, active = self._scored(state, part), self._active(state)
            met, logs = np.full(stop - at, known), np.zeros((stop - at, known))
            lasting = self._lasting_at_work(state)
            V = _scores_of(V, active, lasting)
            combine_members(state.offline, lasting, V, met, part.y, part.weight, False, logs)
            once, t = int(state.work["once"][0]), int(state.work["rows"][0])
            own = out.part(at, stop)
            self._to_input(state, logs, met, np.full(stop - at, once), np.full(stop - at, t), own)
            finite = np.isfinite(own.raw).all(axis=1)
            if not finite.all():
                return at + int(np.argmin(finite))
        return n

    def contributions(self, state: ClassesState, rows: Rows, number: int) -> Contributions:
        """What the members score for the class of that number, less what each scores for its best class.

        The offline weights are meant. Nothing is said of a class that no row has shown.
        """
        active = self._lasting_at_work(state)
        slot, n, w = int(state.slots[number]), len(rows.y), state.offline.w[active]
        V = np.zeros((n, len(active)))
        if slot >= 0:
            every = self._active(state)
            scores = self._scored(state, rows._replace(y=np.full(n, np.nan)))
            V = np.ascontiguousarray(scores[[every.index(i) for i in active], :, slot].T)
        return Contributions(tuple(self.members[i].name for i in active), V, w, w * V, np.zeros(n))

    def weights(self, state: ClassesState, features: int, number: int | None = None) -> np.ndarray:
        """Weights of the members that are linear in the raw row, as they are added up (see `Engine.weights`)."""
        if number is None:
            rows = [self.weights(state, features, k) for k in range(len(state.slots))]
            return np.array(rows).reshape(len(rows), features)
        out, slot = np.zeros(features), int(state.slots[number])
        for i in self._active(state):
            if slot >= 0 and self.members[i].view == "raw":
                out += state.offline.w[i] * self._engines[i].weights(state.members[i], features, slot)
        return out

    def packed(self, state: ClassesState) -> ClassesState:
        """`state` without spare room."""
        members = tuple(engine.packed(own) for engine, own in zip(self._engines, state.members, strict=True))
        waiting = state.waiting._replace(scores=state.waiting.scores[: len(state.counts)])
        return state._replace(views=self._views.packed(state.views), members=members, waiting=waiting)

    def facts(self, state: ClassesState) -> dict[str, Any]:
        """members: of each its name, whether it is at work, its own error, the combiner's weights, pairs and bytes;
        classes: of each the rows learned (`examples`).
        """
        active, online, offline = self._active(state), state.online.w, state.offline.w
        errors = state.tally[:, 1] / np.maximum(state.tally[:, 0], 1e-300)
        members = []
        for i, member in enumerate(self.members):
            own = {
                "name": member.name, "active": i in active, "error": float(errors[i]), "weight": float(online[i]),
                "offline": float(offline[i]) if i in self._lasting else 0.0,
            }  # fmt: skip
            members.append(own | (self._engines[i].facts(state.members[i]) if i in active else {}))
        counts = np.append(state.counts, 0)[state.slots]
        return {"members": members, "classes": [{"examples": count} for count in counts.tolist()]}

    def next_pass(self, state: ClassesState) -> None:
        """Say that the rows to come have been learned from before.

        Members that have seen a row predict it better than they predict a new one, and those that memorise gain most:
        the combiner, which would come to rely on them, learns only in the first pass. What is counted is counted once.
        """
        state.now["passes"] += 1

    def renumbered(
        self, state: ClassesState, numbers: np.ndarray, features: int, slots: np.ndarray | None = None
    ) -> ClassesState:
        """`state` with other numbers of the features (see `Engine.renumbered`)."""
        views, shown = self._views.renumbered(state.views, numbers, features)
        members, slots, work = list(state.members), np.arange(len(state.counts)), state.work.copy()
        for i in self._active(state):
            own = shown[self.members[i].view]
            members[i] = self._engines[i].renumbered(members[i], own, int(own.max(initial=-1)) + 1, slots)
        work["features"] = 1 + numbers[: work["features"][0]].max(initial=-1)
        return state._replace(views=views, members=tuple(members), work=work)

    def merge(self, states: Sequence[ClassesState], base: ClassesState, rows: Sequence[int]) -> ClassesState:
        """Views, members and combiners, each in its own way; members at work in at least half of the states stay.

        See `Engine.merge` and `StackedEnsemble.merge`. The states have the same classes in the same order.
        """
        every, k = (base, *states), len(self.members)
        slots, maps = merged_slots([state.slots for state in every], [len(state.counts) for state in every])
        K = int(slots.max(initial=-1)) + 1
        left = majority([state.active for state in states])
        views, members = list(self._views.new()), [engine.new() for engine in self._engines]
        for at, name in enumerate(self._views.names):
            holders = [g for g, state in enumerate(states) if name in self._needed(state)]
            here = [i for i in left if self.members[i].view == name]
            if not here:
                continue
            seen = self._views.merge(name, [states[g].views for g in holders], base.views)
            views[at] = seen.state
            size = self._views.sizes(tuple(views))[name]
            for i in here:
                both = zip(holders, seen.numbers, strict=True)
                own = [(g, numbers) for g, numbers in both if i in self._active(states[g])]
                engine = self._engines[i]
                start = engine.renumbered(base.members[i], seen.base, size, maps[0])
                found = [engine.renumbered(states[g].members[i], numbers, size, maps[g + 1]) for g, numbers in own]
                members[i] = engine.merge(found, start, [rows[g] for g, _ in own])
        gone = [[i for i in range(k) if i not in left or i not in self._active(state)] for state in states]
        counts = np.zeros(K, np.int64)
        for g, state in enumerate(every):
            np.add.at(
                counts, maps[g], state.counts if g == 0 else state.counts - padded(base.counts, len(state.counts))
            )
        work = base.work.copy()
        for name in ("rows", "entries"):
            work[name] = merging.summed(base.work[name], [s.work[name] for s in states], np.ones(len(states)))
        for name in ("features", "words"):
            work[name] = max(int(state.work[name][0]) for state in every)
        work["once"] = np.count_nonzero(counts == 1)
        tally = merging.summed(base.tally, [state.tally for state in states], np.ones(len(states)))
        tally[:, 3] = np.max([state.tally[:, 3] for state in states], axis=0)
        learned = [int(state.work["rows"][0] - base.work["rows"][0]) for state in states]
        combiners = [
            merge_class_combiners(own, start if went_on(own, start, learned) else self._new_combiner(), gone)
            for own, start in (
                ([state.online for state in states], base.online), ([state.offline for state in states], base.offline),
            )
        ]  # fmt: skip
        merged = ClassesState(
            tuple(views), tuple(members), *combiners, tally, new_history(k), slots, counts,
            base.waiting, np.isin(np.arange(k), left), merge_now([state.now for state in states], base.now), work,
        )  # fmt: skip
        most, after = max(int(state.work["rows"][0]) for state in states), int(work["rows"][0])
        if not (self._prunes and next_checkpoint(most)):
            return merged
        merged = merged._replace(history=merge_histories([s.history for s in states], base.history, rows))
        if next_checkpoint(most) <= after - most:
            return self._prune(merged)
        return merged

    def reordered(self, state: ClassesState, order: list[int | None]) -> ClassesState:
        """`state` with its classes in another order; None stands for one that has not been met."""
        slots = np.array([_UNMET if number is None else state.slots[number] for number in order], dtype=np.int64)
        return state._replace(slots=slots)

    # -- how ---------------------------------------------------------------------------------------------------------

    def _active(self, state: ClassesState) -> list[int]:
        """Positions of the members at work."""
        found: list[int] = np.flatnonzero(state.active).tolist()
        return found

    def _lasting_at_work(self, state: ClassesState) -> list[int]:
        """Those of long memory; all, where there is none."""
        active = self._active(state)
        return [i for i in active if i in self._lasting] or active

    def _needed(self, state: ClassesState) -> set[str]:
        return {self.members[i].view for i in self._active(state)}

    def _rows_at_a_time(self, state: ClassesState) -> int:
        return max(CELLS // max(len(self._active(state)) * len(state.counts), 1), LEAST_ROWS)

    def _slotted(self, state: ClassesState, rows: Rows, learned: np.ndarray) -> tuple[ClassesState, Rows]:
        """(the state with a slot for each class of the rows learned, the rows with slots for labels)."""
        labelled = np.flatnonzero(~np.isnan(rows.y))
        numbers = rows.y[labelled].astype(np.int64)
        learned_by = learned[labelled]
        found, first = np.unique(numbers[learned_by], return_index=True)
        slots, used = state.slots, len(state.counts)
        if len(found):
            slots = np.concatenate([slots, np.full(max(int(found[-1]) + 1 - len(slots), 0), _UNMET)])
            for number in found[np.argsort(first)].tolist():
                if slots[number] == _UNMET:
                    slots = slots.copy() if slots is state.slots else slots
                    slots[number], used = used, used + 1
        y = np.full(len(rows.y), np.nan)
        inside = (numbers >= 0) & (numbers < len(slots)) & learned_by
        y[labelled[inside]] = slots[numbers[inside]]
        counts = np.concatenate([state.counts, np.zeros(used - len(state.counts), np.int64)])
        return state._replace(slots=slots, counts=counts), rows._replace(y=y)

    def _learn_chunk(self, state: ClassesState, rows: Rows, out: Predictions, settles: bool) -> ClassesState:
        """Learn `rows`, whose labels are slots; fills `out`, whose `met` is there."""
        again, active, n, K = bool(state.now["passes"][0] > 0), self._active(state), len(rows.y), len(state.counts)
        labelled = ~np.isnan(rows.y)
        met, once, t = self._count(state, rows, labelled, again)
        V, (logs, others) = np.split(self._room_for(len(active) + 2, n, K), [len(active)])
        members = list(state.members)
        own, seen = self._views.showing(state.views, rows, learn=not again)

        def teach(j: int, shown: Rows, features: int) -> None:
            i = active[j]
            engine, scores = self._engines[i], Predictions.of_scores(V[j])
            members[i] = engine.reserve(members[i], shown, features)
            if again if engine.counts else settles and i in self._lasting:
                engine.predict(members[i], shown, scores)
            else:
                members[i], _ = engine.learn(members[i], shown, scores, 0)
            level(V[j], met)
            if not again:
                state.tally[i, 2] += int(np.diff(shown.indptr)[labelled].sum())
                if t[0] < FIRST:
                    top = shown.features[: shown.indptr[-1]].max(initial=-1) + 1
                    state.tally[i, 3] = max(state.tally[i, 3], top)

        self._each(state, seen, n, teach)
        if self._options.label_delay:
            waiting = with_room(state.waiting, K)
            exchange_scores(waiting, np.array(active), rows.y, rows.weight, V, met)
            state = state._replace(waiting=waiting)
        for j, i in enumerate(() if again else active):
            tally_up(state.tally[i], V[j], met, rows.y, rows.weight)
        combine_members(state.online, active, V, met, rows.y, rows.weight, not again, logs)
        lasting = self._lasting_at_work(state)
        if len(lasting) == len(active):
            for offline, online in zip(state.offline, state.online, strict=True):
                offline[:] = online
        elif not again:
            V_lasting = _scores_of(V, active, lasting)
            combine_members(state.offline, lasting, V_lasting, met, rows.y, rows.weight, True, others)
        self._to_input(state, logs, met, once, t, out)
        state = state._replace(views=tuple(own), members=tuple(members))
        if again or not self._prunes:
            return state
        state.work["entries"] += int(np.diff(rows.indptr)[labelled].sum())
        top = int(rows.features[: rows.indptr[-1]].max(initial=-1)) + 1
        state.work["features"] = max(int(state.work["features"][0]), top)
        before = int(t[0]) if n else 0
        if next_checkpoint(before):
            history = remembered(state.history, active, V, logs, met, t, rows.y, rows.weight)
            state = state._replace(history=history)
            if next_checkpoint(before) == int(state.work["rows"][0]) - before:
                state = self._prune(state)
        return state

    def _room_for(self, k: int, n: int, K: int) -> np.ndarray:
        """float64[k, n, K] of any content: the same memory each time, which the system would have to clear anew."""
        if len(self._room) < k * n * K:
            self._room = np.zeros(k * n * K)
        return self._room[: k * n * K].reshape(k, n, K)

    def _up_to_checkpoint(self, state: ClassesState, rows: Rows, start: int, stop: int) -> int:
        """Where to stop so that pruning comes after the very same row however the stream is cut."""
        left = next_checkpoint(int(state.work["rows"][0])) if self._prunes and not state.now["passes"][0] else 0
        counts = np.cumsum(~np.isnan(rows.y[start:stop]))
        return start + int(np.searchsorted(counts, left)) + 1 if left and counts[-1] >= left else stop

    def _prune(self, state: ClassesState) -> ClassesState:
        """Prune the members that do not pay for their time: nothing of them is kept, in the combiners neither."""
        rows, active, members = int(state.work["rows"][0]), self._active(state), list(state.members)
        costs = np.array([member.cost for member in self.members]) * state.tally[:, 2]
        short = int(state.work["entries"][0]) <= SHORT * rows
        allowed = self._options.microseconds * 1e-6 / NAG_SECONDS * rows
        words = int(state.work["features"][0]) >= WORDS * int(state.work["entries"][0])
        if rows == WORDS_AFTER:
            state.work["words"] = words
        words = bool(state.work["words"][0])
        doubt = doubt_after(rows)
        case = ClassPruningCase(self.members, state.history, costs, short, words, allowed, self._options.decay, doubt)
        if rows == WORDS_AFTER:
            going = out_of_place(case, active)
        elif rows == FIRST:
            going = scattered(case, active, state.tally[:, 2:])
        else:
            going = pruned(case, active, too_early(case, rows))
        for i in going:
            members[i] = self._engines[i].new()
            state.active[i] = False
        if going:
            state.history.scores[:, going] = 0.0
            for combiner, among in ((state.online, self._active(state)), (state.offline, self._lasting_at_work(state))):
                refill(combiner, case, among)
        history = state.history if next_checkpoint(rows) else new_history(len(self.members))
        state = state._replace(members=tuple(members), history=history)
        return state._replace(views=self._views.kept(state.views, self._needed(state)))

    def _scored(self, state: ClassesState, rows: Rows) -> np.ndarray:
        """float64[at work, n, slots]: the members' levelled scores of rows that they do not learn from."""
        active, n, K = self._active(state), len(rows.y), len(state.counts)
        V, met = self._room_for(len(active), n, K), np.full(n, K)
        _, seen = self._views.showing(state.views, rows, learn=False)

        def ask(j: int, shown: Rows, features: int) -> None:
            self._engines[active[j]].predict(state.members[active[j]], shown, Predictions.of_scores(V[j]))
            level(V[j], met)

        self._each(state, seen, n, ask)
        return V

    def _each(self, state: ClassesState, seen: Seen, n: int, call: Callable[[int, Rows, int], None]) -> None:
        """``call(j, rows, features of the view)`` for each member at work and its view, side by side."""
        sharing: dict[str, list[int]] = {}
        for j, i in enumerate(self._active(state)):
            sharing.setdefault(self.members[i].view, []).append(j)
        jobs = list[Job]()
        for view, members in sorted(sharing.items(), key=lambda item: -sum(self.members[j].cost for j in item[1])):
            shown: list[tuple[Rows, int]] = []
            jobs.append(fit_transform := Job(functools.partial(_show, seen, view, n, shown)))
            jobs += [Job(functools.partial(_call, call, j, shown), [fit_transform]) for j in members]
        work_off(jobs, self._pool, self._threads)

    def _count(
        self, state: ClassesState, rows: Rows, labelled: np.ndarray, again: bool
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Count the rows; int64[n] each, before each row: classes met, classes shown once, rows learned."""
        n = len(rows.y)
        met, once, t = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64)
        count_rows(state.counts, state.work, np.where(labelled, rows.y, -1.0).astype(np.int64), again, met, once, t)
        return met, once, t

    def _to_input(
        self, state: ClassesState, logs: np.ndarray, met: np.ndarray, once: np.ndarray, t: np.ndarray, out: Predictions
    ) -> None:
        """Fill in the scores of `out`, whose `met` is there, from logarithms of probabilities, float64[n, slots]."""
        unmet = np.maximum((self._most or 0) - met, 1)
        new = (once + 0.5) / (t + 1.0)
        out.unseen[:] = np.where(met > 0, np.log(new / (1.0 - new) / unmet), 0.0)
        tell(state.slots, logs, met, out.unseen, out.raw)


def _scores_of(V: np.ndarray, active: list[int], some: list[int]) -> np.ndarray:
    """float64[len(some), n, K]: of V, the scores of the `active` members, those of `some` of them."""
    at = [active.index(i) for i in some]
    return V[: len(at)] if at == list(range(len(at))) else V[at]


def refill(combiner: ClassCombiner, case: ClassPruningCase, among: list[int]) -> None:
    """The combiner as if only the members `among` had ever scored anything: the history replayed."""
    anew = replayed(case, among, PRIOR)[0]
    combiner.w[:], combiner.A[:] = 0.0, np.diag(combiner.prior)
    combiner.w[among] = anew.w
    combiner.A[np.ix_(among, among)] = anew.A


def merged_slots(slots: list[np.ndarray], counts: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """(slots of the merged state, of each state the new slots of its own), the first state being the base.

    Parameters
    ----------
    slots : of each state int64[classes], of the same classes
    counts : how many slots each has
    """
    merged, used, maps = np.full(len(slots[0]), _UNMET), 0, []
    for own, count in zip(slots, counts, strict=True):
        numbers = np.flatnonzero(own >= 0)
        new = numbers[(merged[numbers] == _UNMET)]
        merged[new[np.argsort(own[new])]] = used + np.arange(len(new))
        used += len(new)
        place = np.zeros(count, np.int64)
        place[own[numbers]] = merged[numbers]
        maps.append(place)
    return merged, maps


def padded(counts: np.ndarray, length: int) -> np.ndarray:
    """int64[length]: `counts`, and zeros behind them."""
    return np.append(counts, np.zeros(length - len(counts), np.int64))


def make_class_member(member: ClassMember, decay: float) -> Engine:
    """The learner of a member; `decay` is what all members forget at least, where they can."""
    module, name, takes = CLASS_METHODS[member.method]
    options = {"decay": max(member.decay, decay)} if "decay" in takes else {}
    engine: Engine = getattr(importlib.import_module(f"sonlearn.learn.multiclass.{module}"), name)(
        **member.options, **options
    )
    return engine


def _show(seen: Seen, view: str, n: int, shown: list[tuple[Rows, int]]) -> None:
    shown.append(seen.part(view, 0, n))


def _call(call: Callable[..., None], j: int, shown: list[tuple[Rows, int]]) -> None:
    call(j, *shown[0])


@bare_jit
def count_rows(counts, work, y, again, met, once, t):
    """Count rows of the slots `y`, and say what had been counted before each.

    Parameters
    ----------
    counts : int64[slots], changed; of the classes shown so far above 0
    work : structured [1], changed unless `again`: rows learned, classes shown once
    y : int64[n], -1 for a row that is not learned from
    again : bool, whether the rows have been learned from before
    met, once, t : int64[n], filled in: classes met, classes shown once, rows learned
    """
    known = 0
    while known < len(counts) and counts[known] > 0:
        known += 1
    for i in range(len(y)):
        met[i], once[i], t[i] = known, work[0]["once"], work[0]["rows"]
        if y[i] < 0:
            continue
        counts[y[i]] += 1
        known = max(known, y[i] + 1)
        if not again:
            work[0]["rows"] += 1
            if counts[y[i]] == 1:
                work[0]["once"] += 1
            elif counts[y[i]] == 2:
                work[0]["once"] -= 1


@bare_jit
def tell(slots, logs, met, unseen, scores):
    """scores[i, number] <- logs[i, slot of the class], or of a class not met before row i unseen[i].

    Parameters
    ----------
    slots : int64[classes]; logs : float64[n, slots]; met : int64[n]; unseen : float64[n]
    scores : float64[n, K], filled in
    """
    for i in range(len(met)):
        for number in range(scores.shape[1]):
            slot = slots[number] if number < len(slots) else -1
            scores[i, number] = logs[i, slot] if 0 <= slot < met[i] else unseen[i]


@bare_jit
def tally_up(tally, V, met, y, weight):
    """tally[0] += h and, where the best score is not that of class y, tally[1] += h, row by row.

    Parameters
    ----------
    tally : float64[2], changed; V : float64[n, K], levelled: the best class has 0, of equal ones the first
    met : int64[n]; y : float64[n], NaN for none; weight : float64[n]
    """
    for i in range(len(y)):
        if y[i] != y[i]:
            continue
        k = int(y[i])
        right = k < met[i] and V[i, k] == 0.0
        for earlier in range(k if right else 0):
            if V[i, earlier] == 0.0:
                right = False
        tally[0] += weight[i]
        tally[1] += 0.0 if right else weight[i]
