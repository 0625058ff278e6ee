"""Columns of texts that no option names: the first rows tell, and then they are read as if --text named them."""

import datetime
import io
import json
import os
import random
import threading

import numpy as np
import pytest
from streams import entries

from sonlearn import InputError, Learner, LearnOptions, OptionError, TextOptions, read_batches
from sonlearn.text.describe import describe
from sonlearn.text.encode import words_of
from sonlearn.text.infer import are_codes, are_plain, are_texts, first_in, infer, separator_in, unit_in
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

pytestmark = pytest.mark.interpreted
WORDS = words_of("good bad food the service slow was friendly place again never cheap and warm cold staff")
FIRST = words_of("Ann Bob Cid Dora Emil Fay Gus Hal Ida Joe Kay Leo Mia Ned Ora Pia Quin Ray Sue Tom Uma Vic")
HAN = "".join(map(chr, range(0x4E00, 0x4E32)))
PHRASES = ["".join(random.Random(i).choices(HAN, k=6)) for i in range(50)]


def reviews(n, seed=1):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=6)).capitalize() + "!" for _ in range(n)]


def headlines(n, rare, frequent=3):
    """n times `rare` words of their own and `frequent` ones of all."""
    return [" ".join([*WORDS[:frequent], *(f"w{i}v{j}" for j in range(rare))]) for i in range(n)]


def table(n, **columns):
    """Rows of a table: a number, a town of two words, a review, a label, and other columns."""
    more, towns = columns or {"review": reviews(n)}, ("Bad Ischl", "San Jose", "St Johann")
    own = [dict(zip(more, values, strict=True)) for values in zip(*more.values(), strict=True)]
    return [{"n": i % 7, "town": towns[i % 3], **own[i], "y": i % 2} for i in range(n)]


def as_csv(rows):
    return ("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]) + "\n").encode()


def as_json(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def source_of(kind, rows):
    """The rows as a stream of text, or as a table of the library of that name."""
    if kind in ("csv", "json", "quoted"):
        return io.BytesIO((as_csv if kind == "csv" else as_json)(rows))
    library = pytest.importorskip(kind, reason=f"{kind} is not installed")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return (library.table if kind == "pyarrow" else library.DataFrame)(columns)


def read(source, **how):
    """(the columns that are texts, rows as entries) of a source whose rows are learned."""
    options = TextOptions(label="y", **how.pop("options", {}))
    reader = Reader(source, options, **{"usual": True, "texts": True, **how})
    rows = [entry for batch in reader for entry in map(sorted, entries(batch))]
    return reader.options.text, rows


@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        (reviews(100), True),
        (reviews(20), True),
        (reviews(19), False),  # too few rows
        (["", "NA", *reviews(19)], False),  # what is missing does not count
        (["", "NA", *reviews(20)], True),
        ([f"{family}, M{'r' if i % 2 else 'iss'}. {FIRST[-i % 11]}" for i, family in enumerate(FIRST)], True),
        ([f"{year} half {half}" for year in range(1990, 2010) for half in (1, 2)], True),
        ([f"{year} Q{quarter}" for year in range(1990, 2000) for quarter in (1, 2, 3, 4)], False),  # dates
        (reviews(30) * 2, False),  # categories come again
        (reviews(70) + reviews(30), True),
        ([f"{a}{i} {b}{i}" for i, (a, b) in enumerate(zip(FIRST, WORDS * 2, strict=False))], False),  # no word does
        (headlines(50, rare=7, frequent=2), True),  # two words of each do, of nine
        (headlines(50, rare=7, frequent=1), False),
        ([f"{'ab'[i % 2]}-{i}" for i in range(50)], False),  # one word
        ([f"{FIRST[-i % 11]}{i}@{'web.de' if i % 3 else 'uni.edu'}" for i in range(50)], True),
        ([f"http://site{i}.{'com' if i % 3 else 'org'}/{FIRST[-i % 11]}?id={i}" for i in range(50)], True),
        ([f"user{i}@firm{i}.com" for i in range(50)], False),  # words of all fields tell nothing
        ([f"user{i}@firm{i}.{'com' if i % 3 else 'org'}" for i in range(50)], False),  # one word of three comes again
        ([f"10.{i % 5}.{i % 7}.{i}" for i in range(50)], False),  # numbers
        (PHRASES, True),
        ([HAN[i] for i in range(50)], False),
        ([f"HB {i}" for i in range(50)], False),  # of two words one counts the rows
        ([f"{i % 28 + 1}/{i % 12 + 1}/2016 {i % 24}:00:00" for i in range(80)], False),  # dates
        ([f"{i % 9 + 1} {i % 7}00" for i in range(50)], False),  # numbers
        ([str(i) for i in range(50)], False),
        ([], False),
    ],
)
def test_texts_differ_and_their_words_come_again(fields, texts):
    assert are_texts(fields) == texts


def test_a_column_alone_is_a_text_where_most_of_its_texts_differ():
    """Words that do not come again yet are all that there is to learn from."""
    rare, dates = headlines(50, rare=7, frequent=1), days("%d/%m/%y", DAY, 50)
    phrases = [f"w{i}" if i % 5 < 3 else f"w{i} or v{i}" for i in range(50)]  # most are of one word
    for fields, text in ((rare, True), (phrases, True), (["a b c"] * 50, False), (dates, False)):
        assert are_texts(fields, alone=True) == text
        source = [{"s": field, "y": "1"} for field in fields]
        assert (infer(TextOptions(label="y"), source).text == ("s",)) == text
        assert infer(TextOptions(label="y"), [row | {"n": "1"} for row in source]).text == ()
        assert infer(TextOptions(label="y", ignore=("n",)), [row | {"n": "1"} for row in source]).text == ("s",) * text


@pytest.mark.parametrize("day", ["%d/%m/%Y", "%m-%d-%y", "%d.%m.%y", "%d/%m/%Y %H:%M"])
def test_columns_of_numbers_and_of_names_are_passed_over(day):
    for fields in ([f"{i / 7:.4f}" for i in range(-50, 50)], ["a-b", "", "na"] * 30, [f"w{i}" for i in range(50)], []):
        assert are_plain(fields)
        assert not are_texts(fields)
        assert first_in(fields) == ""
    for fields in (reviews(60) + ["x"] * 59, days(day, DAY, 60) + ["", "x", "1.5"] * 19, ["a1@b.de", "x", "y@c"] * 30):
        assert not are_plain(fields)


def test_what_options_say_of_a_column_holds():
    rows = [{"review": text, "y": "1"} for text in reviews(40)]
    assert infer(TextOptions(label="y"), rows).text == ("review",)
    named = ({how: ("review",)} for how in ("text", "categorical", "ignore", "keep"))
    for given in (*named, {"id": "review"}, {"label": "review"}, {"keep": ("y",)}):
        options = TextOptions(**{"label": "y", **given})
        expected = ("review",) if "text" in given or given == {"keep": ("review",)} else ()
        assert infer(options, rows).text == expected
    assert infer(TextOptions(id="review", text=("y",)), rows).text == ("y",)
    assert infer(TextOptions(label="y"), [{"s": phrase, "n": "1", "y": "1"} for phrase in PHRASES]).text == ("s",)


@pytest.mark.parametrize("write", [as_csv, as_json])
@pytest.mark.parametrize("how", [{}, {"chunk_bytes": 100}, {"threads": 2}])
def test_the_features_are_those_of_the_option(write, how):
    text = write(table(150))
    named, rows = read(io.BytesIO(text), texts=False, options={"text": ("review",)})
    assert read(io.BytesIO(text), **how) == (named, rows) == (("review",), rows)
    assert read([io.BytesIO(text), io.BytesIO(write(table(5)))], **how) == (named, rows + rows[:2] + rows[2:5])
    kept = read(io.BytesIO(text), options={"categorical": ("review",)}, **how)
    assert kept == read(io.BytesIO(text), texts=False, options={"categorical": ("review",)})
    assert kept[1] != rows


@pytest.mark.parametrize("write", [as_csv, as_json])
def test_other_tables_are_read_as_ever(write):
    for rows in (table(19), table(150, name=[f"w{i}" for i in range(150)])):
        assert read(io.BytesIO(write(rows))) == ((), read(io.BytesIO(write(rows)), texts=False)[1])


def test_the_first_rows_decide():
    assert read(io.BytesIO(as_csv(table(200, review=["fine"] * 100 + reviews(100)))))[0] == ()
    early = table(200, review=reviews(100) + ["fine"] * 100)
    assert read(io.BytesIO(as_csv(early)))[0] == ("review",)
    bad = b"n,town,review,y\n" + b"1,2\n" * 30 + as_csv(early).split(b"\n", 1)[1]
    assert read(io.BytesIO(bad), on_error="skip")[0] == ("review",)


def test_a_source_without_rows_tells_nothing():
    text = as_csv(table(150))
    header = text.split(b"\n")[0] + b"\n"
    assert read([io.BytesIO(header), io.BytesIO(text)]) == read(io.BytesIO(text))


def test_members_of_members_are_named_by_their_path():
    rows = [{"in": {"note": text, "_text": text}, "tags": [text], "y": i % 2} for i, text in enumerate(reviews(60))]
    assert read(io.BytesIO(as_json(rows)))[0] == ("in.note",)


def test_lines_that_are_no_table_are_read_as_ever():
    for text in (b"1 1:2 2:3\n" * 40, b"1 | good food\n" * 40):
        reader = Reader(io.BytesIO(text), usual=True, texts=True)
        assert (sum(batch.n for batch in reader), reader.options.text) == (40, ())


def test_describe_takes_arrays_of_numbers_for_numbers(tmp_path):
    """Of a column with arrays of words and of both, as of numbers, it says no more than what these are."""
    rows = [{"v": [0.5, i, None][: i % 4] or [None, None], "words": ["a", "b"], "both": [1, "a"],
             "few": [1, 2] if i % 9 else "none", "y": i % 2} for i in range(60)]  # fmt: skip
    (tmp_path / "t.json").write_bytes(as_json(rows))
    columns = {column.name: column for column in describe(str(tmp_path / "t.json"), label="y").columns}
    kinds = {name: column.kind for name, column in columns.items()}
    assert kinds == {"v": "number", "words": "category", "both": "category", "few": "number and category",
                     "y": "label"}  # fmt: skip
    assert (columns["v"].missing, columns["v"].suspicions, columns["v"].examples[0]) == (0.25, [], "'0.5'")
    (said,) = columns["few"].suspicions
    assert said.startswith("numbers with texts among them ('none'), ")
    (tmp_path / "t.csv").write_text("v,y\n" + "".join(f"{i + 0.5},{i % 2}\n" for i in range(10_000)) + "?,1\n")
    column, _ = describe(str(tmp_path / "t.csv"), label="y").columns  # more values than are counted
    assert column.suspicions == ["numbers with texts among them, each a category of its own"]


def test_describe_says_what_train_reads(tmp_path, pyarrow, parquet):
    """Columns of categories, and arrays of words, are no texts in either."""
    rows = [row | {"tags": row["review"].split(), "_text": row["review"]} for row in table(150)]
    (tmp_path / "t.json").write_bytes(as_json(rows))
    frame = pyarrow.Table.from_pylist([{name: row[name] for name in ("n", "review", "y")} for row in rows])
    frame = frame.append_column("kind", frame["review"].dictionary_encode())
    parquet.write_table(frame, tmp_path / "t.parquet", row_group_size=7)
    (tmp_path / "t.csv").write_bytes(as_csv(table(150)))
    with pytest.raises(ValueError, match=r"expected one column 'z' \(label\)"):
        describe(tmp_path / "t.csv", label="z")
    for path in map(str, tmp_path.iterdir()):
        described = describe(path, label="y")
        assert [column.name for column in described.columns if column.kind == "text"] == ["review"]
        assert read(path)[0] == ("review",)


# ------------------------------------------------------------------------------------------------- in memory


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_tables_in_memory(library, pyarrow):
    rows, found = table(150), []
    frame = source_of(library, rows)
    for text in ((), ("review",)):
        learner = Learner(LearnOptions(method="nag"), TextOptions(label="y", text=text))
        learner.partial_fit(frame)
        found.append(learner.weights())
    np.testing.assert_array_equal(*found)
    assert learner.text.text == ("review",)
    # as CSV
    of_csv = Learner(LearnOptions(method="nag"), TextOptions(format="csv", label="y"))
    for batch in read_batches(io.BytesIO(as_csv(rows)), TextOptions(format="csv", label="y", text=("review",))):
        of_csv.partial_fit(batch)
    np.testing.assert_array_equal(learner.ids(), of_csv.ids())
    # a model knows, however few rows come
    few = frame[:3] if library != "pyarrow" else frame.slice(0, 3)
    learner.partial_fit(few)
    assert learner.text.text == ("review",)
    assert learner.columns.known["review"] == ("text",)


def test_categories_of_pandas_are_none(pandas, pyarrow):
    frame = pandas.DataFrame(table(60)).astype({"review": "category"})
    learner = Learner(LearnOptions(method="nag"), TextOptions(label="y"))
    with pytest.warns(UserWarning, match="the column 'review' looks like a text"):
        learner.partial_fit(frame)
    assert learner.text.text == ()


def test_files_of_parquet(tmp_path, pyarrow, parquet):
    rows = table(150)
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "t.parquet", row_group_size=7)
    found = read(str(tmp_path / "t.parquet"))
    assert found[0] == ("review",)
    assert found == read(str(tmp_path / "t.parquet"), texts=False, options={"text": ("review",)})
    assert found[1] == read(io.BytesIO(as_csv(rows)))[1]
    padded = pyarrow.table({f" {name} ": [row[name] for row in rows] for name in rows[0]})
    parquet.write_table(padded, tmp_path / "padded.parquet")
    assert found == read(str(tmp_path / "padded.parquet"))  # blanks around names do not count


def days(notation, step, n=100, start=datetime.datetime(2011, 1, 1)):
    return [(start + i * step).strftime(notation) for i in range(n)]


HOUR, DAY = datetime.timedelta(hours=1), datetime.timedelta(days=1)


@pytest.mark.parametrize(("first", "day"), [("month", "%m/%d/%Y"), ("day", "%d/%m/%Y"), ("day", "%d-%m-%y")])
def test_what_comes_first_in_dates(first, day):
    assert first_in(days(day, DAY)) == first_in(days(f"{day} %H:%M", DAY)) == first
    assert first_in(days(f"{day} %I:%M %p", HOUR)) == first  # of days up to the fourth alone
    assert first_in(["", "NA", "-", *days(day, DAY, 20)]) == first
    assert first_in(days(day, DAY, 19)) == ""  # too few
    assert first_in(days(day, DAY, 11) * 9) == ""  # of days alone: they may be the first ones of months
    assert first_in(days(f"{day} %H:%M", HOUR, 24)) == ""  # of one day alone
    assert first_in([*days(day, DAY, 40), *("a", "b") * 21]) == ""  # less than half of the fields
    assert first_in(days("%Y-%m-%d", DAY)) == first_in(days("%d.%m.%Y", DAY)) == first_in(reviews(50)) == ""


@pytest.mark.parametrize("mark", ["-", "/", "."])
def test_years_of_two_digits_that_come_first_are_no_days(mark):
    start = datetime.datetime(2023, 1, 1)
    for hours, step in (("", DAY), (" %H:%M", HOUR)):
        assert first_in(days(f"%y{mark}%m{mark}%d{hours}", step, start=start)) == ""
    for first, notation in (("day", "%d{0}%m{0}%y"), ("month", "%m{0}%d{0}%y")):
        assert first_in(days(notation.format(mark), DAY, start=start)) == first
        assert first_in(days(notation.format(mark), 97 * DAY, start=datetime.datetime(1970, 1, 1))) == first


@pytest.mark.parametrize("write", [as_csv, as_json])
@pytest.mark.parametrize("notation", ["%m/%d/%Y %H:%M", "%d-%m-%y %I:%M %p"])
def test_dates_are_read_as_the_first_rows_tell(write, notation):
    def learned(notation, **options):
        rows = [{"at": at, "y": i % 2} for i, at in enumerate(days(notation, HOUR, 150))]
        reader = Reader(io.BytesIO(write(rows)), TextOptions(label="y", **options), usual=True, texts=not options)
        return [entry for batch in reader for entry in map(sorted, entries(batch))], reader.options

    expected, _ = learned("%Y-%m-%d %H:%M", date=("at",))
    rows, options = learned(notation)
    assert rows == expected
    order = "month_first" if notation[1] == "m" else "day_first"
    assert getattr(options, order) == ("at",)
    assert learned(notation, **{order: ("at",)}) == (expected, learned(notation, **{order: ("at",)})[1])
    assert learned(notation, categorical=("at",))[0] != rows


@pytest.mark.parametrize("kind", ["csv", "json", "quoted", "pandas", "pyarrow"])
@pytest.mark.parametrize(("order", "digits"), [("year", "%Y%m%d"), ("month", "%m%d%Y"), ("day", "%d%m%Y")])
def test_dates_of_digits_alone_are_told(kind, order, digits):
    """Also where a number has lost its first 0; what is no date later is a number."""
    starts = [datetime.date(2019, 1, 1) + datetime.timedelta(days=11 * i) for i in range(150)]
    read_as, rows = [], []
    for notation in (digits, "%Y-%m-%d"):
        at: list = [day.strftime(notation) for day in starts] + ["0"]
        if notation == digits and kind != "quoted":
            at = [*map(int, at)]
        table = [{"at": each, "y": i % 2} for i, each in enumerate(at)]
        reader = Reader(source_of(kind, table), TextOptions(label="y"), usual=True, texts=True)
        rows.append([entry for batch in reader for entry in map(sorted, entries(batch))])
        read_as.append(reader.options)
    assert rows[0] == rows[1]
    assert read_as[0] == TextOptions(label="y", **{f"{order}_first": ("at",)})
    assert read_as[1] == TextOptions(label="y")


@pytest.mark.parametrize(
    ("fields", "first"),
    [
        ([f"201{i % 9}0{i % 9 + 1}1{i % 10}" for i in range(99)], "year"), (["x"] + ["20190101"] * 99, ""),
        ([f"201{i % 9}0{i % 9 + 1}1{i % 10}" for i in range(19)], ""),
        ([f"201{i % 9}0{i % 9 + 1}1{i % 10}" for i in range(99)] + ["20191301"], ""),
        ([f"{10000000 + 7919 * i}" for i in range(99)], ""), ([f"0{i % 9 + 1}0{i % 7 + 1}2020" for i in range(99)], ""),
    ],
)  # fmt: skip
def test_what_comes_first_in_dates_of_digits(fields, first):
    assert first_in(fields) == first


@pytest.mark.parametrize("kind", ["csv", "json", "pandas", "pyarrow"])
@pytest.mark.parametrize("unit", [1, 1000])
def test_seconds_since_1970_are_a_number_and_a_time_stamp(kind, unit):
    seconds = [1_600_000_000 + 90_061 * i for i in range(120)]
    stamps = [datetime.datetime.fromtimestamp(at, datetime.UTC) for at in seconds]
    rows = [{"at": at * unit, "y": i % 2} for i, at in enumerate(seconds)]
    reader = Reader(source_of(kind, rows), TextOptions(label="y"), usual=True, texts=True)
    found = [set(entry) for batch in reader for entry in entries(batch)]
    dates = io.BytesIO(as_csv([{"at": f"{at:%Y-%m-%d %H:%M:%S}", "y": 1} for at in stamps]))
    expected = [set(entry) for batch in Reader(dates, TextOptions(label="y")) for entry in entries(batch)]
    assert reader.options.unix_time == ("at",)
    assert [len(own - other) for own, other in zip(found, expected, strict=True)] == [1] * 120
    assert all(map(set.issuperset, found, expected))


@pytest.mark.parametrize(
    "fields",
    [
        list(map(str, range(1_600_000_000, 1_600_000_099))),  # ids
        [str(1_600_000_000)] * 99,
        [f"{1_100_000_000 + 9_000_000 * i}" for i in range(99)],  # codes
        [f"{1_600_000_000 + 3600 * i}" for i in range(99)] + ["7"],
        [f"{1_600_000_000 + 3600 * i}" for i in range(19)],
    ],
)
def test_other_numbers_are_no_seconds_since_1970(fields):
    assert infer(TextOptions(), [{"at": field} for field in fields]).unix_time == ()


@pytest.mark.parametrize("write", [as_csv, as_json])
@pytest.mark.parametrize("month", ["%Y-%m", "%b %Y", "%B-%Y", "%YM%m", "quarter"])
def test_months_are_read_as_their_first_day(write, month):
    def learned(notation):
        starts = [datetime.date(2001 + i // 4, 3 * (i % 4) + 1, 1) for i in range(100)]
        quarters = [f"{day.year}Q{i % 4 + 1}" for i, day in enumerate(starts)]
        fields = quarters if notation == "quarter" else [day.strftime(notation) for day in starts]
        return read(io.BytesIO(write([{"at": at, "y": i % 2} for i, at in enumerate(fields)])))

    assert learned(month) == learned("%Y-%m-%d")


SEVERAL = [(("Reports", "API", "Mobile app") * 2)[i % 3 : i % 3 + 1 + i // 3 % 3] for i in range(99)]
MANY = [[f"tag{tag}" for tag in random.Random(i).sample(range(200), 1 + i % 5)] for i in range(99)]


@pytest.mark.parametrize(("write", "mark"), [(as_csv, ";"), (as_csv, "|"), (as_json, "|"), (as_json, ", ")])
def test_several_names_in_a_field_are_a_feature_each(write, mark):
    text = write([{"a": mark.join(own), "y": i % 2} for i, own in enumerate(SEVERAL)])
    told, given, whole = (
        read(io.BytesIO(text), options=options)
        for options in ({}, {"several": (f"a={mark.strip()}",)}, {"categorical": ("a",)})
    )
    assert told == given != whole
    names = NameTable()
    once = io.BytesIO(b"a,y\nx| y|x,1\n")
    (batch,) = Reader(once, TextOptions(label="y", several=("a=|",)), names=names)
    assert sorted(name for slot in batch.indices.tolist() for name in names.of(slot)) == ["Constant", "a=x", "a=y"]


@pytest.mark.parametrize(
    ("fields", "mark"),
    [
        ([";".join(own) for own in SEVERAL], ";"), (["|".join(own) for own in SEVERAL], "|"),
        ([", ".join(own) for own in SEVERAL], ","), ([", ".join(own[:1]) for own in SEVERAL], ""),
        ([f"{i},50" for i in range(99)], ""), ([f"Mar {i % 28 + 1}, 2024" for i in range(99)], ""),
        ([f"w{i}, v{i}" for i in range(99)], ""), ([f"Town {i % 9}, S{i % 5}" for i in range(99)], ""),
        ([f"Town {i % 9}, Town {i % 7}, S{i % 5}" for i in range(99)], ","), (["$50,000 - $99,999"] * 99, ""),
        ([("0 %", "5 %", "12,5 %")[i % 3] for i in range(99)], ""),
        ([";".join(own) for own in SEVERAL[:20]], ""), ([f",{','.join(own)}," for own in SEVERAL], ","),
        ([";".join(own) for own in MANY], ";"), ([",".join(own) for own in MANY], ""),
    ],
)  # fmt: skip
def test_the_mark_between_several_names(fields, mark):
    assert separator_in(fields) == mark
    with pytest.raises(OptionError, match="--several a: expected COLUMN=MARK"):
        TextOptions(several="a")


HASHES = [f"{random.Random(i).randrange(16**8):08x}" for i in range(400)]


@pytest.mark.parametrize(
    ("fields", "codes"),
    [
        ([f"{i % 90 + 10}{'ABCDEF'[i % 6]}{i % 9}" for i in range(60)], True),  # 14E4
        ([*map(str, range(100, 170)), *(f"{i}{'ABCDE'[i % 5]}4" for i in range(10, 40))], True),
        (["", "NA", "-", *HASHES[:60]], True),
        (["", "NA", *HASHES[:19]], False),  # too few
        ([f"{i % 7 + 1}e{i % 5}" for i in range(60)], False),  # numbers
        ([*(f"{i % 3 + 1}e{i % 5}" for i in range(60)), *HASHES[:40]], True),
        ([*(f"{i / 7:.3f}" for i in range(60)), *HASHES[:30]], False),  # most are numbers of another kind
        ([*map(str, range(90)), "12E5x"], False),  # one is a mistake
        (["1e5", "2e3", "7A"] * 20, True),  # few different ones
        (["1e5", "2e3", "4e6", "7e1", "7A"] * 20, False),
        ([f"{i}kg" for i in range(60)], False),
        ([f"A{i}" for i in range(60)], False),  # none may be a number
        ([f"{year}-{(year + 1) % 100:02}" for year in range(1990, 2020)], True),  # seasons
        ([f"20{i // 12:02}-{i % 12 + 1:02}" for i in range(100)], False),  # months
        (["2010-11"] * 19, False),
        ([f"20{i:02}-{i + 1:02}" for i in range(12)], True),  # all may be months, of a year the next one
        (["2010-11", "2012-13", ""], True),  # no month is 13
        (["2010-11", "2012-13", "2001-05"], False),
        ([f"{year}-{(year + 5) % 100:02}" for year in range(1970, 2020, 5)] * 3, True),  # 2000-05 may be a month
        ([*(f"20{i // 12:02}-{i % 12 + 1:02}" for i in range(100)), "2010-13"], False),  # one is a mistake
        ([*["12E5", "7E2", "1e10", "5f3a9c"] * 10, "04e09220"], True),  # no number is so large
        ([], False),
    ],
)
def test_codes_some_of_which_would_be_numbers(fields, codes):
    assert are_codes(fields) == codes


@pytest.mark.parametrize("write", [as_csv, as_json])
def test_codes_are_told(write):
    """With those that are infinite as numbers, on which a run stopped."""
    codes = [*HASHES[:150], "04e09220", "7204e524", "12E5"]
    rows = [{"code": code, "y": i % 2} for i, code in enumerate(codes)]
    named = read(io.BytesIO(write(rows)), texts=False, options={"categorical": ("code",)})
    assert read(io.BytesIO(write(rows))) == named
    reader = Reader(io.BytesIO(write(rows)), TextOptions(label="y"), usual=True, texts=True)
    assert sum(batch.n for batch in reader) == len(codes)
    assert reader.options.categorical == ("code",)
    assert reader.columns.known["code"] == ("category",)


def test_categories_of_files_may_be_codes_and_dates(tmp_path, pyarrow, parquet):
    """A file of Parquet whose texts are dictionaries is read as the same texts are."""
    seasons = [f"20{i % 20:02}-{i % 20 + 1:02}" for i in range(150)]
    rows = [{"at": at, "season": season, "y": i % 2}
            for i, (at, season) in enumerate(zip(days("%d/%m/%Y", DAY, 150), seasons, strict=True))]  # fmt: skip
    frame = pyarrow.Table.from_pylist(rows)
    for column, name in enumerate(("at", "season")):
        frame = frame.set_column(column, name, frame[name].dictionary_encode())
    parquet.write_table(frame, tmp_path / "t.parquet", row_group_size=7)
    assert read(str(tmp_path / "t.parquet")) == read(io.BytesIO(as_csv(rows)))
    kinds = {column.name: column.kind for column in describe(str(tmp_path / "t.parquet"), label="y").columns}
    assert kinds == {"at": "date", "season": "category", "y": "label"}


@pytest.mark.parametrize("given", [{}, {"day_first": ("sold",)}])
def test_an_order_that_one_column_tells_is_that_of_the_file(given):
    """Dates of few days of a month tell nothing, nor do versions, nor years that come first."""
    bought, sold = days("%d/%m/%Y", 31 * DAY, 150), days("%d/%m/%Y", DAY, 11) * 14
    others = {"version": [f"1.{i % 9}.{i % 28 + 1:02}" for i in range(150)], "short": days("%y/%m/%d", DAY, 150)}
    columns = {"bought": bought if not given else [*sold[:7], *sold][:150], "sold": sold[:150], **others}
    rows = [{name: fields[i] for name, fields in columns.items()} for i in range(150)]
    options = infer(TextOptions(label="y", **given), rows)
    assert sorted(options.day_first) == ["bought", "sold"]
    assert options.month_first == ()
    made = days("%m/%d/%Y", DAY, 150)
    unclear = infer(TextOptions(label="y"), [row | {"made": day} for row, day in zip(rows, made, strict=True)])
    expected = (("bought",), ("made",)) if not given else ((), ("made", "bought", "sold"))
    assert (unclear.day_first, unclear.month_first) == expected


@pytest.mark.parametrize("how", [{}, {"threads": 1}])
def test_ngrams_are_those_of_texts_that_are_told(how):
    text, grams = as_csv(table(150)), {"ngram": ("2",)}
    named = read(io.BytesIO(text), texts=False, options={**grams, "text": ("review",)})
    assert read(io.BytesIO(text), options=grams, **how) == named
    with pytest.raises(OptionError, match="--ngram: expected --text COLUMN, whose words they take, found a table"):
        read(io.BytesIO(as_csv(table(19))), options=grams, **how)
    with pytest.raises(OptionError, match="--ngram: expected --text COLUMN"):
        read(io.BytesIO(text), texts=False, options=grams)


@pytest.mark.skipif(os.name != "posix", reason="pipes that say when they are empty")
@pytest.mark.parametrize("refused", [{"quadratic": ("ab",)}, {"interactions": ("abc",)}])
def test_options_of_other_formats_are_refused_before_the_first_rows_have_come(refused):
    """Of a pipe whose rows come one by one; for --ngram alone the columns of texts have to be known."""
    reading, writing = os.pipe()
    found = []

    def run():
        with os.fdopen(reading, "rb", buffering=0) as pipe, pytest.raises(OptionError, match="found a table") as raised:
            read(pipe, options={**refused, "ngram": ("2",)})
        found.append(raised)

    thread = threading.Thread(target=run)
    thread.start()
    os.write(writing, b"n,y\n1,0\n")
    thread.join(timeout=20)
    early = list(found)
    os.close(writing)
    thread.join()
    assert early


def with_unit(spelling, digits, n=150):
    """n numbers with so many digits behind the point, as texts with a unit and without; with @ the comma is decimal."""
    swap, draw = str.maketrans(",.", ".,") if "@" in spelling else {}, random.Random(1)
    plain = [f"{draw.randrange(10, 40000) / 10**digits:.{digits}f}" for _ in range(n)]
    grouped = [f"{float(number):,.{digits}f}".translate(swap) for number in plain]
    sign = "-" if spelling[0] in "-(\u2212" else ""
    return [spelling.strip("@").format(number) for number in grouped], [sign + number for number in plain]


SPELLED = [
    ("${}", 2, "$1.5"),
    ("${}", 0, "$1.5"),  # 47,075
    ("-$ {}", 1, "$1.5"),
    ("(${})", 1, "$1.5"),
    ("\u2212\xa3{}", 2, "\xa31.5"),
    ("EUR {}", 2, "EUR1.5"),
    ("{}%", 1, "1.5%"),
    ("{} kmpl", 1, "1.5kmpl"),
    ("{}\xa0sq ft", 4, "1.5sq ft"),
    ("{} \u20ac@", 2, "1,5\u20ac"),
    ("-{}%@", 1, "1,5%"),
]


@pytest.mark.parametrize("write", [as_csv, as_json])
@pytest.mark.parametrize(("spelling", "digits", "unit"), SPELLED)
def test_numbers_with_a_unit_have_the_features_of_plain_ones(write, spelling, digits, unit):
    """What has not the unit is what it would be among these."""
    ends = ["", "NA", "free", "1.5 other", "12", "2024-03-31"]
    spelled, plain = ([*fields, *ends] for fields in with_unit(spelling, digits))

    def rows(fields):
        quoted = '"{}"' if write is as_csv else "{}"
        return io.BytesIO(write([{"p": quoted.format(field), "y": i % 2} for i, field in enumerate(fields)]))

    expected = read(rows(plain), texts=False)
    assert read(rows(spelled)) == read(rows(spelled), chunk_bytes=100) == expected
    assert read(rows(spelled), texts=False, options={"unit": (f"p={unit}",)}) == expected
    spaced = unit.replace("1.5", " 1.5 ").replace("1,5", " 1,5 ").strip()
    assert read(rows(spelled), texts=False, options={"unit": (f"p={spaced}",)}) == expected
    assert unit_in(spelled) == unit
    assert read(rows(spelled), texts=False, options={"categorical": ("p",)}) != expected


EUROS, PLAIN = with_unit("{} \u20ac@", 2)


@pytest.mark.parametrize("kind", ["pandas", "pyarrow"])
@pytest.mark.parametrize(
    ("told", "plain", "later", "meant"),
    [
        (days("%m/%d/%Y", DAY, 150), days("%Y-%m-%d", DAY, 150), "03/04/2011", "2011-03-04"),
        (EUROS, list(map(float, PLAIN)), "1.234,5 \u20ac", 1234.5),
    ],
    ids=["dates", "units"],
)
def test_what_is_told_of_tables_in_memory_stays_with_the_model(kind, told, plain, later, meant, tmp_path):
    learners, raw = [Learner(LearnOptions(method="nag"), TextOptions(label="y")) for _ in range(2)], []
    for learner, fields in zip(learners, (told, plain), strict=True):
        rows = [{"p": field, "y": i % 2} for i, field in enumerate(fields)]
        raw.append(learner.partial_fit(source_of(kind, rows)).raw.tolist())
    assert raw[0] == raw[1]
    learners[0].save(tmp_path / "model")
    found = Learner.load(tmp_path / "model").predict(source_of(kind, [{"p": later, "y": 1}]))
    assert found.raw == learners[1].predict(source_of(kind, [{"p": meant, "y": 1}])).raw


@pytest.mark.parametrize(
    "fields",
    [
        [f"1.{i:03} \u20ac" for i in range(99)],  # thousands, or decimals
        [f"{i},000 km" for i in range(1, 99)],
        [f"{i} {'kg' if i % 2 else 'g'}" for i in range(99)],
        [f"${i}" for i in range(19)],  # too few
        [*(f"${i}" for i in range(80)), *["free"] * 20],
        [*(f"${i}" for i in range(80)), *["12"] * 20],
        [f"{i} min" for i in range(99)],  # hours
        [f"{i:,}" for i in range(1000, 1099)],
        [f"{i // 9} Elm St {i % 9}" for i in range(99)],
        [f"{i:,}.5.5 kg" for i in range(99)],
        [f"00{i} US" for i in range(99)],  # codes
        [f"{1925 + i % 9}b" for i in range(99)],
        [f"{i % 4}.5 %" for i in range(99)],  # few different ones
        list(map(str, range(99))),
        [],
        [f"{i},571" for i in range(1, 99)],  # decimal commas, or thousands
        ["1234", *(f"{i * 37:,}" for i in range(99))],  # both ways
        ["3,5", *(f"{i * 37:,}" for i in range(99))],
        ["many", *(f"{i * 37:,}" for i in range(99))],
        [f"{100 + i},{200 + i}{',300' * (i % 2)}" for i in range(99)],  # lists of codes
        [f"{i // 50 * 1000 + i % 50:,}" for i in range(20, 54)],  # few different ones
    ],
)
def test_no_unit(fields):
    assert unit_in(fields) == ""


@pytest.mark.parametrize("write", [as_csv, as_json])
@pytest.mark.parametrize("written", ["{:,}", "{:,.1f}", "({:,})"])
@pytest.mark.parametrize("most", [5000, 5_000_000])
def test_numbers_with_thousands_apart_have_the_features_of_plain_ones(write, written, most):
    numbers = [(37 * i * i + 7) % most for i in range(150)]
    plain = [f"-{number}" if "(" in written else number for number in numbers]
    spelled = [f'"{text}"' if write is as_csv else text for text in map(written.format, numbers)]
    first, second = (
        read(io.BytesIO(write([{"p": field, "y": i % 2} for i, field in enumerate(fields)])), **how)
        for fields, how in ((spelled, {}), (plain, {"texts": False}))
    )
    assert first == second
    assert unit_in(list(map(written.format, numbers))) == "1.5"


def test_a_decimal_point_in_another_column_tells_that_commas_are_between_thousands():
    fields = [f"{37 * i * i + 1000:,}" for i in range(99)]
    assert unit_in(fields, [*fields, "."]) == ""
    assert unit_in(fields, ["n", "2.5"]) == "1.5"
    rows = [{"p": field, "q": f"{i}.5"} for i, field in enumerate(fields)]
    assert infer(TextOptions(), rows).unit == ("p=1.5",)


@pytest.mark.parametrize("unit", ["p", "p=kg", "p=1,5", "=$1.5"])
def test_units_that_cannot_be_read_are_refused(unit):
    with pytest.raises(OptionError, match=r"--unit '?.*: expected COLUMN=\$1.5, or COLUMN=1,5 kg"):
        TextOptions(unit=(unit,))


@pytest.mark.parametrize("write", [as_csv, as_json])
def test_a_unit_of_a_column_that_is_not_there_is_named(write):
    text, options = write([{"price": i, "y": i % 2} for i in range(150)]), TextOptions(label="y", unit=("prise=$1.5",))
    if write is as_csv:
        with pytest.raises(InputError, match="expected a column 'prise' \\(--unit\\); did you mean 'price'"):
            list(Reader(io.BytesIO(text), options))
    else:
        reader = Reader(io.BytesIO(text), options, usual=True)
        list(reader)
        assert "--unit 'prise': none of the first 100 objects has such a member; did you mean 'price'?" in reader.notes
