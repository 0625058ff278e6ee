"""Model files: what is written comes back bit for bit, and nothing else is ever accepted."""

import hashlib
import io
import math
import os
import stat

import numpy as np
import pytest

from sonlearn import Learner, LearnOptions, ModelFileError
from sonlearn.files import storage

HEADER = {
    "kind": "learner",
    "options": {"clip": math.inf, "alpha": 0.1, "sketch": "rfd", "eta": "1/t", "low": -math.inf},
    "examples": 12,
    "text": {"format": "svmlight", "constant": True},
    "names": ["é", "b"],
    "none": None,
}


@pytest.fixture
def arrays():
    rng = np.random.default_rng(1)
    return {
        "weights": rng.normal(size=5),
        "sketch": rng.normal(size=(3, 2)).astype(np.float32),
        "ids": np.array([-1, 2**62, 3]),
        "odd": np.array([np.nan, -0.0, np.inf, 5e-324]),
        "empty": np.empty((0, 4)),
        "scalar": np.array(7, dtype=np.uint8),
        "flags": np.array([True, False]),
    }


@pytest.fixture
def stored(tmp_path, arrays):
    """A file of these."""
    storage.write(tmp_path / "m", HEADER, arrays)
    return tmp_path / "m"


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def test_round_trip_is_bit_for_bit(tmp_path, arrays):
    storage.write(tmp_path / "m", HEADER, arrays)
    header, back = storage.read(tmp_path / "m", kind="learner")
    assert header == HEADER
    assert list(back) == list(arrays)
    assert all(same(arrays[name], back[name]) for name in arrays)
    assert all(array.flags.writeable for array in back.values())


def test_arrays_of_other_layouts_are_stored_in_c_order_and_little_endian(tmp_path):
    matrix = np.arange(12.0).reshape(3, 4)
    arrays = {"big": matrix.astype(">f8"), "fortran": np.asfortranarray(matrix), "strided": matrix[::2, ::-1]}
    storage.write(tmp_path / "m", HEADER, arrays)
    _, back = storage.read(tmp_path / "m")
    for name, array in arrays.items():
        np.testing.assert_array_equal(back[name], array)
        assert back[name].dtype.str == "<f8"


def test_numpy_scalars_in_the_header_become_numbers(tmp_path):
    storage.write(tmp_path / "m", {"n": np.int64(3), "x": np.float64(0.1), "bad": np.float64("nan")}, {})
    header, arrays = storage.read(tmp_path / "m")
    assert (header["n"], header["x"], arrays) == (3, 0.1, {})
    assert math.isnan(header["bad"])


def test_objects_are_refused(tmp_path):
    with pytest.raises(TypeError, match="'names'"):
        storage.write(tmp_path / "m", HEADER, {"names": np.array([{}])})
    assert list(tmp_path.iterdir()) == []


def test_every_truncation_is_refused(stored):
    whole = stored.read_bytes()
    for length in range(len(whole)):
        stored.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match="is truncated" if length else "is empty") as caught:
            storage.read(stored)
        assert str(caught.value).startswith(f"{stored}: ")


def test_every_flipped_byte_is_refused(stored):
    whole = bytearray(stored.read_bytes())
    reasons = set()
    for i in range(len(whole)):
        for bits in (0x01, 0x80, 0xFF):
            whole[i] ^= bits
            stored.write_bytes(whole)
            with pytest.raises(ModelFileError) as caught:
                storage.read(stored)
            reasons.add(str(caught.value).removeprefix(f"{stored}: ").split()[1].rstrip(":"))
            whole[i] ^= bits
    assert reasons == {"not", "format", "truncated", "damaged"}


def test_bytes_after_the_end_are_refused(stored):
    stored.write_bytes(stored.read_bytes() + b"\0")
    with pytest.raises(ModelFileError, match="is damaged"):
        storage.read(stored)


OF_VW = b"\x07\x00\x00\x009.11.9\x00\x01\x00\x00\x00\x00"


@pytest.mark.parametrize(
    "content", [b"1 3:0.5\n", b"\x1f\x8b" + bytes(50), b"\x80\x04\x95" + bytes(50), b"PK\x03\x04", OF_VW]
)
def test_a_foreign_file_is_named_as_such(tmp_path, content):
    path = tmp_path / "m"
    path.write_bytes(content)
    more = ", but one of Vowpal Wabbit: train anew from the data" * (content == OF_VW)
    with pytest.raises(ModelFileError, match=rf"m: is not a sonlearn model file{more}$"):
        storage.read(path)


def test_a_future_version_names_both_versions(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(storage, "FORMAT_VERSION", 7)
        storage.write(tmp_path / "m", HEADER, {})
    with pytest.raises(ModelFileError, match=r"has format version 7, .* reads up to 2; a newer sonlearn is needed"):
        storage.read(tmp_path / "m")


@pytest.mark.parametrize(
    ("step", "remedy"),
    [(-1, r"sonlearn \S+ wrote it: read it with that one, or train it anew"), (1, "a newer sonlearn is needed")],
)
def test_a_model_of_another_format_says_which_of_the_two_is_newer(tmp_path, step, remedy):
    header, arrays = Learner(LearnOptions(method="nag")).to_arrays()
    storage.write(tmp_path / "m", header | {"format": Learner.FORMAT + step}, arrays)
    numbers = rf"m: has model format {Learner.FORMAT + step}, this sonlearn \S+ reads {Learner.FORMAT}; {remedy}$"
    with pytest.raises(ModelFileError, match=numbers):
        Learner.load(tmp_path / "m")


def test_a_missing_file_and_a_folder_are_one_line(tmp_path):
    with pytest.raises(ModelFileError, match="none: cannot be read: No such file"):
        storage.read(tmp_path / "none")
    with pytest.raises(ModelFileError, match="cannot be read: Is a directory"):
        storage.read(tmp_path)
    with pytest.raises(ModelFileError, match="cannot be written: "):
        storage.write(tmp_path, HEADER, {})
    with pytest.raises(ModelFileError, match="cannot be written: No such file"):
        storage.write(tmp_path / "no" / "m", HEADER, {})


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(stored, tmp_path, monkeypatch, error):
    before = stored.read_bytes()

    def fail(descriptor):
        raise error

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else ModelFileError):
        storage.write(stored, {"kind": "other"}, {})
    assert stored.read_bytes() == before
    assert list(tmp_path.iterdir()) == [stored]


def test_permissions_follow_the_umask_and_then_the_old_file(tmp_path):
    path = tmp_path / "m"
    old = os.umask(0o027)
    try:
        storage.write(path, HEADER, {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        storage.write(path, HEADER, {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(old)


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for kind in ("a", "b"):  # the target does not exist at first
        storage.write(link, {"kind": kind}, {})
        assert link.is_symlink()
        assert storage.read(target) == ({"kind": kind}, {})
    assert sorted(tmp_path.rglob("*")) == sorted([tmp_path / "folder", target, link])


def test_a_device_is_written_to_and_not_replaced():
    storage.write(os.devnull, HEADER, {})
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_large_arrays_are_not_copied(tmp_path):
    tracemalloc = pytest.importorskip("tracemalloc")
    array = np.ones(4_000_000)
    tracemalloc.start()
    try:
        storage.write(tmp_path / "m", HEADER, {"w": array})
        assert tracemalloc.get_traced_memory()[1] < array.nbytes / 8
    finally:
        tracemalloc.stop()
    _, back = storage.read(tmp_path / "m")
    assert same(array, back["w"])


# ------------------------------------------------------------------------------------------------------- packed


def tables():
    """Arrays that get smaller: mostly zeros, columns of one value; and one that does not."""
    rng = np.random.default_rng(0)
    slots = np.where(rng.random(4096) < 0.2, rng.integers(0, 2**60, 4096), 0)
    columns = np.column_stack([rng.choice([0.1, -0.3], 500), np.ones(500), np.full(500, np.nan)])
    return {
        "slots": slots, "columns": columns, "noise": rng.integers(0, 2**62, 700),
        "cube": np.zeros((3, 40, 5), np.float32), "flags": np.arange(2000) % 7 == 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    "array",
    [*tables().values(), np.zeros((0, 4)), np.array(7, np.uint8), np.array([-0.0, np.inf]), np.arange(6.0)[::2]],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_packed_arrays_come_back_bit_for_bit(array):
    back = storage.unpack(storage.pack(array), array.dtype.str, array.shape)
    assert same(back, array)
    assert back.flags.writeable
    assert back.flags.c_contiguous


def test_a_file_is_smaller_where_that_can_be(tmp_path):
    arrays = tables()
    storage.write(tmp_path / "m", HEADER, arrays)
    _, back = storage.read(tmp_path / "m")
    assert all(same(arrays[name], back[name]) for name in arrays)
    storage.write(tmp_path / "again", HEADER, back)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
    noise = arrays["noise"].nbytes
    assert (tmp_path / "m").stat().st_size < noise + 0.45 * (sum(array.nbytes for array in arrays.values()) - noise)
    content = (tmp_path / "m").read_bytes()
    assert arrays["noise"].tobytes() in content
    assert arrays["slots"].tobytes() not in content


@pytest.mark.parametrize(
    ("data", "shape"),
    [(b"", (5,)), (b"nonsense", (5,)), (storage.pack(np.zeros(4)), (5,)), (storage.pack(np.zeros(6)), (5,))],
)
def test_what_is_not_the_packed_array_is_refused(data, shape):
    with pytest.raises(ValueError, match=r".+"):
        storage.unpack(data, "<f8", shape)


def test_no_file_asks_for_more_memory_than_it_can_fill(tmp_path):
    """A few packed bytes that claim to be a terabyte."""
    arrays = {"slots": np.zeros(1 << 12, np.int64)}
    storage.write(tmp_path / "m", HEADER, arrays)
    content = (tmp_path / "m").read_bytes()
    assert content.count(b'"shape": [4096]') == 1
    length = len(content)
    content = content.replace(b'"shape": [4096]', b'"shape": [9999]')
    content = content[:-32] + hashlib.sha256(content[:-32]).digest()
    assert len(content) == length
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(ModelFileError, match="damaged"):
        storage.read(tmp_path / "m")
    entry = {"name": "slots", "dtype": "<i8", "shape": [10**12], "offset": 0, "packed": 64}
    with pytest.raises(ValueError):  # noqa: PT011 (what reads files makes it a ModelFileError)
        storage._array(io.BytesIO(bytes(64)), entry, 64)
