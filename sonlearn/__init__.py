"""Sketched online Newton learning on endless sparse text streams.

The public surface, on one screen. Names are imported on first use, so that ``import sonlearn`` (and with it
``sonlearn --help``) loads neither numpy nor numba.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

    from sonlearn.data.batch import Batch
    from sonlearn.data.matrices import from_scipy
    from sonlearn.errors import DivergedError, InputError, ModelFileError, OptionError, SonlearnError, ThreadError
    from sonlearn.estimators.bandit import SonlearnBandit
    from sonlearn.learn.learner import Learner
    from sonlearn.options import LearnOptions, TextOptions
    from sonlearn.report.metrics import Metrics
    from sonlearn.text.describe import describe
    from sonlearn.text.read import read_batches
    from sonlearn.tuning.search import tune

__version__ = "0.1.0"

_HOME = {
    "data.batch": ("Batch",),
    "data.matrices": ("from_scipy",),
    "errors": ("DivergedError", "InputError", "ModelFileError", "OptionError", "SonlearnError", "ThreadError"),
    "estimators.bandit": ("SonlearnBandit",),
    "learn.learner": ("Learner",),
    "options": ("LearnOptions", "TextOptions"),
    "report.metrics": ("Metrics",),
    "text.describe": ("describe",),
    "text.read": ("read_batches",),
    "tuning.search": ("tune",),
}

__all__ = [
    "Batch", "DivergedError", "InputError", "LearnOptions", "Learner", "Metrics", "ModelFileError",
    "OptionError", "SonlearnBandit", "SonlearnError", "TextOptions", "ThreadError", "describe", "from_scipy",
    "read_batches", "tune",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for home, names in _HOME.items():
        if name in names:
            import importlib

            return getattr(importlib.import_module(f"sonlearn.{home}"), name)
    raise AttributeError(f"module 'sonlearn' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
