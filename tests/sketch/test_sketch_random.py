"""Random projection, row sampling and Oja: properties without a worst-case bound."""

import numpy as np
import pytest
import scipy.sparse as sp
from for_all import for_all
from sketch_twin import matrix

from sonlearn.errors import InputError, OptionError
from sonlearn.sketch import METHODS, Oja, RandomProjection, RowSampling, make_sketch

SEEDS = 400


def mean_covariance(make, A):
    """Mean of B'B over seeds, and the standard error of each entry."""
    samples = np.array([B.T @ B for B in (make(seed).update(A).matrix() for seed in range(SEEDS))])
    return samples.mean(axis=0), samples.std(axis=0) / np.sqrt(SEEDS)


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: RandomProjection(6, 0, seed),
        lambda seed: RandomProjection(6, 1, seed),
        lambda seed: RandomProjection(7, 3, seed),
        lambda seed: RowSampling(6, seed),
    ],
    ids=["gauss", "sign1", "sign3", "sample"],
)
def test_unbiased(make):
    A = matrix("decaying")[:, :5]
    mean, deviation = mean_covariance(make, A)
    assert (np.abs(mean - A.T @ A) <= 4.5 * deviation + 1e-9).all()
    assert deviation.max() < 0.1 * (A**2).sum()


def test_sparse_sign_has_its_nonzeros_in_place():
    R = RandomProjection(10, 3)._draw(500, np.random.default_rng(0)).toarray()
    np.testing.assert_allclose(np.abs(R).sum(axis=1), 3 / np.sqrt(3))
    for low, high in ((0, 3), (3, 6), (6, 10)):
        np.testing.assert_array_equal((R[:, low:high] != 0).sum(axis=1), 1)
    share = (R != 0).mean(axis=0)
    np.testing.assert_allclose(share, [1 / 3] * 6 + [1 / 4] * 4, atol=0.07)
    assert abs((R > 0).sum() / (R != 0).sum() - 0.5) < 0.05


def test_sampling_with_zero_rows_and_few_rows():
    sketch = RowSampling(5).update(np.zeros((3, 4)))
    assert not sketch.matrix().any()
    row = np.array([[0.0, 3.0, 0.0, 4.0]])
    B = sketch.update(row).matrix()
    np.testing.assert_allclose(B.T @ B, row.T @ row)


def test_merging_projections_and_samples():
    A = matrix("categories")
    for form in (np.asarray, sp.csr_array):
        for make in (lambda seed: RandomProjection(9, 2, seed), lambda seed: RandomProjection(9, 0, seed)):
            parts = [make(1).update(form(A[:100])), make(2).update(form(A[100:]))]
            B = [p.matrix() for p in parts]
            merged = parts[0].merge(parts[1])
            total = B[0] + B[1]
            assert abs(merged.matrix() - total).max() < 1e-12
            assert merged.n_seen == len(A)
        one, two = (RowSampling(9, seed).update(form(part)) for seed, part in ((1, A[:100]), (2, A[100:])))
        merged = one.merge(two)
        B = merged.matrix()
        np.testing.assert_allclose((B.multiply(B) if sp.issparse(B) else B**2).sum(), (A**2).sum())
    with pytest.raises(OptionError, match="seed"):
        RowSampling(3, 1).update(A).merge(RowSampling(3, 1).update(A))


def test_merged_samples_are_a_sample_of_the_union():
    """Rows of the heavier part must win in proportion to its mass."""
    heavy, light = np.array([[3.0, 0.0]]), np.array([[0.0, 1.0]])
    shares = []
    for seed in range(300):
        merged = RowSampling(10, 2 * seed).update(heavy).merge(RowSampling(10, 2 * seed + 1).update(light))
        shares.append((merged.matrix()[:, 0] != 0).mean())
    assert np.mean(shares) == pytest.approx(0.9, abs=0.02)


@for_all("form", [np.asarray, sp.csr_array])
@for_all("method", ["gauss", "sign", "sample", "rfd", "mgfd"])
def test_merging_an_empty_sketch_changes_nothing(method, form):
    """Empty: without any block, or with blocks of no rows; its columns count, its seed does not."""
    A = matrix("random_matrix")
    expected = make_sketch(method, 6).update(form(A)).matrix()
    for empty in (make_sketch(method, 6), make_sketch(method, 6).update(form(np.zeros((0, 30))))):
        assert abs(make_sketch(method, 6).update(form(A)).merge(empty).matrix() - expected).max() == 0
        seed = {} if method in ("rfd", "mgfd") else {"seed": 1}
        full = make_sketch(method, 6, **seed).update(form(A))
        C, merged = full.matrix(), empty.merge(full)
        assert merged.n_seen == len(A)
        B = merged.matrix()
        assert abs(B.T @ B - C.T @ C).max() < 1e-12 * full.frobenius
    wide = make_sketch(method, 6).update(sp.csr_array((0, 50)))
    assert make_sketch(method, 6).update(sp.csr_array(A)).merge(wide).matrix().shape[1] == 50
    if form is np.asarray:
        with pytest.raises(OptionError, match="50 columns with 30"):
            make_sketch(method, 6).update(A).merge(wide)


# -- Oja ---------------------------------------------------------------------------------------------------------------


def oja_twin(A, l, adaptive):  # noqa: E741
    """Dense: batches of l rows; step, then what the batch has outside of V is appended. Returns (V, squares)."""
    V, squares, b2, t = np.zeros((A.shape[1], 0)), np.empty(0), np.empty(0), 0
    for start in range(0, len(A), l):
        X = A[start : start + l]
        t += len(X)
        P = X @ V
        G = X.T @ P
        b2 = b2 + (G**2).sum(axis=0)
        V = np.linalg.qr(V + G * (1 / np.sqrt(b2) if adaptive else 1 / t))[0]
        squares = squares + (P**2).sum(axis=0)
        U, s, _ = np.linalg.svd(X.T - V @ (V.T @ X.T), full_matrices=False)
        new = (s > 1e-12 * np.linalg.norm(X)) & (np.arange(len(s)) < l - V.shape[1])
        V, squares, b2 = np.hstack([V, U[:, new]]), np.append(squares, s[new] ** 2), np.append(b2, s[new] ** 4)
    return V, squares


@for_all("step", ["adaptive", "1/t"])
@for_all("zeros", [0, 4, 9])
@for_all("name", ["decaying", "low_rank", "exactly_low_rank", "images"])
def test_oja_equals_its_dense_twin(name, zeros, step):
    """Also where the first rows are zero, or of low rank: directions are gained later."""
    A = np.vstack([np.zeros((zeros, matrix(name).shape[1])), np.tile(matrix(name)[:1], (3, 1)), matrix(name)])
    A = A / abs(A).max()
    for form in (np.asarray, sp.csr_array):
        result = Oja(6, step).update(form(A)).result()
        V, squares = oja_twin(A, 6, step == "adaptive")
        wide = np.zeros_like(V)
        wide[slice(None) if result.ids is None else result.ids] = result.vectors
        np.testing.assert_allclose(result.squares, np.sort(squares)[::-1], rtol=1e-8)
        np.testing.assert_allclose((wide * result.squares) @ wide.T, V * squares @ V.T, atol=1e-8 * squares.max())
        assert len(squares) == (4 if name == "exactly_low_rank" else 6)


@pytest.mark.parametrize("small", [1e-16, 1e-8, 1e-4])
def test_a_small_batch_turns_adaptive_oja_by_little(small):
    """b_0 = 0 would turn V by an angle of order 1, however small the rows after the first batch are."""
    rng = np.random.default_rng(0)
    A, C = rng.standard_normal((2, 5, 12))
    before = Oja(5).update(A)
    after = Oja(5).update(A).update(small * C)
    P, Q = (s.components().T @ s.components() for s in (before, after))
    assert abs(P - Q).max() < 100 * small**2 + 1e-14


@pytest.mark.parametrize("scale", [1e-140, 1e-90, 1e90, 1e140])
def test_adaptive_oja_at_any_scale(scale):
    A = matrix("decaying")
    unit, scaled = Oja(5).update(A), Oja(5).update(A * scale)
    np.testing.assert_allclose(scaled.components(), unit.components(), atol=1e-9)


# -- small numbers -----------------------------------------------------------------------------------------------------


@for_all("form", [np.asarray, sp.csr_array])
@for_all("method", METHODS)
def test_squares_that_vanish_are_refused(method, form):
    A = matrix("random_matrix") * 1e-170
    sketch = make_sketch(method, 6).update(form(np.zeros((2, 30))))
    with pytest.raises(InputError, match=r":4: found a row whose largest value is [\d.]+e-170, expected a norm of"):
        sketch.update(form(np.vstack([np.zeros((3, 30)), A])))
    assert (sketch.n_seen, sketch.frobenius) == (2, 0.0)


@for_all("method", METHODS)
def test_small_rows_beside_large_ones_do_no_harm(method):
    A = matrix("random_matrix")
    B = np.vstack([A, A * 1e-170])
    sketch = make_sketch(method, 6).update(B)
    assert sketch.n_seen == 240
    assert sketch.frobenius == make_sketch(method, 6).update(A).frobenius
    parts = make_sketch(method, 6)
    for row in B:
        parts.update(row)
    np.testing.assert_array_equal(parts.matrix(), sketch.matrix())


def test_the_smallest_rows_keep_their_digits():
    A = matrix("low_rank") * 1e-145
    for method in ("rfd", "mgfd", "gauss"):
        small, unit = make_sketch(method, 8).update(A), make_sketch(method, 8).update(matrix("low_rank"))
        np.testing.assert_allclose(small.matrix() * 1e145, unit.matrix(), atol=1e-9)
