"""What Vowpal Wabbit makes of lines of text: the features of every example, from its ``--audit`` output."""

import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from places import GOLDEN
from streams import entries

from sonlearn import TextOptions, read_batches
from sonlearn.commands.line import parse

Features = list[tuple[int, float]]

#: Settings and lines for comparison, with what VW 9.11 made of them: (options of VW, which are ours as well; lines). A
#: further one goes into that file, and `capture_vw_slots.py` gives it its features.
SLOTS = json.loads((GOLDEN / "vw_slots.json").read_text(encoding="utf-8"))
CASES: list[tuple[list[str], list[str]]] = [(case["options"], case["lines"]) for case in SLOTS]


def random_line(r: random.Random) -> str:
    """A line that VW reads without loss (what it misreads is refused by us, and tested elsewhere)."""
    words = ["a", "b", "price", "5", "007", "é", "x-y", "日本語", "A_very_long_feature_name", "12x", "$", "#", "'q"]

    def name() -> str:
        return r.choice(words) + r.choice(["", "", "", str(r.randrange(10**6))])

    def feature() -> str:
        kind = r.randrange(10)
        if kind < 5:
            return name()
        value = r.choice([f"{r.gauss(0, 3):.3g}", str(r.randrange(-3, 9)), "0", "1e-2", ".5", "-.25", "3."])
        if kind < 8:
            return f"{name()}:{value}"
        if kind == 8:
            return f":{value}"
        return f"{r.choice([name(), ''])}:{r.choice(['red', 'b:c', 'x', 'blue-ish', 'Z9'])}"

    head = r.choice(["", "1 ", "-1 2 ", "0.5 1 -2 ", "1 'tag ", "tag", "'t "])
    parts = []
    for _ in range(r.randrange(1, 5)):
        space = r.choice(["", "", "a", "b", "ns", "apple", "9", "c:2", "d:.5"])
        gaps = (r.choice([" ", "  ", "\t"]) + feature() for _ in range(r.randrange(6)))
        part = "|" + space + "".join(gaps)
        parts.append(part + (" " if ":" in part else r.choice(["", " "])))  # no bar may touch a text value
    return head + "".join(parts)


def vw_features(lines: list[str], options: list[str]) -> list[Features]:
    """Sorted (slot, value) of every line, by VW itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.vw"
        path.write_bytes("".join(line + "\n" for line in lines).encode())
        command = [sys.executable, "-m", "vowpalwabbit", "-d", str(path), "--audit", "--quiet", *options]
        out = subprocess.run(command, capture_output=True, check=True, timeout=300).stdout
    audits = [line for line in out.split(b"\n") if line.startswith(b"\t") or line == b""]
    audits = audits[: len(lines)]
    assert len(audits) == len(lines)
    return [sorted(_feature(text) for text in line.split(b"\t") if text) for line in audits]


def vw_predictions(lines: list[str], flags: str) -> list[float]:
    """VW's progressive predictions (float32), its clip included."""
    vowpalwabbit = pytest.importorskip("vowpalwabbit", reason="vowpalwabbit is not installed")
    model, found = vowpalwabbit.Workspace(f"--quiet {flags}"), []
    for line in lines:
        example = model.parse(line)
        model.learn(example)
        found.append(example.get_simplelabel_prediction())
        model.finish_example(example)
    model.finish()
    return found


def check_features(lines: list[str], options: list[str], theirs: list[Features]) -> None:
    """What we make of every line, with the same options, is what VW makes of it."""
    given = {"format": "vw"} | parse("train", options)[0]
    ours: list[Features] = []
    for batch in read_batches(io.BytesIO("\n".join(lines).encode()), TextOptions(**given)):
        ours += map(sorted, entries(batch))
    for line, mine, other in zip(lines, ours, theirs, strict=True):
        assert [slot for slot, _ in mine] == [slot for slot, _ in other], (line, options)
        assert [value for _, value in mine] == pytest.approx([value for _, value in other], rel=1e-5), (line, options)


def _feature(text: bytes) -> tuple[int, float]:
    """``name:slot:value:weight[@adaptive]``"""
    _, slot, value, _ = text.rsplit(b":", 3)
    return int(slot), float(value)
