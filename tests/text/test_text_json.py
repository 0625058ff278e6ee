"""JSON: features as Vowpal Wabbit's --json hashes them, dicts as their JSON, errors with line and column."""

import dataclasses
import datetime
import gzip
import io
import itertools
import json
import random
import re
import tracemalloc
from collections import OrderedDict

import numpy as np
import pytest
from for_all import for_all
from parsers import VW_CONSTANT, slot_of, vw_hash
from streams import entries
from vw_peer import check_features, vw_features

from sonlearn import InputError, Learner, OptionError, TextOptions
from sonlearn.data.batch import joined
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.columns import ColumnTable, Labelling
from sonlearn.text.encode import ColumnEncoder
from sonlearn.text.flat import TableRows
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader, detect_format, read_batches
from sonlearn.text.records import RecordRows

pytestmark = pytest.mark.interpreted
MASK = 2**18 - 1
JSON = TextOptions(format="json", constant=False)


def rows_of(batches):
    return [sorted(row) for batch in batches for row in entries(batch)]


def rows(source, options=JSON, **given):
    return rows_of(Reader(source, options, **given))


def stream(*lines):
    return io.BytesIO("".join(line + "\n" for line in lines).encode())


# ----------------------------------------------------------------------------------------------- a twin, and VW itself


def twin(record: dict, seed: int = 0, chain: bool = False) -> list[tuple[int, float]]:
    """Features of a record without special names, straight from VW's rules, and ours for null and texts of digits."""
    out = []

    def walk(record, space):
        ns = vw_hash(space.encode(), seed)
        for name, value in record.items():
            text = name.encode()
            if isinstance(value, dict):
                walk(value, name)
            elif isinstance(value, list):
                array = vw_hash(text, seed)
                out.extend((array + i, float(item)) for i, item in enumerate(value) if item)
            elif value is None or value == "":
                out.append((vw_hash(text + b"=", ns), 1.0))
            elif isinstance(value, str) and value[0].isdigit():
                out.append((vw_hash(text, ns), float(value)))
            elif isinstance(value, str):
                word = value.translate(str.maketrans(" \t|:", "____")).encode()
                out.append((vw_hash(word, vw_hash(text, ns)) if chain else vw_hash(text + word, ns), 1.0))
            elif value:
                out.append((vw_hash(text, ns), float(value)))

    walk(record, " ")
    return sorted((slot & MASK, value) for slot, value in out)


@pytest.mark.parametrize(("seed", "chain"), [(0, False), (0, True), (9, False)])
def test_features_of_a_twin(seed, chain):
    record = {
        "a": 2, "b": "x y|z:q", "yes": True, "no": False, "none": None, "zero": 0.0, "7": 1.5, "big": 12345678901234,
        "ns": {"g": -1.5e-3, "h": "v", "in": {"k": 3, "s": "t"}, "after": 1}, "arr": [1, 0, 2.5], "é": "ü", "": 4,
        "quoted": "1e1", "in": {"empty": "", "quoted": "7", "none": None},
    }  # fmt: skip
    options = TextOptions(format="json", constant=False, hash_seed=seed, chain_hash=chain)
    expected = twin(record, seed, chain)
    assert len(expected) == 19
    assert rows(stream(json.dumps(record)), options) == [expected]
    assert rows([record], options) == [expected]


CASES = [
    '{"_label":1,"a":2,"b":"x y|z:q","c":true,"d":false,"e":null,"f":0,"ns":{"g":1.5,"h":"v"},"arr":[1,0,null,2.5]}',
    '{"5":1,"007":"9","":3,"ns":{"5":2,"in":{"k":1,"s":"t"},"after":1},"_foo":[1,{"a":2}],"_tag":"tt","_p":[0.1]}',
    '{"_label":"-1 3 .5","objs":[{"a":1},{"b":"q"},2],"a b":1,"a:c":2,"a|d":"x","\\u00e9":"\\ud83d\\ude00"}',
    '{"_label_Weight":2,"_label":1,"a":-3,"big":12345678901234,"neg":-5.25e-1,"_text":"foo bar:x  baz\\tq|z"}',
    '{"a":"","_text":"top level"}', '{"dup":1,"dup":"s","x":{"x":1},"9":[3,4]}', "{}", '  {"a": 1 }\t',
    '{"n":{"_text":"a b a"},"nn":{"_text":"a"},"m":[],"k":{}}',
]  # fmt: skip


class Pairs(dict):
    """Members of an object that may have a name twice, for json.dumps."""

    def __init__(self, pairs):
        super().__init__(dict(pairs))
        self.pairs = pairs

    def items(self):
        return self.pairs


def as_vw_has_it(line: str):
    """The object of a line of which VW makes the same: numbers out of their quotes, ``name=`` for what is missing."""

    def members(pairs):
        return Pairs(
            [
                (name, value) if name[:1] == "_" or not (value is None or isinstance(value, str))
                else (f"{name}=", True) if not value
                else (name, float(value) if value[0].isdigit() else value)
                for name, value in pairs
            ]
        )  # fmt: skip

    return json.loads(line, object_pairs_hook=members)


def random_record(r: random.Random, depth: int = 0) -> dict:
    names = ["a", "b", "price", "5", "007", "x-y", "nested", "A", "12x", "$", "very_long_name_of_a_feature"]
    out = {}
    for _ in range(r.randrange(6)):
        kind = r.randrange(8 if depth < 3 else 5)
        out[r.choice(names)] = (
            r.choice([0, 1, -2, 3.25, 1e-3]) if kind < 2
            else r.choice(["red", "b c", "12", "", "ü", "a:b|c"]) if kind < 4
            else r.choice([True, False, None]) if kind == 4
            else [r.choice([0, 1, 2.5, None]) for _ in range(r.randrange(4))] if kind == 5
            else random_record(r, depth + 1) if kind == 6
            else [random_record(r, 3) for _ in range(r.randrange(3))]
        )  # fmt: skip
    if r.random() < 0.3:
        out["_text"] = r.choice(["some words", "a", "", " x  y ", "9 8"])
    return out


@pytest.mark.parametrize(
    "options",
    [
        [], ["--chain_hash"], ["--hash", "all"], ["--hash_seed", "7"], ["--hash_seed", "7", "--hash", "all"],
        ["-q", "an"], ["-q", "::"], ["--ignore", "n"], ["--keep", "n", "--keep", "a"], ["--ngram", "2"], ["-b", "5"],
        ["--cubic", "aan", "--noconstant"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_vw_agrees(options, vowpalwabbit):
    r = random.Random(str(options))
    lines = CASES + [json.dumps(random_record(r), ensure_ascii=r.random() < 0.5) for _ in range(300)]
    theirs = vw_features([json.dumps(as_vw_has_it(line), ensure_ascii=False) for line in lines], [*options, "--json"])
    check_features(lines, ["--json", *options], theirs)


# ------------------------------------------------------------------------------------------- labels, sources, options


def test_labels_weights_bases_tags_and_classes():
    lines = [
        '{"_label": 1, "a": 1}', '{"_label": "-1 3 .5", "_tag": "t1"}', '{"a": 1}', '{"_label": null}',
        '{"_label": {"label": 2, "WEIGHT": 0, "Initial": -1.5}}', '{"_label_Label": -1, "_label_weight": 4}', "", " ",
        '{"_label": "", "_TAG": "two words"}',
    ]  # fmt: skip
    (batch,) = read_batches(stream(*lines), JSON)
    np.testing.assert_array_equal(batch.y, [1, -1, np.nan, np.nan, 2, -1, np.nan])
    np.testing.assert_array_equal(batch.weight, [1, 3, 1, 1, 0, 4, 1])
    np.testing.assert_array_equal(batch.base, [0, 0.5, 0, 0, -1.5, 0, 0])
    assert batch.lines.tolist() == [1, 2, 3, 4, 5, 6, 9]
    assert batch.tags == ["", "t1", "", "", "", "", "two words"]
    text = stream('{"_label": "red 2"}', '{"_label": 3}', '{"_label": "4"}')
    (batch,) = read_batches(text, JSON, class_names=True)
    assert batch.class_names == ["red", None, None]
    np.testing.assert_array_equal(batch.y, [np.nan, 3, 4])
    np.testing.assert_array_equal(batch.weight, [2, 1, 1])
    assert next(iter(Reader([{"_label": "blue"}], labels=Labelling(names=True)))).class_names == ["blue"]


@pytest.mark.parametrize(("chunk_bytes", "threads"), [(1, 0), (100, 0), (1 << 20, 2), (64, 2)])
def test_chunks_and_threads_do_not_matter(chunk_bytes, threads):
    r = random.Random(4)
    lines = [json.dumps(random_record(r) | {"_tag": f"t{i}"}) for i in range(200)]
    options = TextOptions(format="auto", quadratic=("a:",), ngram=("2",))
    given = {"chunk_bytes": chunk_bytes, "threads": threads}

    def read(**how):
        found = read_batches(stream(*lines), options, **how)
        return [row for b in found for row in zip(entries(b), b.tags, b.lines, strict=True)]

    whole = read()
    assert read(**given) == whole
    assert len(whole) == 200
    dicts = (json.loads(line) for line in lines)
    assert rows(dicts, options, **given) == [sorted(row) for row, _, _ in whole]


def test_dicts_of_any_kind():
    record = OrderedDict(a=np.float32(1.5), b=np.int64(2), c=np.bool_(True), d="x", e=(1, 2), f=np.ones(2), g=None)
    plain = {"a": 1.5, "b": 2, "c": True, "d": "x", "e": [1, 2], "f": [1.0, 1.0], "g": None}
    assert rows([record]) == rows([plain]) == rows(stream(json.dumps(plain))) == rows([json.dumps(plain)])
    assert rows([{5: 2.0}]) == [[(5, 2.0)]]


def test_an_endless_stream_of_dicts_is_drawn_as_it_is_used():
    drawn = []

    def endless():
        for i in itertools.count():
            drawn.append(i)
            yield {"a": i + 1, "_label": 1}

    batches = read_batches(endless(), chunk_bytes=2560)
    assert [next(batches).n for _ in range(3)] == [10, 10, 10]
    assert len(drawn) <= 31
    assert next(batches).lines[0] == 31


def test_the_format_is_told():
    def told(text):
        return detect_format(np.frombuffer(text, np.uint8))

    assert told(b'\n {"a|b": 1}\n') == "json"
    assert told(b"{}\n") == "json"
    assert told(b"1 |{ a\n") == told(b"{tag|a\n") == told(b'1 |a x\n{"a":1}\n') == "vw"
    reader = Reader(stream('{"a": 1}'))
    assert next(iter(reader)).constant == VW_CONSTANT & MASK
    assert reader.format == "json"


def test_names():
    table = NameTable()
    line = '{"a": 1, "b": "x y", "n": {"c": true, "_text": "w"}, "v": [3]}'
    options = TextOptions(format="json", names=True)
    list(Reader(stream(line, line), options, names=table))
    known = {name: slot for slot, names in table.known.items() for name in names}
    assert set(known) == {"Constant", "a", "b^x_y", "n^c", "n^w", "v^[0]"}
    assert {slot for row in rows([json.loads(line)], options) for slot, _ in row} == set(known.values())


def test_texts_in_an_array_are_words():
    record = '{"tags": ["Fresh bread", 2, "bread"], "n": {"x": ["a b"]}}'
    same = '{"tags": {"_text": "fresh bread bread"}, "n": {}, "x": {"_text": "a b"}}'
    (found,), (words,) = rows(stream(record)), rows(stream(same))
    (number,) = rows(stream('{"tags": [2]}'))[0]
    assert found == sorted([*words, number])


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ({"ignore": ("age",)}, '{"n": {"age": 4}, "who": {"x": 1}, "w": 3}'),
        ({"ignore": ("age", "w")}, '{"n": {"age": 4}, "w": 3}'),
        ({"ignore": ("n.age", "who")}, '{"age": 2, "n": {}, "w": 3}'),
        ({"keep": ("age",)}, '{"age": 2}'),
        ({"keep": ("age", "n")}, '{"age": 2, "n": {"age": 4}}'),
        ({"keep": ("n",)}, '{"n": {"age": 4}}'),
    ],
)
def test_members_are_left_out_by_their_names(given, left):
    record = '{"age": 2, "n": {"age": 4}, "who": {"x": 1}, "w": 3}'
    assert rows(stream(record), dataclasses.replace(JSON, **given)) == rows(stream(left))


def test_numbers_in_quotes_are_numbers_where_a_flag_says_so():
    options = dataclasses.replace(JSON, numeric=("x",))
    found = rows(stream('{"x": "2.5", "y": "1"}', '{"x": " ", "n": {"x": "3"}}', '{"x": "0"}'), options)
    assert found == rows(stream('{"x": 2.5, "y": 1}', '{"x": null, "n": {"x": 3}}', "{}"))
    found = rows(stream('{"x": "2.5", "n": {"x": "3"}}'), dataclasses.replace(JSON, numeric=("n.x",)))
    assert found == rows(stream('{"x": "2.5", "n": {"x": 3}}'))
    for bad, or_nothing in (("much", r", or nothing \(--numeric\)"), ("inf", "")):
        with pytest.raises(InputError, match=rf"1:2: found '{bad}' for 'x', expected a finite number{or_nothing}$"):
            rows(stream(f'{{"x": "{bad}"}}'), options)


PARTS = ("n", "code", "day", "town", "note", "y")
GIVEN = {"text": ("note",), "categorical": ("code",), "label": "y"}


def some_rows(n):
    """Rows as lists of PARTS: numbers, codes, dates, names and texts, of which some are missing (None)."""
    r = random.Random(8)
    for _ in range(n):
        day = f"2024-{r.randrange(1, 13):02}-{r.randrange(1, 29):02} 13:05"
        town, note = r.choice(["Graz", "Wien", "Linz"]), " ".join(r.choices(["Fresh", "red", "tea", "old"], k=3))
        row = [round(r.gauss(0, 1), 3), 8010 + r.randrange(4), day, town, note]
        row = [None if r.random() < 0.3 else field for field in row]
        score = (1.5 if row[0] is None else row[0]) + (row[3] == "Graz") + (row[1] is None) - (row[4] is None) - 1
        yield [*row, int(r.random() < 1 / (1 + np.exp(-3 * score)))]


@pytest.mark.parametrize("given", [{}, {"ignore": ("day.year", "day.hour")}])
@pytest.mark.parametrize("quoted", [False, True])
def test_the_same_rows_are_the_same_features_as_in_a_table(given, quoted):
    """All but the hash of a category, whose name is ``town=...`` there; a model is as good."""
    rows, found, losses = list(some_rows(1500)), [], []
    header = ",".join(PARTS) + "\n"
    table = header + "".join(",".join("" if x is None else str(x) for x in row) + "\n" for row in rows)
    kept = str if quoted else lambda x: x
    objects = ""
    for row in rows:
        own = {k: kept(x) if k != "y" and x is not None else x for k, x in zip(PARTS, row, strict=True)}
        objects += json.dumps(own) + "\n"
    for text, format in ((table, "csv"), (objects, "json")):
        names, options = NameTable(), TextOptions(format=format, **GIVEN, **given)
        batches = list(Reader(io.BytesIO(text.encode()), options, names=names))
        learner = Learner(method="nag", text=options)
        losses.append(np.concatenate([learner.partial_fit(batch).loss for batch in batches]).mean())
        found.append([{names.of(slot)[0]: x for slot, x in row} for row in rows_of(batches)])
    assert [{re.sub("^(town|code)\\^", r"\1=", k): x for k, x in row.items()} for row in found[1]] == found[0]
    assert losses[1] == pytest.approx(losses[0], rel=0.005)
    assert losses[0] < 0.5


def test_members_of_members_are_absent_in_a_further_run_as_in_one():
    """That all rows had them before makes no difference, nor does a name at the top that is written as theirs."""
    rows = [{"y": i % 2, "of^name": "x", "in": {"c": 1.5} if i < 120 or i % 2 else {}} for i in range(200)]
    lines, columns = [json.dumps(row).encode() + b"\n" for row in rows], ColumnTable()

    def read(part, columns):
        return [*Reader(io.BytesIO(b"".join(part)), TextOptions(format="json", label="y"), columns=columns, usual=True)]

    parts = joined([*read(lines[:120], columns), *read(lines[120:], columns)])
    assert rows_of([parts]) == rows_of(read(lines, ColumnTable()))
    assert columns.known == {"in^c": ("number", "absent")}


def test_a_malformed_object_by_itself_has_no_member_that_is_absent():
    lines, columns = [b'{"y": 1, "a": 1.5}\n'] * 3 + [b'{"y": 1, "a": true, "b": [true]}\n'], ColumnTable()
    options = TextOptions(format="json", label="y")
    for text in (b"".join(lines[:3]), b"".join(lines)):
        assert len([*Reader(io.BytesIO(text), options, columns=columns, chunk_bytes=10, on_error="skip")]) == 3
    assert columns.known == {"a": ("number",)}


@for_all("rare", [0, 40])
def test_members_that_are_usual_are_missing_where_they_are_absent(rare):
    """As null in their place, however the text comes; those of few objects, and of objects in them, are absent."""
    absent, null = [], []
    for i in range(300):
        usual = {"a": i % 7 - 3.5, "b": "xyz"[i % 3]}
        row = {"y": i % 2} | ({"seldom": 1} if i % 100 < rare else {})
        absent.append(row | ({} if i % 4 == 1 else usual) | {"in": {} if i % 5 == 1 else {"c": i % 5}})
        null.append(row | dict.fromkeys(usual) | absent[-1])
    texts = ["".join(json.dumps(each) + "\n" for each in objects).encode() for objects in (absent, null)]
    options, found = TextOptions(format="json", label="y"), []
    for text, chunk_bytes in itertools.product(texts, (1 << 20, 100)):
        columns = ColumnTable()
        whole = joined([*Reader(io.BytesIO(text), options, columns=columns, usual=True, chunk_bytes=chunk_bytes)])
        found.append(rows_of([whole]))
        assert sorted(columns.usual) == ["a", "b", "y"]
        Reader(io.BytesIO(text), options, columns=columns, usual=True)  # what is learned further
        assert set(columns.usual) == {"a", "b"}
        assert columns.known.keys() - columns.usual == {"in^c", *(["seldom"] if rare else [])}
        (frozen,) = Reader(io.BytesIO(text), options, columns=columns.frozen(), labels=Labelling(needed=False))
        assert rows_of([frozen]) == found[0]
    assert found == [found[0]] * 4
    (bare,) = Reader(io.BytesIO(texts[0]), options, columns=ColumnTable())
    assert bare.indptr[-1] == sum(map(len, found[0])) - 2 * 75


def test_what_is_wrong_in_the_first_objects_is_told_in_its_place():
    """Rows before it are read: of text that is no JSON, and where a stream breaks off."""
    good = b'{"y": 1, "a": 2}\n'
    broken = gzip.compress(2 * good)[:-6]
    for text, found, n in ((good + b"{1}\n", "<stream>:2:", 1), (broken, "truncated", 2)):
        rows = []
        with pytest.raises(InputError, match=found):
            rows += Reader(io.BytesIO(text), TextOptions(label="y"), chunk_bytes=10, usual=True)
        assert sum(batch.n for batch in rows) == n
    columns = ColumnTable()
    assert sum(batch.n for batch in Reader(io.BytesIO(b"\n1 1:2\n" * 300), columns=columns, usual=True)) == 300
    assert columns.usual == []


MISSING = ("", " ", "NaN", "nan", "NA", "na", "N/A", "n/a", "#N/A", "null", "NULL", None)


@for_all("given", [{}, {"numeric": ("x",)}, {"categorical": ("x",)}, {"date": ("x",)}])
def test_what_counts_as_missing_is_one_list(given, pyarrow):
    """In CSV, JSON, dicts and tables in memory; other words are names."""
    options = {form: TextOptions(format=form, constant=False, **given) for form in ("csv", "json", "arrow")}
    text = "x,z\n" + "".join(f"{field or ''},1\n" for field in MISSING)
    objects = [{"x": field, "z": 1} for field in MISSING] + [{"x": float("nan"), "z": 1}]
    lines = io.BytesIO("".join(json.dumps(each) + "\n" for each in objects).encode())  # Python writes NaN
    table = pyarrow.table({"x": list(MISSING), "z": [1] * len(MISSING)})
    expected = sorted([(slot_of("x="), 1.0), (slot_of("z"), 1.0)])
    assert rows(io.BytesIO(text.encode()), options["csv"]) == [expected] * len(MISSING)
    assert rows(table, options["arrow"]) == [expected] * len(MISSING)
    assert rows(lines, options["json"]) == rows(objects, options["json"]) == [expected] * len(objects)
    if not given:
        assert rows(stream('{"x": "none"}')) == [[(slot_of("xnone"), 1.0)]]


def test_dates_of_members_of_members_and_of_dicts_are_read():
    assert len(rows(stream('{"at": "2024-03-31"}'), dataclasses.replace(JSON, categorical=("at",)))[0]) == 1
    options = dataclasses.replace(JSON, ignore=("n.at.month",))
    (table,) = rows([{"at": datetime.datetime(2024, 3, 31, 13, 5), "day": datetime.date(2024, 4, 1)}])
    assert table == rows(stream('{"at": "2024-03-31 13:05", "day": "2024-04-01"}'))[0]
    assert table == rows([{"at": np.datetime64("2024-03-31T13:05"), "day": np.datetime64("2024-04-01", "ns")}])[0]
    for zone in (None, datetime.UTC):  # which does not count
        assert rows([{"at": datetime.time(13, 30, tzinfo=zone)}]) == rows(stream('{"at": "13:30"}'))
    with pytest.raises(InputError, match="found a timedelta64 for 'at'"):
        rows([{"at": np.timedelta64(5, "ns")}])
    assert rows([{"at": np.datetime64("NaT", "s"), "x": 1.0}]) == rows([{"at": None, "x": 1.0}])
    assert len(rows(stream('{"n": {"at": "2024-03-31T13:05"}}'), options)[0]) == 3
    options = dataclasses.replace(JSON, id="day", date=("day",))
    (batch,) = read_batches(stream('{"day": "2024-04-01"}', '{"day": " "}'), options)
    assert batch.tags == ["2024-04-01", ""]
    assert rows_of([batch])[0] == rows(stream('{"day": "2024-04-01"}'))[0]
    with pytest.raises(InputError, match=r"1:2: found 'noon' for 'day', expected a date \(2024-03-31\), or nothing"):
        rows(stream('{"day": "noon"}'), options)


@for_all("options", [JSON, TextOptions(format="csv", label="y")])
def test_texts_of_dicts_may_be_of_a_class_of_their_own(options):
    found = []
    for text in (str, np.str_):
        record = {"tea": text("green"), "at": text("2024-03-31"), "n": text("1.5")}
        table = TableRows(options, Labelling()) if options.label else None
        parsed = ChunkParser(options, records=table).parse_records([(1, record)], "")
        found.append(rows_of(parsed.batches)[0])
    assert found[0] == found[1]
    assert len(found[0]) > 5


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("rows", "name", "most", "columns"),
    [
        (lambda: TableRows(TextOptions(format="svmlight"), Labelling(), indices=True), "{}", 160, 0),
        (lambda: RecordRows(JSON, Labelling(), ColumnTable()), "w{}", 800, 1024),
    ],
    ids=["indices", "names"],
)
def test_of_sparse_objects_little_more_is_held_than_their_entries(rows, name, most, columns):
    n, rows = 1000, rows()
    lines = [{name.format(16 * i + j): 1.0 for j in range(16)} for i in range(n)]
    lines = [json.dumps(each).encode() for each in lines] if columns else lines
    tracemalloc.start()
    try:
        for i, line in enumerate(lines, 1):
            rows.add(line, i)
        assert tracemalloc.get_traced_memory()[0] < most * 16 * n
    finally:
        tracemalloc.stop()
    parsed = rows.take([])
    assert (parsed.batches[0].n, len(getattr(parsed.found, "columns", ()))) == (n, columns)


def test_members_with_numbers_in_quotes_or_other_dates_are_named():
    row = '{{"x": "{0}.5", "at": "{1:02}/03/2024", "c": "k{0}", "in": {{"d": "1,{0}"}}}}'
    lines = [row.format(i, i % 28 + 1) for i in range(40)]
    plain = [line.replace('"x": "', '"x": ').replace('.5"', ".5") for line in lines]
    reader, typed = Reader(stream(*lines), JSON), Reader(stream(*plain), JSON)
    assert rows_of(reader) == rows_of(typed)
    other = [
        "the column 'at' has dates that are not read as such ('01/03/2024'); --day-first 'at', or --month-first, "
        "reads them (--categorical 'at' if they are names)",
        "the column 'in.d' has numbers that are read as texts ('1,0'); write 1234.5, without signs, units and "
        "thousands (--categorical 'in.d' if they are names)",
    ]
    assert typed.notes == other
    quoted = (
        "columns of texts that are read as numbers: 'x' (--categorical 'x' if they are names, --numeric 'x' if numbers)"
    )
    assert reader.notes == [*other, quoted]
    for field in ("numeric", "categorical"):
        reader = Reader(stream(*lines), dataclasses.replace(JSON, **{field: ("x",)}))
        assert [len(row) for batch in reader for row in entries(batch)] == [4] * 40
        assert reader.notes == other


@pytest.mark.parametrize("options", [TextOptions(format="json"), TextOptions(format="csv", label="y")])
def test_names_are_in_one_order_however_the_text_is_cut(options):
    header = ["y,a,b"] if options.format == "csv" else []
    row = "{y},{i},k{k}" if header else '{{"_label": {y}, "a": {i}, "b": "k{k}"}}'
    lines = header + [row.format(y=i % 2, i=i // 20, k=i // 9) for i in range(60)]  # a 0 has a number, and is no entry
    orders = []
    for chunk in (1 << 20, 64):
        names = NameTable()
        assert len(list(Reader(stream(*lines), options, chunk_bytes=chunk, names=names))) == 1 or chunk == 64
        orders.append((list(names.known.items()), list(names.counts.items())))
    assert orders[0] == orders[1]
    assert len(orders[0][0]) == 9


@pytest.mark.parametrize(("n", "chunk"), [(99, 1 << 20), (100, 1 << 20), (300, 64)])
def test_members_that_no_object_has_are_named_once(n, chunk):
    options = dataclasses.replace(JSON, label="slow", id="user.id", weight="w")
    lines = [f'{{"slow": {i % 2}, "user": {{"id": {i}}}, "a": 1}}' for i in range(n)]
    told = [
        "--id 'user.id': none of the first 100 objects has such a member; a member of a member cannot be it",
        "--weight 'w': none of the first 100 objects has such a member",
    ]
    reader = Reader(stream(*lines), options, chunk_bytes=chunk)
    list(reader)
    assert reader.notes == (told if n >= 100 else [])
    for flag, met in (("ignore", "user.id"), ("keep", "slow"), ("numeric", "id"), ("text", "user.id")):
        reader = Reader(stream(*lines), dataclasses.replace(JSON, **{flag: (met, "user.age")}), chunk_bytes=chunk)
        list(reader)
        inner = "; a member of a member cannot be it" * (flag == "keep")
        told = [f"--{flag} 'user.age': none of the first 100 objects has such a member{inner}"]
        assert reader.notes == (told if n >= 100 else [])
    reader = Reader(stream(*lines[:-1], '{"w": 2, "user.id": "k"}'), options, chunk_bytes=1 << 20)
    list(reader)
    assert reader.notes == []


# ----------------------------------------------------------------------------------------------------------- refused


@for_all(
    "line, message",
    [
        ('{"a": 1', "2:8: found the end of the line, expected ',' delimiter"),
        ('{"a": }', "2:7: found '}', expected a value"),
        ("{'a': 1}", '2:2: found "\'", expected a name in double quotes'),
        ('{"a": 1} x', "2:10: found 'x', expected the end of the line: one JSON object a line"),
        ('{"a": "b}', "2:7: found '\"', expected a double quote at the end of the text that begins here"),
        ("[1, 2]", "2:1: found an array, expected one JSON object a line"),
        ("  3", "2:3: found '3', expected one JSON object a line"),
        ("1 |a b", "2:3: found '|', expected the end of the line: one JSON object a line"),
        ('{"é": 1, "a": 1e999}', "2:11: found the number inf for 'a', expected a finite number"),
        ('{"a": "inf"}', "2:2: found 'inf' for 'a', expected a finite number, or a text that is none; --categorical"),
        ('{"a": Infinity}', "found Infinity, expected JSON, which has no Infinity; leave the member out, or say null"),
        ('{"n": {"a": [1, true]}}', "2:8: found true for 'n.a', expected numbers, texts or objects in an array"),
        ('{"a": [[1]]}', "2:2: found an array for 'a', expected numbers, texts or objects in an array"),
        ('{"a": [true]}', "2:2: found true for 'a', expected numbers, texts or objects in an array"),
        ('{"_label": true}', "2:2: found true for '_label', expected a label (a finite number)"),
        ('{"_label": "x"}', "2:2: found 'x' for '_label', expected a finite number as label; names of classes:"),
        ('{"_label": "1 -2"}', "2:2: found '-2' for '_label', expected a finite number, at least 0, as weight"),
        ('{"_label": {"Cost": 1}}', "found 'Cost' for '_label.Cost', expected Label, Weight or Initial as parts"),
        ('{"_label": "1 2 3 4"}', "found '1 2 3 4' for '_label', expected a label, with importance and base"),
        ('{"_label_cost": -1, "c": {}}', "found '_label_cost' for '_label_cost', expected one example an object;"),
        ('{"_multi": [{"a": 1}]}', "found '_multi' for '_multi', expected one example an object; dsjson is learned"),
        ('{"_text": 3}', "2:2: found '3' for '_text', expected a text of words"),
        ('{"_tag": "a\\nb"}', "expected a text of one line as tag"),
        ('{"a": "\\ud800"}', "found half of a surrogate pair, expected whole characters"),
        ('{"a": ' + "[" * 100_000, "found objects or arrays nested too deeply, expected a few levels"),
        ('{"a":' * 400 + "1" + "}" * 400, None),
        ('{"a": 1\0}', "2:8: found a zero byte, expected text; is this a binary file?"),
        ('{"a": ' + "9" * 5000 + "}", "found the number inf for 'a', expected a finite number"),
    ],
)
def test_malformed(line, message):
    text = '{"good": 1}\n' + line + '\n{"good": 2}\n'
    if message is None:
        assert len(rows(io.BytesIO(text.encode()))) == 3
        return
    with pytest.raises(InputError) as caught:
        rows(io.BytesIO(text.encode()))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    good = (vw_hash(b"good", 0) & MASK, 1.0)
    reader = Reader(io.BytesIO(text.encode()), JSON, on_error="skip")
    assert rows_of(reader) == [[good], [(good[0], 2.0)]]
    assert reader.malformed.count == 1


def test_malformed_dicts():
    for record, message in [
        ({"a": float("inf")}, "<records>:2: found the number inf for 'a', expected a finite number"),
        ({"a": {"b": object()}}, "<records>:2: found a object for 'a.b', expected a number, a text, true,"),
        (["a"], "<records>:2: found an array, expected one JSON object a line"),
    ]:
        with pytest.raises(InputError, match=r"<records>:2: ") as caught:
            rows([{"a": 1}, record])
        assert str(caught.value).startswith(message)
        reader = Reader([{"a": 1}, record], JSON, on_error="skip")
        assert [str(error) for _ in reader for error in reader.malformed.errors] == [str(caught.value)]
    with pytest.raises(OptionError, match="--format vw: dicts are read as json"):
        rows([{"a": 1}], TextOptions(format="vw"))


def test_fuzz():
    """Mutated lines are read as the json module reads them, or refused with a place."""
    r = random.Random(2)
    pieces = ['"', "{", "}", "[", "]", ":", ",", "\\", "1e9", "nul", "true", "\\u12", "_label", "\0", " ", "é", "-"]
    lines = []
    for _ in range(3000):
        text = json.dumps(random_record(r), ensure_ascii=False)
        for _ in range(r.choice([0, 1, 1, 3])):
            at = r.randrange(len(text) + 1)
            text = text[:at] + r.choice(pieces) + text[at + r.randrange(3) :]
        lines.append(text)
    reader = Reader(stream('{"a": 1}', *lines), JSON, on_error="skip", max_errors=len(lines))
    taken = {int(line) for batch in reader for line in batch.lines}
    assert all(np.isfinite(batch.values).all() for batch in Reader(stream(*lines), JSON, on_error="skip"))
    assert 500 < reader.malformed.count < 2500
    assert len(taken) + reader.malformed.count == 1 + sum(1 for line in lines if line.strip())
    for number, line in enumerate(lines, 2):
        if line.strip() and number in taken:
            assert isinstance(json.loads(line), dict)


# -------------------------------------------------------------------------------------------- members with a meaning


@pytest.mark.parametrize("options", [{}, {"ngram": ("3",)}, {"ngram": ("n3",), "skips": ("n1",)}, {"ngram": ("x2",)}])
def test_words_of_a_member(options):
    """A member that --text names is its words, as of a table's column."""
    records = [{"y": 1, "note": "Fresh bread, FRESH tea!", "n": 2}, {"y": 0, "note": "", "in": {"note": "tea"}}]
    spelt = [
        {"y": 1, "note": {"_text": "fresh bread fresh tea"}, "n": 2},
        {"y": 0, "note": None, "in": {"note": {"_text": "tea"}}},
    ]
    plain = TextOptions(format="json", constant=False, label="y", **options)
    named = TextOptions(format="json", constant=False, label="y", text=("note",), **options)
    assert rows(records, named) == rows(spelt, plain)
    table = TextOptions(format="csv", constant=False, label="y", text=("note",), **options)
    assert rows(records[:1], named) == rows(io.BytesIO(b'y,note,n\n1,"Fresh bread, FRESH tea!",2\n'), table)


@pytest.mark.parametrize("threads", [0, 1])
def test_sentences_are_told(threads):
    lines = [
        json.dumps({"y": i % 2, "s": f"row {i} has words", "w": f"w{i}", "t": "the same three"}) for i in range(60)
    ]
    for options, notes in (
        ({}, ["the column 's' looks like a text: --text 's' takes its words"]), ({"text": ("s",)}, []),
    ):  # fmt: skip
        reader = Reader(stream(*lines), TextOptions(label="y", **options), threads=threads)
        assert sum(batch.n for batch in reader) == 60
        assert reader.notes == notes


def test_ids_and_weights_are_members():
    options = TextOptions(format="json", label="y", id="key", weight="w", constant=False)
    lines = ['{"key": "a1", "w": 2.5, "y": 1, "x": 3}', '{"key": 7, "w": "0.5", "x": 3, "in": {"key": 1}}', '{"x": 3}']
    (batch,) = read_batches(stream(*lines), options)
    assert (batch.tags, batch.weight.tolist()) == (["a1", "7", ""], [2.5, 0.5, 1.0])
    assert [len(row) for row in entries(batch)] == [1, 2, 1]
    for line, message in (
        ('{"w": -1}', "1:2: found '-1' for 'w', expected a weight (a finite number, at least 0)"),
        ('{"w": true}', "expected a weight (a finite number, at least 0)"),
        ('{"key": [1]}', "expected a text of one line, or a number, as id"),
    ):
        with pytest.raises(InputError) as caught:
            rows(stream(line), options)
        assert message in str(caught.value)
    reader = Reader(stream(*lines, '{"key": "bad \\u00e9", "w": []}', '{"key": 9, "w": []}'), options, on_error="skip")
    assert sum(batch.n for batch in reader) == 3
    assert reader.malformed.tags == ["bad é", "9"]


@pytest.mark.parametrize("constant", [True, False])
def test_parts_of_dates_are_marked_beside_interactions_too(constant):
    text = (
        b'{"at": "2024-03-31 13:05", "n": {"a": 2, "b": 3}, "t": ["one two"]}\n{"n": {"a": 1}}\n{"day": "2024-04-01"}\n'
    )
    options = TextOptions(format="json", constant=constant)
    (plain,) = read_batches(io.BytesIO(text), options)
    (batch,) = read_batches(io.BytesIO(text), dataclasses.replace(options, quadratic=("nn",), ngram=("t2",)))
    assert (np.diff(batch.indptr) - np.diff(plain.indptr)).tolist() == [4, 1, 0]
    for i in range(3):
        before, after = (b.marks[b.indptr[i] : b.indptr[i + 1]].tolist() for b in (plain, batch))
        own = len(before) - constant
        assert after == [mark * (mark > 1) for mark in before[:own]] + [0] * (len(after) - own)
    (none,) = read_batches(io.BytesIO(b'{"a": 1}\n'), dataclasses.replace(options, quadratic=("::",)))
    assert none.marks is None


def test_members_of_a_long_row_are_remembered_and_those_that_do_not_come_again_are_not(monkeypatch):
    """Rows of 30,000 texts that came one by one, as to a server, took six times as long as all at once."""
    made, begin = list[str](), ColumnEncoder.__init__

    def counted(encoder, name, *more, **flags):
        made.append(name)
        begin(encoder, name, *more, **flags)

    monkeypatch.setattr("sonlearn.text.records._MAX_MEMBERS", 4)
    monkeypatch.setattr(ColumnEncoder, "__init__", counted)
    parser = ChunkParser(JSON, columns=ColumnTable())
    a, b, c = ([f"{letter}{i}" for i in range(20)] for letter in "abc")
    for members in (a, a, b, c, a):
        parser.parse_records([(1, json.dumps(dict.fromkeys(members, "text")).encode())], "<dicts>")
    assert made == [*a, *b, *c, *a]
