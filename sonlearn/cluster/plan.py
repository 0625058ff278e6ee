"""Which learner learns which parts, and on which parts the combiner learns."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

#: Of so many parts one is the combiner's.
SHARE = 20


class Plan(NamedTuple):
    """Numbers of parts, from 0 on."""

    learners: tuple[range, ...]  # each learner's own
    further: range  # the last ones, which the combiner learns, and then all learners


def plan(parts: int, learners: int) -> Plan:
    """Neighbouring parts for each learner, as evenly as can be; a twentieth of them, at least one, for the combiner.

    With one learner, or one part, there is nothing to combine: it learns all of them in order, as one process does.
    """
    learners = min(learners, parts - 1)
    if learners < 2:
        return Plan((range(parts),), range(parts, parts))
    end = parts - max(1, parts // SHARE)
    learners = min(learners, end)
    edges = np.linspace(0, end, learners + 1).round().astype(int).tolist()
    return Plan(tuple(range(a, b) for a, b in itertools.pairwise(edges)), range(end, parts))
