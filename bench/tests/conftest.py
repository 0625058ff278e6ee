"""The benches' own tests run with the suite, and have what its tests have: `tests/support`, limits of time, signals."""

import os
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))

from limits import pytest_runtest_call, restore_signals

__all__ = ["pytest_runtest_call"]
restore_signals()
