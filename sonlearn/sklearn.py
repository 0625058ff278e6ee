"""Estimators for scikit-learn (extra ``sklearn``); see `sonlearn.estimators.sklearn`."""

from sonlearn.estimators.sklearn import SonlearnClassifier, SonlearnRegressor, StreamingSVD, TextHasher

__all__ = ["SonlearnClassifier", "SonlearnRegressor", "StreamingSVD", "TextHasher"]
