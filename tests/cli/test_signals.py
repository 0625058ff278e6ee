"""Signals: temporary files are removed, compiling is given up, and the start shows no traceback."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import commands
import numpy as np
import pytest
from commands import names

from sonlearn import Learner
from sonlearn.files.atomic import remove_stale, whole_file

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="signals and locks of POSIX"), pytest.mark.limit(120)]
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def start(*arguments, env=None, **more):
    return commands.start(*arguments, env=os.environ | (env or {}), stderr=subprocess.PIPE, **more)


def wait_for(condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it does not come")


def ended(process, number):
    """The error output, from here on, of a process that a signal ends."""
    process.send_signal(number)
    err = process.stderr.read().decode()
    assert process.wait() == 128 + number
    return err


@pytest.mark.parametrize("number", SIGNALS)
def test_convert_leaves_nothing_behind(number):
    with start("convert", "--to", "vw", "-o", "out", stdin=subprocess.PIPE) as process:
        process.stdin.write(b"1 1:1\n")
        process.stdin.flush()
        wait_for(lambda: names() and names()[0].startswith(".sonlearn-"))
        err = ended(process, number)
    assert err.splitlines()[-1] == "sonlearn: interrupted: nothing was saved"
    assert names() == []


@pytest.mark.parametrize("number", SIGNALS)
def test_a_run_prints_its_summary_and_saves_its_model_and_no_broken_cache(number, cli):
    with start("train", "-P", "1", "--cache_file", "c", "-f", "model", stdin=subprocess.PIPE) as process:
        process.stdin.write(b"1 1:1\n-1 2:1\n1 3:1\n" * 20)
        process.stdin.flush()
        for line in process.stderr:
            if line.split()[2:3] == [b"3"]:
                break
        err = ended(process, number)
    assert f"interrupted run ({number.name})" in err
    assert "average loss = " in err
    assert "Traceback" not in err
    learned = int(commands.summary(err, "number of examples"))
    assert 3 <= learned <= 60
    assert f"examples = {learned}\n" in cli.out("inspect", "model")
    assert names() == ["model"]


@pytest.mark.parametrize(
    ("number", "verb", "flags"),
    [(signal.SIGINT, "train", ("--threads", "2")), (signal.SIGTERM, "train", ("--threads", "0", "--cache_file", "c")),
     (signal.SIGTERM, "tune", ())],
)  # fmt: skip
def test_rows_that_wait_for_the_first_hundred_are_learned(number, verb, flags, cli):
    """Those that had come tell how columns are read, as if the stream ended there."""
    rows = b"y,a,t\n" + b"".join(b"%d,%d,%d/1/2024\n" % (i % 2, i % 7, i + 1) for i in range(30))
    Path("table").write_bytes(rows)
    method = ("--grid", "method=nag") if verb == "tune" else ("--method", "nag")
    more = (*method, "--label", "y", *flags)
    cli.err(verb, *more, "-f", "whole", "table")
    os.mkfifo("pipe")
    with start(verb, *more, "-f", "model", "pipe") as process, open("pipe", "wb", buffering=0) as file:
        for line in [*rows.splitlines(keepends=True), b"1,"]:
            file.write(line)
        time.sleep(1)
        err = ended(process, number)
    assert f"interrupted run ({number.name})\nnumber of examples = 30\n" in err
    assert "Traceback" not in err
    interrupted, whole = map(Learner.load, ("model", "whole"))
    assert interrupted.text == whole.text
    assert interrupted.text.day_first == ("t",)
    np.testing.assert_equal(interrupted.weights(), whole.weights())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_header_alone_at_a_signal_saves_nothing(number):
    os.mkfifo("pipe")
    with start("train", "--quiet", "--label", "y", "-f", "m", "pipe") as process, open("pipe", "wb", 0) as file:
        file.write(b"y,a\n")
        time.sleep(0.5)
        assert ended(process, number) == ""
    assert names() == ["pipe"]


def test_compiling_is_given_up(folder):
    """The kernels of the first batch take several seconds; an interrupt does not wait for them."""
    Path("a.svm").write_text("1 1:1\n-1 2:1\n")
    arguments = ("train", "--threads", "1", "--cache_file", "c", "-f", "model", "a.svm")
    with start(*arguments, env={"SONLEARN_CACHE_DIR": str(folder / "k"), "NUMBA_DISABLE_JIT": "0"}) as process:
        for line in process.stderr:
            if b"compiling kernels" in line:
                break
        begun = time.monotonic()
        err = ended(process, signal.SIGINT)
    assert time.monotonic() - begun < 5
    assert "Traceback" not in err
    assert [name for name in names() if name not in ("k", "model")] == ["a.svm"]


def test_an_interrupt_at_the_start_is_no_traceback():
    """Sent when the command line is about to be imported: from there on nothing is printed."""
    program = (
        "import os, signal, sys\n"
        "class Finder:\n"
        "    def find_spec(name, path, target=None):\n"
        "        if name == 'sonlearn.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "from sonlearn.__main__ import main\n"
        "sys.meta_path.insert(0, Finder)\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, b"")


def test_little_is_imported_before_an_interrupt_is_seen_to():
    program = "import sys; before = set(sys.modules); import sonlearn.__main__; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True)
    assert {"argparse", "typing", "dataclasses", "sonlearn.cli"}.isdisjoint(done.stdout.split())
    assert "sonlearn.__main__" in done.stdout


# ------------------------------------------------------------------------------------------------- killed


def test_what_a_killed_process_has_left_is_removed_at_the_next_save():
    program = (
        "import sys, os, time; from sonlearn.files.atomic import whole_file\n"
        "with whole_file(sys.argv[1]) as file:\n    print(file.name, flush=True); file.write(b'x'); time.sleep(100)\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program, "model"], stdout=subprocess.PIPE) for _ in range(2)]
    for process in processes:
        process.stdout.readline()
    assert len(names()) == 2
    processes[0].kill()
    processes[0].communicate()
    assert len(names()) == 2
    with whole_file("other") as file:  # removes what is left of the dead one, not that of the one alive
        file.write(b"new")
        assert len(names()) == 2
    assert len(names()) == 2
    processes[1].kill()
    processes[1].communicate()
    with whole_file("model") as file:
        file.write(b"whole")
    assert names() == ["model", "other"]
    assert Path("model").read_bytes() == b"whole"


def test_an_interrupt_while_the_temporary_file_is_made_leaves_nothing(monkeypatch):
    opened = os.open

    def interrupted(*given):
        os.close(opened(*given))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), whole_file("model"):
        pass
    assert names() == []


def test_only_temporary_files_of_ours_are_removed(folder):
    for name in (".sonlearn-1.tmp", ".sonlearn-0123456789abcdef.tmp.txt", "sonlearn-0123456789abcdef.tmp", ".x.tmp"):
        Path(name).write_text("precious")
    Path(".sonlearn-0123456789abcdee.tmp").mkdir()
    before = names()
    Path(".sonlearn-0123456789abcdef.tmp").write_text("stale")
    with whole_file("held"):
        remove_stale(str(folder))  # from within a process that holds one itself
        assert len(names()) == len(before) + 1
    assert names() == sorted([*before, "held"])


def test_a_writer_that_loses_its_file_before_it_is_locked_takes_another(folder, monkeypatch):
    import fcntl

    lock, calls = fcntl.flock, []

    def late(descriptor, how):
        if how == fcntl.LOCK_EX and not calls:
            calls.append(1)
            remove_stale(str(folder))
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with whole_file("model") as file:
        file.write(b"whole")
    assert calls
    assert names() == ["model"]
    assert Path("model").read_bytes() == b"whole"


@pytest.mark.parametrize("rows", ["1 |a b\n-1 |a c\n", "shared |u v\n0:1:0.5 |a x\n|a y\n\n"])
def test_two_that_train_do_not_write_one_model(rows, cli):
    train = "train --quiet -f model" + " --cb_adf" * rows.startswith("shared")
    Path("rows.vw").write_text(rows * 20)
    with start(*train.split(), "-", stdin=subprocess.PIPE) as first:
        wait_for(lambda: ".model.sonlearn-lock" in names())
        refused = {cli.error(f"{train} {more} rows.vw") for more in ("-p predictions", "--cluster local")}
        first.kill()
    (refused,) = refused
    assert refused == "model: another process writes to it; end that one, or give another name"
    cli.out(f"{train} rows.vw")
    assert names() == ["model", "rows.vw"]
