"""Loaded by the workers of ``--cluster local``.

They ignore Ctrl-C, because the process that started them ends them, and run kernels that are stored without Numba.
"""

from __future__ import annotations

import signal
from typing import Any

from sonlearn.jit import without_numba


def dask_setup(worker: Any) -> None:
    """Called by Dask in each worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    without_numba()
