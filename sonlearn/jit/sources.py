"""The package's sources that a kernel depends on."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_IMPORT = re.compile(rb"^\s*from (sonlearn[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (sonlearn[\w.]*)", re.MULTILINE)
_BASE = b"(NamedTuple):"
_TUPLE = re.compile(rb"^class \w+\(NamedTuple\):\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)
_FIELD = re.compile(rb"^class \w+|^    \w+ *:", re.MULTILINE)


@functools.cache
def _sources() -> dict[str, bytes]:
    """All modules of the package, by dotted name. Paths are strings here: there are 300 of them in each run."""
    found = {}
    for folder, _, names in os.walk(_PACKAGE):
        place = ".".join(["sonlearn", *folder[len(_PACKAGE) :].split(os.sep)[1:]])
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(folder, name), "rb", buffering=0) as file:
                    found[f"{place}.{name[:-3]}".removesuffix(".__init__")] = file.read()
    return dict(sorted(found.items()))


@functools.cache
def _fields() -> bytes:
    """Digest of the fields of all named tuples.

    Kernels take such tuples as arguments and read fields by position, even if their module does not import the class.
    """
    digest = hashlib.sha256()
    for text in _sources().values():
        at = text.find(_BASE)
        while at >= 0:
            if block := _TUPLE.match(text, text.rfind(b"\n", 0, at) + 1):
                digest.update(b" ".join(_FIELD.findall(block[0])))
            at = text.find(_BASE, at + 1)
    return digest.digest()


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
    digest = hashlib.sha256(" ".join(map(str, settings)).encode() + _fields())
    for name in sorted(reached):
        digest.update(name.encode() + sources[name])
    return digest.hexdigest()[:16]
