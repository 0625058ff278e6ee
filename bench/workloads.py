"""Seeded sparse text-like streams, written once as LIBSVM and as VW text under bench/out (not committed).

Feature frequencies follow Zipf's law, f(j) ~ 1/j: feature = floor(d^u) for uniform u; values are 1 + log(count), rows
have unit norm, and labels come from a random separator over all features, with 5 % of them flipped. The spectrum is
flat, which is the hard case for a sketch: most shrinks replace several directions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

OUT = Path(__file__).parent / "out"


def zipf_stream(n: int, d: int, s: int, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """(X float64[n, d] with at most s nonzeros a row, labels -1/+1)."""
    rng = np.random.default_rng([seed, n, d, s])
    indices = np.minimum(d ** rng.random(n * s), d - 1).astype(np.int64)
    X = sp.csr_array((np.ones(n * s), indices, np.arange(0, n * s + 1, s)), shape=(n, d))
    X.sum_duplicates()
    X.data = 1 + np.log(X.data)
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1))).ravel()
    X = sp.csr_array(sp.diags_array(1 / norms) @ X)
    y = np.where(X @ rng.normal(size=d) >= 0, 1.0, -1.0)
    return X, np.where(rng.random(n) < 0.05, -y, y)


def text_files(n: int, d: int, s: int, seed: int = 0) -> tuple[Path, Path]:
    """(LIBSVM file, VW file) of `zipf_stream`, made on first use."""
    OUT.mkdir(exist_ok=True)
    svm, vw = (OUT / f"zipf-n{n}-d{d}-s{s}-{seed}.{kind}" for kind in ("svm", "vw"))
    if not (svm.exists() and vw.exists()):
        X, y = zipf_stream(n, d, s, seed)
        write_rows(svm, X, y, "{label} {features}\n")
        write_rows(vw, X, y, "{label} | {features}\n")
    return svm, vw


def write_rows(path: Path, X: sp.csr_array, y: np.ndarray, line: str, digits: int = 6) -> None:
    """Write rows with 1-based indices, values of so many digits and signed labels."""
    part = path.with_suffix(path.suffix + ".part")
    with open(part, "w") as out:
        for i in range(len(y)):
            row = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip((X.indices[row] + 1).tolist(), X.data[row].tolist(), strict=True)
            features = " ".join(f"{j}:{x:.{digits}g}" for j, x in pairs)
            out.write(line.format(label=f"{y[i]:+.{digits}g}", features=features))
    part.replace(path)
