"""Explanations of predictions as text, for people and for programs: a block, or one line of JSON, an example.

`Audit` writes them to standard output for ``--audit``, before the example is learned from.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import Batch, cut
from sonlearn.errors import DivergedError
from sonlearn.files.atomic import STDOUT, LineFile
from sonlearn.learn.explain import Attribution, Explanation, explained
from sonlearn.report.predictions import format_lines
from sonlearn.text.columns import column_of

if TYPE_CHECKING:
    from sonlearn.options import LearnOptions
    from sonlearn.options.run import RunOptions
    from sonlearn.report.problem import Problem
    from sonlearn.text.names import NameTable

#: Names that are known of the feature of an id; none where there are none.
Names = Callable[[int], list[str]]

#: What is left over counts as nothing, in text, below this share of the numbers that it is left over from.
_NOTHING = 1e-9
_NAME, _NUMBER = 24, 12


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
        self._writer = LineFile(STDOUT[0])
        self._means: MeanContributions | None = None

    def write(self, problem: Problem, batch: Batch) -> None:
        """Explain the rows of `batch` by the learner as it is; an example that it cannot predict says so itself.

        Raises DivergedError, OutputError, BrokenPipeError.
        """
        done = 0
        try:
            for explanation in filter(None, explained(problem.learner, batch)):
                if self._options.audit_format == "mean":
                    known = problem.learner.columns.known
                    self._means = self._means or MeanContributions(self._names_of(batch), known)
                    self._means.add(explanation)
                else:
                    self._writer.write(self._formatted(problem, batch, done, explanation) + "\n")
                done += 1
        except DivergedError:
            if self._options.on_error != "skip":
                raise
            # several are explained together, of which one cannot be
            for one in cut([batch.part(done, batch.n)] if batch.n > 1 else [], lambda batch, row: row + 1):
                self.write(problem, one)

    def finish(self) -> None:
        """Write what there is to say of all examples. Raises OutputError, BrokenPipeError."""
        if self._means is not None:
            self._writer.write(self._means.text(self._options.audit_top) + "\n")

    def _names_of(self, batch: Batch) -> Names:
        return lambda feature: ["Constant"] if feature == batch.constant else self._names.of(feature)

    def _formatted(self, problem: Problem, batch: Batch, i: int, explanation: Explanation) -> str:
        names, top, tag = self._names_of(batch), self._options.audit_top, None if batch.tags is None else batch.tags[i]
        if self._options.audit_format == "text":
            head = format_lines(problem.shown(np.array([explanation.prediction])), [tag or ""]).rstrip("\n")
            return as_text(head, explanation, problem.options, names, top)
        about = {"source": batch.source, "line": int(batch.lines[i]), "tag": tag or None,
                 "prediction": problem.of_json(explanation.prediction)}  # fmt: skip
        return json.dumps(about | content_of(explanation, names, top), allow_nan=False)


def as_text(head: str, explanation: Explanation, options: LearnOptions, names: Names, top: int) -> str:
    """Lines on one example, `head` the first of them; of the features the first `top` (0: all).

    `options` are those of the learner: they say what makes another number of a raw prediction.
    """
    lines = [head]
    for attribution in explanation.attributions:
        raw, members = attribution.raw, attribution.members
        if attribution.label is not None:
            lines.append(_line(f"class {attribution.label}: {_number(raw)}"))
        elif raw != explanation.prediction:
            lines.append(_line(f"before {' and '.join(_changed_by(options, raw))}: {_number(raw)}"))
        content = _content(attribution, names, top)
        shown: list[tuple[str, list[Any]]] = [
            (" ".join(one["names"]) or str(one["id"]), [one["value"], one["without"], one["contribution"]])
            for one in content["features"]
        ]
        if content["others"]:
            shown.append((f"{content['others']} more", ["", "", content["others_contribution"]]))
        width = max(_NAME, *(len(name) for name, _ in shown), *(len(member.name) for member in members))
        if members:
            lines.append(_row("member", ["prediction", "weight", "contribution"], width))
            lines += [_row(v.name, [v.prediction, v.weight, v.contribution], width) for v in members]
            scale = max(abs(raw), *(abs(v.contribution) for v in members))
            lines += _remainders([("start", attribution.start), ("rest", attribution.mixed)], scale, width)
        lines.append(_row("feature", ["value", "without", "contribution"], width))
        lines += [_row(name, numbers, width) for name, numbers in shown]
        scale = max([abs(raw), *abs(attribution.contributions[:1])])
        lines += _remainders([("no feature", attribution.baseline)], scale, width)
    return "\n".join(lines) + "\n"


def content_of(explanation: Explanation, names: Names, top: int) -> dict[str, Any]:
    """An explanation as an object of JSON; of the features the first `top` (0: all)."""
    attributions = [_content(attribution, names, top) for attribution in explanation.attributions]
    several = not attributions or explanation.attributions[0].label is not None
    return {"classes": attributions} if several else attributions[0]


class MeanContributions:
    """What contributes to predictions, over many examples: features, or of a table columns.

    Parameters
    ----------
    names : function of a feature's id that gives its names, where they are known
    columns : collection of str
        Of a table, the columns; empty where features are listed one by one.
    """

    def __init__(self, names: Names, columns: Collection[str] = ()):
        self._names, self._columns = names, columns
        self.examples = 0
        self._sums: dict[Any, dict[str, list[float]]] = {}  # {class: {name: [examples, sum of sizes, sum]}}

    def add(self, explanation: Explanation) -> None:
        """Count an example."""
        self.examples += 1
        for attribution in explanation.attributions:
            parts: dict[str, float] = {}
            for i, contribution in zip(attribution.ids.tolist(), attribution.contributions.tolist(), strict=True):
                name = self._name(i)
                parts[name] = parts.get(name, 0.0) + contribution
            sums = self._sums.setdefault(attribution.label, {})
            for name, part in parts.items():
                of = sums.setdefault(name, [0, 0.0, 0.0])
                of[:] = of[0] + 1, of[1] + abs(part), of[2] + part

    def result(self, top: int = 0) -> list[dict[str, Any]]:
        """Of each class (or one without a label) the `top` largest by mean size (0: all).

        Means are over all examples; where a feature does not occur it contributes nothing.
        """
        n = max(self.examples, 1)
        return [
            {"label": None if label is None else str(label), "features": [
                {"name": name, "examples": int(count), "size": size / n, "mean": total / n}
                for name, (count, size, total) in sorted(sums.items(), key=lambda one: -one[1][1])[: top or None]
            ]}
            for label, sums in self._sums.items()
        ]  # fmt: skip

    def text(self, top: int) -> str:
        """`result` as lines."""
        lines = [f"mean contributions to the predictions of {self.examples} examples"]
        for one in self.result(top):
            width = max([_NAME, *(len(feature["name"]) for feature in one["features"])])
            lines += [] if one["label"] is None else [_line(f"class {one['label']}")]
            lines.append(_row("column" if self._columns else "feature", ["examples", "mean size", "mean"], width))
            lines += [
                _row(each["name"], [str(each["examples"]), each["size"], each["mean"]], width)
                for each in one["features"]
            ]
        return "\n".join(lines)

    def _name(self, feature: int) -> str:
        name = " ".join(self._names(feature)) or str(feature)
        return column_of(name, self._columns) or name


def _content(attribution: Attribution, names: Names, top: int) -> dict[str, Any]:
    most = min(top or len(attribution.ids), len(attribution.ids))
    content: dict[str, Any] = {} if attribution.label is None else {"label": attribution.label}
    content["raw"] = attribution.raw
    if attribution.members:
        content["members"] = [member._asdict() for member in attribution.members]
        content |= {"start": attribution.start, "mixed": attribution.mixed}
    parts = (attribution.ids, attribution.values, attribution.without, attribution.contributions)
    content["features"] = [
        {"id": i, "names": names(i), "value": x, "without": without, "contribution": contribution}
        for i, x, without, contribution in zip(*(part[:most].tolist() for part in parts), strict=True)
    ]
    others = {
        "others": len(attribution.ids) - most,
        "others_contribution": float(attribution.contributions[most:].sum()),
    }
    return content | others | {"baseline": attribution.baseline}


def _changed_by(options: LearnOptions, raw: float) -> list[str]:
    """The flags that make another number of a raw prediction, in their order."""
    low, high = options.bounds
    flags = []
    if raw < low:
        flags.append("--min_prediction" if low == options.min_prediction else "--clip")
    elif raw > high:
        flags.append("--max_prediction" if high == options.max_prediction else "--clip")
    if options.binary:
        flags.append("--binary")
    elif options.link != "identity":
        flags.append("--link")
    return flags


def _remainders(parts: list[tuple[str, float]], scale: float, width: int) -> list[str]:
    return [_row(name, ["", "", value], width) for name, value in parts if abs(value) > _NOTHING * scale]


def _row(name: str, numbers: list[Any], width: int) -> str:
    cells = (number if isinstance(number, str) else _number(number) for number in numbers)
    return _line(f"{name:<{width}} " + " ".join(f"{cell:>{_NUMBER}}" for cell in cells))


def _line(text: str) -> str:
    return "  " + text


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}" if math.isfinite(value) else str(value)  # + 0.0: no "-0"
