"""The verbs that turn one file into another, without a model: ``convert``, ``describe``, ``events`` and ``report``.

They import what learns, or serves, only where they need it.
"""

from __future__ import annotations

import contextlib
import os
import time

from sonlearn.commands.checks import check_files, check_stdin, check_target
from sonlearn.commands.line import Line
from sonlearn.commands.messages import compilation_notice, prompt, skipped_warning, warn
from sonlearn.errors import OptionError
from sonlearn.files.atomic import STDOUT, whole_output
from sonlearn.interrupts import Interrupts
from sonlearn.options import TextOptions
from sonlearn.options.run import ConvertOptions, EventsOptions, OutputOptions
from sonlearn.options.text import WRITABLE

_DAY_SECONDS = 86400.0


def convert(line: Line) -> int:
    """Write text of any format as LIBSVM or VW text; return the exit status.

    Raises SonlearnError, and then no file has been written.
    """
    from sonlearn.text.write import convert

    running, options, text = line.running(), line.options(ConvertOptions), line.options(TextOptions)
    if options.to is None:
        raise OptionError(f"convert needs the format to write; give --to {' or --to '.join(WRITABLE)}")
    sources = list(running.data) or ["-"]
    check_stdin(sources)
    target = "-" if options.output in STDOUT else options.output
    _check_output("DATA", sources, target)
    prompt(sources)
    with Interrupts(at_once=True), compilation_notice():
        reader = convert(sources, target, options.to, text, **running.reading)
    warn(*skipped_warning(reader.malformed.count, reader.malformed.errors))
    return 0


def describe(line: Line) -> int:
    """Print what the columns of a table hold, or of its first rows; return the exit status. Raises InputError."""
    from sonlearn.text.describe import described

    running = line.running()
    found = described(line.others[0], line.options(TextOptions), rows=running.examples, join=running.join)
    print(found, flush=True)
    warn(*skipped_warning(found.skipped, found.errors))
    return 0


def events(line: Line) -> int:
    """Write the log of a server as dsjson, or of rows as JSON, and remove the events then; return the exit status.

    Raises SonlearnError: then none was removed.
    """
    from sonlearn.serve.events import EventLog

    path, options = line.others[0], line.options(EventsOptions)
    _check_output("LOG", [path], options.output)
    if not os.path.isfile(path):
        raise OptionError(f"{path}: there is no such file")
    made = time.time() - (options.remove or 0.0) * _DAY_SECONDS
    with contextlib.closing(EventLog(path, "")) as log:
        with whole_output(options.output) as file:
            for event in log.older(made, removable=options.remove is not None):
                file.write(event.text.encode() + b"\n")
        if options.remove is not None:
            log.remove(made)
    return 0


def report(line: Line) -> int:
    """Write the page about a run from its log, whole or not at all; return the exit status.

    Raises InputError, OptionError, OutputError.
    """
    from sonlearn.report.html.page import page
    from sonlearn.report.runlog import of_log, read_run
    from sonlearn.text.source import source_name

    path, options = line.others[0], line.options(OutputOptions)
    _check_output("RUN.jsonl", [path], options.output)
    with of_log(source_name(path)):
        text = page(read_run(path))
    with whole_output(options.output) as file:
        file.write(text)
    return 0


def _check_output(flag: str, sources: list[str], output: str) -> None:
    """Refuse an output of -o that is an input (`flag` says which), or that could not be written."""
    check_files({flag: sources}, {"-o": output})
    check_target("-o", output)
