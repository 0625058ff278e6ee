"""Learners with the full matrix: the engine around the kernels of `sonlearn.learn.dense`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data import merging
from sonlearn.data.axes import BY_FEATURE, Axis, Classes, Counted, Numbers, Scalars, summed
from sonlearn.data.mixing import normals_by_feature
from sonlearn.data.rows import Rows
from sonlearn.jit.sequence import Calls
from sonlearn.learn.dense import rounds
from sonlearn.learn.dense.rounds import column_start
from sonlearn.learn.engine import Engine, Predictions, check_width, padded, too_wide
from sonlearn.learn.losses import Output, RowWeight, output_of, row_weight_of
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: t: rounds learned; seen: number of features. Of ridge: weight, the sum of h; due, the round that works w out anew;
#: constant, 1 and the number of the rows' constant, if that is known.
NOW = [("t", "i8"), ("seen", "i8"), ("weight", "f8"), ("due", "i8"), ("constant", "i8")]
SCALARS = Scalars("t", totals=("t", "weight"))
#: The columns of a triangle of features.
TRIANGLE = Counted("seen", rows=column_start)


class DenseParams(NamedTuple):
    """The kernels' parameters: numbers from `LearnOptions` and from the method's entry in the table."""

    rule: int
    max_columns: int  # largest number of features
    output: Output  # of classes that share A
    alpha: float
    row_weight: RowWeight
    r: float
    rate: float
    delta: float
    dual: bool
    standard: bool  # alpha counts in units of the features' variances


class DenseState(NamedTuple):
    """State of a learner, without the names of its features; C classes, 1 with one weight vector."""

    w: Annotated[np.ndarray, BY_FEATURE, Classes(1)]  # float64[features, C]
    # float64[features, C]; sum of gradients (primal-dual updates), or of h y x (ridge)
    z: Annotated[np.ndarray, BY_FEATURE, summed, Classes(1)]
    # float64[features (features + 1)/2]; columns of R, A = R R', or of A's upper triangle
    A: Annotated[np.ndarray, TRIANGLE]
    Pi: Annotated[np.ndarray, BY_FEATURE]  # float64[features, tau]; random numbers (ada-lr); else tau is 0
    now: Annotated[np.ndarray, SCALARS]  # structured [1]


class Dense(Engine):
    """Engine of full-on, arow-full, ridge, ada-full and ada-lr (see `sonlearn.learn.engine.Engine`).

    With ``multinomial`` C classes share A, and predictions are float64[n, C] (`multiclass.by_method`).
    """

    def __init__(self, options: LearnOptions):
        self._method, self._params = options.method, params_of(options)
        self._ridge = self._params.rule == rounds.RIDGE
        self._factored = self._params.rule in (rounds.FULL_ON, rounds.AROW)  # whether A is stored as R
        self._kernel = rounds.learn_ridge if self._ridge else rounds.learn if self._factored else rounds.learn_spectral
        self.merges = self._factored or self._params.rule in (rounds.ADA_FULL, rounds.RIDGE)
        self._tau = options.sketch_size if self._params.rule == rounds.ADA_LR else 0
        self._seed = options.seed

    def new(self, classes: int = 0) -> DenseState:
        """State of an untrained learner."""
        C = max(self._params.output.classes, 1)
        return DenseState(
            *np.zeros((2, 0, C)), np.zeros(0), np.zeros((0, self._tau)), np.zeros(1, dtype=NOW).view(np.recarray)
        )

    def reserve(self, state: DenseState, rows: Rows, features: int) -> DenseState:
        """Make room for learning `rows`, up to the largest number of features allowed."""
        before, state = len(state.w), super().reserve(state, rows, min(features, self._params.max_columns))
        return state._replace(Pi=normals_by_feature(state.Pi, before, self._seed)) if self._tau else state

    def calls(self, state: DenseState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        return [(self._kernel, (self._params, state, rows, out, start, learns))]

    def refusal(self, rows: Rows, row: int) -> tuple[str, str] | None:
        """(found, expected) if the row was refused for exceeding the number of features; None if for its numbers."""
        if self._ridge:  # which leaves further features out
            return None
        keeps = f"a number for every pair of them: use --method {METHODS[self._method].values['instead']}"
        return too_wide(rows, row, self._params.max_columns, self._method, keeps)

    def weights(self, state: DenseState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[C, features] for C classes: weights in the scale of the input."""
        return padded(state.w[:features].T, features)

    def renumbered(self, state: DenseState, numbers: Numbers) -> DenseState:
        """`state` with other numbers (see `Engine.renumbered`)."""
        most = min(numbers.most, self._params.max_columns)
        if self._ridge:
            numbers = Numbers(np.where(numbers.features < most, numbers.features, -1), most)
            state = state._replace(now=state.now.copy())
            known = np.minimum(state.now["constant"] - 1, len(numbers.features))  # of raw rows: a view may have fewer
            state.now["constant"] = np.append(numbers.features, -1)[known] + 1
        numbers = numbers._replace(features=numbers.features[: len(state.w)], most=most)  # others are of refused rows
        own = numbers.features
        check_width(own, most, self._method)
        stays, A = own >= 0, (self._params.alpha if self._factored else 0.0) * np.eye(most)
        known = own[stays]
        A[np.ix_(known, known)] = self._matrix(state)[np.ix_(stays, stays)]
        return super().renumbered(state, numbers)._replace(A=self._columns(A))

    def merge(self, states: Sequence[DenseState], base: DenseState, rows: Sequence[int]) -> DenseState:
        """Matrices add up (see `Engine.merge`).

        Weights of full-on and arow-full are those of Gaussians: A w = sum of A_g w_g - (G - 1) A_0 w_0. Those of
        ada-full move by the rows learned, or follow from the sum of gradients; those of ridge follow from the sums.
        """
        found, by = super().merge(states, base, rows), self.shares(states, base)
        start, *own = (self._matrix(s) for s in (base, *states))
        A = merging.summed(start, own, by)
        if self._ridge:
            found = found._replace(w=found.w.copy(), A=self._columns(A))
            known = {int(each.now["constant"][0]) for each in (base, *states)} - {0}
            found.now["constant"] = known.pop() if len(known) == 1 else 0
            rounds.solve_for_weights(self._params, found)
            return found
        if self._factored:
            b = merging.summed(start @ base.w, [each @ s.w for each, s in zip(own, states, strict=True)], by)
            w = np.linalg.solve(A, b)
        elif self._params.dual:
            lam, U = np.linalg.eigh(A)
            lam = np.maximum(lam, rounds.EIGENVALUE_TOLERANCE * max(lam.max(initial=0.0), 0.0))
            w = -self._params.rate * (U / (self._params.delta + np.sqrt(lam))) @ (U.T @ found.z)
        else:
            gains = [np.full(base.w.shape, float(n)) for n in rows]
            w = merging.moved(base.w, [s.w for s in states], gains)
        return found._replace(w=w, A=self._columns(A))

    def _matrix(self, state: Any) -> np.ndarray:
        """float64[features, features]: A."""
        R = np.zeros((len(state.w), len(state.w)))
        R.T[np.tril_indices(len(R))] = state.A[: column_start(len(R))]
        return np.asarray(R @ R.T if self._factored else R + R.T - np.diag(np.diag(R)))

    def _columns(self, A: np.ndarray) -> np.ndarray:
        """The columns of A's upper triangle, or of the upper triangular R with A = R R'."""
        R = np.linalg.cholesky(A[::-1, ::-1])[::-1, ::-1] if self._factored else A
        return np.asarray(R.T[np.tril_indices(len(R))])

    def facts(self, state: DenseState) -> dict[str, Any]:
        """alpha, if the method has one."""
        return {"alpha": self._params.alpha} if "alpha" in METHODS[self._method].takes else {}


def params_of(options: LearnOptions) -> DenseParams:
    """The kernels' parameters for `options`."""
    values = METHODS[options.method].values
    rule, ada = rounds.NAMES.index(values["rule"]), values["rule"].startswith("ada")
    return DenseParams(
        rule=rounds.PSEUDO if rule == rounds.FULL_ON and options.alpha == 0 else rule,
        max_columns=values["max_columns"],
        output=output_of(options),
        alpha=float(options.alpha) if rule in (rounds.FULL_ON, rounds.RIDGE) else 1.0,
        row_weight=row_weight_of(options),
        r=float(options.arow_r),
        rate=float(options.learning_rate) if ada else 1.0,
        delta=float(options.delta),
        dual=ada and options.update == "dual",
        standard=values.get("standard", False),
    )


# ----------------------------------------------------------------------------------------------------------- experts


#: Number of experts. [METAGRAD] uses (log2 T)/2 of them, so these suffice for any stream.
EXPERTS = 20


def first_weights() -> np.ndarray:
    """float64[experts]: logarithms of the experts' prior weights, the largest 0."""
    e = np.arange(EXPERTS)
    prior = -np.log((e + 1.0) * (e + 2.0))
    return prior - prior.max()


class MetaGradState(NamedTuple):
    """State of a learner, without the names of its features."""

    w: Annotated[np.ndarray, BY_FEATURE]  # float64[features, 1]; the experts' tilted average
    z: Annotated[np.ndarray, BY_FEATURE, summed]  # float64[features, 2]; sums of g and of (w'g) g
    W: Annotated[np.ndarray, BY_FEATURE]  # float64[features, experts]; the experts' weights w_e
    logp: Annotated[np.ndarray, Axis(), summed]  # float64[experts]; logarithms of the probabilities p_e, the largest 0
    A: Annotated[np.ndarray, TRIANGLE]  # float64[features (features + 1)/2]; columns of A's upper triangle
    now: Annotated[np.ndarray, SCALARS]  # structured [1]


class MetaGrad(Dense):
    """Engine of metagrad (see `sonlearn.learn.engine.Engine`)."""

    def __init__(self, options: LearnOptions):
        super().__init__(options)
        self._params = self._params._replace(rate=float(options.learning_rate), alpha=float(options.alpha))
        self._factored, self._kernel = False, rounds.learn_experts

    def new(self, classes: int = 0) -> MetaGradState:
        """State of an untrained learner."""
        now = np.zeros(1, dtype=NOW).view(np.recarray)
        return MetaGradState(*(np.zeros((0, n)) for n in (1, 2, EXPERTS)), first_weights(), np.zeros(0), now)

    def merge(self, states: Sequence[MetaGradState], base: MetaGradState, rows: Sequence[int]) -> MetaGradState:
        """Sums over rows (z, the experts' losses, squares of gradients) add up; the weights follow from them."""
        found, by = Engine.merge(self, states, base, rows), self.shares(states, base)
        A = merging.summed(self._matrix(base), [self._matrix(state) for state in states], by)
        W, w = rounds.weighed(self._params, A, found.z, found.logp)
        return found._replace(w=w[:, None], W=W, logp=found.logp - found.logp.max(), A=self._columns(A))

    def facts(self, state: MetaGradState) -> dict[str, object]:
        """alpha; experts: float64[experts], their probabilities, from the largest step size to the smallest."""
        p = np.exp(state.logp)
        return {"alpha": self._params.alpha, "experts": p / p.sum()}
