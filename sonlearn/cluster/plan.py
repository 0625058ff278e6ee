"""Assignment of partitions to learners and to the combiner."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

#: One of this many partitions is for the combiner.
SHARE = 20


class Plan(NamedTuple):
    """Numbers of partitions, from 0 on."""

    learners: tuple[range, ...]  # each learner's own partitions
    further: range  # the last partitions, which the combiner and all learners learn


def plan(parts: int, learners: int) -> Plan:
    """Assign contiguous partitions to the learners, as evenly as possible, and a twentieth (or one) to the combiner.

    With one learner or one partition there is nothing to combine: the learner learns all of them in order, as a single
    process does.
    """
    learners = min(learners, parts - 1)
    if learners < 2:
        return Plan((range(parts),), range(parts, parts))
    end = parts - max(1, parts // SHARE)
    learners = min(learners, end)
    edges = np.linspace(0, end, learners + 1).round().astype(int).tolist()
    return Plan(tuple(range(a, b) for a, b in itertools.pairwise(edges)), range(end, parts))
