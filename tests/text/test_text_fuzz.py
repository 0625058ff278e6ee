"""A short fuzz run; `fuzz_text.py` makes long ones."""

import numba
import pytest
from fuzz_text import PIECES, fuzz


@pytest.mark.parametrize("format", PIECES)
def test_mutated_lines(format):
    assert 0.1 < fuzz(format, 1000 if numba.config.DISABLE_JIT else 20_000, seed=1) < 0.9
