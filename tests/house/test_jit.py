"""The place of compiled kernels follows all that decides what they compile to, and nothing else."""

import ast
import copy as copying
import itertools
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from places import PACKAGE

from sonlearn import named
from sonlearn.jit import cache, stored
from sonlearn.jit.decorators import InlinedKernel, Kernel
from sonlearn.jit.folders import trusted
from sonlearn.jit.settings import faststart_is_on

PROGRAM = (
    "from sonlearn.jit.settings import sources_hash; "
    "print(sources_hash('sonlearn.learn.newton.learn'), sources_hash('sonlearn.text.vw'))"
)


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


def test_a_module_that_is_imported_from_its_folder_counts(copy):
    line = "from sonlearn.jit import jit\n"
    edit(
        copy,
        "learn/newton/learn.py",
        line,
        line + "from sonlearn.report import (\n    labels,  # of nothing else here\n)\n",
    )
    before = hashes(copy)
    edit(copy, "report/labels.py", '"""', '"""Edited. ')
    assert [a == b for a, b in zip(hashes(copy), before, strict=True)] == [False, True]


def test_bounds_checks_and_optimisation_have_folders_of_their_own(copy):
    """Whoever compiles first must not decide how fast, or how careful, the others run."""
    found = [hashes(copy, **more)[1] for more in ({}, {"NUMBA_OPT": "1"}, {"NUMBA_BOUNDSCHECK": "1"})]
    assert len(set(found)) == 3


def test_private_parts_of_numba_are_for_the_versions_that_they_were_tested_with(monkeypatch, copy):
    monkeypatch.delenv("SONLEARN_FASTSTART", raising=False)
    assert all(map(faststart_is_on, ("0.61.0", "0.64.2", "0.68.1", "0.68.2rc1")))
    assert not any(map(faststart_is_on, ("0.60.0", "0.67.0", "0.69.0", "0.69.0rc1", "0.100.1", "1.61.0", "0.70dev+3")))
    monkeypatch.setenv("SONLEARN_FASTSTART", "0")
    assert not faststart_is_on("0.68.1")
    assert len({hashes(copy, SONLEARN_FASTSTART=on)[1] for on in "01"}) == 2


def run_python(program, **environment):
    """What a process prints that runs the `program` with compilation."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "NUMBA_DISABLE_JIT": "0"} | environment
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_plain_kernel_has_the_same_bits(tmp_path):
    """What parses, learns, solves and predicts: by Numba, by `stored` without it, and by Numba's plain decorators."""
    data, outputs = PACKAGE.parent / "data", []
    for run, fast in enumerate("110"):
        names = [tmp_path / f"{name}{run}" for name in ("a.model", "b.model", "b.predictions")]
        run_python(
            "import sys; from sonlearn.cli import main\n"
            f"a, b, p = {list(map(str, names))}\n"
            f"main(['train', '--quiet', '--method', 'nag', '-q', '::', '-f', a, {str(data / 'sample.vw')!r}])\n"
            f"main(['train', '--quiet', '--sketch', 'rfd', '-m', '10', '-f', b, {str(data / 'sample.svm')!r}])\n"
            f"main(['predict', '--quiet', '-i', b, '-p', p, {str(data / 'sample.svm')!r}])\n",
            SONLEARN_FASTSTART=fast,
        )
        outputs.append([name.read_bytes() for name in names])
    assert outputs[0] == outputs[1] == outputs[2]


class Pair(NamedTuple):
    a: object
    b: object


class Other(NamedTuple):
    a: object
    b: object


class Remembering(named.NamedTuple):
    a: object
    b: object


def test_types_are_told_apart_where_numba_tells_them_apart():
    """Code for other types would read other memory."""
    square, line = np.ones((3, 4)), np.arange(6.0)
    frozen = np.ones(6)
    frozen.flags.writeable = False
    slots = np.zeros(4, [("id", "i8"), ("count", "i4"), ("last", "i4")])
    values = [
        square, square.T, square[:, ::2], square.astype(np.float32), line, line[::2], frozen,
        line.astype(np.int64), line.astype(np.uint8), line > 2, slots, slots.view(np.recarray), slots["count"],
        np.zeros(4, [("id", "i8"), ("last", "i4"), ("count", "i4")]), np.frombuffer(b"123456789", np.uint8),
        np.zeros(17, np.uint8)[1:].view(np.float64), np.ones((1, 4)), np.ones((4, 1)).T, np.zeros(0),
        1, -(2**62), True, 1.0, None, "a", np.float64(1), np.int64(1), np.int32(1), np.bool_(1), (),
        (1,), (1, 2), (1, 2.0),
        Pair(1, 2), Other(1, 2), Pair(1, 2.0), Pair(line, Pair(1, square)), Pair(line, Pair(1, square.T)),
    ]  # fmt: skip
    for a, b in itertools.combinations(values, 2):
        if numba.typeof(a) != numba.typeof(b):
            assert stored.types_of((a,)) != stored.types_of((b,)), (a, b)
            assert stored.key_of((a,)) != stored.key_of((b,)), (a, b)
    for value in (2**63, b"a", [1], {1: 2}, object(), 1j, Pair(1, [2])):
        with pytest.raises(stored.UnknownTypeError):
            stored.types_of((value,))
        with pytest.raises(stored.UnknownTypeError):
            stored.key_of((value,))


def test_keys_are_told_apart_as_well():
    """Also of tuples that were seen before, and of copies, which have forgotten it."""
    line, other = np.arange(6.0), np.arange(6)
    for first, second in itertools.permutations(
        (Remembering(line, 1), Remembering(other, 1), Remembering(line, 1.0)), 2
    ):
        for _ in range(2):
            assert stored.key_of((first, line)) != stored.key_of((second, line))
            assert stored.key_of((first, line)) == stored.key_of((first._replace(b=first.b), line.copy()))
    seen = Remembering(line, 1)
    stored.key_of((seen,))
    for copied in (copying.copy(seen), copying.deepcopy(seen), pickle.loads(pickle.dumps(seen)), seen._replace(b=2)):
        assert not vars(copied)
        assert type(copied) is Remembering
    with pytest.raises(stored.UnknownTypeError):
        stored.key_of((Remembering([1], 2),))
    with pytest.raises(stored.UnknownTypeError):
        stored.key_of((2**63,))


def test_nobody_changes_the_type_of_an_array():
    """Kernels are found by the types that arrays had when a tuple was made of them."""
    wrong = [
        f"{path}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
            and node.attr in ("dtype", "shape", "strides", "writeable"))
        or (isinstance(node, ast.Attribute) and node.attr in ("setflags", "setfield"))
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


WITHOUT_NUMBA = """
import sys
from sonlearn.jit import on_first_compilation, without_numba
without_numba()
with on_first_compilation(lambda: print("compiled")):
    from sonlearn.text.hashing import hash_bytes
    print(hash_bytes(b"a") & (2**18 - 1), "numba" in sys.modules)
"""


@pytest.mark.skipif(not stored.is_possible(), reason="not a tested Numba")
@pytest.mark.parametrize("fault", ["none", "no code", "other code", "no note", "other processor"])
def test_only_whole_kernels_for_this_machine_run_without_numba(tmp_path, fault):
    def run():
        return run_python(WITHOUT_NUMBA, SONLEARN_CACHE_DIR=str(tmp_path)).split()

    def file(end):
        (path,) = [path for path in tmp_path.rglob("*" + end) if path.name.startswith("hashing")]
        return path

    assert run() == ["compiled", "92594", "True"]
    assert run() == ["92594", "False"]
    if fault == "no code":
        file(".code").unlink()
    elif fault == "other code":
        file(".code").write_bytes(file(".code").read_bytes().replace(b"hash", b"hush"))
    elif fault == "no note":
        file(".types").unlink()
    elif fault == "other processor":
        file(".types").write_text(file(".types").read_text().replace("flags", "others"))
    again = [] if fault == "none" else ["compiled"] if fault.endswith("code") else []
    assert run() == [*again, "92594", str(fault != "none")]
    assert run() == ["92594", "False"]


def test_compilation_by_others_is_left_alone():
    """Their functions are compiled with garbage collection as it was, and no run says that it compiles."""
    program = """
import gc, numba, numba.core.event as event
from sonlearn.jit import on_first_compilation
from sonlearn.jit.decorators import InlinedKernel
found = []
class Listener(event.Listener):
    def on_start(self, event): found.append(gc.isenabled())
    def on_end(self, event): pass
with on_first_compilation(lambda: found.append("ours")):
    ours = InlinedKernel(lambda x: x + 1)
    ours._for_python()  # only now is Numba's compiler told of us
    event.register("numba:compile", Listener())
    numba.njit(lambda x: x + 2)(1)
    ours(1)
print(*found, gc.isenabled())
"""
    assert run_python(program) == "True ours False True\n"


def test_a_numba_that_keeps_no_kernels_compiles_them(monkeypatch):
    def attach(*given):
        raise AttributeError("no such cache")

    monkeypatch.setattr(cache, "attach", attach)
    kernel = Kernel(lambda x: x + 1)
    with pytest.warns(RuntimeWarning, match="compiled in each run: no such cache"):
        assert kernel(1) == 2


def test_the_locators_of_others_do_not_move_the_cache(tmp_path):
    """Another locator would not know when a kernel is stale."""
    program = "from sonlearn.text.hashing import hash_bytes; print(hash_bytes(b'a') & (2**18 - 1))"
    environment = {"SONLEARN_CACHE_DIR": str(tmp_path), "NUMBA_CACHE_LOCATOR_CLASSES": "UserWideCacheLocator"}
    assert run_python(program, **environment) == "92594\n"
    assert list(tmp_path.rglob("hashing.*.nbc"))


# ------------------------------------------------------------------------------------------------- places

KERNEL = """
import sys, time
from pathlib import Path
import sonlearn.jit.folders as j
roots, closed = sys.argv[1].split(","), sys.argv[2].split(",")
j.roots = lambda: roots
writable = j._writable
j._writable = lambda folder: str(Path(folder).parent) not in closed and writable(folder)
from sonlearn.jit import on_first_compilation
with on_first_compilation(lambda: print("compiled")):
    from sonlearn.text.hashing import hash_bytes
    assert hash_bytes(b"a") & (2**18 - 1) == 92594
"""


def kernel(roots, closed=()):
    """Whether a process that looks for kernels in `roots`, of which those `closed` cannot be written to, compiles."""
    arguments = [",".join(map(str, roots)), ",".join(map(str, closed)) or "-"]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    done = subprocess.run(
        [sys.executable, "-c", KERNEL, *arguments], env=environment | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return "compiled" in done.stdout


@pytest.fixture
def place():
    """A folder that nobody else can write to, above it neither."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")


@posix
def test_a_filled_cache_that_is_read_only_is_read(place):
    shared, own = place / "shared", place / "own"
    assert kernel([shared])
    assert not kernel([shared])
    assert not kernel([shared, own], closed=[shared])
    assert not kernel([shared], closed=[shared])
    assert kernel([place / "other", own], closed=[place / "other"])
    assert not kernel([place / "other", own], closed=[place / "other"])
    shutil.copytree(shared, place / "copied")  # as into an image, with other times and from another path
    assert not kernel([place / "copied"], closed=[place / "copied"])


@posix
@pytest.mark.parametrize("part", ["root", "folder", "file", "above"])
def test_a_cache_that_others_can_write_to_is_not_read(place, part):
    shared = place / "above" / "shared"
    kernel([shared])
    (folder,) = {path.parent for path in shared.rglob("*.nbc")}
    files = [path for path in folder.iterdir() if path.suffix == ".nbc"]
    {"root": shared, "folder": folder, "file": files[0], "above": place / "above"}[part].chmod(0o777)
    assert not trusted(folder)
    assert kernel([shared], closed=[shared])


@posix
def test_whose_cache_is_trusted(place, monkeypatch):
    (place / "k").mkdir()
    (place / "k" / "x.nbc").write_text("")
    assert trusted(place / "k")
    assert not trusted(place / "none")
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert trusted(place / "k") == (owner == 0)  # root's is anybody's
    if owner == 0:
        os.chown(place / "k" / "x.nbc", 12345, -1)
        assert not trusted(place / "k")


def test_warm_compiles_what_runs_need(tmp_path):
    """One method; a run with that, in every format, compiles nothing after it."""
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "SONLEARN_CACHE_DIR": str(tmp_path / "k")}
    environment |= {"NUMBA_DISABLE_JIT": "0"}
    program = [sys.executable, "-m", "sonlearn"]
    done = subprocess.run(
        [*program, "warm", "--method", "gd"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.endswith(f"the kernels are in {tmp_path / 'k'}\n")
    (tmp_path / "t.csv").write_text("y,a\n1,2\n-1,x\n")
    data = PACKAGE.parent / "data"
    for command in (
        ["train", "--method", "gd", "-f", "m", data / "sample.svm"], ["predict", "-i", "m", data / "sample.svm"],
        ["inspect", "m"], ["train", "--method", "gd", "-q", "aa", "--ngram", "2", data / "sample.vw"],
        ["train", "--method", "gd", "--label", "y", "t.csv"],
        ["train", "--method", "gd", "--passes", "2", data / "sample.vw"],
    ):  # fmt: skip
        done = subprocess.run(
            [*program, *command], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        assert "compiling" not in done.stderr, command


# ------------------------------------------------------------------------------------------------- compiling


def test_one_process_compiles_and_the_others_wait(tmp_path):
    program = [sys.executable, "-c", KERNEL, str(tmp_path / "k"), "-"]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    environment["PYTHONPATH"] = str(PACKAGE.parent)
    processes = [subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(outputs) == ["", "", "compiled\n"]


def test_what_a_kernel_calls_is_an_inline():
    def total(x):
        return x + 1

    def caller(x):
        return kernel_of(x)

    kernel_of = Kernel(total)
    with pytest.raises(Exception, match="is called by a kernel: decorate it with inline"):
        InlinedKernel(caller)(1)


def test_python_may_call_what_kernels_call():
    program = (
        "from sonlearn.text.hashing import murmur; import numpy as np\n"
        "import gc; print(murmur(np.frombuffer(b'abcd', np.uint8), 0, 4, 0), gc.isenabled())"
    )
    for disabled in "01":
        environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "NUMBA_DISABLE_JIT": disabled}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert done.stdout == f"{0x43ED676A} True\n"
