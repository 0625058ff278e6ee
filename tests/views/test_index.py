"""Numbers of features, against a dictionary."""

import numpy as np
import pytest

from sonlearn.data.batch import Batch
from sonlearn.views.index import PREFETCH_SLOTS, index_of, intern, lookup, new_index, place_in_row


def batch_of(rng, n, draw, ordered, known=1.0):
    """Rows of up to 12 entries, with ids that `draw` gives; the share `known` of them has a label."""
    rows = []
    for _ in range(n):
        ids = draw(rng, rng.integers(0, 13))
        rows.append(np.unique(ids) if rng.random() < ordered else ids)
    indptr = np.cumsum([0, *map(len, rows)])
    y = np.where(rng.random(n) < known, rng.choice([-1.0, 1.0], n), np.nan)
    weight = np.where(rng.random(n) < known, 1.0, 0.0)
    ids = np.concatenate(rows).astype(np.int64)
    return Batch(indptr, ids, rng.normal(size=len(ids)), y, weight, np.arange(n), constant=-1)


def by_dictionary(batch, numbers, unknown):
    """What `intern` gives for a batch: the entries (feature, value, id) of each row, and those left out.

    Adds to `numbers`.
    """
    for i in range(batch.n):
        learned, found = batch.weight[i] > 0 and not np.isnan(batch.y[i]), {}
        for at in range(batch.indptr[i], batch.indptr[i + 1]):
            key, x = int(batch.indices[at]), batch.values[at]
            if learned:
                numbers.setdefault(key, len(numbers))
            found.setdefault(key, [numbers.get(key, -1), 0.0, key])[1] += x
        every = list(found.values())
        yield [own for own in every if own[0] >= 0 or unknown], [own[1] for own in every if own[0] < 0 and not unknown]


SMALL = (lambda rng, s: rng.integers(0, 40, s), lambda rng, s: np.arange(s) + rng.integers(0, 2500))
OTHER = (
    lambda rng, s: rng.integers(-5, 3000, s),
    lambda rng, s: rng.integers(-(1 << 63), (1 << 63) - 1, s),
    lambda rng, s: np.append(np.sort(rng.choice(4000, s, replace=False)), -1),
    lambda rng, s: rng.integers(0, 1 << 18, s) // 7,
    lambda rng, s: np.sort(rng.integers(0, 90, s))[:: rng.choice([-1, 1])],  # an id twice in a row, and no other sign
)


@pytest.mark.interpreted
@pytest.mark.parametrize("unknown", [False, True])
@pytest.mark.parametrize("known", [1.0, 0.9])
@pytest.mark.parametrize("ordered", [1.0, 0.98, 0.0])
@pytest.mark.parametrize("draw", [*SMALL, *OTHER])
def test_numbers_are_those_of_a_dictionary(draw, ordered, known, unknown):
    rng, index, numbers = np.random.default_rng(7), new_index(1 << 4), {}
    for _ in range(6):
        batch = batch_of(rng, 40, draw, ordered, known)
        before = [array.copy() for array in batch[:5]]
        wanted = list(by_dictionary(batch, numbers, unknown))
        rows, index = intern(batch, index, unknown)
        for array, kept in zip(batch[:5], before, strict=True):
            np.testing.assert_array_equal(array, kept)
        for i, (own, left_out) in enumerate(wanted):
            at = slice(rows.indptr[i], rows.indptr[i + 1])
            assert [list(entry) for entry in zip(rows.features[at], rows.values[at], strict=True)] == [
                e[:2] for e in own
            ]
            assert not unknown or rows.ids[at].tolist() == [id for _, _, id in own]
            np.testing.assert_allclose(rows.unseen[i], [len(left_out), np.square(left_out).sum()])
        assert index.ids[: index.size[0]].tolist() == list(numbers)
        assert rows.constant == numbers.get(-1, -2)
    again = index_of(index.ids[: index.size[0]].copy())
    rows = lookup(batch, again, unknown)
    slots = again.slots.copy()
    wanted = [own for row, _ in by_dictionary(batch._replace(y=np.full(40, np.nan)), numbers, unknown) for own in row]
    assert rows.features[: rows.indptr[-1]].tolist() == [number for number, _, _ in wanted]
    assert np.array_equal(again.slots, slots), "a row that is only predicted changes the index"


@pytest.mark.parametrize("ordered", [1.0, 0.0])
def test_an_index_that_is_read_ahead(ordered):
    first = np.concatenate([np.arange(0, 60_000, 3), 2**40 + np.arange(40_000)])
    rng, index, numbers = np.random.default_rng(3), index_of(first), {key: i for i, key in enumerate(first.tolist())}
    assert len(index.slots) > PREFETCH_SLOTS
    batch = batch_of(rng, 300, lambda rng, s: rng.choice([0, 2**40], s) + rng.integers(0, 50_000, s), ordered)
    wanted = list(by_dictionary(batch, numbers, False))
    rows, index = intern(batch, index)
    assert rows.features[: rows.indptr[-1]].tolist() == [number for row, _ in wanted for number, _, _ in row]
    assert index.ids[: index.size[0]].tolist() == list(numbers)


class Counted(list):
    """A table that counts how often it is read."""

    reads = 0

    def __getitem__(self, at):
        self.reads += 1
        return super().__getitem__(at)


@pytest.mark.parametrize("step", [1, 3, 1024])
def test_ids_in_a_row_have_places_of_their_own(step):
    """Consecutive ids, as columns have them: a few looks each, not one at every id before."""
    n = 4096
    place, places, ids = getattr(place_in_row, "py_func", place_in_row), Counted([-1] * 2 * n), []
    for key in np.random.default_rng(0).permutation(n) * step:
        assert place(int(key), ids, 0, places) == len(ids)
        ids.append(int(key))
    assert places.reads < 3 * n
    assert [place(key, ids, 0, places) for key in ids] == list(range(n))
