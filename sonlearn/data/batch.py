"""Batch: what crosses from reading to learning; Rows: the same with features numbered, as learners take it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonlearn.errors import InputError

#: Feature id of the constant in input that is not hashed; no index in a file can be negative.
CONSTANT = -1
#: Number of the constant feature in rows, while no row that was learned from has had it.
NO_CONSTANT = -2


class Batch(NamedTuple):
    """Sparse examples, row by row (CSR).

    Attributes
    ----------
    indptr : int64[n + 1]
        Row i owns entries ``indptr[i]:indptr[i + 1]``.
    indices : int64[nnz]
        Feature ids: an index as it stands in LIBSVM text, a hashed slot in VW text, `CONSTANT` for the constant
        feature. Unsorted and repeated ids are allowed; repeated ones are summed by the learner.
    values : float64[nnz]
        Finite.
    y : float64[n]
        Labels; NaN where there is none (predict only).
    weight : float64[n]
        Importance weights h >= 0; 0 means predict only.
    lines : int64[n]
        1-based line number of every example in `source`, for error messages.
    source : str
        Where the examples come from.
    tags : list of str, or None where no example of the batch has one. Bytes that are not UTF-8 are surrogate escapes.
    base : float64[n], or None: VW's base, added to the prediction of the weights.
    class_names : list of str or None, or None: labels that are no numbers, the names of classes; `y` is NaN there.
    constant : int
        Id of the constant feature in these rows, where they have one.
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    lines: np.ndarray
    source: str = "<memory>"
    tags: list[str] | None = None
    base: np.ndarray | None = None
    constant: int = CONSTANT
    class_names: list[str | None] | None = None

    @property
    def n(self) -> int:
        """Number of examples."""
        return len(self.y)

    def part(self, start: int, stop: int) -> Batch:
        """The examples `start` to `stop` - 1; `self` where that is all of them. The arrays share memory."""
        if start <= 0 and stop >= self.n:
            return self
        begin, end = self.indptr[start], self.indptr[stop]
        return self._replace(
            indptr=self.indptr[start : stop + 1] - begin, indices=self.indices[begin:end],
            values=self.values[begin:end], y=self.y[start:stop], weight=self.weight[start:stop],
            lines=self.lines[start:stop], tags=None if self.tags is None else self.tags[start:stop],
            base=None if self.base is None else self.base[start:stop],
            class_names=None if self.class_names is None else self.class_names[start:stop],
        )  # fmt: skip


def joined(batches: list[Batch]) -> Batch:
    """The examples of several batches (one at least) of the same source, in their order."""
    if len(batches) == 1:
        return batches[0]
    starts = np.cumsum([0] + [len(batch.indices) for batch in batches])
    indptr = [batch.indptr[1:] + start for batch, start in zip(batches, starts[:-1], strict=True)]
    whole = {
        name: np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("indices", "values", "y", "weight", "lines")
    }
    texts: dict[str, Any] = {}
    for name, none in (("tags", ""), ("class_names", None)):
        if any(getattr(batch, name) is not None for batch in batches):
            texts[name] = [text for batch in batches for text in getattr(batch, name) or [none] * batch.n]
    base = None
    if any(batch.base is not None for batch in batches):
        base = np.concatenate([np.zeros(batch.n) if batch.base is None else batch.base for batch in batches])
    first = np.zeros(1, dtype=np.int64)
    fields: dict[str, Any] = {**whole, **texts}
    return batches[0]._replace(indptr=np.concatenate([first, *indptr]), base=base, **fields)


class Rows(NamedTuple):
    """A batch whose features are numbered from 0 on in the order of their first sight; none occurs twice in a row.

    Rows with a NaN label or of weight 0 are predicted only. The features of such rows that have never been in a row
    that was learned from are left out, or stand there as -1 for views (`sonlearn.views.view`), repeated or not.
    """

    indptr: np.ndarray  # int64[n + 1]
    features: np.ndarray  # int64[nnz]
    values: np.ndarray  # float64[nnz]
    y: np.ndarray  # float64[n]
    weight: np.ndarray  # float64[n]
    base: np.ndarray  # float64[n]
    constant: int = NO_CONSTANT  # number of the constant feature


#: No row at all: with it, an engine makes room for features alone.
NO_ROWS = Rows(
    np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)
)  # fmt: skip


def from_scipy(X: Any, y: Any = None, weight: Any = None, *, constant: bool = True, source: str = "<memory>") -> Batch:
    """Batch of the rows of a SciPy sparse matrix or array, or of a NumPy array of two dimensions.

    Column j becomes feature id j + 1, as in a 1-based LIBSVM file, so that a model learned from text and one learned
    from matrices agree. `constant` appends the feature `CONSTANT` with value 1 to every row.

    Raises
    ------
    InputError
        `X` is no matrix of numbers, a value, label or weight is no finite number (a NaN label means "none"), a weight
        is negative, or lengths differ.
    """
    X = _csr(X, source)
    n = X.shape[0]
    y = np.full(n, np.nan) if y is None else _numbers(y, "labels", source)
    weight = np.ones(n) if weight is None else _numbers(weight, "weights", source)
    if y.shape != (n,) or weight.shape != (n,):
        raise InputError(source, None, None, f"{y.shape} labels, {weight.shape} weights", f"one each for {n} rows")
    values = _numbers(X.data, "values", source)
    if not np.isfinite(values).all():
        row = int(np.searchsorted(X.indptr, np.flatnonzero(~np.isfinite(values))[0], side="right"))
        raise InputError(source, row, None, "a value that is nan or infinite", "finite values")
    if np.isinf(y).any() or not (np.isfinite(weight) & (weight >= 0)).all():
        raise InputError(source, None, None, "an infinite label, or a weight that is not >= 0", "finite numbers")
    indptr = np.asarray(X.indptr, dtype=np.int64)
    indices = np.asarray(X.indices, dtype=np.int64) + 1
    if constant:
        indices = np.insert(indices, indptr[1:], CONSTANT)
        values = np.insert(values, indptr[1:], 1.0)
        indptr = indptr + np.arange(n + 1)
    return Batch(indptr, indices, values, y, weight, np.arange(1, n + 1), source)


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
        raise InputError(batch.source, line, None, f"feature {indices[at]}", f"{first} or more (see --zero-based)")
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
    raise InputError(source, None, None, found, expected)


def _numbers(values: Any, what: str, source: str) -> np.ndarray:
    array = np.asarray(values)
    try:
        if array.dtype.kind in "biufO":
            return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):  # objects that are no numbers
        pass
    raise InputError(source, None, None, f"{what} of type {array.dtype}", f"numbers as {what}")
