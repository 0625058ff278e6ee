"""Several learners of the same rows, side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.errors import SonlearnError
from sonlearn.learn.classes import Classes, PredictedClass
from sonlearn.learn.labels import Labels
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.views.index import Index, intern, relabelled

#: What comes of a batch: predictions, or why the learner can learn no more.
Said = Predicted | PredictedClass | SonlearnError


def learn_with_shared_index(
    learners: Sequence[Learner], batch: Batch, use: Callable[[int, Said], None], run: Callable[..., list],
    *, skip: bool = False,
) -> None:  # fmt: skip
    """`Learner.partial_fit` of the same rows for several learners, each as if it were alone, bit for bit.

    Labels are read once, and features numbered once: the learners come to share an index. So all must have been shown
    the same rows, by this function, from their first one on, and none may learn by itself from then on (a copy may).

    Parameters
    ----------
    learners : sequence of Learner
    batch : Batch
    use : function of (place in `learners`, what was predicted), called as soon as that learner is done. In place of
        what was predicted stands the error that `partial_fit` would have raised: that learner must learn no more.
    run : function like ``map`` that gives a list; it may do several calls at once
    skip : bool
        As for `Learner.partial_fit`.

    Raises
    ------
    InputError
        A label does not fit a loss; no row has been learned.
    """
    coded: dict[Any, tuple[Labels | Classes, np.ndarray]] = {}
    for learner in learners:
        if learner.labels.kind not in coded:
            y, bad = learner.labels.coded(batch, remember=True)
            if bad < batch.n:
                raise learner.labels.error(batch, bad)
            coded[learner.labels.kind] = learner.labels, y
    numbered: dict[bool, tuple[Rows, Index]] = {}
    for learner in learners:
        if learner.counts_unknown not in numbered:
            y = coded[learner.labels.kind][1]  # whatever they are, the same rows have one
            numbered[learner.counts_unknown] = intern(batch._replace(y=y), learner.index, learner.counts_unknown)

    def teach(i: int) -> None:
        learner = learners[i]
        rows, learner.index = numbered[learner.counts_unknown]
        learner.labels, y = coded[learner.labels.kind]
        try:
            out, refused = learner.learn_rows(batch, relabelled(rows, y), skip)
            done: Said = learner.as_predicted(out, y, batch, refused)
        except SonlearnError as error:
            done = error
        use(i, done)

    run(teach, range(len(learners)))
