"""The keywords of learners and estimators, as type checkers and editors know them.

By tests/support/write_keywords.py.
"""

from typing import Any, TypedDict

class SharedKeywords(TypedDict, total=False):
    """Options of learning that learners and all estimators have."""

    method: str | None
    sketch: str | None
    sketch_size: int | None
    loss: str | None
    quantile_tau: float
    huber_k: float
    clip: float | str | None
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

class LearnKeywords(SharedKeywords, total=False):
    """See `LearnOptions`."""

    oaa: int | None
    classes: str | None
    max_classes: int
    multinomial: int | None
    positive: str
    link: str
    binary: bool
    threshold: float | str | None
    seed: int

class SklearnRegressorKeywords(SharedKeywords, total=False):
    """See `sonlearn.sklearn.SonlearnRegressor`."""

    constant: bool
    passes: int | str
    shuffle: bool
    n_jobs: int | None
    random_state: Any
    text: tuple[str, ...] | list[str] | str | None
    categorical: tuple[str, ...] | list[str] | str | None
    numeric: tuple[str, ...] | list[str] | str | None
    ignore: tuple[str, ...] | list[str] | str | None

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
    text: str | list[str] | tuple[str, ...] | None
    threads: int

class RiverClassifierKeywords(RiverRegressorKeywords, total=False):
    """See `sonlearn.river.SonlearnClassifier`."""

    threshold: float | str | None
    positive: Any
    multinomial: bool
    classes: tuple[Any, ...] | list[Any] | None
    class_weight: dict[Any, float] | None
