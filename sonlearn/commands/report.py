"""``sonlearn report``: the page about a run, from its log."""

from __future__ import annotations

from sonlearn.commands.checks import check_files, check_target
from sonlearn.commands.line import Line
from sonlearn.files.atomic import whole_output
from sonlearn.options.verbs import PageOptions
from sonlearn.report.html.page import page
from sonlearn.report.runlog import read_run


def command(line: Line) -> int:
    """Write the page, whole or not at all; return the exit status. Raises InputError, OptionError, OutputError."""
    path, options = line.others[0], line.options(PageOptions)
    check_files({"RUN.jsonl": path}, {"-o": options.output})
    check_target("-o", options.output)
    text = page(read_run(path))
    with whole_output(options.output) as file:
        file.write(text)
    return 0
