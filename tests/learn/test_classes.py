"""Several classes: each class has a binary learner of the relabelled stream; and what is made of the scores."""

import math

import numpy as np
import pytest
from states import check_cuts, same_state
from streams import batch_of
from streams import several_classes as stream

from sonlearn import InputError, Learner, LearnOptions, ModelFileError, OptionError

METHODS = {
    "nag": {}, "rfd-son": {"sketch_size": 4}, "oja-son": {"sketch_size": 4}, "gd": {"loss": "hinge"},
    "arow": {"loss": "squared_hinge"}, "ftrl": {"l1": 0.1}, "adagrad": {"loss": "squared", "clip": 2.0},
    "drfd": {"sketch_size": 4},
}  # fmt: skip
#: Interpreted, two will do.
CHOSEN = [pytest.param(name, marks=[pytest.mark.interpreted] * (name in ("nag", "drfd"))) for name in METHODS]
COMMITTEE = "nag,arow-precision:tfidf,multinomial-bayes:log,arow-precision:pairs,nag:lunit~0.05,shares~0.1"
METHODS["committee"] = {"members": COMMITTEE}
several = pytest.mark.parametrize("method", CHOSEN)
either = pytest.mark.parametrize("how", [{"oaa": 5}, {"oaa": 9}, {"classes": "auto"}], ids=["all", "more", "auto"])


def learner(method, how, **more):
    return Learner(LearnOptions(method=method, **METHODS[method], **how), **more)


def of_one(batch, label):
    """The same rows for one class against all others."""
    return batch._replace(y=np.where(np.isnan(batch.y), np.nan, np.where(batch.y == label, 1.0, -1.0)))


def met_before(batch):
    """For each row the labels of the rows learned before it, in the order in which they came."""
    seen, out = [], []
    for label, h in zip(batch.y.tolist(), batch.weight.tolist(), strict=True):
        out.append(list(seen))
        if label == label and h > 0 and label not in seen:
            seen.append(label)
    return out


@pytest.mark.parametrize("method", [*CHOSEN, pytest.param("committee", marks=pytest.mark.interpreted)])
def test_classes_named_beforehand_learn_the_same(method):
    batch = stream()
    met, named = learner(method, {"oaa": 5}), learner(method, {"oaa": 5})
    named.declare_classes([5, 4, 3, 2, 1])
    assert named.classes == [5, 4, 3, 2, 1]
    predicted = named.predict(batch._replace(y=np.full(batch.n, np.nan)))
    np.testing.assert_allclose(predicted.probabilities, 0.2)
    whole, apart = met.partial_fit(batch), named.partial_fit(batch)
    order = [named.classes.index(label) for label in met.classes]
    np.testing.assert_array_equal(whole.scores, apart.scores[:, order])
    np.testing.assert_allclose(whole.loss, apart.loss, rtol=1e-12)
    one, other = met.predict(batch), named.predict(batch)
    np.testing.assert_array_equal(one.scores, other.scores[:, order])
    np.testing.assert_array_equal(met.weights()[1], named.weights()[1][order])
    np.testing.assert_array_equal(one.prediction, other.prediction)
    same_state(named, Learner.from_arrays(*named.to_arrays()))
    for wrong in (named, learner("nag", {})):
        with pytest.raises(OptionError):
            wrong.declare_classes([6])


@several
@either
def test_a_class_is_one_binary_learner_of_the_relabelled_stream(method, how):
    batch = stream()
    ours = learner(method, how)
    got = ours.partial_fit(batch)
    assert sorted(ours.classes) == [1, 2, 3, 4, 5]
    assert not got.refused.any()
    wanted = np.zeros_like(got.scores)
    for k, label in enumerate(ours.classes):
        one = learner(method, {})
        wanted[:, k] = one.partial_fit(of_one(batch, label)).raw
        np.testing.assert_allclose(ours.weights()[1][k], one.weights()[1], rtol=1e-12, atol=1e-12)
        apart = one.predict(of_one(batch, label)).raw
        np.testing.assert_allclose(ours.predict(batch).scores[:, k], apart, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(got.scores, wanted, rtol=1e-12, atol=1e-12)
    for i, met in enumerate(met_before(batch)):
        assert met == ours.classes[: got.met[i]]
        known = wanted[i, : len(met)]
        if not met:
            assert got.prediction[i] == 1 if "oaa" in how else np.isnan(got.prediction[i])
            continue
        assert got.prediction[i] == met[int(np.argmax(known))]
        assert got.raw[i] == pytest.approx(known.max(), rel=1e-12)


@pytest.mark.interpreted
@pytest.mark.parametrize("method", ["nag", "drfd"])
@either
def test_probabilities_and_log_loss(method, how):
    """p_k in proportion to 1/(1 + exp(-score)): of K classes all, else of those met and, in the loss, of a new one."""
    batch = stream()
    ours = learner(method, how)
    got, most = ours.partial_fit(batch), how.get("oaa")
    nobody = learner(method, {}).partial_fit(of_one(batch, 77)).raw
    for i, met in enumerate(met_before(batch)):
        p = 1 / (1 + np.exp(-got.scores[i, : len(met)]))
        unseen = 1 / (1 + np.exp(-nobody[i]))
        total = p.sum() + (most - len(met) if most else 0) * unseen
        np.testing.assert_allclose(got.probabilities[i, : len(met)], p / total, rtol=1e-9, atol=1e-12)
        other = unseen / total if most and len(met) < most else 0.0
        assert got.other[i] == pytest.approx(other, rel=1e-9)
        np.testing.assert_allclose(got.probabilities[i, len(met) :], other, rtol=1e-9)
        np.testing.assert_array_equal(got.label[i], batch.y[i])
        if np.isnan(batch.y[i]):
            assert np.isnan(got.loss[i])
        elif batch.y[i] in met:
            assert got.loss[i] == pytest.approx(-np.log(p[met.index(batch.y[i])] / total), rel=1e-9, abs=1e-12)
        else:
            share = unseen / (total if most else total + unseen)
            assert got.loss[i] == pytest.approx(-np.log(share), rel=1e-9, abs=1e-12)


@pytest.mark.compiled
@several
@either
def test_batches_cut_anywhere_saves_and_threads_change_no_bit(method, how, tmp_path):
    check_cuts(learner(method, how), learner(method, how), stream(), tmp_path)


def test_labels_of_k_classes_begin_with_0_or_with_1():
    rows = [{1: 1.0}] * 4
    zero = learner("nag", {"oaa": 3}).partial_fit(batch_of(rows, [0, 2, 0, 1]))
    one = learner("nag", {"oaa": 3}).partial_fit(batch_of(rows, [1, 3, 1, 2]))
    np.testing.assert_array_equal(zero.loss, one.loss)
    np.testing.assert_array_equal(zero.prediction[1:] + 1, one.prediction[1:])
    for labels, found in (
        ([1, 4], r"2: found label 4, expected 1 to 3, or 0 to 2, for --oaa 3 \(more classes: --oaa 4\)"),
        ([0, 3], r"2: found label 3, expected 0 to 2 for --oaa 3 \(more classes: --oaa 4\)"),
        ([3, 0], r"2: found label 0, expected 1 to 3 for --oaa 3"),
        ([1, -1], r"2: found label -1, expected 1 to 3, or 0 to 2, for --oaa 3"),
        ([1, 1.5], r"2: found label 1.5, expected 1 to 3, or 0 to 2, for --oaa 3"),
    ):
        ours = learner("nag", {"oaa": 3})
        with pytest.raises(InputError, match=found):
            ours.partial_fit(batch_of(rows[:2], labels))
        assert ours.examples == 1, "the rows before it have been learned"
        with pytest.raises(InputError, match=found.replace("2: ", "1: ")):
            ours.partial_fit(batch_of(rows[:1], labels[1:]))


def named(names, y=None):
    batch = batch_of([{i % 3: 1.0} for i in range(len(names))], np.full(len(names), np.nan) if y is None else y)
    return batch._replace(class_names=names)


def test_classes_may_be_names():
    ours = learner("nag", {"classes": "auto"})
    got = ours.partial_fit(named(["ham", "spam", "ham", None, "eggs", "spam"]))
    numbers = learner("nag", {"classes": "auto"})
    same = numbers.partial_fit(named([None] * 6, [7.0, -3.0, 7.0, np.nan, 0.0, -3.0]))
    assert (ours.classes, numbers.classes) == (["ham", "spam", "eggs"], [7, -3, 0])
    np.testing.assert_array_equal(got.scores, same.scores)
    np.testing.assert_array_equal(got.loss, same.loss)
    np.testing.assert_array_equal(got.label, [0, 1, 0, np.nan, 2, 1])
    assert ours.label_texts(got.label) == ["ham", "spam", "ham", "unknown", "eggs", "spam"]
    assert numbers.label_texts(same.label) == ["7", "-3", "7", "unknown", "0", "-3"]
    names = {7: "ham", -3: "spam", 0: "eggs"}
    assert ours.label_texts(got.prediction)[1:] == [names[k] for k in same.prediction[1:].tolist()]
    assert Learner.from_arrays(*ours.to_arrays()).classes == ours.classes


@pytest.mark.parametrize("first", [named(["a"]), named([None], [3.0])], ids=["name", "number"])
def test_labels_that_are_no_classes_are_refused(first):
    ours, both = (learner("nag", {"classes": "auto"}) for _ in range(2))
    ours.partial_fit(first)
    before, found = ours.to_arrays(), "found label 2.5, expected a whole number or a name"
    with pytest.raises(InputError, match=f"<memory>:1: {found}"):
        ours.partial_fit(named([None], [2.5]))
    predicted = ours.predict(named([None], [2.5]))
    assert (ours.label_texts(predicted.label), math.isnan(predicted.loss[0])) == (["unknown"], True)
    assert ours.to_arrays()[0] == before[0]
    with pytest.raises(InputError, match=f"<memory>:2: {found}"):
        both.partial_fit(named([*first.class_names, None], np.array([*first.y, 2.5])))
    assert both.examples == 1


def test_a_class_never_seen_is_an_error_when_predicting():
    ours = learner("nag", {"classes": "auto"})
    ours.partial_fit(named(["a", "b"]))
    found = ours.predict(named(["a", "c", "b"]))
    assert (found.label.tolist(), found.prediction[1] >= 0, ours.classes) == ([0, -1, 1], True, ["a", "b"])
    assert np.isnan(found.loss).tolist() == [False, True, False]
    assert ours.predict(batch_of([{1: 1.0}], [3])).label.tolist() == [-1]
    of_numbers = learner("nag", {"classes": "auto"})
    of_numbers.partial_fit(named([None, "b"], [3.0, np.nan]))
    found = of_numbers.predict(named([None, "b", "c"], [4.0, np.nan, np.nan]))
    assert (of_numbers.classes, found.label.tolist()) == ([3, "b"], [4.0, 1.5, -0.5])
    declared = learner("nag", {"oaa": 3})
    declared.partial_fit(batch_of([{1: 1.0}] * 2, [1, 2]))
    assert np.isnan(declared.predict(batch_of([{1: 1.0}] * 2, [3, 1])).loss).tolist() == [True, False]


def test_names_are_no_labels_of_other_learners():
    for options, found in (
        ({"loss": "squared"}, "names of classes: --classes auto"),
        ({"oaa": 3}, "classes of any name: --classes auto"),
    ):
        with pytest.raises(InputError, match=f"found label 'a', expected .*{found}"):
            Learner(LearnOptions(method="nag", **options)).partial_fit(named(["a"]))
    with pytest.raises(InputError, match=r"found label 'c', expected 'a' or 'b'.*\(several classes: --classes auto\)"):
        Learner(LearnOptions(method="nag", loss="logistic")).partial_fit(named(["a", "b", "c"]))
    with pytest.raises(
        InputError,
        match=r"found label 3, .*\(several classes: --oaa K, or --classes auto; values: --loss squared; two .*e 3\)",
    ):
        Learner(LearnOptions(loss="logistic")).partial_fit(batch_of([{}], [3.0]))
    with pytest.raises(InputError, match=r"found label 0.5, .*\(real labels: --loss squared\)"):
        Learner(LearnOptions(loss="logistic")).partial_fit(batch_of([{}], [0.5]))
    with pytest.raises(OptionError, match="no learner of several classes"):
        Learner().classes  # noqa: B018


@pytest.mark.parametrize("how", [{"oaa": 5}, {"multinomial": 5}], ids=str)
@pytest.mark.parametrize("change", [{"labels": [1, "a"]}, {"labels": 3}, {"labels": [1]}, {"met": 1}, {"met": "x"}])
def test_headers_that_do_not_fit(change, how):
    ours = learner("nag", how)
    ours.partial_fit(stream())
    header, arrays = ours.to_arrays()
    (header if "met" in change else header["labels"]).update(change)
    with pytest.raises(ModelFileError, match="does not fit together"):
        Learner.from_arrays(header, arrays)
