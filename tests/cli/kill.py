"""Kill commands at random moments and see what they leave.

A long run: ``PYTHONPATH=$PWD:$PWD/tests/support python tests/cli/kill.py 200 [SEED]``. What was there stays whole,
whether it is the old file or the new one; what is left over is removed by the next command that writes to the place.
`test_kill.py` does the same a few times.
"""

import contextlib
import io
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from commands import start
from places import sample

from sonlearn.cli import main
from sonlearn.text.cache import read_trailer

#: Name of a command: (its arguments, the file that it writes).
COMMANDS = {
    "save": (["train", "--quiet", "--method", "nag", "--checkpoint", "1", "-f", "model", "big.svm"], "model"),
    "cache": (["train", "--quiet", "--method", "nag", "--cache_file", "cache", "big.svm"], "cache"),
    "convert": (["convert", "--to", "vw", "-o", "out.vw", "big.svm"], "out.vw"),
    "sketch": (["sketch", "--quiet", "-l", "20", "-o", "s.npz", "big.svm"], "s.npz"),
}


def begun(folder: Path, arguments: list[str]) -> subprocess.Popen:
    """A command under way in `folder`."""
    return start(*arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(folder: Path, arguments: list[str]) -> int:
    """A command's exit status."""
    return begun(folder, arguments).wait()


def whole(folder: Path, name: str) -> bool:
    """Whether the file that a command has written can be read."""
    path = folder / COMMANDS[name][1]
    if name == "cache":
        return read_trailer(path)["blocks"] > 0
    check = {
        "save": ["inspect", str(path)], "sketch": ["sketch", "--quiet", "--merge", str(path)],
        "convert": ["convert", "--to", "vw", "-o", os.devnull, "--format", "vw", str(path)],
    }[name]  # fmt: skip
    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())):
        return main(check) == 0


def prepare(folder: Path, lines: int) -> dict[str, float]:
    """Data, the files that commands write, and how long each command takes."""
    text = sample("sample.svm")
    (folder / "big.svm").write_text(text * (1 + lines // text.count("\n")))
    seconds = {}
    for name, (arguments, _) in COMMANDS.items():
        for _ in range(2):
            started = time.monotonic()
            assert run(folder, arguments) == 0, name
            seconds[name] = time.monotonic() - started
        assert whole(folder, name)
    return seconds


def left_over(folder: Path, lock: bool) -> set[str]:
    """Names of temporary files in `folder`, and if asked for of locks, which the next command takes."""
    return {
        name for name in os.listdir(folder)
        if name.startswith(".sonlearn-") or (lock and name.endswith(".sonlearn-lock"))
    }  # fmt: skip


def kill(folder: Path, name: str, moment: float, writing: bool) -> int:
    """Kill a command after so many seconds; the number of temporary files that it has left.

    If `writing`, they count from when it has begun to write, however long that takes on a busy machine.
    """
    arguments, target = COMMANDS[name]
    if name == "cache":
        with (folder / "big.svm").open("a") as file:  # the cache has to be made anew
            file.write("1 1:1\n")
    before, old = {*os.listdir(folder)} - left_over(folder, lock=True), left_over(folder, lock=False)
    process = begun(folder, arguments)
    while writing and process.poll() is None and not left_over(folder, lock=False) - old:
        time.sleep(0.0005)
    time.sleep(moment)
    process.kill()
    process.wait()
    after = {*os.listdir(folder)} - left_over(folder, lock=True)
    assert after == before, (name, after ^ before)
    assert whole(folder, name), (name, target)
    return len(left_over(folder, lock=False))


def trial(count: int, seed: int, lines: int = 4000) -> int:
    """Kill `count` commands in turn; how many temporary files there have been on the way. None stays."""
    r, seen = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        seconds = prepare(folder, lines)
        for i in range(count):
            name = list(COMMANDS)[i % len(COMMANDS)]
            writing = r.random() < 0.75
            seen += kill(folder, name, r.uniform(0, 0.03) if writing else r.uniform(0, 1.05) * seconds[name], writing)
        assert run(folder, COMMANDS["save"][0]) == 0
        names = sorted(path.name for path in folder.iterdir())
        assert names == sorted(["big.svm", *(target for _, target in COMMANDS.values())]), names
    return seen


if __name__ == "__main__":
    kills = int(sys.argv[1])
    left = trial(kills, int(sys.argv[2]) if len(sys.argv) > 2 else 0, lines=10_000)
    print(f"{kills} kills: every file whole, {left} temporary files seen after a kill, none left at the end")
