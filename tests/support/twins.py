"""The twin of every method: function(options, batch) -> float64[n], raw predictions of a fresh learner over a batch.

A twin shares nothing with the engine but the options. A method without one fails the suite.
"""

from __future__ import annotations

from dense_learner import run_twin
from drfd_twin import run_drfd
from first_order_twin import TWINS as FIRST_ORDER
from first_order_twin import raw_predictions


def newton(options, batch):
    """The Newton family, by explicit d x d matrices."""
    return run_twin(options, batch)[1].raw


def compensated(options, batch):
    """Frequent directions with the diagonal of what they shed."""
    return run_drfd(options, batch)[1].raw


TWINS = {
    **dict.fromkeys(("rfd-son", "fd-son", "oja-son", "gd"), newton),
    **dict.fromkeys(FIRST_ORDER, raw_predictions),
    "drfd": compensated,
}
