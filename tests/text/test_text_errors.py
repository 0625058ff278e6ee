"""Skipping malformed lines, the order of threads, refused options, and repeated indices."""

import gzip
import io
import itertools
import os
import threading
import time
from concurrent.futures import thread as pools

import numpy as np
import pytest
from for_all import for_all

from sonlearn import InputError, OptionError, TextOptions
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.malformed import SHOWN_ERRORS
from sonlearn.text.pipeline import map_prefetching
from sonlearn.text.read import Reader, read_batches

LINES = [b"bad" if i % 7 == 3 else b"%d %d:%d.5" % (i % 2, i, i) for i in range(200)]
TEXT = b"\n".join(LINES)
GOOD = [i + 1 for i, line in enumerate(LINES) if line != b"bad"]
BAD = [i + 1 for i, line in enumerate(LINES) if line == b"bad"]


def lines_of(batches) -> list[int]:
    return [line for batch in batches for line in batch.lines.tolist()]


def drained(reader) -> tuple[list[int], InputError | None]:
    lines: list[int] = []
    try:
        for batch in reader:
            lines += batch.lines.tolist()
    except InputError as error:
        return lines, error
    return lines, None


@for_all("chunk_bytes", [1, 50, 1 << 20])
@for_all("threads", [0, 1, 3])
def test_skip(chunk_bytes, threads):
    reader = Reader(io.BytesIO(TEXT), chunk_bytes=chunk_bytes, on_error="skip", threads=threads)
    assert drained(reader) == (GOOD, None)
    assert reader.malformed.count == len(BAD)
    assert [error.line for error in reader.malformed.errors] == BAD[:SHOWN_ERRORS]
    assert reader.malformed.errors[0].found == "'bad'"


@for_all("chunk_bytes", [1, 50, 1 << 20])
@for_all("threads", [0, 2])
@for_all("max_errors", [0, 1, 5, 12, len(BAD) - 1, len(BAD)])
def test_max_errors(chunk_bytes, threads, max_errors):
    """The rows before the line that is one too many come first, wherever the chunks end."""
    how = {"chunk_bytes": chunk_bytes, "max_errors": max_errors, "threads": threads}
    reader = Reader(io.BytesIO(TEXT), on_error="skip", **how)
    lines, error = drained(reader)
    if max_errors == len(BAD):
        assert (lines, error) == (GOOD, None)
        return
    assert error.line == BAD[max_errors]
    assert lines == [line for line in GOOD if line < BAD[max_errors]]
    assert reader.malformed.count == max_errors


@pytest.mark.parametrize("threads", [1, 2])
def test_stop_with_threads(threads):
    lines, error = drained(Reader(io.BytesIO(TEXT), chunk_bytes=64, threads=threads))
    assert lines == [1, 2, 3]
    assert str(error) == "<stream>:4:1: found 'bad', expected a label (a finite number), then index:value pairs"


@pytest.mark.limit(120)
def test_a_word_without_end_is_refused_in_time_linear_in_its_length():
    with pytest.raises(InputError, match="found 'aaa"):
        list(read_batches(io.BytesIO(b"a" * 10**6)))


def test_vw_skips_what_overflows_in_interactions():
    text = b"1 |a x:1e200 |b y:1e200\n1 |a x |b y\n1 |a z:oops:1|\n1 |a x:1e200 |b y:-1e200\n1 |b z\n"
    options = TextOptions(quadratic=("ab",))
    reader = Reader(io.BytesIO(text), options, on_error="skip")
    assert drained(reader) == ([2, 5], None)
    assert [error.line for error in reader.malformed.errors] == [1, 3, 4]
    assert "an interaction whose value overflows" in str(reader.malformed.errors[0])
    lines, error = drained(Reader(io.BytesIO(text[24:]), options, on_error="skip", max_errors=1))
    assert lines == [1]
    assert error.line == 3
    lines, error = drained(Reader(io.BytesIO(text), options))
    assert lines == []
    assert error.line == 1


def test_too_many_interactions():
    text = b"1 |a " + b" ".join(b"f%d" % i for i in range(2000)) + b"\n"
    (error,) = [drained(read_batches(io.BytesIO(text), TextOptions(interactions=("aaaa",))))[1]]
    assert error.expected == "at most 2147483648 in a line"


def test_many_interactions_make_several_batches():
    line = b"1 |a " + b" ".join(b"f%d" % i for i in range(600)) + b"\n"
    batches = list(read_batches(io.BytesIO(line * 6), TextOptions(quadratic=("aa",))))
    assert [batch.n for batch in batches] == [5, 1]
    assert lines_of(batches) == list(range(1, 7))
    assert all((np.diff(batch.indptr) == 600 + 600 * 601 // 2 + 1).all() for batch in batches)


@pytest.mark.parametrize("text", [b"1 3:1 5:2 3:4", b"1 5:2 3.0:1 # 9:1\n", b"1 2:1 1:1 1:1"])
def test_strict(text):
    repeated = text.startswith(b"1 3") or b"1:1 1:1" in text
    assert drained(read_batches(io.BytesIO(text))) == ([1], None)
    lines, error = drained(read_batches(io.BytesIO(b"0 1:1\n" + text), TextOptions(strict=True)))
    if not repeated:
        assert (lines, error) == ([1, 2], None)
        return
    assert lines == [1]
    assert (error.line, error.column) == (2, 11)
    assert "expected every index once" in str(error)


def test_several_files_and_patterns(tmp_path):
    for name, text in (("a1.svm", b"1 1:1\n"), ("a2.svm", gzip.compress(b"0 2:1\n0 3:1")), ("b[1].svm", b"1 4:1")):
        (tmp_path / name).write_bytes(text)
    sources = [str(tmp_path / "a*.svm"), str(tmp_path / "b[1].svm")]
    for threads in (0, 2):
        batches = list(read_batches(sources, threads=threads))
        assert [os.path.basename(batch.source) for batch in batches] == ["a1.svm", "a2.svm", "b[1].svm"]
        assert lines_of(batches) == [1, 1, 2, 1]
    with pytest.raises(InputError, match=r"c\*: found no file that matches"):
        list(read_batches(str(tmp_path / "c*")))


@pytest.mark.parametrize(
    ("last", "match"),
    [("none.svm", "no such file"), ("none*", "no file that matches"), ("d", r"a directory, .*d/\*'$")],
)
def test_a_missing_file_or_a_folder_is_named_before_any_is_read(tmp_path, last, match):
    (tmp_path / "a.svm").write_bytes(b"1 1:1\n")
    (tmp_path / "d").mkdir()
    batches = iter(read_batches([tmp_path / "a.svm", str(tmp_path / last)]))
    with pytest.raises(InputError, match=match):
        next(batches)


@pytest.mark.compiled
@pytest.mark.parametrize("chunk_bytes", [1 << 10, 1 << 14])
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_change_nothing(chunk_bytes, threads):
    r = np.random.default_rng(1)
    text = b"".join(
        b"%d |a%d " % (i % 2, i % 9)
        + b" ".join(b"f%d:%.4g" % tuple(pair) for pair in r.normal(size=(5, 2)) * 99)
        + b"\n"
        for i in range(2000)
    )
    options = TextOptions(quadratic=("::",))
    serial = list(read_batches(io.BytesIO(text), options, chunk_bytes=chunk_bytes))
    ahead = list(read_batches(io.BytesIO(gzip.compress(text)), options, chunk_bytes=chunk_bytes, threads=threads))
    assert len(serial) > 3
    for name in ("indices", "values", "y", "lines"):
        one = np.concatenate([getattr(batch, name) for batch in serial])
        two = np.concatenate([getattr(batch, name) for batch in ahead])
        assert one.tobytes() == two.tobytes(), name


def test_threads_end_when_the_consumer_does():
    batches = read_batches(io.BytesIO(TEXT), chunk_bytes=16, threads=2, options=TextOptions())
    next(iter(batches))
    batches.close()
    deadline = time.monotonic() + 60
    while any(thread.name.startswith("sonlearn") for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_map_ahead_keeps_order_and_errors_in_place():
    def work(i):
        time.sleep(0.002 * (i % 3))
        if i == 8:
            raise ZeroDivisionError
        return i

    seen = []
    try:
        for i in map_prefetching(iter(range(100)), work, 3):
            seen.append(i)
    except ZeroDivisionError:
        pass
    assert seen == list(range(8))

    def broken():
        yield from range(3)
        raise KeyError

    seen = []
    try:
        for i in map_prefetching(broken(), work, 2):
            seen.append(i)
    except KeyError:
        seen.append(-1)
    assert seen == [0, 1, 2, -1]


def test_closing_takes_no_lock_that_all_pools_share():
    """As when garbage collection closes it in a thread that is handing work to a pool of its own."""
    results = map_prefetching(itertools.count(), lambda i: i, 2, waiting=10**6)  # always about to submit another item
    assert next(results) == 0
    with pools._global_shutdown_lock:
        time.sleep(0.1)
        closing = threading.Thread(target=results.close, daemon=True)
        closing.start()
        closing.join(5)
        assert not closing.is_alive()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"quadratic": ("abc",)}, "-q abc: expected the first bytes of namespaces, 2 bytes"),
        ({"cubic": ("ab",)}, "--cubic ab: expected the first bytes of namespaces, 3 bytes"),
        ({"interactions": ("a",)}, "--interactions a: expected the first bytes of namespaces, 2 to 16 bytes"),
        ({"keep": ("",)}, "--keep : expected the first bytes of namespaces, 1 to 255 bytes"),
        ({"ngram": ("17",)}, "--ngram 17: expected a number from 0 to 16, with a namespace's first byte before it"),
        ({"ngram": ("a",)}, "--ngram a: expected a number from 0 to 16, with a namespace's first byte before it"),
        ({"skips": ("1",)}, "--skips without --ngram: expected --ngram N with N at least 2"),
        ({"hash": "none"}, "--hash none: expected one of strings, all"),
        ({"hash_seed": -1}, "--hash_seed -1: expected at least 0"),
    ],
)
def test_options_are_checked(given, message):
    with pytest.raises(OptionError) as caught:
        TextOptions(**given)
    assert str(caught.value).removesuffix(" or not") == message


def test_rows_without_room_for_their_products_keep_their_tags():
    """Of chunks of which the second has fewer lines, and so numbers of lines of the first behind its own."""
    parser = ChunkParser(TextOptions(format="vw", quadratic=("ab",)), stops=False, most_features=20)
    long = "|a " + " ".join(f"p{i}" for i in range(6)) + " |b " + " ".join(f"q{i}" for i in range(6))
    for tags in (("a", "b", "c", "d"), ("e", "f")):
        lines = [f"1 {tag}{long if tag in 'bf' else '|a p |b q'}" for tag in tags]
        found = parser.parse(np.frombuffer("".join(f"{line}\n" for line in lines).encode(), np.uint8).copy(), "vw", "s")
        assert [(one.line, one.tag) for one in found.errors] == [(2, tags[1])]
