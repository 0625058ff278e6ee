"""Coverage on the command line, in the summary, the log and the page, and in the estimators."""

import json
from pathlib import Path

import numpy as np
import pytest

from sonlearn import OptionError
from sonlearn.report.quality import BLOCKS, WINDOW, CoverageTotals


@pytest.fixture(autouse=True)
def files(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1500, 3))
    y = x @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=1500)
    for name, labels in (("values", y), ("two", np.where(y > 0, 1, -1)), ("three", 1 + (y > -1) + (y > 1))):
        pairs = zip(labels, x, strict=True)
        rows = [f"{label:g} " + " ".join(f"{j}:{v:.6f}" for j, v in enumerate(row, 1)) for label, row in pairs]
        (tmp_path / f"{name}.svm").write_text("\n".join(rows) + "\n")


KINDS = {"values": ["--loss", "squared"], "two": [], "three": ["--oaa", "3"]}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_saved_written_and_summed_up(cli, kind):
    options = ["--method", "nag", "--coverage", ".9", *KINDS[kind]]
    more = ("-f", "m", "--log-json", "run.jsonl", "--report", "page.html")
    status, _, err = cli("train", *options, *more, f"{kind}.svm")
    assert status == 0, err
    end = json.loads(Path("run.jsonl").read_text().splitlines()[-1])["metrics"]["coverage"]
    assert end["asked"] == 0.9
    assert -0.02 < end["reached"] - 0.9 < 0.03, "sets begin as wide as right probabilities need, these are too modest"
    assert end["lowest"] > 0.85
    line = f"coverage = {end['reached']:.4f} of 0.9 asked, in the worst 1000 examples {end['lowest']:.3f}"
    assert line in err
    assert 'id="coverage"' in Path("page.html").read_text()
    status, out, _ = cli("predict", "--quiet", "-i", "m", f"{kind}.svm")
    lines = [text.split() for text in out.splitlines()]
    assert len(lines) == 1500
    labels = [text.split()[0] for text in Path(f"{kind}.svm").read_text().splitlines()]
    if kind == "values":
        inside = [float(low[1:]) <= float(y) <= float(high[:-1])
                  for y, (low, high) in zip(labels, (text[1].split(",") for text in lines), strict=True)]  # fmt: skip
    else:
        inside = [y in text[1][1:-1].split(",") for y, text in zip(labels, lines, strict=True)]
    assert abs(np.mean(inside) - 0.9) < 0.06


def test_values_that_are_plus_and_minus_one_have_intervals_in_words_too(cli):
    err = cli.err("train", "--method", "nag", "--loss", "squared", "--coverage", ".9", "--report", "p.html", "two.svm")
    assert "\nmean length of intervals = " in err
    assert "Mean length of intervals: " in Path("p.html").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_the_summary_says_that_no_labels_come(cli, kind):
    rows = [line.partition(" ") for line in Path(f"{kind}.svm").read_text().splitlines()[:50]]
    Path("with.vw").write_text("".join(f"{label} | {features}\n" for label, _, features in rows))
    Path("without.vw").write_text("".join(f" | {features}\n" for _, _, features in rows))
    assert cli("train", "--quiet", "--method", "nag", "--coverage", ".9", *KINDS[kind], "-f", "m", "with.vw")[0] == 0
    err = cli.err("predict", "-i", "m", "-p", "p", "without.vw")
    what = "intervals are as wide" if kind == "values" else "sets are by the thresholds"
    assert f"\ncoverage = n.a. (no labels come: {what}" in err
    assert "no labels come" not in cli("predict", "-i", "m", "-p", "p", "with.vw")[2]


def test_an_interval_that_has_no_ends_yet_is_empty(cli):
    options = ["--method", "nag", "--loss", "squared", "--coverage", ".9", "--quiet", "-p", "-"]
    assert cli("train", *options, "--output", "csv", "values.svm")[1].splitlines()[1] == "1,0.000000,,"
    first = json.loads(cli("train", *options, "--output", "jsonl", "values.svm")[1].splitlines()[0])
    assert first == {"id": 1, "prediction": 0.0, "low": None, "high": None}


def test_sets_of_words_have_the_words_and_left_out_rows_none(cli):
    rows = [[part.split(":")[-1] for part in row.split()] for row in Path("two.svm").read_text().splitlines()]
    table = ["y,a,b,c", *(",".join([{"-1": "no", "1": "yes"}[row[0]], *row[1:]]) for row in rows)]
    Path("two.csv").write_text("\n".join([*table[:5], "yes,1,2,3,4,5", *table[5:]]) + "\n")
    options = ["--method", "nag", "--coverage", ".95", "--on-error", "skip", "--label", "y", "--quiet"]
    assert cli("train", *options, "-f", "m", "two.csv")[0] == 0
    predict = ["predict", "--quiet", "--on-error", "skip", "-i", "m"]
    lines = cli(*predict, "two.csv")[1].splitlines()
    assert len(lines) == 1501
    assert lines[4] == "nan"
    assert {line.split()[1] for line in lines[5:]} <= {"{}", "{no}", "{yes}", "{no,yes}"}
    assert any(line.endswith("{yes}") for line in lines)
    rows = [json.loads(line) for line in cli(*predict, "--output", "jsonl", "two.csv")[1].splitlines()]
    assert rows[4] == {"id": 5, "label": None, "probability": None, "set": None}
    assert [",".join(one["set"]) for one in rows[5:]] == [line.split()[1][1:-1] for line in lines[5:]]


def test_tables_say_the_class_of_the_threshold(cli):
    assert cli("train", "--quiet", "--method", "nag", "--threshold", ".9", "-f", "m", "two.svm")[0] == 0
    rows = [
        json.loads(line)
        for line in cli("predict", "--quiet", "-i", "m", "--output", "jsonl", "two.svm")[1].splitlines()
    ]
    assert {one["label"] for one in rows} == {"-1", "1"}
    assert all((one["label"] == "1") == (one["probability"] > 0.9) for one in rows)
    assert any(0.5 < one["probability"] < 0.9 for one in rows)


def test_a_model_keeps_its_coverage(cli):
    assert cli("train", "--quiet", "--method", "nag", "--coverage", ".9", "-f", "m", "two.svm")[0] == 0
    status, _, err = cli("predict", "-i", "m", "--coverage", ".8", "two.svm")
    assert (status, "coverage = 0.8 is asked for, but the model m has coverage = 0.9" in err) == (1, True)
    assert cli("predict", "--quiet", "-i", "m", "--coverage", ".9", "two.svm")[0] == 0
    assert cli("train", "--quiet", "-i", "m", "-f", "m", "two.svm")[0] == 0
    assert cli("tune", "--quiet", "--grid", "method=nag,sgd", "--coverage", ".9", "-f", "t", "two.svm")[0] == 0
    assert "{" in cli("predict", "--quiet", "-i", "t", "two.svm")[1].splitlines()[-1]


@pytest.mark.parametrize("pieces", [1, 50])
def test_totals_are_their_definitions(pieces):
    rng = np.random.default_rng(1)
    covered, size = rng.random(5000) < 0.9, rng.random(5000)
    size[:3] = np.inf
    totals = CoverageTotals()
    for at in np.array_split(np.arange(5000), pieces):
        totals.add(covered[at], size[at])
    result = totals.result(0.9)
    windows = [covered[i : i + WINDOW].mean() for i in range(5000 - WINDOW + 1)]
    assert (result["lowest"], result["highest"]) == pytest.approx((min(windows), max(windows)))
    assert result["reached"] == covered.mean()
    assert result["size"] == pytest.approx(size[3:].mean())
    assert len(result["curve"]) <= BLOCKS
    begin = 0
    for end, share in result["curve"]:
        assert share == covered[begin:end].mean()
        begin = end
    assert begin == 5000


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    return X, X @ [1.0, -2.0, 0.5, 0.0] + 0.5 * rng.normal(size=2000)


def test_estimators_of_scikit_learn():
    estimators = pytest.importorskip("sonlearn.sklearn", reason="scikit-learn is not installed")
    X, y = data()
    ends = estimators.SonlearnRegressor(method="nag", coverage=0.9).fit(X[:1500], y[:1500]).predict_interval(X[1500:])
    assert ends.shape == (500, 2)
    assert abs(((ends[:, 0] <= y[1500:]) & (y[1500:] <= ends[:, 1])).mean() - 0.9) < 0.05
    names = np.array(["a", "b", "c"])[(y > -1).astype(int) + (y > 1)]
    for labels, loss in ((names, None), (np.where(y > 0, "b", "a"), None), (np.where(y > 0, "b", "a"), "squared")):
        model = estimators.SonlearnClassifier(method="nag", coverage=0.9, loss=loss).fit(X[:1500], labels[:1500])
        sets = model.predict_set(X[1500:])
        assert sets.shape == (500, len(model.classes_))
        assert abs(sets[np.arange(500), np.searchsorted(model.classes_, labels[1500:])].mean() - 0.9) < 0.06
    with pytest.raises(OptionError, match="keeps no coverage"):
        estimators.SonlearnRegressor(method="nag").fit(X, y).predict_interval(X)


def test_estimators_of_river():
    estimators = pytest.importorskip("sonlearn.river", reason="River is not installed")
    X, y = data()
    rows = [dict(zip("pqrs", row, strict=True)) for row in X.tolist()]
    values, classes = (
        getattr(estimators, f"Sonlearn{kind}")(method="nag", coverage=0.9) for kind in ("Regressor", "Classifier")
    )
    assert values.predict_interval_one(rows[0]) == (-np.inf, np.inf)
    assert classes.predict_set_one(rows[0]) == set()
    inside, held = [], []
    for row, label in zip(rows[:1000], y, strict=False):
        low, high = values.predict_interval_one(row)
        inside.append(low <= label <= high)
        held.append(bool(label > 0) in classes.predict_set_one(row))
        values.learn_one(row, label)
        classes.learn_one(row, bool(label > 0))
    assert abs(np.mean(inside) - 0.9) < 0.02
    assert abs(np.mean(held) - 0.9) < 0.02
