"""Jobs with dependencies, run by several threads. The results do not depend on the number of threads."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor


class Job:
    """A function to `call` once, after all the jobs that it `needs` are done."""

    def __init__(self, call: Callable[[], None], needs: Iterable[Job] = ()):
        self.call, self.then, self.waits = call, list[Job](), 0
        for other in needs:
            other.then.append(self)
            self.waits += 1

    def run(self) -> None:
        """Call it, and let go of what it holds."""
        call, self.call = self.call, _done
        call()


def _done() -> None:
    """What a job that has run holds."""


def work_off(jobs: list[Job], pool: Executor | None, threads: int) -> None:
    """Run all `jobs`. A job may need earlier ones only; of the jobs that are ready, the first one runs next.

    By `threads` threads, of which the caller is one and the others are of `pool`; without a pool, jobs run one after
    another. Raises the error of a job; other jobs may then not have run.
    """
    if pool is None:
        for job in jobs:
            job.run()
        return
    queue = _Queue(jobs)
    others = [pool.submit(queue.work) for _ in range(min(threads, len(jobs)) - 1)]
    queue.work()
    for each in others:
        each.result()


def mapping(pool: Executor | None) -> Callable[..., list]:
    """``map`` that is done when it returns, in `pool` or without."""

    def done(call: Callable, *items: Iterable) -> list:
        return list((pool.map if pool else map)(call, *items))

    return done


class _Queue:
    """The jobs, shared by several threads."""

    def __init__(self, jobs: list[Job]):
        self._jobs, self._place = jobs, {id(job): place for place, job in enumerate(jobs)}
        self._ready = [place for place, job in enumerate(jobs) if job.waits == 0]  # a heap
        self._remaining, self._waiting, self._changed = len(jobs), 0, threading.Condition()

    def work(self) -> None:
        """Run jobs until none remains."""
        job = self._next(None)
        while job is not None:
            try:
                job.run()
            except BaseException:
                with self._changed:
                    self._remaining = 0
                    self._changed.notify_all()
                raise
            job = self._next(job)

    def _next(self, done: Job | None) -> Job | None:
        """The next job, once there is one, for who has `done` another; None: all are done.

        Wakes no more threads than there is work for: to wake one takes as long as a short job.
        """
        with self._changed:
            if done is not None:
                self._remaining -= 1
                for other in done.then:
                    other.waits -= 1
                    if other.waits == 0:
                        heapq.heappush(self._ready, self._place[id(other)])
                if self._remaining <= 0:
                    self._changed.notify_all()
                elif len(self._ready) > 1 and self._waiting:
                    self._changed.notify(min(len(self._ready) - 1, self._waiting))
            while self._remaining > 0 and not self._ready:
                self._waiting += 1
                self._changed.wait()
                self._waiting -= 1
            return self._jobs[heapq.heappop(self._ready)] if self._remaining > 0 else None
