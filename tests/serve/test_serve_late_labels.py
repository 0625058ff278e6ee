"""Labels that come late to a server: by the ids of rows that were predicted, to the same model, and through a crash."""

import contextlib
import json
import math
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import asked_by_shell, of_the_page, post_json, serving
from serving import learned_from, served
from states import same_state

from sonlearn import Learner, ModelFileError, TextOptions
from sonlearn.files import storage
from sonlearn.serve import labels
from sonlearn.serve.events import EventLog
from sonlearn.serve.labels import LateLabels
from sonlearn.text.names import NameTable

TABLE = "order,age,city,importance,y\n" + "".join(
    f"t{i},{i % 7},{['Graz', 'Wien'][i % 2]},{1 + i % 3},{['no', 'yes', 'perhaps'][i * i % 3]}\n" for i in range(90)
)
#: Objects in objects that are read and cannot be written: reading counts as recursion only before Python 3.12.
_LEVELS = 450 if sys.version_info < (3, 12) else 900
DEEP = json.loads('{"id": ' * _LEVELS + "1" + "}" * _LEVELS)
JSON_ROWS = "".join(
    json.dumps({"_label": i % 3, "_tag": f"t{i}", "a": {"x": i % 5, "note": "b c"}}) + "\n" for i in range(90)
)


def of_table(**options):
    format = TextOptions(format="csv", label="y", id="order", weight="importance")
    return learned_from(TABLE.encode(), format, classes="auto", **options)


def of_values():
    return learned_from(JSON_ROWS.encode(), TextOptions(format="json"), loss="squared")


@contextlib.contextmanager
def late_labels(learner, path):
    """A server that learns late labels, and its log."""
    with contextlib.closing(EventLog(str(path), "rows")) as events, served(learner, True, events) as server:
        yield server


def row(i):
    return {"order": f"r{i}", "age": i % 9, "city": ["Graz", "Wien", "Linz"][i % 3], "importance": 1 + i % 4}


def rows_of(path):
    """The log's rows, in the order of their labels, then those without one."""
    with contextlib.closing(EventLog(str(path), "rows")) as events:
        return [json.loads(event.text) for event in events.older(math.inf)]


@pytest.mark.parametrize(
    ("make", "row", "label", "name"),
    [
        (of_table, row, lambda i: ["yes", "no", "perhaps"][i % 3], "y"),
        (of_values, lambda i: {"_tag": f"r{i}", "_label_weight": 1 + i % 3, "a": {"x": i}}, lambda i: i / 2, "_label"),
    ],
)  # fmt: skip
def test_a_late_label_is_learned_as_its_row_would_be_now(make, row, label, name, tmp_path):
    learner, twin = make(), make()
    order = [5, 3, 8, 0, 9, 2, 7]
    with contextlib.closing(EventLog(str(tmp_path / "log"), "rows")) as events:
        with served(learner, learns=True, events=events) as server, served(twin, learns=True) as other:
            expected = other.json("/predict", [row(i) for i in range(10)])
            assert server.json("/predict", [row(i) for i in range(10)]) == expected
            assert expected[0] == 200
            for i in order[:3]:
                answer = server.json("/label", {"id": f"r{i}", "label": label(i)})
                assert answer == other.json("/learn", {**row(i), name: label(i)})
            late = [{"id": f"r{i}", "label": label(i)} for i in order[3:]]
            assert server.json("/label", late) == other.json("/learn", [{**row(i), name: label(i)} for i in order[3:]])
            lines = "\n".join(map(json.dumps, [{"id": "r6", "label": label(6)}, {"id": "r4", "label": label(4)}]))
            assert server.ask("POST", "/label", lines, "application/x-ndjson")[0] == 200
            assert other.json("/learn", [{**row(i), name: label(i)} for i in (6, 4)])[0] == 200
            assert json.loads(server.ask("GET", "/health")[1])["pending"] == 1
        assert learner.examples == 99
        same_state(learner, twin)
        again = make()

        assert LateLabels(events, again, NameTable()).replay({"rewards": 0}) == 9
        same_state(again, learner)
        assert again.columns.known == learner.columns.known
    written = rows_of(tmp_path / "log")
    assert [{**row(i), name: label(i)} for i in (*order, 6, 4)] == written[:9]
    assert written[9] == row(1)


def test_what_is_wrong_is_a_status_and_a_line_and_changes_nothing(tmp_path):
    learner = of_table()
    with late_labels(learner, tmp_path / "log") as server:
        assert server.json("/predict", [row(1), row(2)])[0] == 200
        assert server.json("/label", {"id": "r1", "label": "yes"})[0] == 200
        assert server.json("/predict", row(1))[0] == 200  # asked again
        before, mark = learner.copy(), server.events.mark()
        for path, body, status, found in (
            ("/predict", {**row(1), "age": 70}, 409, "id 'r1': another row has it; nothing was predicted"),
            ("/predict", [row(3), {**row(3), "age": 70}], 409, "id 'r3': another row has it"),
            ("/predict", [row(3), {"age": 2}], 400, "2: found a row without an id, expected its id in 'order'"),
            ("/label", {"id": "r1", "label": "no"}, 409, "id 'r1': it has its label; nothing was changed"),
            ("/label", [{"id": "r2", "label": "no"}] * 2, 409, "id 'r2': it has its label; nothing was changed"),
            ("/label", [{"id": "r2", "label": "no"}, {"id": "r7", "label": "no"}], 404, "id 'r7': no such id"),
            ("/label", {"id": "\ud800", "label": "no"}, 404, "no such id"),
            ("/label", [{"id": "r2", "label": "no"}, {"id": "r3"}], 400, '2: found \'{"id":"r3"}\', expected'),
            ("/label", {"id": "r2", "label": None}, 400, 'expected {"id": "...", "label": 1}'),
            ("/label", {"id": "r2", "label": "yes", "weight": 2}, 400, 'expected {"id": "...", "label": 1}'),
            ("/label", '{"id": "r2", "label": 1e400}', 400, "1: found a label beyond 1.8e308, expected a finite"),
            ("/label", 3, 400, "found '3.0', expected"),
            ("/label", "[" * 9000, 400, "found"),
            ("/label", DEEP, 400, "found objects or arrays nested too deeply"),
            ("/learn", {**row(4), "y": "yes"}, 404, "expected POST /predict, POST /label"),
        ):  # fmt: skip
            server.check_refused(status, found, path, body)
        assert server.ask("POST", "/label", '{"id": "r2", "label": "yes"}', "text/csv")[0] == 415
        assert server.ask("POST", "/label", "\n" + "[" * 9000, "application/x-ndjson")[0] == 400
        told = '{"error": "<request>:2:14: found \'3\', expected a name in double quotes"}\n'
        assert server.ask("POST", "/label", '\n{"id": "r2", 3}', "application/x-ndjson") == (400, told)
        assert (server.events.mark(), server.events.pending) == (mark, 1)
        same_state(learner, before)


def test_a_request_of_more_rows_or_labels_than_are_written_at_once_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(labels, "MOST_EVENTS", 4)
    with late_labels(of_table(), tmp_path / "log") as server:
        assert server.json("/predict", [row(i) for i in range(4)])[0] == 200
        late = [{"id": f"r{i}", "label": "yes"} for i in range(5)]
        for path, body in (("/predict", [row(i) for i in range(5)]), ("/label", late)):
            line = "<request>: found more than 4 rows, expected at most so many in a request; send less at once"
            assert server.json(path, body) == (413, {"error": line})
        assert server.events.mark()["decisions"] == server.events.pending == 4
        assert server.json("/label", late[:4])[0] == 200


def test_labels_of_a_long_request_are_looked_up_in_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(labels.worker, "PARSED_RECORDS", 3)
    found = []
    with late_labels(of_table(), tmp_path / "log") as server:
        assert server.json("/predict", [row(i) for i in range(10)])[0] == 200
        work, find = server.worker._work, server.events.find
        monkeypatch.setattr(server.worker, "_work", lambda task: (found.append(0), work(task)))
        monkeypatch.setattr(server.events, "find", lambda event: (found.append(found.pop() + 1), find(event))[1])
        assert server.json("/label", [{"id": f"r{i}", "label": "yes"} for i in range(10)])[0] == 200
    assert (sum(found), max(found)) == (10, 3)


def test_labels_of_a_wrong_kind_are_refused_and_may_come_again(tmp_path):
    learner = of_values()
    with late_labels(learner, tmp_path / "log") as server:
        assert server.json("/predict", {"_tag": "r", "a": {"x": 1}})[0] == 200
        status, answer = server.json("/label", {"id": "r", "label": "much"})
        assert (status, answer["error"][:30]) == (400, "<request>:1: found 'much' for ")
        assert server.json("/label", {"id": "r", "label": 1})[0] == 200


def test_what_cannot_be_written_is_not_learned(tmp_path):
    learner, path = of_table(), tmp_path / "log"
    with late_labels(learner, path) as server:
        assert server.json("/predict", [{**row(1), "new": 1}, {**row(2), "new": 2}])[0] == 200
        (pages,) = server.events._database.execute("pragma page_count").fetchone()
        server.events._database.execute(f"pragma max_page_count = {pages}")
        i = 3
        while (answer := server.json("/predict", row(i)))[0] == 200:  # until the last page is full
            i += 1
        assert answer == (503, {"error": "the event could not be written, so nothing was done; try again later"})
        before = learner.copy()
        late = [{"id": f"r{j}", "label": "yes" * 2000} for j in range(1, 3)]
        assert server.json("/label", late)[0] == 503
        same_state(learner, before)
        assert learner.columns.known == before.columns.known
        server.events._database.execute("pragma max_page_count = 1000000")
        assert server.json("/label", {"id": "r1", "label": "yes"})[0] == 200
        assert all("database or disk is full" in report for report in server.reports)
        server.reports.clear()


def test_logs_are_of_rows_or_of_decisions(tmp_path):
    EventLog(str(tmp_path / "decisions")).close()
    with pytest.raises(ModelFileError, match="found a log of decisions, expected one of rows; give another file"):
        EventLog(str(tmp_path / "decisions"), "rows")
    told = "found 0 labels, and the model has seen 3; give the whole log"
    with contextlib.closing(EventLog(str(tmp_path / "rows"), "rows")) as log, pytest.raises(ModelFileError, match=told):
        log.covers({**log.mark(), "rewards": 3})


def test_the_page_of_the_server(tmp_path):
    """The commands of docs/serve.md about late labels, one after the other."""
    with late_labels(of_table(), tmp_path / "log") as server:
        for command in of_the_page(r"^    (curl .*)", 2):
            assert list(json.loads(asked_by_shell(command, server.http))) == ["predictions"]
        assert (server.learner.examples, server.events.pending) == (91, 0)


# ------------------------------------------------------------------------------------------------- the command


@pytest.mark.limit(120)
def test_a_killed_server_learns_again_what_was_labelled(tmp_path, cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("table.csv").write_text(TABLE)
    cli.out("train --quiet --method nag --classes auto --id order --label y --weight importance -f model table.csv")
    Path("twin").write_bytes(Path("model").read_bytes())
    late = [{"id": f"r{i}", "label": ["yes", "no"][i % 2]} for i in (4, 2, 1, 5)]

    def call(model):
        return "-i", model, "-f", model, "--learn", "--events", f"{model}.db"

    with serving(*call("model")) as (process, (port,), _):
        post_json(port, "/predict", [row(i) for i in range(6)])
        post_json(port, "/label", late[:2])
        refused = cli.error("serve --port 0 -i model -f new --learn --events model.db")
        assert refused == "model.db: another process writes to it; end that one, or give another name"
        process.send_signal(signal.SIGKILL)
        process.wait(20)
    assert Learner.load("model").examples == 90
    with serving(*call("model")) as (process, (port,), lines):
        assert "model.db: 2 labels were learned that model did not have yet" in lines[0]
        post_json(port, "/label", late[2:])
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    with serving(*call("twin")) as (process, (port,), _):
        post_json(port, "/predict", [row(i) for i in range(6)])
        for label in late:
            post_json(port, "/label", label)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    (header, arrays), (other, others) = storage.read("model"), storage.read("twin")
    assert header.pop("events")["rewards"] == other.pop("events")["rewards"] == 4
    assert header == other
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, others[name], err_msg=name)
    log = [json.loads(line) for line in cli.out("events model.db").splitlines()]
    assert log[:4] == [{**row(int(each["id"][1:])), "y": each["label"]} for each in late]
    assert log[4:] == [row(0), row(3)]
    with serving(*call("model")) as (process, (port,), _):
        post_json(port, "/predict", row(7))
        post_json(port, "/label", {"id": "r7", "label": "no"})
        cli.out("events --remove 0 -o old model.db")
        process.kill()
    assert [json.loads(line) for line in Path("old").read_text().splitlines()] == log
    assert json.loads(cli.out("events model.db")) == {**row(7), "y": "no"}
    with serving(*call("model")) as (_, _, lines):
        assert "model.db: 1 labels were learned that model did not have yet" in lines[0]
    for more, expected in (
        ((), "late labels are learned over HTTP; give --learn, no --tcp"),
        (("--learn", "-f", "model", "--tcp", "0"), "give --learn, no --tcp"),
    ):
        assert expected in cli.error("serve", "-i", "model", "--events", "model.db", *more)
    cli.out("train --quiet --method nag --classes auto --label y --ignore order -f without table.csv")
    refused = cli.error("serve --port 0 --learn -i without -f new --events new.db")
    assert refused == "--events new.db: the model's rows have no ids; train it with --id COLUMN"
    assert not Path("new").exists()
    assert not Path("new.db").exists()
