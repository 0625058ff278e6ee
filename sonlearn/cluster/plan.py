"""Assignment of partitions to rounds and to learners."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

#: Rows that one learner learns alone before the first round, of all partitions but the last: all others begin with what
#: it has learned and numbered, and with the members that it has left (`sonlearn.learn.ensemble.pruning`). What several
#: learners of fewer rows predict tells too little of which members to leave: models had .08 to 1.15 times the size.
FIRST_ROWS = 4096
#: Rows that the merged learner learns alone after the last round: as many as its combiner goes by.
LAST_ROWS = 4096
#: Rows from which on the members of a merged committee do not learn those last rows, which they only predict.
SETTLED = 65536
#: Partitions that a learner learns in a round at most, and rounds at least where there are partitions enough, unless it
#: is given how many there are.
EACH, LEAST = 8, 16
#: Partitions after which what a learner has learned is copied to a second worker: if its worker dies, no more than
#: these are learned again.
COPIED = 2


class Rounds(NamedTuple):
    """Numbers of partitions, from 0 on, for learners that are merged after each round."""

    rounds: tuple[tuple[range, ...], ...]  # of each round, each learner's partitions

    @property
    def learners(self) -> int:
        """How many there are."""
        return max(len(each) for each in self.rounds)

    def of(self, learner: int) -> list[range]:
        """The partitions of one learner."""
        return [each[learner] for each in self.rounds if learner < len(each)]


def plan_rounds(parts: int, learners: int, rounds: int | None = None) -> Rounds:
    """Contiguous partitions for each round, and within it for each learner, as evenly as possible."""
    learners = min(learners, parts)
    most = max(parts // learners, 1)
    count = min(rounds or max(-(-most // EACH), LEAST), most)
    edges = np.linspace(0, parts, count + 1).round().astype(int).tolist()
    return Rounds(tuple(_shared(range(a, b), learners) for a, b in itertools.pairwise(edges)))


def _shared(parts: range, learners: int) -> tuple[range, ...]:
    """Each learner's partitions of one round."""
    edges = np.linspace(parts.start, parts.stop, min(learners, len(parts)) + 1).round().astype(int).tolist()
    return tuple(range(a, b) for a, b in itertools.pairwise(edges))
