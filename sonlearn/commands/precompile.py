"""A second process that compiles what a first run is going to need, while the run compiles what it needs now.

And ``sonlearn warm``, which has all kernels compiled and kept, so that no run has to.

Compiling is Python's work, of which a process does one piece at a time. The helper learns a few rows of its own with
the run's options, beginning with the members that take longest; what it compiles the run finds in the cache. Neither
compiles what the other one is at (`sonlearn.jit.cache`): each goes on with what is left, so it does not matter who is
first.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import io
import json
import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.commands.line import Line
from sonlearn.data.batch import Batch
from sonlearn.data.rows import Rows
from sonlearn.errors import OptionError, SonlearnError
from sonlearn.jit import without_numba
from sonlearn.jit.settings import is_shared, package_folders
from sonlearn.learn.engine import Predictions
from sonlearn.learn.learner import Learner, Predicted
from sonlearn.options import BanditOptions, LearnOptions, TextOptions
from sonlearn.options.methods import METHODS
from sonlearn.report.problem import problem_of
from sonlearn.text.read import Reader

if TYPE_CHECKING:
    import subprocess

    from sonlearn.learn.bandits.bandit import Bandit

_PROGRAM = (
    "import json, sys; given = json.loads(sys.stdin.readline()); sys.path[:] = given['path']; "
    "from sonlearn.commands.precompile import compile_for; compile_for(given['learn'], given['bandit'])"
)
#: New objects after which Python looks for garbage, of which compiling makes little.
_OBJECTS = 100_000
_ROWS, _FEATURES = 64, 20  # more features than the index of a new learner has room for
_WARM_ROWS = 300


class Helper:
    """The process, as seen from the run."""

    def __init__(self) -> None:
        self._process: subprocess.Popen | None = None
        self._closed = False

    def start(self, options: LearnOptions | None, bandit: BanditOptions | None = None) -> None:
        """Have the kernels compiled that learning with `options` takes; where that cannot be, nothing happens.

        With `bandit` decisions are learned, without `options` by their own reward models.
        """
        import subprocess

        if self._closed or not (is_shared() and sys.executable and _cores() > 1):
            return
        with contextlib.suppress(OSError, TypeError, ValueError):
            # -P: what stands in the current folder is no module of ours
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            both = (None if one is None else dataclasses.asdict(one) for one in (options, bandit))
            given = dict(zip(("path", "learn", "bandit"), (sys.path, *both), strict=True))
            print(json.dumps(given), file=self._process.stdin, flush=True)

    def close(self) -> None:
        """End it, whatever it is at."""
        self._closed = True
        if self._process is not None:
            self._process.kill()
            with contextlib.suppress(OSError):
                self._process.communicate()


def compile_decisions(options: BanditOptions, learn: LearnOptions | None = None) -> Bandit:
    """A learner of decisions that has learned a few."""
    from sonlearn.data.decisions import listed, numbered
    from sonlearn.learn.bandits.bandit import Bandit

    bandit, rows, K = Bandit(options, learn=learn), sample_rows(), options.actions
    rows = rows._replace(indices=rows.indices % _FEATURES)  # few enough for cosines of them
    if K is None:
        decisions = listed(rows, np.arange(0, rows.n + 1, 2), np.zeros(rows.n // 2), rows.y[: rows.n // 2])
    else:
        decisions = numbered(rows, K, np.arange(rows.n) % K, rows.y)
    bandit.partial_fit(decisions)
    return bandit


def compile_for(learn: dict[str, Any] | None, bandit: dict[str, Any] | None) -> None:
    """Do what the process is for. It ends with the run, which keeps its standard input open."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    gc.set_threshold(_OBJECTS)
    without_numba()  # as the run does, which finds by the types of arguments what is compiled here
    options = None if learn is None else LearnOptions(**learn)
    if bandit is not None:
        compile_decisions(BanditOptions(**bandit), options)
    elif options is not None:
        compile_learning(options)


def compile_learning(options: LearnOptions) -> None:
    """Learn a few rows with each member's method, and with all; report on them.

    The slowest member first, which the run needs last; the others by two threads, of which one goes on while the other
    waits for a kernel that the run compiles. What the run needs before engines, to number features, it compiles itself
    meanwhile: the rows that engines learn first have numbers.
    """
    slowest, *others = *of_members(options), options
    _learn(slowest)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(_learn, others))


def _learn(options: LearnOptions) -> None:
    with contextlib.suppress(SonlearnError):
        learner, batch = Learner(options, threads=2), sample_rows()
        y, base, unseen = learner.coded(batch, remember=True), np.zeros(batch.n), np.zeros((batch.n, 2))
        rows = Rows(batch.indptr, batch.indices, batch.values, y, batch.weight, base, unseen, ids=batch.indices)
        out = Predictions.empty(batch.n, learner.scores)
        learner.engine.learn_all(learner.engine.new(), rows, out, len(batch.indices))
        report_on(learner, batch, learner.partial_fit(batch))


def report_on(learner: Learner, batch: Batch, predicted: Predicted) -> None:
    """Do what a run does to report a batch."""
    problem = problem_of(learner.options, learner)
    problem.progress().update(problem.outcome(batch, None, predicted))
    problem.metrics().add(batch, predicted)


def of_members(options: LearnOptions) -> list[LearnOptions]:
    """Options of committees of one member each, of every method on every kind of view, the slowest first.

    Of no other learner any.
    """
    if options.method != "committee":
        return []
    from sonlearn.learn.ensemble.committee import committee_members
    from sonlearn.options.views import VIEWS

    found: dict[tuple[str, str], LearnOptions] = {}
    for member in sorted(committee_members(options), key=lambda member: -member.cost):
        own = dataclasses.replace(options, members=(member.name,))
        found.setdefault((member.method, VIEWS[member.view].kind), own)
    return list(found.values())


def sample_rows() -> Batch:
    """Rows that fit every loss and any number of classes: labels 0 and 1."""
    n = _ROWS * _FEATURES
    indptr, values = np.arange(0, n + 1, _FEATURES), np.random.default_rng(1).normal(size=n)
    labels = np.arange(_ROWS) % 2.0
    return Batch(indptr, np.arange(n), values, labels, np.ones(_ROWS), np.arange(1, _ROWS + 1))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _end_with_input() -> None:
    os.read(0, 1)  # not through sys.stdin, which is closed at the end of a process
    os._exit(0)


def warm(line: Line) -> int:
    """Learn a little with the method, or with each, from every format, with all of them also decisions.

    Returns the exit status.

    Raises
    ------
    OptionError
        There is no place that kernels could be kept in.
    """
    from sonlearn.data.decisions import numbered

    methods = [line.given["method"]] if "method" in line.given else list(METHODS)
    folder, every = package_folders()
    if not every:
        raise OptionError("warm: no folder for kernels can be written to; name one in SONLEARN_CACHE_DIR")
    started = time.perf_counter()
    for options, data in _inputs():
        reader = Reader(io.BytesIO(data), options)
        batches = list(reader)
        for method in methods if reader.format == "svmlight" else methods[:1]:
            learner = Learner(LearnOptions(method=method), options)
            for _ in range(2):
                for batch in batches:
                    report_on(learner, batch, learner.partial_fit(batch))
                learner.next_pass()
            learner.predict(batches[0])
            learner.weights()
            learner.facts()
            Learner.from_arrays(*learner.to_arrays()).predict(batches[0])
    if len(methods) > 1:  # all
        for options in (BanditOptions(cb_explore=2), BanditOptions(cb_explore_adf=True)):
            bandit = compile_decisions(options)
            again = type(bandit).from_arrays(*bandit.to_arrays())
            again.predict(numbered(sample_rows(), options.actions or 1))
    print(f"{time.perf_counter() - started:.1f} s; the kernels are in {os.path.dirname(folder or every[0])}")
    return 0


def _inputs() -> list[tuple[TextOptions, bytes]]:
    """Options and text of every kind that has a kernel."""
    r = random.Random(1)
    svmlight, vw, csv = [], [], ["y,a,b"]
    for i in range(_WARM_ROWS):
        y, x = (-1) ** i, [r.gauss(0, 1) for _ in range(30)]
        pairs = [f"{r.randrange(1, 400)}:{value:.17g}" for value in x]
        svmlight.append(f"{y} {' '.join(pairs)}")
        vw.append(f"{y} |a x{i} y:{x[0]:.3f} z:red |b u v:{x[1]:.3f} w")
        csv.append(f"{y},{x[0]:.3f},{'red' if x[1] > 0 else 'blue'}")
    texts = ["\n".join(lines).encode() for lines in (svmlight, vw, csv)]
    return [
        (TextOptions(), texts[0]), (TextOptions(), texts[1]), (TextOptions(quadratic=("ab",), ngram=("a2",)), texts[1]),
        (TextOptions(label="y"), texts[2]),
    ]  # fmt: skip
