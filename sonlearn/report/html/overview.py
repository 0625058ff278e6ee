"""How a run went: the numbers that count, the curves, the speed, and what it was run with."""

from __future__ import annotations

from typing import Any

from sonlearn.report.html.charts import Scale, Series, chart, figure, format_number, scale
from sonlearn.report.html.markup import Element, element
from sonlearn.report.html.tables import DASH, number_or_dash, positive_label, section, table
from sonlearn.report.runlog import Run
from sonlearn.report.series import curves, speeds, thinned

#: How many times the last average the axis goes up, at most: what came first may be far beyond what matters now.
ROOM = 8


def tiles(run: Run) -> Element | None:
    """The numbers that count."""
    end: dict[str, Any] = run.end or _so_far(run)
    if not end:
        return None
    constant = end.get("constant") or {}
    held = " of held-out examples" if end.get("held") else ""
    seconds = end["seconds"]
    speed = (end["examples"] + end["held_examples"]) / max(seconds, 1e-9)
    shown = [
        _tile(f"average error{held}", _percent(end["error"]), _versus(_percent(constant.get("error")))),
        _tile(f"average loss{held}", number_or_dash(end["loss"]), _versus(number_or_dash(constant.get("loss")))),
        _tile("examples", format_number(end["examples"]), _passes(run, end)),
        _tile("examples a second", format_number(float(f"{speed:.3g}")), f"{duration(seconds)} in all"),
    ]  # fmt: skip
    shown[2:2] = _measured(end)
    changes = (end.get("drift") or {}).get("changes")
    if changes:
        last = f"the last at row {format_number(changes[-1])}"
        shown.append(_tile("changes of the stream", format_number(len(changes)), last))
    return element("div", *shown, class_="tiles")


def _measured(end: dict[str, Any]) -> list[Element | None]:
    """The measures that count most of what is predicted: two classes, values, or several classes."""
    measures = end.get("metrics") or {}
    shown = []
    if measures.get("auc") is not None:
        shown.append(_tile("area under the ROC curve", f"{measures['auc']:.4f}", "1 is best, 0.5 is chance"))
        decided, best = measures.get("decided"), measures.get("best_f1")
        beside = f"best: {best['f1']:.3f} at {best['threshold']:.3g}" if best else ""
        shown.append(
            _tile(f"F1 of the class {positive_label(measures)}", f"{decided['f1']:.3f}" if decided else DASH, beside)
        )
    if measures.get("rmse") is not None:
        mae = number_or_dash(measures["mae"])
        shown.append(_tile("RMSE", number_or_dash(measures["rmse"]), f"mean absolute error {mae}"))
        r2 = measures.get("r2")
        shown.append(_tile("R\u00b2", DASH if r2 is None else f"{r2:.4f}", "1 is best, 0 is the mean of the labels"))
    if measures.get("macro_f1") is not None:
        worst = ", ".join(f"{row['label']} ({row['f1']:.2f})" for row in (measures.get("worst") or [])[:3])
        shown.append(_tile("macro F1", f"{measures['macro_f1']:.4f}", f"lowest: {worst}"))
    if end.get("calibration"):
        shown.append(_tile("Brier score", number_or_dash(end["calibration"]["brier"]), "0 is best"))
    return shown


def _so_far(run: Run) -> dict[str, Any]:
    """Return what the last row says, of a run without an end."""
    if not run.rows:
        return {}
    last = run.rows[-1]
    return {**last, "held_examples": last["read"] - last["examples"] if last["read"] > last["examples"] else 0}


def _tile(name: str, value: str, beside: str) -> Element | None:
    if value == DASH:
        return None
    small = element("small", beside) if beside else None
    return element("div", element("span", name), element("strong", value), small, class_="tile")


def _versus(value: str) -> str:
    return "" if value == DASH else f"best constant: {value}"


def _passes(run: Run, end: dict[str, Any]) -> str:
    passes = run.rows[-1]["pass"] if run.rows else run.begin["passes"]
    parts = [f"{passes} passes"] if passes > 1 else []
    parts += [f"{format_number(end['known'])} features met"] if end.get("known") is not None else []
    return ", ".join(parts)


def _percent(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:.3g} %"


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def progress(run: Run) -> Element | None:
    """Error and loss along the stream, on a logarithmic axis of examples and on a linear one."""
    constant = ((run.end or {}).get("constant")) or {}
    panes = [
        element("div", *(_curve(run, what, log, constant.get(what)) for what in ("error", "loss")), class_="pane pair")
        for log in (True, False)
    ]
    if not len(panes[0]):
        return None
    lead = "Thick: the average over all examples so far. Thin: over those since the point before."
    switch: list[Element] = []  # of the two panes one is shown, without a script
    for i, choice in enumerate(("log scale", "linear scale")):
        checked = "checked" if i == 0 else None
        switch.append(element("input", type="radio", name="axis", id=f"axis-{i}", checked=checked))
        switch.append(element("label", choice, for_=f"axis-{i}"))
    both = element("div", *switch, *panes, class_="switched")
    return section("Progress", both, _table(run), lead=lead, name="progress", wide=True)


def _curve(run: Run, what: str, log: bool, constant: float | None) -> Element | None:
    average, since = curves(run.rows, what, log, 60 if log else 120)
    spots = [point for piece in average for point in piece]
    if not spots:
        return None
    last = spots[-1][0]
    first = spots[0][0] if last < 200 or len(spots) < 8 else max(spots[0][0], 10)
    x = Scale(max(first, 1), max(last, 1.001 * first, first + 1, 2), True) if log else Scale(0, max(last, 1))
    # What the first few examples say is noise, and would leave no room for the rest.
    steady = [value for piece in average for n, value in piece if n >= min(last / 20, 20)]
    steady += [value for piece in since for n, value in piece if n >= min(last / 20, 1000)]
    y = scale([min(value * 1.06, ROOM * spots[-1][1]) if spots[-1][1] > 0 else value for value in steady])
    series = [
        Series("since the point before", "since", since), Series("average so far", "average", average),
    ]  # fmt: skip
    if constant is not None and y.low < constant < 2 * y.high:  # further away it would leave no room for the curves
        y = y._replace(high=max(y.high, 1.02 * constant))
        series.insert(0, Series("best constant", "constant", [[(x.low, constant), (x.high, constant)]]))
    title = f"Average {what} along the examples: {format_number(spots[-1][1])} at the end."
    return figure(x, y, series, what.capitalize(), title=title, below="examples", beside=what)


def _table(run: Run) -> Element:
    """The numbers of the curves, for those who want them."""
    names = ("examples", "loss", "since", "error", "since")
    averages = ("loss", "since_loss", "error", "since_error")
    rows = [[format_number(row["examples"]), *(_fixed(row[key]) for key in averages)] for row in thinned(run.rows)]
    return element("details", element("summary", "The numbers"), table(names, rows))


def _fixed(value: float | None) -> str:
    return DASH if value is None else f"{value:.6f}" if abs(value) < 1e6 else f"{value:.4g}"


def speed(run: Run) -> Element | None:
    """Examples a second along the run."""
    points = speeds(run.rows)
    if len(points) < 2:
        return None
    x = Scale(0.0, points[-1][0])
    series = [Series("examples a second", "average", [points], dots=len(points) <= 30)]
    picture = chart(x, scale([1.1 * v for _, v in points]), series, title="Examples a second along the run.",
                    below="examples read", beside="examples a second")  # fmt: skip
    lead = "Since the point before, reading included. A first batch that is slow has waited for kernels to be compiled."
    return section("Speed", element("figure", picture), lead=lead, name="speed")


def settings(run: Run) -> Element:
    """Files and options."""
    groups = [("files", {"data": " ".join(run.begin["data"]), **(run.begin.get("files") or {})}),
              ("learning", run.begin["learn"]), ("text", run.begin["text"])]  # fmt: skip
    lists = []
    for title, values in groups:
        rows = [
            element("tr", element("th", name, scope="row"), element("td", _text(value)))
            for name, value in values.items() if value not in (None, "", [], False)
        ]  # fmt: skip
        lists.append(element("div", element("h3", title), element("table", element("tbody", *rows), class_="settings")))
    return section("Settings", element("div", *lists, class_="lists"), name="settings", wide=True)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "yes" if value is True else format_number(value) if isinstance(value, float) else str(value)
