"""The learner's sketch and the library's are the same sketch: equal to 1e-9 on the rows that the learner sketches."""

import numpy as np
import pytest
import scipy.sparse as sp
import streams
from dense_learner import loss_slope
from sketch_twin import DATA

from sonlearn import Learner, LearnOptions
from sonlearn.data.batch import Batch
from sonlearn.sketch import make_sketch


def sketched_rows(batch: Batch, options: LearnOptions, prediction) -> sp.csr_array:
    """ghat_t = sqrt(sigma + eta_t) l'(p_t, y_t) h_t x_t, with the learner's own predictions; column = feature id."""
    slopes = np.array([loss_slope(options.loss, p, y) for p, y in zip(prediction, batch.y, strict=True)])
    scale = np.sqrt(options.resolved_sigma + 1 / np.arange(1, batch.n + 1)) * np.abs(slopes) * batch.weight
    data = batch.values * np.repeat(scale, np.diff(batch.indptr))
    return sp.csr_array((data, batch.indices, batch.indptr), shape=(batch.n, int(batch.indices.max()) + 1))


def learners_matrix(learner: Learner, d: int) -> np.ndarray:
    """V' D^2 V + alpha I over the features 0..d-1, as the learner has it after its last shrink."""
    ids, V = learner.components()
    wide = np.zeros((len(V), d))
    wide[:, ids] = V
    return wide.T * learner.eigenvalues() @ wide + learner.alpha * np.eye(d)


def both(batch: Batch, method: str, m: int):
    """A learner that has learned `batch`, and a library sketch of the rows that it sketched. The rows end at a shrink.

    Both count rows: a direction that vanished keeps its place.
    """
    n = 2 * m + (batch.n - 2 * m) // (m + 1) * (m + 1)
    batch = streams.rows_of(batch, np.arange(n))
    options = LearnOptions(sketch=method, sketch_size=m, loss="squared", clip=1.0, alpha=1.0, diagonal=False)
    learner = Learner(options)
    rows = sketched_rows(batch, options, learner.partial_fit(batch).prediction)
    sketch = make_sketch(method, m, alpha=1.0).update(rows)
    assert sketch.shrinks > 20
    return learner, sketch


def assert_agree(learner: Learner, sketch) -> None:
    S, alpha = sketch.held()
    expected = (S.T @ S).toarray() + alpha * np.eye(S.shape[1])
    assert learner.alpha == pytest.approx(alpha, rel=1e-9)
    found = learners_matrix(learner, S.shape[1])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9 * (1 + sketch.frobenius))


@pytest.mark.parametrize("method", ["rfd", "fd"])
@pytest.mark.parametrize("m", [1, 2, 5, 10, 20])
def test_learner_and_library_agree(m, method):
    assert_agree(*both(streams.zipf(n=700), method, m))


@pytest.mark.parametrize("m", [2, 10])
def test_learner_and_library_agree_on_real_rows(m):
    path = DATA / "svm" / "a9a.svm.gz"
    if not path.exists():
        pytest.skip("no a9a.svm.gz in the data folder (SONLEARN_DATA)")
    assert_agree(*both(streams.read_svmlight(path, 700), "rfd", m))


def test_learner_and_library_agree_below_the_rank():
    assert_agree(*both(streams.low_rank(n=700), "rfd", 2))


@pytest.mark.parametrize("m", [5, 20])
def test_alpha_is_not_touched_above_the_rank(m):
    """Rank 4: the learner never shrinks, the library shrinks by exactly zero."""
    learner, sketch = both(streams.low_rank(n=700), "rfd", m)
    assert learner.alpha == sketch.alpha == 1.0


@pytest.mark.parametrize("m", [2, 5, 6, 7])
def test_learner_and_library_agree_on_repeated_rows(m):
    """Seven rows that repeat for ever: a shrink meets directions that are nearly, but not quite, in the kept span."""
    assert_agree(*both(streams.duplicated(n=700), "rfd", m))
