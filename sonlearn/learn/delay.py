"""Labels that come late: a stream in which the label of a row is used only after N further rows were predicted.

That is a matter of order alone. A row is predicted, as one without a label; once N further rows have been, the same row
is learned. `interleaved` puts rows into that order, and keeps those that wait. What is predicted is what a user gets
whose labels take N rows to arrive, to the last bit, however the stream is cut.

Combiners learn what predictions are worth by the predictions that were made when the row came, not by those that the
members would make when its label comes: see `DelayQueue`, a queue of them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.arrays import grown
from sonlearn.data.batch import Batch, joined
from sonlearn.data.rows import MAX_INPUT
from sonlearn.files import storage
from sonlearn.jit import jit

#: What a file holds of rows that wait.
ARRAYS = ("indptr", "indices", "values", "y", "weight", "lines")


class DelayQueue(NamedTuple):
    """What was made of rows whose labels are still to come, in the order of the rows.

    Of values it is in the unit of the labels. Row number i is at place i modulo delay + 1. K is 1, but of several
    classes those met.
    """

    inputs: np.ndarray  # float64[K with room, delay + 1, k]; inputs of the combiners
    outputs: np.ndarray  # float64[K with room, delay + 1, 2]; the online and the offline combination
    met: np.ndarray  # int64[delay + 1]; how many of the K there were
    counts: np.ndarray  # int64[2, 2]; of inputs, of outputs: rows that have come, rows that have been learned

    def packed(self, K: int) -> DelayQueue:
        """Without spare room."""
        return self._replace(inputs=self.inputs[:K], outputs=self.outputs[:K])


def new_waiting(delay: int, inputs: int) -> DelayQueue:
    """No row waits; without a delay there is no room for one."""
    room = delay + 1 if delay else 0
    return DelayQueue(
        np.zeros((0, room, inputs)), np.zeros((0, room, 2)), np.zeros(room, np.int64), np.zeros((2, 2), np.int64)
    )


def with_room_for(queue: DelayQueue, K: int) -> DelayQueue:
    """`queue` with room for K numbers of an input."""
    return queue._replace(inputs=grown(queue.inputs, K), outputs=grown(queue.outputs, K))


@jit
def exchange(queue, counts, met, places, scale, y, weight, V):
    """Put what rows have that come into the queue, and in place of what learned rows have what it was then.

    Rows of weight 0 neither wait nor are learned. What was predicted before a label had come, and labels had a unit,
    says nothing: it is NaN.

    Parameters
    ----------
    queue : float64[K or more, delay + 1, all inputs], modified; counts : int64[2], modified
    met : int64[delay + 1], modified: for how many of the K there was something then; or empty: `scale` knows
    places : int64[k], where the inputs V stand among all
    scale : `sonlearn.learn.ensemble.label_scale.LabelScale` of the rows, whose `met` is exchanged as well
    y, weight : float64[n]; V : float64[k, n, K], modified
    """
    for i in range(len(y)):
        if not weight[i] > 0.0:
            continue
        learned = y[i] == y[i]
        at = counts[1 if learned else 0] % queue.shape[1]
        unit = scale.unit[i] if scale.unit[i] > 0.0 else math.nan
        if len(met) > 0 and learned:
            scale.met[i] = met[at]
        elif len(met) > 0:
            met[at] = scale.met[i]
        for j in range(len(places)):
            for k in range(scale.met[i]):
                if learned:
                    V[j, i, k] = (queue[k, at, places[j]] - scale.mean[i]) / unit
                else:
                    said = scale.mean[i] + unit * V[j, i, k]
                    queue[k, at, places[j]] = said if counts[1] > 0 else math.nan
        counts[1 if learned else 0] += 1


def interleaved(waiting: Batch | None, batch: Batch, delay: int) -> tuple[Batch, np.ndarray, Batch]:
    """The rows of `batch`, each to be predicted, and after it the row `delay` before it, to be learned.

    Rows that are never learned have weight 0 here, whether they are to be predicted or (nothing is) learned.

    Parameters
    ----------
    waiting : Batch or None
        The rows before, at most `delay` of them, that have been predicted and not yet learned.
    delay : int
        At least 1.

    Returns
    -------
    rows : Batch
    places : int64[n]
        Where in `rows` those of `batch` are predicted.
    waiting : Batch
        The rows that wait after these.
    """
    plain = batch._replace(tags=None)
    # a file's rows that still wait have its line numbers, but the next file's name: what is refused is mostly new
    whole = joined([plain] if waiting is None else [waiting, plain])._replace(source=batch.source)
    before = whole.n - plain.n
    coming = np.arange(before, whole.n)
    pairs = np.column_stack([coming, coming - delay])
    order = pairs.ravel()[pairs.ravel() >= 0]
    ahead = np.column_stack([np.ones(len(coming), bool), np.zeros(len(coming), bool)]).ravel()[pairs.ravel() >= 0]
    rows = whole.at(order)
    labelled = ~np.isnan(rows.y) | rows.named
    labelled &= ~(ahead & (np.abs(rows.y) > MAX_INPUT))  # one that will be refused: no combiner waits for it
    rows = without_labels(rows._replace(weight=np.where(labelled, rows.weight, 0.0)), ahead)
    return rows, np.flatnonzero(ahead), whole.part(max(whole.n - delay, 0), whole.n)


def without_labels(batch: Batch, rows: np.ndarray) -> Batch:
    """`batch`, the last of whose rows have no label where `rows`, bool[their number], says so."""
    if not rows.any():
        return batch
    rows = np.concatenate([np.zeros(batch.n - len(rows), dtype=bool), rows])
    names = batch.class_names
    if names is not None:
        names = [None if gone else name for gone, name in zip(rows.tolist(), names, strict=True)]
    return batch._replace(y=np.where(rows, np.nan, batch.y), class_names=names)


def as_predicted_then(waiting: Any, out: Any, places: np.ndarray) -> tuple[Any, Any]:
    """Return what the engine filled in for `interleaved` rows, of those learned what it had filled in when they came.

    Parameters
    ----------
    waiting : Predictions, or None
        Of the rows that waited before.
    out : Predictions
        Of the interleaved rows; of several classes, more may have been met since.
    places : int64[n]
        Where in `out` rows are predicted.

    Returns
    -------
    out, waiting : Predictions
        Of the interleaved rows, and of the rows that wait after them.
    """
    late = np.setdiff1d(np.arange(len(out[0])), places)
    then = [array[places] for array in out]
    if waiting is not None:
        then = [np.concatenate([_widened(old, new), new]) for old, new in zip(waiting, then, strict=True)]
    filled = [array.copy() for array in out]
    for array, earlier in zip(filled, then, strict=True):
        array[late] = earlier[: len(late)]
    return type(out)(*filled), type(out)(*(array[len(late) :] for array in then))


def _widened(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """`old` with as many columns as `new`, the further ones 0: those of classes that had not been met."""
    return np.pad(old, [(0, 0), *((0, b - a) for a, b in zip(old.shape[1:], new.shape[1:], strict=True))])


def to_arrays(waiting: Batch | None, predicted: Any) -> tuple[dict | None, dict[str, np.ndarray]]:
    """(header, arrays) of the rows that wait, and of what was predicted for them, for a model's file."""
    if waiting is None:
        return None, {}
    own = {name: getattr(waiting, name) for name in (*ARRAYS, "base", "marks")} | predicted._asdict()
    arrays = {f"waiting.{name}": array for name, array in own.items() if array is not None}
    return {"source": waiting.source, "constant": waiting.constant, "class_names": waiting.class_names}, arrays


def from_arrays(header: dict | None, arrays: dict[str, np.ndarray], none: Any) -> tuple[Batch | None, Any]:
    """Inverse of `to_arrays`; ValueError or KeyError where it is none. `none`: predictions of no rows."""
    if header is None:
        return None, None
    own, predicted = {name: arrays[f"waiting.{name}"] for name in ARRAYS}, storage.rebuilt(none, arrays, "waiting")
    n, entries, indptr, marks = len(own["y"]), len(own["values"]), own["indptr"], arrays.get("waiting.marks")
    lengths = {"indptr": n + 1, "indices": entries, "values": entries, "y": n, "weight": n, "lines": n}
    fits = {name: len(array) for name, array in own.items()} == lengths and {len(array) for array in predicted} == {n}
    fits = fits and (marks is None or len(marks) == entries)
    if not fits or indptr[0] != 0 or indptr[-1] != entries or (np.diff(indptr) < 0).any():
        raise ValueError("the rows whose labels are to come do not fit together")
    return Batch(**own, base=arrays.get("waiting.base"), marks=marks, **header), predicted
