"""Fuzz the text kernels: mutated lines parse as the oracle says, or are refused with a place.

A long run: ``PYTHONPATH=.:tests/support python tests/text/fuzz_text.py 1000000 [SEED]``, also with
``NUMBA_BOUNDSCHECK=1``.
"""

import io
import math
import random
import sys

import numpy as np
from parsers import Malformed, svmlight_line, vw_line
from vw_peer import random_line

from sonlearn.options import TextOptions
from sonlearn.text.read import Reader

PIECES = {
    "svmlight": rb"1,-1,+1,0,2.5,1e5,3:4,17:0.25,9:1e-3,5:.5,0:1,12:-7., ,  ,	,#,:,qid:3,-,+,.,e,nan,inf,x,"
    rb"1:12345678901234567890123,9223372036854775807:1,9223372036854775808:1,2.0:1,2.5:1,1e999,4:1e-400,"
    rb"3:9007199254740993.0000000000000001,4:2.2250738585072011e-308,,".split(b","),
    "vw": rb"1,-1 2, 0.5,'t,tag|,|,|ns,|n:2, ,  ,	,a,b:2,c:d,:3,5,007,|a:b,e:inf,f:nan,g:1x,:,',-,.,1e999 ,x:1e400,"
    rb"y:12345678901234567890123,|n:1e300 z:1e300,h:9007199254740993.0000000000000001,h:-,h:.e5,h:infinity,a:b|,"
    rb"|s w:i,\xc3\xa9:2,\x01a,|:,,".split(b","),
}


def line(r: random.Random, format: str) -> bytes:
    """A line that is right, with or without some bytes changed, or one of random pieces."""
    if r.random() < 0.3:
        return r.choice([b"", b" "]).join(r.choice(PIECES[format]) for _ in range(r.randrange(8)))
    if format == "vw":
        text = bytearray(random_line(r).encode())
    else:
        pairs = (
            f"{r.randrange(10 ** r.randrange(1, 8))}:{r.gauss(0, 9):.{r.randrange(1, 20)}g}"
            for _ in range(r.randrange(6))
        )
        text = bytearray(f"{r.choice(['1', '-1', '+1', '0', '2.5'])} {' '.join(pairs)}".encode())
    for _ in range(r.choice([0, 0, 1, 1, 2, 5])):
        at = r.randrange(len(text) + 1)
        kind = r.randrange(3)
        if kind == 0:
            del text[at : at + r.randrange(1, 4)]
        elif kind == 1:
            text[at:at] = r.choice(PIECES[format])
        else:
            text[at : at + 1] = bytes([r.choice(b" \t\r|:#'+-.eE0123456789anif\x00\x01\x0b\xff")])
    return bytes(text).replace(b"\n", b" ")


def check(lines: list[bytes], format: str, chunk_bytes: int, threads: int) -> int:
    """Compare one text with the oracle; the number of lines refused."""
    oracle = vw_line if format == "vw" else svmlight_line
    expected, refused = {}, []
    for i, text in enumerate(lines, 1):
        try:
            example = oracle(text)
            if example is not None:
                expected[i] = example
        except Malformed:
            refused.append(i)
    stream = io.BytesIO(
        b"\n".join([b"1 |a" if format == "vw" else b"1 1:1", *lines])
    )  # first: no sign of a binary file
    options = TextOptions(format=format)
    reader = Reader(stream, options, chunk_bytes=chunk_bytes, on_error="skip", max_errors=len(lines), threads=threads)
    found = set()
    for batch in reader:
        assert np.isfinite(batch.values).all()
        for i in range(batch.n):
            number = int(batch.lines[i]) - 1
            if number == 0:
                continue
            part, example = slice(batch.indptr[i], batch.indptr[i + 1]), expected[number]
            assert batch.indices[part].tolist() == [slot for slot, _ in example.features], lines[number - 1]
            assert batch.values[part].tolist() == [value for _, value in example.features], lines[number - 1]
            y, weight = float(batch.y[i]), float(batch.weight[i])
            assert y == example.y or (math.isnan(y) and math.isnan(example.y)), lines[number - 1]
            assert weight == example.weight, lines[number - 1]
            assert (batch.tags[i] if batch.tags else "") == example.tag, lines[number - 1]
            assert (0.0 if batch.base is None else float(batch.base[i])) == example.base, lines[number - 1]
            found.add(number)
    assert found == set(expected), [lines[i - 1] for i in found ^ set(expected)]
    assert reader.malformed.count == len(refused)
    assert [error.line for error in reader.malformed.errors] == [i + 1 for i in refused[: len(reader.malformed.errors)]]
    for error in reader.malformed.errors:
        assert 1 <= error.column <= len(lines[error.line - 2]) + 1, error
    return len(refused)


def fuzz(format: str, count: int, seed: int) -> float:
    """Check `count` lines in texts of 500; the share of lines refused."""
    r = random.Random(f"{format} {seed}")
    refused = 0
    for done in range(0, count, 500):
        lines = [line(r, format) for _ in range(min(500, count - done))]
        refused += check(lines, format, r.choice([1, 100, 5000, 1 << 20]), r.choice([0, 0, 0, 2]))
    return refused / count


if __name__ == "__main__":
    for kind in PIECES:
        share = fuzz(kind, int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
        print(f"{kind}: {sys.argv[1]} lines as the oracle says, {share:.1%} of them refused")
