"""How long a user waits: whole processes on real data, ours beside Vowpal Wabbit's, in turns.

    python bench/wait.py                   # text and short rows, then the fixed costs; some minutes
    python bench/wait.py --runs 3 --rows 100000

Each figure is the median of several runs after a warm-up, the commands taking turns so that a busy machine slows all of
them: wall clock, processor time (user and system, both cores) and peak memory of a process that reads text, learns and
saves nothing. Data: ../shared/data or $SONLEARN_DATA; what is not there is left out, with a word.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
DATA = Path(os.environ.get("SONLEARN_DATA", ROOT.parent / "shared" / "data"))

OURS = [sys.executable, "-m", "sonlearn"]
VW = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
#: Name -> what is run on LIBSVM text (ours) or VW text.
COMMANDS = {
    "VW": [*VW, "-d", "{vw}"],
    "VW OjaNewton m=10": [*VW, "--OjaNewton", "--sketch_size", "10", "-d", "{vw}"],
    "committee": [*OURS, "train", "--quiet", "{svm}"],
    "committee, cheap": [*OURS, "train", "--quiet", "--budget", "cheap", "{svm}"],
    "nag": [*OURS, "train", "--quiet", "--method", "nag", "{svm}"],
    "rfd m=10": [*OURS, "train", "--quiet", "--sketch", "rfd", "-m", "10", "{svm}"],
}
#: Files of LIBSVM text and how often they are repeated: text, and short rows.
SETS = {"svm/rcv1sub.binary": 8, "svm/covtype.binary.scale": 1, "svm/a9a": 10, "svm/frappe": 3}


def measured(command: list[str]) -> tuple[float, float, float]:
    """(wall seconds, processor seconds, peak MB) of a command."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT)
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} failed: {message.decode()[-500:]}")
    return time.perf_counter() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def in_turns(commands: dict[str, list[str]], runs: int) -> dict[str, tuple[float, float, float]]:
    """Medians of each command, after one run of each that does not count."""
    times: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    for name in list(commands) * (runs + 1):
        times[name].append(measured(commands[name]))
    return {name: tuple(map(statistics.median, zip(*own[1:], strict=True))) for name, own in times.items()}


def files(name: str, times: int, rows: int, folder: Path) -> tuple[Path, Path, int]:
    """(LIBSVM text, VW text, rows) of a data set repeated, each time in another order.

    Made in another process: a child's peak memory begins with that of the process that starts it.
    """
    program = f"from bench.wait import write; print(write({name!r}, {times}, {rows}, {str(folder)!r}))"
    done = subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT, capture_output=True, text=True)
    return folder / "data.svm", folder / "data.vw", int(done.stdout)


def write(name: str, times: int, rows: int, folder: str) -> int:
    """Write the two files; returns how many rows they have."""
    with gzip.open(DATA / f"{name}.svm.gz", "rt") as lines:
        text = [line.split(maxsplit=1) for line in lines if line.strip()]
    low = min({label for label, _ in text}, key=float)
    chance, written = random.Random(0), 0
    with open(f"{folder}/data.svm", "w") as svm, open(f"{folder}/data.vw", "w") as vw:
        for _ in range(times):
            chance.shuffle(text)
            for label, features in text[: rows - written]:
                sign = "-1" if label == low else "1"
                svm.write(f"{sign} {features}")
                vw.write(f"{sign} | {features}")
                written += 1
    return written


def on_data(sets: list[str], runs: int, rows: int, peers: bool) -> None:
    """Print the table of the data sets."""
    commands = {name: own for name, own in COMMANDS.items() if peers or not name.startswith("VW")}
    print("| rows | learner | wall s | processor s | MB | wall / VW | us a row |\n|---|---|---|---|---|---|---|")
    for name in sets:
        times = SETS[name]
        if not (DATA / f"{name}.svm.gz").exists():
            print(f"{name}: not in {DATA}", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            svm, vw, n = files(name, times, rows, Path(folder))
            filled = {key: [part.format(svm=svm, vw=vw) for part in own] for key, own in commands.items()}
            for key, (wall, cpu, mb) in (found := in_turns(filled, runs)).items():
                ratio = f"{wall / found['VW'][0]:.2f}" if "VW" in found else ""
                what = f"{name.split('/')[1]} x {times}: {n:,}"
                print(
                    f"| {what} | {key} | {wall:.2f} | {cpu:.2f} | {mb:.0f} | {ratio} | {wall / n * 1e6:.1f} |",
                    flush=True,
                )


def fixed_costs(runs: int) -> None:
    """What a run costs before its first row: 100 lines, `inspect`, `--help`."""
    with tempfile.TemporaryDirectory() as folder:
        data, model = Path(folder) / "100.svm", Path(folder) / "model"
        data.write_text("".join((ROOT / "data" / "sample.svm").read_text().splitlines(keepends=True)[:100]))
        measured([*OURS, "train", "--quiet", "-f", str(model), str(data)])
        commands = {
            "100 lines, committee": [*OURS, "train", "--quiet", str(data)],
            "100 lines, rfd m=10": [*OURS, "train", "--quiet", "--sketch", "rfd", str(data)],
            "100 lines, nag": [*OURS, "train", "--quiet", "--method", "nag", str(data)],
            "inspect": [*OURS, "inspect", str(model)],
            "--help": [*OURS, "--help"],
        }
        print("\n| what | wall s | processor s | MB |\n|---|---|---|---|")
        for name, (wall, cpu, mb) in in_turns(commands, runs).items():
            print(f"| {name} | {wall:.3f} | {cpu:.3f} | {mb:.0f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each command (default %(default)s)")
    parser.add_argument("--sets", nargs="*", default=list(SETS), metavar="SET", help=f"of {', '.join(SETS)}")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of a set, at most (default %(default)s)")
    options = parser.parse_args()
    peers = subprocess.run([sys.executable, "-c", "import vowpalwabbit"], capture_output=True).returncode == 0
    if not peers:
        print("no VW: no vowpalwabbit wheel", file=sys.stderr)
    on_data(options.sets, options.runs, options.rows, peers)
    fixed_costs(options.runs)


if __name__ == "__main__":
    main()
