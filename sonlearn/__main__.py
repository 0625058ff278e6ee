"""``python -m sonlearn``, and the command ``sonlearn``.

Nothing is imported before Ctrl-C has been seen to: as long as there is nothing to be saved, it just ends the process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

#: New objects after which Python looks for garbage. It would do so a hundred times while modules are imported.
_OBJECTS = 100_000


def main() -> int:
    """Run the command line as a process of its own; return the exit status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_OBJECTS)
    from sonlearn.cli import main as run

    status = run()
    if status > 128:  # a thread may still be compiling, and the interpreter would wait for it; all files are closed
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
