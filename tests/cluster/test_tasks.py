"""Merges as workers do them, without a cluster."""

import numpy as np
import pytest
from streams import zipf

from sonlearn import Learner, LearnOptions, TextOptions
from sonlearn.cluster import tasks
from sonlearn.cluster.partitions import Partition
from sonlearn.data import merging


def rounds_of(options):
    """(with which the round before began, with which this one began, two learners that went on from there)."""
    batch, learner, kept = zipf(n=900, d=60, s=8), Learner(options), []
    for part in range(2):
        learner.partial_fit(batch.part(150 * part, 150 * (part + 1)))
        kept.append(learner.copy())
    learned = [kept[1].copy(), kept[1].copy()]
    for each, start in zip(learned, (300, 600), strict=True):
        each.partial_fit(batch.part(start, start + 300))
    return *kept, learned


@pytest.mark.parametrize("method", ["nag", "arow", "ftrl", "drfd", "committee"])
def test_a_merge_reads_learners_where_they_are(method):
    previous, base, learned = rounds_of(LearnOptions(method=method))
    every = [tasks.initial(each) for each in (base, previous, *learned)]
    before = [{name: array.copy() for name, array in each.arrays.items()} for each in every]
    found = tasks.merge_learned(*every)
    for each, arrays in zip(every, before, strict=True):
        for name, array in each.arrays.items():
            np.testing.assert_array_equal(array, arrays[name], err_msg=name)
    expected = Learner.merge([each.copy() for each in learned], base.copy())
    expected.carry_on(base, previous)
    assert found.problem is None
    for name, array in expected.to_arrays()[1].items():
        np.testing.assert_array_equal(found.arrays[name], array, err_msg=name)


def test_arrays_that_cannot_be_written_are_copied():
    learner = Learner(method="nag")
    learner.partial_fit(zipf(n=20, d=9, s=3))
    state = tasks.initial(learner)
    for array in state.arrays.values():
        array.flags.writeable = False
    state.read_only_learner().partial_fit(zipf(n=20, d=9, s=3))


def test_numbers_that_stay_need_no_copy():
    table = np.arange(6.0).reshape(3, 2)
    assert merging.renumbered(table, np.arange(3), 3, shared=True) is table
    assert merging.renumbered(table, np.arange(3), 3) is not table
    for shared in (False, True):
        longer = merging.renumbered(table, np.arange(3), 4, shared=shared)
        np.testing.assert_array_equal(longer, [*table, [0.0, 0.0]])
        other = merging.renumbered(table, np.array([0, 2, -1]), 3, shared=shared)
        np.testing.assert_array_equal(other, [[0.0, 1.0], [0.0, 0.0], [2.0, 3.0]])


def test_merged_learners_know_the_columns_of_tables(tmp_path):
    text, parts = TextOptions(format="csv", label="y"), []
    for part, place in enumerate(("Graz", "")):
        parts.append(Partition(str(tmp_path / f"{part}.csv")))
        rows = "".join(f"{i % 2},{i + part},{place}\n" for i in range(40))
        (tmp_path / f"{part}.csv").write_text(f"y,size,city\n{rows}")
    job = tasks.LearnJob(LearnOptions(method="nag"), tasks.Reading(text))
    learned = [tasks.learn_rows(job, i, tasks.Span(), part, None) for i, part in enumerate(parts, 1)]
    merged = tasks.merge_learned(None, None, *learned)
    columns = merged.learner().columns
    assert columns.known == {"size": ("number",), "city": ("category", "missing")}
    assert columns.mean("size") == 20.0
    (tmp_path / "0.csv").write_text("size,city\n,Graz\n20,Graz\n")
    reading = tasks.Reading(text, labels=job.reading.labels._replace(needed=False))
    answered = tasks.predict_partition(merged, reading, 1, parts[0])
    ((_, predicted),) = answered.batches
    assert predicted.prediction[0] == predicted.prediction[1] != 0
    assert "the column 'size' has missing numbers" in answered.notes[0]
    (tmp_path / "0.csv").write_text("size,city\nmany,Graz\n")
    assert "expected a number, as in all rows" in str(tasks.predict_partition(merged, reading, 1, parts[0]).problem)
