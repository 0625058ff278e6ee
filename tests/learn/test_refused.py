"""A refused row changes nothing: no prediction of a later row, no class, no label, however the stream is cut."""

import warnings

import numpy as np
import pytest
from states import same_state
from streams import batch_of as rows_of

from sonlearn import DivergedError, Learner, LearnOptions, from_scipy
from sonlearn.options.methods import METHODS

N, MAX_INPUT = 90, {20: "new", 50: "rare", 51: "rare"}


def table(seed=0):
    """(X, words): classes that come by and by, and a few rows out of all bounds, whose classes nobody else has."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 6))
    words = np.array([f"c{k:.0f}" for k in np.clip(2 * X[:, 0], -2, 2)], dtype=object)
    for row, word in MAX_INPUT.items():
        X[row], words[row] = 1e300, word
    return X, words


def batch_of(X, labels):
    if isinstance(labels[0], str):
        return from_scipy(X, y=np.full(len(X), np.nan))._replace(class_names=labels.tolist())
    return from_scipy(X, y=labels.astype(float))


def learned_in_parts(options, X, labels, cuts):
    """(losses of the rows that are not refused, the learner)."""
    learner, losses = Learner(LearnOptions(**options)), []
    for part in np.split(np.arange(len(X)), cuts):
        got = learner.partial_fit(batch_of(X[part], labels[part]), skip=True)
        losses.append(got.loss[~got.refused])
    return np.concatenate(losses), learner


SEVERAL = [
    {"classes": "auto"},
    {"classes": "auto", "method": "nag"},
    {"classes": "auto", "method": "sgd"},
    {"classes": "auto", "method": "drfd"},
    {"classes": "auto", "method": "sgd", "multinomial": 9},
    *({"classes": "auto", "multinomial": 9, "method": name} for name in ("nag", "adagrad")),
    *({"classes": "auto", "multinomial": 9, "sketch": name, "scale": "none"} for name in ("rfd", "oja")),
    {"classes": "auto", "method": "nag", "coverage": 0.9},
]


@pytest.mark.parametrize("options", SEVERAL, ids=str)
def test_a_refused_row_leaves_no_class(options):
    X, words = table()
    left = np.array([i not in MAX_INPUT for i in range(N)])
    wanted, plain = learned_in_parts(options, X[left], words[left], [])
    for cuts in ([], [20, 21, 50], range(1, N)):
        got, learner = learned_in_parts(options, X, words, cuts)
        assert learner.classes == plain.classes
        assert learner.refused_rows == len(MAX_INPUT)
        assert str(learner.first_refused).startswith("<memory>:21: ") or len(list(cuts))
        np.testing.assert_array_equal(got, wanted)
        same_state(learner, plain)


@pytest.mark.parametrize("options", SEVERAL, ids=str)
def test_the_row_that_ends_a_run_leaves_no_class(options):
    X, words = table()
    learner = Learner(LearnOptions(**options))
    with pytest.raises(DivergedError, match="<memory>:21:"):
        learner.partial_fit(batch_of(X, words))
    assert learner.classes == list(dict.fromkeys(words[:20]))
    assert learner.examples == 20


@pytest.mark.parametrize("options", [{}, {"method": "nag"}], ids=str)
@pytest.mark.parametrize("first", ["spam", 0.0])
def test_a_refused_row_does_not_settle_how_labels_are_written(options, first):
    X, _ = table()
    X = X[:20].copy()
    labels = np.where(X[:, 0] > 0, "up", "down").astype(object) if first == "spam" else np.where(X[:, 0] > 0, 1.0, -1.0)
    X[0], labels[0] = 1e300, first
    wanted, plain = learned_in_parts(options, X[1:], labels[1:], [])
    for cuts in ([1], [1, 2, 9]):
        got, learner = learned_in_parts(options, X, labels, cuts)
        assert learner.two_labels == plain.two_labels
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.interpreted
@pytest.mark.parametrize("method", ["fd-son", "ada-fd", "metagrad-fd"])
def test_a_row_after_many_that_are_refused(method):
    """It is almost in the span of the rows learned: it is not projected by the features of those refused."""
    learned, wild = [{1: 1.0, 2: 0.5}, {1: 0.3, 2: 1.0}] * 3, [{3 + i: 1e120} for i in range(60)]
    rows, learner = [*learned, *wild, {1: 1.0, 2: 0.7, 99: 1e-9}, {1: 1.0}], Learner(method=method, sketch_size=5)
    got = learner.partial_fit(rows_of(rows, np.resize([1.0, -1.0], len(rows))), skip=True)
    assert np.flatnonzero(got.refused).tolist() == list(range(6, 66))


LATE = [
    {"members": ("nag", "ewma~0.3", "nag:zs"), "prune": False},
    {"loss": "squared", "members": ("nag", "nlms:zs"), "prune": False},
    {"method": "nag"},
    {"classes": "auto"},
    {"classes": "auto", "method": "nag"},
]


@pytest.mark.parametrize("options", LATE, ids=str)
@pytest.mark.parametrize("delay", [1, 100])
def test_rows_whose_labels_come_late_are_left_out_as_others_are(options, delay):
    """The rows refused are those out of bounds, and one whose label alone is; the others are as without them.

    The model is the same however the stream is cut, with the features that they alone have.
    """
    X, words = table()
    X = np.column_stack([X, X[:, 0] > 1e9])
    y = X[:, 0] + 0.1 if options.get("loss") == "squared" else np.where(X[:, 0] > 0, 1.0, -1.0)
    labels = words if "classes" in options else y
    wild = {*MAX_INPUT, 70} if options.get("loss") == "squared" else set(MAX_INPUT)
    if 70 in wild:
        labels[70] = 1e200
    options = {**options, "label_delay": delay}
    whole, plain = learned_in_parts(options, X, labels, [])
    for cuts in ([20, 21, 22, 50, 70, 71], range(1, N)):
        got, learner = learned_in_parts(options, X, labels, cuts)
        np.testing.assert_array_equal(got, whole)
        assert learner.refused_rows == plain.refused_rows
        learner._waiting = learner._waiting._replace(lines=plain._waiting.lines)  # those of its own part
        same_state(learner, plain)
    if delay < N - 71:
        assert plain.refused_rows == len(wild)


@pytest.mark.parametrize("options", [
    {"method": "fd-son", "sketch_size": 2}, {"method": "mixture", "sketch_size": 2}, {"method": "drfd"},
    {"method": "drfd", "classes": "auto"},
], ids=str)  # fmt: skip
def test_features_that_refused_rows_alone_have_are_as_new(options):
    """They got the number of the generation, which a model that was saved before later features came had not kept."""
    X, _ = table()
    X = np.column_stack([X, np.where(np.arange(N) > 60, 1.0, 0.0), X[:, 0] > 1e9])[:, [0, 1, 2, 3, 4, 5, 7, 6]]
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    _, whole = learned_in_parts(options, X, y, [])
    learner = Learner(LearnOptions(**options))
    for part in np.split(np.arange(N), [20, 21, 50, 52]):
        learner.partial_fit(batch_of(X[part], y[part]), skip=True)
        learner = Learner.from_arrays(*learner.to_arrays())
    same_state(learner, whole)


def test_a_late_row_out_of_bounds_ends_a_run_that_does_not_skip():
    X, _ = table()
    learner = Learner(LearnOptions(method="nag", label_delay=3))
    with pytest.raises(DivergedError, match="<memory>:21: "):
        learner.partial_fit(batch_of(X, np.ones(N)))


@pytest.mark.parametrize("weight", [-1.0, 0.0])
@pytest.mark.parametrize("options", [*({"method": name} for name in METHODS), {"classes": "auto"}], ids=str)
def test_rows_without_a_weight_above_0_are_only_predicted(options, weight):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 40)), np.sign(rng.normal(size=60))
    both = from_scipy(np.repeat(X, 2, axis=0), y=np.repeat(y, 2))._replace(weight=np.tile([1.0, weight], 60))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one, two = Learner(LearnOptions(**options)), Learner(LearnOptions(**options))
        one.partial_fit(from_scipy(X, y=y))
        two.partial_fit(both)
    assert one.examples == two.examples == 60
    asked = from_scipy(rng.normal(size=(10, 40)))
    np.testing.assert_array_equal(one.predict(asked).raw, two.predict(asked).raw)


@pytest.mark.parametrize(
    "options",
    [{"method": "nag", "decay": 0.01}, {"method": "sgd", "l2": 0.01}, {"method": "adagrad", "l2": 0.01},
     {"method": "ewma", "decay": 0.01}],
    ids=str,
)  # fmt: skip
def test_a_row_refused_for_its_label_changes_no_bit(options):
    """Also of a learner that forgets and shrinks the weights of a feature when its next row comes."""
    rng = np.random.default_rng(2)
    learner = Learner(LearnOptions(loss="squared", **options))
    for i in range(60):
        learner.partial_fit(batch_of(np.eye(5)[[i % 4]] * rng.normal(), rng.normal(size=1)))
    before = {name: array.copy() for name, array in learner.to_arrays()[1].items()}
    with pytest.raises(DivergedError):
        learner.partial_fit(batch_of(np.ones((1, 5)), np.array([1e200])))
    for name, array in learner.to_arrays()[1].items():
        np.testing.assert_array_equal(array[: len(before[name])], before[name], err_msg=name)


@pytest.mark.parametrize("classes", [{"classes": "auto"}, {"oaa": 3}, {"multinomial": 3}], ids=str)
def test_a_committee_gives_no_probabilities_that_are_not_numbers(classes):
    rng = np.random.default_rng(0)
    X = 0.01 * rng.normal(size=(40, 5))
    learner = Learner(LearnOptions(**classes))
    learner.partial_fit(batch_of(X, 1.0 + np.argmax(X[:, :3], axis=1)))
    X[7, :3] = 1.7e308
    for online in (False, True):
        with pytest.raises(DivergedError, match=r"^<memory>:8: "):
            learner.predict(batch_of(X, np.ones(40)), online=online)


@pytest.mark.parametrize("weights", [(1e-150,), (1e-290, 1.0), (5e-324,), (1.0, 1e-75)], ids=str)
@pytest.mark.parametrize("method", ["rp-son", "radagrad", "ada-gp", "ada-dp"])
def test_rows_that_hardly_count_are_learned(method, weights):
    """The sketch of rows of next to no length is decomposed as that of others."""
    rng = np.random.default_rng(3)
    X = np.zeros((60, 31))
    for row in X:
        row[rng.choice(31, 6, replace=False)] = 1e3 * rng.normal(size=6)
    batch = batch_of(X, np.sign(rng.normal(size=60)))._replace(weight=rng.choice(weights, 60))
    learner = Learner(LearnOptions(method=method, loss="logistic"))
    assert np.isfinite(learner.partial_fit(batch, skip=True).raw).all()
    assert np.isfinite(learner.predict(batch).raw).all()


def test_a_row_of_more_features_than_ridge_keeps_that_is_out_of_all_bounds_is_named():
    X = np.ones((2, METHODS["ridge"].values["max_columns"] + 1))
    X[1] = 1e150
    with pytest.raises(DivergedError, match="<memory>:2: "):
        Learner(LearnOptions(method="ridge")).partial_fit(from_scipy(X, y=np.ones(2)))


def test_whose_fault_it_is_that_a_row_is_refused():
    """The row's, where it has a value out of bounds; else the learner's, which has diverged."""
    X, y = np.ones((20, 2)), np.array([1.0, -1.0] * 10)
    X[9, 1] = -1e200
    with pytest.raises(
        DivergedError, match=r"^<memory>:10: found the value 1e\+200, with which .*; scale the values down$"
    ):
        Learner(method="nag").partial_fit(from_scipy(X, y=y))
    with pytest.raises(
        DivergedError,
        match=r"^<memory>:\d+: the prediction [^-]*diverged; [^-]*alpha up, learning_rate down[^-]*\(clip\)$",
    ):
        Learner(method="ogd", learning_rate=1e200, loss="squared").partial_fit(from_scipy(np.ones((20, 2)), y=y))


@pytest.mark.parametrize("options", [{}, {"loss": "squared"}, {"method": "mixture", "members": "adagrad,sgd"}], ids=str)
def test_rows_behind_one_of_which_members_have_no_finite_prediction_are_predicted_as_alone(options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    learner, none = Learner(LearnOptions(**options)), np.full(60, np.nan)
    learner.partial_fit(batch_of(X, np.sign(X.sum(axis=1))))
    X[0] = np.finfo(float).max
    together = learner.predict(batch_of(X, none)).raw
    np.testing.assert_array_equal(together[1:], learner.predict(batch_of(X[1:], none[1:])).raw)


def test_a_mixture_names_a_row_of_which_it_has_no_finite_prediction():
    X = np.array([[1.0, 1.0], [-1.0, -1.0]] * 9)
    learner = Learner(method="mixture")
    learner.partial_fit(batch_of(X, X[:, 0]))
    X[7] = np.finfo(float).max
    with pytest.raises(DivergedError, match=r"^<memory>:8: "):
        learner.predict(batch_of(X, X[:, 0]))
