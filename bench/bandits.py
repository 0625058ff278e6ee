"""Classes turned into bandits, over all sets at hand: sonlearn beside the best of eight explorers of Vowpal Wabbit.

    python bench/bandits.py [--rows N] [--sets dna.scale,...] [--peers] [--fresh]

For each row a class is chosen, and only whether it was the right one is learned (`--cbify K`). The table has mistakes a
row over the first N rows (default 10,000) of `bench.quality.sets.CLASSES` in a seeded order: of VW's best explorer on
that set, chosen in hindsight, and of sonlearn with nothing tuned; the regret against the same learner told every label
(mistakes a row more than it makes); microseconds of processor time a decision. VW's figures are kept in
bench/out/bandits.json and made anew with --fresh; --peers makes them and nothing else. The data are not part of the
project (bench/rows.py says where they are looked for).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from bench.quality import sets  # noqa: E402
from bench.quality.sets import DataSet  # noqa: E402
from bench.workloads import OUT, write_rows  # noqa: E402

NAMES = {sets.short(name): name for name in sets.CLASSES}
KEPT = OUT / "bandits.json"
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
        data, K = sets.load_classes(NAMES[name], rows)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.vw"
            write_rows(path, data.X, data.y, "{label} | {features}\n")
            known[key] = {explorer: peer(data, K, explorer, path) for explorer in EXPLORERS}
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        KEPT.write_text(json.dumps(known, indent=1))
    return known[key]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--sets", default="")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    wanted = [name for name in given.sets.split(",") if name]
    for name in [sets.short(name) for name in sets.chosen(sets.CLASSES, wanted)]:
        theirs = peers(name, given.rows, given.fresh)
        print(name, theirs, flush=True)


if __name__ == "__main__":
    main()
