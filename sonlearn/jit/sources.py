"""The package's sources that a kernel depends on."""

from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_IMPORT = re.compile(rb"^\s*from (sonlearn[\w.]*) import (\([^)]*\)|[^\n]*)|^\s*import (sonlearn[\w.]*)", re.MULTILINE)
_TUPLE = re.compile(rb"^class \w+\(NamedTuple\):\n(?:(?:[ \t].*)?\n)*", re.MULTILINE)
_FIELD = re.compile(rb"^class \w+|^    \w+ *:", re.MULTILINE)


@functools.cache
def _sources() -> dict[str, bytes]:
    """All modules of the package, by dotted name."""
    found = {}
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = ("sonlearn", *path.relative_to(_PACKAGE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = path.read_bytes()
    return found


@functools.cache
def _fields() -> bytes:
    """Digest of the fields of all named tuples.

    Kernels take such tuples as arguments and read fields by position, even if their module does not import the class.
    """
    digest = hashlib.sha256()
    for text in _sources().values():
        for block in _TUPLE.findall(text) if b"(NamedTuple):" in text else ():
            digest.update(b" ".join(_FIELD.findall(block)))
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
