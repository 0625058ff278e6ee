"""Committees of values: equal to their definition in plain numpy over the members' engines; units do not matter."""

import io

import numpy as np
import pytest
from importance_twin import Combining, relative
from states import assert_same_arrays, check_saves, state_of
from streams import batch_of, batch_of_dense, rows_of, with_weights, without_some_labels

from sonlearn import Learner, LearnOptions, TextOptions, read_batches
from sonlearn.data.batch import joined
from sonlearn.learn.engine import Predictions, make_engine
from sonlearn.learn.ensemble import pruning
from sonlearn.learn.ensemble.label_scale import unit_of
from sonlearn.learn.ensemble.target import member_options
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.losses import LOSSES as ALL_LOSSES
from sonlearn.options.members import default_members, member
from sonlearn.views import make_view
from sonlearn.views.index import intern, new_index

FEW = ("nag", "nlms:zs", "arow-precision:bins-z", "ridge:ranges")
LOSSES = {
    "squared": {}, "absolute": {}, "quantile": {"quantile_tau": 0.9}, "huber": {"huber_k": 2.0}, "poisson": {},
}  # fmt: skip
each = pytest.mark.parametrize("loss", LOSSES)


def options(loss="squared", **more):
    return LearnOptions(method="committee", loss=loss, **{"prune": False, **LOSSES.get(loss, {}), **more})


def stream(n=250, seed=0):
    """Counts that depend on numbers and on what stands together, with noise and a few far out; weights, labels gone."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(50, 9, n), rng.integers(0, 3, n), rng.exponential(1e-3, n), rng.normal(size=n)])
    y = np.floor(np.abs(X[:, 0] / 3 + 6 * X[:, 1] * (X[:, 3] > 0) + rng.normal(size=n)))
    y[rng.random(n) < 0.03] *= 5
    return with_weights(without_some_labels(batch_of_dense(X, y), share=0.1))


def with_constant(batch):
    """The fourth number of `stream`, of size 1 or so, becomes the constant."""
    last = batch.indptr[1:] - 1
    batch.values[last] = 1.0
    return batch._replace(constant=int(batch.indices[last[0]]))


# ------------------------------------------------------------------------------------------------------ definition


class Labels:
    """The labels learned from so far, those out of all proportion as they count."""

    def __init__(self):
        self.y, self.h, self.low, self.high, self.near = [], [], 0.0, 0.0, [0.0, 0.0]

    def mean(self):
        return np.average(self.y, weights=self.h) if self.y else 0.0

    def sd(self):
        return np.sqrt(np.average((np.array(self.y) - self.mean()) ** 2, weights=self.h)) if len(set(self.y)) > 1 else 0

    def margins(self):
        return np.array([min(1.0, (2 / near) ** 2) if near else 1.0 for near in self.near]) * (sum(self.h) >= 50)

    def take(self, y, h):
        s = self.sd()
        for end, beyond in enumerate((self.low - y, y - self.high) if s else ()):
            fall = np.exp(-8 * abs(beyond) / s)
            self.near[end] = fall * self.near[end] + h if beyond > 0 else self.near[end] + fall * h
        self.low, self.high = (min(self.low, y), max(self.high, y)) if self.y else (y, y)
        if sum(self.h) >= 10 and self.sd() > 0:
            y = np.clip(y, self.mean() - 16 * self.sd(), self.mean() + 16 * self.sd())
        self.y.append(y)
        self.h.append(h)


def scaled(loss, y, h, base):
    """For each row (y', y' of members, mean, sd before and after, bounds, wider ones, weight before, y, its share)."""
    seen = Labels()
    for label, weight, b in zip(y, h, base, strict=True):
        m, s, total = seen.mean(), seen.sd(), sum(seen.h)
        far = max(16, total**0.5)
        bounds = np.clip((np.array([seen.low, seen.high]) - m) / s, -far, far) if s else np.zeros(2)
        wider = bounds + [-1, 1] * seen.margins()
        label = label * np.exp(-b) if loss == "poisson" else label - b
        if weight > 0 and not np.isnan(label):
            seen.take(label, weight)
        unit = seen.sd()
        off = (label - m) / unit if unit else label * 0
        share = 16 / abs(off) if abs(off) > 16 else 1.0
        yield np.clip(off, -far, far), np.clip(off, -16, 16), m, s, unit, bounds, wider, total, label, share


def psi(loss, e, unit):
    """(l'(e), curvature) of a prediction that is e too high."""
    tau = {"absolute": 1.0, "quantile": 0.1 if e > 0 else 0.9}.get(loss)
    if tau:
        c = tau / max(abs(e), 0.1)
    elif loss == "huber":
        c = min(1.0, 2.0 / unit / abs(e)) if e and unit else 1.0
    else:
        c = 2.0
    return c * e, c


def definition(names, loss, batch, base):
    """Predictions of the committee while labels arrive, with explicit statistics and matrices."""
    batch = batch._replace(weight=relative(batch.weight, batch.y))
    scales = list(scaled(loss, batch.y, batch.weight, base))
    rows, index = intern(batch._replace(y=np.array([scale[1] for scale in scales])), new_index(), True)
    given = rows, int(index.size[0]), scales
    below = [name for name in names if "~" not in name and not name.startswith(("boost", "nlms"))]
    shown = None
    if any(member(name, loss).stacked for name in names):
        V = np.column_stack([alone(name, loss, *given) for name in below])
        begin = [member(name, loss).weight > 0 for name in names]
        shown = combined(below, loss, batch, base, scales, V, 1 / sum(begin))[0]
    V = np.column_stack([alone(name, loss, *given, shown) for name in names])
    return combined(names, loss, batch, base, scales, V)[1]


def combined(names, loss, batch, base, scales, V, share=None):
    """(what the members say as one, the prediction that it is); `share`: each one's weight at the start."""
    own_unit = [member(name, loss).in_own_unit for name in names]
    prior = 20.0 if loss in ("squared", "poisson") else 10.0
    bias = int(loss in ("absolute", "quantile"))
    members = [member(name, loss) for name in names]
    begin = np.array([each.weight > 0 for each in members])
    precision = [max(prior, each.precision) for each in members] + [prior] * bias
    twin, told, out = Combining(np.append(begin * (share or 1 / begin.sum()), np.zeros(bias)), precision), [], []
    for (y, _, m, s, unit, bounds, wider, total, *_), v, h, b in zip(scales, V, batch.weight, base, strict=True):
        v = np.append(np.where(own_unit, np.clip(v, *wider), np.clip(v, *np.clip(bounds, -16, 16))), np.ones(bias))
        z = twin.w @ v
        told.append(z)
        p = m + s * np.clip(z, *wider)
        if loss == "poisson":
            p = np.log(max(p, 0.02 * (m * total + 1) / (total + 1) if total else 1.0))
        out.append(p + b)
        if np.isnan(y) or h == 0:
            continue
        twin.step(v, *psi(loss, z - y, unit), h, abs(z - y) if loss in ("squared", "poisson") else None)
    return np.array(told), np.array(out)


def alone(name, loss, rows, features, scales, shown=None):
    """What a member predicts that is alone with its view and the labels that it is told: some, in their own unit.

    `shown`: what a stacked view has in the place of the constant.
    """
    entry = member(name, loss)
    mean, unit, label, share = (np.array([scale[at] for scale in scales]) for at in (2, 3, -2, -1))
    if entry.in_own_unit:
        learned = np.ones(len(label), dtype=bool)
        if name.startswith("ridge"):  # which learns rows that have the constant
            learned = np.add.reduceat(rows.features == rows.constant, rows.indptr[:-1]) > 0
        rows = rows._replace(y=np.where(learned, label, np.nan), weight=rows.weight * share)
    view, engine = make_view(entry.view), make_engine(member_options(options(loss), entry))
    state, seen = view.transform(view.reserve(view.new(), rows, features), rows, True)
    if entry.stacked:
        some = np.diff(seen.indptr) > 0
        seen.values[seen.indptr[:-1][some]] = shown[some]
    out = Predictions.empty(len(seen.y))
    engine.learn_all(engine.new(), seen, out, view.features(state))
    if entry.in_own_unit:
        learned = (unit > 0) & (out.raw[:, 0] != 0)
        return np.divide(out.raw[:, 0] - mean, unit, out=np.zeros(len(mean)), where=learned)
    return out.raw[:, 0]


@pytest.mark.interpreted
@each
@pytest.mark.parametrize("names", [FEW, ("coin", "gd")], ids=len)
def test_equals_the_definition(loss, names):
    batch = with_constant(stream())
    base = np.random.default_rng(1).choice([0.0, 0.0, 0.25, -0.5], batch.n)
    got = Learner(options(loss, members=names)).partial_fit(batch._replace(base=base))
    wanted = definition(names, loss, batch, base)
    np.testing.assert_allclose(got.raw, wanted, rtol=1e-9, atol=1e-9)
    assert np.ptp(wanted[50:]) > 0.5, "nothing was learned: nothing was tested"


@pytest.mark.interpreted
def test_labels_out_of_all_proportion_equal_the_definition():
    batch = with_constant(stream(600))
    batch.y[[60, 450, 520]] = 1e4, -3e3, 9e3
    names, base = (*FEW, "ridge"), np.zeros(batch.n)
    got = Learner(options(members=names)).partial_fit(batch)
    np.testing.assert_allclose(got.raw, definition(names, "squared", batch, base), rtol=1e-9, atol=1e-9)
    assert sum(share < 1 for *_, share in scaled("squared", batch.y, relative(batch.weight, batch.y), base)) == 3


def test_the_default_members_equal_the_definition():
    batch = stream(400)
    got = Learner(options()).partial_fit(batch)
    wanted = definition(default_members("squared"), "squared", batch, np.zeros(batch.n))
    np.testing.assert_allclose(got.raw, wanted, rtol=1e-9, atol=1e-9)


# -------------------------------------------------------------------------------------------------------- promises


@each
def test_cuts_threads_and_resuming_change_no_bit(monkeypatch, loss, tmp_path):
    monkeypatch.setattr(pruning, "VALUE_RULES", pruning.VALUE_RULES._replace(checkpoints=(100, 160)))
    ends = (1, 99, 117, 181)
    whole, _ = check_saves(options(loss, prune=True), stream(), tmp_path, ends, 3, foreseen=False)
    active = [entry["active"] for entry in whole.facts()["members"]]
    assert not all(active), "nothing was pruned: nothing of that was tested"
    assert sum(active) >= 2


@pytest.mark.parametrize("loss", [*LOSSES, "logistic"])
def test_rows_that_are_only_predicted_change_nothing(loss):
    batch, learner = stream(), Learner(options(loss))
    if loss == "logistic":
        batch = batch._replace(y=np.sign(batch.y - np.nanmedian(batch.y) - 0.25))  # of whole numbers
    learner.partial_fit(rows_of(batch, slice(0, 150)))
    before, rest = state_of(learner)[1], rows_of(batch, slice(150, 250))
    for nothing in (rest._replace(y=np.full(rest.n, np.nan)), rest._replace(weight=np.zeros(rest.n))):
        found = learner.partial_fit(nothing)
        np.testing.assert_allclose(found.raw, learner.predict(nothing, online=True).raw, rtol=1e-12)
        np.testing.assert_allclose(found.offline, learner.predict(nothing).raw, rtol=1e-12)
        assert_same_arrays(state_of(learner)[1], before)
        assert (found.raw != found.offline).any(), "there is one combination: nothing of two was tested"
    first = learner.predict(rest, online=True).raw[:1]
    np.testing.assert_allclose(learner.partial_fit(rows_of(rest, [0])).raw, first, rtol=1e-9)


@pytest.mark.interpreted
def test_features_count_where_rows_are_learned():
    """A view of numbers shows a row that is only predicted what the last row learned has brought."""
    learner = Learner(loss="squared", members=("nlms:zs-all", "nag"))
    learner.partial_fit(batch_of([{1: 0.5 * i, 2: 1.5} if i < 19 else {3: 2.5} for i in range(20)], np.arange(20.0)))
    before = learner.state.tally.copy()
    learner.partial_fit(batch_of([{1: 0.5}], [np.nan]))
    np.testing.assert_array_equal(learner.state.tally, before)


def test_a_model_at_rest_does_without_what_follows_the_last_labels():
    batch = stream()
    for members, rests in (("nag,nlms:zs", [True, False]), ("nag", [True]), ("nlms:zs", [True])):
        learner = Learner(options(members=members))
        said = learner.partial_fit(batch)
        assert [entry["offline"] is not None for entry in learner.facts()["members"]] == rests
        assert (said.raw != said.offline).any() == (len(rests) == 2)


def test_a_stacked_member_at_rest_predicts_beside_none_that_it_is_shown():
    batch, learner = stream(), Learner(options(members=("nlms:zs", "boost:stacked")))
    learner.partial_fit(batch)
    one_by_one = [learner.predict(batch.part(i, i + 1)).raw[0] for i in range(batch.n)]
    np.testing.assert_array_equal(learner.predict(batch).raw, one_by_one)
    assert np.corrcoef(one_by_one, np.nan_to_num(batch.y, nan=np.nanmean(batch.y)))[0, 1] > 0.5


@pytest.mark.parametrize("loss", ["squared", "absolute", "quantile"])
@pytest.mark.parametrize(("a", "b"), [(1e-9, 0.0), (1e12, 0.0), (-3.0, 1e4)])
@pytest.mark.parametrize("given", [lambda batch: batch, with_constant], ids=["alone", "with the constant"])
def test_units_of_the_labels_do_not_matter(loss, a, b, given):
    """a y + b in place of y: a p + b in place of p, once there is a label.

    With a < 0 quantiles change sides, and so do thresholds on what a stacked member is shown: it is left out.
    """
    batch = given(stream())
    loss = "squared" if a < 0 else loss
    members = tuple(name for name in default_members(loss) if a > 0 or not member(name, loss).stacked)
    learners = (Learner(options(loss, members=members)) for _ in range(2))
    labels = (batch.y, a * batch.y + b)
    one, other = (own.partial_fit(batch._replace(y=y)).raw for own, y in zip(learners, labels, strict=True))
    start = np.flatnonzero(~np.isnan(batch.y) & (batch.weight > 0))[0] + 1
    np.testing.assert_allclose(other[start:], a * one[start:] + b, rtol=1e-6)


@each
@pytest.mark.parametrize("seed", [0, 1])
def test_labels_and_values_of_any_size_stay_finite_and_near_the_labels_seen(loss, seed):
    rng, n = np.random.default_rng(seed), 300
    X = 10.0 ** rng.uniform(-30, 30, (n, 5)) * rng.choice([-1, 0, 1], (n, 5))
    y = 10.0 ** rng.uniform(-30, 30, n) * (1 if loss == "poisson" else rng.choice([-1.0, 1.0], n))
    for labels in (y, np.where(np.arange(n) == 200, 1e30, 1e-30 * y / np.abs(y).max()), np.full(n, 1e-30), 0 * y):
        learner = Learner(options(loss))
        got = learner.partial_fit(batch_of_dense(X, labels))
        assert np.isfinite(got.raw).all()
        assert all(np.isfinite(array).all() for array in state_of(learner)[1].values())
        if loss != "poisson":
            low, high = np.minimum.accumulate(labels)[:-1], np.maximum.accumulate(labels)[:-1]
            sd = np.array([labels[:i].std() * (1 + 1e-9) if i >= 50 else 0.0 for i in range(1, n)])
            assert (got.raw[1:] >= low - 1e-9 * np.abs(low) - sd).all()
            assert (got.raw[1:] <= high + 1e-9 * np.abs(high) + sd).all()


def test_a_line_goes_on_beyond_the_labels_seen_but_not_beyond_a_bound():
    x = np.random.default_rng(0).normal(size=300)
    ahead = np.array([x.min() - 0.5, x.max() + 0.5, x.max() + 5.0])
    for bound in (np.inf, 6.0):
        y, learner = np.minimum(3.0 + 10.0 * x, bound), Learner(options(members=("ridge",)))
        learner.partial_fit(with_constant(batch_of_dense(np.column_stack([x, np.ones(300)]), y)))
        got = learner.predict(with_constant(batch_of_dense(np.column_stack([ahead, np.ones(3)]), np.zeros(3)))).raw
        if bound == np.inf:
            wanted = [y.min() - 5.0, y.max() + 5.0, y.max() + y.std()]
            np.testing.assert_allclose(got, wanted, atol=0.2)
        else:
            np.testing.assert_allclose(got[1:], bound, atol=0.01)


def test_a_line_is_found_through_labels_far_out_and_in_spite_of_one_that_is_wrong():
    rng = np.random.default_rng(0)
    X, w = rng.standard_t(1.5, (3000, 3)), [1.0, -2.0, 0.5]
    y = X @ w + 0.3 * rng.normal(size=3000)
    y[1500] = 1e6
    learner = Learner(options(members=("ridge",)))
    learner.partial_fit(batch_of_dense(np.column_stack([X, np.ones(3000)]), y)._replace(constant=4))
    far = 40.0 * unit_of(learner.state.labels)
    asked = np.column_stack([np.vstack([np.eye(3), np.zeros(3), [far, 0.0, 0.0]]), np.ones(5)])
    found = learner.predict(batch_of_dense(asked, np.full(5, np.nan))._replace(constant=4)).raw
    np.testing.assert_allclose(found[:3] - found[3], w, atol=0.05)
    assert found[4] == pytest.approx(far, rel=0.05)


def test_labels_that_are_all_equal_are_predicted():
    got = Learner(options()).partial_fit(stream()._replace(y=np.full(250, 1e6 + 0.1)))
    assert (got.raw[5:] == 1e6 + 0.1).all()


def test_every_loss_of_values_is_defined_here():
    """A loss that the committee, the combiner or this file leaves out is found."""
    assert set(LOSSES) == set(ALL_LOSSES) - set(CLASSIFICATION)


@pytest.mark.parametrize("name", ["nag:zs", "nag:bins"])
def test_the_members_of_quantiles_learn_the_quantile(name):
    """`nag:zs` is not the member of that view that forgets, whose weight begins at 0 and whose loss is squared."""
    given = options("quantile", quantile_tau=0.8)
    found = member(name, "quantile")
    own = member_options(given, found)
    assert found.weight > 0
    assert (own.loss, own.quantile_tau, own.decay) == ("quantile", 0.8, 0.0)


def test_each_weekday_has_a_curve_of_the_day_ahead_of_the_labels():
    """Labels follow hour and weekday together, as no sum of both does: 14 weeks are learned, 2 are ahead."""
    times = np.datetime64("2024-01-01T00") + np.arange(16 * 168)
    load = 10.0 + np.random.default_rng(0).normal(size=168)[np.arange(len(times)) % 168]
    lines = [f"{time}:00,{y:.3f}\n" for time, y in zip(times.astype(str), load, strict=True)]
    text = io.BytesIO(("at,y\n" + "".join(lines)).encode())
    rows = joined(list(read_batches(text, TextOptions(format="csv", label="y"))))
    learner = Learner(options(members=("nag", "ridge:ranges")))
    learner.partial_fit(rows.part(0, 14 * 168))
    assert np.mean((learner.predict(rows.part(14 * 168, rows.n)).raw - load[14 * 168 :]) ** 2) < 0.02


def test_each_pair_of_names_has_a_value_of_its_own():
    """A label that two names tell only together, of variance 1.06, in 300 pairs of 6 rows or so each."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 20, 2000), rng.integers(0, 15, 2000)
    y = rng.normal(size=(20, 15))[a, b] + 0.3 * rng.normal(size=2000)
    X = np.hstack([np.eye(20)[a], np.eye(15)[b]])
    assert Learner(LearnOptions(loss="squared")).partial_fit(batch_of_dense(X, y)).loss[1000:].mean() < 0.24


@pytest.mark.parametrize(("kind", "most"), [("values", 0.2), ("two", 0.4), ("several", 0.6)])
def test_whole_numbers_may_be_names(kind, most):
    """Numbers of 200 shops, of which labels of unit variance know the shop alone, and a noise of .3: losses ahead."""
    rng = np.random.default_rng(2)
    shop = rng.integers(0, 200, 3000)
    y = rng.normal(size=200)[shop] + 0.3 * rng.normal(size=3000)
    kinds = {"values": y, "two": np.where(y > 0.0, 1.0, -1.0), "several": 1.0 + np.digitize(y, [-0.5, 0.5])}
    batch = batch_of_dense(np.column_stack([1000.0 + shop, rng.normal(size=3000)]), kinds[kind])
    learner = Learner(**{"values": {"loss": "squared"}, "two": {}, "several": {"oaa": 3}}[kind])
    assert learner.partial_fit(batch).loss[2000:].mean() < most


def test_trees_learn_the_first_labels_as_they_learn_the_last():
    """In standard deviations of those before, a label would count as another one where these are few."""
    X = np.random.default_rng(4).uniform(1.0, 2.0, size=(300, 2))
    y = 1000.0 + np.floor(8 * X[:, 0]) % 4
    learner = Learner(options(members=("nag", "boost")))
    learner.partial_fit(batch_of_dense(X, y))
    learner.rest()
    assert np.mean((learner.predict(batch_of_dense(X, y)).raw - y) ** 2) < 0.002 * y.var()
