"""The Python interface: clear errors, scikit-learn's conventions, error measures equal to those of dense matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from for_all import for_all
from sketch_twin import error, matrix, projection, tail

import sonlearn.sketch
from sonlearn.errors import DivergedError, InputError, OptionError
from sonlearn.sketch import (
    METHODS,
    SketchOptions,
    covariance_error,
    gfd,
    make_sketch,
    projection_error,
    terms,
)  # fmt: skip
from sonlearn.sketch.accuracy import top_squares
from sonlearn.sketch.directions import decompose
from sonlearn.sketch.rows import Active


def test_every_public_name_is_there():
    for name in sonlearn.sketch.__all__:
        assert getattr(sonlearn.sketch, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sonlearn.sketch.nothing


def test_options_and_methods_agree():
    for method in METHODS:
        assert SketchOptions(method=method).values() == {}
        make_sketch(method, 5)
    assert SketchOptions(buffer=7, seed=3, alpha=0.5).values() == {"buffer": 7, "seed": 3, "alpha": 0.5}
    assert SketchOptions(recycle=True).values() == {"recycle": True}
    for wrong, message in (
        ({"share": 1.5}, "--share 1.5: expected at most 1"),
        ({"alpha": float("nan")}, "--alpha nan"),
        ({"alpha": float("inf")}, "--alpha inf"),
    ):
        with pytest.raises(OptionError, match=message):
            SketchOptions(**wrong)


@for_all(
    "make, message",
    [
        (lambda: make_sketch("svd"), "sketch method svd: expected one of rfd, fd"),
        (lambda: make_sketch("fd", 0), "fd: sketch size 0: expected at least 1"),
        *(
            (lambda size=size: make_sketch("rfd", size), "sketch size .*: expected a whole number of at least 1")
            for size in (2.5, "3", True, None, 3.0)
        ),
        (lambda: make_sketch("fd", 5, share=0.2), "fd has no setting share; it takes buffer"),
        (lambda: make_sketch("gauss", 5, alpha=1.0), "gauss has no alpha"),
        (lambda: make_sketch("rfd", 5, alpha=-1.0), "alpha -1"),
        (lambda: make_sketch("fd", 5, buffer=4), "pivot 5: expected 1 to 4"),
        (lambda: make_sketch("pfd", 5, share=0.1), "share 0.1 of 5 rows"),
        (lambda: make_sketch("alpha-fd", 5, share=1.5), "share 1.5 of 5 rows"),
        (lambda: make_sketch("fd-ramp", 5, percentile=2.0), "percentile 2"),
        (lambda: make_sketch("mgfd", 5, p=2.0), "mgfd: percentile 2: expected more than 0 and at most 1"),
        (lambda: make_sketch("mgfd", 5, steepness=float("inf")), "mgfd: steepness inf"),
        (lambda: make_sketch("mgfd", 5, offset=1.5), "mgfd: offset 1.5: expected 0 to 1"),
        (lambda: make_sketch("mgfd", 50, p_low=0.5), "least decrease 26: expected 46 to 50"),
        (lambda: gfd(5, [1] * 6, 0.2), "expected at most 5 weights"),
        (lambda: gfd(5, [1, 1, 1, 1.5], 0.2), r"weights in \[0, 1\]"),
        (lambda: gfd(5, [1, 1, 1, float("nan")], 0.2), r"weights in \[0, 1\]"),
        (lambda: gfd(5, [1, 1, 1, 1], 0.2, lam=0.5), "lambda 0.5: expected 1 to inf"),
        (lambda: gfd(5, [0, 0, 0, 0, 0.9], 0.2), "a shrink might free no row; end the weights with 1, or give p_low"),
        (lambda: gfd(5, [], 0.0), "percentile 0"),
        (lambda: terms("mgfd", 5), "shrink rule mgfd: expected one of rfd, fd, cfd, pfd, isvd"),
        (lambda: terms("fd", 5, 0.5), "shrink rule fd has no beta"),
        (lambda: terms("pfd", 5, 0.1), "share 0.1 of 5 rows"),
        (lambda: make_sketch("sign", 5, nonzeros=0).update([[1.0]]) and make_sketch("oja", 5, step="x"), "step x"),
    ],
)
def test_wrong_settings(make, message):
    with pytest.raises(OptionError, match=message):
        make()


@for_all(
    "X, message",
    [
        ([[1.0, np.nan]], "1:2: found nan"),
        ([[1.0, 2.0], [-np.inf, 0.0]], "2:1: found -inf"),
        ([[1e200, 0.0]], "1:1: found 1e.200"),
        (sp.csr_array([[0.0, 1.0], [0.0, np.nan]]), "2:2: found nan"),
        ([["a", "b"]], "real numbers"),
        ([[1j, 2.0]], "real numbers"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        (np.zeros((4, 3)), "3 columns, expected 2 as before"),
        (sp.csr_array((4, 3)), "3 columns, expected 2 as before"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(X, message):
    for form in (np.asarray, sp.csr_array):
        good = np.array([[1.0, 2.0], [3.0, 5.0]])
        sketch = make_sketch("rfd", 3).update(form(good))
        with pytest.raises(InputError, match=message):
            sketch.update(X)
        assert sketch.n_seen == 2
        assert abs(sketch.matrix().T @ sketch.matrix() - good.T @ good).max() < 1e-12


def test_overflow_of_squares_is_said():
    rows = Active(np.full((4, 3), 1e160), None)  # more than `as_block` lets in
    with pytest.raises(DivergedError, match="scale the data down"):
        decompose(np.empty(0), np.empty((0, 0)), rows, 3, 2)


def test_the_callers_arrays_are_neither_kept_nor_written_to():
    A = matrix("random_matrix")
    for form in (np.array, sp.csr_array):
        X = form(A)
        sketch = make_sketch("rfd", 8).update(X[:5])
        Y = form(A)[5:10]
        before = Y.copy()
        sketch.update(Y)
        expected = sketch.matrix().copy()
        assert abs(Y - before).max() == 0
        (Y.data if sp.issparse(Y) else Y)[...] = 7.0
        sketch._cached = None
        assert abs(sketch.matrix() - expected).max() == 0


def test_one_row_integers_and_lists():
    sketch = make_sketch("fd", np.int64(3))
    sketch.update([1, 2, 3]).update([[0, 1, 0]]).update(np.array([[True, False, True]]))
    A = np.array([[1, 2, 3], [0, 1, 0], [1, 0, 1]])
    assert sketch.n_seen == 3
    full = make_sketch("fd", 4).update(A).matrix()
    np.testing.assert_allclose(full.T @ full, A.T @ A, atol=1e-12)


def test_tables_that_are_read_once():
    table = pytest.importorskip("pyarrow").table({"a": [1.0, 2.0], "b": [0.5, 3.0]})
    sketches = [make_sketch("rfd", 2).update(rows) for rows in (table.to_reader(), np.array([[1.0, 0.5], [2.0, 3.0]]))]
    np.testing.assert_array_equal(*(sketch.matrix() for sketch in sketches))


def test_empty_sketches():
    for method in METHODS:
        sketch = make_sketch(method, 5)
        with pytest.raises(InputError, match="without rows"):
            sketch.transform([[1.0]])
        assert sketch.eigenvalues().shape == (0,)
        for form in (np.asarray, sp.csr_array):
            sketch = make_sketch(method, 5).update(form(np.zeros((0, 4))))
            assert sketch.matrix().shape[1] == 4
            assert sketch.transform(np.ones((2, 4))).shape[0] == 2


def test_merging_refuses_what_differs_and_itself():
    A = matrix("random_matrix")
    one = make_sketch("rfd", 5).update(A)
    for other in (make_sketch("rfd", 6), make_sketch("fd", 5), make_sketch("rfd", 5, alpha=1.0), make_sketch("oja", 5)):
        with pytest.raises(OptionError, match="differ in method, size or settings"):
            one.merge(other)
    with pytest.raises(OptionError, match="cannot be merged"):
        make_sketch("oja", 5).update(A).merge(make_sketch("oja", 5).update(A))
    with pytest.raises(OptionError, match="with itself"):
        one.merge(one)
    with pytest.raises(OptionError, match="7 columns with 30"):
        one.merge(make_sketch("rfd", 5).update(A[:, :7]))
    expected = one.matrix()
    np.testing.assert_array_equal(one.merge(make_sketch("rfd", 5)).matrix(), expected)
    copied = make_sketch("rfd", 5).merge(one)
    np.testing.assert_allclose(copied.matrix().T @ copied.matrix(), expected.T @ expected, atol=1e-10)
    assert (copied.n_seen, copied.frobenius) == (one.n_seen, one.frobenius)
    assert copied.alpha == pytest.approx(one.alpha, rel=1e-10)


# -- error measures ----------------------------------------------------------------------------------------------------


@for_all("method", METHODS)
@for_all("form", [np.asarray, sp.csr_array])
@for_all("name", ["low_rank", "categories", "images"])
def test_error_measures_equal_the_dense_ones(name, form, method):
    A = matrix(name)
    sketch = make_sketch(method, 9).update(form(A))
    B = sketch.matrix()
    B = B.toarray() if sp.issparse(B) else B
    total = (A**2).sum()
    blocks = [form(A[:100]), form(A[100:])]
    assert covariance_error(sketch, blocks) == pytest.approx(error(A, B, sketch.alpha) / total, rel=1e-8, abs=1e-12)
    expected = projection(A, B, 4) / tail(A, 4)
    ratio, root = projection_error(sketch, blocks, 4)
    assert ratio == pytest.approx(expected, rel=1e-6)
    assert root == pytest.approx(np.sqrt(expected), rel=1e-6)
    assert ratio >= 1 - 1e-9


@for_all("method", ["fd", "rfd", "cfd", "gauss"])
@for_all("n", [300, 900])
def test_error_measures_by_lanczos(method, n):
    """More columns than the limit of the direct way; with fewer and with more rows than columns."""
    rng = np.random.default_rng(1)
    A = sp.random_array((n, 600), density=0.03, rng=rng, format="csr") * (1 + 9 * (np.arange(600) < 6))
    A = sp.csr_array(A)
    sketch = make_sketch(method, 12).update(A)
    B, dense = sketch.matrix().toarray(), A.toarray()
    found = covariance_error(sketch, A)
    assert found == pytest.approx(error(dense, B, sketch.alpha) / (dense**2).sum(), rel=1e-4)
    ratio, _ = projection_error(sketch, A, 5)
    assert ratio == pytest.approx(projection(dense, B, 5) / tail(dense, 5), rel=1e-5)
    np.testing.assert_allclose(top_squares(A, 5), np.linalg.svd(dense, compute_uv=False)[:5] ** 2, rtol=1e-6)


def test_columns_that_never_occur_count_with_alpha():
    A = np.zeros((40, 9))
    A[:, :4] = np.random.default_rng(0).standard_normal((40, 4))
    sparse, dense = (make_sketch("rfd", 3).update(form(A)) for form in (sp.csr_array, np.asarray))
    assert covariance_error(sparse, A) == pytest.approx(covariance_error(dense, A), rel=1e-9)
    assert covariance_error(sparse, A) >= sparse.alpha / (A**2).sum() * (1 - 1e-12)


def test_alpha_zero_is_not_an_error():
    A = matrix("images")
    for form in (np.asarray, sp.csr_array):
        one, two = (make_sketch("rfd", 6, alpha=alpha).update(form(A)) for alpha in (0.0, 1e3))
        assert covariance_error(one, A) == pytest.approx(covariance_error(two, A), rel=1e-9)
        assert one.covariance_error_bound() == pytest.approx(two.covariance_error_bound(), rel=1e-12)


def test_other_rows_are_noticed():
    A = matrix("random_matrix")
    with pytest.raises(InputError, match="119 rows, expected the 120 rows"):
        covariance_error(make_sketch("fd", 4).update(A), A[:-1])


def test_sketch_as_transformer():
    A = matrix("images")
    sketch = make_sketch("fd", 20).update(A)
    np.testing.assert_allclose(sketch.transform(A), A @ sketch.components().T, atol=1e-9)
    assert sketch.transform(A, 3).shape == (len(A), 3)
    with pytest.raises(InputError, match="3 columns, expected 100"):
        sketch.transform(np.zeros((1, 3)))


def test_columns_never_seen_count_as_zero_in_transform():
    A = np.zeros((50, 8))
    A[:, 2:6] = np.random.default_rng(0).standard_normal((50, 4))
    sparse, dense = (make_sketch("fd", 5).update(form(A)) for form in (sp.csr_array, np.asarray))
    rows = np.random.default_rng(1).standard_normal((6, 8))
    expected = dense.transform(rows, 3)
    np.testing.assert_allclose(sparse.transform(sp.csr_array(rows), 3), expected, atol=1e-12)
    np.testing.assert_allclose(sparse.transform(rows, 3), expected, atol=1e-12)
