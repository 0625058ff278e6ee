"""LIBSVM files: indices and values equal scikit-learn's bit for bit."""

import gzip

import numpy as np
import pytest
from places import sample

from sonlearn import TextOptions, read_batches


def lines_in_all_notations(rng, n=1000):
    """Lines of LIBSVM text, some without an entry: whole numbers, fixed and short forms, powers of ten, all digits."""
    forms = ("{:.0f}", "{:g}", "{:.6f}", "{:.17g}", "{:.3e}", "{:+.2E}", "{!r}")
    for i in range(n):
        ids = np.sort(rng.choice(10 ** rng.integers(2, 10), rng.integers(0, 30), replace=False))
        values = rng.normal(size=len(ids)) * 10.0 ** rng.integers(-12, 12)
        form = forms[i % len(forms)]
        entries = [f"{j}:{form.format(float(value))}" for j, value in zip(ids, values, strict=True)]
        yield " ".join([form.format(float(rng.normal())), *entries]) + "\n"


#: What scikit-learn's own tests have: comments, an empty line, qid, a zero, unsorted and 0-based indices.
ODD = "# comment\n\n1.5 qid:3 0:2.5 10:-5.2 15:1.5 # x\n+2 5:1.0 12:-3\n-3.0\n0 20:27 # 1:2\n3 1:1e-300\n"
MADE = ODD + "".join(lines_in_all_notations(np.random.default_rng(0)))


@pytest.mark.parametrize("text", [sample("sample.svm"), MADE], ids=["sample", "made"])
def test_equals_load_svmlight_file(text, tmp_path):
    datasets = pytest.importorskip("sklearn.datasets", reason="scikit-learn is not installed")
    path = tmp_path / "a.svm.gz"
    path.write_bytes(gzip.compress(text.encode()))
    X, y = datasets.load_svmlight_file(str(path), zero_based=True)
    batches = list(read_batches(path, TextOptions(constant=False), chunk_bytes=1 << 15, threads=1))
    assert len(batches) > 3
    rows = [np.diff(batch.indptr) for batch in batches]
    assert np.concatenate(rows).tolist() == np.diff(X.indptr).tolist()
    assert np.concatenate([batch.indices for batch in batches]).tolist() == X.indices.tolist()
    assert np.concatenate([batch.values for batch in batches]).tobytes() == X.data.tobytes()
    assert np.concatenate([batch.y for batch in batches]).tobytes() == y.astype(np.float64).tobytes()
