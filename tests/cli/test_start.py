"""What a process does not import, and that a first run has help with compiling, which ends with the run."""

import dataclasses
import os
import subprocess
import sys

import pytest
from commands import PROGRAM
from places import ROOT

from sonlearn import Learner, LearnOptions
from sonlearn.commands import precompile as ahead
from sonlearn.commands.messages import compilation_notice, to_stderr
from sonlearn.jit import decorators
from sonlearn.jit.settings import package_folders
from sonlearn.jit.stored import is_possible
from sonlearn.learn import learner
from sonlearn.learn.first_order.engine import FirstOrder
from sonlearn.options.bandit import BanditOptions

SAMPLE = str(ROOT / "data" / "sample.svm")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, entered. A test that names another cache names it to other processes only."""
    package_folders()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def environment(**more):
    return os.environ | {"NUMBA_DISABLE_JIT": "0"} | more


def imported(*commands, **more):
    """The modules of a process after it has run commands, with `more` in its environment."""
    program = (
        f"import sys; from sonlearn.cli import main\nfor command in {commands!r}: main(command)\n"
        "print('modules', *sys.modules)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment(**more), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("modules ")]
    return set(line.split()), done.stderr


def test_what_runs_no_kernel_does_not_import_numba():
    told = [
        (["methods"], ""),
        (["train", "none.svm"], "no such file"),
        (["train", "--passes", "2", "-f", "m"], "standard input can be read only once"),
        (["train", "-q", "ab", SAMPLE], "expected VW text, found LIBSVM text"),
        (["predict", "-i", "none", SAMPLE], "none: cannot be read"),
        (["inspect", "none"], "none: cannot be read"),
        (["convert", "--to", "vw", "none.svm"], "no such file"),
    ]
    modules, err = imported(*(command for command, _ in told))
    for (_, message), line in zip(told[1:], err.splitlines(), strict=True):
        assert message in line
    assert not {"numba", "llvmlite", "scipy"} & modules


@pytest.mark.skipif(not is_possible(), reason="not a tested Numba")
def test_a_second_run_imports_no_numba():
    """Of the committee, with nag among its members, or of a sketch alone."""
    learners = [], ["--sketch", "rfd", "-m", "10"]
    commands = []
    for options in learners:
        commands += [["train", "--quiet", "-f", "m", *options, SAMPLE], ["inspect", "m"]]
    imported(*commands, SONLEARN_FASTSTART="1")
    modules, _ = imported(*commands, SONLEARN_FASTSTART="1")
    assert "numba" not in modules


@pytest.mark.parametrize(("quiet", "terminal"), [(False, False), (False, True), (True, False), (True, True)])
def test_who_waits_at_a_terminal_is_told_how_far_compiling_is(quiet, terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    begun, text = [], "compiling kernels for this version once, some twenty seconds ..."
    with compilation_notice(quiet, lambda: begun.append(1)):
        for _ in range(2):
            decorators._compiling()
        to_stderr("read")
        decorators._compiling()
    assert begun == [1]
    told = f"\r{text} kernel 1\r{text} kernel 2\nread\n\r{text} kernel 3\n"
    assert capsys.readouterr().err == (told if terminal else "read\n" if quiet else f"{text}\nread\n")


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("notebook", [False, True])
def test_a_program_says_once_that_it_compiles_where_somebody_waits(terminal, notebook, monkeypatch, capsys):
    monkeypatch.setattr(decorators, "_PRINTED", [])
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    if notebook:
        monkeypatch.setattr(sys, "ps1", "In : ", raising=False)
    for _ in range(2):
        decorators._compiling()
    assert capsys.readouterr().err == (f"{decorators.COMPILING}\n" if terminal or notebook else "")
    monkeypatch.setattr(decorators, "_PRINTED", [])
    monkeypatch.setattr(sys, "stderr", None)
    decorators._compiling()


# ------------------------------------------------------------------------------------------------- help


def kept(folder):
    """Names of the kernels in a cache."""
    return {path.name.split("-")[0] for path in folder.rglob("*.kernel")}


def test_the_helper_compiles_what_learning_takes_and_warm_what_runs_need(folder, monkeypatch):
    """One method, one empty cache: the helper, then `warm`; a run in any format compiles nothing after it."""
    monkeypatch.setenv("SONLEARN_CACHE_DIR", str(folder / "k"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "0")
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    helper = ahead.Helper()
    helper.start(LearnOptions(method="bayes"))
    assert helper._process.wait(120) == 0
    helper.close()
    before = kept(folder / "k")
    learning = {"learn.bayes.score_rows", "views.index.intern_rows", "learn.losses.losses"}
    assert {f"sonlearn.{name}" for name in learning} <= before
    said = "\ncompiling kernels, which only a first run does, took a part of that time\n"
    for compiles in (True, False):
        train = [*PROGRAM, "train", "--threads", "1", "--method", "bayes", SAMPLE]
        assert (said in subprocess.run(train, capture_output=True, text=True, check=True).stderr) is compiles
    assert kept(folder / "k") - before == {"sonlearn.text.svmlight.parse_svmlight"}
    for path in (folder / "k").rglob("sonlearn.learn.losses.losses-*"):  # for `warm` to compile, which learns as well
        path.unlink()

    done = subprocess.run([*PROGRAM, "warm", "--method", "bayes"], capture_output=True, text=True, check=True)
    assert done.stdout.endswith(f"the kernels are in {folder / 'k'}\n")
    assert kept(folder / "k") > before
    (folder / "t.csv").write_text("y,a\n1,2\n-1,x\n")
    vw = str(ROOT / "data" / "sample.vw")
    _, err = imported(
        ["train", "--method", "bayes", "-f", "m", SAMPLE], ["predict", "-i", "m", SAMPLE], ["inspect", "m"],
        ["train", "--method", "bayes", "-q", "aa", "--ngram", "2", vw],
        ["train", "--method", "bayes", "--label", "y", "t.csv"], ["train", "--method", "bayes", "--passes", "2", vw],
    )  # fmt: skip
    assert err.count("number of examples") == 5
    assert "compiling" not in err


def test_the_helper_decides_too(folder, monkeypatch):
    """A few decisions are learned, by models of their own and by a method."""
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    for learn in (None, LearnOptions(method="nag", loss="squared")):
        helper = ahead.Helper()
        helper.start(learn, BanditOptions(cb_explore_adf=True, explore="squarecb"))
        assert helper._process.wait(500) == 0
        helper.close()


@pytest.mark.parametrize("end", ["close", "the run is gone"])
def test_the_helper_ends_with_the_run(folder, monkeypatch, end):
    monkeypatch.setenv("SONLEARN_CACHE_DIR", str(folder / "k"))
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    helper = ahead.Helper()
    helper.start(LearnOptions(sketch_size=10))
    process = helper._process
    if end == "close":
        helper.close()
    else:
        process.stdin.close()
    assert process.wait(30) is not None
    process.stdin = None
    helper.close()
    helper.start(LearnOptions())
    assert helper._process is process  # nothing begins after the end


def test_no_help_where_it_cannot_be(folder, monkeypatch):
    helper = ahead.Helper()
    monkeypatch.setattr(ahead, "_cores", lambda: 1)
    helper.start(LearnOptions())
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    monkeypatch.setattr(sys, "executable", str(folder / "none"))
    helper.start(LearnOptions())
    monkeypatch.setattr(sys, "executable", "")
    helper.start(LearnOptions())
    assert helper._process is None


@pytest.mark.parametrize(
    "options",
    [
        {}, {"loss": "poisson"}, {"loss": "quantile"}, {"oaa": 3}, {"multinomial": 3}, {"classes": "auto"},
        {"method": "rfd-son", "sketch_size": 4}, {"method": "ftrl", "loss": "hinge"},
        {"members": ("nag", "drfd:lunit")},
    ],
    ids=str,
)  # fmt: skip
def test_the_rows_fit_every_learner(options):
    options = LearnOptions(**options)
    assert LearnOptions(**dataclasses.asdict(options)) == options
    for each in (*ahead.of_members(options), options):
        assert not Learner(each).partial_fit(ahead.sample_rows()).refused.any()


def test_engines_are_compiled_before_what_numbers_features(monkeypatch):
    """Which the run compiles meanwhile: an engine's kernels take longest."""
    order, numbered, learned = [], learner.intern, FirstOrder.learn
    monkeypatch.setattr(learner, "intern", lambda *given: order.append("numbers") or numbered(*given))
    monkeypatch.setattr(FirstOrder, "learn", lambda *given: order.append("engine") or learned(*given))
    ahead.compile_learning(LearnOptions(method="nag"))
    assert order == ["engine", "numbers", "engine"]


def test_the_slowest_members_come_first():
    members = [each.members for each in ahead.of_members(LearnOptions())]
    assert members[:2] == [("boost:columns",), ("drfd:lunit",)]
    assert ("nag:pairs-z",) not in members  # its kernels are those of nag:pairs
    assert len(ahead.of_members(LearnOptions(classes="auto"))) > 1
    assert ahead.of_members(LearnOptions(method="nag")) == []


@pytest.mark.parametrize("kind", [{"cb_explore": 3}, {"cb_adf": True}])
def test_warming_up_decisions_learns_some(kind):
    """What `warm` does for decisions: both reward models learn, so that all is compiled."""
    bandit = ahead.compile_decisions(BanditOptions(**kind))
    assert bandit.facts()["learned"] == (64 if "cb_explore" in kind else 32)
    assert bandit.facts()["pairs"] > 0
    assert bandit.facts()["error of the sketched model"] is not None
