"""Sparse time: how a round that is about d features costs O(m^2 + ms), behind a face of a few functions.

All the motion between two shrinks is in m-sized coefficients (`coordinates`); a shrink is folded into the features of
the buffered rows alone (`folding`), all others undergo it when they are next read (`generations`). Read in that order;
then `second_look` and `orthonormal`, which keep the arithmetic true where rows hide behind one another.

For a round: `coordinates`, `append`, `move_wbar`, `move_kept`. For a shrink: `fold`, `is_due`. In between:
`orthonormalise`, `renew`, `log_is_full`, `with_room_in_log`. For predictions: `present`, `coefficients`.
"""

from sonlearn.learn.newton.sparse_time.coordinates import (
    append,
    coefficients,
    coordinates,
    move_kept,
    move_wbar,
    share,
)
from sonlearn.learn.newton.sparse_time.folding import fold
from sonlearn.learn.newton.sparse_time.generations import log_is_full, present, renew, slots_of, with_room_in_log
from sonlearn.learn.newton.sparse_time.local import local_of
from sonlearn.learn.newton.sparse_time.orthonormal import is_due, orthonormalise

__all__ = [
    "append",
    "coefficients",
    "coordinates",
    "fold",
    "is_due",
    "local_of",
    "log_is_full",
    "move_kept",
    "move_wbar",
    "orthonormalise",
    "present",
    "renew",
    "share",
    "slots_of",
    "with_room_in_log",
]
