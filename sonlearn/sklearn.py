"""Estimators for scikit-learn (extra ``sklearn``): the command line's learners, its options, its hashing of text.

`partial_fit` learns each row once, in order, as ``sonlearn train`` does. `fit` forgets everything before and learns the
rows in a random order, since rows in memory are often sorted by label, and a few rows several times. Column j of d is
feature j + 1, as in `sonlearn.from_scipy`; where an array has NaN, feature d + j + 1 with value 1 says so. Of a table
(pandas, polars) with texts, dates, categories or missing values the features are those of the same table in a file
(`sonlearn.text.encode`). Nothing here learns: the arithmetic is `Learner`'s.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.validation import _check_sample_weight, _check_y, check_is_fitted, validate_data

from sonlearn.data.arrays import collected
from sonlearn.data.batch import CONSTANT, Batch, joined
from sonlearn.data.matrices import entries_of
from sonlearn.errors import OptionError, warn_caller
from sonlearn.estimators import base
from sonlearn.estimators.transformers import StreamingSVD, TextHasher
from sonlearn.learn.learner import Learner
from sonlearn.learn.predicted import PROBABILISTIC
from sonlearn.options import TextOptions
from sonlearn.options.learning import OUTPUT_OPTIONS
from sonlearn.options.methods import CURVED, METHODS, additive
from sonlearn.options.python import Parameter, errors_in_keywords, in_keywords, parameters_of, with_parameters
from sonlearn.report.labels import LabelStatistics, scale_note
from sonlearn.text.arrow import arrow_table, categories_of, is_mixed, table_batch
from sonlearn.text.columns import NONE_SEEN, ColumnTable, Labelling, column_of, columns_have, names_a_column
from sonlearn.text.names import NameTable

if TYPE_CHECKING:
    from typing import Unpack

    from sonlearn.options.keywords import SklearnClassifierKeywords, SklearnRegressorKeywords

#: About how many rows become one batch: what a learner needs beside its state follows the batch, not the data.
ROWS = 4096

#: Of more rows `fit` makes one pass, unless it is told how many.
MAX_ROWS = 16384
#: Every so many rows are held out to find how many passes help; the most passes that are tried; and without a gain.
FOLDS, MOST_PASSES, PATIENCE = 5, 10, 2
#: So many rows at least are held out, if there are, one part after the other, to find how members are combined.
MIN_HELD_OUT = 4096
#: Rows of a stream, evenly spread over it, that are kept to ask a model about; of more rows, more than half as many.
MOST_SAMPLED = 64

#: Columns of a table with a role of their own, as options of text.
_COLUMNS = ("text", "categorical", "numeric", "ignore")
_CLIENT = {
    "constant": base.INTERCEPT,
    "passes": Parameter(
        "auto", "int | str", "how often `fit` goes over the rows, from 1; auto: as often as the loss of every "
        f"{FOLDS}th row is least when the others are learned, at most {MOST_PASSES} times; more than {MAX_ROWS} rows "
        "once",
    ),
    "shuffle": Parameter(True, "bool", "`fit` learns the rows in a random order; False: in their own"),
    "n_jobs": Parameter(None, "int | None", "how many threads may learn side by side; None: 1; -1: one for each "
                        "processor; results are the same"),
    "random_state": Parameter(
        None, "Any", "seed of the order of rows and of what else is random: a whole number, a RandomState, or None, "
        "which is 0",
    ),
    **{name: each._replace(help=f"of tables: {each.help}", kind=f"{each.kind} | None")
       for name, each in parameters_of(TextOptions, _COLUMNS).items()},
}  # fmt: skip
#: Parameters that are as they were when the first row was learned.
_FROZEN = {*base.LEARNING, *base.FOR_CLASSES, *_COLUMNS, "constant"} - {*OUTPUT_OPTIONS, "seed"}
_LEARNING = {name: each for name, each in base.LEARNING.items() if name not in ("seed", "max_classes")}
_CLASSIFIER = _LEARNING | base.FOR_CLASSES | {
    "class_weight": Parameter(
        None, "dict[Any, float] | str | None", "what the weight of a row of a class is multiplied with; 'balanced', in "
        "`fit`: n / (K times the rows of the class)",
    ),
} | _CLIENT  # fmt: skip
_REGRESSOR = {name: each for name, each in (_LEARNING | _CLIENT).items() if name not in base.OF_CLASSES}


class _SklearnEstimator(base.Options, BaseEstimator):
    """What classes and values have in common."""

    _RENAMED = {"seed": "random_state", "threads": "n_jobs"}  # noqa: RUF012
    constant: bool
    passes: int | str
    shuffle: bool
    n_jobs: int | None
    random_state: Any
    _label_checks: dict[str, Any]
    _rows = 0  # learned from arrays
    _sums = np.zeros(1)  # of their columns; NaN where a number was missing
    _categories: tuple[str, ...] = ()  # columns of tables whose type says that they are names
    _inferred: TextOptions | None = None  # how the others are read by the first rows

    @property
    def _threads(self) -> int:
        n = self.n_jobs
        if n == 0:
            raise OptionError(f"{type(self).__name__}: n_jobs 0: expected a number of threads, -1 or None")
        return 1 if n is None else n if n > 0 else max(1, (os.cpu_count() or 1) + 1 + n)

    def _option(self, name: str) -> Any:
        if name != "seed":
            return super()._option(name)
        state = self.random_state
        if state is None or isinstance(state, int | np.integer):
            return 0 if state is None else int(state)
        return int(check_random_state(state).randint(2**31 - 1))

    def _checked(self, X: Any, y: Any = None, weight: Any = None, *, reset: bool) -> tuple[Any, Any, Any]:
        """(X, y, weights) as arrays; X a CSR matrix or an array of float64."""
        if reset:
            self._categories, self._inferred = (), None  # of a table before
        X = self._table_of_objects(collected(X), reset)
        table = arrow_table(X) if reset else None
        # what no matrix has is never converted to one: `_checked_table` says what is missing
        kinds = getattr(X, "dtypes", ()) if table is None and hasattr(X, "columns") else ()
        texts = any(getattr(kind, "kind", "f") in "OMm" for kind in kinds)
        if (self._names_columns(X) or texts or is_mixed(table)) if reset else getattr(self, "mixed_", False):
            return self._checked_table(X, table, y, weight, reset)
        if reset:
            self.mixed_ = False
        if isinstance(X, np.ndarray | list | tuple):
            _check_no_times(np.asarray(X))
        sparse = scipy.sparse.issparse(X) or hasattr(X, "sparse")
        how = {"accept_sparse": "csr", "dtype": np.float64, "ensure_all_finite": "allow-nan", "reset": reset}
        predicts = not reset and y is None
        checked = validate_data(self, X, **how, **({} if predicts else {"y": y, **self._label_checks}))
        if sparse or not (reset or self._rows):
            X = checked if predicts else checked[0]
            if np.isnan(X.data if scipy.sparse.issparse(X) else X).any():
                dense = "a dense array or a table, as in fit, where NaN is a missing number"
                raise ValueError(f"found NaN in a sparse X, or after a sparse fit, expected {dense}")
        if predicts:
            return self._filled(checked), None, None
        X, y = checked
        weight = _check_sample_weight(weight, X, dtype=np.float64, ensure_non_negative=True)
        if reset:
            self._rows, self._sums = 0, np.zeros(1)
        return X, y, weight

    def _table_of_objects(self, X: Any, reset: bool) -> Any:
        """X, but for an array of objects with texts among them, as a table has, that table: by place, as in fit."""
        is_table = not reset and getattr(self, "mixed_", False)
        if not (isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "OU"):
            return X
        if not is_table and not any(isinstance(value, str) for value in X.flat):
            return X
        try:
            import pandas
        except ImportError:
            raise ValueError("found texts in an array, expected numbers; pandas is needed for others") from None
        names = getattr(self, "feature_names_in_", ()) if is_table else ()
        return pandas.DataFrame(X, columns=names if len(names) == X.shape[1] else None)

    def _filled(self, X: Any) -> Any:
        """X, but for a missing number its column's mean, where that column has had a number in all rows so far."""
        if scipy.sparse.issparse(X) or not np.isnan(X).any():
            return X
        filled = np.where(np.isnan(X), self._sums / self._rows, X)
        names = getattr(self, "feature_names_in_", np.arange(X.shape[1]))
        if unmet := [str(name) for name in names[(np.isnan(X) & ~np.isnan(filled)).any(axis=0)]]:
            warn_caller(columns_have(unmet, NONE_SEEN))
        return filled

    def _checked_table(self, X: Any, table: Any, y: Any, weight: Any, reset: bool) -> tuple[Batch, Any, Any]:
        """The same of a table that is no matrix of numbers: X as a batch; `table`: see `arrow_table`, or None."""
        if not hasattr(X, "__arrow_c_stream__"):
            raise ValueError(f"found a {type(X).__name__}, expected a table as in fit, with __arrow_c_stream__")
        validate_data(self, X, skip_check_array=True, reset=reset)
        self.mixed_ = True
        if reset:
            self._names, self._columns = NameTable(), ColumnTable()
            self._titles = [str(name) for name in X.columns]
            self._categories = () if table is None else categories_of(table)
        known, names = (self._columns.frozen(self._names.known), None) if y is None else (None, self._names)
        text = self._text if reset else self.learner_.text  # what is set later is for the next fit
        with errors_in_keywords(type(self).__name__):
            batch, found = table_batch(X if table is None else table, text, Labelling(False), known, names, texts=reset)
        for note in found.faults if y is None else found.notes:
            warn_caller(note)
        if reset:
            self._inferred = found.read_as
        if y is not None:
            if not batch.n:
                raise ValueError("found a table without rows, expected at least one")
            self._columns.add_schema(found)
            y = _check_y(y, estimator=self, **self._label_checks)
            if len(y) != batch.n:
                raise ValueError(f"{len(y)} labels, expected one each for {batch.n} rows")
            shape = np.zeros((batch.n, 1))
            weight = _check_sample_weight(weight, shape, dtype=np.float64, ensure_non_negative=True)
        return batch, y, weight

    @property
    def _text(self) -> TextOptions:
        """Return how tables become features."""
        columns = {name: each for name in _COLUMNS if (each := getattr(self, name)) is not None}
        with errors_in_keywords(type(self).__name__):
            given = TextOptions(format="arrow", bits=32, constant=self.constant, **columns)
        named = {name for role in _COLUMNS for name in getattr(given, role)}
        by_type = tuple(name for name in self._categories if name not in named)
        given = dataclasses.replace(given, categorical=(*given.categorical, *by_type))
        return given if self._inferred is None else given.with_inferred(self._inferred)

    def _names_columns(self, X: Any) -> bool:
        """Tell whether columns of the table X have a role. Raises OptionError where X is no such table, or has none."""
        named = [(role, name) for role in _COLUMNS for name in getattr(self._text, role)]
        if not named:
            return False
        has = list(map(str, getattr(X, "columns", ())))
        missing = [name for role, name in named if not names_a_column(role, name, has)]
        if missing or not hasattr(X, "__arrow_c_stream__"):
            found = f"a {type(X).__name__} without" if has else f"a {type(X).__name__} for"
            raise OptionError(
                f"{type(self).__name__}: {found} column {[*missing, named[0][1]][0]}; expected a table with it"
            )
        return True

    def _batches(self, X: Any, weight: Any = None, order: Any = None) -> Iterator[tuple[Any, Batch]]:
        """(Which rows, batch) of all rows in order, or of those in `order` (int64[m])."""
        n = len(order) if order is not None else X.n if isinstance(X, Batch) else X.shape[0]
        ends = np.linspace(0, n, max(1, round(n / ROWS)) + 1).astype(int).tolist()
        for at in itertools.starmap(slice, itertools.pairwise(ends)):
            rows = at if order is None else order[at]
            batch = self._batch(X, rows)
            yield rows, batch if weight is None else batch._replace(weight=weight[rows])

    def _batch(self, X: Any, at: Any) -> Batch:
        """The rows of X at a slice or at places, int64[m], as a batch without labels."""
        if isinstance(X, Batch):
            return X.part(at.start, at.stop) if isinstance(at, slice) else X.at(at)
        if scipy.sparse.issparse(X) and isinstance(at, slice):
            rows, indptr = X, X.indptr[at.start : at.stop + 1]  # nothing is copied
        else:
            rows = scipy.sparse.csr_array(X[at])
            indptr, missing = rows.indptr, np.isnan(rows.data)
            rows.indices[missing] += X.shape[1]
            rows.data[missing] = 1.0
        n, lines = len(indptr) - 1, np.arange(at.start, at.stop) if isinstance(at, slice) else at
        entries = entries_of(indptr, rows.indices, rows.data, self._frozen["constant"])
        return Batch(*entries, np.full(n, np.nan), np.ones(n), lines + 1, "X")

    def _fit_rows(self, X: Any, y: np.ndarray, weight: Any) -> float:
        """Learn all rows as `shuffle` and `passes` say; return the sum of the losses in the last pass.

        The learner has learned nothing yet.
        """
        state, n = self.random_state, len(y)
        order = check_random_state(0 if state is None else state).permutation(n) if self.shuffle else np.arange(n)
        passes, trial = self._search_passes(X, y, weight, order) if self.passes == "auto" else (self.passes, None)
        if not isinstance(passes, int | np.integer) or passes < 1:
            raise OptionError(f"{type(self).__name__}: passes {passes!r}: expected auto, or at least 1")
        self.n_iter_ = passes
        for number in range(passes):
            loss = self._learn(self.learner_, X, y, weight, order, again=number > 0)
        if trial is not None:
            self.learner_.combine_as(trial)
        self.learner_.rest()
        return loss

    def _search_passes(self, X: Any, y: np.ndarray, weight: Any, order: np.ndarray) -> tuple[int, Learner | None]:
        """Return how often the rows have to be learned for the least loss of those that are held out.

        If more than once, of a committee also one that knows how members which have learned so often are combined for
        rows that are new to them: those held out, and other fifths in their turn until those are `MIN_HELD_OUT`.
        """
        learner, places = self.learner_, np.arange(len(y)) % FOLDS
        if not FOLDS <= len(y) <= MAX_ROWS or learner.options.label_delay or learner.tracks_predictions:
            return 1, None
        held, others = order[places == FOLDS - 1], order[places < FOLDS - 1]
        (_, asked), *_ = self._batches(X, weight, held)
        combines = learner.options.method == "committee"
        trial, best, found, kept = learner.copy(), np.inf, 1, None
        for number in range(1, MOST_PASSES + 1):
            self._learn(trial, X, y, weight, others, again=number > 1)
            trial.rest()
            loss = asked.weight @ trial.predict(asked._replace(y=y[held])).loss
            if loss < best:
                best, found = loss, number
                kept = trial.copy() if combines and number > 1 else None
            elif number - found == PATIENCE:
                break
        if kept is None:
            return found, None
        self._learn(kept, X, y, weight, held)
        for fold in range(min(FOLDS - 1, (MIN_HELD_OUT - 1) // len(held))):
            trial = learner.copy()
            for number in range(found):
                self._learn(trial, X, y, weight, order[places != fold], again=number > 0)
            trial.next_pass(again=False)
            trial.combine_as(kept)
            self._learn(trial, X, y, weight, order[places == fold])
            kept = trial
        return found, kept

    def _freeze(self) -> None:
        """Keep the parameters that hold from the first row on, of which no row is known yet."""
        self._sample = RowSample()
        self._frozen = {name: getattr(self, name) for name in self.PARAMETERS if name in _FROZEN}

    @property
    def _is_new(self) -> bool:
        """Tell whether `partial_fit` learns the first rows. Raises OptionError: what it goes on with has changed."""
        if not hasattr(self, "learner_"):
            return True
        for name, value in self._frozen.items():
            if getattr(self, name) != value:
                raise OptionError(
                    f"{type(self).__name__}: {name} {getattr(self, name)!r} in partial_fit: expected {value!r}, with "
                    "which learning began; fit begins anew"
                )
        return False

    def _learn(
        self, learner: Learner, X: Any, y: np.ndarray, weight: Any, order: Any = None, *, again: bool = False
    ) -> float:
        """Let `learner` learn the rows once, in an order if one is given; return the sum of their losses.

        The labels y are as it is told them.
        """
        learner.next_pass(again)
        loss = 0.0
        for at, batch in self._batches(X, weight, order):
            with base.uninterrupted(), errors_in_keywords(type(self).__name__, self._RENAMED):
                if learner is self.learner_ and not again:
                    self._sample.take(batch)
                loss += float(batch.weight @ learner.partial_fit(batch._replace(y=y[at])).loss)
        if learner is self.learner_ and not again:
            if self.mixed_:
                self._columns.count(X, self._text)
            elif not scipy.sparse.issparse(X):
                self._rows, self._sums = self._rows + len(X), self._sums + X.sum(axis=0)
        return loss

    def _raw(self, X: Any) -> np.ndarray:
        """Raw predictions float64[n, K], of each class met; float64[n, 1] of a learner that has no several classes."""
        return self._of_rows(X, lambda batch: self.learner_.predict(batch).scores)

    def _check_output(self) -> None:
        """Have the fitted learner report as parameters say that were set since. Raises OptionError where it cannot."""
        check_is_fitted(self)
        given = {name: getattr(self, name) for name in OUTPUT_OPTIONS if name in self.PARAMETERS}
        if any(getattr(self.learner_.options, name) != value for name, value in given.items()):
            with errors_in_keywords(type(self).__name__):
                self.learner_.report_with(**given)

    def _of_rows(self, X: Any, predict: Callable[[Batch], np.ndarray]) -> np.ndarray:
        """Return what is predicted of the rows of X, batch by batch."""
        self._check_output()
        X, _, _ = self._checked(X, reset=False)
        return np.concatenate([predict(batch) for _, batch in self._batches(X)])

    def _weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(float64[1 or K, d], float64[1 or K]): weights of the columns, and of the constant."""
        check_is_fitted(self)
        options = self.learner_.options
        if self.mixed_ or np.isnan(self._sums).any():
            raise AttributeError("texts and missing values have features that are no columns: see learner_.weights()")
        if not additive(options):
            how = options.method if METHODS[options.method].engine in CURVED else f"{options.method} with scale unit"
            raise AttributeError(f"method {how} is not linear in a row: it has no coef_ and intercept_")
        ids, w = self.learner_.weights()
        w, column = np.atleast_2d(w), ids != CONSTANT
        coef = np.zeros((len(w), self.n_features_in_))
        coef[:, ids[column] - 1] = w[:, column]
        return coef, w[:, ~column].sum(axis=1)

    def importances(self, X: Any) -> np.ndarray:
        """Return what each column contributes to the raw predictions of the rows of X, in absolute value, on average.

        float64[d], or of K > 2 classes float64[K, d]. Also where there is no `coef_`: see `sonlearn.learn.explain`, for
        what is shared among features that act together, and for what it costs: some rows of X will do. What the words
        or categories of a column contribute to a row is added up.
        """
        check_is_fitted(self)
        X, _, _ = self._checked(X, reset=False)
        total = self._contributed(batch for _, batch in self._batches(X))
        return total if len(total) > 1 else np.asarray(total[0])

    @property
    def feature_importances_(self) -> np.ndarray:
        """float64[d]: the share of each column in what `importances` says of a sample of the rows learned from.

        The sample is all rows that were given to `fit` or `partial_fit`, or of more than 64 every 2^k-th, with the
        least k for which they are at most 64. Of several classes the contributions to all scores are added up. Shares
        add up to 1; they are 0 where nothing contributes. It is worked out each time that it is asked for.
        """
        check_is_fitted(self)
        batch = self._sample.batch
        if batch is None:
            raise AttributeError("a fit on a cluster keeps no rows to ask about: see importances(X)")
        total: np.ndarray = self._contributed([batch]).sum(axis=0)
        every = total.sum()
        return total / every if every > 0.0 else total

    def _contributed(self, batches: Iterable[Batch]) -> np.ndarray:
        """float64[1 or K, d]: what the columns contribute to each score, in absolute value, on average over rows."""
        classes = self.learner_.scores
        out, rows = np.zeros((classes, self.n_features_in_ + 1)), 0
        for batch in batches:
            rows += batch.n
            for explanation in self.learner_.explain(batch, classes):
                for found in explanation.attributions:
                    number = 0 if found.label is None else int(found.label)
                    parts = np.bincount(self._places(found.ids), found.contributions, out.shape[1])
                    out[number] += np.abs(parts)
        return out[:, 1:] / max(rows, 1)

    def _places(self, ids: np.ndarray) -> np.ndarray:
        """int64[s]: the number of the column, from 1 on, that each feature is of; 0: of the constant, or of none."""
        if not self.mixed_:
            return np.where(ids == CONSTANT, 0, (ids - 1) % self.n_features_in_ + 1)
        titles = getattr(self, "feature_names_in_", self._titles)  # scikit-learn has none that are numbers
        columns = {name: number for number, name in enumerate(titles, 1)}
        names = (next(iter(self._names.of(slot)), "") for slot in ids.tolist())
        return np.array([columns.get(column_of(name, columns), 0) for name in names], dtype=np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags


def _check_no_times(X: np.ndarray) -> None:
    """Raise ValueError for dates and durations in an array, also one of objects."""
    times = datetime.date | np.datetime64 | datetime.timedelta | np.timedelta64
    if X.dtype.kind in "mM" or (X.dtype.kind == "O" and any(isinstance(value, times) for value in X.flat)):
        what = "dates or durations in an array, which would count as numbers"
        raise ValueError(f"found {what}; pandas.DataFrame(X) has them as such")


def _numpy_labels(y: Any) -> Any:
    """Return labels, those of a type of pandas that has missing ones as NumPy has them. Raises ValueError: one is."""
    dtype = getattr(y, "dtype", None)
    if not hasattr(dtype, "na_value"):
        return y
    if y.isna().any():
        raise ValueError("y has missing values among the labels")
    return y.to_numpy(getattr(dtype, "numpy_dtype", None))


@with_parameters(_CLASSIFIER)
class SonlearnClassifier(ClassifierMixin, _SklearnEstimator):
    """Online classifier of two or several classes. Nothing has to be tuned.

    Attributes
    ----------
    classes_ : array[K], sorted
    learner_ : Learner
        Of two classes, -1 and +1; else with ``oaa``: labels are 0 to K - 1, each class against all others.
    positive_ : int
        Of two classes, the place in `classes_` of the one that is +1.
    threshold_ : float
        Of two classes, the `decision_function` of the class `positive` above which it is predicted.
    coef_ : float64[1 or K, d], intercept_ : float64[1 or K]
        Where the method is linear.
    feature_importances_ : float64[d]
        Shares of the columns in the predictions.
    n_iter_ : int
        How often `fit` has gone over the rows.
    mixed_ : bool
        Whether it has learned from a table with texts or missing values; then there is no coef_.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    _label_checks: dict[str, Any] = {}  # noqa: RUF012
    positive: Any
    class_weight: Any

    def __init__(self, **given: Unpack[SklearnClassifierKeywords]) -> None: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn the rows of X, in a random order and several times where `passes` says so.

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
        classes = np.unique(y[weight > 0])
        self._begin_classes(classes if len(classes) else np.unique(y))
        weight = weight * self._class_weights(y, balanced=True)
        known = np.isin(y, self.classes_)
        self._fit_rows(X, self._labels(np.where(known, y, self.classes_[0])), weight)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn further rows, once; the first call needs `classes`, all that will ever occur."""
        first = self._is_new
        X, y, weight = self._checked(X, y, sample_weight, reset=first)
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if classes is not None and (first or not np.array_equal(classes, self.classes_)):
            classes = unique_labels(_numpy_labels(classes))
        if first:
            self._begin_classes(classes)
        elif classes is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(f"classes={classes} is not the same as on the first call to partial_fit: {self.classes_}")
        numbers = np.searchsorted(self.classes_, y)
        if np.any(self.classes_[np.minimum(numbers, len(self.classes_) - 1)] != y):
            check_classification_targets(y)
            unknown = np.setdiff1d(y, self.classes_)
            raise ValueError(f"y has labels {unknown} that are not among the classes {self.classes_}")
        weight = weight * self._class_weights(y, balanced=False)
        self._learn(self.learner_, X, self._labels_of(numbers), weight)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Raw predictions: float64[n] for two classes (positive: the second), else float64[n, K]."""
        raw = self._raw(X) * self._sign
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class of each row, or that of `threshold`, array[n]."""
        raw = self._raw(X)  # raises where nothing was learned
        return np.asarray(self.classes_[self._numbers_of(raw)])

    @property
    def threshold_(self) -> float:
        """See the class."""
        self._check_output()
        if self.learner_.options.several:
            raise AttributeError("of several classes the likeliest is predicted: there is no threshold_")
        return self.learner_.threshold

    def predict_set(self, X: Any) -> np.ndarray:
        """bool[n, K]: which of `classes_` are in each row's set, which holds the share `coverage` of the labels.

        Raises OptionError: the estimator has no `coverage`.
        """
        return self._of_rows(X, self._sets)

    @available_if(lambda estimator: estimator._class_options().loss in PROBABILISTIC)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, float64[n, K]; of losses `sonlearn.learn.predicted.PROBABILISTIC`."""
        raw = self._raw(X)  # raises where nothing was learned
        return self._probabilities_of(raw)

    @property
    def coef_(self) -> np.ndarray:
        """float64[1 or K, d]."""
        return self._weights()[0] * self._sign

    @property
    def intercept_(self) -> np.ndarray:
        """float64[1 or K]."""
        return self._weights()[1] * self._sign

    def _checked(self, X: Any, y: Any = None, weight: Any = None, *, reset: bool) -> tuple[Any, Any, Any]:
        """See `_SklearnEstimator`; also raises ValueError for labels that are none of classes."""
        X, y, weight = super()._checked(X, _numpy_labels(y), weight, reset=reset)
        if y is not None and y.dtype.kind == "O" and any(label is None for label in y):
            raise ValueError("y has None among the labels")
        if reset:
            check_classification_targets(y)
        return X, y, weight

    def _begin_classes(self, classes: np.ndarray) -> None:
        if len(classes) < 2:
            raise ValueError(f"the number of classes has to be greater than one; got {len(classes)} class")
        self.positive_ = self._number_of_positive(classes)
        self.learner_ = self._learner_of_classes(len(classes), self._text if self.mixed_ else None, self._threads)
        self.classes_ = classes
        self._freeze()

    def _labels(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(self._labels_of(np.searchsorted(self.classes_, y)))

    def _class_weights(self, y: np.ndarray, balanced: bool) -> np.ndarray | float:
        """float64[n]: what the rows' weights are multiplied with; `balanced`: whether all rows are here."""
        given = self.class_weight
        if given is None:
            return 1.0
        name = type(self).__name__
        if isinstance(given, dict):
            unknown = [label for label in given if label not in self.classes_]
            if unknown:
                raise ValueError(
                    f"{name}: class_weight names {unknown[0]!r}; expected classes of {self.classes_.tolist()}"
                )
            return base.weights_of_classes(given, y.tolist())
        if given != "balanced":
            raise OptionError(f"{name}: class_weight {given!r}: expected a dict, 'balanced' or None")
        if not balanced:
            raise ValueError(f"{name}: class_weight 'balanced' in partial_fit: the classes' shares are not known yet")
        return np.asarray(compute_sample_weight("balanced", y))


@with_parameters(_REGRESSOR)
class SonlearnRegressor(RegressorMixin, _SklearnEstimator):
    """Online regressor: squared loss, unless `loss` says otherwise. Nothing has to be tuned.

    Attributes
    ----------
    learner_ : Learner
    coef_ : float64[d], intercept_ : float64
        Where the method is linear.
    feature_importances_ : float64[d]
        Shares of the columns in the predictions.
    n_iter_ : int
        How often `fit` has gone over the rows.
    n_features_in_, feature_names_in_ :
        As everywhere in scikit-learn.
    """

    _label_checks: dict[str, Any] = {"y_numeric": True}  # noqa: RUF012

    def __init__(self, **given: Unpack[SklearnRegressorKeywords]) -> None: ...

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget everything and learn the rows of X; see `SonlearnClassifier.fit`."""
        X, y, weight = self._checked(X, y, sample_weight, reset=True)
        y = _values(y)
        self._begin()
        loss, learned = self._fit_rows(X, y, weight), weight > 0
        labels = LabelStatistics(self.learner_.options.loss)
        labels.add(y[learned], weight[learned])
        constant = labels.constant(classes=False)
        note = constant and scale_note(self.learner_.options.method, learned.sum(), loss / labels.weight, constant)
        if note:
            warn_caller(f"{type(self).__name__}: {in_keywords(note)}")
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn further rows, once."""
        first = self._is_new
        X, y, weight = self._checked(X, y, sample_weight, reset=first)
        y = _values(y)
        if first:
            self._begin()
        self._learn(self.learner_, X, y, weight)
        return self

    def _begin(self) -> None:
        self.learner_ = Learner(self._value_options(), self._text if self.mixed_ else None, threads=self._threads)
        self._freeze()

    def predict(self, X: Any) -> np.ndarray:
        """Predictions float64[n], within the options' bounds; of poisson loss the expected count."""
        return self._of_rows(X, lambda batch: base.values_of(self.learner_, batch))

    def predict_interval(self, X: Any) -> np.ndarray:
        """float64[n, 2]: the ends of each row's interval, which holds the share `coverage` of the labels.

        Raises OptionError: the estimator has no `coverage`.
        """
        return self._of_rows(X, lambda batch: base.intervals_of(self.learner_, batch))

    @property
    def coef_(self) -> np.ndarray:
        """float64[d]."""
        return np.asarray(self._weights()[0][0])

    @property
    def intercept_(self) -> float:
        """The weight of the constant."""
        return float(self._weights()[1][0])


def _values(y: Any) -> np.ndarray:
    """Return labels as float64. Raises ValueError for None, of which scikit-learn's check makes NaN."""
    values: np.ndarray = np.asarray(y, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("y has None among the labels")
    return values


__all__ = ["SonlearnClassifier", "SonlearnRegressor", "StreamingSVD", "TextHasher"]


class RowSample:
    """Every 2^k-th of the rows so far, without labels, with the least k for which they are at most `MOST_SAMPLED`."""

    def __init__(self) -> None:
        self.batch: Batch | None = None  # None: there was no row
        self._every, self._rows = 1, 0

    def take(self, batch: Batch) -> None:
        """Go on with the rows of `batch`, which is not modified."""
        begin = self._rows
        self._rows += batch.n
        while self._rows > MOST_SAMPLED * self._every:
            self._every *= 2
            if self.batch is not None:
                self.batch = self.batch.at(np.arange(0, self.batch.n, 2))
        chosen = np.arange(-begin % self._every, batch.n, self._every)
        if len(chosen):
            own = batch.at(chosen)._replace(y=np.full(len(chosen), np.nan))
            self.batch = own if self.batch is None else joined([self.batch, own])
