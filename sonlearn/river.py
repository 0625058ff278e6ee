"""Estimators for River (extra ``river``); see `sonlearn.estimators.river`."""

from sonlearn.estimators.river import SonClassifier, SonRegressor

__all__ = ["SonClassifier", "SonRegressor"]
