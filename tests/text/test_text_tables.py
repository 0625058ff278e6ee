"""Tables in memory, of pandas, polars and pyarrow: the features of the same table as CSV, straight into a learner."""

import dataclasses
import datetime
import doctest
import io
import math
import re
import uuid

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import pyarrow as pa
from places import ROOT
from streams import entries

from sonlearn import InputError, Learner, LearnOptions, OptionError, TextOptions, from_scipy, read_batches
from sonlearn.text.arrow import table_batch
from sonlearn.text.columns import ColumnTable, Labelling
from sonlearn.text.read import Reader

pytestmark = pytest.mark.interpreted
COLUMNS = {
    "age": [3.5, None, 0.0, -1.25], "n": [1, 2**60, 7, -1], "ok": [True, False, True, True],
    "city": ["Paris", None, "Rome", "12"], "kind": ["a", "b", "a", None],
    "day": [datetime.date(2020, 1, 2), None, datetime.date(2021, 3, 4), datetime.date(2020, 1, 2)], "y": [1, -1, -1, 1],
}  # fmt: skip
CSV = (
    "age,n,ok,city,kind,day,y\n3.5,1,true,Paris,a,2020-01-02,1\n,1152921504606846976,false,,b,,-1\n"
    "0,7,true,Rome,a,2021-03-04,-1\n-1.25,-1,true,12,,2020-01-02,1\n"
)
LABEL = TextOptions(label="y")


def frame(library):
    """The table, as each library likes to hold it."""
    if library == "pyarrow":
        table = pa.table(COLUMNS)
        return table.set_column(4, "kind", table["kind"].dictionary_encode())
    if library == "batches":
        return pa.Table.from_batches(frame("pyarrow").to_batches(max_chunksize=3)).to_reader(max_chunksize=2)
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    table = module.DataFrame(COLUMNS)
    if library == "pandas":
        table["kind"] = table["kind"].astype("category")
        return table.set_index(module.Index([7, 5, 5, 1], name="ignored"))
    return table.with_columns(module.col("kind").cast(module.Categorical))


def rows(batches):
    found = []
    for b in batches:
        found += zip(b.lines.tolist(), b.y.tolist(), map(sorted, entries(b)), strict=True)
    return found


def learner(**text):
    return Learner(LearnOptions(method="nag"), TextOptions(**text))


LIBRARIES = pytest.mark.parametrize("library", ["pyarrow", "batches", "pandas", "polars"])


@LIBRARIES
@pytest.mark.parametrize("threads", [0, 1])
def test_features_are_those_of_csv(library, threads):
    expected = [(i, y, row) for i, (_, y, row) in enumerate(rows(read_batches(io.BytesIO(CSV.encode()), LABEL)), 1)]
    assert rows(read_batches(frame(library), LABEL, threads=threads)) == expected
    reader = Reader([frame(library), frame(library)], LABEL)
    assert {batch.source for batch in reader} == {"<table>"}
    assert reader.format == "arrow"


@LIBRARIES
def test_straight_into_a_learner_and_back(library, tmp_path):
    ours, theirs = learner(), learner(format="csv", label="y")
    (batch,) = read_batches(io.BytesIO(CSV.encode()), LABEL)
    for _ in range(3):
        predicted = ours.partial_fit(frame(library), label="y")
        np.testing.assert_array_equal(predicted.prediction, theirs.partial_fit(batch).prediction)
    np.testing.assert_array_equal(ours.predict(frame(library)).prediction, theirs.predict(batch).prediction)
    assert not np.isnan(ours.predict(frame(library)).loss).any()
    ours.save(tmp_path / "model")
    again = Learner.load(tmp_path / "model")
    assert (again.text.format, again.text.label) == ("arrow", "y")
    (batch,) = read_batches(io.BytesIO(CSV.encode()), TextOptions(label="y"))
    np.testing.assert_array_equal(again.predict(batch).prediction, theirs.predict(batch).prediction)


def test_predicting_needs_no_label():
    ours = learner()
    ours.partial_fit(frame("pyarrow"), label="y")
    without = frame("pyarrow").drop_columns(["y"])
    assert [one.prediction for one in ours.explain(without)] == ours.predict(without).prediction.tolist()
    np.testing.assert_array_equal(ours.predict(without).prediction, ours.predict(frame("pyarrow")).prediction)
    assert np.isnan(ours.predict(without).loss).all()
    with pytest.raises(InputError, match=r"<table>: found the columns .*, expected one column 'y'"):
        ours.partial_fit(without)
    assert len(ours.predict(frame("pyarrow").slice(0, 0)).prediction) == 0


def test_classes_by_name():
    ours = Learner(LearnOptions(method="nag", classes="auto"))
    table = pa.table({"x": ["a", "b", "c"] * 20, "y": ["red", "green", "blue"] * 20})
    ours.partial_fit(table, label="y")
    assert ours.label_texts(ours.predict(table.slice(0, 3)).prediction) == ["red", "green", "blue"]


def test_of_a_bad_row_nothing_is_learned():
    ours = learner()
    ours.partial_fit(frame("pyarrow"), label="y")
    before = ours.to_arrays()[1]
    before = {name: array.copy() for name, array in before.items()}
    for columns, message in [
        ({"age": [1.0, math.inf], "y": [1, 1]}, "<table>:2: found 'inf' in the column 'age', expected a finite number"),
        ({"age": [1.0, 2.0], "y": ["1", "x"]}, "<table>:2: found label 'x', expected -1 or [+]1"),
        ({"age": [[1], [2]], "y": [1, 1]}, "<table>: found the column 'age' of type list<"),
    ]:
        with pytest.raises(InputError, match=message):
            ours.partial_fit(pa.table(columns))
    after = ours.to_arrays()[1]
    assert all(np.array_equal(before[name], after[name], equal_nan=True) for name in before)
    with pytest.raises(InputError, match=r"<table>:2: found label 3, expected -1 or \+1|found label 3"):
        ours.partial_fit(pa.table({"age": [1.0, 2.0], "y": [1, 3]}))


def test_what_does_not_go_together():
    with pytest.raises(OptionError, match=r"partial_fit of a table: give label=COLUMN"):
        learner().partial_fit(frame("pyarrow"))
    message = (
        r"found a list, expected a Batch, or a table .*; matrices: sonlearn\.from_scipy; dicts: sonlearn\.read_batches"
    )
    with pytest.raises(InputError, match=message):
        learner().partial_fit([{"a": 1}])
    with pytest.raises(InputError, match="found a table, expected vw text, which this learner has learned from"):
        learner(format="vw").partial_fit(frame("pyarrow"), label="y")
    ours = learner()
    ours.partial_fit(from_scipy(np.ones((2, 2)), y=np.array([1.0, -1.0])))
    with pytest.raises(InputError, match="found a table, expected matrices, which this learner has learned from"):
        ours.partial_fit(frame("pyarrow"), label="y")
    ours = learner()
    ours.partial_fit(frame("pyarrow"), label="y")
    for act in (ours.partial_fit, ours.predict, ours.explain):
        with pytest.raises(
            InputError, match=r"as of a matrix, expected names hashed to 2\^18 slots, which this learner takes"
        ):
            act(from_scipy(np.ones((2, 2)), y=np.array([1.0, -1.0])))
    matrix = from_scipy(np.ones((2, 2)), y=np.array([1.0, -1.0]))
    (words,) = read_batches(io.BytesIO(b"1 | a b\n"), TextOptions())
    for first, then, message in [
        (words, matrix, "as of a matrix, expected hashed names"), (matrix, words, "hashed names, expected indices")
    ]:  # fmt: skip
        ours = learner()
        ours.partial_fit(first)
        for same in (ours, ours.copy()):
            with pytest.raises(InputError, match=message):
                same.predict(then)
    numbers = np.array([[1.0, 0.0, 2.0], [0.0, math.nan, 0.0], [math.inf, 0.0, 0.0]])
    for at, value in ((slice(3), "2:2: found nan"), (slice(2, 3), "1:1: found inf")):
        message = f"<memory>:{value}, expected a finite value [(]rows and columns from 1 on[)]"
        with pytest.raises(InputError, match=message):
            from_scipy(numbers[at])
    with pytest.raises(OptionError, match=r"^read_batches: format vw: tables in memory are read as arrow"):
        read_batches(frame("pyarrow"), TextOptions(format="vw"))


@pytest.mark.parametrize("library", ["pyarrow", "pandas", "polars"])
def test_durations_are_hours_as_in_text(library):
    taken = [datetime.timedelta(days, 9000.5) for days in (0, 3, -1, 20_000)] + [None]
    module = pytest.importorskip(library)
    text = "x\n0 days 02:30:00.5\n3 days 02:30:00.5\n-1 days +02:30:00.5\n20000 days 02:30:00.5\nna\n"
    text = text.replace(".5", ".500000")
    batches = read_batches(io.BytesIO(text.encode()), TextOptions(format="csv"))
    read = [sorted(row) for b in batches for row in entries(b)]
    table = (pa.table if library == "pyarrow" else module.DataFrame)({"x": taken})
    assert [sorted(row) for b in read_batches(table) for row in entries(b)] == read
    assert [len(row) for row in read] == [3, 2, 2, 2, 2]  # below a day also its hour
    assert [sorted(row) for b in read_batches({"x": each} for each in taken) for row in entries(b)] == read


def test_columns_that_pandas_cannot_hand_over(pandas):
    for table in (pandas.DataFrame({"a": [1, "x", 2.5]}), pandas.DataFrame([[1, 2]], columns=["a", "a"])):
        with pytest.raises(InputError, match=r"^<table>: found .*, expected "):
            list(read_batches(table))


def test_what_is_no_table_is_named(pandas):
    found = r"^<table>: found 'a Series, which to_frame\(\) makes a table of', expected a table"
    with pytest.raises(InputError, match=found):
        list(read_batches(pandas.Series([1.0, 2.0])))
    with pytest.raises(TypeError, match=r"^found a float, expected the name of a file, an open binary stream or a t"):
        list(read_batches([1.5]))
    for text in (3, None, [3]):
        with pytest.raises(OptionError, match=rf"^--text {re.escape(repr(text))}: expected a text, or several"):
            TextOptions(text=text)
    with pytest.raises(TypeError, match=r"^text 3: expected a TextOptions"):
        Learner(text=3)
    with pytest.raises(TypeError, match=r"^options 'nag': expected a LearnOptions"):
        Learner("nag")


def test_categories_that_are_null_or_unused():
    dictionary = pa.array(["unused", "a", None, "b"])
    column = pa.DictionaryArray.from_arrays(pa.array([1, 2, None, 3, 1]), dictionary)
    table = pa.table({"kind": column, "y": [1, 1, 1, 1, 1]})
    texts = pa.table({"kind": ["a", None, None, "b", "a"], "y": [1, 1, 1, 1, 1]})
    assert rows(read_batches(table, LABEL)) == rows(read_batches(texts, LABEL))
    numbers = pa.table({"kind": pa.array([3, 5, None, 3, 0]).dictionary_encode(), "y": [1, 1, 1, 1, 1]})
    plain = pa.table({"kind": [3, 5, None, 3, 0], "y": [1, 1, 1, 1, 1]})
    assert rows(read_batches(numbers, LABEL)) == rows(read_batches(plain, LABEL))
    none = pa.table({"kind": pa.nulls(5, pa.dictionary(pa.int8(), pa.string())), "y": [1, 1, 1, 1, 1]})
    assert {len(row) for _, _, row in rows(read_batches(none, LABEL))} == {2}  # the constant, and that it is missing


def test_sketches_take_tables_and_give_them():
    from sonlearn.sketch import make_sketch

    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    expected = make_sketch("rfd", 3).update(X)
    for library in ("pyarrow", "pandas", "polars"):
        module = pa if library == "pyarrow" else pytest.importorskip(library, reason=f"{library} is not installed")
        columns = {name: X[:, j] for j, name in enumerate("abcd")}
        table = pa.table(columns) if library == "pyarrow" else module.DataFrame(columns)
        ours = make_sketch("rfd", 3).update(table)
        np.testing.assert_allclose(ours.matrix(), expected.matrix(), atol=1e-12)
    table = expected.table()
    B = np.zeros(expected.matrix().shape)
    B[table["row"].to_numpy(), table["column"].to_numpy()] = table["value"].to_numpy()
    np.testing.assert_array_equal(B, expected.matrix())
    assert table.column_names == ["row", "column", "value"]


def test_the_page_of_tables(tmp_path, monkeypatch, polars):
    """The examples of docs/tables.md."""
    monkeypatch.chdir(tmp_path)
    found = doctest.testfile(str(ROOT / "docs" / "tables.md"), module_relative=False)
    assert (found.failed, found.attempted) == (0, 12)


def test_words_are_told_as_in_csv():
    """See `Batch.marks`."""
    table = pa.table({"y": [1, -1, 1], "age": [31, 0, 7], "note": ["Good good tea", None, "tea w4"]})
    text = TextOptions(label="y", text=("note",), ngram=("2",))
    batch, _ = table_batch(table, text, Labelling(True), ColumnTable())
    csv = b"y,age,note\n1,31,Good good tea\n-1,0,\n1,7,tea w4\n"
    (wanted,) = read_batches(io.BytesIO(csv), dataclasses.replace(text, format="csv"))
    assert 0 < batch.marks.sum() < len(batch.marks)
    found = [sorted(zip(each.indices, each.marks, strict=True)) for each in (batch, wanted)]
    assert found[0] == found[1]


def test_periods_are_refused(pandas):
    months = pandas.DataFrame({"y": [0, 1], "at": pandas.period_range("2024-01", periods=2, freq="M")})
    with pytest.raises(InputError, match=r"found periods in the column 'at', expected dates \(\.dt\.to_timestamp"):
        list(read_batches(months, TextOptions(label="y")))
    list(read_batches(months.assign(at=months["at"].dt.to_timestamp()), TextOptions(label="y")))


def test_intervals_and_uuids_are_refused(pandas):
    """Whose column pyarrow does not name: as categories, as `pandas.cut` makes them, and as they are."""
    cut = pandas.cut(pandas.Series([1.0, 2.0, 3.0]), 2)
    for what, column in (("intervals", cut), ("intervals", cut.astype(object)), ("UUIDs", [uuid.UUID(int=9)] * 3)):
        table = pandas.DataFrame({"y": [0, 1, 0], "in": column})
        with pytest.raises(InputError, match=rf"found {what} in the column 'in', expected texts \(\.astype\(str"):
            list(read_batches(table, TextOptions(label="y")))
        list(read_batches(table.assign(**{"in": table["in"].astype(str)}), TextOptions(label="y")))


@pytest.mark.parametrize(
    "column",
    [
        [[1.5], [2.0]], [["a"], ["b"]], pa.array([[1], [2]], pa.list_(pa.int64(), 1)), [{"a": 1}, {"a": 2}],
        [b"a", b"b"], pa.array([b"ab", b"cd"], pa.binary(2)), pa.array([b"a", b"b"], pa.binary_view()),
        pa.array([b"a", b"b"]).dictionary_encode(),
    ],
)  # fmt: skip
def test_lists_and_bytes_are_refused_by_the_first_table_too(column):
    """Bytes of whatever type: those of polars' objects are addresses."""
    with pytest.raises(InputError, match=r"column 'in' of type .*, expected columns of .*; ignore='in' leaves it out"):
        learner().partial_fit(pa.table({"in": column, "y": [1, -1]}), label="y")


def test_warnings_of_python_name_keywords():
    table = pa.table({"c": [f"{i}" for i in range(40)], "y": [1, -1] * 20})
    with pytest.warns(UserWarning, match="columns of texts that are read as numbers") as told:
        learner().partial_fit(table, label="y")
    (said,) = (str(one.message) for one in told)
    assert said.endswith("read as numbers: 'c' (categorical='c' if they are names, numeric='c' if numbers)")
