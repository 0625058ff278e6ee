"""Memory that is freed is used again, and not given back to the system and asked for anew."""

import platform
import subprocess
import sys

import pytest

from sonlearn.commands.train import keep_freed_memory

#: Prints the pages that had to be mapped while a thread allocated 4 arrays of 1.5 MB, wrote to them and freed them, 50
#: times after a first time.
BATCHES = """
import resource, sys, threading
import numpy as np
if sys.argv[1] == "kept":
    from sonlearn.commands.train import keep_freed_memory
    assert keep_freed_memory()

def batch():
    for array in [np.empty(3 << 16) for _ in range(4)]:
        array[:] = 1.0

def batches():
    batch()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        batch()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)

thread = threading.Thread(target=batches)
thread.start()
thread.join()
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the allocator is not glibc's")
def test_a_batch_uses_the_memory_of_the_one_before():
    given_back, kept = (
        int(subprocess.run([sys.executable, "-c", BATCHES, how], capture_output=True, check=True).stdout)
        for how in ("given back", "kept")
    )
    assert kept < 1000 < given_back


def test_another_allocator_is_left_alone(monkeypatch):
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert keep_freed_memory() is False
