"""Merges what several committees have learned since a common base, part by part (see `Engine.merge`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sonlearn.data import axes
from sonlearn.data.axes import Numbers
from sonlearn.learn.ensemble.combiner import merge_combiners
from sonlearn.learn.ensemble.history import History, last_rows, of_rows

if TYPE_CHECKING:
    from sonlearn.learn.ensemble.committee import Committee, CommitteeState


def merged(
    committee: Committee, states: Sequence[CommitteeState], base: CommitteeState, rows: Sequence[int]
) -> CommitteeState:
    """One state of several, without a history; arguments have gone through `renumbered`.

    Members at work in at least half of the states stay.
    """
    k, at_work = len(committee.members), np.sum([state.active for state in states], axis=0)
    left = np.flatnonzero(2 * at_work >= len(states)).tolist()
    labels, maps = committee.target.merged([state.labels for state in states], base.labels)
    views, members = _views_and_members(committee, states, base, rows, left, maps)
    gone = [[i for i in range(k) if i not in left or not state.active[i]] for state in states]
    new = committee.new()
    merged = axes.merged(states, base, np.ones(len(states)))._replace(
        labels=labels, views=views, members=members, active=np.isin(np.arange(k), left),
        online=merge_combiners([state.online for state in states], base.online, gone),
        below=new.below, offline=new.offline, history=new.history, resting=new.resting,
    )  # fmt: skip
    if committee.stacked:
        others = [sorted({*own, *committee.above}) for own in gone]
        merged = merged._replace(below=merge_combiners([state.below for state in states], base.below, others))
    if not committee.at_work(merged).apart:
        return merged
    start, *every = map(committee.offline_combiner, (base, *states))
    without_short = [sorted({*own, *committee.short}) for own in gone]
    return merged._replace(offline=merge_combiners(every, start, without_short))


def tallied(base: np.ndarray, others: Sequence[np.ndarray], by: np.ndarray) -> np.ndarray:
    """`CommitteeState.tally` of all: sums, and of the features that members saw the most."""
    tally = axes.summed(base, others, by)
    tally[:, 3] = np.max([each[:, 3] for each in others], axis=0)
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
        holders = [g for g, state in enumerate(states) if name in committee.at_work(state).sharing]
        seen = view.merge([states[g].views[place] for g in holders], base.views[place])
        views[place], size = seen.state, view.features(seen.state)
        for i in users:
            engine = committee.engines[i]
            own = [(g, numbers) for g, numbers in zip(holders, seen.numbers, strict=True) if states[g].active[i]]
            start = engine.renumbered(base.members[i], Numbers(seen.base, size, maps[0]))
            found = [engine.renumbered(states[g].members[i], Numbers(numbers, size, maps[g + 1])) for g, numbers in own]
            members[i] = engine.merge(found, start, [rows[g] for g, _ in own])
    return tuple(views), tuple(members)


def merged_history(states: Sequence[CommitteeState], base: CommitteeState, kept: int) -> History:
    """The rows of the base, and those that each learner has learned since, the last of them, oldest first."""
    start = int(base.now["rows"][0])
    parts = [of_rows(base.history, start, kept)]
    for state in states:
        rows = int(state.now["rows"][0])
        parts.append(last_rows(of_rows(state.history, rows, kept), rows - start))
    return History(*(np.concatenate(part)[-kept:] for part in zip(*parts, strict=True)))
