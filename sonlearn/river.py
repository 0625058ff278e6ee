"""Estimators for River (extra ``river``); see `sonlearn.estimators.river`."""

from sonlearn.estimators.river import SonlearnClassifier, SonlearnPolicy, SonlearnRegressor

__all__ = ["SonlearnClassifier", "SonlearnPolicy", "SonlearnRegressor"]
