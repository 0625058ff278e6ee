"""A few random kills; `kill.py` makes many."""

import os

import pytest
from kill import trial

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kill -9")


def test_killed_commands_lose_nothing():
    trial(4, seed=1)
