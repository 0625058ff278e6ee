"""Ctrl-C and SIGTERM end a run between two batches, so that what has been learned is whole and can be saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import TypeVar

T = TypeVar("T")


class Interrupted(KeyboardInterrupt):
    """A signal came where nothing is left to be saved, or came twice."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


class Interrupts:
    """While entered, a first signal lets the batch under way be finished; a second one raises `Interrupted` at once.

    Waiting for input (a terminal, a slow pipe) is given up at the first signal.

    Attributes
    ----------
    received : int or None
        The signal that has come.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._waiting = False
        self._former: dict[int, object] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) != signal.SIG_IGN:  # nohup, or a job in the background
                    self._former[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def until_signal(self, items: Iterable[T]) -> Iterator[T]:
        """The items, up to the first signal."""
        iterator = iter(items)
        while self.received is None:
            self._waiting = True
            try:
                item = next(iterator)
            except (StopIteration, Interrupted):
                return
            finally:
                self._waiting = False
            yield item

    def _handle(self, number: int, frame: FrameType | None) -> None:
        first, self.received = self.received is None, self.received or number
        if self._waiting or not first:
            raise Interrupted(number)
