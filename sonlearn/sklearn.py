"""Estimators for scikit-learn (extra ``sklearn``); see `sonlearn.estimators.sklearn`."""

from sonlearn.estimators.sklearn import SonClassifier, SonRegressor, StreamingSVD, TextHasher

__all__ = ["SonClassifier", "SonRegressor", "StreamingSVD", "TextHasher"]
