"""A mixture: several learners, and the average of their probabilities, weighted by their past losses.

Exponential weights with rate 1 on logistic loss [Vovk 1990], which is Bayes' rule: the mixture's total loss exceeds
that of the best member by at most the logarithm of the number of members. Members with correlated errors gain nothing
from the average; the committee's combiner, which learns weights of any sign and sum, does better.
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from sonlearn.data.axes import Axis, summed
from sonlearn.data.rows import Rows, is_learned
from sonlearn.jit import jit
from sonlearn.learn.engine import Contributions, Engine, Predictions, first_not_finite, make_engine
from sonlearn.learn.ensemble.combiner import MAX_LOG_ODDS, averaged_score, score, weights_of
from sonlearn.learn.ensemble.target import member_options
from sonlearn.learn.losses import loss_of, loss_value
from sonlearn.options import LearnOptions
from sonlearn.options.members import Member

#: Members of a mixture without --members.
DEFAULT = ("nag", "arow-precision", "rfd-son")


class Members(NamedTuple):
    """Members as the combiner's sets of weights have it (`averaged_score`): each is the input of that number."""

    w: np.ndarray  # float64[k, k]; the identity
    loss: np.ndarray  # float64[k]; of `MixtureState`


class MixtureState(NamedTuple):
    """State of a mixture."""

    members: tuple  # the members' states
    loss: Annotated[np.ndarray, Axis(), summed]  # float64[k]; each member's sum of h * loss


class Mixture(Engine):
    """Engine of the mixture."""

    def __init__(self, options: LearnOptions):
        self._loss = loss_of(options)
        self._names = options.members or DEFAULT
        self._engines = tuple(make_engine(member_options(options, Member(name, "raw"))) for name in self._names)
        self.merges = all(engine.merges for engine in self._engines)

    def new(self, classes: int = 0) -> MixtureState:
        """State of an untrained mixture."""
        return MixtureState(tuple(engine.new() for engine in self._engines), np.zeros(len(self._engines)))

    def parts(self, state: MixtureState) -> dict[str, Any]:
        """See `Engine.parts`."""
        return {"members": self._engines}

    def learn(self, state: MixtureState, rows: Rows, out: Predictions, start: int) -> tuple[MixtureState, int]:
        """Learn all rows; a member does not learn a row that it refuses."""
        V, members = self._of_members(state, rows, True)
        mix(self._loss, _as_members(state), V, rows, True, out.raw[:, 0])
        return state._replace(members=members), len(rows.y)

    def predict(self, state: MixtureState, rows: Rows, out: Predictions) -> int:
        """Predict `rows` and change nothing."""
        V, _ = self._of_members(state, rows, False)
        mix(self._loss, _as_members(state), V, rows, False, out.raw[:, 0])
        return first_not_finite(out)

    def contributions(self, state: MixtureState, rows: Rows, number: None = None) -> Contributions:
        """The members' log-odds for `rows`. The mixture averages probabilities, so these do not add up to `raw`."""
        V, share = self._of_members(state, rows, False)[0], self._share(state)
        return Contributions(self._names, V, share, share * V, np.zeros(len(rows.y)))

    def _of_members(self, state: MixtureState, rows: Rows, learns: bool) -> tuple[np.ndarray, tuple]:
        """(float64[n, k] the members' predictions, their states: after the rows where they are learned).

        Predictions are within +-`MAX_LOG_ODDS`: infinite ones make others NaN.
        """
        V, members = np.zeros((len(rows.y), len(self._engines))), []
        features = int(rows.features[: rows.indptr[-1]].max(initial=-1)) + 1
        for i, (engine, own) in enumerate(zip(self._engines, state.members, strict=True)):
            out = Predictions.empty(len(rows.y))
            if learns:
                own = engine.learn_all(own, rows, out, features)
            else:
                engine.predict_all(own, rows, out)
            members.append(own)
            V[:, i] = out.raw[:, 0]
        return np.clip(V, -MAX_LOG_ODDS, MAX_LOG_ODDS), tuple(members)

    def weights(self, state: MixtureState, features: int, number: int | None = None) -> np.ndarray:
        """The members' weights, averaged like their probabilities: a summary, because the mixture is not linear."""
        pairs = zip(self._share(state), self._engines, state.members, strict=True)
        return sum(share * engine.weights(s, features) for share, engine, s in pairs)

    def facts(self, state: MixtureState) -> dict[str, Any]:
        """share: weight of each member by name."""
        return {"share": dict(zip(self._names, self._share(state).tolist(), strict=True))}

    def _share(self, state: MixtureState) -> np.ndarray:
        return weights_of(_as_members(state))


def _as_members(state: MixtureState) -> Members:
    return Members(np.eye(len(state.loss)), state.loss)


@jit
def mix(loss, members, V, rows, learns, out):
    """out[i] <- log-odds of the members' averaged probability.

    members : Members; if `learns`, the losses of rows with a label and a weight are added
    V : float64[n, k], the members' log-odds, not modified, within +-`MAX_LOG_ODDS`
    rows : Rows, not modified; out : float64[n], filled in
    """
    for i in range(len(V)):
        out[i] = averaged_score(loss, members, V, i)
        if learns and is_learned(rows.weight[i], rows.y[i]):
            for e in range(len(members.loss)):
                z = score(loss.code, members.w, e, V, i)
                members.loss[e] += rows.weight[i] * loss_value(loss, z, rows.y[i])
