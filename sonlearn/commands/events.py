"""``sonlearn events``: the log of a server of decisions as dsjson, and older events taken out of it."""

from __future__ import annotations

import contextlib
import os
import time

from sonlearn.commands.checks import check_files, check_target
from sonlearn.commands.line import Line
from sonlearn.errors import OptionError
from sonlearn.files.atomic import whole_output
from sonlearn.options.verbs import EventsOptions
from sonlearn.serve.events import EventLog

_DAY_SECONDS = 86400.0


def command(line: Line) -> int:
    """Write the events, and remove them then; return the exit status. Raises SonlearnError: then none was removed."""
    path, options = line.others[0], line.options(EventsOptions)
    check_files({"LOG": path}, {"-o": options.output})
    check_target("-o", options.output)
    if not os.path.isfile(path):
        raise OptionError(f"{path}: there is no such file")
    made = time.time() - (options.remove or 0.0) * _DAY_SECONDS
    with contextlib.closing(EventLog(path)) as events:
        with whole_output(options.output) as file:
            for event in events.older(made):
                file.write(event.text.encode() + b"\n")
        if options.remove is not None:
            events.remove(made)
    return 0
