"""What users of scikit-learn and River build of estimators: each way is run, and gives what it should."""

import copy
import itertools

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs the extra sklearn")

import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import AdaBoostClassifier, StackingClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, TunedThresholdClassifierCV, cross_val_score, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from sonlearn.sklearn import SonlearnClassifier, SonlearnRegressor

X, y = make_classification(240, 8, n_informative=5, class_sep=1.5, random_state=0)
X3, y3 = make_classification(240, 8, n_informative=6, n_classes=3, class_sep=2.0, random_state=0)
Xr, yr = make_regression(200, 5, noise=1.0, random_state=0)
TEXTS = ["good tea", "bad tea", "good cup", "bad cup"] * 20
ABOUT = ["fine" if "good" in text else "poor" for text in TEXTS]
NAG = SonlearnClassifier(method="nag")
VALUES = SonlearnRegressor(method="drfd")


def grid():
    search = GridSearchCV(NAG, {"learning_rate": [0.1, 0.5], "l2": [0.0, 1e-3]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"learning_rate", "l2"}
    return search.score(X, y)


def calibrated():
    model = CalibratedClassifierCV(NAG, cv=2).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    return model.score(X, y)


def of_columns():
    pandas = pytest.importorskip("pandas", reason="needs pandas")
    table = pandas.DataFrame({"size": X[:, 0], "kind": np.where(X[:, 1] > 0, "a", "b"), "target": y})
    columns = ColumnTransformer([("number", StandardScaler(), ["size"]), ("name", OneHotEncoder(), ["kind"])])
    expect = make_pipeline(columns, NAG).fit(table[["size", "kind"]], table["target"]).score(table, y)
    assert expect > 0.5
    return expect + 0.2  # two columns tell less than all


def stacked():
    return StackingClassifier([("nag", NAG), ("tree", LogisticRegression())], cv=2).fit(X, y).score(X, y)


def two_jobs():
    """In processes of joblib's: an estimator goes there and comes back."""
    alone = cross_val_score(NAG, X, y, cv=2)
    np.testing.assert_array_equal(cross_val_score(NAG, X, y, cv=2, n_jobs=2), alone)
    return alone.mean()


def dumped(folder):
    joblib = pytest.importorskip("joblib", reason="needs joblib")
    model = clone(NAG).fit(X, y)
    joblib.dump(model, folder / "model.joblib", compress=3)
    again = joblib.load(folder / "model.joblib")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    return again.partial_fit(X, y).score(X, y)


def tfidf():
    model = make_pipeline(TfidfVectorizer(), SonlearnClassifier(method="nag")).fit(TEXTS, ABOUT)
    assert list(model.predict(["good day", "bad day"])) == ["fine", "poor"]
    return model.score(TEXTS, ABOUT)


def one_versus_rest():
    model = OneVsRestClassifier(NAG).fit(X3, y3)
    assert len(model.estimators_) == 3
    return model.score(X3, y3)


def tables_out():
    pytest.importorskip("pandas", reason="needs pandas")
    scaled = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaled, NAG).fit(X, y)
    assert list(model[-1].feature_names_in_) == [f"x{i}" for i in range(8)]
    return model.score(X, y)


def routed_weights():
    weight = np.where(y == 1, 1.0, 0.0) + (np.arange(len(y)) < 200)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=True)
        ours = clone(NAG).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(make_pipeline(scaler, ours), X, y, cv=2, params={"sample_weight": weight})
    return found["test_score"].mean()


def chosen_by_weights():
    model = make_pipeline(SelectFromModel(NAG, threshold=-np.inf, max_features=4), NAG).fit(X, y)
    assert model[0].get_support().sum() == 4
    assert RFE(NAG, n_features_to_select=3).fit(X, y).support_.sum() == 3
    return model.score(X, y)


def boosted():
    return AdaBoostClassifier(NAG, n_estimators=3, random_state=0).fit(X, y).score(X, y)


def tuned_threshold():
    return TunedThresholdClassifierCV(NAG, cv=2).fit(X, y).score(X, y)


def permuted():
    model = clone(NAG).fit(X, y)
    assert permutation_importance(model, X, y, n_repeats=2, random_state=0).importances_mean.max() > 0
    return model.score(X, y)


def several_targets():
    targets = np.column_stack([yr, -yr])
    model = MultiOutputRegressor(VALUES).fit(Xr, targets)
    np.testing.assert_allclose(model.predict(Xr)[:, 0], -model.predict(Xr)[:, 1], rtol=1e-9)
    return model.score(Xr, targets)


def transformed_target():
    model = TransformedTargetRegressor(make_pipeline(StandardScaler(), VALUES), transformer=StandardScaler())
    return model.fit(Xr, yr).score(Xr, yr)


def in_parts_of_a_sparse_matrix():
    model, rows = clone(NAG), scipy.sparse.csr_array(X)
    for part in np.array_split(np.arange(len(y)), 4):
        model.partial_fit(rows[part], y[part], classes=[0, 1])
    return model.score(rows, y)


WAYS = [
    grid, calibrated, of_columns, stacked, two_jobs, tfidf, one_versus_rest, tables_out, routed_weights,
    chosen_by_weights, boosted, tuned_threshold, permuted, several_targets, transformed_target,
    in_parts_of_a_sparse_matrix,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_scikit_learn(way):
    assert way() > 0.7


def test_joblib(tmp_path):
    assert dumped(tmp_path) > 0.7


# ------------------------------------------------------------------------------------------------- River


def points(n=300):
    draw = np.random.default_rng(0)
    for _ in range(n):
        a, b = draw.normal(size=2).round(3).tolist()
        yield {"a": a, "b": b, "kind": "x" if a > 0 else "z"}, bool(a + b > 0)


def pipeline_of_river(compose, linear):
    from river import preprocessing

    numbers = compose.SelectType(float) | preprocessing.StandardScaler()
    names = compose.SelectType(str) | preprocessing.OneHotEncoder()
    return (numbers + names) | linear


def streamed(model, score=None):
    from river import evaluate, metrics

    return evaluate.progressive_val_score(points(), model, score or metrics.Accuracy()).get()


def river_ways():
    from river import compose, drift, ensemble, linear_model, metrics

    from sonlearn.river import SonlearnClassifier as Ours

    nag = Ours(method="nag")
    return {
        "alone": lambda: streamed(nag.clone()),
        "pipeline": lambda: streamed(pipeline_of_river(compose, nag.clone())),
        "auc": lambda: streamed(nag.clone(), metrics.ROCAUC()),
        "bagging": lambda: streamed(ensemble.ADWINBaggingClassifier(nag.clone(), n_models=3, seed=0)),
        "boosting": lambda: streamed(ensemble.AdaBoostClassifier(nag.clone(), n_models=3, seed=0)),
        "stacking": lambda: streamed(
            compose.Select("a", "b")
            | ensemble.StackingClassifier([nag.clone(), Ours(method="arow")], linear_model.LogisticRegression())
        ),
        "drift": lambda: streamed(drift.DriftRetrainingClassifier(nag.clone(), drift.binary.DDM())),
    }


RIVER = ["alone", "pipeline", "auc", "bagging", "boosting", "stacking", "drift"]


@pytest.mark.parametrize("way", RIVER)
def test_river(way):
    pytest.importorskip("river", reason="needs the extra river")
    assert set(river_ways()) == set(RIVER)
    assert river_ways()[way]() > 0.7


def test_river_values_copies_and_changes():
    pytest.importorskip("river", reason="needs the extra river")
    from river import metrics, preprocessing

    from sonlearn.river import SonlearnClassifier, SonlearnRegressor

    model, error = preprocessing.StandardScaler() | SonlearnRegressor(method="nag"), metrics.R2()
    for x, _ in points():
        x = {"a": x["a"], "b": x["b"]}
        error.update(3 * x["a"] - x["b"], model.predict_one(x))
        model.learn_one(x, 3 * x["a"] - x["b"])
    assert error.get() > 0.7
    model = SonlearnClassifier(method="nag")
    rows = list(points(60))
    for x, label in rows:
        model.learn_one(x, label)
    other = copy.deepcopy(model)
    for x, _ in rows:
        assert other.predict_proba_one(x) == model.predict_proba_one(x)
    p = sorted(model.predict_proba_one(x)[True] for x, _ in rows)
    model.mutate({"threshold": (p[-2] + p[-1]) / 2})
    assert sum(model.predict_one(x) for x, _ in rows) == 1 < sum(other.predict_one(x) for x, _ in rows)
    with pytest.raises(ValueError, match="not a mutable attribute"):
        model.mutate({"learning_rate": 0.1})
    for (x, label), w in zip(rows, itertools.cycle([1.0, 0.0, 2.5]), strict=False):
        other.learn_one(x, label, w=w)
    model.learn_many([x for x, _ in rows], [label for _, label in rows], w=([1.0, 0.0, 2.5] * 20))
    assert model.predict_proba_many([x for x, _ in rows]).equals(other.predict_proba_many([x for x, _ in rows]))
