"""Members on views of numbers: cuts, threads and saved models change no bit; on text they go and have told nothing."""

import itertools

import numpy as np
import pytest
from streams import rows_of, zipf

from sonlearn import Learner, LearnOptions, from_scipy
from sonlearn.options.members import MEMBERS

OF_NUMBERS = ("drfd:zs-all", "drfd:fourier")


def numbers(n=700, seed=0):
    """Rows of six numbers of which sin and products tell; a seventh comes late."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 7))
    X[: n // 2, 6] = 0.0
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


def batch_for(loss):
    X, f = numbers()
    return from_scipy(X, 40 + 3 * f if loss == "squared" else np.sign(f))


def learned(batch, cuts, loss, threads=1, path=None):
    learner, out = Learner(LearnOptions(loss=loss), threads=threads), []
    for a, b in itertools.pairwise(cuts):
        out.append(learner.partial_fit(rows_of(batch, slice(a, b))).prediction)
        if path is not None:
            learner.save(path)
            learner = Learner.load(path)
    return learner, np.concatenate(out)


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_cuts_threads_and_saved_models_change_no_bit(loss, tmp_path):
    batch = batch_for(loss)
    one, whole = learned(batch, [0, 700], loss)
    for more in ({"threads": 2}, {"path": tmp_path / "model"}):
        other, pieces = learned(batch, [0, 1, 15, 17, 300, 513, 640, 700], loss, **more)
        np.testing.assert_array_equal(pieces, whole)
        np.testing.assert_array_equal(other.predict(batch).prediction, one.predict(batch).prediction)
    names = {member["name"] for member in one.facts()["members"] if member["active"]}
    assert "drfd:fourier" in names


def test_what_members_predict_of_numbers_is_worth_its_time():
    """The member alone, and with all others in place of these."""
    batch = batch_for("logistic")
    error = {}
    for members in (("drfd:fourier",), (), tuple(name for name in MEMBERS if name not in OF_NUMBERS)):
        predicted = Learner(LearnOptions(members=members)).partial_fit(batch).prediction
        error[members] = np.mean((predicted > 0)[300:] != (batch.y > 0)[300:])
    alone, every, without = error.values()
    assert alone < 0.25
    assert every < without


def test_on_text_they_are_pruned_and_leave_nothing():
    text = zipf(n=600, d=3000, s=12)
    learner = Learner(LearnOptions())
    learner.partial_fit(text)
    at_work = {member["name"]: member["active"] for member in learner.facts()["members"]}
    assert not any(at_work[name] for name in OF_NUMBERS)
    assert sum(at_work.values()) >= 5
    errors = {member["name"]: member["weight"] for member in learner.facts()["members"]}
    assert all(errors[name] == 0.0 for name in OF_NUMBERS)
