"""The log and the page of a run of decisions, against sums made anew."""

import itertools

import numpy as np
import pytest
from places import ROOT

from sonlearn import TextOptions
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options.bandit import BanditOptions
from sonlearn.report.decisions import DecisionProblem, PolicyTotals
from sonlearn.report.progress import Schedule
from sonlearn.report.runlog import read_run
from sonlearn.text.decisions import DecisionReader

OFFERS = str(ROOT / "data" / "offers.vw")


def decided(options=BanditOptions(cb_explore_adf=True)):  # noqa: B008 (frozen)
    """(decisions of the sample, what was decided)."""
    (decisions,) = DecisionReader(OFFERS, TextOptions(), options)
    return decisions, Bandit(options).partial_fit(decisions)


def part_of(out, decisions, start, stop):
    """What was decided of the decisions start to stop - 1."""
    a, b = decisions.first[[start, stop]]
    return out._replace(
        first=out.first[start : stop + 1] - a, probability=out.probability[a:b], mean=out.mean[a:b],
        width=out.width[a:b], action=out.action[start:stop], loss=out.loss[start:stop],
    )  # fmt: skip


def rows_of(parts):
    """The rows of the running totals of these batches."""
    problem = DecisionProblem(Bandit(BanditOptions(cb_explore_adf=True)))
    progress = problem.progress(Schedule(1.5))
    return [row for part in parts for row in progress.rows(problem.outcome(part[0], None, part[1]))]


def test_totals_are_their_definitions_wherever_batches_end():
    decisions, out = decided()
    whole, cut = PolicyTotals(), PolicyTotals()
    whole.count(decisions.cost, np.ones(decisions.n), (decisions, out), np.ones(decisions.n, bool))
    ends = [0, 1, 7, 300, 301, 600]
    parts = [(decisions.part(a, b), part_of(out, decisions, a, b)) for a, b in itertools.pairwise(ends)]
    for part in parts:
        n = part[0].n
        cut.count(part[0].cost, np.ones(n), part, np.ones(n, bool))
    rows = rows_of([(decisions, out)])
    assert rows == rows_of(parts)
    assert whole.result() == cut.result()
    assert [row.examples for row in rows][:6] == [1, 2, 3, 5, 8, 12]
    np.testing.assert_allclose(rows[-1].loss, out.loss[: rows[-1].examples].mean())
    found = whole.result()
    for one, values in zip(found["values"], (out.loss, decisions.cost, out.loss - decisions.cost), strict=True):
        np.testing.assert_allclose([one["cost"], one["error"]], [values.mean(), values.std() / np.sqrt(600)])
    place = np.concatenate([np.arange(n) for n in np.diff(decisions.first)])
    assert [one["taken"] for one in found["actions"]] == sorted(np.bincount(decisions.action), reverse=True)
    for one in found["actions"]:
        a = one["action"]
        np.testing.assert_allclose(one["given"], out.probability[place == a].sum() / 600)
        np.testing.assert_allclose(one["cost"], decisions.cost[decisions.action == a].mean())


@pytest.mark.parametrize("kind", [["--cb_explore_adf", "--decay", "0.01"], ["--cb_adf", "--method", "nag"]])
def test_a_run_writes_its_log_and_page(tmp_path, cli, kind):
    err = cli.err("train", *kind, "--log-json", "log", "--report", "page.html", OFFERS)
    run = read_run("log")
    values = {one["name"]: one["cost"] for one in run.end["decisions"]["values"]}
    assert f"average loss = {values['this model']:.6f}" in err
    assert f"average cost of the log = {values['the log']:.6f}" in err
    assert run.begin["learn"]["method"] == ("nag" if "nag" in kind else "decisions")
    assert run.rows[-1]["examples"] > 500
    assert run.notes == []
    page = (tmp_path / "page.html").read_text()
    assert 'id="decisions"' in page
    assert "this model less the log" in page
    assert cli.out("report log") == page
