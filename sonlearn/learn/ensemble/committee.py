"""The committee: views of a row, members that learn from them, and combiners of their predictions. The default method.

Each member predicts a row from its view and learns from it, and the combiners (`combiner`) do the same with the
members' predictions, all of them made before the label is used. It is one for values, two classes and several classes:
what differs stands in a `Target`.

There are two combinations. The online one is of all members at work: it is what is reported while labels arrive. The
offline one is of those with a long memory only, and is what `predict` uses (no labels arrive): what forgets within a
hundred rows is worth nothing once labels have stopped coming. Both predict every row before its label is used. While no
member at work forgets faster than the others they are one, and the combiner of the offline one stands still. Where rows
are of numbers, `predict` takes the weights of members at rest (`resting`).

Members do not need each other within a batch, so they may run side by side (`scheduling`). Rows are taken in parts, so
that what members predict needs a bounded space; at a few checkpoints the members that do not pay for their time are
pruned (`pruning`). Neither changes a bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import PART, Axis, Numbers, Scalars, summed
from sonlearn.data.rows import MAX_INPUT, NO_ROWS, Rows, first_out_of_bounds, is_learned, learned_rows, rows_between
from sonlearn.errors import OptionError
from sonlearn.files.storage import Maybe
from sonlearn.jit import jit
from sonlearn.jit.sequence import Calls, run_calls
from sonlearn.learn.boosting.engine import last_weights
from sonlearn.learn.delay import DelayQueue, exchange, new_waiting, with_room_for
from sonlearn.learn.drift import Drift, detect_drift, merge_drifts, new_drift
from sonlearn.learn.engine import Contributions, Engine, Predictions, State, first_not_finite
from sonlearn.learn.ensemble import merging, progress, resting
from sonlearn.learn.ensemble.by_row import CommitteeByRow
from sonlearn.learn.ensemble.combiner import Combiner, conditioned, discount, reset_inputs, weights_of
from sonlearn.learn.ensemble.label_scale import relative_weights, unit_of
from sonlearn.learn.ensemble.progress import VALUES, update_losses, update_tally
from sonlearn.learn.ensemble.pruning import NAMES, RARE, SHORT, Importance, PruningCase, next_checkpoint, prune
from sonlearn.learn.ensemble.resting import Copy, Resting, new_resting
from sonlearn.learn.ensemble.scheduling import Scheduler, Seen, Views
from sonlearn.learn.ensemble.slots import ClassSlots
from sonlearn.learn.ensemble.target import Part, Target
from sonlearn.learn.losses import SQUARED
from sonlearn.options import LearnOptions
from sonlearn.options.members import NAG_SECONDS, Member, default_members, member, word_members
from sonlearn.options.views import COLUMNS, VIEWS, WORDS
from sonlearn.views.view import first_in_parts, part_of

#: Numbers held at a time, of all inputs, rows of a part and classes; and rows of a part at least.
MAX_NUMBERS, MIN_ROWS = 1 << 19, 8
#: Sums of `relative_weights`; passes begun over rows learned before, 0: they are new; rows learned, those with a label
#: above 0, their entries (those of columns, where rows are in parts) and features; whether rows are words; whether they
#: are seen in parts; entries with the value 1.
NOW = [("weighted", "i8"), ("weight", "f8"), ("passes", "i8"), ("rows", "i8"), ("positive", "i8"), ("entries", "i8"),
       ("features", "i8"), ("words", "i8"), ("in_parts", "i8"), ("ones", "i8")]  # fmt: skip
SCALARS = Scalars(
    totals=("weighted", "weight", "rows", "positive", "entries", "ones"),
    largest=("passes", "features", "words", "in_parts"),
)


class CommitteeState(NamedTuple):
    """All that a committee has learned."""

    labels: State  # see `target.Target`
    views: tuple  # the views' states
    members: tuple  # the members' states
    online: Combiner  # of all members
    below: Combiner  # of those that members on a stacked view see; of no input where there are none
    offline: Combiner  # of those with a long memory, while others are at work; of no input where there are no others
    resting: Annotated[Resting, PART]  # members at rest, and what they weigh
    # float64[k, 5]; sums of h and of h * error over the rows learned, each member's own progress; entries that it saw;
    # of how many different features, up to the checkpoint that asks; and of h * error times the sum of h before
    tally: Annotated[np.ndarray, Axis(), merging.merge_tallies]
    # float64[2, 3]; of the online and of the offline combination: sums of h, h * loss and h * error of the rows learned
    totals: Annotated[np.ndarray, Axis(), summed]
    drift: Annotated[Drift, Axis(), merge_drifts]  # changes of the stream
    waiting: DelayQueue  # inputs for rows whose labels come late
    active: np.ndarray  # bool[k]; members at work
    now: Annotated[np.ndarray, SCALARS]  # structured [1]: see `NOW`


class ActiveMembers(NamedTuple):
    """Members that have not been pruned, and the inputs of the combinations."""

    active: list[int]  # positions of the members
    by_view: dict[str, list[int]]  # of each view its members, as places in `active`
    first: dict[str, list[int]]  # of those that are not stacked
    asked: dict[str, list[int]]  # of those of these that the members with a long memory need
    stacked: dict[str, list[int]]  # of the others
    below: list[int]  # positions of the inputs that these are shown
    online: list[int]  # positions of the inputs of the online combination
    offline: list[int]  # of the offline one: those with a long memory
    separate: bool  # whether that is another one, with a combiner of its own


class Committee(Engine):
    """Engine of the committee.

    Parameters
    ----------
    options : LearnOptions
        ``members``: of which members, empty: of those that suit the problem.
    threads : int
        How many views and members may run side by side.
    """

    #: Views count the features that no row learned from has had (`sonlearn.views.view`).
    unknown = True

    def __init__(self, options: LearnOptions, threads: int = 1):
        self.options, self.members = options, committee_members(options)
        make = ClassSlots if options.several else Target
        self.target: Target = make(options, self.members)
        self.views = Views(dict.fromkeys(each.view for each in self.members), self.target.kind)
        self.engines = tuple(self.target.engine_of(each) for each in self.members)
        self.inputs = self.target.inputs
        #: bool[k]: members that see the words of texts alone; where there are such, others see the columns alone.
        self.of_words = np.array([VIEWS[each.view].part == WORDS for each in self.members])
        extra = range(len(self.members), len(self.inputs))
        memory = [(each.follows, max(each.rate, options.decay)) for each in self.members]
        #: Positions of the inputs of the offline combination; the longest memory among the members counts as long.
        self.long = (*(i for i, each in enumerate(memory) if each == min(memory)), *extra)
        self.short = [i for i in range(len(self.inputs)) if i not in self.long]
        self.stacked = [i for i, each in enumerate(self.members) if each.stacked]
        others = [i for i, each in enumerate(self.inputs) if i not in self.long or each.method == "boost"]
        self.above = others if self.stacked else []  #: positions of the inputs that no stacked view shows
        self.merges = all(engine.merges for engine in self.engines)
        self.prunes = options.prune and options.budget != "rich"
        self._scheduler, self._room, self._active = Scheduler(threads), np.zeros(0), dict[bytes, ActiveMembers]()

    def new(self, classes: int = 0) -> CommitteeState:
        """State of a committee that has seen nothing; of several classes, so many have been named."""
        k = len(self.members)
        return CommitteeState(
            labels=self.target.new(classes),
            views=self.views.new(),
            members=tuple(engine.new() for engine in self.engines),
            online=self.target.new_combiner(self.inputs),
            offline=reset_inputs(self.target.new_combiner(self.inputs if self.short else ()), self.short),
            below=reset_inputs(self.target.new_combiner(self.inputs if self.stacked else ()), self.above),
            resting=new_resting(len(self.inputs), self.target.rests),
            tally=np.zeros((k, 5)),
            totals=np.zeros((2, 3)),
            drift=new_drift(),
            waiting=new_waiting(self.options.label_delay, len(self.inputs)),
            active=np.ones(k, dtype=bool) if self.options.members else ~self.of_words,
            now=np.zeros(1, dtype=NOW),
        )

    def template(self, classes: int) -> CommitteeState:
        """See `Engine.template`: there may be a copy of what predicts."""
        state = self.new(classes)
        there = Maybe((Copy(self.target.new(), self.views.new(), tuple(engine.new() for engine in self.engines)),))
        return state._replace(resting=state.resting._replace(copy=there))

    def met(self, state: CommitteeState) -> int:
        """Return how many classes have been met or named."""
        return self.target.met(state.labels)

    def parts(self, state: CommitteeState) -> dict[str, Any]:
        """See `Engine.parts`; views have the same verbs."""
        return {"views": self.views.every, "members": self.engines}

    def reserve(self, state: CommitteeState, rows: Rows, features: int) -> CommitteeState:
        """Views have room for the batch, members for the features so far; theirs of the batch comes with it."""
        work = self.active_members(state)
        needed = set(work.by_view)
        if len(rows.marks) and not state.now["in_parts"][0]:  # from one of these rows on they may be in parts
            needed |= {self.members[i].view for i in np.flatnonzero(self.of_words).tolist()}
        views = self.views.reserve(state.views, rows, features, needed)
        sizes, members = self.views.sizes(views), list(state.members)
        for i in work.active:
            members[i] = self.engines[i].reserve(members[i], NO_ROWS, sizes[self.members[i].view])
        return state._replace(views=views, members=tuple(members))

    def learn(
        self, state: CommitteeState, rows: Rows, out: Predictions, start: int, settles: bool = False
    ) -> tuple[CommitteeState, int]:
        """Learn rows from `start` on; see `Engine.learn`."""
        end = first_out_of_bounds(rows.indptr, rows.values, rows.y, rows.weight, start, MAX_INPUT)
        if self.of_words.any() and not state.now["in_parts"][0]:
            at = start + first_in_parts(rows_between(rows, start, end), _rows(state))
            if at < end:
                state = self._learn_up_to(state, rows, out, start, at, settles)
                state.now["in_parts"], start = 1, at
                state = state._replace(active=state.active | self.of_words)
        return self._learn_up_to(state, rows, out, start, end, settles), end

    def settle(self, state: CommitteeState, rows: Rows, out: Predictions, start: int) -> tuple[CommitteeState, int]:
        """`learn`, but members of a long memory only predict, unless there are new classes; see `Engine.settle`."""
        return self.learn(state, rows, out, start, settles=True)

    def predict(self, state: CommitteeState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        for start, stop in self._row_blocks(state, out):
            part, seen = self._unlabelled(state, rows_between(rows, start, stop))
            _, z = self._offline(state, part, seen)
            run_calls(self.target.finish(state.labels, part.scale, (z, z), out.part(start, stop)))
        return first_not_finite(out)

    def by_row(self) -> CommitteeByRow:
        """See `Engine.by_row`."""
        return CommitteeByRow(self, Predictions.empty(1))

    def at_rest(self, state: CommitteeState) -> CommitteeState:
        """See `Engine.at_rest`: how trees of the rows before err in the last ones decides what trees weigh."""
        rested, target, silent = super().at_rest(state), self.target, self._silent(state)
        trees = {
            i: rested.members[i]
            for i in self.active_members(state).offline
            if self.inputs[i].method == "boost" and i not in silent and len(rested.members[i].scores)
        }
        if not trees or not (target.classes or target.loss.code == SQUARED):
            return rested
        held = min(len(own.scores) for own in trees.values())
        usual = resting.last_errors(state.resting, _rows(state), held)
        own_errors = (own.scores[-held:] / target.unit(state.labels, self.members[i]) for i, own in trees.items())
        errors, known = np.array([*own_errors, usual]), usual < resting.NONE
        if not known.any():
            return rested
        weight = last_weights(rested.members[min(trees)], held)
        own = resting.at_rest(state.resting, list(trees), errors[:, known], weight[known], target.classes)
        return rested._replace(resting=own)

    def error_ahead(self, state: CommitteeState) -> float:
        """See `Engine.error_ahead`."""
        return resting.error_ahead(state.resting)

    def contributions(self, state: CommitteeState, rows: Rows, number: int | None = None) -> Contributions:
        """Return what the members make of `rows` in the offline combination."""
        whole, seen = self._unlabelled(state, rows)
        V, z = self._offline(state, whole, seen)
        work = self.active_members(state)
        own, w = V[[work.online.index(i) for i in work.offline]], weights_of(self.offline_combiner(state))[work.offline]
        found = self.target.contributions(state.labels, whole.scale, own, w, z, number)
        return found._replace(names=tuple(self.inputs[i].name for i in work.offline))

    def weights(self, state: CommitteeState, features: int, number: int | None = None) -> np.ndarray:
        """Weights of the members that are linear in the raw row, as the combiner adds them up."""
        combined = weights_of(self.offline_combiner(state))

        def of_slot(k: int | None) -> np.ndarray:
            total = np.zeros(features)
            for i in self.active_members(state).active:
                if self.members[i].view == "raw" and combined[i]:
                    own = self.engines[i].weights(state.members[i], features, k)
                    total += combined[i] * self.members[i].gain * own
            return total

        return self.target.weights(state.labels, of_slot, number, features)

    def packed(self, state: CommitteeState) -> CommitteeState:
        """`state` without spare room."""
        return super().packed(state._replace(
            views=self.views.kept(state.views, self.active_members(state).by_view),
            waiting=state.waiting.packed(self.target.width(state.labels)),
        ))  # fmt: skip

    def renumbered(self, state: CommitteeState, numbers: Numbers) -> CommitteeState:
        """`state` with other numbers (see `Engine.renumbered`): the views', and what members see of these."""
        views, shown = self.views.renumbered(state.views, numbers)
        members, now = list(state.members), state.now.copy()
        for i in self.active_members(state).active:
            own = shown[self.members[i].view]
            members[i] = self.engines[i].renumbered(members[i], Numbers(own, int(own.max(initial=-1)) + 1))
        now["features"] = 1 + numbers.features[: now["features"][0]].max(initial=-1)
        return state._replace(
            views=views, members=tuple(members), now=now, resting=new_resting(len(self.inputs), self.target.rests)
        )

    def reordered(self, state: CommitteeState, order: list[int | None]) -> CommitteeState:
        """See `Engine.reordered`."""
        return state._replace(labels=self.target.reordered(state.labels, order))

    def merge(self, states: Sequence[CommitteeState], base: CommitteeState, rows: Sequence[int]) -> CommitteeState:
        """Views, members and combiners, each in its own way (see `Engine.merge`); members are pruned if it is time."""
        merged = merging.merged(self, states, base, rows)
        most, after = max(_rows(state) for state in states), _rows(merged)
        left = next_checkpoint(self.target.rules, most) if self.prunes else 0
        if not left:
            return merged
        return self._pruned(merged) if left <= after - most else merged  # to which no learner has come by itself

    def add_momentum(self, state: CommitteeState, base: CommitteeState, previous: CommitteeState) -> CommitteeState:
        """Members of a long memory go on as they moved before (see `Engine.add_momentum`)."""
        members = list(state.members)
        for i in np.flatnonzero(state.active & base.active & previous.active).tolist():
            if i in self.long:
                members[i] = self.engines[i].add_momentum(members[i], base.members[i], previous.members[i])
        return state._replace(members=tuple(members))

    def facts(self, state: CommitteeState) -> dict[str, Any]:
        """members, combinations, drift, spectra (a function): see `progress`; and what the target knows."""
        return {
            "members": progress.member_table(self, state), "combinations": progress.combinations(self, state),
            "drift": progress.drift(self, state), "spectra": lambda: progress.spectra(self, state),
        } | self.target.facts(state.labels)  # fmt: skip

    def next_pass(self, state: CommitteeState, again: bool) -> None:
        """See `Engine.next_pass`.

        Members that have learned a row predict it better than they predict a new one, and those that memorise gain
        most: the combiners, which would come to rely on them, learn only in the first pass, and anew from new rows
        after further passes. What is counted is counted once. Nor do members rest in further passes: the usual weights
        predict.
        """
        if state.now["passes"][0] > 0 and not again:
            for combiner in (state.online, state.offline, state.below):
                discount(combiner)
        if state.now["passes"][0] > 0 or again:
            resting.reset(state.resting)
        for i, (engine, own) in enumerate(zip(self.engines, state.members, strict=True)):
            if i not in self.stacked:  # which learn in no further pass
                engine.next_pass(own, again)
        state.now["passes"] = state.now["passes"] + 1 if again else 0

    def combined_as(self, state: CommitteeState, other: CommitteeState) -> CommitteeState:
        """See `Engine.combined_as`; of members that have left `state` alone, the others have the weight."""
        gone = np.flatnonzero(other.active & ~state.active).tolist()
        online, offline, below = (conditioned(each, gone) for each in (other.online, other.offline, other.below))
        return state._replace(online=online, offline=offline, below=below)

    # -- who is at work ----------------------------------------------------------------------------------------------

    def active_members(self, state: CommitteeState) -> ActiveMembers:
        """Return who is at work; looked up, since it changes at a few checkpoints only."""
        key = state.active.tobytes()
        if key not in self._active:
            active, by_view = np.flatnonzero(state.active).tolist(), dict[str, list[int]]()
            for j, i in enumerate(active):
                by_view.setdefault(self.members[i].view, []).append(j)
            online = [*active, *range(len(self.members), len(self.inputs))]
            separate = len({i in self.long for i in active}) > 1
            offline = [i for i in online if i in self.long]
            first, stacked = ({v: js for v, js in by_view.items() if VIEWS[v].stacked == own} for own in (False, True))
            asked = {view: [j for j in members if active[j] in self.long] for view, members in first.items()}
            asked = {view: members for view, members in asked.items() if members}
            below = [i for i in online if i not in self.above]
            self._active[key] = ActiveMembers(active, by_view, first, asked, stacked, below, online, offline, separate)
        return self._active[key]

    def offline_combiner(self, state: CommitteeState) -> Combiner:
        """That of the offline combination: of weights of members at rest and the usual ones.

        What rests has no weight once its view shows nothing any more: the usual weights have learned that.
        """
        usual, own = self.usual(state), resting.weights_without(state.resting, self._silent(state))
        return usual._replace(w=own[-1] * usual.w + own[:-2])

    def _silent(self, state: CommitteeState) -> list[int]:
        """Members at work whose view shows nothing any more."""
        views = zip(self.views.names, self.views.every, state.views, strict=True)
        off = {name for name, view, own in views if view.is_off(own)}
        return [i for i in self.active_members(state).active if self.members[i].view in off]

    def usual(self, state: CommitteeState) -> Combiner:
        """The combiner of members with a long memory that learns while labels come."""
        return state.offline if self.active_members(state).separate else state.online

    def rows_left(self, state: CommitteeState) -> int:
        """Rows that are still to be learned before the next checkpoint; 0: there is none to come."""
        return next_checkpoint(self.target.rules, self._rows_counted(state)) if self.prunes else 0

    def _rows_counted(self, state: CommitteeState) -> int:
        """Rows learned but the first ones, which were predicted before any label had come: so many less than 0."""
        return _rows(state) - self.options.label_delay

    # -- what is done with rows, in calls of kernels -----------------------------------------------------------------

    def to_input(self, state: CommitteeState, i: int, V: np.ndarray, rows: Rows, scale: Any) -> Calls:
        """Make an input of the combiners of what member i has left in V, float64[n, K], for the `rows` of its view."""
        first = self.prunes and self._rows_counted(state) < self.target.rules.first
        given = state.tally[i], rows.indptr, rows.features, rows.y, rows.weight, first
        return [*self.target.to_input(V, self.members[i], scale), (tally_entries, given)]

    def combine(self, state: CommitteeState, V: np.ndarray, part: Part, learns: bool, z: Sequence[np.ndarray]) -> Calls:
        """Fill z with the online and the usual offline combination; both combiners learn where `learns`.

        Where there is but one combination, both arrays of z are the same.
        """
        work = self.active_members(state)
        calls = self.target.combine_some(state.online, work.online, V, part, learns, z[0])
        if work.separate:
            calls += self._combine_some(state.offline, work.offline, state, V, part, learns, z[1])
        return calls

    def stack(self, state: CommitteeState, V: np.ndarray, part: Part, learns: bool, views: Sequence[Rows]) -> Calls:
        """Give rows of the stacked `views` what other members say, V, combined; their combiner learns where `learns`.

        Of one score. It is the same combination while labels arrive and when none do.
        """
        if not views:
            return []
        z = np.zeros(V.shape[1:])
        calls = self._combine_some(state.below, self.active_members(state).below, state, V, part, learns, z)
        return [*calls, *((put_first, (z, rows.indptr, rows.values)) for rows in views)]

    def _combine_some(
        self, combiner: Combiner, at: list[int], state: CommitteeState, V: np.ndarray, part: Part, learns: bool,
        z: np.ndarray,
    ) -> Calls:  # fmt: skip
        """Fill z with a combination of the inputs `at`."""
        online, calls = self.active_members(state).online, Calls()
        if at != online:
            some = np.array([online.index(i) for i in at], np.int64)
            every, V = V, np.zeros((len(some), *V.shape[1:]))
            calls.append((copy_some, (every, some, V)))
        return calls + self.target.combine_some(combiner, at, V, part, learns, z)

    def count(self, state: CommitteeState, part: Part, V: np.ndarray, z: Sequence[np.ndarray]) -> Calls:
        """Add rows to what is counted."""
        target, rows, work, n = self.target, part.rows, self.active_members(state), len(part.rows.y)
        surprise, late = np.zeros(n), self.options.label_delay
        own = np.array(work.active), target.kind, V, part.scale.met, rows.y, rows.weight
        calls: Calls = [(update_tally, (state.tally, *own))]
        for which in range(0 if self.short else 1, 2):  # the offline combination last
            total = state.totals[which] if self.short else np.zeros(3)
            given = target.kind, target.loss, part.scale.met, part.scale.par, z[which], rows.y, rows.weight
            calls.append((update_losses, (*given, total, surprise)))
        relative = target.kind == VALUES
        calls.append((detect_drift, (state.drift, relative, surprise, rows.y, rows.weight, late)))
        columns = part_of(rows, COLUMNS) if state.now["in_parts"][0] else rows
        given = rows.indptr, rows.features, rows.y, rows.weight, columns.indptr, columns.values
        most = late + target.rules.words_after
        calls.append((count_learned, (state.now, *given, most, surprise, state.resting.errors)))
        return calls

    # -- how ---------------------------------------------------------------------------------------------------------

    def _learn_up_to(
        self, state: CommitteeState, rows: Rows, out: Predictions, start: int, end: int, settles: bool
    ) -> CommitteeState:
        """Learn the rows from `start` up to `end`, all of them seen in parts or none."""
        while start < end:
            stop = self._end_of_part(state, rows, start, min(start + self._rows_at_a_time(state, out), end))
            state = self._learn_part(state, rows_between(rows, start, stop), out.part(start, stop), settles)
            start = stop
        return state

    def _end_of_part(self, state: CommitteeState, rows: Rows, start: int, end: int) -> int:
        """Say where to stop: members are pruned, and rest anew, after the very same row however the stream is cut."""
        if not state.now["passes"][0]:
            learned = np.cumsum(learned_rows(rows)[start:end])
            for left in filter(None, (self.rows_left(state), resting.rows_left(state.resting))):
                end = min(start + int(np.searchsorted(learned, left)) + 1, end)
        return end

    def _rows_at_a_time(self, state: CommitteeState, out: Predictions) -> int:
        return max(MAX_NUMBERS // max(len(self.active_members(state).online) * out.raw.shape[1], 1), MIN_ROWS)

    def _learn_part(self, state: CommitteeState, rows: Rows, out: Predictions, settles: bool) -> CommitteeState:
        """Learn rows that end at a checkpoint at the latest.

        Where they have been learned from before, the combiners and what only counts stand still. With `settles` members
        of a long memory do, unless they only count or there are new classes.
        """
        again, before = bool(state.now["passes"][0] > 0), self.active_members(state)
        rows = rows._replace(weight=relative_weights(state.now, rows.weight, rows.y))
        labels, scaled, scale = self.target.learned(state.labels, rows, state.now, again)
        settles = settles and self.target.width(labels) == self.target.width(state.labels)
        in_parts = bool(state.now["in_parts"][0])
        own, seen = self.views.showing(state.views, scaled, not again, in_parts)  # in later passes they have counted it
        state, part = state._replace(labels=labels), Part(scaled, scale)
        late = bool(self.options.label_delay) and not again
        if late:
            waiting = with_room_for(state.waiting, self.target.width(state.labels))
            state = state._replace(waiting=waiting)
        V, z = self._buffers(state, len(part.rows.y))

        def combine(which: slice) -> None:
            """Combine rows for which all members have predicted; parts come in their order."""
            own, some = np.ascontiguousarray(V[:, which]), part.between(which)
            if late:
                self._exchange(state, state.waiting.inputs, 0, self.active_members(state).online, some, own)
                V[:, which] = own
            run_calls(self.combine(state, own, some, not again, [each[which] for each in z]))

        state = self._learn_members(state, part, seen, again, settles, V, combine)
        if not again:
            state = self._tally_rows(state, part, V, z)
        run_calls(self.target.finish(state.labels, part.scale, z, out))
        views, left = tuple(own), self.active_members(state)
        gone = before.by_view.keys() - left.by_view.keys()  # what waits for words has room for this batch
        state = state._replace(views=self.views.kept(views, set(self.views.names) - gone))
        return state if again else self._update_resting(state, rows)

    def _learn_members(
        self, state: CommitteeState, part: Part, seen: Seen, again: bool, settles: bool, V: np.ndarray, combine: Any
    ) -> CommitteeState:
        """Let the members predict and learn; fills V, and calls ``combine(which)`` for all rows, in parts."""
        work, members = self.active_members(state), list(state.members)

        def learn(j: int, rows: Rows, features: int, which: slice) -> None:
            i, own, some = work.active[j], V[j, which], part.between(which)
            engine, predicted = self.engines[i], Predictions.of_scores(own)
            if again if engine.counts or i in self.stacked else settles and i in self.long:
                members[i] = engine.reserve(members[i], rows, features)
                engine.predict(members[i], rows, predicted)
            else:
                own_rows = self.target.labelled(self.members[i], rows, some.scale)
                members[i] = engine.learn_all(members[i], own_rows, predicted, features)
            run_calls(self.target.to_input(own, self.members[i], some.scale) if again else
                 self.to_input(state, i, own, rows, some.scale))  # fmt: skip

        self._run_members(state, work.first, part, seen, V, not again, learn, combine)
        return state._replace(members=tuple(members))

    def _run_members(
        self, state: CommitteeState, by_view: dict[str, list[int]], part: Part, seen: Seen, V: np.ndarray, learns: bool,
        call: Callable[[int, Rows, int, slice], None], then: Callable[[slice], None] = lambda which: None,
    ) -> None:  # fmt: skip
        """`Scheduler.each` for the members of `by_view` and, when these have said what they do, the stacked ones."""
        work = self.active_members(state)

        def go_on(which: slice) -> None:
            found = {view: seen(view, which.start, which.stop) for view in work.stacked}
            said, some = np.ascontiguousarray(V[:, which]), part.between(which)
            run_calls(self.stack(state, said, some, learns, [rows for rows, _ in found.values()]))
            for view, members in work.stacked.items():
                for j in members:
                    call(j, *found[view], which)
            then(which)

        self._scheduler.each(by_view, seen, len(part.rows.y), call, go_on)

    def _update_resting(self, state: CommitteeState, rows: Rows) -> CommitteeState:
        """`state` that has kept some of the `rows`, just learned; if it is time, members rest anew."""
        own, now = state.resting, state.resting.kept.now[0]
        if not now["due"]:
            return state
        own = resting.with_room(own, len(rows.y), int(rows.indptr[-1]))
        resting.buffer_rows(own.kept, rows)
        state = state._replace(resting=own)
        if now["learned"] < now["due"]:
            return state
        if state.now["in_parts"][0] or now["seen"] >= resting.MAX_FEATURES_PER_ENTRY * state.now["entries"][0]:
            return state._replace(resting=new_resting(len(self.inputs), copies=False))
        if now["copied"]:
            self._learn_at_rest(state)
        known = int(now["seen"])  # later rows of the batch may have more
        views = tuple(view.first_features(one, known) for view, one in zip(self.views.every, state.views, strict=True))
        sizes, each = self.views.sizes(views), zip(self.members, self.engines, state.members, strict=True)
        members = tuple(
            engine.for_prediction(engine.first_features(one, sizes[member.view])) for member, engine, one in each
        )
        then, entries = Copy(state.labels, views, members), int(state.now["entries"][0])
        return state._replace(resting=resting.copied(own, then, _rows(state), entries))

    def _learn_at_rest(self, state: CommitteeState) -> None:
        """Members at rest predict the rows kept; see `resting`."""
        own, work, found = state.resting, self.active_members(state), list[tuple[np.ndarray, np.ndarray]]()
        nothing = int(self.target.kind != VALUES)  # of classes, nothing is an input too
        then, usual = state._replace(**own.copy[0]._asdict()), self.usual(state)
        then = self.reserve(then, NO_ROWS, 0)  # views of numbers have counted what members saw no more
        rows = resting.kept_rows(own)
        for start, stop in self._row_blocks(then, Predictions.empty(len(rows.y))):
            part, seen = self._as_seen(then, rows_between(rows, start, stop))
            V, z = self._offline(then, part, seen)
            finite = np.isfinite(V).all(axis=(0, 2))
            part = part._replace(rows=part.rows._replace(weight=np.where(finite, part.rows.weight, 0.0)))
            run_calls(self._combine_some(usual, work.offline, then, V, part, False, z))
            V = np.vstack([V[[work.online.index(i) for i in work.offline], :, 0], np.zeros((nothing, len(z))), z.T])
            errors, weight = self.target.errors(V, part)
            found.append((errors[:, finite], weight[finite]))
        errors, weight = (np.concatenate(each, axis=-1) for each in zip(*found, strict=True))
        resting.learn(own, work.offline, errors, weight, float(nothing), float(unit_of(own.copy[0].labels)))

    def _unlabelled(self, state: CommitteeState, rows: Rows) -> tuple[Part, Seen]:
        """Rows that are only predicted, whatever stands in their labels."""
        weight = relative_weights(state.now, rows.weight, rows.y, learn=False)
        return self._as_seen(state, rows._replace(weight=weight, y=np.full(len(rows.y), np.nan)))

    def _as_seen(self, state: CommitteeState, rows: Rows) -> tuple[Part, Seen]:
        """Rows that members do not learn, as they see them."""
        asked, scale, calls = self.target.label_calls(state.labels, rows, state.now, again=True)
        run_calls(calls)
        _, seen = self.views.showing(state.views, asked, False, bool(state.now["in_parts"][0]))
        return Part(asked, scale), seen

    def _row_blocks(self, state: CommitteeState, out: Predictions) -> Iterator[tuple[int, int]]:
        """(start, stop) of as many of the rows of `out` at a time as there is space for."""
        n, step = len(out.raw), self._rows_at_a_time(state, out)
        return ((start, min(start + step, n)) for start in range(0, n, step))

    def _offline(self, state: CommitteeState, part: Part, seen: Seen) -> tuple[np.ndarray, np.ndarray]:
        """(inputs float64[at work, n, K], offline combination float64[n, K]) of rows that members do not learn from."""
        V, z = self._buffers(state, len(part.rows.y))
        work = self.active_members(state)

        def ask(j: int, rows: Rows, features: int, which: slice) -> None:
            own, i = V[j, which], work.active[j]
            self.engines[i].predict_all(state.members[i], rows, Predictions.of_scores(own))
            run_calls(self.target.to_input(own, self.members[i], part.between(which).scale))

        self._run_members(state, work.asked, part, seen, V, False, ask)
        run_calls(self._combine_some(self.offline_combiner(state), work.offline, state, V, part, False, z[1]))
        return V, z[1]

    def _buffers(self, state: CommitteeState, n: int) -> tuple[np.ndarray, Sequence[np.ndarray]]:
        """(V float64[at work, n, K], z, see `combine`): the same memory each time, 0 but for what is always 1."""
        work, K = self.active_members(state), self.target.width(state.labels)
        k = len(work.online)
        if len(self._room) < (k + 2) * n * K:
            self._room = np.zeros((k + 2) * n * K)
        room = self._room[: (k + 2) * n * K].reshape(k + 2, n, K)
        room[:], room[len(work.active) : k] = 0.0, 1.0
        return room[:k], (room[k], room[k + 1 if work.separate else k])

    def _exchange(
        self, state: CommitteeState, queue: np.ndarray, which: int, places: list[int], part: Part, V: np.ndarray
    ) -> None:
        """See `delay.exchange`; of the inputs (0) or the outputs (1)."""
        waiting, rows = state.waiting, part.rows
        met = waiting.met if which == 0 else waiting.met[:0]
        exchange(queue, waiting.counts[which], met, np.array(places), part.scale, rows.y, rows.weight, V)

    def _tally_rows(self, state: CommitteeState, part: Part, V: np.ndarray, z: Sequence[np.ndarray]) -> CommitteeState:
        """Add the rows to what is counted, and prune members at a checkpoint."""
        left, n = self.rows_left(state), int(np.count_nonzero(learned_rows(part.rows)))
        if self.options.label_delay:
            z = np.array(z)
            self._exchange(state, state.waiting.outputs, 1, [0, 1], part, z)
        run_calls(self.count(state, part, V, z))
        return self._pruned(state) if 0 < left <= n else state

    def _pruned(self, state: CommitteeState) -> CommitteeState:
        """Prune the members that do not pay for their time: nothing of them stays, in the combiners neither."""
        rules, now, members, budget = self.target.rules, state.now, list(state.members), self.options.budget
        rows, judged = _rows(state), self._rows_counted(state)
        squared = self.target.kind == VALUES and self.target.loss.code == SQUARED
        if judged == rules.words_after:
            now["words"] = not now["in_parts"][0] and now["features"][0] >= RARE * now["entries"][0]
        costs = np.array([each.cost for each in self.members]) * state.tally[:, 2] + rules.row_cost * rows
        case = PruningCase(
            rules, self.inputs, self.long, judged, state.tally, costs,
            short=int(now["entries"][0]) <= SHORT * rows, words=bool(now["words"][0]),
            allowed=np.inf if isinstance(budget, str) else budget * 1e-6 / NAG_SECONDS * rows,
            late=self.options.label_delay, classes=self.target.expected(state.labels),
            rarer=min(int(now["positive"][0]), rows - int(now["positive"][0])),
            names=bool(now["ones"][0] >= NAMES * now["entries"][0]),
        )  # fmt: skip
        idle = prune(case, Importance(case, state.online, squared), self.active_members(state).active)
        for i in idle:
            members[i] = self.engines[i].new()
            state.active[i] = False
        if idle:
            online, offline, below = (conditioned(each, idle) for each in (state.online, state.offline, state.below))
            resting.leave_out(state.resting, idle)
            state = state._replace(online=online, offline=offline, below=below)
        return state._replace(members=tuple(members))


def committee_members(options: LearnOptions) -> tuple[Member, ...]:
    """The members that `options` ask for.

    By default, members that forget no faster than ``--decay`` has all forget are left out: they are there already.
    """
    loss, several = options.loss, options.several
    names = options.members or default_members(loss, options.budget, several)
    members = tuple(member(name, loss, several) for name in names)
    if all(each.stacked for each in members):
        raise OptionError(f"--members {','.join(names)}: they see what other members say; name others, too")
    if options.members:  # who names members wants them
        return tuple(each._replace(beside_trees=True) for each in members)
    members += word_members(loss, several) if options.budget != "cheap" else ()
    return tuple(each for each in members if each.rate == 0.0 or each.rate > options.decay)


def _rows(state: CommitteeState) -> int:
    return int(state.now["rows"][0])


@jit
def tally_entries(own, indptr, features, y, weight, first):
    """own[2] += entries of the rows that are learned; own[3] <- how many features they had, of the `first` ones.

    own : float64[4], a member's tally; indptr, features, y, weight : those of `Rows`, of its view
    """
    for i in range(len(y)):
        if is_learned(weight[i], y[i]):
            own[2] += indptr[i + 1] - indptr[i]
            for place in range(indptr[i], indptr[i + 1] if first else indptr[i]):
                own[3] = max(own[3], features[place] + 1)


@jit
def put_first(z, indptr, values):
    """Each row's first value, the constant's <- z[i, 0], or 0 if that is not finite. z : float64[n, 1]"""
    for i in range(len(z)):
        if indptr[i] < indptr[i + 1]:
            values[indptr[i]] = z[i, 0] if math.isfinite(z[i, 0]) else 0.0


@jit
def copy_some(V, some, out):
    """out[j] <- V[some[j]]; float64[k, n, K] and [m, n, K]; some : int64[m]."""
    for j in range(len(some)):
        for i in range(out.shape[1]):
            for k in range(out.shape[2]):
                out[j, i, k] = V[some[j], i, k]


@jit
def count_learned(now, indptr, features, y, weight, columns, values, most, surprise, errors):
    """Count rows that are learned, their entries and those of value 1, and up to row `most` features that they had.

    Their last errors are kept (see `Resting`).

    now : structured [1], of the state; indptr, features, y, weight : those of `Rows`
    columns : int64[n + 1], where the entries that count begin; values : float64[of these]
    surprise : float64[n], see `progress.update_losses`; errors : float64[ERRORS], modified
    """
    for i in range(len(y)):
        if is_learned(weight[i], y[i]):
            for place in range(indptr[i], indptr[i + 1] if now[0]["rows"] < most else indptr[i]):
                now[0]["features"] = max(now[0]["features"], features[place] + 1)
            # none while labels are late and the unit was not yet known
            errors[now[0]["rows"] % len(errors)] = surprise[i] if surprise[i] == surprise[i] else resting.NONE
            now[0]["rows"] += 1
            now[0]["positive"] += y[i] > 0.0
            now[0]["entries"] += columns[i + 1] - columns[i]
            for place in range(columns[i], columns[i + 1]):
                now[0]["ones"] += values[place] == 1.0
