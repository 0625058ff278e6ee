"""CSV: numbers as values, texts hashed with their column, errors with their line."""

import contextlib
import gzip
import io
import math
import re

import pytest
from for_all import for_all
from parsers import VW_CONSTANT, slot_of, vw_hash
from streams import entries

from sonlearn import InputError, OptionError, TextOptions
from sonlearn.text.columns import NO_LABEL, Labelling
from sonlearn.text.encode import words_of
from sonlearn.text.objects import RowError
from sonlearn.text.read import Reader, read_batches

CSV = TextOptions(format="csv", label="y", constant=False)
COMMAS = "commas: --decimal ,"
OR_TEXT = (
    "a finite number, or a text that is none; --categorical 'a' takes codes (sonlearn describe lists all such columns)"
)


def rows(text: str | bytes, options: TextOptions = CSV, **given):
    data = text.encode() if isinstance(text, str) else text
    out = []
    for b in Reader(io.BytesIO(data), options, **given):
        out += zip(b.lines.tolist(), b.y.tolist(), entries(b), strict=True)
    return out


@pytest.mark.parametrize("chunk_bytes", [1, 20, 1 << 20])
@pytest.mark.parametrize("threads", [0, 1])
def test_rows(chunk_bytes, threads):
    text = '\ufeffage,city,y,"a, b"\r\n3.5,Paris,1,-2e1\r\n\r\n,"New\nYork ""x""",0,0\n0x1,é,-1,nan'
    assert rows(text, chunk_bytes=chunk_bytes, threads=threads) == [
        (2, 1.0, [(slot_of("age"), 3.5), (slot_of("city=Paris"), 1.0), (slot_of("a, b"), -20.0)]),
        (4, 0.0, [(slot_of("age="), 1.0), (slot_of('city=New\nYork "x"'), 1.0)]),
        (6, -1.0, [(slot_of("age=0x1"), 1.0), (slot_of("city=é"), 1.0), (slot_of("a, b="), 1.0)]),
    ]


def test_hash_options_constant_and_no_label():
    options = TextOptions(format="csv", hash="all", hash_seed=5, bits=10, delimiter="tab")
    seed = vw_hash(b"", 5, True)
    expected = [(vw_hash(b"5", seed, True) % 1024, 7.0), (vw_hash(b"b=x", seed, True) % 1024, 1.0)]
    ((line, y, features),) = rows("5\tb\n7\tx\n", options)
    assert (line, features) == (2, [*expected, (VW_CONSTANT % 1024, 1.0)])
    assert math.isnan(y)


def test_words_that_stand_for_numbers():
    text = "a,b,c,d,y\ntrue,False,NaN,Info,TRUE\nTRUE,,nane,infinit,false\ntruely,nan,0.0,-,nan\n"
    (one, two, three) = rows(text)
    assert one[1:] == (1.0, [(slot_of("a"), 1.0), (slot_of("c="), 1.0), (slot_of("d=Info"), 1.0)])
    expected = [(slot_of(name), 1.0) for name in ("a", "b=", "c=nane", "d=infinit")]
    assert two[1:] == (0.0, expected)
    assert math.isnan(three[1])
    assert three[2] == [(slot_of("a=truely"), 1.0), (slot_of("b="), 1.0), (slot_of("d=-"), 1.0)]


def test_the_labels_column_may_be_missing_where_nothing_is_learned():
    for text, features in (("a,b\n1,2\n", [1.0, 2.0]), ("a,y,b\n1,7,2\n", [1.0, 2.0])):
        (batch,) = Reader(io.BytesIO(text.encode()), CSV, labels=Labelling(needed=False))
        assert batch.indices.tolist() == [slot_of("a"), slot_of("b")]
        assert batch.values.tolist() == features
    with pytest.raises(InputError, match="expected one column 'y'"):
        rows("a,b\n1,2\n")


WITH_UNIT = "numbers with a unit: --unit"
NAMELESS = "if the first numbers the rows, the header needs a name for it"


@for_all(
    "text, message",
    [
        ("a,b\n1,2\n", ":1: found the columns 'a, b', expected one column 'y' (--label)"),
        ("y,a,y\n1,2,3\n", ":1: found the columns 'y, a, y', expected one column 'y' (--label)"),
        ("a,y\n1,2\n1,2,3\n", ":3: found 3 fields, expected 2 fields as in the header"),
        ("a,y\n1,b,0\n", f":2: found 3 fields, expected 2 fields as in the header; {NAMELESS} before 'a'"),
        ("a,y\n1,2\n1\n", ":3: found 1 field, expected 2 fields as in the header"),
        ("a,y\n1,2\n1,x\n", f":3:3: found 'x' in the column 'y', expected {NO_LABEL}"),
        ('a,y\n1,2\n1,"4,5"\n', f":3:3: found '4,5' in the column 'y', expected {NO_LABEL}; with decimal {COMMAS}"),
        ("a,y\n1,2\n1,$4.99\n", f":3:3: found '$4.99' in the column 'y', expected {NO_LABEL}; {WITH_UNIT} 'y=$1.5'"),
        ("a,y\n1,2\n1,inf\n", f":3:3: found 'inf' in the column 'y', expected {NO_LABEL}"),
        ("a,y\n1,2\n1e999,1\n", f":3:1: found '1e999' in the column 'a', expected {OR_TEXT}"),
        ("a,y\n1,2\n-inf,1\n", f":3:1: found '-inf' in the column 'a', expected {OR_TEXT}"),
        ("a,b,y,a\n1,2,3,4\n", ":1: found 2 columns 'a', expected columns of different names; rename one"),
        ("column 2,,y\n1,2,3\n", ":1: found 2 columns 'column 2', expected columns of different names; rename one"),
        ("a,y\n1,2\na,y\n", ":3: found a further header ('a, y'), expected rows behind one; leave this line out"),
        ('a,y\n1,2\n"x"z,1\n', ":3: found a malformed record (',' expected after '\"'), expected CSV"),
        ("", ": found an empty stream, expected at least one example"),
        ("a,y\n", ": found a header and no rows, expected at least one example"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(InputError) as caught:
        rows(text)
    assert str(caught.value) == f"<stream>{message}"
    if text.startswith("a,y\n1,2\n"):
        reader = Reader(io.BytesIO(f"{text}3,1\n".encode()), CSV, on_error="skip")
        assert [batch.lines.tolist() for batch in reader] == [[2, 4]]
        assert reader.malformed.count == 1


@for_all(
    "first, wanted",
    [("-,C,%", True), ("date,°C,per cent", True), ("-,C,", False), ("-,C,7", False), (",,", False), ("-,n/a,?", False)],
)
def test_units_behind_the_header_are_no_row(first, wanted):
    text = f"t;a;y\n{first}\n".replace(",", ";") + "".join(f"x{i};{i},5;{i}\n" for i in range(30))
    told = "<stream>:2: found a further header ('" + first.replace(",", ", ") + "'), expected rows behind one; leave "
    with contextlib.ExitStack() as refused:
        if wanted:
            refused.enter_context(pytest.raises(InputError, match=f"^{re.escape(told)}this line out$"))
        rows(text, TextOptions(format="csv"))
    reader = Reader(io.BytesIO(text.encode()), TextOptions(format="csv"), on_error="skip")
    assert [sum(batch.n for batch in reader), reader.malformed.count] == [31 - wanted, wanted]
    if wanted:
        assert [str(note)[:38] for note in reader.notes] == ["<stream>: commas are decimal in number"]


def test_numbers_as_names_may_come_again():
    assert len(rows("0,1\n0,1\n", TextOptions(format="csv"))) == len(rows("a\na\n", TextOptions(format="csv"))) == 1


@pytest.mark.parametrize("options", [{}, {"text": "t"}])
def test_a_field_that_does_not_end_is_refused(options, monkeypatch):
    """As of a table with a double quote too many; a text costs many times its own bytes."""
    monkeypatch.setattr("sonlearn.text.csv.MAX_CHARACTERS", 1000)
    monkeypatch.setattr("sonlearn.text.encode.MAX_CHARACTERS", 1000)
    for field in ("a b" * 400, '"' + "1,x\n" * 400, '"' + "a b" * 400 + '"'):
        stream = io.BytesIO(f"y,t\n1,a\n1,{field}\n0,c\n".encode())
        reader = Reader(stream, TextOptions(label="y", **options), on_error="skip")
        assert [batch.lines.tolist()[0] for batch in reader][:1] == [2]
        expected = "<stream>:3: found a field of more than 1000 characters, expected a shorter one; is a double quote "
        assert str(reader.malformed.errors[0]) == expected + "missing?"
    with pytest.raises(RowError, match="a text of 1001 characters"):
        words_of("a" * 1001)


def test_an_open_quote_takes_time_in_proportion_to_the_text():
    """Of 10 MB it took minutes."""
    text = b'y,t\n1,a\n1,"' + b"0,b\n" * 200_000
    with pytest.raises(InputError, match=r"^<stream>:3: found a malformed record \(unexpected end of data\)"):
        list(read_batches(io.BytesIO(text), CSV))


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n"])
def test_delimiter(delimiter):
    with pytest.raises(OptionError, match="expected CSV delimiter"):
        TextOptions(delimiter=delimiter)


@pytest.mark.parametrize("threads", [0, 1])
def test_rows_before_a_record_that_the_end_of_a_cut_file_leaves_open(threads):
    cut, labels = gzip.compress(b'a,y\n1,1\n2,0\n"b\n')[:-4], list[float]()
    with pytest.raises(InputError, match="the end of truncated gzip data"):
        labels.extend(y for batch in Reader(io.BytesIO(cut), CSV, threads=threads) for y in batch.y.tolist())
    assert labels == [1, 0]
