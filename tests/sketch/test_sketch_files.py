"""Files: a loaded sketch continues bit for bit; damaged or foreign files and other versions are refused in a line."""

import numpy as np
import pytest
import scipy.sparse as sp
from for_all import for_all
from sketch_twin import matrix

from sonlearn import Learner, ModelFileError
from sonlearn.files import storage
from sonlearn.sketch import METHODS, load, make_sketch

FORMS = {"dense": np.asarray, "sparse": sp.csr_array}


def assert_equal_state(one, two):
    counters, arrays = one._state()
    other_counters, other_arrays = two._state()
    assert counters == other_counters
    assert arrays.keys() == other_arrays.keys()
    for name in arrays:
        np.testing.assert_array_equal(arrays[name], other_arrays[name])
    assert (one.n_seen, one.n_features, one.frobenius) == (two.n_seen, two.n_features, two.frobenius)


@for_all("form", FORMS)
@for_all("rows", [0, 3, 14, 100])
@for_all("method", METHODS)
def test_resumed_equals_uninterrupted(method, rows, form, tmp_path):
    A = matrix("categories")
    sketch = make_sketch(method, 7)
    if rows:
        sketch.update(FORMS[form](A[:rows]))
    path = tmp_path / "s"
    sketch.save(path)
    back = load(path)
    assert_equal_state(back, sketch)
    assert type(back) is type(sketch)
    for part in (A[rows : rows + 30], A[rows + 30 :]):
        sketch.update(FORMS[form](part))
        back.update(FORMS[form](part))
    assert_equal_state(back, sketch)
    for found, expected in zip(back.result(), sketch.result(), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("form", FORMS)
def test_resumed_where_directions_vanished(form, tmp_path):
    """Their places are part of the state: after rows of low rank, and after zero rows alone."""
    A = np.vstack([np.zeros((9, 30)), np.tile(matrix("random_matrix")[:2], (9, 1)), matrix("random_matrix")])
    for rows in range(1, 40):
        sketch = make_sketch("rfd", 4).update(FORMS[form](A[:rows]))
        sketch.save(tmp_path / "s")
        assert abs(load(tmp_path / "s").update(FORMS[form](A[rows:])).matrix() - sketch.update(
            FORMS[form](A[rows:])).matrix()).max() == 0  # fmt: skip


def test_settings_come_back(tmp_path):
    for sketch in (
        make_sketch("mgfd", 9, offset=0.3, p=0.2, lam=1.5, clip=True), make_sketch("fd-ramp", 9, percentile=0.9),
        make_sketch("rfd", 9, alpha=0.1, buffer=30, recycle=True),
    ):  # fmt: skip
        sketch.save(tmp_path / "s")
        back = load(tmp_path / "s")
        assert (back.rule, back.alpha_0) == (sketch.rule, sketch.alpha_0)


def test_models_and_sketches_share_one_format(tmp_path):
    sketch = make_sketch("rfd", 7).update(sp.csr_array(matrix("categories")))
    sketch.save(tmp_path / "s")
    Learner().save(tmp_path / "m")
    header, arrays = storage.read(tmp_path / "s")
    assert (header["kind"], header["sketch"]) == ("sketch", "directions")
    assert arrays["vectors"].shape == (len(arrays["columns"]), len(arrays["squares"]))
    assert [storage.kind_of(tmp_path / name) for name in "sm"] == ["sketch", "learner"]
    with pytest.raises(ModelFileError, match=r"m: holds a learner, expected a sketch"):
        load(tmp_path / "m")
    with pytest.raises(ModelFileError, match=r"s: holds a sketch, expected a learner"):
        Learner.load(tmp_path / "s")


@for_all(
    "change",
    [
        lambda h, p: h.update(sketch="unheard of"),
        lambda h, p: h["values"]["rule"].update(pivot=99),
        lambda h, p: h["values"]["rule"].update(new=1),
        lambda h, p: h["counters"].pop("n_seen"),
        lambda h, p: h["counters"].update(taken=0),
        lambda h, p: h["counters"].update(taken=5),
        lambda h, p: p.pop("squares"),
        lambda h, p: p.update(squares=p["squares"][1:]),
        lambda h, p: p.update(squares=-p["squares"]),
        lambda h, p: p.update(vectors=p["vectors"] * np.nan),
        lambda h, p: p.update(vectors=p["vectors"][:-1]),
        lambda h, p: p.update(raw_indices=p["raw_indices"] + 10**9),
        lambda h, p: p.update(raw_indptr=p["raw_indptr"][::-1].copy()),
        lambda h, p: p.update(columns=p["columns"].astype(float)),
    ],
)
def test_parts_that_do_not_fit(change, tmp_path):
    """A well-formed file that is wrong inside."""
    path = tmp_path / "s"
    make_sketch("rfd", 5).update(sp.csr_array(matrix("categories")[:147])).save(path)
    header, arrays = storage.read(path)
    storage.write(path, header, arrays)
    load(path)
    change(header, arrays)
    storage.write(path, header, arrays)
    with pytest.raises(ModelFileError, match="do not fit together") as caught:
        load(path)
    assert "\n" not in str(caught.value)
