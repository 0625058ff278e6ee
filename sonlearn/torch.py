"""ADA-GP as an optimiser for PyTorch (extra ``torch``); see `sonlearn.estimators.torch`."""

from sonlearn.estimators.torch import AdaGP, is_projected

__all__ = ["AdaGP", "is_projected"]
