"""``python -m sonlearn``, and the command ``sonlearn``.

Nothing is imported before Ctrl-C has been seen to: as long as there is nothing to be saved, it just ends the process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

#: New objects after which Python looks for garbage. It would do so a hundred times while modules are imported.
_OBJECTS = 100_000


#: Modules that NumPy imports and a run does not use: the documentation of its functions.
_UNUSED = ("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars")


class _LaterFinder:
    """Finds modules that are loaded when something of them is asked for: a twentieth of a short run."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of a module of `_UNUSED`; None for others."""
        if name not in _UNUSED:
            return None
        import importlib.machinery
        import importlib.util

        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


def main() -> int:
    """Run the command line as a process of its own; return the exit status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(_OBJECTS)
    sys.meta_path.insert(0, _LaterFinder)
    from sonlearn.cli import main as run

    status = run()
    if status > 128:  # a thread may still be compiling, and the interpreter would wait for it; all files are closed
        os._exit(status)
    _leave(status)
    return status


def _leave(status: int) -> None:
    """End the process as the interpreter would, but for taking all objects apart: a tenth of a short run.

    Not under a profiler or debugger, which has something to do after the end.
    """
    import atexit
    import threading

    if sys.getprofile() is None and sys.gettrace() is None:
        threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
