"""``sonlearn inspect``: what a file of a model or of a sketch holds, as text."""

from __future__ import annotations

import dataclasses

import numpy as np

from sonlearn import storage
from sonlearn.batch import CONSTANT
from sonlearn.commands.train import text_of
from sonlearn.learn.learner import Learner
from sonlearn.sketch import npz


def run(path: str, top: int) -> int:
    """Print the model or the sketch; return the exit status. Raises ModelFileError."""
    if npz.is_archive(path) or storage.kind_of(path) == "sketch":
        from sonlearn.commands import sketching  # loads SciPy, which a model does not need
        from sonlearn.sketch.files import load

        lines = sketching.describe(path, load(path))
    else:
        lines = describe(path, Learner.load(path), top)
    print("\n".join(lines), flush=True)
    return 0


def describe(path: str, learner: Learner, top: int) -> list[str]:
    """Lines about `learner` with its `top` largest weights."""
    ids, weights = learner.weights()
    lines = [f"{path}: a sonlearn learner", "", "options"]
    values = {name: getattr(learner.options, name) for name in learner.options.shown}
    values |= dataclasses.asdict(learner.text)
    lines += [f"  {name} = {text_of(value)}" for name, value in values.items() if value != ()]
    lines += [
        "", "state",
        f"  examples = {learner.examples}",
        f"  features = {len(ids)}",
    ]  # fmt: skip
    facts = learner.facts()
    lines += [f"  {name} = {value:.9g}" for name, value in facts.items() if isinstance(value, float)]
    lines += roll(facts.get("members", []))
    for name, array in facts.items():
        if isinstance(array, np.ndarray):
            lines += ["", f"{name} of the sketch: {len(array)}", *table(array)]
    if not learner.options.several:
        return lines + weight_table("largest weights", ids, weights, top)
    lines += ["", f"classes: {len(learner.classes)}", f"  {'label':<24} {'examples':>12}"]
    known = list(zip(learner.classes, facts["classes"], strict=False))
    lines += [f"  {label:<24} {facts_of['examples']:>12}" for label, facts_of in known]
    for (label, facts_of), w in zip(known, weights, strict=True):
        lines += ["", f"class {label}", *roll(facts_of.get("members", []))]
        lines += weight_table(f"largest weights of class {label}", ids, w, top)
    return lines


def weight_table(title: str, ids: np.ndarray, weights: np.ndarray, top: int) -> list[str]:
    """Lines on the `top` largest of the weights."""
    chosen = largest(ids, weights, top)
    lines = ["", f"{title}: {len(chosen)} of {len(ids)}"]
    return lines + [f"  {'constant' if ids[i] == CONSTANT else ids[i]:>20} {weights[i]:>16.9g}" for i in chosen]


def roll(members: list[dict]) -> list[str]:
    """Lines on the members of a committee: their own progressive errors, and what the combiner makes of them."""
    if not members:
        return []
    lines = ["", f"members: {sum(m['active'] for m in members)} of {len(members)} at work"]
    lines.append(f"  {'member':<24} {'own error':>12} {'weight':>12}")
    for member in members:
        weight = f"{member['weight']:>12.6f}" if member["active"] else f"{'retired':>12}"
        lines.append(f"  {member['name']:<24} {member['error']:>12.6g} {weight}")
    return lines


def table(values: np.ndarray, across: int = 6) -> list[str]:
    """Lines of `across` numbers each."""
    rows = (values[start : start + across] for start in range(0, len(values), across))
    return ["  " + " ".join(f"{value:>12.6g}" for value in row) for row in rows]


def largest(ids: np.ndarray, weights: np.ndarray, top: int) -> np.ndarray:
    """Positions of the `top` weights largest in magnitude, largest first; equal ones by id."""
    return np.lexsort((ids, -np.abs(weights)))[:top]
