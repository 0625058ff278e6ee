"""``sonlearn evaluate``: a log of decisions in, estimates of models out."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from offpolicy_twin import line_of

from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.offpolicy.evaluation import Evaluation, Line
from sonlearn.text.decisions import DecisionReader

K = 3


def log_lines(n, seed, probability=True):
    """Lines of ``--cb 3``: the action of the context's number is the cheap one; the log mostly takes the first."""
    rng = np.random.default_rng(seed)
    p = np.array([0.6, 0.2, 0.2])
    lines = []
    for _ in range(n):
        context, action = rng.integers(0, K), rng.choice(K, p=p)
        cost = int(rng.random() < (0.2 if action == context else 0.8))
        label = f"{action + 1}:{cost}:{p[action]}" if probability else f"{action + 1}:{cost}:1"
        lines.append(f"{label} | c{context}\n")
    return lines


def dsjson_of(line, p):
    """The same decision in dsjson, with all probabilities."""
    label, _, features = line.partition(" | ")
    action, cost, own = label.split(":")
    actions = [int(action), *(a for a in (1, 2, 3) if a != int(action))]
    return json.dumps({
        "_label_cost": float(cost), "_label_probability": float(own), "_label_Action": int(action),
        "_labelIndex": int(action) - 1, "a": actions, "p": [p[a - 1] for a in actions],
        "c": {features.strip(): 1, "_multi": [{"a": {f"n{i}": 1}} for i in range(K)]},
    }) + "\n"  # fmt: skip


@pytest.fixture(autouse=True)
def files(cli):
    """A log, and a model of an earlier one."""
    Path("old.vw").write_text("".join(log_lines(300, 0)))
    Path("new.vw").write_text("".join(log_lines(700, 1)))
    cli.out("train", "--quiet", "--cb", K, "-f", "a.model", "old.vw")


def lines_of(result):
    status, out, err = result
    assert status == 0, err
    return [Line(**json.loads(line)) for line in out.splitlines()]


def expected(paths, source, **options):
    """The same, by hand."""
    models = [Bandit.load(path) for path in paths]
    evaluation = Evaluation(list(paths), (0.0, 1.0), **options)
    streams = [DecisionReader(source, model.text, model.options) for model in models]
    for batches in zip(*streams, strict=True):
        decided = [model.decide(one) for model, one in zip(models, batches, strict=True)]
        evaluation.add(batches[0], decided)
    return evaluation


def test_the_result_is_that_of_an_evaluation_however_it_is_written(cli):
    assert cli("train --quiet --cb_explore 3 --explore squarecb -b 10 -f b.model old.vw").status == 0
    call = ("evaluate", "-i", "a.model", "-i", "b.model", "--floor", ".2", "--level", ".9", "--horizon", "700")
    evaluation = expected(["a.model", "b.model"], "new.vw", level=0.9, floor=0.2, horizon=700)
    lines = lines_of(cli(*call, "--output", "jsonl", "-P", "500", "new.vw"))
    half, whole = [[line for line in lines if line.decisions == n] for n in (500, 700)]
    assert whole == evaluation.lines()
    assert len(half) == len(whole) == 1 + 5 * 3
    status, out, _ = cli(*call, "--output", "csv", "-P", "100000", "new.vw")
    rows = list(csv.reader(io.StringIO(out)))
    assert (status, rows[0]) == (0, list(Line._fields))
    assert [[float(x) for x in row[4:]] for row in rows[1:]] == [list(line[4:]) for line in whole]
    status, out, err = cli(*call, "new.vw")
    assert "a.model costs less than the log, by " in out
    assert "whether b.model costs less than a.model is not known yet" in out or "b.model costs more than a.model" in out
    assert [row.split()[0] for row in err.splitlines()[2:]] == [str(2 ** (i // 2)) for i in range(20)]
    gain = line_of(evaluation, "a.model", "log")
    assert gain.low < 0.2 - (0.2 + 2 * 0.8) / 3 < gain.high < 0


def test_what_is_no_number_is_nothing_in_csv_and_null_in_json(cli):
    """The mean of a weight of decisions that another action was taken in is 0/0."""
    for form, nothing in (("csv", ""), ("jsonl", None)):
        out = cli("evaluate", "--output", form, "-i", "a.model", "new.vw", "--examples", 1).out
        rows = [json.loads(line) for line in out.splitlines()] if form == "jsonl" else csv.DictReader(io.StringIO(out))
        values = [value for row in rows for name, value in row.items() if name in Line._fields[4:]]
        assert nothing in values
        assert all(value == nothing or np.isfinite(float(value)) for value in values)


def test_cuts_do_not_change_a_bit_and_models_may_learn_as_they_go(cli):
    lines = Path("new.vw").read_text().splitlines(keepends=True)
    Path("first.vw").write_text("".join(lines[:123]))
    Path("second.vw").write_text("".join(lines[123:]))
    for more in ((), ("--progressive",)):
        call = ("evaluate", "--quiet", "-i", "a.model", "--output", "jsonl", *more)
        whole = lines_of(cli(*call, "-P", "10000", "new.vw"))
        assert lines_of(cli(*call, "-P", "77", "first.vw", "second.vw"))[-len(whole) :] == whole
        assert lines_of(cli(*call, "--examples", "300", "-P", "10000", "new.vw"))[1].decisions == 300
    learning = Bandit.load("a.model")
    evaluation = Evaluation(["a.model"], (0.0, 1.0))
    for batch in DecisionReader("new.vw", learning.text, learning.options):
        decided = learning.partial_fit(batch)
        evaluation.add(batch, [decided])
    assert evaluation.lines() == whole


def test_dsjson_with_all_probabilities_narrows_the_intervals(cli):
    p = [0.6, 0.2, 0.2]
    for name, seed in (("old", 0), ("new", 1)):
        Path(f"{name}.json").write_text("".join(dsjson_of(line, p) for line in log_lines(500, seed)))
    assert cli("train", "--quiet", "--cb_adf", "--dsjson", "-f", "adf.model", "old.json")[0] == 0
    call = ("evaluate", "-i", "adf.model", "--output", "jsonl", "-P", "10000")
    own = lambda lines: {one.estimator: one for one in lines if (one.policy, one.against) == ("adf.model", "")}  # noqa: E731
    known = own(lines_of(cli(*call, "new.json")))
    text = Path("new.json").read_text()
    Path("less.json").write_text(text.replace('"p": ', '"q": '))
    blind = own(lines_of(cli(*call, "less.json")))
    for name in ("snips", "dr"):
        assert known[name].cost == blind[name].cost
        assert known[name].high - known[name].low < blind[name].high - blind[name].low
    Path("wrong.json").write_text(text.replace("0.6", "0.5"))
    err = cli.err(*call, "wrong.json")
    assert "warning: probabilities of 500 decisions do not add up: wrong.json:1: they add up to 0.9" in err
    for was, now, found in (
        ('"p": [0.6, 0.2, 0.2]', '"p": [0.6, 0.2]', "'p', expected 3, one for each action"),
        ('"p": [0.6, 0.2, 0.2]', '"p": [0.6, 0.2, 1.2]', "expected probabilities from 0 to 1"),
        ('"a": [1, 2, 3]', '"a": [1, 2, 2]', "expected each from 1 to 3 once"),
    ):
        Path("wrong.json").write_text(text.replace(was, now))
        assert found in cli.error("evaluate", "--quiet", "-i", "adf.model", "wrong.json")


def test_what_is_wrong_is_told_in_a_line(cli):
    Path("certain.vw").write_text("".join(log_lines(300, 2, probability=False)))
    _, _, err = cli("evaluate", "--quiet", "-i", "a.model", "certain.vw")
    assert "warning: all probabilities of the log are 1: it explored nothing" in err
    assert "warning: a.model: the policy takes actions that the log never does" in err
    Path("none.vw").write_text("| c1\n")
    Path("far.vw").write_text("1:0:.5 | c1\n1:7:.5 | c1\n")
    Path("no").write_text("1 | a\n")
    assert cli("train", "--quiet", "--method", "nag", "-f", "plain.model", "no")[0] == 0
    for arguments, expected in (
        (("new.vw",), "evaluate needs a model of decisions; give -i MODEL"),
        (("-i", "a.model", "-i", "a.model", "new.vw"), "-i a.model: given twice"),
        (("-i", "a.model", "none.vw"), "none.vw: found 1 decisions, none with a cost and a probability"),
        (("-i", "a.model", "far.vw"), "far.vw:2: found cost 7, expected a cost from 0 to 1, as given"),
        (("-i", "a.model", "--floor", ".5", "new.vw"), "found probability 0.2, expected 0.5 (--floor) at least"),
        (("-i", "a.model", "--cost-low", "1", "new.vw"), "costs from 1 to 1 are no range; give --cost-low C and"),
        (("-i", "a.model", "--level", "1", "new.vw"), "--level 1: expected less than 1"),
        (("-i", "plain.model", "new.vw"), "plain.model: holds a learner, expected a bandit"),
    ):
        assert expected in cli.error("evaluate", "--quiet", *arguments), arguments
    assert cli("evaluate", "--quiet", "-i", "a.model", "--cost-low", "-1", "--cost-high", "9", "far.vw")[0] == 0
