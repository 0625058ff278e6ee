"""Of decisions: what the model's policy costs beside the log's, and which actions it takes."""

from __future__ import annotations

from sonlearn.report.html.markup import Element, element
from sonlearn.report.html.tables import bar_row, bars, number_or_dash, section, span, table
from sonlearn.report.runlog import Run


def policy(run: Run) -> Element | None:
    """Mean costs with their intervals, and how often each action was taken."""
    found = (run.end or {}).get("decisions")
    if not found or not found["values"]:
        return None
    rows = [
        [
            one["name"],
            number_or_dash(one["cost"]),
            *(number_or_dash(one["cost"] + sign * 1.96 * one["error"]) for sign in (-1, 1)),
        ]
        for one in found["values"]
    ]
    costs = table(("policy", "mean cost", "from", "to"), rows)
    ends = span([one["share"] for one in found["actions"]])
    taken = [
        bar_row(str(one["action"]), one["share"], ends, f"{100 * one['given']:.3g} %", number_or_dash(one["cost"]))
        for one in found["actions"]
    ]
    lead = (
        "Intervals of 95 % that hold for many decisions, and at the end only: sonlearn evaluate has such as hold at "
        "all times. Costs of a log count by the model's probability over the log's."
    )
    more = f"{found['others']} further actions are not shown." if found["others"] else ""
    actions = bars(("action", "", "taken", "the model's share", "mean cost"), taken)
    return section("Decisions", costs, element("h3", "Actions"), actions, element("p", more) if more else None,
                 lead=lead, name="decisions", wide=True)  # fmt: skip
