"""Tables as people have them: names, numbers and dates that are not written as ours are, and what is said of them."""

import io
import json
import random
import re

import pytest
from streams import entries

from sonlearn import InputError, Learner, TextOptions, read_batches
from sonlearn.commands.cluster import _files as files_of
from sonlearn.options.run import RunOptions
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.columns import Labelling
from sonlearn.text.describe import describe
from sonlearn.text.flat import TableRows
from sonlearn.text.read import Reader
from sonlearn.text.suspicions import bytes_notes, is_other_number, with_point

LATIN = "text that is not UTF-8; if it is Windows-1252 or Latin-1 (with 'ö'), iconv -f CP1252 -t UTF-8 FILE converts it"
DRAW = random.Random(5)
ROWS = [(DRAW.randint(18, 80), round(DRAW.uniform(10, 90) * 1000, 2), DRAW.random() < 0.4) for _ in range(60)]


def rows(text, **options):
    """(label, sorted features by name) of each row of CSV."""
    reader = Reader(io.BytesIO(text.encode("utf-8", "surrogateescape")), TextOptions(format="csv", **options))
    found, names = [], {}
    for batch in reader:
        names = {slot: reader.names.of(slot)[0] for slot in batch.indices.tolist()}
        for i in range(batch.n):
            row = range(batch.indptr[i], batch.indptr[i + 1])
            found.append((batch.y[i], {names[batch.indices[j]]: batch.values[j] for j in row}))
    return found


def german(x):
    """A number with a decimal comma and points between thousands."""
    return f"{x:,.2f}".translate(str.maketrans(",.", ".,"))


def written(path, header, line, encoding="utf-8"):
    path.write_bytes((header + "".join(line(*row) + "\n" for row in ROWS)).encode(encoding))
    return path


PLAIN, COMMA = (
    "a;n;when;y\n" + "".join(f"{a};{number(x)};31.03.2024;{int(y)}\n" for a, x, y in ROWS)
    for number in ("{:.2f}".format, german)
)


def test_decimal_commas():
    taken = {"delimiter": ";", "label": "y"}
    assert rows(COMMA, **taken, decimal=",") == rows(PLAIN, **taken)
    values = "y;a;t\n1.234,5;1,5;1,5 kg\n-0,25;1.5;x\n"  # labels too; no thousands behind the point of 1.5
    expected = [(1234.5, {"a": 1.5, "t=1,5 kg": 1, "Constant": 1}), (-0.25, {"a": 1.5, "t=x": 1, "Constant": 1})]
    assert rows(values, **taken, decimal=",") == expected
    assert rows(values, **taken, decimal=",", categorical="a")[0][1].keys() == {"a=1,5", "t=1,5 kg", "Constant"}


def test_decimal_commas_between_semicolons_are_told(cli, tmp_path):
    """Where numbers have no other mark; also in few rows to be predicted, and not where a flag says names."""
    for header_alone in ("", "sep=;\n"):
        assert rows(header_alone + COMMA, label="y") == rows(PLAIN, label="y")
    assert rows(COMMA, label="y", categorical="n") == rows(COMMA, label="y", delimiter=";", categorical="n")
    few = {"some.csv": "a;n\n30;3,5\n", "same.csv": "a;n\n30;3.5\n"}
    for name, text in ({"comma.csv": COMMA, "plain.csv": PLAIN} | few).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    models = []
    for name in ("comma.csv", "plain.csv"):
        status, _, err = cli("train", "--method", "nag", "--label", "y", "-f", "m", tmp_path / name)
        assert (status, "commas are decimal" in err, "warning" in err) == (0, name == "comma.csv", False)
        models.append((tmp_path / "m").read_bytes())
    assert models[0] == models[1]
    assert len({cli.out("predict", "--quiet", "-i", "m", tmp_path / name) for name in few}) == 1


@pytest.mark.parametrize(
    "fields",
    [
        ("1,234", "5,678", "12"),  # thousands
        ("1,2", "3,4", "0.5"),  # a decimal point
        ("1,2", "3,4", "1,234,567"), ("1,2", "3,4", "1,234.5"),
        ("1,2", "3", "1,2,3"),  # several answers
    ],
)  # fmt: skip
def test_commas_that_may_not_be_decimal_are_left(fields):
    text = "y;n\n" + "".join(f"1;{field}\n" for field in fields * 20)
    assert {*fields} - {"12", "0.5", "3"} <= {name[2:] for _, row in rows(text, label="y") for name in row}


@pytest.mark.parametrize(
    "field",
    ["55.536,31", "$1,234.50", "~55", "95k", "1.2M", "12 %", "3,5", "1'000", "€ 5", "1\u00a0000 EUR", "-1,5", "\u22125",
     "($1,200.00)", "65 km", "65km", "3 m", "36 months", "P1D", "P1Y2M"],
)  # fmt: skip
def test_numbers_of_other_notations(field):
    assert is_other_number(field)


@pytest.mark.parametrize(
    "field",
    ["12 apples", "A1", "1,23,4 x", "", "-", "1.2.3", "v2", "()", "(0664) 12", "1980s", "12A", "2nd", "PD"],
)  # fmt: skip
def test_texts_are_no_numbers(field):
    assert not is_other_number(field)
    assert with_point(field) == field


def test_no_thousands_begin_with_zero():
    for field, read in (("1.234", "1234"), ("-1.234,5", "-1234.5"), ("0.942", "0.942"), ("0,9", "0.9")):
        assert with_point(field) == read


@pytest.mark.parametrize(("rows", "said"), [(2, False), (3, True), (12, True)])
def test_dates_of_few_rows_are_named_where_all_are_dates(cli, tmp_path, rows, said):
    days = [f"{day + 1}/{day + 1}/2024" for day in range(rows)]
    for more in ("", "none\n"):
        (tmp_path / "t.csv").write_text(
            "y,n\n" + "".join(f"{i % 2},{day}\n" for i, day in enumerate(days)) + (more and "1,later\n")
        )
        _, _, err = cli("train", "--method", "nag", "--quiet", "--label", "y", "t.csv")
        assert ("the column 'n' has dates that are not read as such" in err) == (said and not more)


NAMES, HAS = r" \(--categorical 'n' if they are names\)$", "^sonlearn: warning: the column 'n' has "
UNREAD, FLAGS = f"{HAS}dates that are not read as such ", "--day-first 'n', or --month-first, reads"
#: Fields of a column 'n' by the numbers of a row, flags, and a pattern of what is said of them: "" if nothing is.
FIELDS = {
    "decimal commas": (lambda a, x: f'"{german(x)}"', "",
                       f"{HAS}numbers that are read as texts .'{german(ROWS[0][1])}'.; give --decimal ','{NAMES}"),
    "dollars": (lambda a, x: f'"${x:,.2f}"', "", ""),
    "dollars and pounds": (lambda a, x: f'"{"$£"[a % 2]}{x:,.2f}"', "",
                           f"{HAS}.*; write 1234.5, without signs, units and thousands{NAMES}"),
    "dollars among many 0": (lambda a, x: 0 if a % 2 else f'"${x:.2f}"', "",
                             rf"{HAS}numbers .*'\$[\d.]+'\); --unit 'n=\$1\.5' reads them{NAMES}"),
    "years or a number": (lambda a, x: f"{a} years" if a % 2 else a, "", rf"; --unit 'n=1\.5years' reads them{NAMES}"),
    "thousands": (lambda a, x: f'"{a + 1000:,}"', "",  # 1,001 is rarely 1.001
                  f"without signs, units and thousands, or if commas are decimal --decimal ','{NAMES}"),
    "places": (lambda a, x: f'"({x:.3f}, -{a}.5)"', "", rf"texts \('.*'\); give each a column{NAMES}"),
    "points": (lambda a, x: f"POINT (-{a}.5 {x:.3f})", "", rf"texts \('.*'\); give each a column{NAMES}"),
    "dollars that are names": (lambda a, x: f'"${x:,.2f}"', "--categorical n", ""),
    "either order": (lambda a, x: f"{a % 11 + 1}/{a % 12 + 1}/2024", "", f"; {FLAGS} them{NAMES}"),
    "either order of dates": (lambda a, x: f"{a % 11 + 1}/{a % 12 + 1}/2024", "--date n",
                              rf"expected a date \(2024-03-31\), or nothing \(--date\); {FLAGS} it"),
    "years of two digits": (lambda a, x: f"{24 + a % 2}-{a % 12 + 1:02}-{a % 28 + 1:02}", "",
                            rf"{FLAGS} them, unless they begin with the year \(2024-03-31 is read\) \("),
    "months behind slashes": (lambda a, x: f"{a % 12 + 1:02}/{1990 + a}", "", rf"{UNREAD}\('"),
    "hours that neither flag reads": (lambda a, x: f"01.03.24 {a % 24}.{a % 60:02}", "", r"; write 2024-03-31 \("),
    "months in the place of days": (lambda a, x: f"{a % 2 + 3}/{a % 15 + 13}/2024", "--day-first n",
                                    rf"'\), though the column has the day first; write 2024-03-31{NAMES}"),
    "spans": (lambda a, x: f"05/{a % 28 + 1:02}/2012 - 09/21/2012", "",
              rf"- 09/21/2012'\); give beginning and end a column each, as 2024-03-31{NAMES}"),
    "years to come": (lambda a, x: f"{a % 28 + 1:02}-Mar-{40 + int(x) % 29}", "",
                      r"has years of two digits that are read as 2040 to 2068 \('\d\d-Mar-[4-6]\d'\); write four"),
    "years to come in full": (lambda a, x: f"{a % 28 + 1:02}-Mar-{2040 + int(x) % 29}", "", ""),
    "years of this century": (lambda a, x: f"{a % 28 + 1:02}-Mar-{int(x) % 40:02}", "", ""),
    "a unit and another": (lambda a, x: f"{a}.{a % 7} {'kg' if a % 3 else 'lb'}", "",
                           rf"{HAS}numbers that are read as texts \('\d+\.\d (kg|lb)'\); write 1234\.5,"),
    "a unit and thousands, or decimals": (lambda a, x: f"1.{a:03} kg", "", f"{HAS}numbers that are read as texts"),
    "sizes": (lambda a, x: f"{a}x{x} km", "", ""),
    **{f"in {unit}": (lambda a, x, unit=unit: f"{a}.{a % 7} {unit}", "", "") for unit in ("kmpl", "sq ft", "apples")},
    "addresses": (lambda a, x: f"{a} {['Elm', 'Main', 'Oak', 'High', 'Mill'][a % 5]} St", "", "^(?!.*numbers that)"),
    "a few words with a number": (lambda a, x: f"{a % 4} apples", "", ""),
    "times of two kinds": (lambda a, x: f"1:{a % 60:02}:30" if a % 9 else f"{a % 30 + 30}:10", "",
                           r"has times without seconds \('\d\d:10'\) beside '1:\d\d:30': they are hours and minutes;"),
    **{time: (lambda a, x, time=time: time.format(a % 50), "", "") for time in ("{}:10", "{}:10:05")},
    **{day: (lambda a, x, day=day: day.format(a % 28 + 1), "", rf"{UNREAD}\(")
       for day in ("2024.05.{:02}", "{:02}-Marz-2024", "{} Januar 24", "2024-W{:02}", "2024-05-{:02} 01h05")},
    **{month: (lambda a, x, month=month: month.format(year=1990 + a % 99, month=a % 9 + 1, quarter=a % 4 + 1), "", "")
       for month in ("{year}-{month:02}", "{year}-M{month:02}", "May-{year}", "{year}Q{quarter}")},
    **{month: (lambda a, x, month=month: f"{month}{10 + a % 90}", "", rf"{UNREAD}\('{month}")
       for month in ("May-", "FY", "FY20")},
}  # fmt: skip


@pytest.mark.parametrize(("field", "flags", "said"), FIELDS.values(), ids=FIELDS)
def test_what_is_not_read_as_it_is_meant_is_said(cli, tmp_path, field, flags, said):
    table = written(tmp_path / "t.csv", "a,n,y\n", lambda a, x, y: f"{a},{field(a, x)},{int(y)}")
    err = cli("train", "--method", "nag", "--quiet", "--label", "y", table, *flags.split()).err
    assert re.search(said or "^$", err)
    if "without seconds" in said:
        described = cli.out("describe", "--label", "y", table)
        assert re.search(r"\nn: looks like times without seconds \('\d\d:10'\) beside '1:\d\d:30': they", described)


TEXTS = {
    "csv": ("n,y\n", lambda a, x, y: f"{['Köln', 'Graz'][a % 2]},{int(y)}", ["--label", "y"]),
    "json": ("", lambda a, x, y: f'{{"n": "{["Köln", "Graz"][a % 2]}", "_label": {int(y)}}}', []),
    "vw": ("", lambda a, x, y: f"{int(y)} | {['Köln', 'Graz'][a % 2]}", []),
    "decisions": ("", lambda a, x, y: f"{1 + y}:{a % 2}:.5 | {['Köln', 'Graz'][a % 2]}", ["--cb", "2"]),
}


@pytest.mark.parametrize(("header", "line", "flags"), TEXTS.values(), ids=TEXTS)
def test_text_that_is_not_utf8_is_named_once_whatever_its_format(cli, tmp_path, header, line, flags):
    def run(verb, *more):
        status, _, err = cli(verb, "--quiet", *more, tmp_path / "t")
        return status, err

    written(tmp_path / "t", header, line)
    train = ["train", *flags, "-f", tmp_path / "m"] + ([] if flags[:1] == ["--cb"] else ["--method", "nag"])
    assert run(*train) == (0, "")
    (tmp_path / "t").write_bytes((tmp_path / "t").read_bytes().decode().encode("latin-1"))
    told = f"sonlearn: warning: {tmp_path / 't'}: {LATIN}"
    assert run(*train) == (0, told)
    assert run("predict", "-i", tmp_path / "m") == (0, told)
    if "--label" in flags:
        assert told.removeprefix("sonlearn: warning: ") in cli("describe", *flags, tmp_path / "t")[1]


def test_letters_of_windows_1252_are_shown_as_they_are_meant():
    """Bytes 0x80 to 0x9f are the euro, dashes and quotes there, and control characters in Latin-1."""
    (note,) = bytes_notes("price €\n".encode("cp1252"), "a:")
    assert "(with '€'), iconv -f CP1252 " in note
    assert bytes_notes("price €\n".encode(), "a:") == []


def test_text_that_is_not_utf8_is_named_before_workers_read_it(tmp_path, capsys):
    paths = [written(tmp_path / name, *TEXTS["csv"][:2]) for name in ("a.csv", "b.csv")]
    paths[1].write_bytes(paths[1].read_bytes().decode().encode("latin-1"))
    assert files_of(RunOptions(data=tuple(map(str, paths)))) == (list(map(str, paths)), [f"{paths[1]}: {LATIN}"])
    assert capsys.readouterr().err == f"sonlearn: warning: {paths[1]}: {LATIN}\n"


def test_a_column_without_a_name_is_a_column():
    assert rows(",a,y\n7,2,1\n", label="y") == [(1.0, {"column 1": 7.0, "a": 2.0, "Constant": 1.0})]
    assert rows(",a,y,\n7,2,1,\n", label="y", ignore=("column 1", "column 4"))[0][1].keys() == {"a", "Constant"}


def test_so_it_is_in_parquet_and_in_memory(tmp_path, pyarrow, parquet):
    """A column without a name is not the column of the action, which is none here."""
    options, table = TextOptions(label="y"), pyarrow.table({"": [7, 3], "a": [2, 5], "y": [1, 0]})
    (expected,) = read_batches(io.BytesIO(b",a,y\n7,2,1\n3,5,0\n"), options)
    parquet.write_table(table, tmp_path / "t.parquet")
    (batch,) = read_batches(tmp_path / "t.parquet", options)
    assert entries(batch) == entries(expected)
    (batch,) = read_batches(table, options)
    assert sorted(batch.values) == sorted(expected.values)


def test_members_without_a_name_are_columns():
    options = TextOptions(format="csv")
    parser = ChunkParser(options, records=TableRows(options, Labelling()))
    (batch,) = parser.parse_records([(1, b'{"": 7, "a": 2}')], "<request>").batches
    assert (batch.n, sorted(batch.values), batch.weight.tolist()) == (1, [1.0, 2.0, 7.0], [1.0])


def test_blanks_around_names_and_fields_do_not_count():
    assert rows("a , b,y\n1, x,1\n", label="y") == rows("a,b,y\n1,x,1\n", label="y")


def test_nor_do_they_in_parquet_and_json(cli, tmp_path, pyarrow, parquet):
    options = TextOptions(label="y", id="id")
    table = {" y": [1, 0, 1], "n ": [2, 3, 4], " id": [" a", "b", "c "], "c": [" x ", "x", " NA"]}
    parquet.write_table(pyarrow.table(table), tmp_path / "t.parquet")
    objects = [json.dumps(dict(zip(table, row, strict=True))) for row in zip(*table.values(), strict=True)]
    (expected,) = read_batches(io.BytesIO(b"y,n,id,c\n1,2,a,x\n0,3,b,x\n1,4,c,\n"), options)
    parser = ChunkParser(options, records=TableRows(options, Labelling()))
    (of_model,) = parser.parse_records([(i, row.encode()) for i, row in enumerate(objects, 1)], "<request>").batches
    for batch in (of_model, *read_batches(tmp_path / "t.parquet", options)):
        assert (batch.y.tolist(), batch.tags) == ([1, 0, 1], ["a", "b", "c"])
        assert entries(batch) == entries(expected)
    (batch,) = read_batches(objects, TextOptions(label=" y", id=" id"))
    assert batch.tags == ["a", "b", "c"]
    described = cli.out("describe", "--label", "y", tmp_path / "t.parquet")
    assert "c       category                 33.3%         1  'x'\n" in described


def test_excels_line_on_the_separator():
    assert rows('"sep=;"\r\na;y\r\n2;1\r\n', delimiter=";", label="y") == rows("a,y\n2,1\n", label="y")
    (batch,) = read_batches(io.BytesIO(b"sep=,\na,y\n2,1\n"), TextOptions(label="y"))
    assert batch.lines.tolist() == [3]


def test_a_row_in_the_place_of_the_header(cli, tmp_path):
    table = written(tmp_path / "t.csv", "", lambda a, x, y: f"{a},{x},{int(y)}")
    first = f"{ROWS[0][0]}, {ROWS[0][1]}, {int(ROWS[0][2])}"
    _, _, err = cli("train", "--method", "nag", "--quiet", "--label", int(ROWS[0][2]), table)
    assert err == f"sonlearn: warning: {table}:1: the header {first!r} looks like a row; put a header before it"
    table.write_text("0,1,2\n" + table.read_text())  # as pandas numbers columns
    assert cli("train", "--method", "nag", "--quiet", "--label", "2", table) == (0, "", "")


@pytest.mark.parametrize(
    ("header", "like_a_row"),
    [("5.1,3.5,setosa", True), ("1,2,0", True), ("4,4.5,y", True), ("y,2019,2020", False), ("0,1,2", False),
     ("1,3,y", False), ("y,a,7", False), ("a,b,c", False), ("5,no,yes", True), ("a,no,c", False)],
)  # fmt: skip
def test_describe_names_a_row_in_the_place_of_the_header(cli, tmp_path, header, like_a_row):
    (tmp_path / "t.csv").write_text(header + "\n1,2,3\n4,5,6\n7, no, yes\n")
    status, out, err = cli("describe", tmp_path / "t.csv")
    assert (status, err) == (0, "")
    note = f"the header '{header.replace(',', ', ')}' looks like a row; put a header before it"
    assert (note in out) == like_a_row
    if header == "a,no,c":
        assert note in cli.out("describe", "--label", "no", tmp_path / "t.csv")


@pytest.mark.parametrize("line", ["{i},{y}\n", '{{"x": {i}, "y": {y}}}\n'])
def test_a_first_file_without_rows_neither_tells_the_format_nor_ends_the_run(cli, tmp_path, line):
    """A day without events; where it comes last, nothing ever depended on it."""
    (tmp_path / "none").touch()
    head = "" if line.startswith("{{") else "x,y\n"
    (tmp_path / "day").write_text(head + "".join(line.format(i=i, y=i % 2) for i in range(9)))
    found = []
    for sources in (("none", "day"), ("day", "none")):
        status, _, err = cli("train", "--method", "nag", "--label", "y", "-p", "p", *sources)
        assert status == 0, err
        found.append((tmp_path / "p").read_bytes())
    assert found[0] == found[1]


def test_nor_does_a_first_file_without_bytes_before_parquet(cli, tmp_path, pyarrow, parquet):
    (tmp_path / "none").touch()
    parquet.write_table(pyarrow.table({"x": range(9), "y": [i % 2 for i in range(9)]}), tmp_path / "day")
    for sources in (("none", "day"), ("day", "none"), ("none", "none", "day", "none")):
        cli.out("train", "--method", "nag", "--label", "y", "-f", "m", *sources)
        assert Learner.load("m").examples == 9


def test_line_ends_of_old_macs():
    with pytest.raises(
        InputError, match="1: found a carriage return alone as the end of a line, expected the line ends"
    ):
        rows("a,b\r1,1\r")


@pytest.mark.parametrize(
    ("numbers", "far"),
    [
        ([*(i / 8 for i in range(60)), *[-200] * 60], "-200 (60 times"),
        ([*(i**3 for i in range(2, 12)), *[-200] * 200], None),  # they are as far from one another
        ([*[1, 2, 3, 4, 5] * 40, *[99] * 25], "99 (25 times"),
        ([*[1, 2, 3, 4, 5] * 40, *[10] * 25], None),
        ([*range(1, 60), *[9999] * 19], None),
        ([*range(1, 60), 9999, *[-999] * 600], "-999 (600 times"),
        ([*range(500, 560), *[0] * 600], None),
    ],
)
def test_describe_names_a_number_that_is_far_from_all_others_and_comes_often(cli, tmp_path, numbers, far):
    mixed = random.Random(0).sample(numbers, len(numbers))
    (tmp_path / "t").write_text("a,n\n" + "".join(f"{i % 3},{number}\n" for i, number in enumerate(mixed)))
    out = cli.out("describe", tmp_path / "t")
    what = "n: looks like numbers and a missing value, "
    assert out.count("a missing value") == (far is not None)
    assert far is None or f"\n{what}{far}, far from all others); if so, leave its fields empty\n" in out


def test_describe_knows_json(cli, tmp_path):
    users = [{"age": i % 9, "old": i % 2 == 0, "plz": f"{i % 9:05}"} for i in range(40)]
    lines = [
        json.dumps({"id": 7 * i, "user": user, "day": f"2024-05-{i % 9 + 1:02}", "y": "ab"[i % 2]})
        for i, user in enumerate(users)
    ]
    lines[20:] = [line.replace('"id"', '"late": null, "note": ["good", "tea"], "id"') for line in lines[20:]]
    (tmp_path / "t.jsonl").write_text("\n".join([*lines, "{", '{"a": ' + "[" * 100_000, ""]))
    out, err = cli.both("describe", "--label", "y", tmp_path / "t.jsonl")
    assert err.startswith("sonlearn: warning: malformed lines left out: 2, the first: ")
    assert err.endswith("t.jsonl:41:2: found the end of the line, expected a name in double quotes")
    assert out.startswith("rows = 40\nlabels = 'a' 20, 'b' 20\n")
    (tmp_path / "own.jsonl").write_text("\n".join(lines).replace('"y"', '"_label"'))
    assert cli.out("describe", tmp_path / "own.jsonl").startswith("rows = 40\nlabels = 'a' 20, 'b' 20\n")
    shown = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines()[4:] if line}
    assert shown["user.age"] == "number 0.0% 9 '0', '1', '2'"
    assert shown["user.old"] == "number 0.0% 2 'true', 'false'"
    assert shown["user.plz"] == "number 0.0% 9 '00000', '00001', '00002'"
    assert "user.plz: looks like codes rather than numbers; --categorical 'user.plz'" in out
    assert shown["day"].startswith("date 0.0% 9 '2024-05-01'")
    assert shown["note"] == "category 50.0% 1 'good tea'"
    assert shown["late"] == "missing 100.0% 0"
    assert shown["id:"].startswith("looks like an id")
    assert "looks like a leak" in shown["user.old:"]
    assert cli.error("describe", "--label", "z", tmp_path / "t.jsonl").endswith("expected one column 'z' (--label)")


@pytest.mark.parametrize(
    ("header", "columns"),
    [("a;b", "ab"), ('\n"a;b"\tc', ["a;b", "c"]), ("a b,c;d", ["a b", "c;d"]), ('"a;b"', ["a;b"]), ("a\tb\r", "ab")],
)
def test_the_header_tells_what_separates_fields(tmp_path, header, columns):
    (tmp_path / "t").write_bytes(f"{header}\n{header.replace('a', 'x')}\n".encode())
    assert [column.name for column in describe(tmp_path / "t").columns] == [*columns]


def test_numbers_of_other_notations_are_described(cli, tmp_path):
    written(tmp_path / "t", "a,n\n", lambda a, x, y: f'{a},"{german(x)}"')
    (line,) = (line for line in cli.out("describe", tmp_path / "t").splitlines() if line.startswith("n: "))
    assert line.startswith("n: looks like numbers that are read as texts (")
    assert line.endswith(" (--categorical 'n' if they are names)")
    assert "\nn       number " in cli("describe", "--decimal", ",", tmp_path / "t")[1]


@pytest.mark.parametrize("negative", ["\u2212{}", "({})", "-{},0"])
def test_negative_numbers_of_other_notations_are_no_codes(cli, tmp_path, negative):
    """Half of a column are numbers, the others negative ones as a sheet writes them."""
    rows = [f'{i % 2},"{negative.format(i) if i % 2 else i}"' for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["y,v", *rows]) + "\n", encoding="utf-8")
    out = cli("describe", "--label", "y", str(tmp_path / "t.csv"))[1]
    assert f"v: looks like numbers that are read as texts ({negative.format(1)!r}); " in out
    assert "looks like codes" not in out


def test_codes_that_are_numbers_by_chance_are_named(cli, tmp_path):
    """Hashes in hexadecimal: a few have no letter, or an e alone, which is beyond all numbers."""
    codes = [f"{i * 2654435761 % 2**32:08x}" for i in range(200)]
    (tmp_path / "t").write_text("user,y\n" + "".join(f"{code},{i % 2}\n" for i, code in enumerate(codes * 2)))
    codes = "codes, of which some are read as numbers ('00000000'); --categorical 'user'"
    assert f"\nuser: looks like {codes}\n" in cli.out("describe", "--label", "y", tmp_path / "t")
    columns = "".join(f"{code}," * 12 + f"{i % 2}\n" for i, code in enumerate(codes[::-1] * 2))
    (tmp_path / "t").write_text("".join(f"c{i}," for i in range(12)) + "y\n" + columns.replace("00000000", "00000001"))
    out, flags = cli.out("describe --label y t"), " ".join(f"--categorical 'c{i}'" for i in range(12))
    assert out.count("--categorical") == 12
    names = "'c0', 'c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8', 'c9' and 2 more"
    assert f"\n{names}: look like codes, of which some are read as numbers; {flags}\n" in out
    (tmp_path / "t").write_text("user,y\na,0\n34e71572,1\n")
    assert cli.error("train --quiet --label y t").endswith(
        "; --categorical 'user' takes codes (sonlearn describe lists all such columns)"
        "; --on-error skip leaves such lines out"
    )
