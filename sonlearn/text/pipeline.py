"""Work on items in threads, results in the order of the items: the same as one after the other, only sooner."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_WAIT_SECONDS = 0.2
_END: Any = object()


def map_prefetching(
    items: Iterator[Item], work: Callable[[Item], Result], threads: int, waiting: int | None = None
) -> Iterator[Result]:
    """``map(work, items)`` with the items drawn by one thread and worked on by `threads` others.

    Parameters
    ----------
    waiting : int or None
        Items that may be drawn before their result is asked for; None: ``2 * threads``.

    Raises
    ------
    What drawing an item or `work` raises, in its place: after the results of the items before. When the consumer stops,
    no further item is drawn; a thread that waits for input at that moment is left behind as a daemon.
    """
    results: queue.SimpleQueue[Future] = queue.SimpleQueue()
    room = threading.Semaphore(waiting or 2 * threads)
    stopped = threading.Event()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="sonlearn-parse")

    def draw() -> None:
        last: Future = Future()
        try:
            for item in items:
                room.acquire()
                if stopped.is_set():
                    return
                results.put(pool.submit(work, item))
            last.set_result(_END)
        except BaseException as error:
            last.set_exception(error)
        finally:
            pool.shutdown(wait=False, cancel_futures=stopped.is_set())
        results.put(last)

    thread = threading.Thread(target=draw, name="sonlearn-read", daemon=True)
    thread.start()
    try:
        while (future := results.get()).result() is not _END:
            room.release()
            yield future.result()
    finally:
        # Garbage collection may close a generator that was left half used in any thread, also in one that holds the
        # lock which all pools share: the drawing thread shuts its pool down, not this one.
        stopped.set()
        room.release()
        if thread is not threading.current_thread():
            thread.join(timeout=_WAIT_SECONDS)
