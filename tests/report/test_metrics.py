"""Streaming measures against their definitions (those against scikit-learn's), and against themselves in pieces."""

import math

import numpy as np
import pytest

from sonlearn import Learner, LearnOptions, Metrics
from sonlearn.learn.predicted import Predicted, chosen_of
from sonlearn.learn.scores import BINS, LARGEST, SMALLEST, ScoreHistogram, bins_of, threshold_below
from sonlearn.report.metrics import PredictionSample, ValueSums

pytestmark = pytest.mark.interpreted

#: (examples, share of positives, how far the classes are apart, scale of the scores, digits that scores are rounded to)
SCORES = ((1.0, 1.0, None), (3.0, 4.0, None), (0.2, 1e-3, None), (1.0, 1.0, 1), (2.0, 500.0, None))
SETS = [
    (n, share, apart, scale, digits)
    for n, share in ((40, 0.5), (300, 0.3), (2000, 0.05), (5000, 0.002))
    for apart, scale, digits in SCORES
]


def two_classes(n, share, apart, scale, digits):
    rng = np.random.default_rng(n + int(100 * apart))
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    scores = scale * (rng.normal(size=n) + 0.5 * apart * y - (share < 0.1))
    return y, scores if digits is None else np.round(scores, digits), rng.choice([0.5, 1.0, 3.0], n)


# ------------------------------------------------------------------------------------------------- definitions


def area(y, scores, weight):
    """Share of the pairs of a positive and another row, by weight, that the scores put in order; ties count half."""
    above, below = scores[y > 0][:, None], scores[y < 0]
    pairs = weight[y > 0][:, None] * weight[y < 0]
    return (pairs * ((above > below) + 0.5 * (above == below))).sum() / pairs.sum()


def at_every_cut(y, scores, weight):
    """(precision, recall) where all rows of a score or more are said to be positive, from the highest score on."""
    cuts, place = np.unique(-scores, return_inverse=True)
    found, said = (np.cumsum(np.bincount(place, h, len(cuts))) for h in (weight * (y > 0), weight))
    return found / said, found / found[-1]


def average_precision(y, scores, weight):
    """Precision at every cut times what the recall gains there."""
    precision, recall = at_every_cut(y, scores, weight)
    return (precision * np.diff(recall, prepend=0.0)).sum()


def found_of(y, predicted, weight, label):
    """(precision, recall, F1) of a label; 0 where there is nothing to divide by."""
    both = weight[(y == label) & (predicted == label)].sum()
    said, there = weight[predicted == label].sum(), weight[y == label].sum()
    return (both / said if said else 0.0), (both / there if there else 0.0), 2 * both / (said + there)


def explained(y, predicted, weight):
    """R²: 1 less the squared error over that of the mean label."""
    return 1 - (weight * (y - predicted) ** 2).sum() / (weight * (y - np.average(y, weights=weight)) ** 2).sum()


@pytest.mark.parametrize("described", SETS)
def test_the_definitions_are_scikit_learns(described):
    theirs = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    y, scores, weight = two_classes(*described)
    decided, weighted = np.where(scores > 0, 1.0, -1.0), {"sample_weight": weight}
    assert area(y, scores, weight) == pytest.approx(theirs.roc_auc_score(y, scores, **weighted), rel=1e-11)
    expected = theirs.average_precision_score(y, scores, **weighted)
    assert average_precision(y, scores, weight) == pytest.approx(expected, rel=1e-11)
    for label in (-1.0, 1.0):
        given = {"average": "binary", "pos_label": label, "zero_division": 0} | weighted
        expected = theirs.precision_recall_fscore_support(y, decided, **given)[:3]
        assert found_of(y, decided, weight, label) == pytest.approx(expected, rel=1e-11)
    assert explained(y, scores, weight) == pytest.approx(theirs.r2_score(y, scores, **weighted), rel=1e-11)


def predicted_of(raw):
    n = len(raw)
    none = np.zeros(n)
    return Predicted(raw, raw, none, none.astype(bool), raw, np.where(raw > 0, 1.0, -1.0), raw, raw[:, None])


def metrics_of(options, y, raw, weight, pieces=1):
    metrics = Metrics(Learner(options))
    for at in np.array_split(np.arange(len(y)), pieces):
        metrics.count(y[at], weight[at], predicted_of(raw[at]), np.ones(len(at), dtype=bool))
    return metrics


@pytest.mark.parametrize("described", SETS)
def test_two_classes_are_measured_as_defined(described):
    y, scores, weight = two_classes(*described)
    result = metrics_of(LearnOptions(method="nag"), y, scores, weight).result()
    assert abs(result["auc"] - area(y, scores, weight)) <= result["auc_error"] + 1e-12
    error = abs(result["average_precision"] - average_precision(y, scores, weight))
    assert error <= result["average_precision_error"] + 1e-12
    if described[-1] is None:  # true ties count as pairs that share a bin
        assert max(result["auc_error"], result["average_precision_error"]) < 1e-3
    decided, expected = result["decided"], found_of(y, np.where(scores > 0, 1.0, -1.0), weight, 1.0)
    assert (decided["precision"], decided["recall"], decided["f1"]) == pytest.approx(expected, abs=1e-12)
    square = (np.exp(-np.logaddexp(0.0, -scores)) - (y > 0)) ** 2
    assert result["brier"] == pytest.approx(np.average(square, weights=weight), rel=1e-9)


@pytest.mark.parametrize("described", SETS)
def test_the_best_f1_is_reached_by_its_threshold_and_missed_by_at_most_the_bound(described):
    y, scores, weight = two_classes(*described)
    ours = ScoreHistogram()
    ours.add(scores, y > 0, weight)
    cut, error = ours.best_f1()
    *_, reached = found_of(y, np.where(scores > cut.threshold, 1.0, -1.0), weight, 1.0)
    assert cut.f1 == pytest.approx(reached, rel=1e-9)
    precision, recall = at_every_cut(y, scores, weight)
    best = (2 * precision * recall / np.maximum(precision + recall, 1e-300)).max()
    assert cut.f1 - 1e-12 <= best <= cut.f1 + error + 1e-12
    assert error < (2e-3 if described[-1] is None else 1)


def test_calibration_error_is_its_definitions():
    y, scores, weight = two_classes(2000, 0.3, 1.0, 2.0, None)
    result = metrics_of(LearnOptions(method="nag"), y, scores, weight, pieces=7).result()
    p, error = 1 / (1 + np.exp(-scores)), 0.0
    bins = [sum(one >= 1 / (1 + 2.0**k) for k in range(9, -10, -1)) for one in p]
    for b in set(bins):
        inside = np.array(bins) == b
        h = weight[inside]
        error += h.sum() * abs((h @ p[inside] - h @ (y[inside] > 0)) / h.sum())
    assert result["calibration_error"] == pytest.approx(error / weight.sum(), rel=1e-9)


def test_bins_keep_the_order_of_scores_and_are_as_narrow_as_promised():
    rng = np.random.default_rng(3)
    size = np.concatenate([2.0 ** rng.uniform(-30, 20, 4000), [SMALLEST, LARGEST, 0.0, np.nextafter(SMALLEST, 0)]])
    scores = np.sort(np.concatenate([size, -size]))
    bins = bins_of(scores)
    assert (np.diff(bins) >= 0).all()
    assert bins.min() == 0
    assert bins.max() == BINS - 1
    assert (bins_of(-scores) == BINS - 1 - bins).all()
    for bin_ in np.unique(bins).tolist():
        inside, below = scores[bins == bin_], threshold_below(bin_)
        assert (inside > below).all()
        assert (scores[bins < bin_] <= below).all()
        if 0 < bin_ < BINS - 1 and bin_ != BINS // 2:
            assert inside.max() - inside.min() <= np.abs(inside).max() * 2.0**-10


def test_where_batches_end_changes_no_bit():
    y, scores, weight = two_classes(2000, 0.3, 1.0, 2.0, None)
    for options, labels in ((LearnOptions(method="nag"), y), (LearnOptions(method="nag", loss="squared"), y + scores)):
        whole, pieces = (metrics_of(options, labels, scores, weight, pieces=count) for count in (1, 61))
        assert whole.result() == pieces.result()
        assert whole.pictures() == pieces.pictures()


@pytest.mark.parametrize("delay", [0, 40])
@pytest.mark.parametrize("far", [0.0, 1e6])
def test_values_are_measured_as_defined(far, delay):
    """Of all rows but those that were predicted before the label of the first one had come."""
    rng = np.random.default_rng(5)
    options = LearnOptions(method="nag", loss="squared", label_delay=delay)
    for n in (4 + delay, 200, 3000):
        y = far + rng.normal(size=n)
        predicted, weight = y + 0.3 * rng.normal(size=n), rng.choice([0.5, 1.0, 3.0], n)
        predicted[: 1 + delay] = 0.0
        result = metrics_of(options, y, predicted, weight, pieces=3).result()
        assert result["kind"] == "values"
        y, predicted, weight = (each[1 + delay :] for each in (y, predicted, weight))
        error = y - predicted
        assert result["rmse"] == pytest.approx(math.sqrt(np.average(error**2, weights=weight)), rel=1e-9)
        assert result["mae"] == pytest.approx(np.average(np.abs(error), weights=weight), rel=1e-9)
        assert result["r2"] == pytest.approx(explained(y, predicted, weight), rel=1e-7)


def test_equal_labels_have_no_r2():
    sums = ValueSums()
    assert {*sums.result().values()} == {None}
    sums.add(np.full(5, 3.25), np.arange(5.0), np.ones(5))
    assert sums.result()["r2"] is None


def test_counts_are_measured_as_counts():
    rng = np.random.default_rng(6)
    y, raw = rng.poisson(4.0, 300).astype(float), rng.normal(1.3, 0.2, 300)
    result = metrics_of(LearnOptions(method="nag", loss="poisson"), y, raw, np.ones(300)).result()
    assert result["r2"] == pytest.approx(explained(y[1:], np.exp(raw[1:]), np.ones(299)), rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_several_classes_are_measured_as_defined(seed):
    rng = np.random.default_rng(seed)
    n, k = 600, 3 + 4 * seed
    learner = Learner(LearnOptions(method="nag", classes="auto"))
    learner.declare_classes(range(k))
    y = rng.integers(0, k, n).astype(float)
    predicted = np.where(rng.random(n) < 0.6, y, rng.integers(0, k, n)).astype(float)
    predicted[y == 1] = 0.0  # a class that is never found
    weight, none = rng.choice([0.5, 1.0, 3.0], n), np.zeros(n)
    p = np.eye(k)[predicted.astype(int)] * 0.7 + 0.3 / k
    metrics = Metrics(learner)
    for at in np.array_split(np.arange(n), 5):
        of = Predicted(
            predicted, none, none, np.zeros(n, bool), y, predicted, none, p, probabilities=p, other=none,
            met=np.full(n, k), unseen=none,
        )  # fmt: skip
        metrics.count(y[at], weight[at], chosen_of(of, at), np.ones(len(at), dtype=bool))
    result = metrics.result()
    precision, recall, f1 = np.transpose([found_of(y, predicted, weight, label) for label in range(k)])
    assert result["macro_f1"] == pytest.approx(f1.mean(), rel=1e-9)
    order = np.argsort(f1, kind="stable")
    assert result["worst"][0]["label"] == "1"
    assert [row["f1"] for row in result["worst"]] == pytest.approx(f1[order][: len(result["worst"])].tolist(), rel=1e-9)
    for row in result["worst"]:
        at = int(row["label"])
        assert (row["recall"], row["precision"]) == pytest.approx((recall[at], precision[at]), rel=1e-9)
    square = ((p - np.eye(k)[y.astype(int)]) ** 2).sum(axis=1)
    assert result["brier"] == pytest.approx(np.average(square, weights=weight), rel=1e-9)


def test_a_rare_class_that_nobody_predicts_is_told():
    n = 1000
    y = np.where(np.arange(n) % 500 == 3, 1.0, -1.0)
    metrics = metrics_of(LearnOptions(method="nag"), y, np.where(y > 0, -3.0, -5.0 - np.arange(n) % 3), np.ones(n))
    assert metrics.result()["decided"]["predicted"] == 0
    assert metrics.result()["best_f1"]["f1"] == 1.0
    assert metrics.never_positive().startswith("no example was predicted +1, though 0.2 % are")
    assert metrics_of(LearnOptions(method="nag"), y, 10 * y, np.ones(n)).never_positive() == ""


def test_without_labels_of_both_kinds_there_is_nothing_to_rank():
    metrics = metrics_of(LearnOptions(method="nag"), np.full(5, -1.0), np.arange(5.0), np.ones(5))
    assert metrics.result()["auc"] is metrics.result()["average_precision"] is metrics.result()["best_f1"] is None
    assert metrics.lines()[0] == "area under the ROC curve = n.a."
    assert metrics.never_positive() == ""
    none = metrics_of(LearnOptions(method="nag"), np.full(3, np.nan), np.zeros(3), np.ones(3))
    assert none.result() is None
    assert none.lines() == []


def test_real_labels_of_a_squared_loss_make_it_values():
    y = np.array([1.0, -1.0, 1.0, 2.5])
    squared = LearnOptions(method="nag", loss="squared")
    assert metrics_of(squared, y[:3], y[:3], np.ones(3)).result()["kind"] == "two"
    assert metrics_of(squared, y, y, np.ones(4), pieces=4).result()["kind"] == "values"


def test_a_sample_is_of_all_rows_alike():
    kept = np.zeros(3000)
    sample = PredictionSample(300)
    for part in np.array_split(np.arange(3000.0), 40):
        sample.add(part, part)
    rows = np.array(sample.rows())
    assert rows.shape == (300, 2)
    kept[rows[:, 0].astype(int)] = 1
    thirds = kept.reshape(3, -1).sum(axis=1)
    assert thirds.sum() == 300
    assert (np.abs(thirds - 100) < 30).all()
