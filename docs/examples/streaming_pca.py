"""Principal directions of a stream of rows: `StreamingSVD` beside scikit-learn's IncrementalPCA.

    python docs/examples/streaming_pca.py [--quick]

Both get the same rows in the same blocks of 200, once. The figure of merit is how much of the rows' squared length the
ten directions that they end with hold, of what the best ten directions hold (1 is the best). `StreamingSVD` subtracts
no mean, which would make sparse rows dense; so that both do the same work, dense data come with mean 0, and sparse
data are judged as they are, which IncrementalPCA, who subtracts the mean, was not made for.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from shared import need, quick, real, show

need("sklearn")

import numpy as np  # noqa: E402
import scipy.sparse as sp  # noqa: E402
from scipy.sparse.linalg import svds  # noqa: E402
from sklearn.datasets import load_svmlight_file  # noqa: E402
from sklearn.decomposition import IncrementalPCA  # noqa: E402

from sonlearn.sklearn import StreamingSVD  # noqa: E402

K, BLOCK = 10, 200


def held(X: Any, directions: np.ndarray) -> float:
    """Squared length of the rows of X within the span of orthonormal rows."""
    return float(np.square(X @ directions.T).sum())


def compare(title: str, X: Any) -> None:
    """A table of what directions hold."""
    best = held(X, svds(X.astype(float), k=K, random_state=0)[2])
    makers = {
        "StreamingSVD": lambda: StreamingSVD(K),
        "StreamingSVD, 5 k rows": lambda: StreamingSVD(K, sketch_size=5 * K),
        "IncrementalPCA": lambda: IncrementalPCA(K),
    }
    rows = []
    for name, make in makers.items():
        started, model = time.perf_counter(), make()
        for start in range(0, X.shape[0] - X.shape[0] % BLOCK, BLOCK):
            block = X[start : start + BLOCK]
            model.partial_fit(block.toarray() if sp.issparse(block) and "PCA" in name else block)
        share = held(X, model.components_) / best
        rows.append((name, f"{share:.4f}", f"{time.perf_counter() - started:.2f}"))
    kind = "sparse" if sp.issparse(X) else "dense"
    show(f"{title}: {X.shape[0]} {kind} rows, {X.shape[1]} columns", ("", "of the best", "seconds"), rows)


def read(path: Path, rows: int) -> Any:
    """The first rows of a LIBSVM file, as CSR."""
    X, _ = load_svmlight_file(str(path))
    return sp.csr_array(X[:rows])


def main() -> None:
    only_samples = quick(__doc__)
    rng = np.random.default_rng(0)
    n, d = (1000, 100) if only_samples else (4000, 300)
    warm = StreamingSVD(2)  # compiles the kernels, or finds them compiled, before anything is timed
    warm.partial_fit(rng.normal(size=(50, 20))).partial_fit(rng.normal(size=(50, 20)))
    spectrum = 1 / np.sqrt(1 + np.arange(d))
    X = (rng.normal(size=(n, d)) * spectrum) @ np.linalg.qr(rng.normal(size=(d, d)))[0]
    compare("a slowly falling spectrum", X - X.mean(axis=0))
    if only_samples:
        return
    path = real("svm/usps.svm.gz")
    if path:
        digits = read(path, 7200).toarray()
        compare("handwritten digits", digits - digits.mean(axis=0))
    path = real("svm/sms.svm.gz")
    if path:
        compare("counts of words in short messages", read(path, 600))


if __name__ == "__main__":
    main()
