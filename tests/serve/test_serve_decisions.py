"""A served model of decisions: what it decides, what it writes down, and what is left of it after a crash."""

import contextlib
import io
import json
import math
import random
import re
import signal
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from commands import asked_by_shell, of_the_page, post_json, serving
from places import ROOT
from serving import served_decisions
from states import same_state

from sonlearn.errors import ModelFileError, OutputError, SonlearnError
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options import TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.serve.decider import replay
from sonlearn.serve.events import Event, EventLog
from sonlearn.text.decisions import DecisionReader

OFFERS = ROOT / "data" / "offers.vw"
NAMES = ("coffee", "soup", "tea", "wine")


def model(explore="epsilon", **options):
    """A model of some of the sample's decisions."""
    own = {"epsilon": 0.2} if explore == "epsilon" else {}
    bandit = BanditOptions(cb_explore_adf=True, explore=explore, **own, **options)
    learner = Bandit(bandit, TextOptions(format="vw"))
    (decisions,) = list(DecisionReader(str(OFFERS), learner.text, learner.options))
    learner.partial_fit(decisions.part(0, 100))
    return learner


def context(visit="morning", names=NAMES):
    return {"visit": {visit: 1}, "_multi": [{"offer": {name: 1}} for name in names]}


def lines_of(path):
    """All events of a log, as dsjson."""
    with contextlib.closing(EventLog(str(path))) as events:
        return [event.text for event in events.older(math.inf)]


def decisions_of(path, learner):
    """All events of a log, those with a reward first."""
    text = "".join(line + "\n" for line in lines_of(path)).encode()
    return list(DecisionReader(io.BytesIO(text), TextOptions(format="json"), learner.options))


def fill(events):
    """Have every later write to a log fail."""
    (pages,) = events._database.execute("pragma page_count").fetchone()
    events._database.execute(f"pragma max_page_count = {pages}")


def test_decisions_are_those_of_the_model_and_their_log_is_read_as_any_other(tmp_path):
    learner, path = model(), tmp_path / "events"
    twin = learner.copy()
    answers = []
    with served_decisions(learner, path, learns=True) as server:
        for i in range(12):
            status, answer = server.json("/decide", context("morning" if i % 2 else "evening"))
            assert status == 200
            answers.append(answer)
            if i % 3 == 0:  # two of three rewards are late
                assert server.json("/reward", {"event_id": answer["event_id"], "reward": 1})[1]["learned"] is True
        assert "sonlearn_reward_sum 4.0" in server.ask("GET", "/metrics")[1]
        for i in (2, 1, 5):
            assert server.json("/reward", {"event_id": answers[i]["event_id"], "reward": -i / 2})[0] == 200
        health = {"status": "ok", "examples": 107, "pending": 5, "learns": True}
        assert json.loads(server.ask("GET", "/health")[1]) == health
        metrics = server.ask("GET", "/metrics")[1]
        for line in ("decisions_total 12.0", "rewards_total 7.0", "learned_total 7.0", "events_pending 5.0"):
            assert f"sonlearn_{line}" in metrics
    (log,) = decisions_of(path, learner)
    assert log.n == 12
    assert log.cost[:7].tolist() == [-1.0, -1.0, -1.0, -1.0, 1.0, 0.5, 2.5]
    assert np.isnan(log.cost[7:]).all()
    assert log.tags == [answers[i]["event_id"] for i in (0, 3, 6, 9, 2, 1, 5, 4, 7, 8, 10, 11)]
    # the same decisions, by the model itself
    places = {tag: i for i, tag in enumerate(log.tags)}
    for i, answer in enumerate(answers):
        one = log.part(places[answer["event_id"]], places[answer["event_id"]] + 1)
        decided = twin.decide(one)
        assert decided.probability.tolist() == answer["probabilities"] == one.probabilities.tolist()
        assert int(decided.action[0]) == answer["action"]
        assert answer["probability"] == answer["probabilities"][answer["action"]]
        if not np.isnan(one.cost[0]):
            assert (one.action[0], one.probability[0]) == (answer["action"], answer["probability"])
        if i % 3 == 0:
            twin.partial_fit(one)
    twin.partial_fit(log.part(4, 7))
    same_state(twin, learner)
    # which words a context is of: those of the model's own text
    vw = "shared |visit morning\n" + "".join(f"|offer {name}\n" for name in NAMES) + "\n"
    (theirs,) = DecisionReader(io.BytesIO(vw.encode()), twin.text, twin.options)
    assert set(theirs.rows.indices.tolist()) == set(log.part(5, 6).rows.indices.tolist())


def test_no_reward_is_a_cost_of_0():
    assert Event('{"a":1}', 0.0).text == '{"_label_cost":0.0,"a":1}'


def test_a_restart_loses_nothing(tmp_path):
    """A crash at any byte: the events that were answered are there, and the model is what it was, to the bit."""
    learner, path = model(), tmp_path / "events"
    first = learner.copy()
    with served_decisions(learner, path, learns=True) as server:
        early = [server.json("/decide", context())[1]["event_id"] for _ in range(4)]
        for event in early[:2]:
            assert server.json("/reward", {"event_id": event, "reward": 0.5})[0] == 200
        written = path.read_bytes(), Path(f"{path}-wal").read_bytes()
    found = set()
    for size in (*range(0, len(written[1]), 509), len(written[1])):  # what was on the disk of the last writes
        cut = tmp_path / f"cut{size}"
        cut.write_bytes(written[0])
        Path(f"{cut}-wal").write_bytes(written[1][:size])
        with contextlib.closing(EventLog(str(cut))) as events:
            mark = events.mark()
            found.add((mark["decisions"], mark["rewards"]))
            assert len(list(events.older(math.inf))) == mark["decisions"] == events.pending + mark["rewards"]
            assert replay(first.copy(), events, None, learns=True) == mark["rewards"]
    assert found == {(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (4, 1), (4, 2)}
    again = EventLog(str(path))
    again._database.execute("begin immediate")  # what was never answered
    again._database.execute("update events set reward = 9, rewarded = 9 + number")
    again.close()
    again = EventLog(str(path))
    assert again.pending == 2
    assert replay(first, again, None, learns=True) == 2
    same_state(first, learner)
    mark = again.mark()
    again.close()
    with served_decisions(first, path, learns=True) as server:
        assert server.json("/reward", {"event_id": early[0], "reward": 1})[0] == 409
        assert server.json("/reward", {"event_id": early[3], "reward": 1})[0] == 200
        assert server.json("/decide", context())[0] == 200
    whole = model()
    with contextlib.closing(EventLog(str(path))) as events:
        assert replay(whole, events, None, learns=True) == 3
        same_state(whole, first)
        assert events.covers(mark)
        assert replay(learner, events, mark, learns=True) == 1
        same_state(learner, first)
        assert not events.covers(None)
        assert not events.covers({**mark, "log": "other"})
        assert not events.covers({"end": 10, "last": early[0]})
        for what in ("decisions", "rewards"):
            with pytest.raises(ModelFileError, match=f"{what}, and the model has seen 99; give the whole log"):
                events.covers({**mark, what: 99})


def test_old_events_are_removed(tmp_path, cli):
    """What is written and taken out has no reward any more; a model that had learned from it goes on."""
    learner, path = model(), tmp_path / "events"
    before, out = learner.copy(), tmp_path / "old.json"
    with served_decisions(learner, path, learns=True) as server:
        first = [server.json("/decide", context())[1]["event_id"] for _ in range(3)]
        for event in first[1:]:
            assert server.json("/reward", {"event_id": event, "reward": 1})[0] == 200
        early = {**server.events.mark(), "rewards": 1}
        cli.out("events", "--remove", "30", "-o", out, path)
        assert out.read_bytes() == b""
        assert cli.out("events", path).splitlines() == lines_of(path)
        assert [json.loads(line)["EventId"] for line in lines_of(path)] == [first[1], first[2], first[0]]
        lines = lines_of(path)
        cli.out("events", "--remove", "0", "-o", out, path)
        assert (out.read_text().splitlines(), lines_of(path)) == (lines, [])
        assert server.json("/reward", {"event_id": first[0], "reward": 1})[0] == 404
        event = server.json("/decide", context())[1]["event_id"]
        assert server.json("/reward", {"event_id": event, "reward": 1})[0] == 200
        late = server.events.mark()
    with contextlib.closing(EventLog(str(path))) as events:
        assert (events.mark(), events.pending) == (late, 0)
        assert events.covers({**early, "rewards": 2})
        with pytest.raises(ModelFileError, match="1 rewards that the model has not learned were removed"):
            events.covers(early)
    before.partial_fit(decisions_of(path, learner)[0])
    assert before.examples == 101
    for arguments, expected in (
        ((), "events takes one LOG of serve, 0 given"), (("none",), "there is no such file"),
        (("-o", path, path), "overwrite"), ((OFFERS,), "expected a log of events, as serve makes it"),
    ):  # fmt: skip
        assert expected in cli.error("events", *arguments)


def test_events_that_another_process_removes_wait_no_longer(tmp_path):
    with contextlib.closing(EventLog(str(tmp_path / "events"))) as events:
        events.append([(name, "{}") for name in "abc"], [])
        with contextlib.closing(EventLog(str(tmp_path / "events"))) as other:
            other.remove(math.inf)
        events.append([("d", "{}")], [])
        assert events.pending == 1
        events.append([], [("d", 1.0)])
        assert events.pending == 0


def test_a_reward_that_comes_while_events_are_written_is_kept(tmp_path):
    with contextlib.closing(EventLog(str(tmp_path / "events"))) as events:
        events.append([(name, f'{{"EventId":"{name}"}}') for name in "abc"], [])
        with contextlib.closing(EventLog(str(tmp_path / "events"))) as other:
            events.append([], [("b", 1.0)])
            events.append([("d", '{"EventId":"d"}')], [])
            assert [event.text for event in other.older(math.inf)] == [f'{{"EventId":"{name}"}}' for name in "abc"]
            other.remove(math.inf)
            with pytest.raises(OutputError, match=r"UNIQUE constraint failed: events\.number"):
                other.append([("e", "{}")], [])
        with contextlib.closing(EventLog(str(tmp_path / "events"))) as other:
            left = [event.text for event in other.older(math.inf)]
        assert left == ['{"_label_cost":-1.0,"EventId":"b"}', '{"EventId":"d"}']
        with pytest.raises(OutputError, match="an event was removed that has a reward"):
            events.append([("f", "{}")], [("a", 1.0)])
        assert events.find("f") is None


def test_rewards_twice_never_unknown_and_at_the_same_time(tmp_path):
    learner = model()
    with served_decisions(learner, tmp_path / "events", learns=True) as server:
        events = [server.json("/decide", context())[1]["event_id"] for _ in range(3)]
        with ThreadPoolExecutor(16) as pool:
            results = pool.map(lambda e: server.json("/reward", {"event_id": e, "reward": 1}), events[:2] * 8)
        assert sorted(status for status, _ in results) == [200] * 2 + [409] * 14
        assert learner.examples == 102
        unknown = {"error": "event 'none': no such event, or one that was removed"}
        assert server.json("/reward", {"event_id": "none", "reward": 1}) == (404, unknown)
    assert sum(line.count('"_label_cost"') for line in lines_of(tmp_path / "events")) == 2


def test_numbered_actions_without_learning(tmp_path):
    learner = Bandit(BanditOptions(cb_explore=3, explore="epsilon", epsilon=0.3), TextOptions(format="vw"))
    before = learner.copy()
    with served_decisions(learner, tmp_path / "events") as server:
        status, answer = server.json("/decide", {"a": 1, "note": {"_text": "cheap tea"}})
        assert (status, len(answer["probabilities"])) == (200, 3)
        assert server.json("/reward", {"event_id": answer["event_id"], "reward": 2})[1]["learned"] is False
    assert learner.examples == 0
    before.decide(decisions_of(tmp_path / "events", learner)[0].part(0, 1))
    same_state(before, learner)


def test_what_is_wrong_is_a_status_and_a_line_and_changes_nothing(tmp_path):
    learner = model()
    path = tmp_path / "events"
    with served_decisions(learner, path, learns=True, max_body=1 << 14, max_features=200) as server:
        event = server.json("/decide", context())[1]["event_id"]
        before, lines = learner.copy(), lines_of(path)
        for request, body, status, found in (
            ("/decide", "{", 400, "found no JSON"),
            ("/decide", "[1]", 400, "<request>: found '[1]', expected an object: the context"),
            ("/decide", {"visit": 1}, 400, "found no array _multi, expected one object for each action in _multi"),
            ("/decide", {"c": {"_multi": [{"a": 1}]}}, 400, "the whole body in /decide)"),
            ("/decide", {"event_id": "a", "_multi": [{"a": 1}]}, 400, "found event_id in the context, expected none"),
            ("/decide", {"visit": 1, "_multi": 3}, 400, "found no array _multi, expected one object for each"),
            ("/decide", {"visit": 1, "_multi": [{"a": float("inf")}]}, 400, "JSON, which has no Infinity"),
            ("/decide", '{"visit": -1e400, "_multi": [{"a": 1}]}', 400, "found '-1e400', expected a number of at most"),
            ("/decide", f'{{"v": {10**320}, "_multi": [{{"a": 1}}]}}', 400, "000…', expected a number of at most 1.8e"),
            ("/reward", f'{{"event_id": "{event}", "reward": 1e400}}', 400, "found '1e400', expected a number of at"),
            ("/decide", {"visit": 1, "_multi": [3]}, 400, "expected one object for each action"),
            ("/decide", {"visit": "a " * 99, "_multi": [{"a": "b " * 9}]}, 413, "features of an action, with products"),
            ("/decide", "[" * 9000, 400, "found no JSON"),
            ("/decide", " " * (1 << 14) + "{}", 413, "expected at most so many in a request"),
            ("/decide?a=1", context(), 400, "found a query"),
            ("/reward", {"event_id": event}, 400, 'expected {"event_id": "...", "reward": 1}'),
            ("/reward", {"event_id": event, "reward": "1"}, 400, "expected a number of at most 1e100"),
            ("/reward", {"event_id": event, "reward": True}, 400, "expected a number of at most 1e100"),
            ("/reward", {"event_id": event, "reward": float("nan")}, 400, "expected a number of at most 1e100"),
            ("/reward", {"event_id": event, "reward": 10**200}, 400, "a number of at most 1e100"),
            ("/reward", {"event_id": "\ud800", "reward": 1}, 404, "no such event"),
            ("/predict", context(), 404, "expected POST /decide, POST /reward"),
        ):  # fmt: skip
            server.check_refused(status, found, request, body)
        assert server.ask("POST", "/decide", "{}", "text/plain")[0] == 415
        assert server.ask("POST", "/decide", "{}", "application/json", origin="http://a")[0] == 403
        same_state(learner, before)
        assert lines_of(path) == lines


def test_an_event_that_cannot_be_written_is_not_in_the_log(tmp_path):
    path = tmp_path / "events"
    with contextlib.closing(EventLog(str(path))) as events:
        mark = events.mark()
        fill(events)
        with pytest.raises(OutputError, match="events: cannot be written: database or disk is full"):
            events.append([(f"a{i}", " " * 1000) for i in range(20)], [])
        assert (events.mark(), events.pending, events.find("a0")) == (mark, 0, None)
    with contextlib.closing(EventLog(str(path))) as events:
        assert (events.mark(), events.pending) == (mark, 0)
    (tmp_path / "other").write_text("1 | a\n" * 200)
    with contextlib.closing(sqlite3.connect(tmp_path / "foreign")) as foreign:
        foreign.execute("create table a (b)")
    for name in ("other", "foreign"):
        with pytest.raises(ModelFileError, match=f"{name}: expected a log of events, as serve makes it"):
            EventLog(str(tmp_path / name))
    with pytest.raises(OutputError, match="unable to open database file"):
        EventLog(str(tmp_path / "no" / "events"))


def test_a_damaged_log_is_an_error_of_one_line(tmp_path):
    path, r = tmp_path / "events", random.Random(6)
    with contextlib.closing(EventLog(str(path))) as events:
        events.append([(f"b{i}", '{"c":{}}') for i in range(300)], [(f"b{i}", 1.0) for i in range(200)])
        mark = events.mark()
    whole, met = path.read_bytes(), Counter[str]()
    for _ in range(150):
        begin = r.randrange(len(whole))
        cut = r.choice([b"", r.randbytes(2) + whole[begin + 2 :], b"\xff" + whole[begin + 1 :]])
        path.write_bytes(whole[:begin] + cut)
        for ask in (EventLog.mark, lambda log: log.covers(mark), lambda log: list(log.older(math.inf)),
                    lambda log: list(log.rewarded(0)), lambda log: log.find("b7")):  # fmt: skip
            try:
                with contextlib.closing(EventLog(str(path))) as events:
                    ask(events)
            except SonlearnError as error:
                met[str(error).removeprefix(f"{path}: ")[:14]] += 1
    assert {"cannot be open", "cannot be read"} <= met.keys()


def test_what_could_not_be_written_was_not_drawn(tmp_path):
    """State and log agree after a write that failed: a replay of the log gives the same model."""
    learner, path = model(), tmp_path / "events"
    first = learner.copy()
    with served_decisions(learner, path, learns=True) as server:
        assert server.json("/decide", context())[0] == 200
        fill(server.events)
        while server.json("/decide", context())[0] == 200:  # until the last page is full
            pass
        drawn = int(learner.state.now["drawn"][0])
        assert server.json("/decide", context())[0] == 503
        assert int(learner.state.now["drawn"][0]) == drawn == server.events.mark()["decisions"]
        server.events._database.execute("pragma max_page_count = 1000000")
        assert server.json("/decide", context())[0] == 200
        assert "database or disk is full" in server.reports.pop()
        assert "database or disk is full" in server.reports.pop()
    with contextlib.closing(EventLog(str(path))) as events:
        assert replay(first, events, None, learns=True) == 0
    same_state(first, learner)


def test_a_context_with_the_name_of_a_cost_is_no_reward(tmp_path):
    learner, path = model(), tmp_path / "events"
    first = learner.copy()
    with served_decisions(learner, path, learns=True) as server:
        assert server.json("/decide", context() | {"_label_cost": 1})[0] == 200
    with contextlib.closing(EventLog(str(path))) as events:
        assert replay(first, events, None, learns=True) == 0
    same_state(first, learner)
    assert np.isnan(decisions_of(path, learner)[0].cost).all()


# ------------------------------------------------------------------------------------------------- the command


@pytest.mark.limit(120)
def test_a_killed_server_goes_on_where_it_was(cli):
    cli.out("train", "--quiet", "--cb_explore_adf", "--examples", "100", "-f", "model", OFFERS)
    call = ("-i", "model", "-f", "model", "--learn", "--events", "log.db")
    with serving(*call) as (process, (port,), _):
        event = post_json(port, "/decide", context())["event_id"]
        post_json(port, "/reward", {"event_id": event, "reward": 1})
        late = post_json(port, "/decide", context())["event_id"]
        process.send_signal(signal.SIGKILL)
        process.wait(20)
    assert Bandit.load("model").examples == 100
    with serving(*call) as (process, (port,), lines):
        assert "log.db: 1 rewards were learned that model did not have yet" in lines[0]
        post_json(port, "/reward", {"event_id": late, "reward": 0})
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert Bandit.load("model").examples == 102
    cli.out("events -o log.json log.db")
    cli.out("train --quiet --cb_explore_adf --dsjson -f again log.json")
    assert Bandit.load("again").examples == 2
    for arguments, expected in (
        (("-i", "model"), "its decisions have to be written down; give --events FILE"),
        (("-i", "model", "--events", "model"), "this would overwrite"),
        (("-i", "model", "--events", "e", "--tcp", "0"), "decisions are served over HTTP alone"),
    ):
        assert expected in cli.error("serve", *arguments)


@pytest.mark.limit(120)
def test_a_killed_server_that_saves_elsewhere_goes_on_there_by_the_same_command(cli):
    cli.out("train", "--quiet", "--cb_explore_adf", "--examples", "100", "-f", "m", OFFERS)
    before, call = Path("m").read_bytes(), ("-i", "m", "-f", "n", "--learn", "--events", "log.db")
    rewarded = 100
    for ending in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
        with serving(*call) as (process, (port,), lines):
            went_on = "-i m: n has learned from the events in log.db, and goes on in its place\n"
            assert (went_on in lines) == (rewarded > 100)
            event = post_json(port, "/decide", context())["event_id"]
            post_json(port, "/reward", {"event_id": event, "reward": 1})
            rewarded += 1
            process.send_signal(ending)
            process.wait(20)
    assert Bandit.load("n").examples == rewarded
    assert Path("m").read_bytes() == before
    Path("n").unlink()
    with serving(*call) as (_, _, lines):
        assert "-i m: it has learned none of the 3 rewards in log.db, nor will it\n" in lines


def test_a_model_that_decides_no_contexts_is_refused_before_anything_is_written(cli):
    Path("rows.svm").write_text("1 1:1\n2 1:-1\n" * 20)
    cli.out("train --quiet --cbify 2 -f model rows.svm")
    refused = cli.error("serve --port 0 --learn -i model -f new --events new.db")
    assert refused == "a model of svmlight decides no JSON; train it from VW text or dsjson"
    assert not Path("new").exists()
    assert not Path("new.db").exists()


def test_the_page_of_the_server(tmp_path, monkeypatch):
    """The commands of docs/serve.md about decisions, one after the other; ids differ."""
    monkeypatch.chdir(tmp_path)
    learner, event = model("ucb"), "EVENT"
    with served_decisions(learner, tmp_path / "events", learns=True) as server:
        for command, expected in of_the_page(r"^    % (.*)\n    (.*)\n", 3):
            said = asked_by_shell(command.replace("EVENT", event), server.http)
            event = (re.findall(r"[0-9a-f]{32}", said) or [event])[0]
            assert said == expected.replace("EVENT", event) + "\n"
