"""Estimators for scikit-learn (extra ``sklearn``): the command line's learners, its options, its hashing of text.

`partial_fit` learns each row once, in order, as ``sonlearn train`` does; `fit` forgets everything before. Column j is
feature j + 1, as in `sonlearn.from_scipy`. Of a table (pandas, polars) with texts, dates, categories or missing values
the features are those of the same table in a file (`sonlearn.text.encode`). Nothing here learns: the arithmetic is
`Learner`'s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d, validate_data

from sonlearn.data.batch import CONSTANT, Batch
from sonlearn.data.matrices import from_scipy
from sonlearn.errors import OptionError
from sonlearn.estimators.base import (
    LEARNING,
    PickleMixin,
    best_of,
    class_options,
    constructor,
    has_softmax,
    intervals_of,
    labels_of,
    learner_of_classes,
    raw_of,
    sets_of,
    value_options,
)
from sonlearn.estimators.transformers import StreamingSVD, TextHasher
from sonlearn.learn.learner import Learner
from sonlearn.learn.links import PROBABILISTIC, probabilities
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.methods import CURVED, METHODS, additive
from sonlearn.text.columns import Labelling

#: Rows that become one batch: what a learner needs beside its state follows the batch, not the data.
ROWS = 4096


class _Son(PickleMixin, BaseEstimator):
    """What classes and values have in common."""

    def _options(self) -> LearnOptions:
        raise NotImplementedError

    def _checked(self, X: Any, y: Any = None, weight: Any = None, *, reset: bool) -> tuple[Any, Any, Any]:
        """(X, y, weights) as arrays; X a CSR matrix or an array of float64."""
        if is_mixed(X) if reset else getattr(self, "mixed_", False):
            return self._checked_table(X, y, weight, reset)
        if reset:
            self.mixed_ = False
        how = {"accept_sparse": "csr", "dtype": np.float64, "reset": reset}
        if reset or y is not None:
            X, y = validate_data(self, X, y, **how, **self._label_checks)
            return X, y, _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
        return validate_data(self, X, **how), None, None

    def _checked_table(self, X: Any, y: Any, weight: Any, reset: bool) -> tuple[Batch, Any, Any]:
        """The same of a table that is no matrix of numbers: X as a batch."""
        from sonlearn.text.arrow import table_batch

        if not hasattr(X, "__arrow_c_stream__"):
            raise ValueError(f"found a {type(X).__name__}, expected a table as in fit, with __arrow_c_stream__")
        validate_data(self, X, skip_check_array=True, reset=reset)
        self.mixed_ = True
        batch, _ = table_batch(X, self._text, Labelling(False))
        if y is not None:
            y = column_or_1d(y, dtype=np.float64 if "y_numeric" in self._label_checks else None, warn=True)
            if len(y) != batch.n:
                raise ValueError(f"{len(y)} labels, expected one each for {batch.n} rows")
            shape = np.zeros((batch.n, 1))
            weight = _check_sample_weight(weight, shape, dtype=np.float64, ensure_non_negative=True)
        return batch, y, weight

    @property
    def _text(self) -> TextOptions:
        """How tables become features."""
        return TextOptions(format="arrow", bits=32, constant=self.constant, names=False)

    def _batches(self, X: Any, weight: Any = None) -> Iterator[tuple[slice, Batch]]:
        """(Which rows, batch) of all rows in order."""
        if isinstance(X, Batch):
            for start in range(0, X.n, ROWS):
                at = slice(start, min(start + ROWS, X.n))
                part = X.part(at.start, at.stop)
                yield at, part if weight is None else part._replace(weight=weight[at])
            return
        for start in range(0, X.shape[0], ROWS):
            at = slice(start, min(start + ROWS, X.shape[0]))
            part = from_scipy(X[at], None, None if weight is None else weight[at], constant=self.constant, source="X")
            yield at, part._replace(lines=part.lines + start)

    def _learn(self, X: Any, y: np.ndarray, weight: Any, passes: int) -> Self:
        """Learn rows with the labels y, as the learner is told them, `passes` times."""
        if passes < 1:
            raise OptionError(f"passes {passes}: expected at least 1")
        for number in range(passes):
            if number:
                self.learner_.next_pass()
            for at, batch in self._batches(X, weight):
                self.learner_.partial_fit(batch._replace(y=y[at]))
        return self

    def _raw(self, X: Any) -> np.ndarray:
        """Raw predictions as `sonlearn.estimators.base.raw_of` gives them."""
        check_is_fitted(self)
        X, _, _ = self._checked(X, reset=False)
        return np.concatenate([raw_of(self.learner_, batch) for _, batch in self._batches(X)])

    def _weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(float64[1 or K, d], float64[1 or K]): weights of the columns, and of the constant."""
        check_is_fitted(self)
        options = self.learner_.options
        if self.mixed_:
            raise AttributeError("a table of texts or missing values has features that are no columns: see weights()")
        if not additive(options):
            how = options.method if METHODS[options.method].engine in CURVED else f"{options.method} with scale unit"
            raise AttributeError(f"method {how} is not linear in a row: it has no coef_ and intercept_")
        ids, w = self.learner_.weights()
        w, column = np.atleast_2d(w), ids != CONSTANT
        coef = np.zeros((len(w), self.n_features_in_))
        coef[:, ids[column] - 1] = w[:, column]
        return coef, w[:, ~column].sum(axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def is_mixed(X: Any) -> bool:
    """Whether X is a table that is no matrix of numbers: it has texts, dates, categories, or missing values."""
    if not hasattr(X, "__arrow_c_stream__"):
        return False
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError:
        return False
    return any(
        not (pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)
             or pyarrow.types.is_boolean(column.type) or pyarrow.types.is_decimal(column.type))
        or column.null_count
        or (pyarrow.types.is_floating(column.type) and pyarrow.compute.any(pyarrow.compute.is_nan(column)).as_py())
        for column in pyarrow.table(X).columns
    )  # fmt: skip


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
    learner_ : Learner
        Of two classes, -1 and +1; else with ``oaa``: labels are 0 to K - 1, each class against all others.
    coef_ : float64[1 or K, d], intercept_ : float64[1 or K]
        Where the method is linear.
    mixed_ : bool
        Whether it has learned from a table with texts or missing values; then there is no coef_.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    __init__ = constructor(LEARNING | {"constant": True, "passes": 1, "threads": 1})
    _label_checks: dict[str, Any] = {}  # noqa: RUF012

    def _options(self) -> LearnOptions:
        return class_options(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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
        return self._learn(X, self._labels(np.where(known, y, self.classes_[0])), weight, self.passes)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn further rows, once; the first call needs `classes`, all that will ever occur."""
        first = not hasattr(self, "learner_")
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
        return self._learn(X, self._labels(y), weight, 1)

    def decision_function(self, X: Any) -> np.ndarray:
        """Raw predictions: float64[n] for two classes (positive: the second), else float64[n, K]."""
        raw = self._raw(X)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row, array[n]."""
        raw = self._raw(X)
        return np.asarray(self.classes_[best_of(self.learner_, raw)])

    def predict_set(self, X: Any) -> np.ndarray:
        """bool[n, K]: which of `classes_` are in each row's set, which holds the share `coverage` of the labels.

        Raises OptionError: the estimator has no `coverage`.
        """
        check_is_fitted(self)
        X, _, _ = self._checked(X, reset=False)
        return np.concatenate([sets_of(self.learner_, batch) for _, batch in self._batches(X)])

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, float64[n, K]; of losses `sonlearn.learn.links.PROBABILISTIC`."""
        raw = self._raw(X)
        return probabilities(self._options().loss, raw, has_softmax(self.learner_))

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
        self.learner_ = learner_of_classes(
            self._options(), len(classes), self._text if self.mixed_ else None, self.threads
        )  # fmt: skip
        self.classes_ = classes

    def _labels(self, y: np.ndarray) -> np.ndarray:
        return labels_of(self.learner_, np.searchsorted(self.classes_, y))


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
    learner_ : Learner
    coef_ : float64[d], intercept_ : float64
        Where the method is linear.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    __init__ = constructor(LEARNING | {"constant": True, "passes": 1, "threads": 1})
    _label_checks: dict[str, Any] = {"y_numeric": True}  # noqa: RUF012

    def _options(self) -> LearnOptions:
        return value_options(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn the rows of X, `passes` times; see `SonClassifier.fit`."""
        X, y, weight = self._checked(X, y, sample_weight, reset=True)
        self._begin()
        return self._learn(X, np.asarray(y, dtype=np.float64), weight, self.passes)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn further rows, once."""
        first = not hasattr(self, "learner_")
        X, y, weight = self._checked(X, y, sample_weight, reset=first)
        if first:
            self._begin()
        return self._learn(X, np.asarray(y, dtype=np.float64), weight, 1)

    def _begin(self) -> None:
        self.learner_ = Learner(self._options(), self._text if self.mixed_ else None, threads=self.threads)

    def predict(self, X: Any) -> np.ndarray:
        """Predictions float64[n], within the options' bounds; of poisson loss the expected count."""
        raw = self._raw(X)[:, 0]
        options = self.learner_.options
        p = np.clip(raw, *options.bounds)
        return np.asarray(np.exp(p) if options.loss == "poisson" else p)

    def predict_interval(self, X: Any) -> np.ndarray:
        """float64[n, 2]: the ends of each row's interval, which holds the share `coverage` of the labels.

        Raises OptionError: the estimator has no `coverage`.
        """
        check_is_fitted(self)
        X, _, _ = self._checked(X, reset=False)
        return np.concatenate([intervals_of(self.learner_, batch) for _, batch in self._batches(X)])

    @property
    def coef_(self) -> np.ndarray:
        """float64[d]."""
        return np.asarray(self._weights()[0][0])

    @property
    def intercept_(self) -> float:
        """The weight of the constant."""
        return float(self._weights()[1][0])


__all__ = ["SonClassifier", "SonRegressor", "StreamingSVD", "TextHasher"]
