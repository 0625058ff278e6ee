"""What a learner has to tell at the end of a run, as JSON-able values: members, spectra, weights, contributions.

And of a stream that changes: predictions with labels arriving and without, and when it changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.learn.explain import explained
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.methods import additive
from sonlearn.report.audit import MeanContributions

if TYPE_CHECKING:
    from sonlearn.learn.learner import Learner

#: Weights that are listed, and classes of which there is more than their name to tell.
TOP, CLASSES = 20, 20
#: Weights (classes times features) beyond which they are not asked for: of each class they are one array more.
MOST_WEIGHTS = 50_000_000
#: Rows that contributions are means over, and sum of their squared lengths, at most.
SAMPLE, SAMPLE_ENTRIES = 64, 1 << 17
#: Losses that differ by less, relatively, are said to be the same.
SAME = 0.002
#: Moments that a line names.
NAMED = 8


def largest(ids: np.ndarray, weights: np.ndarray, top: int) -> np.ndarray:
    """Positions of the `top` weights largest in magnitude, largest first; equal ones by id."""
    return np.lexsort((ids, -np.abs(weights)))[:top]


def facts_of(learner: Learner, names: Callable[[int], list[str]], top: int = TOP) -> dict[str, Any]:
    """All of it: fields of the log's last line (docs/formats.md).

    Parameters
    ----------
    learner : Learner
    names : function of a feature's id that gives its names, where they are known
    top : int
        Largest weights to list, of each class.
    """
    facts = learner.facts()
    described: dict[str, Any] = {"learned": learner.examples, "known": learner.size}
    drift = facts.get("drift")
    described["combinations"] = facts.get("combinations") or None
    described["drift"] = drift and {name: drift[name] for name in ("changes", "short")}
    described |= {"members": members(facts), "spectra": spectra(facts)}
    if "classes" not in facts:
        return described | {"weights": _weights(*learner.weights(), names, top)}
    per_class, labels = facts["classes"], [str(label) for label in learner.classes]
    chosen = sorted(sorted(range(len(per_class)), key=lambda k: -per_class[k]["examples"])[:CLASSES])
    if all(isinstance(label, int) for label in learner.classes):
        chosen.sort(key=lambda k: learner.classes[k])
    ids = learner.ids() if len(chosen) * learner.size <= MOST_WEIGHTS else None
    described["classes"] = [
        {"label": labels[k], "examples": int(per_class[k]["examples"]),
         "weights": None if ids is None else _weights(ids, learner.class_weights(k), names, top)}
        for k in chosen
    ]  # fmt: skip
    described["spectra"] += [spectrum for k in chosen for spectrum in spectra(per_class[k], labels[k])]
    return described


def last_rows(before: Batch | None, batch: Batch) -> Batch:
    """The last `SAMPLE` rows of what is remembered and of a batch."""
    whole = batch if before is None or batch.n >= SAMPLE else joined([before, batch])
    return whole.part(whole.n - SAMPLE, whole.n)


def contributions_of(
    learner: Learner, rows: Batch | None, names: Callable[[int], list[str]]
) -> list[dict[str, Any]] | None:
    """Return what contributes most to the predictions of the last of these rows: see `MeanContributions.result`.

    None where predictions are sums over features, whose weights say it. Fewer rows are taken where they are long.
    """
    if rows is None or additive(learner.options):
        return None
    means, entries = MeanContributions(names, learner.columns.known), np.cumsum(np.diff(rows.indptr)[::-1] ** 2)
    few = max(int(np.searchsorted(entries, SAMPLE_ENTRIES, side="right")), 1)
    for one in filter(None, explained(learner, rows.part(max(rows.n - few, 0), rows.n), orders=2)):
        means.add(one)
    return means.result(TOP)


def members_at_work(learner: Learner | None) -> list[str]:
    """Lines that say what a committee's predictions come from, and whether the stream has changed."""
    if learner is None:
        return []
    facts = learner.facts()
    listed = facts.get("members", [])
    at_work = [f"members = {' '.join(m['name'] for m in listed if m['active'])}"] if listed else []
    return at_work + stream_lines(facts, learner.options.shown)


def stream_lines(facts: dict[str, Any], learn: dict[str, Any]) -> list[str]:
    """Lines of a summary; none of a learner that has no members. `learn`: its options."""
    both, changes, shown = facts.get("combinations"), facts.get("drift"), []
    which = f" ({loss_note(learn)})" if loss_note(learn) else ""
    online, offline = (both[way]["loss"] if both else 0.0 for way in ("online", "offline"))
    if abs(offline - online) > SAME * max(abs(online), 1e-300):
        shown += [
            f"{name} = loss {both[way]['loss']:.6f}, error {both[way]['error']:.6f}{which}"
            for name, way in (("with labels arriving", "online"), ("without", "offline"))
        ]
    if changes:
        when = change_points(changes["changes"])
        shown.append(f"drift = {when}; {changes['short']:.0%} of the weight on what forgets")
    return shown


def loss_note(learn: dict[str, Any]) -> str:
    """Say in which unit the losses of both combinations are, and which rows they leave out, or nothing."""
    values, late = learn.get("loss") not in CLASSIFICATION, learn.get("label_delay")
    said = ["of labels in standard deviations"] * values
    said += [f"without the {'first and the ' * values}last {late} examples"] * bool(late)
    return ", ".join(said)


def change_points(rows: list[int]) -> str:
    """Return when a stream changed, in words."""
    if not rows:
        return "no change"
    shown = ", ".join(str(row) for row in rows[-NAMED:])
    more = f", {len(rows) - NAMED} before" if len(rows) > NAMED else ""
    return f"{'changes' if len(rows) > 1 else 'a change'} at row{'s' * (len(rows) > 1)} {shown}{more}"


def members(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Of a committee or a mixture: the members' names, weights in the combination (None: pruned), own errors."""
    if "share" in facts:
        return [{"name": name, "weight": weight, "error": None} for name, weight in facts["share"].items()]
    return [
        {"name": m["name"], "weight": m["weight"] if m["active"] else None, "error": m["error"],
         "offline": m["offline"] if m["active"] else None}
        for m in facts.get("members", [])
    ]  # fmt: skip


def spectra(facts: dict[str, Any], name: str = "") -> list[dict[str, Any]]:
    """The eigenvalues of a sketch, or of each member that has one, largest first; alpha where there is one."""
    if "spectra" in facts:
        return [
            {"name": f"{name} {member}".strip(), "alpha": None, "eigenvalues": _plain(values)}
            for member, values in facts["spectra"]().items()
        ]
    if "eigenvalues" not in facts:
        return []
    return [{"name": name or "sketch", "alpha": facts.get("alpha"), "eigenvalues": _plain(facts["eigenvalues"])}]


def _plain(values: np.ndarray) -> list[float]:
    values = np.asarray(values, dtype=np.float64)
    return values[np.isfinite(values)].tolist()


def _weights(ids: np.ndarray, weights: np.ndarray, names: Callable[[int], list[str]], top: int) -> list[dict[str, Any]]:
    return [
        {"id": int(ids[i]), "name": " ".join(names(int(ids[i]))) or str(ids[i]), "weight": float(weights[i])}
        for i in largest(ids, weights, top) if np.isfinite(weights[i]) and weights[i]
    ]  # fmt: skip
