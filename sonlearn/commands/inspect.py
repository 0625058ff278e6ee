"""``sonlearn inspect``: what a file of a model or of a sketch holds, as text; of a model also as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from sonlearn import __version__
from sonlearn.commands.line import Line
from sonlearn.commands.models import Model, load_model
from sonlearn.data.batch import CONSTANT
from sonlearn.errors import WHOLE, OptionError, shorten
from sonlearn.files import storage
from sonlearn.learn.learner import Learner
from sonlearn.options.spec import text_of
from sonlearn.report.facts import largest, stream_lines
from sonlearn.report.runlog import non_finite_as_text
from sonlearn.text.names import MOST_NAMES, MOST_SLOTS, NameTable, names_of

TOP = 20
#: Where it is said what all members make of the input.
_ELSEWHERE = "predict --audit --audit-format mean"
#: What weights of a committee are.
OF_LINEAR = f"of members that are linear in the input; what all members say may have another sign: {_ELSEWHERE}"
#: Classes whose largest weights are listed.
MAX_CLASSES_LISTED = 50
#: What else a file may hold.
_NO_JSON = {
    "sketch": "a sketch; sonlearn.sketch.load reads it", "bandit": "a model of decisions; leave the flag out",
}  # fmt: skip


def command(line: Line) -> int:
    """Print the model or the sketch; return the exit status. Raises ModelFileError."""
    path, top, as_json = line.others[0], line.given.get("top"), line.given.get("json", False)
    kind = storage.kind_of(path)
    if kind in _NO_JSON and as_json:
        raise OptionError(f"--json: {path} is {_NO_JSON[kind]}")
    if kind in _NO_JSON:
        lines = sketch_lines(path) if kind == "sketch" else decision_lines(path)
    elif as_json:
        lines = [json.dumps(content(load_model(path), top), indent=1, allow_nan=False)]
    else:
        lines = model_lines(load_model(path), TOP if top is None else top)
    print("\n".join(lines), flush=True)
    return 0


def content(model: Model, top: int | None) -> dict[str, Any]:
    """The same for programs: all that a model says, JSON-able, with its `top` largest weights (None: all)."""
    learner = model.learner
    ids = learner.ids()

    def entries(w: np.ndarray) -> list[dict[str, Any]]:
        chosen = largest(ids, w, len(ids) if top is None else top)
        return [{"id": int(ids[i]), "weight": float(w[i]), "names": names_of(ids[i], model.names)} for i in chosen]

    if "classes" in (facts := learner.facts()):
        count = len(facts["classes"])
        described = {"classes": [
            {"label": label, "weights": entries(learner.class_weights(k))}
            for k, label in enumerate(learner.classes[:count])
        ]}  # fmt: skip
    else:
        described = {"weights": entries(learner.weights()[1])}
    return storage.jsonable({
        "model": model.path, "learn": learner.options.shown, "text": dataclasses.asdict(learner.text),
        "examples": learner.examples, "features": len(ids), "facts": facts,
        "columns": learner.columns.known, "labels": learner.two_labels, **described,
    }, non_finite_as_text)  # fmt: skip


def heading(path: str | None, what: str, values: dict[str, str], saved: str = "", title: str = "options") -> list[str]:
    """Lines about any file: what it is, in which run it was `saved`, and the values of its options; then its state."""
    begun = [f"saved in a run that has not ended: {saved}"] if saved else []
    return [f"{path}: a sonlearn {what}", *begun, "", title, *key_values(values), "", "state"]


def key_values(values: dict[str, Any]) -> list[str]:
    """Lines of names with their values."""
    return [f"  {name} = {value}" for name, value in values.items()]


def model_lines(model: Model, top: int) -> list[str]:
    """Lines about a model with its `top` largest weights, and their names where they are known."""
    learner, place = model.learner, model.unfinished
    ids, facts = learner.ids(), learner.facts()
    values = learner.options.shown | dataclasses.asdict(learner.text)
    shown = {name: text_of(value) for name, value in values.items() if value not in ((), None)}
    saved = f"pass {place.number} of {place.passes}, {place.read} examples read" if place else ""
    counts = {"examples": learner.examples, "features": len(ids)}
    lines = [*heading(model.path, "learner", shown, saved), *key_values(counts), *retention_lines(model)]
    lines += key_values({name: f"{value:.9g}" for name, value in facts.items() if isinstance(value, float)})
    lines += member_table(facts.get("members", []))
    lines += [f"  {line}" for line in stream_lines(facts, learner.options.shown)]
    for name, array in facts.items():
        if isinstance(array, np.ndarray):
            lines += ["", f"{name} of the sketch: {len(array)}", *number_lines(array)]
    if "classes" in facts:
        lines += class_tables(model, facts["classes"], ids, top)
    else:
        lines += weight_table("largest weights", ids, learner.weights()[1], top, model)
    return lines


def inverted(learner: Learner, names: NameTable) -> Iterator[str]:
    """Lines of all weights as VW's --invert_hash writes them: ``name:slot:weight``, of a class ``name[label]:...``."""
    yield from (f"Version sonlearn {__version__}", f"bits:{learner.text.bits}", ":0")
    labels = [f"[{label}]" for label in learner.classes] if learner.options.several else [""]
    for k, label in enumerate(labels):
        weights = learner.class_weights(k) if label else learner.weights()[1]
        for id, weight in zip(learner.ids().tolist(), weights.tolist(), strict=True):
            for name in names_of(id, names) or [str(id)]:
                yield f"{name}{label}:{id}:{weight:.9g}"


def decision_lines(path: str) -> list[str]:
    """Lines about a model of decisions."""
    _, bandit, unfinished, _ = load_model(path, decides=True)
    method = {} if bandit.learn is None else bandit.learn.shown
    values = method | dataclasses.asdict(bandit.options) | dataclasses.asdict(bandit.text)
    shown = {name: text_of(value) for name, value in values.items() if value not in ((), None, "", False)}
    facts = {"features": bandit.size, **bandit.facts()}
    state = {k: f"{v:.9g}" if isinstance(v, float) else v for k, v in facts.items() if v is not None}
    saved = f"{unfinished.read} decisions read" if unfinished else ""
    return [*heading(path, "bandit", shown, saved), *key_values(state)]


def sketch_lines(path: str) -> list[str]:
    """Lines about a sketch: settings, what `summary` says, and the eigenvalues."""
    from sonlearn.commands.sketch import summary  # loads SciPy, which a model does not need
    from sonlearn.sketch.make import load

    sketch = load(path)
    values = {"sketch": sketch.kind} | {name: _short(value) for name, value in sketch.settings().items()}
    lines = heading(path, "sketch", values, title="settings")
    lines += [f"  {line}" for line in summary(sketch)]
    eigenvalues = sketch.eigenvalues()
    return [*lines, "", f"eigenvalues of the sketch: {len(eigenvalues)}", *number_lines(eigenvalues)]


def _short(value: object) -> str:
    """A setting in a few words: of a long list (the weights), its ends."""
    if isinstance(value, tuple | list):
        ends = [f"{item:.4g}" for item in value]
        return ", ".join(ends if len(ends) <= 8 else [*ends[:4], "...", *ends[-3:]]) or "none"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def retention_lines(model: Model) -> list[str]:
    """Lines on what else the model remembers: columns with what they held, names, the two labels."""
    learner, lines = model.learner, []
    if model.names.known:
        lines.append(f"  names = of {len(model.names.known)} slots (of at most {MOST_SLOTS}, {MOST_NAMES} of each)")
    if learner.labels.worded and learner.two_labels is not None:
        lines.append(f"  positive label = {learner.two_labels[1]} (the other: {learner.two_labels[0]})")
    held = learner.columns.known.items()
    return [*lines, *(f"  column {shorten(name, WHOLE)} = {', '.join(each)}" for name, each in held)]


def class_tables(model: Model, facts: list[dict], ids: np.ndarray, top: int) -> list[str]:
    """Lines on several classes: the labels, and of the first `MAX_CLASSES_LISTED` the largest weights."""
    labels = model.learner.classes[: len(facts)]
    lines = ["", f"classes: {len(labels)}", f"  {'label':<24} {'examples':>12}"]
    lines += [f"  {label:<24} {of['examples']:>12}" for label, of in zip(labels, facts, strict=True)]
    for k, label in enumerate(labels[:MAX_CLASSES_LISTED]):
        lines += ["", f"class {label}"]
        lines += weight_table(f"largest weights of class {label}", ids, model.learner.class_weights(k), top, model)
    if len(labels) > MAX_CLASSES_LISTED:
        lines += ["", f"and {len(labels) - MAX_CLASSES_LISTED} classes more (--json has them all)"]
    return lines


def weight_table(title: str, ids: np.ndarray, weights: np.ndarray, top: int, model: Model) -> list[str]:
    """Lines on the `top` largest of the weights, with names where they are known."""
    if len(weights) and not weights.any():  # of a committee no member at work is linear in the input
        return ["", f"{title}: none; {_ELSEWHERE} says what moves predictions"]
    chosen = largest(ids, weights, top)
    lines = ["", f"{title}: {len(chosen)} of {len(ids)}"]
    if len(chosen) and model.learner.options.method == "committee":
        lines.append(f"  {OF_LINEAR}")
    for i in chosen:
        names = "" if ids[i] == CONSTANT else "  " + " ".join(names_of(ids[i], model.names))
        lines.append(f"  {'constant' if ids[i] == CONSTANT else ids[i]:>20} {weights[i]:>16.9g}{names.rstrip()}")
    return lines


def member_table(members: list[dict]) -> list[str]:
    """Lines on the members of a committee: their own progressive errors, and what the combiner makes of them."""
    if not members:
        return []
    lines = ["", f"members: {sum(m['active'] for m in members)} of {len(members)} at work"]
    both = any(m["offline"] is None for m in members)  # beside the weight with labels arriving that without
    sized = any("bytes" in member for member in members)
    head = f"  {'member':<28} {'own error':>12} {'weight':>12}"
    lines.append(head + f" {'offline':>12}" * both + f"{'bytes':>15}" * sized)
    for member in members:
        weight = f"{member['weight']:>12.6f}" if member["active"] else f"{'pruned':>12}"
        offline = ""
        if both and member["active"]:
            offline = f" {'-':>12}" if member["offline"] is None else f" {member['offline']:>12.6f}"
        size = f"{member['bytes']:>15}" if "bytes" in member else ""
        lines.append(f"  {member['name']:<28} {member['error']:>12.6g} {weight}{offline}{size}")
    return lines


def number_lines(values: np.ndarray) -> list[str]:
    """Lines of six numbers each."""
    rows = (values[start : start + 6] for start in range(0, len(values), 6))
    return ["  " + " ".join(f"{value:>12.6g}" for value in row) for row in rows]
