"""Working ahead: the order of results, and an end that waits for nobody."""

import itertools
import threading
import time
from concurrent.futures import thread as pools

from sonlearn.text.pipeline import map_prefetching


def test_results_come_in_the_order_of_the_items():
    assert list(map_prefetching(iter(range(200)), lambda i: i * i, 3)) == [i * i for i in range(200)]


def test_closing_takes_no_lock_that_all_pools_share():
    """As when garbage collection closes it in a thread that is handing work to a pool of its own."""
    results = map_prefetching(itertools.count(), lambda i: i, 2, waiting=10**6)  # always about to submit another item
    assert next(results) == 0
    with pools._global_shutdown_lock:
        time.sleep(0.1)
        closing = threading.Thread(target=results.close, daemon=True)
        closing.start()
        closing.join(5)
        assert not closing.is_alive()


def test_nothing_is_left_running():
    before = threading.active_count()
    for _ in range(20):
        results = map_prefetching(iter(range(1000)), lambda i: i, 2)
        next(results)
        results.close()
    for thread in threading.enumerate():
        if thread.name.startswith("sonlearn-parse"):
            thread.join(5)
    assert threading.active_count() <= before
