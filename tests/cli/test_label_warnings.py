"""Warnings about labels: a third one, missing ones, only one; and which of two words is the positive label."""

from __future__ import annotations

import pytest
from commands import one_line

from sonlearn import Learner, LearnOptions, TextOptions, read_batches
from sonlearn.report.metrics import Metrics


def trained(cli, tmp_path, labels, *flags):
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i % 7},{label}\n" for i, label in enumerate(labels)))
    return cli("train", "--method", "nag", "--label", "y", tmp_path / "t.csv", *flags)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            ("yes", "no", "Yes"),
            "'no' or 'yes', the two labels so far ('yes' and 'Yes' differ by capitals alone",
        ),
        (
            ("yes", "NA", "no"),
            "two labels so far (if 'NA' means that there is none, leave it empty; several classes",
        ),
        ((0, 1, "NA"), "found label 'NA', expected 0 or 1 for --loss logistic (an example without a label has nothing"),
        (
            (1, 2),
            "found label 2, expected -1 and +1, or 0 and 1, for --loss logistic (several classes: --oaa K, or",
        ),
        ((1, 2), "; two other labels: --positive 2)"),
        ((0, 1, -1), "found label -1, expected 0 or 1 for --loss logistic (labels so far are 0 and 1: write 0)"),
        ((1, -1, 0), "expected -1 or +1 for --loss logistic (labels so far are -1 and +1: write -1)"),
    ],
)
def test_a_label_too_many(cli, tmp_path, labels, message):
    assert message in one_line(trained(cli, tmp_path, labels, "--quiet"))


@pytest.mark.parametrize(("labels", "positive"), [(("ja", "nein"), "ja"), (("non", "oui"), "oui"), (("a", "b"), "b")])
def test_the_positive_word(cli, tmp_path, labels, positive):
    assert f"\npositive label = {positive} (" in trained(cli, tmp_path, labels)[2]


def test_one_label_alone_is_said(cli, tmp_path):
    for labels, flags in ((["yes"], ()), ([1], ()), ([0], ()), (["a"], ("--classes", "auto"))):
        status, _, err = trained(cli, tmp_path, labels * 100, "--quiet", *flags)
        warning = (
            f"sonlearn: warning: all labels are {str(labels[0])!r}: there is nothing to tell apart; is it the right"
        )
        assert (status, err[: len(warning)]) == (0, warning)
        assert trained(cli, tmp_path, labels * 99, "--quiet", *flags)[2] == ""
    assert trained(cli, tmp_path, ["yes"] * 99 + ["no"], "--quiet")[2] == ""
    assert "tell apart" not in trained(cli, tmp_path, [3] * 100, "--quiet", "--loss", "squared")[2]


def test_nobody_is_said_by_name(cli, tmp_path):
    err = trained(
        cli, tmp_path, ["ham", *["spam" if i % 20 == 0 else "ham" for i in range(199)]], "--quiet", "--threshold", ".99"
    )[2]
    assert err.startswith("sonlearn: warning: no example was predicted 'spam', though 5 % are")
    assert err.endswith("of those it predicts are 'spam'")


def test_what_is_predicted_before_any_class_is_known_is_no_class():
    lines = [f'{{"a": {i % 3 + 1}, "y": "{"uvw"[i % 3]}"}}' for i in range(120)]
    learner = Learner(LearnOptions(method="nag", classes="auto"), TextOptions(format="json", label="y"))
    metrics = Metrics(learner)
    for batch in read_batches(lines, learner.text, class_names=True):
        predicted = learner.partial_fit(batch)
        metrics.add(batch, predicted)
    result = metrics.result()
    assert learner.label_texts(predicted.prediction[:1]) == ["unknown"]
    assert result["classes"] == 3
    assert result["macro_f1"] == pytest.approx(sum(row["f1"] for row in result["worst"]) / 3)


def test_names_of_methods_are_found_whatever_their_capitals(cli):
    assert cli.error("train", "--method", "RFD-SON").startswith("--method RFD-SON: expected one of rfd-son, ")
