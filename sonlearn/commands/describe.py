"""``sonlearn describe``: what the columns of a table are and hold, before anything is learned."""

from __future__ import annotations

from sonlearn.commands.messages import complain
from sonlearn.options import TextOptions
from sonlearn.text.describe import describe


def run(path: str, options: TextOptions, most: int | None) -> int:
    """Describe a table, or its first rows; return the exit status. Raises InputError."""
    found = describe(path, options, rows=most)
    print(found, flush=True)
    if found.skipped:
        complain(f"sonlearn: warning: malformed rows left out: {found.skipped}")
    return 0
