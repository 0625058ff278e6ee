"""How predictions are written: lines as Vowpal Wabbit's, with intervals and sets; rows of CSV and JSON for programs."""

import csv
import io
import itertools
import json
import re

import numpy as np
import pytest

from sonlearn.errors import OutputError
from sonlearn.files.atomic import LineFile
from sonlearn.report.predictions import AnswerLines, format_lines, labels_of, texts_of, with_intervals, with_sets

VALUES = np.array([0.0, -0.0, 3.0, -2.0, 0.5, 1 / 3, -1e-7, 1e15, 123456.7890123])
TEXTS = ["0", "0", "3", "-2", "0.500000", "0.333333", "-0.000000", "1000000000000000", "123456.789012"]


def test_whole_numbers_have_no_point_and_others_six_digits():
    assert texts_of(VALUES) == TEXTS
    assert format_lines(VALUES) == "\n".join(TEXTS) + "\n"
    assert format_lines(np.zeros(0)) == format_lines([], []) == ""


def test_a_tag_stands_behind_its_value():
    assert format_lines(VALUES[2:5], ["a", "", "c d"]) == "3 a\n-2\n0.500000 c d\n"
    assert format_lines(["ham", "spam"], ["", "x"]) == "ham\nspam x\n"
    with pytest.raises(ValueError, match="shorter"):
        format_lines(VALUES[:2], ["a"])


def test_intervals_and_sets_stand_behind_the_prediction_without_a_blank():
    rng = np.random.default_rng(0)
    value, low, high = rng.normal(size=(3, 20)) * 10.0 ** rng.integers(-8, 9, (3, 20))
    for i, line in enumerate(with_intervals(value, low, high)):
        text, a, b = re.fullmatch(r"(\S+) \[(\S+),(\S+)\]", line).groups()
        assert text == texts_of(value[i : i + 1])[0]
        assert (float(a), float(b)) == pytest.approx((low[i], high[i]), rel=1e-5)
    inside = np.array([[True, False, True], [False, False, False], [True, True, True]])
    assert with_sets(["a", "b", "1"], labels_of(inside, ["a", "b", 3])) == ["a {a,3}", "b {}", "1 {a,b,3}"]
    assert labels_of(inside[2:], ["a", "b"]) == [["a", "b"]]  # a class that has not been met has no label


def test_a_writer_keeps_bytes_of_tags_and_the_lines_before(tmp_path):
    path = tmp_path / "p"
    for keep, values, tags in ((0, VALUES[:3], ["\udcff", "", "c"]), (2, ["ham"], None)):
        writer = LineFile(str(path), keep)
        writer.write(format_lines(values, tags))
        writer.close()
    assert path.read_bytes() == b"0 \xff\n0\nham\n"
    with pytest.raises(OutputError, match="has 3 whole lines"):
        LineFile(str(path), 4)


ROWS = [
    {"label": 'say "x"', "probability": 1 / 3, "set": ["x", "y z"]},
    {"label": "\u00e9", "probability": None, "set": []},
    None,
    {"label": 7, "probability": 1.0, "set": ["7"]},
]
TAGS = ["a,b", "", "late", ""]


@pytest.mark.parametrize("pieces", [[4], [1, 0, 2, 1]])
def test_rows_for_programs_are_read_back_however_they_are_cut(pieces):
    columns = ("label", "probability", "set")
    tables = {form: AnswerLines(form, columns) for form in ("csv", "jsonl")}
    ends = np.cumsum([0, *pieces])
    text = {form: "".join(table.text(ROWS[a:b], TAGS[a:b]) for a, b in itertools.pairwise(ends))
            for form, table in tables.items()}  # fmt: skip
    found = [json.loads(line) for line in text["jsonl"].split("\n")[:-1]]
    assert [row.pop("id") for row in found] == ["a,b", 2, "late", 4]
    assert found == [row or dict.fromkeys(columns) for row in ROWS]
    header, *rows = csv.reader(io.StringIO(text["csv"]))
    assert header == ["id", *columns]
    assert rows == [
        ["a,b", 'say "x"', "0.333333", '["x", "y z"]'], ["2", "\u00e9", "", "[]"], ["late", "", "", ""],
        ["4", "7", "1.000000", '["7"]'],
    ]  # fmt: skip
