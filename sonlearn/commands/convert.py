"""``sonlearn convert``: text of any format as LIBSVM or VW text."""

from __future__ import annotations

import sys

from sonlearn.commands.checks import (
    COMPILING,
    FROM_TERMINAL,
    check_not_data,
    check_stdin,
    check_target,
    from_terminal,
    warn_of_skipped,
)  # fmt: skip
from sonlearn.commands.flags import ConvertOptions, RunOptions
from sonlearn.jit import on_first_compilation
from sonlearn.options import TextOptions
from sonlearn.report.predictions import STDOUT
from sonlearn.text.write import convert


def run(text: TextOptions, reading: RunOptions, options: ConvertOptions) -> int:
    """Convert; return the exit status. Raises SonlearnError, and then no file has been written."""
    sources = list(reading.data) or ["-"]
    assert options.to is not None
    check_stdin(sources)
    target = "-" if options.output in STDOUT else options.output
    if target != "-":
        check_not_data({"-o": target}, sources)
        check_target("-o", target)
    if from_terminal(sources):
        print(FROM_TERMINAL, file=sys.stderr)
    with on_first_compilation(lambda: print(COMPILING, file=sys.stderr)):
        reader = convert(
            sources, target, options.to, text, on_error=reading.on_error, max_errors=reading.max_errors,
            threads=reading.parse_ahead,
        )  # fmt: skip
    warn_of_skipped(reader.error_count, reader.errors)
    return 0
