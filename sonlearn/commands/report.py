"""``sonlearn report``: the page about a run, from its log."""

from __future__ import annotations

import sys

from sonlearn.commands.checks import check_target
from sonlearn.commands.files import check_files
from sonlearn.files.atomic import writing
from sonlearn.options.verbs import PageOptions
from sonlearn.report.html.page import page, write_page
from sonlearn.report.predictions import STDOUT
from sonlearn.report.runlog import read_run


def run(path: str, options: PageOptions) -> int:
    """Write the page, whole or not at all; return the exit status. Raises InputError, OptionError, OutputError."""
    check_files({"RUN.jsonl": path}, {"-o": options.output})
    if options.output not in STDOUT:
        check_target("-o", options.output)
        write_page(options.output, read_run(path))
        return 0
    text = page(read_run(path))
    with writing("standard output"):
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
    return 0
