"""Names of features, for people: which names the slots of a hashed text stand for.

The kernels hash names and forget them. Here the same line is taken apart once more, in Python, and every name is hashed
by the kernels' own function; the slots have to be those that the kernel has found for the line, or its names are left
out. Slow, and only done with ``--names``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np

from sonlearn.options import TextOptions
from sonlearn.text.hashing import VW_CONSTANT, hash_bytes
from sonlearn.text.vw import make_names

#: Slots that names are kept of, and names a slot.
MOST_SLOTS, MOST_NAMES = 1 << 20, 3

_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_BLANKS = re.compile(rb"[ \t]+")
_REMEMBERED = 1 << 20


class NameTable:
    """The first names of each slot that were seen: `MOST_NAMES` of a slot, and no more than `MOST_SLOTS` slots."""

    def __init__(self, known: dict[int, list[str]] | None = None):
        self.known: dict[int, list[str]] = known or {}

    def add(self, pairs: Iterable[tuple[int, str]]) -> None:
        """Add (slot, name) in the order in which they were seen."""
        for slot, name in pairs:
            if slot in self.known:
                names = self.known[slot]
                if name not in names and len(names) < MOST_NAMES:
                    names.append(name)
            elif len(self.known) < MOST_SLOTS:
                self.known[slot] = [name]


class LineNames:
    """Takes lines of VW text apart; remembers what it has named."""

    def __init__(self, options: TextOptions):
        names = make_names(options)
        self._mask, self._seed, self._default, self._hash_all = names.mask, names.seed, names.default, names.hash_all
        self._drop = names.drop
        self._slots: dict[tuple[bytes, bytes, bytes | None], int] = {}
        self.constant = (VW_CONSTANT & names.mask, "Constant") if options.constant else None

    def new_names(self, chunk: np.ndarray, lines: np.ndarray, rows: Iterable[list[int]]) -> list[tuple[int, str]]:
        """(slot, name) of the features in a chunk that have not been named before.

        Parameters
        ----------
        chunk : uint8, whole lines
        lines : int64[n], the numbers of its lines with examples, from 1 on
        rows : the slots of each of them, without the constant
        """
        if len(self._slots) > _REMEMBERED:
            self._slots.clear()
        texts = chunk.tobytes().split(b"\n")
        found: list[tuple[int, str]] = [self.constant] if self.constant and not self._slots else []
        for number, slots in zip(lines.tolist(), rows, strict=True):
            fresh: list[tuple[int, str]] = []
            if [slot for slot, _ in self.features(texts[number - 1], fresh)] == slots:
                found += fresh
        return found

    def features(self, line: bytes, fresh: list[tuple[int, str]] | None = None) -> Iterator[tuple[int, float]]:
        """(slot, value) of the features of a well-formed line; those not named before are added to `fresh`."""
        for part in line.removesuffix(b"\r").split(b"|")[1:]:
            head, *words = _BLANKS.split(part)
            space, colon, weight = head.partition(b":")
            if self._drop[(head or b" ")[0]]:
                continue
            scale, anonymous = float(weight) if colon else 1.0, 0
            for word in filter(None, words):
                name, colon, text = word.partition(b":")
                number = not colon or bool(_NUMBER.fullmatch(text))
                value = 1.0 if not number else scale * float(text) if colon else scale
                if number and colon and not name:
                    key, anonymous = (space, b"%d" % anonymous, b""), anonymous + 1
                else:
                    key = (space, name, None if number else text)
                if value:
                    yield self._slot(key, fresh), value

    def _slot(self, key: tuple[bytes, bytes, bytes | None], fresh: list[tuple[int, str]] | None) -> int:
        """Slot of (namespace, name, text value or None); of ``:value`` (namespace, its place, no text)."""
        slot = self._slots.get(key)
        if slot is None:
            space, name, text = key
            slot = hash_bytes(space, self._seed, hash_all=self._hash_all) if space else self._default
            if text == b"":
                slot += int(name)
            else:
                slot = hash_bytes(name, slot, hash_all=self._hash_all)
                slot = slot if text is None else hash_bytes(text, slot, hash_all=self._hash_all)
            self._slots[key] = slot = slot & self._mask
            if fresh is not None:
                shown = name if text is None else b"[%s]" % name if text == b"" else name + b"^" + text
                fresh.append((slot, (space + b"^" + shown if space else shown).decode("utf-8", "surrogateescape")))
        return slot
