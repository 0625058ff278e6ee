"""Partitions of the data: together they are the file, and errors have the line in the file. Plans of a cluster."""

import gzip
import io
import itertools

import numpy as np
import pytest
from streams import entries

from sonlearn import DivergedError, InputError, LearnOptions, TextOptions, read_batches
from sonlearn.cluster import tasks
from sonlearn.cluster.partitions import Partition, PartitionReader, open_range, partitions, plan_rounds, with_file_line
from sonlearn.cluster.tasks import Reading

TEXT = TextOptions(format="svmlight")
LINES = [f"{(-1) ** i} {i % 7 + 1}:{i}.5 {i + 9}:2\n" for i in range(200)] + ["\n", "# a comment\n", "1 3:1"]


def rows(batches):
    """(label, entries) of batches, one by one."""
    return [row for b in batches for row in zip(b.y, entries(b), strict=True)]


@pytest.mark.parametrize("block", [1, 7, 64, 1000, 10**6])
def test_ranges_of_bytes_are_the_file(block, tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("".join(LINES))
    parts = partitions([str(path)], TEXT, block)
    size = path.stat().st_size
    assert len(parts) == (size // block if size >= 2 * block else 1)
    found = [row for part in parts for row in rows(PartitionReader(part, TEXT))]
    assert found == rows(read_batches(str(path), TEXT))


def test_a_store_is_read_like_a_disk(fsspec):
    """What is plain text is cut there, too; what is compressed is read whole, and errors have the file's line."""
    text = "".join(LINES).encode()
    names = [f"memory://cluster/{name}" for name in ("a.svm", "b.svm.gz", "c.svm")]
    for name, content in zip(names, (text, gzip.compress(text), text + b"\n1 3:x\n"), strict=True):
        with fsspec.open(name, "wb") as file:
            file.write(content)
    parts = partitions(names[:2], TEXT, 500)
    assert [part.path for part in parts] == [*names[:1] * (len(text) // 500), names[1]]
    found = [rows(PartitionReader(part, TEXT)) for part in parts]
    assert [row for own in found[:-1] for row in own] == found[-1]
    assert len(found[-1]) == 201
    parts = partitions(["memory://cluster/c.*"], TEXT, 500)
    problems = [tasks.format_of(Reading(TEXT), part)[1] for part in parts]
    done = tasks.PartResult()
    list(done.read(Reading(TEXT).reader(parts[-1], 1)))
    assert problems[:-1] == [None] * (len(parts) - 1)
    assert (done.problem.source, done.problem.line) == (parts[-1].path, len(LINES) + 1)
    assert partitions(["memory://cluster/none.svm"], TEXT, 10) == [Partition("memory://cluster/none.svm")]


def test_what_cannot_be_cut_stays_whole(tmp_path):
    text = "".join(LINES).encode()
    (tmp_path / "a.svm").write_bytes(gzip.compress(text))
    (tmp_path / "b.csv").write_text("y,a\n" + "1,2\n" * 50)
    names = [str(tmp_path / "a.svm"), str(tmp_path / "b.csv")]
    assert partitions(names[:1], TextOptions(), 10) == [Partition(names[0])]
    assert partitions(names[1:2], TextOptions(label="y"), 10) == [Partition(names[1])]
    assert [part.path for part in partitions([str(tmp_path / "*.*")], TextOptions(), 10**6)] == names
    with pytest.raises(InputError, match="no such file"):
        partitions([str(tmp_path / "none.svm")], TEXT)
    with pytest.raises(InputError, match="no file that matches"):
        partitions([str(tmp_path / "day*.svm")], TEXT)


@pytest.mark.parametrize("block", [40, 500])
def test_errors_in_a_range_have_the_files_line(block, tmp_path):
    path = tmp_path / "rows.svm"
    path.write_text("".join([*LINES[:150], "1 3:x\n", *LINES[150:]]))
    parts = partitions([str(path)], TEXT, block)
    found = [tasks.format_of(Reading(TEXT), part)[1] for part in parts]
    done = [tasks.PartResult() for _ in parts]
    for part, each in zip(parts, done, strict=True):
        list(each.read(Reading(TEXT).reader(part, 1)))
    (problem,) = [each.problem for each in done if each.problem is not None]
    assert str(problem).startswith(f"{path}:151:5: found 'x'")
    assert all(error is None or str(error) == str(problem) for error in found)
    skipping = [tasks.PartResult() for _ in parts]
    for part, each in zip(parts, skipping, strict=True):
        list(each.read(Reading(TEXT, on_error="skip").reader(part, 1)))
    assert [error.line for each in skipping for error in each.errors] == [151]
    at = next(part for part, each in zip(parts, done, strict=True) if each.problem is not None)
    with pytest.raises(InputError) as raw:
        list(PartitionReader(at, TEXT))
    assert raw.value.line < 151
    diverged = with_file_line(DivergedError(f"{path}:{raw.value.line}: the prediction"), at)
    assert str(diverged) == f"{path}:151: the prediction"


def test_rows_in_memory_are_parts():
    lines = [line.rstrip("\n") for line in LINES if not line.startswith(("\n", "#"))]
    expected = rows(read_batches([io.BytesIO("".join(LINES).encode())], TEXT))
    assert rows(PartitionReader(lines, TEXT)) == expected
    assert rows(PartitionReader([line.encode() + b"\n" for line in lines], TEXT)) == expected
    X = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    assert rows(PartitionReader((X, np.array([1.0, -1.0])), TextOptions(constant=False))) == [
        (1.0, [(1, 1.0), (3, 2.0)]), (-1.0, [(2, 3.0)]),
    ]  # fmt: skip
    assert rows(PartitionReader([], TEXT)) == []


def test_tables_in_memory_are_what_they_are_as_csv(tmp_path, pyarrow, pandas):
    options = TextOptions(format="csv", label="y")
    columns = {"y": [1, -1, 1], "size": [0.5, None, 2.0], "colour": ["red", "blue", None]}
    (tmp_path / "t.csv").write_text("y,size,colour\n1,0.5,red\n-1,,blue\n1,2.0,\n")
    expected = rows(read_batches(str(tmp_path / "t.csv"), options))
    assert rows(PartitionReader(pyarrow.table(columns), options)) == expected
    assert rows(PartitionReader(pandas.DataFrame(columns, index=[5, 6, 7]), options)) == expected
    done = tasks.PartResult()
    list(done.read(PartitionReader(pyarrow.table({"y": [1.0], "a": [float("inf")]}), options, "<partition 4>")))
    assert str(done.problem).startswith("<partition 4>:1: found 'inf' in the column 'a', expected a finite")


def test_rounds_and_parts_are_many(tmp_path):
    """Sixteen rounds where there are partitions enough, of eight partitions a learner at most."""
    assert [len(plan_rounds(parts, 8).rounds) for parts in (1, 8, 20, 128, 129, 8 * 400)] == [1, 1, 2, 16, 16, 50]
    assert len(plan_rounds(128, 8, 3).rounds) == 3
    for parts, learners, rounds in itertools.product(range(1, 60), range(1, 9), (None, 3, 100)):  # each learns in each
        own = [len(each) for each in plan_rounds(parts, learners, rounds).rounds]
        assert own == [min(parts, learners)] * len(own)
        assert all(len(numbers) for each in plan_rounds(parts, learners, rounds).rounds for numbers in each)
    path = tmp_path / "rows.svm"
    path.write_bytes(b"1 1:1 2:1\n" * 500_000)  # 5 MB
    for wanted, expected in ((1, 1), (3, 3), (100, 4)):  # of a mebibyte at least
        assert len(partitions([str(path)], TextOptions(), wanted=wanted)) == expected


def test_the_last_rows_are_learned_by_members_of_few_rows(monkeypatch):
    lines = [f"{i % 2} {i % 7}:1 {i % 5 + 10}:1".encode() for i in range(400)]
    job = tasks.LearnJob(LearnOptions(method="committee", members=("nag", "arow")), tasks.Reading(TextOptions()))
    merged = tasks.learn_rows(job, 1, tasks.Span(), lines, None)
    found = []
    for least in (400, 401):
        monkeypatch.setattr(tasks, "SETTLED", least)
        found.append(tasks.settled(job, 1, tasks.Span(0, 100), lines, merged))
        assert found[-1].header["examples"] == 500
    tables = [[m.table for m in each.learner().state.members] for each in (merged, *found)]
    for before, settled, learned in zip(*tables, strict=True):
        np.testing.assert_array_equal(before[: len(settled)], settled[: len(before)])
        assert not np.array_equal(before, learned)


def test_a_range_names_errors_of_its_file_alone(tmp_path):
    """What fails where the lines are used is no error of the file."""
    path = tmp_path / "rows.svm"

    def used():
        with open_range(Partition(str(path), 0, 10)):
            raise ConnectionError("elsewhere")

    with pytest.raises(InputError, match=r"rows.svm: found no such file, expected a text file"):
        used()
    path.write_text("".join(LINES))
    with pytest.raises(ConnectionError, match="elsewhere"):
        used()
