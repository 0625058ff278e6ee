"""Estimators for River (extra ``river``); see `sonlearn.estimators.river`."""

from sonlearn.estimators.river import SonClassifier, SonRegressor
from sonlearn.estimators.river_bandit import SonBandit

__all__ = ["SonBandit", "SonClassifier", "SonRegressor"]
