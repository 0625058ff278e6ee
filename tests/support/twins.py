"""The twin of every method: function(options, batch) -> float64[n], raw predictions of a fresh learner over a batch.

A twin shares nothing with the engine but the options. A method without one fails the suite.
"""

import numpy as np
from bayes_twin import Bayes
from boost_twin import by_rows
from boost_twin import raw_predictions as by_trees
from dense_learner import DenseLearner, Result, Twin, dense_rows
from drfd_twin import DrfdTwin
from first_order_twin import TWINS as FIRST_ORDER
from matrix_twin import BY_FEATURE
from matrix_twin import TWINS as MATRIX

from sonlearn import Batch, Learner, LearnOptions
from sonlearn.options.methods import METHODS

NEWTON = ("rfd-son", "fd-son", "pfd-son", "cfd-son", "oja-son", "gd", "full-on", "rp-son")
#: Of dense rows.
DENSE = dict.fromkeys(NEWTON, DenseLearner) | FIRST_ORDER | MATRIX | {"drfd": DrfdTwin}


def run_twin(options: LearnOptions, batch: Batch, full: bool = False) -> tuple[Twin, Result]:
    """A fresh twin of dense rows over a whole batch, of several classes with their numbers for labels."""
    X, ids = dense_rows(batch)
    more = (order_of(batch, ids),) if options.method in BY_FEATURE else (True,) if full else ()
    twin = DENSE[options.method](options, X.shape[1], *more)
    return twin, twin.run(X, batch.y, batch.weight)


def order_of(batch: Batch, ids: np.ndarray) -> np.ndarray:
    """Columns of `ids` in the order in which rows that are learned from show them first."""
    learned = np.repeat(~np.isnan(batch.y) & (batch.weight > 0), np.diff(batch.indptr))
    shown, first = np.unique(batch.indices[learned], return_index=True)
    return np.searchsorted(ids, shown[np.argsort(first)])


def by_dense_rows(options, batch):
    return run_twin(options, batch)[1].raw


def agree(batch: Batch, tolerance: float = 1e-9, **settings: object) -> tuple[Learner, np.ndarray]:
    """(a learner, the twin's raw predictions) over a whole batch; the learner's are the same within the tolerance."""
    options = LearnOptions(**settings)
    wanted, learner = by_dense_rows(options, batch), Learner(options)
    np.testing.assert_allclose(learner.partial_fit(batch).raw, wanted, rtol=tolerance, atol=tolerance)
    return learner, wanted


def bayes(options, batch):
    """Naive Bayes, in dictionaries."""
    return by_rows(Bayes(**METHODS[options.method].values, decay=options.decay), batch)


def mixture(options, batch):
    """The members one after the other, and Bayes' rule over what they have said."""
    said = []
    for name in ("nag", "arow-precision", "rfd-son"):
        own = LearnOptions(method=name, loss="logistic", **({"sketch_size": 10} if name == "rfd-son" else {}))
        said.append(np.clip(TWINS[name](own, batch), -30, 30))
    p = 1 / (1 + np.exp(-np.array(said)))
    right = np.where(batch.y > 0, p, 1 - p) ** batch.weight
    right[:, np.isnan(batch.y)] = 1.0
    posterior = np.cumprod(np.column_stack([np.ones(len(p)), right[:, :-1]]), axis=1)
    mixed = (posterior * p).sum(axis=0) / posterior.sum(axis=0)
    return np.log(mixed / (1 - mixed))


def ewma(options, batch):
    """Means of all labels so far, each with the weight that its age has left."""
    raw, y, h, base = np.zeros(batch.n), [], [], np.zeros(batch.n) if batch.base is None else batch.base
    for i in range(batch.n):
        if y:
            mean = np.average(y, weights=np.array(h) * (1 - options.decay) ** np.arange(len(h))[::-1])
            share = np.clip(mean, 0.01, 0.99)
            raw[i] = mean if options.loss == "squared" else np.log(share / (1 - share))
        raw[i] += base[i]
        if batch.weight[i] > 0 and not np.isnan(batch.y[i]):
            y.append(batch.y[i] - base[i] if options.loss == "squared" else float(batch.y[i] > 0))
            h.append(batch.weight[i])
    return raw


def boost(options, batch):
    """Boosted trees, as nested tuples."""
    return by_trees(options, batch, METHODS[options.method].values)


TWINS = {
    **dict.fromkeys(DENSE, by_dense_rows),
    "boost": boost,
    "mixture": mixture,
    "bayes": bayes,
    "multinomial-bayes": bayes,
    "ewma": ewma,
}
