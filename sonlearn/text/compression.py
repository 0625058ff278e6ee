"""Decompression by content, also of streams that cannot seek: gzip, bzip2, xz and, with a decoder installed, zstd."""

from __future__ import annotations

import contextlib
import io
import select
import zlib
from typing import Any

from sonlearn.errors import InputError

_BLOCK = 1 << 16
_MAGIC = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
_MAGIC_BYTES = max(map(len, _MAGIC.values()))


def is_compressed(head: bytes) -> bool:
    """Return whether a file that begins with `head` is compressed in a way that is known here."""
    return any(head.startswith(magic) for magic in _MAGIC.values())


class PlainBytes:
    """A stream whose first bytes have been looked at: `head`, then the rest of `raw`."""

    def __init__(self, raw: Any, head: bytes):
        self._raw, self._head = raw, head

    def read_into(self, view: memoryview) -> int:
        """Fill the beginning of `view`; the number of bytes, 0 at the end of the stream."""
        if not self._head:
            return _read_into(self._raw, view)
        n = min(len(self._head), len(view))
        view[:n] = self._head[:n]
        self._head = self._head[n:]
        return n

    def ready(self) -> bool:
        """Return whether a read would not wait. True for anything but a pipe, a socket or a terminal."""
        if self._head:
            return True
        try:
            return bool(select.select([self._raw], [], [], 0)[0])
        except (OSError, ValueError, TypeError, io.UnsupportedOperation):
            return True


class DecompressedBytes:
    """The same interface over compressed bytes, of any number of members one after the other."""

    def __init__(self, inner: PlainBytes, kind: str, name: str):
        self._inner, self._kind, self._name = inner, kind, name
        self._decoder: Any = None
        self._block = bytearray(_BLOCK)
        self._pending, self._out = b"", memoryview(b"")

    def read_into(self, view: memoryview) -> int:
        """Fill the beginning of `view`; InputError where the data are damaged or end too early."""
        while not self._out:
            if self._decoder is None and not self._next_member():
                return 0
            data = b""
            if self._needs_input():
                data, self._pending = self._pending or self._read(), b""
                if not data:
                    raise self._damaged(f"the end of truncated {self._kind} data")
            limit = (len(view),) if hasattr(self._decoder, "needs_input") else ()
            try:
                self._out = memoryview(self._decoder.decompress(data, *limit))
            except Exception as error:  # each decoder has an exception of its own, the zstd ones optional
                raise self._damaged(f"damaged {self._kind} data ({error})") from error
            if self._decoder.eof:
                self._pending, self._decoder = self._decoder.unused_data, None
        n = min(len(self._out), len(view))
        view[:n], self._out = self._out[:n], self._out[n:]
        return n

    def ready(self) -> bool:
        """Return whether a read would not wait."""
        inside = self._decoder is not None and not self._needs_input()
        return inside or bool(self._out or self._pending) or self._inner.ready()

    def _needs_input(self) -> bool:
        """Tell whether the decoder has handed out all that it was given, as those of zlib and zstandard always have."""
        return getattr(self._decoder, "needs_input", True)

    def _read(self) -> bytes:
        n = self._inner.read_into(memoryview(self._block))
        return bytes(memoryview(self._block)[:n])

    def _next_member(self) -> bool:
        """Start on the next member; False at the end of the stream. Padding with zero bytes is allowed, as in gzip."""
        magic = _MAGIC[self._kind]
        while True:
            self._pending = self._pending.lstrip(b"\0")
            more = b"" if len(self._pending) >= len(magic) else self._read()
            if not more:
                break
            self._pending += more
        if not self._pending:
            return False
        if not self._pending.startswith(magic):
            raise self._damaged(f"other data after the end of the {self._kind} data")
        self._decoder = _decoder(self._kind, self._name)
        return True

    def _damaged(self, found: str) -> InputError:
        return InputError(self._name, found, f"a whole {self._kind} stream")


def _decoder(kind: str, name: str) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    if kind == "bzip2":
        import bz2

        return bz2.BZ2Decompressor()
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor(lzma.FORMAT_XZ)
    with contextlib.suppress(ImportError):
        from compression.zstd import ZstdDecompressor  # Python 3.14

        return ZstdDecompressor()
    with contextlib.suppress(ImportError):
        import zstandard

        return zstandard.ZstdDecompressor().decompressobj()
    remedy = "pip install zstandard (Python 3.14 has one); or decompress it first: zstd -dc FILE | sonlearn ..."
    raise InputError(name, "zstd data, and no decoder is installed", remedy)


def _read_into(raw: Any, view: memoryview) -> int:
    """One read of `raw`, waiting where it is set not to wait."""
    while True:
        n = raw.readinto1(view) if hasattr(raw, "readinto1") else raw.readinto(view)
        if n is not None:
            return n
        select.select([raw], [], [])


def decompressed(raw: Any, name: str) -> PlainBytes | DecompressedBytes:
    """Look at the first bytes of the binary stream `raw` and wrap it accordingly; `name` is for messages."""
    head = bytearray(_MAGIC_BYTES)
    n = _read_into(raw, memoryview(head))
    while 0 < n < _MAGIC_BYTES and any(magic.startswith(head[:n]) for magic in _MAGIC.values()):
        more = _read_into(raw, memoryview(head)[n:])
        if more == 0:
            break
        n += more
    kind = next((kind for kind, magic in _MAGIC.items() if head[:n].startswith(magic)), None)
    plain = PlainBytes(raw, bytes(head[:n]))
    return plain if kind is None else DecompressedBytes(plain, kind, name)
