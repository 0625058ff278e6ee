"""An endless stream through standard input: how fast it is learned, and in how much memory, as it goes on."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from bench.processes import ROOT, environment


class Sample(NamedTuple):
    """What was seen when the command had learned so many rows."""

    rows: int
    seconds: float  # on the clock, since the start
    mb: float | None  # resident memory; None where there is no /proc
    busy: float | None = None  # processor seconds of all threads, likewise


def feed(command: Sequence[str], pool: Path, times: int, every: int) -> list[Sample]:
    """Write a file so many times to the standard input of a command that learns; a sample every so many rows.

    The command says how far it is: it is given ``-P EVERY``, and its own table of progress is read.

    Raises
    ------
    RuntimeError
        The command failed; with the end of what it said.
    """
    words, begin = [*command, "-P", str(every)], time.perf_counter()
    child = subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=ROOT, env=environment()
    )
    writer = threading.Thread(target=_write, args=(child.stdin, pool, times), daemon=True)
    writer.start()
    samples, said = [], []
    with child.stderr as lines:
        for line in lines:
            said.append(line.decode())
            if (rows := _rows_of(said[-1])) is not None and rows >= every * (len(samples) + 1):
                samples.append(
                    Sample(rows, time.perf_counter() - begin, resident_mb(child.pid), busy_seconds(child.pid))
                )
    writer.join()
    if status := child.wait():
        raise RuntimeError(f"{' '.join(words)} failed ({status}): {''.join(said[-5:])}")
    return samples


def _write(stream: IO[bytes], pool: Path, times: int) -> None:
    """Write the file again and again; a reader that ends early is its own affair."""
    with contextlib.suppress(BrokenPipeError), stream:
        for _ in range(times):
            with open(pool, "rb") as file:
                while block := file.read(1 << 20):
                    stream.write(block)


def _rows_of(line: str) -> int | None:
    """Rows so far, of a line of the table of progress; None for any other line."""
    words = line.split()
    return int(words[2]) if len(words) == 8 and words[2].isdigit() else None


def resident_mb(process: int) -> float | None:
    """Resident memory of a process now."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:")), None)


def busy_seconds(process: int) -> float | None:
    """User and system seconds of a process so far, of all its threads."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def costs(samples: Sequence[Sample]) -> list[float | None]:
    """Processor microseconds a row between samples, which say more than rates where others are at work."""
    ends = [Sample(0, 0.0, None, 0.0), *samples]
    return [
        None if a.busy is None or b.busy is None else 1e6 * (b.busy - a.busy) / (b.rows - a.rows)
        for a, b in itertools.pairwise(ends)
    ]


def rates(samples: Sequence[Sample]) -> list[float]:
    """Rows a second between samples; before the first one the start is included."""
    ends = [Sample(0, 0.0, None), *samples]
    return [(b.rows - a.rows) / (b.seconds - a.seconds) for a, b in itertools.pairwise(ends)]
