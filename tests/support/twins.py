"""The twin of every method: function(options, batch) -> float64[n], raw predictions of a fresh learner over a batch.

A twin shares nothing with the engine but the options. A method without one fails the suite.
"""

from __future__ import annotations

import numpy as np
from bayes_twin import Bayes
from dense_learner import run_twin
from drfd_twin import run_drfd
from first_order_twin import TWINS as FIRST_ORDER
from first_order_twin import raw_predictions

from sonlearn.methods import METHODS


def newton(options, batch):
    """The Newton family, by explicit d x d matrices."""
    return run_twin(options, batch)[1].raw


def compensated(options, batch):
    """Frequent directions with the diagonal of what they shed."""
    return run_drfd(options, batch)[1].raw


def bayes(options, batch):
    """Naive Bayes, in dictionaries."""
    twin, raw = Bayes(**METHODS[options.method].values), np.empty(batch.n)
    for i in range(batch.n):
        row = {}
        for at in range(batch.indptr[i], batch.indptr[i + 1]):
            row[batch.indices[at]] = row.get(batch.indices[at], 0.0) + batch.values[at]
        raw[i] = twin.predict(row)
        if batch.weight[i] > 0 and not np.isnan(batch.y[i]):
            twin.learn(row, batch.y[i], batch.weight[i])
    return raw


TWINS = {
    **dict.fromkeys(("rfd-son", "fd-son", "pfd-son", "cfd-son", "oja-son", "gd"), newton),
    **dict.fromkeys(FIRST_ORDER, raw_predictions),
    "drfd": compensated,
    "bayes": bayes,
    "multinomial-bayes": bayes,
}
