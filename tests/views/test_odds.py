"""What the view of log-odds remembers of bins changes no bit: it shows what it would show without."""

import numpy as np
import pytest
from streams import wide_range, zipf
from test_views import Viewed, assert_same_arrays, assert_same_rows, numbers_stream, with_constant

from sonlearn.data.axes import Numbers
from sonlearn.views import bins
from sonlearn.views.index import index_of

pytestmark = pytest.mark.interpreted

STREAMS = {
    "text": with_constant(zipf(n=150, d=60, s=8)),
    "numbers": with_constant(numbers_stream()),
    "wide": with_constant(wide_range(n=150)),
}
every = pytest.mark.parametrize("stream", STREAMS)


def near_and_far(batch):
    """Two that have seen the same; behind as many other features as are remembered, none of the second's is."""
    near, far = Viewed("odds"), Viewed("odds")
    far.index = index_of(np.arange(bins.REMEMBERED) + 10**6)
    assert_same_rows(near.fit_transform(batch), far.fit_transform(batch))
    return near, far


@every
def test_features_beyond_what_is_remembered_are_shown_alike(stream):
    batch = STREAMS[stream]
    near, far = near_and_far(batch)
    assert near.view._memory.any()
    assert not far.view._memory.any()
    assert_same_rows(near.transform(batch), far.transform(batch))


@every
def test_features_beyond_what_is_remembered_do_not_take_the_places_of_others(stream):
    batch, near, mixed = STREAMS[stream], Viewed("odds"), Viewed("odds")
    some = np.unique(batch.indices)[::2]
    mixed.index = index_of(np.concatenate([some, np.arange(bins.REMEMBERED - len(some)) + 10**6]))
    assert_same_rows(near.fit_transform(batch), mixed.fit_transform(batch))


@every
def test_one_view_serves_two_states(stream):
    """What is remembered of one state is not taken for the other's."""
    batch, one, other = STREAMS[stream], Viewed("odds"), Viewed("odds")
    alone = {"one": Viewed("odds"), "other": Viewed("odds")}
    other.view = one.view
    for start in range(0, batch.n, 30):
        part = batch.part(start, start + 30)
        back = batch.part(batch.n - start - 30, batch.n - start)
        assert_same_rows(one.fit_transform(part), alone["one"].fit_transform(part))
        assert_same_rows(other.fit_transform(back), alone["other"].fit_transform(back))
    assert_same_arrays(one.arrays(), alone["one"].arrays())
    assert_same_arrays(other.arrays(), alone["other"].arrays())


@every
def test_features_with_other_numbers_are_asked_for_anew(stream):
    """After `renumbered` the table of bins is the same object, and what is remembered stands for other features."""
    batch, plain, moved = STREAMS[stream], Viewed("odds"), Viewed("odds")
    first, second = batch.part(0, 70), batch.part(70, batch.n)
    assert_same_rows(plain.fit_transform(first), moved.fit_transform(first))
    size = int(moved.index.size[0])
    numbers = np.arange(size)[::-1].copy()
    moved.state, _ = moved.view.renumbered(moved.state, Numbers(numbers, size))
    moved.index = index_of(moved.index.ids[:size][::-1].copy())
    assert_same_rows(plain.fit_transform(second), moved.fit_transform(second))


def test_bins_that_share_a_place_are_told_apart():
    """Values of one feature whose bins take turns in one place of what is remembered."""
    apart = 2.0 ** (np.arange(150) % 3 * bins.WAYS / 4.0)  # of the same place: 4 bins an octave
    batch = STREAMS["text"]
    batch = batch._replace(values=batch.values * np.repeat(apart, np.diff(batch.indptr)))
    near_and_far(batch)


def test_bins_at_the_ends_of_what_is_told_apart():
    """The least value that is no 0 has its bin in common with values that are; the largest with all beyond."""
    ends = np.array([1.0000001e-100, 0.9999e-100, 1e-101, 3e-100, 1e100, 1e140, -1e-100, -1e-120, -1e120, 1.0, 0.5])
    batch = STREAMS["text"]
    batch = batch._replace(values=ends[np.arange(len(batch.values)) * 7 % 11 * (np.arange(len(batch.values)) % 5 > 0)])
    near, far = near_and_far(batch)
    assert_same_rows(near.transform(batch), far.transform(batch))
    assert near.view._memory.any()
