"""The place of compiled kernels follows all that decides what they compile to, and nothing else."""

import ast
import errno
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from places import PACKAGE

from sonlearn.jit import folders, settings, stored
from sonlearn.jit.decorators import InlinedKernel, Kernel
from sonlearn.jit.folders import trusted
from sonlearn.jit.sequence import Sequence
from sonlearn.jit.settings import WITHOUT_KERNELS, faststart_is_on

PROGRAM = "from sonlearn.jit.settings import sources_hash; print(sources_hash())"


def compiling(**environment):
    """The environment of a process that compiles."""
    return os.environ | {"NUMBA_DISABLE_JIT": "0"} | environment


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "sonlearn", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def hash_of(folder, **environment):
    command = [sys.executable, "-c", PROGRAM]
    environment |= {"PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


def edit(folder, name, old, new):
    path = folder / "sonlearn" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_an_edit_changes_the_hash(copy):
    """Of a helper, of the fields of a tuple, of a number: all that a kernel may be made of counts."""
    found = [hash_of(copy)]
    assert hash_of(copy) == found[0]
    for edited in (
        ("learn/losses.py", "2.0 * (p - y)", "3.0 * (p - y)"),
        ("report/progress.py", "    weight: float = 0.0\n    errors: float = 0.0\n",
         "    errors: float = 0.0\n    weight: float = 0.0\n"),
        ("options/losses.py", '"""', '"""Edited. '),
    ):  # fmt: skip
        edit(copy, *edited)
        found.append(hash_of(copy))
    assert len(set(found)) == len(found)
    edit(copy, "commands/train.py", '"""', '"""Edited. ')
    assert hash_of(copy) == found[-1]


def test_bounds_checks_and_optimisation_have_folders_of_their_own(copy):
    """Whoever compiles first must not decide how fast, or how careful, the others run."""
    given = [{}, {"NUMBA_OPT": "3"}, {"NUMBA_BOUNDSCHECK": "1"}]
    if faststart_is_on():
        given.append({"SONLEARN_FASTSTART": "0"})
    assert len({hash_of(copy, **more) for more in given}) == len(given)
    assert hash_of(copy) == hash_of(copy, NUMBA_OPT="1")


LEVELS = """
import os, re
import numba
from sonlearn.jit import jit
from sonlearn.learn.losses import loss_slope, loss_of
from sonlearn.options import LearnOptions
def without_digits(name):  # each function that is compiled has a number of its own
    return re.sub("[0-9]", "", name[0])
loss = loss_of(LearnOptions(method="nag", loss="squared"))
for level in (None, "1", "3"):
    os.environ.update({"NUMBA_OPT": level} if level else {})
    @jit(allocates=True)
    def slope(loss, p, y):
        return loss_slope(loss, p, y)
    @jit(allocates=True)
    def wrong(loss, p, y):
        return loss_slope(loss, p)
    levels = []
    for kernel in (slope, wrong):
        try:
            kernel(loss, 1.0, 0.0)
        except numba.TypingError:
            levels.append("refused")
        levels.append(int(numba.config.OPT))
    text = re.sub("0x[0-9a-f]+", "", str(list(slope._compiled.inspect_llvm().values())))  # without places
    print(levels, hash(re.sub(r"(?<![\\w.+-])[%@#!A-Za-z_][\\w.$]*", without_digits, text)))
"""


@pytest.mark.parametrize("fast", "01")
def test_kernels_have_a_level_of_optimisation_of_their_own(fast, monkeypatch):
    """Other functions keep Numba's, also where a kernel cannot be compiled."""
    monkeypatch.delenv("NUMBA_OPT", raising=False)
    found = [line.rsplit(" ", 1) for line in run_python(LEVELS, SONLEARN_FASTSTART=fast).splitlines()]
    levels, codes = zip(*found, strict=True)
    assert levels == tuple(f"[{own}, 'refused', {own}]" for own in (3, 1, 3))
    assert codes[0] == codes[1] != codes[2]


def test_folders_whose_edits_do_not_count_have_no_kernels():
    wrong = [
        str(path)
        for folder in WITHOUT_KERNELS
        for path in (PACKAGE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "sonlearn.jit"
        and not {each.name for each in node.names} <= {"COMPILING", "on_compilation", "without_numba"}
    ]  # fmt: skip
    assert not wrong
    assert all((PACKAGE / folder).is_dir() for folder in WITHOUT_KERNELS)


OUTSIDE = """
from sonlearn.jit import jit
from sonlearn.learn.losses import Loss, loss_slope
@jit(allocates=True)
def slope(loss, p, y):
    return loss_slope(loss, p, y)
from sonlearn.learn.losses import loss_of
from sonlearn.options import LearnOptions
print(slope(loss_of(LearnOptions(method="nag", loss="squared")), 1.0, 0.0))
"""


def test_a_kernel_of_another_package_follows_edits_of_ours(copy):
    """It is defined in a file that does not change, as a user's module or a test."""
    (copy / "outside.py").write_text(OUTSIDE, encoding="utf-8")
    given = {"PYTHONPATH": str(copy), "SONLEARN_CACHE_DIR": str(copy / "k")}
    program = "import sys; del sys.path[0]; import outside"  # of the copy, not of the folder that this runs in
    before = float(run_python(program, **given))
    edit(copy, "learn/losses.py", "2.0 * (p - y)", "14.0 * (p - y)")
    assert float(run_python(program, **given)) == 7 * before


FROM_THE_END = """
import numpy as np
from sonlearn.data.rows import begin_row
from sonlearn.jit import jit
@jit
def number(x, i):
    return x[i]
try:
    begin_row(np.zeros((1, 2)), -1)
except IndexError:
    print("refused", number(np.arange(4), -1))
"""


@pytest.mark.skipif(not faststart_is_on(), reason="Numba asks of each index whether it counts from the end")
def test_no_index_of_ours_counts_from_the_end():
    """To ask it takes a tenth of the time of learning. Kernels of other packages may count so."""
    assert run_python(FROM_THE_END, NUMBA_BOUNDSCHECK="1") == "refused 3\n"


def test_private_parts_of_numba_are_for_the_versions_that_they_were_tested_with(monkeypatch):
    monkeypatch.delenv("SONLEARN_FASTSTART", raising=False)

    def is_on(version):
        monkeypatch.setattr(settings, "numba_version", lambda: version)
        return settings.faststart_is_on()

    assert all(map(is_on, ("0.61.0", "0.64.2", "0.68.1", "0.68.2rc1")))
    assert not any(map(is_on, ("0.60.0", "0.67.0", "0.69.0", "0.69.0rc1", "0.100.1", "1.61.0", "0.70dev+3")))
    monkeypatch.setenv("SONLEARN_FASTSTART", "0")
    assert not is_on("0.68.1")


def run_python(program, *arguments, **environment):
    """What a process prints that runs the `program` with compilation."""
    command, environment = [sys.executable, "-c", program, *arguments], compiling(**environment)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


RIDGE = """
import numpy as np
from sonlearn import Learner, from_scipy
from sonlearn.jit import without_numba
without_numba()
X = np.random.default_rng(0).normal(size=(200, 9))
learner = Learner(method="ridge")
print(learner.partial_fit(from_scipy(X, np.sign(X[:, 0]))).raw.tobytes().hex())
print(*(array.tobytes().hex() for array in learner.to_arrays()[1].values()))
"""


def test_a_plain_kernel_has_the_same_bits():
    """What learns, solves and predicts: by Numba, by `stored` without it, and by Numba's plain decorators."""
    outputs = [run_python(RIDGE, SONLEARN_FASTSTART=fast) for fast in "110"]
    assert outputs[0] == outputs[1] == outputs[2]


class Pair(NamedTuple):
    a: object
    b: object


class Other(NamedTuple):
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
    for value in (2**63, b"a", [1], {1: 2}, object(), 1j, Pair(1, [2])):
        with pytest.raises(stored.UnknownTypeError):
            stored.types_of((value,))


#: Runs a kernel that compiles quickly; `out` is 5, 1 then.
COPY = """
import numpy as np
from sonlearn.learn.by_row import copy_one
out = np.arange(2)
copy_one(np.array([5]), out)
"""
WITHOUT_NUMBA = f"""
import sys
from sonlearn.jit import on_compilation, without_numba
without_numba()
with on_compilation(lambda done: done or print("compiled")):
    exec({COPY!r})
    print(*out, "numba" in sys.modules)
"""


def run_copy(folder, **environment):
    """What a process prints that runs `COPY` by the cache in a folder, or compiles its kernel."""
    return run_python(WITHOUT_NUMBA, SONLEARN_CACHE_DIR=str(folder), **environment).split()


def the_file(folder, end):
    (path,) = [path for path in folder.rglob("*" + end) if "by_row" in path.name]
    return path


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with the kernel of `run_copy`."""
    folder = tmp_path_factory.mktemp("compiled")
    assert run_copy(folder) == ["compiled", "5", "1", "True"]
    return folder


@pytest.mark.skipif(not stored.is_possible(), reason="not a tested Numba")
def test_a_kernel_for_another_processor_is_not_run(compiled, tmp_path):
    shutil.copytree(compiled, tmp_path / "k")
    assert run_copy(tmp_path / "k") == ["5", "1", "False"]
    assert run_copy(tmp_path / "k", NUMBA_CPU_NAME="generic") == ["compiled", "5", "1", "True"]
    assert len([path for path in tmp_path.rglob("*.code") if "by_row" in path.name]) == 2


@pytest.mark.parametrize(
    ("end", "gone"), [(".kernel", False), *([(".code", False), (".code", True)] if stored.is_possible() else [])]
)
def test_a_damaged_file_is_compiled_and_replaced(compiled, tmp_path, end, gone):
    """Never an error, never another answer, and the next run finds it mended; the kinds of damage have tests below."""
    folder = tmp_path / "k"
    shutil.copytree(compiled, folder)
    path = the_file(folder, end)
    data = path.read_bytes()
    if gone:
        path.unlink()
    else:
        path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    if end == ".kernel" and stored.is_possible():
        the_file(folder, ".code").unlink()  # or nobody would read the other one
    assert run_copy(folder) == [*(["compiled"] if end == ".kernel" else []), "5", "1", "True"]
    assert path.read_bytes()[:8] == data[:8]  # the length
    assert run_copy(folder) == ["5", "1", str(not stored.is_possible())]


@pytest.mark.parametrize("seed", range(4))
def test_damage_of_any_kind_is_seen(tmp_path, seed):
    r = random.Random(seed)
    for _ in range(500):
        data = r.randbytes(r.choice((0, 1, 8, 100, 3000)))
        folders.keep(str(tmp_path), "x", b"key", data)
        assert folders.find([str(tmp_path)], "x", b"key") == data
        file = bytearray((tmp_path / "x").read_bytes())
        if r.random() < 0.4:
            file = file[: r.randrange(len(file))]
        elif r.random() < 0.2:
            file += r.randbytes(r.randrange(1, 20))
        else:
            for place in {r.randrange(len(file)) for _ in range(r.choice((1, 1, 7)))}:
                file[place] ^= r.randrange(1, 256)
        (tmp_path / "x").write_bytes(file)
        assert folders.find([str(tmp_path)], "x", b"key") is None


def test_a_full_disk_leaves_nothing(tmp_path, monkeypatch):
    def full(*paths):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="no space"):
        folders.keep(str(tmp_path), "x", b"key", b"data")
    assert not list(tmp_path.iterdir())


def test_no_kernel_waits_for_the_disk(tmp_path, monkeypatch):
    """A file that a power cut damages is compiled again."""
    monkeypatch.delattr(os, "fsync")
    folders.keep(str(tmp_path), "x", b"key", b"data")
    assert folders.find([str(tmp_path)], "x", b"key") == b"data"


def test_compilation_by_others_is_left_alone():
    """No run says that it compiles when it does not compile our functions."""
    program = """
import numba
from sonlearn.jit import on_compilation
found = []
with on_compilation(lambda done: found.append(f"ours {done}")):
    numba.njit(lambda x: x + 2)(1)
    print(*found)
    exec(COPY)
print(*found)
"""
    with tempfile.TemporaryDirectory() as place:
        assert run_python(program.replace("COPY", repr(COPY)), SONLEARN_CACHE_DIR=place) == "\nours 0\n"


def test_a_numba_that_keeps_no_kernels_compiles_them(tmp_path):
    program = f"""
import warnings
from numba.core.compiler import CompileResult
del CompileResult._reduce
with warnings.catch_warnings(record=True) as found:
    exec({COPY!r})
print(*out)
print(*(each.message for each in found))
"""
    for _ in range(2):
        value, message = run_python(program, SONLEARN_CACHE_DIR=str(tmp_path)).splitlines()
        assert value == "5 1"
        assert message.startswith(
            f"Numba {numba.__version__} keeps no kernels for sonlearn, which are compiled in each"
        )
    assert not list(tmp_path.rglob("*.kernel"))


def test_the_locators_of_others_do_not_move_the_cache(tmp_path):
    """Another locator would not know when a kernel is stale."""
    environment = {"SONLEARN_CACHE_DIR": str(tmp_path), "NUMBA_CACHE_LOCATOR_CLASSES": "UserWideCacheLocator"}
    assert run_python(COPY + "print(*out)", **environment) == "5 1\n"
    assert list(tmp_path.rglob("sonlearn.learn.by_row.*.kernel"))


# ------------------------------------------------------------------------------------------------- places

KERNEL = f"""
import sys, time
from pathlib import Path
import sonlearn.jit.folders as j
roots, closed = sys.argv[1].split(","), sys.argv[2].split(",")
j.roots = lambda: roots
writable = j._writable
j._writable = lambda folder: str(Path(folder).parent) not in closed and writable(folder)
from sonlearn.jit import on_compilation, without_numba
without_numba()
with on_compilation(lambda done: done or print("compiled")):
    exec({COPY!r})
    assert out.tolist() == [5, 1]
"""


def kernel(roots, closed=()):
    """Whether a process that looks for kernels in `roots`, of which those `closed` cannot be written to, compiles."""
    return "compiled" in run_python(KERNEL, ",".join(map(str, roots)), ",".join(map(str, closed)) or "-")


@pytest.fixture
def place():
    """A folder that nobody else can write to, above it neither."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


posix = pytest.mark.skipif(os.name != "posix", reason="owners and modes of POSIX")


@posix
def test_folders_are_tidied_once_a_day_and_not_with_each_kernel(place, monkeypatch):
    folder, stale = place / "k", place / "k" / f".sonlearn-{0:016x}.tmp"
    with monkeypatch.context() as patch:
        folder.mkdir()
        patch.setattr(os, "listdir", None)
        folders.keep(str(folder), "x", b"key", b"data")
    (folder / "used").touch()
    stale.touch()
    assert folders._writable(str(folder))
    assert stale.exists()
    os.utime(folder / "used", (0, 0))
    assert folders._writable(str(folder))
    assert not stale.exists()
    assert folders.find([str(folder)], "x", b"key") == b"data"


@posix
def test_a_filled_cache_that_is_read_only_is_read(compiled, place):
    shared, own = place / "shared", place / "own"
    shutil.copytree(compiled, shared)  # as into an image, with other times and from another path
    assert not kernel([shared, own], closed=[shared])
    assert not kernel([shared], closed=[shared])
    assert kernel([place / "other", own], closed=[place / "other"])
    assert not kernel([place / "other", own], closed=[place / "other"])


@posix
def test_a_cache_that_others_can_write_to_is_not_read(compiled, place):
    shared = place / "above" / "shared"
    shutil.copytree(compiled, shared)
    assert not kernel([shared], closed=[shared])
    (folder,) = {path.parent for path in shared.rglob("*.kernel")}
    file = next(path for path in folder.iterdir() if path.suffix == ".kernel")
    for part in (shared, folder, file, place / "above"):
        before = part.stat().st_mode
        part.chmod(0o777)
        assert not trusted(folder)
        part.chmod(before)
        assert trusted(folder)
    shared.chmod(0o777)
    assert kernel([shared], closed=[shared])


@posix
def test_the_users_own_folder_is_trusted_by_its_parents_too(compiled, place):
    """Who can rename a folder above can put another in its place; then kernels go to the next place."""
    own, next_one = place / "open" / "own", place / "next"
    shutil.copytree(compiled, own)
    assert not kernel([own, next_one])
    (place / "open").chmod(0o777)
    assert kernel([own, next_one])
    assert not kernel([own, next_one])
    assert list(next_one.rglob("*.kernel"))
    (place / "open").chmod(0o1777)  # as /tmp
    assert not kernel([own])


@posix
def test_any_umask_makes_folders_that_are_trusted_and_that_others_may_read(place):
    program = f"import os, sys; os.umask(0o002); sys.argv = ['', {str(place / 'a' / 'b')!r}, '-']\n{KERNEL}"
    assert run_python(program) == "compiled\n"
    assert run_python(program) == ""
    for path in (place / "a").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644)


@posix
def test_whose_cache_is_trusted(place, monkeypatch):
    (place / "k").mkdir()
    (place / "k" / "x.kernel").write_text("")
    assert trusted(place / "k")
    assert not trusted(place / "none")
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert trusted(place / "k") == (owner == 0)  # root's is anybody's
    if owner == 0:
        os.chown(place / "k" / "x.kernel", 12345, -1)
        assert not trusted(place / "k")


# ------------------------------------------------------------------------------------------------- compiling


def test_one_process_compiles_and_the_others_wait(tmp_path):
    program = [sys.executable, "-c", KERNEL, str(tmp_path / "k"), "-"]
    processes = [subprocess.Popen(program, env=compiling(), stdout=subprocess.PIPE, text=True) for _ in range(3)]
    outputs = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(outputs) == ["", "", "compiled\n"]


TAKEN = """
import fcntl, sys, threading
from sonlearn.jit import folders, without_numba
from sonlearn.jit.settings import package_folders
from sonlearn.learn.by_row import copy_one
from sonlearn.views.view import fits
import numpy as np
if WAY == "stored":
    without_numba()
lock = open(f"{package_folders()[0]}/{folders.name_of(fits.py_func)}.lock", "w")  # as another process has it
fcntl.flock(lock, fcntl.LOCK_EX)
found = []
thread = threading.Thread(target=lambda: found.append(fits(np.array([3]), 3)))
thread.start()
thread.join(1)
out = np.arange(2)
copy_one(np.array([5]), out)
print(out.tolist(), found)
lock.close()
thread.join()
print(found)
"""


@pytest.mark.parametrize("way", ["stored", "plain"])
def test_a_thread_compiles_while_another_waits_for_another_process(tmp_path, way):
    output = run_python(TAKEN.replace("WAY", repr(way)), SONLEARN_CACHE_DIR=str(tmp_path / "k"))
    assert output == "[5, 1] []\n[1]\n"


FORK = """
import os, signal, sys, threading, time
from sonlearn.jit import on_compilation, without_numba
from sonlearn.text.hashing import hash_bytes
import numba
if "stored" in sys.argv:
    without_numba()
begun = threading.Event()
with on_compilation(lambda done: begun.set()):
    thread = threading.Thread(target=hash_bytes, args=(b"a",))
    thread.start()
    begun.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(hash_bytes(b"a") & (2**18 - 1) != 92594)
    thread.join()
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes of POSIX")
@pytest.mark.parametrize("way", ["stored", "numba"])
def test_a_fork_while_another_thread_compiles_has_kernels(tmp_path, way):
    assert run_python(FORK, way, SONLEARN_CACHE_DIR=str(tmp_path)) == "0\n"


def test_what_a_kernel_calls_is_an_inline():
    def total(x):
        return x + 1

    def caller(x):
        return kernel_of(x)

    kernel_of = Kernel(total)
    with pytest.raises(Exception, match="is called by a kernel: decorate it with inline"):
        InlinedKernel(caller)(1)


CONSTANTS = """
from sonlearn.jit import inline, jit
@inline(allocates=True)
def chosen(values, i, last):
    return values[len(values) - 1 if last else i]
@jit(allocates=True)
def total(values, i):
    return chosen(values, 0, False) + chosen(values, 1, True) + chosen(values, i, i > 0) + chosen(values, i, last=True)
print(total((1.0, 2.0, 4.0), 1), len(chosen.for_kernels().overloads))
"""


def test_a_helper_is_compiled_once_for_all_constants():
    """Numba has a type of its own for each whole number and flag that stands in a call."""
    assert run_python(CONSTANTS) == "13.0 1\n"


TUPLES = """
from collections import namedtuple
import numba, numpy as np
from numba.core.registry import cpu_target
from sonlearn.jit import inline, jit
from sonlearn.jit.sequence import Sequence
@inline
def add(pair, by):
    pair.within.total[1] += by * pair.x if pair.adds else 0.0
@jit
def twice(pair, by):
    pair.within.total[0] += by
    add(pair, 10.0)
    return 1
for module in "sonlearn.made", "made":
    inner = namedtuple("Inner", "total n", module=module)(np.zeros(2), 7)
    pair = namedtuple("Outer", "adds x within", module=module)(True, 2.5, inner)
    calls = Sequence([(twice, (pair, 3))] * 2)
    assert calls.run(0) == 2 and calls._run is not None
    twice(pair, 0.5)
    print(inner.total, len(cpu_target.target_context.get_arg_packer([numba.typeof(pair)]).argument_types))
"""


def test_a_tuple_of_ours_is_one_argument():
    """Others' functions may be stored for one argument for each number."""
    assert run_python(TUPLES) == "[ 6.5 75. ] 1\n[ 6.5 75. ] 10\n"


@pytest.mark.parametrize("value", [np.float32(1), np.bool_(True), np.int32(1), "a", None])
def test_what_a_block_cannot_hold_is_passed_by_numba(value):
    """Of the numbers a block holds words: 64 bits each."""

    def one(x):
        return 1

    calls = Sequence([(Kernel(one), (value,))] * 2)
    assert calls.run(0) == 2
    assert not (calls._run is not None and isinstance(value, (np.float32, np.bool_, str)))
