"""Streams of rows: made-up ones, and real text repeated; as matrices, or as files under bench/out (not committed).

`zipf_parts` is text-like: feature frequencies follow Zipf's law, f(j) ~ 1/j: feature = floor(d^u) for uniform u; values
are 1 + log(count), rows have unit norm, and labels come from a random separator over all features, with 5 % of them
flipped. The spectrum is flat, which is the hard case for a sketch: most shrinks replace several directions.

`repeated` has the rows of a real set again and again, each time in another order.
"""

from __future__ import annotations

import gzip
import os
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from sonlearn.files.atomic import whole_file

OUT = Path(__file__).parent / "out"
ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("SONLEARN_DATA", ROOT.parent / "shared" / "data"))
PART = 50_000  # rows made at a time

Part = tuple[sp.csr_array, np.ndarray]


def unit_rows(X: sp.csr_array) -> sp.csr_array:
    """Rows of length 1, columns in order."""
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1))).ravel()
    X = sp.csr_array(sp.diags_array(1 / norms) @ X)
    X.sort_indices()
    return X


def separator(d: int, seed: int = 0) -> np.ndarray:
    """The weights float64[d] that the labels of a made-up stream come from."""
    return np.random.default_rng([seed, d]).normal(size=d)


def labels(X: sp.csr_array, w: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Signs of X w, 5 % of them flipped."""
    y = np.where(X @ w >= 0, 1.0, -1.0)
    return np.where(rng.random(len(y)) < 0.05, -y, y)


def zipf_parts(n: int, d: int, s: int, seed: int = 0, exact: bool = False) -> Iterator[Part]:
    """(X float64[rows, d], labels -1/+1) of `PART` rows at a time, n in all.

    A row has s draws, so fewer nonzeros than s; with `exact` it has s (of more draws, so s has to be well below d).
    """
    w = separator(d, seed)
    for start in range(0, n, PART):
        rng, rows = np.random.default_rng([seed, d, s, start]), min(PART, n - start)
        draws = 3 * s if exact else s
        indices = np.minimum(d ** rng.random(rows * draws), d - 1).astype(np.int64)
        X = sp.csr_array((np.ones(len(indices)), indices, np.arange(0, len(indices) + 1, draws)), shape=(rows, d))
        X.sum_duplicates()
        if exact:
            X = some_of_each(X, s, rng)
        X.data = 1 + np.log(X.data)
        X = unit_rows(X)
        yield X, labels(X, w, rng)


def some_of_each(X: sp.csr_array, s: int, rng: np.random.Generator) -> sp.csr_array:
    """Of every row s of its nonzeros, by lot.

    Raises
    ------
    ValueError
        A row has fewer.
    """
    counts = np.diff(X.indptr)
    if counts.min() < s:
        raise ValueError(f"a row of {counts.min()} features, where {s} are wanted: too many for a stream this narrow")
    row = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((rng.random(X.nnz), row))
    kept = np.sort(order[np.arange(X.nnz) - np.repeat(X.indptr[:-1], counts) < s])
    return sp.csr_array((X.data[kept], X.indices[kept], np.arange(0, s * len(counts) + 1, s)), shape=X.shape)


def zipf_stream(n: int, d: int, s: int, seed: int = 0, exact: bool = False) -> Part:
    """All parts of `zipf_parts` in one."""
    X, y = zip(*zipf_parts(n, d, s, seed, exact), strict=True)
    return sp.csr_array(sp.vstack(X, format="csr")), np.concatenate(y)


def every_feature(d: int, s: int, seed: int = 0) -> Part:
    """Rows of s features in which each of d (of whole rows) occurs once, in an order in which a Zipf stream shows them.

    If feature j comes at rate 1/j it is first seen after a time that is exponential with mean j.
    """
    seen = (1.0 + np.arange(d)) * np.random.default_rng([seed, d, 1]).exponential(size=d)
    indices = np.argsort(seen)[: d // s * s]
    X = sp.csr_array((np.full(len(indices), s**-0.5), indices, np.arange(0, len(indices) + 1, s)), shape=(d // s, d))
    return X, labels(X, separator(d, seed), np.random.default_rng([seed, d, s, 2]))


def text_files(n: int, d: int, s: int, seed: int = 0, exact: bool = False) -> tuple[str, str]:
    """(LIBSVM file, VW file) of `zipf_parts`, made on first use."""
    name = f"zipf-n{n}-d{d}-s{s}-{seed}{'-exact' if exact else ''}"
    return kept(name, lambda: lines_of(zipf_parts(n, d, s, seed, exact)))


def kept(name: str, lines: Callable[[], Iterable[tuple[str, str]]]) -> tuple[str, str]:
    """(LIBSVM file, VW file) of (label, features) pairs, made on first use and whole or not at all."""
    OUT.mkdir(exist_ok=True)
    svm, vw = (OUT / f"{name}.{kind}" for kind in ("svm", "vw"))
    if not (svm.exists() and vw.exists()):
        with whole_file(svm) as a, whole_file(vw) as b:
            for label, features in lines():
                a.write(f"{label} {features}\n".encode())
                b.write(f"{label} | {features}\n".encode())
    return str(svm), str(vw)


def lines_of(parts: Iterable[Part], digits: int = 6) -> Iterator[tuple[str, str]]:
    """(label, features) of every row as text: 1-based indices, values of so many digits, labels with their sign."""
    for X, y in parts:
        pairs = [f"{j}:{x:.{digits}g}" for j, x in zip((X.indices + 1).tolist(), X.data.tolist(), strict=True)]
        ends = X.indptr.tolist()
        for label, begin, end in zip(y.tolist(), ends, ends[1:], strict=False):
            yield f"{label:+.{digits}g}", " ".join(pairs[begin:end])


def write_rows(path: Path, X: sp.csr_array, y: np.ndarray, line: str, digits: int = 6) -> None:
    """Write rows as `lines_of` has them, `line` saying how."""
    with whole_file(path) as out:
        for label, features in lines_of([(X, y)], digits):
            out.write(line.format(label=label, features=features).encode())


def repeated(path: Path, rows: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """(label, features) of a file's rows, labels -1/+1, again and again in other orders until there are so many."""
    with gzip.open(path, "rt") as file:
        text = [line.strip().split(maxsplit=1) for line in file if line.strip()]
    low = min({line[0] for line in text}, key=float)
    signed = [("-1" if line[0] == low else "+1", line[1] if len(line) > 1 else "") for line in text]
    chance, left = random.Random(seed), rows
    while left > 0:
        chance.shuffle(signed)
        yield from signed[:left]
        left -= len(signed)
