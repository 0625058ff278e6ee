"""``python -m sonlearn``, and the command ``sonlearn``.

Nothing is imported before Ctrl-C has been seen to: as long as there is nothing to be saved, it just ends the process.
"""

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
    _leave(status)
    gc.freeze()  # nothing is looked for at the end, either, which takes as long as the run of a short command
    return status


def _leave(status: int) -> None:
    """End the process at once: to take all objects apart would take a tenth of a short run.

    Not while other threads run, or under a profiler or debugger, which has something to do after the end.
    """
    import atexit
    import threading

    if threading.active_count() == 1 and sys.getprofile() is None and sys.gettrace() is None:
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
