"""Loaded by the workers of ``--cluster local``: Ctrl-C is for the process that has begun them, and ends them."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by Dask in each worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
