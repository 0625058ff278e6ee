"""Readers say which entries are words of a text (`Batch.marks`)."""

import io

import pytest
from parsers import slot_of

from sonlearn import TextOptions, read_batches
from sonlearn.text.cache import CachedReader
from sonlearn.text.columns import Labelling
from sonlearn.text.encode import words_of
from sonlearn.text.flat import TableRows
from sonlearn.text.read import Reader

pytestmark = pytest.mark.interpreted
CSV = b"y,age,plan,note\n1,31,gold,Good good tea\n-1,0,,\n1,7,basic,tea w4\n"
TABLE = TextOptions(format="csv", label="y", text=("note",), ngram=("2",))
WORDS = {"good", "tea", "w4"}


def kinds(batches):
    """Of each row the slots of words, and those of all else."""
    out = []
    for batch in batches:
        for a, b in zip(batch.indptr[:-1], batch.indptr[1:], strict=True):
            slots, words = batch.indices[a:b], batch.marks[a:b] == 1
            out.append((set(slots[words].tolist()), set(slots[~words].tolist())))
    return out


def test_words_of_a_table_are_those_of_columns_of_text():
    """With their n-grams and what stands for a missing text; not so numbers, categories and the constant."""
    rows = kinds(read_batches(io.BytesIO(CSV), TABLE))
    single = {slot_of(word, "note") for word in WORDS}
    assert rows[0][1] == {slot_of("age"), slot_of("plan=gold"), 116060 & (1 << 18) - 1}
    assert single & rows[0][0] == {slot_of("good", "note"), slot_of("tea", "note")}
    assert len(rows[0][0]) == 4  # good^good and good^tea as well
    assert rows[1] == ({slot_of("note=")}, {slot_of("plan="), 116060 & (1 << 18) - 1})
    assert single & rows[2][0] == {slot_of("tea", "note"), slot_of("w4", "note")}


def test_a_table_without_text_says_nothing():
    (batch,) = read_batches(io.BytesIO(CSV), TextOptions(format="csv", label="y"))
    assert batch.marks is None


def test_a_cache_keeps_it(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CSV)
    reader = CachedReader([path], TABLE, path=tmp_path / "cache")
    first, second = kinds(reader), kinds(reader)
    assert reader.reason is None
    assert first == second == kinds(read_batches(io.BytesIO(CSV), TABLE))


def test_months_weekdays_and_hours_of_a_column_are_in_order():
    """By column and part; a day of the month and a year are numbers as they are."""
    table = b"y,at,due\n1,2024-03-31 13:05,2024-03-31 01:05\n0,2024-12-02,2024-01-01\n"
    options = TextOptions(format="csv", label="y")
    (batch,) = read_batches(io.BytesIO(table), options)
    marks = dict(zip(batch.indices.tolist(), batch.marks.tolist(), strict=True))
    groups = {}
    for part, ordinals in {"month": {3: 5, 12: 14}, "weekday": {"Sun": 8, "Mon": 2}, "hour": {13: 47}}.items():
        told = {value: marks[slot_of(f"at.{part}={value}")] for value in ordinals}
        assert {value: mark % 64 for value, mark in told.items()} == ordinals
        (groups[part],) = {mark // 64 for mark in told.values()}
    assert len({*groups.values(), marks[slot_of("due.hour=1")] // 64, 0}) == 5
    assert marks[slot_of("at.year")] == marks[slot_of("at.day")] == 0
    lines = (
        b'{"y": 1, "at": "2024-03-31 13:05", "due": "2024-03-31 01:05"}\n'
        b'{"y": 0, "at": "2024-12-02", "due": "2024-01-01"}\n'
    )
    json = Reader(io.BytesIO(lines), TextOptions(format="json", label="y"), labels=Labelling())
    assert {each for found in json for each in found.marks.tolist()} == set(marks.values())


def test_rows_of_json_for_a_table():
    rows = TableRows(TABLE, Labelling())
    rows.add({"y": 1.0, "age": 31.0, "plan": "gold", "note": "Good good tea"}, 1)
    (batch,) = rows.take([]).batches
    assert set(batch.indices[batch.marks == 1].tolist()) == kinds(read_batches(io.BytesIO(CSV), TABLE))[0][0]


def test_symbols_beyond_ascii_are_words():
    """Not those of ASCII, nor what only colours or shapes an emoji, or joins two."""
    said = "I \u2764\ufe0f it\U0001f602\U0001f602! \U0001f44d\U0001f3fd \u20ac5 a\u2192b + $ \U0001f469\u200d\U0001f467"
    words = "i \u2764 it \U0001f602 \U0001f602 \U0001f44d \u20ac 5 a \u2192 b \U0001f469 \U0001f467"
    assert words_of(said) == words.split()


def test_letters_of_scripts_without_blanks_are_words():
    """Those of Chinese, Hiragana, Thai and its kin, with their marks; Katakana and Hangul are words in runs."""
    said = "\u623f\u6709WiFi\uff01 \u3053\u306e\u30db\u30c6\u30eb \ubc29\uc774 \u0e14\u0e35\u0e21\u0e32\u0e01"
    words = "\u623f \u6709 wifi \u3053 \u306e \u30db\u30c6\u30eb \ubc29\uc774 \u0e14\u0e35 \u0e21 \u0e32 \u0e01"
    assert words_of(said) == words.split()


def test_words_of_json():
    """Of members of --text, of `_text`, and of texts in arrays; a malformed line leaves nothing behind."""
    text = (
        b'{"_label": 1, "age": 3, "note": "good tea", "kind": "a b", "list": ["w4", 2], "_text": "x y"}\n'
        b'{"_label": 1, "note": "tea", "age": Infinity}\n'
        b'{"_label": -1, "age": 5, "note": "tea"}\n'
    )
    options = TextOptions(format="json", text=("note",), constant=False)
    first, second = kinds(Reader(io.BytesIO(text), options, on_error="skip"))
    assert first[0] == {slot_of(*word.split("/")) for word in ("good/note", "tea/note", "w4/list", "x/ ", "y/ ")}
    assert slot_of("age", " ") in first[1]
    assert len(first[1]) == 3
    assert second == ({slot_of("tea", "note")}, {slot_of("age", " ")})
