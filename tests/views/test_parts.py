"""Parts of rows, against lists."""

import numpy as np
import pytest

from sonlearn.data.batch import Batch, joined
from sonlearn.options.views import COLUMNS, ROW, WORDS
from sonlearn.views.index import intern, new_index
from sonlearn.views.view import MAX_ROWS_BEFORE_PARTS, first_in_parts, parts_of

pytestmark = pytest.mark.interpreted
CONSTANT = -1


def mixed(n, seed=0, repeat=True):
    """Rows of columns (ids below 10) and words (ids from 100 on), the constant last; some have one of both alone."""
    rng = np.random.default_rng(seed)
    rows = []
    rows.append([CONSTANT])
    for i in range(1, n):
        columns = rng.choice(10, rng.integers(0, 5), replace=repeat).tolist()
        words = (100 + rng.choice(40, rng.integers(0, 7), replace=repeat)).tolist()
        own = columns + words if i % 2 else words + columns
        rows.append([*own, CONSTANT])
    ids = np.array([id for row in rows for id in row], np.int64)
    y, weight = rng.choice([-1.0, 1.0, np.nan], n), rng.choice([0.0, 1.0, 2.0], n)
    y[0] = weight[0] = 1.0  # which numbers the constant
    return Batch(
        np.cumsum([0, *map(len, rows)]), ids, rng.normal(size=len(ids)), y, weight, np.arange(1, n + 1),
        marks=(ids >= 100).astype(np.uint8),
    )  # fmt: skip


def entries(rows):
    spans = zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
    return [list(zip(rows.ids[a:b].tolist(), rows.values[a:b].tolist(), strict=True)) for a, b in spans]


@pytest.mark.parametrize("repeat", [False, True])
def test_parts_are_the_entries_of_their_kind_and_the_constant(repeat):
    batch, index = mixed(60, repeat=repeat), new_index()
    for part in (batch.part(0, 20), batch.part(20, 60)):  # what is numbered in the second is known from the first
        rows, index = intern(part, index, True)
        assert rows.marks[: rows.indptr[-1]].tolist() == [int(id >= 100) for row in entries(rows) for id, _ in row]
        parts, whole = parts_of(rows), entries(rows)
        assert parts[ROW] is rows
        assert entries(parts[COLUMNS]) == [[own for own in row if own[0] < 100] for row in whole]
        assert entries(parts[WORDS]) == [[own for own in row if not 0 <= own[0] < 100] for row in whole]
        ids = rows.ids[: rows.indptr[-1]]
        for name, own in ((COLUMNS, ids < 100), (WORDS, (ids >= 100) | (ids == CONSTANT))):
            assert parts[name].features.tolist() == rows.features[: len(ids)][own].tolist()
    unknown = intern(batch, index)[0]
    assert len(unknown.marks) == 0
    assert entries(parts_of(unknown)[COLUMNS]) == entries(unknown)


def test_rows_are_in_parts_from_the_first_learned_that_has_both():
    batch = mixed(60)
    rows, _ = intern(batch, new_index(), True)

    def has_both(i):
        ids = set(batch.indices[batch.indptr[i] : batch.indptr[i + 1]].tolist()) - {CONSTANT}
        return bool({id for id in ids if id < 100}) and bool({id for id in ids if id >= 100})

    is_learned = (batch.weight > 0) & ~np.isnan(batch.y)
    first = next(i for i in range(60) if has_both(i) and is_learned[i])
    assert first > 0
    assert first_in_parts(rows, 0) == first
    before = np.count_nonzero(is_learned[:first])
    assert first_in_parts(rows, MAX_ROWS_BEFORE_PARTS - 1 - before) == first
    assert first_in_parts(rows, MAX_ROWS_BEFORE_PARTS - before) == 60
    assert first_in_parts(rows._replace(marks=np.zeros(0, np.uint8)), 0) == 60
    assert first_in_parts(parts_of(rows)[COLUMNS], 0) == first_in_parts(parts_of(rows)[WORDS], 0) == 60


def test_batches_carry_what_is_a_word():
    batch = mixed(30)

    def kinds(own):
        return (own.indices >= 100).tolist() == own.marks.astype(bool).tolist()

    assert kinds(batch.part(7, 19))
    assert kinds(batch.at(np.array([9, 3, 3, 20])))
    plain = batch._replace(marks=None, indices=np.minimum(batch.indices, 50))
    assert kinds(joined([batch, plain, batch.part(1, 4)]))
    assert joined([plain, plain]).marks is None
