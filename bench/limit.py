"""What no sketched learner of this kind can be faster than: its reads of memory, and its small dense work at peak.

A row of s features has to read s rows of a table of d: m + 2 numbers each (a weight, a scale and m coefficients), of
which it takes the weighted sum. In addition it solves with matrices of 2m x 2m, and every m + 1 rows one of these is
decomposed. Both are measured here, the first by a loop that does nothing else, the second by LAPACK and BLAS alone,
many products in one. Run by `bench.processes.child`; on one thread.
"""

from __future__ import annotations

import os

os.environ["NUMBA_OPT"] = "3"  # before Numba is imported: the loop is to be as fast as it can be

import statistics
import time
from collections.abc import Callable

import numba
import numpy as np

from bench.workloads import first_seen, zipf_stream


@numba.njit(fastmath=True, boundscheck=False)
def _weighted_sums(indptr: np.ndarray, features: np.ndarray, values: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Sum over the rows of their features' rows of the table, each times its value."""
    out = np.zeros(table.shape[1])
    for i in range(len(indptr) - 1):
        for at in range(indptr[i], indptr[i + 1]):
            own, x = table[features[at]], values[at]
            for k in range(len(out)):
                out[k] += x * own[k]
    return out


def median_seconds(run: Callable[[], object], runs: int) -> float:
    """Median processor seconds of a call, after one that does not count."""
    times = []
    for _ in range(runs + 1):
        begin = time.process_time_ns()
        run()
        times.append((time.process_time_ns() - begin) / 1e9)
    return statistics.median(times[1:])


def memory(d: int, s: int, m: int, n: int, runs: int) -> float:
    """Microseconds a row of reading a table of d rows as n Zipf rows of s features do.

    Features stand in the table in an order in which such a stream first shows them, as a learner numbers them.
    """
    X, _ = zipf_stream(n, d, s, exact=True)
    place = np.empty(d, dtype=np.int64)
    place[first_seen(d)] = np.arange(d)
    table = np.ones((d, m + 2))
    features = place[X.indices]
    return median_seconds(lambda: _weighted_sums(X.indptr, features, X.data, table), runs) / n * 1e6


def dense(m: int, runs: int, count: int = 200) -> float:
    """Microseconds a row of two products with 2m x 2m, and of a decomposition of such a matrix every m + 1 rows."""
    if m == 0:
        return 0.0
    rng = np.random.default_rng(m)
    many = rng.normal(size=(count, 2 * m, 2 * m))
    many = many @ many.transpose(0, 2, 1)
    X = rng.normal(size=(2 * m, 100 * count))
    decompose = median_seconds(lambda: np.linalg.eigh(many), runs) / count
    product = median_seconds(lambda: many[0] @ X, runs) / X.shape[1]
    return (2 * product + decompose / (m + 1)) * 1e6


def limit(d: int, s: int, m: int, n: int, runs: int) -> dict[str, float]:
    """Microseconds a row: of the reads, and of the dense work."""
    return {"memory": memory(d, s, m, n, runs), "dense": dense(m, runs)}
