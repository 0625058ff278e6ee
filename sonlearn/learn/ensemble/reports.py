"""What a committee has to tell of its state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.learn.drift import changes_of
from sonlearn.learn.ensemble.combiner import weights_of
from sonlearn.learn.ensemble.progress import SEVERAL

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.committee import Committee, CommitteeState


def facts(committee: Committee, state: CommitteeState) -> dict[str, Any]:
    """members, combinations, drift: see below; spectra: a function that gives `spectra`; and what the target knows."""
    return {
        "members": member_table(committee, state), "combinations": combinations(committee, state),
        "drift": drift(committee, state), "spectra": lambda: spectra(committee, state),
    } | committee.target.facts(state.labels)  # fmt: skip


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
    """What is known of changes of the stream.

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
