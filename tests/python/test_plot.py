"""Pictures hold the numbers of the log or of the learner."""

import json

import numpy as np
import pytest
from places import ROOT, sample

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from sonlearn import InputError, Learner, LearnOptions, OptionError, from_scipy, plot, read_batches
from sonlearn.cli import main

pytestmark = pytest.mark.interpreted


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The name of a log, and its last object."""
    folder = tmp_path_factory.mktemp("plot")
    (folder / "a.svm").write_text(sample("sample.svm", stop=400), encoding="utf-8")
    path = folder / "run.jsonl"
    members = ["--members", "nag,drfd:lunit"]
    assert main(["train", "--quiet", *members, "--log-json", str(path), str(folder / "a.svm")]) == 0
    return path, json.loads(path.read_text(encoding="utf-8").splitlines()[-1])


def drawn(ax):
    ax.figure.canvas.draw()
    return {line.get_label(): line.get_xydata() for line in ax.get_lines()}


@pytest.mark.parametrize("what", ["loss", "error"])
def test_progress(log, what):
    path, end = log
    ax = plot.progress(plot.read_run(path), what)
    lines = drawn(ax)
    # -P 2.0 has a row at 256 at the latest; the log's last one is nearer to the end
    assert 360 < lines["average so far"][-1][0] <= 400
    assert lines["average so far"][-1][1] == pytest.approx(end[what], abs=0.03)
    assert (ax.get_xscale(), ax.get_ylabel()) == ("log", what)
    assert len(lines["since the point before"]) > 5


def test_calibration_and_speed(log):
    path, end = log
    ax = plot.calibration(path)
    dots = [line for line in ax.get_lines() if line.get_label().startswith("Brier")]
    bins = [b for b in end["calibration"]["bins"] if b["examples"] >= 5]
    assert np.array_equal(dots[0].get_xydata(), [(b["predicted"], b["happened"]) for b in bins])
    assert plot.speed(path).get_xlabel() == "examples read"


def test_members_spectrum_and_weights(log):
    path, end = log
    ax = plot.members(path)
    assert [bar.get_width() for bar in ax.patches] == [m["weight"] or 0.0 for m in end["members"]]
    assert drawn(plot.spectrum(path))["drfd:lunit"][:, 1].tolist() == [
        v for v in end["spectra"][0]["eigenvalues"] if v > 0
    ]
    ax = plot.weights(path, top=7)
    assert [bar.get_width() for bar in ax.patches] == [one["weight"] for one in end["weights"][:7]]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == [one["name"] for one in end["weights"][:7]]


def test_of_learners():
    learner = Learner(LearnOptions(method="rfd-son", sketch_size=4))
    for batch in read_batches(ROOT / "data" / "sample.svm"):
        learner.partial_fit(batch.part(0, 200))
    _, axes = pyplot.subplots()
    assert plot.spectrum(learner, ax=axes) is axes
    values = learner.eigenvalues()
    assert drawn(axes)["sketch"][:, 1].tolist() == values[values > 0].tolist()
    assert "alpha" in drawn(axes)
    _, w = learner.weights()
    assert [bar.get_width() for bar in plot.weights(learner, top=3).patches] == w[np.argsort(-np.abs(w))[:3]].tolist()
    with pytest.raises(OptionError, match="there are no members"):
        plot.members(learner)
    with pytest.raises(OptionError, match="expected None"):
        plot.weights(learner, label=3)
    with pytest.raises(OptionError, match="there is no sketch"):
        plot.spectrum(Learner(LearnOptions(method="nag")))
    assert len(pyplot.get_fignums()) == 2  # none is opened for what cannot be drawn


def test_of_several_classes(tmp_path):
    (tmp_path / "c.vw").write_text("1 |w a b\n2 |w c\n3 |w a\n" * 20)
    learner = Learner(LearnOptions(method="nag", oaa=3))
    for batch in read_batches(tmp_path / "c.vw"):
        learner.partial_fit(batch)
    _, w = learner.weights()
    k = learner.classes.index(2)
    assert plot.weights(learner, top=1, label=2).patches[0].get_width() == w[k][np.argmax(np.abs(w[k]))]
    with pytest.raises(OptionError, match="expected one of 1, 2, 3"):
        plot.weights(learner)


def test_members_of_several_classes():
    learner = Learner(LearnOptions(classes="auto", members="nag,arow-precision:zs"))
    learner.partial_fit(from_scipy(np.arange(60.0).reshape(30, 2) % 7, np.arange(30) % 3.0))
    weights = [member["weight"] for member in learner.facts()["members"]]
    assert sorted(bar.get_width() for bar in plot.members(learner).patches) == sorted(weights)


def test_what_cannot_be_drawn(log, tmp_path):
    path, _ = log
    with pytest.raises(OptionError, match="expected error or loss"):
        plot.progress(path, "speed")
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert len(plot.progress(cut).get_lines()) == 2
    with pytest.raises(OptionError, match="the log has no end"):
        plot.calibration(cut)
    with pytest.raises(InputError, match=r"none\.jsonl: found no such file"):
        plot.progress(tmp_path / "none.jsonl")
