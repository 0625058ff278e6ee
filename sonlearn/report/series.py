"""The series behind each picture of a run or a learner: what the page and `sonlearn.plot` both draw."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

Entry = dict[str, Any]

#: Weight below which an average is not drawn.
MIN_WEIGHT = 10
#: Examples below which a bin of the calibration says next to nothing.
FEWEST_OF_A_BIN = 5


#: Points (examples, value) in pieces, one for each kind of example.
Pieces = list[list[tuple[float, float]]]


class Bin(NamedTuple):
    """Examples of about one predicted probability: it, how often the event happened, and the ends of its interval."""

    predicted: float
    happened: float
    low: float
    high: float


class Spectrum(NamedTuple):
    """(direction from 1 on, eigenvalue above 0) of one sketch, largest first, and its alpha if it has one."""

    name: str
    points: list[tuple[float, float]]
    alpha: float | None


def curves(rows: list[Entry], what: str, log: bool, most: int = 160) -> tuple[Pieces, Pieces]:
    """(averages so far, those since the point before) of ``loss`` or ``error``.

    They are of at most about `most` points, evenly spaced on a linear or logarithmic axis.

    Where rows are left out, "since" is over all examples between two points; over fewer than `MIN_WEIGHT` it would be
    noise, and these wait for the next point. From the second pass on rows may be of held-out examples, which are pieces
    of their own.
    """
    average: Pieces = []
    since: Pieces = []
    kept = _kept([row["examples"] for row in rows], log, most)
    held, weight, total = None, 0.0, 0.0
    for row, keep in zip(rows, kept, strict=True):
        if bool(row.get("held")) != held:
            held, weight, total = bool(row.get("held")), 0.0, 0.0
            average.append([])
            since.append([])
        if row[f"since_{what}"] is not None:
            weight += row["since"]
            total += row["since"] * row[f"since_{what}"]
        if not keep:
            continue
        if row[what] is not None:
            average[-1].append((row["examples"], row[what]))
        if weight >= min(MIN_WEIGHT, rows[-1]["weight"] / 20):
            if weight > 0:
                since[-1].append((row["examples"], total / weight))
            weight = total = 0.0
    return [piece for piece in average if piece], [piece for piece in since if piece]


def speeds(rows: list[Entry]) -> list[tuple[float, float]]:
    """(examples read, examples a second since the point before): rows come in batches, so points are apart in time."""
    if not rows:
        return []
    least, points = rows[-1]["seconds"] / 60, []
    read = seconds = 0.0
    for row in rows:
        if row["seconds"] - seconds >= least and row["read"] > read:
            points.append((float(row["read"]), (row["read"] - read) / max(row["seconds"] - seconds, 1e-9)))
            read, seconds = row["read"], row["seconds"]
    return points


def thinned(rows: list[Entry]) -> list[Entry]:
    """At most about 30 of the rows, evenly spaced on a logarithmic axis, the last one included."""
    kept = _kept([row["examples"] for row in rows], True, 30)
    return [row for row, keep in zip(rows, kept, strict=True) if keep]


def calibration_bins(facts: Entry) -> list[Bin]:
    """The bins of `FEWEST_OF_A_BIN` examples or more, with 95 % intervals; none where probabilities are not known."""
    bins = (facts.get("calibration") or {}).get("bins", ())
    return [
        Bin(one["predicted"], one["happened"], *interval(one["happened"], one["examples"]))
        for one in bins
        if one["examples"] >= FEWEST_OF_A_BIN
    ]


def interval(share: float, examples: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a share that was observed in so many examples."""
    z, n = 1.96, max(examples, 1e-9)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(max(share * (1 - share), 0.0) / n + z * z / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def ranked_members(facts: Entry) -> list[Entry]:
    """The members of a committee or mixture, largest weight in magnitude first, pruned ones last."""
    listed: list[Entry] = facts.get("members") or []
    return sorted(listed, key=lambda one: -abs(one["weight"]) if one.get("weight") is not None else math.inf)


def spectra(facts: Entry) -> list[Spectrum]:
    """Of the sketches that hold something."""
    listed = [
        Spectrum(
            one["name"], [(float(k), v) for k, v in enumerate(one["eigenvalues"], 1) if v > 0], one.get("alpha") or None
        )
        for one in facts.get("spectra") or []
    ]
    return [one for one in listed if one.points]


def _kept(examples: list[int], log: bool, most: int) -> list[bool]:
    """Return which rows stay: those that are far enough behind the last one that did, and the last."""
    if len(examples) <= most:
        return [True] * len(examples)
    ratio = max(examples[-1] / max(examples[0], 1), 1.0) ** (1 / most)
    step = (examples[-1] - examples[0]) / most
    kept, last = [], 0.0
    for i, n in enumerate(examples):
        far = not kept or (n >= last * ratio if log else n >= last + step) or i == len(examples) - 1
        kept.append(far)
        last = n if far else last
    return kept
