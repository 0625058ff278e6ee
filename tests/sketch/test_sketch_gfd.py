"""[GFD] as published: its algorithm, special cases, theorems and settings; and our own rule."""

import itertools

import numpy as np
import pytest
import sketch_twin as twin
from for_all import for_all
from sketch_twin import error, matrix, projection, tail

from sonlearn.errors import OptionError
from sonlearn.sketch import FrequentDirections, gfd, make_sketch, terms
from sonlearn.sketch.directions import shrink
from sonlearn.sketch.rules import RULES, mgfd, percentile_place, sigmoid

MATRICES = ("random_matrix", "low_rank", "adversarial", "decaying", "images")
#: [GFD] sec. 5.5 to 5.8: tau', omega', sigma_i, p.
SPAM, ADVERSARIAL = (0.9, 50, 0.7, 0.1), (0.7, 10, 0.1, 0.1)


def assert_same(A, sketch, B, total):
    found, _ = sketch.held()
    np.testing.assert_allclose(found.T @ found, B.T @ B, rtol=0, atol=1e-11 * (A**2).sum())
    assert sketch.escaped == pytest.approx(total, rel=1e-9)


@for_all("clip", [False, True])
@for_all("settings", [SPAM, ADVERSARIAL, (0.3, 5, 0.5, 0.3), (0.9, 50, 0.1, 0.6)])
@for_all("name", MATRICES)
def test_mgfd_is_the_papers(name, settings, clip):
    A, (offset, steepness, sigma, p) = matrix(name), settings
    for l, p_low, lam in ((10, 0.1, 1.0), (20, 0.05, 1.0), (20, 0.05, 2.5)):  # noqa: E741
        w = twin.matlab_sigmoid(l, steepness, offset)
        sketch = make_sketch(
            "mgfd", l, offset=offset, steepness=steepness, sigma=sigma, p=p, p_low=p_low, lam=lam, clip=clip
        ).update(A)  # fmt: skip
        assert sketch.shrinks > 3
        assert_same(A, sketch, *twin.gfd(A, l, w, sigma, p, p_low, lam, clip))


@for_all("shape", ["falling", "random", "zero", "single"])
@for_all("name", MATRICES)
def test_gfd_with_any_weights(name, shape):
    """Weights that do not rise free rows in the middle, which Algorithm 5 permutes to the end."""
    A, l = matrix(name), 10  # noqa: E741
    w = {
        "falling": np.linspace(1, 0.2, l), "random": np.random.default_rng(0).random(l), "zero": np.zeros(l) + 1e-300,
        "single": np.arange(l) == 4.0,
    }[shape].astype(float)  # fmt: skip
    sketch = FrequentDirections(gfd(l, w, 0.3, 0.4, p_low=0.1, lam=1.5)).update(A)
    assert_same(A, sketch, *twin.gfd(A, l, w, 0.4, 0.3, 0.1, 1.5))


@pytest.mark.parametrize("name", MATRICES)
def test_special_cases_of_section_2_3(name):
    """fd-half, fd-last and alpha-fd by the parameters that the paper gives for them."""
    A, l = matrix(name), 10  # noqa: E741
    ones, last = np.ones(l), (np.arange(1, l + 1) > l * (1 - 0.25)).astype(float)
    for method, values, w, p in (
        ("fd-half", {}, ones, 0.6),  # sigma_{l/2}: 6 of 10 from the right
        ("fd-last", {}, ones, 0.1),
        ("alpha-fd", {"share": 0.25}, last, 0.1),
    ):
        sketch = make_sketch(method, l, **values).update(A)
        assert_same(A, sketch, *twin.gfd(A, l, w, p, p))
        same = FrequentDirections(gfd(l, w, p)).update(A)
        np.testing.assert_array_equal(same.matrix(), sketch.matrix())
        assert same.rule.h == sketch.rule.h == w[: round((1 - p) * l) + 1].sum()
    B, _ = twin.directions(A, l // 2, l)
    assert_same(A, make_sketch("fd-half", l).update(A), B, twin.gfd(A, l, ones, 0.6, 0.6)[1])


def test_alpha_fd_rounds_its_payers_up_and_pfd_down():
    """[GFD]: the first l (1 - alpha) keep what they have. [RFD]: floor(beta m) get affected."""
    assert [make_sketch("alpha-fd", l).rule.h for l in (10, 11, 14, 15, 150)] == [2, 3, 3, 3, 30]  # noqa: E741
    assert [make_sketch("pfd", l).rule.h for l in (10, 11, 14, 15, 150)] == [2, 2, 2, 3, 30]  # noqa: E741


@pytest.mark.parametrize("name", ["random_matrix", "adversarial", "flat", "images"])
def test_theorem_1_lemma_4_and_theorem_2(name):
    """With H = (1/lambda) sum of w_j over j <= (1 - p) l + 1, on a part of the paper's grid, in both readings."""
    A, l, slack = matrix(name), 20, 1e-10  # noqa: E741
    total, tails = (A**2).sum(), [tail(A, k) for k in range(l)]
    checked = 0
    for offset, steepness, sigma, p, lam, clip in itertools.product(
        (0.3, 0.9), (5, 50), (0.1, 0.7), (0.1, 0.5), (1, 2), (False, True)
    ):
        w = twin.matlab_sigmoid(l, steepness, offset)
        H = w[: round((1 - p) * l) + 1].sum() / lam
        sketch = FrequentDirections(mgfd(l, offset, steepness, sigma, p, 0.05, lam=lam, clip=clip)).update(A)
        assert sketch.rule.h == pytest.approx(H, rel=1e-12)
        B, Delta = sketch.matrix(), sketch.result().escaped
        assert np.linalg.eigvalsh(A.T @ A - B.T @ B).min() >= -slack * total
        assert error(A, B) <= Delta + slack * total
        assert Delta <= total / H + slack * total
        assert total - (B**2).sum() >= H * Delta - slack * total  # Lemma 3
        for k in range(int(np.ceil(H))):
            assert Delta <= tails[k] / (H - k) + slack * total
            assert projection(A, B, k) <= (1 + k / (H - k)) * tails[k] + slack * total
            checked += k > 0
    assert checked > 100


def test_percentiles_count_from_the_right():
    assert [percentile_place(p, 10) for p in (0.1, 0.5, 0.7, 1.0)] == [10, 6, 4, 1]
    assert percentile_place(0.01, 60) == 60  # p l is at least 1
    assert [percentile_place(0.1, l) for l in (25, 34, 36)] == [23, 32, 33]  # noqa: E741
    rule = mgfd(150)
    assert (rule.pivot, rule.cap, rule.low) == (46, 136, 149)
    assert (rule.lam, rule.clip, rule.recycle) == (1, False, True)


def test_sigmoid_is_that_of_the_listing():
    for l, offset, steepness in ((150, 0.9, 50), (20, 0.7, 10), (7, 0.0, 600), (7, 1.0, 600)):  # noqa: E741
        np.testing.assert_allclose(sigmoid(l, offset, steepness), twin.matlab_sigmoid(l, steepness, offset), rtol=1e-12)
    assert sigmoid(100, 0.9, 50)[89] == 0.5


def test_without_a_least_decrease_a_rule_may_free_no_row():
    """Which is why it is refused: on equal squares the last weight, .993, leaves every row something."""
    A, l = np.eye(10), 10  # noqa: E741
    B, _ = twin.gfd(A, l, twin.matlab_sigmoid(l, 50, 0.9), 0.7, 0.1)
    assert B.any(axis=1).all()
    with pytest.raises(OptionError, match="a shrink might free no row"):
        make_sketch("mgfd", l, p_low=None)
    w = twin.matlab_sigmoid(l, 50, 0.9)
    w[-1] = 1.0  # ends with 1: the last row goes
    A = matrix("random_matrix")
    assert_same(A, FrequentDirections(gfd(l, w, 0.1, 0.7)).update(A), *twin.gfd(A, l, w, 0.7, 0.1))


def test_rows_of_zeros_are_free_places():
    A = matrix("random_matrix").copy()
    A[::3] = 0.0
    for method in ("fd-last", "fd-half", "mgfd", "fd-ramp"):
        dense, fewer = make_sketch(method, 10).update(A), make_sketch(method, 10).update(A[A.any(axis=1)])
        np.testing.assert_array_equal(dense.matrix(), fewer.matrix())
        assert (dense.n_seen, dense.shrinks) == (len(A), fewer.shrinks)


# -- the learner's share of a rule -------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [1, 2, 5, 10, 37])
def test_terms_say_what_the_sketch_does(m):
    assert m < 5 or terms("pfd", m) == terms("pfd", m, 0.2)
    squares = np.sort(np.random.default_rng(m).random(2 * m))[::-1]
    for name, beta in (("rfd", None), ("fd", None), ("cfd", None), ("isvd", None), ("pfd", 1.0), ("pfd", 0.6)):
        if int((beta or 1) * m) == 0:
            continue
        payers, gain, restore = terms(name, m, beta)
        rule = RULES[name](m) if beta is None else RULES[name](m, beta)
        expected = squares[: m - 1].copy()
        expected[m - payers :] -= squares[m - 1]
        found, delta = shrink(rule, squares)
        np.testing.assert_array_equal(found[: m - 1], expected)
        assert not found[m - 1 :].any()
        assert (delta, gain, restore) == (squares[m - 1], rule.gain, rule.restore)
