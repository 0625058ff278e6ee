"""Several classes as members and combiner see them: slots, scores, and the share of what has not been met.

Inside, a class is a slot: 0, 1, ... in the order in which the rows learned have shown them. So nothing depends on how
classes are numbered or named outside, and one that comes late is no different from any other. For a class that has not
been met there is no score but one for all such together, by Good and Turing: after t rows that have shown n classes
only once each, the next row is of a new class with the probability (n + 1/2)/(t + 1).

The combiner's step on their scores is softmax's.

Member j gives every class met so far a score v_jk, less its largest one, and no less than -`MAX_SCORE_GAP`. With a
weight for each member, the same for all classes,

    z_k = sum_j w_j v_jk,    p = softmax(z)

and after the class y of the row is known, of importance h,

    g_j  = sum_k (p_k - [k = y]) v_jk,    vbar_j = sum_k p_k v_jk
    H_ij = sum_k p_k (v_ik - vbar_i) (v_jk - vbar_j)
    A <- A + h (H + SURPRISE g g'),    w <- w - h A^-1 g

with the curvature of the log loss beside squared gradients. Where a row of another class was taken for certain the loss
has a slope, but next to no curvature: H alone would make the step as long as the weights are undecided, and a handful
of rows at the start would turn them round. With g g' there is g'A^-1 g <= 1/SURPRISE. Two classes give, but for g g',
the step on log-odds (`combiner`): of two scores only the difference counts.

What is hard has a large curvature, what members have come to know next to none. So rows of the time when they knew
little would fix the weights. After PERIOD rows A keeps what the mean loss has fallen to, as a share of what it was, if
that is less than the retention.

Of a thousand classes most have next to no probability: those below `TINY` are left out of H, and those whose score is
more than `MAX_SCORE_GAP` below the best have the probability 0 and in logarithms that bound.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.linear_algebra import (
    add_scaled,
    clear_first,
    exponential,
    factorise,
    find_largest,
    largest,
    mirror,
    solve_lower,
    solve_upper,
    total_of,
)
from sonlearn.data.rows import Rows, is_learned, learned_rows
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Calls
from sonlearn.learn.classes import first_occurrences
from sonlearn.learn.engine import Contributions, Engine, Predictions
from sonlearn.learn.ensemble import pruning
from sonlearn.learn.ensemble.combiner import MIN_CURVATURE, PERIOD, Combiner, fade
from sonlearn.learn.ensemble.label_scale import LabelScale, new_scale
from sonlearn.learn.ensemble.progress import SEVERAL
from sonlearn.learn.ensemble.target import Part, Target
from sonlearn.options import LearnOptions
from sonlearn.options.members import CLASS_METHODS, Member

UNMET = -1
NOW = [("once", "i8")]
#: A_0 as a multiple of I, and how much of squared gradients is added to A. Over 17 sets and 28 others, the members'
#: scores replayed: log loss .957 and .851 of that of .5 and 0, errors .991 and .968. SURPRISE .03 to .25 and PRIOR .25
#: to 1 do nearly as well; SURPRISE 1 has 1.05 of the errors.
PRIOR, SURPRISE = 0.25, 0.15
#: Classes of less probability have no share in the curvature.
TINY = 1e-5
#: Scores that far below the best count as that; probabilities are not below exp of it.
MAX_SCORE_GAP = 20.0


class SlotState(NamedTuple):
    """The classes of the rows learned."""

    slots: np.ndarray  # int64[classes]; of the number of a class, its slot or -1
    counts: np.ndarray  # int64[slots]; rows learned of each
    now: np.ndarray  # structured [1]: classes shown once


class ClassSlots(Target):
    """Several classes. Labels are their numbers in the order in which they were named or met, or NaN."""

    rests = False  # it gains nothing, and costs up to 1.2 times the loss

    def __init__(self, options: LearnOptions, members: tuple[Member, ...] = ()):
        super().__init__(options, members)
        self.kind, self.rules, self.precision = SEVERAL, pruning.CLASS_RULES, (PRIOR,)
        self.inputs, self._most = members, options.oaa or options.multinomial or 0

    def new(self, classes: int = 0) -> SlotState:
        """State that has seen no label."""
        return SlotState(np.full(classes, UNMET), np.zeros(0, np.int64), np.zeros(1, dtype=NOW))

    def label_calls(self, state: SlotState, rows: Rows, now: np.ndarray, again: bool) -> tuple[Rows, LabelScale, Calls]:
        """The labels of rows that are learned become slots, of others NaN."""
        n = len(rows.y)
        y = np.zeros(n)
        scale = new_scale(rows)._replace(unit=np.ones(n), near=y, named=np.full(n, len(state.slots)))
        return rows._replace(y=y), scale, [(count_rows, (state, now, again, rows, y, scale))]

    def learned(self, state: SlotState, rows: Rows, now: np.ndarray, again: bool) -> tuple[SlotState, Rows, LabelScale]:
        """See `Target.learned`; classes get their slots."""
        labels = np.where(learned_rows(rows), rows.y, np.nan)
        births = first_occurrences(labels, len(state.slots))
        named = len(state.slots) + np.searchsorted(births, np.arange(len(labels)))
        state, rows, scale = super().learned(with_slots(state, labels), rows, now, again)
        return state, rows, scale._replace(named=named)

    def is_ready(self, state: SlotState, rows: Rows) -> Calls:
        """See `Target.is_ready`."""
        return [(have_slots, (state.slots, rows.y, rows.weight))]

    def width(self, state: SlotState) -> int:
        """K."""
        return len(state.counts)

    def met(self, state: SlotState) -> int:
        """Return how many classes have been met or named."""
        return len(state.slots)

    def expected(self, state: SlotState) -> int:
        """As many as are named; else those met and once more those met only once, as Good and Turing have it."""
        return max(self._most, len(state.slots), len(state.counts) + int(state.now["once"][0]))

    def reordered(self, state: SlotState, order: list[int | None]) -> SlotState:
        """See `Engine.reordered`."""
        slots = np.array([UNMET if number is None else state.slots[number] for number in order], dtype=np.int64)
        return state._replace(slots=slots)

    def merged(self, states: Sequence[SlotState], base: SlotState) -> tuple[SlotState, list[np.ndarray]]:
        """See `Target.merged`; all have the same classes in the same order."""
        every = (base, *states)
        slots, maps = merged_slots([state.slots for state in every], [len(state.counts) for state in every])
        counts = np.zeros(int(slots.max(initial=-1)) + 1, np.int64)
        for state, own in zip(every, maps, strict=True):
            start = np.append(base.counts, np.zeros(len(state.counts) - len(base.counts), np.int64))
            np.add.at(counts, own, state.counts if state is base else state.counts - start)
        now = base.now.copy()
        now["once"] = np.count_nonzero(counts == 1)
        return SlotState(slots, counts, now), maps

    # -- members and combiner ----------------------------------------------------------------------------------------

    def engine_of(self, member: Member) -> Engine:
        """The learner of a member; all forget at least as much as ``--decay`` says, where they can."""
        module, name, forgets = CLASS_METHODS[member.method]
        options = {"decay": max(member.rate, self.options.decay)} if forgets else {}
        make = getattr(importlib.import_module(f"sonlearn.learn.{module}"), name)
        return make(**member.options, **options)

    def to_input(self, V: np.ndarray, member: Member, scale: LabelScale) -> Calls:
        """See `subtract_largest`."""
        return [(subtract_largest, (V, scale.met))]

    def combine(self, combiner: Combiner, V: np.ndarray, part: Part, learns: bool, z: np.ndarray) -> Calls:
        """See `Target.combine`; z are logarithms of probabilities."""
        rows, scratch = part.rows, scratch_for(len(V), V.shape[2])
        return [(combine, (combiner, V, part.scale.met, rows.y, rows.weight, learns, SURPRISE, scratch, z))]

    def finish(self, state: SlotState, scale: LabelScale, z: Sequence[np.ndarray], out: Predictions) -> Calls:
        """Scores are logarithms of probabilities."""
        return [
            (score_unseen, (self._most, scale, out.met, out.unseen)),
            *((write_scores, (state.slots, logs, scale.met, out.unseen, raw))
              for logs, raw in zip(z, (out.raw, out.offline), strict=True)),
        ]  # fmt: skip

    # -- reports -----------------------------------------------------------------------------------------------------

    def contributions(
        self, state: SlotState, scale: LabelScale, V: np.ndarray, w: np.ndarray, z: np.ndarray, number: int | None
    ) -> Contributions:
        """To the score of the class of that number, less what each scores for its best class.

        Nothing is said of a class that no row has shown.
        """
        slot = UNMET if number is None else int(state.slots[number])
        scores = V[:, :, slot].T if slot >= 0 else np.zeros((V.shape[1], len(V)))
        return Contributions((), scores, w, w * scores, np.zeros(V.shape[1]))

    def weights(
        self, state: SlotState, of_slot: Callable[[int | None], np.ndarray], number: int | None, features: int
    ) -> np.ndarray:
        """See `Target.weights`."""
        if number is not None:
            slot = int(state.slots[number])
            return np.asarray(of_slot(slot) if slot >= 0 else np.zeros(features))
        every = [self.weights(state, of_slot, each, features) for each in range(len(state.slots))]
        return np.array(every).reshape(len(every), features)

    def facts(self, state: SlotState) -> dict[str, Any]:
        """classes: of each the rows learned (`examples`)."""
        counts = np.append(state.counts, 0)[state.slots]
        return {"classes": [{"examples": count} for count in counts.tolist()]}


def with_slots(state: SlotState, labels: np.ndarray) -> SlotState:
    """The state with a slot for each class in `labels`, float64[n]; NaN is no label."""
    numbers = labels[~np.isnan(labels)].astype(np.int64)
    found, first = np.unique(numbers, return_index=True)
    slots = np.append(state.slots, np.full(max(int(numbers.max(initial=-1)) + 1 - len(state.slots), 0), UNMET))
    new = found[np.argsort(first)]
    new = new[slots[new] == UNMET]
    slots[new] = len(state.counts) + np.arange(len(new))
    return state._replace(slots=slots, counts=np.append(state.counts, np.zeros(len(new), np.int64)))


def merged_slots(slots: list[np.ndarray], counts: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """(slots of the merged state, of each state the new slots of its own), the first state being the base.

    Parameters
    ----------
    slots : of each state int64[classes], of the same classes
    counts : how many slots each has
    """
    merged, used, maps = np.full(len(slots[0]), UNMET), 0, []
    for own, count in zip(slots, counts, strict=True):
        numbers = np.flatnonzero(own >= 0)
        new = numbers[(merged[numbers] == UNMET)]
        merged[new[np.argsort(own[new])]] = used + np.arange(len(new))
        used += len(new)
        place = np.zeros(count, np.int64)
        place[own[numbers]] = merged[numbers]
        maps.append(place)
    return merged, maps


@jit
def have_slots(slots, y, weight):
    """1 if all rows that are learned are of classes with slots, else 0.

    slots : int64[classes]; y, weight : float64[n]
    """
    for i in range(len(y)):
        if is_learned(weight[i], y[i]) and not (y[i] < len(slots) and slots[int(y[i])] >= 0):
            return 0
    return 1


@jit
def count_rows(state, whole, again, rows, y, scale):
    """Find the slots of rows, count them, and say what had been counted before each.

    Parameters
    ----------
    state : SlotState with a slot for each class, changed in `counts`, and unless `again` in `now`
    whole : structured [1], of the committee: rows learned; again : bool, whether the rows have been learned from before
    rows : Rows; y : float64[n], filled in with slots, NaN for a row that is not learned from
    scale : LabelScale, filled in but for `named`
    """
    counts, now, known, learned = state.counts, state.now[0], 0, whole[0]["rows"]
    while known < len(counts) and counts[known] > 0:
        known += 1
    for i in range(len(y)):
        scale.met[i], scale.once[i], scale.rows[i] = known, now["once"], learned
        y[i] = math.nan
        if not is_learned(rows.weight[i], rows.y[i]):
            continue
        slot = state.slots[int(rows.y[i])]
        y[i] = slot
        counts[slot] += 1
        known = max(known, slot + 1)
        if not again:
            learned += 1
            if counts[slot] == 1:
                now["once"] += 1
            elif counts[slot] == 2:
                now["once"] -= 1


@jit
def score_unseen(most, scale, met, unseen):
    """met[i] <- classes that had been named; unseen[i] <- the score of a class that had not been met.

    most : int, how many classes there can be, or 0; scale : LabelScale; met : int64[n]; unseen : float64[n]
    """
    for i in range(len(met)):
        met[i], unseen[i] = scale.named[i], 0.0
        if scale.met[i] > 0:
            new = (scale.once[i] + 0.5) / (scale.rows[i] + 1.0)
            unseen[i] = math.log(new / (1.0 - new) / max(most - scale.met[i], 1))


@jit
def write_scores(slots, logs, met, unseen, scores):
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


# ------------------------------------------------------------------------------------------------------------- the step


class CombinerScratch(NamedTuple):
    """Space for one row."""

    p: np.ndarray  # float64[K]
    mean: np.ndarray  # float64[k]
    g: np.ndarray  # float64[k]
    step: np.ndarray  # float64[k]
    LT: np.ndarray  # float64[k, k]
    candidates: np.ndarray  # int64[K]; classes, those of `p`
    deviations: np.ndarray  # float64[K, k]
    best: np.ndarray  # int64[2]; the likeliest classes


def scratch_for(k: int, classes: int) -> CombinerScratch:
    """Space for rows of so many members and classes."""
    return CombinerScratch(
        np.zeros(classes), np.zeros(k), np.zeros(k), np.zeros(k), np.zeros((k, k)), np.zeros(classes, np.int64),
        np.zeros((classes, k)), np.zeros(2, np.int64),
    )  # fmt: skip


@jit
def subtract_largest(V, met):
    """V[i, :met[i]] <- the scores of a member less the largest of the row, and no less than -`MAX_SCORE_GAP`.

    Parameters
    ----------
    V : float64[n, K], changed; met : int64[n]
    """
    for i in range(len(met)):
        top = largest(V[i], met[i])
        for k in range(met[i]):
            V[i, k] = max(V[i, k] - top, -MAX_SCORE_GAP)


@jit
def combine(combiner, V, met, y, weight, learns, surprise, scratch, out):
    """out[i, :met[i]] <- logarithms of the classes' probabilities, and, where `learns` and there is a label, a step.

    Parameters
    ----------
    combiner : Combiner of one set of weights, changed
    V : float64[k, n, K], levelled (`subtract_largest`)
    met : int64[n], how many classes had been met before each row
    y : float64[n], numbers of classes, NaN for none; of one that had not been met nothing can be learned
    weight : float64[n]; learns : bool; surprise : float, in place of `SURPRISE`
    scratch : CombinerScratch; out : float64[n, K], filled in
    """
    for i in range(len(y)):
        if met[i] == 0:
            continue
        count = probabilities(combiner.w[0], V, i, met[i], scratch, out[i])
        if not learns or not weight[i] > 0.0 or not 0.0 <= y[i] < met[i]:
            continue
        combiner.rows[0] += 1
        take_step(combiner, V, i, out[i, : met[i]], count, int(y[i]), weight[i], surprise, scratch)
        combiner.recent[0, 0] += weight[i]
        combiner.recent[0, 1] -= weight[i] * out[i, int(y[i])]
        if combiner.rows[0] % PERIOD == 0:
            fade(combiner, 0, retention_of(combiner))
    mirror(combiner.A[0], len(V))  # steps change the lower triangle alone


@inline
def retention_of(combiner):
    """Return what is to be left of A: the share that the mean loss has fallen to, and no more than the retention."""
    retention, before, recent = combiner.retention[0], combiner.mean[0], combiner.recent[0]
    mean = recent[1] / recent[0]
    combiner.mean[0] = mean
    return mean / before if 0.0 < mean < before * retention else retention


@inline
def probabilities(w, V, i, met, scratch, logs):
    """logs[:met] <- logarithms of the softmax of row i's weighted scores, no less than -`MAX_SCORE_GAP`.

    scratch.some[:count] <- the classes that have a probability, scratch.p[:count] <- that; returns their count. Of a
    thousand classes they are few, and what follows takes time for them alone.
    """
    p, candidates, count = scratch.p, scratch.candidates, 0
    clear_first(logs, met)
    for j in range(len(V)):
        add_scaled(logs, w[j], V[j, i], met)
    top = largest(logs, met)
    for k in range(met):
        logs[k] -= top
    for k in range(met):
        candidates[count] = k
        count += 1 if logs[k] > -MAX_SCORE_GAP else 0
    for at in range(count):
        p[at] = logs[candidates[at]]
    for at in range(count):
        p[at] = exponential(p[at])
    total = total_of(p, count)
    for at in range(count):
        p[at] /= total
    whole = math.log(total)
    for k in range(met):
        logs[k] = max(logs[k] - whole, -MAX_SCORE_GAP)
    return count


@inline
def take_step(combiner, V, i, logs, count, y, h, surprise, scratch):
    """A <- A + h (H + surprise g g') and w <- w - h A^-1 g for a row of class y.

    logs, count, scratch : of `probabilities`
    """
    p, mean, g, candidates, deviations = scratch.p, scratch.mean, scratch.g, scratch.candidates, scratch.deviations
    A, n = combiner.A[0], len(V)
    clear_first(mean, n)
    for at in range(count):
        for j in range(n):
            deviations[at, j] = V[j, i, candidates[at]]
        add_scaled(mean, p[at], deviations[at], n)
    for j in range(n):
        g[j] = mean[j] - V[j, i, y]
    for at in range(count):
        if p[at] >= TINY:
            add_scaled(deviations[at], -1.0, mean, n)
            for j in range(n):
                add_scaled(A[j], h * p[at] * deviations[at, j], deviations[at], j + 1)
    find_largest(logs, len(logs), -1, scratch.best)
    first, second = scratch.best[0], scratch.best[1]
    lacking = MIN_CURVATURE + math.expm1(logs[first])
    if lacking > 0.0 and len(logs) > 1:
        for j in range(n):
            one = h * lacking * (V[j, i, first] - V[j, i, second])
            for l in range(j + 1):  # noqa: E741
                A[j, l] += one * (V[l, i, first] - V[l, i, second])
    if surprise > 0.0:
        for j in range(n):
            add_scaled(A[j], h * surprise * g[j], g, j + 1)
    factorise(A, 0.0, n, scratch.LT)
    solve_lower(scratch.LT, n, g, mean)
    solve_upper(scratch.LT, n, mean, scratch.step)
    add_scaled(combiner.w[0], -h, scratch.step, n)
