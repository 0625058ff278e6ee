"""The estimators for scikit-learn: its own checks, and that they learn what the command line's learner learns."""

import builtins
import contextlib
import copy
import dataclasses
import importlib
import pickle
import re
import signal
import warnings

import numpy as np
import pytest
import scipy.sparse
from for_all import for_all

pytest.importorskip("sklearn", reason="needs the extra sklearn")

from sklearn.base import clone
from sklearn.datasets import make_classification, make_friedman1, make_regression
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sonlearn import (
    DivergedError,
    InputError,
    Learner,
    LearnOptions,
    OptionError,
    TextOptions,
    from_scipy,
    read_batches,
)
from sonlearn.estimators.base import uninterrupted
from sonlearn.learn.ensemble import resting
from sonlearn.options.methods import METHODS
from sonlearn.sklearn import ROWS, SonlearnClassifier, SonlearnRegressor, StreamingSVD

IN_ORDER = {"shuffle": False, "passes": 1}  # as the command line learns

CURVED = ("committee", "mixture", "bayes", "multinomial-bayes", "rfd-son", "boost", "ewma")
LINEAR = [name for name in METHODS if name not in CURVED]

ORDER = "an online learner of a weighted row is no learner of its repetitions elsewhere in the stream (docs/python.md)"
ALPHA = "the check sets alpha, which this method does not take, and says so (docs/python.md)"


def expected(estimator):
    """Checks that fail, and why."""
    if isinstance(estimator, StreamingSVD):
        return {}
    reasons = {"check_regressors_train": ALPHA} if isinstance(estimator, SonlearnRegressor) else {}
    if estimator.method == "drfd" and isinstance(estimator, SonlearnRegressor):
        return reasons  # with as many directions as features it is ridge regression, whatever the order
    return reasons | {f"check_sample_weight_equivalence_on_{kind}_data": ORDER for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("default")
@parametrize_with_checks(
    [
        SonlearnClassifier(),
        SonlearnClassifier(method="nag"),
        SonlearnClassifier(method="arow"),
        SonlearnRegressor(),
        SonlearnRegressor(method="drfd"),
        StreamingSVD(),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def classes():
    X, y = make_classification(300, 12, n_informative=6, random_state=0)
    return np.round(X, 3), y


@pytest.fixture(params=["pandas", "polars"])
def frames(request):
    return pytest.importorskip(request.param, reason=f"{request.param} is not installed")


def learned(X, y, weight=None, **options):
    """A learner of the rows, whose method is `nag` unless another is named; it rests, as after `fit`."""
    learner = Learner(**{"method": "nag"} | options)
    learner.partial_fit(from_scipy(X, y, weight))
    learner.rest()
    return learner


def several(k=3):
    return make_classification(400, 12, n_informative=8, n_classes=k, random_state=1)


# ------------------------------------------------------------------------------------------------- what is learned


@pytest.mark.parametrize("method", ["nag", "rfd-son", "drfd", "committee"])
def test_classifier_is_the_learner(classes, method):
    X, y = classes
    ours = SonlearnClassifier(method=method, **IN_ORDER).fit(X, y)
    learner = learned(X, 2.0 * y - 1, method=method)
    np.testing.assert_array_equal(ours.decision_function(X), learner.predict(from_scipy(X)).raw)


def test_regressor_is_the_learner_also_in_parts_and_passes():
    X, y = make_regression(200, 6, noise=1.0, random_state=0)
    learner = Learner(LearnOptions(method="nag", loss="squared"))
    for number in range(2):
        if number:
            learner.next_pass()
        learner.partial_fit(from_scipy(X, y))
    expect = learner.predict(from_scipy(X)).prediction
    np.testing.assert_array_equal(SonlearnRegressor(method="nag", passes=2, shuffle=False).fit(X, y).predict(X), expect)
    parts = SonlearnRegressor(method="nag")
    for start in range(0, 400, 50):
        parts.partial_fit(X[start % 200 :][:50], y[start % 200 :][:50])
    np.testing.assert_array_equal(parts.predict(X), expect)


@pytest.mark.parametrize("kind", ["dense", "sparse", "table"])
def test_fit_learns_the_rows_in_the_order_that_a_seed_gives(classes, kind, monkeypatch):
    X, y = classes
    if kind == "table":
        pandas = pytest.importorskip("pandas", reason="pandas is not installed")
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        X = pandas.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(c=np.where(X[:, 0] > 0, "a", "b"))
    elif kind == "sparse":
        X = scipy.sparse.csr_array(X)
    weight = np.random.default_rng(0).random(len(y))
    for state, seed in ((None, 0), (7, 7), (np.random.RandomState(5), 5)):
        order = np.random.RandomState(seed).permutation(len(y))
        rows = X.iloc[order] if kind == "table" else X[order]
        own = SonlearnClassifier(method="nag", **IN_ORDER).fit(rows, y[order], weight[order])
        for size in (7, 4096):
            monkeypatch.setattr("sonlearn.sklearn.ROWS", size)
            state = np.random.RandomState(5) if seed == 5 else state
            ours = SonlearnClassifier(method="nag", passes=1, random_state=state).fit(X, y, weight)
            np.testing.assert_array_equal(ours.decision_function(X), own.decision_function(X))


@pytest.mark.parametrize(("kind", "enough"), [("classes", 60), ("classes", 61), ("several", 4096), ("values", 0)])
def test_members_are_combined_as_of_rows_held_out(classes, kind, enough, monkeypatch):
    """Members are those of as many passes; the combination is of rows new to ones that have learned the rest."""
    monkeypatch.setattr("sonlearn.sklearn.MIN_HELD_OUT", enough)
    made = {"classes": classes, "several": several(), "values": make_friedman1(200, random_state=0)}
    (X, y), estimator = made[kind], SonlearnRegressor if kind == "values" else SonlearnClassifier
    found, trial = estimator().fit(X, y), None
    assert found.n_iter_ > 1
    order, raw = np.random.RandomState(0).permutation(len(y)), "predict" if kind == "values" else "decision_function"
    for fold in (4, 0, 1, 2, 3)[: {61: 2, 4096: 5}.get(enough, 1)]:
        held, others = order[fold::5], np.delete(order, np.s_[fold::5])
        next_trial = estimator(passes=found.n_iter_, shuffle=False).fit(X[others], y[others])
        if trial is not None:
            next_trial.learner_.next_pass(again=False)
            next_trial.learner_.combine_as(trial.learner_)
        trial = next_trial.partial_fit(X[held], y[held])
    told = estimator(passes=found.n_iter_).fit(X, y)
    assert not np.array_equal(getattr(found, raw)(X), getattr(told, raw)(X))
    told.learner_.combine_as(trial.learner_)
    np.testing.assert_array_equal(getattr(found, raw)(X), getattr(told, raw)(X))


@pytest.mark.parametrize("kind", ["classes", "several", "values"])
def test_a_few_rows_are_learned_until_those_held_out_gain_nothing(classes, kind):
    made = {"classes": classes, "several": several(), "values": make_regression(150, 6, noise=1.0, random_state=0)}
    options = {"classes": {}, "several": {"oaa": 3}, "values": {"loss": "squared"}}[kind]
    (X, y), estimator = made[kind], SonlearnRegressor if kind == "values" else SonlearnClassifier
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    rows = from_scipy(X, 2.0 * y - 1 if kind == "classes" else y, weight)
    order = np.random.RandomState(3).permutation(len(y))
    held = np.arange(len(y)) % 5 == 4
    learner, losses = Learner(method="nag", **options), []
    for number in range(10):
        if number:
            learner.next_pass()
        for i in order[~held]:
            learner.partial_fit(rows.part(i, i + 1))
        found = [learner.predict(rows.part(i, i + 1)).loss[0] for i in order[held]]
        losses.append(np.average(found, weights=weight[order[held]]))
    ours = estimator(method="nag", random_state=3).fit(X, y, weight)
    best = [int(np.argmin(losses[:number])) for number in range(1, 11)]  # after each pass
    ends = next((number for number, place in enumerate(best) if number - place == 2), 9)
    assert ours.n_iter_ == best[ends] + 1 > 1
    told = clone(ours).set_params(passes=ours.n_iter_).fit(X, y, weight)
    np.testing.assert_array_equal(ours.predict(X), told.predict(X))


def test_partial_fit_after_fit_learns_new_rows_as_such(classes):
    X, y = classes
    ours = SonlearnClassifier(passes=2, shuffle=False).fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    learner, rows = Learner(), from_scipy(X, 2.0 * y - 1)
    for again in (False, True):
        learner.next_pass(again)
        learner.partial_fit(rows.part(0, 200))
    learner.next_pass(again=False)
    learner.partial_fit(rows.part(200, 300))
    np.testing.assert_array_equal(ours.decision_function(X), learner.predict(rows).raw)
    assert learner.state.now["rows"] == 300


def test_many_rows_are_learned_once_and_so_is_what_follows_predictions(classes, monkeypatch):
    X, y = classes
    for given in ({"threshold": "best-f1"}, {"coverage": 0.9}, {"label_delay": 3}):
        assert SonlearnClassifier(method="nag", **given).fit(X, y).n_iter_ == 1
    monkeypatch.setattr("sonlearn.sklearn.MAX_ROWS", len(y) - 1)
    assert SonlearnClassifier(method="nag").fit(X, y).n_iter_ == 1


def test_a_row_out_of_bounds_is_named_by_its_own_number(classes):
    X, y = classes
    X = X.copy()
    X[17] = 1e200
    with pytest.raises(
        DivergedError, match=r"^X:18: found the value 1e\+200, with which [^-]*; scale the values down$"
    ):
        SonlearnClassifier(method="nag").fit(X, y)


def test_regressor_learns_what_the_check_would_have_it_learn():
    """`check_regressors_train` without its alpha, which most methods refuse."""
    X, y = make_regression(200, 10, n_informative=1, bias=5.0, noise=20, random_state=42)
    X, y = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    assert SonlearnRegressor().fit(X, y).score(X, y) > 0.5
    assert SonlearnRegressor(method="drfd").fit(X, y).score(X, y) > 0.5


def test_classes_that_have_not_come_yet_have_scores_and_weights():
    X, y = several()
    names, early = np.array(["ham", "spam", "tea"]), y != 0
    ours = SonlearnClassifier(method="nag").partial_fit(X[early], names[y[early]], classes=names)
    raw = ours.decision_function(X)
    assert raw.shape == (400, 3)
    np.testing.assert_allclose(raw, X @ ours.coef_.T + ours.intercept_, atol=1e-9)
    np.testing.assert_array_equal(raw[:, 0], learned(X[early], -np.ones(early.sum())).predict(from_scipy(X)).raw)
    for missing in 0, 1, 2:  # of classes that share a metric
        some = y != missing
        ours = SonlearnClassifier(method="nag", multinomial=3).partial_fit(X[some], names[y[some]], classes=names)
        np.testing.assert_allclose(ours.decision_function(X), X @ ours.coef_.T + ours.intercept_, atol=1e-9)


def test_probabilities(classes):
    X, y = classes
    logistic = SonlearnClassifier(method="nag").fit(X, y)
    p = 1 / (1 + np.exp(-logistic.decision_function(X)))
    np.testing.assert_allclose(logistic.predict_proba(X), np.column_stack([1 - p, p]), rtol=1e-12)
    squared = SonlearnClassifier(method="rfd-son").fit(X, y)
    assert squared.learner_.options.loss == "squared"
    expect = np.clip((1 + squared.decision_function(X)) / 2, 0, 1)
    np.testing.assert_array_equal(squared.predict_proba(X)[:, 1], expect)
    assert not hasattr(SonlearnClassifier(method="nag", loss="hinge").fit(X, y), "predict_proba")


@for_all("method", LINEAR)
def test_weights_of_linear_methods(classes, method):
    X, y = classes
    ours = SonlearnClassifier(method=method).fit(X, y)
    assert ours.coef_.shape == (1, 12)
    np.testing.assert_allclose(ours.decision_function(X), X @ ours.coef_[0] + ours.intercept_, atol=1e-9)


def test_other_methods_have_no_weights(classes):
    for method in CURVED:
        ours = SonlearnClassifier(method=method).fit(*classes)
        assert not hasattr(ours, "coef_")
        with pytest.raises(AttributeError, match="not linear"):
            _ = ours.intercept_


def test_weights_of_values_and_of_several_classes():
    X, y = make_regression(200, 6, random_state=0)
    values = SonlearnRegressor(method="nag").fit(X, y)
    np.testing.assert_allclose(values.predict(X), X @ values.coef_ + values.intercept_, rtol=1e-9)
    X, y = several()
    ours = SonlearnClassifier(method="nag", constant=False).fit(X, y)
    np.testing.assert_array_equal(ours.intercept_, np.zeros(3))
    np.testing.assert_allclose(ours.decision_function(X), X @ ours.coef_.T, atol=1e-9)


def test_weights_are_the_learners_and_weight_zero_is_no_row(classes):
    X, y = classes
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    plain = SonlearnClassifier(method="nag", **IN_ORDER)
    ours = clone(plain).fit(X, y, sample_weight=(weight > 0).astype(float))
    kept = clone(plain).fit(X[weight > 0], y[weight > 0])
    np.testing.assert_array_equal(ours.decision_function(X), kept.decision_function(X))
    learner = learned(X, 2.0 * y - 1, weight)
    weighted = clone(plain).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(weighted.decision_function(X), learner.predict(from_scipy(X)).raw)


def test_poisson_predicts_counts():
    X, y = make_regression(200, 3, random_state=0)
    y = np.random.default_rng(0).poisson(np.exp(y / y.std() / 2)).astype(float)
    ours = SonlearnRegressor(loss="poisson", method="nag").fit(X, y)
    raw = ours.learner_.predict(from_scipy(X)).prediction
    np.testing.assert_array_equal(ours.predict(X), np.exp(raw))


# ------------------------------------------------------------------------------------------------- options


def test_parameters_are_the_options_of_the_command_line():
    named = {field.name: field.default for field in dataclasses.fields(LearnOptions)}
    not_here = ("oaa", "classes", "max_classes", "multinomial", "positive", "link", "binary", "seed")
    names = {name: default for name, default in named.items() if name not in not_here}
    own = {"constant": True, "passes": "auto", "shuffle": True, "n_jobs": None, "random_state": None}
    own |= dict.fromkeys(("text", "categorical", "numeric", "ignore"), ())
    of_classes = {"positive": None, "multinomial": False, "class_weight": None}
    assert SonlearnClassifier().get_params() == names | own | of_classes
    assert SonlearnRegressor().get_params() == {k: v for k, v in (names | own).items() if k != "threshold"}
    for wrong, right in {"aplha": "alpha", "threads": "n_jobs", "seed": "random_state", "oaa": "."}.items():
        with pytest.raises(TypeError, match=rf"SonlearnClassifier\(\).*'{wrong}'.*{right}"):
            SonlearnClassifier(**{wrong: 1})


def test_errors_name_the_class_and_the_parameter(classes):
    for cls, wrong, message in (
        (SonlearnClassifier, {"sketch_size": -1}, "SonlearnClassifier: sketch_size -1: expected at least 0"),
        (SonlearnClassifier, {"loss": "poisson"}, "SonlearnClassifier: loss poisson: expected one of"),
        (SonlearnClassifier, {"text": "a"}, "SonlearnClassifier: a ndarray for column a; expected a table"),
        (SonlearnClassifier, {"method": "ada-gp", "random_state": -1}, "SonlearnClassifier: random_state -1: expected"),
        (SonlearnClassifier, {"method": "magic"}, "SonlearnClassifier: method magic: expected one of"),
        (SonlearnRegressor, {"method": "nag", "alpha": 2.0}, "SonlearnRegressor: alpha: method nag does not take it"),
        (SonlearnRegressor, {"passes": 0}, "SonlearnRegressor: passes 0: expected auto, or at least 1"),
        (SonlearnRegressor, {"loss": "hinge"}, "SonlearnRegressor: loss hinge is for classes"),
    ):
        with pytest.raises(OptionError) as caught:
            cls(**wrong).fit(*classes)
        assert str(caught.value).startswith(message)
        assert "--" not in str(caught.value)


def test_random_state_and_jobs_are_seed_and_threads(classes):
    X, y = classes
    made = {seed: SonlearnClassifier(method="ada-gp", random_state=seed, **IN_ORDER).fit(X, y) for seed in (0, 7)}
    by = {seed: ours.decision_function(X) for seed, ours in made.items()}
    assert not np.array_equal(by[0], by[7])
    learner = learned(X, 2.0 * y - 1, method="ada-gp", seed=7)
    np.testing.assert_array_equal(by[7], learner.predict(from_scipy(X)).raw)
    np.testing.assert_array_equal(by[0], SonlearnClassifier(method="ada-gp", **IN_ORDER).fit(X, y).decision_function(X))
    drawn = [
        SonlearnClassifier(method="ada-gp", random_state=np.random.RandomState(3)).fit(X, y).decision_function(X)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*drawn)
    one = SonlearnClassifier().fit(X[:60], y[:60]).decision_function(X)
    np.testing.assert_array_equal(SonlearnClassifier(n_jobs=-1).fit(X[:60], y[:60]).decision_function(X), one)


def test_class_weights_are_weights_of_rows(classes):
    X, y = classes
    rare = (y == 0) | (np.arange(len(y)) % 5 == 0)
    X, y = X[rare], y[rare]
    weight, plain = np.where(y == 1, 3.0, 0.5), SonlearnClassifier(method="nag", **IN_ORDER)
    for more in (None, np.arange(len(y)) % 3 + 1.0):
        expect = plain.fit(X, y, weight * (1 if more is None else more)).decision_function(X)
        ours = clone(plain).set_params(class_weight={0: 0.5, 1: 3.0})
        np.testing.assert_array_equal(ours.fit(X, y, more).decision_function(X), expect)
        parts = clone(ours).partial_fit(X, y, classes=[0, 1], sample_weight=more)
        np.testing.assert_array_equal(parts.decision_function(X), expect)
    n = np.bincount(y)
    by_hand = clone(plain).set_params(class_weight={k: len(y) / (2 * n[k]) for k in (0, 1)}).fit(X, y)
    balanced = clone(plain).set_params(class_weight="balanced")
    np.testing.assert_array_equal(balanced.fit(X, y).decision_function(X), by_hand.decision_function(X))
    with pytest.raises(ValueError, match="class_weight 'balanced' in partial_fit"):
        clone(balanced).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="class_weight names 2"):
        SonlearnClassifier(method="nag", class_weight={2: 1.0}).fit(X, y)


@pytest.mark.parametrize("threshold", [0.8, "cost:1/9", "best-f1"])
def test_thresholds_are_the_learners(classes, threshold):
    """Also of the other class: a mirror image, to the bit."""
    X, y = classes
    ours = SonlearnClassifier(method="nag", threshold=threshold, **IN_ORDER).fit(X, y)
    learner = learned(X, 2.0 * y - 1, threshold=threshold)
    decided = learner.predict(from_scipy(X)).decided
    np.testing.assert_array_equal(ours.predict(X), (decided + 1) / 2)
    assert ours.threshold_ == learner.threshold
    assert np.any(ours.predict(X) != (ours.decision_function(X) > 0))
    other = clone(ours).set_params(positive=0).fit(X, 1 - y)
    np.testing.assert_array_equal(other.predict(X), 1 - ours.predict(X))
    np.testing.assert_array_equal(other.decision_function(X), -ours.decision_function(X))
    np.testing.assert_array_equal(other.predict_proba(X), ours.predict_proba(X)[:, ::-1])
    np.testing.assert_array_equal(other.coef_, -ours.coef_)
    with pytest.raises(OptionError, match="positive 3: expected one of two classes"):
        SonlearnClassifier(positive=3).fit(X, y)


def test_what_is_made_of_predictions_may_change_after_fit(classes):
    X, y = classes
    ours = SonlearnClassifier(method="nag", **IN_ORDER).fit(X, y)
    ours.predict(X)
    ours.set_params(threshold=0.8)
    assert ours.threshold_ == pytest.approx(np.log(0.8 / 0.2))
    np.testing.assert_array_equal(ours.predict(X), ours.decision_function(X) > ours.threshold_)
    ours.set_params(threshold="best-f1")
    with pytest.raises(OptionError, match="threshold best-f1: the model has kept no scores"):
        ours.predict(X)
    assert ours.set_params(threshold=0.8).threshold_ == pytest.approx(np.log(0.8 / 0.2))
    assert ours.set_params(threshold="best-f1").fit(X, y).threshold_ != 0.0
    assert SonlearnRegressor(method="nag").fit(X, y).set_params(max_prediction=0.5).predict(X).max() == 0.5


@pytest.mark.filterwarnings("ignore:.*labels as they are")
@pytest.mark.parametrize("make", [SonlearnClassifier, SonlearnRegressor])
def test_constant_set_after_fit_is_for_the_next_fit(classes, make):
    X, y = classes
    ours = make(method="nag", **IN_ORDER).fit(X, y)
    before = ours.predict(X)
    ours.set_params(constant=False)
    np.testing.assert_array_equal(ours.predict(X), before)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(ours)).predict(X), before)
    assert (ours.fit(X, y).predict(X) != before).any()


@pytest.mark.parametrize(
    ("name", "value"), [("method", "sgd"), ("loss", "squared"), ("learning_rate", 0.1), ("constant", False)]
)
def test_partial_fit_goes_on_with_the_parameters_it_began_with_or_says_so(classes, name, value):
    X, y = classes
    ours = SonlearnClassifier(method="nag").partial_fit(X, y, classes=np.unique(y))
    began, learned = getattr(ours, name), ours.learner_.examples
    ours.set_params(**{name: value})
    found = f"SonlearnClassifier: {name} {value!r} in partial_fit: expected {began!r}, with which learning began; fit"
    with pytest.raises(OptionError, match=re.escape(found)):
        ours.partial_fit(X, y)
    assert ours.learner_.examples == learned
    ours.set_params(**{name: began}, n_jobs=2, passes=3, min_prediction=-1.0).partial_fit(X, y)
    assert pickle.loads(pickle.dumps(ours)).partial_fit(X, y).learner_.examples == 3 * learned
    assert ours.set_params(**{name: value}).fit(X, y).learner_.examples


def test_values_far_from_0_that_a_method_alone_does_not_reach():
    """Labels of 450 and 17 around it, and steps of .5: a committee of the method alone states labels in deviations."""
    X, y = make_regression(500, 3, noise=1.0, random_state=0)
    y = 450 + 17 * y / y.std()
    with pytest.warns(UserWarning, match="method nag learns labels as they are; .* or give members nag in its place"):
        assert SonlearnRegressor(method="nag").fit(X, y).score(X, y) < 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SonlearnRegressor(members="nag").fit(X, y).score(X, y) > 0.9
        SonlearnRegressor(method="sgd").fit(X, (y - 450) / 17)
        SonlearnRegressor(method="nag").fit(X[:50], y[:50])
        SonlearnRegressor(method="nag").fit(X, y, sample_weight=np.arange(500) < 50)


def test_a_column_of_several_types_is_named(pandas, pyarrow):
    """pandas' columns of objects: what pyarrow says of one is of no use to anybody."""
    table, y = pandas.DataFrame({"a": np.arange(20), "c": pandas.Series([1, "x"] * 10, dtype=object)}), [0, 1] * 10
    expected = "found values of several types in the column 'c', expected one type in each column; as texts: table"
    for roles in ({}, {"categorical": "c"}):
        with pytest.raises(InputError, match=expected):
            SonlearnClassifier(method="nag", **roles).fit(table, y)
    assert SonlearnClassifier(method="nag").fit(table.assign(c=table["c"].astype(str)), y).score(table.assign(c="1"), y)
    for strange, message in (([1j], "Complex data not supported"), ([2**70], "too large")):
        with pytest.raises(ValueError, match=message):
            SonlearnClassifier(method="nag").fit(table.assign(c=pandas.Series(strange * 20)), y)


def test_labels_that_may_be_missing_come_back_as_they_are(pandas):
    """Types of pandas: a whole number is none with a point."""
    X = np.arange(20.0)[:, None]
    for kind, labels in (("Int64", [2**53 + 1, 5]), ("boolean", [False, True]), ("string", ["a", "b"])):
        y, missing = pandas.Series(labels * 10, dtype=kind), pandas.Series([*labels, None] * 6, dtype=kind)
        ours = SonlearnClassifier(method="nag").fit(X, y)
        assert repr(ours.classes_.tolist()) == repr(sorted(labels))
        assert {*ours.predict(X).tolist()} <= {*labels}
        ours = SonlearnClassifier(method="nag").partial_fit(X, y, classes=y.unique())
        assert ours.partial_fit(X, y).classes_.tolist() == sorted(labels)
        with pytest.raises(ValueError, match="y has missing values among the labels"):
            SonlearnClassifier().fit(X[:18], missing)


def test_an_array_of_objects_with_texts_is_a_table(pandas, pyarrow):
    """As `to_numpy` and scikit-learn's transformers make them: columns by place, also where a further one has none."""
    table = pandas.DataFrame({"c": ["x", "y"] * 20, "n": np.arange(40) % 7, "m": [*np.arange(39.0), np.nan]})
    X, y = table.to_numpy(), [0, 1] * 20
    of_table, of_array = (SonlearnClassifier(method="nag").fit(given, y) for given in (table, X))
    expected = of_table.predict_proba(table)
    for each in (of_table, of_array):
        np.testing.assert_array_equal(each.predict_proba(X), expected)
    assert of_array.n_features_in_ == 3
    assert of_array.partial_fit(X[:0:-1], y[:0:-1]).score(X, y) == 1
    assert SonlearnClassifier(method="nag", categorical="1").fit(X, y).learner_.text.categorical == ("1",)
    assert SonlearnClassifier(method="nag").fit(X[:, :1].astype(str), y).score(X[:, :1].astype(str), y) == 1
    with pytest.raises(ValueError, match="X has 2 features, but SonlearnClassifier is expecting 3"):
        of_array.predict(X[:, :2])
    assert not SonlearnClassifier(method="nag").fit(X[:, 1:], y).mixed_


@pytest.mark.parametrize("classes", ["oaa", "multinomial"])
def test_the_model_of_several_classes_is_the_command_lines(tmp_path, classes):
    (X, y), names = several(), np.array(["ham", "spam", "tea"])
    ours = SonlearnClassifier(method="nag", multinomial=classes == "multinomial", **IN_ORDER).fit(X, names[y])
    ours.learner_.save(tmp_path / "model")
    learner, again = learned(X, y, **{classes: 3}), Learner.load(tmp_path / "model")
    predicted, order = learner.predict(from_scipy(X)), np.argsort(learner.classes)
    np.testing.assert_array_equal(again.predict(from_scipy(X)).prediction, predicted.prediction)
    np.testing.assert_allclose(ours.decision_function(X), predicted.scores[:, order], atol=1e-12)
    np.testing.assert_allclose(ours.predict_proba(X), predicted.probabilities[:, order], atol=1e-12)
    assert again.classes == [0, 1, 2]
    np.testing.assert_array_equal(ours.predict(X), names[predicted.prediction.astype(int)])


def test_importances_are_mean_contributions(classes):
    X, y = classes
    ours = SonlearnClassifier(method="nag").fit(X, y)
    expect = np.abs(X * ours.coef_[0]).mean(axis=0)
    np.testing.assert_allclose(ours.importances(X), expect, atol=1e-9)
    sparse = SonlearnClassifier(method="nag").fit(scipy.sparse.csr_array(X), y)
    np.testing.assert_allclose(sparse.importances(scipy.sparse.csr_array(X)), expect, atol=1e-9)
    X = np.sign(np.random.default_rng(0).normal(size=(400, 4)))
    pairs = SonlearnClassifier().fit(X, X[:, 0] * X[:, 1] > 0)
    found = pairs.importances(X[:20])
    assert min(found[:2]) > 3 * max(found[2:])


def test_feature_importances_are_shares_in_a_sample_of_the_rows(classes):
    X, y = classes
    linear = SonlearnClassifier(method="nag").fit(X[:50], y[:50])
    expect = np.abs(X[:50] * linear.coef_[0]).mean(axis=0)
    np.testing.assert_allclose(linear.feature_importances_, expect / expect.sum(), atol=1e-9)
    every = 1
    while len(X) > 64 * every:
        every *= 2
    whole, parts = SonlearnClassifier(method="nag", **IN_ORDER).fit(X, y), SonlearnClassifier(method="nag")
    for at in range(0, len(X), 37):
        parts.partial_fit(X[at : at + 37], y[at : at + 37], classes=[0, 1] if at == 0 else None)
    expect = np.abs(X[::every] * whole.coef_[0]).sum(axis=0)
    np.testing.assert_allclose(whole.feature_importances_, expect / expect.sum(), atol=1e-9)
    np.testing.assert_array_equal(parts.feature_importances_, whole.feature_importances_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(parts)).feature_importances_, whole.feature_importances_)
    X, y = several()
    ours = SonlearnClassifier(method="nag", multinomial=True, **IN_ORDER).fit(X[:40], y[:40])
    np.testing.assert_allclose(ours.importances(X), [np.abs(X * own).mean(axis=0) for own in ours.coef_], atol=1e-9)
    expect = sum(np.abs(X[:40] * own).sum(axis=0) for own in ours.coef_)
    np.testing.assert_allclose(ours.feature_importances_, expect / expect.sum(), atol=1e-9)
    assert not hasattr(SonlearnClassifier(), "feature_importances_")


def test_columns_have_roles(frames):
    draw = np.random.default_rng(1)
    code = draw.integers(1, 7, 300)
    y = np.isin(code, (2, 3, 5))
    X = frames.DataFrame({"code": code, "id": np.arange(300), "note": draw.choice(["good tea", "bad tea"], 300)})
    score = {}
    for name, roles in {"plain": {}, "named": {"categorical": "code", "ignore": ["id"], "text": ["note"]}}.items():
        ours = SonlearnClassifier(method="nag", **roles).fit(X, y)
        score[name] = ours.score(X, y)
    assert score["named"] == 1.0 > score["plain"]
    assert ours.learner_.text.text == ("note",)
    numbers = X[["code", "id"]]
    of_numbers = SonlearnClassifier(method="nag", categorical="code", ignore="id", text=None).fit(numbers, y)
    assert of_numbers.mixed_
    assert of_numbers.score(numbers, y) == 1.0
    with pytest.raises(OptionError, match="without column cod;"):
        SonlearnClassifier(categorical="cod").fit(X, y)


def test_classes_are_told_first_and_kept(classes):
    X, y = classes
    with pytest.raises(ValueError, match="classes must be passed"):
        SonlearnClassifier(method="nag").partial_fit(X, y)
    ours = SonlearnClassifier(method="nag").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ValueError, match="not the same"):
        ours.partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="not among"):
        ours.partial_fit(X, y + 1)
    for learn in (SonlearnClassifier(method="nag").fit, ours.partial_fit):
        with pytest.raises(ValueError, match="y has None among the labels"):
            learn(X, np.where(np.arange(len(y)) == 2, None, y))


# ------------------------------------------------------------------------------------------------- inputs


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csr_array])
def test_values_whose_sum_is_infinite_need_no_warning(make):
    X = np.eye(3) + 1.0
    assert np.isfinite(SonlearnRegressor(method="nag").fit(make(X), X[:, 0]).predict(make(X * 5e307))).all()


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csr_array])
def test_sparse_input_of_either_index_width(classes, make, index):
    X, y = classes
    sparse = make(X)
    sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    for constant in (True, False):
        ours, other = (SonlearnClassifier(method="nag", constant=constant).fit(each, y) for each in (sparse, X))
        np.testing.assert_array_equal(ours.decision_function(sparse), other.decision_function(X))


def test_tables(classes, frames):
    X, y = classes
    names = [f"x{j}" for j in range(X.shape[1])]
    table = frames.DataFrame(dict(zip(names, X.T, strict=True)))
    ours = SonlearnClassifier(method="nag").fit(table, frames.Series(y))
    assert list(ours.feature_names_in_) == names
    assert ours.n_features_in_ == 12
    np.testing.assert_array_equal(ours.predict(table), SonlearnClassifier(method="nag").fit(X, y).predict(X))
    lazy = getattr(table, "lazy", lambda: table)()  # of polars
    np.testing.assert_array_equal(SonlearnClassifier(method="nag").fit(lazy, y).predict(lazy), ours.predict(table))
    once = pytest.importorskip("pyarrow").table(dict(zip(names, X.T, strict=True))).to_reader
    np.testing.assert_array_equal(SonlearnClassifier(method="nag").fit(once(), y).predict(once()), ours.predict(table))


def test_wide_rows_cost_nothing(classes):
    X, y = classes
    wide = scipy.sparse.csr_array((X.ravel(), np.tile(np.arange(12) * 2**35, 300), np.arange(301) * 12), (300, 2**40))
    narrow = SonlearnClassifier(method="nag").fit(X, y)
    np.testing.assert_array_equal(SonlearnClassifier(method="nag").fit(wide, y).predict(wide), narrow.predict(X))


# ------------------------------------------------------------------------------------------------- manners


@pytest.mark.parametrize("method", ["nag", "rfd-son", "committee"])
def test_pickles_and_copies_go_on_alike(classes, method):
    X, y = classes
    ours = SonlearnClassifier(method=method).fit(X[:150], y[:150])
    others = [pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours), copy.copy(ours)]
    before = ours.decision_function(X)
    ours.partial_fit(X[150:], y[150:])
    for other in others:
        np.testing.assert_array_equal(other.decision_function(X), before)
        other.partial_fit(X[150:], y[150:])
        np.testing.assert_array_equal(other.decision_function(X), ours.decision_function(X))


def test_a_copy_counts_rows_and_columns_of_a_table_by_itself(pandas):
    table = pandas.DataFrame({"n": np.arange(20.0), "kind": ["a", "b"] * 10})
    ours = SonlearnRegressor(method="nag").fit(table, np.arange(20.0))
    asked = pandas.DataFrame({"n": [np.nan], "kind": ["a"]})  # a missing number counts as the mean so far
    with pytest.warns(UserWarning, match="the column.s mean stands for them"):
        before = ours.predict(asked)
    shares = ours.feature_importances_
    copy.copy(ours).partial_fit(table.assign(n=1e3), np.arange(20.0))
    with pytest.warns(UserWarning, match="the column.s mean stands for them"):
        np.testing.assert_array_equal(ours.predict(asked), before)
    np.testing.assert_array_equal(ours.feature_importances_, shares)


def test_a_pickle_is_no_larger_than_what_is_filled(tmp_path, monkeypatch):
    """600 rows of 10 columns took 6.3 MB: free places of hash tables, columns that are all ones.

    Of these .22 MB are trees and the rows that they are grown of, twice. There is no copy at rest, which would have as
    many places once more.
    """
    monkeypatch.setattr(resting, "FIRST_COPY_ROWS", 1024)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 10))
    ours = SonlearnClassifier(**IN_ORDER).fit(X, X[:, 0] + X[:, 1] > 0)
    data = pickle.dumps(ours)
    assert len(data) < 2.33e6
    ours.learner_.save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 2.33e6
    np.testing.assert_array_equal(pickle.loads(data).predict_proba(X), ours.predict_proba(X))


# ------------------------------------------------------------------------------------------------- tables


def mixed_rows(n=80):
    draw = np.random.default_rng(5)
    city = draw.choice(["Graz", "Wien", None], n).tolist()
    size = [None if i % 7 == 0 else float(draw.normal()) for i in range(n)]
    days = [f"2024-0{1 + i % 9}-1{i % 10}" for i in range(n)]
    return {"size": size, "city": city, "day": days}, np.array(["no", "yes"])[[int(c == "Graz") for c in city]]


def test_tables_with_texts_and_missing_values(frames, tmp_path):
    """The features are those of the same table in CSV, whatever the library."""
    columns, y = mixed_rows()
    X = frames.DataFrame(columns)
    ours = SonlearnClassifier(method="nag", **IN_ORDER).fit(X, y)
    assert ours.mixed_
    assert list(ours.classes_) == ["no", "yes"]
    assert list(ours.predict(X)) == list(y)
    lines = ["size,city,day,y"]
    for *row, label in zip(*columns.values(), y, strict=True):
        lines.append(",".join("" if value is None else str(value) for value in row) + f",{int(label == 'yes')}")
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    learner = Learner(LearnOptions(method="nag"))
    (batch,) = read_batches(tmp_path / "t.csv", TextOptions(label="y", bits=32))
    learner.partial_fit(batch)
    assert np.array_equal(ours.decision_function(X), learner.predict(batch).raw)
    assert np.array_equal(pickle.loads(pickle.dumps(ours)).predict_proba(X), ours.predict_proba(X))
    with pytest.raises(AttributeError, match="have features that are no columns"):
        _ = ours.coef_
    with pytest.raises(ValueError, match="found a table without rows, expected at least one"):
        SonlearnClassifier().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="79 labels, expected one each for 80 rows"):
        ours.fit(X, y[1:])
    with pytest.raises(ValueError, match="expected a table as in fit"):
        ours.predict(np.zeros((2, 3)))
    values = SonlearnRegressor(method="nag").partial_fit(X, np.arange(80.0), sample_weight=np.ones(80))
    assert np.isfinite(values.predict(X)).all()


def test_a_column_that_holds_something_new(frames):
    """What is asked of a fitted model is refused, or said, as `sonlearn predict` does."""
    size = np.arange(80.0) % 7
    columns = {"size": size, "city": ["Graz", "Wien"] * 40}
    ours = SonlearnClassifier(method="nag", **IN_ORDER).fit(frames.DataFrame(columns), size > 3)
    with pytest.raises(InputError, match="found '70,5' in the column 'size', expected a number, as in all rows"):
        ours.predict(frames.DataFrame(columns | {"size": ["70,5"] * 80}))
    mean = ours.predict_proba(frames.DataFrame(columns | {"size": [size.mean()] * 80}))
    again = pickle.loads(pickle.dumps(ours))
    with pytest.warns(
        UserWarning, match="'size' has missing numbers, of which the model has met none; the column's mean"
    ):
        assert np.array_equal(again.predict_proba(frames.DataFrame(columns | {"size": [None] * 80})), mean)
    with pytest.warns(UserWarning, match="'city' has categories of which the model has met none"):
        again.predict(frames.DataFrame(columns | {"city": ["graz"] * 80}))


@pytest.mark.parametrize("kind", ["table", "array"])
def test_a_refused_row_says_nothing_of_the_mean_of_its_column(kind, pandas):
    X = pandas.DataFrame({"size": np.arange(80.0) % 7, "more": [0.0, 1.0] * 40, "name": ["a", "b"] * 40})
    X, odd = X if kind != "array" else X[["size", "more"]].to_numpy(), np.arange(80) % 2
    bad = X[:1] * 0 + 1e300 if kind == "array" else X[:1].assign(size=1e300)
    holes = np.where([True, False], np.nan, X) if kind == "array" else X.assign(size=np.nan)
    ours = SonlearnClassifier(method="nag").partial_fit(X, odd, classes=[0, 1])
    with pytest.warns(UserWarning, match="missing numbers, of which the model has met none"):
        before = ours.predict_proba(holes)
    with pytest.raises(DivergedError):
        ours.partial_fit(bad, [1])
    with pytest.warns(UserWarning, match="missing numbers, of which the model has met none"):
        assert np.array_equal(ours.predict_proba(holes), before)


def test_an_interrupt_waits_for_the_batch_under_way(monkeypatch):
    X = np.random.default_rng(0).normal(size=(3 * ROWS, 3))
    y, learn, calls = X[:, 0] > 0, Learner.partial_fit, []

    def interrupted(learner, batch, **given):
        calls.append(batch.n)
        if len(calls) == 2:
            signal.raise_signal(signal.SIGINT)
        return learn(learner, batch, **given)

    model, whole = (SonlearnClassifier(method="nag").partial_fit(X[:9], y[:9], classes=[0, 1]) for _ in range(2))
    monkeypatch.setattr(Learner, "partial_fit", interrupted)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert signal.getsignal(signal.SIGINT) is handler
    assert model.learner_.examples == 9 + sum(calls) == 9 + 2 * ROWS
    model.partial_fit(X[2 * ROWS :], y[2 * ROWS :])
    np.testing.assert_array_equal(model.coef_, whole.partial_fit(X, y).coef_)


def test_a_second_interrupt_is_obeyed_at_once():
    done = []

    def interrupted():
        with uninterrupted():
            for place in range(3):
                signal.raise_signal(signal.SIGINT)
                done.append(place)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == [0]


def test_importances_of_a_table_are_of_its_columns(pandas):
    """What the features of a column contribute to a row is added up."""
    from sonlearn.text.read import Reader

    columns, y = mixed_rows()
    columns |= {"day.x": np.arange(80) % 3, "note": [f"word{i % 5} the" for i in range(80)]}
    X = pandas.DataFrame(columns)
    for more in ({}, {"multinomial": True}):
        labels = y if not more else np.where(np.arange(80) % 4 == 0, "maybe", y)
        ours = SonlearnClassifier(method="nag", text="note", ignore="day.month", **more).fit(X, labels)
        reader = Reader(X, TextOptions(text=("note",), ignore=("day.month",), bits=32))
        (batch,) = reader
        expect = np.zeros((3 if more else 1, X.shape[1]))
        for explained in ours.learner_.explain(batch, 3):
            for one in explained.attributions:
                names = [reader.names.of(feature)[0] for feature in one.ids.tolist()]
                for at, column in enumerate(X.columns):
                    own = [name == column or name.startswith((f"{column}=", f"{column}^")) for name in names]
                    if column == "day":
                        own = [name.startswith(("day.year", "day.weekday", "day.day")) for name in names]
                    expect[int(one.label or 0), at] += abs(one.contributions[own].sum()) / 80
        assert (expect > 0.0).all()
        np.testing.assert_allclose(np.atleast_2d(ours.importances(X)), expect)
        shares = SonlearnClassifier(method="nag", text="note", ignore="day.month", **more).fit(X[:60], labels[:60])
        total = np.atleast_2d(shares.importances(X[:60])).sum(axis=0)
        assert shares.feature_importances_.sum() == pytest.approx(1.0)
        assert np.argmax(shares.feature_importances_) == np.argmax(total)
        again = pickle.loads(pickle.dumps(ours))
        np.testing.assert_array_equal(again.feature_importances_, ours.feature_importances_)


@pytest.mark.parametrize(
    "target", [SonlearnClassifier(method="nag", **IN_ORDER), SonlearnRegressor(method="nag", **IN_ORDER)]
)
def test_missing_numbers_of_arrays_are_those_of_tables(classes, target, pandas):
    X, y = classes
    holes = np.where(np.arange(X.size).reshape(X.shape) % 5 == 0, np.nan, X)
    holes[:, 3] = X[:, 3]
    ours = clone(target).fit(holes, y)
    table = clone(target).fit(pandas.DataFrame(holes), y)
    assert np.array_equal(ours.predict(holes), table.predict(pandas.DataFrame(holes)))
    assert np.array_equal(ours.feature_importances_, table.feature_importances_)
    assert np.isfinite(cross_val_score(target, holes, y, cv=3)).all()
    with pytest.raises(AttributeError, match="missing values have features that are no columns"):
        _ = ours.coef_
    unmet = np.where(np.arange(12) == 3, np.nan, holes)
    mean = ours.predict(np.where(np.isnan(unmet) & ~np.isnan(holes), X.mean(axis=0), holes))
    again = pickle.loads(pickle.dumps(ours))
    with pytest.warns(UserWarning, match="the column '3' has missing numbers, of which the model has met none"):
        assert np.array_equal(again.predict(unmet), mean)
    with pytest.warns(UserWarning, match="the columns .*met none") as told:
        clone(target).fit(X, y).predict(np.full((2, 12), np.nan))
    assert len(told) == 1
    told = {"classes": [0, 1]} if isinstance(target, SonlearnClassifier) else {}
    late = clone(target).partial_fit(X[:9], y[:9], **told)
    assert np.array_equal(late.coef_.ravel() != 0, X[:9].any(axis=0))
    assert np.isfinite(late.partial_fit(holes, y).predict(holes)).all()
    with pytest.raises(ValueError, match="found NaN in a sparse X, or after a sparse fit, expected a dense array or a"):
        late.predict(scipy.sparse.csr_array(holes))
    with pytest.raises(ValueError, match="found NaN in a sparse X, or after a"):  # no array has said what the means are
        clone(target).fit(scipy.sparse.csr_array(X), y).predict(holes)


def test_categories_are_names_whatever_they_look_like(pandas):
    codes = pandas.Series(np.arange(400) % 50 + 1010)
    X, odd = pandas.DataFrame({"zip": codes, "day": pandas.Categorical(["2024-03-31", "2024-04-01"] * 200)}), codes % 2
    ours = SonlearnClassifier(method="nag").fit(X.assign(zip=codes.astype("category")), odd)
    named = SonlearnClassifier(method="nag", categorical=["zip", "day"]).fit(X, odd)
    assert np.array_equal(ours.decision_function(X), named.decision_function(X))
    ours = SonlearnClassifier(method="nag", numeric="zip").fit(X.astype({"zip": "category"}), odd)
    assert ours._text.numeric == ("zip",)


def test_columns_that_look_like_something_else_are_named(pandas):
    """As `sonlearn train` does it."""
    X = pandas.DataFrame({"since": [f"2024.03.{1 + i % 28:02d}" for i in range(1200)]})
    with pytest.warns(UserWarning, match="the column 'since' has dates that are not read as such"):
        ours = SonlearnClassifier(method="nag").fit(X, np.arange(1200) % 2)
    ours.predict(X)
    with pytest.warns(UserWarning, match="the column 'since' has dates that are not read as such"):
        Learner(LearnOptions(method="nag")).partial_fit(X.assign(y=np.arange(1200) % 2), label="y")
    with pytest.raises(ValueError, match="Input y contains NaN"):
        SonlearnRegressor(method="nag").fit(X[:60].assign(since="x"), np.where(np.arange(60) < 3, np.nan, 1.0))


@pytest.mark.parametrize("learn", ["fit", "partial_fit"])
def test_values_have_no_none_among_them(learn, pandas):
    """scikit-learn makes NaN of it behind its own check; such rows would be left out, and nobody told."""
    X = np.ones((4, 1))
    for rows in (X, pandas.DataFrame({"t": ["x", "y"] * 2})):
        with pytest.raises(ValueError, match="y has None among the labels"):
            getattr(SonlearnRegressor(method="nag"), learn)(rows, [1.0, None, 2.0, 3.0])


def test_texts_that_are_read_as_numbers_are_named(pandas):
    columns = {"zip": ["02139", "94105"] * 30, "sold": ["True", "False"] * 30, "code": ["12", "12A", None] * 20}
    X, y = pandas.DataFrame(columns), [0, 1] * 30
    expected = re.escape("read as numbers: 'zip' (categorical='zip' if they are names, numeric='zip' if numbers)")

    def learn():
        SonlearnClassifier(method="nag").fit(X, y).predict(X.assign(code="new"))
        SonlearnRegressor(method="nag").partial_fit(X, y)
        Learner(method="nag").partial_fit(X.assign(y=y), label="y")

    with pytest.warns(UserWarning, match=f"{expected}|the model has met none") as told:
        learn()
    assert len(told) == 4
    assert {one.filename for one in told} == {__file__}  # the line that calls, not one of the package or beyond
    for said in ("categorical", "numeric", "text", "ignore"):
        SonlearnClassifier(method="nag", **{said: "zip"}).fit(X, y)
    SonlearnClassifier(method="nag").fit(X.assign(zip=[2139, 94105] * 30), y)


@pytest.mark.parametrize("named", [{}, {"categorical": "city"}])
def test_a_table_is_handed_over_once(monkeypatch, named, pandas, pyarrow):
    X, y, handed = pandas.DataFrame({"city": ["Graz", "Wien"] * 30, "x": np.arange(60.0)}), [0, 1] * 30, []
    for owner, name in ((pandas.DataFrame, "__arrow_c_stream__"), (pyarrow, "table")):
        how = getattr(owner, name)
        monkeypatch.setattr(owner, name, lambda *given, how=how, name=name: handed.append(name) or how(*given))
    SonlearnClassifier(method="nag", **named).fit(X, y)
    assert len(handed) == 1


@pytest.mark.parametrize("column", [np.arange(20).astype(kind) for kind in ("M8[D]", "m8[s]")])
def test_dates_and_durations_of_arrays_are_refused_and_those_of_tables_read(pandas, column):
    X, y, ours = column[:, None], [0, 1] * 10, SonlearnClassifier(method="nag")
    for given in (X, [list(row) for row in X], np.array([[each] for each in column], dtype=object), X.astype(object)):
        with pytest.raises(
            ValueError, match=r"found dates or durations in an array, .* pandas\.DataFrame\(X\) has them"
        ):
            ours.fit(given, y)
    assert ours.fit(pandas.DataFrame({"day": column}), y).mixed_
    known = ours._names.known
    ours.fit(pandas.DataFrame({"day": pandas.Series([*column], dtype=object)}), y)
    assert (ours.mixed_, ours._names.known) == (True, known)


@pytest.mark.parametrize(
    ("name", "value"), [("ignore", "b"), ("text", "a"), ("categorical", "b"), ("numeric", "b"), ("constant", False)]
)
def test_roles_of_columns_that_are_set_later_are_for_the_next_fit(pandas, name, value):
    X, y = pandas.DataFrame({"a": ["one", "two x", "two"] * 10, "b": np.arange(30.0)}), [0, 1, 1] * 10
    ours = SonlearnClassifier(method="nag").fit(X, y)
    before = ours.decision_function(X)
    ours.set_params(**{name: value})
    np.testing.assert_array_equal(ours.decision_function(X), before)
    with pytest.raises(OptionError, match=f"{name} .* in partial_fit: expected .*, with which learning began"):
        ours.partial_fit(X, y)
    again = SonlearnClassifier(method="nag", **{name: value}).fit(X, y)
    np.testing.assert_array_equal(ours.fit(X, y).decision_function(X), again.decision_function(X))


def test_what_pandas_hands_over_in_no_other_way(pandas):
    """Sparse columns are a matrix, and a column is no table."""
    X, y = scipy.sparse.random_array((60, 5), density=0.3, rng=1, format="csr"), np.arange(60) % 2
    ours = SonlearnClassifier(method="nag").fit(pandas.DataFrame.sparse.from_spmatrix(X).rename(columns=str), y)
    assert np.array_equal(ours.coef_, SonlearnClassifier(method="nag").fit(X, y).coef_)
    with pytest.raises(ValueError, match=r"Expected a 2-dimensional container but got .*Series"):
        ours.fit(pandas.Series(y), y)


@pytest.mark.parametrize("arrow", [True, False], ids=["pyarrow", "without"])
def test_tables_of_numbers_alone_are_matrices(monkeypatch, arrow, pandas):
    """Without pyarrow as well; it is asked for where a column holds texts."""
    found = builtins.__import__

    def without(name, where=None, *more):
        if name.startswith("pyarrow") and where["__name__"] == "sonlearn.text.arrow":
            raise ImportError(name)
        return found(name, where, *more)

    if not arrow:
        monkeypatch.setattr(builtins, "__import__", without)
    X = pandas.DataFrame({"a": [1.0, 2.0, 3.0] * 5, "b": [0, 1, 0] * 5})
    ours, y = SonlearnClassifier(method="nag").fit(X, [0, 1, 0] * 5), [0, 1, 0] * 5
    assert not ours.mixed_
    other = SonlearnClassifier(method="nag").fit(X.to_numpy(), y)
    assert np.array_equal(ours.decision_function(X), other.decision_function(X.to_numpy()))
    if arrow:
        table = importlib.import_module("pyarrow").Table.from_pandas(X)
        assert np.array_equal(clone(ours).fit(table, y).predict(table), ours.predict(X))
    texts = X.assign(a=["u", "v", "w"] * 5)
    with contextlib.nullcontext() if arrow else pytest.raises(InputError, match="pip install pyarrow"):
        assert SonlearnClassifier(method="nag").fit(texts, y).mixed_


def test_errors_of_rows_name_keywords(pandas):
    X, y = np.ones((20, 1)), np.full(20, -1.0)
    table = pandas.DataFrame({"zip": ["1010", "inf"] * 10, "y": ["a", "b"] * 10})
    with pytest.raises(InputError, match=re.escape("at least 0 for loss poisson (any number: loss squared)")):
        SonlearnRegressor(method="nag", loss="poisson").fit(X, y)
    with pytest.raises(InputError, match="; categorical='zip' takes codes"):
        SonlearnRegressor(method="nag").fit(table[["zip"]], y)
    with pytest.raises(InputError, match=r"expected a finite number, or nothing \(numeric\)"):
        SonlearnRegressor(method="nag", numeric="y").fit(table[["y"]], y)
    with pytest.raises(InputError, match="names of classes: classes auto, of two loss logistic"):
        Learner(method="nag", loss="squared").partial_fit(table[["y"]], label="y")
    with pytest.raises(OptionError, match="method nag has no alpha"):
        _ = Learner(method="nag").alpha
