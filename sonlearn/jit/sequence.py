"""A sequence of calls of kernels that is made again and again, such as for each row of a stream.

Their arguments are the same objects each time, and what the arrays hold changes. So the calls are prepared
(`sonlearn.jit.blocks`), and one function makes all of them. Where that is not possible (another version of Numba, or
kernels that are not compiled), Python makes them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sonlearn.jit.decorators import Kernel

#: A kernel and its arguments. It returns 1, alone or first of several numbers, or nothing; else the sequence stops.
Call = tuple[Callable, tuple[Any, ...]]
Calls = list[Call]


def run_calls(calls: Iterable[Call]) -> Any:
    """Make calls once, in their order; returns what the last one returns that returns anything."""
    last = None
    for kernel, arguments in calls:
        found = kernel(*arguments)
        last = last if found is None else found
    return last


class Sequence:
    """Calls in their order.

    Parameters
    ----------
    calls : of Call
    """

    def __init__(self, calls: Iterable[Call]):
        self._calls = list(calls)
        self._program = np.zeros((len(self._calls), 2), np.int64)
        self._blocks: list[Any] = [None] * len(self._calls)
        self._run: Any = None
        self.replace(0, self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def replace(self, start: int, calls: Iterable[Call]) -> None:
        """`calls` in the place of as many from `start` on."""
        for i, (kernel, arguments) in enumerate(calls, start):
            self._calls[i] = kernel, arguments
            block = kernel.block(arguments) if isinstance(kernel, Kernel) else None
            self._blocks[i] = block
            if block is not None:
                self._program[i] = block.caller, block.words.ctypes.data
        prepared = all(block is not None for block in self._blocks)
        self._run = importlib.import_module("sonlearn.jit.blocks").runner() if prepared and self._blocks else None
        self._address = self._program.ctypes.data

    def run(self, start: int) -> int:
        """Make the calls from `start` on; returns the first one that has not returned 1 or None, or their number."""
        if self._run is not None:
            return int(self._run(self._address, start, len(self._calls)))
        for i in range(start, len(self._calls)):
            kernel, arguments = self._calls[i]
            found = kernel(*arguments)
            if isinstance(found, tuple):
                found = found[0]
            if found is not None and found != 1:
                return i
        return len(self._calls)
