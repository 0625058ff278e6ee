"""Each job runs once, after the jobs that it needs, with any number of threads."""

import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from sonlearn.learn.ensemble.scheduling import Job, run_jobs


def chains(done, lock, pause):
    """Jobs in three chains, with one in the end that needs them all; each notes that it has been done."""

    def note(name):
        time.sleep(pause())
        with lock:
            done.append(name)

    jobs, ends = [], []
    for chain in "abc":
        before = []
        for number in range(4):
            before = [Job(lambda name=(chain, number): note(name), before)]
            jobs += before
        ends += before
    return [*jobs, Job(lambda: note(("end", 0)), ends)]


@pytest.mark.parametrize("hands", [0, 1, 2, 5])
def test_every_job_is_done_once_and_after_what_it_needs(hands):
    done, chance = [], random.Random(0)
    jobs = chains(done, threading.Lock(), lambda: chance.random() / 500)
    if hands:
        with ThreadPoolExecutor(hands) as pool:
            run_jobs(jobs, pool, hands)
    else:
        run_jobs(jobs, None, 0)
    assert sorted(done) == sorted([(chain, number) for chain in "abc" for number in range(4)] + [("end", 0)])
    assert all([n for c, n in done if c == chain] == [0, 1, 2, 3] for chain in "abc")
    assert done[-1] == ("end", 0)


def test_one_thread_takes_the_first_that_is_ready():
    done = []
    jobs = chains(done, threading.Lock(), lambda: 0.0)
    with ThreadPoolExecutor(1) as pool:
        run_jobs(jobs, pool, 1)
    assert done == [(chain, number) for chain in "abc" for number in range(4)] + [("end", 0)]


def test_what_a_job_raises_is_raised_and_nobody_waits_for_ever():
    def fail():
        raise ValueError("no")

    first = Job(fail)
    with ThreadPoolExecutor(3) as pool, pytest.raises(ValueError, match="no"):
        run_jobs([first, Job(lambda: None, [first]), Job(lambda: None, [first])], pool, 3)
