"""Threads that share a model: they predict what one thread predicts, and where one of them learns, the others get an
error."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sonlearn import DivergedError, Learner, LearnOptions, ThreadError, from_scipy
from sonlearn.data.decisions import numbered
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.learn.by_row import OneRow
from sonlearn.options.bandit import BanditOptions
from sonlearn.options.members import default_members
from sonlearn.options.views import VIEWS
from sonlearn.views.index import Entries

THREADS = 4


def matrix(rows, seed=0):
    """Numbers, and columns that are mostly 0, so that every view has something to show."""
    draw = np.random.default_rng(seed)
    return np.hstack([draw.normal(size=(rows, 12)), draw.integers(0, 3, (rows, 30)) * (draw.random((rows, 30)) < 0.2)])


def learner_of(kind, **options):
    X = matrix(600)
    score = X[:, 0] - X[:, 1] * X[:, 2] + X[:, 13]
    y = {"classes": np.floor(np.clip(score, -2, 2)), "values": score}.get(kind, np.sign(score))
    own = {"classes": {"classes": "auto"}, "values": {"loss": "squared"}}.get(kind, {})
    learner = Learner(LearnOptions(**own, **options))
    learner.partial_fit(from_scipy(X, y=y))
    return learner


def arrays_of(predicted):
    return [np.asarray(part) for part in predicted if part is not None]


def in_threads(call, items):
    """`call` of each item, by several threads that begin at the same time."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(call, items))


#: One member for each view, and the members of the defaults; beside many, what one says wrong might not be seen.
MEMBERS = {
    "two": sorted({f"nag:{view}" for view in VIEWS} | set(default_members("logistic", "normal"))),
    "values": default_members("squared", "normal"),
    "classes": default_members("logistic", "normal", True),
}
CASES = [
    *((kind, {"members": tuple(names[i::4]), "prune": False}) for kind, names in MEMBERS.items() for i in range(4)),
    ("two", {}), ("values", {}), ("classes", {}), ("two", {"coverage": 0.9}), ("values", {"coverage": 0.9}),
    ("classes", {"coverage": 0.9}), ("two", {"threshold": "best-f1"}), ("classes", {"method": "nag"}),
    *(("two", {"method": method, "alpha": 1.0}) for method in ("rfd-son", "drfd", "ada-full", "metagrad-fd")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "options"), CASES, ids=str)
def test_threads_predict_what_one_thread_predicts(kind, options):
    learner = learner_of(kind, **options)
    batches = [from_scipy(matrix(20 + 30 * k, seed=1 + k)) for k in range(6)]
    expected = [arrays_of(learner.predict(batch)) for batch in batches]
    order = np.random.default_rng(0).integers(0, len(batches), 24).tolist()
    for k, found in zip(order, in_threads(lambda k: arrays_of(learner.predict(batches[k])), order), strict=True):
        for one, other in zip(expected[k], found, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("learn", [None, LearnOptions(method="committee", loss="squared")], ids=["own", "committee"])
def test_threads_decide_what_one_thread_decides(learn):
    draw, K = np.random.default_rng(0), 3

    def decisions(rows, seed):
        X = from_scipy(matrix(rows, seed), y=np.full(rows, np.nan))
        return numbered(X, K, draw.integers(0, K, rows), draw.random(rows), np.full(rows, 1 / K))

    bandit = Bandit(BanditOptions(cb_explore=K, explore="squarecb"), learn=learn)
    bandit.partial_fit(decisions(150, 0))
    asked = [decisions(20 + 10 * k, 1 + k) for k in range(3)]
    expected = [arrays_of(bandit.predict(one)) for one in asked]
    order = [k % len(asked) for k in range(12)]
    for k, found in zip(order, in_threads(lambda k: arrays_of(bandit.predict(asked[k])), order), strict=True):
        for one, other in zip(expected[k], found, strict=True):
            np.testing.assert_array_equal(one, other)


class Held:
    """A call in a thread of its own, held in the middle until `go`."""

    def __init__(self, engine, verb, monkeypatch, call):
        self._inside, self._go = threading.Event(), threading.Event()
        own = getattr(engine, verb)

        def held(*arguments):
            self._inside.set()
            assert self._go.wait(60)
            return own(*arguments)

        monkeypatch.setattr(engine, verb, held)
        self._pool = ThreadPoolExecutor(1)
        self._result = self._pool.submit(call)
        assert self._inside.wait(60)
        monkeypatch.setattr(engine, verb, own)

    def go(self):
        self._go.set()
        self._pool.shutdown()
        return self._result.result()


def a_row():
    return Entries(np.array([3, -1]), np.ones(2))


@pytest.mark.parametrize("one_by_one", [False, True])
def test_who_comes_while_another_thread_learns_gets_an_error_and_changes_nothing(monkeypatch, one_by_one):
    learner, batch = learner_of("two", method="nag"), from_scipy(matrix(9, 5), y=np.ones(9))
    alone = learner.copy()
    row = OneRow(learner, -1)
    learn = (lambda: row.learn(a_row(), 1.0, 1.0)) if one_by_one else (lambda: learner.partial_fit(batch))
    verb = "reserve_ahead" if one_by_one else "learn"  # the first to prepare the calls of a row
    held = Held(learner.engine, verb, monkeypatch, learn)
    calls = [
        lambda: learner.predict(batch), lambda: learner.predict(batch, online=True), lambda: learner.partial_fit(batch),
        lambda: learner.settle(batch), lambda: learner.explain(batch), lambda: learner.contributions(batch),
        lambda: learner.copy(), lambda: OneRow(learner, -1).raw(a_row()),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(ThreadError, match=r"two threads use one model, and one of them learns.*deepcopy\(mod"):
            call()
    held.go()
    if one_by_one:
        OneRow(alone, -1).learn(a_row(), 1.0, 1.0)
    else:
        alone.partial_fit(batch)
    for one, other in zip(arrays_of(learner.predict(batch)), arrays_of(alone.predict(batch)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_who_would_learn_while_another_thread_predicts_gets_an_error(monkeypatch):
    learner, batch = learner_of("two", method="nag"), from_scipy(matrix(9, 5), y=np.ones(9))
    expected = arrays_of(learner.predict(batch))
    held = Held(learner.engine, "predict", monkeypatch, lambda: arrays_of(learner.predict(batch)))
    for call in (lambda: learner.partial_fit(batch), lambda: OneRow(learner, -1).learn(a_row(), 1.0, 1.0)):
        with pytest.raises(ThreadError):
            call()
    for one, other in zip(expected, arrays_of(learner.predict(batch)), strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(expected, held.go(), strict=True):
        np.testing.assert_array_equal(one, other)
    learner.partial_fit(batch)


def test_a_call_that_fails_lets_others_in():
    learner = learner_of("two", method="nag")
    bad = from_scipy(matrix(1, 5), y=np.full(1, 7.0))
    with pytest.raises(ValueError, match="found label 7"):
        learner.partial_fit(bad)
    with pytest.raises(DivergedError):
        learner.predict(from_scipy(np.full((1, 5), 1.7e308)))
    learner.partial_fit(from_scipy(matrix(3, 5), y=np.ones(3)))
