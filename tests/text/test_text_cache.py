"""The cache: what comes out is what went in, and it is not used when it is stale or damaged."""

import errno
import io
import os

import numpy as np
import pytest

from sonlearn import Batch, InputError, TextOptions
from sonlearn.errors import OutputError
from sonlearn.text import cache
from sonlearn.text.cache import CachedReader
from sonlearn.text.read import Reader

TEXT = b"1 2 0.5 't\xff |a b:0.1 c\n | d\n-1 |n x:1e300\n" + b"".join(
    b"%d |a f%d:%d\n" % (i % 2, i, i) for i in range(300)
)


def assert_same(ours: list[Batch], theirs: list[Batch]) -> None:
    for one, two in zip(ours, theirs, strict=True):
        assert (one.source, one.tags, one.base is None) == (two.source, two.tags, two.base is None)
        for name in ("indptr", "indices", "values", "y", "weight", "lines"):
            assert getattr(one, name).dtype == getattr(two, name).dtype
            assert getattr(one, name).tobytes() == getattr(two, name).tobytes(), name
        assert one.base is None or one.base.tobytes() == two.base.tobytes()


@pytest.fixture
def files(tmp_path):
    source, other = tmp_path / "a.vw", tmp_path / "b.vw"
    source.write_bytes(TEXT)
    other.write_bytes(b"1 |a b\n")
    return [source, other], tmp_path / "cache"


@pytest.mark.parametrize("options", [TextOptions(), TextOptions(bits=40, constant=False)])
@pytest.mark.parametrize("threads", [0, 1])
def test_round_trip(files, options, threads):
    sources, path = files
    expected = list(Reader(sources, options, chunk_bytes=1000))
    reader = CachedReader(sources, options, path=path, chunk_bytes=1000, threads=threads)
    assert_same(list(reader), expected)
    assert reader.reason == "no cache"
    for _ in range(2):
        assert_same(list(reader), expected)
        assert (reader.reason, reader.format) == (None, "vw")
    again = CachedReader(sources, options, path=path)
    assert_same(list(again), expected)
    assert again.reason is None
    assert sorted(os.listdir(path.parent)) == ["a.vw", "b.vw", "cache"]


def test_stale(files):
    sources, path = files
    list(CachedReader(sources, path=path))

    def reason(sources=sources, options=TextOptions(), **given):  # noqa: B008
        reader = CachedReader(sources, options, path=path, **given)
        batches = list(reader)
        assert_same(batches, list(Reader(sources, options)))
        return reader.reason

    assert reason() is None
    os.utime(sources[0], (1, 1))
    assert reason() == f"a cache older than {sources[0]}"
    assert reason() is None
    sources[0].write_bytes(TEXT.replace(b"f7:7", b"g7:7"))
    assert reason() == f"a cache older than {sources[0]}"
    assert reason() is None
    sources[0].write_bytes(TEXT + b"1 |z z\n")
    assert reason() == f"a cache older than {sources[0]}"
    assert reason(options=TextOptions(bits=10)) == "a cache made with other options"
    assert reason(options=TextOptions(bits=10), on_error="skip") == "a cache made with other options"
    assert reason(sources[:1]) == "a cache made with other options"
    assert reason(sources[1:]) == "a cache of other files"
    assert reason(sources) == "a cache of other files"
    assert reason() is None


@pytest.mark.parametrize("how", ["in place", "moved over"])
def test_another_content_of_the_same_size_and_time_is_seen(files, how, monkeypatch):
    """As ``cp -p`` leaves it: the times of the last writing of both files are the same."""
    monkeypatch.setattr(cache, "_ENDS", 10)  # so that the change below lies between the ends
    sources, path = files
    list(CachedReader(sources, path=path))
    before = os.stat(sources[0])
    changed = TEXT.replace(b"f7:7", b"g7:7", 1)
    if how == "in place":
        sources[0].write_bytes(changed)
    else:
        other = path.parent / "other"
        other.write_bytes(changed)
        os.replace(other, sources[0])
    os.utime(sources[0], ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(sources[0]).st_mtime_ns == before.st_mtime_ns
    reader = CachedReader(sources, path=path)
    assert_same(list(reader), list(Reader(sources)))
    assert reader.reason == f"a cache older than {sources[0]}"


def test_where_the_times_say_nothing_the_ends_decide(files, monkeypatch):
    monkeypatch.setattr(cache, "_ENDS", 100)
    identity = cache._identity
    monkeypatch.setattr(cache, "_identity", lambda source: identity(source) | {"times": [0, 0], "number": 0})
    sources, path = files
    for at, seen in ((0, True), (99, True), (len(TEXT) // 2, False), (len(TEXT) - 3, True)):
        sources[0].write_bytes(TEXT)
        list(CachedReader(sources, path=path))
        assert TEXT[at : at + 1] != b"4"
        sources[0].write_bytes(TEXT[:at] + b"4" + TEXT[at + 1 :])
        reader = CachedReader(sources, path=path, on_error="skip")
        trailer = cache.read_trailer(path)
        trailer["settings"]["skips"] = True
        assert reader._stale(trailer) == (f"a cache older than {sources[0]}" if seen else None)


def test_damaged_and_truncated(files):
    sources, path = files
    list(CachedReader(sources, path=path))
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        reader = CachedReader(sources, path=path)
        list(reader)
        assert reader.reason == "a cache that is truncated or of another version"
        assert path.read_bytes() == whole


def test_any_changed_byte_is_found(files):
    sources, path = files
    list(CachedReader(sources, path=path, chunk_bytes=3000))
    whole = path.read_bytes()
    trailer, head = whole.rindex(b'{"settings"') - cache._BLOCK.size, whole.index(b"\n") + 1
    spread, end = range(20, trailer, max(1, trailer // 200)), len(whole) - head
    for at in (*range(head, 60), *spread, *range(trailer, end, 7), *range(end - 12, end)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x41]) + whole[at + 1 :])
        reader = CachedReader(sources, path=path, chunk_bytes=3000)
        if at < trailer:
            with pytest.raises(InputError, match="found a damaged cache, expected the one that was written; delete it"):
                list(reader)
        else:
            list(reader)
            assert reader.reason == "a cache that is truncated or of another version"
            assert path.read_bytes() == whole


def test_a_foreign_file_is_not_overwritten(files):
    sources, path = files
    path.write_bytes(b"precious")
    with pytest.raises(InputError, match="found a file that is no cache, expected a cache; name another file"):
        list(CachedReader(sources, path=path))
    assert path.read_bytes() == b"precious"


def test_broken_off_or_failed_leaves_nothing(files):
    sources, path = files
    batches = iter(CachedReader(sources, path=path, chunk_bytes=100))
    next(batches)
    batches.close()
    sources[0].write_bytes(TEXT + b"bad\n")
    with pytest.raises(InputError, match="expected a bar"):
        list(CachedReader(sources, path=path))
    assert sorted(os.listdir(path.parent)) == ["a.vw", "b.vw"]


@pytest.mark.parametrize("room", [0, 1, 5, 8])  # the last one: for all but the trailer
def test_a_full_disk_costs_the_cache_alone(files, room, monkeypatch):
    sources, path = files
    plain = Reader(sources, chunk_bytes=600)
    expected = list(plain)
    assert len(expected) == 8
    write, written = cache._write, []

    def full(file, *rest):
        written.append(rest)
        if len(written) > room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(file, *rest)

    reader = CachedReader(sources, path=path, chunk_bytes=600)
    with monkeypatch.context() as patch:
        patch.setattr(cache, "_write", full)
        assert_same(list(reader), expected)
        told = f"{path}: cannot be written: No space left on device; the text is read without a cache"
        assert reader.notes == [*plain.notes, told]
        assert sorted(os.listdir(path.parent)) == ["a.vw", "b.vw"]
        stream = CachedReader([io.BytesIO(TEXT)], path=path)  # which further passes could not read again
        with pytest.raises(OutputError, match="cannot be written: No space left"):
            list(stream)
    for reason in ("no cache", None):
        assert_same(list(reader), expected)
        assert (reader.reason, told in reader.notes) == (reason, False)


def test_a_text_that_changes_between_passes_is_read_as_by_a_new_reader(files):
    (_, source), path = files
    options = TextOptions(quadratic=("::", "nz"))
    reader = CachedReader([source], options, path=path)
    for text in (b"1 |a x |n y |z w\n", b"1 |a x\n1 |a x |b y\n", b'{"_label": 1, "a": {"b": 2}}\n'):
        source.write_bytes(text)
        anew = Reader([source], options)
        assert_same(list(reader), list(anew))
        assert (reader.notes, reader.format) == (anew.notes, anew.format)


def test_skipped_lines_are_remembered(files):
    sources, path = files
    sources[0].write_bytes(TEXT + b"bad\nworse\n")
    for expected in ("no cache", None):
        reader = CachedReader(sources, path=path, on_error="skip")
        list(reader)
        assert reader.reason == expected
        assert reader.malformed.count == 2
        assert [str(error).split(": ")[1][:12] for error in reader.malformed.errors] == ["found 'bad',", "found 'worse"]
    reader = CachedReader(sources, path=path, on_error="skip", max_errors=1)
    with pytest.raises(InputError, match="worse"):
        list(reader)
    assert reader.reason == "a cache with more malformed lines than are allowed"


def test_a_stream_can_be_read_twice(tmp_path):
    reader = CachedReader(io.BytesIO(TEXT), path=tmp_path / "cache")
    first = list(reader)
    assert_same(list(reader), first)
    assert np.concatenate([batch.y for batch in first]).size == 303
    later = CachedReader(io.BytesIO(TEXT), path=tmp_path / "cache")
    assert_same(list(later), first)
    assert later.reason == "a cache of other files"
