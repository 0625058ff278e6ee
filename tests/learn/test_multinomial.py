"""Several classes that share a metric: every learner equals its dense twin, and probabilities are softmax's."""

import numpy as np
import pytest
from dense_learner import by_column, dense_rows, loss_slope
from for_all import for_all
from scipy.special import softmax
from states import check_cuts
from streams import batch_of, batch_of_dense, with_weights, without_some_labels, zipf
from twins import run_twin

from sonlearn import InputError, Learner, LearnOptions
from sonlearn.learn.first_order.engine import FirstOrder
from sonlearn.learn.losses import softmax_slopes
from sonlearn.options.methods import METHODS

pytestmark = pytest.mark.interpreted

SKETCHED = {
    "rfd": {"sketch": "rfd", "sketch_size": 4},
    "rfd-bounded": {"sketch": "rfd", "sketch_size": 3, "clip": 0.3, "scale": "none", "alpha": 1.0},
    "rfd-gradients": {"sketch": "rfd", "sketch_size": 3, "scale": "gradients", "eta": "1/sqrt(t)"},
    "rfd-all-gradients": {"sketch": "rfd", "sketch_size": 3, "scale": "all-gradients"},
    "fd": {"sketch": "fd", "sketch_size": 5, "scale": "maximum"},
    "pfd": {"sketch": "pfd", "sketch_size": 5, "beta": 0.4},
    "cfd": {"sketch": "cfd", "sketch_size": 3},
    "oja": {"sketch": "oja", "sketch_size": 3, "clip": 0.5},
    "oja-1/t": {"sketch": "oja", "sketch_size": 3, "oja_step": "1/t", "scale": "none", "sigma": 0.0},
    "gd": {"method": "gd", "alpha": 2.0},
    "one row": {"sketch": "rfd", "sketch_size": 1},
}  # fmt: skip
SPECTRAL = {
    "ada-fd": {"method": "ada-fd", "sketch_size": 3},
    "ada-fd-dual": {"method": "ada-fd", "sketch_size": 3, "update": "dual"},
    "s-adagrad": {"method": "s-adagrad", "sketch_size": 3},
    "s-adagrad-dual": {"method": "s-adagrad", "sketch_size": 3, "update": "dual"},
}
MATRIX = {
    "rp-son": {"method": "rp-son", "sketch_size": 4},
    "rp-son-bounded": {"method": "rp-son", "sketch_size": 3, "clip": 0.3, "eta": "1/sqrt(t)"},
    "ada-gp": {"method": "ada-gp", "sketch_size": 4, "seed": 5},
    "ada-gp-dual": {"method": "ada-gp", "sketch_size": 3, "update": "dual", "clip": 0.3},
    "ada-dp": {"method": "ada-dp", "sketch_size": 4},
    "ada-dp-dual": {"method": "ada-dp", "sketch_size": 3, "update": "dual"},
    "radagrad": {"method": "radagrad", "sketch_size": 4},
    "radagrad-dual": {"method": "radagrad", "sketch_size": 3, "update": "dual"},
    "ada-full": {"method": "ada-full"},
    "ada-full-dual": {"method": "ada-full", "update": "dual", "clip": 0.3},
    "ada-lr": {"method": "ada-lr", "sketch_size": 4},
    "ada-lr-dual": {"method": "ada-lr", "sketch_size": 4, "update": "dual"},
}
FIRST_ORDER = {
    "nag": {"method": "nag"},
    "nag-before": {"method": "nag", "rescale": "before", "invariant": False},
    "nag-root": {"method": "nag", "power_t": 0.3, "rescale": "before"},
    "nag-bounded": {"method": "nag", "clip": 0.2, "learning_rate": 3.0},
    "adagrad": {"method": "adagrad"},
    "adagrad-root": {"method": "adagrad", "power_t": 0.3},
    "ada-diag": {"method": "ada-diag", "clip": 0.4},
    "ada-dual": {"method": "ada-diag", "update": "dual"},
    "sgd": {"method": "sgd"},
    "ogd": {"method": "ogd", "clip": 0.3},
}
ALL = SKETCHED | SPECTRAL | MATRIX | FIRST_ORDER
K = 5
every = for_all("name", ALL)


def stream(n=160, classes=4, seed=0):
    """Rows of classes 1 to `classes`, weights 0 and more, and rows without a label."""
    batch = with_weights(zipf(n=n, d=60, s=12, seed=seed))
    centre = np.array([batch.indices[a:b].mean() for a, b in zip(batch.indptr[:-1], batch.indptr[1:], strict=True)])
    return without_some_labels(batch._replace(y=1.0 + np.argsort(np.argsort(centre)) * classes // n))


def numbered(batch, learner):
    """The same rows with the numbers of classes for labels."""
    number = {label: float(k) for k, label in enumerate(learner.classes)}
    return batch._replace(y=np.array([number.get(label, np.nan) for label in batch.y.tolist()]))


def make(name, **how):
    return Learner(LearnOptions(**ALL[name], **({"multinomial": K} | how)))


def test_every_method_that_shares_is_here():
    shared = {name for name, method in METHODS.items() if method.shared is not None}
    assert {LearnOptions(**given).method for given in ALL.values()} == shared


@every
def test_a_learner_is_its_dense_twin(name):
    batch = stream()
    ours = make(name)
    got = ours.partial_fit(batch)
    twin, (_, raw, loss) = run_twin(ours.options, numbered(batch, ours))
    assert sorted(ours.classes) == [1, 2, 3, 4], "the fifth class is never met"
    np.testing.assert_allclose(got.scores, raw[:, :4], rtol=1e-9, atol=1e-9)
    left = got.met < K
    np.testing.assert_allclose(raw[left, got.met[left]], raw[left, K - 1], rtol=1e-9, atol=1e-12)
    bound = ours.options.clip
    assert np.abs(raw).max() > bound or bound == np.inf, "a bound that is never met tests nothing"
    probabilities = softmax(raw, axis=1)
    np.testing.assert_allclose(got.probabilities, probabilities[:, :4], rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(got.probabilities.sum(axis=1) + (K - 4) * got.other, 1.0, rtol=1e-12)
    np.testing.assert_allclose(got.loss, loss, rtol=1e-8, atol=1e-12)
    again, more = ours.predict(batch), np.array([twin.predict(x) for x in dense_rows(batch)[0]])
    np.testing.assert_allclose(again.scores, more[:, :4], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(again.label, batch.y)
    if name in FIRST_ORDER:
        np.testing.assert_allclose(by_column(ours, batch), twin.w[:4], atol=1e-9)


@pytest.mark.parametrize("name", ["rfd", "oja", "nag"])
def test_long_streams_with_generations_and_many_classes(name):
    """Shrinks and generations by the dozen, and more classes than rows of the sketch."""
    batch = stream(n=500, classes=9, seed=3)
    ours = make(name, multinomial=9)
    got = ours.partial_fit(batch)
    raw = run_twin(ours.options, numbered(batch, ours))[1].raw
    np.testing.assert_allclose(got.scores, raw, rtol=1e-9, atol=1e-9)


def test_more_rows_than_features_are_the_whole_matrix():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 6)) * [1, 10, 0.1, 3, 1, 1]
    batch = batch_of_dense(X, 1.0 + np.argmax(X @ rng.normal(size=(6, 3)), axis=1))
    for scale in ("none", "unit", "gradients"):
        options = LearnOptions(sketch="rfd", sketch_size=8, multinomial=3, scale=scale, thin=0.0)
        ours = Learner(options)
        got = ours.partial_fit(batch)
        raw = run_twin(options, numbered(batch, ours), full=True)[1].raw
        np.testing.assert_allclose(got.scores, raw, rtol=1e-7, atol=1e-8)


def test_slopes_are_the_derivatives_of_the_loss():
    rng = np.random.default_rng(0)
    for scale in (0.1, 3.0, 30.0):
        z = rng.normal(size=6) * scale
        for y in range(6):
            out = np.zeros(6)
            norm = softmax_slopes(z, y, 2.0, out)
            np.testing.assert_allclose(out, 2 * loss_slope("logistic", z, y), rtol=1e-12, atol=1e-300)
            assert norm == pytest.approx(np.linalg.norm(out), rel=1e-12)
            eps = 1e-6
            for k in range(6):
                step = np.where(np.arange(6) == k, eps, 0.0)
                rise = np.log(softmax(z - step)[y]) - np.log(softmax(z + step)[y])
                assert out[k] == pytest.approx(rise / eps, abs=1e-6)
    out = np.zeros(3)
    assert 0 < softmax_slopes(np.array([0.0, 40.0, 0.0]), 1, 1.0, out) < 1e-16, "a nearly certain row still has a slope"


@pytest.mark.parametrize("classes", [2, 4])
def test_importance_follows_the_loss(classes):
    """One row: of equal others, and so of two classes, weight h moves predictions as the loss's own flow does."""
    for h in (0.5, 2.0, 40.0):
        batch = batch_of([{1: 1.0}], [1.0], [h])
        ours = Learner(LearnOptions(method="nag", multinomial=classes))
        ours.partial_fit(batch)
        q = ours.options.learning_rate / np.sqrt(h * (1 - 1 / classes))  # x'Rx of a first row
        z, steps = np.zeros(classes), 4_000
        for _ in range(steps):
            z -= h * q / steps * loss_slope("logistic", z, 0)
        got = ours.predict(batch)
        assert got.scores[0, 0] == pytest.approx(z[0], rel=2e-3)
        assert got.probabilities[0, 0] == pytest.approx(softmax(z)[0], rel=2e-3)


@pytest.mark.compiled
@every
def test_batches_cut_anywhere_and_saves_change_no_bit(name, tmp_path):
    check_cuts(make(name), make(name), stream(), tmp_path)


def test_names_and_any_labels_with_classes_auto():
    batch = stream()
    names = [None if np.isnan(y) else f"class {y:.0f}" for y in batch.y.tolist()]
    plain, auto = make("rfd"), make("rfd", classes="auto")
    named = batch._replace(class_names=names, y=np.full(batch.n, np.nan))
    got, same = plain.partial_fit(batch), auto.partial_fit(named)
    np.testing.assert_array_equal(got.scores, same.scores)
    np.testing.assert_array_equal(got.loss, same.loss)
    assert auto.classes == [f"class {label}" for label in plain.classes]
    far = make("rfd", classes="auto").partial_fit(batch._replace(y=1000 - 3 * batch.y))
    np.testing.assert_array_equal(far.loss, got.loss)
    assert np.isnan(far.prediction[0]), "before any class has been met"
    with pytest.raises(InputError, match=r"expected one of the 2 classes met before \(more classes: --multinomial 3\)"):
        make("rfd", classes="auto", multinomial=2).partial_fit(batch)
    with pytest.raises(InputError, match=r"for --multinomial 3 \(more classes: --multinomial 4\)"):
        make("nag", multinomial=3).partial_fit(batch)


def test_defaults():
    assert LearnOptions(multinomial=3).method == LearnOptions(oaa=3).method == "committee"
    assert LearnOptions(multinomial=3, sketch="fd", scale="none").scale == "none"
    assert LearnOptions(sketch="rfd").alpha == 1.0


def test_weights_of_classes_stay_after_a_merge():
    engine = FirstOrder(LearnOptions(method="nag", multinomial=3))
    state = engine.new()
    assert engine.add_momentum(state, state, state) is state
