"""The index arithmetic of a log of generations equals that of a log that is written slot by slot."""

import pytest

from sonlearn.learn.log import BITS, next_slot, place, slots_of

pytestmark = pytest.mark.interpreted


def written(generations):
    """{(level, slot): (first generation, end)} after so many, in the order in which slots are first written."""
    log = {}
    for g in range(generations):
        level, i = 0, g
        while True:
            begin = (i >> BITS) << BITS
            for slot in range(begin, i + 1):
                log[level, slot] = slot << (BITS * level), g + 1
            if (i + 1) % (1 << BITS):
                break
            level, i = level + 1, i >> BITS
    return log


def test_slots_stand_in_the_order_in_which_they_are_first_written():
    for n in (0, 1, 7, 40, 90, 600):
        log = written(n)
        assert [place(level, slot) for level, slot in log] == list(range(len(log)))
        assert slots_of(n) == len(log)


def test_a_gap_is_bridged_by_compositions_that_are_there():
    for now in [*range(1, 90), 511, 512, 600]:
        ends = list(written(now).values())
        for stamp in range(now):
            at, taken = stamp, 0
            while at < now:
                slot, end = next_slot(at, now)
                assert ends[slot] == (at, end)
                at, taken = end, taken + 1
            assert taken <= 2 * now.bit_length() // BITS + 2
