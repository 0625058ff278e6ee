"""How members and combinations have done: what is counted of them row by row, and what a committee has to tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.rows import is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.drift import changes_of
from sonlearn.learn.ensemble.combiner import weights_of
from sonlearn.learn.losses import Loss, loss_value

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.committee import Committee, CommitteeState

#: Kinds of problem.
VALUES, TWO, SEVERAL = range(3)


def member_table(committee: Committee, state: CommitteeState) -> list[dict[str, Any]]:
    """For each member its name, whether it is at work, its own progressive error, and the combiners' weights.

    ``offline`` is None for a member that forgets, and so has no part in the offline combination. Of several classes
    there are also the pairs of features and classes that a member at work knows, and the bytes that it takes.
    """
    active, weights, offline = state.active, weights_of(state.online), weights_of(committee.offline_combiner(state))
    errors = state.tally[:, 1] / np.maximum(state.tally[:, 0], 1e-300)
    table = []
    for i, member in enumerate(committee.members):
        if committee.of_words[i] and not active[i] and not state.now["in_parts"][0]:  # there have been no such words
            continue
        known = committee.engines[i].facts(state.members[i]) if active[i] and committee.target.kind == SEVERAL else {}
        table.append(
            {"name": member.name, "active": bool(active[i]), "error": float(errors[i]), "weight": float(weights[i]),
             "offline": float(offline[i]) if i in committee.long else None} | known
        )  # fmt: skip
    return table


def combinations(committee: Committee, state: CommitteeState) -> dict[str, dict[str, float]]:
    """Of the online and the offline combination the mean loss and error of all rows learned so far.

    Of values the error is the squared one; both are in standard deviations of the labels. Of several classes rows whose
    class had not been met do not count. Empty where there is one combination only, or no row.
    """
    if not committee.short or not state.totals[0, 0] > 0.0:
        return {}
    means = (state.totals[:, 1:] / state.totals[:, :1]).tolist()
    return {name: {"loss": own[0], "error": own[1]} for name, own in zip(("online", "offline"), means, strict=True)}


def drift(committee: Committee, state: CommitteeState) -> dict[str, Any]:
    """Return what is known of changes of the stream.

    changes: rows learned at which one began, the last `drift.KEPT`; count: how many there have been; short: share of
    the online combination's weight, in absolute values, that is on members that forget.
    """
    weights = np.abs(weights_of(state.online))
    short = weights[committee.short].sum()
    return {
        "changes": changes_of(state.drift), "count": int(state.drift.count[1]),
        "short": float(short / max(weights.sum(), 1e-300)),
    }  # fmt: skip


def spectra(committee: Committee, state: CommitteeState) -> dict[str, np.ndarray]:
    """Eigenvalues of each member at work that keeps a sketch, by name."""
    found = {i: committee.engines[i].facts(state.members[i]) for i in np.flatnonzero(state.active).tolist()}
    return {committee.members[i].name: own["eigenvalues"] for i, own in found.items() if "eigenvalues" in own}


@jit
def update_tally(tally, at, kind, V, met, y, weight):
    """tally[at[j], [0, 1, 4]] += (h, h error, h error times the h before) of what stands in V[j], row by row.

    Parameters
    ----------
    tally : float64[members, 5], modified; at : int64[k]; kind : int, that of the `Target`
    V : float64[k or more, n, K], inputs of the combiner; met : int64[n]
    y, weight : float64[n]; rows that are not learned are left out
    """
    for j in range(len(at)):
        own = tally[at[j]]
        for i in range(len(y)):
            told = met[i] > 0 if kind == SEVERAL else V[j, i, 0] == V[j, i, 0]
            if told and is_learned(weight[i], y[i]):
                error = weight[i] * error_of(kind, V[j], i, met[i], y[i])
                own[4] += error * own[0]
                own[0] += weight[i]
                own[1] += error


@jit
def update_losses(kind, loss, met, par, z, y, weight, total, surprise):
    """total += (h, h loss_i, h error_i) row by row, of the rows learned where there was something to choose.

    Of several classes there is nothing to choose where the class had not been met.

    Parameters
    ----------
    kind, loss : those of the `Target`; met, par : those of `LabelScale`; z : float64[n, K], a combination
    y, weight : float64[n]
    total : float64[3], modified
    surprise : float64[n], filled in: 1 less the probability of the right class, or the error of the value
    """
    for i in range(len(y)):
        if kind == SEVERAL:
            value = -z[i, int(y[i])] if 0.0 <= y[i] < met[i] else math.nan
            surprise[i] = 1.0 - math.exp(-value) if value == value else 1.0
        else:
            value = loss_value(Loss(loss.code, par[i]), z[i, 0], y[i])
            surprise[i] = z[i, 0] - y[i]
        if kind == TWO:
            surprise[i] = 1.0 / (1.0 + math.exp(min(max(y[i] * z[i, 0], -30.0), 30.0)))
        if is_learned(weight[i], y[i]) and value == value:
            total[0] += weight[i]
            total[1] += weight[i] * value
            total[2] += weight[i] * error_of(kind, z, i, met[i], y[i])


@inline
def error_of(kind, z, i, met, y):
    """Of the scores z[i, :met] for a row of label y whether the class is wrong, or the squared error of the value.

    Of equal scores of several classes the first counts; a class that had not been met is wrong.
    """
    if kind == VALUES:
        return (z[i, 0] - y) * (z[i, 0] - y)
    if kind == TWO:
        return 1.0 if (z[i, 0] > 0.0) != (y > 0.0) else 0.0
    if not 0.0 <= y < met:
        return 1.0
    own = int(y)
    for k in range(met):
        if z[i, k] > z[i, own] or (k < own and z[i, k] == z[i, own]):
            return 1.0
    return 0.0
