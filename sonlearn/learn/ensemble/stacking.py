"""A panel: members on views that are shown to them, and the combiner of what they say. One for each class to be told.

Members do not need each other within a batch, so they may run side by side: the bits are the same. At a few hearings
the members that do not pay for their time are retired (`prune`).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.jit import jit
from sonlearn.learn.engine import Predictions, State, grown
from sonlearn.learn.ensemble.combiner import (
    Combiner,
    combine_some,
    forget,
    new_combiner,
    prior_precision_for,
    weights_of,
)
from sonlearn.learn.ensemble.jobs import Job, work_off
from sonlearn.learn.ensemble.label_scale import LabelScale, LabelScaler
from sonlearn.learn.ensemble.pruning import (
    SHORT,
    Case,
    before_first_checkpoint,
    members_to_prune,
    replayed,
    rows_to_next_checkpoint,
)
from sonlearn.learn.ensemble.viewing import Seen, rows_between
from sonlearn.learn.losses import Loss
from sonlearn.learn.make import make_engine
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.members import NAG_SECONDS, Member
from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS

#: What the combiner of quantiles is told beside what members say: 1. They predict means, a quantile is beside those.
BIAS = Member("bias", "raw", weight=0.0, cost=0.0)
#: Losses of values that mean the same whatever the unit.
_SCALE_FREE = ("squared", "absolute", "quantile")
#: Parts of what is learned at a time, and rows of a part at least, where a view and its members take longer than LONG
#: times a thread's share. Each part has to fetch their tables into the cache anew.
PARTS, LEAST_ROWS, LONG = 4, 128, 1.4
NOW = [("rows", "i8"), ("entries", "i8"), ("active", "i8")]


class StackedState(NamedTuple):
    """All that a panel has learned."""

    members: tuple  # the members' states
    combiner: Combiner
    # float64[k, 4]; sums of h and of h * error over the rows learned, each member's own progress; entries that it saw;
    # and of how many different features, up to the first hearing
    tally: np.ndarray
    history: np.ndarray  # float32[rows, inputs + 3]; what members have said, see `prune.Case`, up to the last hearing
    now: np.ndarray  # structured [1]: rows learned; entries of those; bits of the members at work


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
        self._loss = LabelScaler(options).loss
        self._inputs = inputs_of(options.loss, members)
        self._engines = tuple(
            make_engine(member_options(options, member), dense=VIEWS[member.view].kind == "fourier")
            for member in members
        )
        self._pool, self._threads, self._map = pool, threads if pool else 0, mapping(pool)
        self._took: dict[str, list[float]] = {}  # seconds that each view and its members took the last time
        self._retires = options.prune and options.budget != "rich"

    def new(self) -> StackedState:
        """State of a panel that has seen nothing."""
        k, now = len(self.members), np.zeros(1, dtype=NOW)
        now["active"] = (1 << k) - 1
        return StackedState(
            members=tuple(engine.new() for engine in self._engines),
            combiner=new_combiner(self._inputs, prior_precision_for(self._loss), self._options.decay),
            tally=np.zeros((k, 4)),
            history=np.zeros((0, len(self._inputs) + 3), dtype=np.float32),
            now=now,
        )

    def reserve(self, state: StackedState, sizes: dict[str, int]) -> StackedState:
        """Members have room for all features of their views, of which they may have refused some."""
        members = list(state.members)
        for i in self.active(state):
            members[i] = self._engines[i].reserve(members[i], NO_ROWS, sizes[self.members[i].view])
        return state._replace(members=tuple(members))

    def learn(self, state: StackedState, seen: Seen, rows: Rows, raw: np.ndarray, again: bool) -> StackedState:
        """Learn `rows` as they were `seen`, in parts between which members are retired; fills `raw` (float64[n]).

        `again` says that the rows have been learned from before: the combiner and what only counts stand still.
        """
        if again:
            members, V = self._learn_members(state, seen, rows, (0, len(rows.y)), again)
            self._combine(state, seen.frame, V, rows, False, raw)
            return state._replace(members=members)
        start, n = 0, len(rows.y)
        while start < n:
            stop = self._stop_at_checkpoint(state, rows, start)
            state = self._learn_part(state, seen, rows_between(rows, start, stop), (start, stop), raw[start:stop])
            start = stop
        return state

    def predict(self, state: StackedState, seen: Seen, rows: Rows, raw: np.ndarray) -> None:
        """Fill `raw` and change nothing."""
        V = self.said(state, seen, len(rows.y))
        self._combine(state, seen.frame, V, rows, False, raw)

    def said(self, state: StackedState, seen: Seen, n: int) -> np.ndarray:
        """float64[n, inputs]: what the members tell the combiner of rows that they do not learn from."""
        V = self._no_inputs(n)

        def ask(i: int, rows: Rows, features: int, at: slice) -> None:
            out = Predictions.empty(len(rows.y))
            self._engines[i].predict(state.members[i], rows, out)
            self._to_input(V[at], i, out, seen.frame.between(at.start, at.stop))

        self._each(state, seen, (0, n), ask)
        return V

    def contributions(
        self, state: StackedState, seen: Seen, rows: Rows
    ) -> tuple[tuple[str, ...], tuple[np.ndarray, ...]]:
        """Names of those heard, and: what each tells the combiner float64[n, k], its weights float64[k], its output."""
        V, z = self.said(state, seen, len(rows.y)), np.zeros(len(rows.y))
        self._combine(state, seen.frame, V, rows, False, z)
        history = [*self.active(state), *range(len(self.members), len(self._inputs))]
        return tuple(self._inputs[i].name for i in history), (V[:, history], weights_of(state.combiner)[history], z)

    def weights(self, state: StackedState, features: int) -> np.ndarray:
        """float64[features]: weights of the members that are linear in the raw row, as the combiner adds them up."""
        total, combined = np.zeros(features), weights_of(state.combiner)
        for i in self.active(state):
            if self.members[i].view == "raw":
                own = self._engines[i].weights(state.members[i], features)
                total += combined[i] * self.members[i].gain * own
        return total

    def packed(self, state: StackedState) -> StackedState:
        """`state` without spare room."""
        return state._replace(
            members=tuple(engine.packed(s) for engine, s in zip(self._engines, state.members, strict=True)),
            history=state.history[: _rows(state) if self._rows_to_checkpoint(state) else 0],
        )

    def roll(self, state: StackedState) -> list[dict[str, Any]]:
        """For each member its name, whether it is at work, its own progressive error and the combiner's weight."""
        active, weights = self.active(state), weights_of(state.combiner)
        errors = state.tally[:, 1] / np.maximum(state.tally[:, 0], 1e-300)
        return [
            {"name": m.name, "active": i in active, "error": float(errors[i]), "weight": float(weights[i])}
            for i, m in enumerate(self.members)
        ]

    def spectra(self, state: StackedState) -> dict[str, np.ndarray]:
        """Eigenvalues of each member at work that keeps a sketch, by name."""
        facts = {i: self._engines[i].facts(state.members[i]) for i in self.active(state)}
        return {self.members[i].name: own["eigenvalues"] for i, own in facts.items() if "eigenvalues" in own}

    def active(self, state: StackedState) -> list[int]:
        """Positions of the members that have not been retired."""
        bits = int(state.now["active"][0])
        return [i for i in range(len(self.members)) if bits >> i & 1]

    def needed(self, state: StackedState) -> set[str]:
        """Views of the members at work."""
        return {self.members[i].view for i in self.active(state)}

    # -- how ---------------------------------------------------------------------------------------------------------

    def _learn_part(self, state: StackedState, seen: Seen, part: Rows, span: tuple[int, int], raw: Any) -> StackedState:
        """Learn `part`, rows start..stop-1 of what is `seen`; fills `raw` (float64[stop - start])."""
        members, V = self._learn_members(state, seen, part, span, again=False)
        frame = seen.frame.between(*span)
        self._combine(state, frame, V, part, True, raw)
        return self._counted(state._replace(members=members), part, V, frame.par)

    def _learn_members(
        self, state: StackedState, seen: Seen, part: Rows, span: tuple[int, int], again: bool
    ) -> tuple[tuple, np.ndarray]:
        """(states of the members after `part`, what they told the combiner before each row)."""
        V, members, frame = self._no_inputs(len(part.y)), list(state.members), seen.frame.between(*span)
        told, first = (
            (part.weight > 0) & ~np.isnan(part.y),
            self._rows_to_checkpoint(state) and before_first_checkpoint(_rows(state)),
        )

        def teach(i: int, rows: Rows, features: int, at: slice) -> None:
            if again and METHODS[self.members[i].method].engine == "bayes":
                out = Predictions.empty(len(rows.y))
                self._engines[i].predict(members[i], rows, out)
            else:
                members[i], out = learned_by(self._engines[i], members[i], rows._replace(y=part.y[at]), features)
            self._to_input(V[at], i, out, frame.between(at.start, at.stop))
            if not again:
                state.tally[i, 2] += int(np.diff(rows.indptr)[told[at]].sum())
            if not again and first:
                most = rows.features[: rows.indptr[-1]].max(initial=-1) + 1
                state.tally[i, 3] = max(state.tally[i, 3], most)

        self._each(state, seen, span, teach)
        return tuple(members), V

    def _each(
        self, state: StackedState, seen: Seen, span: tuple[int, int], call: Callable[[int, Rows, int, slice], None]
    ) -> None:
        """``call(i, rows, features of the view, which of the span they are)`` for each member at work and its view.

        Views and members side by side, those first that took longest together the last time. If that was most of all
        the time, they go on in a few parts, so that a member learns while its view sees the next.
        """
        sharing: dict[str, list[int]] = {}
        for i in self.active(state):
            sharing.setdefault(self.members[i].view, []).append(i)
        took = {view: sum(self._took.get(view, ())) for view in sharing}
        takes: dict[str, list[float]] = {view: [] for view in sharing}
        self._took = takes
        jobs, every = list[Job](), sum(took.values())
        for view in sorted(sharing, key=lambda view: -took[view]):
            before: dict[Any, Job] = {}  # of the view, and of each member
            parts = (span[1] - span[0]) // LEAST_ROWS if took[view] * self._threads > LONG * every else 1
            for at in itertools.pairwise(np.linspace(*span, min(max(parts, 1), PARTS) + 1).astype(int).tolist()):
                shown: list[tuple[Rows, int]] = []
                fit_transform = Job(functools.partial(_show, seen, view, at, shown), filter(None, [before.get(view)]))
                before[view] = fit_transform
                jobs.append(fit_transform)
                for i in sharing[view]:
                    own = functools.partial(_call, call, i, shown, slice(at[0] - span[0], at[1] - span[0]))
                    before[i] = Job(own, filter(None, [fit_transform, before.get(i)]))
                    jobs.append(before[i])
                for job in jobs[-1 - len(sharing[view]) :]:
                    job.call = functools.partial(_timed, job.call, takes[view])
        work_off(jobs, self._pool, self._threads)

    def _counted(self, state: StackedState, rows: Rows, V: np.ndarray, par: np.ndarray) -> StackedState:
        """Add the rows to everybody's tally, and retire members when they have been heard."""
        told = (rows.weight > 0) & ~np.isnan(rows.y)
        state.now["entries"] += int(np.diff(rows.indptr)[told].sum())
        before, left = _rows(state), self._rows_to_checkpoint(state)
        V, y, h, par = V[told], rows.y[told], rows.weight[told], par[told]
        said = V[:, : len(self.members)]
        wrong = ((said > 0) != (y > 0)[:, None]) if self._classes else (said - y[:, None]) ** 2
        count_up(state.tally, wrong.astype(np.float64), h)
        state.now["rows"] += len(y)
        if not left:
            return state
        history = grown(state.history, before + len(y))
        history[before : before + len(y)] = np.column_stack([V, par, y, h])
        state = state._replace(history=history)
        return self._prune_at_checkpoint(state) if left == len(y) else state

    def _prune_at_checkpoint(self, state: StackedState) -> StackedState:
        """Retire the members that do not pay for their time: nothing of them is kept, in the combiner neither."""
        rows, active = _rows(state), self.active(state)
        costs = np.array([member.cost for member in self.members]) * state.tally[:, 2]
        short = int(state.now["entries"][0]) <= SHORT * rows
        allowed = self._options.microseconds * 1e-6 / NAG_SECONDS * rows
        history, decay = state.history[:rows], self._options.decay
        case = Case(self._loss, self._inputs, self._classes, history, costs, short, allowed, decay)
        idle, members = members_to_prune(case, active, state.tally[:, 2:], self._map), list(state.members)
        for i in idle:
            members[i] = self._engines[i].new()
            state.now["active"] &= ~(1 << i)
        history = state.history
        if idle:
            history[:rows, idle] = 0.0
            stay = [i for i in range(len(self._inputs)) if i not in idle and (i in active or i >= len(self.members))]
            anew = replayed(case, stay, prior_precision_for(self._loss))[0]
            state = state._replace(combiner=forget(anew, idle))
        if not self._rows_to_checkpoint(state):
            history = history[:0].copy()
        return state._replace(members=tuple(members), history=history)

    def _rows_to_checkpoint(self, state: StackedState) -> int:
        """Rows that are still to be learned before the next hearing; 0: there is none to come."""
        return rows_to_next_checkpoint(_rows(state)) if self._retires else 0

    def _stop_at_checkpoint(self, state: StackedState, rows: Rows, start: int) -> int:
        """Where to stop so that retirement comes after the very same row however the stream is cut."""
        left, n = self._rows_to_checkpoint(state), len(rows.y)
        if left == 0:
            return n
        counts = np.cumsum((rows.weight[start:] > 0) & ~np.isnan(rows.y[start:]))
        return start + int(np.searchsorted(counts, left)) + 1 if counts[-1] >= left else n

    def _to_input(self, V: np.ndarray, i: int, said: Predictions, frame: LabelScale) -> None:
        """What member i's predictions are to the combiner: column i of V."""
        np.clip(self.members[i].gain * said.prediction, frame.low, frame.high, out=V[:, i])

    def _no_inputs(self, n: int) -> np.ndarray:
        V = np.zeros((n, len(self._inputs)))
        V[:, len(self.members) :] = 1.0
        return V

    def _combine(
        self, state: StackedState, frame: LabelScale, V: np.ndarray, rows: Rows, learns: bool, raw: Any
    ) -> None:
        loss, at = Loss(self._loss.code, frame.par), [*self.active(state), *range(len(self.members), len(self._inputs))]
        combine_some(loss, state.combiner, at, V[:, at] if len(at) < len(self._inputs) else V, rows, learns, raw)


def inputs_of(loss: str, members: tuple[Member, ...]) -> tuple[Member, ...]:
    """What the combiner is told: the members, values with equal weights, and for quantiles `BIAS`."""
    if loss in CLASSIFICATION:
        return members
    equal = tuple(dataclasses.replace(member, weight=1.0 / len(members)) for member in members)
    return (*equal, BIAS) if loss in ("quantile", "absolute") else equal


def mapping(pool: Executor | None) -> Callable[..., list]:
    """``map`` that is done when it returns, in `pool` or without."""

    def done(call: Callable, *items: Iterable) -> list:
        return list((pool.map if pool else map)(call, *items))

    return done


def _rows(state: StackedState) -> int:
    return int(state.now["rows"][0])


def _show(seen: Seen, view: str, at: tuple[int, int], shown: list[tuple[Rows, int]]) -> None:
    shown.append(seen.part(view, *at))


def _timed(call: Callable[[], None], took: list[float]) -> None:
    begin = time.thread_time()
    call()
    took.append(time.thread_time() - begin)


def _call(call: Callable[..., None], i: int, shown: list[tuple[Rows, int]], at: slice) -> None:
    call(i, *shown[0], at)


def learned_by(engine: Any, state: State, rows: Rows, features: int) -> tuple[State, Predictions]:
    """A member shown `rows`; a row that it would refuse it sits out, predicting 0."""
    said, at = Predictions.empty(len(rows.y)), -1
    state = engine.reserve(state, rows, features)
    while at < len(rows.y):
        state, at = engine.learn(state, rows, said, at + 1)
        if at < len(rows.y):
            said.prediction[at] = 0.0
    return state, said


def member_options(options: LearnOptions, member: Member) -> LearnOptions:
    """What a member's engine is made of; ``-m``, ``--decay``, ``--l2``: of those that take them and say nothing else.

    Where values are predicted, members that cannot learn the loss in standard deviations (huber's k and poisson's
    exponent are in other units), or not at all, learn squared loss.
    """
    own: dict[str, Any] = {"method": member.method, "loss": options.loss}
    if options.loss not in CLASSIFICATION and options.loss not in (METHODS[member.method].losses or _SCALE_FREE):
        own["loss"] = "squared"
    own |= member.options
    if own["loss"] == "quantile":
        own["quantile_tau"] = options.quantile_tau
    for name in {"sketch_size", "decay", "l2"} & set(METHODS[member.method].takes) - set(member.options):
        own[name] = getattr(options, name)
    return LearnOptions(**own)


@jit
def count_up(tally, wrong, weight):
    """tally[j] += (h, h wrong_ij) row by row: where a batch ends changes no bit."""
    for i in range(len(weight)):
        for j in range(len(tally)):
            tally[j, 0] += weight[i]
            tally[j, 1] += weight[i] * wrong[i, j]
