"""How well it works, and how far predictions can be trusted: ranking and thresholds, predicted against actual values,
coverage, costs of decisions, calibration and confusion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sonlearn.report.html.charts import LEFT, RIGHT, WIDTH, Scale, Series, chart, figure, format_number, legend, scale
from sonlearn.report.html.markup import Element, element
from sonlearn.report.html.tables import DASH, bars, grid_of, number_or_dash, positive_label, section, table
from sonlearn.report.runlog import Run
from sonlearn.report.series import FEWEST_OF_A_BIN, calibration_bins

#: Bars of the histogram of residuals.
BARS = 24
#: Classes beyond which their table is set small.
MANY_CLASSES = 12


def measured(run: Run) -> dict[str, Any]:
    """The measures of a run; empty where its log has none."""
    return (run.end or {}).get("metrics") or {}


def ranking(run: Run) -> Element | None:
    """Two classes: the curves, and what each threshold does."""
    measures = measured(run)
    curve = measures.get("curve")
    if not curve or not measures["weight"] or measures["positive"] is None:
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
    """Return what thresholds do; the one in use and the best of F1 first."""
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
    of, size = measures.get("of", "size"), DASH if measures["size"] is None else format_number(measures["size"])
    lead = f"Asked {100 * asked:.4g} %, reached {100 * measures['reached']:.2f} %.{worst} Mean {of}: {size}."
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
    taken = [
        (str(one["action"]), one["share"], f"{100 * one['given']:.3g} %", number_or_dash(one["cost"]))
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
    errors = np.sort([p - y for y, p in rows])
    cut = len(errors) // 100  # the last hundredth on either side would leave no room for the rest
    low, high = errors[[cut, -1 - cut]].tolist()
    low, high = (low, high) if high > low else (low - 1, high + 1)
    counts, edges = np.histogram(errors.clip(low, high), BARS, (low, high))
    outline = list(zip(edges.repeat(2).tolist(), np.pad(counts, 1).repeat(2)[1:-1].tolist(), strict=True))
    series = [Series("examples", "average", [outline])]
    title = f"Residuals of {len(errors)} examples."
    x = Scale(low, high)
    return chart(x, scale(counts.tolist()), series, title=title, below="residual", beside="examples")


def calibration(run: Run) -> Element | None:
    """Return how often it happened against how probable it was said to be, with 95 % intervals."""
    recorded = (run.end or {}).get("calibration")
    shown = calibration_bins(run.end or {})
    if not recorded or not shown:
        return None
    several = bool((run.end or {}).get("classes"))
    label = positive_label((run.end or {}).get("metrics"))
    event = "the predicted class was right" if several else f"the label was {label}"
    top = max(max(one.predicted, one.happened) for one in shown)
    top = 1.0 if top > 0.4 or not top else 1.25 * top
    axis = Scale(0.0, top)
    dots = [(one.predicted, one.happened) for one in shown]
    bars = [[(one.predicted, min(edge, top)) for edge in (one.low, one.high)] for one in shown]
    series = [
        Series("as it should be", "constant", [[(0.0, 0.0), (axis.high, axis.high)]]),
        Series("95 % intervals", "spread", bars), Series("as it was", "average", [dots], dots=True),
    ]  # fmt: skip
    title = f"Calibration in {len(dots)} bins; Brier score {format_number(recorded['brier'])}."
    lead = (
        f"For each predicted probability, how often {event}. Dots on the diagonal: probabilities can be taken at "
        f"their word. Of 20 bins, those of {FEWEST_OF_A_BIN} examples or more."
    )
    picture = figure(axis, axis, series, title=title, below="predicted probability", beside="how often it happened")
    picture.append(_histogram(recorded["bins"], axis))
    return section("Calibration", picture, lead=lead, name="calibration")


def _histogram(bins: list[dict[str, Any]], x: Scale) -> Element:
    """Return how many examples each probability was given to, under the frame of the chart above."""
    total, most = sum(b["weight"] for b in bins), max(b["weight"] for b in bins)
    tall, bars = 46, []
    for b in bins:
        left, right = (LEFT + min(x.share(b[edge]), 1.0) * (WIDTH - LEFT - RIGHT) for edge in ("low", "high"))
        height = max(tall * b["weight"] / most, 1.0)
        tip = element("title", f"{b['low']:.3f} to {b['high']:.3f}: {100 * b['weight'] / total:.3g} % of the weight")
        bars.append(element("rect", tip, x=left, y=tall - height, width=max(right - left - 0.5, 1.0), height=height))
    bars.append(element("text", "examples", x=LEFT - 7.0, y=tall - 4.0, text_anchor="end"))
    return element("svg", *bars, viewBox=f"0 0 {WIDTH} {tall}", class_="chart histogram", role="img",
                   aria_label="How many examples each probability was given to.")  # fmt: skip


def confusion(run: Run) -> Element | None:
    """Labels against what was predicted for them."""
    recorded = (run.end or {}).get("confusion")
    n = len(recorded["labels"]) if recorded else 0
    if not n or [len(row) for row in recorded["counts"]] != [n] * n:
        return None
    labels, counts, dense = recorded["labels"], recorded["counts"], n > MANY_CLASSES
    # of several labels in one row nothing says which were told from each other
    mixed = n - 1 if recorded["others"] else None
    rows = [_confusion_row(recorded, i, mixed) for i in range(n) if sum(counts[i])]
    columns = [sum(row[j] for row in counts) for j in range(n)]
    exact = [DASH if j == mixed else _share(counts[j][j], columns[j], dense) for j in range(n)]
    last = element("th", "precision"), *(element("td", text, class_="margin") for text in exact), element("td")
    rows.append(element("tr", *last, class_="margins"))
    grid = grid_of(("label \\ predicted", *labels, "recall"), rows, "confusion dense" if dense else "confusion")
    lead = "Rows: the label. Columns: what was predicted. Shades are shares of the row."
    return section("Confusion", grid, lead=lead, name="confusion", wide=n > 6)


def _confusion_row(recorded: dict[str, Any], i: int, mixed: int | None) -> Element:
    row, total = recorded["counts"][i], sum(recorded["counts"][i])
    cells = []
    for j, h in enumerate(row):
        kind = None if i == j == mixed else "right" if i == j else "wrong"
        text = format_number(round(h, 1)) if h else ""
        cells.append(element("td", text, class_=kind, style=f"--share:{h / total:.4f}"))
    found = DASH if i == mixed else _share(row[i], total, len(row) > MANY_CLASSES)
    return element(
        "tr", element("th", recorded["labels"][i], scope="row"), *cells, element("td", found, class_="margin")
    )


def _share(part: float, whole: float, dense: bool) -> str:
    return f"{100 * part / whole:.{0 if dense else 1}f} %" if whole > 0 else DASH
