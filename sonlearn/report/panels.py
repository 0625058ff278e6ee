"""The parts of a run's page, from top to bottom; each is None where the log has nothing to show in it."""

from __future__ import annotations

import math
from typing import Any

from sonlearn.report.charts import (
    LEFT,
    RIGHT,
    WIDTH,
    Scale,
    Series,
    chart,
    legend,
    said_number,
    scale,
    signed,
)
from sonlearn.report.markup import Element, element
from sonlearn.report.runlog import Run
from sonlearn.report.series import curves, speeds, thinned

#: Sketches that are drawn with a colour of their own, and eigenvalues of each.
SPECTRA, EIGENVALUES = 6, 200
#: Examples below which a bin of the calibration says next to nothing.
FEWEST = 5
_DASH = "\u2013"


def panel(title: str, *parts: Element | str | None, lead: str = "", name: str, wide: bool = False) -> Element:
    """A part of the page under its title."""
    about = element("p", lead, class_="lead") if lead else None
    return element("section", element("h2", title), about, *parts, id=name, class_="wide" if wide else None)


# -- at a glance -----------------------------------------------------------------------------------------------------


def tiles(run: Run) -> Element | None:
    """The numbers that count."""
    end: dict[str, Any] = run.end or _so_far(run)
    if not end:
        return None
    constant = end.get("constant") or {}
    held = " of held-out examples" if end.get("held") else ""
    seconds, examples = end["seconds"], end["examples"] + end["held_examples"]
    shown = [
        _tile(f"average error{held}", _percent(end["error"]), _than(_percent(constant.get("error")))),
        _tile(f"average loss{held}", _number(end["loss"]), _than(_number(constant.get("loss")))),
        _tile("examples", said_number(end["examples"]), _passes(run, end)),
        _tile("examples a second", _rate(examples, seconds), f"{duration(seconds)} in all"),
    ]  # fmt: skip
    if end.get("calibration"):
        shown.insert(2, _tile("Brier score", _number(end["calibration"]["brier"]), "0 is best"))
    return element("div", *(tile for tile in shown if tile is not None), class_="tiles")


def _rate(examples: int, seconds: float) -> str:
    return said_number(float(f"{examples / max(seconds, 1e-9):.3g}"))


def _so_far(run: Run) -> dict[str, Any]:
    """What the last row says, of a run without an end."""
    if not run.rows:
        return {}
    last = run.rows[-1]
    return {**last, "held_examples": last["read"] - last["examples"] if last["read"] > last["examples"] else 0}


def _tile(name: str, value: str, beside: str) -> Element | None:
    if value == _DASH:
        return None
    small = element("small", beside) if beside else None
    return element("div", element("span", name), element("strong", value), small, class_="tile")


def _than(value: str) -> str:
    return "" if value == _DASH else f"best constant: {value}"


def _passes(run: Run, end: dict[str, Any]) -> str:
    passes = run.rows[-1]["pass"] if run.rows else run.begin["passes"]
    parts = [f"{passes} passes"] if passes > 1 else []
    parts += [f"{said_number(end['known'])} features met"] if end.get("known") is not None else []
    return ", ".join(parts)


def _percent(value: float | None) -> str:
    return _DASH if value is None else f"{100 * value:.3g} %"


def _number(value: float | None) -> str:
    return _DASH if value is None else said_number(value)


def duration(seconds: float) -> str:
    """A time for people."""
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


# -- progress --------------------------------------------------------------------------------------------------------


def progress(run: Run) -> Element | None:
    """Error and loss along the stream, on a logarithmic axis of examples and on a linear one."""
    constant = ((run.end or {}).get("constant")) or {}
    panes = []
    for log in (True, False):
        charts = [_curve(run, what, log, constant.get(what)) for what in ("error", "loss")]
        panes.append(element("div", *(one for one in charts if one is not None), class_="pane pair"))
    if not len(panes[0]):
        return None
    lead = "Thick: the average over all examples so far. Thin: over those since the point before."
    return panel("Progress", _switched("axis", ("doublings", "examples"), panes), _table(run), lead=lead,
                 name="progress", wide=True)  # fmt: skip


def _curve(run: Run, what: str, log: bool, constant: float | None) -> Element | None:
    average, since = curves(run.rows, what, log, 60 if log else 120)
    spots = [point for piece in average for point in piece]
    if not spots:
        return None
    last = spots[-1][0]
    first = spots[0][0] if last < 200 or len(spots) < 8 else max(spots[0][0], 10)
    x = Scale(max(first, 1), max(last, first + 1), True) if log else Scale(0, last)
    # What the first few examples say is noise, and would leave no room for the rest.
    steady = [value for piece in (*average, *since) for n, value in piece if n >= min(last / 20, 1000)]
    y = scale([value * 1.06 for value in steady])
    series = [
        Series("since the point before", "since", since), Series("average so far", "average", average),
    ]  # fmt: skip
    if constant is not None and y.low < constant < 2 * y.high:  # further away it would leave no room for the curves
        y = y._replace(high=max(y.high, 1.02 * constant))
        series.insert(0, Series("best constant", "constant", [[(x.low, constant), (x.high, constant)]]))
    title = f"Average {what} along the examples: {said_number(spots[-1][1])} at the end."
    picture = chart(x, y, series, title=title, below="examples", beside=what)
    return element("figure", element("figcaption", what.capitalize()), legend(series[::-1]), picture)


def _switched(name: str, choices: tuple[str, str], panes: list[Element]) -> Element:
    """Two panes of which one is shown, without a script."""
    parts: list[Element] = []
    for i, choice in enumerate(choices):
        checked = "checked" if i == 0 else None
        parts.append(element("input", type="radio", name=name, id=f"{name}-{i}", checked=checked))
        parts.append(element("label", f"even in {choice}", for_=f"{name}-{i}"))
    return element("div", *parts, *panes, class_="switched")


def _table(run: Run) -> Element:
    """The numbers of the curves, for those who want them."""
    names = ("examples", "loss", "since", "error", "since")
    rows = [
        [
            said_number(row["examples"]),
            *(_fixed(row[key]) for key in ("loss", "since_loss", "error", "since_error")),
        ]
        for row in thinned(run.rows)
    ]
    return element("details", element("summary", "The numbers"), table(names, rows))


def _fixed(value: float | None) -> str:
    return _DASH if value is None else f"{value:.6f}" if abs(value) < 1e6 else f"{value:.4g}"


def table(names: tuple[str, ...], rows: list[list[str]]) -> Element:
    """A table of texts under their names."""
    head = element("tr", *(element("th", name, scope="col") for name in names))
    body = [element("tr", *(element("td", cell) for cell in row)) for row in rows]
    return element("div", element("table", element("thead", head), element("tbody", *body)), class_="scroll")


# -- what it is made of ----------------------------------------------------------------------------------------------


def members(run: Run) -> Element | None:
    """The committee: what each member weighs and how it does on its own; of several classes, what it weighs in each."""
    end = run.end or {}
    listed = end.get("members") or []
    if listed:
        span = _span([m["weight"] for m in listed if m.get("weight") is not None])
        order = sorted(listed, key=lambda m: -abs(m["weight"]) if m.get("weight") is not None else math.inf)
        lead = "How much of each member's prediction the combination takes, and the error of each alone."
        names = ("member", "", "weight", "own error")
        rows = [_bar_row(m["name"], m.get("weight"), span, _number(m.get("error"))) for m in order]
        return panel("Members", _bars(names, rows), lead=lead, name="members")
    classes = [one for one in end.get("classes") or [] if one.get("members")]
    if not classes:
        return None
    names = [m["name"] for m in classes[0]["members"]]
    rows = []
    for one in classes:
        weights = {m["name"]: m.get("weight") for m in one["members"]}
        most = max((abs(w) for w in weights.values() if w is not None), default=0.0) or 1.0
        cells = [_shaded(weights.get(name), most) for name in names]
        rows.append(element("tr", element("th", one["label"], scope="row"), *cells))
    head = element("tr", element("th", "class"), *(element("th", element("span", n), class_="slanted") for n in names))
    lead = "How much of each member's prediction is taken, for each class against all others; a dash: retired."
    grid = element("table", element("thead", head), element("tbody", *rows), class_="heat")
    return panel("Members", element("div", grid, class_="scroll"), lead=lead, name="members", wide=True)


def _shaded(weight: float | None, most: float) -> Element:
    if weight is None:
        return element("td", _DASH)
    kind = "minus" if weight < 0 else "plus"
    return element("td", signed(f"{weight:.2f}"), class_=kind, style=f"--share:{abs(weight) / most:.3f}")


def _span(values: list[float]) -> tuple[float, float]:
    """From the least to the greatest of `values` and 0."""
    low, high = min([0.0, *values]), max([0.0, *values])
    return low, high if high > low else low + 1


def _bar_row(name: str, value: float | None, span: tuple[float, float], *more: str) -> Element:
    """A row of a name, a bar from 0 to the value, the number, and further cells."""
    cells = [element("th", name, scope="row", title=name)]
    if value is None:
        cells += [element("td", "retired", class_="retired"), element("td")]
    else:
        low, high = span
        start, width = (min(value, 0.0) - low) / (high - low), abs(value) / (high - low)
        bar = element("i", class_="minus" if value < 0 else "plus", style=f"--start:{start:.4f};--share:{width:.4f}")
        number = f"{value:.4f}" if 1e-3 <= max(high, -low) < 1e5 else f"{value:.3g}"
        cells += [element("td", bar, class_="bar"), element("td", signed(number))]
    return element("tr", *cells, *(element("td", text) for text in more), class_="gone" if value is None else None)


def _bars(names: tuple[str, ...], rows: list[Element]) -> Element:
    head = element("tr", *(element("th", name, scope="col") for name in names))
    return element("div", element("table", element("thead", head), element("tbody", *rows), class_="bars"),
                   class_="scroll")  # fmt: skip


def weights(run: Run) -> Element | None:
    """The largest weights by name, of each class where there are several."""
    end = run.end or {}
    lead = "Of the features as they stand in the input; a committee's are of its members that are linear in them."
    if end.get("weights"):
        return panel("Largest weights", _weight_bars(end["weights"]), lead=lead, name="weights")
    classes = [one for one in end.get("classes") or [] if one.get("weights")]
    if not classes:
        return None
    figures = [
        element("figure", element("figcaption", one["label"]), _weight_bars(one["weights"][:8])) for one in classes
    ]
    return panel("Largest weights", element("div", *figures, class_="many"), lead=lead, name="weights", wide=True)


def _weight_bars(listed: list[dict[str, Any]]) -> Element:
    span = _span([one["weight"] for one in listed])
    return _bars(("feature", "", "weight"), [_bar_row(one["name"], one["weight"], span) for one in listed])


def spectra(run: Run) -> Element | None:
    """Eigenvalues of the sketches."""
    listed = [one for one in (run.end or {}).get("spectra") or [] if any(v > 0 for v in one["eigenvalues"])]
    if not listed:
        return None
    series = []
    for i, one in enumerate(listed[:SPECTRA]):
        points = [(float(k), v) for k, v in enumerate(one["eigenvalues"][:EIGENVALUES], 1) if v > 0]
        series.append(Series(one["name"], f"s{i}", [points], dots=len(points) <= 60))
    values = [v for one in series for _, v in one.pieces[0]]
    last = max(k for one in series for k, _ in one.pieces[0])
    x = Scale(0.5, last + 0.5)
    alphas = [one["alpha"] for one in listed[:SPECTRA] if one.get("alpha")]
    if len(listed) == 1 and alphas:
        series.append(Series("alpha", "constant", [[(x.low, alphas[0]), (x.high, alphas[0])]]))
        values.append(alphas[0])
    y = scale(values, log=True)
    y = Scale(y.low / 1.5, y.high * 1.5, True)
    title = f"Eigenvalues of {len(series)} sketches, the largest {said_number(max(values))}."
    lead = "How much of the second-order matrix lies in each direction kept. A steep fall: few directions matter."
    if len(listed) > SPECTRA:
        lead += f" Of the first {SPECTRA} of {len(listed)} sketches."
    picture = chart(x, y, series, title=title, below="direction", beside="eigenvalue")
    return panel("Spectrum", element("figure", legend(series), picture), lead=lead, name="spectrum")


# -- how good it is --------------------------------------------------------------------------------------------------


def calibration(run: Run) -> Element | None:
    """How often it happened against how probable it was said to be, with 95 % intervals."""
    said = (run.end or {}).get("calibration")
    shown = [one for one in said["bins"] if one["examples"] >= FEWEST] if said else []
    if not said or not shown:
        return None
    several = bool((run.end or {}).get("classes"))
    event = "the predicted class was right" if several else "the label was +1"
    top = max(max(one["predicted"], one["happened"]) for one in shown)
    top = 1.0 if top > 0.4 or not top else 1.25 * top
    one = Scale(0.0, top)
    dots = [(b["predicted"], b["happened"]) for b in shown]
    bars = [[(b["predicted"], min(edge, top)) for edge in interval(b["happened"], b["examples"])] for b in shown]
    series = [
        Series("as it should be", "constant", [[(0.0, 0.0), (one.high, one.high)]]),
        Series("95 % intervals", "spread", bars), Series("as it was", "average", [dots], dots=True),
    ]  # fmt: skip
    title = f"Calibration in {len(dots)} bins; Brier score {said_number(said['brier'])}."
    lead = (
        f"For each predicted probability, how often {event}. Dots on the diagonal: probabilities can be taken at "
        f"their word. Of 20 bins, those of {FEWEST} examples or more."
    )
    picture = chart(one, one, series, title=title, below="predicted probability", beside="how often it happened")
    return panel("Calibration", element("figure", legend(series[::-1]), picture, _histogram(said["bins"], one)),
                 lead=lead, name="calibration")  # fmt: skip


def interval(share: float, examples: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share that was observed in so many examples."""
    z, n = 1.96, max(examples, 1e-9)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(max(share * (1 - share), 0.0) / n + z * z / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)


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
    said = (run.end or {}).get("confusion")
    if not said or not _square(said):
        return None
    labels, counts = said["labels"], said["counts"]
    sums = [sum(row) for row in counts]
    rows = []
    for i, row in enumerate(counts):
        if not sums[i]:
            continue
        cells = [
            element("td", said_number(round(h, 1)) if h else "", class_="right" if i == j else "wrong",
                    style=f"--share:{h / sums[i]:.4f}")
            for j, h in enumerate(row)
        ]  # fmt: skip
        caught = element("td", f"{100 * row[i] / sums[i]:.1f} %", class_="margin")
        rows.append(element("tr", element("th", labels[i], scope="row"), *cells, caught))
    columns = [sum(row[j] for row in counts) for j in range(len(labels))]
    exact = [f"{100 * counts[j][j] / columns[j]:.1f} %" if columns[j] else _DASH for j in range(len(labels))]
    rows.append(element("tr", element("th", "of which right"), *(element("td", t, class_="margin") for t in exact),
                        element("td"), class_="margins"))  # fmt: skip
    head = element("tr", element("th", "label \\ predicted"), *(element("th", label, scope="col") for label in labels),
                   element("th", "found"))  # fmt: skip
    grid = element("table", element("thead", head), element("tbody", *rows), class_="confusion")
    lead = "Rows: the label. Columns: what was predicted. Shades are shares of the row."
    return panel("Confusion", element("div", grid, class_="scroll"), lead=lead, name="confusion",
                 wide=len(labels) > 6)  # fmt: skip


def _square(said: dict[str, Any]) -> bool:
    n = len(said["labels"])
    return n > 0 and len(said["counts"]) == n and all(len(row) == n for row in said["counts"])


# -- how it was run --------------------------------------------------------------------------------------------------


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
    return panel("Speed", element("figure", picture), lead=lead, name="speed")


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
    return panel("Settings", element("div", *lists, class_="lists"), name="settings", wide=True)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value))
    return "yes" if value is True else said_number(value) if isinstance(value, float) else str(value)
