"""What a request may ask for beside predictions; rows that are too long; what is long lets others have their turn."""

import asyncio
import io
import json
import re

import numpy as np
import pytest
from serving import JSON, served
from streams import zipf

from sonlearn import InputError, Learner, LearnOptions, TextOptions, read_batches
from sonlearn.learn import explain
from sonlearn.serve import worker as module
from sonlearn.text.names import NameTable


def learner_of(**options):
    learner = Learner(LearnOptions(method="nag", **options), TextOptions(format="svmlight"))
    batch = zipf(300, 40)
    y = np.where(batch.y > 0, 1.0, -1.0) if "oaa" not in options else 1.0 + np.arange(300) % 3
    learner.partial_fit(batch._replace(y=y))
    return learner


def ask(server, body, query="", media=JSON, path="/predict"):
    status, answer = server.ask("POST", path + query, body, media)
    return status, json.loads(answer) if answer.startswith("{") else answer


def test_probabilities_come_with_labels_and_tags():
    learner = learner_of()
    with served(learner) as server:
        rows = [{"1": 1.0, "3": 2.0}, {"2": 1.0}]
        status, answer = ask(server, json.dumps(rows), "?probabilities=1")
        assert status == 200
        p = 1 / (1 + np.exp(-np.array(answer["predictions"])))
        assert answer["probabilities"] == pytest.approx(p.tolist())
        assert answer["labels"] == np.where(p > 0.5, 1, -1).tolist()
        assert answer["tags"] == ["", ""]
        assert ask(server, json.dumps(rows), "?probabilities=0")[1] == {"predictions": answer["predictions"]}


def test_probabilities_of_several_classes_are_by_label():
    learner = learner_of(oaa=3)
    with served(learner) as server:
        _, answer = ask(server, '{"1": 1.0}', "?probabilities=1")
        (row,) = answer["probabilities"]
        assert row.keys() == {"1", "2", "3"}
        assert sum(row.values()) == pytest.approx(1.0)
        assert answer["labels"] == answer["predictions"] == [max(row, key=row.get)]


def test_explanations_are_the_learners():
    learner = learner_of()
    with served(learner) as server:
        _, answer = ask(server, '{"1": 1.0, "3": 2.0}', "?explain=1")
        (explained,) = answer["explanations"]
        assert explained["raw"] == answer["predictions"][0]
        assert {entry["id"] for entry in explained["features"]} >= {1, 3}
        added = sum(entry["contribution"] for entry in explained["features"])
        assert added == pytest.approx(explained["raw"], abs=1e-6)
        long = json.dumps([{str(j): 1.0 for j in range(1, 101)}] * 100)
        server.check_refused(413, "entries in all", "/predict?explain=1", long)


@pytest.mark.parametrize(("query", "media", "line"), [
    ("?probability=1", JSON, "found the query parameter 'probability', expected probabilities=1 or explain=1 or"),
    ("?probabilities=yes", JSON, "found probabilities='yes', expected 1 or 0"),
    ("?explain=1", "text/plain", "found a query with text/plain, whose answers are lines of predictions"),
])  # fmt: skip
def test_a_query_that_is_not_understood_is_refused(query, media, line):
    with served(learner_of()) as server:
        status, answer = ask(server, '{"1": 1.0}' if media == JSON else "1:1\n", query, media)
        assert status == 400
        assert (answer["error"] if media == JSON else answer).startswith(line)


def test_sets_and_intervals_come_with_a_model_that_keeps_a_coverage():
    with served(learner_of(coverage=0.9)) as server:
        _, answer = ask(server, '{"1": 1.0}', "?coverage=1")
        ((*inside,),) = answer["sets"]
        assert set(inside) <= {-1, 1}
    with served(learner_of(coverage=0.9, oaa=3), learns=True) as server:
        _, answer = ask(server, '{"1": 1.0}', "?coverage=1")
        assert set(answer["sets"][0]) <= {"1", "2", "3"}
        assert "sonlearn_coverage_asked 0.9" in server.ask("GET", "/metrics")[1]
        server.ask("POST", "/learn", "1 1:1\n2 2:1\n")
        assert re.search(r"sonlearn_coverage_reached (0\.5|1|0)\.?0?\n", server.ask("GET", "/metrics")[1])
    learner = learner_of(coverage=0.9, loss="squared")
    with served(learner) as server:
        _, answer = ask(server, '{"1": 1.0}', "?coverage=1")
        ((low, high),) = answer["intervals"]
        assert low < answer["predictions"][0] < high
    with served(learner_of()) as server:
        server.check_refused(400, "the model keeps none", "/predict?coverage=1", {"1": 1.0})


def test_a_loss_without_probabilities_says_so():
    with served(learner_of(loss="hinge")) as server:
        server.check_refused(400, "tells no probability", "/predict?probabilities=1", {"1": 1.0})


def test_rows_that_are_too_long_are_refused_by_their_line():
    learner = learner_of()
    with served(learner, learns=True, max_features=50) as server:
        long = "1 " + " ".join(f"{j}:1" for j in range(1, 101))
        before = learner.examples
        status, answer = ask(server, f"1 1:1\n{long}\n", media="text/plain", path="/learn")
        assert (status, answer) == (413, "<request>:2: found a row of 101 features, expected at most 50\n")
        assert learner.examples == before
        first, second, third = server.lines(f"-1 2:1\n{long}\n1 1:1\n".encode()).splitlines()
        assert second == "error: <request>:2: found a row of 101 features, expected at most 50"
        assert float(first) != float(third)
        assert learner.examples == before + 2


@pytest.mark.parametrize("learn", [False, True])
def test_what_is_long_lets_others_have_their_turn(learn, monkeypatch):
    """A request of many steps is begun first, and one that came later is answered before it."""
    monkeypatch.setattr(module, "STEP_ENTRIES", 100)
    learner, alone = learner_of(), learner_of()
    long = "".join(f"{'+-'[i % 2]}1 {1 + i % 7}:1 {9 + i % 5}:2\n" for i in range(9000)).encode()
    values, answered = in_turn(learner, ("text", long, learn, module.NO_EXTRAS))
    assert len(values.values) == 9000
    if learn:  # rows are learned in the order of their requests
        assert answered.index("learns") > answered.index("long")

        told = [alone.partial_fit(b).prediction for b in read_batches(io.BytesIO(long), alone.text)]
        assert values.values == np.concatenate(told).tolist()


def test_of_long_requests_few_are_under_way_at_once(monkeypatch):
    """The others wait, those that learn in the order in which they came; what is short does not."""
    monkeypatch.setattr(module, "STEP_ENTRIES", 100)
    monkeypatch.setattr(module, "MAX_BYTES_IN_PROGRESS", 1 << 17, raising=False)
    long, under_way, answered = b"1 1:1 2:1\n" * 9000, set(), []

    async def run():
        worker = module.Worker(learner_of(), NameTable())
        work = worker._work
        monkeypatch.setattr(worker, "_work", lambda task: (under_way.add(len(worker._long)), work(task)))

        async def one(name, text, learn):
            await worker.ask("text", text, learn=learn)
            answered.append(name)

        asked = [("long", long, False), ("other", long, False), ("learns", long, True), ("too", b"1 2:1\n", True)]
        found = [asyncio.ensure_future(one(*request)) for request in (*asked, ("short", b"1 1:1\n", False))]
        running = asyncio.ensure_future(worker.run())
        await asyncio.gather(*found)
        worker.stop()
        await running

    asyncio.run(run())
    assert answered == ["short", "long", "other", "learns", "too"]
    assert max(under_way) == 1


def in_turn(learner, request):
    """The reply to a long request, and the order in which it, two short ones and one that learns were answered."""
    answered = []

    async def run():
        worker = module.Worker(learner, NameTable())
        running = asyncio.ensure_future(worker.run())

        async def one(name, kind, text, learn, extras=module.NO_EXTRAS):
            answer = await worker.ask(kind, text, learn=learn, extras=extras)
            answered.append(name)
            return answer

        first = asyncio.ensure_future(one("long", *request))
        await asyncio.sleep(0.005)
        others = [asyncio.ensure_future(one(name, "text", b"1 1:1\n", False)) for name in ("a", "b")]
        second = asyncio.ensure_future(one("learns", "text", b"1 2:1\n", True))
        found = await asyncio.gather(first, second, *others)
        worker.stop()
        await running
        assert worker.waiting == 0
        return found[0]

    reply = asyncio.run(run())
    assert answered.index("long") > max(answered.index("a"), answered.index("b"))
    return reply, answered


def test_explaining_lets_others_have_their_turn(monkeypatch):
    """The model does not learn meanwhile, so all terms are of one state."""
    monkeypatch.setattr(explain, "_ENTRIES", 200)
    learner = Learner(LearnOptions(members=("nag", "nag:pairs")), TextOptions(format="svmlight"))
    batch = zipf(300, 40)
    learner.partial_fit(batch._replace(y=np.where(batch.y > 0, 1.0, -1.0)))
    row = json.dumps({str(j): 1.0 for j in range(1, 31)}).encode()
    row_of_30 = b"0 " + b" ".join(b"%d:1" % j for j in range(1, 31))
    expected = learner.explain(next(read_batches(io.BytesIO(row_of_30), learner.text)))
    reply, answered = in_turn(learner, ("lines", row, False, module.Extras(explain=True)))
    assert answered.index("learns") > answered.index("long")
    (told,) = reply.more["explanations"]
    assert told["raw"] == reply.values[0] == expected[0].attributions[0].raw
    assert [term["contribution"] for term in told["features"]] == expected[0].attributions[0].contributions.tolist()


@pytest.mark.parametrize("kind", ["text", "lines", "document"])
def test_long_bodies_are_parsed_in_steps(kind, monkeypatch):
    """Steps change neither what is predicted nor the line that is named."""
    learner = learner_of()
    rows = [{str(1 + i % 7): 1.0, str(9 + i % 5): 2.0} for i in range(1000)]
    bad = {"text": "0 1:1 1:x\n", "lines": '{"a": 1}\n', "document": '{"a": 1}'}[kind]

    def body(first, rows):
        if kind == "text":
            lines = [" ".join(["0", *(f"{j}:{x}" for j, x in row.items())]) + "\n" for row in rows]
        else:
            lines = [json.dumps(row) + "\n" * (kind == "lines") for row in rows]
        lines[700:700] = first
        return (" [ " + " ,\n ".join(lines) + " ] " if kind == "document" else "".join(lines)).encode()

    async def ask(text):
        worker = module.Worker(learner, NameTable())
        running = asyncio.ensure_future(worker.run())
        try:
            return await worker.ask(kind, text)
        finally:
            worker.stop()
            await running

    def told(text):
        try:
            return asyncio.run(ask(text))
        except InputError as error:
            return str(error)

    whole, error = told(body([], rows)), told(body([bad], rows))
    assert len(whole.values) == 1000
    assert "<request>:701" in error
    monkeypatch.setattr(module, "PARSED_BYTES", 100)
    monkeypatch.setattr(module, "PARSED_RECORDS", 3)
    assert told(body([], rows)) == whole
    assert told(body([bad], rows)) == error


@pytest.mark.parametrize("row", [{f"a{i}": i for i in range(9000)}, {"a": [0.5] * 9000}, {"_text": "tea " * 20000}])
def test_long_rows_of_a_document_are_parsed_one_by_one(row):
    rows = list(module.elements(json.dumps([row] * 3 + [{"a": 1}] * 500).encode()))
    assert [len(part) for part in module.pieces_of(iter(rows))] == [1, 1, 1, 256, 244]
