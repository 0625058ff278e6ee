"""Settings for all tests: `tests/support` importable, one thread for small matrices, limits, what runs interpreted."""

import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent / "support"))

from limits import pytest_runtest_call, restore_signals

__all__ = ["pytest_runtest_call"]
restore_signals()

#: Files whose tests run kernels and are quick without compilation; others mark single tests.
INTERPRETED = ("test_text_errors", "test_text_hashing", "test_text_number", "test_text_read", "test_text_source")


def pytest_collection_modifyitems(items):
    """Mark the tests that continuous integration repeats without compilation and with checked bounds."""
    for item in items:
        if item.path.stem in INTERPRETED:
            item.add_marker(pytest.mark.interpreted)
