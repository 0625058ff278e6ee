"""Model files: what is written comes back bit for bit, and nothing else is ever accepted."""

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
        "packed": np.zeros((40, 30)),
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


def test_every_flipped_byte_is_refused_or_means_nothing(stored, arrays):
    whole = bytearray(stored.read_bytes())
    reasons = set()
    for i in range(len(whole)):
        whole[i] ^= 1 << i % 8
        stored.write_bytes(whole)
        try:
            header, back = storage.read(stored)
        except ModelFileError as error:
            reasons.add(str(error).removeprefix(f"{stored}: ").split()[1])
        else:  # of the time of a part, say
            assert (header, list(back)) == (HEADER, list(arrays))
            assert all(same(arrays[name], back[name]) for name in arrays)
        whole[i] ^= 1 << i % 8
    assert reasons == {"not", "truncated"}


def test_numpy_opens_the_arrays(stored, arrays):
    with np.load(stored) as opened:
        assert all(same(opened[name], array) for name, array in arrays.items())


OF_VW = b"\x07\x00\x00\x009.11.9\x00\x01\x00\x00\x00\x00"


@pytest.mark.parametrize(
    "content", [b"1 3:0.5\n", b"\x1f\x8b" + bytes(50), b"\x80\x04\x95" + bytes(50), b"PK\x03\x04" + bytes(50), OF_VW]
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
    with pytest.raises(ModelFileError, match=r"has format version 7, .* reads up to 3; a newer sonlearn is needed"):
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


def test_a_file_is_smaller_where_that_can_be(tmp_path):
    arrays = tables()
    storage.write(tmp_path / "m", HEADER, arrays)
    _, back = storage.read(tmp_path / "m")
    assert all(same(arrays[name], back[name]) for name in arrays)
    storage.write(tmp_path / "again", HEADER, back)
    assert (tmp_path / "m").read_bytes() == (tmp_path / "again").read_bytes()
    noise = arrays["noise"].nbytes
    assert (tmp_path / "m").stat().st_size < noise + 0.45 * (sum(array.nbytes for array in arrays.values()) - noise)
    assert arrays["slots"].tobytes() not in (tmp_path / "m").read_bytes()


def test_a_full_table_of_made_up_features_is_packed(tmp_path):
    storage.write(tmp_path / "m", HEADER, {"table": np.zeros((1 << 20, 4))})
    assert (tmp_path / "m").stat().st_size < 1 << 20


@pytest.mark.parametrize("shape", [(9999,), (10**12,)], ids=str)
def test_no_file_asks_for_more_memory_than_it_can_fill(tmp_path, monkeypatch, shape):
    """A few packed bytes that claim to be a terabyte."""
    described = np.lib.format.header_data_from_array_1_0
    with monkeypatch.context() as patch:
        patch.setattr(np.lib.format, "header_data_from_array_1_0", lambda array: described(array) | {"shape": shape})
        storage.write(tmp_path / "m", HEADER, {"slots": np.zeros(1 << 12, np.int64)})
    with pytest.raises(ModelFileError, match="damaged"):
        storage.read(tmp_path / "m")


def test_a_model_of_an_earlier_format_is_named_and_may_be_replaced(tmp_path):
    (tmp_path / "m").write_bytes(b"\x93sonl\r\n\x1a" + bytes(80))
    with pytest.raises(ModelFileError, match="m: is a model of an earlier sonlearn: read it with that one, or train"):
        storage.read(tmp_path / "m")
    storage.check_target(tmp_path / "m")
