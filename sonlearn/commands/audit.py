"""``--audit``: the contributions to each prediction, on standard output, before the example is learned from."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch
from sonlearn.errors import DivergedError
from sonlearn.files.atomic import STDOUT
from sonlearn.learn.explain import Explanation, explained
from sonlearn.learn.learner import Learner
from sonlearn.options.run import RunOptions
from sonlearn.report.audit import MeanContributions, Names, as_text, content_of
from sonlearn.report.predictions import PredictionWriter, format_lines
from sonlearn.text.names import NameTable


class Audit:
    """Writes what there is to say of each example.

    Parameters
    ----------
    options : RunOptions
    names : NameTable
        Where the reader puts the names that stand in the text; they are there before the examples are.
    """

    def __init__(self, options: RunOptions, names: NameTable):
        self._options, self._names = options, names
        self._writer = PredictionWriter(STDOUT[0])
        self._means: MeanContributions | None = None

    @staticmethod
    def one_by_one(batches: Iterable[Batch]) -> Iterator[Batch]:
        """The rows of `batches`, a batch each: an example is explained by what was learned from those before it."""
        for batch in batches:
            for i in range(batch.n):
                yield batch.part(i, i + 1)

    def write(self, learner: Learner, batch: Batch) -> None:
        """Explain the rows of `batch` by the learner as it is; an example that it cannot predict says so itself.

        Raises DivergedError, OutputError, BrokenPipeError.
        """
        skip = self._options.on_error == "skip"
        with contextlib.suppress(DivergedError) if skip else contextlib.nullcontext():
            for i, explanation in enumerate(filter(None, explained(learner, batch))):
                if self._options.audit_format != "mean":
                    self._writer.write([self._said(learner, batch, i, explanation)])
                    continue
                self._means = self._means or MeanContributions(self._names_of(batch), learner.columns.known)
                self._means.add(explanation)

    def finish(self) -> None:
        """Write what there is to say of all examples. Raises OutputError, BrokenPipeError."""
        if self._means is not None:
            self._writer.write([self._means.text(self._options.audit_top)])

    def _names_of(self, batch: Batch) -> Names:
        return lambda feature: ["Constant"] if feature == batch.constant else self._names.of(feature)

    def _said(self, learner: Learner, batch: Batch, i: int, explanation: Explanation) -> str:
        several, tag = learner.options.several, None if batch.tags is None else batch.tags[i]
        value: Any = explanation.prediction
        labels = learner.label_texts(_array(value)) if several else None
        names, top = self._names_of(batch), self._options.audit_top
        if self._options.audit_format == "text":
            head = format_lines(labels or _array(value), [tag or ""]).rstrip("\n")
            return as_text(head, explanation, learner.options, names, top)
        if several:
            named = isinstance((learner.classes or [0])[0], str)
            value = (labels or [""])[0] if named else None if math.isnan(value) else int(value)
        about = {"source": batch.source, "line": int(batch.lines[i]), "tag": tag or None, "prediction": value}
        return json.dumps(about | content_of(explanation, names, top), allow_nan=False)


def _array(value: float) -> np.ndarray:
    return np.array([value])
