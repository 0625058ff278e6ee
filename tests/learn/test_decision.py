"""What class is predicted: thresholds that are given, follow from costs, or had the best F1 so far."""

import math

import numpy as np
import pytest
from states import in_parts
from streams import batch_of_dense, entries, rows_of, zipf

from sonlearn import Learner, LearnOptions, ModelFileError
from sonlearn.data.batch import joined
from sonlearn.learn.scores import DecisionRule, ScoreHistogram, bins_of, threshold_below

pytestmark = pytest.mark.interpreted


def rare(n=2000, seed=0):
    """A stream with one positive row in 40, which two features announce."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.025, 1.0, -1.0)
    return batch_of_dense(np.column_stack([rng.normal(size=n) + 4 * (y > 0), rng.random((n, 3))]), y)


def twin(scores, y, weight):
    """Classes row by row, the best threshold by trying the lower edge of every score's bin."""
    out, rows, due, threshold = [], [], 1, 0.0
    for s, label, h in zip(scores, y, weight, strict=True):
        out.append(1.0 if s > threshold else -1.0)
        if math.isnan(label) or h == 0:
            continue
        rows.append((s, label > 0, h))
        if len(rows) < due:
            continue
        due, best, threshold = max(due + 1, math.ceil(1.1 * due)), 0.0, 0.0
        tried = sorted({threshold_below(int(bins_of(np.array([s]))[0])) for s, _, _ in rows}, reverse=True)
        for t in tried if any(positive for _, positive, _ in rows) else []:
            both = sum(h for s, positive, h in rows if positive and s > t)
            either = sum(h for s, positive, h in rows if s > t) + sum(h for _, positive, h in rows if positive)
            if not best or 2 * both / either > best:
                best, threshold = 2 * both / either, t
        rarer = min(sum(h for _, positive, h in rows if positive == one) for one in (False, True))
        threshold *= rarer / (rarer + 3)
        rows = [(s, positive, 0.9 * h) for s, positive, h in rows]
    return np.array(out)


def labelled(n=300, seed=1):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.1, 1.0, -1.0)
    scores = rng.normal(size=n) + y - 2
    return scores, np.where(rng.random(n) < 0.1, np.nan, y), rng.choice([0.0, 1.0, 2.0], n, p=[0.1, 0.6, 0.3])


@pytest.mark.parametrize("pieces", [1, 4, 300])
def test_best_f1_is_its_twins_wherever_batches_end(pieces):
    scores, y, weight = labelled()
    decision = DecisionRule(LearnOptions(method="nag", threshold="best-f1"))
    ours = []
    for at in np.array_split(np.arange(len(y)), pieces):
        learned = ~np.isnan(y[at]) & (weight[at] > 0)
        ours.append(decision.decided(scores[at], y[at], weight[at], learned))
    assert (np.concatenate(ours) == twin(scores, y, weight)).all()
    assert len(set(np.concatenate(ours).tolist())) == 2


@pytest.mark.parametrize("most", [0.01, 0.1])
def test_a_share_of_false_alarms_is_kept(most):
    """That of scores whose histogram is exact, by definition; and of the rows to come about that share."""
    rng = np.random.default_rng(0)
    n = 20000
    y = np.where(rng.random(n) < 0.1, 1.0, -1.0)
    scores, weight = np.round(rng.normal(size=n) + 2 * y, 1), rng.choice([1.0, 2.0], n)
    history = ScoreHistogram()
    assert history.at_false_share(most) is None
    history.add(scores, y > 0, weight)
    negatives = weight[y < 0].sum()
    share = lambda t: weight[(y < 0) & (scores > t)].sum() / negatives  # noqa: E731
    cut = history.at_false_share(most)
    assert cut.false_share == pytest.approx(share(cut.threshold))
    assert cut.recall == pytest.approx(weight[(y > 0) & (scores > cut.threshold)].sum() / weight[y > 0].sum())
    assert share(cut.threshold) <= most < share(scores[scores <= cut.threshold].max() - 0.01)
    decision = DecisionRule(LearnOptions(method="nag", threshold=f"fpr:{most}"))
    scores = rng.normal(size=n) + 2 * y
    said = [decision.decided(scores[at], y[at], np.ones(len(at)), np.ones(len(at), bool))
            for at in np.array_split(np.arange(n), 7)]  # fmt: skip
    again = DecisionRule(LearnOptions(method="nag", threshold=f"fpr:{most}"))
    np.testing.assert_array_equal(np.concatenate(said), again.decided(scores, y, np.ones(n), np.ones(n, bool)))
    assert (np.concatenate(said)[y < 0] > 0).mean() == pytest.approx(most, rel=0.25)


def test_negatives_of_one_score_are_no_false_alarms():
    history = ScoreHistogram()
    history.add(np.array([1.0, 1.0, 2.0]), np.array([False, False, True]), np.ones(3))
    cut = history.at_false_share(0.5)
    assert (cut.false, cut.found) == (0.0, 1.0)
    assert 1.0 < cut.threshold < 2.0
    other = ScoreHistogram()
    other.add(np.array([1.0, 1.0]), np.array([False, False]), np.ones(2))
    assert other.at_false_share(0.5).threshold > 1.0


@pytest.mark.parametrize(
    ("threshold", "score"), [(0.2, math.log(0.25)), ("cost:9/1", math.log(0.1 / 0.9)), (None, 0.0)]
)
def test_probabilities_and_costs_are_thresholds_of_scores(threshold, score):
    learner = Learner(LearnOptions(method="nag", threshold=threshold))
    predicted = learner.partial_fit(zipf(300))
    assert (predicted.decided == np.where(predicted.prediction > score, 1.0, -1.0)).all()
    assert DecisionRule(LearnOptions(method="nag", loss="squared", threshold=0.2)).threshold == pytest.approx(-0.6)


def test_a_threshold_changes_what_is_said_and_nothing_that_is_learned():
    batch = zipf(400)
    plain, low = (Learner(LearnOptions(method="nag", binary=True, threshold=t)) for t in (None, 0.05))
    one, other = plain.partial_fit(batch), low.partial_fit(batch)
    assert (one.raw == other.raw).all()
    assert (one.prediction == np.where(one.raw > 0, 1.0, -1.0)).all()
    assert (other.prediction > 0).sum() > (one.prediction > 0).sum()
    assert (other.loss == (other.prediction != batch.y)).all()


@pytest.mark.parametrize("threshold", ["best-f1", "fpr:.05"])
@pytest.mark.parametrize("cut", [1, 350])
def test_a_saved_model_goes_on_with_the_same_decisions(cut, threshold):
    batch, options = rare(), LearnOptions(method="nag", threshold=threshold)
    whole = Learner(options).partial_fit(batch).decided
    (front,), again = in_parts(Learner(options), batch, (0, cut))
    seen = again.predict(batch.part(cut, batch.n))
    assert (seen.decided == np.where(seen.raw > again._decision.threshold, 1.0, -1.0)).all()
    assert (np.concatenate([front.decided, again.partial_fit(batch.part(cut, batch.n)).decided]) == whole).all()
    assert (whole > 0).any()


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_a_refused_row_is_no_history():
    batch = rare(60)
    bad = rows_of(batch, [0])._replace(values=np.full(len(rows_of(batch, [0]).values), 1e300))
    options = LearnOptions(method="sgd", learning_rate=1e10, threshold="best-f1")
    learner = Learner(options)
    predicted = learner.partial_fit(joined([bad, batch.part(1, 30)]), skip=True)
    assert predicted.refused.sum() == len(predicted.refused) - learner._decision._rows


def test_a_broken_history_is_refused():
    learner = Learner(LearnOptions(method="nag", threshold="best-f1"))
    learner.partial_fit(rare(50))
    header, arrays = learner.to_arrays()
    with pytest.raises(ModelFileError, match="does not fit together"):
        Learner.from_arrays(header, arrays | {"decision.bins": np.array([1 << 40])})


@pytest.fixture
def rare_svm(tmp_path):
    """Rows of which few are positive, as LIBSVM text."""
    batch = rare()
    pairs = zip(batch.y, entries(batch), strict=True)
    rows = [" ".join([f"{y:g}", *(f"{j}:{x!r}" for j, x in row)]) for y, row in pairs]
    (tmp_path / "rare.svm").write_text("\n".join(rows) + "\n")


def test_nobody_is_predicted_in_silence_no_more(cli, rare_svm):
    err = cli.err("train", "--quiet", "--method", "nag", "-l", ".02", "-f", "m", "rare.svm")
    assert "no example was predicted +1, though" in err
    assert "--threshold best-f1" in err
    status, _, err = cli("train", "--method", "nag", "-l", ".02", "--threshold", "best-f1", "-f", "m", "rare.svm")
    assert (status, "no example was predicted" in err) == (0, False)
    f1 = next(line for line in err.splitlines() if line.startswith("F1 = "))
    assert float(f1.split()[2].rstrip(":")) > 0.05
    # it is the model's from then on, and another one can be given
    status, out, _ = cli("predict", "--quiet", "--binary", "-i", "m", "rare.svm")
    assert {*out.split()} == {"-1", "1"}
    status, out, _ = cli("predict", "--quiet", "--binary", "--threshold", ".999", "-i", "m", "rare.svm")
    assert {*out.split()} == {"-1"}
    status, _, err = cli("train", "--quiet", "--method", "nag", "-f", "n", "rare.svm")
    status, _, err = cli("predict", "--quiet", "--threshold", "best-f1", "-i", "n", "rare.svm")
    assert status == 1
    assert err.splitlines()[-1].startswith("sonlearn: --threshold best-f1: the model has kept no")


def test_the_average_error_is_of_the_threshold(cli, rare_svm):
    _, out, err = cli("train", "--method", "nag", "--threshold", ".02", "-p", "-", "rare.svm")
    p = np.array(out.split(), dtype=float)
    error = ((p > math.log(0.02 / 0.98)) != (rare().y > 0)).mean()
    assert f"average error = {error:.6f}" in err
