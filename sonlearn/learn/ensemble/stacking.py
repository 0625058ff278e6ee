"""A stacked ensemble: members, each on a view of the rows, and combiners of their predictions. One for each class.

There are two combinations. The online one is of all members at work: it is what is reported while labels arrive. The
offline one is of those with a long memory only, and is what `predict` uses (no labels arrive): what forgets within a
hundred rows is worth nothing once labels have stopped coming. Both predict every row before its label is used. Where no
member forgets faster than the others, they are one.

Members do not need each other within a batch, so they may run side by side: the bits are the same. At a few checkpoints
the members that do not pay for their time are pruned (`pruning`).
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.rows import NO_ROWS, Rows, is_learned, learned_rows
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.learn.delay import DelayQueue, exchange, new_waiting
from sonlearn.learn.engine import Predictions, grown
from sonlearn.learn.ensemble.combiner import (
    Combiner,
    combine_some,
    copy_learned,
    is_same,
    new_combiner,
    precision_for,
    weights_of,
    without,
)
from sonlearn.learn.ensemble.drift import Drift, changes_of, new_drift, watch
from sonlearn.learn.ensemble.jobs import Job, work_off
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelStandardiser
from sonlearn.learn.ensemble.merging import majority, merge_combiners, merge_drifts, went_on
from sonlearn.learn.ensemble.pruning import (
    SHORT,
    PruningCase,
    before_first_checkpoint,
    next_checkpoint,
    prune,
    replayed,
)
from sonlearn.learn.ensemble.viewing import Seen, rows_between
from sonlearn.learn.losses import Loss, loss_value
from sonlearn.learn.make import make_engine
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.members import NAG_SECONDS, Member
from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS
from sonlearn.views.view import MergedView

#: An input of the combiner of quantiles that is always 1. Members predict means, a quantile is beside those.
BIAS = Member("bias", "raw", weight=0.0, cost=0.0)
#: Losses of values that mean the same whatever the unit.
_SCALE_FREE = ("squared", "absolute", "quantile")
#: Parts of what is learned at a time, and rows of a part at least, where a view and its members take longer than LONG
#: times a thread's share. Each part has to fetch their tables into the cache anew, and takes Python's time.
PARTS, LEAST_ROWS, LONG = 4, 384, 1.0
#: Entries of a view's rows that are there at a time, roughly: tuples are many times the entries of a batch.
ENTRIES = 1 << 18
#: Entries that a row of tuples or of Fourier features is taken to have, before there was one.
MANY = 300.0
#: What a member at work costs a row beside its own time, the combiners' in units of `Member.cost`.
ROW_COST = 10.0
NOW = [("rows", "i8"), ("entries", "i8")]


class EnsembleState(NamedTuple):
    """All that a stacked ensemble has learned."""

    members: tuple  # the members' states
    online: Combiner  # of all members
    offline: Combiner  # of those with a long memory; of no input where that is all of them
    # float64[k, 4]; sums of h and of h * error over the rows learned, each member's own progress; entries that it saw;
    # and of how many different features, up to the first checkpoint
    tally: np.ndarray
    # float64[2, 3]; of the online and of the offline combination: sums of h, h * loss and h * error of the rows learned
    totals: np.ndarray
    history: np.ndarray  # float32[rows, inputs + 3]; see `pruning.PruningCase`; up to the last checkpoint
    drift: Drift  # changes of the stream
    waiting: DelayQueue  # inputs for rows whose labels come late
    active: np.ndarray  # bool[k]; members at work
    now: np.ndarray  # structured [1]: rows learned; entries of those


class ActiveMembers(NamedTuple):
    """What is at work in a state, for those who learn rows by themselves (`by_row`)."""

    members: tuple[Member, ...]
    engines: tuple[Any, ...]
    active: list[int]  # positions of the members at work
    online: list[int]  # inputs of the online combination
    offline: list[int]  # of the offline one; empty where that is the same
    offline_places: list[int]  # where these are in the offline combiner
    inputs: int
    loss: Loss  # that the combiners minimise
    classes: bool
    both: bool  # whether the two combinations are counted
    rows_left: int  # rows to be learned before the next checkpoint; 0: there is none

    def no_inputs(self) -> np.ndarray:
        """float64[1, inputs]: inputs of the combiners before the members have predicted."""
        V = np.zeros((1, self.inputs))
        V[:, len(self.members) :] = 1.0
        return V


class StackedEnsemble:
    """Members and their combiner.

    Parameters
    ----------
    options : LearnOptions
    members : tuple of Member
    pool : Executor or None
        Where members learn side by side; None: one after the other.
    threads : int
        How many of its threads.
    """

    def __init__(
        self, options: LearnOptions, members: tuple[Member, ...], pool: Executor | None = None, threads: int = 1
    ):
        self._options, self.members, self._classes = options, members, options.loss in CLASSIFICATION
        self._loss = LabelStandardiser(options).loss
        self._inputs = inputs_of(options.loss, members)
        extra = range(len(members), len(self._inputs))
        rates = [max(member.rate, options.decay) for member in members]
        #: Positions of the inputs of the offline combination; the least rate among the members counts as a long memory.
        self._long = (*(i for i, rate in enumerate(rates) if rate == min(rates)), *extra)
        self._both = len(self._long) < len(self._inputs)
        self._engines = tuple(
            make_engine(member_options(options, member), dense=VIEWS[member.view].kind == "fourier")
            for member in members
        )
        self.merges = all(engine.merges for engine in self._engines)
        self._pool, self._threads, self._map = pool, threads if pool else 0, mapping(pool)
        self._took: dict[str, list[float]] = {}  # seconds that each view and its members took the last time
        self._entries: dict[str, float] = {}  # entries of a row of each view, the last time
        self._prunes = options.prune and options.budget != "rich"

    def new(self) -> EnsembleState:
        """State of an ensemble that has learned nothing."""
        k, now = len(self.members), np.zeros(1, dtype=NOW)
        return EnsembleState(
            members=tuple(engine.new() for engine in self._engines),
            online=self._combiner(self._inputs),
            offline=self._combiner([self._inputs[i] for i in self._long] if self._both else []),
            tally=np.zeros((k, 4)),
            totals=np.zeros((2, 3)),
            history=np.zeros((0, len(self._inputs) + 3), dtype=np.float32),
            drift=new_drift(),
            waiting=new_waiting(self._options.label_delay, len(self._inputs)),
            active=np.ones(k, dtype=bool),
            now=now,
        )

    def reserve(self, state: EnsembleState, sizes: dict[str, int]) -> EnsembleState:
        """Members have room for all features of their views, of which they may have refused some."""
        members = list(state.members)
        for i in self.active(state):
            members[i] = self._engines[i].reserve(members[i], NO_ROWS, sizes[self.members[i].view])
        return state._replace(members=tuple(members))

    def learn(
        self, state: EnsembleState, viewed: Seen, rows: Rows, online: np.ndarray, offline: np.ndarray, again: bool,
        settles: bool = False,
    ) -> EnsembleState:  # fmt: skip
        """Learn `rows` as their views have them, in parts between which members are pruned.

        Fills `online` and `offline`, float64[n] each: the two combinations. `again` says that the rows have been
        learned from before: the combiners and what only counts stand still. With `settles` members of a long memory do,
        unless they only count.
        """
        start, n = 0, len(rows.y)
        while start < n:
            stop = n if again else self._end_of_part(state, rows, start)
            part, span = rows_between(rows, start, stop), (start, stop)
            scale, late = viewed.scale.between(*span), self._options.label_delay and not again
            waiting, outs = state.waiting, (online[start:stop], offline[start:stop])
            combine = functools.partial(self._combine_part, state, scale, part, bool(late), not again, outs)
            members, V = self._learn_members(state, viewed, part, span, again, settles, combine)
            state = state._replace(members=members)
            if not again:
                z = np.column_stack([online[start:stop], offline[start:stop]])
                if late:
                    exchange(waiting.outputs, waiting.counts[1], 2, scale, part.y, part.weight, z)
                state = self._counted(state, part, V, scale.par, z)
            start = stop
        return state

    def _combine_part(
        self, state: EnsembleState, scale: LabelScale, rows: Rows, late: bool, learns: bool,
        outs: tuple[np.ndarray, np.ndarray], V: np.ndarray, at: slice,
    ) -> None:  # fmt: skip
        """Combine the rows `at` of `rows` and V, for which all members have predicted; parts come in their order."""
        part, own = rows_between(rows, at.start, at.stop), scale.between(at.start, at.stop)
        if late:
            waiting = state.waiting
            exchange(waiting.inputs, waiting.counts[0], len(self.members), own, part.y, part.weight, V[at])
        self._combine(state, own, V[at], part, learns, outs[0][at], outs[1][at])

    def predict(self, state: EnsembleState, viewed: Seen, rows: Rows, raw: np.ndarray) -> None:
        """Fill `raw` with the offline combination and change nothing."""
        V = self.inputs(state, viewed, len(rows.y))
        self._combine(state, viewed.scale, V, rows, False, None, raw)

    def inputs(self, state: EnsembleState, viewed: Seen, n: int) -> np.ndarray:
        """float64[n, inputs]: inputs of the combiner for rows that members do not learn from."""
        V = self._no_inputs(n)

        def ask(i: int, rows: Rows, features: int, at: slice) -> None:
            out = Predictions.empty(len(rows.y))
            self._engines[i].predict(state.members[i], rows, out)
            self._to_input(V[at], i, out, viewed.scale.between(at.start, at.stop))

        self._each(state, viewed, (0, n), ask, lambda at: None)
        return V

    def contributions(self, state: EnsembleState, viewed: Seen, rows: Rows) -> tuple:
        """What the offline combination is made of.

        Returns names of its k members (tuple of str), their inputs float64[n, k], their weights float64[k], and the
        output float64[n].
        """
        V, z = self.inputs(state, viewed, len(rows.y)), np.zeros(len(rows.y))
        self._combine(state, viewed.scale, V, rows, False, None, z)
        at, weights = self._offline_at(state) or self._online_at(state), self._weights(state)
        return tuple(self._inputs[i].name for i in at), V[:, at], weights[at], z

    def weights(self, state: EnsembleState, features: int) -> np.ndarray:
        """float64[features]: weights of the members that are linear in the raw row, as the combiner adds them up."""
        total, combined = np.zeros(features), self._weights(state)
        for i in self.active(state):
            if self.members[i].view == "raw" and combined[i]:
                own = self._engines[i].weights(state.members[i], features)
                total += combined[i] * self.members[i].gain * own
        return total

    def packed(self, state: EnsembleState) -> EnsembleState:
        """`state` without spare room."""
        return state._replace(
            members=tuple(engine.packed(s) for engine, s in zip(self._engines, state.members, strict=True)),
            history=state.history[: _rows(state) if self._rows_left(state) else 0],
        )

    def renumbered(self, state: EnsembleState, shown: dict[str, np.ndarray]) -> EnsembleState:
        """`state` whose members at work have other numbers of what they see; `shown`: of each view, those numbers."""
        members = list(state.members)
        for i in self.active(state):
            numbers = shown[self.members[i].view]
            members[i] = self._engines[i].renumbered(members[i], numbers, int(numbers.max(initial=-1)) + 1)
        return state._replace(members=tuple(members))

    def with_view(self, states: Sequence[EnsembleState], view: str) -> list[int]:
        """Of several ensembles the positions of those that see `view`, if members at work after the merge do."""
        left = self._left(states)
        users = [i for i in left if self.members[i].view == view]
        return [g for g, state in enumerate(states) if users and view in self.needed(state)]

    def merge(
        self,
        states: Sequence[EnsembleState],
        base: EnsembleState,
        rows: Sequence[int],
        views: dict[str, tuple[list[int], MergedView]],
        sizes: dict[str, int],
    ) -> EnsembleState:
        """One ensemble of what several have learned since `base`; arguments have gone through `renumbered`.

        Members at work in at least half of the ensembles stay, and are pruned if a checkpoint has been passed that no
        learner has come to by itself.

        Parameters
        ----------
        rows : [G], rows that each has learned since the base
        views : of each view the ensembles that see it, and what they see merged
        sizes : features of each merged view
        """
        left, k = self._left(states), len(self.members)
        members = [engine.new() for engine in self._engines]
        for i in left:
            holders, seen = views[self.members[i].view]
            holders = [g for g in holders if i in self.active(states[g])]
            size = sizes[self.members[i].view]
            own = [
                self._engines[i].renumbered(states[g].members[i], seen.numbers[views[self.members[i].view][0].index(g)],
                                            size)
                for g in holders
            ]  # fmt: skip
            start = self._engines[i].renumbered(base.members[i], seen.base, size)
            members[i] = self._engines[i].merge(own, start, [rows[g] for g in holders])
        now = base.now.copy()
        for name in ("rows", "entries"):
            now[name] = merging.summed(base.now[name], [state.now[name] for state in states], np.ones(len(states)))
        gone = [[i for i in range(k) if i not in left or i not in self.active(state)] for state in states]
        learned = [_rows(state) - _rows(base) for state in states]
        sums = {
            name: merging.summed(getattr(base, name), [getattr(s, name) for s in states], np.ones(len(states)))
            for name in ("tally", "totals")
        }
        sums["tally"][:, 3] = np.max([state.tally[:, 3] for state in states], axis=0)
        merged = base._replace(
            members=tuple(members), active=np.isin(np.arange(k), left), now=now,
            drift=merge_drifts([state.drift for state in states], base.drift),
            online=self._merged_combiner(
                [s.online for s in states], base.online, gone, range(len(self._inputs)), learned
            ),
            offline=self._merged_combiner([s.offline for s in states], base.offline, gone, self._long, learned),
            history=base.history[:0], **sums,
        )  # fmt: skip
        if not self._rows_left(merged) and not self._rows_left(base):
            return merged
        most = max(_rows(state) for state in states)
        if any(len(state.history) < _rows(state) for state in states):
            return merged
        merged = merged._replace(
            history=np.concatenate([base.history, *(state.history[_rows(base) : _rows(state)] for state in states)])
        )
        left = next_checkpoint(most) if self._prunes else 0
        return self._pruned(merged) if 0 < left <= _rows(merged) - most else merged

    def carried(self, state: EnsembleState, base: EnsembleState, previous: EnsembleState) -> EnsembleState:
        """`state` whose members of a long memory go on as they moved before (see `Engine.carried`)."""
        members = list(state.members)
        for i in set(self.active(state)).intersection(self._long, self.active(base), self.active(previous)):
            members[i] = self._engines[i].carried(members[i], base.members[i], previous.members[i])
        return state._replace(members=tuple(members))

    def _left(self, states: Sequence[EnsembleState]) -> list[int]:
        """Members at work after a merge."""
        return majority([state.active for state in states])

    def _merged_combiner(
        self, combiners: Sequence[Combiner], base: Combiner, gone: Sequence[list[int]], inputs: Sequence[int],
        rows: Sequence[int],
    ) -> Combiner:  # fmt: skip
        """The combiner of `inputs` (positions) of all, in which members that are not at work have no weight.

        `rows`: those learned since the base. Where one of them has begun anew since, all did so with nothing.
        """
        if base.w.shape[1] and not went_on(combiners, base, rows):
            base = self._combiner([self._inputs[i] for i in inputs])
        places = [[at for at, i in enumerate(inputs) if i in pruned] for pruned in gone]
        found = merge_combiners(combiners, base, places)
        out = sorted(set.intersection(*map(set, places))) if places and base.w.shape[1] else []
        return without(found, out) if out else found

    def member_table(self, state: EnsembleState) -> list[dict[str, Any]]:
        """For each member its name, whether it is at work, its own progressive error, and the combiners' weights.

        ``offline`` is None for a member that forgets, and so has no part in the offline combination.
        """
        active, weights, offline = self.active(state), weights_of(state.online), self._weights(state)
        errors = state.tally[:, 1] / np.maximum(state.tally[:, 0], 1e-300)
        return [
            {"name": m.name, "active": i in active, "error": float(errors[i]), "weight": float(weights[i]),
             "offline": float(offline[i]) if i in self._long else None}
            for i, m in enumerate(self.members)
        ]  # fmt: skip

    def combinations(self, state: EnsembleState) -> dict[str, dict[str, float]]:
        """Of the online and the offline combination the mean loss and error of all rows learned so far.

        Of values the error is the squared one; both are in standard deviations of the labels. Empty where there is one
        combination only, or no row.
        """
        if not self._both or not state.totals[0, 0] > 0.0:
            return {}
        means = (state.totals[:, 1:] / state.totals[:, :1]).tolist()
        return {name: {"loss": own[0], "error": own[1]} for name, own in zip(("online", "offline"), means, strict=True)}

    def facts(self, state: EnsembleState) -> dict[str, Any]:
        """members: see `member_table`; combinations, drift: see there; spectra: a function that gives `spectra`.

        scaled: whether errors are in standard deviations of the labels.
        """
        return {
            "members": self.member_table(state), "combinations": self.combinations(state), "drift": self.drift(state),
            "spectra": lambda: self.spectra(state), "scaled": not self._classes,
        }  # fmt: skip

    def drift(self, state: EnsembleState) -> dict[str, Any]:
        """What is known of changes of the stream.

        changes: rows learned at which one began, the last `drift.KEPT`; count: how many there have been; short: share
        of the online combination's weight, in absolute values, that is on members that forget.
        """
        weights = np.abs(weights_of(state.online))
        short = weights[[i for i in range(len(weights)) if i not in self._long]].sum()
        return {
            "changes": changes_of(state.drift), "count": int(state.drift.count[1]),
            "short": float(short / max(weights.sum(), 1e-300)),
        }  # fmt: skip

    def spectra(self, state: EnsembleState) -> dict[str, np.ndarray]:
        """Eigenvalues of each member at work that keeps a sketch, by name."""
        facts = {i: self._engines[i].facts(state.members[i]) for i in self.active(state)}
        return {self.members[i].name: own["eigenvalues"] for i, own in facts.items() if "eigenvalues" in own}

    def active(self, state: EnsembleState) -> list[int]:
        """Positions of the members that have not been pruned."""
        found: list[int] = np.flatnonzero(state.active).tolist()
        return found

    def needed(self, state: EnsembleState) -> set[str]:
        """Views of the members at work."""
        return {self.members[i].view for i in self.active(state)}

    def layout(self, state: EnsembleState) -> ActiveMembers:
        """What is at work."""
        at = self._offline_at(state)
        return ActiveMembers(
            self.members, self._engines, self.active(state), self._online_at(state), at,
            [self._long.index(i) for i in at], len(self._inputs), self._loss, self._classes, self._both,
            self._rows_left(state),
        )  # fmt: skip

    # -- how ---------------------------------------------------------------------------------------------------------

    def _combiner(self, inputs: Sequence[Member]) -> Combiner:
        return new_combiner(inputs, precision_for(self._loss), self._options.decay)

    def _learn_members(
        self, state: EnsembleState, viewed: Seen, part: Rows, span: tuple[int, int], again: bool, settles: bool,
        combine: Callable[[np.ndarray, slice], None],
    ) -> tuple[tuple, np.ndarray]:  # fmt: skip
        """(states of the members after `part`, inputs V of the combiner from before each row).

        ``combine(V, at)`` is called for all rows, in parts and in their order, when their inputs are there.
        """
        V, members, scale = self._no_inputs(len(part.y)), list(state.members), viewed.scale.between(*span)
        learned, first = (
            learned_rows(part),
            self._rows_left(state) and before_first_checkpoint(_rows(state)),
        )

        def learn(i: int, rows: Rows, features: int, at: slice) -> None:
            engine, out = self._engines[i], Predictions.empty(len(rows.y))
            if again if engine.counts else settles and i in self._long:
                members[i] = engine.reserve(members[i], rows, features)
                engine.predict(members[i], rows, out)
            else:
                members[i] = engine.learn_all(members[i], rows._replace(y=part.y[at]), out, features)
            self._to_input(V[at], i, out, scale.between(at.start, at.stop))
            if not again:
                state.tally[i, 2] += count_entries(rows, learned[at])
            if not again and first:
                most = rows.features[: rows.indptr[-1]].max(initial=-1) + 1
                if most > state.tally[i, 3]:
                    state.tally[i, 3] = most

        self._each(state, viewed, span, learn, functools.partial(combine, V))
        return tuple(members), V

    def _each(
        self, state: EnsembleState, viewed: Seen, span: tuple[int, int], call: Callable[[int, Rows, int, slice], None],
        then: Callable[[slice], None],
    ) -> None:  # fmt: skip
        """``call(i, rows, features of the view, which of the span they are)`` for each member at work and its view.

        Views and members side by side, those first that took longest together the last time. If that was most of all
        the time, they go on in a few parts, so that a member learns while its view sees the next. ``then(which)`` is
        called when all members have been, for the parts of the view that took longest: so most of what it does is done
        while that one's members are still learning.
        """
        sharing: dict[str, list[int]] = {}
        for i in self.active(state):
            sharing.setdefault(self.members[i].view, []).append(i)
        if span[1] - span[0] == 1:  # nothing that could run side by side is worth its while
            for view, members in sharing.items():
                rows, features = viewed.part(view, *span)
                for i in members:
                    call(i, rows, features, slice(0, 1))
            then(slice(0, 1))
            return
        took = {view: sum(self._took.get(view, ())) for view in sharing}
        takes: dict[str, list[float]] = {view: [] for view in sharing}
        self._took = takes
        jobs, every, begin = list[Job](), sum(took.values()), span[0]
        last: dict[int, Job] = {}  # of each member
        parts: list[tuple[slice, list[Job]]] = []  # of the view that took longest, and its members there
        for view in sorted(sharing, key=lambda view: -took[view]):
            longest, shows = not jobs, list[Job]()
            for at in self._parts(view, span, took[view] * self._threads > LONG * every):
                shown: list[tuple[Rows, int]] = []
                shows.append(Job(functools.partial(self._show, viewed, view, at, shown), shows[-1:]))
                jobs.append(shows[-1])
                which = slice(at[0] - begin, at[1] - begin)
                for i in sharing[view]:
                    own = functools.partial(_call, call, i, shown, which)
                    last[i] = Job(own, filter(None, [shows[-1], last.get(i)]))
                    jobs.append(last[i])
                for job in jobs[-1 - len(sharing[view]) :]:
                    job.call = functools.partial(_timed, job.call, takes[view])
                if longest:
                    parts.append((which, jobs[-len(sharing[view]) :]))
        others, before = [last[i] for i in last if last[i] not in parts[-1][1]], list[Job]()
        for which, needed in parts:
            before = [Job(functools.partial(then, which), [*needed, *others, *before])]
            jobs += before
        work_off(jobs, self._pool, self._threads)

    def _parts(self, view: str, span: tuple[int, int], long: bool) -> list[tuple[int, int]]:
        """The parts of the span in which a view is shown, (start, stop) each; more of them if it takes `long`."""
        n, many = span[1] - span[0], MANY if VIEWS[view].kind in ("tuples", "fourier") else 0.0
        parts = min(max(n // LEAST_ROWS, 1), PARTS) if long else 1
        parts = max(parts, int(n * self._entries.get(view, many)) // ENTRIES)
        return list(itertools.pairwise(np.linspace(*span, parts + 1).astype(int).tolist()))

    def _show(self, viewed: Seen, view: str, at: tuple[int, int], shown: list[tuple[Rows, int]]) -> None:
        rows, features = viewed.part(view, *at)
        self._entries[view] = rows.indptr[-1] / max(len(rows.y), 1)
        shown.append((rows, features))

    def _counted(
        self, state: EnsembleState, rows: Rows, V: np.ndarray, par: np.ndarray, z: np.ndarray
    ) -> EnsembleState:
        """Add the rows to the tallies, and prune members at a checkpoint; z: float64[n, 2], the two combinations."""
        learned = learned_rows(rows)
        before, left = _rows(state), self._rows_left(state)
        n = int(np.count_nonzero(learned))
        state.now["entries"] += count_entries(rows, learned)
        active = np.array(self.active(state))
        watch(state.drift, self._classes, z[:, 1], rows.y, rows.weight)
        count_up(state.tally, active, self._classes, V, rows.y, rows.weight)
        if self._both:
            loss = Loss(self._loss.code, par)
            add_up(state.totals, loss, self._classes, z[:, 0], z[:, 1], rows.y, rows.weight)
        state.now["rows"] += n
        if not left:
            return state
        history = grown(state.history, before + n)
        every = learned if n < len(learned) else slice(None)
        own = history[before : before + n]
        own[:, : V.shape[1]] = V[every]
        own[:, -3], own[:, -2], own[:, -1] = par[every], rows.y[every], rows.weight[every]
        state = state._replace(history=history)
        return self._pruned(state) if left == n else state

    def _pruned(self, state: EnsembleState) -> EnsembleState:
        """Prune the members that do not pay for their time: nothing of them stays, in the combiners neither."""
        rows, active = _rows(state), self.active(state)
        costs = np.array([member.cost for member in self.members]) * state.tally[:, 2] + ROW_COST * rows
        case = PruningCase(
            self._loss, self._inputs, self._long, self._classes, state.history[:rows], costs,
            short=int(state.now["entries"][0]) <= SHORT * rows,
            allowed=self._options.microseconds * 1e-6 / NAG_SECONDS * rows,
            decay=self._options.decay,
        )  # fmt: skip
        idle, members = prune(case, active, state.tally[:, 2:], self._map), list(state.members)
        for i in idle:
            members[i] = self._engines[i].new()
            state.active[i] = False
        history = state.history
        if idle:
            history[:rows, idle] = 0.0
            state = state._replace(online=self._replayed(case, self._online_at(state), range(len(self._inputs))))
            at = self._offline_at(state)
            if at:
                state = state._replace(offline=self._replayed(case, at, self._long))
        if not self._rows_left(state):
            history = history[:0].copy()
        return state._replace(members=tuple(members), history=history)

    def _replayed(self, case: PruningCase, at: list[int], among: Sequence[int]) -> Combiner:
        """A combiner of the inputs `among` that has learned the history of those `at` (positions of inputs)."""
        inputs, places = [self._inputs[i] for i in among], [among.index(i) for i in at]
        anew = replayed(case, at, inputs, places, precision_for(self._loss))[0]
        return without(anew, [i for i in range(len(inputs)) if i not in places])

    def _rows_left(self, state: EnsembleState) -> int:
        """Rows that are still to be learned before the next checkpoint; 0: there is none to come."""
        return next_checkpoint(_rows(state)) if self._prunes else 0

    def _end_of_part(self, state: EnsembleState, rows: Rows, start: int) -> int:
        """Where to stop so that members are pruned after the very same row however the stream is cut."""
        left, n = self._rows_left(state), len(rows.y)
        if left == 0:
            return n
        counts = np.cumsum((rows.weight[start:] > 0) & ~np.isnan(rows.y[start:]))
        return start + int(np.searchsorted(counts, left)) + 1 if counts[-1] >= left else n

    def _to_input(self, V: np.ndarray, i: int, predicted: Predictions, scale: LabelScale) -> None:
        """Column i of V: member i's predictions as an input of the combiner."""
        inputs = np.maximum(self.members[i].gain * predicted.prediction, scale.low)
        np.minimum(inputs, scale.high, out=V[:, i])

    def _no_inputs(self, n: int) -> np.ndarray:
        V = np.zeros((n, len(self._inputs)))
        V[:, len(self.members) :] = 1.0
        return V

    def _online_at(self, state: EnsembleState) -> list[int]:
        """Positions of the inputs of the online combination."""
        return [*self.active(state), *range(len(self.members), len(self._inputs))]

    def _offline_at(self, state: EnsembleState) -> list[int]:
        """Positions of the inputs of the offline combination; empty where that is the online one."""
        at = [i for i in self._online_at(state) if i in self._long] if self._both else []
        return at if at and at[0] < len(self.members) else []

    def _weights(self, state: EnsembleState) -> np.ndarray:
        """float64[inputs]: weights of the offline combination."""
        at = self._offline_at(state)
        if not at:
            return weights_of(state.online)
        w = np.zeros(len(self._inputs))
        w[list(self._long)] = weights_of(state.offline)
        return w

    def _combine(
        self, state: EnsembleState, scale: LabelScale, V: np.ndarray, rows: Rows, learns: bool,
        online: np.ndarray | None, offline: np.ndarray,
    ) -> None:  # fmt: skip
        """Fill `online` (unless it is None) and `offline`, float64[n] each; both combiners learn where `learns`.

        Where all members that are left have a long memory the two are one, and are worked out once.
        """
        loss, at, every = Loss(self._loss.code, scale.par), self._offline_at(state), self._online_at(state)
        places, own = [self._long.index(i) for i in at], V[:, every] if len(every) < V.shape[1] else V
        if online is not None and at == every and is_same(state.online, every, state.offline, places):
            combine_some(loss, state.online, every, own, rows, learns, online)
            copy_learned(state.online, every, state.offline, places)
            offline[:] = online
            return
        if online is not None or not at:
            combine_some(loss, state.online, every, own, rows, learns, offline if online is None else online)
        if at:
            combine_some(loss, state.offline, places, V[:, at], rows, learns, offline)
        elif online is not None:
            offline[:] = online


def inputs_of(loss: str, members: tuple[Member, ...]) -> tuple[Member, ...]:
    """Inputs of the combiner: the members, and for quantiles `BIAS`.

    Members of values that begin with a weight share 1; where no member does, all do.
    """
    if not any(member.weight for member in members):
        members = tuple(member._replace(weight=1.0 / len(members)) for member in members)
    if loss in CLASSIFICATION:
        return members
    count = sum(member.weight > 0.0 for member in members)
    equal = tuple(member._replace(weight=1.0 / count if member.weight else 0.0) for member in members)
    return (*equal, BIAS) if loss in ("quantile", "absolute") else equal


def mapping(pool: Executor | None) -> Callable[..., list]:
    """``map`` that is done when it returns, in `pool` or without."""

    def done(call: Callable, *items: Iterable) -> list:
        return list((pool.map if pool else map)(call, *items))

    return done


def _rows(state: EnsembleState) -> int:
    return int(state.now["rows"][0])


def count_entries(rows: Rows, which: np.ndarray) -> int:
    """Entries of the rows `which`, bool[n]."""
    if len(which) == 1:  # quicker
        return int(rows.indptr[1]) if which[0] else 0
    if which.all():
        return int(rows.indptr[-1])
    return int(np.diff(rows.indptr)[which].sum())


def _timed(call: Callable[[], None], took: list[float]) -> None:
    begin = time.thread_time()
    call()
    took.append(time.thread_time() - begin)


def _call(call: Callable[..., None], i: int, shown: list[tuple[Rows, int]], at: slice) -> None:
    call(i, *shown[0], at)


def member_options(options: LearnOptions, member: Member) -> LearnOptions:
    """What a member's engine is made of; ``-m`` and ``--l2`` are of those that take them.

    A member forgets at the greater of its own rate and ``--decay``, if it can.

    Where values are predicted, members that cannot learn the loss in standard deviations (huber's k and poisson's
    exponent are in other units), or not at all, learn squared loss.
    """
    own: dict[str, Any] = {"method": member.method, "loss": options.loss}
    if options.loss not in CLASSIFICATION and options.loss not in (METHODS[member.method].losses or _SCALE_FREE):
        own["loss"] = "squared"
    own |= member.options
    if own["loss"] == "quantile":
        own["quantile_tau"] = options.quantile_tau
    takes = METHODS[member.method].takes
    for name in {"sketch_size", "l2"} & set(takes) - set(member.options):
        own[name] = getattr(options, name)
    if "decay" in takes:
        own["decay"] = max(options.decay, member.rate)
    return _made(**own)


@functools.lru_cache(maxsize=256, typed=True)
def _made(**given: Any) -> LearnOptions:
    """These options, which cannot be changed: to check them takes half the time that an ensemble takes to make."""
    return LearnOptions(**given)


@bare_jit
def count_up(tally, active, classes, V, y, weight):
    """tally[j] += (h, h error_ij) row by row of the members `active`: where a batch ends changes no bit.

    Parameters
    ----------
    tally : float64[k, 4], modified in its first two columns; active : int64[at work]
    classes : bool, whether errors are wrong classes or squared
    V : float64[n, k or more], inputs of the combiner; y, weight : float64[n]; rows without label or weight are left out
    """
    for i in range(len(y)):
        if is_learned(weight[i], y[i]):
            for j in active:
                tally[j, 0] += weight[i]
                tally[j, 1] += weight[i] * row_error(classes, V[i, j], y[i])


@bare_jit
def add_up(totals, loss, classes, online, offline, y, weight):
    """totals[j] += (h, h loss_i, h error_i) row by row, of the online combination (0) and the offline one (1).

    totals : float64[2, 3], modified; online, offline, loss.par, y, weight : float64[n]
    """
    for i in range(len(y)):
        if is_learned(weight[i], y[i]):
            one = Loss(loss.code, loss.par[i])
            value = loss_value(one, online[i], y[i])
            add_row(totals[0], value, classes, online[i], y[i], weight[i])
            if offline[i] != online[i]:
                value = loss_value(one, offline[i], y[i])
            add_row(totals[1], value, classes, offline[i], y[i], weight[i])


@bare_inline
def add_row(totals, value, classes, z, y, weight):
    """totals (float64[3], modified) += (h, h loss, h error) of a row."""
    totals[0] += weight
    totals[1] += weight * value
    totals[2] += weight * row_error(classes, z, y)


@bare_inline
def row_error(classes, z, y):
    """Whether the class is wrong, or the squared error."""
    if classes:
        return 1.0 if (z > 0.0) != (y > 0.0) else 0.0
    return (z - y) * (z - y)
