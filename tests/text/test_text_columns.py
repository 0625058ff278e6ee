"""What the fields of a table become: a twin in plain Python; the same from CSV, Parquet, pandas, polars, JSON."""

import csv
import dataclasses
import datetime
import gc
import io
import json
import re
import unicodedata
import weakref

import numpy as np
import pytest
import streams
from for_all import for_all
from parsers import slot_of

from sonlearn import InputError, OptionError, TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.text import columns
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.columns import ColumnTable, Labelling, TableSchema
from sonlearn.text.csv import field_place
from sonlearn.text.dates import date_in, hours_in
from sonlearn.text.decisions import DecisionReader
from sonlearn.text.describe import MOST_VALUES, describe, summarise
from sonlearn.text.encode import TableEncoder
from sonlearn.text.flat import TableRows
from sonlearn.text.infer import are_texts
from sonlearn.text.objects import RowError
from sonlearn.text.read import Reader, read_batches


def entries(column, field, kind="auto"):
    """{name or slot: value} that a field becomes, written from the table of docs/tables.md."""
    if kind == "text":
        return [(slot_of(word, column), 1.0) for word in twin_words(field)] or [(slot_of(f"{column}="), 1.0)]
    lower = field.strip().lower()
    if lower in ("", "nan"):
        return [(slot_of(f"{column}="), 1.0)]
    if kind == "categorical":
        field = re.sub(r"^(-?\d+)\.0+$", r"\1", field) if lower not in ("true", "false") else lower
        return [(slot_of(f"{column}={field}"), 1.0)]
    if lower in ("true", "false") or re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", lower):
        value = {"true": 1.0, "false": 0.0}[lower] if lower in ("true", "false") else float(lower)
        return [(slot_of(column), value)] if value else []
    half = strptime(field, "%I:%M %p")
    clock = re.fullmatch(r"(\d+):([0-5]\d)(:[0-5]\d(\.\d+)?)?", f"{half:%H:%M}" if half else lower)
    if clock:
        hour, rest = int(clock[1]), int(clock[2]) / 60 + float((clock[3] or ":0")[1:]) / 3600
        value = [(slot_of(column), hour + rest)] if hour + rest else []
        return value + [(slot_of(f"{column}.hour={hour}"), 1.0)] * (hour < 24)
    try:
        stamp = datetime.datetime.fromisoformat(field)
    except ValueError:
        stamp = strptime(field, "%Y-%m-%d", "%d-%b-%y", "%d %B %Y", "%b %d, %Y %I:%M %p")
    if stamp is None:
        return [(slot_of(f"{column}={field}"), 1.0)]
    out = [(slot_of(f"{column}.year"), stamp.year - 2000.0)] if stamp.year != 2000 else []
    out += [(slot_of(f"{column}.month={stamp.month}"), 1.0), (slot_of(f"{column}.weekday={stamp:%a}"), 1.0)]
    if (stamp.hour, stamp.minute, stamp.second, stamp.microsecond) != (0, 0, 0, 0):
        return [*out, (slot_of(f"{column}.hour={stamp.hour}"), 1.0)]
    return [*out, (slot_of(f"{column}.day"), float(stamp.day))]


def strptime(field, *formats):
    """The time that a field stands for in one of these formats, or None."""
    for each in formats:
        try:
            return datetime.datetime.strptime(field, each)
        except ValueError:
            pass
    return None


def twin_words(text):
    out, word, alone = [], "", False
    for character in unicodedata.normalize("NFC", text).lower() + " ":
        character = "'" if character == "\u2019" else character
        mark, name = unicodedata.category(character)[0] == "M", unicodedata.name(character, "")
        letter = character.isalnum() and name.startswith(("CJK", "HIRAGANA", "KHMER", "LAO", "MYANMAR", "THAI"))
        if letter or (alone and not mark):
            out, word = [*out, word.strip("'")], ""
        alone = letter or (alone and mark)
        if character.isalnum() or character in "_'" or mark:
            word += character
        else:
            out, word = [*out, word.strip("'")], ""
    return [word for word in out if word]


def rows(batches):
    return [sorted(row) for batch in batches for row in streams.entries(batch)]


TABLE = {
    "size": ["3.5", "", "0", "-2e3", "nan", "7"],
    "city": ["Graz", "Wien", "", "São Paulo", "Graz", "5"],
    "on": ["true", "FALSE", "", "True", "false", "true"],
    "day": ["2024-02-29", "2000-01-01", "", "1999-12-31", "29-Feb-23", "2024-3-1"],
    "at": ["2024-02-29 13:05", "2024-02-29T00:00:00", "2024-02-29 00:00:01.5", "Feb 29, 2024 12:07 AM", "7 July 2024",
           "2024-07-01 07:00:00+02:00"],
    "clock": ["1:08 PM", "00:00", "", " 38:31:30 ", "9:60", "1:02:03.5"],
    "zip": ["1010", "1010.0", "01010", "", "2020", "true"],
    "note": ["Don\u2019t PANIC -- 42, 'quote' it!", "\t", "e\u0301té ÉTÉ L'Über", "a  b\nx_1 2.5 a-b",
             "' '' ' 日本語とテキストABC", "नमस्ते ดีมาก ខ្ញុំ"],
}  # fmt: skip
OPTIONS = TextOptions(format="csv", constant=False, text=("note",), categorical=("zip",), names=False)


def csv_of(table):
    out = io.StringIO()

    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue().encode()


@pytest.mark.interpreted
@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
def test_fields_equal_the_twin(chunk_bytes):
    kinds = {"zip": "categorical", "note": "text"}
    expected = [
        sorted(pair for column, field in zip(TABLE, row, strict=True) for pair in
               entries(column, field, kinds.get(column, "auto")))
        for row in zip(*TABLE.values(), strict=True)
    ]  # fmt: skip
    assert rows(read_batches(io.BytesIO(csv_of(TABLE)), OPTIONS, chunk_bytes=chunk_bytes)) == expected


def test_the_same_from_parquet_pandas_polars_and_json(tmp_path, pandas, pyarrow, polars, parquet):
    day = datetime.datetime
    typed = {
        "size": [3.5, None, 0.0, -2000.0],
        "n": [1, 2, 3, 4],
        "city": ["Graz", None, "São Paulo", "5"],
        "on": [True, False, None, True],
        "day": [datetime.date(2024, 2, 29), datetime.date(2000, 1, 1), None, datetime.date(1999, 12, 31)],
        "at": [day(2024, 2, 29, 13, 5), day(2024, 2, 29), None, day(2024, 2, 29, 0, 0, 1)],
        "clock": [datetime.time(13, 8), datetime.time(0), None, datetime.time(9, 5, 30)],
        "zip": [1010.0, None, 2020.0, 7.0],
        "note": ["Good day, sir", None, "good", ""],
    }
    table = pyarrow.table(typed)
    parquet.write_table(table, tmp_path / "t.parquet")
    frame = pandas.DataFrame(typed)
    frame["day"], frame["at"] = pandas.to_datetime(frame["day"]), pandas.to_datetime(frame["at"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "p.parquet")
    expected = rows(read_batches(tmp_path / "t.csv", OPTIONS))
    assert len({len(row) for row in expected}) > 1
    arrow = dataclasses.replace(OPTIONS, format="arrow")
    for source in (tmp_path / "t.parquet", tmp_path / "p.parquet", table, frame, polars.DataFrame(typed)):
        assert rows(read_batches(source, arrow)) == expected
    parser = ChunkParser(OPTIONS, records=TableRows(OPTIONS, Labelling()))
    lines = [
        {name: value if value is None or isinstance(value, float | int | str | bool) else str(value)
         for name, value in zip(typed, row, strict=True)}
        for row in zip(*typed.values(), strict=True)
    ]  # fmt: skip
    parsed = parser.parse_records([(i, json.dumps(line).encode()) for i, line in enumerate(lines, 1)], "x")
    assert rows(parsed.batches) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("2024-02-29", ("2024-02-29", None)), ("2024-02-29 00:00", ("2024-02-29", None)),
        ("Thu Feb 29 13:05:09 2024", ("2024-02-29", 13)), ("Sat Feb  3 00:00:09 +0000 2024", ("2024-02-03", 0)),
        ("Thu Feb 29 13:05:09 CET 2024", ("2024-02-29", 13)), ("Thu Feb 29 13:05 today 2024", None),
        ("2024-02-29T13:05:09.123456789Z", ("2024-02-29", 13)), ("2024-02-29 00:00:00.5", ("2024-02-29", 0)),
        ("2023-02-29", None), ("2024-02-29 24:00", None), ("2024-13-01", None), ("24-01-01", None),
        ("2024-02-29x", None), ("2024-02-29 13", None), (" 2024-02-29 ", ("2024-02-29", None)),
        ("20240229T000000", ("2024-02-29", None)), ("20240229T1305Z", ("2024-02-29", 13)),
        ("20240229T130509.5+0100", ("2024-02-29", 13)), ("20240229", None), ("20230229T1305", None),
        ("20240229 13:05", ("2024-02-29", 13)), ("20240229T13", None), ("20240229T2400", None),
        ("20240229 130509", None),
    ],
)  # fmt: skip
def test_dates(field, expected):
    found = date_in(field)
    assert (found and (found[0].isoformat(), found[1])) == expected


@for_all("half", [" PM", "pm", " p.m."])
@for_all(
    "zone", ["", "Z", " UTC", "+01", " -0800", "+01:00", " GMT+1", " CEST", "+01:00[Europe/Berlin]",
             " GMT+0100 (Standard Time)"],
)  # fmt: skip
@for_all("day", [
    "2024-3-1", "2024/03/01", "1.3.2024", "1 Mar 2024", "01-March-24", "1-MAR-2024", "Mar 1, 2024", "March 1 2024",
    "Fri, 01 Mar 2024", "Friday, March 1, 2024", "01/Mar/2024",
])  # fmt: skip
def test_notations_of_dates(day, zone, half):
    date = datetime.date(2024, 3, 1)
    assert date_in(day) == (date, None)
    assert date_in(f"{day} 1:05:09{half}{zone}") == date_in(f"{day}T13:05{zone}") == (date, 13)
    assert date_in(f"{day} 12:00{half.replace('p', 'a').replace('P', 'A')}{zone}") == (date, None)
    assert (date, 12) == date_in(f"{day}, 12:30{half}{zone}") == date_in(f"{day}:12:30{half}{zone}")
    assert date_in(f"{day} 13:05{half}{zone}") is date_in(f"{day} 0:05{half}{zone}") is None


@pytest.mark.parametrize(
    "month",
    [
        "2024-07", "Jul 2024", "July, 2024", "jul-2024", "2024M07", "2024-M07", "2024Q3", "2024-Q3", "2024 Q3",
        "Q3-2024", "Q3 2024", "q3/2024",
    ],
)  # fmt: skip
def test_months_and_quarters_are_their_first_day(month):
    assert date_in(month) == date_in(month, "day") == (datetime.date(2024, 7, 1), None)


@pytest.mark.parametrize("mark", "/-.")
def test_dates_of_which_an_option_says_what_comes_first(mark):
    for field in (f"4{mark}3{mark}2024", f"04{mark}03{mark}24", f"4{mark}03{mark}2024  0:00:00"):
        day = (datetime.date(2024, 3, 4), None)
        assert date_in(field, "day") == day
        assert date_in(field) == (day if mark == "." and "2024" in field else None)
        if date_in(field) is None:
            assert date_in(field, "month") == (datetime.date(2024, 4, 3), None)
    for first, field in (("day", f"3{mark}31{mark}24"), ("month", f"31{mark}3{mark}24"), ("day", f"3{mark}4{mark}204")):
        assert date_in(field, first) is None
    assert [date_in(f"4{mark}3{mark}{year}", "day")[0].year for year in ("68", "69")] == [2068, 1969]


@pytest.mark.parametrize(
    "field",
    [
        "Foo, 1 Mar 2024", "2024-3/1", "31 Foo 2024", "Marc 1, 2024", "2024-3", "2024/03", "03/2024", "2024-13",
        "1824-03", "2024Q5", "Mar-23", "Foo 2024", "10-12", "1 Mar", "30 Feb 2024", "12:05", "2024-03-31 1:5",
        "31.13.2024",
    ],
)  # fmt: skip
def test_what_is_no_date(field):
    assert date_in(field, "day") is date_in(field) is None


@pytest.mark.parametrize(
    ("field", "hours"),
    [("1:06", 1.1), ("1:06 PM", 13.1), ("01:06pm", 13.1), ("12:30 a.m.", 0.5), ("12:30:36 P.M.", 12.51),
     ("38:30", 38.5), ("13:05 PM", None), ("0:05 AM", None), ("1:05 XM", None), ("1 PM", None), ("PT3H", 3.0),
     ("PT1H6M", 1.1), ("P1DT30M36.0S", 24.51), ("pt90m", 1.5), ("PT0S", 0.0), ("PT", None), ("P3D", None),
     ("PT3", None), ("PT1M3H", None), ("P1Y2M", None), ("2h 30m", 2.5), ("1d 2h 30m 36s", 26.51), ("2h30m", 2.5),
     ("0 days 02:30:00", 2.5), ("1 day, 2:30:36.0", 26.51), ("12 days 00:00:00", 288.0), ("2h", None),
     ("3 days", None), ("9 hrs 3 min", 9.05), ("9 hrs 3", None), ("1 hour, 30 minutes", 1.5), ("2.5 hours", 2.5),
     ("90 min", 1.5), ("1 day 2 hrs 30 min 36 sec", 26.51), ("5 m", None), ("5 mm", None), ("-1 days +23:00:00", -1.0),
     ("20000 days 01:00:00", 480001.0)],
)  # fmt: skip
def test_times(field, hours):
    assert hours_in(field) == (hours and pytest.approx(hours, rel=1e-12))


@pytest.mark.parametrize("field", ["{}:{:02d} {half}M", "{}h {}m", "{} days {:02d}:30:00"])
def test_times_of_several_words_are_no_texts(field):
    times = [field.format(i % 12 + 1, i % 5 * 10, half="AP"[i // 60 % 2]) for i in range(100)]
    assert not are_texts(times)
    text = "\n".join(["t,n", *(f'"{time}",1' for time in times)])
    reader = Reader(io.BytesIO(text.encode()), TextOptions(format="csv"))
    assert (sum(batch.n for batch in reader), reader.columns.known["t"]) == (100, ("number",))


def test_names_of_dates_and_missing_values():
    reader = Reader(io.BytesIO(b"d,n,y\n2024-03-31 13:00,,1\n,2,0\n"), TextOptions(label="y", constant=False))
    assert [batch.n for batch in reader] == [2]
    names = [name for known in reader.names.known.values() for name in known]
    assert names == ["d.year", "d.month=3", "d.weekday=Sun", "d.hour=13", "n=", "d=", "n"]
    assert reader.columns.known == {"d": ("date", "missing"), "n": ("number", "missing")}


def test_a_part_of_dates_can_be_left_out():
    def names(*ignore):
        reader = Reader(io.BytesIO(b"d,y\n2024-03-31 13:00,1\n"), TextOptions(label="y", ignore=ignore, constant=False))
        return [sum(batch.n for batch in reader), *(name for known in reader.names.known.values() for name in known)]

    assert names("d.year", "d.hour") == [1, "d.month=3", "d.weekday=Sun"]
    assert names("d.month", "d.weekday") == [1, "d.year", "d.hour=13"]
    assert names("d.day") == [1, "d.year", "d.month=3", "d.weekday=Sun", "d.hour=13"]
    with pytest.raises(InputError, match=r"expected a column 'd\.minute' \(--ignore\)"):
        names("d.minute")


@pytest.mark.parametrize("form", ["csv", "json"])
def test_the_hour_of_a_time_can_be_left_out(form):
    text = {"csv": b"at\n13:30\n0:00\n", "json": b'{"at": "13:30"}\n{"at": "0:00"}\n'}[form]
    options = TextOptions(format=form, ignore=("at.hour",), constant=False)
    (batch,) = read_batches(io.BytesIO(text), options)
    assert (batch.values.tolist(), np.diff(batch.indptr).tolist()) == ([13.5], [1, 0])
    with pytest.raises(InputError, match="expected a date"):
        list(read_batches(io.BytesIO(text), dataclasses.replace(options, date=("at",), ignore=())))


def test_ids_and_weights_are_no_features():
    text = b"key,w,a,y\nk1,2,5,1\n,0.5,6,0\nk3,0,7,1\n"
    options = TextOptions(label="y", id="key", weight="w", constant=False)
    (batch,) = read_batches(io.BytesIO(text), options)
    assert batch.tags == ["k1", "", "k3"]
    assert batch.weight.tolist() == [2.0, 0.5, 0.0]
    assert set(batch.indices.tolist()) == {slot_of("a")}
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    (other,) = read_batches(pandas.read_csv(io.BytesIO(text)), options)
    assert (other.tags, other.weight.tolist()) == (batch.tags, batch.weight.tolist())
    assert rows([other]) == rows([batch])


def test_a_column_of_dates_may_be_that_of_ids_and_holds_dates_alone():
    text = b"day,y\n2024-03-31,1\n,0\n"
    options = TextOptions(label="y", id="day", date="day", constant=False)
    (batch,) = read_batches(io.BytesIO(text), options)
    (column,) = read_batches(io.BytesIO(text), TextOptions(label="y", constant=False))
    assert batch.tags == ["2024-03-31", ""]
    assert rows([batch]) == rows([column])
    for bad in (b"noon", b"7", b"true"):
        with pytest.raises(InputError, match=r"4:1: found '\w+' .*, expected a date \(2024-03-31\), or nothing"):
            list(read_batches(io.BytesIO(text + bad + b",1\n"), options))


@pytest.mark.parametrize("reading", ["categorical", "text", "numeric"])
def test_a_column_of_ids_is_a_feature_too_where_it_is_said_how_it_is_read(reading, tmp_path):
    text = b"zip,a,y\n1010,5,1\n1020,6,0\n"
    options = TextOptions(label="y", id="zip", constant=False, **{reading: "zip"})
    (batch,) = read_batches(io.BytesIO(text), options)
    (column,) = read_batches(io.BytesIO(text), dataclasses.replace(options, id=""))
    assert batch.tags == ["1010", "1020"]
    assert rows([batch._replace(tags=None)]) == rows([column])
    records = [{"zip": zip_, "a": a, "y": y} for zip_, a, y in ((1010, 5, 1), (1020, 6, 0))]
    of_csv = dataclasses.replace(options, format="csv")
    parsed = ChunkParser(of_csv, records=TableRows(of_csv, Labelling())).parse_records(enumerate(records, 2), "")
    assert rows(parsed.batches) == rows([batch])
    if reading != "categorical":  # which have other names in JSON
        text_of = str if reading == "text" else float
        (json,) = read_batches([record | {"zip": text_of(record["zip"])} for record in records], options)
        assert json.tags == batch.tags
        assert json.indptr.tolist() == batch.indptr.tolist()
    (tmp_path / "t.csv").write_bytes(text)
    kinds = {"categorical": "category", "text": "text", "numeric": "number"}
    assert describe(tmp_path / "t.csv", options).columns[0].kind == f"id and {kinds[reading]}"
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    (table,) = read_batches(pyarrow.table({"zip": [1010, 1020], "a": [5, 6], "y": [1, 0]}), options)
    assert rows([table]) == rows([batch])
    assert table.tags == batch.tags


def test_the_column_of_actions_is_no_feature():
    bandit = BanditOptions(cb=3, action="a", cost="c")
    with pytest.raises(OptionError, match=r"^--categorical 'a': the column of the action is no feature"):
        DecisionReader(io.BytesIO(b"c,a,x\n1,2,3\n"), TextOptions(categorical="a"), bandit)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,y\n1,1\nx,0\n", {"numeric": "a"}, ":3:1: found 'x' in the column 'a', expected a finite number, or no"),
        ("a,w,y\n1,-1,1\n", {"weight": "w"}, ":2:3: found '-1' in the column 'w', expected a weight (a finite number,"),
        ("a,w,y\n1,,1\n", {"weight": "w"}, ":2:3: found nothing in the column 'w', expected a weight"),
        ('b,a,y\n"x\ny",inf,1\n', {}, ":3:4: found 'inf' in the column 'a'"),
        ('é,"b""c",a,y\né,"d,""",inf,1\n', {}, ":2:11: found 'inf' in the column 'a'"),
    ],
)
def test_errors_have_their_line_and_column(text, options, message):
    with pytest.raises(InputError) as caught:
        list(read_batches(io.BytesIO(text.encode()), TextOptions(label="y", **options)))
    assert message in str(caught.value)
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = list(zip(*csv.reader(io.StringIO(text)), strict=True))
    table = pyarrow.table({name: list(values) for name, *values in columns})
    with pytest.raises(InputError, match=re.escape(message.partition("found ")[2].partition(", or")[0])):
        list(read_batches(table, TextOptions(label="y", **options)))


@pytest.mark.parametrize("word", ["Infinity", "inf"])
def test_infinity_among_names_is_one_of_them(word):
    def read(text):
        (batch,) = read_batches(io.BytesIO(text.encode()), TextOptions(label="y"))
        return batch.indices.tolist()

    assert read(f"n,y\nBeta,1\n{word},-1\n")[::2] == [slot_of("n=Beta"), slot_of(f"n={word}")]  # without constants
    titles = "".join(f"Title {i},1\n" for i in range(20))
    assert slot_of(f"n={word}") in read(f"n,y\n42,1\n{titles}{word},-1\n")
    assert summarise(["n"], [{"n": "Beta"}, {"n": word}], TextOptions()).columns[0].kind == "category"
    for before in ("", "5,1\n", "Beta,1\n5,1\n"):  # no name, or a number as well
        with pytest.raises(InputError, match=f"found '{word}' in the column 'n', expected a finite number"):
            read(f"n,y\n{before}{word},-1\n")
    frozen = [TableEncoder(TextOptions(), ColumnTable({"n": (kind,)}).frozen()) for kind in ("category", "number")]
    assert len(frozen[0].column("n").entries(word)) == 1
    with pytest.raises(RowError, match="a finite number"):
        frozen[1].column("n").entries(word)


def test_field_places():
    text = 'a,"b\n,c",d\n'
    assert [field_place(text, ",", i) for i in range(3)] == [(0, 1), (0, 3), (1, 5)]


def test_a_batch_that_is_cut_keeps_its_malformed_rows():
    text = b"k,a,y\n" + b"".join(b"r%d,%s,1\n" % (i, b"inf" if i % 3 == 1 else b"2") for i in range(10))
    reader = Reader(io.BytesIO(text), TextOptions(label="y", id="k"), on_error="skip")
    (batch,) = reader
    assert batch.skipped == [(1, "r1"), (3, "r4"), (5, "r7")]
    for size in (1, 2, 3, 7):
        parts = [batch.part(a, min(a + size, batch.n)) for a in range(0, batch.n, size)]
        again = []
        for part in parts:
            tags = list(part.tags)
            for place, tag in reversed(part.skipped or []):
                tags.insert(place, tag)
            again += tags
        assert again == [f"r{i}" for i in range(10)]


def test_a_further_object_costs_what_it_has_and_not_what_is_known(monkeypatch):
    joined = []
    monkeypatch.setattr(columns, "_kinds", lambda *both, own=columns._kinds: joined.append(both) or own(*both))
    known = ColumnTable({**{f"c{i}": ("number", "absent") for i in range(1000)}, "a": ("number",)})
    known.add_schema(TableSchema(("c3",), {"c3": ("missing",)}, objects=True))
    assert (known.known["c3"], known.known["a"]) == (("number", "missing", "absent"), ("number", "absent"))
    assert len(joined) == 2


def test_labels_of_tables_may_be_words_where_they_are_asked_for():
    text = b"a,y\n1,yes\n2,no\n"
    with pytest.raises(InputError, match=":2:3: found 'yes' in the column 'y', expected a label"):
        list(read_batches(io.BytesIO(text), TextOptions(label="y")))
    (batch,) = Reader(io.BytesIO(text), TextOptions(label="y"), labels=Labelling(words=True))
    assert batch.class_names == ["yes", "no"]
    assert np.isnan(batch.y).all()


# ------------------------------------------------------------------------------------------------- describe


def described(table, **options):
    rows = (dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True))
    found = summarise(list(table), rows, TextOptions(**options))
    assert found.rows == len(next(iter(table.values())))
    return found.labels, {column.name: column for column in found.columns}


@pytest.mark.parametrize("n", [300, MOST_VALUES + 3000])
def test_ids_are_found_in_any_order_and_though_some_come_again(n):
    draw = np.random.default_rng(0)
    order = draw.permutation(n)
    table = {
        "dense": order, "again": np.where(np.arange(n) % 40 == 7, 5, order), "long": draw.integers(10**7, 10**8, n),
        "padded": [f"{number:010}" for number in draw.integers(10**6, 10**10, n)],
        "price": draw.integers(10, 10**6, n), "age": draw.integers(0, 90, n), "x": draw.random(n).round(9),
    }  # fmt: skip
    _, columns = described({name: [str(value) for value in values] for name, values in table.items()})
    assert [name for name in table if columns[name].suspicions] == ["dense", "again", "long", "padded"]
    assert columns["padded"].suspicions == ["an id: nearly all values differ; --id 'padded', or --ignore 'padded'"]
    assert columns["again"].suspicions == ["an id: nearly all values differ; --id 'again', or --ignore 'again'"]


@pytest.mark.parametrize(
    ("form", "numbers"), [("{}CC", True), ("{}.8N", True), ("{}/66", True), ("{}-{}", False), ("x{}", False)]
)
def test_ids_that_may_be_numbers_are_called_both(form, numbers):
    values = [form.format(i, i) for i in range(900, 950)]
    also = f", or numbers that are read as texts ({values[0]!r})" if numbers else ""
    said = f"an id{also}: nearly all values differ; --id 'a', or --ignore 'a'"
    assert described({"a": values})[1]["a"].suspicions == [said]


def test_labels_and_rows_are_counted_though_there_are_many():
    n = MOST_VALUES + 500
    values = [str(i) if i % 10 else "" for i in range(n)] + ["1", "2"]
    found = summarise(["a", "y"], [{"a": value, "y": value} for value in values], TextOptions(label="y"))
    assert (found.rows, found.unlabelled, found.repeated) == (n + 2, n // 10, n // 10 - 1 + 2)
    assert f" more ({n // 10} rows have none)\n" in str(found)
    assert summarise(["a"], [{"a": "1"}, {"a": "2"}], TextOptions()).unlabelled == 0


def test_described_columns():
    n = 60
    table = {
        "key": [f"k{i}" for i in range(n)],
        "serial": [str(i + 7) for i in range(n)],
        "age": ["" if i % 4 == 0 else str(i % 9) for i in range(n)],
        "zip": [["01010", "02020"][i % 2] for i in range(n)],
        "note": [f"some words in row {i}" for i in range(n)],
        "day": ["2024-01-01" if i % 2 else "2024-01-01 10:00" for i in range(n)],
        "clock": ["9:30" if i % 2 else "21:05:30" for i in range(n)],
        "us": [f"{1 + i % 12}/{1 + i % 28}/2024" for i in range(n)],
        "mixed": ["none" if i % 10 == 3 else str(i * i % 17) for i in range(n)],
        "end": ["in office" if i % 10 == 3 else f"2024-01-{i % 28 + 1:02}" for i in range(n)],
        "high": ["-inf" if i == 50 else str(i * i % 17) for i in range(n)],
        "left": ["gone" if i % 3 == 0 else "" for i in range(n)],
        "y": ["yes" if i % 3 == 0 else "no" for i in range(n)],
    }
    labels, columns = described(table, label="y")
    assert labels == {"yes": 20, "no": 40}
    kinds = {name: column.kind for name, column in columns.items()}
    assert kinds == {
        "key": "category", "serial": "number", "age": "number", "zip": "number", "note": "category", "day": "date",
        "clock": "number",
        "us": "category", "mixed": "number and category", "end": "date and category", "high": "number",
        "left": "category", "y": "label",
    }  # fmt: skip
    assert columns["age"].missing == 0.25
    assert columns["age"].distinct == len({value for value in table["age"] if value})
    words = {name: [re.split(":| that| rather| with| beyond", text)[0] for text in column.suspicions]
             for name, column in columns.items()}  # fmt: skip
    assert words == {
        "key": ["an id"], "serial": ["an id"], "age": [], "zip": ["codes"], "note": ["a text"], "day": [], "clock": [],
        "us": ["dates"], "mixed": ["numbers"], "end": ["dates"], "high": ["numbers"], "left": ["a leak"], "y": [],
    }  # fmt: skip
    _, chosen = described(table, label="y", id="key", text="note", ignore="left", categorical="zip")
    assert [chosen[name].kind for name in ("key", "note", "left", "zip")] == ["id", "text", "left out", "category"]
    assert not any(chosen[name].suspicions for name in ("key", "note", "left", "zip"))


@pytest.mark.parametrize(
    ("first", "step", "named"),
    [(1_700_000_000, 3600, True), (1_700_000_000_000, 60_000, True), (20240301, 1, True), (20240401, 1, False),
     (1_100_000_000, 20_000_000, False), (170_000_000, 3600, False)],
)  # fmt: skip
def test_dates_and_times_as_numbers_are_named(first, step, named):
    """Days of April end at 30, and what doubles is no time."""
    table = {"at": [str(first + step * i) for i in range(31 if named else 40)]}
    (column,) = [column for name, column in described(table)[1].items() if name == "at"]
    said = f"dates or times as numbers ('{first}'); write 2024-03-31 13:05"
    assert (said in column.suspicions) == named
    assert said not in described(table, numeric="at")[1]["at"].suspicions


@pytest.mark.parametrize("step", [1, 7])
def test_ids_of_ten_digits_are_no_times(step):
    numbers = [str(1_000_000_001 + step * i % 40) for i in range(40)]
    said = "an id: nearly all values differ; --id 'at', or --ignore 'at'"
    assert described({"at": numbers})[1]["at"].suspicions == [said]
    (of_rows,) = described({"at": [number for number in numbers for _ in range(3)]})[1]["at"].suspicions
    assert of_rows.startswith("dates or times as numbers")


def test_of_a_column_of_many_values_no_more_are_counted():
    values = [str(i) for i in range(MOST_VALUES + 5)]
    assert described({"a": values})[1]["a"].distinct is None
    assert described({"a": values[:-6]})[1]["a"].distinct == MOST_VALUES - 1


def test_what_a_table_remembers_goes_with_it():
    """Without the garbage collector: its columns do not keep it."""
    gc.disable()
    try:
        table = TableEncoder(OPTIONS)
        table.column("a").entries("red")
        gone = weakref.ref(table)
        del table
        assert gone() is None
    finally:
        gc.enable()
