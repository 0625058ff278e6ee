"""The test run itself: signals reach children however it was started, and no test waits for ever (`limits`)."""

import os
import signal
import subprocess
import sys

import pytest
from places import ROOT

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="signals of POSIX"), pytest.mark.limit(120)]


def run_tests(*arguments, ignored=()):
    """A run of pytest with signals ignored, as a shell starts a job in the background."""

    def ignore():
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTEST_ADDOPTS"}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=environment, preexec_fn=ignore, timeout=100
    )


def test_signals_reach_children_of_a_run_in_the_background():
    done = run_tests("tests/cli/test_signals.py", "-k", "convert", ignored=(signal.SIGINT, signal.SIGHUP))
    assert "3 passed" in done.stdout, done.stdout


WAITS = """
import subprocess, sys
import pytest

@pytest.mark.limit(0.5)
def test_that_waits():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        try:
            process.wait()
        finally:
            process.kill()

@pytest.mark.limit(0.5)
def test_that_waits_while_it_cleans_up():
    try:
        import time
        time.sleep(60)
    finally:
        time.sleep(60)

@pytest.mark.limit(5)
def test_that_does_not():
    pass
"""


def test_a_test_that_waits_for_ever_fails(tmp_path):
    path = tmp_path / "test_waits.py"
    path.write_text(WAITS)
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.insert(0, {str(ROOT / 'tests' / 'support')!r})\n"
        "import limits; limits.AGAIN = 0.2\nfrom limits import *\n"
    )
    done = run_tests("-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, path)
    assert "2 failed, 1 passed" in done.stdout, done.stdout
    assert done.stdout.count("TimeoutError: the test took more than 0.5 seconds") >= 2
