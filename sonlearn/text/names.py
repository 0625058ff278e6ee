"""Names of features, for people: which names the slots of a hashed text stand for.

The kernels hash names and forget them. Here the same line is taken apart once more, in Python, and every name is hashed
by the kernels' own function; the slots have to be those that the kernel has found for the line, or its names are left
out. Slow, and only done with ``--names``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from sonlearn.data.batch import CONSTANT
from sonlearn.options import TextOptions
from sonlearn.text.hashing import FNV_PRIME, VW_CONSTANT, hash_bytes
from sonlearn.text.interact import GRAM_PRIME, InteractionPlan
from sonlearn.text.number import NUMBER
from sonlearn.text.vw import make_names

#: (slot, name); of an interaction or an n-gram a third entry says so.
Named = tuple[int, str] | tuple[int, str, bool]
#: Slots that names are kept of, and names a slot.
MOST_SLOTS, MOST_NAMES = 1 << 20, 3

_BLANKS = re.compile(rb"[ \t]+")
_REMEMBERED = 1 << 20


class Part(NamedTuple):
    """A feature of a line, for what is made of it: the first byte of its namespace, its name with that and without."""

    byte: int
    slot: int
    name: str
    bare: str


class NameTable:
    """The first names of each slot that were met: `MOST_NAMES` of a slot, and no more than `MOST_SLOTS` slots.

    Attributes
    ----------
    known : dict of slot to list of str, in the order in which they were met
    counts : dict of slot to list of int
        How often each of them was met, of tables and JSON; VW text is not counted.
    """

    def __init__(self, known: dict[int, list[str]] | None = None, counts: dict[int, list[int]] | None = None):
        self.known: dict[int, list[str]] = known or {}
        self.counts: dict[int, list[int]] = counts or {}

    def add(self, pairs: Iterable[Named]) -> None:
        """Add names in the order in which they were met; those of made features to slots without a name."""
        for slot, name, *generated in pairs:
            if slot in self.known:
                names = self.known[slot]
                if not generated and name not in names and len(names) < MOST_NAMES:
                    names.append(name)
            elif len(self.known) < MOST_SLOTS:
                self.known[slot] = [name]

    def join(self, known: dict[int, list[str]]) -> None:
        """Add the names that another table knows."""
        self.add((slot, name) for slot, names in known.items() for name in names)

    def count(self, counted: Iterable[tuple[int, str, int]]) -> None:
        """Add names that were met so often: (slot, name, times)."""
        for slot, name, times in counted:
            names = self.known.get(slot)
            if names is None:
                if len(self.known) >= MOST_SLOTS:
                    continue
                names = self.known[slot] = []
            counts = self.counts.setdefault(slot, [0] * len(names))
            counts += [0] * (len(names) - len(counts))
            if name in names:
                counts[names.index(name)] += times
            elif len(names) < MOST_NAMES:
                names.append(name)
                counts.append(times)

    def of(self, slot: int) -> list[str]:
        """The names of a slot, the most frequent first; of names as frequent, that which was met first."""
        names, counts = self.known.get(slot, []), self.counts.get(slot, [])
        order = sorted(range(len(names)), key=lambda i: -counts[i] if i < len(counts) else 0)
        return [names[i] for i in order]


class LineNames:
    """Takes lines of VW text apart; remembers what it has named."""

    def __init__(self, options: TextOptions):
        names = make_names(options)
        self._mask, self._seed, self._default, self._hash_all = names.mask, names.seed, names.default, names.hash_all
        self._drop = names.drop
        self._slots: dict[tuple[bytes, bytes, bytes | None], tuple[int, str]] = {}
        self._generated: set[int] = set()  # slots of made features that were named
        self.constant = (VW_CONSTANT & names.mask, "Constant") if options.constant else None

    def new_names(
        self, chunk: np.ndarray, lines: np.ndarray, rows: Iterable[list[int]], plan: InteractionPlan | None = None
    ) -> list[Named]:
        """The features in a chunk that have not been named before.

        Parameters
        ----------
        chunk : uint8, whole lines
        lines : int64[n], the numbers of its lines with examples, from 1 on
        rows : the slots of each of them, without the constant and what `plan` makes of them
        plan : InteractionPlan or None, of interactions and n-grams
        """
        if len(self._slots) > _REMEMBERED:
            self._slots.clear()
        texts = chunk.tobytes().split(b"\n")
        found: list[Named] = [self.constant] if self.constant and not self._slots else []
        for number, slots in zip(lines.tolist(), rows, strict=True):
            fresh: list[Named] = []
            parts: list[Part] = []
            if [slot for slot, _ in self.features(texts[number - 1], fresh, parts)] == slots:
                found += fresh
                found += self._new_generated(plan, parts)
        return found

    def _new_generated(self, plan: InteractionPlan | None, parts: list[Part]) -> Iterator[Named]:
        if plan is None or len(self._generated) >= MOST_SLOTS:  # more would not be kept
            return
        for slot, name in generated_features(plan, self._mask, parts):
            if slot not in self._generated:
                self._generated.add(slot)
                yield slot, name, True

    def features(
        self, line: bytes, fresh: list[Named] | None = None, parts: list[Part] | None = None
    ) -> Iterator[tuple[int, float]]:
        """(slot, value) of the features of a well-formed line; those not named before are added to `fresh`.

        Each is added to `parts`.
        """
        for part in line.removesuffix(b"\r").split(b"|")[1:]:
            head, *words = _BLANKS.split(part)
            space, colon, weight = head.partition(b":")
            if self._drop[(head or b" ")[0]]:
                continue
            scale, anonymous = float(weight) if colon else 1.0, 0
            for word in filter(None, words):
                name, colon, text = word.partition(b":")
                number = not colon or bool(NUMBER.fullmatch(text))
                value = 1.0 if not number else scale * float(text) if colon else scale
                if number and colon and not name:
                    key, anonymous = (space, b"%d" % anonymous, b""), anonymous + 1
                else:
                    key = (space, name, None if number else text)
                if value:
                    slot, shown = self._slot(key, fresh)
                    if parts is not None:
                        bare = shown[len(space.decode("utf-8", "surrogateescape")) + 1 :] if space else shown
                        parts.append(Part((head or b" ")[0], slot, shown, bare))
                    yield slot, value

    def _slot(self, key: tuple[bytes, bytes, bytes | None], fresh: list[Named] | None) -> tuple[int, str]:
        """Slot and name of (namespace, name, text value or None); of ``:value`` (namespace, its place, no text)."""
        known = self._slots.get(key)
        if known is None:
            space, name, text = key
            slot = hash_bytes(space, self._seed, hash_all=self._hash_all) if space else self._default
            if text == b"":
                slot += int(name)
            else:
                slot = hash_bytes(name, slot, hash_all=self._hash_all)
                slot = slot if text is None else hash_bytes(text, slot, hash_all=self._hash_all)
            shown = name if text is None else b"[%s]" % name if text == b"" else name + b"^" + text
            known = slot & self._mask, (space + b"^" + shown if space else shown).decode("utf-8", "surrogateescape")
            self._slots[key] = known
            if fresh is not None:
                fresh.append(known)
        return known


def generated_features(plan: InteractionPlan, mask: int, parts: list[Part]) -> Iterator[tuple[int, str]]:
    """(slot, name) of a line's n-grams and then interactions, in the order of the kernel (`sonlearn.text.interact`).

    An interaction is ``a^x*b^y``, an n-gram ``a^x^y``, as in Vowpal Wabbit.
    """
    lines: dict[int, list[Part]] = {}
    for part in parts:
        lines.setdefault(part.byte, []).append(part)
    groups = {byte: [(part.slot, part.name) for part in lines[byte]] for byte in sorted(lines)}
    for byte, group in groups.items():
        group += _grams(plan, mask, lines[byte])
        yield from group[len(lines[byte]) :]
    for terms, length in zip(plan.terms.tolist(), plan.length.tolist(), strict=True):
        level = [(k, slot, name) for k, (slot, name) in enumerate(groups.get(terms[0], ()))]
        for before, term in itertools.pairwise(terms[:length]):
            level = [
                (k, ((slot * FNV_PRIME) & mask) ^ other, f"{name}*{more}")
                for at, slot, name in level for k, (other, more) in enumerate(groups.get(term, ()))
                if term != before or k >= at
            ]  # fmt: skip
        yield from ((slot, name) for _, slot, name in level)


def _grams(plan: InteractionPlan, mask: int, line: list[Part]) -> Iterator[tuple[int, str]]:
    """n-grams of the features of the namespaces with a first byte."""
    byte = line[0].byte
    for g in range(int(plan.gram_indptr[byte]), int(plan.gram_indptr[byte + 1])):
        offsets = plan.gram_offset[g, : plan.gram_length[g]].tolist()
        for i in range(len(line) - offsets[-1]):
            slot, name = line[i].slot, line[i].name
            for offset in offsets[1:]:
                slot = (slot * GRAM_PRIME + line[i + offset].slot) & mask
                name = f"{name}^{line[i + offset].bare}"
            yield slot, name


def names_of(feature: int, names: NameTable) -> list[str]:
    """The names that are known of a feature."""
    return ["Constant"] if feature == CONSTANT else names.of(int(feature))
