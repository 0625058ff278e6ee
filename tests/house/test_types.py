"""The annotations of the public interface, as mypy sees them in strict mode: within, and from a user's program."""

import subprocess
import sys
import tomllib

import pytest
from places import PACKAGE, ROOT

pytest.importorskip("mypy", reason="the annotations are checked by mypy (extra `types`)")

#: What users import, beside the two packages that name their own contents.
CLIENTS = ("plot", "river", "sklearn")

PROGRAM = """
import numpy as np
from sonlearn import Learner, LearnOptions, from_scipy, read_batches
from sonlearn.sketch import make_sketch
from sonlearn import river
from sonlearn.sklearn import SonlearnClassifier, SonlearnRegressor, StreamingSVD

options = LearnOptions(method="rfd-son", sketch_size=20)
learner = Learner(options)
for batch in read_batches("data.svm"):
    mean: float = float(learner.partial_fit(batch).loss.mean())
ids, weights = learner.weights()
norm: np.ndarray = weights * weights
learner.predict(from_scipy(np.ones((2, 3)), y=[1.0, -1.0]))
method: str = options.method
alpha: float = make_sketch("rfd", 10).update(np.ones((2, 3))).alpha
rows: np.ndarray = StreamingSVD(2).fit(np.ones((3, 4))).components_
learner = Learner(method="rfd-son", sketch_size=20)
labels: np.ndarray = SonlearnClassifier(method="nag").fit([[1.0]], [1]).predict([[1.0]])
"""
MISTAKES = {
    'Learner().examples.append(1)': "attr-defined",
    'Learner(3)': "arg-type",
    'n: str = Learner().alpha': "assignment",
    'LearnOptions(sketchsize=3)': "call-arg",
    'Learner().learn(batch)': "attr-defined",
    'Learner(metod="nag")': "call-arg",
    'SonlearnClassifier(metod="nag")': "call-arg",
    'SonlearnClassifier(sketch_size="10")': "arg-type",
    'SonlearnRegressor(threshold=0.5)': "call-arg",
    'river.SonlearnClassifier(n_jobs=2)': "call-arg",
}  # fmt: skip


def mypy(folder, *arguments):
    """(exit status, output) of mypy, with a cache that the tests share."""
    command = [sys.executable, "-m", "mypy", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return f"--cache-dir={tmp_path_factory.mktemp('mypy')}"


def test_the_public_interface_is_typed(cache):
    status, output = mypy(ROOT, cache)
    assert status == 0, output


def home_of(module):
    """The file of a module, below the project."""
    path = PACKAGE.parent.joinpath(*module.split("."))
    return (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).relative_to(ROOT)


def test_what_is_public_is_among_what_is_checked():
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["files"]
    assert all((ROOT / name).exists() for name in listed)
    checked = {path.relative_to(ROOT) for name in listed for path in ((ROOT / name), *(ROOT / name).rglob("*.py"))}
    import sonlearn
    import sonlearn.sketch

    named = (f"sonlearn.{name}" for name in (*sonlearn._HOME, *CLIENTS))
    homes = {home_of(name) for name in ("sonlearn", "sonlearn.sketch", *named)}
    assert homes <= checked
    assert (PACKAGE / "py.typed").is_file()


def test_a_users_program_is_checked(cache, tmp_path):
    """Against the package as it is installed: its marker py.typed is found, right uses pass and wrong ones do not."""
    lines = PROGRAM.splitlines()
    (tmp_path / "program.py").write_text("\n".join([*lines, *MISTAKES, ""]), encoding="utf-8")
    settings = (
        "[mypy]\nstrict = true\nfollow_imports = silent\n[mypy-scipy.*,sklearn.*]\nignore_missing_imports = true\n"
    )
    (tmp_path / "mypy.ini").write_text(settings + "[mypy-program]\n", encoding="utf-8")
    (tmp_path / "sonlearn").symlink_to(PACKAGE)
    status, output = mypy(tmp_path, cache, "program.py")
    assert status == 1, output
    found = [line for line in output.splitlines() if ": error: " in line]
    expected = [(len(lines) + 1 + i, code) for i, code in enumerate(MISTAKES.values())]
    assert [(int(line.split(":")[1]), line.rsplit("[", 1)[1].rstrip("]")) for line in found] == expected, output
