"""Sources to batches of decisions."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions, numbered
from sonlearn.errors import InputError, OptionError, shorten
from sonlearn.options import BanditOptions, TextOptions
from sonlearn.text.columns import A_PROBABILITY, Labelling, reading_of
from sonlearn.text.decisions.blocks import parse_blocks
from sonlearn.text.decisions.dsjson import parse_dsjson
from sonlearn.text.decisions.labels import ActionLabels, decisions_of_classes
from sonlearn.text.decisions.rows import DecisionLines
from sonlearn.text.malformed import without_rows
from sonlearn.text.read import Reader, expand_globs
from sonlearn.text.rows import ParsedChunk
from sonlearn.text.source import source_name


class DecisionReader(Reader):
    """Batches of the decisions in one or several sources. Iterate once.

    The parameters and attributes are those of `sonlearn.text.read.Reader`, with these besides. ``format`` is ``vw``,
    ``json`` (dsjson), or that of a table.

    Parameters
    ----------
    bandit : BanditOptions
    labels : ActionLabels or None
        Of tables, what is known of their actions or classes; those that come are added.
    needed : bool
        Whether a table has to have the columns that options name.
    """

    def __init__(
        self,
        sources: Any,
        options: TextOptions,
        bandit: BanditOptions,
        *,
        labels: ActionLabels | None = None,
        needed: bool = False,
        **reader: Any,
    ):
        self._bandit, self._actions = bandit, labels or ActionLabels(bandit)
        self._columns_of_costs = bool(bandit.cost or bandit.reward or bandit.action)
        self._rows_are_decisions = bandit.cbify is not None or self._columns_of_costs
        flags = Labelling().flags
        if self._columns_of_costs:
            options = as_table(options, bandit)
            flags = ("--cost" if bandit.cost else "--reward", "--id", "--probability")
        needed = needed and self._rows_are_decisions
        labelling = Labelling(needed, bandit.cbify is not None, flags=flags, action=bandit.action)
        super().__init__(sources, options, labels=labelling, **reader)

    def _decisions_of(self, batch: Batch, action: np.ndarray) -> Decisions:
        """Rows, none of them with problems, as decisions; `action` is what `ActionLabels` makes of their labels."""
        count = self._actions.count
        if not self._columns_of_costs:
            return decisions_of_classes(batch, action, count)
        cost = -batch.y if self._bandit.reward else batch.y
        probability = batch.weight if self._bandit.probability else None
        rows = batch._replace(class_names=None, y=np.full(batch.n, np.nan), weight=np.ones(batch.n))
        return numbered(rows, count, action, cost, probability)

    def _with_source(self, batch: Any, source: str, lines_before: int) -> tuple[Any, list[InputError]]:
        if not self._rows_are_decisions:
            rows, _ = super()._with_source(batch.rows, source, 0)
            return batch._replace(rows=rows, source=source), []
        batch, refused = super()._with_source(batch, source, lines_before)
        action, problems = self._actions.of(batch)
        no_probability = ~np.isnan(batch.y) & ~((batch.weight > 0.0) & (batch.weight <= 1.0))
        for i in np.flatnonzero(no_probability).tolist() if self._bandit.probability else ():
            expected = f"{A_PROBABILITY}, in the column {shorten(self._bandit.probability)}"
            problems.setdefault(i, InputError(source, f"{batch.weight[i]:g}", expected, int(batch.lines[i])))
        rows, errors = without_rows(batch, problems)
        return self._decisions_of(rows, np.delete(action, list(problems))), refused + errors

    def _parsed(self) -> Iterator[tuple[str, bool, ParsedChunk]]:
        if self._rows_are_decisions:
            yield from super()._parsed()
            return
        for source in expand_globs(self.sources):
            name = source_name(source)
            for blocks in self._blocks(source):
                parse = parse_dsjson if self.format == "json" else parse_blocks
                yield name, True, parse(blocks, self.options, self._bandit, name)

    def _blocks(self, source: Any) -> Iterator[list[DecisionLines]]:
        """The blocks of a source, of a chunk of it at a time."""
        line, begun = 1, DecisionLines(1, [])
        for chunk in self.chunks_of(source):
            blocks = []
            for text in chunk.tobytes().split(b"\n")[:-1]:
                text = text.removesuffix(b"\r")
                blank = not text.strip()
                if self.format is None and not blank:
                    self.format = "json" if text.lstrip()[:1] == b"{" else "vw"
                if not blank:
                    begun = DecisionLines(line, []) if not begun.lines else begun
                    begun.lines.append(text)
                if begun.lines and (blank or self._bandit.actions is not None or self.format == "json"):
                    blocks.append(begun)
                    begun = DecisionLines(line + 1, [])
                line += 1
            yield blocks
        if begun.lines:
            yield [begun]


def as_table(options: TextOptions, bandit: BanditOptions) -> TextOptions:
    """Say how a table of decisions is read: the cost as label, the probability as weight; action: see `Labelling`."""
    if bandit.actions is None or bandit.cbify is not None:
        raise OptionError(
            "--action, --cost, --reward: of a table with K actions, numbered or with names; give --cb K as well"
        )
    if not (bandit.cost or bandit.reward) or not bandit.action:
        raise OptionError("a table of decisions needs --action COLUMN, and --cost COLUMN or --reward COLUMN")
    for flag, column, instead in (
        ("--label", options.label, "--cost or --reward names the column of what came of a decision"),
        ("--weight", options.weight, "--probability names the column of that with which an action was chosen"),
    ):
        if column:
            raise OptionError(f"{flag} {shorten(column)}: {instead}")
    reading = reading_of(bandit.action, options)
    if reading:
        raise OptionError(f"--{reading} {shorten(bandit.action)}: the column of the action is no feature")
    return dataclasses.replace(options, label=bandit.cost or bandit.reward, weight=bandit.probability)
