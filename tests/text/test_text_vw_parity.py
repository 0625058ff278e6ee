"""Slots and values equal Vowpal Wabbit's, feature by feature."""

from __future__ import annotations

import io
import math
import random

import pytest
from for_all import for_all
from streams import entries
from vw_peer import CASES, SLOTS, Features, random_line, vw_features

from sonlearn.options import TextOptions
from sonlearn.text.read import read_batches

FIELDS = {"-q": "quadratic", "-b": "bits"}


def our_features(lines: list[str], options: list[str]) -> list[Features]:
    given: dict = {"format": "vw"}
    words = iter(options)
    for word in words:
        name = FIELDS.get(word, word[2:])
        if word == "--noconstant":
            given["constant"] = False
        elif name in ("bits", "hash_seed"):
            given[name] = int(next(words))
        elif name == "hash":
            given[name] = next(words)
        else:
            given[name] = (*given.get(name, ()), next(words))
    out = []
    for batch in read_batches(io.BytesIO("\n".join(lines).encode()), TextOptions(**given)):
        out += map(sorted, entries(batch))
    return out


def check(lines: list[str], options: list[str], theirs: list[Features]) -> None:
    ours = our_features(lines, options)
    assert len(ours) == len(theirs) == len(lines)
    for line, mine, other in zip(lines, ours, theirs, strict=True):
        assert [slot for slot, _ in mine] == [slot for slot, _ in other], (line, options)
        assert [value for _, value in mine] == pytest.approx([value for _, value in other], rel=1e-5), (line, options)


def test_golden():
    """What VW 9.11 said when `tests/golden/capture_vw_slots.py` was run; needs no VW."""
    assert len(SLOTS) >= 38
    for case in SLOTS:
        check(case["lines"], case["options"], case["features"])


@for_all("options, lines", CASES)
def test_cases(options, lines):
    pytest.importorskip("vowpalwabbit", reason="vowpalwabbit is not installed")
    check(lines, options, vw_features(lines, options))


def test_labels_weights_bases_and_tags():
    pyvw = pytest.importorskip("vowpalwabbit.pyvw", reason="vowpalwabbit is not installed")
    r = random.Random(5)
    lines = [random_line(r) for _ in range(500)] + CASES[0][1]
    theirs = []
    vw = pyvw.Workspace("--quiet")
    for line in lines:
        example = vw.parse(line)
        label = example.get_simplelabel_label()
        numbers = (example.get_simplelabel_weight(), example.get_simplelabel_initial())
        theirs.append((None if label > 3e38 else label, *numbers, example.get_tag()))
        vw.finish_example(example)
    vw.finish()
    (batch,) = read_batches(io.BytesIO("\n".join(lines).encode()), TextOptions(format="vw"))
    labels = [None if math.isnan(y) else y for y in batch.y.tolist()]
    assert batch.base is not None
    assert batch.tags is not None
    ours = zip(labels, batch.weight.tolist(), batch.base.tolist(), batch.tags, strict=True)
    assert list(ours) == theirs


@pytest.mark.parametrize(
    ("options", "count"),
    [([], 10_000), (["--hash", "all", "--hash_seed", "3"], 2000), (["-q", "::", "--ngram", "2"], 1000)],
)
def test_random_lines(options, count):
    pytest.importorskip("vowpalwabbit", reason="vowpalwabbit is not installed")
    r = random.Random(count)
    lines = [random_line(r) for _ in range(count)]
    check(lines, options, vw_features(lines, options))
