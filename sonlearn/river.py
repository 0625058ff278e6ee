"""Estimators for River (extra ``river``); see `sonlearn.estimators.river`."""

from sonlearn.estimators.river import SonlearnClassifier, SonlearnRegressor
from sonlearn.estimators.river_bandit import SonlearnPolicy

__all__ = ["SonlearnClassifier", "SonlearnPolicy", "SonlearnRegressor"]
