"""Examples a second, end to end and per stage, beside Vowpal Wabbit's OjaNewton in the same run.

    python bench/speed.py                  # everything, some minutes
    python bench/speed.py --quick          # the first mark only: m = 10 and 20, end to end
    python bench/speed.py --stages         # the stages only: s = 10 to 1000, d = 1e4 to 1e7, m = 0 to 50

Medians of several runs after a warm-up; peers take turns, so that a busy machine slows all of them. Times are
microseconds an example. `end to end` is a whole process: start, reading text, learning, saving nothing.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from bench.workloads import text_files, zipf_stream  # noqa: E402

RUNS = 3


def whole_process(command: list[str]) -> tuple[float, float]:
    """(wall seconds, peak MB) of a command."""
    begin = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    message = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command)} failed: {message.decode()[-500:]}")
    return time.perf_counter() - begin, usage.ru_maxrss / 1024


def make_files(n: int, d: int, s: int) -> None:
    """Make the text in another process: a child's peak memory begins with that of the process that starts it."""
    program = f"from bench.workloads import text_files; text_files({n}, {d}, {s})"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def has_vw() -> bool:
    """Whether the vowpalwabbit wheel is installed."""
    return subprocess.run([sys.executable, "-c", "import vowpalwabbit"], capture_output=True).returncode == 0


def sonlearn(data: Path, m: int, sketch: str) -> list[str]:
    """Command that trains ours."""
    return [sys.executable, "-m", "sonlearn", "train", "--quiet", "--sketch", sketch, "-m", str(m), str(data)]


def oja_newton(data: Path, m: int, epoch: int) -> list[str]:
    """Command that trains Vowpal Wabbit's OjaNewton; epoch_size 1 is its default, m its cheapest setting."""
    return [
        sys.executable, "-m", "vowpalwabbit", "-d", str(data), "--quiet", "--loss_function", "logistic",
        "--OjaNewton", "--sketch_size", str(m), "--epoch_size", str(epoch),
    ]  # fmt: skip


def end_to_end(n: int, d: int, s: int, sizes: list[int]) -> None:
    """Ours and VW's on the same VW text; ours on LIBSVM text too."""
    make_files(n, d, s)
    svm, vw = text_files(n, d, s)
    names = ["rfd", "rfd svm", "fd", "oja", "VW", "VW/m"] if has_vw() else ["rfd", "rfd svm", "fd", "oja"]
    print(f"\nend to end: {n} examples, d = {d}, s = {s}, {vw.stat().st_size / 1e6:.0f} MB of VW text, us an example")
    print("VW: OjaNewton with epoch_size 1 (its default), and m" if "VW" in names else "no VW: no vowpalwabbit wheel")
    print(f"{'m':>4}" + "".join(f"{name:>9}" for name in names) + "   VW : rfd   MB rfd, VW")
    for m in sizes:
        commands = {
            "rfd": sonlearn(vw, m, "rfd"), "rfd svm": sonlearn(svm, m, "rfd"), "fd": sonlearn(vw, m, "fd"),
            "oja": sonlearn(vw, m, "oja"), "VW": oja_newton(vw, m, 1), "VW/m": oja_newton(vw, m, max(m, 1)),
        }  # fmt: skip
        whole_process(commands["rfd"])
        runs: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        for _ in range(RUNS):
            for name in names:
                runs[name].append(whole_process(commands[name]))
        us = {name: statistics.median(t for t, _ in r) / n * 1e6 for name, r in runs.items()}
        mb = {name: max(peak for _, peak in r) for name, r in runs.items()}
        last = f"   {us['VW'] / us['rfd']:8.2f}   {mb['rfd']:.0f}, {mb['VW']:.0f}" if "VW" in us else ""
        print(f"{m:4}" + "".join(f"{us[name]:9.1f}" for name in names) + last, flush=True)


def stages(n: int, d: int, s: int, sizes: list[int]) -> None:
    """Parse, learn and predict in this process, after a warm-up."""
    from sonlearn import Learner, LearnOptions, from_scipy, read_batches

    svm, _ = text_files(n, d, s)
    X, y = zipf_stream(n, d, s)
    batches = [from_scipy(X[i : i + 2000], y[i : i + 2000]) for i in range(0, n, 2000)]
    parse = median_us(lambda: sum(b.n for b in read_batches([str(svm)])), n)
    for m in sizes:
        row = [f"{d:>9.0e} {s:5} {m:4} {parse:8.1f}"]
        for sketch in ("rfd", "fd", "oja"):
            options = LearnOptions(sketch=sketch, sketch_size=m)
            learner = Learner(options)
            for batch in batches[: len(batches) // 2]:  # the table and the sketch as they are in a long run
                learner.partial_fit(batch)
            rest = batches[len(batches) // 2 :]
            begin = time.perf_counter()
            for batch in rest:
                learner.partial_fit(batch)
            row.append(f"{(time.perf_counter() - begin) / sum(b.n for b in rest) * 1e6:8.1f}")
        predict = median_us(
            lambda learner=learner, rest=rest: [learner.predict(b) for b in rest], sum(b.n for b in rest)
        )
        state = learner._state
        size = sum(a.nbytes for a in (state.table, state.maps, state.raw.X, state.touched)) / 1e6
        print(" ".join(row), f"{predict:8.1f} {size:8.0f}", flush=True)


def median_us(run: Callable[[], object], n: int) -> float:
    """Median microseconds an example, after a warm-up."""
    run()
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) / n * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="end to end at m = 10 and 20 only")
    parser.add_argument("-n", type=int, default=100_000, help="examples of the end-to-end run (default %(default)s)")
    parser.add_argument("--stages", action="store_true", help="the table of stages only")
    options = parser.parse_args()
    if not options.stages:
        end_to_end(options.n, 40_000, 75, [10, 20] if options.quick else [0, 5, 10, 20, 50])
    if options.quick:
        return
    print("\nper stage, us an example (parse: LIBSVM text; sketch columns: all of learning after parsing)")
    print(f"{'d':>9} {'s':>5} {'m':>4} {'parse':>8} {'rfd':>8} {'fd':>8} {'oja':>8} {'predict':>8} {'model MB':>8}")
    for d in (10**4, 10**5, 10**6, 10**7):
        stages(20_000, d, 100, [10])
    for s in (10, 1000):
        stages(20_000 if s == 10 else 4_000, 10**5, s, [10])
    stages(20_000, 10**5, 100, [0, 5, 20, 50])


if __name__ == "__main__":
    main()
