"""A served model answers as `sonlearn predict` does, learns as `sonlearn train` does, and says what is wrong."""

import asyncio
import io
import itertools
import json
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from places import ROOT
from serving import JSON, learned_from, served
from states import same_state

from sonlearn import Learner, LearnOptions, TextOptions
from sonlearn.report.predictions import format_lines
from sonlearn.serve import worker as module
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

VW = (ROOT / "data" / "sample.vw").read_bytes().splitlines(keepends=True)[:120]
SVM = (ROOT / "data" / "sample.svm").read_bytes().splitlines(keepends=True)[:120]


def batches(lines, text):
    return list(Reader(io.BytesIO(b"".join(lines)), text))


def learner_of(lines, text=None, **options):
    return learned_from(b"".join(lines), text or TextOptions(format="vw"), **options)


def predicted(learner, lines):
    """The lines that `sonlearn predict` would write."""
    found = []
    for batch in batches(lines, learner.text):
        prediction = learner.predict(batch._replace(y=np.full(batch.n, np.nan), class_names=None)).prediction
        texts = learner.label_texts(prediction) if learner.options.several else prediction
        found.append(format_lines(texts, batch.tags))
    return "".join(found)


# ---------------------------------------------------------------------------------------------------------- predictions


@pytest.mark.parametrize(("lines", "format"), [(VW, "vw"), (SVM, "svmlight")])
def test_text_is_answered_as_predict_writes(lines, format, monkeypatch):
    """Of arrays of the type that kernels have been compiled for: no client waits for that."""
    learner = learner_of(lines[:60], TextOptions(format=format))
    parse = ChunkParser.parse

    def checked(parser, text, *rest):
        assert text.flags.writeable
        return parse(parser, text, *rest)

    monkeypatch.setattr(ChunkParser, "parse", checked)
    with served(learner) as server:
        assert server.ask("POST", "/predict", b"".join(lines)) == (200, predicted(learner, lines))
        assert server.lines(b"".join(lines)) == predicted(learner, lines)
        for line in lines[:5]:
            assert server.ask("POST", "/predict", line.rstrip()) == (200, predicted(learner, [line]))
        status, answer = server.ask("POST", "/predict", b"")
        assert (status, answer) == (200, "")
    assert learner.examples == 60


@pytest.mark.parametrize("options", [{"oaa": 3}, {"classes": "auto"}])
def test_classes_are_answered_by_name(options):
    words = ["red", "green", "blue"] if "classes" in options else ["1", "2", "3"]
    lines = [f"{word} |a {word}x y".encode() + b"\n" for word in words * 20]
    learner = learner_of(lines, **options)
    with served(learner) as server:
        assert server.ask("POST", "/predict", b"".join(lines[:3])) == (200, "".join(f"{word}\n" for word in words))
        assert server.json("/predict", [{"a": {"bluex": 1}}, {"a": {"2x": 1}}])[0] == 200
        assert server.json("/predict", {"a": {f"{words[2]}x": True, "y": 1}}) == (200, {"predictions": [words[2]]})


def test_json_is_the_same_row():
    learner = learner_of([b"1 |a x y:2 z:red\n", b"-1 |a x |b w:.5\n"] * 20, TextOptions(format="vw", chain_hash=True))
    record = {"a": {"x": 1, "y": 2, "z": "red"}, "b": {"w": 0.5}, "_label": 1}
    (batch,) = batches([b"|a x y:2 z:red |b w:.5\n"], learner.text)
    expected = learner.predict(batch).prediction.tolist()
    with served(learner) as server:
        assert server.json("/predict", record) == (200, {"predictions": expected})
        assert server.json("/predict", [record, record]) == (200, {"predictions": expected * 2})
        body = json.dumps([record, record], indent=1)
        assert server.ask("POST", "/predict", body, "application/json; charset=utf-8")[0] == 200
        body = f"{json.dumps(record)}\n\n{json.dumps(record)}"
        status, answer = server.ask("POST", "/predict", body, "application/x-ndjson")
        assert (status, json.loads(answer)) == (200, {"predictions": expected * 2})
        assert server.lines(json.dumps(record).encode()) == format_lines(np.array(expected))
        mixed = b'|a x y:2 z:red |b w:.5\n{"a": {"x": true, "y": 2, "z": "red"}, "b": {"w": 0.5}}\n'
        assert server.lines(mixed) == format_lines(np.array(expected * 2))
        assert server.json("/predict", []) == (200, {"predictions": []})


def test_json_for_models_without_namespaces():
    learner = learner_of(SVM[:60], TextOptions(format="svmlight"))
    (batch,) = batches([b"1 3:0.5 7:2\n"], learner.text)
    with served(learner) as server:
        predictions = learner.predict(batch).prediction.tolist()
        assert server.json("/predict", {"3": 0.5, "7": 2}) == (200, {"predictions": predictions})
        status, answer = server.json("/predict", {"3": 0.5, "x": 2})
        assert (status, answer["error"]) == (
            400, "<request>:1:12: found 'x': '2' for 'x', expected an index as name and a number: the model is of "
            "LIBSVM text",
        )  # fmt: skip
    text = TextOptions(format="csv", label="y")
    learner = Learner(LearnOptions(method="nag"), text)
    (batch,) = Reader(io.BytesIO(b"age,city,y\n3,Graz,1\n5,Wien,-1\n,x,\n"), text)
    learner.partial_fit(batch)
    with served(learner, learns=True) as server:
        rows = [{"age": 3, "city": "Graz", "y": "1"}, {"age": "5", "city": "Wien"}, {"city": "x", "age": None}]
        assert server.json("/predict", rows) == (200, {"predictions": learner.predict(batch).prediction.tolist()})
        assert server.lines(json.dumps(rows[0]).encode()).count("\n") == 1
        assert server.ask("POST", "/predict", "3,Graz")[0] == 415
        before = learner.examples
        assert server.json("/learn", rows[:2])[0] == 400  # the second has no label, and does not say that it has none
        assert server.json("/learn", [rows[0], rows[1] | {"y": None}])[0] == 200
        assert learner.examples == before + 1
        bad_rows = {"an array for 'age'": {"age": [1]}, "an array for 'y'": {"y": [1]}, "'inf'": {"age": "inf"}}
        for found, bad in bad_rows.items():
            server.check_refused(400, found, "/predict", bad)


# ------------------------------------------------------------------------------------------------------------- learning


@pytest.mark.parametrize("method", ["nag", "committee"])
def test_learning_is_training(method):
    text = TextOptions(format="vw")
    learner = learner_of(VW[:40], text, method=method)
    expected = learner_of(VW[:40], text, method=method)
    parts = [VW[40:41], VW[41:60], VW[60:61], VW[61:100], VW[100:]]
    with served(learner, learns=True) as server:
        for i, part in enumerate(parts):
            predicted = [expected.partial_fit(batch).prediction for batch in batches(part, text)]
            tags = [tag for batch in batches(part, text) for tag in batch.tags or [""] * batch.n]
            reply = server.lines(b"".join(part)) if i % 2 else server.ask("POST", "/learn", b"".join(part))[1]
            assert reply == format_lines(np.concatenate(predicted), tags)
            server.ask("POST", "/predict", b"".join(VW[:3]))
        assert server.ask("GET", "/metrics")[1].count(f"sonlearn_learned_total {learner.examples - 40}.0") == 1
    same_state(learner, expected)


def test_many_at_a_time_learn_each_row_once():
    """Ten clients learn and predict side by side; in the end the state is that of some order of their rows."""
    learner = learner_of(VW[:20], method="sgd", power_t=0.0, loss="squared")
    before = learner.examples

    with served(learner, learns=True) as server:

        def client(k):
            for line in VW[20 + 10 * k : 30 + 10 * k]:
                assert server.ask("POST", "/learn", line)[0] == 200
                assert server.ask("POST", "/predict", line)[0] == 200

        with ThreadPoolExecutor(10) as pool:
            list(pool.map(client, range(10)))
        assert learner.examples == before + 100
        assert f"sonlearn_predictions_total {200}.0" in server.ask("GET", "/metrics")[1]


def test_nothing_of_a_request_with_a_bad_line_is_learned():
    learner, twin = learner_of(VW[:40]), learner_of(VW[:40])
    good = b"".join(VW[40:50])
    with served(learner, learns=True) as server:
        for bad in (b"nobar\n", b"1 |a x:inf\n", b"7 |a x\n", b"name |a x\n", b"1 -2 |a x\n"):
            status, answer = server.ask("POST", "/learn", good + bad + good)
            assert status == 400
            assert answer.startswith("<request>:11:")
            assert answer.count("\n") == 1
        status, answer = server.json("/learn", [{"_label": 1, "a": 1}, {"_label": 7, "a": 1}])
        assert (status, answer["error"].startswith("<request>:2: found label 7, expected -1 or +1")) == (400, True)
        same_state(learner, twin)
        answers = server.lines(good + b"7 |a x\nnobar\n" + good).splitlines()
        refused = [i for i, answer in enumerate(answers) if answer.startswith("error: <request>:")]
        assert (len(answers), refused) == (22, [10, 11])
    for batch in batches([good, good], twin.text):
        twin.partial_fit(batch)
    same_state(learner, twin)


def test_a_server_learns_only_if_it_is_told_to():
    learner = learner_of(VW[:40])
    with served(learner) as server:
        status, answer = server.ask("POST", "/learn", VW[41])
        assert (status, answer) == (403, "this server does not learn; start it with: sonlearn serve --learn -f MODEL\n")
        assert server.lines(VW[41]) == predicted(learner, [VW[41]])
    assert learner.examples == 40
    with served(learner, learns=True) as server:
        assert server.ask("POST", "/learn", VW[41], Origin="http://evil.example")[0] == 403
        page = b"POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n\r\n" + VW[41]
        assert server.lines(page) == "error: found a request of HTTP, expected lines; HTTP has a port of its own\n"
    assert learner.examples == 40


# -------------------------------------------------------------------------------------------------- what waits together


@pytest.mark.parametrize("learn", [False, True])
def test_requests_that_are_worked_on_together_have_the_answers_of_each_alone(learn):
    r = random.Random(3)
    learner, alone = learner_of(VW[:40]), learner_of(VW[:40])
    kinds = {
        "text": lambda: b"".join(r.sample(VW, r.randrange(1, 4))),
        "blank": lambda: b"\n \n",
        "bad": lambda: VW[3] + b"1 2 3 nobar\n" + VW[4],
        "label": lambda: VW[3] + b"3 |a x\n" + VW[4],
    }
    jobs = [(kinds[r.choice([*kinds, "text", "text"])](), r.random() < 0.5) for _ in range(200)]
    groups = []

    class Watched(module.Worker):
        def _group(self):
            groups.append(len(group := super()._group()))
            return group

    async def all_answers(learner, merge):
        worker = Watched(learner, NameTable())
        running = asyncio.ensure_future(worker.run())
        asked = [worker.ask("text", text, learn=learn, whole=whole) for text, whole in jobs]
        if merge:
            found = await asyncio.gather(*asked, return_exceptions=True)
        else:
            found = [(await asyncio.gather(one, return_exceptions=True))[0] for one in asked]
        worker.stop()
        await running
        return found

    ours, theirs = asyncio.run(all_answers(learner, True)), asyncio.run(all_answers(alone, False))
    assert max(groups) > 50
    for mine, other, (_, whole) in zip(ours, theirs, jobs, strict=True):
        assert str(mine) == str(other)
        assert whole or isinstance(mine, module.Reply)
    same_state(learner, alone)
    assert (learner.examples > 40) == learn


def test_too_much_waiting_is_refused(monkeypatch):
    monkeypatch.setattr(module, "MAX_QUEUED_BYTES", 100)

    async def run():
        worker = module.Worker(learner_of(VW[:10]), NameTable())
        asked = [asyncio.ensure_future(worker.ask("text", b"|a " + b"x " * 60)) for _ in range(3)]
        await asyncio.sleep(0)
        running = asyncio.ensure_future(worker.run())
        found = await asyncio.gather(*asked, return_exceptions=True)
        worker.stop()
        await running
        with pytest.raises(module.Busy):
            await worker.ask("text", b"|a x")
        assert worker.waiting == 0
        return [type(answer).__name__ for answer in found]

    assert asyncio.run(run()) == ["Reply", "Busy", "Busy"]


@pytest.mark.parametrize(("body", "media"), [(b'{"a": {"x": 1}}', "application/json"), (VW[0], "text/plain")])
def test_a_byte_order_mark_is_no_part_of_a_body(body, media):
    with served(learner_of(VW)) as server:
        plain = server.ask("POST", "/predict", body, media)
        assert plain[0] == 200
        assert server.ask("POST", "/predict", b"\xef\xbb\xbf" + body, media) == plain
        assert server.lines(b"\xef\xbb\xbf" + body + b"\n") == server.lines(body + b"\n")


# ------------------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("method", "path", "body", "media", "status", "line"),
    [
        ("POST", "/predict", "nobar", "text/plain", 400, "<request>:1:1: found 'nobar', expected a bar '|' before"),
        ("POST", "/predict", b"|a x\n1 |a x:\xff\n1 |a :", "text/plain", 400, "<request>:3:7: found "),
        ("POST", "/predict", '{"a": ', "application/json", 400, "<request>:1:7: found the end of the line, expected"),
        ("POST", "/predict", '{"a": ', "Application/JSON", 400, "<request>:1:7: found the end of the line, expected"),
        ("POST", "/predict", '[{"a": 1},\n {"b": }]', "application/json", 400, "<request>:2:8: found '}', expected a"),
        ("POST", "/predict", '[{"a": 1}, 3]', "application/json", 400, "<request>:2: found '3', expected one JSON"),
        ("POST", "/predict", '{"a": Infinity}', "application/json", 400,
         "<request>:1:1: found Infinity, expected JSON, which"),
        ("POST", "/predict", "[" * 100_000, "application/json", 400, "<request>:1:1: found objects or arrays nested"),
        ("POST", "/predict", b"\xff\xfe", "application/json", 400, "<request>:1:1: found "),
        ("POST", "/predict", "{}\n{", "application/x-ndjson", 400, "<request>:2:2: found the end of the line"),
        ("POST", "/predict", "x", "image/png", 415, "found content of type image/png, expected application/json or"),
        ("POST", "/predict", "{}", "application/x-www-form-urlencoded", 415,
         "found content of type application/x-www-form-urlencoded, expected application/json or application/x-ndjson "
         "or text/plain; curl: -H 'content-type: application/json'"),
        ("POST", "/predict", "1 |a b", "application/x-www-form-urlencoded", 415,
         "found content of type application/x-www-form-urlencoded, expected application/json or application/x-ndjson "
         "or text/plain; curl: -H 'content-type: text/plain'"),
        ("GET", "/learn", None, None, 405, "found GET '/learn', expected POST"),
        ("DELETE", "/health", None, None, 405, "found DELETE '/health', expected POST"),
        ("GET", "/nothing", None, None, 404, "found GET '/nothing', expected POST"),
        ("GET", "/predict", None, "text/plain", 405, "found GET '/predict', expected POST /predict, POST /learn, GET"),
        ("GET", "/nothing", None, "text/plain", 404, "found GET '/nothing', expected POST /predict"),
        ("PUT", "/health", "x", "text/plain", 405, "found PUT '/health', expected POST /predict"),
        ("POST", "/predict", b"|a " + b"x" * 4000, "text/plain", 413, "found more than 2000 bytes, expected at most"),
        ("POST", "/predict", iter([b"|a "] * 1000), "text/plain", 413, "found more than 2000 bytes, expected at most"),
    ],
)  # fmt: skip
def test_one_clear_line(method, path, body, media, status, line):
    """In JSON to who sends it, or nothing."""
    most = 1 << 20 if isinstance(body, str) and len(body) > 9999 else 2000
    with served(learner_of(VW[:10]), max_body=most) as server:
        found = server.ask(method, path, body, media)
        body = json.loads(found[1])["error"] + "\n" if "json" in (media or JSON).lower() else found[1]
        assert (found[0], body.count("\n")) == (status, 1)
        assert body.startswith(line)
        assert "Traceback" not in body
        assert json.loads(server.ask("GET", "/health")[1])["status"] == "ok"


def test_a_line_of_too_many_interactions_is_refused():
    """Not two thousand million of them, which is what one's own data may have."""
    learner = learner_of([b"1 |a x |b y\n"], TextOptions(format="vw", quadratic=("::",)))
    with served(learner) as server:
        status, answer = server.ask("POST", "/predict", "|a " + " ".join(f"w{i}" for i in range(4000)))
        assert (status, "features with interactions, expected at most 65536 in a line" in answer) == (413, True)


def test_health_and_metrics():
    with served(learner_of(VW[:10]), learns=True) as server:
        body = json.loads(server.ask("GET", "/health")[1])
        assert body == {"status": "ok", "method": "nag", "examples": 10, "learns": True}
        server.ask("POST", "/learn", b"".join(VW[:7]))
        server.ask("POST", "/predict", b"nobar")
        server.lines(VW[8] + b"nobar\n\n")
        text = server.ask("GET", "/metrics")[1]
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        labelled = sum(not line.startswith(b"|") for line in [*VW[:7], VW[8]])
        assert values['sonlearn_requests_total{path="/learn",status="200"}'] == "1.0"
        assert values['sonlearn_requests_total{path="/predict",status="400"}'] == "1.0"
        assert values['sonlearn_lines_total{outcome="answered"}'] == "1.0"
        assert values['sonlearn_lines_total{outcome="malformed"}'] == "1.0"
        assert values["sonlearn_predictions_total"] == "8.0"
        assert float(values["sonlearn_learned_total"]) <= labelled
        assert float(values["sonlearn_model_examples"]) == 10 + float(values["sonlearn_learned_total"])
        assert float(values["sonlearn_loss_total"]) > 0
        assert values["sonlearn_request_seconds_count"] == "2.0"
        assert all(line.isascii() for line in itertools.islice(text.splitlines(), 50))
