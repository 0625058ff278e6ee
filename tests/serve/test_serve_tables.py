"""What a server of a table's or a JSON model takes: the same as ``sonlearn predict``."""

import dataclasses
import gzip
import io
import json

import pytest
from serving import learned_from, served

from sonlearn import Learner, LearnOptions, TextOptions, read_batches
from sonlearn.report.predictions import format_lines
from sonlearn.serve import worker
from sonlearn.text.columns import Labelling
from sonlearn.text.encode import TableEncoder
from sonlearn.text.read import Reader


def of_json(**options):
    lines = b'{"_label": 1, "a": {"x": 1, "y": true}}\n{"_label": -1, "a": {"z": 2}}\n' * 20
    return learned_from(lines, TextOptions(format="json", **options))


def of_table(**options):
    text = "n,city,note,y\n" + "".join(
        f"{i % 5},{['Graz', 'Wien'][i % 2]},{['good day', 'bad day'][i % 2]},{['no', 'yes'][i % 2]}\n"
        for i in range(60)
    )
    return learned_from(text.encode(), TextOptions(format="csv", label="y", text=("note",), **options))


def test_a_model_of_json_takes_vw_text_as_predict_does():
    learner = of_json()
    text = b"|a x:1 y\n|a z:2\n"
    lines = b'{"a": {"x": 1, "y": true}}\n{"a": {"z": 2}}\n'
    (batch,) = read_batches(io.BytesIO(text), learner.text.__class__(format="vw"))
    expected = format_lines(learner.predict(batch).prediction)
    with served(learner) as server:
        for body in (text, lines):
            assert server.ask("POST", "/predict", body) == (200, expected)
            assert server.lines(body) == expected
        server.check_refused(400, "VW text", "/predict", b"no bar\n", "text/plain")


def test_rows_of_a_table_are_those_of_csv():
    learner = of_table()
    header, row = "n,city,note", '3,Graz,"A good, GOOD day"'
    text, columns = f"{header}\n{row}\n,,\n".encode(), learner.columns.frozen()
    (batch,) = Reader(io.BytesIO(text), learner.text, labels=Labelling(needed=False), columns=columns)
    expected = learner.predict(batch).prediction.tolist()
    rows = [{"n": 3, "city": "Graz", "note": "A good, GOOD day"}, {"n": None, "city": None, "note": None}]
    with served(learner) as server:
        assert json.loads(server.ask("GET", "/health")[1])["positive"] == "yes"  # whose log-odds predictions are
        assert server.json("/predict", rows) == (200, {"predictions": expected})
        assert server.json("/predict", rows[1]) == (200, {"predictions": expected[1:]})
        status, answer = server.json("/predict", [rows[0], {"town": "Graz", "N": 3}])
        assert status == 400
        assert answer["error"] == (
            "<request>:2: found the members 'town', 'N', expected columns that the model knows: 'n', 'city', 'note'"
        )
        assert server.json("/predict", {"town": "Graz", "n": 3})[0] == 200
        server.check_refused(400, "found no member, expected columns that the model knows: 'n'", "/predict", {})


def test_a_server_learns_words_as_train_does():
    rows = [{"n": 1, "city": "Graz", "y": "no"}, {"n": 2, "city": "Wien", "y": "yes"}, {"n": 0, "y": "maybe"}]
    learner, other = of_table(), of_table()
    text = "n,city,y\n1,Graz,no\n2,Wien,yes\n"
    (batch,) = Reader(io.BytesIO(text.encode()), other.text.__class__(label="y"), labels=Labelling(words=True))
    expected = other.partial_fit(batch).prediction.tolist()
    with served(learner, learns=True) as server:
        assert server.json("/learn", rows[:2]) == (200, {"predictions": expected})
        server.check_refused(400, "found label 'maybe', expected 'no' or 'yes'", "/learn", rows[2:])
    assert (learner.weights()[1] == other.weights()[1]).all()


@pytest.mark.parametrize("flags", [{}, {"delimiter": ";", "decimal": ","}])
def test_a_model_of_tables_takes_csv_as_predict_does(flags):
    learner, media = of_table(), "text/csv; charset=utf-8"
    learner.text = dataclasses.replace(learner.text, id="key", **flags)

    def spelt(text):
        return text.replace(",", ";").replace(".", ",") if flags else text

    text = spelt('key,city,n\na,Graz,2\n"b\n2",Wien,1.5\n,Linz,\n')
    columns = learner.columns.frozen()
    (batch,) = Reader(io.BytesIO(text.encode()), learner.text, labels=Labelling(needed=False), columns=columns)
    with served(learner, learns=True) as server:
        expected = format_lines(learner.predict(batch).prediction, batch.tags)
        assert server.ask("POST", "/predict", text, media) == (200, expected)
        assert server.ask("POST", "/predict", "city\n", media) == (200, "")
        before = learner.examples
        for path, body, message in (
            ("/predict", "town\nGraz\n", "found the columns 'town', expected one column 'key' (--id)"),
            ("/predict", "city|n\nGraz|2\n", f"; this model's fields are separated by '{learner.text.delimiter}'"),
            ("/predict", "n,n\n1,2\n", "<request>:1: found 2 columns 'n'"),
            ("/predict?probabilities=1", text, "found a query with text/csv"),
            ("/learn", "city,n,y\nGraz,2.5,yes\nGraz,2.5\n", "<request>:3: found 2 fields, expected 3 fields"),
        ):
            server.check_refused(400, message, path, spelt(body), media)
        assert learner.examples == before
        assert server.ask("POST", "/learn", spelt("city,n,y\nGraz,2.5,yes\n"), media)[0] == 200
        assert learner.examples == before + 1
        status, answer = server.ask("POST", "/predict", text, "text/plain")
        assert (status, answer.endswith("application/x-ndjson or text/csv\n")) == (415, True)


def test_values_have_no_probabilities():
    learner = Learner(LearnOptions(method="nag", loss="squared"), TextOptions(format="csv", label="y"))
    with served(learner) as server:
        server.check_refused(400, "the model predicts values, not classes", "/predict?probabilities=1", {"a": 1})


def test_a_table_whose_column_of_ids_may_have_another_name_is_refused():
    with served(of_table()) as server:
        answer = server.ask("POST", "/predict", "town\nGraz\n", "text/csv")[1]
        assert "found the columns 'town', expected columns that the model knows" in answer
    with served(of_table(id="city")) as server:
        for header, status in (("n,city,town", 200), ("n,note", 200), ("n,note,town", 400)):
            body = f"{header}\n1,a,b\n" if header.count(",") > 1 else f"{header}\n1,a\n"
            found, answer = server.ask("POST", "/predict", body, "text/csv")
            assert (found, "expected one column 'city' (--id)" in answer) == (status, status == 400)


def test_rows_to_be_learned_have_the_column_of_the_label_and_other_columns_are_named_once():
    learner = of_table()
    with served(learner, learns=True) as server:
        before = learner.examples
        for body, media in (("n,city\n1,Graz\n", "text/csv"), ('{"n": 1, "city": "Graz"}', "application/json")):
            told = "found a row without a label's column, expected the label's column 'y'"
            server.check_refused(400, told, "/learn", body, media)
            assert server.ask("POST", "/predict", body, media)[0] == 200
        assert (learner.examples, learner.columns.numbers["n"][0]) == (before, 60)
        unlabelled = '{"n": 1, "city": "Graz", "note": "bad", "y": null}'
        assert server.ask("POST", "/learn", unlabelled, "application/json")[0] == 200
        for _ in range(2):
            assert server.ask("POST", "/learn", "n,town,y\n1,Graz,yes\n", "text/csv")[0] == 200
        assert learner.examples == before + 2
        assert learner.columns.numbers["n"] == [63, 123]
        assert learner.columns.known["town"] == ("category",)
        told = "found '70,5' for 'n', expected a number, as in all rows that the model has learned"
        server.check_refused(400, told, "/predict", {"n": "70,5"})
    assert server.notes == [
        "<request>: columns that the model knows and the table has not: 'note'",
        "<request>: columns that the model knows and the table has not: 'city', 'note'",
        "<request>: columns that the model does not know, new to the model: 'town'",
    ]


def test_what_is_new_in_a_column_is_said_in_the_reply_to_its_request():
    """Once, as on standard error: what the model has never met in it."""
    told = "the column 'n' has missing numbers, of which the model has met none; the column's mean stands for them"
    with served(of_table()) as server:
        for n, notes in ((3, None), (None, [told]), (None, None)):
            server.json("/predict", {"n": n, "city": "Graz", "note": "good"})
            assert server.told == notes
    assert server.notes == [told]
    with served(of_table()) as server:
        rows = [{"n": n, "city": "Graz", "note": "good"} for n in (3, None, None, 3)]
        requests = [worker.PredictionRequest("lines", json.dumps(row).encode() + b"\n", False, True) for row in rows]
        task = worker.Task(requests)
        server.worker._work(task)
        assert [reply.notes for reply in task.results] == [[], [told], [], []]
    assert server.notes == [told]


def test_what_columns_held_in_a_refused_request_has_not_come():
    """Neither for the notes in the next reply, nor for the model."""
    good, bad = ({"n": n, "city": "Graz", "note": note, "y": "no"} for n, note in ((3, "good"), (None, ["a", True])))
    with served(learner := of_table(), learns=True) as server:
        for learn in (False, True):
            for rows in ([bad], [good, bad], [good]):
                bodies = [json.dumps(row).encode() + b"\n" for row in rows]
                task = worker.Task([worker.PredictionRequest("lines", body, learn, True) for body in bodies])
                server.worker._work(task)
            assert task.results[0].notes == []
        assert learner.columns.known["n"] == ("number",)
    assert server.notes == []


def test_columns_of_a_row_that_leads_out_of_all_bounds_have_not_come():
    """Nor those of a line with a label of another kind, to which others are said."""
    good = {"n": 1, "city": "Graz", "note": "good"}
    with served(learner := of_table(), learns=True) as server:
        before = dict(learner.columns.known), dict(learner.columns.numbers)
        for new in ({"n": 1e300, "town": 3}, {"n": 1e300, "city": 7, "note": None}):
            server.check_refused(400, "numbers out of all bounds", "/learn", good | new | {"y": "no"})
            assert (learner.columns.known, learner.columns.numbers) == before
        assert "found label 'maybe'" in server.lines(json.dumps(good | {"town": 3, "y": "maybe"}).encode() + b"\n")
        assert (learner.columns.known, learner.columns.numbers) == before
        assert (server.json("/predict", good)[0], server.told) == (200, None)
        assert server.json("/learn", good | {"n": 2, "town": 3, "y": "no"})[0] == 200
        assert learner.columns.known["town"] == ("number",)


def test_a_reply_says_of_what_columns_its_own_request_had():
    told = "<request>: columns that the model does not know, left out: 'town'"
    lacks = "<request>: columns that the model knows and the table has not: 'city', 'note'"
    with served(of_table()) as server:
        whole = {"n": 3, "city": "Graz", "note": "good"}
        for media, text, notes in (
            ("application/json", json.dumps(whole), None),
            ("application/json", json.dumps([whole, whole | {"town": "Graz"}]), [told]),
            ("application/json", json.dumps({"n": 3, "town": 1}), [lacks, told]),
            ("text/csv", "n,city,note,town\n1,Graz,bad,1\n", [told]),
        ):
            assert (server.ask("POST", "/predict", text, media)[0], server.told) == (200, notes)
        body = json.dumps(whole | {"town": 1}) + "\n"
        requests = [worker.PredictionRequest("lines", text.encode(), False, True, worker.NO_EXTRAS)
                    for text in (body, json.dumps(whole) + "\n", body)]  # fmt: skip
        task = worker.Task(requests)
        server.worker._work(task)
        assert [reply.notes for reply in task.results] == [[told], [], [told]]


def test_a_model_of_json_takes_csv_as_predict_does(tmp_path):
    rows = [{"n": i % 5, "city": ["Graz", "Wien"][i % 2], "y": ["no", "yes"][i % 2]} for i in range(60)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    learner = learned_from(lines.encode(), TextOptions(format="json", label="y"))
    with served(learner) as server:
        expected = server.json("/predict", [{"n": 3, "city": "Graz"}, {"n": 2, "city": None}])[1]["predictions"]
        status, answer = server.ask("POST", "/predict", "city,n\nGraz,3\n,2\n", "text/csv")
        assert (status, [float(line) for line in answer.split()]) == (200, pytest.approx(expected, abs=1e-6))


def test_a_row_that_was_refused_says_nothing_of_the_column_s_mean():
    """One row with a number out of all bounds does not spoil what stands for missing ones."""
    learner, twin = of_table(), of_table()
    with served(learner, learns=True) as server, served(twin, learns=True) as other:
        answers = [each.json("/learn", [{"n": 2, "city": "Graz", "y": "no"}]) for each in (server, other)]
        assert answers[0] == answers[1]
        server.check_refused(400, "out of all bounds", "/learn", {"n": 1e300, "city": "Graz", "y": "no"})
        assert server.json("/predict", {"city": "Wien"}) == other.json("/predict", {"city": "Wien"})
        rows = [{"n": 1e300, "city": "Graz", "y": "no"}, {"n": 3, "city": "Wien", "y": "yes"}]
        server.check_refused(400, "smaller values; it alone was left out", "/learn", rows)  # so no one sends both again
        assert other.json("/learn", rows[1:])[0] == 200
        assert server.json("/predict", {"city": "Wien"}) == other.json("/predict", {"city": "Wien"})
    assert learner.columns.numbers == twin.columns.numbers


def test_what_stands_for_a_missing_number_is_the_mean_of_rows_learned_since_as_well():
    with served(learner := of_table(), learns=True) as server:
        row, before = {"city": "Wien", "note": "good"}, learner.columns.mean("n")
        for n in (50, 70):
            assert server.json("/learn", row | {"n": n, "y": "no"})[0] == 200
        mean = learner.columns.mean("n")
        assert mean > before + 1
        assert server.json("/predict", row | {"n": None}) == server.json("/predict", row | {"n": mean})


@pytest.mark.parametrize(("media", "body", "line"), [
    ("application/json", "", "<request>: found an empty body, expected an object, or an array of objects"),
    ("application/json", " \n", "<request>: found an empty body, expected an object, or an array of objects"),
    ("application/json", '[{"n": 1},', "<request>:1:11: found the end of the line, expected a value"),
    ("application/json", '[{"n": 1},\n{"n": 2}', "<request>:2:9: found the end of the line, expected ',' delimiter"),
    ("text/csv", "", "<request>: found an empty body, expected a table with a header"),
])  # fmt: skip
def test_a_body_that_ends_too_early_is_refused_where_it_ends(media, body, line):
    with served(of_table()) as server:
        status, answer = server.ask("POST", "/predict", body, media)
        assert (status, json.loads(answer)["error"] if "json" in media else answer.rstrip("\n")) == (400, line)


def test_columns_are_those_of_all_steps_of_a_body(monkeypatch):
    monkeypatch.setattr(worker, "PARSED_RECORDS", 1)
    learner = of_table()
    with served(learner, learns=True) as server:
        rows = [{"n": 3, "y": "yes"}, {"city": "Graz", "y": "no"}, {"note": "good", "town": None, "y": "no"}]
        assert server.json("/learn", rows)[0] == 200
        assert server.json("/learn", [{"town": "Graz", "y": "no"}])[0] == 200
    assert learner.columns.known["town"] == ("category", "missing")
    assert server.notes == [
        "<request>: columns that the model does not know, new to the model: 'town'",
        "<request>: columns that the model knows and the table has not: 'n', 'city', 'note'",
    ]


@pytest.mark.parametrize(("media", "body", "after"), [
    ("application/json", lambda rows: json.dumps(rows)[:-1], ", {"),
    ("application/x-ndjson", lambda rows: "".join(json.dumps(row) + "\n" for row in rows), "{"),
    ("text/plain", lambda rows: "|a x\n" * len(rows), "no bar"),
    ("text/csv", lambda rows: "x\n" + "1\n" * len(rows), '"'),
])  # fmt: skip
def test_too_many_rows_are_refused_before_they_are_read(media, body, after):
    """What is malformed behind the first that is too many has not been met; lines of a connection are no request."""
    line = "<request>: found more than 4 rows, expected at most so many in a request; send less at once"
    with served(of_json(), max_rows=4) as server:
        end = "]" if media == "application/json" else ""
        assert server.ask("POST", "/predict", body([{"x": 1}] * 4) + end, media)[0] == 200
        status, answer = server.ask("POST", "/predict", body([{"x": 1}] * 5) + after, media)
        assert (status, json.loads(answer)["error"] if "json" in media else answer.rstrip("\n")) == (413, line)
        assert server.lines(b"|a x\n" * 9).count("\n") == 9


def test_a_body_that_is_encoded_is_refused_by_the_name_of_its_encoding():
    body = b'{"n": 3, "city": "Graz"}'
    with served(of_table()) as server:
        for path in ("/predict", "/predict?probabilities=1"):
            told = "found a body of content-encoding 'gzip', expected one that is not encoded"
            server.check_refused(415, told, path, gzip.compress(body), **{"content-encoding": "GZIP"})
        assert server.ask("POST", "/predict", body, "application/json", **{"content-encoding": "identity"})[0] == 200


@pytest.mark.parametrize(
    ("make", "row"),
    [
        (of_table, lambda words: {"n": 1, "note": " ".join(words)}),
        (of_table, lambda words: dict.fromkeys(words, 1)),
        (of_json, lambda words: {"a": {"_text": " ".join(words)}}),
        (lambda: of_json(text=("note",)), lambda words: {"note": " ".join(words)}),
        (of_json, lambda words: {"a": words}),
        (of_json, lambda words: {"a": dict.fromkeys(words, 1)}),
        (of_json, lambda words: {"a": list(range(1, len(words)))}),
    ],
)
def test_a_row_that_is_too_long_is_refused_before_it_is_read(make, row, monkeypatch):
    """Each word would be a feature, and others wait while they are made."""
    learner, new, made = make(), TableEncoder.new, list[str]()

    def counted(encoder, name, *rest, **more):
        made.append(name)
        return new(encoder, name, *rest, **more)

    monkeypatch.setattr(TableEncoder, "new", counted)
    with served(learner, learns=True, max_features=50) as server:
        long, short = ([f"w{i}" for i in range(count)] for count in (9000, 30))
        status, answer = server.json("/predict", [row(long)])
        assert status == 413
        assert "found a row of more than 50 features" in answer["error"]
        assert answer["error"].endswith(", expected at most 50")
        assert len(made) < 60
        status, answer = server.json("/predict", [row(short)])
        assert status == 200 or "columns that the model knows" in answer["error"]
