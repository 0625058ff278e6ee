"""The kinds of problem: what is counted and written of predictions, from its definition, for each kind in all forms."""

import json

import numpy as np
import pytest
from for_all import for_all
from places import ROOT

from sonlearn import Batch, Learner, LearnOptions, TextOptions
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options.bandit import BanditOptions
from sonlearn.report.decisions import DecisionProblem
from sonlearn.report.predictions import AnswerLines
from sonlearn.report.problem import SeveralClasses, TwoClasses, problem_of
from sonlearn.report.quality import CoverageTotals
from sonlearn.text.decisions import DecisionReader

pytestmark = pytest.mark.interpreted

N, D = 60, 5
#: Options of a learner of each kind, and its labels, of numbers 0, 1, 2 of classes.
KINDS = {
    "values": ({"loss": "squared", "coverage": 0.8}, lambda k: k + 0.25),
    "counts": ({"loss": "poisson"}, lambda k: 1.0 * k),
    "signs": ({"coverage": 0.8}, lambda k: 2.0 * (k > 0) - 1),
    "zero_one": ({}, lambda k: 1.0 * (k > 0)),
    "clipped": ({"clip": 0.2}, lambda k: 2.0 * (k > 0) - 1),
    "words": ({"coverage": 0.8}, lambda k: ["no", "yes"][k > 0]),
    "margins": ({"loss": "hinge"}, lambda k: 2.0 * (k > 0) - 1),
    "binary": ({"loss": "squared", "binary": True}, lambda k: 2.0 * (k > 0) - 1),
    "numbered": ({"oaa": 4}, lambda k: k + 1.0),
    "names": ({"classes": "auto", "coverage": 0.8}, lambda k: ["ham", "eggs", "spam"][k]),
}


def predicted_of(kind):
    """(problem, labels as they are written, batch, what was predicted of it) of a learner that has learned before."""
    given, label = KINDS[kind]
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2 * N, D))
    labels = [label(int(k)) for k in np.clip(np.round(x[:, 0] + 1 + 0.3 * rng.normal(size=2 * N)), 0, 2)]
    named = isinstance(labels[0], str)
    y = np.full(2 * N, np.nan) if named else np.array(labels)
    batch = Batch(
        D * np.arange(2 * N + 1), np.tile(np.arange(1, D + 1), 2 * N), x.ravel(), y, rng.choice([0.5, 2.0], 2 * N),
        np.arange(1, 2 * N + 1), class_names=labels if named else None,
    )  # fmt: skip
    learner = Learner(LearnOptions(method="nag", **given))
    learner.partial_fit(batch.part(0, N))
    batch = batch.part(N, 2 * N)
    return problem_of(learner.options, learner), labels[N:], batch, learner.partial_fit(batch)


@for_all("kind", list(KINDS))
def test_what_is_counted_of_a_batch(kind):
    problem, labels, batch, predicted = predicted_of(kind)
    refused = np.arange(N) % 7 == 3
    held = np.arange(N) % 5 == 1
    outcome = problem.outcome(batch, held, predicted._replace(refused=refused))
    own = predicted.label
    if isinstance(problem, SeveralClasses):
        wrong, written = predicted.prediction != own, problem.texts(own)
        assert written == [str(label if isinstance(label, str) else int(label)) for label in labels]
        shown = [problem.texts(values[~refused][4:5])[0] for values in (own, predicted.prediction)]
        assert [*outcome.shown(4)] == shown
    else:
        wrong = (predicted.decided > 0) != (own > 0)
        assert outcome.shown is None
        expected = [1.0 if label == "yes" else -1.0 if label == "no" else label for label in labels]
        assert own.tolist() == expected
    assert (outcome.wrong == wrong[~refused]).all()
    for ours, theirs in (
        (outcome.y, own), (outcome.weight, batch.weight), (outcome.prediction, predicted.prediction),
        (outcome.loss, predicted.loss), (outcome.features, np.full(N, D)), (outcome.held, held),
    ):  # fmt: skip
        assert (ours == theirs[~refused]).all()
    assert (outcome.predicted.raw == predicted.raw[~refused]).all()
    progress = problem.progress()
    progress.update(outcome._replace(held=np.zeros(len(outcome.y), bool)))
    assert progress.result.errors == pytest.approx((outcome.weight * outcome.wrong).sum())


@for_all("kind", list(KINDS))
def test_rows_of_tables_say_what_lines_and_replies_say(kind):
    problem, _, batch, predicted = predicted_of(kind)
    for every in (False, True):
        found = problem.answers(batch, predicted, every)
        columns, rows = tuple(found), [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]
        assert len(rows) == N
        csv, jsonl = (AnswerLines(form, columns).text(rows).split("\n")[:-1] for form in ("csv", "jsonl"))
        assert len(csv) == N + 1
        for line, row in zip(jsonl, rows, strict=True):
            assert {"id": json.loads(line)["id"], **row} == json.loads(line)
        each = [name for name in columns if name.startswith("probability of ")]
        of_two = ("signs", "clipped", "zero_one", "words", "binary")
        assert len(each) == every * ({"numbered": 4, "names": 3} | dict.fromkeys(of_two, 2)).get(kind, 0)
        if each:
            assert [sum(row[name] for name in each) for row in rows] == pytest.approx([1.0] * N)
    lines, replies = problem.lines(batch, predicted), problem.replies(predicted)
    more = problem.more(predicted, "coverage" in KINDS[kind][0], not problem.no_probabilities)
    if "label" in columns:
        assert {row["label"] for row in rows} <= set(problem.labels)
    else:
        assert replies == [row["prediction"] for row in rows] == predicted.prediction.tolist()
    if isinstance(problem, SeveralClasses):
        assert [str(line).split(" ")[0] for line in lines] == replies == [row["label"] for row in rows]
        assert [line.rpartition(":")[0] for line in problem.lines(batch, predicted, top=1)] == replies
    if "labels" in more and "probability" in columns and not isinstance(problem, SeveralClasses):
        assert more["probabilities"] == [row["probability"] for row in rows]
    if kind == "clipped":
        assert more["probabilities"] == pytest.approx(1 / (1 + np.exp(-predicted.prediction)))
        assert np.abs(predicted.raw).max() > 0.2 == np.abs(predicted.prediction).max()
    if "labels" in more:
        signs = dict(zip(problem._replied, problem.labels, strict=True))
        assert [signs[label] for label in more["labels"]] == [row["label"] for row in rows]
    if "sets" in more:
        signs = dict(zip(problem._replied, problem.labels, strict=True))
        assert [[signs[label] for label in one] for one in more["sets"]] == [row["set"] for row in rows]
        inside = ["{" + ",".join(map(str, one)) + "}" for one in more["sets"]]
        assert [line.split(" ")[1] for line in lines] == inside
        number = problem.learner.labels.numbers_of(predicted.label)
        covered, size = covered_of(problem, predicted)
        assert covered == [problem.labels[k] in row["set"] for k, row in zip(number, rows, strict=True)]
        assert size == [len(row["set"]) for row in rows]
    if "intervals" in more:
        assert more["intervals"] == [[row["low"], row["high"]] for row in rows]
        within = [row["low"] <= y <= row["high"] for row, y in zip(rows, predicted.label, strict=True)]
        assert covered_of(problem, predicted)[0] == within


def covered_of(problem, predicted):
    """What is counted of each row: whether its label is covered, and the size of its set or interval."""
    found = []

    class Recorded(CoverageTotals):
        def add(self, covered, size):
            found.extend((covered.tolist(), size.tolist()))

    Recorded().count(predicted, predicted.label, problem.learner.labels.numbers_of(predicted.label))
    return found


def test_two_numbers_without_probabilities_have_scores():
    problem, _, batch, predicted = predicted_of("margins")
    assert isinstance(problem, TwoClasses)
    assert problem.no_probabilities == "the model's loss, hinge, tells no probability"
    found = problem.answers(batch, predicted, True)
    assert (list(found), found["score"]) == (["label", "score"], predicted.raw.tolist())


def test_what_is_counted_of_decisions(tmp_path):
    options, some = BanditOptions(cb_explore_adf=True), tmp_path / "offers.vw"
    some.write_text("\n\n".join((ROOT / "data" / "offers.vw").read_text().split("\n\n")[:100]) + "\n\n")
    (decisions,) = DecisionReader(str(some), TextOptions(), options)
    bandit = Bandit(options)
    problem = DecisionProblem(bandit)
    outcome = problem.outcome(decisions, None, bandit.partial_fit(decisions))
    known = ~np.isnan(outcome.loss)
    assert (outcome.y[known] == decisions.cost[known]).all()
    assert np.isnan(outcome.y[~known]).all()
    assert outcome.features.sum() == len(decisions.rows.indices)
    assert not outcome.wrong.any()
    label = outcome.shown(0)[0].split(":")
    assert (int(label[0]), float(label[1])) == (decisions.action[0], decisions.cost[0])
    progress = problem.progress()
    progress.update(outcome)
    summary = progress.summary(1.0)
    assert f"number of examples with a cost = {known.sum()}" in summary
    assert f"average cost of the log = {decisions.cost[known].mean():.6f}" in summary
    assert progress.totals()["error"] is None
    assert not any("average error" in line for line in summary)
