"""Working ahead: the order of results, and an end that waits for nobody."""

import itertools
import threading
import time
from concurrent.futures import thread as pools

from sonlearn.text.pipeline import map_prefetching


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
