"""Estimators for scikit-learn (extra ``sklearn``); see `sonlearn.estimators.sklearn`."""

from sonlearn.estimators.sklearn import SonlearnClassifier, SonlearnRegressor, StreamingSVD, TextHasher

#: Their former names, which go with version 1.
SonClassifier, SonRegressor = SonlearnClassifier, SonlearnRegressor

__all__ = [
    "SonClassifier", "SonRegressor", "SonlearnClassifier", "SonlearnRegressor", "StreamingSVD", "TextHasher",
]  # fmt: skip
