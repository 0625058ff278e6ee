"""Loaded by the workers of ``--cluster local``: they ignore Ctrl-C, because the process that started them ends them."""

from __future__ import annotations

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Called by Dask in each worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
