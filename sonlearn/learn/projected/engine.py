"""Learners by random projection: the engine around the kernels of `sonlearn.learn.projected.rounds`."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import BY_FEATURE
from sonlearn.data.rows import Rows
from sonlearn.learn.engine import Engine, Predictions
from sonlearn.learn.linear_algebra import FOURTH, INVERSE, ROOT
from sonlearn.learn.losses import Output, output_of
from sonlearn.learn.newton.state import eta_of
from sonlearn.learn.normals import draw, new_features, position_after, position_of
from sonlearn.learn.projected.rounds import DATA, GRADIENT, NEWTON, OWN, learn, predict, weights
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

SOURCES = {"newton": NEWTON, "gradient": GRADIENT, "data": DATA, "own": OWN}
#: t: rounds learned; seen: number of features.
NOW = [("t", "i8"), ("seen", "i8")]
#: Rows learned at a time, with one random vector each.
BLOCK = 1024


class ProjectedParams(NamedTuple):
    """The kernels' parameters: numbers from `LearnOptions` and from the method's entry in the table."""

    source: int
    kind: int
    floor: float  # alpha, or delta
    rate: float
    dual: bool
    output: Output  # of classes that share S
    sigma: float
    eta_kind: int
    eta: float


class ProjectedState(NamedTuple):
    """State of a learner, without the names of its features; C classes, 1 with one weight vector."""

    wbar: Annotated[np.ndarray, BY_FEATURE]  # float64[features, C]; primal-dual: z
    S: Annotated[np.ndarray, BY_FEATURE]  # float64[features, tau], S transposed
    Pi: Annotated[np.ndarray, BY_FEATURE]  # float64[features, tau]; random numbers (radagrad); else without columns
    SS: np.ndarray  # float64[tau, tau], S S'
    U: np.ndarray  # float64[tau, tau], eigenvectors of S S' in columns
    lam: np.ndarray  # float64[tau], its eigenvalues, ascending; 0 where they are rounding errors
    b: np.ndarray  # float64[C, tau]
    q: np.ndarray  # float64[C, tau], S z
    position: np.ndarray  # uint64[4]; position of the random number generator
    now: np.ndarray  # structured [1]


class ProjectedScratch(NamedTuple):
    """Scratch arrays of one round. What the round changes is written here first: a refused row changes nothing."""

    y: np.ndarray  # float64[tau], S x
    r: np.ndarray  # float64[tau], the random vector of the row, or Pi'g
    a: np.ndarray  # float64[tau], the step's coefficients on S
    SS: np.ndarray  # float64[tau, tau], of the state after the round
    b: np.ndarray  # float64[C, tau], likewise
    q: np.ndarray  # float64[C, tau], likewise
    wx: np.ndarray  # float64[C], w'x
    zx: np.ndarray  # float64[C], wbar'x
    slope: np.ndarray  # float64[C]; the gradients are slope x
    move: np.ndarray  # float64[C], the change of wbar per unit of x


class Projected(Engine):
    """Engine of rp-son, ada-gp, ada-dp and radagrad (see `sonlearn.learn.engine.Engine`).

    With ``multinomial`` C classes share the sketch, and predictions are float64[n, C] (`multiclass.multinomial`).
    """

    def __init__(self, options: LearnOptions):
        self._params, self._tau, self._seed = params_of(options), options.sketch_size, options.seed
        tau, C = self._tau, max(self._params.output.classes, 1)
        self._work = ProjectedScratch(
            *np.zeros((3, tau)), np.zeros((tau, tau)), *np.zeros((2, C, tau)), *np.zeros((4, C))
        )

    def new(self, classes: int = 0) -> ProjectedState:
        """State of an untrained learner."""
        tau, C, own = self._tau, max(self._params.output.classes, 1), self._params.source == OWN
        return ProjectedState(
            np.zeros((0, C)), np.zeros((0, tau)), np.zeros((0, tau if own else 0)), np.zeros((tau, tau)), np.eye(tau),
            np.zeros(tau), *np.zeros((2, C, tau)), position_of(self._seed), np.zeros(1, dtype=NOW).view(np.recarray),
        )  # fmt: skip

    def learn(self, state: ProjectedState, rows: Rows, out: Predictions, start: int) -> tuple[ProjectedState, int]:
        """Learn rows from `start` on (see `Engine.learn`)."""
        while start < len(rows.y):
            stop = min(start + BLOCK, len(rows.y))
            before, drawn = self._used(state), self._needed(state, rows, start, stop)
            normals, position = draw(state.position, drawn, self._tau)
            if self._params.source == OWN:
                state.Pi[before : before + drawn] = normals
            start = learn(self._params, state, self._work, normals, rows, out, start, stop)
            used = self._used(state) - before
            state.position[:] = position_after(state.position, position, used, drawn, self._tau)
            if start < stop:
                break
        return state, start

    def _used(self, state: ProjectedState) -> int:
        """Number of random vectors used so far: one a round, or one a feature."""
        return int(state.now["seen" if self._params.source == OWN else "t"][0])

    def _needed(self, state: ProjectedState, rows: Rows, start: int, stop: int) -> int:
        """Number of further random vectors that rows `start` to `stop` - 1 may need."""
        if self._params.source == OWN:
            return new_features(rows, start, stop, self._used(state))
        return int(np.count_nonzero(~np.isnan(rows.y[start:stop]) & (rows.weight[start:stop] > 0)))

    def predict(self, state: ProjectedState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        return int(predict(self._params, state, rows, out))

    def weights(self, state: ProjectedState, features: int, number: int | None = None) -> np.ndarray:
        """float64[features], or float64[C, features] for C classes: weights in the scale of the input."""
        w = np.zeros((max(self._params.output.classes, 1), features))
        weights(self._params, state, w)
        return w if self._params.output.classes else w[0]

    def facts(self, state: ProjectedState) -> dict[str, Any]:
        """eigenvalues of S'S, descending; alpha, if the method has one."""
        facts = {"eigenvalues": np.maximum(state.lam[::-1], 0.0)}
        return facts | ({"alpha": self._params.floor} if self._params.source == NEWTON else {})


def params_of(options: LearnOptions) -> ProjectedParams:
    """The kernels' parameters for `options`."""
    source = SOURCES[METHODS[options.method].values["source"]]
    kind, eta = eta_of(options)
    return ProjectedParams(
        source=source,
        kind={NEWTON: INVERSE, OWN: FOURTH}.get(source, ROOT),
        floor=float(options.alpha if source == NEWTON else options.delta),
        rate=1.0 if source == NEWTON else float(options.learning_rate),
        dual=source != NEWTON and options.update == "dual",
        output=output_of(options),
        sigma=float(options.resolved_sigma),
        eta_kind=kind,
        eta=eta,
    )
