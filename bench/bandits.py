"""Classes turned into bandits, over all sets at hand: sonlearn beside the best of eight explorers of Vowpal Wabbit.

    python bench/bandits.py [--rows N] [--sets dna.scale,...] [--fresh]

For each row a class is chosen, and only whether it was the right one is learned (`--cbify K`). The table has mistakes a
row over the first N rows (default 10,000) of `bench.quality.sets.CLASSES` in a seeded order: of VW's best explorer on
that set, chosen in hindsight, and of sonlearn with nothing tuned; the regret against the same learner told every label
(mistakes a row more than it makes); microseconds of processor time a decision. VW's figures are kept under
bench/out and made anew with --fresh. The data are not part of the project (bench/rows.py says where they are looked
for).
"""

from __future__ import annotations

import argparse
import importlib.metadata
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.quality import sets  # noqa: E402
from bench.quality.measures import geometric  # noqa: E402
from bench.quality.peers import fingerprint, kept  # noqa: E402
from bench.quality.sets import DataSet  # noqa: E402
from bench.table import Table  # noqa: E402
from bench.workloads import write_rows  # noqa: E402
from sonlearn import from_scipy  # noqa: E402
from sonlearn.data.decisions import numbered  # noqa: E402
from sonlearn.learn.bandits.bandit import Bandit  # noqa: E402
from sonlearn.options.bandit import BanditOptions  # noqa: E402
from sonlearn.text.decisions.labels import decisions_of_classes  # noqa: E402

BATCH, WARM = 1000, 100
#: Explorers of VW, all with `--cbify K --cb_explore_adf -b 20`.
EXPLORERS = {
    "epsilon .05": "--epsilon 0.05",
    "greedy": "--epsilon 0",
    "bag 5": "--bag 5 --epsilon 0",
    "cover 3": "--cover 3",
    "squarecb": "--squarecb",
    "regcb": "--regcbopt --mellowness 0.01",
    "softmax": "--softmax --lambda 20",
    "rnd 3": "--rnd 3 --epsilon 0",
}


def peer(K: int, explorer: str, path: Path) -> float:
    """Mistakes a row of an explorer of VW."""
    arguments = f"-m vowpalwabbit --cbify {K} --cb_explore_adf -b 20 {EXPLORERS[explorer]} -d {path} --random_seed 1"
    found = subprocess.run([sys.executable, *arguments.split()], capture_output=True, text=True, check=True)
    return float(found.stderr.partition("average loss = ")[2].split()[0])


def peers(data: DataSet, K: int, fresh: bool) -> dict[str, float]:
    """Mistakes a row of each explorer of VW on a set."""
    version, arrays = importlib.metadata.version("vowpalwabbit"), (data.X.indptr, data.X.indices, data.X.data, data.y)

    def compute() -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.vw"
            write_rows(path, data.X, data.y, "{label} | {features}\n")
            return np.array([peer(K, explorer, path) for explorer in EXPLORERS])

    found = kept(f"{data.name}-bandits", fingerprint(version, K, *EXPLORERS.values(), *arrays), fresh, compute)
    return dict(zip(EXPLORERS, found.tolist(), strict=True))


class Result(NamedTuple):
    """Of one set: mistakes a row, those of the learner told every label, microseconds of processor time a decision."""

    mistakes: float
    informed: float
    microseconds: float


def ours(data: DataSet, K: int) -> Result:
    """The learner, untuned, over a set."""
    decisions = decisions_of_classes(from_scipy(data.X, data.y), data.y.astype(int) - 1, K)
    Bandit(BanditOptions(cbify=K)).partial_fit(decisions.part(0, WARM))
    bandit, losses, before = Bandit(BanditOptions(cbify=K)), [], time.process_time()
    for start in range(0, decisions.n, BATCH):
        losses.append(bandit.partial_fit(decisions.part(start, start + BATCH)).loss)
    seconds = time.process_time() - before
    return Result(float(np.concatenate(losses).mean()), informed(data, K), 1e6 * seconds / decisions.n)


def informed(data: DataSet, K: int) -> float:
    """Mistakes a row of the learner where it is told whether each class is the right one, and the best one is taken.

    Each row stands K times in a row as a logged decision, with class k as action k; the first decides.
    """
    bandit, wrong, step = Bandit(BanditOptions(cb=K)), 0, max(BATCH // K, 1)
    for start in range(0, len(data.y), step):
        y = data.y[start : start + step].astype(int) - 1
        at, action = np.repeat(np.arange(len(y)), K), np.tile(np.arange(K), len(y))
        rows = from_scipy(data.X[start : start + step][at])
        decided = bandit.partial_fit(numbered(rows, K, action, (action != y[at]) * 1.0))
        first = decided.probability.reshape(-1, K)[::K]
        wrong += float((1.0 - first[np.arange(len(y)), y]).sum())
    return wrong / len(data.y)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--sets", default="")
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    wanted = [name for name in given.sets.split(",") if name]
    table = Table("", ["set", "kind", "K", "rows", "VW, best explorer", "sonlearn", "ratio", "regret", "us"])
    ratios: dict[str, list[float]] = {"text": [], "numbers": []}
    for name in sets.chosen(sets.CLASSES, wanted):
        data, K = sets.load_classes(name, given.rows)
        theirs = peers(data, K, given.fresh)
        best = min(theirs, key=lambda explorer: theirs[explorer])
        own = ours(data, K)
        ratios[data.kind].append(own.mistakes / theirs[best])
        cells = f"{theirs[best]:.4f} ({best})", f"{own.mistakes:.4f}", ratios[data.kind][-1]
        regret = f"{own.mistakes - own.informed:.4f}"
        table.row(data.name, data.kind, K, len(data.y), *cells, regret, round(own.microseconds))
    for kind, found in {**ratios, "all": ratios["text"] + ratios["numbers"]}.items():
        if found:
            print(f"{kind}: geometric mean {geometric(found):.3f}, worst {max(found):.3f}")


if __name__ == "__main__":
    main()
