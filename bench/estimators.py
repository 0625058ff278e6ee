"""What scikit-learn's manners cost: `SonlearnClassifier.partial_fit` beside the command line on the same rows.

Two processes a line, each of which reads the text with the same parser in one thread more than it learns with:
``sonlearn train``, and Python that gives every batch read to `partial_fit` as a SciPy matrix. Processor seconds and the
largest memory of each, of three runs the least; then the same less what an empty run of each takes (imports).

    python bench/estimators.py FILE ... [--method NAME ...]
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.processes import Command, in_turns

RUNS = 3
PYTHON = """
import sys
from sonlearn.data.matrices import to_csr
from sonlearn.sklearn import SonlearnClassifier
from sonlearn.text.read import Reader
model, width = SonlearnClassifier(method=sys.argv[2]), int(sys.argv[3])
for batch in Reader(sys.argv[1], threads=1):
    X = to_csr(batch, 1)
    X.resize((X.shape[0], width))
    model.partial_fit(X, batch.y, classes=[-1, 1])
model.learner_.save(sys.argv[4])
"""


def least(arguments: list[str]) -> tuple[float, float]:
    """The same of three runs, after one that compiles; the least of each."""
    command = Command([sys.executable, *arguments], environment={"OPENBLAS_NUM_THREADS": "1"})
    found = in_turns({"": command}, RUNS)[""]
    return min(cost.busy for cost in found), min(cost.mb for cost in found)


def main() -> None:
    """Print a line for each file and method."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--method", nargs="+", default=["nag", "drfd", "committee"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model, empty = os.path.join(folder, "model"), os.path.join(folder, "empty.svm")
        with open(empty, "w") as file:
            file.write("1 1:1\n-1 1:1\n")
        print("file method | seconds: command line, partial_fit, ratio | MB: the same | ratios less imports")
        for method in options.method:

            def both(file: str, method: str = method) -> list[tuple[float, float]]:
                command = ["-m", "sonlearn", "train", "--quiet", "--threads", "1", "--method", method]
                return [least([*command, "-f", model, file]), least(["-c", PYTHON, file, method, str(1 << 40), model])]

            (own, own_memory), (their, their_memory) = both(empty)
            for file in map(os.path.abspath, options.files):
                (a, a_memory), (b, b_memory) = both(file)
                print(
                    f"{os.path.basename(file)} {method} | {a:.2f} {b:.2f} {b / a:.3f} | "
                    f"{a_memory:.0f} {b_memory:.0f} {b_memory / a_memory:.3f} | "
                    f"{(b - their) / (a - own):.3f} {(b_memory - their_memory) / max(a_memory - own_memory, 1e-9):.3f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
