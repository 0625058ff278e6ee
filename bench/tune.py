"""What 20 settings cost side by side, beside 20 runs one after the other, and whether they say the same.

    python bench/tune.py                   # all grids, some minutes
    python bench/tune.py --rounds 1 first-order

Whole processes over a Zipf stream of LIBSVM text (`--rows`, 86 distinct features each): 20 times `sonlearn train`, then
`sonlearn tune` and `sonlearn tune --halving`, in rounds; medians. "One run" is the mean of the 20. In every round the
losses, the errors and the winner's model are compared, to the last bit; a difference ends the bench.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.processes import Cost, median, with_output  # noqa: E402
from bench.workloads import text_files  # noqa: E402
from sonlearn.commands.line import parse  # noqa: E402
from sonlearn.options.run import RunOptions  # noqa: E402
from sonlearn.tuning.grid import parse_grid, settings_of  # noqa: E402

GRIDS = {
    "first-order": ["method=nag learning-rate=.05,.1,.2,.3,.5,.7,1,1.5,2,3 invariant=on,off"],
    "several methods": [
        "method=nag,adagrad,sgd learning-rate=.1,.2,.5,1,2", "method=arow,arow-precision arow-r=.1,1", "method=bayes",
    ],
    "half sketched": [
        "method=rfd-son,fd-son alpha=.1,1 sketch-size=5,10", "method=oja-son alpha=.1,1",
        "method=nag,adagrad learning-rate=.1,.2,.5,1,2",
    ],
    "sketched": ["method=rfd-son alpha=.01,.03,.1,.3,1,3,10,30,100,300 sketch-size=5,10"],
}  # fmt: skip


def alone(flags: str, data: str, model: str) -> None:
    """`sonlearn train` of one setting, which prints its loss and error with all digits: run as a process."""
    from sonlearn.commands.train import TrainingSession

    session = TrainingSession(
        parse("train", flags.split())[0], RunOptions(data=(data,), quiet=True, final_regressor=model)
    )
    session.run()
    print(json.dumps([session.progress.result.average_loss, session.progress.result.average_error]))


def one_round(grids: list[str], data: Path, folder: Path) -> tuple[list[Cost], Cost, Cost]:
    """(costs of the runs alone, of tune, of tune --halving), their figures having been compared."""
    settings = settings_of(map(parse_grid, grids), {}).settings
    costs, expected = [], {}
    for i, setting in enumerate(settings):
        cost, out = with_output([sys.executable, __file__, "--child", setting.flags, str(data), str(folder / f"{i}")])
        costs.append(cost)
        expected[tuple(json.loads(out))] = (folder / f"{i}").read_bytes()
    command = [sys.executable, "-m", "sonlearn", "tune", "--quiet", "-f", str(folder / "best"), "--table", "-"]
    command += [word for grid in grids for word in ("--grid", grid)]
    side_by_side, out = with_output([*command, str(data)])
    rows = [(float(row["average_loss"]), float(row["average_error"])) for row in csv.DictReader(out.splitlines(),
            delimiter="\t")]  # fmt: skip
    if set(rows) != set(expected) or (folder / "best").read_bytes() != expected[rows[0]]:
        raise SystemExit(f"{grids}: tune and train do not agree")
    return costs, side_by_side, with_output([*command, "--halving", str(data)])[0]


def row(name: str, rounds: list[tuple[list[Cost], Cost, Cost]]) -> str:
    """One line of the table."""

    def middle(of: int) -> Cost:
        return median([r[of] if of else Cost(*(sum(part) for part in zip(*r[0], strict=True))) for r in rounds])

    runs = len(rounds[0][0])
    separate, tuned, halved = (middle(of) for of in range(3))
    one = Cost(*(part / runs for part in separate))
    cells = [f"{cost.wall:.1f} / {cost.busy:.1f}" for cost in (one, separate, tuned, halved)]
    ratios = [f"{cost.wall / one.wall:.1f} / {cost.busy / one.busy:.1f}" for cost in (tuned, halved)]
    return f"| {name} | {' | '.join(cells)} | {' | '.join(ratios)} |"


def main() -> None:
    """Print the table, a row as soon as it is there."""
    if sys.argv[1:2] == ["--child"]:
        return alone(*sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grids", nargs="*", help=f"of {', '.join(GRIDS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=100_000)
    arguments = parser.parse_args()
    data, _ = text_files(arguments.rows, 100_000, 100)
    print("| seconds, clock / busy | one run | 20 runs | tune | tune --halving | tune in runs | halving in runs |")
    print(f"|{'---|' * 7}", flush=True)
    for name in arguments.grids or GRIDS:
        with tempfile.TemporaryDirectory() as folder:
            print(row(name, [one_round(GRIDS[name], data, Path(folder)) for _ in range(arguments.rounds)]), flush=True)
    return None


if __name__ == "__main__":
    main()
