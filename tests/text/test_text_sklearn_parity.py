"""Real LIBSVM files: indices and values equal scikit-learn's bit for bit."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from places import DATA

from sonlearn.options import TextOptions
from sonlearn.text.read import read_batches

FILES = ["heart_scale", "a9a", "rcv1sub.binary", "farm-ads", "usps.t", "magic04", "diabetes_scale"]


@pytest.mark.parametrize("name", FILES)
def test_equals_load_svmlight_file(name):
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    path = DATA / "svm" / f"{name}.svm.gz"
    if numba.config.DISABLE_JIT and name != FILES[0]:
        pytest.skip("plain Python is slow: one file is enough")
    if not path.exists():
        pytest.skip(f"no data set {path}")
    X, y = datasets.load_svmlight_file(str(path), zero_based=True)
    batches = list(read_batches(path, TextOptions(constant=False), chunk_bytes=1 << 18, threads=1))
    rows = [np.diff(batch.indptr) for batch in batches]
    assert np.concatenate(rows).tolist() == np.diff(X.indptr).tolist()
    assert np.concatenate([batch.indices for batch in batches]).tolist() == X.indices.tolist()
    assert np.concatenate([batch.values for batch in batches]).tobytes() == X.data.tobytes()
    assert np.concatenate([batch.y for batch in batches]).tobytes() == y.astype(np.float64).tobytes()


def test_small_differences_of_writing(tmp_path):
    """What scikit-learn's own tests have: comments, an empty line, qid, a zero, unsorted and 0-based indices."""
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    path = tmp_path / "f"
    path.write_text(
        "# comment\n\n1.5 qid:3 0:2.5 10:-5.2 15:1.5 # x\n+2 5:1.0 12:-3\n-3.0\n0 20:27 # 1:2\n3 1:1e-300\n"
    )
    X, y = datasets.load_svmlight_file(str(path), zero_based=True)
    (batch,) = read_batches(path, TextOptions(constant=False))
    assert batch.indptr.tolist() == X.indptr.tolist()
    assert batch.indices.tolist() == X.indices.tolist()
    assert batch.values.tobytes() == X.data.tobytes()
    assert batch.y.tolist() == y.tolist()
    assert batch.lines.tolist() == [3, 4, 5, 6, 7]
