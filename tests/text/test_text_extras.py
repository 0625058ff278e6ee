"""Arrow, Parquet and remote files, where their packages are installed; and what is said where they are not."""

import importlib.util
import io
import math
import random
import subprocess
import sys
from pathlib import Path

import pytest
from streams import entries

from sonlearn import InputError, TextOptions
from sonlearn.text.columns import name_slot
from sonlearn.text.read import Reader, read_batches
from sonlearn.text.source import reason


def rows(batches):
    """(label, its line, sorted entries) of each row."""
    return [row for b in batches for row in zip(b.y.tolist(), b.lines.tolist(), map(sorted, entries(b)), strict=True)]


@pytest.fixture
def table():
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {
        "age": [3.5, None, 0.0, float("nan")], "n": [1, 2**60, None, -1], "ok": [True, False, None, True],
        "city": ["Paris", None, "Rome", "Paris"], "y": [1, 0, None, -1],
    }  # fmt: skip
    return pa.table(columns)


def assert_alike(ours, theirs):
    """The same labels, none where there is none, and the same entries."""
    for (y, _, mine), (z, _, other) in zip(ours, theirs, strict=True):
        assert mine == other
        assert y == z or (math.isnan(y) and math.isnan(z))


@pytest.mark.parametrize("kind", ["parquet", "file", "stream"])
@pytest.mark.parametrize("threads", [0, 1])
def test_arrow_equals_csv(tmp_path, table, kind, threads):
    path = tmp_path / "data"
    if kind == "parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(table, path)
    else:
        import pyarrow

        new = getattr(pyarrow.ipc, f"new_{kind}")
        with pyarrow.OSFile(str(path), "wb") as file, new(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=3)
    csv = "age,n,ok,city,y\n3.5,1,1,Paris,1\n,1152921504606846976,0,,0\n0,,,Rome,\n,-1,1,Paris,-1\n"
    options = TextOptions(label="y", format="auto")
    theirs = rows(read_batches(io.BytesIO(csv.encode()), options))
    ours = rows(Reader(str(path), TextOptions(label="y", format="arrow"), threads=threads))
    assert [line for _, line, _ in ours] == [1, 2, 3, 4]
    assert_alike(ours, theirs)
    assert_alike(rows(read_batches(str(path), options)), theirs)


def test_arrow_is_read_from_a_pipe(tmp_path, table):
    import pyarrow.parquet

    path, options = tmp_path / "data", TextOptions(label="y", format="arrow")
    pyarrow.parquet.write_table(table, path)
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE, bufsize=0) as pipe:
        found = rows(read_batches(pipe.stdout, options))
    assert_alike(found, rows(read_batches(path, options)))


def test_arrow_is_recognised_and_checked(tmp_path, table):
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "data"
    pyarrow.parquet.write_table(table, path)
    reader = Reader(path)
    (batch,) = reader
    assert reader.format == "arrow"
    assert (name_slot("y", TextOptions()), 1.0) in entries(batch)[0]
    with pytest.raises(InputError, match=r"one column 'z'"):
        list(read_batches(path, TextOptions(format="arrow", label="z")))
    with pytest.raises(
        InputError, match=r":1: found 'Paris' in the column 'city', expected a label \(a finite number\), or nothing"
    ):
        list(read_batches(path, TextOptions(format="arrow", label="city")))
    columns = pyarrow.Table.from_arrays([pyarrow.array([1.0])] * 2, names=["a", "a"])
    pyarrow.parquet.write_table(columns, path)
    with pytest.raises(InputError, match="found 2 columns 'a', expected columns of different names"):
        list(read_batches(path))
    pyarrow.parquet.write_table(pyarrow.table({"a": [1.0, float("inf")], "y": [1, 1]}), path)
    reader = Reader(path, TextOptions(format="arrow", label="y"), on_error="skip")
    assert [batch.lines.tolist() for batch in reader] == [[1]]
    assert str(reader.malformed.errors[0]) == f"{path}:2: found 'inf' in the column 'a', expected a finite number"
    pyarrow.parquet.write_table(pyarrow.table({"a": [[1, 2]]}), path)
    with pytest.raises(InputError, match="columns of numbers, booleans, texts or dates"):
        list(read_batches(path))
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(InputError, match="expected a Parquet or Arrow file"):
        list(read_batches(path))


@pytest.fixture
def twins(tmp_path):
    """A table with everything that could differ, as Parquet and as CSV; pyarrow writes both."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import datetime
    import decimal

    import pyarrow.csv
    import pyarrow.parquet

    r = random.Random(3)
    n = 400

    def some(make):
        return [None if r.random() < 0.2 else make() for _ in range(n)]

    day = datetime.date(2020, 1, 1)
    floats = [0.0, -0.0, float("nan"), 0.1, -1e-300, 1e300, 1 / 3, 5.0]
    words = ["", "a", "True", "false", "12", "007", "1e3", "nan", "NaN", "-", "x,y", 'q"', " ", "Ünï", "info", " 5 "]
    columns = {
        "f64": pa.array(some(lambda: r.choice(floats))),
        "f32": pa.array(some(lambda: r.gauss(0, 1)), pa.float32()),
        "i8": pa.array(some(lambda: r.randrange(-3, 4)), pa.int8()),
        "i64": pa.array(some(lambda: r.randrange(-(2**63), 2**63)), pa.int64()),
        "u64": pa.array(some(lambda: r.randrange(2**64)), pa.uint64()),
        "bool": pa.array(some(lambda: r.random() < 0.5)),
        "text": pa.array(some(lambda: r.choice(words))),
        "kind": pa.array(some(lambda: r.choice(words))).dictionary_encode(),
        "large": pa.array(some(lambda: r.choice(words)), pa.large_string()),
        "decimal": pa.array(some(lambda: decimal.Decimal(r.randrange(-99, 99)) / 100), pa.decimal128(9, 4)),
        "day": pa.array(some(lambda: day + datetime.timedelta(r.randrange(50)))),
        "time": pa.array(some(lambda: datetime.datetime(2020, 1, 1, r.randrange(24))), pa.timestamp("us")),
        "null": pa.nulls(n),
        "y": pa.array(some(lambda: r.choice([True, False]))),
    }
    table = pa.table(columns)
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    pyarrow.csv.write_csv(table.set_column(7, "kind", table["kind"].cast(pa.string())), tmp_path / "t.csv")
    return tmp_path / "t.parquet", tmp_path / "t.csv"


def test_csv_and_parquet_of_a_table_give_the_same_features(twins):
    ours, theirs = (rows(read_batches(path, TextOptions(label="y", bits=30))) for path in twins)
    assert len(ours) == 400
    assert_alike(ours, theirs)
    assert sum(math.isnan(y) for y, _, _ in ours) > 40
    assert len({slot for _, _, row in ours for slot, _ in row}) > 50


def test_a_model_of_one_reads_the_other_with_labels_or_without(twins, cli):
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.parquet.read_table("t.parquet").select(["f32", "i8", "bool", "text", "y"])
    pyarrow.parquet.write_table(table, "t.parquet")
    pyarrow.csv.write_csv(table, "t.csv")
    pyarrow.parquet.write_table(table.drop_columns(["y"]), "u.parquet")
    Path("u.csv").write_text("".join(line.rsplit(",", 1)[0] + "\n" for line in Path("t.csv").read_text().splitlines()))
    outputs = []
    for kind in ("csv", "parquet"):
        cli.out("train", "--quiet", "--label", "y", "-f", kind, f"t.{kind}")
        for data in ("t.csv", "t.parquet", "u.csv", "u.parquet"):
            outputs.append(cli.out("predict", "--quiet", "-i", kind, data))
        assert "expected one column 'y' (--label)" in cli.error("train", "--quiet", "-i", kind, "u.csv")
    assert len(set(outputs)) == 1
    assert len(outputs[0].splitlines()) == 400


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_without_pyarrow(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"PAR1....")
    with pytest.raises(InputError, match="found a Parquet or Arrow file, expected pip install pyarrow, or text"):
        list(read_batches(path))


def test_parquet_in_a_stream():
    with pytest.raises(InputError, match="found a Parquet file"):
        list(read_batches(io.BytesIO(b"PAR1....")))


def test_remote(tmp_path, monkeypatch, fsspec):
    for name in ("a", "b"):
        with fsspec.open(f"memory://data/{name}.svm", "wb") as file:
            file.write(b"1 2:3\n0 1:1")
    (batch,) = read_batches("memory://data/a.svm", TextOptions(constant=False))
    assert batch.indices.tolist() == [2, 1]
    assert batch.source == "memory://data/a.svm"
    assert len(list(read_batches("memory://data/*.svm"))) == 2
    with pytest.raises(InputError, match="found no such file"):
        list(read_batches("memory://data/none.svm"))
    refused = FileNotFoundError("https://x")
    refused.__cause__ = OSError("cannot connect")  # as fsspec has it
    assert reason(refused) == "no answer (cannot connect)"
    with pytest.raises(InputError, match="expected an address that fsspec knows"):
        list(read_batches("nostore://x"))
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    with pytest.raises(InputError, match=r"aiohttp.*, expected what it requires \(extra remote\)"):
        list(read_batches("https://localhost/x"))


@pytest.mark.skipif(importlib.util.find_spec("fsspec") is not None, reason="fsspec is installed")
def test_without_fsspec():
    with pytest.raises(InputError, match="found a remote address, and fsspec is not installed, expected pip install"):
        list(read_batches("s3://bucket/key"))
