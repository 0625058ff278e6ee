"""The sections of `bench/speed.py` on how time grows with m, s and d."""

from __future__ import annotations

from bench.processes import TRAIN, VW, child, in_turns, median
from bench.sections import VW_FILE, Bench, Files, filled, made_files, shown
from bench.table import Table, at_most, say

BASE = {"m": 10, "s": 100, "d": 10**5}
SIZES = {"m": (0, 5, 10, 20, 50), "s": (10, 30, 100, 300, 1000), "d": (10**4, 10**5, 10**6, 10**7)}
QUICK_SIZES = {"m": (0, 10, 50), "s": (10, 100), "d": (10**4, 10**6)}
CURVES = ("learning RFD", "learning Oja", "RFD", "VW")


def width(bench: Bench) -> None:
    """Time a row against the number of features: learning alone with all of them seen, and whole processes."""
    wide, s = 10**6 if bench.quick else 10**7, 100
    flags = ["--sketch rfd -m 10"] if bench.quick else ["--sketch rfd -m 10", "--sketch oja -m 10", "--method nag"]
    say("width: in process")
    found = child("bench.inside", "width", widths=[10**4, wide], s=s, flags=flags, runs=bench.runs)
    for own in flags:
        narrow, other = (found[own][str(d)] for d in (10**4, wide))
        what, command = f"learning alone, s = {s}, all d seen", f"sonlearn train {own}"
        bench.table.add(f"{what}, d = 1e+04", command, us=narrow)
        goal, met = ("<= 2", at_most(2, other / narrow)) if own == flags[0] else ("", "")
        bench.table.add(f"{what}, d = {wide:.0e}", command, (), other, f"{other / narrow:.2f}", goal, met)
    words, n = [*TRAIN, *flags[0].split(), VW_FILE], min(bench.rows, 200_000)
    files = {d: made_files("zipf", n, d, s, True) for d in (10**4, wide)}
    runs = in_turns({d: filled(words, own) for d, own in files.items()}, bench.runs, said=say)
    narrow, other = (median(own) for own in runs.values())
    ratio = other.wall / narrow.wall, other.busy / narrow.busy
    for (d, own), cost in zip(runs.items(), (narrow, other), strict=True):
        last = (f"{ratio[0]:.2f} / {ratio[1]:.2f}", "<= 2", at_most(2, max(ratio))) if d == wide else ()
        bench.table.add(f"end to end, s = {s}, d = {d:.0e}", shown(words), own, cost.wall / n * 1e6, *last)


def sizes(bench: Bench) -> None:
    """Processor microseconds a row against m, s and d."""
    known: dict[tuple[int, ...], dict[str, float]] = {}
    for axis, values in (QUICK_SIZES if bench.quick else SIZES).items():
        others = ", ".join(f"{name} = {value:,}" for name, value in BASE.items() if name != axis)
        table = Table(f"Microseconds a row against {axis} ({others})", [axis, *CURVES])
        for value in values:
            point = BASE | {axis: value}
            key = tuple(point.values())
            if key not in known:
                known[key] = at_point(bench, **point)
            table.row(value, *(known[key].get(name) for name in CURVES))


def at_point(bench: Bench, m: int, s: int, d: int) -> dict[str, float]:
    """Curve -> processor microseconds a row at one point."""
    n = min(max((500_000 if bench.quick else 10_000_000) // (s + s * m // 10), 4000), 200_000)  # runs of like length
    say(f"m = {m}, s = {s}, d = {d}: in process")
    flags = {"learning RFD": f"--sketch rfd -m {m}", "learning Oja": f"--sketch oja -m {m}"}
    inside = child("bench.inside", "learning", d=d, s=s, n=n, flags=list(flags.values()), runs=bench.runs)
    return {name: inside[own] for name, own in flags.items()} | second_half(bench, made_files("zipf", n, d, s, True), m)


def second_half(bench: Bench, files: Files, m: int) -> dict[str, float]:
    """Curve -> microseconds a row of whole processes in the second half of a file: no start is in it."""
    learners = {"RFD": [*TRAIN, "--sketch", "rfd", "-m", str(m), files.vw]}
    if bench.vw:
        learners["VW"] = [*VW, "--OjaNewton", "--sketch_size", str(m), "-d", files.vw]
    half = files.rows // 2
    commands: dict[tuple[str, int], list[str]] = {
        (name, n): [*words, "--examples", str(n)] for name, words in learners.items() for n in (half, files.rows)
    }
    found = in_turns(commands, bench.runs, said=lambda text: say(f"m = {m}, {files.name}: {text}"))
    busy = {key: median(own).busy for key, own in found.items()}
    return {name: (busy[name, files.rows] - busy[name, half]) / (files.rows - half) * 1e6 for name in learners}
