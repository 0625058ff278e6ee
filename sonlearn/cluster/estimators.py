"""Estimators of scikit-learn's form on `dask.array` and `dask.dataframe` (extras ``dask`` and ``sklearn``).

As in Dask-ML, `fit` learns on the cluster, and what is predicted for a collection is a lazy `dask.array` with a chunk
for each chunk of rows. `fit_future` does not wait. For arrays in memory all is as in `sonlearn.sklearn`.
"""

from __future__ import annotations

import copy
import threading
from concurrent.futures import Future
from typing import Any, Self

import dask
import numpy as np
from distributed import Client
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils.validation import _check_y, validate_data

from sonlearn import sklearn
from sonlearn.cluster.dask import CANCELLED, as_array, client_here, results_of, trained
from sonlearn.cluster.tasks import Reading
from sonlearn.errors import InputError, OptionError, warn_caller
from sonlearn.options import TextOptions
from sonlearn.text.columns import Labelling, first_names


class Fitting(Future):
    """The future of an estimator that is being fitted; `cancel` ends that, and the work on the cluster."""

    def running(self) -> bool:
        """Return whether the fit is under way."""
        return not self.done()


class _OnDask:
    """What classes and values have in common; the other base has scikit-learn's form."""

    learner_: Any
    passes: int | str
    constant: bool

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn the rows of X: see `sonlearn.dask.train` for what a cluster makes of them.

        Parameters
        ----------
        X : dask.array or dask.dataframe of numbers [n, d], or anything that `sonlearn.sklearn` takes
        y : dask.array, dask.dataframe column or array [n]
        sample_weight : the same, or None

        Raises
        ------
        OptionError
            `passes` above 1, or `class_weight`, on a cluster.
        InputError, ValueError
            Columns are no numbers, labels or weights are not one for each row, or there is one class only.
        """
        if not dask.is_dask_collection(X):
            return super().fit(X, y, sample_weight)  # type: ignore[misc]
        return self._fit(X, y, sample_weight, client_here())

    def fit_future(self, X: Any, y: Any, sample_weight: Any = None) -> Future[Self]:
        """Begin to `fit` collections in a thread of its own; the future's result is this estimator."""
        client, future, cancelled = client_here(), Fitting(), threading.Event()  # the client of this thread
        future.add_done_callback(lambda done: cancelled.set() if done.cancelled() else None)

        def work() -> None:
            CANCELLED.set(cancelled)
            error = None
            try:
                self._fit(X, y, sample_weight, client)
            except BaseException as problem:
                error = problem
            if future.set_running_or_notify_cancel():  # pending until now: it can be cancelled
                future.set_result(self) if error is None else future.set_exception(error)

        threading.Thread(target=work, name="sonlearn-fit").start()
        return future

    def _fit(self, X: Any, y: Any, weight: Any, client: Client) -> Self:
        for name in ("passes", "class_weight"):
            if getattr(self, name, None) not in (None, "auto", 1):
                raise OptionError(f"{type(self).__name__}: {name} on a cluster: one pass, and rows count as they are")
        if not hasattr(X, "ndim"):
            raise InputError("X", f"a {type(X).__name__}", "dask.array or dask.dataframe; dask.train takes bags")
        others = [name for name, kind in getattr(X, "dtypes", {}).items() if kind.kind not in "biuf"]
        if others:
            expected = "numbers; of others dask.train(X.assign(label=y), text=TextOptions(label='label')) learns"
            raise InputError("X", f"columns of other kinds: {first_names(others)}", expected)
        own: Any = self
        own._checked(np.zeros((1, X.shape[1])), np.zeros(1), None, reset=True)
        self._compare_columns(X, reset=True)
        X, y, weight = (None if each is None else as_array(each) for each in (X, y, weight))
        labels = self._prepared(y.map_blocks(_check_y, dtype=y.dtype, meta=y._meta), client)
        reading = Reading(
            TextOptions(format="svmlight", constant=self.constant),
            labels=Labelling.of(self.learner_.options),
        )
        data = (X, labels) if weight is None else (X, labels, weight)
        try:
            self.learner_ = trained(data, self.learner_.options, reading, client=client, start=self.learner_).learner
            self.learner_.rest()
        except BaseException:
            del self.learner_  # which has learned nothing
            raise
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy, or of values R², of what is predicted for X; of collections it is computed."""
        own: Any = self
        predicted, y, weight = (dask.compute(each)[0] for each in (own.predict(X), y, sample_weight))
        return float((accuracy_score if is_classifier(self) else r2_score)(y, predicted, sample_weight=weight))

    def _compare_columns(self, X: Any, reset: bool) -> None:
        """Keep the names and the number of the columns, or compare them with those of `fit`. Raises ValueError."""
        validate_data(self, X._meta if hasattr(X, "columns") else X, skip_check_array=True, reset=reset)

    def _prepared(self, y: Any, client: Client) -> Any:
        """Make the learner; returns the labels as it takes them."""
        raise NotImplementedError

    def _of_chunks(self, X: Any, name: str, columns: int | None, dtype: Any) -> Any:
        """The method `name` of scikit-learn's estimator for each chunk of rows, float64[n] or [n, columns], lazily."""
        if not dask.is_dask_collection(X):
            return getattr(super(), name)(X)
        self._compare_columns(X, reset=False)
        X, shape = as_array(X), (0,) if columns is None else (0, columns)
        out = {"drop_axis": 1} if columns is None else {"chunks": (X.chunks[0], (columns,))}
        nameless = copy.copy(self)
        vars(nameless).pop("feature_names_in_", None)  # chunks have no names
        model = dask.delayed(nameless, pure=False, traverse=False)  # one task, so that it goes to each worker once
        return X.map_blocks(_of_chunk, model, name, dtype=dtype, meta=np.empty(shape, dtype), **out)


class SonlearnClassifier(_OnDask, sklearn.SonlearnClassifier):
    """`sonlearn.sklearn.SonlearnClassifier` on a Dask cluster; same parameters and attributes."""

    def _prepared(self, y: Any, client: Client) -> Any:
        chunks = results_of(client.compute([dask.delayed(np.unique)(chunk) for chunk in np.ravel(y.to_delayed())]))
        self._begin_classes(np.unique(np.concatenate(chunks)))
        if sum(len(met) > 1 for met in chunks) < len(self.classes_) <= len(chunks):
            note = "nearly each chunk has labels of one class: shuffle the rows, which are learned in their order"
            warn_caller(note)
        return y.map_blocks(self._labels, dtype=np.float64)

    def predict(self, X: Any) -> Any:
        """The likeliest class of each row, or that of `threshold`."""
        return self._of_chunks(X, "predict", None, self.classes_.dtype)

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, float64[n, K]."""
        return self._of_chunks(X, "predict_proba", len(self.classes_), np.float64)

    def decision_function(self, X: Any) -> Any:
        """Raw predictions: float64[n] for two classes, else float64[n, K]."""
        return self._of_chunks(
            X, "decision_function", None if len(self.classes_) == 2 else len(self.classes_), np.float64
        )


class SonlearnRegressor(_OnDask, sklearn.SonlearnRegressor):
    """`sonlearn.sklearn.SonlearnRegressor` on a Dask cluster; same parameters and attributes."""

    def _prepared(self, y: Any, client: Client) -> Any:
        self._begin()
        return y

    def predict(self, X: Any) -> Any:
        """Predictions float64[n]."""
        return self._of_chunks(X, "predict", None, np.float64)


def _of_chunk(rows: np.ndarray, estimator: Any, method: str) -> Any:
    return getattr(estimator, method)(rows)
