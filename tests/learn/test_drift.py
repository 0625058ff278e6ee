"""Changes of a stream: the detector equals its definition, names the moment, and nothing where there is none."""

import math

import numpy as np
import pytest

from sonlearn import Learner, LearnOptions, from_scipy
from sonlearn.data.rows import NO_ROWS
from sonlearn.learn.drift import ALARM, BETS, MIN_ROWS, SLACK, WINDOW, changes_of, detect_drift, new_drift
from sonlearn.learn.ensemble.progress import update_losses
from sonlearn.learn.ensemble.target import Target
from sonlearn.options.members import Member


def definition(errors):
    """Rows of changes, for how wrong each prediction was (float64[n], within [0, 1])."""
    changes, begun = [], 0
    while begun < len(errors):
        mu, found = 0.0, None
        wealth, starts = dict.fromkeys(BETS, 0.0), dict.fromkeys(BETS, 0)
        for n, x in enumerate(errors[begun:]):
            for b in BETS:
                if wealth[b] <= 0:
                    wealth[b], starts[b] = 0.0, begun + n + 1
                if n >= MIN_ROWS:
                    wealth[b] += math.log(1 + min(b, 0.9 / (mu + SLACK)) * (x - mu - SLACK))
            if max(wealth.values()) > ALARM:
                found = max(BETS, key=lambda b: wealth[b])
                break
            mu += (x - mu) / min(n + 1, WINDOW)
        if found is None:
            break
        changes.append(starts[found])
        begun += n + 1
    return changes


def surprises(classes, z, y):
    """How wrong predictions z are, as a committee of two classes or of values sees it."""
    target = Target(LearnOptions(loss="logistic" if classes else "squared"), (Member("nag", "raw"),))
    rows, found = NO_ROWS._replace(y=y), np.zeros(len(y))
    _, scale, _ = target.label_calls(target.new(), rows, np.zeros(0), again=True)
    update_losses(target.kind, target.loss, scale.met, scale.par, z[:, None], y, np.ones(len(y)), np.zeros(3), found)
    return found


@pytest.mark.interpreted
@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("cut", [None, 7])
def test_equals_the_definition(classes, cut):
    rng = np.random.default_rng(0)
    n = 6000
    level = np.select([np.arange(n) < 1500, np.arange(n) < 3200], [0.5, 2.0], 4.0)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    z = y + level * rng.normal(size=n)
    drift, surprise = new_drift(), surprises(classes, z, y)
    for start in range(0, n, cut or n):
        at = slice(start, start + (cut or n))
        detect_drift(drift, not classes, surprise[at], y[at], np.ones(n)[at], 0)
    if classes:
        assert changes_of(drift) == definition(1 / (1 + np.exp(y * z)))
        assert len(changes_of(drift)) >= 1
    else:  # the first rows since a change give the size of errors only
        found, begun, size = [], 0, np.abs(z - y)
        while begun + MIN_ROWS < n:
            own = size[begun:] / (size[begun:] + size[begun : begun + int(MIN_ROWS)].mean())
            more = definition(own[int(MIN_ROWS) :])
            if not more:
                break
            found.append(begun + int(MIN_ROWS) + more[0])
            begun += int(MIN_ROWS) + alarm(own[int(MIN_ROWS) :])
        assert changes_of(drift) == found
        assert len(found) >= 1
    for each in changes_of(drift):
        assert min(abs(each - 1500), abs(each - 3200)) < 100


def alarm(errors):
    """How many rows it takes until the first change is named."""
    low, high = 0, len(errors)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if definition(errors[:middle]) else (middle, high)
    return high


@pytest.mark.parametrize("relative", [False, True])
def test_rows_predicted_before_any_label_had_come_say_nothing(relative):
    rng = np.random.default_rng(0)
    n, late = 3000, 700
    x = np.where(np.arange(n) < 1900, 0.1, 0.8) + 0.1 * rng.random(n)
    x[:late] = 0.0
    whole, rest = new_drift(), new_drift()
    for start in range(0, n, 150):
        at = slice(start, start + 150)
        detect_drift(whole, relative, x[at], np.ones(150), np.ones(150), late)
    detect_drift(rest, relative, x[late:], np.ones(n - late), np.ones(n - late), 0)
    assert changes_of(whole) == [row + late for row in changes_of(rest)]
    assert len(changes_of(whole)) == 1
    np.testing.assert_array_equal(whole.means, rest.means)


@pytest.mark.interpreted
def test_rows_without_a_label_or_a_weight_do_not_count():
    rng = np.random.default_rng(1)
    y, z = np.where(rng.random(900) < 0.5, 1.0, -1.0), rng.normal(size=900)
    weight = np.where(np.arange(900) % 3 == 0, 0.0, 1.0)
    label = np.where(np.arange(900) % 5 == 0, np.nan, y)
    some, all_rows = new_drift(), new_drift()
    detect_drift(some, False, surprises(True, z, label), label, weight, 0)
    kept = (weight > 0) & ~np.isnan(label)
    detect_drift(all_rows, False, surprises(True, z[kept], y[kept]), y[kept], np.ones(kept.sum()), 0)
    for one, other in zip(some, all_rows, strict=True):
        np.testing.assert_array_equal(one, other)


def made(seed, kind, change, width=1, n=5000):
    """Rows of normal numbers and a linear label, of other lines from row `change` on, over `width` rows."""
    rng = np.random.default_rng(seed)
    X, lines = rng.normal(size=(n, 6)), rng.normal(size=(2, 6, 3 if kind == "several" else 1))
    new = rng.random(n) < np.clip((np.arange(n) - change) / width, 0, 1)
    y = np.where(new[:, None], X @ lines[1], X @ lines[0]) + 0.3 * rng.normal(size=(n, lines.shape[2]))
    label = {"values": y[:, 0], "two": np.sign(y[:, 0]), "several": y.argmax(axis=1)}
    return from_scipy(X, label[kind].astype(float))


OPTIONS = {
    "two": {"budget": "cheap"}, "values": {"budget": "cheap", "loss": "squared"},
    "several": {"members": ("nag", "arow-precision:zs", "nag~0.03"), "classes": "auto"},
}  # fmt: skip
kinds = pytest.mark.parametrize("kind", OPTIONS)


@kinds
@pytest.mark.parametrize(("change", "width"), [(3000, 1), (2500, 1000)])
def test_names_the_moment_of_a_change(kind, change, width):
    for seed in range(3):
        learner = Learner(LearnOptions(**OPTIONS[kind]))
        learner.partial_fit(made(seed, kind, change, width))
        changes = learner.facts()["drift"]["changes"]
        assert changes, "no change was named"
        assert abs(changes[0] - change) <= 1000


@kinds
def test_names_none_on_rows_in_no_order(kind):
    for seed in range(10):
        learner = Learner(LearnOptions(**OPTIONS[kind]))
        learner.partial_fit(made(seed, kind, change=10**9))
        assert learner.facts()["drift"]["changes"] == []


@pytest.mark.parametrize("kind", ["two", "several"])
def test_members_that_forget_gain_weight_on_a_stream_that_changes(kind):
    def short(batch):
        learner = Learner(LearnOptions(**OPTIONS[kind]))
        learner.partial_fit(batch)
        return learner.facts()["drift"]["short"], learner.facts()["combinations"]

    rows = made(0, kind, 10**9)
    other = (rows.y + 1) % 3 if kind == "several" else -rows.y
    still, moving = short(rows), short(rows._replace(y=np.where(np.arange(5000) // 400 % 2, rows.y, other)))
    assert 0 <= still[0] < moving[0] <= 1
    assert moving[1]["online"]["loss"] < moving[1]["offline"]["loss"]
