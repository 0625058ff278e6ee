"""A served model of decisions: what it decides, what it writes down, and what is left of it after a crash."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from places import ROOT

pytest.importorskip("uvicorn", reason="the extra serve is not installed")
pytest.importorskip("starlette", reason="the extra serve is not installed")
pytest.importorskip("httptools", reason="the extra serve is not installed")
pytest.importorskip("prometheus_client", reason="the extra serve is not installed")

from serving_decisions import served_by, served_decisions

from sonlearn.cli import main
from sonlearn.errors import ModelFileError, OutputError
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options import TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.serve.decider import replay
from sonlearn.serve.events import EventFile
from sonlearn.text.decisions import read_decisions

OFFERS = ROOT / "data" / "offers.vw"
NAMES = ("coffee", "soup", "tea", "wine")


def model(explore="epsilon", **options):
    """A model of some of the sample's decisions."""
    bandit = BanditOptions(cb_explore_adf=True, explore=explore, epsilon=0.2, **options)
    learner = Bandit(bandit, TextOptions(format="vw"))
    (decisions,) = list(read_decisions(str(OFFERS), learner.text, learner.options))
    learner.partial_fit(decisions.part(0, 100))
    return learner


def context(visit="morning", names=NAMES):
    return {"visit": {visit: 1}, "_multi": [{"offer": {name: 1}} for name in names]}


def same_state(ours, theirs):
    (header, arrays), (other, others) = ours.to_arrays(), theirs.to_arrays()
    return header == other and all(np.array_equal(arrays[name], others[name], equal_nan=True) for name in arrays)


def decisions_of(path, learner):
    return list(read_decisions(str(path), TextOptions(format="json"), learner.options))


def test_decisions_are_those_of_the_model_and_their_log_is_read_as_any_other(tmp_path):
    learner, path = model(), tmp_path / "events"
    twin = learner.copy()
    answers = []
    with served_decisions(learner, path, learns=True) as server:
        for i in range(12):
            status, answer = server.post("/decide", context("morning" if i % 2 else "evening"))
            assert status == 200
            answers.append(answer)
            if i % 3 == 0:  # two of three rewards are late
                assert server.post("/reward", {"event_id": answer["event_id"], "reward": 1})[1]["learned"] is True
        for i in (2, 1, 5):
            assert server.post("/reward", {"event_id": answers[i]["event_id"], "reward": -i / 2})[0] == 200
        assert json.loads(server.ask("GET", "/health")[1]) == {
            "status": "ok", "examples": 107, "pending": 5, "learns": True
        }  # fmt: skip
        metrics = server.ask("GET", "/metrics")[1]
        for line in ("sonlearn_decisions_total 12.0", "sonlearn_rewards_total 7.0", "sonlearn_learned_total 7.0",
                     "sonlearn_events_pending 5.0"):  # fmt: skip
            assert line in metrics
    (log,) = decisions_of(path, learner)
    assert log.n == 19
    paid = ~np.isnan(log.cost)
    assert log.cost[paid].tolist() == [-1.0, -1.0, -1.0, -1.0, 1.0, 0.5, 2.5]
    # the same decisions, by the model itself
    at = 0
    for i in range(log.n):
        one = log.part(i, i + 1)
        if paid[i]:
            twin.partial_fit(one)
            continue
        decided, answer = twin.decide(one), answers[at]
        assert decided.probability.tolist() == answer["probabilities"] == one.probabilities.tolist()
        assert int(decided.action[0]) == answer["action"]
        assert answer["probability"] == answer["probabilities"][answer["action"]]
        at += 1
    assert same_state(twin, learner)
    for i in np.flatnonzero(paid).tolist():
        own = log.part(i, i + 1)
        assert own.probability[0] == own.probabilities[own.action[0]]
        assert own.tags == [json.loads(Path(path).read_text().splitlines()[i])["EventId"]]
    # which words a context is of: those of the model's own text
    vw = f"shared |visit morning\n{''.join(f'|offer {name}' + chr(10) for name in NAMES)}\n"
    (tmp_path / "vw").write_text(vw)
    (theirs,) = read_decisions(str(tmp_path / "vw"), twin.text, twin.options)
    assert set(theirs.rows.indices.tolist()) == set(log.part(2, 3).rows.indices.tolist())


def test_a_restart_loses_nothing(tmp_path):
    """A crash at any byte: the events that were answered are there, and the model is what it was, to the bit."""
    learner, path = model(), tmp_path / "events"
    first = learner.copy()
    with served_decisions(learner, path, learns=True) as server:
        early = [server.post("/decide", context())[1]["event_id"] for _ in range(4)]
        for event in early[:2]:
            assert server.post("/reward", {"event_id": event, "reward": 0.5})[0] == 200
    with path.open("ab") as file:  # a line that was never answered
        file.write(b'{"EventId":"half","c":{"visi')
    again = EventFile(str(path))
    assert again.cut == 28
    assert replay(first, again, 0, learns=True) == 2
    assert same_state(first, learner)
    again.close()
    with served_decisions(first, path, learns=True) as server:
        assert server.events.cut == 0
        assert server.post("/reward", {"event_id": early[0], "reward": 1})[0] == 409
        assert server.post("/reward", {"event_id": early[3], "reward": 1})[0] == 200
        assert server.post("/decide", context())[0] == 200
    whole = model()
    events = EventFile(str(path))
    last, half = next((event, offset + size) for event, rewarded, offset, size in events.events(0) if rewarded)
    assert replay(whole, events, 0, learns=True) == 3
    assert same_state(whole, first)
    mark = {"end": half, "last": last}
    assert last == early[0]
    assert events.read_until(mark) == half
    assert events.read_until(None) is None
    assert events.read_until({**mark, "last": "other"}) is None
    assert events.read_until({**mark, "end": half - 1}) is None
    assert events.read_until({"end": 0, "last": ""}) == 0
    with pytest.raises(ModelFileError, match="the model has learned from"):
        events.read_until({**mark, "end": events.end + 1})
    events.close()


def test_a_file_of_events_is_renamed_when_it_is_large(tmp_path):
    """All parts together are what one file would have been; parts may be moved away; restarts lose nothing."""
    learner, path, mark = model(), tmp_path / "events", None
    first, asked = learner.copy(), []
    for run in range(3):
        with contextlib.closing(EventFile(str(path), size=1500)) as events:
            start = events.read_until(mark)
            assert start == (events.end if run else None)
            with served_by(learner, events) as server:
                for i in range(8):
                    asked.append(server.post("/decide", context())[1]["event_id"])
                    if i % 2:  # that of the run before, and one of this
                        assert server.post("/reward", {"event_id": asked[-5 if run else -2], "reward": i})[0] == 200
            mark = events.mark()
    parts = sorted(tmp_path.glob("events.*"))
    sizes = [part.stat().st_size for part in parts]
    assert len(parts) > 5
    assert [int(part.suffix[1:]) for part in parts] == np.cumsum([0, *sizes[:-1]]).tolist()
    assert min(sizes) >= 1500
    assert max(sizes) < 1500 + 500
    whole = b"".join(part.read_bytes() for part in (*parts, path))
    (tmp_path / "whole").write_bytes(whole)
    events, one = EventFile(str(path), size=1500), EventFile(str(tmp_path / "whole"))
    assert (events.end, events.mark()) == (one.end, one.mark()) == (len(whole), mark)
    assert list(events.events(0)) == list(one.events(0))
    assert events.decision(asked[0]) == one.decision(asked[0]) if one.is_pending(asked[0]) else True
    assert replay(first, events, 0, learns=True) == 12
    assert same_state(first, learner)
    events.close()
    pending = next(event for event, rewarded, _, _ in one.events(0) if not rewarded and one.is_pending(event))
    one.close()
    # a part in the middle is missed; the oldest ones are not, and then events are of what is left
    parts[2].rename(tmp_path / "away")
    with pytest.raises(ModelFileError, match=rf"{parts[3].name} follows {parts[1].name}, expected the part"):
        EventFile(str(path))
    for part in parts[:2]:
        part.unlink()
    with contextlib.closing(EventFile(str(path))) as events:
        assert (events.end, events.read_until(mark)) == (len(whole), len(whole))
        assert not events.is_pending(pending)
        with pytest.raises(ModelFileError, match="bring back the files that were moved away"):
            events.read_until({"end": 10, "last": "a"})


def test_a_file_of_events_that_cannot_be_renamed_is_gone_on_with(tmp_path, monkeypatch):
    with contextlib.closing(EventFile(str(tmp_path / "events"), size=1)) as events:
        events.append([("a", False, b'{"EventId":"a"}\n')])

        def refused(*paths):
            raise OSError(13, "Permission denied")

        with monkeypatch.context() as patch:
            patch.setattr(os, "rename", refused)
            with pytest.raises(OutputError, match="Permission denied"):
                events.append([("b", False, b'{"EventId":"b"}\n')])
        assert events.pending == 1
        events.append([("b", False, b'{"EventId":"b"}\n')])
        assert events.pending == 2
        assert events.decision("a") == {"EventId": "a"}
    assert len(list(tmp_path.iterdir())) == 2


def test_rewards_twice_never_unknown_and_at_the_same_time(tmp_path):
    learner = model()
    with served_decisions(learner, tmp_path / "events", learns=True) as server:
        events = [server.post("/decide", context())[1]["event_id"] for _ in range(3)]
        results = []
        threads = [
            threading.Thread(target=lambda e=e: results.append(server.post("/reward", {"event_id": e, "reward": 1})))
            for e in events[:2] * 8
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(status for status, _ in results) == [200] * 2 + [409] * 14
        assert learner.examples == 102
        assert server.post("/reward", {"event_id": "none", "reward": 1}) == (
            404, {"error": "event 'none': no such event, or one that is too old"}
        )  # fmt: skip
    assert sum(line.count('"_label_cost"') for line in (tmp_path / "events").read_text().splitlines()) == 2


def test_numbered_actions_without_learning(tmp_path):
    learner = Bandit(BanditOptions(cb_explore=3, explore="epsilon", epsilon=0.3), TextOptions(format="vw"))
    before = learner.copy()
    with served_decisions(learner, tmp_path / "events") as server:
        status, answer = server.post("/decide", {"a": 1, "note": {"_text": "cheap tea"}})
        assert (status, len(answer["probabilities"])) == (200, 3)
        assert server.post("/reward", {"event_id": answer["event_id"], "reward": 2})[1]["learned"] is False
    assert learner.examples == 0
    before.decide(decisions_of(tmp_path / "events", learner)[0].part(0, 1))
    assert same_state(before, learner)


def test_what_is_wrong_is_a_status_and_a_line_and_changes_nothing(tmp_path):
    learner = model()
    path = tmp_path / "events"
    with served_decisions(learner, path, learns=True, body=1 << 14, entries=200) as server:
        event = server.post("/decide", context())[1]["event_id"]
        before, size = learner.copy(), path.stat().st_size
        for request, body, status, found in (
            ("/decide", "{", 400, "found no JSON"),
            ("/decide", "[1]", 400, "<request>: found '[1]', expected an object: the context"),
            ("/decide", {"visit": 1}, 400, "expected one object for each action in c._multi"),
            ("/decide", {"visit": 1, "_multi": [{"a": float("nan")}]}, 400, "JSON, which has no NaN"),
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
            ("/predict", context(), 404, "expected POST /decide, POST /reward"),
        ):  # fmt: skip
            answer = server.post(request, body)
            assert answer[0] == status, (request, body, answer)
            assert found in answer[1]["error"], (request, body, answer)
        assert server.ask("POST", "/decide", "{}", "text/plain")[0] == 415
        assert server.ask("POST", "/decide", "{}", "application/json", origin="http://a")[0] == 403
        assert same_state(learner, before)
        assert path.stat().st_size == size


def test_an_event_that_cannot_be_written_is_not_answered(tmp_path, monkeypatch):
    learner = model()
    with contextlib.closing(EventFile(str(tmp_path / "events"))) as events:

        def full(descriptor):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OutputError, match="No space left"):
            events.append([("a", False, b'{"EventId":"a"}\n')])
        assert (tmp_path / "events").stat().st_size == events.end == events.pending == 0
    assert learner.examples == 100
    (tmp_path / "other").write_text("1 | a\n")
    with pytest.raises(ModelFileError, match="other: byte 0: expected a line of dsjson with an EventId"):
        EventFile(str(tmp_path / "other"))


def test_what_could_not_be_written_was_not_drawn(tmp_path, monkeypatch):
    """State and log agree after a write that failed: a replay of the log gives the same model."""
    learner, path = model(), tmp_path / "events"
    first = learner.copy()
    with served_decisions(learner, path, learns=True) as server:
        assert server.post("/decide", context())[0] == 200

        def full(descriptor):
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", full)
            assert server.post("/decide", context())[0] >= 500
        assert server.post("/decide", context())[0] == 200
        assert "No space left on device" in server.reports.pop()
    events = EventFile(str(path))
    assert replay(first, events, 0, learns=True) == 0
    assert same_state(first, learner)
    events.close()


def test_a_context_with_the_name_of_a_cost_is_no_reward(tmp_path):
    learner, path = model(), tmp_path / "events"
    first = learner.copy()
    with served_decisions(learner, path, learns=True) as server:
        asked = context()
        asked["_label_cost"] = 1
        assert server.post("/decide", asked)[0] == 200, server.post("/decide", asked)
    events = EventFile(str(path))
    assert replay(first, events, 0, learns=True) == 0
    assert same_state(first, learner)
    events.close()


# ------------------------------------------------------------------------------------------------- the command


@contextlib.contextmanager
def serving(*arguments):
    """(process, function that posts) of a command under way."""
    command = [sys.executable, "-m", "sonlearn", "serve", "--port", "0", *arguments]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        try:
            lines = []
            for line in process.stderr:
                lines.append(line)
                if found := re.findall(r"127\.0\.0\.1:(\d+)", line):
                    break

            def post(path, value):
                request = urllib.request.Request(
                    f"http://127.0.0.1:{found[0]}{path}",
                    json.dumps(value).encode(),
                    {"content-type": "application/json"},
                )
                with urllib.request.urlopen(request, timeout=60) as response:
                    return json.loads(response.read())

            yield process, post, lines
        finally:
            if process.poll() is None:
                process.kill()


@pytest.mark.limit(120)
def test_a_killed_server_goes_on_where_it_was(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--quiet", "--cb_explore_adf", "--examples", "100", "-f", "model", str(OFFERS)]) == 0
    call = ("-i", "model", "-f", "model", "--learn", "--events", "log.json")
    with serving(*call) as (process, post, _):
        event = post("/decide", context())["event_id"]
        post("/reward", {"event_id": event, "reward": 1})
        late = post("/decide", context())["event_id"]
        process.send_signal(signal.SIGKILL)
        process.wait(20)
    assert Bandit.load("model").examples == 100
    with serving(*call) as (process, post, lines):
        assert "log.json: 1 rewards were learned that model did not have yet" in lines[0]
        post("/reward", {"event_id": late, "reward": 0})
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert Bandit.load("model").examples == 102
    status = main(["train", "--quiet", "--cb_explore_adf", "--dsjson", "-f", "again", "log.json"])
    assert (status, Bandit.load("again").examples) == (0, 2)
    capsys.readouterr()
    for arguments, expected in (
        (("-i", "model"), "its decisions have to be written down; give --events FILE"),
        (("-i", "model", "--events", "model"), "this would overwrite"),
        (("-i", "model", "--events", "e", "--tcp", "0"), "decisions are served over HTTP alone"),
    ):
        assert main(["serve", *arguments]) == 1
        assert expected in capsys.readouterr().err


@pytest.mark.limit(120)
def test_the_page_of_the_server(tmp_path, monkeypatch):
    """The commands of docs/serve.md about decisions, one after the other; ids differ."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    % (.*)\n    (.*)\n", page, re.MULTILINE)
    assert len(commands) == 3
    learner = model("ucb")
    event = "EVENT"
    with served_decisions(learner, tmp_path / "events", learns=True) as server:
        for command, expected in commands:
            command = command.replace(":8080/", f":{server.http}/").replace("EVENT", event)
            done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=True)
            event = (re.findall(r"[0-9a-f]{32}", done.stdout) or [event])[0]
            assert done.stdout == expected.replace("EVENT", event) + "\n"
