"""Conversion: what is read back is what was written."""

import io
import os

import numpy as np
import pytest
from parsers import vw_hash
from streams import entries

from sonlearn import InputError, TextOptions, read_batches
from sonlearn.text.columns import number_text
from sonlearn.text.write import convert

SVMLIGHT = b"1 3:0.1 5:1 2:-3e-200 # x\n-1\n0.1 7:12345678901234567890 7:1\n"
VW = b"1 2 0.5 'tag\xff |a b:0.1 c |b 5\n|x y:3\n-1 |\n0 0 tag2| 7:1e-300 :2\n"


def joined(batches, *names):
    batches = list(batches)
    return [np.concatenate([getattr(batch, name) for batch in batches]).tobytes() for name in names]


@pytest.mark.parametrize("chunk_bytes", [1, 1 << 20])
@pytest.mark.parametrize(("text", "to"), [(SVMLIGHT, "vw"), (VW, "vw")])
def test_round_trip(tmp_path, text, to, chunk_bytes):
    path = tmp_path / "out"
    assert convert(io.BytesIO(text), str(path), to, chunk_bytes=chunk_bytes).malformed.count == 0
    plain = TextOptions(constant=False)
    names = ("indices", "values", "y", "weight")
    assert joined(read_batches(path, plain), *names) == joined(read_batches(io.BytesIO(text), plain), *names)
    (batch,) = read_batches(path)
    if text == VW:
        assert batch.tags == ["tag\udcff", "", "", "tag2"]
        assert batch.base.tolist() == [0.5, 0, 0, 0]


def test_vw_to_svmlight_and_back(tmp_path):
    a, b = tmp_path / "a.svm", tmp_path / "b.vw"
    convert(io.BytesIO(b"1 |n x:0.5 y\n-1 'name |n z\n"), str(a), "svmlight")
    x, y, z = (vw_hash(name, vw_hash(b"n", 0)) % 2**18 for name in (b"x", b"y", b"z"))
    first = " ".join(f"{slot}:{value}" for slot, value in sorted([(x, 0.5), (y, 1)]))
    assert a.read_text() == f"1 {first}\n-1 {z}:1 # name\n"
    convert(str(a), str(b), "vw")
    options = TextOptions(constant=False)
    ours = next(read_batches(b, options))
    direct = next(read_batches(io.BytesIO(b"1 |n x:0.5 y\n-1 |n z\n"), options))
    assert list(map(sorted, entries(ours))) == list(map(sorted, entries(direct)))
    assert ours.n == 2


def test_exact_text(tmp_path, capsysbinary):
    convert(io.BytesIO(SVMLIGHT), "-", "vw")
    assert capsysbinary.readouterr().out == b"1 | 3:0.1 5 2:-3e-200\n-1 |\n0.1 | 7:1.2345678901234567e+19 7\n"
    convert(io.BytesIO(SVMLIGHT), "-", "svmlight")
    assert capsysbinary.readouterr().out == b"1 2:-3e-200 3:0.1 5:1\n-1\n0.1 7:1.2345678901234567e+19 7:1\n"
    convert(io.BytesIO(b"a,y\n2,1\n"), "-", "vw", TextOptions(label="y"))
    assert capsysbinary.readouterr().out == b"1 | 92594:2\n"


@pytest.mark.parametrize(
    ("text", "to", "message"),
    [
        (b"1 |a b\n|a b\n", "svmlight", ":2: found an example without a label, expected a label"),
        (b"1 2 |a b\n", "svmlight", ":1: found the importance 2, expected importance 1"),
        (b"1 1 .5 |a b\n", "svmlight", ":1: found a base, expected none"),
        (b"1 262144:1\n", "vw", ":1: found the index 262144, expected less than 2^18: give -b 19"),
        (b"1 1:x\n", "vw", ":1:5: found 'x'"),
    ],
)
def test_nothing_is_lost_in_silence(tmp_path, text, to, message):
    with pytest.raises(InputError) as caught:
        convert(io.BytesIO(text), str(tmp_path / "out"), to)
    assert message in str(caught.value)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("x", [0.0, -0.0, 1.0, -3.0, 0.1, 1e300, 5e-324, 1e22, 2.0**53 + 2])
def test_number_text(x):
    assert np.float64(number_text(x)).tobytes() == np.float64(x).tobytes()
