"""Rows one at a time: the bits of the same rows in batches, for every learner that has that way."""

import copy
import pickle

import numpy as np
import pytest

from sonlearn import Batch, DivergedError, Learner
from sonlearn.jit import repeated
from sonlearn.learn.one_row import OneRow
from sonlearn.views.index import Entries

pytestmark = pytest.mark.interpreted


def stream(n=90, features=1000, seed=0):
    """(ids, values, label, weight): rows of new and known features, the constant -1, zero weights, repeated ids."""
    draw = np.random.default_rng(seed)
    same = Entries(np.array([*range(1, 7), -1]), np.ones(7))
    for i in range(n):
        if i % 3:
            same.values[:-1] = draw.normal(size=6)
            row = same
        else:
            ids = np.append(draw.integers(1, features, draw.integers(0, 12)), -1)
            row = Entries(ids, np.append(draw.normal(size=len(ids) - 1), 1.0))
        y = float(np.sign(row.values.sum() - 1)) or 1.0
        yield row, y, float(draw.integers(0, 3))


def batch_of(row, y, weight):
    values = row.values.copy()
    return Batch(row.indptr, row.ids, values, np.array([y]), np.array([weight]), np.ones(1, np.int64), constant=-1)


def settled(**options):
    """A learner that knows how labels are written, and its one row."""
    learner = Learner(**options)
    learner.partial_fit(batch_of(Entries(np.array([-1]), np.ones(1)), -1.0, 1.0))
    return learner


@pytest.mark.parametrize(
    "options",
    [
        {"method": "nag"}, {"method": "nag", "loss": "squared", "clip": 1.0}, {"method": "rfd-son", "sketch_size": 3},
        {"method": "arow", "threshold": 0.7},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)  # fmt: skip
def test_one_row_is_a_batch_of_one(options):
    one, many = settled(**options), settled(**options)
    assert OneRow.serves(one)
    way = OneRow(one, -1)
    for row, y, weight in stream():
        expect = many.predict(batch_of(row, np.nan, 1.0), online=True)
        assert way.raw(row) == expect.raw[0]
        assert way.learn(row, y, weight) == many.partial_fit(batch_of(row, y, weight)).raw[0]
    (header, arrays), (expect, others) = one.to_arrays(), many.to_arrays()
    assert header == expect
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name], err_msg=name)


def test_the_default_method_too():
    one, many = settled(), settled()
    way = OneRow(one, -1)
    for row, y, weight in stream(12, 60):
        assert way.raw(row) == many.predict(batch_of(row, np.nan, 1.0), online=True).raw[0]
        way.learn(row, y, weight)
        many.partial_fit(batch_of(row, y, weight))
    assert one.examples == many.examples


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_a_row_that_is_refused_changes_nothing_and_says_so():
    one = settled(method="nag", loss="squared")
    way, row = OneRow(one, -1), Entries(np.array([1, -1]), np.ones(2))
    way.learn(row, 1.0, 1.0)
    before = way.raw(row)
    row.values[0] = 1e200
    with pytest.raises(DivergedError, match="<memory>:1"):
        way.learn(row, 1.0, 1.0)
    row.values[0] = 1.0
    assert way.raw(row) == before
    assert one.examples == 2


@pytest.mark.parametrize(
    "options",
    [{"label_delay": 2}, {"oaa": 3}, {"coverage": 0.9}, {"threshold": "best-f1"}, {"loss": "poisson"}],
)
def test_what_needs_more_than_an_engine_goes_as_a_batch(options):
    assert not OneRow.serves(Learner(method="nag", **options))
    assert not OneRow.serves(Learner(method="nag"))  # labels may be 0 and 1, or words


def test_learners_that_have_learned_one_row_are_copied_and_pickled():
    one = settled(method="nag")
    way = OneRow(one, -1)
    rows = list(stream(12))
    for row, y, weight in rows:
        way.learn(row, y, weight)
    others = [copy.deepcopy(one), pickle.loads(pickle.dumps(one))]
    for row, y, weight in rows:
        expect = way.learn(row, y, weight)
        for other in others:
            assert other.partial_fit(batch_of(row, y, weight)).raw[0] == expect


def test_a_repeated_kernel_is_the_kernel_whatever_it_is_called_with():
    from sonlearn.learn.ensemble.committee import first_wild

    kernel, empty = repeated(first_wild), np.array([0, 1, 2])
    calls = [(np.array([1.0, wild]), float(limit)) for wild in (2.0, 9.0) for limit in (1, 5)]
    for values, limit in [*calls, calls[0], calls[0], calls[0], calls[3], calls[3]]:
        row = (empty, values, np.zeros(2), np.ones(2), 0, limit)
        expect = next((i for i in range(2) if values[i] > limit), 2)
        assert kernel(*row) == kernel(*row) == kernel(*row) == expect
        values32 = values.astype(np.float32)  # other types: found out anew
        assert kernel(empty, values32, *row[2:]) == expect
