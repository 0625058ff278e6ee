"""Jobs that wait for each other, done by several threads: what comes of them is the same however many there are."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Executor


class Job:
    """Something to do once: `call`, when all the jobs that it `needs` have been done."""

    def __init__(self, call: Callable[[], None], needs: Iterable[Job] = ()):
        self.call, self.then, self.waits = call, list[Job](), 0
        for other in needs:
            other.then.append(self)
            self.waits += 1


def work_off(jobs: list[Job], pool: Executor | None, hands: int) -> None:
    """Do all `jobs`, none of which needs a later one: of those that may be done now always the first.

    With `hands` threads of `pool`; None: one after the other. Raises what a job raises; others may then be left undone.
    """
    if pool is None:
        for job in jobs:
            job.call()
        return
    crew = _Crew(jobs)
    for each in [pool.submit(crew.work) for _ in range(min(hands, len(jobs)))]:
        each.result()


class _Crew:
    """The jobs of several threads."""

    def __init__(self, jobs: list[Job]):
        self._jobs, self._place = jobs, {id(job): place for place, job in enumerate(jobs)}
        self._ready = [place for place, job in enumerate(jobs) if job.waits == 0]  # a heap
        self._left, self._changed = len(jobs), threading.Condition()

    def work(self) -> None:
        """Do jobs until none is left."""
        while (job := self._next()) is not None:
            try:
                job.call()
            except BaseException:
                with self._changed:
                    self._left = 0
                    self._changed.notify_all()
                raise
            self._finish(job)

    def _next(self) -> Job | None:
        with self._changed:
            while self._left > 0 and not self._ready:
                self._changed.wait()
            return self._jobs[heapq.heappop(self._ready)] if self._left > 0 else None

    def _finish(self, job: Job) -> None:
        with self._changed:
            self._left -= 1
            for other in job.then:
                other.waits -= 1
                if other.waits == 0:
                    heapq.heappush(self._ready, self._place[id(other)])
            self._changed.notify_all()
