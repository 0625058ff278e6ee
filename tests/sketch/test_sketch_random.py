"""Random projection, row sampling and Oja: what can be said of them without a worst-case bound."""

import numpy as np
import pytest
import scipy.sparse as sp
from sketch_twin import error, matrix, tail

from sonlearn.errors import OptionError
from sonlearn.sketch import Oja, RandomProjection, RowSampling, make_sketch

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


@pytest.mark.parametrize("method", ["gauss", "sign", "sample"])
def test_error_shrinks_with_the_size(method):
    A = matrix("decaying")
    errors = [
        np.median([error(A, make_sketch(method, size, seed=seed).update(A).matrix()) for seed in range(15)])
        for size in (5, 20, 80)
    ]
    assert errors[0] > 1.5 * errors[1] > 2.25 * errors[2]


def test_sparse_sign_has_its_nonzeros_in_place():
    R = RandomProjection(10, 3)._draw(500, np.random.default_rng(0)).toarray()
    np.testing.assert_allclose(np.abs(R).sum(axis=1), 3 / np.sqrt(3))
    for low, high in ((0, 3), (3, 6), (6, 10)):
        np.testing.assert_array_equal((R[:, low:high] != 0).sum(axis=1), 1)
    share = (R != 0).mean(axis=0)
    np.testing.assert_allclose(share, [1 / 3] * 6 + [1 / 4] * 4, atol=0.07)
    assert abs((R > 0).sum() / (R != 0).sum() - 0.5) < 0.05


def test_sampling_follows_the_squared_norms():
    A = np.diag(np.sqrt([1.0, 2.0, 5.0]))
    counts = np.zeros(3)
    for seed in range(200):
        counts += (RowSampling(20, seed).update(A).matrix() != 0).sum(axis=0)
    np.testing.assert_allclose(counts / 4000, [1 / 8, 2 / 8, 5 / 8], atol=0.03)
    B = RowSampling(20, 1).update(A).matrix()
    np.testing.assert_allclose((B**2).sum(axis=1), 8 / 20)


def test_sampling_with_zero_rows_and_few_rows():
    sketch = RowSampling(5).update(np.zeros((3, 4)))
    assert not sketch.matrix().any()
    row = np.array([[0.0, 3.0, 0.0, 4.0]])
    B = sketch.update(row).matrix()
    np.testing.assert_allclose(B.T @ B, row.T @ row)


def test_merging_projections_and_samples():
    A = matrix("mushrooms")
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


@pytest.mark.parametrize("step", ["adaptive", "1/t"])
def test_oja_finds_strong_directions(step):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((4000, 30)) * np.where(np.arange(30) < 3, 3.0, 0.2)
    sketch = Oja(5, step).update(A)
    V = sketch.components(3)
    assert np.linalg.norm(V[:, :3]) ** 2 > 2.9  # of 3
    assert ((A - A @ V.T @ V) ** 2).sum() < 1.2 * tail(A, 3)
    np.testing.assert_allclose(V @ V.T, np.eye(3), atol=1e-12)
    with pytest.raises(OptionError, match="cannot be merged"):
        sketch.merge(Oja(5, step).update(A))


def test_oja_adaptive_step_knows_the_scale_and_the_papers_does_not():
    A = matrix("decaying")
    scales = (1e-3, 1.0, 1e3)
    found = {step: [Oja(4, step).update(A * scale).components(2) for scale in scales] for step in ("adaptive", "1/t")}
    for V in found["adaptive"][1:]:
        np.testing.assert_allclose(V, found["adaptive"][0], atol=1e-8)
    assert abs(found["1/t"][0] - found["1/t"][2]).max() > 1e-3


def test_fd_beats_them_all_on_covariance_error():
    A = matrix("low_rank")
    fd = error(A, make_sketch("fd", 12).update(A).matrix())
    for method in ("gauss", "sign", "sample"):
        assert fd < 0.2 * np.median([error(A, make_sketch(method, 12, seed=s).update(A).matrix()) for s in range(9)])
