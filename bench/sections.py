"""The sections of `bench/speed.py`: each measures one thing and adds its rows to the table."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from bench.processes import ROOT, SONLEARN, TRAIN, VW, Command, Cost, child, in_turns, installed, measured, median
from bench.table import Costs, at_least, at_most, say

WARM_LINES = 5000
#: Words of a template that stand for the data.
SVM_FILE, VW_FILE = "{svm}", "{vw}"


#: "flat": rows made up by Zipf's law, columns and draws of each.
FLAT = (40_000, 75)
#: Real sets of `wait`, text and short rows, and the rows that are read of them.
WAITED = {
    "svm/rcv1sub.binary": 98_696, "svm/covtype.binary.scale": 581_012, "svm/a9a": 325_610, "svm/frappe": 259_746,
}  # fmt: skip


class Files(NamedTuple):
    """Rows as text, the same in two formats."""

    name: str
    rows: int
    features: int  # columns at most
    svm: str
    vw: str


class Bench:
    """What all sections share: how many rows and runs, whether VW is there, the table, and a folder of their own."""

    def __init__(self, rows: int, runs: int, quick: bool, table: Costs, folder: str):
        self.rows, self.runs, self.quick, self.table, self.folder = rows, runs, quick, table, Path(folder)
        self.vw = installed("vowpalwabbit")

    @cached_property
    def lines(self) -> Path:
        """100 lines of LIBSVM text."""
        path = self.folder / "100.svm"
        path.write_text("".join((ROOT / "data" / "sample.svm").read_text().splitlines(keepends=True)[:100]))
        return path

    def flat(self, rows: int | None = None) -> Files:
        """The stream of the hard case for a sketch."""
        say("flat: making the rows")
        return made_files("zipf", rows or self.rows, *FLAT, False)._replace(name="flat")

    def repeated(self, name: str, rows: int) -> Files | None:
        """A set of the data folder, repeated or cut to so many rows; None, and said so, where it is not there."""
        say(f"{name}: writing the rows")
        files = made_files("repeated", name, rows)
        if not files.svm:
            print(f"{name}: left out, it is not in the folder of data sets", file=sys.stderr)
        return files if files.svm else None

    def compare(self, files: Files, commands: Mapping[Hashable, Command | Sequence[str]]) -> dict[Hashable, list[Cost]]:
        """Costs of commands on a stream, in turns, after a run of each over its first lines."""
        short = files._replace(svm=str(self.folder / "short.svm"), vw=str(self.folder / "short.vw"))
        _head(files.svm, short.svm)
        _head(files.vw, short.vw)
        for command in commands.values():
            measured(filled(command, short))
        ready = {name: filled(command, files) for name, command in commands.items()}
        return in_turns(ready, self.runs, warm=0, said=lambda text: say(f"{files.name}: {text}"))


def made_files(maker: str, *arguments: object) -> Files:
    """Files that `bench.workloads` makes; in a process of its own, for the memory that it takes."""
    found = child("bench.sections", "made", maker=maker, arguments=arguments)
    return Files(**{field: found[field] for field in Files._fields})


def made(maker: str, arguments: Sequence[object]) -> dict[str, object]:
    """Files of a set that is `repeated`, without names where there is none, or of `zipf` rows, for JSON."""
    from bench import workloads

    if maker == "repeated":
        name, n = arguments
        path = workloads.DATA / f"{name}.svm.gz"
        name = Path(name).name
        found = workloads.kept(f"{name}-{n}", lambda: workloads.repeated(path, n)) if path.exists() else ("", "")
        return Files(name, n, 0, *found)._asdict()
    n, d, s, exact = arguments
    return Files(f"d = {d:.0e}", n, d, *workloads.text_files(n, d, s, exact=exact))._asdict()


def _head(path: str, to: str) -> None:
    """The first lines of a file; the rest is read once, so that all runs find it in memory."""
    with open(path, "rb") as file, open(to, "wb") as out:
        for _, line in zip(range(WARM_LINES), file, strict=False):
            out.write(line)
        while file.read(1 << 24):
            pass


def filled(command: Command | Sequence[str], files: Files) -> Command:
    """A command whose places for files are filled."""
    command = command if isinstance(command, Command) else Command(command)
    places = {SVM_FILE: files.svm, VW_FILE: files.vw}
    return command._replace(words=[places.get(word, word) for word in command.words])


def shown(words: Sequence[str]) -> str:
    """A command as the table names it."""
    named = " ".join("FILE" if word in (SVM_FILE, VW_FILE) else word for word in words)
    for long, short in ((VW, "vw"), (TRAIN, "sonlearn train"), (SONLEARN, "sonlearn"), ([sys.executable], "python")):
        named = named.replace(" ".join(long), short)
    return named.removesuffix(" FILE").removesuffix(" -d")


def sketched(name: str | None) -> Callable[[Bench], None]:
    """The section of a real set, or of "flat": sketches of 10 and 20 rows, and none, beside Vowpal Wabbit's."""

    def section(bench: Bench) -> None:
        files = bench.repeated(name, bench.rows) if name else bench.flat()
        if files is None:
            return
        for m, goals in ((10, (1.2, 3.0)), (20, (2.0, 3.0))):
            oja_newton = [*VW, "--OjaNewton", "--sketch_size", str(m), "-d", VW_FILE]
            peers = {"VW": oja_newton, "VW/m": [*oja_newton[:-2], "--epoch_size", str(m), "-d", VW_FILE]}
            ours = {own: [*TRAIN, "--sketch", own, "-m", str(m), VW_FILE] for own in ("rfd", "fd", "oja")}
            goal = {"rfd": goals[0], "fd": goals[0], "oja": goals[1]}
            side_by_side(bench, files, f"{files.name}, m = {m}", peers if bench.vw else {}, ours, goal)
        without_sketch(bench, files)

    return section


def without_sketch(bench: Bench, files: Files) -> None:
    """First order beside Vowpal Wabbit's default, both on one core."""
    one = (min(os.sched_getaffinity(0)),) if hasattr(os, "sched_getaffinity") else ()
    peers = {"VW": [*VW, "-d", VW_FILE]} if bench.vw else {}
    ours = {
        "nag": [*TRAIN, "--threads", "0", "--method", "nag", VW_FILE],
        "m = 0": [*TRAIN, "--threads", "0", "--sketch", "rfd", "-m", "0", VW_FILE],
    }
    what = f"{files.name}, one {'core' if one else 'thread'}"
    side_by_side(bench, files, what, peers, ours, dict.fromkeys(ours, 1.5), one)


def side_by_side(
    bench: Bench, files: Files, what: str, peers: Mapping[str, Sequence[str]], ours: Mapping[str, Sequence[str]],
    goals: Mapping[str, float], on: tuple[int, ...] = (),
) -> None:  # fmt: skip
    """Rows of the peers and of ours; ratios are to the first peer."""
    runs = bench.compare(files, {name: Command(words, on) for name, words in {**peers, **ours}.items()})
    costs = [bench.table.against(what, shown(words), runs[name], files.rows) for name, words in peers.items()]
    for name, words in ours.items():
        first = costs[0] if costs else None
        bench.table.against(what, shown(words), runs[name], files.rows, first, goals.get(name))


def wait(bench: Bench) -> None:
    """The committee and others on real text and on real short rows, repeated."""
    peers = {"VW": [*VW, "-d", VW_FILE], "Oja": [*VW, "--OjaNewton", "--sketch_size", "10", "-d", VW_FILE]}
    ours = ["", "--budget cheap", "--method nag", "--sketch rfd -m 10"]
    for name, rows in WAITED.items():
        files = bench.repeated(name, min(rows, bench.rows))
        if files is None:
            continue
        what = f"{name.split('/')[1]}, {files.rows:,} rows"
        commands = {own: [*TRAIN, *own.split(), SVM_FILE] for own in ours}
        side_by_side(bench, files, what, peers if bench.vw else {}, commands, {})


def start(bench: Bench) -> None:
    """What a run costs before its first row, kernels being compiled."""
    model = bench.folder / "model"
    measured([*TRAIN, "-f", str(model), str(bench.lines)])
    measured([*SONLEARN, "inspect", str(model)])
    lines = [*TRAIN, str(bench.lines)]
    commands = {
        ("100 lines", "sonlearn train --method nag"): ([*lines, "--method", "nag"], 0.45),
        ("100 lines", "sonlearn train --sketch rfd -m 10"): ([*lines, "--sketch", "rfd", "-m", "10"], 0.45),
        ("100 lines", "sonlearn train"): (lines, 0.45),
        ("a model of the committee", "sonlearn inspect"): ([*SONLEARN, "inspect", str(model)], 0.3),
        ("", "sonlearn --help"): ([*SONLEARN, "--help"], 0.08),
    }
    runs = in_turns({" ".join(key): words for key, (words, _) in commands.items()}, bench.runs, said=say)
    for (what, command), (_, goal) in commands.items():
        own = runs[f"{what} {command}"]
        within(bench, f"warm start: {what}" if what else "warm start", command, own, goal, "s")


def within(bench: Bench, what: str, command: str, runs: Sequence[Cost], goal: float | None, unit: str) -> None:
    """A row whose seconds, or megabytes, have to be within a goal."""
    cost = median(runs)
    value = cost.wall if unit == "s" else cost.mb
    goal_text, met = (f"<= {goal:g} {unit}", at_most(goal, value)) if goal else ("", "")
    bench.table.add(what, command, runs, goal=goal_text, met=met)


def first_run(bench: Bench) -> None:
    """100 lines with no kernel compiled; bytecode is there, as it is after an installation."""
    with tempfile.TemporaryDirectory() as folder:
        commands, places = {}, {}
        for own in ["--method nag"] if bench.quick else ["--method nag", "--sketch rfd -m 10", ""]:
            place = places[own] = Path(folder) / str(len(places))

            def empty(place: Path = place) -> None:
                import shutil

                shutil.rmtree(place, ignore_errors=True)
                place.mkdir(mode=0o700)

            words = [*TRAIN, *own.split(), str(bench.lines)]
            commands[own] = Command(words, environment={"SONLEARN_CACHE_DIR": str(place)}, before=empty)
        runs = in_turns(
            commands, 1 if bench.quick else min(bench.runs, 3), warm=0, said=lambda text: say(f"first {text}")
        )
        for own in commands:
            what = f"first run of a version ({len(runs[own])} runs)"
            within(bench, what, f"sonlearn train {own}".rstrip(), runs[own], 15, "s")


def memory(bench: Bench) -> None:
    """Peak memory where there are 40,000 features."""
    files = bench.flat(min(bench.rows, 200_000))
    ours = ["--sketch rfd -m 10", "--sketch rfd -m 20", "--method nag"]
    commands = {own: [*TRAIN, *own.split(), VW_FILE] for own in (ours[:1] if bench.quick else [*ours, ""])}
    peers = {"vw": [*VW, "-d", VW_FILE], "oja": [*VW, "--OjaNewton", "--sketch_size", "10", "-d", VW_FILE]}
    runs = bench.compare(files, {**(peers if bench.vw else {}), **commands})
    what = f"memory, 40,000 features, {files.rows:,} rows"
    for name, own in runs.items():
        words = commands.get(name) or peers[name]
        within(bench, what, shown(words), own, 120 if name in ours else None, "MB")


def two_cores(bench: Bench) -> None:
    """The same command on one core and on two."""
    if not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2:
        print("cores: left out, there are no two of them to choose from", file=sys.stderr)
        return
    two, files = tuple(sorted(os.sched_getaffinity(0)))[:2], bench.flat()
    for own in [""] if bench.quick else ["", "--sketch rfd -m 10", "--method nag"]:
        words = [*TRAIN, *own.split(), VW_FILE]
        commands = {count: Command(words, cores=two[:count]) for count in (1, 2)}
        runs = bench.compare(files, commands)
        one = bench.table.against("flat, one core", shown(words), runs[1], files.rows)
        cost = median(runs[2])
        ratio, us = one.wall / cost.wall, cost.wall / files.rows * 1e6
        met = at_least(1.7, ratio, ratio)
        bench.table.add("flat, two cores", shown(words), runs[2], us, f"{ratio:.2f}", ">= 1.7", met)


def loop(bench: Bench) -> None:
    """A file through scikit-learn, as its users write it, beside ours."""
    if not installed("sklearn"):
        print("sklearn: left out, no scikit-learn", file=sys.stderr)
        return
    files = bench.flat()
    script = ["bench/partial_fit.py", SVM_FILE, str(files.features)]
    ours = {own: [*TRAIN, *own.split(), SVM_FILE] for own in ("--method nag", "--sketch rfd -m 10")[: 2 - bench.quick]}
    runs = bench.compare(files, {"loop": [sys.executable, *script], **ours})
    peer = bench.table.against("flat, LIBSVM text", "python bench/partial_fit.py", runs["loop"], files.rows)
    for own, words in ours.items():
        goal = 10 if own == "--method nag" else None
        bench.table.against("flat, LIBSVM text", shown(words), runs[own], files.rows, peer, goal)
