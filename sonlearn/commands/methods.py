"""``sonlearn methods``: the methods of ``train --method``."""

from __future__ import annotations

from sonlearn.commands.line import Line
from sonlearn.options.methods import listing


def command(line: Line) -> int:
    """Print the list; return the exit status."""
    print("\n".join(listing()))
    return 0
