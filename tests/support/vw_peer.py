"""What Vowpal Wabbit makes of lines of text: the features of every example, from its ``--audit`` output."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

Features = list[tuple[int, float]]

#: Settings and lines for comparison by hand: (options of VW, which are ours as well; lines).
CASES: list[tuple[list[str], list[str]]] = [
    (
        [],
        [
            "1 |a b", "1 | a", "-1 2 .5 'tag |ns foo:2 bar", "| 5:1 007 18446744073709551621", "1 |n:2 a b:3 |m:0 c",
            "1 | a:0 b", "1 |5 6 7x", "1 | a:b c:d:e :f", "1 |n :3 :4 x :5", "1 |ns a|ns b|m", "1 |é ü:2 日本", "1 |",
            "1 |a\tb \t c:1e-3\t", "1 |a -5 +5 5.0 1e5", "1 |a a a a:2", "1|x y", "tag|x y", "1 |A:0.5 x |B:-2 x:3",
            "1 | a\x01 \x02b \x015", "1 |x abcdefghijklmnopqrstuvwxyz0123456789 abc abcd abcde",
        ],
    ),
    (["--hash", "all"], ["1 | 5 a 007", "1 |5 6:2 x", "1 | a:b 1:x :3", "| \x01a"]),
    (["--hash_seed", "7"], ["1 | 5 a 007", "1 |5 6:2 x", "1 |ns a:b 1:x :3", "| :2"]),
    (["--hash_seed", "4000000000", "--hash", "all"], ["1 | 5 a 007 :2", "1 |5 6:2 x"]),
    (["-b", "5"], ["1 |a b c d :3"]),
    (["-b", "26", "--noconstant"], ["1 |a b c d :3", "| "]),
    (["-q", "ab"], ["1 |a x y:2 |b u:3 v", "1 |apple x |b u |avocado y", "1 |a x", "1 |b u |a x"]),
    (["-q", "ba", "-q", "ab"], ["1 |a x y:2 |b u:3 v"]),
    (["-q", "aa"], ["1 |a x y:2 z |b u:3 v |a x"]),
    (["-q", "::"], ["1 |a x y:2 |b u:3 v | d", "| d e", "1 |é x |~ y |! z"]),
    (["-q", "a:", "-q", "b:"], ["1 |a x y:2 |b u:3 v | d", "| d e"]),
    (["-q", " a"], ["1 |a x y:2 | d:4 e"]),
    (["-q", "ab", "--noconstant", "-b", "25"], ["1 |a x y:2 |b u:3 v 5 :7"]),
    (["--cubic", "abc"], ["1 |a x y:2 |b u:3 v |c r s:.5"]),
    (["--cubic", "aba"], ["1 |a x y:2 |b u:3 v |c r s:.5"]),
    (["--cubic", "aaa"], ["1 |a x y:2 z:-3"]),
    (["--cubic", "cab", "--cubic", "abc"], ["1 |a x y:2 |b u:3 v |c r s:.5"]),
    (["--cubic", ":::"], ["1 |a x y:2 |b u:3 |c r"]),
    (["--cubic", "b::"], ["1 |a x y:2 |b u:3 |c r"]),
    (["--interactions", "abcd", "--interactions", "ba"], ["1 |a x y:2 |b u:3 |c r |d t:2 w"]),
    (["--interactions", "abbb"], ["1 |a x y:2 |b u:3 v w"]),
    (["--interactions", "a:b:"], ["1 |a x y:2 |b u:3 |c r"]),
    (["--interactions", "a:c:"], ["1 |a x |b u |c r |d t |e o"]),
    (["-q", ":b", "--cubic", ":b:"], ["1 |a x |b u |c r |d t"]),
    (["--interactions", "::::"], ["1 |a x y:2 |b u:3 |c r"]),
    (["--ignore", "b"], ["1 |a x |b y |c z | w"]),
    (["--ignore", "b", "--ignore", "c", "-q", "ab"], ["1 |a x |b y |c z"]),
    (["--keep", "a"], ["1 |a x |b y |c z | w"]),
    (["--keep", "a", "--keep", "b", "-q", "ab"], ["1 |a x |b y:3 |c z"]),
    (["--ignore", "b", "--keep", "b"], ["1 |a x |b y |c z | w"]),
    (["--ignore", "a", "--keep", "b", "--keep", "a"], ["1 |a x |b y |c z | w"]),
    (["--ngram", "2"], ["1 |a x y z:5 |b u", "| a b c"]),
    (["--ngram", "a3"], ["1 |a x y z w |b u v", "1 |a x y |a2 z"]),
    (["--ngram", "3", "--skips", "2"], ["1 |a x y z w v |b u v"]),
    (["--ngram", "a2", "--skips", "a1", "-q", "ab"], ["1 |a x y z |b u v"]),
    (["--ngram", "2", "--noconstant"], ["1 |a 5 :2 :3"]),
]  # fmt: skip


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


def _feature(text: bytes) -> tuple[int, float]:
    """``name:slot:value:weight[@adaptive]``"""
    _, slot, value, _ = text.rsplit(b":", 3)
    return int(slot), float(value)
