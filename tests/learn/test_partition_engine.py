"""Merged learners of partitions: each predicts as it does alone, and the combiner equals the textbook's."""

import numpy as np
import pytest
from multiclass_twin import CombinerTwin
from streams import batch_of, rows_of, with_weights, without_some_labels, zipf

from sonlearn import InputError, Learner, LearnOptions, ModelFileError, OptionError
from sonlearn.learn.ensemble.combiner import PRIOR_PRECISION
from sonlearn.learn.merge import PartitionPredictions, Tally, fit_combiner, merge_learners

interpreted = pytest.mark.interpreted
CLASSES = {
    "nag": {}, "rfd-son": {"loss": "logistic", "sketch_size": 3}, "drfd": {"sketch_size": 3}, "arow": {},
    "committee": {"members": ("nag", "arow-precision:odds", "nag:pairs"), "sketch_size": 3},
    "linked": {"method": "nag", "link": "glf1", "max_prediction": 0.5, "decay": 0.01},
}  # fmt: skip
VALUES = {
    "squared": {"method": "nag"}, "absolute": {"method": "nag"}, "quantile": {"method": "nag", "quantile_tau": 0.8},
    "huber": {"method": "adagrad"}, "poisson": {"method": "nag"}, "committee": {"loss": "squared"},
}  # fmt: skip
PARTS = ((0, 70), (70, 120), (120, 200))
FURTHER = slice(200, 320)


def options_of(name):
    if name in VALUES:
        return LearnOptions(**{"loss": name, **VALUES[name]})
    return LearnOptions(**{"method": name, **CLASSES[name]})


def stream(options):
    """Rows of which later ones have other features; weights, and rows without a label."""
    numbers = options.loss in ("squared", "absolute", "quantile", "huber", "poisson")
    batch = with_weights(without_some_labels(zipf(n=320, d=90, kind="real" if numbers else "binary")))
    y = np.round(20 * np.abs(batch.y)) if numbers else batch.y
    shifted = batch.indices + np.where(np.arange(len(batch.indices)) > batch.indptr[160], 30, 0)
    return batch._replace(y=y, indices=shifted)


def learned(options, batch, tallies=None):
    """The learners of the parts."""
    learners = []
    for start, stop in PARTS:
        part, learner, tally = batch.part(start, stop), Learner(options), Tally.new(options)
        tally.add(learner, part, learner.partial_fit(part))
        learners.append(learner)
        if tallies is not None:
            tallies.append(tally)
    return learners


def united(options, batch, **more):
    tallies = []
    return merge_learners(learned(options, batch, tallies), tallies, "abc", **more)


class Twin:
    """The combiner of predictions of parts, with explicit matrices and all labels kept."""

    def __init__(self, options, batch):
        self.loss, k = options.loss, len(PARTS)
        self.values = self.loss not in ("logistic", "hinge", "squared_hinge")
        self.bias = self.loss in ("absolute", "quantile")
        firm = {"squared": (20.0,), "poisson": (20.0,)}.get(self.loss, (10.0,)) if self.values else PRIOR_PRECISION
        self.options, self.firm = options, firm
        w = np.append(np.full(k, 1 / k), [0.0] if self.bias else [])
        self.w, self.A = [w.copy() for _ in firm], [f * np.eye(len(w)) for f in firm]
        self.total, self.rows = np.zeros(len(firm)), 0
        self.y, self.h, self.raw_h, self.range = [], [], [], []
        self.errors = np.zeros(2)
        for start, stop in PARTS:
            part, M = batch.part(start, stop), []
            for y, h in zip(part.y, part.weight, strict=True):
                if h > 0 and not np.isnan(y):
                    M.append(h)
                    self.count(y, h / np.mean(M), h)

    def count(self, y, h, raw):
        """An outlier counts as 16 standard deviations from the mean."""
        self.range.append(y)
        if self.values and sum(self.h) >= 10 and np.ptp(self.y) > 0:
            mean, sd, _, _ = self.frame()
            y = np.clip(y, mean - 16 * sd, mean + 16 * sd)
        self.y.append(y)
        self.h.append(h)
        self.raw_h.append(raw)

    def frame(self):
        mean = np.average(self.y, weights=self.h)
        sd = np.sqrt(np.average((np.array(self.y) - mean) ** 2, weights=self.h))
        low, high = max(min(self.range), mean - 16 * sd), min(max(self.range), mean + 16 * sd)
        return (mean, sd, low, high) if self.values else (0.0, 1.0, -30.0, 30.0)

    def step(self, predictions, y, h):
        """The prediction of a row; learns it."""
        learns = h > 0 and not np.isnan(y)
        mean, sd, low, high = self.frame()
        if learns:
            relative = h / np.mean([*self.raw_h, h])
        predictions = np.exp(predictions) if self.loss == "poisson" else predictions
        v = np.append(
            np.clip((predictions - mean) / sd, (low - mean) / sd, (high - mean) / sd), [1.0] if self.bias else []
        )
        z = np.array([w @ v for w in self.w])
        share = np.exp(-(self.total - self.total.min()))
        share /= share.sum()
        if self.loss == "logistic":
            P = share @ (1 / (1 + np.exp(-z)))
            out = np.log(P / (1 - P))
        else:
            out = share @ z
        if self.values:
            out = mean + sd * np.clip(out, (low - mean) / sd, (high - mean) / sd)
        if self.loss == "poisson":
            out = np.log(max(out, 0.02 * (mean * sum(self.h) + 1) / (sum(self.h) + 1)))
        if learns:
            self.count(y, relative, h)
            unit = self.frame()[1]
            y = np.clip((y - mean) / unit, -16, 16) if self.values else (1.0 if y > 0 else -1.0)
            self.learn(z, v, y, relative, unit)
        return out

    def learn(self, z, v, y, h, unit):
        self.rows += 1
        for e, firm in enumerate(self.firm):
            slope, c, loss = self.psi(z[e], y, unit)
            self.total[e] += h * loss
            if self.loss in ("squared", "poisson"):
                share = self.of_error(abs(z[e] - y), h)
                slope, c = share * slope, share * c
            self.A[e] = self.A[e] + h * c * np.outer(v, v)
            self.w[e] = self.w[e] - h * slope * np.linalg.solve(self.A[e], v)
            if self.rows % 64 == 0:
                keep = 0.9998**64
                self.A[e] = keep * self.A[e] + (1 - keep) * firm * np.eye(len(v))

    def of_error(self, error, h):
        """Share of an error within 8 times the root mean square of those before, which fade."""
        most = 8 * np.sqrt(self.errors[1] / self.errors[0]) if self.errors[0] >= 10 else np.inf
        share = most / error if 0 < most < error else 1.0
        self.errors = 0.9998 * self.errors + [h, h * (error * share) ** 2]
        return share

    def psi(self, z, y, unit):
        """(slope, curvature, loss)."""
        if self.loss == "logistic":
            p = 1 / (1 + np.exp(-z))
            return p - (y > 0), max(p * (1 - p), 1e-4), np.log1p(np.exp(-y * z))
        e = z - y
        if self.loss in ("squared", "poisson"):
            return 2 * e, 2.0, e * e
        if self.loss == "absolute":
            c = 1 / max(abs(e), 0.1)
        elif self.loss == "quantile":
            c = (0.2 if e > 0 else 0.8) / max(abs(e), 0.1)
        else:
            c = min(1.0, self.options.huber_k / unit / abs(e)) if e else 1.0
        return c * e, c, 0.0


@interpreted
@pytest.mark.parametrize("name", ["nag", "rfd-son", *VALUES])
def test_equals_its_learners_and_the_combiner_written_out(name):
    options = options_of(name)
    batch = stream(options)
    ours = united(options, batch)
    got = ours.partial_fit(batch.part(FURTHER.start, FURTHER.stop))
    alone = learned(options, batch)
    predictions = np.column_stack(
        [each.partial_fit(batch.part(FURTHER.start, FURTHER.stop)).prediction for each in alone]
    )
    twin, further = Twin(options, batch), batch.part(FURTHER.start, FURTHER.stop)
    wanted = [twin.step(v, y, h) for v, y, h in zip(predictions, further.y, further.weight, strict=True)]
    np.testing.assert_allclose(got.raw, wanted, rtol=1e-9, atol=1e-9)
    assert ours.examples == int(((batch.weight > 0) & ~np.isnan(batch.y)).sum())
    assert len(np.unique(predictions[-1])) > 1, "learners that say the same test nothing"


@pytest.mark.parametrize("name", ["nag", "linked", "committee", "squared", "quantile"])
def test_learners_that_learn_the_further_rows_apart_give_the_same_bits(name):
    """As on a cluster: the rows are learned by each, then the combiner hears of it."""
    options = options_of(name)
    batch = stream(options)
    whole, tallies, further = united(options, batch), [], batch.part(FURTHER.start, FURTHER.stop)
    learners = learned(options, batch, tallies)
    cuts = [further.part(a, b) for a, b in ((0, 50), (50, 120))]
    partition_predictions = [
        [PartitionPredictions.of(each, each.partial_fit(part)) for each in learners] for part in cuts
    ]
    history = merge_learners(learners, tallies, "abc")
    got = [fit_combiner(history, part, each) for part, each in zip(cuts, partition_predictions, strict=True)]
    np.testing.assert_array_equal(np.concatenate([each.raw for each in got]), whole.partial_fit(further).raw)
    probe = rows_of(batch, slice(0, 100))
    np.testing.assert_array_equal(history.predict(probe).raw, whole.predict(probe).raw)
    assert history.facts()["partitions"][0]["weight"] == whole.facts()["partitions"][0]["weight"] != 1 / 3


@pytest.mark.parametrize("name", [*CLASSES, "squared", "committee"])
@pytest.mark.parametrize("threads", [1, 3])
def test_cuts_threads_and_files_change_no_bit(name, threads, tmp_path):
    options = options_of(name)
    batch = stream(options)
    whole, other = united(options, batch), united(options, batch, threads=threads)
    wanted = whole.partial_fit(batch.part(200, 320)).raw
    first = other.partial_fit(batch.part(200, 247)).raw
    other.save(tmp_path / "model")
    other = Learner.load(tmp_path / "model", threads=threads)
    assert other.partitions == 3
    np.testing.assert_array_equal(np.append(first, other.partial_fit(batch.part(247, 320)).raw), wanted)
    np.testing.assert_array_equal(other.predict(batch).raw, whole.predict(batch).raw)
    (header, arrays), (theirs, others) = whole.to_arrays(), other.to_arrays()
    assert header == theirs
    for key in arrays:
        np.testing.assert_array_equal(arrays[key], others[key], err_msg=key)


# ------------------------------------------------------------------------------------------------ several classes

OF_CLASSES = {
    "auto": LearnOptions(method="nag", classes="auto"),
    "oaa": LearnOptions(method="drfd", loss="logistic", oaa=5, sketch_size=3),
    "more": LearnOptions(method="nag", loss="squared", clip=1.0, oaa=9),
    "committee": LearnOptions(classes="auto", members=("nag", "arow-precision:tfidf", "nag:pairs")),
}  # fmt: skip


def of_classes():
    """Rows of classes 1 to 5: parts 1 and 2 have met three of 1 to 4 each, 5 comes late."""
    batch = with_weights(without_some_labels(zipf(n=320, d=90)))
    rng, y = np.random.default_rng(3), batch.y
    of = np.where(y > 0, batch.indices[batch.indptr[:-1]] % 2, 2 + batch.indices[batch.indptr[:-1]] % 2)
    of[:70] = np.minimum(of[:70], 2)
    of[70:120] = np.maximum(of[70:120], 1)
    of[260:][rng.random(60) < 0.3] = 4
    return batch._replace(y=np.where(np.isnan(y), np.nan, 1.0 + of))


class ClassTwin(Twin):
    """One combiner for all classes: scores of a row first, then a step for each class that had been met."""

    def __init__(self, options, batch):
        super().__init__(options.of_one_class, batch)
        self.values = False  # classes, whatever the loss

    def row(self, predictions, y, h, met):
        """Scores of the classes from said [K, N]; learns the row."""
        V, learns = np.clip(predictions, -30, 30), h > 0 and not np.isnan(y)
        share = np.exp(-(self.total - self.total.min()))
        share /= share.sum()
        Z = np.array([V @ w for w in self.w])
        logistic = self.loss == "logistic"
        P = share @ (1 / (1 + np.exp(-Z)))
        out = np.log(P / (1 - P)) if logistic else share @ Z
        if learns:
            M = np.mean([*self.raw_h, h])
            self.raw_h.append(h)
            for k in range(met):
                z = np.array([w @ V[k] for w in self.w])
                self.learn(z, V[k], 1.0 if y == k else -1.0, h / M, 1.0)
        return out


@interpreted
def test_committees_of_classes_equal_their_learners_and_one_combiner_of_classes():
    options, batch, further = OF_CLASSES["committee"], of_classes(), of_classes().part(200, 320)
    ours = united(options, batch)
    got, labels = ours.partial_fit(further), ours.classes
    twin = CombinerTwin([1 / 3] * 3, prior=0.5, surprise=0.0)
    predicted = [(each, each.partial_fit(further)) for each in learned(options, batch)]
    met, raw_h = 4, [h for y, h in zip(batch.y[:200], batch.weight[:200], strict=True) if h > 0 and y == y]
    for i in range(120):
        predictions = [
            [p.scores[i, each.classes.index(k)] if k in each.classes else p.unseen[i] for k in labels]
            for each, p in predicted
        ]
        v = np.array(predictions)[:, :met]
        v = np.maximum(v - v.max(axis=1, keepdims=True), -20)
        np.testing.assert_allclose(np.exp(got.scores[i, :met]), twin.predict(v), rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(got.scores[i, met:], np.mean([p.unseen[i] for _, p in predicted]))
        y, h = further.y[i], further.weight[i]
        if h > 0 and y == y:
            raw_h.append(h)
            M = np.mean(raw_h)
            number = labels.index(int(y))
            if number < met:
                twin.learn(v, number, h / M)
            met = max(met, number + 1)
    assert len({part["weight"] for part in ours.facts()["partitions"]}) == 3


@interpreted
@pytest.mark.parametrize("name", ["auto", "oaa", "more"])
def test_classes_equal_their_learners_and_one_combiner_written_out(name):
    options, batch, further = OF_CLASSES[name], of_classes(), of_classes().part(200, 320)
    ours = united(options, batch)
    assert ours.classes == list(dict.fromkeys(int(y) for y in batch.y[:200][batch.weight[:200] > 0] if y == y))
    got, labels = ours.partial_fit(further), ours.classes
    assert len(labels) == 5
    predictions = np.zeros((120, 5, 3))
    for j, each in enumerate(learned(options, batch)):
        predicted = each.partial_fit(further)
        for k, label in enumerate(labels):
            known = label in each.classes
            predictions[:, k, j] = predicted.scores[:, each.classes.index(label)] if known else predicted.unseen
    twin, met = ClassTwin(options, batch), 4
    for i in range(120):
        y, h = further.y[i], further.weight[i]
        number = np.nan if np.isnan(y) else float(labels.index(int(y)))
        assert got.met[i] == met
        np.testing.assert_allclose(got.scores[i], twin.row(predictions[i], number, h, met), rtol=1e-9, atol=1e-9)
        if h > 0 and number >= met:
            met += 1
    learned_rows = [float(y) for y, h in zip(batch.y, batch.weight, strict=True) if h > 0 and y == y]
    assert [each["examples"] for each in ours.facts()["classes"]] == [learned_rows.count(label) for label in labels]
    assert ours.facts()["partitions"][0]["weight"] != ours.facts()["partitions"][1]["weight"]
    again = ours.predict(further)
    np.testing.assert_allclose(again.probabilities.sum(axis=1) + again.other * (options.oaa == 9) * 4, 1.0)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_learners_of_classes_that_learn_apart_give_the_same_bits(name, tmp_path):
    options, batch, further = OF_CLASSES[name], of_classes(), of_classes().part(200, 320)
    whole, tallies = united(options, batch, threads=2), []
    learners = learned(options, batch, tallies)
    cuts = [further.part(a, b) for a, b in ((0, 70), (70, 120))]
    partition_predictions = [
        [PartitionPredictions.of(each, each.partial_fit(part)) for each in learners] for part in cuts
    ]
    history = merge_learners(learners, tallies, "abc")
    got = [fit_combiner(history, part, each) for part, each in zip(cuts, partition_predictions, strict=True)]
    assert got[0].scores.shape == (70, 5)
    wanted = [whole.partial_fit(part) for part in cuts]
    for one, other in zip(got, wanted, strict=True):
        for field in one._fields:
            np.testing.assert_array_equal(getattr(one, field), getattr(other, field), err_msg=field)
    assert history.facts() == whole.facts()
    history.save(tmp_path / "model")
    again = Learner.load(tmp_path / "model")
    for model in (history, again):
        np.testing.assert_array_equal(model.predict(batch).scores, whole.predict(batch).scores)
    expected = whole.partial_fit(batch).scores
    np.testing.assert_array_equal(history.partial_fit(batch).scores, expected)
    np.testing.assert_array_equal(again.partial_fit(batch).scores, expected)
    assert history.weights()[1].shape == (5, len(history.weights()[0]))


def test_classes_that_are_written_in_two_ways_are_refused():
    options = LearnOptions(method="nag", oaa=3)
    learners, tallies = [Learner(options), Learner(options)], [Tally.new(options), Tally.new(options)]
    learners[0].partial_fit(batch_of([{1: 1.0}], [0]))
    learners[1].partial_fit(batch_of([{1: 1.0}], [3]))
    with pytest.raises(InputError, match=r"b.svm: found classes 1 to 3, expected 0 to 2, as in a.svm"):
        merge_learners(learners, tallies, ["a.svm", "b.svm"])
    options = LearnOptions(method="nag", classes="auto")
    learners = [Learner(options), Learner(options)]
    learners[0].partial_fit(batch_of([{1: 1.0}], [4]))
    learners[1].partial_fit(batch_of([{1: 1.0}], [np.nan])._replace(class_names=["tea"]))
    with pytest.raises(InputError, match=r"b.vw: found names of classes, expected whole numbers, as in a.svm"):
        merge_learners(learners, tallies, ["a.svm", "b.vw"])


def test_weights_are_those_of_the_learners_added_up():
    options = options_of("nag")
    batch = stream(options)
    ours = united(options, batch)
    ours.partial_fit(batch.part(200, 320))
    ours.state.combiner.w[1] = ours.state.combiner.w[0]  # a mixture of two is no linear function
    ids, w = ours.weights()
    of = dict(zip(ids.tolist(), w.tolist(), strict=True))
    rows = rows_of(batch, slice(200, 320))
    linear = [
        sum(of.get(i, 0.0) * x for i, x in zip(rows.indices[a:b].tolist(), rows.values[a:b].tolist(), strict=True))
        for a, b in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    ]
    np.testing.assert_allclose(ours.predict(rows).raw, linear, rtol=1e-9, atol=1e-9)


def test_predicting_changes_nothing_and_further_passes_leave_the_combiner_alone():
    options = options_of("committee")
    batch = stream(options)
    ours = united(options, batch)
    before = ours.to_arrays()[1]
    ours.predict(batch)
    for key, array in ours.to_arrays()[1].items():
        np.testing.assert_array_equal(array, before[key], err_msg=key)
    ours.partial_fit(batch)
    w = ours.state.combiner.w.copy()
    ours.next_pass()
    ours.partial_fit(batch)
    np.testing.assert_array_equal(ours.state.combiner.w, w)


@interpreted
def test_features_in_other_orders_are_the_same_features():
    """The part that has seen a feature last has its number first."""
    options = LearnOptions(method="nag")
    learners = [Learner(options) for _ in range(2)]
    learners[0].partial_fit(batch_of([{7: 1.0}, {9: 1.0}], [1, -1]))
    learners[1].partial_fit(batch_of([{9: 1.0}, {8: 1.0}, {7: 1.0}], [-1, 1, 1]))
    alone = [each.predict(batch_of([{7: 1.0}, {8: 1.0}, {9: 1.0}, {5: 1.0}], [1] * 4)).raw for each in learners]
    ours = merge_learners(learners, [Tally.new(options)] * 2, "ab")
    raw = ours.predict(batch_of([{7: 1.0}, {8: 1.0}, {9: 1.0}, {5: 1.0}], [1] * 4)).raw
    np.testing.assert_allclose(raw, np.mean(alone, axis=0), rtol=1e-12)


@interpreted
def test_what_cannot_be_put_together_is_said():
    one, other = Learner(LearnOptions(method="nag")), Learner(LearnOptions(method="nag"))
    one.partial_fit(batch_of([{1: 1.0}], [0]))
    other.partial_fit(batch_of([{1: 1.0}], [-1]))
    none = [Tally.new(one.options)] * 2
    with pytest.raises(InputError, match=r"b.svm: found labels -1 and \+1, expected 0 and 1, as in a.svm"):
        merge_learners([one, other], none, ["a.svm", "b.svm"])
    with pytest.raises(OptionError, match="other options"):
        merge_learners([one, Learner(LearnOptions(method="sgd"))], none, "ab")


def test_a_file_whose_parts_do_not_fit_is_refused():
    options = options_of("nag")
    header, arrays = united(options, stream(options)).to_arrays()
    with pytest.raises(ModelFileError):
        Learner.from_arrays(header | {"partitions": 4}, arrays)
    with pytest.raises(ModelFileError):
        Learner.from_arrays(header | {"partitions": None}, arrays)
