"""Reading: kernels against the oracle, chunk boundaries, errors, and the format."""

import io
import random

import numba
import numpy as np
import parsers
import pytest
from for_all import for_all
from streams import entries

from sonlearn import InputError, TextOptions
from sonlearn.text.read import Reader, read_batches

SVMLIGHT = (
    b"\xef\xbb\xbf# comment | with a bar\n\n+1 1:0.5 3:-2e-3 # trailing | comment\r\n"
    b"   \t \n-1 qid:7 9223372036854775807:1 0:2 5:1 5:1\n2.5\t7:1.\t8:.5 \t\n#\n0#x\n"
    b"1 2.0:3 4:0 6:17.123456789012345678901234 7:9007199254740993.00000000000000000001#c\n-0 1:1"
)
VW = (
    b"\xef\xbb\xbf1 2.5 -0.5 'a tag|ns:2 foo bar:0.5 zero:0 :3 :4|b a:b:c 007 12 x\xc3\xa9\n"
    b" \t\n\r\n|only features\n0 0 t2|a b c:1e-3\r\n-1 |\n2\t1 |a:0.5\tb \t c:2\t| d\n'quoted |x y:-z 7:1.5|y\n"
    b"1 3.0000000000000000000000000000001 |s a:9007199254740993.00000000000000000001 |t :e5\n0 1 .5 |z w"
)
SAMPLES = {"svmlight": SVMLIGHT, "vw": VW.replace(b"'a tag|", b"tag|")}


def rows(batches):
    """(line, Example) of every row."""
    out = []
    for b in batches:
        assert b.indptr[0] == 0
        assert np.isfinite(b.values).all()
        for i, features in enumerate(entries(b)):
            base = 0.0 if b.base is None else float(b.base[i])
            tag = "" if b.tags is None else b.tags[i]
            example = parsers.Example(float(b.y[i]), float(b.weight[i]), base, tag, features)
            out.append((int(b.lines[i]), example))
    return out


def text_of(examples):
    """Comparable also where a label is NaN, and bit for bit."""
    return [repr(item) for item in examples]


def read_all(text, options, chunk_bytes=1 << 20):
    """Rows of `text` and the line of the error, None without one."""
    batches = []
    try:
        batches.extend(read_batches(io.BytesIO(text), options, chunk_bytes=chunk_bytes))
    except InputError as error:
        return rows(batches), error.line
    return rows(batches), None


@pytest.mark.parametrize("format", SAMPLES)
def test_every_chunk_boundary(format):
    text = SAMPLES[format]
    expected, bad_line = parsers.parse(text, format)
    assert bad_line is None
    assert len(expected) >= 6
    for chunk_bytes in range(1, len(text) + 2):
        reader = Reader(io.BytesIO(text), chunk_bytes=chunk_bytes)
        assert text_of(rows(reader)) == text_of(expected), chunk_bytes
        assert reader.format == format


WITHOUT = [(format, {"constant": False}) for format in SAMPLES]


@for_all("format, given", WITHOUT + [("vw", {"bits": bits}) for bits in (1, 10, 31, 40)])
def test_without_constant_and_in_few_or_many_slots(format, given):
    expected, _ = parsers.parse(SAMPLES[format], format, **given)
    assert text_of(rows(read_batches(io.BytesIO(SAMPLES[format]), TextOptions(**given)))) == text_of(expected)


@pytest.mark.parametrize("size", ["0", "1", "a1"])
def test_ngrams_up_to_one_are_the_words(size):
    """So a grid of sizes may begin with them."""
    text = b"1 |a x y z |b u v\n"
    assert read_all(text, TextOptions(format="vw", ngram=(size,))) == read_all(text, TextOptions(format="vw"))


def test_vw_slots():
    """Of VW itself."""
    (batch,) = read_batches(io.BytesIO(b"1 |ns foo\n| 5:1\n| a"))
    assert batch.indices.tolist() == [71642, 116060, 5, 116060, 92594, 116060]
    assert batch.tags is None
    assert batch.base is None


LABEL = "a label (a finite number), or nothing, before the first bar; names of classes: --classes auto"
ALPHABET = {
    "svmlight": rb" | |:|\t|\n|#|-|+|.|e|0|1|12|7:2.5 |qid:|nan|\r|x|99999999999999999999|3.0|1:1 ".split(b"|"),
    "vw": rb" ; ;:;\t;\n;|;';-;.;e;0;1;a;7:2.5 ;|n ;nan;inf;\r;x;99999999999999999999;1e400; |;1 |a b".split(b";"),
}
ALPHABET = {
    format: [part.replace(rb"\t", b"\t").replace(rb"\n", b"\n").replace(rb"\r", b"\r") for part in parts]
    for format, parts in ALPHABET.items()
}


@pytest.mark.parametrize("format", SAMPLES)
def test_random_text_as_the_oracle_says(format):
    r = random.Random(format)
    count = 300 if numba.config.DISABLE_JIT else 1500
    options, refused = TextOptions(format=format), 0
    for _ in range(count):
        text = b"".join(r.choice(ALPHABET[format]) for _ in range(r.randrange(1, 14)))
        expected, bad_line = parsers.parse(text, format)
        found, line = read_all(text, options, r.choice([1, 16, 1000]))
        assert text_of(found) == text_of(expected), text
        assert line == bad_line, text
        refused += line is not None
    assert count / 20 < refused < count * 19 / 20


INDEX = "index:value with an index from 0 to 9223372036854775807"
BAR = "a bar '|' before the features (VW text); for LIBSVM text use --format svmlight"
TEXT_VALUE = "a finite number as value of the feature, or a text that does not begin like one"
BAD = {
    "svmlight": [
        (b"abc 1:2", 1, "'abc'", "a label (a finite number), then index:value pairs"),
        (b"nan 1:2", 1, "'nan'", "a label (a finite number), then index:value pairs"),
        (b"1,2 1:2", 1, "'1,2'", "a label (a finite number), then index:value pairs"),
        (b"1e 1:2", 1, "'1e'", "a label (a finite number), then index:value pairs"),
        (b"  1e999 1:2", 3, "'1e999'", "a number of at most 1.8e308"),
        (b"1 -3:2", 3, "'-3:2'", INDEX),
        (b"1 a:2", 3, "'a:2'", INDEX),
        (b"1 3", 3, "'3'", INDEX),
        (b"1 1:1 9223372036854775808:2", 7, "'9223372036854775808:2'", INDEX),
        (b"1 3.5:2", 3, "'3.5:2'", "an integer index"),
        (b"1 3:inf", 5, "'inf'", "a finite number as value of the feature"),
        (b"1 3:nan", 5, "'nan'", "a finite number as value of the feature"),
        (b"1 3:", 5, "nothing", "a finite number as value of the feature"),
        (b"1 3: 4:1", 5, "nothing", "a finite number as value of the feature"),
        (b"1 3:1:2", 5, "'1:2'", "a finite number as value of the feature"),
        (b"1 3:0x1", 5, "'0x1'", "a finite number as value of the feature"),
        (b"1 3:-1e309 ", 5, "'-1e309'", "a number of at most 1.8e308"),
        (b"1 qid:x 3:1", 3, "'qid:x'", "qid: and an integer"),
    ],
    "vw": [
        (b"abc | a", 1, "'abc'", LABEL),
        (b"nan | a", 1, "'nan'", LABEL),
        (b"1 -2 | a", 3, "'-2'", "an importance weight (a finite number, at least 0) after the label"),
        (b"1 nan | a", 3, "'nan'", "an importance weight (a finite number, at least 0) after the label"),
        (b"1 1 x | a", 5, "'x'", "a base (a finite number) after label and importance"),
        (b"1 1 1 1 | a", 7, "'1'", "a tag that touches the bar, or a bar, after label, importance and base"),
        (b"'t 1 | a", 1, "\"'t\"", "the tag to be the last word before the bar"),
        (b"1 |:2 a", 4, "':2'", "a namespace, a blank or a bar behind the bar"),
        (b"1 |n:x a", 6, "'x'", "a finite number as weight of the namespace"),
        (b"1 |n:inf a", 6, "'inf'", "a finite number as weight of the namespace"),
        (b"1 | a:inf", 7, "'inf'", TEXT_VALUE),
        (b"1 | a:-NaN", 7, "'-NaN'", TEXT_VALUE),
        (b"1 | a:+Infinity|b", 7, "'+Infinity'", TEXT_VALUE),
        (b"1 | a: b", 7, "nothing", TEXT_VALUE),
        (b"1 | a:1x", 7, "'1x'", TEXT_VALUE),
        (b"1 | a:b|c", 8, "'|'", "no bar inside a text value; put a blank before the bar"),
        (b"1 | a\rb", 6, "'\\rb'", "a carriage return only at the end of the line"),
        (b"1 |n:1e300 a:1e300", 14, "'1e300'", "a number of at most 1.8e308"),
        (b"1 1e999 | a", 3, "'1e999'", "a number of at most 1.8e308"),
        (b"1 3:0.5 7:1 9:2", 1, "'1 3:0.5 7:1 9:2'", BAR),
        (b"1", 1, "'1'", BAR),
    ],
}  # fmt: skip


@for_all("format, line, column, found, expected", [(format, *case) for format in BAD for case in BAD[format]])
def test_malformed_line(tmp_path, format, line, column, found, expected):
    """The message, and the rows before: never a part of the line itself, wherever the chunks end."""
    good = b"1 |a b\n\n" if format == "vw" else b"1 3:1\n\n"
    path = tmp_path / "f"
    for ending in (b"", b"\n", b"\r\n" + good):
        path.write_bytes(good + line + ending)
        for chunk_bytes in (1, 12, 1000):
            batches = []
            with pytest.raises(InputError) as caught:
                batches.extend(Reader(path, TextOptions(format=format), chunk_bytes=chunk_bytes))
            assert str(caught.value) == f"{path}:3:{column}: found {found}, expected {expected}"
            assert [line for line, _ in rows(batches)] == [1]


def test_empty_streams(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"")
    b.write_bytes(b"# nothing\n\n")
    for sources in (a, [a, b]):
        with pytest.raises(InputError, match="found an empty stream, expected at least one example"):
            list(read_batches(sources))
    b.write_bytes(b"# c\n1 1:1")
    batches = list(read_batches([a, str(b)]))
    assert [(batch.source, batch.lines.tolist()) for batch in batches] == [(str(b), [2])]


def test_format_is_kept_for_all_sources(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.write_bytes(b"1 |a b")
    b.write_bytes(b"1 2:3")
    reader = Reader([a, b])
    assert reader.format is None
    with pytest.raises(InputError, match=r"b:1:1: found '1 2:3', expected a bar"):
        list(reader)
    assert reader.format == "vw"


def test_long_line_grows_the_buffer():
    text = b"1 " + b" ".join(b"%d:%d" % (i, i) for i in range(1, 20000)) + b"\n1 1:1"
    first, second = rows(read_batches(io.BytesIO(text), chunk_bytes=64))
    assert first[1].features[:-1] == [(i, float(i)) for i in range(1, 20000)]
    assert second[0] == 2


def test_many_undecided_numbers_in_a_line():
    """More than the tables hold at first; the line is parsed again and the tables grow."""
    text = b"1 " + b" ".join(b"%d:9007199254740993.0000000000000000000" % i for i in range(300))
    ((_, example),) = rows(read_batches(io.BytesIO(text + b"1")))
    assert [value for _, value in example.features] == [9007199254740992.0] * 299 + [9007199254740994.0, 1.0]


def test_text_values_that_begin_like_infinity():
    text = b"1 | a:info b:nano c:infin1ty d:infinityx e:in f:i\n"
    (example,) = rows(read_batches(io.BytesIO(text)))
    assert text_of([example]) == text_of(parsers.parse(text, "vw")[0])
