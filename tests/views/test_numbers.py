"""The table of made-up features."""

import numpy as np
import pytest

from sonlearn.views.numbers import NUMBER_BITS, PRINT_BITS, by_number, doubled, refill, shift_of, slot_of


@pytest.mark.interpreted
def test_a_table_that_has_grown_is_one_that_was_large_from_the_start():
    """So that what came first, which is what is frequent, stands where it should."""
    prints = np.unique(np.random.default_rng(2).integers(0, 1 << PRINT_BITS, 3000))
    entries = (np.random.default_rng(3).permutation(prints) << NUMBER_BITS) | np.arange(1, len(prints) + 1)
    slots = doubled(np.zeros(0, np.int64), 1 << 20)
    for made, entry in enumerate(entries):
        if 2 * (made + 1) > len(slots):
            slots = doubled(slots, 1 << 20)
        slots[slot_of(entry >> NUMBER_BITS, slots, shift_of(slots))] = entry
    wanted = np.zeros(len(slots), np.int64)
    refill(entries, wanted)
    np.testing.assert_array_equal(slots, wanted)
    first = entries[: len(entries) // 8]
    at_home = slots[first >> NUMBER_BITS >> shift_of(slots)] == first
    assert at_home.mean() > 0.9


def test_content_by_number():
    slots = np.array([0, (7 << NUMBER_BITS) | 3, 0, (5 << NUMBER_BITS) | 1])
    np.testing.assert_array_equal(by_number(slots), [0, slots[3], 0, slots[1]])
    assert len(by_number(np.zeros(8, np.int64))) == 0
