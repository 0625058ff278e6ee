"""What the cache of compiled kernels is put through; every run has to end well and predict the same bits.

    python bench/kernel_cache.py

Two dozen processes at once from an empty cache; first runs that are killed; files that cannot grow, as on a full disk;
a home that cannot be written to; a copy of the cache, which nothing is compiled beside. Prints a line for each, with
processor seconds, and exits with 1 if one failed. Two minutes.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.processes import ROOT, TRAIN, environment

PROCESSES, KILLED_AFTER, FILE_BYTES = 24, (1.0, 3.0, 6.0), 20_000
RUN = [*TRAIN, "--method", "nag", "--threads", "1", "-p", "-", str(ROOT / "data" / "sample.svm")]


def start(given: Mapping[str, str], first: Callable[[], object] | None = None) -> subprocess.Popen[bytes]:
    """A run under way; `first` is called in its process before it."""
    return subprocess.Popen(
        RUN, env=environment(given), stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=first
    )


def predictions(run: subprocess.Popen[bytes]) -> bytes:
    """What a run has predicted. Raises RuntimeError where it failed or complained."""
    out, err = run.communicate()
    if run.returncode or err:
        raise RuntimeError(f"status {run.returncode}: {err.decode()[-300:]}")
    return out


def small_files() -> None:
    """No file of this process grows beyond FILE_BYTES, as on a disk that becomes full."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))


def main() -> int:
    """Print a line for each; return the exit status."""
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        (place / "a file").touch()

        def cache(folder: str) -> dict[str, str]:
            return {"SONLEARN_CACHE_DIR": str(place / folder)}

        def kernels(folder: str) -> list[tuple[str, int]]:
            return sorted((path.name, path.stat().st_mtime_ns) for path in (place / folder).rglob("*.kernel"))

        def together() -> bool:
            runs = [start(cache("shared")) for _ in range(PROCESSES)]
            return {predictions(run) for run in runs} == {right}

        def killed() -> bool:
            for seconds in KILLED_AFTER:
                run = start(cache("killed"))
                time.sleep(seconds)
                run.kill()
                run.communicate()
            return predictions(start(cache("killed"))) == right

        def full() -> bool:
            same = predictions(start(cache("full"), small_files)) == right
            return same and not list((place / "full").rglob("*.part")) and predictions(start(cache("full"))) == right

        def homeless() -> bool:
            wrong = dict.fromkeys(("HOME", "XDG_CACHE_HOME", "SONLEARN_CACHE_DIR"), str(place / "a file"))
            return predictions(start(wrong | {"TMPDIR": name})) == right

        def copied() -> bool:
            shutil.copytree(place / "alone", place / "copy")
            before = kernels("copy")
            return predictions(start(cache("copy"))) == right and before == kernels("copy") != []

        right = predictions(start(cache("alone")))
        for check in (together, killed, full, homeless, copied):
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            try:
                how = "as ever" if check() else "OTHERWISE"
            except RuntimeError as error:
                how = f"FAILED: {error}"
            now = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
            print(f"{check.__name__:10} {seconds:6.1f} s  {how}", flush=True)
            failed += how != "as ever"
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
