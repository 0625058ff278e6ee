"""Lines of the package by folder, beside those of a commit: ``python bench/size.py [COMMIT]``.

Code is what is left without docstrings, comments and blank lines. What counts is what need not be read: no line is
packed for it, and no docstring of a formula dropped.
"""

from __future__ import annotations

import ast
import collections
import io
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def lines_of(text: str) -> tuple[int, int]:
    """(lines of code, all lines) of a module."""
    taken = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOT_CODE:
            taken.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            taken -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(taken), text.count("\n")


def modules(commit: str | None) -> Iterator[tuple[str, str]]:
    """(path, text) of the package's modules, of the files as they stand or of a commit."""
    command = ["ls-files"] if commit is None else ["ls-tree", "-r", "--name-only", commit]
    for path in _git(*command, "sonlearn").splitlines():
        if path.endswith(".py"):
            yield path, (ROOT / path).read_text("utf-8") if commit is None else _git("show", f"{commit}:{path}")


def sizes(commit: str | None) -> dict[str, list[int]]:
    """Of each folder below the package: modules, lines of code, all lines."""
    found: dict[str, list[int]] = collections.defaultdict(lambda: [0, 0, 0])
    for path, text in modules(commit):
        code, every = lines_of(text)
        for name in (path.split("/")[1] if path.count("/") > 1 else ".", "all"):
            for k, count in enumerate((1, code, every)):
                found[name][k] += count
    return found


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, encoding="utf-8").stdout


def main(commit: str | None = None) -> None:
    """Print the table."""
    now, then = sizes(None), sizes(commit) if commit else {}
    print(f"{'':14}{'modules':>9}{'code':>9}{'lines':>9}" + (f"   {commit}: modules, code, lines" if commit else ""))
    for name in sorted({*now, *then}, key=lambda name: (name == "all", name)):
        own, former = now.get(name, [0, 0, 0]), then.get(name, [0, 0, 0])
        beside = f"   {former[0]:>9}{former[1]:>9}{former[2]:>9}" if commit else ""
        print(f"{name:14}{own[0]:>9}{own[1]:>9}{own[2]:>9}{beside}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
