"""The package's sources that a kernel depends on."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterator
from importlib.util import source_hash
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_IMPORT = re.compile(rb"^\s*from (sonlearn[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (sonlearn[\w.]*)", re.MULTILINE)
_BASE = b"(NamedTuple):"
_TUPLE = re.compile(rb"^class \w+\(NamedTuple\):\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)
_FIELD = re.compile(rb"^class \w+|^    \w+ *:", re.MULTILINE)


def _files() -> Iterator[tuple[str, os.DirEntry[str]]]:
    """All modules of the package: (dotted name, file). Paths are strings here: there are 300 of them in each run."""
    waiting = [(_PACKAGE, "sonlearn")]
    while waiting:
        folder, place = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    yield f"{place}.{entry.name[:-3]}".removesuffix(".__init__"), entry
                elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
                    waiting.append((entry.path, f"{place}.{entry.name}"))


def stamp() -> str:
    """A text that is another one as soon as any module is: sizes and times of all files."""
    found = []
    for name, entry in _files():
        status = entry.stat()
        found.append((name, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return f"{_PACKAGE} {sorted(found)}"


@functools.cache
def _sources() -> dict[str, bytes]:
    """The text of all modules, by dotted name."""
    found = {}
    for name, entry in _files():
        with open(entry.path, "rb", buffering=0) as file:
            found[name] = file.read()
    return dict(sorted(found.items()))


@functools.cache
def _fields() -> bytes:
    """Digest of the fields of all named tuples.

    Kernels take such tuples as arguments and read fields by position, even if their module does not import the class.
    """
    found = []
    for text in _sources().values():
        at = text.find(_BASE)
        while at >= 0:
            if block := _TUPLE.match(text, text.rfind(b"\n", 0, at) + 1):
                found += _FIELD.findall(block[0])
            at = text.find(_BASE, at + 1)
    return source_hash(b" ".join(found))


@functools.cache
def _imported_by(module: str) -> list[str]:
    """What a module imports from the package: modules, and names in modules, which may be modules too."""
    found = []
    for whole, names, plain in _IMPORT.findall(_sources()[module]):
        found += [(whole or plain).decode()]
        found += [f"{whole.decode()}.{name.decode()}" for name in re.findall(rb"\w+", names)]
    return found


def digest_of(module: str, settings: tuple[Any, ...]) -> str:
    """Hash of the `settings` and of all sources that `module` imports, directly or indirectly."""
    sources, reached, waiting = _sources(), set(), [module]
    while waiting:
        name = waiting.pop()
        if name in sources and name not in reached:
            reached.add(name)
            waiting += _imported_by(name)
    parts = [" ".join(map(str, settings)).encode(), _fields()]
    for name in sorted(reached):
        parts += [name.encode(), sources[name]]
    return source_hash(b"".join(parts)).hex()
