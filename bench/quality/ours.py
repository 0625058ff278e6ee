"""The learner under judgement, and what all benches give it: batches of rows, options as on the command line."""

from __future__ import annotations

import dataclasses
import os
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from sonlearn import Learner, LearnOptions, SonlearnError, from_scipy
from sonlearn.commands.line import parse
from sonlearn.data.batch import Batch
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.members import default_members

BATCH = 2000


class Judged(NamedTuple):
    """What was predicted, float64[n] each: a value (its sign is the class), and the log-odds of +1.

    `log_odds` is NaN where the setting gives no probabilities; both are NaN after the learner has refused to go on.
    """

    prediction: np.ndarray
    log_odds: np.ndarray


def batches_of(X: sp.csr_array, y: np.ndarray, rows: int | None = None) -> list[Batch]:
    """The rows as a learner takes them, so many at a time (`BATCH`)."""
    step = rows or BATCH
    return [from_scipy(X[i : i + step], y[i : i + step]) for i in range(0, len(y), step)]


def options_of(words: str) -> LearnOptions:
    """Options from words: ``loss=squared no-diagonal``, or as on the command line, ``--loss squared``.

    Raises
    ------
    OptionError
        A word is no option, or its value none of the option's.
    """
    arguments = [word if words.lstrip().startswith("-") else f"--{word}" for word in words.split()]
    values, others = parse("train", arguments)
    if others:
        raise SystemExit(f"{' '.join(others)}: no option")
    return LearnOptions(**values)


def for_values(options: LearnOptions) -> LearnOptions:
    """The same setting where labels are values: squared loss in place of one whose labels are -1 and +1."""
    return dataclasses.replace(options, loss="squared") if options.loss in CLASSIFICATION else options


def without_members(options: LearnOptions) -> dict[str, LearnOptions]:
    """{member: the same committee without it}; empty for other methods, and for a committee of one."""
    if options.method != "committee":
        return {}
    members = options.members or default_members(options.loss)
    others = {member: tuple(other for other in members if other != member) for member in members}
    return {member: dataclasses.replace(options, members=left) for member, left in others.items() if left}


def judge(
    options: LearnOptions, X: sp.csr_array, y: np.ndarray, *, test: sp.csr_array | None = None, passes: int = 1
) -> Judged:
    """Learn the rows of `X` `passes` times: what was predicted for each before its label was used, in the first pass.

    With `test`, what the final model predicts for its rows instead.
    """
    learner = Learner(options, threads=len(os.sched_getaffinity(0)))
    batches = batches_of(X, y)
    try:
        outs = [learner.partial_fit(batch) for batch in batches]
        for _ in range(1, passes):
            learner.next_pass()
            for batch in batches:
                learner.partial_fit(batch)
        if test is not None:
            outs = [learner.predict(from_scipy(test))]
    except SonlearnError as error:
        print(f"    refused: {error}")
        nothing = np.full(len(y) if test is None else test.shape[0], np.nan)
        return Judged(nothing, nothing)
    prediction = np.concatenate([out.prediction for out in outs])
    raw = np.concatenate([out.raw for out in outs])
    return Judged(prediction, raw if options.loss == "logistic" else np.full(len(raw), np.nan))
