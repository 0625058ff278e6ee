"""The keywords of the estimators, as type checkers and editors know them. By tests/support/write_keywords.py."""

from __future__ import annotations

from typing import Any

from sonlearn.options.keywords import SharedKeywords


class SklearnRegressorKeywords(SharedKeywords, total=False):
    """See `sonlearn.sklearn.SonlearnRegressor`."""

    constant: bool
    passes: int | str
    shuffle: bool
    n_jobs: int | None
    random_state: Any
    text: tuple[str, ...] | list[str] | str
    categorical: tuple[str, ...] | list[str] | str
    numeric: tuple[str, ...] | list[str] | str
    ignore: tuple[str, ...] | list[str] | str


class SklearnClassifierKeywords(SklearnRegressorKeywords, total=False):
    """See `sonlearn.sklearn.SonlearnClassifier`."""

    threshold: float | str | None
    positive: Any
    multinomial: bool
    class_weight: dict[Any, float] | str | None


class RiverRegressorKeywords(SharedKeywords, total=False):
    """See `sonlearn.river.SonlearnRegressor`."""

    max_classes: int
    seed: int
    bits: int
    constant: bool
    threads: int


class RiverClassifierKeywords(RiverRegressorKeywords, total=False):
    """See `sonlearn.river.SonlearnClassifier`."""

    threshold: float | str | None
    positive: Any
    multinomial: bool
    classes: tuple[Any, ...] | list[Any] | None
    class_weight: dict[Any, float] | None
