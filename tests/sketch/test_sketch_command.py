"""The command ``sonlearn sketch``: batches in, file and report out."""

import numpy as np
import pytest
import scipy.sparse as sp
from sketch_twin import error, matrix, tail

from sonlearn.commands import inspect
from sonlearn.commands.line import Line
from sonlearn.commands.sketch import histogram, merge_files, sketch_batches
from sonlearn.data.matrices import from_scipy, to_csr
from sonlearn.errors import InputError, ModelFileError, OptionError
from sonlearn.interrupts import Interrupts
from sonlearn.options.run import SketchRunOptions
from sonlearn.sketch import METHODS, SketchOptions, load, make_sketch

PLAIN = SketchRunOptions()


def batches(A, parts=4, constant=True):
    """Dense rows as batches of LIBSVM-like ids (column j is feature j + 1)."""
    return [from_scipy(sp.csr_array(part), constant=constant) for part in np.array_split(A, parts)]


def quiet(*lines):
    """Take lines of a report, and say nothing."""


def sketched(blocks, options, run=PLAIN, report=quiet):
    return sketch_batches(blocks, options, run, report, Interrupts())


def run_quietly(A, tmp_path, **values):
    lines = []
    method = values.pop("method", "rfd")
    sketch = sketched(
        batches(A), SketchOptions(method=method, size=8), SketchRunOptions(**values), lambda *more: lines.extend(more)
    )
    return sketch, lines


@pytest.mark.parametrize("method", METHODS)
def test_run_equals_the_library(method, tmp_path):
    A = matrix("categories")
    path = tmp_path / "s.sketch"
    sketch, _ = run_quietly(A, tmp_path, method=method, output=path)
    assert abs(load(path).matrix() - make_sketch(method, 8).update(sp.csr_array(A)).matrix()).max() == 0
    assert load(path).n_seen == sketch.n_seen == len(A)


def test_report(tmp_path):
    A = matrix("categories")
    sketch, lines = run_quietly(A, tmp_path, error=True, k=3)
    text = "\n".join(lines)
    B = sketch.matrix().toarray()
    wide = np.zeros((len(A), B.shape[1]))
    wide[:, : A.shape[1]] = A
    found = float(text.split("covariance error = ")[1].split()[0])
    assert found == pytest.approx(error(wide, B, sketch.alpha) / (A**2).sum(), rel=1e-5)
    V = sketch.components(3).toarray()
    ratio = ((wide - wide @ V.T @ V) ** 2).sum() / tail(A, 3)
    assert f"projection error at k = 3: squared = {ratio:.6g} of the best, norm = {np.sqrt(ratio):.6g}" in text
    assert f"rows = {len(A)}" in lines
    assert lines[0].split() == ["rows", "nonzeros", "columns", "alpha", "bound/||A||^2", "seconds"]
    progress = [int(line.split()[0]) for line in lines[1 : lines.index(f"rows = {len(A)}")]]
    assert progress == [38, 76, 150]  # blocks of 38, 38, 37, 37: a line at least doubles the one before, and the last


def test_columns_are_those_of_a_libsvm_file():
    batch = from_scipy(sp.csr_array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [5.0, 0.0, 7.0]]))
    np.testing.assert_array_equal(to_csr(batch, 1).toarray(), [[0, 2, 0], [0, 0, 0], [5, 0, 7]])
    np.testing.assert_array_equal(to_csr(batch, 0).toarray(), [[0, 0, 2, 0], [0, 0, 0, 0], [0, 5, 0, 7]])


class VwLike(list):
    format = "vw"


def test_vw_slots_are_columns_as_they_are():
    A = matrix("random_matrix")
    slots = VwLike(batch._replace(indices=batch.indices - 1) for batch in batches(A, constant=False))
    sketch = sketched(slots, SketchOptions(method="fd", size=5))
    assert sketch.n_features == A.shape[1]
    assert abs(sketch.matrix() - make_sketch("fd", 5).update(sp.csr_array(A)).matrix()).max() == 0


def test_files_are_merged_as_sketches_are(tmp_path):
    A, lines, paths = matrix("images"), [], [tmp_path / f"{i}.sketch" for i in range(4)]
    parts = [make_sketch("rfd", 10).update(part) for part in np.array_split(A, 3)]
    for part, path in zip(parts, paths, strict=False):
        part.save(path)
    merge_files(paths[:3], SketchRunOptions(output=paths[3]), lambda *more: lines.extend(more))
    assert f"rows = {len(A)}" in lines
    assert abs(load(paths[3]).matrix() - parts[0].merge(parts[1]).merge(parts[2]).matrix()).max() == 0


def test_merge_refuses(tmp_path):
    one, two, other = (tmp_path / f"{name}.sketch" for name in ("one", "two", "other"))
    for path, size in ((one, 5), (two, 5), (other, 6)):
        make_sketch("rfd", size).update(matrix("random_matrix")).save(path)
    with pytest.raises(OptionError, match=r"other\.sketch: merge: the sketches differ"):
        merge_files([one, other], PLAIN, quiet)
    with pytest.raises(OptionError, match=r"one\.sketch is given twice"):
        merge_files([one, two, tmp_path / "." / "one.sketch"], PLAIN, quiet)
    with pytest.raises(OptionError, match="one or more"):
        merge_files([], PLAIN, quiet)
    two.write_bytes(one.read_bytes()[:-9])
    with pytest.raises(ModelFileError, match=r"two\.sketch"):
        merge_files([one, two], SketchRunOptions(output=tmp_path / "never.sketch"), quiet)
    assert not (tmp_path / "never.sketch").exists()


def test_histogram_is_logarithmic_and_short():
    sketch = make_sketch("fd", 200).update(np.diag(10.0 ** -np.arange(100)[:9]))
    lines = histogram(sketch)
    bars = [line.count("#") for line in lines[1:]]
    assert len(bars) == 9
    assert bars[0] == 50
    assert bars[-1] == 1
    assert np.ptp(np.diff(bars)) <= 1
    long = histogram(make_sketch("fd", 200).update(np.random.default_rng(0).standard_normal((190, 150))))
    assert len(long) == 21
    assert "empty" in histogram(make_sketch("fd", 3))[0]


def test_a_row_that_cannot_be_sketched_is_named_by_file_and_line_and_leaves_the_old_sketch(tmp_path):
    old = tmp_path / "old.npz"
    old.write_text("precious")
    for value, found in ((1e200, r"1e\+200, expected finite numbers below"), (1e-200, "a row whose largest value")):
        blocks = [batch._replace(source="x.svm") for batch in batches(np.array([[0.0, 0.0], [0.0, value]]), 1)]
        with pytest.raises(InputError, match=rf"^x\.svm:2: found {found}"):
            sketched(batches(np.zeros((4, 2))) + blocks, SketchOptions(size=5), SketchRunOptions(output=old))
        assert [(path, path.read_text()) for path in tmp_path.iterdir()] == [(old, "precious")]


@pytest.mark.parametrize("method", METHODS)
def test_inspect_opens_sketches(method, tmp_path, capsys):
    sketch = make_sketch(method, 8).update(matrix("images"))
    sketch.save(tmp_path / "s")
    assert inspect.command(Line("inspect", [str(tmp_path / "s"), "--top", "3"])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{tmp_path / 's'}: a sonlearn sketch"
    assert f"  sketch = {sketch.kind}" in lines
    if sketch.kind == "directions":
        assert f"  name = {method}" in lines
        assert "  buffer = " + str(sketch.rule.buffer) in lines
    assert "  rows = 150" in lines
    assert f"  ||A||_F^2 = {sketch.frobenius:.9g}" in lines
    at = lines.index(f"eigenvalues of the sketch: {len(sketch.eigenvalues())}")
    found = [float(token) for line in lines[at + 1 :] for token in line.split()]
    np.testing.assert_allclose(found, sketch.eigenvalues(), rtol=1e-5)
    for line in lines:
        assert len(line) < 120 + len(str(tmp_path))
