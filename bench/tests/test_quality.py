"""The bench that judges how well we learn must itself be right: its loader, its measures, and what it keeps."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

from bench.quality import measures, ours, peers, sets
from bench.quality.report import Scores
from bench.rows import read, shuffled
from sonlearn import LearnOptions, OptionError
from sonlearn.options.members import default_members


def write(path, text):
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_rows_of_libsvm_text_keep_their_columns(tmp_path):
    X, y = read(write(tmp_path / "a.svm.gz", "-1 2:0.5 7:1\n3\n+1 1:2\n"))
    np.testing.assert_array_equal(y, [-1, 3, 1])
    np.testing.assert_array_equal(X.toarray(), [[0, 0.5, 0, 0, 0, 0, 1], [0] * 7, [2] + [0] * 6])


def test_rows_of_vw_text_have_a_column_a_name_and_sum_repeats(tmp_path):
    X, y = read(write(tmp_path / "a.dat.gz", "1 |t a b a\n0 |t b:3 c\n"))
    np.testing.assert_array_equal(y, [1, 0])
    a, b, c = [2, 0], [1, 3], [0, 1]
    assert sorted(X.toarray().T.tolist()) == sorted([a, b, c])


def test_a_shuffle_is_the_same_each_time_and_keeps_rows_with_labels():
    y = np.arange(50.0)
    X, shuffled_y = shuffled(sp.csr_array(np.diag(y + 1)), y, 20)
    np.testing.assert_array_equal(X.toarray(), np.diag(y + 1)[shuffled_y.astype(int)])
    np.testing.assert_array_equal(shuffled_y, shuffled(sp.csr_array(np.diag(y + 1)), y)[1][:20])
    assert not (np.diff(shuffled_y) > 0).all()


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([-1, 1, 1], [-1, 1, 1]), ([0, 1, 0], [-1, 1, -1]), ([0, 1, 2, 3], [-1, 1, -1, 1]), ([1, 2, 4], [1, -1, -1])],
)
def test_labels_become_signs(labels, expected):
    np.testing.assert_array_equal(sets.signs(np.array(labels, dtype=float)), expected)


def test_errors_count_what_is_no_number_as_half():
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0])
    assert measures.errors(np.array([0.2, 0.1, 0.0, -3.0, np.nan]), y) == 2.5
    assert measures.error_ratio(0, 0) == 1
    assert measures.error_ratio(1, 2) == 0.6


def test_log_loss_is_that_of_the_probability_of_the_label():
    odds, y = np.array([0.3, -2.0, np.nan, 1.5]), np.array([1.0, 1.0, -1.0, -1.0])
    p = np.array([1 / (1 + np.exp(-0.3)), 1 / (1 + np.exp(2.0)), 0.5, 1 - 1 / (1 + np.exp(-1.5))])
    assert measures.log_loss(odds, y) == pytest.approx(-np.log(p).mean(), rel=1e-12)
    assert np.isnan(measures.log_loss(np.full(4, np.nan), y))
    assert measures.log_loss(np.array([-np.inf]), y[:1]) == np.inf


def test_means_before_each_row_and_squares_of_no_number():
    np.testing.assert_array_equal(measures.running_mean(np.array([2.0, 4.0, 9.0])), [0, 2, 3])
    assert measures.squared(np.array([1.0, 3.0]), np.array([0.0, 1.0])) == 2.5
    assert measures.squared(np.array([np.nan, 3.0]), np.array([0.0, 1.0])) == np.inf


def test_means_leave_out_what_did_not_run():
    assert measures.geometric([2.0, np.nan, 8.0]) == pytest.approx(4)
    scores = Scores(["a", "b", "c"], ["text", "numbers", "text"], [[1.0, np.nan], [3.0, np.nan], [2.0, np.nan]])
    np.testing.assert_array_equal(scores.column(0, "text"), [1, 2])
    assert scores.worst(0) == (3.0, "b")
    assert np.isnan(scores.worst(1)[0])


def test_kept_results_are_found_by_all_that_they_depend_on(tmp_path, monkeypatch):
    a, b = np.array([1.0, 2.0]), np.array([1.0, 2.5])
    keys = {peers.fingerprint(*parts) for parts in [("x", a), ("x", b), ("y", a), ("x", a, a), ("xy", a)]}
    assert len(keys) == 5
    assert peers.fingerprint("x", a) == peers.fingerprint("x", a.copy())
    monkeypatch.setattr(peers, "KEPT", tmp_path / "kept")
    np.testing.assert_array_equal(peers.kept("n", "k", False, lambda: a), a)
    np.testing.assert_array_equal(peers.kept("n", "k", False, lambda: b), a)
    np.testing.assert_array_equal(peers.kept("n", "k", True, lambda: b), b)
    assert [path.name for path in peers.KEPT.iterdir()] == ["n-k.npy"]


def test_settings_come_from_words():
    assert ours.options_of("") == LearnOptions()
    expected = LearnOptions(sketch="fd", alpha=10.0, diagonal=False)
    assert ours.options_of("sketch=fd alpha=10 no-diagonal") == expected
    assert ours.options_of("--sketch fd --alpha 10 --no-diagonal") == expected
    with pytest.raises(OptionError, match="--skecth"):
        ours.options_of("skecth=fd")
    assert ours.for_values(LearnOptions(loss="hinge")).loss == "squared"
    assert ours.for_values(LearnOptions(loss="absolute")).loss == "absolute"


def test_each_member_is_dropped_once():
    dropped = ours.without_members(LearnOptions(method="committee", members=("gd", "rfd-son", "oja-son")))
    assert {name: o.members for name, o in dropped.items()} == {
        "gd": ("rfd-son", "oja-son"), "rfd-son": ("gd", "oja-son"), "oja-son": ("gd", "rfd-son"),
    }  # fmt: skip
    untold = LearnOptions(method="committee")
    assert tuple(ours.without_members(untold)) == default_members(untold.loss)
    assert ours.without_members(LearnOptions(method="committee", members=("gd",))) == {}
    assert ours.without_members(LearnOptions(method="rfd-son")) == {}


@pytest.mark.interpreted
def test_a_judgement_is_progressive_and_a_final_model_predicts_the_test_part(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = sp.csr_array(rng.normal(size=(60, 4))), np.where(rng.random(60) < 0.5, -1.0, 1.0)
    # Its predictions are the same online and offline.
    options = LearnOptions(method="rfd-son", loss="logistic", sketch_size=2)
    whole = ours.judge(options, X, y)
    assert whole.prediction[0] == 0
    np.testing.assert_array_equal(whole.log_odds, whole.prediction)
    np.testing.assert_array_equal(ours.judge(options, X[:40], y[:40]).prediction, whole.prediction[:40])
    monkeypatch.setattr(ours, "BATCH", 7)
    np.testing.assert_array_equal(ours.judge(options, X, y).prediction, whole.prediction)
    once, twice = (ours.judge(options, X[:40], y[:40], test=X[40:], passes=n).prediction for n in (1, 2))
    assert once[0] == pytest.approx(whole.prediction[40], rel=1e-12)
    assert (once != twice).any()
    assert np.isnan(ours.judge(LearnOptions(loss="squared"), X, y).log_odds).all()


def test_a_learner_that_refuses_predicts_nothing(capsys):
    X, y = sp.csr_array(np.eye(3)), np.array([1.0, 2.0, -1.0])
    assert np.isnan(ours.judge(LearnOptions(), X, y).prediction).all()
    assert "refused" in capsys.readouterr().out
