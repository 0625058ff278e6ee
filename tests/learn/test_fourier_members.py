"""Members on views of numbers: cuts, threads and saved models change no bit; on text they go and have told nothing."""

import numpy as np
import pytest
from states import check_cuts, check_saves
from streams import batch_of_dense, zipf

from sonlearn import Learner, LearnOptions, from_scipy
from sonlearn.learn.boosting.state import MAX_CLASSES
from sonlearn.options.members import CLASS_MEMBERS

OF_NUMBERS = ("drfd:zs-all", "ridge-z:products", "drfd:fourier")


def numbers(n=700, seed=0):
    """Rows of six numbers of which sin and products tell; a seventh comes late."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 7))
    X[: n // 2, 6] = 0.0
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


def batch_for(loss):
    X, f = numbers()
    return from_scipy(X, 40 + 3 * f if loss == "squared" else np.sign(f))


def active_members(learner):
    """Names of the members that have not been pruned."""
    return {member["name"] for member in learner.facts()["members"] if member["active"]}


@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_cuts_threads_and_saved_models_change_no_bit(loss, tmp_path):
    batch = batch_for(loss)
    one, other = check_saves(LearnOptions(loss=loss), batch, tmp_path, (1, 15, 17, 300, 513, 640), 2, foreseen=False)
    np.testing.assert_array_equal(other.predict(batch).prediction, one.predict(batch).prediction)
    assert "drfd:fourier" in active_members(one)


def test_on_text_they_are_pruned_and_leave_nothing():
    text = zipf(n=600, d=3000, s=12)
    learner = Learner(LearnOptions())
    learner.partial_fit(text)
    assert not active_members(learner) & set(OF_NUMBERS)
    assert len(active_members(learner)) >= 5
    errors = {member["name"]: member["weight"] for member in learner.facts()["members"]}
    assert all(errors[name] == 0.0 for name in OF_NUMBERS)


def test_ridge_of_two_classes_sees_differences_of_correlated_columns():
    """Which of two columns is higher, which differ by a hundredth of their standard deviation."""
    rng = np.random.default_rng(4)
    X = 10.0 * rng.normal(size=(1200, 1)) + rng.normal(scale=0.1, size=(1200, 4))
    learner = Learner(LearnOptions())
    learner.partial_fit(from_scipy(X, np.sign(X[:, 0] - X[:, 1])))
    errors = {member["name"]: member["error"] for member in learner.facts()["members"]}
    assert min(errors, key=errors.__getitem__) == "ridge-z:products"
    assert errors["ridge-z:products"] < 0.2 < errors["drfd:zs-all"]


# ------------------------------------------------------------------------------------------------- several classes


def test_members_that_are_of_no_use_beside_trees_leave_rows_of_numbers():
    names = ("arow-precision:zs", "boost:columns", "arow-precision:tfidf", "arow-precision:triples")
    rng, every = np.random.default_rng(0), set(CLASS_MEMBERS)
    values, counts = rng.normal(size=(600, 4)), np.ones((600, 4))
    y = 1.0 + (values[:, 0] > 0.0) + (values[:, 1] > 0.0)
    beside = {name for name in every if CLASS_MEMBERS[name].beside_trees}
    for X, given, left in (
        (values, (), beside), (counts, (), every - {"rls:fourier-few"}), (values, names, set(names))
    ):  # fmt: skip
        ours = Learner(LearnOptions(classes="auto", members=given))
        for some, at in ((slice(64), left if X is values else every), (slice(64, 600), left)):
            ours.partial_fit(batch_of_dense(X[some], y[some]))
            assert active_members(ours) == at


def test_members_stay_where_classes_will_be_many_or_too_many_for_trees():
    """Of 36 classes 35 were shown once, so there are more to come; or more are named. With names those on tuples go."""
    values, every = np.random.default_rng(0).normal(size=(64, 4)), set(CLASS_MEMBERS)
    twice, once = 1.0 + np.arange(64) // 2, 1.0 + np.minimum(np.arange(64), 35)
    auto, more = {"classes": "auto"}, {"oaa": MAX_CLASSES + 1}
    useless_beside_trees = {name for name in every if not CLASS_MEMBERS[name].beside_trees}
    tuples, named = {"arow-precision:pairs-fine", "arow-precision:triples"}, values * (1, 1, 1, 0) + (0, 0, 0, 1)
    for how, X, y, going in (
        (auto, values, twice, useless_beside_trees), (auto, values, once, tuples), (more, values, twice, set()),
        (auto, named, twice, tuples),
    ):  # fmt: skip
        ours = Learner(LearnOptions(**how))
        ours.partial_fit(batch_of_dense(X, y))
        assert active_members(ours) == every - going


def test_trees_of_a_class_that_comes_late_change_no_bit_however_cut(tmp_path):
    rng = np.random.default_rng(1)
    X = np.round(rng.normal(size=(200, 4)), 1)
    y = 1.0 + (X[:, 0] > 0.0) + (X[:, 1] * X[:, 2] > 0.0) + 3.0 * ((np.arange(200) > 120) & (X[:, 3] > 1.0))
    names = ("nag", "boost:columns", "rls:fourier-few")
    through, cut = (Learner(LearnOptions(classes="auto", members=names)) for _ in range(2))
    check_cuts(through, cut, batch_of_dense(X, y), tmp_path)
    assert abs(through.facts()["members"][1]["weight"]) > 0.1
