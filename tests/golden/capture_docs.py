"""Renew the printed numbers of README.md and docs/ after an intended change: ``python tests/golden/capture_docs.py``.

Runs each page's console blocks as tests/house/test_docs.py does. An expected line that is no longer printed is replaced
by the next printed line of the same shape (the same words, with numbers where there were numbers), or by that in its
place where all lines are shown. Lines without such a partner are listed, to be mended by hand. Read the difference
before you commit it.
"""

import re
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / folder) for folder in ("support", "house")]

import test_docs  # noqa: E402
from commands import TIMING  # noqa: E402


def shape(line, whole):
    """The words of a line; numbers are alike, but for whole ones if `whole`."""
    return [
        word if isinstance(token, str) or (whole and "." not in word) else float
        for word, token in zip(line.split(), test_docs.tokens(line), strict=True)
    ]


def renewed(printed, expected):
    """(`expected` with the numbers that were `printed`, lines that found no partner)."""
    out, lost, at, skip = [], [], 0, False
    for line in expected:
        if line == "...":
            out.append(line)
            skip = True
            continue
        rest = range(at, len(printed)) if skip else range(at, min(at + 1, len(printed)))
        found = [i for i in rest if test_docs.same(printed[i], line)]
        for whole in (True, False):
            found = found or [i for i in rest if shape(printed[i], whole) == shape(line, whole)]
        if not found and len(printed) == len(expected) and "..." not in expected:  # rows of CSV have no words
            found = [at]
        if not found:
            out.append(line)
            lost.append(line)
            at += not skip
            continue
        out.append(line if test_docs.same(printed[found[0]], line) else printed[found[0]])
        at, skip = found[0] + 1, False
    return out, lost


def renew(page):
    """Renew one page; prints the lines that found no partner."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder, environment = test_docs.prepared(Path(name))
        for block in test_docs.blocks(page, "console"):
            fresh = block
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, *expected = part.splitlines()
                printed = test_docs.in_a_shell(command, environment, cwd=folder).splitlines()
                printed = [line for line in printed if not line.startswith(TIMING)]
                out, lost = renewed(printed, expected)
                fresh = fresh.replace("$ " + part.rstrip("\n"), "\n".join(["$ " + command, *out]).rstrip("\n"), 1)
                for line in lost:
                    print(f"{page.name}: $ {command}\n  expected {line!r}\n  printed  {printed[:40]!r}")
            text = text.replace(block, fresh)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for page in test_docs.PAGES:
        if test_docs.blocks(page, "console") and (len(sys.argv) == 1 or page.name in sys.argv[1:]):
            renew(page)
