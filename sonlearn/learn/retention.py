"""What is left of a sum that forgets a share of itself with each row: powers of the retention, from a table.

A feature is brought up to date when a row has it (`--decay`), mostly a few rows after the last time; a power takes
longer than all else that is done with it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.jit import forced_inline

#: Powers in the table; others are computed.
POWERS = 1024


class Retention(NamedTuple):
    """A retention, 1 less the share that is forgotten with each row, and its powers."""

    rate: float
    powers: np.ndarray  # float64[POWERS]; empty where nothing is forgotten


def retention_of(decay: float) -> Retention:
    """The retention of a learner that forgets the share `decay` with each row."""
    rate = 1.0 - float(decay)
    return Retention(rate, np.array([rate**rows for rows in range(POWERS if rate < 1.0 else 0)]))


@forced_inline
def left_after(retention, rows):
    """retention ** rows, of a whole number of rows >= 0."""
    return retention.powers[int(rows)] if rows < len(retention.powers) else retention.rate**rows
