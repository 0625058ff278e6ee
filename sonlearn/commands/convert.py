"""``sonlearn convert``: text of any format as LIBSVM or VW text."""

from __future__ import annotations

from sonlearn.commands.checks import check_files, check_stdin, check_target
from sonlearn.commands.line import Line
from sonlearn.commands.messages import FROM_TERMINAL, complain, from_terminal, telling_of_compiling, warn_of_skipped
from sonlearn.errors import OptionError
from sonlearn.files.atomic import STDOUT
from sonlearn.interrupts import Interrupts
from sonlearn.options import TextOptions
from sonlearn.options.text import WRITABLE
from sonlearn.options.verbs import ConvertOptions
from sonlearn.text.write import convert


def command(line: Line) -> int:
    """Convert; return the exit status. Raises SonlearnError, and then no file has been written."""
    running, options, text = line.running(), line.options(ConvertOptions), line.options(TextOptions)
    if options.to is None:
        raise OptionError(f"convert needs the format to write; give --to {' or --to '.join(WRITABLE)}")
    sources = list(running.data) or ["-"]
    check_stdin(sources)
    target = "-" if options.output in STDOUT else options.output
    check_files({"DATA": sources}, {"-o": target})
    check_target("-o", target)
    if from_terminal(sources):
        complain(FROM_TERMINAL)
    with Interrupts(at_once=True), telling_of_compiling():
        reader = convert(sources, target, options.to, text, **running.reading)
    warn_of_skipped(reader.error_count, reader.errors)
    return 0
