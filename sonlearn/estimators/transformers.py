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
from sonlearn.sketch import pca
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


class StreamingSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator, pca.StreamingSVD):
    """`sonlearn.sketch.pca.StreamingSVD`, with what scikit-learn asks of its own: checked input, names, tags.

    Parameters
    ----------
    n_components, method, sketch_size, settings :
        As there.

    Attributes
    ----------
    components_, singular_values_, n_samples_seen_, sketch_ :
        As there.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Take in more rows; y is ignored."""
        first = not hasattr(self, "sketch_")
        return super().partial_fit(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=first))

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates of the rows of X on the components, float64[n, k]."""
        check_is_fitted(self)
        return super().transform(validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False))

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows float64[n, d] from coordinates."""
        check_is_fitted(self)
        return super().inverse_transform(Z)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
