"""Classes turned into bandits, over all sets at hand: sonlearn beside the best of eight explorers of Vowpal Wabbit.

    python bench/bandits.py [--rows N] [--sets dna.scale,...] [--peers] [--fresh] [--held-out]

For each row a class is chosen, and only whether it was the right one is learned (`--cbify K`). The table has mistakes a
row over the first N rows (default 10,000) of `bench.quality.sets.CLASSES` in a seeded order: of VW's best explorer on
that set, chosen in hindsight, and of sonlearn with nothing tuned; the regret against the same learner told every label
(mistakes a row more than it makes); microseconds of processor time a decision. VW's figures are kept in
bench/out/bandits.json and made anew with --fresh; --peers makes them and nothing else. --held-out takes sets on which
nothing was ever chosen: scikit-learn's, and made-up texts of easy and of hard classes. Other data are not part of the
project (bench/rows.py says where they are looked for).
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.quality import sets  # noqa: E402
from bench.quality.sets import DataSet  # noqa: E402
from bench.workloads import OUT, write_rows  # noqa: E402
from sonlearn import from_scipy  # noqa: E402
from sonlearn.data.decisions import numbered  # noqa: E402
from sonlearn.learn.bandits.bandit import Bandit  # noqa: E402
from sonlearn.options.bandit import BanditOptions  # noqa: E402
from sonlearn.text.decisions.classes import decisions_of_classes  # noqa: E402

NAMES = {sets.short(name): name for name in sets.CLASSES}
KEPT = OUT / "bandits.json"
BATCH, WARM = 1000, 100
#: Sets of --held-out, once they are made.
MADE: dict[str, tuple[DataSet, int]] = {}
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
_VW = """
import sys, vowpalwabbit
vw = vowpalwabbit.Workspace(sys.argv[1], enable_logging=True)
vw.finish()
print([line for line in vw.get_log() if line.startswith('average loss')][0].split('=')[1])
"""


def held_out() -> dict[str, tuple[DataSet, int]]:
    """{name: (set, classes)}."""
    from sklearn import datasets

    found = {}
    for name in ("digits", "wine", "iris", "breast_cancer"):
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        order = np.random.default_rng(1).permutation(len(y))
        found[name] = DataSet(name, "numbers", sp.csr_array(X[order]), y[order] + 1.0), int(y.max()) + 1
    for K, share in ((5, 0.3), (20, 0.15)):
        name = f"made-text-{K}"
        found[name] = made_texts(name, K, share), K
    return found


def made_texts(name: str, K: int, share: float, rows: int = 5000, words: int = 30) -> DataSet:
    """Texts of Zipf's words, a `share` of which are those of the class: each class has 200 in an order of its own."""
    rng = np.random.default_rng(K)
    y = rng.integers(0, K, rows)
    common = rng.zipf(1.3, (rows, words)) % 5000
    own = 5000 + rng.permuted(np.tile(np.arange(2000), (K, 1)), axis=1)[y[:, None], rng.zipf(1.5, (rows, words)) % 200]
    at = np.where(rng.random((rows, words)) < share, own, common)
    X = sp.coo_array((np.ones(at.size), (np.repeat(np.arange(rows), words), at.ravel())), shape=(rows, 7000)).tocsr()
    return DataSet(name, "text", X, y + 1.0)


def loaded(name: str, rows: int) -> tuple[DataSet, int]:
    """(a set, its classes)."""
    return MADE[name] if name in MADE else sets.load_classes(NAMES[name], rows)


def peer(data: DataSet, K: int, explorer: str, path: Path) -> float:
    """Mistakes a row of an explorer of VW."""
    arguments = f"--cbify {K} --cb_explore_adf -b 20 {EXPLORERS[explorer]} -d {path} --random_seed 1"
    found = subprocess.run([sys.executable, "-c", _VW, arguments], capture_output=True, text=True, check=True)
    return float(found.stdout)


def peers(name: str, rows: int, fresh: bool) -> dict[str, float]:
    """Mistakes a row of each explorer of VW on a set."""
    known = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    key = f"{name} {rows}"
    if fresh or key not in known:
        data, K = loaded(name, rows)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.vw"
            write_rows(path, data.X, data.y, "{label} | {features}\n")
            known[key] = {explorer: peer(data, K, explorer, path) for explorer in EXPLORERS}
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(known, indent=1))
    return known[key]


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
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    given = parser.parse_args()
    wanted = [name for name in given.sets.split(",") if name]
    print("| set | kind | K | rows | VW, best explorer | sonlearn | ratio | regret | us |")
    print("|---|---|---|---|---|---|---|---|---|")
    ratios: dict[str, list[float]] = {"text": [], "numbers": []}
    names = [sets.short(name) for name in sets.chosen(sets.CLASSES, wanted)]
    if given.held_out:
        MADE.update(held_out())
        names = [name for name in MADE if not wanted or name in wanted]
    for name in names:
        theirs = peers(name, given.rows, given.fresh)
        if given.peers:
            continue
        best = min(theirs, key=lambda explorer: theirs[explorer])
        data, K = loaded(name, given.rows)
        own = ours(data, K)
        ratios[data.kind].append(own.mistakes / theirs[best])
        print(
            f"| {name} | {data.kind} | {K} | {len(data.y)} | {theirs[best]:.4f} ({best}) | {own.mistakes:.4f} | "
            f"{ratios[data.kind][-1]:.3f} | {own.mistakes - own.informed:.4f} | {own.microseconds:.0f} |",
            flush=True,
        )
    for kind, found in {**ratios, "all": ratios["text"] + ratios["numbers"]}.items():
        if found:
            mean = math.exp(sum(map(math.log, found)) / len(found))
            print(f"{kind}: geometric mean {mean:.3f}, worst {max(found):.3f}")


if __name__ == "__main__":
    main()
