"""Estimators for scikit-learn (extra ``sklearn``): the command line's learners, its options, its hashing of text.

`partial_fit` learns each row once, in order, as ``sonlearn train`` does; `fit` forgets everything before. Column j is
feature j + 1, as in `sonlearn.from_scipy`. Nothing here learns: the arithmetic is `Learner`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from sonlearn.batch import CONSTANT, Batch, from_scipy
from sonlearn.clients import (
    LEARNING,
    PROBABILISTIC,
    Kept,
    class_options,
    constructor,
    probabilities,
    raw_of,
    value_options,
)
from sonlearn.errors import OptionError
from sonlearn.learn.learner import Learner
from sonlearn.methods import METHODS
from sonlearn.options import LearnOptions
from sonlearn.transformers import StreamingSVD, TextHasher

#: Rows that become one batch: what a learner needs beside its state follows the batch, not the data.
ROWS = 4096
#: Engines whose raw prediction is no x'coef_ + intercept_.
_CURVED = ("committee", "mixture", "bayes")


class _Son(Kept, BaseEstimator):
    """What classes and values have in common."""

    def _options(self) -> LearnOptions:
        raise NotImplementedError

    def _checked(self, X: Any, y: Any = None, weight: Any = None, *, reset: bool) -> tuple[Any, Any, Any]:
        """(X, y, weights) as arrays; X a CSR matrix or an array of float64."""
        how = {"accept_sparse": "csr", "dtype": np.float64, "reset": reset}
        if reset or y is not None:
            X, y = validate_data(self, X, y, **how, **self._label_checks)
            return X, y, _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
        return validate_data(self, X, **how), None, None

    def _batches(self, X: Any, weight: Any = None) -> Iterator[tuple[slice, Batch]]:
        """(Which rows, batch) of all rows in order."""
        for start in range(0, X.shape[0], ROWS):
            at = slice(start, min(start + ROWS, X.shape[0]))
            part = from_scipy(X[at], None, None if weight is None else weight[at], constant=self.constant, source="X")
            yield at, part._replace(lines=part.lines + start)

    def _begin(self, learners: int) -> None:
        options = self._options()
        self.learners_ = [Learner(options, threads=self.threads) for _ in range(learners)]

    def _learn(self, X: Any, targets: list[np.ndarray], weight: Any, passes: int) -> Any:
        """Learn rows, `targets[k]` being the labels float64[n] of the k-th learner."""
        if passes < 1:
            raise OptionError(f"passes {passes}: expected at least 1")
        for number in range(passes):
            if number:
                for learner in self.learners_:
                    learner.next_pass()
            for at, batch in self._batches(X, weight):
                for learner, y in zip(self.learners_, targets, strict=True):
                    learner.partial_fit(batch._replace(y=y[at]))
        return self

    def _raw(self, X: Any) -> np.ndarray:
        """Raw predictions float64[n, learners]."""
        check_is_fitted(self)
        X, _, _ = self._checked(X, reset=False)
        return np.concatenate([raw_of(self.learners_, batch) for _, batch in self._batches(X)])

    def _weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(float64[learners, d], float64[learners]): weights of the columns, and of the constant."""
        check_is_fitted(self)
        options = self.learners_[0].options
        unit = options.scale == "unit" and "scale" in METHODS[options.method].takes
        if METHODS[options.method].engine in _CURVED or unit:
            how = f"{options.method} with scale unit" if unit else options.method
            raise AttributeError(f"method {how} is not linear in a row: it has no coef_ and intercept_")
        coef, constant = np.zeros((len(self.learners_), self.n_features_in_)), np.zeros(len(self.learners_))
        for k, learner in enumerate(self.learners_):
            ids, w = learner.weights()
            column = ids != CONSTANT
            coef[k, ids[column] - 1] = w[column]
            constant[k] = w[~column].sum()
        return coef, constant

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _has_probabilities(estimator: Any) -> bool:
    return class_options(estimator).loss in PROBABILISTIC


class SonClassifier(ClassifierMixin, _Son):
    """Online classifier of two or several classes.

    Parameters
    ----------
    method, loss, sketch_size, ... :
        The fields of `sonlearn.LearnOptions`; None: the method's default. Nothing has to be tuned.
    constant : bool
        Learn an intercept.
    passes : int
        How often `fit` goes over the data.
    threads : int
        How many threads may learn side by side; results are the same.

    Attributes
    ----------
    classes_ : array[K], sorted
    learners_ : list of Learner
        One for two classes, else one a class (against all others).
    coef_ : float64[1 or K, d], intercept_ : float64[1 or K]
        Where the method is linear.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    __init__ = constructor(LEARNING | {"constant": True, "passes": 1, "threads": 1})
    _label_checks: dict[str, Any] = {}  # noqa: RUF012

    def _options(self) -> LearnOptions:
        return class_options(self)

    def fit(self, X, y, sample_weight=None):
        """Forget everything and learn the rows of X, `passes` times.

        Parameters
        ----------
        X : sparse or dense array or table [n, d]
        y : array[n] of labels of any type
        sample_weight : array[n] or None
            Importance weights; rows of weight 0 are left out.

        Raises
        ------
        ValueError
            Something is no finite number, or there is one class only.
        DivergedError
            A prediction or step was not finite.
        """
        X, y, weight = self._checked(X, y, sample_weight, reset=True)
        check_classification_targets(y)
        classes = np.unique(y[weight > 0])
        self._begin_classes(classes if len(classes) else np.unique(y))
        known = np.isin(y, self.classes_)
        return self._learn(X, self._targets(np.where(known, y, self.classes_[0])), weight, self.passes)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn further rows, once; the first call needs `classes`, all that will ever occur."""
        first = not hasattr(self, "learners_")
        X, y, weight = self._checked(X, y, sample_weight, reset=first)
        check_classification_targets(y)
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        classes = None if classes is None else unique_labels(classes)
        if first:
            self._begin_classes(classes)
        elif classes is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(f"classes={classes} is not the same as on the first call to partial_fit: {self.classes_}")
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"y has labels {unknown} that are not among the classes {self.classes_}")
        return self._learn(X, self._targets(y), weight, 1)

    def decision_function(self, X) -> np.ndarray:
        """Raw predictions: float64[n] for two classes (positive: the second), else float64[n, K]."""
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X) -> np.ndarray:
        """The likeliest class of each row, array[n]."""
        raw = self._raw(X)
        return self.classes_[(raw[:, 0] > 0).astype(int) if raw.shape[1] == 1 else raw.argmax(axis=1)]

    @available_if(_has_probabilities)
    def predict_proba(self, X) -> np.ndarray:
        """Probabilities of the classes, float64[n, K]; of losses `sonlearn.clients.PROBABILISTIC`."""
        return probabilities(self._options().loss, self._raw(X))

    @property
    def coef_(self) -> np.ndarray:
        """float64[1 or K, d]."""
        return self._weights()[0]

    @property
    def intercept_(self) -> np.ndarray:
        """float64[1 or K]."""
        return self._weights()[1]

    def _begin_classes(self, classes: np.ndarray) -> None:
        if len(classes) < 2:
            raise ValueError(f"the number of classes has to be greater than one; got {len(classes)} class")
        self._begin(1 if len(classes) == 2 else len(classes))
        self.classes_ = classes

    def _targets(self, y: np.ndarray) -> list[np.ndarray]:
        """Labels of each learner; one alone learns the second of two classes."""
        at, learners = np.searchsorted(self.classes_, y), len(self.learners_)
        return [np.where(at == k, 1.0, -1.0) for k in (range(learners) if learners > 1 else (1,))]


class SonRegressor(RegressorMixin, _Son):
    """Online regressor: squared loss, unless `loss` says otherwise.

    Parameters
    ----------
    method, loss, sketch_size, ... :
        The fields of `sonlearn.LearnOptions`; None: the method's default; method None: what suits the loss.
    constant, passes, threads :
        As for `SonClassifier`.

    Attributes
    ----------
    learners_ : list of one Learner
    coef_ : float64[d], intercept_ : float64
        Where the method is linear.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    __init__ = constructor(LEARNING | {"constant": True, "passes": 1, "threads": 1})
    _label_checks: dict[str, Any] = {"y_numeric": True}  # noqa: RUF012

    def _options(self) -> LearnOptions:
        return value_options(self)

    def fit(self, X, y, sample_weight=None):
        """Forget everything and learn the rows of X, `passes` times; see `SonClassifier.fit`."""
        X, y, weight = self._checked(X, y, sample_weight, reset=True)
        self._begin(1)
        return self._learn(X, [np.asarray(y, dtype=np.float64)], weight, self.passes)

    def partial_fit(self, X, y, sample_weight=None):
        """Learn further rows, once."""
        first = not hasattr(self, "learners_")
        X, y, weight = self._checked(X, y, sample_weight, reset=first)
        if first:
            self._begin(1)
        return self._learn(X, [np.asarray(y, dtype=np.float64)], weight, 1)

    def predict(self, X) -> np.ndarray:
        """Predictions float64[n], within the options' bounds; of poisson loss the expected count."""
        raw = self._raw(X)[:, 0]
        options = self.learners_[0].options
        p = np.clip(raw, *options.bounds)
        return np.exp(p) if options.loss == "poisson" else p

    @property
    def coef_(self) -> np.ndarray:
        """float64[d]."""
        return self._weights()[0][0]

    @property
    def intercept_(self) -> float:
        """The weight of the constant."""
        return float(self._weights()[1][0])


__all__ = ["SonClassifier", "SonRegressor", "StreamingSVD", "TextHasher"]
