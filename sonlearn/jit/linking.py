"""Object files of kernels, loaded into memory without LLVM.

LLVM's library takes 50 ms and 40 MB, and what a compiled kernel still needs is little: its sections are copied into
memory, and the addresses of symbols are written where the code refers to them. This module does so for 64-bit x86 and
Linux, where code that Numba has compiled for any address refers to symbols in one way only: by whole addresses.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

# "System V Application Binary Interface", and its supplement for AMD64, name what follows.
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian
_RELOCATABLE, _X86_64 = 1, 62
_SECTION = struct.Struct("<IIQQQQIIQQ")
_PROGBITS, _SYMTAB, _RELA, _NOBITS = 1, 2, 4, 8
_WRITE, _ALLOC = 1, 2
_SYMBOL = struct.Struct("<IBBHQQ")
_UNDEFINED, _ABSOLUTE, _COMMON = 0, 0xFFF1, 0xFFF2
_RELOCATION = np.dtype([("place", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<u8")])
_R_X86_64_64 = 1


class LinkError(Exception):
    """An object file that is not of the one kind that can be loaded here."""


def load(code: bytes, address_of: Callable[[str], int]) -> dict[str, int]:
    """Load an object file, for as long as the process lives; return the addresses of its symbols.

    Parameters
    ----------
    code : bytes
    address_of : callable
        Address of a symbol that the file does not define; LinkError where there is none.

    Raises
    ------
    LinkError
        The file has something that is not known here, or the system gives no memory for code.
    """
    try:
        _, kind, machine, _, _, _, start, *_, number, _ = _HEADER.unpack_from(code)
        if not code.startswith(_MAGIC) or (kind, machine) != (_RELOCATABLE, _X86_64):
            raise LinkError("another kind of file")
        sections = [_SECTION.unpack_from(code, start + i * _SECTION.size) for i in range(number)]
        return _load(code, sections, address_of)
    except (IndexError, UnicodeDecodeError, ValueError, struct.error) as error:
        raise LinkError(f"damaged: {error}") from None


def _load(code: bytes, sections: list[tuple[int, ...]], address_of: Callable[[str], int]) -> dict[str, int]:
    """First code and constants, then, from a new page on, what is written to."""
    places: dict[int, int] = {}
    end = _place(sections, False, 0, places)
    fixed = end = _up(end, mmap.PAGESIZE)
    end = _place(sections, True, end, places)
    symbols, text = _symbols(code, sections)
    commons = {}
    for i, (_, _, _, section, align, size) in enumerate(symbols):
        if section == _COMMON:
            commons[i] = _up(end, align)
            end = commons[i] + size
    base = _memory(end)
    addresses, names = np.zeros(len(symbols), np.uint64), {}
    for i, (name, info, _, section, value, _) in enumerate(symbols):
        own = text[name : text.index(b"\0", name)].decode() if info >> 4 else ""  # 0: local, nobody asks for it
        if section == _UNDEFINED:
            addresses[i] = address_of(own) if own else 0
            continue
        if section in places:
            addresses[i] = base + places[section] + value
        elif section in (_COMMON, _ABSOLUTE):
            addresses[i] = base + commons[i] if section == _COMMON else value
        names[own] = int(addresses[i])
    image = np.zeros(end, np.uint8)
    for i, place in places.items():
        _, kind, _, _, offset, size, *_ = sections[i]
        if kind == _PROGBITS:
            image[place : place + size] = np.frombuffer(code, np.uint8, size, offset)
    for _, kind, _, _, offset, size, _, target, *_ in sections:
        if kind == _RELA and target in places:
            entries = np.frombuffer(code, _RELOCATION, size // _RELOCATION.itemsize, offset)
            _write_addresses(image, places[target], entries, addresses)
    ctypes.memmove(base, image.ctypes.data, end)
    if _libc().mprotect(base, fixed, mmap.PROT_READ | mmap.PROT_EXEC):
        raise LinkError("no memory for code")
    return names


def _place(sections: list[tuple[int, ...]], writable: bool, end: int, places: dict[int, int]) -> int:
    """Put sections behind each other from `end` on; return their end. (Tables for exceptions of C++ are left out.)"""
    for i, (_, kind, flags, _, _, size, _, _, align, _) in enumerate(sections):
        if flags & _ALLOC and kind in (_PROGBITS, _NOBITS) and bool(flags & _WRITE) == writable:
            places[i] = _up(end, align)
            end = places[i] + size
    return end


def _symbols(code: bytes, sections: list[tuple[int, ...]]) -> tuple[list[tuple[int, ...]], bytes]:
    """The table of symbols, and the text that has their names."""
    for _, kind, _, _, offset, size, link, *_ in sections:
        if kind == _SYMTAB:
            _, _, _, _, start, length, *_ = sections[link]
            return list(_SYMBOL.iter_unpack(code[offset : offset + size])), code[start : start + length]
    raise LinkError("no symbols")


def _write_addresses(image: np.ndarray, place: int, entries: np.ndarray, addresses: np.ndarray) -> None:
    """Write the addresses of symbols where the entries of a section at `place` say."""
    targets = addresses[entries["symbol"]]
    if (entries["type"] != _R_X86_64_64).any() or not targets.all():
        raise LinkError("references of another kind")
    at = entries["place"].astype(np.int64)[:, None] + np.arange(place, place + 8)
    image[at] = (targets + entries["addend"]).astype("<u8").view(np.uint8).reshape(-1, 8)


def _up(number: int, step: int) -> int:
    """The next multiple of `step`."""
    return -(-number // max(step, 1)) * max(step, 1)


def _memory(size: int) -> int:
    """Memory that is never given back: at the end of the process, threads may still run code in it."""
    protection, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    base: int | None = _libc().mmap(None, size, protection, flags, -1, 0)
    if base is None or base == ctypes.c_void_p(-1).value:
        raise LinkError("no memory")
    return base


@functools.cache
def _libc() -> Any:
    libc = ctypes.CDLL(None)
    size, number = ctypes.c_size_t, ctypes.c_int
    libc.mmap.argtypes = [ctypes.c_void_p, size, number, number, number, ctypes.c_long]
    libc.mmap.restype = ctypes.c_void_p
    libc.mprotect.argtypes = [ctypes.c_void_p, size, number]
    return libc
