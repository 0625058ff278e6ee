"""The keywords of the estimators, as type checkers and editors know them. By tests/support/write_keywords.py."""

from __future__ import annotations

from typing import Any, TypedDict


class SklearnClassifierKeywords(TypedDict, total=False):
    """See `sonlearn.sklearn.SonlearnClassifier`."""

    method: str | None
    sketch: str | None
    sketch_size: int | None
    loss: str | None
    quantile_tau: float
    huber_k: float
    clip: float | None
    min_prediction: float | None
    max_prediction: float | None
    threshold: float | str | None
    coverage: float | None
    alpha: float | None
    sigma: float | str | None
    eta: float | str | None
    project: str
    members: tuple[str, ...] | list[str] | str
    prune: bool
    budget: float | str
    thin: float | None
    beta: float | None
    oja_step: str
    scale: str | None
    diagonal: bool | None
    learning_rate: float | None
    power_t: float | None
    invariant: bool
    rescale: str
    l1: float
    l2: float
    decay: float
    label_delay: int
    ftrl_alpha: float | None
    ftrl_beta: float | None
    delta: float
    update: str
    buffer: str
    arow_r: float
    positive: Any
    multinomial: bool
    class_weight: dict[Any, float] | str | None
    constant: bool
    passes: int | str
    shuffle: bool
    n_jobs: int | None
    random_state: Any
    text: tuple[str, ...] | list[str] | str
    categorical: tuple[str, ...] | list[str] | str
    numeric: tuple[str, ...] | list[str] | str
    ignore: tuple[str, ...] | list[str] | str


class SklearnRegressorKeywords(TypedDict, total=False):
    """See `sonlearn.sklearn.SonlearnRegressor`."""

    method: str | None
    sketch: str | None
    sketch_size: int | None
    loss: str | None
    quantile_tau: float
    huber_k: float
    clip: float | None
    min_prediction: float | None
    max_prediction: float | None
    coverage: float | None
    alpha: float | None
    sigma: float | str | None
    eta: float | str | None
    project: str
    members: tuple[str, ...] | list[str] | str
    prune: bool
    budget: float | str
    thin: float | None
    beta: float | None
    oja_step: str
    scale: str | None
    diagonal: bool | None
    learning_rate: float | None
    power_t: float | None
    invariant: bool
    rescale: str
    l1: float
    l2: float
    decay: float
    label_delay: int
    ftrl_alpha: float | None
    ftrl_beta: float | None
    delta: float
    update: str
    buffer: str
    arow_r: float
    constant: bool
    passes: int | str
    shuffle: bool
    n_jobs: int | None
    random_state: Any
    text: tuple[str, ...] | list[str] | str
    categorical: tuple[str, ...] | list[str] | str
    numeric: tuple[str, ...] | list[str] | str
    ignore: tuple[str, ...] | list[str] | str


class RiverClassifierKeywords(TypedDict, total=False):
    """See `sonlearn.river.SonlearnClassifier`."""

    method: str | None
    sketch: str | None
    sketch_size: int | None
    loss: str | None
    max_classes: int
    quantile_tau: float
    huber_k: float
    clip: float | None
    min_prediction: float | None
    max_prediction: float | None
    threshold: float | str | None
    coverage: float | None
    alpha: float | None
    sigma: float | str | None
    eta: float | str | None
    project: str
    members: tuple[str, ...] | list[str] | str
    prune: bool
    budget: float | str
    thin: float | None
    beta: float | None
    oja_step: str
    scale: str | None
    diagonal: bool | None
    learning_rate: float | None
    power_t: float | None
    invariant: bool
    rescale: str
    l1: float
    l2: float
    decay: float
    label_delay: int
    ftrl_alpha: float | None
    ftrl_beta: float | None
    delta: float
    update: str
    buffer: str
    seed: int
    arow_r: float
    positive: Any
    multinomial: bool
    classes: tuple[Any, ...] | list[Any] | None
    class_weight: dict[Any, float] | None
    bits: int
    constant: bool
    threads: int


class RiverRegressorKeywords(TypedDict, total=False):
    """See `sonlearn.river.SonlearnRegressor`."""

    method: str | None
    sketch: str | None
    sketch_size: int | None
    loss: str | None
    max_classes: int
    quantile_tau: float
    huber_k: float
    clip: float | None
    min_prediction: float | None
    max_prediction: float | None
    coverage: float | None
    alpha: float | None
    sigma: float | str | None
    eta: float | str | None
    project: str
    members: tuple[str, ...] | list[str] | str
    prune: bool
    budget: float | str
    thin: float | None
    beta: float | None
    oja_step: str
    scale: str | None
    diagonal: bool | None
    learning_rate: float | None
    power_t: float | None
    invariant: bool
    rescale: str
    l1: float
    l2: float
    decay: float
    label_delay: int
    ftrl_alpha: float | None
    ftrl_beta: float | None
    delta: float
    update: str
    buffer: str
    seed: int
    arow_r: float
    bits: int
    constant: bool
    threads: int
