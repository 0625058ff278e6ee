"""A streaming truncated SVD (uncentred PCA) with scikit-learn's interface, on top of any sketch."""

from __future__ import annotations

import inspect
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from sonlearn.errors import OptionError
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.make import make_sketch


class StreamingSVD:
    """Top right singular vectors of a stream of rows, like scikit-learn's TruncatedSVD, but by `partial_fit`.

    No mean is subtracted (sparse rows stay sparse). Needs no scikit-learn, and works in its pipelines.

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
    n_features_in_, n_samples_seen_ : int
    sketch_ : Sketch
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
        """Add rows; y is ignored."""
        if not hasattr(self, "sketch_"):
            self.sketch_ = self._make()
        self.sketch_.update(X)
        self.n_features_in_ = self.sketch_.n_features
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
        return self._fitted().transform(X, self.n_components)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """`fit`, then `transform` of the same rows."""
        return self.fit(X).transform(X)

    def inverse_transform(self, Z: Any) -> np.ndarray:
        """Rows float64[n, d] from coordinates."""
        return np.asarray(np.asarray(Z, dtype=np.float64) @ self.components_)

    def _fitted(self) -> Sketch:
        if not hasattr(self, "sketch_"):
            raise OptionError("this StreamingSVD has seen no rows; call fit or partial_fit first")
        return self.sketch_

    @property
    def components_(self) -> np.ndarray:
        rows: Any = self._fitted().components(self.n_components)
        return np.asarray(rows.toarray() if sp.issparse(rows) else rows)

    @property
    def singular_values_(self) -> np.ndarray:
        return np.asarray(np.sqrt(self._fitted().eigenvalues()[: self.n_components]))

    @property
    def n_samples_seen_(self) -> int:
        return self._fitted().n_seen

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "sketch_")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor parameters by name."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def set_params(self, **params: Any) -> Self:
        """Set constructor parameters; returns self."""
        for name, value in params.items():
            if name not in self.get_params():
                raise OptionError(f"StreamingSVD has no parameter {name}")
            setattr(self, name, value)
        return self
