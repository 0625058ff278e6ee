"""Whole processes, measured: the one place where benches time commands.

`measured` is one run, `in_turns` the medians of several runs of several commands that take turns, so that a busy
machine slows all of them. This module imports neither NumPy nor the package, and neither needs its caller.
"""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
LAUNCH = Path(__file__).parent / "launch.py"

SONLEARN = [sys.executable, "-m", "sonlearn"]
TRAIN = [*SONLEARN, "train", "--quiet"]
VW = [sys.executable, "-m", "vowpalwabbit", "--quiet"]


class Cost(NamedTuple):
    """What a process took; `busy` is user and system time of all its threads, `mb` its peak memory."""

    wall: float
    busy: float
    mb: float


class Command(NamedTuple):
    """What is run, and what is particular about it."""

    words: Sequence[str]
    cores: tuple[int, ...] = ()  # the cores that it may use; none named: all
    environment: Mapping[str, str] = {}  # beside what is there
    before: Callable[[], object] | None = None  # done before each run, not measured


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a measured process: a user's, where Python keeps its bytecode and finds this project."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(part for part in (str(ROOT), kept.get("PYTHONPATH")) if part)
    return kept | {"PYTHONPATH": path} | dict(more or {})


def measured(command: Command | Sequence[str], out: str | None = None) -> Cost:
    """What one run of a command takes; its standard output goes to the file `out`, or nowhere.

    Raises
    ------
    RuntimeError
        The command failed; with the end of what it said.
    """
    if not isinstance(command, Command):
        command = Command(command)
    if command.before:
        command.before()
    order = {"command": list(map(str, command.words)), "cores": command.cores, "out": out}
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCH), json.dumps(order)],
        capture_output=True, text=True, cwd=ROOT, env=environment(command.environment), check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{order['command'][0]} could not be started: {done.stderr[-500:]}")
    wall, user, system, mb, status = json.loads(done.stdout)
    if status:
        raise RuntimeError(f"{' '.join(order['command'])} failed ({status}): {done.stderr[-500:]}")
    return Cost(wall, user + system, mb)


def with_output(command: Command | Sequence[str]) -> tuple[Cost, str]:
    """(what one run takes, its standard output)."""
    with tempfile.TemporaryDirectory() as folder:
        return measured(command, f"{folder}/out"), Path(f"{folder}/out").read_text()


def in_turns(
    commands: Mapping[Hashable, Command | Sequence[str]],
    runs: int,
    warm: int = 1,
    said: Callable[[str], object] | None = None,
) -> dict[Hashable, list[Cost]]:
    """Costs of each command, run in turns; the first `warm` runs of each are not among them."""
    costs: dict[Hashable, list[Cost]] = {name: [] for name in commands}
    for turn in range(warm + runs):
        for name, command in commands.items():
            if said:
                said(f"{name}, run {turn + 1} of {warm + runs}")
            costs[name].append(measured(command))
    return {name: own[warm:] for name, own in costs.items()}


def median(costs: Sequence[Cost]) -> Cost:
    """The medians of several runs."""
    return Cost(*map(statistics.median, zip(*costs, strict=True)))


def child(module: str, function: str, /, **arguments: object) -> dict:
    """What a function of a module of the benches returns, run in a process of its own, as the command is compiled."""
    program = (
        "import json, sys; import importlib; "
        "print(json.dumps(getattr(importlib.import_module(sys.argv[1]), sys.argv[2])(**json.loads(sys.argv[3]))))"
    )
    words = [sys.executable, "-c", program, module, function, json.dumps(arguments)]
    cost, out = with_output(Command(words, environment={"OPENBLAS_NUM_THREADS": "1"}))
    return json.loads(out.splitlines()[-1]) | {"process_mb": cost.mb}


def installed(package: str) -> bool:
    """Whether a peer is there; says so where it is not."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(f"no {package} (pip install '.[peers]'): what compares with it is left out", file=sys.stderr)
    return found
