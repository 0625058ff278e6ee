"""Pictures of a run or a learner with matplotlib (extra ``plot``): each function returns an ``Axes``.

What a log says (``sonlearn train --log-json FILE``; `read_run`) is drawn by `progress`, `calibration` and `speed`; what
a learner holds by `members`, `spectrum` and `weights`, which take a `Learner` or a run. All of it as one page:
``sonlearn report``.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from sonlearn.errors import OptionError
from sonlearn.learn.learner import Learner
from sonlearn.report.facts import TOP, facts_of
from sonlearn.report.runlog import Run, read_run
from sonlearn.report.series import calibration_bins, curves, ranked_members, spectra, speeds

try:
    from matplotlib import pyplot
except ImportError as error:
    raise ImportError("sonlearn.plot: matplotlib is not installed; pip install matplotlib") from error

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["calibration", "members", "progress", "read_run", "spectrum", "speed", "weights"]

#: A log, or the name of its file.
RunLike = Run | str | os.PathLike[str]


def progress(run: RunLike, what: str = "error", ax: Axes | None = None) -> Axes:
    """The average ``error`` or ``loss`` so far, and that since the point before, over the examples.

    Parameters
    ----------
    run : Run, or path of a log
    what : str
        ``error`` or ``loss``.
    ax : Axes or None
        Where to draw; None: on a new figure, here as in all functions below.

    Raises
    ------
    OptionError
        The run says nothing of it; `what` is neither.
    InputError
        The file is no log; here as in all functions below.
    """
    if what not in ("error", "loss"):
        raise OptionError(f"what = {what!r}: expected error or loss")
    run = _run(run)
    average, since = curves(run.rows, what, log=True)
    if not average:
        raise OptionError(f"the run has no {what}: it has no labels, or they are no classes")
    ax = _axes(ax)
    for label, pieces, style in (("since the point before", since, "C1-"), ("average so far", average, "C0-")):
        for i, piece in enumerate(pieces):
            thick = 2.2 if pieces is average else 1.0
            ax.plot(*zip(*piece, strict=True), style, linewidth=thick, label=label if i == 0 else None)
    ax.set(xscale="log", xlabel="examples", ylabel=what)
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.legend()
    return ax


def calibration(run: RunLike, ax: Axes | None = None) -> Axes:
    """Draw how often it happened against the predicted probability, with 95 % intervals, in bins of 5 examples or more.

    Raises OptionError where the run has no probabilities, or has not ended.
    """
    end = _end(_run(run))
    bins = calibration_bins(end)
    if not bins:
        raise OptionError("the run has no calibration: its loss tells no probability, or it has too few examples")
    ax = _axes(ax)
    p = [one.predicted for one in bins]
    ax.plot([0, 1], [0, 1], color="gray", linestyle="--", linewidth=1)
    ax.vlines(p, [one.low for one in bins], [one.high for one in bins], color="C0", alpha=0.6)
    ax.plot(p, [one.happened for one in bins], "C0o", label=f"Brier score {end['calibration']['brier']:.4g}")
    ax.set(xlabel="predicted probability", ylabel="how often it happened", aspect="equal")
    ax.legend()
    return ax


def speed(run: RunLike, ax: Axes | None = None) -> Axes:
    """Examples a second along the run. Raises OptionError where it was over at once."""
    points = speeds(_run(run).rows)
    if not points:
        raise OptionError("the run was over before a speed could be told")
    ax = _axes(ax)
    ax.plot(*zip(*points, strict=True), "C0.-")
    ax.set(xlabel="examples read", ylabel="examples a second")
    ax.set_ylim(bottom=0)
    return ax


def members(source: Learner | RunLike, ax: Axes | None = None) -> Axes:
    """Draw what each member of a committee or mixture weighs; pruned ones have no bar.

    Raises OptionError where there are no members.
    """
    listed = ranked_members(_facts(source))
    if not listed:
        raise OptionError("there are no members: the method is neither committee nor mixture")
    named = [(one["name"] if one["weight"] is not None else f"{one['name']} (pruned)", one["weight"] or 0.0)
             for one in listed]  # fmt: skip
    return _bars(named, ax)


def weights(source: Learner | RunLike, top: int = TOP, label: str | int | None = None, ax: Axes | None = None) -> Axes:
    """The `top` largest weights in magnitude, by id or (of a log) by name; `label`: of several classes, which one's."""
    listed = _of_class(_facts(source, top), label).get("weights")
    if not listed:
        raise OptionError("there are no weights")
    return _bars([(one["name"], one["weight"]) for one in listed[:top]], ax)


def spectrum(source: Learner | RunLike, ax: Axes | None = None) -> Axes:
    """Eigenvalues of the sketch, or of each member that has one, largest first; alpha, where there is one, dashed."""
    listed = spectra(_facts(source))
    if not listed:
        raise OptionError("there is no sketch")
    ax = _axes(ax)
    for one in listed:
        ax.semilogy(*zip(*one.points, strict=True), ".-", label=one.name)
        if one.alpha is not None:
            ax.axhline(one.alpha, color="gray", linestyle="--", label="alpha" if len(listed) == 1 else None)
    ax.set(xlabel="direction", ylabel="eigenvalue")
    ax.legend()
    return ax


def _run(run: RunLike) -> Run:
    return run if isinstance(run, Run) else read_run(run)


def _end(run: Run) -> dict[str, Any]:
    if run.end is None:
        raise OptionError("the log has no end: the run was killed, or is still under way")
    return run.end


def _facts(source: Learner | RunLike, top: int = TOP) -> dict[str, Any]:
    if not isinstance(source, Learner):
        return _end(_run(source))
    return facts_of(source, lambda feature: [], top)


def _of_class(facts: dict[str, Any], label: str | int | None) -> dict[str, Any]:
    """The facts of one class, or those of two classes or of values as they are."""
    known: dict[str, dict[str, Any]] = {one["label"]: one for one in facts.get("classes") or []}
    if not known and label is None:
        return facts
    if str(label) not in known:
        raise OptionError(f"label = {label!r}: expected " + (f"one of {', '.join(known)}" if known else "None"))
    return known[str(label)]


def _axes(ax: Axes | None) -> Axes:
    return pyplot.subplots(layout="constrained")[1] if ax is None else ax


def _bars(named: list[tuple[str, float]], ax: Axes | None) -> Axes:
    ax = _axes(ax)
    places = range(len(named))
    ax.barh(places, [value for _, value in named], color=["C3" if value < 0 else "C0" for _, value in named])
    ax.set_yticks(places, [text for text, _ in named])
    ax.invert_yaxis()
    ax.axvline(0, color="gray", linewidth=1)
    ax.set_xlabel("weight")
    return ax
