"""``sonlearn describe``: what the columns of a table are and hold, before anything is learned."""

from __future__ import annotations

from sonlearn.commands.line import Line
from sonlearn.commands.messages import warn_of_skipped
from sonlearn.options import TextOptions
from sonlearn.text.describe import describe


def command(line: Line) -> int:
    """Describe a table, or its first rows; return the exit status. Raises InputError."""
    found = describe(line.others[0], line.options(TextOptions), rows=line.given.get("examples"))
    print(found, flush=True)
    warn_of_skipped(found.skipped, found.errors)
    return 0
