"""What was learned: members and what they weigh, spectra of sketches, what moves predictions."""

from __future__ import annotations

from typing import Any

from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS
from sonlearn.report.facts import change_points, loss_note
from sonlearn.report.html.charts import Scale, Series, chart, format_number, legend, scale, with_minus_sign
from sonlearn.report.html.markup import Element, element
from sonlearn.report.html.tables import bars, number_or_dash, section
from sonlearn.report.runlog import Run
from sonlearn.report.series import ranked_members
from sonlearn.report.series import spectra as spectra_of

#: Methods that learn several classes at once and are no methods of their own.
OF_CLASSES = {
    "rls": "least squares, of all classes at once",
    "shares": "how often each class has come",
}

#: Sketches that are drawn with a colour of their own, and eigenvalues of each.
SPECTRA, EIGENVALUES = 6, 200


def members(run: Run) -> Element | None:
    """The committee or mixture: what each member weighs, and how it does on its own."""
    listed = ranked_members(run.end or {})
    if not listed:
        return None
    lead = "How much of each member's prediction the combination takes, and the error of each alone."
    names = ("member", "", "weight", "own error", "what it sees")
    rows = [(m["name"], m.get("weight"), number_or_dash(m.get("error")), member_words(m["name"])) for m in listed]
    return section("Members", bars(names, rows), lead=lead, name="members")


def stream(run: Run) -> Element | None:
    """Show whether the stream changed: errors with labels arriving and without, jumps, and what forgets weighs."""
    end = run.end or {}
    changes, both = end.get("drift"), end.get("combinations")
    if not changes:
        return None
    rows = [["drift", change_points(changes["changes"])], ["weight on members that forget", f"{changes['short']:.0%}"]]
    if both:
        ways = (("with labels arriving", "online"), ("without", "offline"))
        rows += [[f"{of} {name}", number_or_dash(both[way][of])] for name, way in ways for of in ("loss", "error")]
    lead = "Members that forget follow a stream while labels arrive; a model at rest predicts by the others."
    if both and loss_note(run.begin["learn"]):
        lead += f" Losses and errors are {loss_note(run.begin['learn'])}."
    body = element("tbody", *(element("tr", element("th", n, scope="row"), element("td", v)) for n, v in rows))
    return section("Stream", element("table", body), lead=lead, name="stream")


def weights(run: Run) -> Element | None:
    """Show what predictions are made of: mean contributions, or the largest weights, if predictions are their sums."""
    end = run.end or {}
    if end.get("contributions"):
        title, names = "What moves predictions", ("feature", "", "mean size", "mean")
        lead = (
            "By how much each feature, or column of a table, changes the predictions of the last rows: the mean size, "
            "and the mean, whose sign says whether it speaks for or against."
        )
        classes: list[tuple[Any, list[tuple[Any, ...]]]] = [
            (of["label"], [(f["name"], f["size"], with_minus_sign(f"{f['mean']:+.3g}")) for f in of["features"]])
            for of in end["contributions"]
        ]
    else:
        title, names = "Largest weights", ("feature", "", "weight")
        lead = "Of the features as they stand in the input."
        listed = end.get("classes") or [{"label": None, "weights": end.get("weights")}]
        classes = [
            (of["label"], [(f["name"], f["weight"]) for f in of["weights"]]) for of in listed if of.get("weights")
        ]
    if not classes:
        return None
    if classes[0][0] is None:
        return section(title, bars(names, classes[0][1]), lead=lead, name="weights")
    figures = [element("figure", element("figcaption", label), bars(names, rows[:8])) for label, rows in classes]
    return section(title, element("div", *figures, class_="many"), lead=lead, name="weights", wide=True)


def spectra(run: Run) -> Element | None:
    """Eigenvalues of the sketches."""
    listed = spectra_of(run.end or {})
    if not listed:
        return None
    series = [
        Series(one.name, f"s{i}", [one.points[:EIGENVALUES]], dots=len(one.points) <= 60)
        for i, one in enumerate(listed[:SPECTRA])
    ]
    values = [v for one in series for _, v in one.pieces[0]]
    last = max(k for one in series for k, _ in one.pieces[0])
    x = Scale(0.5, last + 0.5)
    alphas = [one.alpha for one in listed[:SPECTRA] if one.alpha]
    if len(listed) == 1 and alphas:
        series.append(Series("alpha", "constant", [[(x.low, alphas[0]), (x.high, alphas[0])]]))
        values.append(alphas[0])
    y = scale(values, log=True)
    y = Scale(y.low / 1.5, y.high * 1.5, True)
    title = f"Eigenvalues of {len(series)} sketches, the largest {format_number(max(values))}."
    lead = "How much of the second-order matrix lies in each direction kept. A steep fall: few directions matter."
    if len(listed) > SPECTRA:
        lead += f" Of the first {SPECTRA} of {len(listed)} sketches."
    picture = chart(x, y, series, title=title, below="direction", beside="eigenvalue")
    return section("Spectrum", element("figure", legend(series), picture), lead=lead, name="spectrum")


def member_words(name: str) -> str:
    """Return what a member METHOD:VIEW~RATE is; empty where nothing is known of it."""
    name, _, rate = name.partition("~")
    method, _, view = name.partition(":")
    about = METHODS[method].about if method in METHODS else OF_CLASSES.get(method)
    parts = [text for text in (about, view in VIEWS and VIEWS[view].about) if text]
    if parts and rate:
        parts.append(f"forgets the share {rate} of what it has seen with each row")
    return "; ".join(parts)
