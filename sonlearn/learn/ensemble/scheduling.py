"""Several views of the same rows; and who learns when: views and members side by side.

Their work does not depend on each other.

The results do not depend on the number of threads, nor on the parts in which rows are taken.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Container, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait

import numpy as np

from sonlearn.data.axes import Numbers
from sonlearn.data.rows import Rows, rows_between
from sonlearn.learn.ensemble.progress import SEVERAL, VALUES
from sonlearn.options.views import VIEWS
from sonlearn.views import make_view
from sonlearn.views.view import View, parts_of


class Job:
    """A function to `call` once, after all the jobs that it `needs` are done; `took` is told the seconds."""

    def __init__(self, call: Callable[[], None], needs: Iterable[Job] = (), took: list[float] | None = None):
        self.call, self.needs, self.took, self.is_done = call, tuple(needs), [] if took is None else took, False

    def run(self) -> None:
        """Call it, and let go of what it holds."""
        call, begin = self.call, time.thread_time()
        del self.call
        call()
        self.took.append(time.thread_time() - begin)


def run_jobs(jobs: list[Job], pool: Executor | None, threads: int) -> None:
    """Run all `jobs`. A job may need earlier ones only; of the jobs that are ready, the first one runs next.

    By so many `threads` of the `pool`; without a pool, jobs run one after another. Raises the error of a job; other
    jobs may then not have run.
    """
    if pool is None:
        for job in jobs:
            job.run()
        return
    left, running = list(jobs), dict[Future, Job]()
    try:
        while left or running:
            ready = [job for job in left if all(need.is_done for need in job.needs)]
            for job in ready[: threads - len(running)]:
                left.remove(job)
                running[pool.submit(job.run)] = job
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                running.pop(future).is_done = True
                future.result()
    finally:
        wait(running)


#: Parts of what is learned at a time, and rows of a part at least, where a view and its members take longer than
#: LONG_SHARE times a thread's share. Each part has to fetch their tables into the cache anew, and takes Python's time.
MAX_PARTS, MIN_ROWS, LONG_SHARE = 4, 384, 1.0
#: Entries of a view's rows that are there at a time, roughly: tuples are many times the entries of a batch.
ENTRIES = 1 << 18
#: Entries that a row of tuples or of Fourier features is taken to have, before there was one.
ASSUMED_ENTRIES = 300.0


class Scheduler:
    """Runs views and members.

    Parameters
    ----------
    threads : int
        How many may run side by side.
    """

    def __init__(self, threads: int = 1):
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self._threads = threads if threads > 1 else 0
        self._took: dict[str, list[float]] = {}  # seconds that each view and its members took the last time
        self._entries: dict[str, float] = {}  # entries of a row of each view, the last time

    def each(
        self, by_view: dict[str, list[int]], seen: Seen, n: int,
        call: Callable[[int, Rows, int, slice], None], then: Callable[[slice], None],
    ) -> None:  # fmt: skip
        """``call(j, rows, features of the view, which of n rows they are)`` for each member j of the views `by_view`.

        Views and members side by side, those first that took longest together the last time. If that was most of all
        the time, they go on in a few parts, so that a member learns while its view sees the next. ``then(which)`` is
        called when all members have been, for the parts of the view that took longest: so most of what it does is done
        while that one's members are still learning.
        """
        if n == 1 or not by_view:  # nothing that could run side by side is worth its while
            for view, members in by_view.items():
                rows, features = seen(view, 0, n)
                for j in members:
                    call(j, rows, features, slice(0, n))
            then(slice(0, n))
            return
        took = {view: sum(self._took.get(view, ())) for view in by_view}
        takes = self._took = {view: list[float]() for view in by_view}
        jobs, every = list[Job](), sum(took.values())
        last: dict[int, Job] = {}  # of each member
        parts: list[tuple[slice, list[Job]]] = []  # of the view that took longest, and its members there
        for view in sorted(by_view, key=lambda view: -took[view]):
            longest, shows = not jobs, list[Job]()
            for at in self._parts(view, n, took[view] * self._threads > LONG_SHARE * every):
                shown: list[tuple[Rows, int]] = []
                shows.append(Job(functools.partial(self._show, seen, view, at, shown), shows[-1:], takes[view]))
                jobs.append(shows[-1])
                which = slice(*at)
                for j in by_view[view]:
                    own = functools.partial(_call, call, j, shown, which)
                    last[j] = Job(own, filter(None, [shows[-1], last.get(j)]), takes[view])
                    jobs.append(last[j])
                if longest:
                    parts.append((which, jobs[-len(by_view[view]) :]))
        others, before = [last[j] for j in last if last[j] not in parts[-1][1]], list[Job]()
        for which, needed in parts:
            before = [Job(functools.partial(then, which), [*needed, *others, *before])]
            jobs += before
        run_jobs(jobs, self._pool, self._threads)

    def _parts(self, view: str, n: int, long: bool) -> list[tuple[int, int]]:
        """The parts of the rows in which a view is shown, (start, stop) each; more of them if it takes `long`."""
        many = ASSUMED_ENTRIES if VIEWS[view].kind in ("tuples", "fourier") else 0.0
        parts = min(max(n // MIN_ROWS, 1), MAX_PARTS) if long else 1
        parts = max(parts, int(n * self._entries.get(view, many)) // ENTRIES)
        edges = [n * part // parts for part in range(parts + 1)]
        return list(itertools.pairwise(edges))

    def _show(self, seen: Seen, view: str, at: tuple[int, int], shown: list[tuple[Rows, int]]) -> None:
        rows, features = seen(view, *at)
        self._entries[view] = rows.indptr[-1] / max(len(rows.y), 1)
        shown.append((rows, features))


def _call(call: Callable[..., None], j: int, shown: list[tuple[Rows, int]], at: slice) -> None:
    call(j, *shown[0], at)


#: (name of a view, start, stop) -> rows start..stop-1 as that view shows them, and how many features it has had by
#: then. Each view is asked for all rows in their order, by one thread at a time.
Seen = Callable[[str, int, int], tuple[Rows, int]]


class Views:
    """Views by name (`sonlearn.options.views`); a state is the tuple of theirs, and the verbs are those of a view.

    Parameters
    ----------
    names : names of views
    kind : int
        What labels are (`progress`): views that choose by what tells of the label have to know.
    """

    def __init__(self, names: Iterable[str], kind: int):
        self.names = tuple(names)
        self.every = tuple(_view(name, kind) for name in self.names)

    def new(self) -> tuple:
        """States of views that have seen nothing."""
        return tuple(view.new() for view in self.every)

    def reserve(self, states: tuple, rows: Rows, features: int, needed: Container[str]) -> tuple:
        """`states` with room for `rows`, whose features are below `features`, in the `needed` views."""
        return tuple(
            view.reserve(own, rows, features) if name in needed else own
            for name, view, own in zip(self.names, self.every, states, strict=True)
        )

    def showing(self, states: tuple, rows: Rows, learn: bool, in_parts: bool = False) -> tuple[list, Seen]:
        """(states, `rows` as seen), where a view sees rows, and its state changes, when it is asked for them.

        Where views `learn`, their statistics take the rows in, and `reserve` comes first. `in_parts`: each sees the
        part of a row that is its own, else all of it.
        """
        own, parts = list(states), parts_of(rows) if in_parts else {}

        def show(name: str, start: int, stop: int) -> tuple[Rows, int]:
            i, part = self.names.index(name), rows_between(parts.get(VIEWS[name].part, rows), start, stop)
            own[i], shown = self.every[i].transform(own[i], part, learn)
            return shown, self.every[i].features(own[i])

        return own, show

    def kept(self, states: tuple, needed: Container[str]) -> tuple:
        """`states`, those that are not `needed` any more as new."""
        return tuple(
            own if name in needed else view.new()
            for name, view, own in zip(self.names, self.every, states, strict=True)
        )

    def renumbered(self, states: tuple, numbers: Numbers) -> tuple[tuple, dict[str, np.ndarray]]:
        """(`states` with other numbers of the raw features, the numbers of what each view has shown then)."""
        found = [view.renumbered(own, numbers) for view, own in zip(self.every, states, strict=True)]
        return tuple(own for own, _ in found), {name: own for name, (_, own) in zip(self.names, found, strict=True)}

    def sizes(self, states: tuple) -> dict[str, int]:
        """Return how many features each view has shown."""
        return {name: view.features(s) for name, view, s in zip(self.names, self.every, states, strict=True)}


def _view(name: str, kind: int) -> View:
    """A view; what chooses entries by what they tell of the label is told what that is."""
    chooses = VIEWS[name].kind == "tuples"
    return make_view(name, numbers=kind == VALUES, several=kind == SEVERAL) if chooses else make_view(name)
