"""An endless stream through standard input: how fast it is learned, and in how much memory, as it goes on."""

from __future__ import annotations

import contextlib
import itertools
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
                samples.append(Sample(rows, time.perf_counter() - begin, resident_mb(child.pid)))
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


def rates(samples: Sequence[Sample]) -> list[float]:
    """Rows a second between samples; before the first one the start is included."""
    ends = [Sample(0, 0.0, None), *samples]
    return [(b.rows - a.rows) / (b.seconds - a.seconds) for a, b in itertools.pairwise(ends)]
