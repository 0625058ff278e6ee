"""Decisions in the rows of a table."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions, numbered
from sonlearn.errors import InputError, OptionError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.bandit import BanditOptions


def as_table(options: TextOptions, bandit: BanditOptions) -> TextOptions:
    """How a table of decisions is read: the cost as label, the action as id, the probability as weight."""
    if bandit.actions is None or bandit.cbify is not None:
        raise OptionError("--action, --cost, --reward: of a table whose actions are numbered; give --cb K as well")
    if not (bandit.cost or bandit.reward) or not bandit.action:
        raise OptionError("a table of decisions needs --action COLUMN, and --cost COLUMN or --reward COLUMN")
    if options.label or options.id or options.weight:
        raise OptionError("--label, --id, --weight: of a table of decisions --action, --cost, --probability are given")
    return dataclasses.replace(options, label=bandit.cost or bandit.reward, id=bandit.action, weight=bandit.probability)


def problems_of_table(batch: Batch, bandit: BanditOptions) -> dict[int, InputError]:
    """Of rows that were read by `as_table` those whose action or probability cannot be, and why."""
    found, K = {}, bandit.actions or 0
    for i, text in enumerate(batch.tags or [""] * batch.n):
        if math.isnan(batch.y[i]):
            continue
        line = int(batch.lines[i])
        if not text.isdigit() or not 1 <= int(text) <= K:
            expected = f"an action from 1 to {K} in the column {shorten(bandit.action)}"
            found[i] = InputError(batch.source, line, None, shorten(text), expected)
        elif bandit.probability and not 0.0 < batch.weight[i] <= 1.0:
            expected = f"a probability above 0, and at most 1, in the column {shorten(bandit.probability)}"
            found[i] = InputError(batch.source, line, None, f"{batch.weight[i]:g}", expected)
    return found


def decisions_of_table(batch: Batch, bandit: BanditOptions) -> Decisions:
    """Decisions of rows that were read by `as_table`, none of them with problems."""
    K, known = bandit.actions or 0, ~np.isnan(batch.y)
    action = np.full(batch.n, -1)
    if batch.tags is not None:
        action[known] = [int(text) - 1 for text, one in zip(batch.tags, known.tolist(), strict=True) if one]
    skipped = None if batch.skipped is None else [(at, "") for at, _ in batch.skipped]
    cost = -batch.y if bandit.reward else batch.y
    probability = batch.weight if bandit.probability else np.full(batch.n, np.nan)
    rows = batch._replace(tags=None, y=np.full(batch.n, np.nan), weight=np.ones(batch.n), skipped=skipped)
    return numbered(rows, K, action, cost, probability)._replace(numbered_from=1)
