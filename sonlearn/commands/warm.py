"""``sonlearn warm``: have all kernels compiled and kept, so that no run has to."""

from __future__ import annotations

import io
import os
import random
import time

from sonlearn.commands.line import Line
from sonlearn.commands.precompile import decide_some, report_on, some_rows
from sonlearn.data.decisions import numbered
from sonlearn.errors import OptionError
from sonlearn.jit.settings import package_folders
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.learn.learner import Learner
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.options.methods import METHODS
from sonlearn.text.read import Reader

_ROWS = 300


def command(line: Line) -> int:
    """Learn a little with the method, or with each, from every format, with all of them also decisions.

    Returns the exit status.

    Raises
    ------
    OptionError
        There is no place that kernels could be kept in.
    """
    methods = [line.given["method"]] if "method" in line.given else list(METHODS)
    folder, others = package_folders()
    if folder is None and not others:
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
            Bandit.from_arrays(*decide_some(options).to_arrays()).predict(numbered(some_rows(0), options.actions or 1))
    print(f"{time.perf_counter() - started:.1f} s; the kernels are in {os.path.dirname(folder or others[0])}")
    return 0


def _inputs() -> list[tuple[TextOptions, bytes]]:
    """Options and text of every kind that has a kernel."""
    r = random.Random(1)
    svmlight, vw, csv = [], [], ["y,a,b"]
    for i in range(_ROWS):
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
