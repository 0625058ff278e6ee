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
        learning, predicting = list[int](), list[int]()
        self.to_learn = _Inside(learning, learning, predicting)
        self._inside = _Inside(predicting, learning)

    @contextlib.contextmanager
    def to_predict(self) -> Iterator[Any]:
        """Keep threads out that would learn; gives an engine that no other call under way has."""
        with self._inside:
            try:
                engine = self._free.pop()
            except IndexError:
                engine = self._make()
            try:
                yield engine
            finally:
                self._free.append(engine)


class _Inside:
    """A context that keeps other threads out, and that one row enters as often as a million.

    Parameters
    ----------
    threads : list
        The thread of each call inside.
    others : of list
        Those in which no other thread may be.
    """

    def __init__(self, threads: list[int], *others: list[int]):
        self._threads, self._others = threads, others

    def __enter__(self) -> None:
        # Each says first that it is here and then looks for others: so of two that come together one sees the other.
        me = get_ident()
        self._threads.append(me)
        for threads in self._others:
            if threads.count(me) != len(threads):
                self._threads.remove(me)
                raise ThreadError(
                    "two threads use one model, and one of them learns: expected one thread that learns, or any "
                    "number that predict; give each thread a copy (model.copy()), or let one wait for the other"
                )

    def __exit__(self, *error: object) -> None:
        self._threads.remove(get_ident())
