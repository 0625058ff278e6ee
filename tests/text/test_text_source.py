"""Sources: compression by content, chunks of whole lines, and what is refused."""

import bz2
import gzip
import io
import lzma
import os
import threading
import tracemalloc

import pytest
from for_all import for_all

from sonlearn import InputError, read_batches
from sonlearn.text.source import read_chunks

TEXT = b"".join(b"%d 1:%d\n" % (i % 2, i) for i in range(5000))
COMPRESS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}


def read(source, chunk_bytes=1 << 20) -> bytes:
    return b"".join(chunk.tobytes() for chunk in read_chunks(source, chunk_bytes))


@for_all("kind", COMPRESS)
@for_all("chunk_bytes", [1, 7, 100, 1 << 20])
def test_content_decides(tmp_path, kind, chunk_bytes):
    path = tmp_path / "data.txt"  # the name says nothing
    path.write_bytes(COMPRESS[kind](TEXT))
    chunks = [chunk.tobytes() for chunk in read_chunks(path, chunk_bytes)]
    assert b"".join(chunks) == TEXT
    assert all(chunk.endswith(b"\n") for chunk in chunks)


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_members_and_padding(tmp_path, kind):
    path = tmp_path / "data"
    path.write_bytes(COMPRESS[kind](TEXT) + COMPRESS[kind](b"1 2:3") + b"\0" * 8)
    assert read(path) == TEXT + b"1 2:3\n"


@pytest.mark.parametrize("kind", ["bzip2", "xz"])
def test_what_comes_out_of_a_few_bytes_comes_as_it_is_asked_for(tmp_path, kind):
    """A file of some hundred bytes may hold gigabytes."""
    path = tmp_path / "data"
    path.write_bytes(COMPRESS[kind](b"\n" * 18_000_000))
    tracemalloc.start()
    try:
        assert len(next(read_chunks(path, 1000))) <= 1000
        assert tracemalloc.get_traced_memory()[1] < 16_000_000  # xz has a dictionary of 8 MB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["gzip", "bzip2", "xz"])
def test_truncated_after_the_lines_before(tmp_path, kind):
    data = COMPRESS[kind](os.urandom(300_000).hex(" ", 20).replace(" ", "\n").encode() + b"\n")
    path = tmp_path / "cut"
    path.write_bytes(data[: len(data) * 3 // 4])
    lines: list[bytes] = []
    with pytest.raises(InputError, match=f"found the end of truncated {kind} data, expected a whole {kind} stream"):
        lines.extend(chunk.tobytes() for chunk in read_chunks(path))
    if kind == "gzip":
        assert b"".join(lines).count(b"\n") > 1000
    assert b"".join(lines).endswith(b"\n") or not lines


def test_damaged(tmp_path):
    data = bytearray(gzip.compress(TEXT))
    data[-8] ^= 1  # the checksum
    path = tmp_path / "damaged"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"damaged: found damaged gzip data .*incorrect data check"):
        read(path)
    path.write_bytes(gzip.compress(TEXT) + b"junk")
    with pytest.raises(InputError, match="found other data after the end of the gzip data"):
        read(path)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"PK\x03\x04....", "a zip archive"),
        (b"PAR1....", "a Parquet file"),
        (b"\xff\xfe1\0 \0", "UTF-16 text"),
        *((text.encode(code), f"{code.upper()} text") for text in ("id,y\n1,2\n",) for code in ("utf-32", "utf-16le")),
        ("id,y\n".encode("utf-16be"), "UTF-16BE text"),
        (b"1 2:3\0\0", "a binary file (a zero byte at offset 5)"),
    ],
)
def test_binary(tmp_path, head, found):
    path = tmp_path / "f"
    path.write_bytes(head)
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.found == found
    assert caught.value.line is None
    with pytest.raises(InputError):
        read(io.BytesIO(gzip.compress(head)))


def test_zstd(tmp_path):
    path = tmp_path / "f.svm"
    try:
        from compression import zstd  # Python 3.14

        path.write_bytes(zstd.compress(TEXT))
        assert read(path, 100) == TEXT
        return
    except ImportError:
        pass
    try:
        import zstandard
    except ImportError:
        path.write_bytes(b"\x28\xb5\x2f\xfd....")
        with pytest.raises(InputError, match="zstd data, and no decoder is installed, expected pip install zstandard"):
            read(path)
        return
    data = zstandard.ZstdCompressor().compress(TEXT)
    path.write_bytes(data + data)
    assert read(path, 100) == TEXT + TEXT
    path.write_bytes(data[:-20])
    with pytest.raises(InputError, match="truncated zstd data"):
        read(path)


def test_a_directory_is_no_text(tmp_path):
    with pytest.raises(InputError, match="found a directory, expected a text file"):
        read(tmp_path)


@for_all("text, expected", [(b"", b""), (b"1", b"1\n"), (b"\xef\xbb\xbf1 2:3", b"1 2:3\n")])
@for_all("chunk_bytes", [1, 2, 3, 4, 100])
def test_ends(text, expected, chunk_bytes):
    assert read(io.BytesIO(text), chunk_bytes) == expected


def test_named_pipe_is_opened_once(tmp_path):
    """As of ``sonlearn train <(zcat ...)``: whoever looks at the first bytes must hand them on."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(gzip.compress(TEXT),))
    writer.start()
    batches = list(read_batches(str(path)))
    writer.join()
    assert sum(batch.n for batch in batches) == 5000


def test_slow_pipe_is_handed_on():
    """What has arrived is yielded although the pipe is still open."""
    out, into = os.pipe()
    with open(out, "rb", buffering=0) as reading, open(into, "wb", buffering=0) as writing:
        chunks = read_chunks(reading)
        for line in (b"1 1:1\n", b"0 2:2\n0 3:3\n"):
            writing.write(line)
            assert next(chunks).tobytes() == line
        writing.write(b"1 ")
        timer = threading.Timer(0.1, writing.write, [b"4:4\n1 5"])
        timer.start()
        assert next(chunks).tobytes() == b"1 4:4\n"
        timer.join()
        writing.close()
        assert [chunk.tobytes() for chunk in chunks] == [b"1 5\n"]


def test_chunks_of_long_lines_may_be_longer():
    """All but the first are, if asked for; the text is the same."""
    chunk_bytes, long, short = 1 << 14, b"x" * 1000 + b"\n", b"y" * 100 + b"\n"
    for line, stretch, longest in ((long, 2, 2 * chunk_bytes), (long, 1, chunk_bytes), (short, 2, chunk_bytes)):
        sizes = [len(chunk) for chunk in read_chunks(io.BytesIO(line * 500), chunk_bytes, stretch=stretch)]
        assert sum(sizes) == len(line) * 500
        assert sizes[0] <= chunk_bytes
        assert longest - len(line) < sizes[1] <= longest
    chunks = read_chunks(io.BytesIO(long * 500 + short * 5), chunk_bytes, stretch=2)
    assert b"".join(chunk.tobytes() for chunk in chunks) == long * 500 + short * 5
