"""How well it works: ranking and thresholds, predicted against actual values, coverage, and costs of decisions."""

from __future__ import annotations

from typing import Any

from sonlearn.report.html.charts import Scale, Series, chart, figure, format_number, legend, scale
from sonlearn.report.html.markup import Element, element
from sonlearn.report.html.tables import DASH, bar_row, bars, number_or_dash, positive_label, section, span, table
from sonlearn.report.runlog import Run

#: Bars of the histogram of residuals.
BARS = 24


def measured(run: Run) -> dict[str, Any]:
    """The measures of a run; empty where its log has none."""
    return (run.end or {}).get("metrics") or {}


def ranking(run: Run) -> Element | None:
    """Two classes: the curves, and what each threshold does."""
    measures = measured(run)
    curve = measures.get("curve")
    if not curve:
        return None
    unit = Scale(0.0, 1.0)
    share = measures["positive"] / measures["weight"]
    roc = [(0.0, 0.0), *((cut["false_share"], cut["recall"]) for cut in curve)]
    pairs = [(cut["recall"], cut["precision"]) for cut in curve if cut["recall"] > 0]
    figures = []
    for title, points, guide, axes in (
        (f"ROC: area under the curve {_bounded(measures, 'auc')}", roc, [(0.0, 0.0), (1.0, 1.0)],
         ("share of negatives above the threshold", "recall")),
        (f"Precision and recall: average precision {_bounded(measures, 'average_precision')}", pairs,
         [(0.0, share), (1.0, share)], ("recall", "precision")),
    ):  # fmt: skip
        series = [Series("by chance", "constant", [guide]), Series("as predicted", "average", [points])]
        figures.append(figure(unit, unit, series, title, title=f"{title}.", below=axes[0], beside=axes[1]))
    lead = (
        f"The class {positive_label(measures)} is the positive one: {100 * share:.3g} % of the examples. Recall: the "
        "share of the positive examples that are predicted so. Precision: the share of those predicted positive that "
        "are."
    )
    both = element("div", *figures, class_="pane pair shown")
    return section("Ranking and thresholds", both, _thresholds(measures), lead=lead, name="ranking", wide=True)


def _bounded(measures: dict[str, Any], name: str) -> str:
    value, error = measures.get(name), measures.get(f"{name}_error")
    return DASH if value is None else f"{value:.4f}" + (f" \u00b1 {error:.1g}" if error and error >= 5e-5 else "")


def _thresholds(measures: dict[str, Any]) -> Element:
    """What thresholds do; the one in use and the best of F1 first."""
    named = (("as predicted", measures["decided"]), ("best F1", measures["best_f1"]))
    rows = [_row(text, cut) for text, cut in named if cut]
    rows += [_row("", cut) for cut in measures.get("thresholds") or []]
    predicted = f"predicted {positive_label(measures)}"
    names = ("", "threshold", "precision", "recall", "F1", predicted, "false alarms")
    return table(names, rows)


def _row(text: str, cut: dict[str, float]) -> list[str]:
    return [
        text, format_number(float(f"{cut['threshold']:.3g}")),
        *(f"{100 * cut[name]:.3g} %" for name in ("precision", "recall")), f"{cut['f1']:.3f}",
        format_number(round(cut["predicted"], 1)), f"{100 * cut['false_share']:.3g} % of the negatives",
    ]  # fmt: skip


def values(run: Run) -> Element | None:
    """Values: what was predicted against what came, and the differences."""
    rows = measured(run).get("sample")
    if not rows or len(rows) < 2 or any(len(row) != 2 for row in rows):
        return None
    ends = [value for row in rows for value in row]
    one = scale(ends, zero=False)
    series = [
        Series("as it should be", "constant", [[(one.low, one.low), (one.high, one.high)]]),
        Series("examples", "cloud", [[(y, p)] for y, p in rows]),
    ]
    title = f"Predicted against actual values of {len(rows)} examples."
    first = element(
        "figure", element("figcaption", "Predicted against actual"), legend(series[:1]),
        chart(one, one, series, title=title, below="actual", beside="predicted"),
    )  # fmt: skip
    second = element("figure", element("figcaption", "Residuals: predicted less actual"), _residuals(rows))
    lead = f"A sample of {len(rows)} examples, each as likely as any other."
    return section(
        "Predicted values", element("div", first, second, class_="pane pair shown"), lead=lead, name="values", wide=True
    )


def coverage(run: Run) -> Element | None:
    """Coverage asked and reached along the stream."""
    measures = measured(run).get("coverage")
    points = [(point[0], point[1]) for point in (measures or {}).get("curve") or [] if len(point) == 2]
    if not measures or len(points) < 2:
        return None
    asked, last = measures["asked"], points[-1][0]
    x, low = Scale(0.0, float(last)), min([asked, *(share for _, share in points)])
    y = Scale(max(0.0, low - 0.02), 1.0)
    series = [
        Series("asked", "constant", [[(0.0, asked), (float(last), asked)]]), Series("reached", "average", [points]),
    ]  # fmt: skip
    worst = "" if measures["lowest"] is None else f" In the worst 1,000 examples: {100 * measures['lowest']:.1f} %."
    what = "Mean size of sets" if measured(run)["kind"] != "values" else "Mean length of intervals"
    size = DASH if measures["size"] is None else format_number(measures["size"])
    lead = f"Asked {100 * asked:.4g} %, reached {100 * measures['reached']:.2f} %.{worst} {what}: {size}."
    title = f"Coverage along the stream: {100 * measures['reached']:.2f} % in all."
    picture = figure(x, y, series, title=title, below="examples", beside="share covered")
    return section("Coverage", picture, lead=lead, name="coverage")


def policy(run: Run) -> Element | None:
    """Decisions: mean costs beside the log's, with their intervals, and how often each action was taken."""
    found = (run.end or {}).get("decisions")
    if not found or not found["values"]:
        return None
    rows = [
        [one["name"], *(number_or_dash(one["cost"] + sign * 1.96 * one["error"]) for sign in (0, -1, 1))]
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


def _residuals(rows: list[list[float]]) -> Element:
    """A histogram, drawn as the outline of its bars."""
    errors = sorted(p - y for y, p in rows)
    cut = len(errors) // 100  # the last hundredth on either side would leave no room for the rest
    low, high = errors[cut], errors[-1 - cut]
    low, high = (low, high) if high > low else (low - 1, high + 1)
    counts = [0] * BARS
    for e in errors:
        counts[min(max(int(BARS * (e - low) / (high - low)), 0), BARS - 1)] += 1
    outline = [(low, 0.0)]
    for i, count in enumerate(counts):
        left, right = (low + (high - low) * k / BARS for k in (i, i + 1))
        outline += [(left, float(count)), (right, float(count))]
    outline.append((high, 0.0))
    series = [Series("examples", "average", [outline])]
    title = f"Residuals of {len(errors)} examples."
    x = Scale(low, high)
    return chart(x, scale([float(count) for count in counts]), series, title=title, below="residual", beside="examples")
