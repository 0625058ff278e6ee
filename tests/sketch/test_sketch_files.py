"""Files: what is saved goes on bit for bit; what is damaged, foreign or of another version is refused in one line."""

import json
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp
from sketch_twin import matrix

from sonlearn.errors import ModelFileError
from sonlearn.sketch import METHODS, Sketch, load, make_sketch

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}


def assert_equal_state(one, two):
    counters, arrays = one._state()
    other_counters, other_arrays = two._state()
    assert counters == other_counters
    assert arrays.keys() == other_arrays.keys()
    for name in arrays:
        np.testing.assert_array_equal(arrays[name], other_arrays[name])
    assert (one.n_seen, one.n_features, one.frobenius) == (two.n_seen, two.n_features, two.frobenius)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [0, 3, 14, 100])
@pytest.mark.parametrize("method", METHODS)
def test_resumed_equals_uninterrupted(method, rows, form, tmp_path):
    A = matrix("mushrooms")
    sketch = make_sketch(method, 7)
    if rows:
        sketch.update(FORMS[form](A[:rows]))
    path = tmp_path / "sketch.npz"
    sketch.save(path)
    back = Sketch.load(path)
    assert_equal_state(back, sketch)
    assert type(back) is type(sketch)
    for part in (A[rows : rows + 30], A[rows + 30 :]):
        sketch.update(FORMS[form](part))
        back.update(FORMS[form](part))
    assert_equal_state(back, sketch)
    for found, expected in zip(back.result(), sketch.result(), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_settings_come_back(tmp_path):
    sketch = make_sketch("mgfd", 9, offset=0.3, percentile=0.9)
    sketch.save(tmp_path / "s.npz")
    assert load(tmp_path / "s.npz").rule == sketch.rule
    sketch = make_sketch("rfd", 9, alpha=0.1, buffer=30, recycle=False)
    sketch.save(tmp_path / "s.npz")
    assert load(tmp_path / "s.npz").rule == sketch.rule
    assert load(tmp_path / "s.npz").alpha == 0.1


def test_numpy_reads_it_without_pickle(tmp_path):
    sketch = make_sketch("rfd", 7).update(sp.csr_array(matrix("mushrooms")))
    sketch.save(tmp_path / "s.npz")
    with np.load(tmp_path / "s.npz", allow_pickle=False) as archive:
        header = json.loads(archive["header"].tobytes())
        assert header["format"] == "sonlearn sketch"
        assert header["version"] == 1
        assert archive["vectors"].shape == (len(archive["columns"]), len(archive["squares"]))


def test_every_truncation_is_refused(tmp_path):
    path = tmp_path / "s.npz"
    make_sketch("rfd", 5).update(matrix("random_matrix")).save(path)
    whole = path.read_bytes()
    for n in sorted({*range(0, len(whole), 97), len(whole) - 1}):
        path.write_bytes(whole[:n])
        with pytest.raises(ModelFileError, match=r"s\.npz"):
            load(path)


def test_every_flipped_byte_is_refused_or_harmless(tmp_path):
    """Zip archives carry a checksum of every member; only a few bytes of the directory say nothing."""
    path = tmp_path / "s.npz"
    sketch = make_sketch("rfd", 5).update(matrix("random_matrix"))
    sketch.save(path)
    whole = path.read_bytes()
    refused = 0
    for n in range(0, len(whole), 31):
        path.write_bytes(whole[:n] + bytes([whole[n] ^ 0x5A]) + whole[n + 1 :])
        try:
            assert_equal_state(load(path), sketch)
        except ModelFileError:
            refused += 1
    assert refused > 0.8 * len(range(0, len(whole), 31))


def rewritten(path, change):
    """The file with its parts changed: a well-formed archive that is wrong inside."""
    with np.load(path) as archive:
        parts = {name: archive[name] for name in archive.files}
    header = json.loads(parts.pop("header").tobytes())
    change(header, parts)
    np.savez(path, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **parts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h, p: h.update(version=2), "format version 2; this release reads version 1"),
        (lambda h, p: h.update(format="other"), "not a sketch file"),
        (lambda h, p: h.update(kind="unheard of"), "do not fit together"),
        (lambda h, p: h["values"]["rule"].update(pivot=99), "do not fit together"),
        (lambda h, p: h["values"]["rule"].update(new=1), "do not fit together"),
        (lambda h, p: h["counters"].pop("n_seen"), "do not fit together"),
        (lambda h, p: p.pop("squares"), "do not fit together"),
        (lambda h, p: p.update(squares=p["squares"][1:]), "do not fit together"),
        (lambda h, p: p.update(squares=-p["squares"]), "do not fit together"),
        (lambda h, p: p.update(vectors=p["vectors"] * np.nan), "do not fit together"),
        (lambda h, p: p.update(vectors=p["vectors"][:-1]), "do not fit together"),
        (lambda h, p: p.update(raw_indices=p["raw_indices"] + 10**9), "do not fit together"),
        (lambda h, p: p.update(raw_indptr=p["raw_indptr"][::-1].copy()), "do not fit together"),
        (lambda h, p: p.update(columns=p["columns"].astype(float)), "do not fit together"),
    ],
)
def test_parts_that_do_not_fit(change, message, tmp_path):
    path = tmp_path / "s.npz"
    make_sketch("rfd", 5).update(sp.csr_array(matrix("mushrooms")[:247])).save(path)
    rewritten(path, lambda header, parts: None)
    load(path)
    rewritten(path, change)
    with pytest.raises(ModelFileError, match=message) as caught:
        load(path)
    assert "\n" not in str(caught.value)


def test_foreign_files(tmp_path):
    path = tmp_path / "s.npz"
    for content in (b"", b"1 3:4\n", b"PK\x03\x04rubbish", np.arange(9).tobytes()):
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="not a sketch file"):
            load(path)
    np.savez(path, a=np.arange(3))
    with pytest.raises(ModelFileError, match="not a sketch file"):
        load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", "rubbish")
    with pytest.raises(ModelFileError, match="not a sketch file"):
        load(path)
    np.savez(path, header=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ModelFileError, match="not a sketch file"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "absent.npz")


def test_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "s.npz"
    first = make_sketch("rfd", 5).update(matrix("random_matrix"))
    first.save(path)

    def broken(file, **arrays):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", broken)
    with pytest.raises(OSError, match="disk full"):
        make_sketch("rfd", 6).save(path)
    assert [p.name for p in tmp_path.iterdir()] == ["s.npz"]
    assert_equal_state(load(path), first)
