"""Off-policy values as a table, as JSON lines and as CSV. Pure: results in, text out."""

from __future__ import annotations

import json

from sonlearn.files.storage import jsonable
from sonlearn.offpolicy.evaluation import LOG, Line
from sonlearn.report.predictions import csv_text
from sonlearn.report.runlog import bounded

#: The estimator by which progress and the verdict go.
BY = "dr"
HEADER = (
    "decisions     cost       low      high   less log       low      high   weight  policy",
    "---------  -------  --------  --------  ---------  --------  --------  -------  ------",
)


def progress_lines(lines: list[Line]) -> list[str]:
    """A row for each policy: its doubly robust cost, the same less the log's, each with its interval."""
    of = {(one.policy, one.against): one for one in lines if one.estimator == BY}
    out = []
    for policy in [policy for policy, against in of if not against]:
        own, less = of[policy, ""], of[policy, LOG]
        ends = f"{own.cost:>8.4g}  {own.low:>8.4g}  {own.high:>8.4g}"
        beyond = f"{less.cost:>+9.4g}  {less.low:>+8.4g}  {less.high:>+8.4g}"
        out.append(f"{own.decisions:>9} {ends}  {beyond}  {own.weight:>7.4g}  {policy}")
    return out


def summary_lines(lines: list[Line], level: float) -> list[str]:
    """The whole result for people, with the verdict."""
    rows = [("policy", "estimator", "cost", "low", "high", "weight", "effective")]
    for one in lines:
        numbers = (f"{value:.6g}" for value in (one.cost, one.low, one.high, one.weight))
        rows.append((named(one), one.estimator, *numbers, f"{one.effective:.0f}"))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    table = [
        "  ".join(
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    return [*table, "", f"each interval holds at all times with a probability of {level:g}", *verdicts(lines)]


def named(line: Line) -> str:
    """Return what a line is of."""
    return f"{line.policy} less {line.against}" if line.against else line.policy


def verdicts(lines: list[Line]) -> list[str]:
    """Return which policy is known to cost less than which."""
    out = []
    for one in lines:
        if one.estimator != BY or not one.against:
            continue
        other = "the log" if one.against == LOG else one.against
        if one.high < one.low:
            out.append(f"no costs of {one.policy} and {other} fit this log; are its probabilities right?")
        elif one.high < 0.0:
            out.append(f"{one.policy} costs less than {other}, by {-one.high:.4g} at least")
        elif one.low > 0.0:
            out.append(f"{one.policy} costs more than {other}, by {one.low:.4g} at least")
        else:
            out.append(f"whether {one.policy} costs less than {other} is not known yet")
    return out


def written(lines: list[Line], form: str, header: bool) -> str:
    """Return them as ``jsonl``, an object a line, or as ``csv``, with all digits and under a `header` or none.

    What is not finite, as 0/0, is null, in CSV nothing.
    """
    rows = [jsonable(one._asdict(), bounded) for one in lines]
    if form == "csv":
        return csv_text([*[Line._fields] * header, *(row.values() for row in rows)])
    return "".join(json.dumps(row) + "\n" for row in rows)
