"""Which threads may be at work on a model: one that learns, or any number that predict.

A state changes in place while it learns, so nobody else may read it then. And an engine has scratch space, so each
prediction that is under way has an engine of its own; engines hold no state, and later predictions use them again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any

from sonlearn.errors import ThreadError


class Access:
    """Access to a model from several threads. Nobody waits: who cannot have it gets a `ThreadError`.

    Parameters
    ----------
    make : callable
        Makes an engine.

    Attributes
    ----------
    engine : Any
        That of the thread that learns, and of what needs no scratch space.
    to_learn : context manager
        Keeps other threads out. A thread may enter it several times within one another.
    """

    def __init__(self, make: Callable[[], Any]):
        self.engine = make()
        self._make, self._free = make, [self.engine]
        self._predicting: list[int] = []  # the thread of each call under way
        self.to_learn = _Learning(self._predicting)

    @contextlib.contextmanager
    def to_predict(self) -> Iterator[Any]:
        """Keep threads out that would learn; gives an engine that no other call under way has."""
        me = get_ident()
        self._predicting.append(me)
        try:
            _expect_alone(me, self.to_learn.threads)
            try:
                engine = self._free.pop()
            except IndexError:
                engine = self._make()
            try:
                yield engine
            finally:
                self._free.append(engine)
        finally:
            self._predicting.remove(me)


class _Learning:
    """`Access.to_learn`, which one row takes as often as a million."""

    def __init__(self, predicting: list[int]):
        self.threads: list[int] = []  # the one that learns, once for each time that it has entered
        self._predicting = predicting

    def __enter__(self) -> None:
        # Each says first that it is here and then looks for others: so of two that come together one sees the other.
        me = get_ident()
        self.threads.append(me)
        try:
            _expect_alone(me, self.threads)
            _expect_alone(me, self._predicting)
        except ThreadError:
            self.threads.remove(me)
            raise

    def __exit__(self, *error: object) -> None:
        self.threads.remove(get_ident())


def _expect_alone(me: int, threads: list[int]) -> None:
    if threads and threads.count(me) != len(threads):
        raise ThreadError(
            "two threads use one model, and one of them learns: expected one thread that learns, or any number that "
            "predict; give each thread a copy (model.copy()), or let one wait for the other"
        )
