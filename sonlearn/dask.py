"""Sketches, learners and predictions on a Dask cluster (extra ``dask``); see `sonlearn.cluster.dask`."""

from sonlearn.cluster.dask import LostError, Trained, predict, sketch, train

__all__ = ["LostError", "Trained", "predict", "sketch", "train"]
