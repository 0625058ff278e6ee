"""Merges what several committees have learned since a common base, part by part (see `Engine.merge`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import Numbers
from sonlearn.learn.ensemble.combiner import merge_combiners

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.committee import Committee, CommitteeState


def merged(
    committee: Committee, states: Sequence[CommitteeState], base: CommitteeState, rows: Sequence[int]
) -> CommitteeState:
    """One state of several; arguments have gone through `renumbered`.

    Members at work in at least half of the states stay.
    """
    k, counts = len(committee.members), np.sum([state.active for state in states], axis=0)
    left = np.flatnonzero(2 * counts >= len(states)).tolist()
    labels, maps = committee.target.merged([state.labels for state in states], base.labels)
    views, members = _views_and_members(committee, states, base, rows, left, maps)
    gone = [[i for i in range(k) if i not in left or not state.active[i]] for state in states]
    new = committee.new()
    merged = axes.merged(states, base, np.ones(len(states)))._replace(
        labels=labels, views=views, members=members, active=np.isin(np.arange(k), left),
        online=merge_combiners([state.online for state in states], base.online, gone),
        below=new.below, offline=new.offline, resting=new.resting,
    )  # fmt: skip
    if committee.stacked:
        others = [sorted({*own, *committee.above}) for own in gone]
        merged = merged._replace(below=merge_combiners([state.below for state in states], base.below, others))
    if not committee.active_members(merged).separate:
        return merged
    start, *every = map(committee.offline_combiner, (base, *states))
    without_short = [sorted({*own, *committee.short}) for own in gone]
    return merged._replace(offline=merge_combiners(every, start, without_short))


def merge_tallies(base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
    """`CommitteeState.tally` of all: sums; the most features; errors as late as in the learners' own rows."""
    tally, every = axes.summed(base, others, by), np.array(others)
    tally[:, 3] = every[:, :, 3].max(axis=0)
    tally[:, 4] = every[:, :, 4].sum(axis=0) / np.maximum((every[:, :, 0] ** 2).sum(axis=0), 1e-300) * tally[:, 0] ** 2
    return tally


def _views_and_members(
    committee: Committee, states: Sequence[CommitteeState], base: CommitteeState, rows: Sequence[int], left: list[int],
    maps: Sequence[np.ndarray | None],
) -> tuple[tuple, tuple]:  # fmt: skip
    """The merged views, and the merged members `left`; all others are new.

    `maps`: of the base and each state the numbers that its classes have in the merged one.
    """
    views, members = list(committee.views.new()), [engine.new() for engine in committee.engines]
    for place, (name, view) in enumerate(zip(committee.views.names, committee.views.every, strict=True)):
        users = [i for i in left if committee.members[i].view == name]
        if not users:
            continue
        holders = [g for g, state in enumerate(states) if name in committee.active_members(state).by_view]
        seen = view.merge([states[g].views[place] for g in holders], base.views[place])
        views[place], size = seen.state, view.features(seen.state)
        for i in users:
            engine = committee.engines[i]
            own = [(g, numbers) for g, numbers in zip(holders, seen.numbers, strict=True) if states[g].active[i]]
            start = engine.renumbered(base.members[i], Numbers(seen.base, size, maps[0]))
            found = [engine.renumbered(states[g].members[i], Numbers(numbers, size, maps[g + 1])) for g, numbers in own]
            members[i] = engine.merge(found, start, [rows[g] for g, _ in own])
    return tuple(views), tuple(members)
