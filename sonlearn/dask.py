"""Sketches, learners and predictions on a Dask cluster (extra ``dask``); see `sonlearn.cluster.dask`.

With the extra ``sklearn`` also `SonlearnClassifier` and `SonlearnRegressor`: see `sonlearn.cluster.estimators`.
"""

from typing import Any

from sonlearn.cluster.dask import Trained, predict, sketch, train
from sonlearn.cluster.tuning import Tuned, tune

__all__ = ["Trained", "Tuned", "predict", "sketch", "train", "tune"]


def __getattr__(name: str) -> Any:
    """The estimators, which need scikit-learn."""
    if name not in ("SonlearnClassifier", "SonlearnRegressor"):
        raise AttributeError(f"module {__name__} has no attribute {name}")
    from sonlearn.cluster import estimators

    return getattr(estimators, name)
