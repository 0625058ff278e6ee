"""Learner: allocates, validates, and calls the kernels; no input or output but whole model files."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sonlearn import storage
from sonlearn.batch import Batch
from sonlearn.errors import DivergedError, InputError, ModelFileError, OptionError
from sonlearn.learn.features import Index, Rows, index_of, intern, lookup, new_index
from sonlearn.learn.generations import sweep
from sonlearn.learn.losses import losses
from sonlearn.learn.newton import learn
from sonlearn.learn.predict import all_weights, kept_rows, predict
from sonlearn.learn.state import (
    ALPHA,
    FEATURES,
    GEN,
    LOG_MIN,
    N_LOCAL,
    N_TOUCHED,
    SEEN,
    K,
    R,
    State,
    T,
    Work,
    capacity_of,
    grown,
    new_state,
    new_work,
    params_of,
    restored_maps,
    sizes_of,
    used_maps,
)  # fmt: skip
from sonlearn.learn.status import DIVERGED, LOG_FULL
from sonlearn.options import CLASSIFICATION, LearnOptions, TextOptions

#: How negative labels are written, once known: not yet seen, as 0, or as -1.
UNKNOWN_CODING, ZERO_ONE, PLUS_MINUS = range(3)


class Predicted(NamedTuple):
    """What was predicted for a batch, float64[n] each.

    `prediction` is w'x within [-C, C], `raw` is u'x before the projection, `loss` is l(prediction, label) without the
    importance weight, NaN without a label.
    """

    prediction: np.ndarray
    raw: np.ndarray
    loss: np.ndarray


class Learner:
    """Sketched online Newton on sparse rows.

    Solves ``min_w sum_t h_t l(w'x_t, y_t)`` online: w <- w - A^-1 g with A = S'S + alpha I, where S is a sketch of the
    gradients seen ([SON] Algorithm 1; [RFD] Algorithm 5; see `sonlearn.learn.newton`).

    Parameters
    ----------
    options : LearnOptions
    text : TextOptions
        Kept with the model, since it defines what the features are; not used for learning.

    Raises
    ------
    OptionError
        `options` contradict each other.
    """

    def __init__(self, options: LearnOptions | None = None, text: TextOptions | None = None):
        self.options = options or LearnOptions()
        self.text = text or TextOptions()
        self._params = params_of(self.options)
        self._state = new_state(self._params, self.options.alpha)
        self._index = new_index()
        self._work = new_work(self._params, 1)
        self._coding = UNKNOWN_CODING

    def partial_fit(self, batch: Batch) -> Predicted:
        """Learn the rows of `batch` in order; rows without a label or with weight 0 are only predicted.

        Returns what was predicted for each row before its label was used, so that the mean loss is progressive.

        Raises
        ------
        InputError
            A label does not fit the loss; the rows before it have been learned.
        DivergedError
            A prediction or step was not finite; the rows before it have been learned.
        """
        y, bad = self._coded_labels(batch)
        if bad < batch.n:
            _take_front(self, batch, bad)
            raise self._label_error(batch, bad)
        rows, self._index = intern(batch._replace(y=y), self._index)
        self._make_room(rows)
        out = Predicted(np.empty(batch.n), np.empty(batch.n), np.empty(batch.n))
        at, status = 0, LOG_FULL
        while status == LOG_FULL:
            at, status = learn(self._params, self._state, self._work, rows, out.prediction, out.raw, at)
            if status == LOG_FULL:
                self._make_room_in_log()
        if status == DIVERGED:
            raise _diverged(batch, at)
        losses(self._params.loss, out.prediction, rows.y, out.loss)
        return out

    def predict(self, batch: Batch) -> Predicted:
        """Predict the rows of `batch` and change nothing; features never seen count as 0.

        Raises
        ------
        InputError
            A label does not fit the loss (NaN, no label, always does).
        DivergedError
            A prediction is not finite.
        """
        y, bad = self._coded_labels(batch, remember=False)
        if bad < batch.n:
            raise self._label_error(batch, bad)
        rows = lookup(batch._replace(y=y), self._index)
        out = Predicted(np.empty(batch.n), np.empty(batch.n), np.empty(batch.n))
        at = predict(self._params, self._state, rows, out.raw)
        if at < batch.n:
            raise _diverged(batch, at)
        np.clip(out.raw, -self._params.clip, self._params.clip, out=out.prediction)
        losses(self._params.loss, out.prediction, rows.y, out.loss)
        return out

    # -- what has been learned ---------------------------------------------------------------------------------------

    @property
    def examples(self) -> int:
        """Number of rows learned from, over the model's whole life."""
        return int(self._state.counters[T])

    @property
    def alpha(self) -> float:
        """The present multiple of the identity in A."""
        return float(self._state.reals[ALPHA])

    def eigenvalues(self) -> np.ndarray:
        """float64[r], descending: squared singular values of the sketch S as it stands (Oja: t Lambda).

        Of the rows kept and those since: as long as no shrink was needed (the data has fewer than m directions, or
        there are fewer than 2m rows) nothing has been kept yet, and the rows are all there is.
        """
        basis, counters = self._state.basis, self._state.counters
        if self.options.effective_sketch == "oja":
            return np.sort(basis.D2[: counters[K]])[::-1].copy()
        r = counters[K] + counters[R]
        return np.maximum(np.linalg.eigvalsh(basis.H[:r, :r])[::-1], 0.0)

    def components(self) -> tuple[np.ndarray, np.ndarray]:
        """(ids int64[d], V float64[k, d]): the orthonormal rows kept by the last shrink, over the features seen."""
        V = np.zeros((int(self._state.counters[K]), self._seen))
        kept_rows(self._state, V)
        return self._index.ids[: self._seen].copy(), V

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(ids int64[d], w float64[d]) of the features seen, in the scale of the input."""
        w = np.empty(self._seen)
        all_weights(self._params, self._state, w)
        return self._index.ids[: self._seen].copy(), w

    @property
    def _seen(self) -> int:
        return int(self._state.counters[SEEN])

    # -- persistence -------------------------------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(header, arrays): the whole state, without spare capacity; going on from it gives the same bits."""
        state, seen = self._state, self._seen
        header = {
            "kind": "learner",
            "learn": dataclasses.asdict(self.options),
            "text": dataclasses.asdict(self.text),
            "label_coding": self._coding,
            "log_capacity": capacity_of(state.maps),
        }
        arrays = {
            "ids": self._index.ids[:seen],
            "table": state.table[:seen],
            "maps": used_maps(state.maps, int(state.counters[GEN])),
            "touched": state.touched[: state.counters[N_TOUCHED]],
            "raw_x": state.raw.X[: state.counters[N_LOCAL]],
            "raw_owner": state.raw.owner[: state.counters[N_LOCAL]],
            "counters": state.counters,
            "reals": state.reals,
            **{f"factor_{name}": array for name, array in state.factor._asdict().items()},
            **{f"basis_{name}": array for name, array in state.basis._asdict().items()},
        }
        return header, arrays

    @classmethod
    def from_arrays(cls, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Learner:
        """Inverse of `to_arrays`.

        Raises
        ------
        ModelFileError
            Something is missing or of another shape than the options ask for.
        """
        try:
            if header["kind"] != "learner":
                raise ModelFileError(f"a {header['kind']}, not a learner")
            learner = cls(LearnOptions(**header["learn"]), TextOptions(**header["text"]))
            learner._coding = int(header["label_coding"])
            learner._restore(int(header["log_capacity"]), arrays)
        except (KeyError, TypeError, OptionError, ValueError) as error:
            if isinstance(error, ModelFileError):
                raise
            raise ModelFileError(f"the model's content does not fit together: {error}") from error
        return learner

    def save(self, path: str | Path) -> None:
        """Write the model, whole or not at all (see `sonlearn.storage`)."""
        storage.write(path, *self.to_arrays())

    @classmethod
    def load(cls, path: str | Path) -> Learner:
        """Read a model written by `save`; raises ModelFileError, which names the file."""
        header, arrays = storage.read(path, kind="learner")
        try:
            return cls.from_arrays(header, arrays)
        except ModelFileError as error:
            raise ModelFileError(f"{path}: {error}") from error

    def _restore(self, capacity: int, arrays: dict[str, np.ndarray]) -> None:
        state = self._state
        _copy(state.counters, arrays["counters"])
        _copy(state.reals, arrays["reals"])
        for part, prefix in ((state.factor, "factor_"), (state.basis, "basis_")):
            for name, array in part._asdict().items():
                _copy(array, arrays[prefix + name])
        if (
            arrays["maps"].shape[1:] != state.maps.shape[1:]
            or capacity < LOG_MIN
            or 8 ** round(math.log(capacity, 8)) != capacity
        ):
            raise ValueError(f"a log of {capacity} generations of shape {arrays['maps'].shape}")
        maps = restored_maps(arrays["maps"], int(state.counters[GEN]), capacity)
        seen, n_local, n_touched = self._seen, int(state.counters[N_LOCAL]), int(state.counters[N_TOUCHED])
        table, touched = grown(state.table, seen), grown(state.touched, seen)
        _copy(table[:seen], arrays["table"])
        _copy(touched[:n_touched], arrays["touched"])
        raw = state.raw._replace(X=grown(state.raw.X, n_local), owner=grown(state.raw.owner, n_local))
        _copy(raw.X[:n_local], arrays["raw_x"])
        _copy(raw.owner[:n_local], arrays["raw_owner"])
        ids = np.empty(seen, np.int64)
        _copy(ids, arrays["ids"])
        self._index = index_of(ids)
        self._state = state._replace(table=table, maps=maps, touched=touched, raw=raw)

    # -- room --------------------------------------------------------------------------------------------------------

    def _make_room(self, rows: Rows) -> None:
        """Let the arrays hold what learning `rows` may need."""
        state, size = self._state, int(self._index.size[0])
        n_local, n_touched = int(state.counters[N_LOCAL]), int(state.counters[N_TOUCHED])
        local = min(size, n_local + (FEATURES + 1) * int(rows.indptr[-1]))
        raw = state.raw._replace(X=grown(state.raw.X, local, n_local), owner=grown(state.raw.owner, local, n_local))
        table, touched = grown(state.table, size, self._seen), grown(state.touched, size, n_touched)
        self._state = state._replace(table=table, touched=touched, raw=raw)
        longest = int(np.diff(rows.indptr).max(initial=1))
        if longest > len(self._work.x):
            self._work: Work = new_work(self._params, longest)

    def _make_room_in_log(self) -> None:
        """Enlarge the log while it is small beside the table, else bring all features up to date and empty it.

        Depends on what has been learned and not on where batches end, so that batches change no bit.
        """
        state: State = self._state
        capacity, generations = capacity_of(state.maps), int(state.counters[GEN])
        if capacity < self._seen // (4 * sizes_of(self._params).k_max):
            maps = restored_maps(used_maps(state.maps, generations), generations, 8 * capacity)
            self._state = state._replace(maps=maps)
        else:
            sweep(state, self._work.z)

    # -- labels ------------------------------------------------------------------------------------------------------

    def _coded_labels(self, batch: Batch, remember: bool = True) -> tuple[np.ndarray, int]:
        """(labels as the loss takes them, first row with a label that it does not take)."""
        if self.options.loss not in CLASSIFICATION:
            return batch.y, batch.n
        y, coding = batch.y, self._coding
        zero, minus = y == 0, y == -1
        bad = ~(np.isnan(y) | (y == 1) | zero | minus)
        if coding == UNKNOWN_CODING and (zero | minus).any():
            coding = ZERO_ONE if zero[np.argmax(zero | minus)] else PLUS_MINUS
        bad |= minus if coding == ZERO_ONE else zero
        if remember:
            self._coding = coding
        return np.where(zero, -1.0, y), int(np.argmax(bad)) if bad.any() else batch.n

    def _label_error(self, batch: Batch, row: int) -> InputError:
        expected = "-1 or +1" if self._coding == PLUS_MINUS else "0 or 1"
        if self._coding == UNKNOWN_CODING:
            expected = "-1 and +1, or 0 and 1,"
        remedy = f"{expected} for --loss {self.options.loss} (real labels: --loss squared)"
        return InputError(batch.source, int(batch.lines[row]), 1, f"label {batch.y[row]:g}", remedy)


def _take_front(learner: Learner, batch: Batch, n: int) -> None:
    """Learn the first n rows of `batch`."""
    if n > 0:
        end = batch.indptr[n]
        learner.partial_fit(
            batch._replace(
                indptr=batch.indptr[: n + 1], indices=batch.indices[:end], values=batch.values[:end], y=batch.y[:n],
                weight=batch.weight[:n], lines=batch.lines[:n], base=None if batch.base is None else batch.base[:n],
            )
        )  # fmt: skip


def _diverged(batch: Batch, row: int) -> DivergedError:
    return DivergedError(
        f"{batch.source}:{batch.lines[row]}: the prediction or the step is no longer finite: the learner has diverged; "
        "scale the values down, raise --alpha, or bound predictions with --clip"
    )


def _copy(target: np.ndarray, source: np.ndarray) -> None:
    if target.shape != source.shape or target.dtype != source.dtype:
        raise ValueError(f"an array is {source.dtype}{source.shape}, expected {target.dtype}{target.shape}")
    target[...] = source


__all__ = ["Index", "Learner", "Predicted"]
