"""``sonlearn sketch``: a sketch of the examples' matrix, or of several saved ones."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
from collections.abc import Iterator

from sonlearn.commands.checks import check_stdin, check_target
from sonlearn.commands.files import check_binary, check_files
from sonlearn.commands.interrupts import Interrupted, Interrupts
from sonlearn.commands.line import Line
from sonlearn.commands.messages import FROM_TERMINAL, complain, from_terminal, telling_of_compiling, warn_of_skipped
from sonlearn.commands.sketching import merge_files, sketch_batches
from sonlearn.data.batch import Batch
from sonlearn.errors import OptionError
from sonlearn.options import TextOptions
from sonlearn.options.run import RunOptions
from sonlearn.options.verbs import SketchRunOptions
from sonlearn.sketch.options import SketchOptions
from sonlearn.sketch.spectrum import PICTURES
from sonlearn.text.read import Reader


class _UntilSignal:
    """The batches of `reader` up to the first signal, with its format; Interrupted if it comes before all of them."""

    def __init__(self, reader: Reader, interrupts: Interrupts):
        self.reader, self.interrupts = reader, interrupts

    @property
    def format(self) -> str | None:
        """See `Reader.format`."""
        return self.reader.format

    def __iter__(self) -> Iterator[Batch]:
        empty = True
        for batch in self.interrupts.until_signal(self.reader):
            empty = False
            yield batch
        if empty and self.interrupts.received is not None:
            raise Interrupted(self.interrupts.received)


def command(line: Line) -> int:
    """Sketch or merge as the command line says; return the exit status. Raises as `run` does."""
    return run(*asked(line))


def asked(line: Line) -> tuple[SketchOptions, TextOptions, RunOptions, SketchRunOptions]:
    """What the command line asks for. Raises OptionError."""
    reading, options, own = line.running(), line.options(SketchRunOptions), line.take(SketchOptions)
    if options.merge and (own or line.given or options.error):
        raise OptionError("--merge takes only -o, --plot and --quiet: what a sketch is was settled when it was made")
    return SketchOptions(**own), line.options(TextOptions, constant=False), reading, options


def run(sketch: SketchOptions, text: TextOptions, reading: RunOptions, options: SketchRunOptions) -> int:
    """Sketch or merge; return the exit status. Raises SonlearnError, OSError, and then no sketch has been saved.

    After a first signal the sketch is of what was read until then; where that is nothing, nothing is saved.
    """
    sources = list(reading.data) or ["-"]

    def say(line: str) -> None:
        with contextlib.suppress(BrokenPipeError):  # the sketch is wanted nevertheless
            if not reading.quiet:
                complain(line)

    check_outputs(options, sources, reading.quiet)
    if options.merge:
        with Interrupts(at_once=True):
            merge_files(list(reading.data), output=options.output, picture=options.plot, report=say)
        return 0
    check_stdin(sources)
    if from_terminal(sources):
        say(FROM_TERMINAL)
    reader = Reader(
        sources, text, on_error=reading.on_error, max_errors=reading.max_errors, threads=reading.prefetch_parsed
    )  # fmt: skip
    with Interrupts() as interrupts, telling_of_compiling(reading.quiet):
        sketch_batches(
            _UntilSignal(reader, interrupts), sketch, output=options.output, error=options.error, k=options.k,
            picture=options.plot, zero_based=options.zero_based, report=say,
        )  # fmt: skip
    warn_of_skipped(reader.error_count, reader.errors)
    if interrupts.received is None:
        return 0
    say(f"interrupted ({signal.Signals(interrupts.received).name}): the sketch is of what was read until then")
    return 128 + interrupts.received


def check_outputs(options: SketchRunOptions, sources: list[str], quiet: bool) -> None:
    """Refuse outputs that could not be written, or would overwrite something. Raises OptionError."""
    picture = None if options.plot == "-" else options.plot
    check_binary("-o", options.output, "a sketch")
    # merged sketches are in memory before anything is written, so one may be replaced
    rewritten = [("-o", "DATA")] if options.merge else []
    check_files({"DATA": sources}, {"-o": options.output, "--plot": picture}, rewritten)
    if options.output is not None:
        check_target("-o", options.output)
    if picture is not None:
        check_target("--plot", picture)
        ending = os.path.splitext(picture)[1].lower()
        if ending not in PICTURES:
            raise OptionError(f"--plot {picture}: expected a name that ends in one of {', '.join(PICTURES)}")
        if quiet and importlib.util.find_spec("matplotlib") is None:
            raise OptionError(f"--plot {picture}: matplotlib is not installed; pip install matplotlib")
