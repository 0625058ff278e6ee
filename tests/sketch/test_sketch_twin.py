"""The sketch equals the published algorithms, written with dense SVDs, for any division of the rows into calls."""

import numpy as np
import pytest
import scipy.sparse as sp
import sketch_twin as twin
from dense_learner import paying
from for_all import for_all
from sketch_twin import MATRICES, error, matrix

from sonlearn.sketch import METHODS, FrequentDirections, Rule, covariance_error, make_sketch
from sonlearn.sketch.directions import SQUARING_LIMIT, decompose
from sonlearn.sketch.rows import Active, ColumnIndex


def assert_same(A, sketch, B):
    """B'B agree to 1e-12 of the data's scale (rows of B are free up to sign, and up to rotation at equal values)."""
    found = sketch.matrix()
    np.testing.assert_allclose(found.T @ found, B.T @ B, rtol=0, atol=1e-12 * (A**2).sum())


@for_all("m", [1, 2, 6])
@for_all("name", MATRICES)
def test_row_by_row_fd_rfd_cfd_isvd(name, m):
    A = matrix(name)
    B, shed = twin.directions(A, m)
    assert_same(A, make_sketch("fd", m, buffer=m).update(A), B)
    rfd = make_sketch("rfd", m, buffer=m).update(A)
    assert_same(A, rfd, B)
    assert rfd.alpha == pytest.approx(shed / 2, rel=1e-11, abs=1e-20 * (A**2).sum())
    if m > 1 and name != "flat":  # where all directions are equal, the greedy choice is any of them
        assert_same(A, make_sketch("isvd", m, buffer=m).update(A), twin.directions(A, m, lose=0.0)[0])
    if name not in ("exactly_low_rank", "flat") and m > 1:  # there CFD raises directions that are zero up to rounding
        assert_same(A, make_sketch("cfd", m, buffer=m).update(A), twin.directions(A, m, compensated=True)[0])


@for_all("m", [1, 2, 6, 15])
@for_all("name", MATRICES)
def test_doubled_buffer_between_shrinks(name, m):
    A = matrix(name)
    for n in (2 * m - 1, 2 * m, 2 * m + 1, len(A)):
        S, shed = twin.directions(A[:n], m, 2 * m)
        rfd = make_sketch("rfd", m, alpha=0.25).update(A[:n])
        rows, found = rfd.held()
        np.testing.assert_allclose(rows.T @ rows, S.T @ S, rtol=0, atol=1e-12 * (A**2).sum())
        assert found == pytest.approx(0.25 + shed / 2, rel=1e-11, abs=1e-20 * (A**2).sum())


def repeated_units():
    """Rank 5 at most, with vanished directions between shrinks: e1 six times, e2..e5, 2 e2..e5, 1.5 I."""
    e = np.eye(5)
    return np.vstack([np.tile(e[0], (6, 1)), e[1:], 2 * e[1:], 1.5 * e])


def binary(n=240, d=300):
    """Rows of few ones, a quarter of them seen before and some of them empty."""
    rng = np.random.default_rng(0)
    A = (rng.random((n, d)) < 0.01).astype(float)
    A[1::4] = A[0]
    return A


def test_rows_are_counted_whatever_their_rank():
    """[RFD] Algorithm 5 on rows that are not independent; its places are not freed before the next shrink."""
    A = repeated_units()
    exact, freed = make_sketch("rfd", 4).update(A), make_sketch("rfd", 4, recycle=True).update(A)
    S, shed = twin.directions(A, 4, 8)
    assert shed / 2 == pytest.approx(3.625)
    assert exact.held()[1] == pytest.approx(3.625)
    assert freed.held()[1] == pytest.approx(2.5)
    rows, _ = exact.held()
    np.testing.assert_allclose(rows.T @ rows, S.T @ S, atol=1e-13)


@for_all("form", [np.asarray, sp.csr_array])
@for_all("m", [2, 4, 10])
@for_all("make", [repeated_units, binary, lambda: np.vstack([np.zeros((25, 300)), binary()])])
def test_doubled_buffer_on_rows_of_low_rank(make, m, form):
    A = make()
    S, shed = twin.directions(A, m, 2 * m)
    for method in ("fd", "rfd"):
        sketch = make_sketch(method, m).update(form(A))
        rows, found = sketch.held()
        product = (rows.T @ rows).toarray() if sp.issparse(rows) else rows.T @ rows
        np.testing.assert_allclose(product, S.T @ S, rtol=0, atol=1e-12 * (A**2).sum())
        assert found == pytest.approx(shed / 2 if method == "rfd" else 0.0, rel=1e-12)


@pytest.mark.parametrize("name", ["random_matrix", "low_rank", "adversarial", "decaying", "images"])
def test_pfd_and_liberty(name):
    A = matrix(name)
    for share in (0.2, 0.5, 1.0):
        wanted, _ = twin.directions(A, 10, lose=paying(10, share))
        assert_same(A, make_sketch("pfd", 10, share=share, buffer=10).update(A), wanted)
    assert_same(A, make_sketch("fd-half", 10).update(A), twin.directions(A, 5, 10)[0])


@pytest.mark.parametrize("pivot", [1, 4, 9])
def test_weights_before_a_pivot_after_which_all_go(pivot):
    A = matrix("decaying")
    w = np.random.default_rng(3).random(pivot - 1)
    sketch = FrequentDirections(Rule("own", 9, 8, pivot, pivot, tuple(w))).update(A)
    rows, escaped = twin.directions(A, pivot, 9, lose=w)
    found, _ = sketch.held()
    np.testing.assert_allclose(found.T @ found, rows.T @ rows, rtol=0, atol=1e-12 * (A**2).sum())
    assert sketch.escaped == pytest.approx(escaped, rel=1e-12)


@for_all("method", METHODS)
@for_all("sparse", [False, True])
def test_cuts_between_calls_do_not_matter(method, sparse):
    A = matrix("decaying")  # values whose sums depend on the order of adding
    whole = make_sketch(method, 7).update(sp.csr_array(A) if sparse else A)
    rng = np.random.default_rng(5)
    for cuts in (range(1, len(A)), sorted(rng.integers(0, len(A), 9)), [0, 0, 14, 14]):
        parts = make_sketch(method, 7)
        for part in np.split(A, cuts):
            parts.update(sp.csr_array(part) if sparse else part)
            if len(part) == 2:
                parts.matrix()  # reading in between must not matter either
        for found, expected in zip(parts.result(), whole.result(), strict=True):
            np.testing.assert_array_equal(found, expected)
        assert (parts.frobenius, parts.n_seen) == (whole.frobenius, whole.n_seen)


@for_all("method", METHODS)
def test_sparse_equals_dense(method):
    A = matrix("categories")
    dense = make_sketch(method, 7).update(A)
    scale = (A**2).sum()
    for form in (sp.csr_matrix, sp.csr_array, sp.coo_array, sp.csc_matrix):
        sparse = make_sketch(method, 7).update(form(A))
        B, D = sparse.matrix(), dense.matrix()
        assert sp.issparse(B)
        np.testing.assert_allclose((B.T @ B).toarray(), D.T @ D, rtol=0, atol=1e-12 * scale)
        assert sparse.alpha == pytest.approx(dense.alpha, rel=1e-12)
        bounds = [each.covariance_error_bound() for each in (sparse, dense)]
        np.testing.assert_allclose(*bounds, rtol=1e-10, atol=1e-10)


def test_mixed_blocks():
    A = matrix("categories")
    expected = make_sketch("rfd", 7).update(A).matrix()
    for first, second in ((A[:90], sp.csr_array(A[90:])), (sp.csr_array(A[:90]), A[90:])):
        B = make_sketch("rfd", 7).update(first).update(second).matrix()
        B = B.toarray() if sp.issparse(B) else B
        np.testing.assert_allclose(B.T @ B, expected.T @ expected, rtol=0, atol=1e-10)


def test_index_widths_duplicates_and_order_within_rows():
    A = matrix("categories")
    X = sp.csr_array(A)
    wide = sp.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
    halves = sp.csr_array((np.repeat(X.data, 2) / 2, np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)
    backwards = sp.csr_array((X.data[::-1], X.indices[::-1], X.nnz - X.indptr[::-1]), shape=X.shape)[::-1]
    expected = make_sketch("fd", 6).update(X)
    for same in (wide, halves, backwards):
        found = make_sketch("fd", 6).update(same)
        assert found.frobenius == pytest.approx(expected.frobenius, rel=1e-14)
        assert covariance_error(found, same) == pytest.approx(covariance_error(expected, X), rel=1e-9)
        np.testing.assert_allclose(found.matrix().toarray(), expected.matrix().toarray(), atol=1e-11)


def test_cost_does_not_depend_on_the_width():
    """2^40 columns, of which 60 occur: nothing of that length can have been allocated."""
    A = matrix("random_matrix")
    X = sp.csr_array(A)
    where = np.sort(np.random.default_rng(0).choice(1 << 40, A.shape[1], replace=False))
    spread = sp.csr_array((X.data, where[X.indices], X.indptr), shape=(len(A), 1 << 40))
    for method in METHODS:
        wide, narrow = make_sketch(method, 8).update(spread), make_sketch(method, 8).update(X)
        B = wide.matrix()
        assert B.shape[1] == 1 << 40
        np.testing.assert_array_equal(np.unique(B.indices), where)
        np.testing.assert_allclose(B.data, narrow.matrix().data, atol=1e-12 * narrow.frobenius)
        np.testing.assert_allclose(wide.transform(spread, 3), narrow.transform(X, 3), atol=1e-11)


def test_columns_that_appear_late():
    A = np.kron(np.eye(3), matrix("random_matrix")[:40])  # three blocks of columns, one after the other
    narrow = make_sketch("rfd", 9)
    for part in np.array_split(A, 11):
        used = np.flatnonzero(part.any(axis=0)).max() + 1
        narrow.update(sp.csr_array(part[:, :used]), grow=True)
    full = make_sketch("rfd", 9).update(A)
    assert narrow.matrix().shape == full.matrix().shape
    B, D = narrow.matrix().toarray(), full.matrix()
    np.testing.assert_allclose(B.T @ B, D.T @ D, atol=1e-10)


# -- accuracy of the Gram matrix ---------------------------------------------------------------------------------------


def graded(condition, n=30, d=50, seed=0):
    """Rows with singular values from 1 down to 1/condition, and these values."""
    rng = np.random.default_rng(seed)
    U, V = (np.linalg.qr(rng.standard_normal((size, n)))[0] for size in (n, d))
    s = np.logspace(0, -np.log10(condition), n)
    return U * s @ V.T, s


@pytest.mark.parametrize("condition", [1e2, 1e4, 1e6, 1e8, 1e10])
def test_small_singular_values_keep_the_accuracy_of_an_svd(condition):
    """What squaring costs: eigenvalues of the Gram matrix alone are wrong in all digits below 1e-8, ours are not."""
    A, s = graded(condition)
    for keep in (10, 20, 29):
        squares, V = decompose(np.empty(0), np.empty((0, 0)), Active(A, None), A.shape[1], keep)
        wanted = slice(0, keep + 1)
        np.testing.assert_allclose(np.sqrt(squares[wanted]), s[wanted], rtol=0, atol=1e-14)
        loss = 1e-13 * max(1.0, min(condition, SQUARING_LIMIT**-0.5) ** 2)
        np.testing.assert_allclose(V.T @ V, np.eye(keep), rtol=0, atol=loss)
        np.testing.assert_allclose(np.linalg.norm(A @ V, axis=0), s[:keep], rtol=1e-5)
    naive = np.sqrt(np.maximum(np.linalg.eigvalsh(A @ A.T)[::-1], 0))
    if condition >= 1e10:
        assert abs(naive[-1] / s[-1] - 1) > 0.5


@pytest.mark.parametrize("condition", [1e3, 1e6, 1e9])
def test_alpha_of_graded_data(condition):
    """alpha is a sum of small squares: it must keep its digits although it is condition^-2 of the largest."""
    A, s = graded(condition)
    rfd = make_sketch("rfd", 29, buffer=30).update(A)
    assert rfd.alpha == pytest.approx(s[28] ** 2 / 2, rel=max(1e-9, 1e-14 * condition))


def test_rank_deficient_data_leaves_alpha_at_exactly_zero():
    A = matrix("exactly_low_rank")
    for form in (np.asarray, sp.csr_array):
        sketch = make_sketch("rfd", 8)
        for _ in range(20):
            sketch.update(form(A))
        assert sketch.alpha == 0.0
        assert len(sketch.eigenvalues()) == 4
        B = sketch.matrix()
        B = B.toarray() if sp.issparse(B) else B
        assert error(A, B / np.sqrt(20)) <= 1e-12 * (A**2).sum()


def test_equal_rows_and_zero_rows():
    A = np.tile([[3.0, 0.0, 4.0]], (100, 1))
    sketch = make_sketch("rfd", 4).update(A).update(np.zeros((50, 3)))
    np.testing.assert_allclose(sketch.matrix(), np.sqrt(100) * A[:1], rtol=1e-13)
    assert sketch.alpha == 0.0
    assert make_sketch("rfd", 4).update(np.zeros((50, 3))).matrix().shape == (0, 3)


@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e30, 1e100])
def test_scale_only_scales(scale):
    A = matrix("low_rank")
    unit, scaled = (make_sketch("rfd", 8).update(X) for X in (A, A * scale))
    np.testing.assert_allclose(scaled.matrix() / scale, unit.matrix(), atol=1e-11)
    assert scaled.alpha / scale**2 == pytest.approx(unit.alpha, rel=1e-10)


def test_orthonormality_does_not_drift():
    """20,000 rows, 1,800 shrinks, a strong and lasting direction beside weak noise."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20_000, 40)) * 0.05
    A[:, 0] += 10.0
    sketch = make_sketch("rfd", 10).update(A)
    V = sketch.components()
    np.testing.assert_allclose(V @ V.T, np.eye(len(V)), atol=1e-10)
    assert error(A, sketch.matrix(), sketch.alpha) <= sketch.covariance_error_bound() * (1 + 1e-9)


def test_columns_keep_their_slots():
    columns = ColumnIndex()
    np.testing.assert_array_equal(columns.add(np.array([5, 9, 30])), [0, 1, 2])
    np.testing.assert_array_equal(columns.add(np.array([1, 9, 40])), [3, 1, 4])
    np.testing.assert_array_equal(columns.find(np.array([40, 2, 5, 99])), [4, -1, 0, -1])
    np.testing.assert_array_equal(columns.ids, [5, 9, 30, 1, 40])
