"""What every learner must do whatever it computes.

Each method, or reading of one, with the loss that tells most, and one of those that share an update's code with all
losses that it learns. That every method computes what its paper says, with every loss, is for the twins
(`test_methods`, and the tests of the families).
"""

import copy
import functools
import itertools
import threading

import numba
import numpy as np
import pytest
from for_all import for_all
from states import assert_same, assert_same_predictions, in_parts, state_of
from streams import (
    batch_of,
    ill_conditioned,
    rows_of,
    wide_range,
    with_empty_rows,
    with_weights,
    without_some_labels,
    zipf,
)

from sonlearn import DivergedError, InputError, Learner, LearnOptions
from sonlearn.learn.predicted import chosen_of
from sonlearn.options.losses import CLASSIFICATION, LOSSES
from sonlearn.options.methods import METHODS

#: Slopes as large as labels and predictions are.
TELLING = "squared"
#: Sketches, with what is special behind the hyphen.
SKETCHES = ["rfd", "rfd-0", "rfd-unit", "fd", "pfd", "cfd", "oja", "oja-paper", "none"]
SPECIAL = {"": {}, "0": {"alpha": 0.0}, "unit": {"scale": "unit"}, "paper": {"oja_step": "1/t"}}


FIRST_ORDER = [name for name, method in METHODS.items() if method.engine in ("first_order", "diagonal_fd")]
FIRST_ORDER += ["nag-paper"]
MATRIX = [name for name, method in METHODS.items() if method.engine in ("dense", "projected", "metagrad")]
MATRIX += ["full-on0", "ada-fd", "s-adagrad", "metagrad-fd"]
#: What predicts of a row without features by the labels before it; with the mixture what takes no steps of its own.
BY_LABELS = ["bayes", "multinomial-bayes", "ewma", "boost"]
COUNTS = [*BY_LABELS, "mixture"]
KINDS = SKETCHES + FIRST_ORDER + MATRIX + COUNTS


def settings(kind, loss, **more):
    """Options of a kind of learner; those that its method does not take are left out."""
    if kind in FIRST_ORDER + MATRIX + COUNTS:
        method = kind.removesuffix("-paper").removesuffix("0")
        own = {"sketch_size": 4} | ({"alpha": 0.0} if kind.endswith("0") else {}) | more
        own = {name: value for name, value in own.items() if name in METHODS[method].takes}
        paper = {"rescale": "before", "invariant": False} if kind == "nag-paper" else {}
        return LearnOptions(method=method, loss=loss, **paper, **own)
    sketch, _, special = kind.partition("-")
    if special == "unit":
        more.pop("diagonal", None)
    base = {"sketch": sketch, "sketch_size": 4, "loss": loss, "alpha": 1.0}
    base |= {} if "diagonal" in more else {"scale": "gradients"}
    base |= {"beta": 0.5} if sketch == "pfd" else {}
    return LearnOptions(**{**base, **SPECIAL[special], **more})


def losses_of(kind):
    """The losses that a kind of learner can learn."""
    return (METHODS[kind].losses if kind in METHODS else ()) or LOSSES


def a_loss_of(kind):
    """Squared loss, or where a kind of learner does not learn it logistic loss."""
    return TELLING if TELLING in losses_of(kind) else "logistic"


def fitting(batch, loss):
    """The batch with labels that the loss takes."""
    return batch._replace(y=np.abs(batch.y)) if loss == "poisson" else batch


def family_of(kind):
    """What shares its kernels: the engine, and of sketches whether a Newton step or a root is taken."""
    return "newton" if kind in SKETCHES else METHODS[kind.removesuffix("-paper").removesuffix("0")].engine


#: What stands for each update's code with every loss: the rest take steps by the same lines with other numbers. nag
#: follows the loss along its step, and its paper's reading takes the slope where the step begins.
STANDING = (
    "rfd", "oja", "none", "nag", "nag-paper", "sgd", "adagrad", "ftrl", "coin", "arow", "drfd", "full-on", "ada-full",
    "arow-full", "ada-fd", "rp-son", "ada-gp", "ada-dp", "radagrad", "metagrad", "metagrad-fd", *COUNTS,
)  # fmt: skip
PAIRS = [(kind, loss) for kind in KINDS for loss in losses_of(kind)]
CHOSEN = [(kind, loss) for kind, loss in PAIRS if loss == TELLING or kind in STANDING]
FAMILIES = sorted({family_of(kind) for kind in KINDS})


def test_every_kind_is_checked_and_every_loss_of_every_family():
    assert {kind for kind, _ in CHOSEN} == set(KINDS)
    assert {(family_of(kind), loss) for kind, loss in CHOSEN} == {(family_of(kind), loss) for kind, loss in PAIRS}


def of_each_family(names, cases):
    """A test a family, of all of its `cases`: kinds of learners, or tuples that begin with the kind."""
    of_family = {family: [] for family in FAMILIES}
    for case in cases:
        of_family[family_of(case if isinstance(case, str) else case[0])].append(case)

    def decorate(test):
        claims = {family: for_all(names, own)(test) for family, own in of_family.items()}

        @pytest.mark.parametrize("family", FAMILIES)
        def run(family):
            claims[family]()

        run.__doc__ = test.__doc__
        return run

    return decorate


every = of_each_family("kind", KINDS)
each = of_each_family("kind, loss", CHOSEN)
#: The rescaling by summed gradients is of the Newton family; `unit` is another one.
BOTH_SCALES = [kind for kind in SKETCHES if kind != "rfd-unit"]
SCALED = [(*pair, diagonal) for pair in CHOSEN for diagonal in ((False, True) if pair[0] in BOTH_SCALES else (False,))]
each_scaled = of_each_family("kind, loss, diagonal", SCALED)
each_scaled_and_seeded = of_each_family(
    "kind, loss, diagonal, seed", [(*case, seed) for case in SCALED for seed in (0, 1, 2)]
)


@each
def test_input_stays_as_it_is(kind, loss):
    batch = fitting(with_empty_rows(zipf(n=100, d=30)), loss)
    before = copy.deepcopy(batch)
    learner = Learner(settings(kind, loss, clip=2.0))
    learner.partial_fit(batch)
    learner.predict(batch)
    assert_same_predictions(batch, before)


@each_scaled
def test_predict_does_not_learn(kind, loss, diagonal):
    batch = fitting(zipf(n=150, d=40), loss)
    learner = Learner(settings(kind, loss, clip=2.0, diagonal=diagonal))
    learner.partial_fit(rows_of(batch, slice(0, 130)))
    before = state_of(learner)
    first = learner.predict(batch)
    assert_same(state_of(learner), before)
    assert_same_predictions(learner.predict(batch), first)
    for i in (0, 77, 149):
        assert_same_predictions(learner.predict(rows_of(batch, [i])), chosen_of(first, [i]))
    clip = learner.options.clip
    assert clip == 2 or "clip" not in METHODS[learner.options.method].takes
    np.testing.assert_array_equal(first.prediction, np.clip(first.raw, -clip, clip))


@each
def test_predict_sees_what_partial_fit_will_say(kind, loss):
    """Progressive predictions are those of the weights before the row: equal to predict's up to rounding."""
    batch = fitting(zipf(n=70, d=40), loss)
    learner = Learner(settings(kind, loss, clip=2.0, sigma=0.0625))
    for at in range(0, 70, 7):
        head, rest = rows_of(batch, [at]), rows_of(batch, slice(at + 1, at + 7))
        expected, got = learner.predict(head), learner.partial_fit(head)
        for ours, theirs in zip(got, expected, strict=True):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
        if rest.n:
            learner.partial_fit(rest)


@every
def test_unseen_features_count_for_nothing(kind):
    batch = zipf(n=80, d=20)
    learner = Learner(settings(kind, "logistic" if "logistic" in losses_of(kind) else "squared", clip=2.0))
    learner.partial_fit(batch)
    known, alien = [{1: 0.5, 3: 1.0}], [{1: 0.5, 10**15: 4.0, 3: 1.0, 999: -1e9}]
    got, expected = (learner.predict(batch_of(rows, [np.nan])).raw for rows in (alien, known))
    if kind == "rfd-unit":  # but in the row's length, where each is as large as ever
        assert 0.5 * abs(expected) < abs(got) < abs(expected)
    else:
        np.testing.assert_array_equal(got, expected)
    only_alien = learner.predict(batch_of([{12345: 1.0}, {}], [np.nan, np.nan]))
    np.testing.assert_array_equal(only_alien.raw[int(kind == "boost") :], 0.0)  # trees know where no value goes
    assert np.isnan(only_alien.loss).all()


def until_divergence(learner, batch):
    """What was predicted before a row was found to have diverged, if one was; the rows before it have been learned."""
    try:
        return learner.partial_fit(batch)
    except DivergedError as error:
        diverged = str(error)
    row = learner.examples
    assert diverged.startswith(f"{batch.source}:{row + 1}:")
    return Learner(learner.options).partial_fit(rows_of(batch, slice(0, row)))


@each_scaled_and_seeded
def test_no_nan_from_values_of_any_size(kind, loss, diagonal, seed):
    """1e-30..1e30 in one stream: finite predictions within the clip, or DivergedError; never a NaN."""
    batch = fitting(wide_range(seed=seed), loss)
    learner = Learner(settings(kind, loss, clip=1.0, diagonal=diagonal))
    got = until_divergence(learner, batch)
    assert all(np.isfinite(part).all() for part in got if part is not None)
    assert (np.abs(got.prediction) <= learner.options.clip).all()
    assert np.isfinite(learner.weights()[1]).all()
    if kind in SKETCHES:
        assert np.isfinite(learner.alpha)
        assert np.isfinite(learner.eigenvalues()).all()


@each
def test_scale_of_all_values_may_be_extreme(kind, loss):
    """All values about 1e-30, or all about 1e30: as above."""
    for scale in (1e-30, 1e30):
        batch = fitting(zipf(n=200, d=30), loss)
        batch = batch._replace(values=batch.values * scale)
        learner = Learner(settings(kind, loss, clip=1.0))
        assert all(np.isfinite(part).all() for part in until_divergence(learner, batch) if part is not None)


@each
def test_a_learner_that_diverged_still_answers(kind, loss):
    """Steps far too long, no projection: rows before the error are learned, and the state holds no NaN."""
    batch = fitting(zipf(n=300, d=30, unit=False), loss)
    batch = batch._replace(values=1e150 * batch.values)
    learner = Learner(settings(kind, loss, alpha=1e-3, diagonal=False))
    if kind == "rfd-unit" or kind in COUNTS:  # rows of length 1, whatever their values; no steps, or members sit out
        learner.partial_fit(batch)
    else:
        with pytest.raises(DivergedError) as caught:
            learner.partial_fit(batch)
        assert f"{batch.source}:{learner.examples + 1}:" in str(caught.value)
    assert np.isfinite(learner.weights()[1]).all()
    assert np.isfinite(learner.predict(batch_of([{1: 1e-200}], [np.nan])).raw).all()


POWERS = (-300, -120, -60, 2, 8, 14, 20, 40, 60, 90, 101, 120, 150, 160, 200, 300)


def extreme_rows(row, kind, loss):
    """`row` with a label, values or a weight of extreme size; labels where values are learned.

    Each size with squared loss and poisson, whose slopes grow fastest, for what stands for an update's code; else
    every fourth one.
    """
    every = kind in STANDING and loss in (TELLING, "poisson")
    for power in POWERS if every else POWERS[(KINDS.index(kind) + list(LOSSES).index(loss)) % 4 :: 4]:
        size = 10.0**power
        if loss not in CLASSIFICATION and (loss != "poisson" or power > 0):
            yield f"label 1e{power}", row._replace(y=np.array([size]))
        if loss not in (*CLASSIFICATION, "poisson"):
            yield f"label -1e{power}", row._replace(y=np.array([-size]))
        yield f"values 1e{power}", row._replace(values=size * row.values)
        yield f"weight 1e{power}", row._replace(weight=np.array([size]))


@each
def test_no_row_makes_a_later_one_worse(kind, loss):
    """Refused, it has changed nothing; learned from, no row after it is refused, and all numbers are finite.

    Nothing but the numbers of features that only it has, and with them the order in which some sums are taken.
    """
    batch = fitting(zipf(n=40, d=20, s=5), loss)
    before, after, worse = rows_of(batch, slice(0, 20)), rows_of(batch, slice(21, 40)), []
    known = Learner(settings(kind, loss))
    known.partial_fit(before)
    wanted = known.copy().partial_fit(after)
    for what, row in extreme_rows(rows_of(batch, [20]), kind, loss):
        learner = known.copy()
        refused = learner.partial_fit(row, skip=True).refused[0]
        got = learner.partial_fit(after, skip=True)
        arrays = learner.to_arrays()[1].values()
        sound = all(np.isfinite(array).all() for array in (got.raw, *arrays)) and not got.refused.any()
        if not sound or (refused and not np.allclose(got.raw, wanted.raw, rtol=1e-9, atol=1e-9)):
            worse.append(what)
    assert not worse


def test_values_of_any_size_with_a_projection_after_the_step():
    """Small streams of all sizes, rows again and again, alpha 0: once in thousands the weights were NaN."""
    rng, options = np.random.default_rng(0), {"sketch": "rfd", "scale": "none", "project": "after"}
    for _ in range(300):
        span, d, m = rng.choice([5, 60, 150]), int(rng.integers(1, 8)), int(rng.integers(1, 6))
        rows = []
        for _ in range(30):
            ids = rng.choice(d, rng.integers(0, d + 1), replace=False) + 1
            sizes = 10.0 ** rng.uniform(-span, span, len(ids))
            rows.append(dict(zip(ids.tolist(), (sizes * rng.choice([-1, 1], len(ids))).tolist(), strict=True)))
            rows.append(dict(rows[rng.integers(len(rows))]))
        loss, clip = str(rng.choice(["logistic", "squared", "hinge"])), 10.0 ** rng.integers(-2, 4)
        learner = Learner(LearnOptions(sketch_size=m, alpha=0.0, loss=loss, clip=clip, sigma=0.0, **options))
        got = learner.partial_fit(batch_of(rows, rng.choice([-1.0, 1.0], 60)), skip=True)
        assert np.isfinite(got.raw[~got.refused]).all()
        assert all(np.isfinite(array).all() for array in learner.to_arrays()[1].values())


@every
def test_rows_without_a_label_leave_no_trace(kind):
    batch = zipf(n=90, d=30)
    learner, other = (Learner(settings(kind, a_loss_of(kind), clip=2.0)) for _ in range(2))
    learner.partial_fit(batch)
    other.partial_fit(batch)
    assert np.isnan(other.partial_fit(batch._replace(y=np.full(90, np.nan))).loss).all()
    other.partial_fit(batch._replace(weight=np.zeros(90)))
    assert other.examples == learner.examples == 90
    assert_same_predictions(other.predict(batch), learner.predict(batch))
    assert_same_predictions(other.partial_fit(batch), learner.partial_fit(batch))


@every
def test_empty_batches_and_empty_rows(kind):
    loss, of_0 = ("logistic", np.log(2)) if "logistic" in losses_of(kind) else ("squared", 1.0)
    learner = Learner(settings(kind, loss))
    assert learner.partial_fit(batch_of([], [])).prediction.shape == (0,)
    assert learner.predict(batch_of([], [])).raw.shape == (0,)
    got = learner.partial_fit(batch_of([{}] * 30, [1.0, -1.0] * 15))
    known = slice(0, 1 if kind in BY_LABELS else 30)
    np.testing.assert_array_equal(got.raw[known], 0.0)
    np.testing.assert_allclose(got.loss[known], of_0)
    assert learner.weights()[1].size == 0


@pytest.mark.parametrize("loss", CLASSIFICATION)
def test_labels_that_are_no_classes(loss):
    batch = batch_of([{1: 1.0}] * 4, [1.0, -1.0, 3.0, 1.0])
    learner = Learner(LearnOptions(loss=loss))
    with pytest.raises(InputError, match="<memory>:3: found label 3"):
        learner.partial_fit(batch)
    assert learner.examples == 2, "the rows before it have been learned"


@functools.cache
def shuffled(n):
    """Ten orders of n rows."""
    text, rng = zipf(n=n, d=500, s=15), np.random.default_rng(0)
    return [rows_of(text, rng.permutation(n)) for _ in range(10)]


@pytest.mark.parametrize(
    ("kind", "diagonal"),
    [("rfd-unit", False), *((kind, diagonal) for kind in BOTH_SCALES if kind != "none" for diagonal in (False, True))],
)
def test_long_runs_stay_sound(kind, diagonal):
    """40,000 rows (100 under NUMBA_DISABLE_JIT): finite, and the rows that the sketch keeps still orthonormal."""
    rounds = 1 if numba.config.DISABLE_JIT else 20
    orders = shuffled(2000 if rounds > 1 else 100)
    learner = Learner(settings(kind, "squared", clip=1.0, sketch_size=10, diagonal=diagonal))
    for i in range(rounds):
        text = orders[i % len(orders)]
        got = learner.partial_fit(text)
        assert all(np.isfinite(part).all() for part in got if part is not None)
    assert learner.examples == rounds * text.n
    assert np.mean(got.prediction * text.y > 0) > (0.6 if rounds > 1 else 0.5), "better than a coin"
    _, V = learner.components()
    np.testing.assert_allclose(V @ V.T, np.eye(len(V)), rtol=0, atol=1e-9)
    assert len(V) == (10 if kind.startswith("oja") else 9)


@pytest.mark.parametrize("kind", ["rfd", "fd", "oja"])
def test_long_runs_on_ill_conditioned_data_stay_sound(kind):
    """Where directions hide behind others 100 times as long, orthonormal rows are hardest to keep."""
    stream = ill_conditioned(1e4, T=100 if numba.config.DISABLE_JIT else 10_000, d=60, large=8)
    learner = Learner(settings(kind, "squared", clip=1.0, sketch_size=10, diagonal=False))
    for _ in range(3):
        assert np.isfinite(learner.partial_fit(stream.batch).raw).all()
    _, V = learner.components()
    np.testing.assert_allclose(V @ V.T, np.eye(len(V)), rtol=0, atol=1e-9)


def test_every_form_of_array_meets_the_same_kernels():
    """Strided and read-only parts give the same bits, and compile nothing anew."""
    from sonlearn.views.index import intern, new_index

    batch = zipf(n=50, d=20)
    twice = {name: np.repeat(getattr(batch, name), 2)[::2] for name in ("indptr", "indices", "values", "y", "weight")}
    for array in twice.values():
        array.flags.writeable = False
    rows, _ = intern(batch, new_index())
    others, _ = intern(batch._replace(**twice), new_index())
    assert rows.constant == others.constant
    for one, other in zip(rows, others, strict=True):
        if isinstance(one, int):  # the number of the constant
            continue
        assert other.flags.c_contiguous
        assert other.flags.writeable
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("loss", CLASSIFICATION)
def test_zero_one_labels_are_minus_and_plus_one(loss):
    batch = zipf(n=60, d=20)
    zero_one = batch._replace(y=(batch.y > 0).astype(float))
    learner, other = (Learner(settings("rfd", loss)) for _ in range(2))
    for method in ("partial_fit", "predict"):
        expected, got = getattr(learner, method)(batch), getattr(other, method)(zero_one)
        np.testing.assert_array_equal(got.label, zero_one.y)  # as it is written
        assert_same_predictions(expected, got._replace(label=expected.label))


@each
def test_batches_may_be_cut_and_models_saved_anywhere(kind, loss):
    """In one go, cut, and cut with the model saved and loaded at each cut: the same bits."""
    batch = fitting(with_weights(without_some_labels(zipf(n=90, d=50))), loss)
    whole, cut, new = (Learner(settings(kind, loss, clip=2.0)) for _ in range(3))
    edges = (0, 1, 40, 40, 73, 90)
    expected, (got, stopped) = whole.partial_fit(batch), in_parts(new, batch, edges)
    for start, stop in itertools.pairwise(edges):
        cut.partial_fit(rows_of(batch, slice(start, stop)))
    for name in ("prediction", "raw", "loss"):
        np.testing.assert_array_equal(np.concatenate([getattr(part, name) for part in got]), getattr(expected, name))
    for other in (cut, stopped):
        assert_same(state_of(other), state_of(whole))


@each
def test_a_copy_goes_on_alone(kind, loss):
    """Whatever the other learns; and with the same rows it comes to the same bits. What kernels hold is not copied."""
    batch = fitting(zipf(n=60, d=50), loss)
    learner = Learner(settings(kind, loss))
    learner.engine.kernel = threading.Lock()  # which cannot be copied
    learner.partial_fit(rows_of(batch, slice(0, 20)))
    expected, copies = learner.predict(batch), [copy.copy(learner), copy.deepcopy(learner)]
    learner.partial_fit(rows_of(batch, slice(20, 60)))
    for copied in copies:
        assert_same_predictions(copied.predict(batch), expected)
        copied.partial_fit(rows_of(batch, slice(20, 60)))
        assert_same(state_of(copied), state_of(learner))
