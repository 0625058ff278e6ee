"""Transformers for scikit-learn: hashed text, and a streaming truncated SVD. Public as `sonlearn.sklearn`."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from sonlearn.data.batch import NO_BATCH, Batch, joined
from sonlearn.errors import OptionError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.python import Parameter, constructor, parameters_of
from sonlearn.options.spec import raw
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.make import make_sketch
from sonlearn.text.read import read_batches

#: Texts that are parsed at a time.
ROWS = 4096
#: Fields of `TextOptions` that say how text becomes features.
_HASHING = (
    "bits", "hash", "hash_seed", "quadratic", "cubic", "interactions", "ignore", "keep", "ngram", "skips",
)  # fmt: skip
_PARAMETERS = {"input": Parameter("text", "str", "text or vw")} | parameters_of(TextOptions, _HASHING)
_PLAIN = str.maketrans("|:\n\r", "    ")


class TextHasher(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Texts to rows of hashed features, as Vowpal Wabbit and the command line do it. Needs no fitting.

    Parameters
    ----------
    input : str
        ``text``: words between blanks, to which bars, colons and line ends count; ``vw``: what stands in a line of
        VW's format from the first bar on, ``|title cheap watches |price dollars:3``.
    bits, hash, hash_seed, quadratic, cubic, interactions, ignore, keep, ngram, skips :
        The fields of `sonlearn.TextOptions`. Column j is VW's slot j.
    """

    __init__ = constructor(_PARAMETERS)

    def fit(self, X: Iterable[str], y: Any = None) -> Self:
        """Check the parameters; returns self."""
        self._options()
        return self

    def transform(self, X: Iterable[str]) -> scipy.sparse.csr_matrix:
        """float64[n, 2^bits] in CSR form, of n texts.

        Raises
        ------
        InputError
            A text is no line of VW's format (``input="vw"``).
        """
        options = self._options()
        if isinstance(X, str | bytes) or hasattr(X, "columns"):  # of a table the names of its columns would be texts
            raise ValueError(f"found {'a table' if hasattr(X, 'columns') else 'one text'}, expected a list of texts")
        rows = joined(list(self._parts(list(X), options)) or [NO_BATCH])
        shape = rows.n, 1 << options.bits
        out = scipy.sparse.csr_matrix((rows.values, rows.indices, rows.indptr), shape=shape)
        out.sum_duplicates()
        return out

    def _options(self) -> TextOptions:
        if self.input not in ("text", "vw"):
            raise OptionError(f"input {self.input!r}: expected text or vw")
        given = {name: getattr(self, name) for name in _HASHING}
        return TextOptions(format="vw", constant=False, **given)

    def _parts(self, texts: list[str], options: TextOptions) -> Iterator[Batch]:
        for start in range(0, len(texts), ROWS):
            lines = [self._line(text) for text in texts[start : start + ROWS]]
            yield from read_batches(io.BytesIO(raw("".join(lines))), options)

    def _line(self, text: str) -> str:
        if not isinstance(text, str):
            raise ValueError(f"found {type(text).__name__}, expected a text (str)")
        if self.input == "text":
            return f"| {text.translate(_PLAIN)}\n"
        bar = text.find("|")
        if bar < 0 or "\n" in text.strip("\n"):
            raise ValueError(f"{shorten(text)}: expected one line of VW's format with a bar")
        return text[bar:].rstrip("\r\n") + "\n"

    @property
    def _n_features_out(self) -> int:
        return 1 << self._options().bits

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.requires_fit = False
        return tags


class StreamingSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Top right singular vectors of a stream of rows, like scikit-learn's TruncatedSVD, but by `partial_fit`.

    No mean is subtracted (sparse rows stay sparse).

    Parameters
    ----------
    n_components : int
        k, the directions returned.
    method : str
        See `sonlearn.sketch.make_sketch`.
    sketch_size : int or None
        l; None: 2 * n_components + 1, so that ||A'A - B'B|| <= ||A - A_k||_F^2 / (k + 1) for FD.
    settings : dict or None
        Further keywords of `make_sketch`.

    Attributes
    ----------
    components_ : float64[k, d]
    singular_values_ : float64[k]
        Of B: never above those of the data for FD and RFD.
    n_samples_seen_ : int
    sketch_ : Sketch
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        method: str = "rfd",
        sketch_size: int | None = None,
        settings: dict[str, Any] | None = None,
    ) -> None:
        self.n_components = n_components
        self.method = method
        self.sketch_size = sketch_size
        self.settings = settings

    def fit(self, X: Any, y: Any = None) -> Self:
        """Reset, then `partial_fit`."""
        self.__dict__.pop("sketch_", None)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take in more rows; y is ignored."""
        first = not hasattr(self, "sketch_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=first)
        if first:
            self.sketch_ = self._make()
        self.sketch_.update(X)
        return self

    def _make(self) -> Sketch:
        if self.n_components < 1:
            raise OptionError(f"n_components {self.n_components}: expected at least 1")
        size = 2 * self.n_components + 1 if self.sketch_size is None else self.sketch_size
        if size <= self.n_components:
            raise OptionError(f"sketch_size {size}: expected more than n_components = {self.n_components}")
        return make_sketch(self.method, size, **(self.settings or {}))

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the rows of X on the components, float64[n, k]."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.sketch_.transform(X, self.n_components)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows float64[n, d] from coordinates."""
        check_is_fitted(self)
        return np.asarray(np.asarray(Z, dtype=np.float64) @ self.components_)

    @property
    def components_(self) -> np.ndarray:
        rows: Any = self.sketch_.components(self.n_components)
        return np.asarray(rows.toarray() if scipy.sparse.issparse(rows) else rows)

    @property
    def singular_values_(self) -> np.ndarray:
        return np.asarray(np.sqrt(self.sketch_.eigenvalues()[: self.n_components]))

    @property
    def n_samples_seen_(self) -> int:
        return self.sketch_.n_seen

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
