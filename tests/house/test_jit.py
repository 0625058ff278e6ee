"""The place of compiled kernels follows all that decides what they compile to, and nothing else."""

import shutil
import subprocess
import sys

import pytest
from places import PACKAGE

PROGRAM = "import sonlearn.jit as j; print(j.sources_hash('sonlearn.learn.newton'), j.sources_hash('sonlearn.text.vw'))"


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "sonlearn", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def hashes(folder, **environment):
    command = [sys.executable, "-c", PROGRAM]
    return subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(folder), **environment}, check=True, capture_output=True, text=True
    ).stdout.split()


def edit(folder, name, old, new):
    path = folder / "sonlearn" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_an_edit_changes_the_hash_of_those_that_depend_on_it(copy):
    learn, text = hashes(copy)
    assert [learn, text] == hashes(copy)
    edit(copy, "learn/losses.py", "2.0 * (p - y)", "3.0 * (p - y)")  # newton -> rounds -> losses
    edited, same = hashes(copy)
    assert edited != learn
    assert same == text
    edit(copy, "cli.py", '"""The command line', '"""A command line')
    assert [edited, same] == hashes(copy)
    assert hashes(copy, NUMBA_OPT="1")[0] != hashes(copy, NUMBA_OPT="3")[0]


def test_fields_of_named_tuples_count_for_all(copy):
    before = hashes(copy)
    edit(copy, "report/progress.py", "    weight: float = 0.0\n    loss: float = 0.0\n",
         "    loss: float = 0.0\n    weight: float = 0.0\n")  # fmt: skip
    assert all(a != b for a, b in zip(hashes(copy), before, strict=True))
