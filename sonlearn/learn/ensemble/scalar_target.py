"""Values and two classes: what members and combiner learn of labels, and what becomes of the combination.

Labels and predictions are put into other units by `label_scale`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import bare_inline, bare_jit
from sonlearn.jit.sequence import Call, run_calls
from sonlearn.learn.engine import Contributions, Engine, Predictions, copy_within
from sonlearn.learn.ensemble.combiner import Combiner, copy_inputs, new_combiner, of_inputs
from sonlearn.learn.ensemble.history import History, last_rows
from sonlearn.learn.ensemble.label_scale import (
    CLIP,
    LabelScale,
    LabelState,
    merge_labels,
    scale_rows,
    unit_of,
    unscale_rows,
)
from sonlearn.learn.ensemble.pruning import PruningCase
from sonlearn.learn.ensemble.scalar_step import combine, precision_for
from sonlearn.learn.ensemble.target import JUDGED, Measured, Target
from sonlearn.learn.losses import POISSON, SQUARED, Loss, loss_of, loss_value, losses
from sonlearn.learn.make import make_engine
from sonlearn.options import LearnOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.members import Member
from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS

#: An input of the combiner of quantiles that is always 1. Members predict means, a quantile is beside those.
BIAS = Member("bias", "raw", weight=0.0, cost=0.0)
#: Losses of values that mean the same whatever the unit.
_SCALE_FREE = ("squared", "absolute", "quantile")
#: A member is still learning if its loss on the second half of its predictions is below this share of the first half's.
FALLING = 0.9
#: Prior precision of the combiner of two classes that judges.
JUDGE_PRECISION = (4.0,)


class ScalarTarget(Target):
    """The kinds of problem with one score a row."""

    def __init__(self, options: LearnOptions, members: tuple[Member, ...] = ()):
        super().__init__(options, members)
        self._given, self.classes = loss_of(options), options.loss in CLASSIFICATION
        #: The loss that the combiner minimises, in the units of a `LabelScale`.
        self.loss = Loss(SQUARED, 0.0) if self._given.code == POISSON else self._given
        self.inputs = inputs_of(options.loss, members)
        self.precision, self.relative = precision_for(self.loss), not self.classes

    def new(self, classes: int = 0) -> LabelState:
        """State that has seen nothing."""
        return LabelState(np.zeros(3), np.zeros(2))

    def label_calls(
        self, state: LabelState, rows: Rows, now: np.ndarray, again: bool
    ) -> tuple[Rows, LabelScale, list[Call]]:
        """See `Target.label_calls`; of values, rows without bases."""
        n = len(rows.y)
        if self.classes:
            ones, par = np.ones(n), np.full(n, self._given.par)
            return rows, LabelScale(np.zeros(n), ones, -CLIP * ones, CLIP * ones, par, rows.y), []
        scale, y = LabelScale(*np.zeros((6, n))), np.zeros(n)
        calls = [(scale_rows, (self._given, state, rows, scale, not again, y))]
        return rows._replace(y=y, base=np.zeros(n)), scale, calls

    def width(self, state: LabelState) -> int:
        """K."""
        return 1

    def merged(self, states: Sequence[LabelState], base: LabelState) -> tuple[LabelState, list[None]]:
        """See `label_scale.merge_labels`."""
        return merge_labels(states, base), [None] * (1 + len(states))

    # -- members and combiner ----------------------------------------------------------------------------------------

    def engine_of(self, member: Member) -> Engine:
        """The learner of a member."""
        return make_engine(member_options(self.options, member), dense=VIEWS[member.view].kind == "fourier")

    def labels_of(self, member: Member, rows: Rows, scale: LabelScale) -> np.ndarray:
        """Those of `rows`, or in their own unit where that is what the member learns."""
        return scale.label if member.in_own_unit else rows.y

    def room(self, V: np.ndarray) -> Predictions:
        """See `Target.room`."""
        V[:] = 0.0
        return Predictions.empty(len(V))._replace(prediction=V[:, 0])

    def to_input(self, V: np.ndarray, member: Member, scale: LabelScale) -> list[Call]:
        """The prediction times the member's gain, within the bounds of `scale`."""
        return [(bound, (V, float(member.gain), member.in_own_unit, scale))]

    def combine(
        self, combiner: Combiner, V: np.ndarray, scale: LabelScale, rows: Rows, learns: bool, z: np.ndarray
    ) -> list[Call]:
        """See `Target.combine`; the kernel goes by rows."""
        loss, k, by_row = Loss(self.loss.code, scale.par), len(V), np.zeros((len(rows.y), len(V)))
        given = loss, combiner, by_row, rows.y, rows.weight, learns, np.zeros((k + 2, k)), z[:, 0]
        return [(turn, (V, by_row)), (combine, given)]

    def finish(
        self, state: LabelState, scale: LabelScale, base: np.ndarray, z: Sequence[np.ndarray], out: Predictions
    ) -> list[Call]:
        """See `Target.finish`."""
        clip = float(self.options.clip)
        return [
            self._unscale(scale, z[0], base, out.raw), self._unscale(scale, z[1], base, out.offline),
            (copy_within, (out.raw, -clip, clip, out.prediction)),
        ]  # fmt: skip

    def _unscale(self, scale: LabelScale, z: np.ndarray, base: np.ndarray, out: np.ndarray) -> Call:
        """Fill `out`, float64[n], with predictions of the loss that was asked for, of the combiner's, float64[n, 1]."""
        return unscale_rows, (self._given.code, self.classes, scale, z, base, out)

    # -- what is counted ---------------------------------------------------------------------------------------------

    def tally_up(self, tally: np.ndarray, at: list[int], V: np.ndarray, scale: LabelScale, rows: Rows) -> list[Call]:
        """See `Target.tally_up`."""
        return [(tally_scores, (tally, np.array(at), self.classes, V, rows.y, rows.weight))]

    def measure(self, scale: LabelScale, rows: Rows, z: np.ndarray, out: Measured) -> list[Call]:
        """See `Target.measure`."""
        return [(measure_scores, (Loss(self.loss.code, scale.par), self.classes, z, rows.y, out))]

    def remember(
        self, history: History, now: np.ndarray, at: list[int], V: np.ndarray, z: np.ndarray, scale: LabelScale,
        rows: Rows,
    ) -> list[Call]:  # fmt: skip
        """See `Target.remember`."""
        late = self.options.label_delay
        return [(record, (history, now, late, np.array(at), V, scale.par, rows.y, rows.weight))]

    # -- pruning -----------------------------------------------------------------------------------------------------

    def replayed(
        self, case: PruningCase, at: Sequence[int], judges: bool = False
    ) -> tuple[Combiner, np.ndarray, np.ndarray]:
        """See `Target.replayed`."""
        history = last_rows(case.history, JUDGED)
        V = np.ascontiguousarray(history.inputs[:, list(at), 0], dtype=np.float64)
        par, y, weight = (np.ascontiguousarray(column, dtype=np.float64) for column in history.facts.T)
        precision = JUDGE_PRECISION if judges and self.classes else self.precision
        combiner, z, each = new_combiner(self.inputs, precision, case.decay), np.zeros(len(y)), np.zeros(len(y))
        own = of_inputs(combiner, at)
        combine(Loss(self.loss.code, par), own, V, y, weight, True, np.zeros((len(at) + 2, len(at))), z)
        copy_inputs(own, combiner, np.array(at))
        losses(Loss(self.loss.code, float(case.history.facts[:, 0].mean())), z, y, each)
        return combiner, each, weight

    def still_learns(self, case: PruningCase, i: int) -> bool:
        """See `Target.still_learns`."""
        own, y = case.history.inputs[:, i, 0].astype(np.float64), case.history.facts[:, 1].astype(np.float64)
        own /= case.inputs[i].gain
        off = (y - (np.clip(own, -1.0, 1.0) if self.classes else own)) ** 2
        middle = len(off) // 2
        return float(off[middle:].mean()) < FALLING * float(off[:middle].mean())

    # -- reports -----------------------------------------------------------------------------------------------------

    def contributions(
        self, state: LabelState, scale: LabelScale, V: np.ndarray, w: np.ndarray, z: np.ndarray, base: np.ndarray,
        number: int | None,
    ) -> Contributions:  # fmt: skip
        """In the unit of the labels.

        Of counts, whose prediction is a logarithm, a member's part of z is that part of the logarithm's change.
        """

        def unscaled(scores: np.ndarray) -> np.ndarray:
            out = np.zeros(len(scores))
            run_calls([self._unscale(scale, scores, base, out)])
            return out

        start, slope = unscaled(np.zeros_like(z)), scale.unit
        if self._given.code == POISSON:
            at = np.where(z == 0.0, 1e-6, z)
            slope = (unscaled(at) - start) / at[:, 0]
        each = np.column_stack([unscaled(v) for v in V])
        return Contributions((), each, w, slope[:, None] * w * V[:, :, 0].T, start)

    def weights(
        self, state: LabelState, of_slot: Callable[[int | None], np.ndarray], number: int | None, features: int
    ) -> np.ndarray:
        """See `Target.weights`."""
        return (1.0 if self.classes else float(unit_of(state))) * of_slot(None)

    def facts(self, state: LabelState) -> dict[str, Any]:
        """scaled: whether errors are in standard deviations of the labels."""
        return {"scaled": not self.classes}


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
def bound(V, gain, in_own_unit, scale):
    """V[i, 0] (float64[n, 1]) <- gain times it, within the bounds of `scale`; the unit is that of `scale`.

    A member in its own unit that says 0 has learned nothing.
    """
    for i in range(len(V)):
        if in_own_unit and V[i, 0] != 0.0:
            V[i, 0] = (V[i, 0] - scale.mean[i]) / scale.unit[i] if scale.unit[i] > 0.0 else 0.0
        V[i, 0] = min(max(gain * V[i, 0], scale.low[i]), scale.high[i])


@bare_jit
def turn(V, by_row):
    """by_row[i, j] <- V[j, i, 0]; V : float64[k, n, 1]."""
    for j in range(len(V)):
        for i in range(len(by_row)):
            by_row[i, j] = V[j, i, 0]


@bare_jit
def record(history, now, late, at, V, par, y, weight):
    """Write the rows that are learned into the history, behind those that `now` has counted but for the `late` first.

    history : History, modified; now : structured [1], of the committee; late : int; at : int64[k]
    V : float64[k, n, 1]; par, y, weight : float64[n]
    """
    place = now[0]["rows"] - late
    for i in range(len(y)):
        if is_learned(weight[i], y[i]):
            for j in range(len(at)):
                history.inputs[place, at[j], 0] = V[j, i, 0]
            facts = history.facts[place]
            facts[0], facts[1], facts[2] = par[i], y[i], weight[i]
            place += 1


@bare_jit
def tally_scores(tally, at, classes, V, y, weight):
    """tally[at[j]] += (h, h error_ij) row by row: where a batch ends changes no bit.

    Parameters
    ----------
    tally : float64[members, 4], modified in its first two columns; at : int64[k]
    classes : bool, whether errors are wrong classes or squared
    V : float64[k or more, n, 1], inputs of the combiner; y, weight : float64[n]; rows that are not learned are left out
    """
    for j in range(len(at)):
        own = tally[at[j]]
        for i in range(len(y)):
            if is_learned(weight[i], y[i]):
                own[0] += weight[i]
                own[1] += weight[i] * row_error(classes, V[j, i, 0], y[i])


@bare_jit
def measure_scores(loss, classes, z, y, measured):
    """Fill in `Measured`; z : float64[n, 1]; loss.par, y : float64[n]."""
    for i in range(len(y)):
        measured.loss[i] = loss_value(Loss(loss.code, loss.par[i]), z[i, 0], y[i])
        measured.error[i] = row_error(classes, z[i, 0], y[i])
        if classes:
            measured.surprise[i] = 1.0 / (1.0 + math.exp(min(max(y[i] * z[i, 0], -30.0), 30.0)))
        else:
            measured.surprise[i] = abs(z[i, 0] - y[i])


@bare_inline
def row_error(classes, z, y):
    """Whether the class is wrong, or the squared error."""
    if classes:
        return 1.0 if (z > 0.0) != (y > 0.0) else 0.0
    return (z - y) * (z - y)
