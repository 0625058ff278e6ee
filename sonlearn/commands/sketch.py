"""``sonlearn sketch``: a sketch of the examples' matrix, or of several saved ones.

`sketch_batches` and `merge_files` are its work without flags and signals.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import signal
import time
from collections.abc import Callable, Iterable

import numpy as np
import scipy.sparse as sp

from sonlearn.commands.checks import check_binary, check_files, check_stdin, check_target
from sonlearn.commands.line import Line
from sonlearn.commands.messages import compilation_notice, prompt, skipped_warning, to_stderr, warn
from sonlearn.data.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.files.atomic import whole_file
from sonlearn.interrupts import Interrupted, Interrupts
from sonlearn.options import RunOptions, TextOptions
from sonlearn.options.run import SketchRunOptions
from sonlearn.options.text import HASHED
from sonlearn.sketch.accuracy import covariance_error, projection_error
from sonlearn.sketch.base import Sketch
from sonlearn.sketch.directions import FrequentDirections
from sonlearn.sketch.make import load, make_sketch, take
from sonlearn.sketch.rules import SketchOptions
from sonlearn.text.columns import Labelling
from sonlearn.text.read import Reader

HEADER = f"{'rows':>12} {'nonzeros':>14} {'columns':>10} {'alpha':>12} {'bound/||A||^2':>14} {'seconds':>9}"

Report = Callable[..., None]
#: Endings of pictures that can be drawn; lines and columns of bars as text.
PICTURES, _BARS, _WIDTH = (".png", ".svg", ".pdf", ".eps"), 20, 50


def command(line: Line) -> int:
    """Sketch or merge as the command line says; return the exit status.

    Raises SonlearnError, OSError, and then no sketch has been saved. After a first signal the sketch is of what was
    read until then; where that is nothing, nothing is saved.
    """
    sketch, text, running, options = options_of(line)
    sources = list(running.data) or ["-"]

    def say(*lines: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # the sketch is wanted nevertheless
            if not running.quiet:
                to_stderr(*lines)

    check_outputs(options, sources, running.quiet)
    if options.merge:
        with Interrupts(at_once=True):
            merge_files(list(running.data), options, say)
        return 0
    check_stdin(sources)
    prompt(sources, say)
    reader = Reader(sources, text, labels=Labelling(names=True), **running.reading)
    with Interrupts() as interrupts, compilation_notice(running.quiet):
        sketch_batches(reader, sketch, options, say, interrupts)
    warn(*skipped_warning(reader.malformed.count, reader.malformed.errors))
    if interrupts.received is None:
        return 0
    say(f"interrupted ({signal.Signals(interrupts.received).name}): the sketch is of what was read until then")
    return 128 + interrupts.received


def options_of(line: Line) -> tuple[SketchOptions, TextOptions, RunOptions, SketchRunOptions]:
    """Return what the command line asks for. Raises OptionError."""
    reading, options, own = line.running(), line.options(SketchRunOptions), line.take(SketchOptions)
    if options.merge and (own or line.given or options.error):
        raise OptionError("--merge takes only -o, --plot and --quiet: what a sketch is was settled when it was made")
    return SketchOptions(**own), line.options(TextOptions, constant=False), reading, options


def check_outputs(options: SketchRunOptions, sources: list[str], quiet: bool) -> None:
    """Refuse outputs that could not be written, or would overwrite something. Raises OptionError."""
    picture = None if options.plot == "-" else options.plot
    check_binary("-o", options.output, "a sketch")
    # merged sketches are in memory before anything is written, so one may be replaced
    rewritten = [("-o", "DATA")] if options.merge else []
    check_files({"DATA": sources}, {"-o": options.output, "--plot": picture}, rewritten)
    check_target("-o", options.output)
    check_target("--plot", picture)
    if picture is not None:
        ending = os.path.splitext(picture)[1].lower()
        if ending not in PICTURES:
            raise OptionError(f"--plot {picture}: expected a name that ends in one of {', '.join(PICTURES)}")
        if quiet and importlib.util.find_spec("matplotlib") is None:
            raise OptionError(f"--plot {picture}: matplotlib is not installed; pip install matplotlib")


def sketch_batches(
    batches: Iterable[Batch], options: SketchOptions, run: SketchRunOptions, report: Report, interrupts: Interrupts
) -> Sketch:
    """Sketch all rows of `batches`, or those up to a first signal, and report.

    Parameters
    ----------
    batches : iterable of Batch
        A reader, whose ``format`` is looked at: slots of hashed names are columns as they are.
    run : SketchRunOptions
        The sketch's file, written at the end, whole; the plot of the spectrum. With ``error`` the rows are kept in
        memory for a second pass, as CSR (12 to 16 bytes a nonzero); nothing of size d x d is formed.
    report : callable
        Takes the lines for people, progress first.
    interrupts : Interrupts
        Where a signal is seen.

    Raises
    ------
    InputError, OptionError, ModelFileError, OSError
    Interrupted
        A signal has come before the first row.
    """
    sketch = make_sketch(options.method, options.size, **options.values())
    kept: list[sp.csr_array] = []
    started, due, nonzeros = time.monotonic(), 1, 0
    report(HEADER)
    for batch in interrupts.until_signal(batches):
        hashed = getattr(batches, "format", None) in HASHED
        block = take(sketch, batch, 0 if hashed or run.zero_based else 1)
        nonzeros += block.nnz
        if run.error:
            kept.append(block)
        if sketch.n_seen >= due:
            report(_progress_line(sketch, nonzeros, time.monotonic() - started))
            due = 2 * sketch.n_seen
    if interrupts.received is not None and not sketch.n_seen:
        raise Interrupted(interrupts.received)
    if due != 2 * sketch.n_seen:  # the last line is not there yet
        report(_progress_line(sketch, nonzeros, time.monotonic() - started))
    finish(sketch, run, report, kept if run.error else None)
    return sketch


def merge_files(paths: list[str], run: SketchRunOptions, report: Report) -> Sketch:
    """Merge sketch files, in the order given, and report.

    Raises
    ------
    OptionError
        No file, the same file twice, or sketches of different methods, sizes or settings.
    ModelFileError, OSError
    """
    if not paths:
        raise OptionError("--merge: expected one or more sketch files")
    real = [os.path.realpath(path) for path in paths]
    for i, path in enumerate(real):
        if path in real[:i]:
            raise OptionError(f"--merge: {paths[i]} is given twice; its rows would count twice")
    sketch = load(paths[0])
    for path in paths[1:]:
        other = load(path)
        try:
            sketch.merge(other)
        except OptionError as problem:
            raise OptionError(f"{path}: {problem}") from None
    finish(sketch, run, report)
    return sketch


def finish(sketch: Sketch, run: SketchRunOptions, report: Report, kept: list | None = None) -> None:
    """Write the files, then report what the sketch is; with the rows `kept`, how good it is."""
    picture = run.plot
    if run.output is not None:
        sketch.save(run.output)
    if picture is not None and picture != "-" and not plot(sketch, picture):
        report(f"matplotlib is not installed, {picture} was not written; pip install matplotlib. As text instead:")
        picture = "-"
    report(*summary(sketch))
    if kept is not None:
        report(f"covariance error = {covariance_error(sketch, kept):.6g}")
        ratio, root = projection_error(sketch, kept, run.k)
        report(f"projection error at k = {run.k}: squared = {ratio:.6g} of the best, norm = {root:.6g} of the best")
    if picture == "-":
        report(*histogram(sketch))


def summary(sketch: Sketch) -> list[str]:
    """Lines that say what a sketch is."""
    result = sketch.result()
    columns = sketch.n_features if result.ids is None else len(result.ids)
    lines = [
        f"rows = {sketch.n_seen}",
        f"columns = {sketch.n_features or 0} ({columns or 0} of them seen)",
        f"||A||_F^2 = {sketch.frobenius:.9g}",
        f"||B||_F^2 = {float(result.squares.sum()):.9g} in {len(result.squares)} rows",
        f"alpha = {sketch.alpha:.9g}",
    ]
    if np.isfinite(sketch.covariance_error_bound()):
        share = sketch.covariance_error_bound() / sketch.frobenius if sketch.frobenius else 0.0
        lines.append(f"covariance error <= {sketch.covariance_error_bound():.6g} = {share:.6g} ||A||_F^2 (certified)")
    return lines


def _progress_line(sketch: Sketch, nonzeros: int, seconds: float) -> str:
    """Cheap numbers only: what the shrinks so far have cost, without decomposing the rows that wait."""
    alpha = bound = "-"
    if isinstance(sketch, FrequentDirections):
        alpha = f"{sketch.alpha_0 + sketch.rule.gain * sketch.escaped:.6g}"
        worst = max(sketch.rule.gain, 1 - sketch.rule.gain)
        bound = f"{worst * sketch.escaped / sketch.frobenius:.6g}" if sketch.frobenius else "0"
    columns = sketch.n_features or 0
    return f"{sketch.n_seen:>12} {nonzeros:>14} {columns:>10} {alpha:>12} {bound:>14} {seconds:>9.1f}"


def histogram(sketch: Sketch) -> list[str]:
    """Lines of text: eigenvalues of B'B as shares of ||A||_F^2, on a logarithmic scale, at most 20 of them."""
    shares, total = sketch.eigenvalues(), sketch.frobenius
    shares = shares[shares > 0] / total if total else shares[:0]
    if not len(shares):
        return ["the sketch is empty: no spectrum"]
    rows = np.linspace(0, len(shares) - 1, min(len(shares), _BARS)).round().astype(int)
    top, low = math.log10(shares[0]), math.log10(shares[-1])
    span = max(top - low, 1e-9)
    lines = [f"{'i':>6} {'share of ||A||^2':>16}  (bars: logarithmic, {low:.1f} to {top:.1f} in powers of ten)"]
    for i in rows:
        bar = 1 + round((_WIDTH - 1) * (math.log10(shares[i]) - low) / span)
        lines.append(f"{i + 1:>6} {shares[i]:>16.6g}  {'#' * bar}")
    return lines


def plot(sketch: Sketch, path: str | os.PathLike[str]) -> bool:
    """Draw the spectrum into a file whose ending names the format (.png, .svg, .pdf); False without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return False
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    squares = sketch.eigenvalues()
    axes.semilogy(np.arange(1, len(squares) + 1), squares, ".-", label="eigenvalues of B'B")
    if sketch.alpha > 0:
        axes.axhline(sketch.alpha, color="gray", linestyle="--", label="alpha")
    axes.set(xlabel="i", ylabel="squared singular value", title=f"{sketch.n_seen} rows")
    axes.legend()
    kind = os.path.splitext(path)[1].lower().lstrip(".") or "png"
    with whole_file(path) as file:
        figure.savefig(file, format=kind)
    return True
