"""Interactions and n-grams of VW's namespaces: the options as tables, and the kernel that adds features to rows.

As in VW 9: namespaces go by their first byte, and all with the same one together, in the order of the line. n-grams
are formed first and take part in interactions. The slot of an interaction of i, j, k, ... is
``((i * FNV_PRIME) ^ j) * FNV_PRIME ^ k ...``, its value the product; within a namespace that is named more than once,
every combination comes once, that of a feature with itself included. The slot of an n-gram is a polynomial in
`GRAM_PRIME`, its value 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from sonlearn.errors import shorten
from sonlearn.jit import inline, jit
from sonlearn.options import TextOptions
from sonlearn.options.spec import gram_size, raw
from sonlearn.text.hashing import FNV_PRIME

#: VW's multiplier for n-grams.
GRAM_PRIME = 27942141

_WILDCARD = ord(":")
_PRINTABLE = range(ord(" "), ord("~") + 1)


class InteractionPlan(NamedTuple):
    """Tables of the kernels.

    Attributes
    ----------
    terms : uint8[interactions, longest], first bytes of the namespaces of each interaction
    length : int64[interactions], how many of them count
    gram_indptr : int64[257], n-grams of the namespaces with byte c: ``gram_indptr[c]:gram_indptr[c + 1]``
    gram_offset : int64[grams, longest], positions of an n-gram's features relative to its first
    gram_length : int64[grams]
    """

    terms: np.ndarray
    length: np.ndarray
    gram_indptr: np.ndarray
    gram_offset: np.ndarray
    gram_length: np.ndarray


class Room(NamedTuple):
    """One row, sorted by namespace: those of byte c are entries ``begin[c]:begin[c + 1]`` of `slot` and `value`.

    ``depth_*`` (16 entries) are the stack of the loop over an interaction.
    """

    begin: np.ndarray
    used: np.ndarray
    slot: np.ndarray
    value: np.ndarray
    depth_at: np.ndarray
    depth_slot: np.ndarray
    depth_value: np.ndarray


class Expanded(NamedTuple):
    """Rows with their n-grams and interactions, as CSR; a kernel fills it in."""

    indptr: np.ndarray  # int64[rows + 1]
    indices: np.ndarray  # int64[entries]
    values: np.ndarray  # float64[entries]


def make_room(entries: int) -> Room:
    """Room for a row of `entries` features, n-grams included."""
    begin, used = np.zeros(257, dtype=np.int64), np.zeros(256, dtype=np.int64)
    slot, value = np.empty(entries, dtype=np.int64), np.empty(entries)
    return Room(begin, used, slot, value, np.zeros(16, np.int64), np.zeros(16, np.int64), np.zeros(16))


def compile_interactions(specs: list[bytes], seen: set[int]) -> list[bytes]:
    """Interactions without wildcards for the namespaces `seen`, as VW forms them.

    A wildcard stands for every namespace with a printable first byte. The order of the letters decides the slots, so
    VW's rules are followed to the letter, before wildcards are replaced and after.
    """
    specs = _normal(specs)
    if any(_WILDCARD in spec for spec in specs):
        names = sorted(seen.intersection(_PRINTABLE))
        specs = _normal([s for spec in specs for s in _expand_wildcards(spec, names)])
    return specs


def _normal(specs: list[bytes]) -> list[bytes]:
    """In order of length and letters; of those with the same letters the first; letters sorted where some repeat."""
    first: dict[bytes, bytes] = {}
    for spec in sorted(specs, key=lambda s: (len(s), s)):
        first.setdefault(bytes(sorted(spec)), spec)
    return [key if len(set(key)) < len(key) else spec for key, spec in first.items()]


def _expand_wildcards(spec: bytes, names: list[int]) -> Iterator[bytes]:
    count = spec.count(_WILDCARD)
    if count == 0:
        yield spec
        return
    for chosen in combinations_with_replacement(names, count):
        fill = iter(chosen if count == 2 else reversed(chosen))
        yield bytes(next(fill) if c == _WILDCARD else c for c in spec)


def gram_masks(n: int, skips: int) -> list[list[int]]:
    """Relative positions of the 2-grams to n-grams with up to `skips` skips within each, in VW's order."""
    return [[0, *more] for size in range(1, n) for more in combinations(range(1, size + skips + 1), size)]


class Interactions:
    """The interactions and n-grams that `options` ask for; compiled anew when a namespace is seen first."""

    def __init__(self, options: TextOptions):
        self._specs = [raw(spec) for spec in (*options.quadratic, *options.cubic, *options.interactions)]
        self.seen: set[int] = set()
        self._masks = masks_by_byte(options)
        self.wanted = bool(self._specs) or any(self._masks)  # whether there is anything to add
        self.plan = _make_plan(compile_interactions(self._specs, set()), self._masks)

    def observe(self, namespaces: np.ndarray) -> None:
        """Make the plan ready for namespaces with these first bytes (uint8[n])."""
        new = set(np.flatnonzero(np.bincount(namespaces, minlength=256)).tolist()) - self.seen
        if new:
            self.seen |= new
            self.plan = _make_plan(compile_interactions(self._specs, self.seen), self._masks)


def never_met(options: TextOptions, seen: set[int]) -> Iterator[str]:
    """Yield what is to be said of flags that name a namespace, by its first byte, which is none of those `seen`."""
    for flag, specs in (
        ("-q", options.quadratic), ("--cubic", options.cubic), ("--interactions", options.interactions),
        ("--keep", options.keep), ("--ignore", options.ignore),
    ):  # fmt: skip
        for spec in specs:
            unmet = [chr(byte) for byte in raw(spec) if byte != _WILDCARD and byte not in seen]
            if unmet:
                yield f"{flag} {shorten(spec)}: no namespace begins with {' or '.join(map(repr, dict.fromkeys(unmet)))}"


def masks_by_byte(options: TextOptions) -> list[list[list[int]]]:
    """The n-grams of ``--ngram`` and ``--skips`` (`gram_masks`), by the first byte of a namespace."""
    sizes = np.zeros((2, 256), dtype=np.int64)
    for row, name, values in ((0, "--ngram", options.ngram), (1, "--skips", options.skips)):
        for value in values:
            byte, size = gram_size(name, value)
            sizes[row, slice(None) if byte is None else byte] = size
    return [gram_masks(int(n), int(k)) for n, k in sizes.T]


def _make_plan(specs: list[bytes], masks: list[list[list[int]]]) -> InteractionPlan:
    terms = np.zeros((len(specs), max(map(len, specs), default=1)), dtype=np.uint8)
    for i, spec in enumerate(specs):
        terms[i, : len(spec)] = list(spec)
    flat = [mask for group in masks for mask in group]
    offset = np.zeros((len(flat), max(map(len, flat), default=1)), dtype=np.int64)
    for i, mask in enumerate(flat):
        offset[i, : len(mask)] = mask
    indptr = np.cumsum([0] + [len(group) for group in masks])
    lengths = [np.array([len(item) for item in items], dtype=np.int64) for items in (specs, flat)]
    return InteractionPlan(terms, lengths[0], indptr, offset, lengths[1])


@inline
def _sizes(rows, row, end, plan, used):
    """Features of every namespace byte of a row, n-grams included, into `used`; how many in all."""
    used[:] = 0
    total = 0
    for run in range(rows.run_indptr[row], rows.run_indptr[row + 1]):
        stop = rows.run_start[run + 1] if run + 1 < rows.run_indptr[row + 1] else end
        used[rows.run_byte[run]] += stop - rows.run_start[run]
    for run in range(rows.run_indptr[row], rows.run_indptr[row + 1]):
        c = int(rows.run_byte[run])
        if used[c] < 0:  # seen before in this row
            continue
        size = used[c]
        for g in range(plan.gram_indptr[c], plan.gram_indptr[c + 1]):
            size += max(0, used[c] - plan.gram_offset[g, plan.gram_length[g] - 1])
        used[c] = -size - 1
        total += size
    for run in range(rows.run_indptr[row], rows.run_indptr[row + 1]):
        c = int(rows.run_byte[run])
        used[c] = -used[c] - 1 if used[c] < 0 else used[c]
    return total


@jit
def count_generated(rows, n, constant, plan, used, room_size, count):
    """Features that rows 0..n-1 will have: `count` (float64[n], for it may be astronomic) is filled.

    `constant` (0 or 1) is the number of constant features at the end of each row; ``room_size[0]`` becomes the most
    that a row has without interactions.
    """
    for row in range(n):
        total = _sizes(rows, row, rows.indptr[row + 1] - constant, plan, used)
        room_size[0] = max(room_size[0], total)
        count[row] = total + constant
        for i in range(len(plan.length)):
            product, same = 1.0, 0
            for j in range(plan.length[i]):
                c = plan.terms[i, j]
                same = same + 1 if j > 0 and plan.terms[i, j - 1] == c else 0
                product *= (used[c] + same) / (same + 1)  # C(u + s, s + 1) = C(u + s - 1, s) (u + s) / (s + 1)
            count[row] += np.rint(product)


@jit
def expand(rows, start, stop, constant, plan, mask, room, out):
    """Write rows ``start:stop`` with their n-grams and interactions to `out`.

    Returns the first row that has a product which is not finite, and ends before it; else `stop`.
    """
    indptr, indices, values = out.indptr, out.indices, out.values
    k = 0
    for row in range(start, stop):
        indptr[row - start] = k
        end = rows.indptr[row + 1] - constant
        for e in range(rows.indptr[row], end):
            indices[k] = rows.indices[e]
            values[k] = rows.values[e]
            k += 1
        k = _sort(rows, row, end, plan, mask, room, out, k)
        for i in range(len(plan.length)):
            k = _interact(plan.terms[i], plan.length[i], mask, room, out, k)
            if k < 0:
                return row
        if constant:
            indices[k] = rows.indices[end]
            values[k] = 1.0
            k += 1
    indptr[stop - start] = k
    return stop


@inline
def _sort(rows, row, end, plan, mask, room, out, k):
    """Sort a row by namespace into `room` and add its n-grams there and to the output; the end of that."""
    indices, values = out.indices, out.values
    _sizes(rows, row, end, plan, room.used)
    room.begin[0] = 0
    for c in range(256):
        room.begin[c + 1] = room.begin[c] + room.used[c]
        room.used[c] = 0
    for run in range(rows.run_indptr[row], rows.run_indptr[row + 1]):
        c = int(rows.run_byte[run])
        stop = rows.run_start[run + 1] if run + 1 < rows.run_indptr[row + 1] else end
        for e in range(rows.run_start[run], stop):
            to = room.begin[c] + room.used[c]
            room.slot[to] = rows.indices[e]
            room.value[to] = rows.values[e]
            room.used[c] += 1
    for c in range(256):
        size = room.used[c]
        for g in range(plan.gram_indptr[c], plan.gram_indptr[c + 1] if size > 1 else 0):
            length = plan.gram_length[g]
            for i in range(size - plan.gram_offset[g, length - 1]):
                slot = int(room.slot[room.begin[c] + i])
                for j in range(1, length):
                    slot = slot * GRAM_PRIME + int(room.slot[room.begin[c] + i + plan.gram_offset[g, j]])
                    slot &= mask
                to = room.begin[c] + room.used[c]
                room.slot[to] = indices[k] = slot
                room.value[to] = values[k] = 1.0
                room.used[c] += 1
                k += 1
    return k


@inline
def _interact(terms, length, mask, room, out, k):
    """Append all products of one interaction; the end of the output, or -1 where a product is not finite."""
    indices, values = out.indices, out.values
    depth = 0
    room.depth_at[0] = 0
    while depth >= 0:
        c, i = terms[depth], room.depth_at[depth]
        begin, end, before, factor = room.begin[c] + i, room.begin[c] + room.used[c], 0, 1.0
        if depth > 0:
            before, factor = (int(room.depth_slot[depth - 1]) * FNV_PRIME) & mask, float(room.depth_value[depth - 1])
        if depth == length - 1 or begin == end:
            for e in range(begin, end):
                value = factor * float(room.value[e])
                if abs(value) == np.inf:
                    return -1
                indices[k] = (int(room.slot[e]) ^ before) & mask
                values[k] = value
                k += 1
            depth -= 1
            if depth >= 0:
                room.depth_at[depth] += 1
            continue
        room.depth_slot[depth] = int(room.slot[begin]) ^ before
        room.depth_value[depth] = factor * float(room.value[begin])
        depth += 1
        room.depth_at[depth] = i if terms[depth] == c else 0
    return k
