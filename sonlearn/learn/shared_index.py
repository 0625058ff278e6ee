"""Shared-index training: several learners learn the same rows and share one index of features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sonlearn.data.arrays import plain
from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.errors import OptionError, SonlearnError
from sonlearn.learn.delay import without_labels
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.views.index import Index, intern

#: Result of a batch: the predictions, or the error after which the learner cannot continue.
PredictedOrError = Predicted | SonlearnError


def learn_with_shared_index(
    learners: Sequence[Learner], batch: Batch, use: Callable[[int, PredictedOrError], None], run: Callable[..., list],
    *, skip: bool = False,
) -> None:  # fmt: skip
    """`Learner.partial_fit` for several learners on the same rows; each learner's result is the same, bit for bit.

    Labels are converted once and features numbered once, in an index that the learners share. So all learners must
    receive all their rows by this function, and none may learn by itself later (a copy may).

    Parameters
    ----------
    learners : sequence of Learner
    batch : Batch
    use : function of (position in `learners`, PredictedOrError)
        Called as soon as that learner is done. If `partial_fit` would have raised an error, the outcome is the error,
        and the learner must not learn any further rows.
    run : function like ``map`` that returns a list; it may run several calls at once
    skip : bool
        As for `Learner.partial_fit`. A row whose label does not fit one of the learners is learned by none.

    Raises
    ------
    InputError
        A label does not fit a loss, and not `skip`; no row has been learned.
    OptionError
        Labels come late (``--label-delay``).
    """
    for learner in learners:
        if learner.options.label_delay:
            raise OptionError(f"--label-delay {learner.options.label_delay} with learners side by side: expected one")
    if skip:
        batch = without_labels(batch, np.logical_or.reduce([learner.unfit(batch) for learner in learners]))
    coded: dict[Any, tuple[Any, np.ndarray]] = {}
    for learner in learners:
        if learner.labels.kind not in coded:
            coded[learner.labels.kind] = learner.labels, learner.coded(batch, remember=True)
    numbered: dict[bool, tuple[Rows, Index]] = {}
    for learner in learners:
        if learner.counts_unknown not in numbered:
            y = coded[learner.labels.kind][1]  # any labels will do: the same rows have one
            numbered[learner.counts_unknown] = intern(batch._replace(y=y), learner.index, learner.counts_unknown)

    def learn_one(i: int) -> None:
        learner = learners[i]
        rows, learner.index = numbered[learner.counts_unknown]
        learner.labels, y = coded[learner.labels.kind]
        try:
            done: PredictedOrError = learner.fit_rows(batch, rows._replace(y=plain(y)), skip)
        except SonlearnError as error:
            done = error
        use(i, done)

    run(learn_one, range(len(learners)))
