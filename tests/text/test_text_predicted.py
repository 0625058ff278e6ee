"""Tables that a model only predicts: what stands for missing numbers, and what the model has never met in a column."""

import csv
import dataclasses
import io
import json
import random
import re

import numpy as np
import pytest
from streams import entries

from sonlearn import InputError, Learner, TextOptions
from sonlearn.data.batch import NO_BATCH
from sonlearn.text.cache import CachedReader
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.columns import ColumnTable, Labelling, TableSchema, member_slot, name_slot
from sonlearn.text.flat import TableRows
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

OPTIONS = TextOptions(format="csv", label="y")
LEARNED = "y,n,holes,day,town,zip\n1,2,1,2024-03-01,Graz,8010\n0,4,,2024-03-02,Wien,8020\n1,0,3,2024-03-03,Linz,9010\n"


def counted(columns, text, options=OPTIONS, **how):
    """The columns, which know what the text holds."""
    for batch in Reader(io.BytesIO(text if type(text) is bytes else text.encode()), options, columns=columns, **how):
        columns.count(batch, options)
    return columns


def learned(text=LEARNED):
    """The columns of a table that has been learned, and what they held."""
    return counted(ColumnTable(), text).frozen()


def predicted(text, columns, options=OPTIONS, **how):
    """(rows as sorted lists of (slot, value), what was said)."""
    reader = Reader(io.BytesIO(text.encode()), options, labels=Labelling(False), columns=columns, **how)
    return [row for batch in reader for row in rows(batch)], reader.notes


def rows(batch):
    return list(map(sorted, entries(batch)))


def as_json(text):
    """The rows of CSV as `sonlearn serve` reads them."""
    records = [{k: v or None for k, v in row.items()} for row in csv.DictReader(io.StringIO(text))]
    parser = ChunkParser(OPTIONS, records=TableRows(OPTIONS, Labelling(), learned()))
    found = parser.parse_records(enumerate(records, 1), "<request>")
    return [row for batch in found.batches for row in rows(batch)], found.errors


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("n,holes,day,town,zip\n,,,Graz,\n", "n,holes,day,town,zip\n2,,,Graz,8680\n"),
        ("n,holes\nnan,2\n", "n,holes,zip\n2,2,8680\n"),
        ("town\nGraz\nWien\n", "n,holes,town,zip\n2,,Graz,8680\n2,,Wien,8680\n"),
    ],
)
def test_the_mean_stands_for_a_number_that_was_never_missing(given, meant):
    columns = learned()
    assert (columns.mean("n"), columns.mean("holes"), columns.mean("town")) == (2, None, None)
    assert columns.mean("zip") == (8010 + 8020 + 9010) / 3
    columns.numbers["zip"] = [3, 3 * 8680.0]
    assert predicted(given, columns)[0] == predicted(meant, ColumnTable())[0]


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_a_column_that_is_said_to_be_left_out_is(form):
    """Whatever it holds: a row that is longer than those learned would be predicted as another one."""
    plain = "n,holes,day,town,zip\n3,1,2024-03-02,Graz,8010\n1,,2024-03-03,Linz,8020\n"
    head, *fields = plain.splitlines()
    more = "\n".join([f"{head},new,other", *(f"{row},{i},w{i}" for i, row in enumerate(fields, 1))]) + "\n"
    if form == "json":
        (expected, _), (found, errors) = as_json(plain), as_json(more)
        assert (found, errors) == (expected, [])
        return
    if form == "parquet":
        expected, found = (
            [row for batch in Reader(io.BytesIO(parquet_of(text)), dataclasses.replace(OPTIONS, format="arrow"),
                                     labels=Labelling(False), columns=learned()) for row in rows(batch)]
            for text in (plain, more)
        )  # fmt: skip
        assert found == expected
        return
    found, notes = predicted(more, learned())
    assert found == predicted(plain, learned())[0]
    assert notes == ["<stream>: columns that the model does not know, left out: 'new', 'other'"]


def objects_of(text):
    records = csv.DictReader(io.StringIO(text))
    return "".join(f"{json.dumps({k: v or None for k, v in row.items()})}\n" for row in records)


def parquet_of(text):
    """A table of texts."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    records, out = list(csv.DictReader(io.StringIO(text))), io.BytesIO()
    columns = {name: pyarrow.array([row[name] or None for row in records], pyarrow.string()) for name in records[0]}
    parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


@pytest.mark.parametrize(("form", "write"), [("csv", str), ("json", objects_of), ("arrow", parquet_of)])
def test_what_columns_hold_in_a_row_that_is_left_out_has_not_come(form, write):
    """A missing number, a date, a category and an absent member among numbers; the row's last field is infinite."""
    header, *good = LEARNED.splitlines(keepends=True)
    options = dataclasses.replace(OPTIONS, format=form)
    for bad in ("1,,inf,2024-03-01,Graz,8010\n", "1,2,inf,,,\n", "1,2024-03-01,inf,2,Graz,x\n"):
        found = []
        for lines in ([*good], [good[0], bad, *good[1:]], [bad, *good]):
            columns = counted(ColumnTable(), write("".join([header, *lines])), options, on_error="skip")
            found.append((columns.known, columns.numbers))
        assert found[0] == found[1] == found[2]
        assert found[0][0]["n"] == ("number",)


@pytest.mark.parametrize(("form", "write"), [("csv", str), ("json", objects_of), ("arrow", parquet_of)])
def test_texts_are_counted_once_whatever_is_refused(form, write):
    """Of a column whose first missing value is in a refused row, texts that came before come again: 12 are too few."""
    texts = "".join(f"{i % 2},${i},1\n" for i in range(12))
    text, options = write(f"y,price,n\n{texts}1,,inf\n{texts}"), TextOptions(format=form, label="y")
    reader = Reader(io.BytesIO(text if form == "arrow" else text.encode()), options, on_error="skip")
    assert sum(batch.n for batch in reader) == 24
    assert not [note for note in reader.notes if "price" in note]


def test_what_a_refused_object_does_not_have_is_not_said():
    refused = {"holes": 1, "town": "Graz", "zip": 1, "day": ["2024-03-01"]}
    parser = ChunkParser(OPTIONS, stops=False, records=TableRows(OPTIONS, Labelling(), learned()))
    found = parser.parse_records([(1, refused), (2, {"n": 2, **refused, "day": None})], "<request>")
    assert [error.line for error in found.errors] == [1]
    assert [fault for fault in found.found.faults if "'n'" in fault] == []


def test_columns_in_another_order_are_the_same_row(tmp_path):
    arrow, parquet = map(pytest.importorskip, ("pyarrow.csv", "pyarrow.parquet"))
    texts = "n,holes,town,new,zip\n1,2,Graz,5,8\n", "zip,new,town,holes,n\n8,5,Graz,2,1\n"
    without = "town,zip\nGraz,8\n", "zip,town\n8,Graz\n"
    for same in (texts, without):
        found = []
        for text in same:
            (row,) = csv.DictReader(io.StringIO(text))
            parquet.write_table(arrow.read_csv(io.BytesIO(text.encode())), tmp_path / "t.parquet")
            for source in (io.BytesIO(text.encode()), io.BytesIO(json.dumps(row).encode()), tmp_path / "t.parquet"):
                found += Reader(source, OPTIONS, labels=Labelling(False), columns=learned())
        for batch in found:
            np.testing.assert_array_equal(batch.indices, found[0].indices)
    plain = [next(iter(Reader(io.BytesIO(text.encode()), OPTIONS, labels=Labelling(False)))).indices for text in texts]
    assert not np.array_equal(*plain)


def test_what_is_missing_is_named_once_for_all_columns():
    _, notes = predicted("n,holes,zip\n,,1\n" + ",1,\n" * 5000, learned())
    assert [note.split(" have ")[0] for note in notes[1:]] == ["the columns 'n', 'zip'"]
    assert notes[1].endswith("missing numbers, of which the model has met none; the column's mean stands for them")
    assert notes[0].endswith("the model knows and the table has not: 'day', 'town'")
    assert predicted("town\nGraz\n", learned())[1][0].endswith("'zip'; means stand for their numbers")


def test_dates_that_are_missing_where_none_were_are_named():
    said = "the column 'day' has missing dates, of which the model has met none: nothing stands for them"
    assert said in predicted("day,n\n,1\n", learned())[1]
    assert said not in predicted("day,n\n2024-03-01,1\n", learned())[1]
    assert said not in predicted("day,n\n,1\n", learned(LEARNED + "1,2,1,,Graz,8010\n"))[1]


def test_the_same_from_json_and_arrow():
    text = "n,holes,town\n,,Graz\n3,1,\n"
    assert as_json(text)[0] == predicted(text, learned())[0]
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = pyarrow.table({"n": [None, 3], "holes": [None, 1], "town": ["Graz", None]})
    reader = Reader(table, OPTIONS, labels=Labelling(False), columns=learned())
    assert [row for batch in reader for row in rows(batch)] == predicted(text, learned())[0]


@pytest.mark.parametrize(
    ("column", "field", "expected"),
    [
        ("n", "70.5.1", "found '70.5.1' in the column 'n', expected a number, as in all rows that the model has"),
        ("n", "70,5", "expected a number, as in all rows that the model has learned"),
        ("n", "11+", "; leave it empty if the number is not known, or train with --categorical 'n'"),
        ("holes", "2024-03-01", "found '2024-03-01' in the column 'holes', expected a number, as in all"),
        ("day", "03/31/2024", "found '03/31/2024' in the column 'day', expected a date, as in all rows"),
        ("day", "17", "found '17' in the column 'day', expected a date, as in all rows"),
        ("day", "2012-13", "the model has learned; if these are seasons, train with --categorical 'day'"),
    ],
)
def test_what_a_column_has_never_held_is_malformed(column, field, expected):
    text = f'town,{column}\nGraz,\nGraz,"{field}"\n'
    with pytest.raises(InputError, match=r"^<stream>:3:6: ") as raised:
        predicted(text, learned())
    assert expected in str(raised.value)
    (error,) = as_json(text)[1]
    assert error.line == 2
    assert f"expected a {'number' if 'number' in expected else 'date'}, as in" in str(error)
    assert len(predicted(text, learned(), on_error="skip")[0]) == 1


def test_a_table_in_memory_with_numbers_in_place_of_dates_is_malformed(pyarrow):
    table = pyarrow.table({"day": [None, 17.0]})
    with pytest.raises(InputError, match="<table>:2: found '17' in the column 'day', expected a date, as in all"):
        list(Reader(table, OPTIONS, labels=Labelling(False), columns=learned()))


def test_a_category_may_be_new_and_a_number_among_categories_is_named():
    found, notes = predicted("town\nBonn\n17\n18\n", learned())
    assert len(found) == 3
    assert notes[1:] == ["the column 'town' has a number, '17'; the model has learned a category in all rows"]


ALL_NEW = ["the column 'town' has categories of which the model has met none ('Bonn')"]
OFTEN_NEW = ["the column 'town' has frequent categories that the model has not met ('Bonn')"]


@pytest.mark.parametrize(
    ("towns", "said"),
    [(["Bonn"] * 20, ALL_NEW), (["Bonn"] * 19, []), (["Bonn"] * 19 + ["Graz"], OFTEN_NEW),
     (["Bonn"] * 11 + ["Graz"] * 200, OFTEN_NEW), (["Bonn"] * 11 + ["Graz"] * 210, []),  # more than 5 %
     (["Bonn"] * 10 + ["Graz"] * 20, []), (["Linz"] * 11 + ["Graz"] * 20, [])],
)  # fmt: skip
def test_categories_that_are_all_new_or_frequent_ones_are_named_once(towns, said):
    slots = {name_slot(f"town={town}", OPTIONS): [f"town={town}"] for town in ("Graz", "Wien", "Linz")}
    columns = learned().frozen(slots | {name_slot("town=Bonn", OPTIONS): ["another in its slot"]})
    text = "\n".join(["town", *towns]) + "\n"
    assert predicted(text, columns)[1][1:] == said
    assert predicted(text, learned())[1][1:] == []  # names that are not known
    both = "\n".join(["town", *["Graz", "Bonn", "Ulm"] * 300]) + "\n"
    assert predicted(both, columns, chunk_bytes=600)[1][1:] == OFTEN_NEW


@pytest.mark.parametrize(
    ("days", "said"),
    [(["2024-03-30"] * 20, ["weekdays", "'Sat'"]), (["2024-03-30"] * 19 + ["2024-03-29"], []),
     (["2024-03-30"] * 19, []), (["2024-03-29 13:05"] * 20, ["hours", "'13'"]), (["2024-02-29 08:30"] * 20, [])],
)  # fmt: skip
def test_dates_all_of_whose_weekdays_or_hours_are_new_are_named(days, said):
    names = ["day.weekday=Thu", "day.weekday=Fri", "day.hour=8", "day.month=3", "day.year"]
    columns = learned().frozen({name_slot(name, OPTIONS): [name] for name in names})
    notes = predicted("\n".join(["day", *days]) + "\n", columns)[1]
    none = ["the column 'day' has {} of which the model has met none ({})".format(*said)] if said else []
    assert [note for note in notes if "has met none" in note] == none


def test_the_sums_have_the_same_bits_wherever_batches_end():
    draw = random.Random(3)
    text = "y,a,b,c\n" + "".join(f"1,{draw.gauss(0, 1e6)!r},{draw.random()!r},{i}\n" for i in range(500)) + "1,0,0,na\n"
    sums = [counted(ColumnTable(), text, chunk_bytes=size).numbers for size in (64, 1000, 1 << 20)]
    assert sums[0] == sums[1] == sums[2]
    values = [list(map(float, row.split(",")[1:3])) for row in text.splitlines()[1:]]
    a, b = np.cumsum(values, axis=0)[-1]  # one after the other: Python's own sum is compensated from 3.12 on
    assert sums[0] == {"a": [501, a], "b": [501, b]}  # c has no mean: some number of it is missing


def test_a_sum_ends_where_a_column_is_numbers_no_more_whoever_has_met_that():
    """The settings of `tune` count by themselves, and share what is known of columns."""
    columns, own = ColumnTable({"a": ("number",)}), ColumnTable()
    own.known, own.numbers = columns.known, {"a": [1, 2.0]}
    own.count(NO_BATCH, OPTIONS)
    assert own.numbers == {"a": [1, 2.0]}
    columns.add({"a": ("category",)})
    own.count(NO_BATCH, OPTIONS)
    assert own.numbers == {}


def test_what_is_predicted_adds_nothing():
    columns = learned()
    known = dict(columns.known)
    predicted("n,more\n,1\n", columns)
    columns.add(TableSchema(("n",), {"n": ("text",)}).kinds)
    assert columns.known == known


def reloaded(learner, folder):
    """The columns of a learner that has been saved."""
    learner.save(folder / "m")
    return Learner.load(folder / "m").columns


#: A day of each month of two years.
MONTHS = [f"{year}-{month:02}-01" for year in (2022, 2023) for month in range(1, 13)]


def of_days(learner, days):
    """The learner, which has met a row of each day."""
    text = LEARNED.partition("\n")[0] + "\n" + "".join(f"1,2,1,{day},Graz,8010\n" for day in days)
    if days:
        counted(learner.columns, text)
    return learner


@pytest.mark.parametrize(
    ("part", "more", "met", "counts"),
    [
        ("year", [], [24], {2025: 24, 2024: 24, 1999: 24}),
        ("year", ["2023-03"], [23, 24], {2025: 24, 2023: 23, 2021: 23}),
        ("year", ["2021-03"], [21, 24], {2031: 25, 2025: 25, 2022: 22, 2015: 20}),
        ("month", [], [3], {1: 3, 3: 3, 12: 3}),
        ("month", ["2023-11", "2023-06"], [3, 6, 11], {1: 11, 2: 3, 4: 3, 7: 6, 12: 11}),
    ],
)
def test_years_and_months_that_were_not_met_count_as_near_ones(tmp_path, part, more, met, counts):
    """Years one further at most, months in their round; while a model learns all are as they are.

    A merge knows what its learners met.
    """
    more, year = "".join(f"1,2,1,{each}-01,Graz,8010\n" for each in more), part == "year"
    learners = [Learner(text=OPTIONS), Learner(text=OPTIONS)]
    for learner, text in zip(learners, (LEARNED, LEARNED + more), strict=True):
        counted(learner.columns, text)
    columns = reloaded(Learner.merge(learners), tmp_path)
    assert sorted({each // 12 if year else each % 12 + 1 for each in columns.dates["day"]}) == met
    for asked, near in counts.items():
        for known, value in ((columns.frozen(), near), (columns, asked - 2000 * year)):
            found = dict(predicted(f"day\n{f'{asked}-03' if year else f'2024-{asked:02}'}-01\n", known)[0][0])
            name, said = ("day.year", value) if year else (f"day.month={value}", 1)
            assert found[name_slot(name, OPTIONS)] == said


@pytest.mark.parametrize(
    ("days", "counts"),
    [
        (["2023-01-05", "2023-02-01", "2023-11-30"], {"2023-02-01": 2, "2024-02-01": 11, "2024-12-01": 11}),
        (["2023-02-01", "2023-01-05", "2023-11-30"], {"2023-02-01": 2, "2024-02-01": 2, "2024-12-01": 11}),
        (["2022-02-01", "2022-06-01", "2023-01-05", "2023-02-01"], {"2023-06-01": 2, "2024-02-01": 2, "2024-01-01": 2}),
        (["2022-01-05", "2022-12-01", "2023-01-05", "2023-12-01"], {"2024-02-01": 1, "2024-04-01": 1}),
        (["2021-01-05", "2022-01-05", "2023-12-01"], {"2024-01-01": 1}),
        (MONTHS[:17], {"2023-06-01": 5, "2023-12-01": 1}),
        (MONTHS[:18], {"2023-07-01": 7, "2023-12-01": 12, "2024-01-01": 1}),
        (MONTHS[:23], {"2023-12-01": 12, "2024-01-01": 1, "2024-11-01": 11}),
    ],
)
def test_ahead_of_dates_in_order_a_month_that_was_met_once_counts_as_the_last(tmp_path, days, counts):
    """However the rows were cut; what a loaded model says. The second's dates are in no order."""
    for size in (1, len(days)):
        learner = Learner(text=OPTIONS)
        for at in range(0, len(days), size):
            of_days(learner, days[at : at + size])
        columns = reloaded(learner, tmp_path).frozen()
        for asked, month in counts.items():
            assert name_slot(f"day.month={month}", OPTIONS) in dict(predicted(f"day\n{asked}\n", columns)[0][0])


@pytest.mark.parametrize(
    ("days", "met"),
    [
        (["2023-11-01"] * 9 + ["2023-12-01"] * 9 + ["2024-01-01"], (23, 12)),
        (["2023-11-01"] * 9 + ["2023-12-01"] * 9 + ["2024-01-01"] * 2, (23, 12)),
        (["2023-11-01"] * 9 + ["2023-12-01"] * 9 + ["2024-01-01"] * 3, (24, 1)),
        (["2023-12-01"] * 9 + ["2023-11-01"] * 9 + ["2024-01-01"], (24, 1)),
        (["2024-01-01"], (24, 1)),
        (["2023-12-01", "2024-01-01"], (24, 1)),
    ],
)
def test_of_dates_in_order_a_month_of_few_rows_counts_as_one_that_was_not_met(tmp_path, days, met):
    """Also where learners are merged that began with a copy of one; what counts is known in a file."""
    base, half = of_days(Learner(text=OPTIONS), days[:-4]), len(days[-4:]) // 2
    parts = [of_days(base.copy(), days[-4:][:half]), of_days(base.copy(), days[-4:][half:])]
    for learner in (of_days(Learner(text=OPTIONS), days), Learner.merge(parts, base)):
        found = dict(predicted("day\n2024-01-02\n", reloaded(learner, tmp_path).frozen())[0][0])
        assert found[name_slot("day.year", OPTIONS)] == met[0]
        assert name_slot(f"day.month={met[1]}", OPTIONS) in found


def test_a_merge_knows_the_mean_of_all_rows():
    base = Learner(text=OPTIONS)
    base.columns = ColumnTable({"n": ("number",)}, {"n": [2, 10.0]})
    learners = [base.copy(), base.copy()]
    for learner, more in zip(learners, ("7", "3"), strict=True):
        counted(learner.columns, f"y,n\n1,{more}\n")
    assert Learner.merge(learners, base=base).columns.numbers == {"n": [4, 20.0]}


def test_the_command_predicts_as_with_the_mean_written_in(tmp_path, cli):
    draw = random.Random(5)
    lines = [(i, draw.gauss(3, 1), draw.choice("ab")) for i in range(200)]
    (tmp_path / "t.csv").write_text("k,x,c,y\n" + "".join(f"{i},{x!r},{c},{int(x > 3)}\n" for i, x, c in lines))
    cli.out("train --method nag --quiet --label y --id k -f m t.csv")
    mean = Learner.load(tmp_path / "m").columns.mean("x")
    assert mean == np.cumsum([x for _, x, _ in lines])[-1] / 200
    outputs = set()
    for field in (repr(mean), "", None):
        header, fields = ("k,c", "") if field is None else ("k,x,c", f"{field},")
        (tmp_path / "p.csv").write_text(f"{header}\n1,{fields}a\n2,{fields}b\n")
        outputs.add(cli.out("predict --quiet -i m p.csv"))
    assert len(outputs) == 1


def test_a_model_of_csv_takes_lines_of_json(tmp_path, cli):
    (tmp_path / "t.csv").write_text("k,x,c,y\n" + "".join(f"{i},{i % 7},{'ab'[i % 2]},{i % 2}\n" for i in range(200)))
    (tmp_path / "p.csv").write_text("k,x,c\n1,2,a\n2,,b\n3,4,\n")
    lines = ['{"k": 1, "x": 2, "c": "a"}\n', '{"k": "2", "x": null, "c": "b"}\n', '{"k": 3, "x": 4, "c": null}\n']
    (tmp_path / "p.json").write_text("".join(lines))
    cli.out("train --method nag --quiet --label y --id k -f m t.csv")
    assert cli.out("predict --quiet -i m p.json") == cli.out("predict --quiet -i m p.csv")
    (tmp_path / "bad.json").write_text("".join([lines[0], '{"k": 2, "x": "high"}\n', lines[2]]))
    assert "bad.json:2:10: found 'high' for 'x', expected a number" in cli.error("predict --quiet -i m bad.json")
    skipping = cli.out("predict --quiet --on-error skip -i m bad.json").splitlines()
    whole = cli.out("predict --quiet -i m p.json").splitlines()
    assert (skipping[0], skipping[-1]) == (whole[0], whole[-1])
    more = '{{"k": null, "y": {}, "x": {}, "c": "{}"}}\n'.format
    (tmp_path / "more.json").write_text(more(1, 2, "a") + more(0, 3, "b"))
    (tmp_path / "more.csv").write_text("k,y,x,c\n,1,2,a\n,0,3,b\n")
    cli.out("train --quiet -i m -f of_json more.json")
    cli.out("train --quiet -i m -f of_csv more.csv")
    assert cli.out("predict --quiet -i of_json p.csv") == cli.out("predict --quiet -i of_csv p.csv")


def test_a_cache_of_one_model_is_not_read_for_another(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("n,town\n,Graz\n")
    found = []
    for mean in (2.0, 2.0, 7.0):
        columns = ColumnTable({"n": ("number",), "town": ("category",)}, {"n": [1, mean]}).frozen()
        reader = CachedReader([str(path)], OPTIONS, path=tmp_path / "c", labels=Labelling(False), columns=columns)
        (batch,) = reader
        found.append((batch.values[0], reader.reason is None))
    assert found == [(2.0, False), (2.0, True), (7.0, False)]


def test_a_column_of_ids_with_another_name_is_refused():
    options = dataclasses.replace(OPTIONS, id="key")
    columns = ColumnTable({"n": ("number",)}, {"n": [1, 2.0]}).frozen()

    def ids(text):
        (batch,) = Reader(io.BytesIO(text.encode()), options, labels=Labelling(False), columns=columns)
        return batch.tags

    for header, found in (("Key,n", "; did you mean 'Key'?"), ("name,n", "")):
        message = re.escape(f"<stream>:1: found the columns '{header.replace(',', ', ')}', expected one column 'key'")
        with pytest.raises(InputError, match=rf"^{message} \(--id\){re.escape(found)}$"):
            ids(f"{header}\n7,1\n")
    assert ids("n\n1\n") is None
    assert ids("key,n,new\n7,1,2\n") == ["7"]


# ------------------------------------------------------------------------------------------------------ lines of JSON

LINES = dataclasses.replace(OPTIONS, format="json", id="key")
OBJECT = {"y": 1, "key": "a", "n": 2.0, "town": "Graz", "day": "2024-03-01", "in": {"age": 30}, "tags": ["x"]}


def of_objects(without=(), **reader):
    """The columns, and names, of objects that have been learned; another object is without each of some members."""
    objects = [OBJECT, OBJECT | {"n": 4, "town": "Wien", "in": {"age": 50}}, OBJECT | {"n": 0, "town": "Linz"}]
    objects += [{k: v for k, v in OBJECT.items() if k != name} for name in without]
    names, text = NameTable(), "".join(json.dumps(each) + "\n" for each in objects)
    return counted(ColumnTable(), text, LINES, names=names, **reader), names


def of_lines(objects, columns, learns=False, in_each=False, **how):
    """(rows as lists of (slot, value), what was said)."""
    text = "".join(json.dumps(each) + "\n" for each in objects)
    reader = Reader(io.BytesIO(text.encode()), LINES, labels=Labelling(learns, in_each=in_each), columns=columns, **how)
    return [row for batch in reader for row in rows(batch)], reader.notes


@pytest.mark.parametrize(("chunk_bytes", "threads"), [(1, 0), (1 << 20, 0), (90, 2)])
def test_what_objects_held_is_known_however_they_are_cut(chunk_bytes, threads):
    columns, _ = of_objects(chunk_bytes=chunk_bytes, threads=threads)
    kinds = {"n": "number", "town": "category", "day": "date", "in^age": "number"}
    assert columns.known == {name: (kind,) for name, kind in kinds.items()}
    assert (columns.mean("n"), columns.mean("in^age")) == (2, 110 / 3)
    assert columns.dates == {"day": {24 * 12 + 2: 3}}
    columns, _ = of_objects(without=("n", "day"), chunk_bytes=chunk_bytes, threads=threads)
    assert columns.known["n"] == ("number", "absent")
    assert columns.known["day"] == ("date", "absent")
    assert columns.known["in^age"] == ("number",)
    lines = (OBJECT, OBJECT | {"more": {"in": {"age": 1}}}, {"n": 1})  # two members of one column, in two of three
    text = "".join(json.dumps(line) + "\n" for line in lines)
    columns = counted(ColumnTable(), text, LINES, chunk_bytes=chunk_bytes, threads=threads)
    assert columns.known["in^age"] == ("number", "absent")
    assert columns.numbers == {"n": [3, 2 * OBJECT["n"] + 1]}


@pytest.mark.parametrize(
    ("change", "meant", "said"),
    [
        ({"n": "3.5"}, {"n": 3.5}, []),
        ({"n": None}, {"n": 2}, ["the column 'n' has missing numbers, of which the model has met none; the col"]),
        *(({"n": mark}, {"n": 2}, ["the column 'n' has missing numbers"]) for mark in ("NA", "None", "?", " - ")),
        ({"n": ...}, {"n": 2}, ["<stream>: columns that the model knows and the table has not: 'n'; means stand"]),
        ({"in": {}}, {"in": {"age": 110 / 3}}, ["<stream>: columns that the model knows and the table has not: 'in^a"]),
        ({"N": 7}, {}, ["<stream>: columns that the model does not know, left out: 'N'"]),
        ({"day": "2023-01-01"}, {"day": "2024-03-01"}, ["the column 'day' has dates, first '2023-01-01', in mo"]),
        ({"day": "1-Jan-45"}, {"day": "2024-03-01"}, [
            "the column 'day' has a year of two digits, '1-Jan-45', read",
            "the column 'day' has dates, first '1-Jan-45', in mo",
        ]),
        ({"town": 17}, {"town": ...}, ["the column 'town' has a number, '17'"]),
    ],
)  # fmt: skip
def test_objects_are_predicted_as_rows_of_a_table_are(change, meant, said):
    columns, _ = of_objects()

    def changed(by):
        return {k: v for k, v in (OBJECT | by).items() if v is not ...}

    found, notes = of_lines([changed(change)] * 3, columns.frozen())
    added = {member_slot(" ", "town", LINES)}
    kept = [[entry for entry in row if entry[0] not in added] for row in found]
    if "day" in change:  # the weekday is that of the date
        kept = [row for row in kept if member_slot(" ", "day.month=3", LINES) in dict(row)]
        weekday = [member_slot(" ", f"day.weekday={name}", LINES) for name in ("Sun", "Fri")]
        kept = [sorted((weekday[1] if slot == weekday[0] else slot, x) for slot, x in row) for row in kept]
    assert kept == of_lines([changed(meant)] * 3, None)[0]
    assert [note[: len(text)] for note, text in zip(notes, said, strict=True)] == said


def test_a_mark_of_nothing_is_a_missing_date():
    columns, _ = of_objects()
    (found, notes), (meant, _) = (of_lines([OBJECT | {"day": day}], columns.frozen()) for day in ("?", None))
    assert found == meant
    assert notes == ["the column 'day' has missing dates, of which the model has met none: nothing stands for them"]


def test_a_member_that_was_absent_from_what_was_learned_may_be_absent():
    columns, _ = of_objects(without=("n",))
    assert of_lines([{k: v for k, v in OBJECT.items() if k != "n"} | {"more": 1}], columns.frozen())[1] == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": "high"}, "found 'high' for 'n', expected a number, as in all rows that the model has learned"),
        ({"n": "2024-03-01"}, "found '2024-03-01' for 'n', expected a number, as in all"),
        ({"day": 3}, "found '3' for 'day', expected a date, as in all"),
        ({"day": "3/31/2024"}, "expected a date, as in all rows that the model has learned; write 2024-03-31"),
        ({"in": {"age": "old"}}, "found 'old' for 'in.age', expected a number, as in all"),
        (None, "found the members 'k', expected columns that the model knows: 'n', 'town', 'day', 'in^age'"),
    ],
)
def test_objects_that_hold_what_was_never_learned_are_malformed(change, message):
    columns, _ = of_objects()
    objects = [OBJECT, {"k": 1} if change is None else OBJECT | change]
    with pytest.raises(InputError, match=r"^<stream>:2:\d+: ") as raised:
        of_lines(objects, columns.frozen())
    assert message in str(raised.value)
    assert len(of_lines(objects, columns.frozen(), on_error="skip")[0]) == 1


def test_an_object_without_a_known_member_is_malformed_behind_many_that_are_new():
    columns, _ = of_objects()
    objects = [OBJECT | {f"new{i}": 1 for i in range(2000)}, {"new7": 1}, {"newer": 1}]
    assert len(of_lines(objects, columns.frozen(), on_error="skip")[0]) == 1


def test_a_member_all_of_whose_categories_are_new_is_named():
    columns, names = of_objects()
    assert of_lines([OBJECT | {"town": "Bonn"}] * 20, columns.frozen(names.known))[1] == ALL_NEW
    assert of_lines([OBJECT | {"town": "Bonn"}] * 19 + [OBJECT], columns.frozen(names.known))[1] == OFTEN_NEW


def test_objects_to_be_learned_from_need_the_label_where_each_has_it():
    columns, _ = of_objects()
    unlabelled = {k: v for k, v in OBJECT.items() if k != "y"}
    with pytest.raises(InputError, match="found a row without a label's column, expected the label's column 'y', with"):
        of_lines([unlabelled], columns, learns=True, in_each=True)
    for label in ({"y": None}, {"_label": None}):
        assert len(of_lines([unlabelled | label], columns, learns=True, in_each=True)[0]) == 1
    found = [of_lines([unlabelled], columns, learns=True), of_lines([unlabelled], columns.frozen())]
    assert [len(rows) for rows, _ in found] == [1, 1]


def test_of_sparse_objects_few_columns_are_remembered_and_none_is_expected():
    objects = [{"y": 1, "w": {f"word{i}": 1, "often": 1}} for i in range(3000)]
    columns = ColumnTable()
    of_lines(objects, columns, learns=True, chunk_bytes=2000)
    assert len(columns.known) == 1024
    assert columns.known["w^often"] == ("number",)
    assert not columns.fixed
    assert of_lines([{"w": {"often": 1, "new": 1}}], columns.frozen())[1] == []


@pytest.mark.parametrize("given", [{}, {"threads": 2}])
def test_members_beyond_those_that_are_remembered_are_the_same_features(given):
    """With nothing remembered, each object by itself is read the same; chunks decide what is known, threads do not."""
    first, n, k = {"y": 1, "late": 1, "often": 3}, 16, 700
    values = (None, False, 0, 2.5, True, 7, "NA", "3.5", "a text", "2024-03-01")
    objects = [{f"w{i * 60 + j}": values[(i + j) % (6 + 4 * (j < 9))] for j in range(k)} for i in range(n)]
    more = [{"y": 1, "in": each, "late": (2, "text")[i == 9], "often": 3} for i, each in enumerate(objects)]
    objects = [first, *(each | own for each, own in zip(objects, more, strict=True))]
    whole, cut = ColumnTable(), ColumnTable()
    alone = [of_lines([each], None, learns=True)[0][0] for each in objects]
    assert of_lines(objects, whole, learns=True, **given)[0] == alone
    assert of_lines(objects, cut, learns=True, chunk_bytes=40000, **given)[0] == alone
    assert len(whole.known) == len(cut.known) == 1024
    assert (whole.known["late"], whole.known["often"]) == (("number", "category"), ("number",))
    assert (cut.known["late"], cut.known["often"]) == (("number", "category", "absent"), ("number", "absent"))
    assert whole.known["w0"] == ("missing", "absent")
    assert of_lines(objects, cut.frozen(), **given)[0] == alone


def test_columns_at_rest_know_the_dates_that_are_learned_later():
    """As of a server that learns: what it has been asked of before changes nothing."""
    learns = ColumnTable({"day": ("date",)}, dates={"day": {12 * year: 5 for year in (10, 11, 12)}})
    rests = learns.frozen()
    assert (rests.bounded_year("day", 20.0), rests.nearest_month("day", 13.0, 7)) == (13.0, 1)
    learns.add_dates("day", {12 * 18 + 6: 5, 12 * 19 + 6: 5}, False)
    assert (rests.bounded_year("day", 20.0), rests.nearest_month("day", 19.0, 7)) == (20.0, 7)


@pytest.mark.parametrize(("months", "shuffled", "year"), [(17, (), 23), (18, (), 24), (24, (), 24), (24, ("day",), 23)])
def test_a_year_of_months_in_order_that_follows_another_tells_a_step(months, shuffled, year):
    columns = ColumnTable({"day": ("date",)}, dates={"day": {12 * 22 + m: 5 for m in range(months)}}, shuffled=shuffled)
    assert columns.bounded_year("day", 26.0) == year


@pytest.mark.parametrize(("months", "asked", "said"), [
    (17, "2023-12-01", 1), (17, "2024-01-02", 0), (17, "2024-05-05", 0), (18, "2023-12-01", 0), (3, "2022-03-09", 0),
])  # fmt: skip
def test_dates_in_months_that_tell_no_season_are_named(months, asked, said):
    columns = of_days(Learner(text=OPTIONS), MONTHS[:months]).columns.frozen()
    notes = [note for note in predicted(f"day\n{asked}\n", columns)[1] if "in months that the model" in note]
    assert [f"the column 'day' has dates, first '{asked}'," in note for note in notes] == [True] * said
    ignores = dataclasses.replace(OPTIONS, ignore=("day.month",))
    assert not any("months" in note for note in predicted(f"day\n{asked}\n", columns, ignores)[1])
