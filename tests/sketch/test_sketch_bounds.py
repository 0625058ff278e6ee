"""The theorems: every bound holds on every matrix, for every k, and also after merging in any order."""

import numpy as np
import pytest
from for_all import for_all
from sketch_twin import MATRICES, error, matrix, tail

from sonlearn.sketch import FrequentDirections, Rule, make_sketch
from sonlearn.sketch.rules import fd_ramp

ROUNDING = 1e-10  # relative to ||A||_F^2
FAMILY = ("fd", "rfd", "cfd", "pfd", "isvd", "fd-last", "fd-half", "alpha-fd", "mgfd", "fd-ramp")
SIZES = (2, 7, 20)


def check(sketch, A):
    """Theorem 1, Lemma 4 (halved for RFD) and the certificate; Theorem 2 where B is made of shrinks alone."""
    rule, B, slack = sketch.rule, sketch.matrix(), ROUNDING * (A**2).sum()
    found = error(A, B, sketch.alpha - sketch.alpha_0)
    assert found <= sketch.covariance_error_bound() + slack
    projections = (A**2).sum() - np.concatenate([[0], ((A @ np.linalg.svd(B)[2].T) ** 2).sum(axis=0).cumsum()])
    tails = np.concatenate([(np.linalg.svd(A, compute_uv=False)[::-1] ** 2).cumsum()[::-1], np.zeros(rule.buffer)])
    for k in range(int(np.ceil(rule.h))):
        assert found <= rule.guarantee(k) * tails[k] + slack, f"k = {k}"
        if k and not rule.restore:
            assert projections[min(k, len(B))] <= rule.h / (rule.h - k) * tails[k] + slack, f"k = {k}"


@for_all("size", SIZES)
@pytest.mark.parametrize("method", FAMILY)
@for_all("name", MATRICES)
def test_bounds_of_every_variant(name, method, size):
    A = matrix(name)
    values = {"share": 0.5} if method in ("pfd", "alpha-fd") else {}
    check(make_sketch(method, size, **values).update(A), A)


@for_all("name", MATRICES)
@for_all("method", ["fd", "rfd"])
def test_bounds_row_by_row_and_with_a_long_buffer(name, method):
    A = matrix(name)
    for buffer in (8, 40):
        check(make_sketch(method, 8, buffer=buffer).update(A), A)


@for_all("lam", [0.0, 0.3, 1.0])
@for_all("pivot", [3, 7, 10])
@pytest.mark.parametrize("shape", ["ones", "last", "ramp", "sigmoid", "random"])
@for_all("name", ["random_matrix", "adversarial", "flat", "categories"])
def test_bounds_for_a_grid_of_weights_and_pivots(name, shape, pivot, lam):
    A = matrix(name)
    i, p = np.arange(1, pivot), pivot
    w = {
        "ones": np.ones(pivot - 1), "last": i > p - 3, "ramp": i / p, "sigmoid": 1 / (1 + np.exp(p / 2 - i)),
        "random": np.random.default_rng(pivot).random(pivot - 1),
    }[shape]  # fmt: skip
    rule = Rule("own", 10, 9, pivot, pivot, tuple(lam * w), recycle=True)
    assert rule.h == pytest.approx(1 + lam * np.sum(w))
    check(FrequentDirections(rule).update(A), A)


def test_rfd_error_is_half_of_the_bound_that_fd_attains():
    """Theorem 3, Corollary 2: on m orthonormal rows FD's error is its bound, RFD's exactly half of it."""
    A = np.eye(4, 12)
    fd = make_sketch("fd", 4, buffer=4).update(A)
    rfd = make_sketch("rfd", 4, buffer=4).update(A)
    assert error(A, fd.matrix()) == pytest.approx(fd.rule.guarantee(0) * tail(A, 0))
    assert error(A, rfd.matrix(), rfd.alpha) == pytest.approx(rfd.rule.guarantee(0) * tail(A, 0))
    assert rfd.rule.guarantee(0) == fd.rule.guarantee(0) / 2


@for_all("name", ["random_matrix", "adversarial", "low_rank", "categories"])
@for_all("method", FAMILY)
def test_bounds_hold_after_merging_in_any_order(name, method):
    A = matrix(name)
    parts = np.array_split(A, [7, 40, 41, 90])
    for order in ([0, 1, 2, 3, 4], [4, 2, 0, 3, 1]):
        sketches = [make_sketch(method, 10).update(part) for part in parts]
        merged = sketches[order[0]]
        for i in order[1:]:
            merged.merge(sketches[i])
        assert merged.n_seen == len(A)
        check(merged, A)
    tree = [make_sketch(method, 10).update(part) for part in parts]
    check(tree[0].merge(tree[1]).merge(tree[2].merge(tree[3].merge(tree[4]))), A)


def test_merging_adds_alpha_zero_once():
    A = matrix("random_matrix")
    a, b = (make_sketch("rfd", 5, alpha=2.0).update(part) for part in (A[:60], A[60:]))
    merged = a.merge(b)
    assert merged.alpha == 2.0 + merged.result().escaped / 2


def test_isvd_fails_where_frequent_directions_does_not():
    """A direction that comes often, but each time weaker than all that is kept, is forgotten each time by the greedy
    method: its error grows with the stream, FD's stays at its bound. (After the example of [RFD] App. F, whose text was
    not at hand.)"""
    m, d = 5, 12
    strong = np.eye(d)[: m - 1] * 1.1
    errors = {}
    for n in (100, 1000):
        A = np.vstack([strong, np.tile(np.eye(d)[m], (n, 1))])
        for method in ("isvd", "fd", "rfd"):
            sketch = make_sketch(method, m, buffer=m).update(A)
            errors[method, n] = error(A, sketch.matrix(), sketch.alpha)
    assert errors["isvd", 1000] == pytest.approx(1000)
    assert errors["isvd", 1000] == pytest.approx(10 * errors["isvd", 100])
    assert errors["fd", 1000] <= 2 * 1.1**2  # once the first directions are worn down, the frequent one is kept
    assert errors["rfd", 1000] <= errors["fd", 1000] / 2 + 1e-9


def test_fd_ramp_needs_few_decompositions():
    n, size = 1000, 20
    A = np.random.default_rng(0).standard_normal((n, 40))
    for percentile, least in ((0.8, 0.1), (1.0, 0.25), (0.5, 0.1)):
        rule = fd_ramp(size, percentile=percentile, least=least)
        assert FrequentDirections(rule).update(A).shrinks <= n / (least * size) + 1
        assert rule.buffer - rule.most >= least * size


def test_guarantee_is_infinite_where_the_theorem_says_nothing():
    assert make_sketch("fd", 5).rule.guarantee(5) == float("inf")
    assert make_sketch("fd", 5).rule.guarantee(4) == 1.0
    assert make_sketch("rfd", 5).rule.guarantee(4) == 0.5
    assert make_sketch("isvd", 5).rule.guarantee(0) == 1.0
    assert make_sketch("isvd", 5).rule.guarantee(1) == float("inf")
