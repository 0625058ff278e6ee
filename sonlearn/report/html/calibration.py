"""How far predictions can be trusted: calibration and confusion."""

from __future__ import annotations

from typing import Any

from sonlearn.report.html.charts import LEFT, RIGHT, WIDTH, Scale, Series, figure, format_number
from sonlearn.report.html.markup import Element, element
from sonlearn.report.html.tables import DASH, positive_label, section
from sonlearn.report.runlog import Run
from sonlearn.report.series import FEWEST_OF_A_BIN, calibration_bins

#: Classes beyond which their table is set small.
DENSE = 12


def calibration(run: Run) -> Element | None:
    """How often it happened against how probable it was said to be, with 95 % intervals."""
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
    """How many examples each probability was given to, under the frame of the chart above."""
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
    if not recorded or not _square(recorded):
        return None
    labels, counts, dense = recorded["labels"], recorded["counts"], len(recorded["labels"]) > DENSE
    # of several labels in one row nothing says which were told from each other
    mixed = len(labels) - 1 if recorded["others"] else None
    rows = [_confusion_row(recorded, i, mixed) for i in range(len(labels)) if sum(counts[i])]
    columns = [sum(row[j] for row in counts) for j in range(len(labels))]
    exact = [DASH if j == mixed else _share(counts[j][j], columns[j], dense) for j in range(len(labels))]
    last = element("th", "precision"), *(element("td", text, class_="margin") for text in exact), element("td")
    rows.append(element("tr", *last, class_="margins"))
    titles = (element("th", label, scope="col") for label in labels)
    head = element("tr", element("th", "label \\ predicted"), *titles, element("th", "recall"))
    kind = "confusion dense" if dense else "confusion"
    grid = element("table", element("thead", head), element("tbody", *rows), class_=kind)
    lead = "Rows: the label. Columns: what was predicted. Shades are shares of the row."
    grid = element("div", grid, class_="scroll")
    return section("Confusion", grid, lead=lead, name="confusion", wide=len(labels) > 6)


def _confusion_row(recorded: dict[str, Any], i: int, mixed: int | None) -> Element:
    row, total = recorded["counts"][i], sum(recorded["counts"][i])
    cells = []
    for j, h in enumerate(row):
        kind = None if i == j == mixed else "right" if i == j else "wrong"
        text = format_number(round(h, 1)) if h else ""
        cells.append(element("td", text, class_=kind, style=f"--share:{h / total:.4f}"))
    found = DASH if i == mixed else _share(row[i], total, len(row) > DENSE)
    return element(
        "tr", element("th", recorded["labels"][i], scope="row"), *cells, element("td", found, class_="margin")
    )


def _share(part: float, whole: float, dense: bool) -> str:
    return f"{100 * part / whole:.{0 if dense else 1}f} %" if whole > 0 else DASH


def _square(recorded: dict[str, Any]) -> bool:
    n = len(recorded["labels"])
    return n > 0 and len(recorded["counts"]) == n and all(len(row) == n for row in recorded["counts"])
