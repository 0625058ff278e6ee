"""The view of log-odds belongs to no state: several take turns, and features get other numbers."""

import numpy as np
import pytest
from streams import wide_range, zipf
from test_views import Viewed, assert_same_arrays, assert_same_rows, numbers_stream, with_constant

from sonlearn.data.axes import Numbers
from sonlearn.views.index import index_of

pytestmark = pytest.mark.interpreted

STREAMS = {
    "text": with_constant(zipf(n=150, d=60, s=8)),
    "numbers": with_constant(numbers_stream()),
    "wide": with_constant(wide_range(n=150)),
}
every = pytest.mark.parametrize("stream", STREAMS)


@every
def test_one_view_serves_two_states(stream):
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
    """After `renumbered` the table of bins is the same object."""
    batch, plain, moved = STREAMS[stream], Viewed("odds"), Viewed("odds")
    first, second = batch.part(0, 70), batch.part(70, batch.n)
    assert_same_rows(plain.fit_transform(first), moved.fit_transform(first))
    size = int(moved.index.size[0])
    numbers = np.arange(size)[::-1].copy()
    moved.state, _ = moved.view.renumbered(moved.state, Numbers(numbers, size))
    moved.index = index_of(moved.index.ids[:size][::-1].copy())
    assert_same_rows(plain.fit_transform(second), moved.fit_transform(second))
