"""Settings for all tests: `tests/support` importable, one thread for small matrices, limits, what runs interpreted."""

import gc
import os
import sys
from pathlib import Path

import pytest

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ["PYTHONPATH"] = str(Path(__file__).parents[1])  # so that other processes run this project
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # or each of them would translate it anew, which is half of a start
sys.path.insert(0, str(Path(__file__).parent / "support"))

from commands import CommandLine
from limits import pytest_runtest_call, restore_signals

__all__ = ["pytest_runtest_call"]
restore_signals()
gc.set_threshold(100_000)  # as the program does; compiling makes many objects and little garbage

#: Kernels run as plain Python.
INTERPRETS = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
#: Files whose tests run kernels and are quick without compilation; others mark single tests.
INTERPRETED = ("test_text_errors", "test_text_hashing", "test_text_number", "test_text_read", "test_text_source")

#: Files that take longest. With several processes they begin first, in this order, so that none is left for the end.
#: The first two begin with other kernels: neither process waits for what the other compiles.
LONGEST = (
    "test_docs", "test_views", "test_newton", "test_jit", "test_learner_checks", "test_start", "test_merging",
    "test_boost", "test_kill", "test_files", "test_first_order", "test_tasks", "test_cli", "test_forgetting",
    "test_committee", "test_multinomial", "test_drfd", "test_evaluate", "test_sketch_gfd", "test_papers",
    "test_silent_failures",
)  # fmt: skip


def pytest_configure(config):
    """pytest-xdist would begin with the files of most tests."""
    config.option.loadscopereorder = False


def pytest_ignore_collect(collection_path, config):
    """With ``-m interpreted`` leave out files that have no such test: two of three, which need not be imported."""
    if config.option.markexpr.startswith("interpreted") and collection_path.suffix == ".py":
        known = collection_path.stem in INTERPRETED or "interpreted" in collection_path.read_text(encoding="utf-8")
        return None if known else True
    return None


def pytest_collection_modifyitems(config, items):
    """Put the longest files first, mark what runs without compilation, and leave out what `--once` says."""
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))
    for item in items:
        if item.path.stem in INTERPRETED:
            item.add_marker(pytest.mark.interpreted)
    path = config.getoption("--once")
    passed = set(path.read_text(encoding="utf-8").splitlines()) if path is not None and path.exists() else set()
    left_out = [item for item in items if item.nodeid in passed or (INTERPRETS and item.get_closest_marker("compiled"))]
    config.hook.pytest_deselected(items=left_out)
    gone = set(left_out)
    items[:] = [item for item in items if item not in gone]


def pytest_addoption(parser):
    """``--allowed-skips N``: more skipped tests fail the run; ``--once FILE``: none that passed is run again."""
    parser.addoption("--allowed-skips", type=int, default=None, metavar="N", help="fail if more tests than N skip")
    parser.addoption(
        "--once", type=Path, default=None, metavar="FILE", help="leave out tests that FILE lists; add those that pass"
    )


def pytest_terminal_summary(terminalreporter, config):
    """Say which limit the skipped tests broke."""
    skipped, allowed = len(terminalreporter.stats.get("skipped", ())), config.getoption("--allowed-skips")
    if allowed is not None and skipped > allowed:
        terminalreporter.write_line(
            f"{skipped} tests were skipped, {allowed} are allowed: see the reasons above", red=True
        )


def pytest_sessionfinish(session, exitstatus):
    """Fail a run in which more tests were skipped than ``--allowed-skips`` says; keep what passed for ``--once``."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # a process of pytest-xdist: the one that started it counts
        return
    allowed, path = session.config.getoption("--allowed-skips"), session.config.getoption("--once")
    if allowed is not None and exitstatus == 0 and len(reporter.stats.get("skipped", ())) > allowed:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if path is not None:
        with path.open("a", encoding="utf-8") as file:
            file.writelines(f"{report.nodeid}\n" for report in reporter.stats.get("passed", ()))


def package(name, fixture=None):
    """A fixture that is a package; a test that asks for it is skipped where it is not installed."""
    return pytest.fixture(lambda: pytest.importorskip(name, reason=f"{name} is not installed"), name=fixture or name)


fsspec, pandas, polars, pyarrow, tqdm = map(package, ("fsspec", "pandas", "polars", "pyarrow", "tqdm"))
vowpalwabbit, parquet = package("vowpalwabbit"), package("pyarrow.parquet", "parquet")


@pytest.fixture
def cli(tmp_path, monkeypatch, capsysbinary):
    """The command line, called in this process, in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SONLEARN_DEBUG", raising=False)
    return CommandLine(capsysbinary)
