"""What a test run needs of the process it runs in: signals that arrive, and an end to every wait.

`conftest` takes both. A shell starts a job in the background (``&``, ``nohup``) with signals ignored, and a process
hands that on to its children, which would then never end by them.
"""

import signal
import threading

import pytest

#: Seconds that a test may take, if its mark `limit` names no others: far more than any needs, cold kernels included.
LIMIT = 600.0
#: Seconds after which a test over its limit is stopped once more: what cleans up behind it may wait, too.
AGAIN = 5.0


def restore_signals() -> None:
    """Let SIGINT and SIGHUP do to children what they do by default, though they may be ignored here.

    A handler is not handed on: in a child the default stands in its place.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) == signal.SIG_IGN:
        signal.signal(hangup, lambda number, frame: None)  # the run itself goes on without its terminal


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test that takes longer than its limit, on systems that have a clock for that."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return (yield)
    mark = item.get_closest_marker("limit")
    seconds = mark.args[0] if mark else LIMIT

    def stop(number, frame):
        raise TimeoutError(f"the test took more than {seconds:g} seconds")

    former = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, former)
