"""Ctrl-C, SIGTERM and SIGHUP wait for the end of a batch, so that what has been learned is whole and can be saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator, Iterable
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

#: SIGHUP: the terminal was closed, or the connection to it lost.
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Interrupted(KeyboardInterrupt):
    """A signal came where nothing is left to be saved, or came twice."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number


class Interrupts:
    """While entered, a first signal lets the batch under way be finished; a second one raises `Interrupted` at once.

    Waiting for input (a terminal, a slow pipe) is given up at the first signal.

    Parameters
    ----------
    at_once : bool
        Whether the first signal raises as well, for there is nothing to save (yet): so that a file that is being
        written is removed, and compiling is given up. May be set and unset at any time.
    signals : tuple of int
        Those that are held back.

    Attributes
    ----------
    received : int or None
        The signal that has come.
    """

    def __init__(self, at_once: bool = False, signals: tuple[int, ...] = SIGNALS) -> None:
        self.received: int | None = None
        self.at_once, self._signals = at_once, signals
        self._waiting = False
        self._closing = False
        self._again: int | None = None
        self._former: dict[int, object] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in self._signals:
                if signal.getsignal(number) != signal.SIG_IGN:  # nohup, or a job in the background
                    self._former[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def until_signal(self, items: Iterable[T]) -> Generator[T, None, None]:
        """The items, up to the first signal."""
        iterator = iter(items)
        try:
            while self.received is None:
                self._waiting = True
                try:
                    item = next(iterator)
                except (StopIteration, Interrupted):
                    break
                finally:
                    self._waiting = False
                self._closing = False  # also where a signal came: what had come before it is handed on
                yield item
        finally:
            self._closing = True
            if isinstance(iterator, Generator):
                iterator.close()
            self._closing = False
        if self._again is not None:
            raise Interrupted(self._again)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        first, self.received = self.received is None, self.received or number
        if self._closing:  # an exception out of a generator's end is printed with a traceback, and lost
            self._again = None if first else number
        elif self._waiting or self.at_once or not first:
            self._closing = self._waiting
            raise Interrupted(number)
