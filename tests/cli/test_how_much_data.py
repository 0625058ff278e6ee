"""--examples, --holdout_after and --early_terminate: how much of the data a run takes, and when it has had enough."""

import re

import numpy as np
import pytest
from commands import summary
from streams import words_text

from sonlearn import Learner


@pytest.fixture
def text(tmp_path):
    """A file of 150 rows with noisy labels, which later passes learn by heart."""
    path = tmp_path / "noise.vw"
    path.write_text(words_text(150, 60, 2.0, seed=1))
    return path


def weights(path):
    ids, w = Learner.load(path).weights()
    return dict(zip(ids.tolist(), w.tolist(), strict=True))


@pytest.mark.parametrize("passes", [1, 2])
def test_the_first_examples_of_each_pass(text, tmp_path, cli, passes):
    head, models = tmp_path / "head.vw", [tmp_path / "a", tmp_path / "b"]
    head.write_text("".join(text.read_text().splitlines(keepends=True)[:40]))
    more = ["--method", "nag", "--passes", passes]
    assert cli("train", "--quiet", *more, "-f", models[0], head)[0] == 0
    assert cli("train", *more, "--examples", 40, "-f", models[1], text)[0] == 0
    assert weights(models[0]) == weights(models[1])
    assert weights(models[0])
    predictions = tmp_path / "predictions"
    assert cli("predict", "--quiet", "-i", models[0], "-p", predictions, "--examples", 7, text)[0] == 0
    assert len(predictions.read_text().splitlines()) == 7


def test_what_comes_after_them_is_not_read(tmp_path, cli):
    """A malformed line there is none of a run's business; in front of them it is."""
    data = tmp_path / "data.svm"
    data.write_text("1 1:1\n-1 2:1\n1 x\n")
    assert cli("train", "--quiet", "--method", "nag", "--examples", 2, data)[0] == 0
    assert cli("train", "--quiet", "--method", "nag", "--examples", 3, data)[0] == 1


def test_a_cache_is_made_of_all(text, tmp_path, cli):
    cache, more = tmp_path / "c", ["--method", "nag", "--quiet"]
    model = tmp_path / "m"
    assert cli("train", *more, "--passes", 2, "--examples", 30, "--cache_file", cache, text)[0] == 0
    error = cli.err("train", "--method", "nag", "--cache_file", cache, "-f", model, text)
    assert "made anew" not in error
    assert summary(error, "number of examples") == "150"


def test_holdout_after(text, tmp_path, cli):
    """The examples after the first N are not learned from, and give the loss."""
    head, models = tmp_path / "head.vw", [tmp_path / "a", tmp_path / "b"]
    head.write_text("".join(text.read_text().splitlines(keepends=True)[:100]))
    more = ["--method", "nag", "--passes", 3]
    assert cli("train", "--quiet", *more, "--holdout_off", "-f", models[0], head)[0] == 0
    error = cli.err("train", *more, "--holdout_after", 100, "-f", models[1], text)
    ours = weights(models[1])
    assert all(ours[f] == w for f, w in weights(models[0]).items())
    assert summary(error, "number of examples per pass") == "100"
    assert re.search(r"average loss = \S+ h$", error, re.MULTILINE)


def test_early_termination_keeps_the_best_pass(text, tmp_path, cli):
    """Against runs of 1, 2, 3... passes, each with its holdout loss: the first in a row of vain ones is the last."""
    more, losses, models = ["--method", "nag", "-l", 0.3], [], []
    for k in range(2, 9):
        models.append(tmp_path / f"m{k}")
        error = cli.err("train", *more, "--passes", k, "-f", models[-1], text)
        losses.append(float(summary(error, "average loss")))
    best = int(np.argmin(losses))
    assert best < len(losses) - 3, losses
    assert all(np.diff(losses[best:]) >= 0), losses
    early, kept = tmp_path / "early", f"since pass {best + 2} ({losses[best]:.6f}), whose model is kept"
    for patience, passes in ((1, 20), (3, 20), (20, 8)):
        error = cli.err("train", *more, "--passes", passes, "--early_terminate", patience, "-f", early, text)
        used = min(best + 2 + patience, passes)
        assert f"the holdout loss has not fallen {kept}" in error
        assert summary(error, "passes used") == str(used)
        assert weights(early) == weights(models[best])
        assert weights(early) != weights(models[used - 2])


def test_a_holdout_loss_that_has_risen_is_named(text, cli):
    losses = []
    for passes in range(2, 9):
        error = cli.err("train", "--loss", "squared", "--method", "nag", "-l", 5, "--passes", passes, text)
        losses.append(float(summary(error, "average loss")))
        warning = f"warning: the holdout loss was least in pass {np.argmin(losses) + 2}; --early_terminate 3 keeps"
        assert (warning in error) == (losses[-1] > 1.05 * min(losses)), losses
    assert losses[-1] > 1.05 * min(losses) > 0.0


def test_no_early_end_while_the_loss_falls(text, tmp_path, cli):
    more = ["--method", "sgd", "-l", 0.001, "--passes", 4]
    error = cli.err("train", *more, "--early_terminate", 1, text)
    assert summary(error, "passes used") == "4"
    assert "has not fallen" not in error
