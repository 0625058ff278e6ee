"""Batches from matrices of SciPy and NumPy, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.data.batch import CONSTANT, Batch
from sonlearn.errors import InputError


def from_scipy(X: Any, y: Any = None, weight: Any = None, *, constant: bool = True, source: str = "<memory>") -> Batch:
    """Batch of the rows of a SciPy sparse matrix or array, or of a NumPy array of two dimensions.

    Column j becomes feature id j + 1, as in a 1-based LIBSVM file, so that a model learned from text and one learned
    from matrices agree. `constant` appends the feature `CONSTANT` with value 1 to every row.

    Raises
    ------
    InputError
        `X` is not a matrix of numbers; a value, label or weight is not finite (except NaN labels, which mean "none"); a
        weight is negative; or lengths differ.
    """
    X = _csr(X, source)
    n = X.shape[0]
    y = np.full(n, np.nan) if y is None else _numbers(y, "labels", source)
    weight = np.ones(n) if weight is None else _numbers(weight, "weights", source)
    if y.shape != (n,) or weight.shape != (n,):
        raise InputError(source, f"{y.shape} labels, {weight.shape} weights", f"one each for {n} rows")
    values = _numbers(X.data, "values", source)
    if not np.isfinite(values).all():
        at = int(np.isfinite(values).argmin())
        row, column = int(np.searchsorted(X.indptr, at, side="right")), int(X.indices[at]) + 1
        raise InputError(source, f"{values[at]}", "a finite value (rows and columns from 1 on)", row, column)
    if np.isinf(y).any() or not (np.isfinite(weight) & (weight >= 0)).all():
        raise InputError(source, "an infinite label, or a weight that is not >= 0", "finite numbers")
    return Batch(*entries_of(X.indptr, X.indices, values, constant), y, weight, np.arange(1, n + 1), source)


def entries_of(
    indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, constant: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(indptr, ids, values) of a batch: some rows of a CSR matrix, its ``indptr[start : stop + 1]`` and its entries."""
    begin, end = int(indptr[0]), int(indptr[-1])
    starts = indptr.astype(np.int64) - begin
    ids, values = indices[begin:end].astype(np.int64), np.asarray(values[begin:end], dtype=np.float64)
    if not constant:
        return starts, ids + 1, values
    starts += np.arange(len(starts))
    out, given = np.ones(starts[-1]), np.ones(starts[-1], bool)
    given[starts[1:] - 1] = False
    out[given] = values
    all_ids = np.full(len(out), CONSTANT)
    all_ids[given] = ids + 1
    return starts, all_ids, out


def to_csr(batch: Batch, first: int) -> Any:
    """The rows of a batch as a SciPy CSR array: feature id i becomes column i - first; the constant is left out.

    `first` is 1 for LIBSVM text, whose indices begin with 1, so that columns agree with scikit-learn's loader and with
    `from_scipy`; 0 for hashed names.

    Raises
    ------
    InputError
        An index is below `first`.
    """
    import scipy.sparse

    indptr, indices, values = batch.indptr, batch.indices, batch.values
    constant = indices == CONSTANT
    if constant.any():
        indptr = np.concatenate([[0], np.cumsum(~constant)])[indptr]
        indices, values = indices[~constant], values[~constant]
    if len(indices) and indices.min() < first:
        at = int(indices.argmin())
        line = int(batch.lines[np.searchsorted(indptr, at, side="right") - 1])
        raise InputError(batch.source, f"feature {indices[at]}", f"{first} or more (see --zero-based)", line)
    width = int(indices.max()) - first + 1 if len(indices) else 0
    return scipy.sparse.csr_array((values, indices - first, indptr), shape=(batch.n, width))


def _csr(X: Any, source: str) -> Any:
    """`X` with attributes shape, data, indices and indptr."""
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if len(X.shape) == 2:
            return X
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        import scipy.sparse

        return scipy.sparse.csr_array(_numbers(X, "values", source))
    shape = f" of shape {X.shape}" if hasattr(X, "shape") else ""
    found, expected = f"a {type(X).__name__}{shape}", "a SciPy sparse matrix, or a NumPy array of two dimensions"
    raise InputError(source, found, expected)


def _numbers(values: Any, what: str, source: str) -> np.ndarray:
    array = np.asarray(values)
    try:
        if array.dtype.kind in "biufO":
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):  # objects that are no numbers
        pass
    raise InputError(source, f"{what} of type {array.dtype}", f"numbers as {what}")
