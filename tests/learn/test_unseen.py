"""Features that no row has had: a prediction sees the row as learning from it does."""

import numpy as np
import pytest
from states import check_sight

from sonlearn import Batch, Learner, LearnOptions
from sonlearn.learn.by_row import OneRow
from sonlearn.options.views import VIEWS
from sonlearn.views.index import Entries

OF_SEVERAL = sorted(set(VIEWS) - {"odds", "words-odds", "stacked"})
SEVERAL = ("arow-precision", "multinomial-bayes", "nag")
#: Of the methods of two classes those whose predictions depend on the length of a row.
UNIT = {"method": "rfd-son", "scale": "unit", "loss": "logistic"}
CASES = [
    *({"classes": "auto", "members": tuple(f"{method}:{view}" for method in SEVERAL)} for view in OF_SEVERAL),
    {"classes": "auto"}, {"classes": "auto", "method": "arow"}, {"multinomial": 3, "method": "nag"},
    {}, {"loss": "squared"}, UNIT, {**UNIT, "method": "oja-son"}, {"members": ("rfd-son:raw~0.001",)},
    {"members": ("rfd-son:raw~0.001", "rfd-son:bins-z~0.01", "rfd-son:odds~0.01")}, {"method": "mixture"},
]  # fmt: skip


def rows(n, several, repeat, seed=3):
    """Rows with ever new features, one by one; some have a feature twice."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        s = rng.integers(1, 9)
        ids = rng.choice(40 + 4 * i, s, replace=repeat) + 1
        values = rng.choice([1.0, 0.5, -2.0, 3.3], s) if i % 3 else np.ones(s)
        score = float((ids % 7 - 3) @ values)
        y = float(1 + int(abs(score)) % 3) if several else 1.0 if score > 0 else -1.0
        ids, values = np.append(ids, -1), np.append(values, 1.0)
        yield Batch(np.array([0, s + 1]), ids, values, np.array([y]), np.ones(1), np.array([i + 1]), constant=-1)


@pytest.mark.parametrize("given", CASES, ids=str)
def test_a_prediction_sees_the_row_that_learning_sees(given):
    learner = Learner(LearnOptions(**given))
    for row in rows(60, learner.options.several, True):
        check_sight(learner, row)


def test_one_row_is_seen_as_a_batch_of_one():
    """Also where its view has to make room first."""
    options = LearnOptions(members=("rfd-son:odds~0.01", "rfd-son:bins-z~0.01", "rfd-son:raw~0.01"))
    (first, *rest), alone, many = rows(60, False, True), Learner(options), Learner(options)
    settled = first._replace(y=np.array([-1.0]))
    alone.partial_fit(settled)
    many.partial_fit(settled)
    way = OneRow(alone, -1)
    for i, row in enumerate(rest):
        entries, y = Entries(row.indices, row.values.copy()), float(row.y[0])
        if i % 3:
            assert way.learn(entries, y, 1.0) == many.partial_fit(row).raw[0]
        else:
            assert way.raw(entries) == many.partial_fit(row._replace(y=np.array([np.nan]))).raw[0]


def test_naive_bayes_does_not_count_words_that_nobody_has_met():
    """They tell nothing of a class, and a row that has many of them is not less sure for that."""
    learner = Learner(LearnOptions(classes="auto", members=("multinomial-bayes:raw",)))
    for row in rows(60, True, False):
        learner.partial_fit(row)
    (row,) = rows(1, True, False, seed=5)
    many = row._replace(
        indptr=np.array([0, row.indptr[1] + 5]), indices=np.append(row.indices, 10**9 + np.arange(5)),
        values=np.append(row.values, np.ones(5)),
    )  # fmt: skip
    assert np.array_equal(learner.predict(row).scores, learner.predict(many).scores)
    assert np.array_equal(learner.partial_fit(row._replace(y=np.array([np.nan]))).scores, learner.predict(row).scores)
