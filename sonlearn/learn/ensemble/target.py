"""What members and combiner learn of labels, and what becomes of the combination: all that the kind of problem decides.

`Target` is for values and two classes, `slots.ClassSlots` for several classes. What members predict of n rows is V,
float64[inputs, n, K], and the combination z, float64[n, K]: K = 1, but of several classes those met so far. Labels and
predictions are put into other units by `label_scale`.

What is done with rows is said in calls of kernels (`sonlearn.jit.sequence`): a batch makes them once, and rows that
come one by one make them again and again.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.rows import Rows, rows_between
from sonlearn.jit import jit
from sonlearn.jit.sequence import Call, Calls, run_calls
from sonlearn.learn.engine import Contributions, Engine, Predictions, State, make_engine
from sonlearn.learn.ensemble import label_scale, pruning
from sonlearn.learn.ensemble.combiner import (
    MIN_QUANTILE_ERROR,
    Combiner,
    combine,
    copy_inputs,
    new_combiner,
    prior_for,
    select_inputs,
)
from sonlearn.learn.ensemble.label_scale import LABEL_OUTLIER, LabelScale, new_scale
from sonlearn.learn.ensemble.progress import TWO, VALUES
from sonlearn.learn.losses import POISSON, SQUARED, Loss, loss_of, losses
from sonlearn.learn.predicted import logistic
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION, SCALE_FREE
from sonlearn.options.members import Member
from sonlearn.options.methods import METHODS

#: An input of the combiner of quantiles that is always 1. Members predict means, a quantile is beside those.
BIAS = Member("bias", "raw", weight=0.0, cost=0.0)


class Part(NamedTuple):
    """Rows that are learned or asked at a time."""

    rows: Rows  # with labels as the combiner learns them
    scale: LabelScale  # how to read them

    def between(self, at: slice) -> Part:
        """Some of the rows."""
        if at == slice(0, len(self.rows.y)):
            return self
        return Part(rows_between(self.rows, at.start, at.stop), LabelScale(*(array[at] for array in self.scale)))


class Target:
    """The kind of problem that a committee has: this one, values or two classes.

    Parameters
    ----------
    options : LearnOptions
    members : tuple of Member

    Attributes
    ----------
    inputs : tuple of Member
        Inputs of the combiner: the members first.
    kind : int
        One of those of `progress`.
    loss : Loss
        That the combiner minimises, in the units of a `LabelScale`; of several classes it says nothing.
    precision : tuple of float
        Prior precision of the combiner's sets of weights.
    rules : Rules
        By which members are pruned.
    """

    #: Whether copies learn what members are worth without labels.
    rests = True

    def __init__(self, options: LearnOptions, members: tuple[Member, ...] = ()):
        self.options, self._given = options, loss_of(options)
        self.classes = options.loss in CLASSIFICATION
        self.kind = TWO if self.classes else VALUES
        self.rules = pruning.TWO_RULES if self.classes else pruning.VALUE_RULES
        self.loss = Loss(SQUARED, 0.0) if self._given.code == POISSON else self._given
        self.inputs = inputs_of(options.loss, members)
        self.precision = prior_for(self.loss)

    # -- labels ------------------------------------------------------------------------------------------------------

    def new(self, classes: int = 0) -> State:
        """State of one that has seen no label; so many classes have been named."""
        return label_scale.LabelState(np.zeros(3), np.zeros(2), np.zeros(2))

    def label_calls(self, state: State, rows: Rows, now: np.ndarray, again: bool) -> tuple[Rows, LabelScale, Calls]:
        """(the rows as the combiner learns them, how to read them, the calls that fill these in and count the labels).

        `now`: of the committee's state; `again`: whether the rows have been learned from before. The state has room for
        the labels. Of values, the rows are without bases.
        """
        n = len(rows.y)
        scale, y = new_scale(rows), np.zeros(n)
        if self.classes:
            low, high, par = np.full(n, -label_scale.CLIP), np.full(n, label_scale.CLIP), np.full(n, self._given.par)
            own = {"label": rows.y, "weight": rows.weight, "near": rows.y}
            return rows, scale._replace(unit=np.ones(n), low=low, high=high, par=par, **own), []
        beyond = float(self.options.clip != "labels")
        calls = [(label_scale.scale_rows, (self._given, state, rows, scale, not again, beyond, y))]
        return rows._replace(y=y, base=np.zeros(n)), scale, calls

    def learned(self, state: State, rows: Rows, now: np.ndarray, again: bool) -> tuple[State, Rows, LabelScale]:
        """The state that has counted the labels of `rows`, and what `label_calls` gives, filled in."""
        rows, scale, calls = self.label_calls(state, rows, now, again)
        run_calls(calls)
        return state, rows, scale

    def is_ready(self, state: State, rows: Rows) -> Calls:
        """Calls that are done, and change nothing, where `state` has room for the labels of `rows`."""
        return []

    def width(self, state: State) -> int:
        """K."""
        return 1

    def merged(self, states: Sequence[State], base: State) -> tuple[State, Sequence[np.ndarray | None]]:
        """(one state of what several have seen since `base`, the numbers of the classes of the base and of each)."""
        return label_scale.merge_labels(states, base), [None] * (1 + len(states))

    def met(self, state: State) -> int:
        """Return how many classes have been met or named."""
        return 0

    def expected(self, state: State) -> int:
        """Return how many classes there will be, as far as can be seen."""
        return 0

    def reordered(self, state: State, order: list[int | None]) -> State:
        """See `Engine.reordered`."""
        return state

    # -- members and combiner ----------------------------------------------------------------------------------------

    def engine_of(self, member: Member) -> Engine:
        """The learner of a member."""
        return make_engine(member_options(self.options, member))

    def labelled(self, member: Member, seen: Rows, scale: LabelScale) -> Rows:
        """The rows `seen` with the labels that a member learns: of values less far out, or in their own unit."""
        if self._in_own_unit(member):
            return seen._replace(y=scale.label, weight=scale.of_line if member.follows_line else scale.weight)
        return seen._replace(y=scale.near)

    def unit(self, state: State, member: Member) -> float:
        """Return what 1 of the combiner's unit is in that of the member: 1 unless this is the labels' own."""
        return (float(label_scale.unit_of(state)) if self._in_own_unit(member) else 0.0) or 1.0

    def to_input(self, V: np.ndarray, member: Member, scale: LabelScale) -> Calls:
        """Make an input of the combiner of what the member has left in V, float64[n, K].

        That is the prediction, within the member's own bounds, times its gain, within those of `scale`.
        """
        clip = float(member.options.get("clip", math.inf))
        return [(clip_inputs, (V, clip, float(member.gain), self._in_own_unit(member), scale))]

    def _in_own_unit(self, member: Member) -> bool:
        return self.kind == VALUES and member.in_own_unit

    def combine(self, combiner: Combiner, V: np.ndarray, part: Part, learns: bool, z: np.ndarray) -> Calls:
        """Fill z, float64[n, K]; where it `learns`, the combiner, whose inputs are V, takes a step for each row.

        The kernel goes by rows.
        """
        rows, k, by_row = part.rows, len(V), np.zeros((len(part.rows.y), len(V)))
        loss = Loss(self.loss.code, part.scale.par)
        given = loss, combiner, by_row, rows.y, rows.weight, learns, np.zeros((k + 2, k)), z[:, 0]
        return [(transpose_inputs, (V, by_row)), (combine, given)]

    def combine_some(
        self, combiner: Combiner, at: Sequence[int], V: np.ndarray, part: Part, learns: bool, z: np.ndarray
    ) -> Calls:
        """`combine`, where only the inputs `at` have ever been other than 0; V, float64[len(at), n, K]: what they are.

        The bits are those of `combine` with zeros for all others, in the time that those at work take.
        """
        own = select_inputs(combiner, at)
        calls = self.combine(own, V, part, learns, z)
        if learns and own is not combiner:
            calls.append((copy_inputs, (own[:3], combiner[:3], np.array(at, np.int64))))
        return calls

    def new_combiner(self, inputs: Sequence[Member]) -> Combiner:
        """A combiner that has learned nothing."""
        return new_combiner(inputs, self.precision, self.options.decay)

    def finish(self, state: State, scale: LabelScale, z: Sequence[np.ndarray], out: Predictions) -> Calls:
        """Fill `out` with what the online and the offline combination, z, mean."""
        return [self._unscale(scale, z[0], out.raw), self._unscale(scale, z[1], out.offline)]

    def _unscale(self, scale: LabelScale, z: np.ndarray, out: np.ndarray) -> Call:
        """Fill `out` with predictions of the loss that was asked for, of the combiner's z; float64[n, 1] both."""
        return label_scale.unscale_rows, (self._given.code, self.classes, scale, z, out)

    def errors(self, V: np.ndarray, part: Part) -> tuple[np.ndarray, np.ndarray]:
        """(errors of the combinations V, float64[k, n], weights of their squares, float64[n]).

        Of two classes they are those of the probabilities. Of values the squares of the last combination's errors add
        up to its losses.
        """
        rows = part.rows
        if self.classes:
            return logistic(V) - (rows.y > 0.0), rows.weight
        errors = V - rows.y
        if self.loss.code == SQUARED:
            return errors, rows.weight
        own = np.zeros(len(rows.y))
        losses(Loss(self.loss.code, float(part.scale.par.mean())), V[-1], rows.y, own)
        return errors, rows.weight * own / np.maximum(errors[-1] ** 2, MIN_QUANTILE_ERROR**2)

    # -- reports -----------------------------------------------------------------------------------------------------

    def contributions(
        self, state: State, scale: LabelScale, V: np.ndarray, w: np.ndarray, z: np.ndarray, number: int | None
    ) -> Contributions:
        """Of the inputs V, their weights w and the offline combination z; without the members' names.

        They are in the unit of the labels. Of counts, whose prediction is a logarithm, a member's part of z is that
        part of the logarithm's change.
        """

        def unscaled(scores: np.ndarray) -> np.ndarray:
            out = np.zeros_like(scores)
            run_calls([self._unscale(scale, scores, out)])
            return out[:, 0]

        start, slope = unscaled(np.zeros_like(z)), scale.unit
        if self._given.code == POISSON:
            at = np.where(z == 0.0, 1e-6, z)
            slope = (unscaled(at) - start) / at[:, 0]
        each = np.column_stack([unscaled(v) for v in V])
        return Contributions((), each, w, slope[:, None] * w * V[:, :, 0].T, start)

    def weights(
        self, state: State, of_slot: Callable[[int | None], np.ndarray], number: int | None, features: int
    ) -> np.ndarray:
        """See `Engine.weights`; ``of_slot(k)`` are the weights of score k, None of the one score."""
        return (1.0 if self.classes else float(label_scale.unit_of(state))) * of_slot(None)

    def facts(self, state: State) -> dict[str, Any]:
        """Return what there is to tell of the labels."""
        return {}


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


def member_options(options: LearnOptions, member: Member) -> LearnOptions:
    """Return what a member's engine is made of; ``-m`` and ``--l2`` are of those that take them.

    A member forgets at the greater of its own rate and ``--decay``, if it can.

    Where values are predicted, members that cannot learn the loss in standard deviations (huber's k and poisson's
    exponent are in other units), or not at all, learn squared loss.
    """
    own: dict[str, Any] = {"method": member.method, "loss": options.loss}
    if options.loss not in CLASSIFICATION and options.loss not in (METHODS[member.method].losses or SCALE_FREE):
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


@jit
def clip_inputs(V, clip, gain, in_own_unit, scale):
    """V[i, 0] (float64[n, 1]) <- gain times it within +-clip, within the bounds of `scale`, whose unit it is in.

    A member in its own unit that says 0 has learned nothing. Most follow a line, so that bounds have a margin.
    """
    for i in range(len(V)):
        low, high = max(scale.low[i], -LABEL_OUTLIER), min(scale.high[i], LABEL_OUTLIER)
        if in_own_unit:
            low, high = scale.least[i], scale.most[i]
            if V[i, 0] != 0.0:
                V[i, 0] = (V[i, 0] - scale.mean[i]) / scale.unit[i] if scale.unit[i] > 0.0 else 0.0
        V[i, 0] = min(max(gain * min(max(V[i, 0], -clip), clip), low), high)


@jit
def transpose_inputs(V, by_row):
    """by_row[i, j] <- V[j, i, 0]; V : float64[k, n, 1]."""
    for j in range(len(V)):
        for i in range(len(by_row)):
            by_row[i, j] = V[j, i, 0]
