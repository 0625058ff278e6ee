"""How predictions are written: --link, --binary, --min_prediction, --max_prediction; as VW says it."""

import json
import re

import numpy as np
import pytest
from commands import summary
from streams import words_text, zipf
from vw_peer import vw_predictions

from sonlearn import Learner, LearnOptions

LINKS = {
    "identity": lambda p: p,
    "logistic": lambda p: 1 / (1 + np.exp(-p)),
    "glf1": lambda p: 2 / (1 + np.exp(-p)) - 1,
    "poisson": np.exp,
}
METHODS = ["committee", "nag", "rfd-son", "drfd"]


@pytest.fixture
def text(tmp_path):
    """A file of 300 rows of words, labels -1 and +1."""
    path = tmp_path / "words.vw"
    path.write_text(words_text(300, 40, 0.3, seed=3))
    return path


def numbers(path):
    return np.array([float(line.split()[0]) for line in path.read_text().splitlines()])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("link", ["logistic", "glf1", "poisson"])
def test_a_link_is_said_and_changes_nothing_else(method, link):
    batch = zipf(n=120, d=40)
    plain, other = (Learner(LearnOptions(method=method, **more)) for more in ({}, {"link": link}))
    expected, found = plain.partial_fit(batch), other.partial_fit(batch)
    np.testing.assert_allclose(found.prediction, LINKS[link](expected.prediction), rtol=1e-12)
    np.testing.assert_array_equal(found.loss, expected.loss)
    np.testing.assert_array_equal(found.raw, expected.raw)
    np.testing.assert_allclose(other.predict(batch).prediction, LINKS[link](plain.predict(batch).prediction))
    assert np.std(found.prediction) > 0


@pytest.mark.parametrize("method", METHODS)
def test_binary_says_classes_and_counts_errors(method):
    batch = zipf(n=120, d=40)
    expected = Learner(LearnOptions(method=method)).partial_fit(batch)
    found = Learner(LearnOptions(method=method, binary=True)).partial_fit(batch)
    np.testing.assert_array_equal(found.prediction, np.where(expected.prediction > 0, 1, -1))
    np.testing.assert_array_equal(found.loss, found.prediction != np.where(batch.y > 0, 1, -1))
    np.testing.assert_array_equal(found.raw, expected.raw)
    assert {-1, 1} == set(found.prediction)


@pytest.mark.parametrize("method", METHODS)
def test_predictions_stay_between_the_bounds(method):
    """Each bound alone, both, and with --clip; what learns from margins learns as without."""
    batch = zipf(n=150, d=40)
    plain = Learner(LearnOptions(method=method)).partial_fit(batch)
    for more, low, high in (
        ({"min_prediction": -0.1}, -0.1, np.inf), ({"max_prediction": 0.2}, -np.inf, 0.2),
        ({"min_prediction": 0.0, "max_prediction": 0.2}, 0.0, 0.2),
    ):  # fmt: skip
        learner = Learner(LearnOptions(method=method, **more))
        found = learner.partial_fit(batch)
        assert (found.prediction >= low).all()
        assert (found.prediction <= high).all()
        assert (plain.prediction < low).any() or (plain.prediction > high).any()
        np.testing.assert_array_equal(found.prediction, np.clip(found.raw, low, high))
        again = learner.predict(batch)
        np.testing.assert_array_equal(again.prediction, np.clip(again.raw, low, high))
        if method in ("committee", "drfd"):
            np.testing.assert_array_equal(found.raw, plain.raw)


def test_two_bounds_around_zero_are_clip():
    batch = zipf(n=200, d=40, unit=False)
    for method in ("nag", "ogd", "rfd-son", "full-on", "rp-son"):
        one = Learner(LearnOptions(method=method, loss="squared", clip=0.3)).partial_fit(batch)
        other = Learner(LearnOptions(method=method, loss="squared", min_prediction=-0.3, max_prediction=0.3))
        np.testing.assert_array_equal(one.raw, other.partial_fit(batch).raw)


def test_the_model_keeps_them(text, tmp_path, cli):
    """predict repeats no option; the error rate is that of the classes, whatever is said of them."""
    errors = {}
    for flags in ([], ["--link", "logistic"], ["--binary"], ["--link", "poisson"]):
        model, predictions = tmp_path / "m", tmp_path / "predictions"
        for file in (model, predictions):
            file.unlink(missing_ok=True)
        error = cli.err("train", "--method", "nag", "-f", model, *flags, text)
        errors[tuple(flags)] = summary(error, "average error")
        assert cli("predict", "--quiet", "-i", model, "-p", predictions, text)[0] == 0
        assert np.isfinite(Learner.load(model).weights()[1]).all()
        p = numbers(predictions)
        assert len(p) == 300
        if "logistic" in flags:
            assert ((p > 0) & (p < 1)).all()
        if "--binary" in flags:
            assert set(p) == {-1, 1}
            assert summary(error, "average loss") == errors[()]
    assert len(set(errors.values())) == 1
    assert 0 < float(errors[()]) < 0.5
    error = cli.error("train", "-i", tmp_path / "m", "--link", "identity", text)
    assert "link = identity is asked for, but the model" in error


@pytest.mark.parametrize("method", ["nag", "rfd-son"])
def test_predict_may_be_told_otherwise(method, text, tmp_path, cli):
    """As with VW, a model that was trained without a link tells probabilities when asked; it stays what it is."""
    model, predictions = tmp_path / "m", tmp_path / "predictions"
    assert cli("train", "--quiet", "--method", method, "--loss", "logistic", "-f", model, text)[0] == 0
    before = model.read_bytes()
    p = {}
    for flags in ([], ["--link", "logistic"], ["--binary"], ["--min_prediction", "-0.1", "--max_prediction", "0.2"]):
        assert cli("predict", "--quiet", "-i", model, "-p", predictions, *flags, text)[0] == 0
        p[" ".join(flags)] = numbers(predictions)
        if "--link" in flags:
            assert cli("train", "-t", "--quiet", "-i", model, "-p", predictions, *flags, text)[0] == 0
            np.testing.assert_array_equal(numbers(predictions), p["--link logistic"])
    plain = p[""]
    np.testing.assert_allclose(p["--link logistic"], LINKS["logistic"](plain), atol=2e-6)
    np.testing.assert_array_equal(p["--binary"], np.where(plain > 0, 1, -1))
    np.testing.assert_allclose(p["--min_prediction -0.1 --max_prediction 0.2"], np.clip(plain, -0.1, 0.2))
    assert model.read_bytes() == before
    assert "--binary with --link logistic" in cli.error("predict", "-i", model, "--link", "logistic", "--binary", text)


@pytest.mark.parametrize(
    ("kind", "true", "false"),
    [("csv", "True", "False"), ("csv", "true", "false"), ("jsonl", "true", "false"), ("parquet", "true", "false")],
)
def test_true_and_false_come_back_as_they_are_written(kind, true, false, tmp_path, cli):
    """However another file writes them, they are the same."""
    rows = [{"y": i % 2 == 0, "a": i % 7} for i in range(60)]
    for name, labels in (("words", (false, true)), ("numbers", (0, 1))):
        lines = [f"{labels[row['y']]},{row['a']}\n" for row in rows]
        (tmp_path / f"{name}.csv").write_text("".join(["y,a\n", *lines]))
    (tmp_path / "words.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    if kind == "parquet":
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "words.parquet")
    printed = cli.err(f"train --method nag --label y -f m words.{kind}")
    assert f"positive label = {true} (the other: {false})" in printed
    assert cli.out(f"predict -i m --quiet --output csv words.{kind}").splitlines()[1].startswith(f"1,{true},")
    others = [] if kind == "jsonl" else ["words.csv", "numbers.csv"]
    printed = [cli.err(f"predict -i m -p p {name}") for name in (f"words.{kind}", "words.jsonl", *others)]
    assert len({re.search("average error = .*", text)[0] for text in printed}) == 1


@pytest.mark.parametrize(("positive", "names"), [("True", "True False"), ("true", "true False"), ("0", "0 True")])
def test_which_of_true_and_false_is_positive(positive, names, tmp_path, cli):
    (tmp_path / "a.csv").write_text("y,a\n" + "True,1\nFalse,2\n" * 20)
    printed = cli.err(f"train --method nag --label y --positive {positive} a.csv")
    assert "positive label = {} (the other: {})".format(*names.split()) in printed


def test_binary_takes_labels_of_two_classes_only(tmp_path, cli):
    data = tmp_path / "values.svm"
    data.write_text("0.5 1:1\n")
    error = cli.error("train", "--quiet", "--loss", "squared", "--binary", data)
    assert "-1 and +1, or 0 and 1, for --binary" in error
    data.write_text("0 1:1\n1 2:1\n")
    assert cli("train", "--quiet", "--loss", "squared", "--binary", data)[0] == 0


@pytest.mark.parametrize(
    "flags",
    [
        ["--link", "logistic", "--loss_function", "logistic"],
        ["--link", "glf1"],
        ["--binary"],
        ["--min_prediction", "-0.2", "--max_prediction", "0.3"],
        ["--l2", "0.01"],
        ["--l2", "0.03", "--loss_function", "logistic"],
    ],
)
def test_vw_says_the_same(text, flags, tmp_path, cli):
    """nag is VW's default step."""
    ours = tmp_path / "ours"
    ours_flags = flags if "--loss_function" in flags else [*flags, "--loss", "squared"]
    bounded = "--min_prediction" in flags or "--loss_function" in flags
    clip = [] if bounded else ["--clip", "1"]
    assert cli("train", "--quiet", "--method", "nag", *clip, "-p", ours, *ours_flags, text)[0] == 0
    theirs = vw_predictions(text.read_text().splitlines(), " ".join(flags))
    late = slice(10, None)  # without bounds VW's follow from the labels it has seen: [-1, 1] once it has seen both
    np.testing.assert_allclose(numbers(ours)[late], np.array(theirs)[late], atol=2e-4)


def test_what_is_said_in_another_way_stays_so_in_a_file_and_changes_nothing_beneath(tmp_path):
    batch = zipf(n=200, d=40)
    learner, alike = (Learner(LearnOptions(method="rfd-son", sketch_size=4)) for _ in range(2))
    learner.partial_fit(batch)
    alike.partial_fit(batch)
    learner.set_output(link="logistic", max_prediction=0.1)
    learner.save(tmp_path / "model")
    again = Learner.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(batch).prediction, learner.predict(batch).prediction)
    assert again.predict(batch).prediction.max() == pytest.approx(1 / (1 + np.exp(-0.1)))
    wanted = alike.partial_fit(batch).raw
    assert wanted.max() > 0.1
    np.testing.assert_array_equal(again.partial_fit(batch).raw, wanted)
