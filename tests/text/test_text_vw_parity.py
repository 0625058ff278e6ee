"""Slots and values equal Vowpal Wabbit's, feature by feature."""

import io
import math
import random

import pytest
from for_all import for_all
from vw_peer import CASES, SLOTS, check_features, random_line, vw_features

from sonlearn import TextOptions, read_batches


def test_golden():
    """What VW 9.11 said when `tests/golden/capture_vw_slots.py` was run; needs no VW."""
    assert len(SLOTS) >= 38
    for case in SLOTS:
        check_features(case["lines"], case["options"], case["features"])


@for_all("options, lines", CASES)
def test_cases(options, lines, vowpalwabbit):
    check_features(lines, options, vw_features(lines, options))


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
    assert list(zip(labels, batch.weight.tolist(), batch.base.tolist(), batch.tags, strict=True)) == theirs


@pytest.mark.parametrize(
    ("options", "count"),
    [([], 10_000), (["--hash", "all", "--hash_seed", "3"], 2000), (["-q", "::", "--ngram", "2"], 1000)],
)
def test_random_lines(options, count, vowpalwabbit):
    r = random.Random(count)
    lines = [random_line(r) for _ in range(count)]
    check_features(lines, options, vw_features(lines, options))
