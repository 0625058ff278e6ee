"""The bench that reproduces the papers must itself be right: its data, measures, what it keeps, what it writes."""

import gzip
import json

import numpy as np
import pytest

from bench import rows
from bench.papers import data, measures, run, runner
from bench.papers.report import Panel, Report
from sonlearn import LearnOptions

SON = {"method": "fd-son", "sketch_size": 40, "loss": "squared", "clip": 1.0, "sigma": "auto"}


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    """A data folder in which there is nothing."""
    monkeypatch.setattr(rows, "DATA", tmp_path / "none")
    data.whole.cache_clear()


# ------------------------------------------------------------------------------------------------- data


def test_conditions_share_labels_and_have_the_spectrum_that_the_paper_says():
    X, y = data.ill_conditioned(50, n=4000, d=30)
    again = data.ill_conditioned(1000, n=4000, d=30)[1]
    np.testing.assert_array_equal(y, again)
    assert np.mean((X**2).sum(axis=1)) == pytest.approx(1, rel=0.05)
    spectrum = np.linalg.eigvalsh(X.T @ X / len(X))
    assert spectrum[-1] / spectrum[0] == pytest.approx(50, rel=0.4)
    assert spectrum[19] / spectrum[0] < 1.6  # 20 of 30 directions are alike


def test_the_regression_stream_is_what_ada_describes():
    X, y = data.low_rank(0, n=4000, d=20)
    np.testing.assert_allclose(X.mean(axis=0), 1, atol=0.8)
    top = np.linalg.eigvalsh(np.cov(X.T))[::-1]
    np.testing.assert_allclose(top[:3], [100, 25, 100 / 9], rtol=0.15)
    assert np.linalg.matrix_rank(np.column_stack([X, y])) == 20


def test_adversarial_rows_lie_in_two_orthogonal_subspaces():
    A, _ = data.adversarial(100)
    first, second = A[:80], A[80:]
    assert np.abs(first @ second.T).max() < 1e-12
    assert np.linalg.matrix_rank(second) == 4
    np.testing.assert_allclose((A**2).sum(axis=1), 1)


def test_scaling_is_undone_and_zeros_come_back(tmp_path, monkeypatch, no_data):
    (tmp_path / "none" / "svm").mkdir(parents=True)
    scaled = "+1 1:-1 2:0.5\n-1 1:1 2:-1\n+1 1:-0.333333 2:1\n"
    (tmp_path / "none" / "svm" / "two.svm.gz").write_bytes(gzip.compress(scaled.encode()))
    monkeypatch.setitem(data.FILES, "two, raw", data.Files(("svm/two",), ranges=((0, 3), (10, 50))))
    X, y = data.whole("two, raw")
    np.testing.assert_allclose(X.toarray(), [[0, 40], [3, 10], [1, 50]], atol=1e-5)
    assert X.nnz == 5
    np.testing.assert_array_equal(y, [1, -1, 1])
    np.testing.assert_array_equal(data.rows_of("two, raw", "sorted", None)[1], [-1, 1, 1])
    np.testing.assert_array_equal(data.rows_of("two, raw", "file", 2)[1], [1, -1])
    assert data.there(["two, raw", "gisette", "low-rank 0"]) == ["two, raw", "low-rank 0"]


# ------------------------------------------------------------------------------------------------- measures


@pytest.mark.parametrize("scale", ["none", "gradients"])
def test_eigenvalues_are_of_the_rows_that_the_learner_sketched(scale):
    """Frequent directions with more rows than features lose nothing: the ten eigenvalues are the truth's."""
    options = SON | {"scale": scale, "eta": "1/t", "alpha": 0.5}
    job = {"set": "ill-conditioned 20 3", "rows": 150, "order": "file", "options": options | {"sketch_size": 101}}
    found = measures.eigenvalues(job | {"points": [30, 150]})
    assert found["points"] == [30, 150]
    assert max(found["errors"]) < 1e-8
    worse = measures.eigenvalues(job | {"points": [150], "options": options | {"sketch_size": 5}})
    assert worse["errors"][0] > 0.1


def test_projection_and_spectral_errors_are_the_librarys_and_numpys():
    from sonlearn.sketch import make_sketch, projection_error

    job = {"measure": "sketch", "set": "adversarial 200", "method": "rfd", "size": 12, "ks": [3, 7]}
    found = measures.sketch(job)
    A = data.adversarial(200)[0]
    made = make_sketch("rfd", 12).update(A)
    assert found["projection"] == pytest.approx([projection_error(made, A, k)[0] for k in (3, 7)], rel=1e-6)
    B = made.matrix()
    error = np.linalg.norm(A.T @ A - B.T @ B - made.alpha * np.eye(500), 2)
    assert found["spectral"] == pytest.approx(error / np.linalg.norm(A, 2) ** 2, rel=1e-4)


def test_rp_son_with_a_weight_is_the_step_that_ada_writes():
    """w -= eta (sigma I + S'S)^-1 g with S += r g' / t^(1/4), r Gaussian over sqrt(tau)."""
    from bench.papers.ada import job_of

    eta, sigma, tau = 0.3, 2.0, 4
    job = job_of("RP-SON", eta, sigma, tau, 7, "absolute") | {"set": "low-rank 1", "rows": 60, "order": "file"}
    found = measures.learn(job)
    X, y = data.rows_of("low-rank 1", "file", 60)
    normals = np.random.default_rng(7).standard_normal((60, tau)) / np.sqrt(tau)
    w, S, losses = np.zeros(X.shape[1]), np.zeros((tau, X.shape[1])), []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        losses.append(abs(w @ x - label))
        g = np.sign(w @ x - label) * x
        S += np.outer(normals[t], g) / (t + 1) ** 0.25
        w -= eta * np.linalg.solve(sigma * np.eye(len(w)) + S.T @ S, g)
    assert found["loss"] == pytest.approx(np.mean(losses), rel=1e-8)


def test_a_curve_is_of_means_so_far_and_ends_with_the_mean():
    values = np.arange(100.0)
    curve, at = measures.curve(values), measures.places(100)
    assert len(curve) == len(at) == measures.POINTS
    assert curve[-1] == pytest.approx(values.mean(), rel=1e-4)
    assert curve[3] == pytest.approx(values[: at[3]].mean(), rel=1e-4)


def test_a_learner_that_diverges_is_a_result():
    job = {"set": "low-rank 0", "rows": 300, "options": {"method": "sgd", "loss": "squared", "learning_rate": 1e6}}
    assert measures.learn(job) == {"error": None, "diverged": True}


# ------------------------------------------------------------------------------------------------- what is kept


def experiment(jobs, **values):
    return runner.Experiment(
        ("figure 1",), "", "", (), lambda scale, sets: jobs, lambda results, report: None, **values
    )


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch):
    done = []

    def measure(job):
        done.append(job["x"])
        if job["x"] == 3 and done.count(3) == 1:
            raise KeyboardInterrupt
        return {"twice": 2 * job["x"]}

    monkeypatch.setitem(runner.MEASURES, "double", measure)
    path = tmp_path / "out" / "p.jsonl"
    jobs = {("cell", x): {"measure": "double", "x": x} for x in (1, 2, 3, 4)}
    jobs["same",] = {"x": 1, "measure": "double"}
    with pytest.raises(KeyboardInterrupt):
        runner.run(experiment(jobs), runner.Kept(path), runner.Scale(False))
    with open(path, "a") as file:
        file.write('{"job": {"measure": "dou')  # as a kill in the midst of a line leaves it
    results, older = runner.run(experiment(jobs), runner.Kept(path), runner.Scale(False))
    assert done == [1, 2, 3, 3, 4]
    assert results == {**{("cell", x): {"twice": 2 * x} for x in (1, 2, 3, 4)}, ("same",): {"twice": 2}}
    assert older == 0
    runner.run(experiment(jobs), runner.Kept(path), runner.Scale(False), fresh=True)
    assert done[5:] == [1, 2, 3, 4]
    entries = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    assert len(entries) == 8
    monkeypatch.setattr(runner, "sources", lambda: "others")
    assert runner.run(experiment(jobs), runner.Kept(path), runner.Scale(False))[1] == 5


def test_second_jobs_follow_from_the_first_results(tmp_path, monkeypatch):
    monkeypatch.setitem(runner.MEASURES, "square", lambda job: {"value": (job["x"] - 2) ** 2})
    first = {(x,): {"measure": "square", "x": x} for x in (0, 2, 5)}

    def then(scale, results):
        best = min(results, key=lambda key: results[key]["value"])
        return {("best",): {"measure": "square", "x": best[0] + 10}}

    results, _ = runner.run(experiment(first, then=then), runner.Kept(tmp_path / "p.jsonl"), runner.Scale(True))
    assert results["best",] == {"value": 100}


# ------------------------------------------------------------------------------------------------- what is written


@pytest.mark.parametrize("paper", run.PAPERS)
def test_every_job_has_options_that_the_learner_takes(paper, no_data):
    """At full scale, with every set taken to be there."""
    labels = set()
    for each in run.experiments(paper):
        jobs = each.jobs(runner.Scale(False), list(each.sets))
        assert jobs or each.covers == ("claims",)  # its sets are those of the data folder
        assert {job["measure"] for job in jobs.values()} <= measures.MEASURES.keys()
        labels |= {LearnOptions(**job["options"]).method for job in jobs.values() if "options" in job}
    assert len(labels) >= 4 or paper == "gfd"


def test_a_figure_is_written_twice(tmp_path):
    pytest.importorskip("matplotlib", reason="the extra plot")
    report = Report(tmp_path, "x")
    line, dots = ([1, 2, 3], [0.1, None, 0.3]), ([1, 2], [3, 4], [5, 6])
    lines = Panel("a", "x", "y", {"FD": line, "paper: FD": line}, log="xy")
    points = {"points": True, "colour": "seconds", "diagonal": True}
    report.figure([lines, Panel("b", "x", "y", {"mGFD": dots, "0.2-FD": dots[:2]}, **points)], "two")
    assert (tmp_path / "x.svg").stat().st_size > 1000
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


def test_one_figure_by_one_command_without_any_data(tmp_path, no_data, capsys, monkeypatch):
    monkeypatch.setattr(Report, "figure", lambda self, panels, title, across: self.say(f"{len(panels)} panels"))
    words = ["gfd", "--figure", "13", "--quick"]
    run.main(words, out=tmp_path)
    text = (tmp_path / "quick" / "gfd-figure-2.md").read_text()
    assert text == capsys.readouterr().out.rstrip("\n") + "\n"
    assert "Quick run" in text
    assert "left out: sms; usps" in text
    assert "Adversarial, Figure 13: projection error" in text
    assert "5 panels" in text
    kept = (tmp_path / "quick" / "gfd.jsonl").read_bytes()
    run.main(words, out=tmp_path)
    assert (tmp_path / "quick" / "gfd.jsonl").read_bytes() == kept


def test_a_figure_that_is_not_there_is_refused():
    with pytest.raises(SystemExit, match="son has no figure 9 here: figure 1, figure 2, table 4"):
        run.main(["son", "--figure", "9"])
