"""Names of features, for people: which names the slots of a hashed text stand for.

The kernel hashes names and forgets them, but says where in the text they stand, if it is asked to (``--names``).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from sonlearn.data.batch import CONSTANT
from sonlearn.options import TextOptions
from sonlearn.text.hashing import FNV_PRIME, constant_id
from sonlearn.text.interact import GRAM_PRIME, InteractionPlan
from sonlearn.text.rows import ParsedRows

#: (slot, name, how often it was met): 0 where that is not counted, `MADE` of an interaction or an n-gram.
Named = tuple[int, str, int]
MADE = -1
#: Slots that names are kept of, and names a slot.
MOST_SLOTS, MOST_NAMES = 1 << 20, 3

#: The name of a namespace.
_SPACE = re.compile(rb"[^ \t|:\r\n]*")
_MAX_REMEMBERED = 1 << 20


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

    def add(self, named: Iterable[Named]) -> None:
        """Add names in the order in which they were met; those of made features to slots without a name."""
        for slot, name, times in named:
            names = self.known.get(slot)
            if names is None:
                if len(self.known) >= MOST_SLOTS:
                    continue
                names = self.known[slot] = []
            elif times == MADE:
                continue
            if name not in names and len(names) < MOST_NAMES:
                names.append(name)
            if times > 0:
                counts = self.counts.setdefault(slot, [])
                counts += [0] * (len(names) - len(counts))
                if name in names:
                    counts[names.index(name)] += times

    def join(self, known: dict[int, list[str]]) -> None:
        """Add the names that another table knows."""
        self.add((slot, name, 0) for slot, names in known.items() for name in names)

    def of(self, slot: int) -> list[str]:
        """The names of a slot, the most frequent first; of names as frequent, that which was met first."""
        names, counts = self.known.get(slot, []), self.counts.get(slot, [])
        order = sorted(range(len(names)), key=lambda i: -counts[i] if i < len(counts) else 0)
        return [names[i] for i in order]


class LineNames:
    """Names the features of VW text; remembers what it has named.

    Parameters
    ----------
    options : TextOptions
    """

    def __init__(self, options: TextOptions):
        self._mask = (1 << options.bits) - 1
        self._named: dict[tuple[bytes, bytes, int], Part] = {}  # by namespace, name and slot
        self._generated: set[int] = set()  # slots of made features that were named
        self._constant = (constant_id(options, "vw"), "Constant", 0) if options.constant else None

    def new_names(
        self, text: bytes, rows: ParsedRows, n: int, plan: InteractionPlan | None = None,
        refused: Container[int | None] = (),
    ) -> list[Named]:  # fmt: skip
        """The features of the first `n` rows that have not been named before.

        Parameters
        ----------
        text : bytes, what `rows` were parsed from
        rows : ParsedRows, with the places of names
        n : int
        plan : InteractionPlan or None, of interactions and n-grams
        refused : lines of rows for which nothing is made, since that would be too much
        """
        if len(self._named) > _MAX_REMEMBERED:
            self._named.clear()
        found: list[Named] = [self._constant] if self._constant and not self._named else []
        for row in range(n):
            parts = list(self.parts(text, rows, row, found))
            wanted = len(self._generated) < MOST_SLOTS and int(rows.lines[row]) not in refused  # more would not be kept
            if plan is not None and wanted:
                for slot, name in generated_features(plan, self._mask, parts):
                    if slot not in self._generated:
                        self._generated.add(slot)
                        found.append((slot, name, MADE))
        return found

    def parts(self, text: bytes, rows: ParsedRows, row: int, found: list[Named]) -> Iterator[Part]:
        """The features of a row; those not named before are added to `found`."""
        runs = slice(rows.run_indptr[row], rows.run_indptr[row + 1])
        begins = [*rows.run_start[runs].tolist(), int(rows.indptr[row + 1]) - (self._constant is not None)]
        for byte, bar, (begin, end) in zip(
            rows.run_byte[runs].tolist(), rows.run_bar[runs].tolist(), itertools.pairwise(begins), strict=True
        ):
            space = _SPACE.match(text, bar + 1)[0]  # type: ignore[index]
            for slot, (start, stop) in zip(
                rows.indices[begin:end].tolist(), rows.tokens[begin:end].tolist(), strict=True
            ):
                token = text[start:stop] if start >= 0 else b"[%d]" % stop
                part = self._named.get((space, token, slot))
                if part is None:
                    bare = token.replace(b":", b"^", 1).decode("utf-8", "surrogateescape")
                    name = f"{space.decode('utf-8', 'surrogateescape')}^{bare}" if space else bare
                    part = self._named[space, token, slot] = Part(byte, slot, name, bare)
                    found.append((slot, name, 0))
                yield part


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
