"""All that a learner would save, to be compared bit by bit."""

from __future__ import annotations

import numpy as np


def state_of(learner):
    """(header, copies of the arrays by name) of a learner."""
    header, arrays = learner.to_arrays()
    return header, {name: np.array(array) for name, array in arrays.items()}


def assert_same(one, other):
    """Two states, headers included, are the same."""
    assert one[0] == other[0]
    assert_same_arrays(one[1], other[1])


def same_state(one, other):
    """Two learners would save the same."""
    assert_same(state_of(one), state_of(other))


def assert_same_arrays(one, other):
    """Arrays by name are the same, bit by bit (and NaN like NaN)."""
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def assert_same_predictions(one, other):
    """Two `Predicted`, or parts of them, are the same bit by bit; what neither has is None in both."""
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        if a is None or b is None:
            assert a is None
            assert b is None
        else:
            np.testing.assert_array_equal(a, b)
