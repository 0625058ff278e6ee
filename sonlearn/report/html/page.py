"""A page about a run: one file of HTML, with pictures as SVG, that asks nothing of a network and runs no script.

`sonlearn.report.runlog` has the numbers. The sections of the page are in `overview`, `measures` and
`model`; `series` makes curves of rows, `charts` draws, `tables` has what sections share, `markup` elements. The looks
are in page.css.
"""

from __future__ import annotations

import importlib.resources
import os
from typing import Any

from sonlearn.report.html import measures, model, overview
from sonlearn.report.html.charts import format_number
from sonlearn.report.html.markup import Element, element, written
from sonlearn.report.runlog import Run

#: Nothing may be fetched, whatever stands in a log.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(run: Run) -> bytes:
    """The page of a run, in UTF-8."""
    title = " ".join("standard input" if name == "-" else os.path.basename(name) for name in run.begin["data"])
    verb = "Testing on" if run.begin["verb"] == "test" else "Learning from"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", f"{title}: a run of sonlearn"),
        element("style", importlib.resources.files("sonlearn.report.html").joinpath("page.css").read_text("utf-8")),
    )
    body = element(
        "body",
        element(
            "header", element("p", "sonlearn", class_="brand"), element("h1", f"{verb} ", element("em", title)),
            element("p", subtitle(run), class_="subtitle"), *notes(run),
        ),
        element("main", *_parts(run)),
        element("footer", element("p", f"sonlearn {run.begin['sonlearn']}. ", *_definitions(run))),
    )  # fmt: skip
    return written(element("html", head, body, lang="en"))


def _parts(run: Run) -> list[Element]:
    """The parts in order, narrow ones that follow each other in two columns."""
    makers = (
        overview.tiles, overview.progress, measures.policy, measures.ranking, measures.values, measures.coverage,
        measures.calibration, measures.confusion, model.weights, overview.speed, model.members, model.stream,
        model.spectra, overview.settings,
    )  # fmt: skip
    parts = [part for part in (make(run) for make in makers) if part is not None]
    wide = [part for part in parts if part.get("class") in ("tiles", "wide")]
    narrow = [part for part in parts if part not in wide]
    columns = [element("div", *narrow, class_="columns")] if narrow else []
    late = [part for part in wide if part.get("id") in ("members", "settings")]
    return [*(part for part in wide if part not in late), *columns, *late]


def subtitle(run: Run) -> str:
    """Return what was run, and when, in a line."""
    learn: dict[str, Any] = run.begin["learn"]
    what = [str(learn.get("method", "unknown method")), f"loss {learn.get('loss', 'unknown')}"]
    if learn.get("oaa"):
        what.append(f"{learn['oaa']} classes")
    elif learn.get("classes"):
        what.append("classes as they came")
    if run.begin["before"]:
        what.append(f"going on from a model of {format_number(run.begin['before'])} examples")
    return f"{', '.join(what)}. Started {run.begin['started'].replace('T', ' ').replace('+00:00', ' UTC')}."


def notes(run: Run) -> list[Element]:
    """Return what a reader has to know before looking at numbers."""
    remarks = list(run.notes)
    if run.end is not None:
        if run.end["ending"] != "finished run":
            ending = run.end["ending"]
            remarks.insert(0, f"{ending[:1].upper()}{ending[1:]}: what is shown is of the examples until then.")
        remarks += [f"Warning: {text}." for text in run.end.get("warnings") or []]
    return [element("p", text, class_="note", role="note") for text in remarks]


def _definitions(run: Run) -> list[Element | str]:
    if run.begin["verb"] == "test":
        return ["Nothing was learned: the figures are those of the model as it was on these examples."]
    if run.end is not None and run.end.get("held"):
        return ["From the second pass on figures are of held-out examples."]
    return ["Every example was predicted before it was learned from, so averages over one pass are honest estimates."]
