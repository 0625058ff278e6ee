"""Estimators for River (extra ``river``); see `sonlearn.estimators.river`."""

from sonlearn.estimators.river import SonlearnClassifier, SonlearnRegressor
from sonlearn.estimators.river_bandit import SonlearnPolicy

#: Their former names, which go with version 1.
SonClassifier, SonRegressor = SonlearnClassifier, SonlearnRegressor

__all__ = ["SonClassifier", "SonRegressor", "SonlearnClassifier", "SonlearnPolicy", "SonlearnRegressor"]
