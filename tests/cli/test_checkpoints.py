"""A run that is killed goes on from its last checkpoint, and ends in the bytes of a run that was not."""

import functools
import io
import sys
from pathlib import Path

import numpy as np
import pytest
from places import sample

from sonlearn import Learner
from sonlearn.commands import passes, train
from sonlearn.commands.models import load_model
from sonlearn.data.batch import joined
from sonlearn.text.cache import CachedReader
from sonlearn.text.read import Reader


class Killed(BaseException):
    """Stands for a signal that leaves no time for anything."""


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Data that come in many batches."""
    monkeypatch.chdir(tmp_path)
    for of in (Reader, CachedReader):
        monkeypatch.setattr(of, "__init__", functools.partialmethod(of.__init__, chunk_bytes=1500))
    for kind in ("svm", "vw"):
        Path(f"a.{kind}").write_text(sample(f"sample.{kind}", 0, 150), encoding="utf-8")
        Path(f"b.{kind}").write_text(sample(f"sample.{kind}", 150, 230), encoding="utf-8")


@pytest.fixture
def killed(cli, monkeypatch):
    """Run a command that is killed in the report of a batch."""

    def call(*words, batches):
        left, report = [batches], train.TrainingSession.report

        def counted(self, *rest):
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            report(self, *rest)

        with monkeypatch.context() as patch:
            patch.setattr(train.TrainingSession, "report", counted)
            with pytest.raises(Killed):
                cli(*words)

    return call


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("options", [[], ["--cache_file", "c"]], ids=["text", "cache"])
@pytest.mark.parametrize("kind", ["svm", "vw"])
def test_a_killed_run_goes_on(cli, killed, kind, options, passes):
    """Lines that are left out have theirs among the predictions."""
    files = [f"a.{kind}", f"b.{kind}"]
    text = Path(files[0]).read_text(encoding="utf-8")
    Path(files[0]).write_text(text.replace("\n", "\n1 x\n", 40), encoding="utf-8")
    command = ["train", "--quiet", "--sketch", "rfd", "-m", 4, "--passes", passes, *options, *files]
    command += ["--on-error", "skip"]
    assert cli(*command, "-f", "whole", "-p", "p", "-r", "r")[0] == 0
    assert Path("p").read_text().count("nan") == 40 * passes
    command += ["--checkpoint", 20, "--resume", "-f", "model", "-p", "q", "-r", "s"]
    kills = 0
    for batches in (0, 3, 1, 5, 40, 7):
        if passes == 1 and batches == 40:
            continue
        killed(*command, batches=batches)
        kills += 1
    assert load_model("model").unfinished is not None
    assert cli(*command)[0] == 0
    assert Path("model").read_bytes() == Path("whole").read_bytes()
    assert Path("q").read_bytes() == Path("p").read_bytes()
    assert Path("s").read_bytes() == Path("r").read_bytes()
    assert "nothing is left to do" in cli(*[word for word in command if word != "--quiet"])[2]
    assert Path("model").read_bytes() == Path("whole").read_bytes()
    assert kills >= 5


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_table_of_predictions_goes_on(cli, killed, form):
    """Under one header, with the numbers of rows that have no id; ids may have quotes, and ends of lines."""
    ids = ['"a ""b\nc"', "", '"\n"', "d"]
    Path("t.csv").write_text("id,x,y\n" + "".join(f"{ids[i % 4]},{i % 7},{i % 2}\n" for i in range(3000)))
    command = ["train", "--quiet", "--method", "nag", "--label", "y", "--id", "id", "--output", form, "t.csv"]
    assert cli(*command, "-f", "whole", "-p", "p")[0] == 0
    command += ["--checkpoint", 1, "--resume", "-f", "model", "-p", "q"]
    for batches in (1, 2, 1):
        killed(*command, batches=batches)
    assert 0 < load_model("model").unfinished.lines < 3000
    assert cli(*command)[0] == 0
    assert Path("q").read_bytes() == Path("p").read_bytes()


@pytest.mark.parametrize(("method", "most"), [("committee", 4096), ("committee", 9), ("nag", 4096)])
def test_after_further_passes_a_committee_learns_the_rows_held_out(cli, killed, monkeypatch, method, most):
    """As new ones, and the last of them where they are many; a run that is resumed does, too."""
    monkeypatch.setattr(passes, "MAX_HELD_OUT", most)
    command = ["train", "--method", method, "--passes", 2, "a.svm", "b.svm"]
    told = f"learned at the end = {min(most, 23)} examples held out\n"
    assert (told in cli.err(*command, "-f", "whole")) == (method == "committee")
    killed(*command, "--checkpoint", 20, "--resume", "-f", "model", batches=20)
    assert load_model("model").unfinished.number == 2
    assert cli(*command, "--resume", "-f", "model")[0] == 0
    assert Path("model").read_bytes() == Path("whole").read_bytes()
    rows = joined(list(Reader(["a.svm", "b.svm"])))
    learner, held = Learner(method=method), np.arange(1, rows.n + 1) % 10 == 0
    for again in (False, True):
        learner.next_pass(again)
        learner.partial_fit(rows._replace(weight=np.where(held, 0.0, 1.0)))
    if method == "committee":
        learner.next_pass(again=False)
        learner.partial_fit(rows.at(np.flatnonzero(held)[-most:]))
    learner.rest()
    np.testing.assert_array_equal(Learner.load("whole").predict(rows).raw, learner.predict(rows).raw)


def test_what_was_learned_before_is_not_learned_again(cli, killed):
    killed("train", "--checkpoint", 1, "-f", "model", "a.svm", batches=4)
    unfinished = load_model("model").unfinished
    assert (unfinished.number, unfinished.data, unfinished.passes) == (1, ["a.svm"], 1)
    err = cli.err("train", "--resume", "-f", "model", "a.svm")
    assert "initial_regressor = model" in err
    assert f"number of examples = {150 - unfinished.read}\n" in err
    assert f"skipping {unfinished.read} examples that the unfinished run has read\n" in err


def test_save_per_pass(cli, monkeypatch):
    saved = []
    monkeypatch.setattr(passes, "save_model", lambda path, learner, unfinished, names: saved.append(unfinished))
    assert cli("train", "--passes", 3, "--save_per_pass", "-f", "model", "a.svm")[0] == 0
    assert [place and (place.number, place.read) for place in saved] == [(2, 0), (3, 0), None]


def test_a_checkpoint_every_so_many_minutes(cli, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(passes.time, "monotonic", lambda: clock[0])
    checkpoints = passes.Checkpoints(None, 2.0)
    due = []
    for clock[0] in (30.0, 119.0, 121.0, 122.0, 240.0, 242.0):
        due.append(checkpoints.due(5))
    assert due == [False, False, True, False, False, True]
    both = passes.Checkpoints(10, 2.0)
    assert [both.due(4) for _ in range(6)] == [False, False, True, False, False, True]


def test_a_checkpoint_that_cannot_be_written_ends_nothing(cli, monkeypatch):
    from sonlearn.errors import ModelFileError
    from sonlearn.files import storage

    write, calls = storage.write, []

    def failing(*arguments):
        calls.append(1)
        if len(calls) < 3:
            raise ModelFileError("model: cannot be written: No space left on device")
        write(*arguments)

    monkeypatch.setattr(storage, "write", failing)
    err = cli.err("train", "--quiet", "--checkpoint", 40, "-f", "model", "a.svm")
    told = "sonlearn: warning: no checkpoint was saved: model: cannot be written: No space left on device"
    assert err.splitlines() == [told] * 2
    assert load_model("model").unfinished is None


def test_another_run_is_not_gone_on_with(cli, killed):
    killed("train", "--checkpoint", 1, "-p", "p", "-f", "model", "a.svm", batches=4)
    before = Path("model").read_bytes()
    for arguments, message in (
        (["b.svm"], "has data = a.svm, not b.svm: give the same command as then"),
        (["--passes", 2, "a.svm"], "has passes = 1, not 2: give the same command as then"),
        (["-m", 3, "a.svm"], "the model model has sketch-size = 10"),
    ):
        assert message in cli.error("train", "--resume", "-f", "model", *arguments)
    Path("p").write_text("1\n2\n")
    line = cli.error("train --quiet --resume -p p -f model a.svm")
    assert line.startswith("p: has 2 whole lines, expected the ")
    assert cli.error("train --quiet --resume -p new -f model a.svm") == line.replace("p: has 2", "new: has 0")
    assert line.endswith(" of the run that is to go on: give its -p and -r as then")
    assert not Path("new").exists()
    Path("a.svm").write_text("1 1:1\n")
    assert "a.svm: found 1 examples, expected the " in cli.error("train --quiet --resume -f model a.svm")
    assert Path("model").read_bytes() == before


def test_standard_input_is_gone_on_with_from_its_beginning(cli, killed, monkeypatch):
    data = Path("a.svm").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    killed("train", "--quiet", "--checkpoint", 10, "-f", "model", batches=5)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    status, out, warned = cli("train", "--quiet", "--resume", "-f", "model")
    assert (status, out) == (0, "")
    told = "examples that the unfinished run has read; if standard input begins behind them, give -i model in place of"
    assert f"{told} --resume\n" in f"{warned}\n"
    assert cli("train", "--quiet", "-f", "whole", "a.svm")[0] == 0
    assert Path("model").read_bytes() == Path("whole").read_bytes()
