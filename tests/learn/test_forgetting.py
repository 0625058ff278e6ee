"""--decay and --l2: learners with forgetting and shrinkage equal their twins; neither batches nor threads change a bit.

First-order methods are in `test_first_order`.
"""

import re

import numba
import numpy as np
import pytest
from dense_learner import by_column, dense_rows
from for_all import for_all
from states import check_saves
from streams import batch_of, duplicated, ill_conditioned, mixed, rows_of, zipf
from twins import TWINS, run_twin

from sonlearn import Learner, LearnOptions, OptionError
from sonlearn.learn.newton.round import MIN_WEIGHT_SCALE
from sonlearn.options.methods import METHODS

N = 60 if numba.config.DISABLE_JIT else 150
STREAMS = {
    "text": mixed(n=N, d=60),
    "dense": ill_conditioned(1e2, T=N, d=15, large=4).batch,
    "the same rows": duplicated(n=N),
}
FADING = [{"decay": 0.02}, {"l2": 0.02}, {"decay": 0.2, "l2": 0.3}]
NEWTON = [
    {"sketch": "rfd", "alpha": 1.0}, {"sketch": "rfd", "alpha": 0.0}, {"sketch": "rfd", "loss": "logistic"},
    {"sketch": "fd"}, {"sketch": "fd", "loss": "squared", "clip": 0.5, "scale": "none", "sigma": 0.1},
    {"sketch": "pfd", "beta": 0.5}, {"sketch": "cfd"}, {"sketch": "oja"}, {"sketch": "oja", "oja_step": "1/t"},
    {"sketch": "none", "scale": "maximum"},
    {"sketch": "rfd", "eta": "1/sqrt(t)", "scale": "none", "loss": "squared"},
    {"sketch": "rfd", "project": "after", "loss": "squared", "clip": 0.5, "scale": "none", "sigma": 0.1},
]  # fmt: skip


def decided(settings, more):
    """Not without alpha where the sketch is all but forgotten: then rounding decides the steps."""
    return settings.get("alpha") != 0 or more.get("decay", more.get("l2")) < 0.2


@for_all("settings, more", [(settings, more) for settings in NEWTON for more in FADING if decided(settings, more)])
@pytest.mark.parametrize("stream", [pytest.param("text", marks=pytest.mark.interpreted), "dense"])
def test_the_newton_family_is_its_twin(stream, settings, more):
    batch = STREAMS[stream]
    if settings["sketch"] == "none":
        more = {"l2": more.get("l2", 0.1)}
    options = LearnOptions(sketch_size=4, **settings, **more)
    twin, wanted = run_twin(options, batch)
    learner = Learner(options)
    found = learner.partial_fit(batch)
    np.testing.assert_allclose(found.raw, wanted.raw, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(learner.alpha, twin.sketch.alpha, rtol=1e-9)
    np.testing.assert_allclose(by_column(learner, batch), twin.weights(), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(learner.predict(batch).raw[-5:], [twin.predict(x) for x in dense_rows(batch)[0][-5:]],
                               rtol=1e-8, atol=1e-9)  # fmt: skip
    plain = Learner(LearnOptions(sketch_size=4, **({"scale": options.scale} | settings))).partial_fit(batch).raw
    assert np.abs(plain - found.raw).max() > 1e-3


ADAPTIVE = [{"sketch_size": 4, "buffer": buffer, "loss": "squared", "learning_rate": 0.3} | more
            for buffer in ("doubled", "every") for more in FADING]  # fmt: skip
COUNTS = [{"decay": decay} for decay in (0.01, 0.3)]


@pytest.mark.interpreted
@for_all("method, given", [(method, given) for method in ("ada-fd", "s-adagrad") for given in ADAPTIVE]
         + [(method, given) for method in ("bayes", "multinomial-bayes") for given in COUNTS])  # fmt: skip
def test_adaptive_methods_and_counts_are_their_twins(method, given):
    for batch in STREAMS.values():
        options = LearnOptions(method=method, **given)
        raw = Learner(options).partial_fit(batch).raw
        np.testing.assert_allclose(raw, TWINS[method](options, batch), rtol=1e-9, atol=1e-9)


@pytest.mark.interpreted
@for_all("m", [0, 1, 5])
@for_all("loss", ["hinge", "squared", "logistic"])
def test_drfd_is_its_twin(loss, m):
    for decay in (0.01, 0.2):
        for name, batch in STREAMS.items():
            options = LearnOptions(method="drfd", sketch_size=m, loss=loss, decay=decay)
            twin, wanted = run_twin(options, batch)
            learner = Learner(options)
            np.testing.assert_allclose(learner.partial_fit(batch).raw, wanted.raw, rtol=1e-9, atol=1e-9, err_msg=name)
            np.testing.assert_allclose(by_column(learner, batch), twin.w, rtol=1e-8, atol=1e-9)
            assert twin.shrinks > 1


@pytest.mark.parametrize("method", [name for name in METHODS if {"decay", "l2"} & set(METHODS[name].takes)])
def test_a_saved_model_goes_on_to_the_same_bits(method, tmp_path):
    more = {name: value for name, value in FADING[-1].items() if name in METHODS[method].takes}
    if METHODS[method].engine == "sketched" or method in ("drfd", "committee"):
        more["sketch_size"] = 5
    batch = STREAMS["text"]
    check_saves(LearnOptions(method=method, **more), batch, tmp_path, [part * batch.n // 4 for part in (1, 2, 3)])


@pytest.mark.interpreted
def test_the_unit_of_the_weights_is_taken_in():
    """Half of the weights gone in every round: soon the unit is too small a number, and nothing shows it."""
    batch = zipf(n=700, d=40)  # 2^-500 is below SMALLEST
    for sketch in ("rfd", "oja", "none"):
        options = LearnOptions(sketch=sketch, sketch_size=3, l2=1.0, scale="none", loss="squared", clip=1.0)
        learner = Learner(options)
        found = learner.partial_fit(batch).raw
        assert 1e-100 < learner.state.now["weight_scale"][0] < 0.1
        assert 0.5**batch.n < MIN_WEIGHT_SCALE
        np.testing.assert_allclose(found, run_twin(options, batch)[1].raw, rtol=1e-9, atol=1e-9)


@pytest.mark.interpreted
@for_all("settings", [{"sketch": "rfd", "alpha": 0.0}, {"sketch": "rfd", "alpha": 1.0}, {"sketch": "fd", "alpha": 0.0}])
def test_what_is_all_but_forgotten_leaves_numbers(settings):
    """300 rows forget all but a hundredth each, without a gradient or with one for lack of an ulp: no 0/0, no noise."""
    settings = {"decay": 0.99, "sketch_size": 4, "loss": "hinge", "scale": "none"} | settings
    learners = [Learner(LearnOptions(**settings, clip=clip)) for clip in (99.0, 1.0)]
    for learner in learners[: 1 if settings["sketch"] == "fd" else 2]:  # fd's steps are bounded by no alpha that grows
        learner.partial_fit(rows_of(STREAMS["dense"], slice(0, 40)))
        while learner.partial_fit(batch_of([{1: 2.0, 2: 1.0}], [1.0])).raw[0] < 0.9:
            pass
        found = learner.partial_fit(batch_of([{1: 20.0, 2: 10.0}] * 300, [1.0] * 300)).raw
        np.testing.assert_array_less(np.abs(found[1:] - found[-1]), 1e-9 if learner is learners[0] else 9.0)
        found = learner.partial_fit(batch_of([{1: 2.0, 2: 1.0}, {3: 1.0, 4: 1.0}] * 50, [-1.0, 1.0] * 50)).raw
        np.testing.assert_array_less(found[-8::2], -0.9)
        np.testing.assert_array_less(0.9, found[-7::2])


STRONG = [("nag", {"decay": 0.9}), ("nag", {"l2": 3.0}), ("nag", {"decay": 0.5, "l2": 3.0, "rescale": "before"}),
          ("adagrad", {"decay": 0.5}), ("ada-diag", {"decay": 0.5, "l2": 3.0}), ("sgd", {"l2": 3.0}),
          ("arow", {"decay": 0.5}), ("bayes", {"decay": 0.5}), ("multinomial-bayes", {"decay": 0.5})]  # fmt: skip


def with_rare_ones(n):
    """One feature in every row, one of two in every second one, and three that come again after 80, 350 and 700."""
    rare = {80: 4, 350: 5, 700: 6}
    rows = [{1: 1.0, 2 + i % 2: 0.5} | {f: 2.0 for period, f in rare.items() if i % period == 7} for i in range(n)]
    return batch_of(rows, np.where(np.random.default_rng(0).random(n) < 0.4, 1.0, -1.0))


@pytest.mark.interpreted
@for_all("method, more", STRONG)
def test_no_unit_becomes_too_small(method, more):
    """However little is left of what was learned, rows are predicted as by the twin, learned from or not."""
    batch, options = with_rare_ones(1500), LearnOptions(method=method, **more)
    learner, wanted = Learner(options), TWINS[method](options, batch)
    found = learner.partial_fit(rows_of(batch, slice(0, 707))).raw
    asked = learner.predict(rows_of(batch, [707])).raw  # of features that have not come for long
    found = [found, learner.partial_fit(rows_of(batch, slice(707, None))).raw]
    np.testing.assert_allclose(np.concatenate(found), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(asked, wanted[707], rtol=1e-9)


@pytest.mark.interpreted
@for_all("method, more", STRONG)
def test_a_row_writes_nothing_of_features_that_it_lacks(method, more):
    """However little is left of what was learned: no cost grows with the number of features."""
    batch, learner = with_rare_ones(700), Learner(LearnOptions(method=method, **more))
    learner.partial_fit(rows_of(batch, slice(0, 20)))
    table = lambda: learner.state.table if hasattr(learner.state, "table") else learner.state.counts  # noqa: E731
    place = learner.index.ids.tolist().index(6)
    before = table()[place].copy()
    learner.partial_fit(rows_of(batch, slice(20, None)))
    np.testing.assert_array_equal(table()[place], before)


@pytest.mark.interpreted
@for_all("method", [name for name in METHODS if not {"decay", "l2"} <= set(METHODS[name].takes)])
def test_what_does_not_take_it_says_so(method):
    for name in {"decay", "l2"} - set(METHODS[method].takes):
        message = rf"^--{name}: --method {method} does not take it; --method (.*) and (\d+) more do$"
        with pytest.raises(OptionError, match=message) as caught:
            LearnOptions(method=method, **{name: 0.01})
        near, more = re.match(message, str(caught.value)).groups()
        able = [other for other in METHODS if name in METHODS[other].takes]
        assert set(near.split(", ")) < set(able)
        assert len(near.split(", ")) + int(more) == len(able)


@pytest.mark.interpreted
def test_a_committee_tells_its_members():
    options = LearnOptions(decay=0.01, l2=0.02, members="nag,drfd:lunit,multinomial-bayes:log")
    engines = Learner(options).engine.engines
    rates = [engine._params.retention for engine in engines]
    assert rates == [0.99] * 3
    assert engines[0]._params.shrink == 0.02
    assert Learner(options).state.online.retention[0] == 0.99**64
    assert Learner(LearnOptions()).state.online.retention[0] == pytest.approx(0.9998**64)
