"""No output of a command may be one of its inputs or another output, by whatever name; and what failed is named."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import PROGRAM
from for_all import for_all
from places import sample

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links of POSIX")


@pytest.fixture(autouse=True)
def files(cli):
    """Data, a model, a sketch, and links to all of them."""
    Path("a.svm").write_text(sample("sample.svm", stop=40))
    cli.out("train --quiet --method nag -f M a.svm")
    cli.out("sketch --quiet -l 3 -o s.npz a.svm")
    for name in ("a.svm", "M", "s.npz"):
        os.symlink(name, f"soft-{name}")
        os.link(name, f"hard-{name}")


def contents():
    return {path.name: path.read_bytes() for path in Path().iterdir()}


COMMANDS = [
    "predict -i M -p {} a.svm", "predict -i M -r {} a.svm", "train -i M -p {} a.svm", "train -i M -r {} a.svm",
    "train -t -i M -p {} a.svm", "train -i M --cache_file {} a.svm", "convert --to vw -o {} a.svm",
    "convert --to vw -o {} ?.svm", "train -p {} *.svm", "sketch -o {} a.svm", "train -f {} -d a.svm",
    "sketch --merge s.npz --plot {}",
]  # fmt: skip


@for_all("link", ["", "soft-", "hard-", "./"])
@for_all("command", COMMANDS)
def test_an_input_is_never_overwritten(cli, command, link):
    for name in ("M",) if "-i M" in command else ("s.npz",) if "s.npz" in command else ("a.svm",):
        before = contents()
        assert f"{link}{name}: this would overwrite the " in cli.error(*command.format(link + name).split())
        assert contents() == before


def test_a_model_may_be_learned_on_in_place_and_a_sketch_merged_into_itself(cli):
    before = Path("M").read_bytes()
    assert cli("train", "--quiet", "-i", "M", "-f", "soft-M", "a.svm")[0] == 0
    assert Path("M").read_bytes() != before
    assert cli("sketch", "--quiet", "--merge", "s.npz", "-o", "s.npz") == (0, "", "")


@pytest.mark.parametrize(
    "command",
    [
        "train -f x -p ./x a.svm", "train -p x -r soft a.svm", "train -f x --cache_file x a.svm",
        "train -c -f a.svm.cache a.svm", "predict -i M -p x -r x a.svm", "sketch -o x.png --plot ./x.png a.svm",
    ],
)  # fmt: skip
@pytest.mark.parametrize("exists", [False, True])
def test_two_outputs_are_two_files(cli, command, exists):
    os.symlink("x", "soft")
    if exists:
        for name in ("x", "x.png", "a.svm.cache"):
            Path(name).write_text("old")
    before = {name: data for name, data in contents().items() if name != "soft"} if exists else None
    assert " both write to " in cli.error(*command.split())
    if exists:
        assert {name: data for name, data in contents().items() if name != "soft"} == before


def test_devices_may_be_named_twice(cli):
    assert cli("train", "--quiet", "-p", "/dev/null", "-r", "/dev/null", "a.svm") == (0, "", "")


def run(command, cli):
    """A command of the shell's, with the program as $SONLEARN; in this process where it needs no shell."""
    line = command.removeprefix("$SONLEARN ")
    if not re.search("[<>$*]", line):
        done = cli(line)
        return subprocess.CompletedProcess(line, done.status, done.out, done.err + "\n" * bool(done.err))
    environment = os.environ | {"SONLEARN": " ".join(PROGRAM)}
    return subprocess.run(["/bin/sh", "-c", command], env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command", ["$SONLEARN train --quiet -p a.svm < a.svm", "$SONLEARN predict -i M --quiet a.svm >> a.svm",
                "$SONLEARN convert --to vw a.svm >> hard-a.svm", "$SONLEARN predict -i M --quiet a.svm >> M"]
)  # fmt: skip
def test_files_that_the_shell_has_opened_count(cli, command):
    before = contents()
    done = run(command, cli)
    assert done.returncode == 1, done
    assert "this would overwrite the " in done.stderr
    assert contents() == before


# ------------------------------------------------------------------------------------------------- writing fails

CUT_STANDARD = "standard output: cannot be written: No space left on device"
CUT = "/dev/full: cannot be written: No space left on device; it has a part of the lines only"
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@FULL
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("train --method nag -p /dev/full -f new a.svm", CUT),
        ("train --method nag -r /dev/full -f new a.svm", CUT),
        ("train --method nag -p - -f new a.svm > /dev/full", CUT_STANDARD),
    ],
)
def test_a_full_disk_is_named_and_the_model_saved(cli, command, message):
    done = run(f"$SONLEARN {command}", cli)
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert lines[-1] == f"sonlearn: {message}"
    assert "number of examples = 40" in lines
    assert f"interrupted run ({message})" in lines
    ours, theirs = (run(f"$SONLEARN inspect {name}", cli).stdout.splitlines() for name in ("new", "M"))
    assert ours[1] == "saved in a run that has not ended: pass 1 of 1, 40 examples read"
    assert ours[2:] == theirs[1:] != []


@FULL
@pytest.mark.parametrize("flags", ["", "--quiet", "-P 1"])
def test_a_full_disk_under_standard_error_costs_nothing(cli, flags):
    Path("bad.svm").write_text(Path("a.svm").read_text() + "1 x\n")
    done = run(f"$SONLEARN train --method nag {flags} --on-error skip -f new bad.svm 2> /dev/full", cli)
    assert done.returncode == 0
    assert Path("new").read_bytes() == Path("M").read_bytes()


@FULL
@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("predict -i M --quiet a.svm > /dev/full", CUT_STANDARD),
        ("predict -i M --quiet -p /dev/full a.svm", CUT),
        ("convert --to vw a.svm > /dev/full", CUT_STANDARD),
        ("convert --to vw a.svm -o /dev/full", "/dev/full: cannot be written: No space left on device"),
        ("sketch --quiet a.svm -o /dev/full", "/dev/full: cannot be written: No space left on device"),
        ("train --quiet -f /dev/full a.svm", "/dev/full: cannot be written: No space left on device"),
        ("inspect M > /dev/full", CUT_STANDARD),
        ("--help > /dev/full", CUT_STANDARD),
    ],
)
def test_what_cannot_be_written_is_named(cli, command, message):
    done = run(f"$SONLEARN {command}", cli)
    assert (done.returncode, done.stderr) == (1, f"sonlearn: {message}\n")
