"""Tables on the command line: two labels of any words, ids, texts, what is written, and what a table is."""

import csv
import datetime
import gzip
import io
import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

import sonlearn
from sonlearn import InputError, Learner, LearnOptions, TextOptions
from sonlearn.learn.labels import LabelEncoder
from sonlearn.learn.losses import losses  # noqa: F401 (compiled once)
from sonlearn.text.columns import Labelling
from sonlearn.text.read import Reader


def table(negative="no", positive="yes", n=60, first="no"):
    words = {"no": [negative, positive], "yes": [positive, negative]}[first]
    lines = ["key,n,city,note,label"]
    for i in range(n):
        note = ["good bread", "Bad bread"][i % 2]
        lines.append(f"k{i},{i % 7},{['Graz', 'Wien'][i % 2]},{note} {i % 3},{words[i % 2]}")
    return "\n".join(lines) + "\n"


def write(name, text):
    Path(name).write_text(text, encoding="utf-8")


def line_by_line(name):
    """A process that writes a file's lines to ``pipe``."""
    os.mkfifo("pipe")
    return subprocess.Popen(f'while read -r line; do echo "$line"; done < {name} > pipe', shell=True)


TRAIN = ("train", "--method", "nag", "-f", "m", "--label", "label", "--id", "key")


def test_dates_of_json_are_those_of_csv_also_ahead_and_from_a_cache(cli):
    days = [datetime.date(2022, 1, 1) + datetime.timedelta(3 * i) for i in range(400)]
    rows = [(str(day), day.year - 2020 + day.month % 3, day.year < 2025) for day in days]
    for name, learned in (("t", True), ("p", False)):
        chosen = [(day, y) for day, y, before in rows if before == learned]
        write(f"{name}.csv", "day,y\n" + "".join(f"{day},{y}\n" for day, y in chosen))
        write(f"{name}.json", "".join(json.dumps({"day": day, "y": y}) + "\n" for day, y in chosen))
    found = []
    for model, data in (("csv", "t.csv"), ("json", "t.json"), ("cached", "t.json -c"), ("again", "t.json -c")):
        cli.out(f"train --quiet --method nag --loss squared --label y -f {model} {data}")
        found.append(cli.out(f"predict --quiet -i {model} -p /dev/stdout p.{data[2:6].strip()}"))
    assert found[0] == found[1] == found[2] == found[3]
    assert found[0].count("\n") > 20


# ------------------------------------------------------------------------------------------------- two labels


@pytest.mark.parametrize(
    ("negative", "positive", "first", "options", "printed"),
    [
        ("no", "yes", "no", [], "yes (the other: no)"),
        ("no", "yes", "yes", [], "yes (the other: no)"),
        ("ham", "spam", "yes", [], "spam (the other: ham)"),
        ("blue", "red", "no", [], "red (the other: blue)"),
        ("red", "blue", "no", [], "blue (the other: red)"),
        ("yes", "no", "no", ["--positive", "no"], "no (the other: yes)"),
        ("1", "2", "yes", ["--positive", "2"], "2 (the other: 1)"),
        ("1", "0", "no", ["--positive", "0.0"], "0 (the other: 1)"),
    ],
)
def test_two_words_are_one_learner_of_two_classes(cli, negative, positive, first, options, printed):
    """The same to the last bit as -1 and +1 in their place."""
    write("t.csv", table(negative, positive, first=first))
    err = cli.err(*TRAIN, *options, "t.csv")
    assert f"\npositive label = {printed}\n" in err
    write("n.csv", table("-1", "1", first=first))
    plain = cli.err(*TRAIN[:3], "-f", "n", *TRAIN[5:], "n.csv")
    rows = [line for line in err.splitlines() if line[:2] in ("0.", "1.")]
    assert rows == [line for line in plain.splitlines() if line[:2] in ("0.", "1.")]
    assert "positive label" not in plain
    assert len(rows) > 5
    assert cli("predict", "--quiet", "-i", "m", "t.csv")[1] == cli("predict", "--quiet", "-i", "n", "n.csv")[1]
    assert f"positive label = {printed}" in cli("inspect", "m")[1]
    # it goes on with the same words
    assert cli("train", "--quiet", "-i", "m", "-f", "m", "t.csv")[0] == 0
    assert Learner.load("m").two_labels == (negative, positive)


def test_members_that_a_file_usually_has_are_null_where_they_are_absent(cli):
    rows = [{"y": i % 2, "n": i % 7 - 3, "town": "GW"[i % 2]} for i in range(150)]
    null = [row | ({"n": None} if i % 4 == 1 else {}) for i, row in enumerate(rows)]
    write("null.json", "".join(json.dumps(row) + "\n" for row in null))
    without = [{k: v for k, v in row.items() if v is not None} for row in null]
    write("absent.json", "".join(json.dumps(row) + "\n" for row in without))
    train = ("train", "--method", "nag", "--label", "y", "--passes", "2", "--holdout_off", "-f", "m", "-p", "p")
    found = []
    for name, *more in (("null.json",), ("absent.json",), ("absent.json", "-c"), ("absent.json", "-c")):
        assert cli(*train, *more, name).status == 0
        found.append(Path("p").read_text(encoding="utf-8") + cli.out("predict", "-i", "m", name))
    assert found == [found[0]] * 4
    tuned = [cli.err(f"tune --grid method=nag --label y {name}.json").splitlines()[-1] for name in ("null", "absent")]
    assert tuned[0].split()[0] == tuned[1].split()[0]
    with line_by_line("absent.json"):
        assert cli("train", "--method", "nag", "--label", "y", "-f", "piped", "pipe").status == 0
    assert cli("train", "--method", "nag", "--label", "y", "-f", "m", "absent.json").status == 0
    assert cli.out("predict", "-i", "piped", "null.json") == cli.out("predict", "-i", "m", "null.json")
    lines = Path("absent.json").read_bytes().splitlines(keepends=True)
    for name, part in (("day1.gz", lines[:90]), ("day2.gz", lines[90:])):
        Path(name).write_bytes(gzip.compress(b"".join(part)))
    train = ("train", "--quiet", "--method", "nag", "--label", "y", "-p", "-", "-f")
    assert cli.out(*train, "n", "day1.gz", "day2.gz") == cli.out(*train, "q", "day*.gz")
    assert Path("n").read_bytes() == Path("q").read_bytes()
    assert cli.out("predict", "-i", "n", "null.json") == cli.out("predict", "-i", "m", "null.json")


@pytest.mark.parametrize("label", ["y", "words"])
def test_a_model_of_json_predicts_csv(cli, label):
    rows = [{"n": i % 7, "town": ["Graz", "Bad Ischl"][i % 2], "y": i % 2, "words": "ny"[i % 2]} for i in range(60)]
    write("t.json", "".join(json.dumps(row) + "\n" for row in rows))
    cli("train", "--method", "nag", "--label", label, "--id", "town", "-f", "m", "t.json")
    with open("t.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["town", *(name for name in reversed(rows[0]) if name != "town")])
        writer.writeheader()
        writer.writerows(rows[:30])
    write("t.json", "".join(json.dumps(row) + "\n" for row in rows[:30]))
    assert cli.out("predict", "-i", "m", "t.csv") == cli.out("predict", "-i", "m", "t.json")
    assert "expected json text" in cli.error("train", "-i", "m", "--quiet", "t.csv", "-f", "n")
    write("t.csv", "town,n,y,words\nGraz,,0,n\nGraz,3\nGraz,x,0,n\n")
    lines = cli.out("predict", "-i", "m", "--on-error", "skip", "t.csv").splitlines()
    assert (len(lines), lines[1:]) == (3, ["nan Graz", "nan Graz"])
    assert "t.csv:3: found 2 fields, expected 4 fields as in the header" in cli("predict", "-i", "m", "t.csv").err


def batch_of(words, weight=None):
    text = "a,y\n" + "".join(f"1,{word}\n" for word in words)
    (batch,) = Reader(io.BytesIO(text.encode()), TextOptions(label="y"), labels=Labelling(words=True))
    return batch if weight is None else batch._replace(weight=weight)


@pytest.mark.parametrize(
    "words",
    [["a", "b", "a", "c"], ["1", "1", "yes", "no"], ["yes", "no", "1"], ["", "t", "", "u", "t"], ["1", "x", "0"]],
)
def test_what_is_settled_does_not_depend_on_where_batches_end(words):
    """Label by label: the code of each, where it stops, and what is known then."""
    found = []
    for size in (1, 2, 3, len(words)):
        labels, codes = LabelEncoder(LearnOptions(loss="logistic")), []
        whole = batch_of(words)
        for start in range(0, len(words), size):
            part = whole.part(start, start + size)
            y, end = labels.coded(part, remember=True)
            codes += y[:end].tolist()
            if end < part.n:
                codes.append("refused")
                break
        found.append((list(map(str, codes)), labels.header()))
    assert all(each == found[0] for each in found)


def test_labels_of_two_words_in_a_model_of_parts(cli):
    """What learners of partitions know of words is put together, or refused where it does not fit."""
    learners = [Learner(LearnOptions(method="nag")) for _ in range(3)]
    for learner, words in zip(learners, (["no", "yes"], ["yes"], ["red", "blue"]), strict=True):
        learner.partial_fit(batch_of(words))
    assert Learner.merge(learners[:2]).labels.header()["words"] == ["no", "yes"]
    with pytest.raises(InputError, match="give --positive LABEL"):
        Learner.merge(learners)


# ------------------------------------------------------------------------------------------------- what is written


def answers(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_rows_that_are_left_out_and_rows_without_ids(cli):
    write("t.csv", table().replace("k3,3", "k3,inf").replace("k5,5,", ",5,"))
    assert cli(*TRAIN, "--quiet", "--on-error", "skip", "t.csv")[0] == 0
    given = ("predict", "--quiet", "--on-error", "skip", "-i", "m", "t.csv", "--output")
    as_csv = answers(cli(*given, "csv")[1])
    assert [row["id"] for row in as_csv[:7]] == ["k0", "k1", "k2", "k3", "k4", "6", "k6"]
    assert [row["label"] == "" for row in as_csv[:5]] == [False, False, False, True, False]
    as_json = [json.loads(line) for line in cli(*given, "jsonl")[1].splitlines()]
    assert as_json[3] == {"id": "k3", "label": None, "probability": None}
    assert len(as_csv) == len(as_json) == 60


def test_answers_of_values_margins_and_classes(cli):
    write("t.csv", table("0", "1"))
    for loss, columns in (("squared", ["id", "prediction"]), ("hinge", ["id", "label", "score"])):
        assert cli(*TRAIN, "--loss", loss, "--quiet", "t.csv")[0] == 0
        row = answers(cli.out("predict -i m --output csv --quiet t.csv"))[0]
        assert list(row) == columns
        assert row.get("label", "0") in ("0", "1")
    write("c.csv", "a,label\n" + "".join(f"{'xyz'[i % 3]},{['red', 'green', 'blue'][i % 3]}\n" for i in range(60)))
    assert cli("train --method nag -f m --label label --classes auto --quiet c.csv").status == 0
    rows = answers(cli("predict", "-i", "m", "--quiet", "--output", "csv", "--probabilities", "c.csv")[1])
    assert list(rows[0])[3:] == ["probability of red", "probability of green", "probability of blue"]
    for row in rows:
        assert row["probability"] == row[f"probability of {row['label']}"]
        assert sum(float(row[name]) for name in list(row)[3:]) == pytest.approx(1, abs=3e-6)
    assert [row["label"] for row in rows[:3]] == ["red", "green", "blue"]


# ------------------------------------------------------------------------------------------------- texts, describe


def mails(n=200):
    words = ["cheap", "watches", "buy", "now", "dear", "friend", "meeting", "today"]
    return [(f"{words[i % 4]} {words[4 + i % 4]} {words[i % 3]} {i}", "spam" if i % 4 < 2 else "ham") for i in range(n)]


def test_a_text_is_learned_from_by_its_words(cli):
    """A column of texts needs no --text: the model is the same, also of a pipe, of several passes, and by a cache."""
    text = "subject,label\n" + "".join(f"{subject},{label}\n" for subject, label in mails())
    write("t.csv", text)
    write("t.json", "".join(json.dumps({"subject": a, "label": b}) + "\n" for a, b in mails()))
    train = ("train", "--method", "nag", "--quiet", "--label", "label", "--passes", "2", "--holdout_off", "-f", "m")
    for data in ("t.csv", "t.json"):
        found = []
        for given in (("--text", "subject"), (), ("-c",), ("-c",)):
            assert cli(*train, *given, data) == (0, "", "")
            found.append(Path("m").read_bytes())
        assert found == [found[0]] * 4
        assert Learner.load("m").text.text == ("subject",)
        assert cli("train", "--quiet", "-i", "m", "-f", "n", data) == (0, "", "")
        predicted = cli.out("predict", "-i", "m", data)
        assert cli(*train, "--categorical", "subject", data) == (0, "", "")
        assert cli.out("predict", "-i", "m", data) != predicted
    names = [name for entry in json.loads(cli("inspect", "--json", "n")[1])["weights"] for name in entry["names"]]
    assert {"subject^cheap", "subject^watches"} <= set(names)
    err = cli("train", "--method", "nag", "--label", "label", "t.csv").err
    assert "\nformat = csv, label = label, text = subject\n" in err
    tuned = cli("tune", "--grid", "method=nag", "--label", "label", "-f", "tuned", "t.csv").err
    assert "\nformat = csv, label = label, text = subject\n" in tuned
    assert Learner.load("tuned").text.text == ("subject",)
    with line_by_line("t.csv"):
        assert cli("train", "--quiet", "--method", "nag", "--label", "label", "-f", "piped", "pipe") == (0, "", "")
    assert cli("train", "--quiet", "--method", "nag", "--label", "label", "-f", "m", "t.csv") == (0, "", "")
    assert cli.out("predict", "-i", "piped", "t.csv") == cli.out("predict", "-i", "m", "t.csv")


def test_a_text_is_hinted_at_where_no_row_waits_for_others(cli):
    """Who reads each answer before the next row is written would wait for ever."""
    write("t.csv", "subject,label\n" + "".join(f"{subject},{label}\n" for subject, label in mails()))
    train = ("train", "--method", "nag", "--quiet", "--label", "label", "-f", "m", "-p", "-")
    os.mkfifo("pipe")
    with subprocess.Popen("cat t.csv > pipe", shell=True):
        found = cli(*train, "pipe")
    assert found.err == "sonlearn: warning: the column 'subject' looks like a text: --text 'subject' takes its words"
    assert Learner.load("m").text.text == ()
    assert cli(*train, "t.csv").err == ""
    assert Learner.load("m").text.text == ("subject",)


@pytest.mark.parametrize(("rows", "mark", "told"), [(1000, "", True), (1000, "-", True), (999, "", False)])
def test_a_column_with_another_text_in_each_row_is_named(cli, rows, mark, told):
    """And what takes its parts, where it has several: of post codes, say, or of addresses of the internet."""
    write("t.csv", "key,a,y\n" + "".join(f"k{mark}{i},1,{i % 2}\n" for i in range(rows)))
    write("t.jsonl", "".join(json.dumps({"key": f"k{mark}{i}", "y": i % 2}) + "\n" for i in range(rows)))
    for file in ("t.csv", "t.jsonl"):
        given = ("train", "--method", "nag", "--quiet", "--label", "y", file)
        note = "the column 'key' has another text in nearly each row; if it names them: --id, or --ignore 'key'"
        note += "; if its parts tell more: --text 'key'" if mark else ""
        assert cli(*given) == (0, "", f"sonlearn: warning: {note}" * told)
        assert cli(*given, "--id", "key") == cli(*given, "--ignore", "key") == (0, "", "")


def test_describe(cli):
    write("t.csv", table())
    out = cli.out("describe", "--label", "label", "t.csv")
    assert out.startswith("rows = 60\nlabels = 'no' 30, 'yes' 30\n")
    assert "\nkey: looks like an id: nearly all values differ; --id 'key', or --ignore 'key'\n" in out
    leak = "it tells the label of every row; --ignore COLUMN if it is known too late"
    assert f"\n'city', 'note': look like a leak: {leak}\n" in out
    assert cli("describe", "--label", "label", "--examples", "10", "t.csv")[1].startswith("rows = 10\n")
    write("bad.csv", table() + "too,few\n")
    assert "malformed lines left out: 1, the first: bad.csv:" in cli("describe", "bad.csv")[2]
    for arguments, message in (
        (["--label", "y", "t.csv"], "expected one column 'y' (--label)"),
        (["none.csv"], "found no such file"),
        (["--format", "vw", "t.csv"], "found --format vw, expected a table"),
        ([], "describe takes one file of DATA, 0 given"),
    ):
        assert message in cli.error("describe", *arguments)


def test_describe_parquet_as_csv(cli, pandas):
    write("t.csv", table())
    pandas.read_csv("t.csv").to_parquet("t.parquet")
    assert cli("describe", "--label", "label", "t.parquet") == cli("describe", "--label", "label", "t.csv")
    in_memory = sonlearn.describe(pandas.read_csv("t.csv"), label="label")
    assert f"{in_memory}\n" == cli("describe", "--label", "label", "t.csv")[1]
    assert in_memory.columns == sonlearn.describe("t.csv", label="label").columns
    assert (in_memory.rows, sonlearn.describe("t.csv", rows=7).rows, in_memory.labels) == (60, 7, {"no": 30, "yes": 30})


def test_a_row_like_the_header_is_described(tmp_path, pyarrow, parquet):
    table = pyarrow.table({"a": ["a", "x", "a"], "b": ["b", "y", "z"]})
    assert sonlearn.describe(table).rows == 3
    assert [column.name for column in sonlearn.describe(table.slice(0, 0), label="b").columns] == ["a", "b"]
    parquet.write_table(table, tmp_path / "t.parquet", row_group_size=1)
    assert sonlearn.describe(str(tmp_path / "t.parquet")).rows == 3


def test_one_row_of_a_class_tells_of_no_leak(cli):
    """Of many columns one is beside it by chance; beside ten rows none is."""
    for rare, leaks in ((1, False), (10, True)):
        lines = [f"{i % 7},{int(i < rare)},{int(i < rare)}" for i in range(100)]
        write("t.csv", "\n".join(["n,flag,label", *lines]) + "\n")
        assert ("leak" in cli.out("describe", "--label", "label", "t.csv")) == leaks


@pytest.mark.parametrize(("present", "told"), [(40, True), (19, False)])
def test_a_column_that_is_given_beside_one_of_three_labels_is_a_leak(cli, present, told):
    """As a reason is, which only complaints have; not in few rows, nor where one row has another label."""
    labels = ["bad" if i < 40 else ["fair", "good"][i % 2] for i in range(80)]
    rows = enumerate(labels)
    lines = [f"{i % 7},{f'r{i % 5}' * (i < present)},{f's{i % 5}' * (i <= 40)},{label}" for i, label in rows]
    write("t.csv", "\n".join(["n,reason,stray,label", *lines]) + "\n")
    note = "reason: looks like a leak: where it is not missing, the label is 'bad'; --ignore 'reason' if it is known"
    out = cli("describe", "--label", "label", "t.csv")[1]
    assert (note in out, "stray: looks" in out) == (told, False)
    err = cli("train", "--quiet", "--method", "nag", "--classes", "auto", "--label", "label", "t.csv")[2]
    assert (f"sonlearn: warning: {note}" in err) == told


#: A table, what `train` says of one of its columns, and the flags with which it does not.
NAMED = {
    "leak": ("n,closed,y", lambda i: f"{i % 7},{['open', 'shut'][i % 2]},{i % 2}",
             "closed: looks like a leak: it tells the label of every row; --ignore 'closed' if", ["--ignore closed"]),
    "number of the row": (",t,y", lambda i: f"{i},{2 * i},{i % 3 % 2}",
                          "column 1: looks like the number of the row; --id 'column 1', or --ignore 'column 1' "
                          "(--numeric 'column 1' if it is a time)", ["--numeric 'column 1'", "--id 'column 1'"]),
    "times": ("at,y", lambda i: f"{1_100_000_000 + 8_640_000 * (i * 7 % 60)},{i % 3 % 2}",
              "at: looks like dates or times as numbers ('1100000000'); write 2024-03-31 13:05", ["--numeric at"]),
    # of shuffled rows, which are some of many, and so no range
    **{f"index {name!r}": (f"{name},t,y", lambda i: f"{i * 911 % 9973},{2 * i},{i % 3 % 2}",
                           f"{name or 'column 1'}: looks like the number of the row; --id", [])
       for name in ("", "Unnamed: 0", "__index_level_0__")},
    "no index": ("index of wealth,t,y", lambda i: f"{i * 911 % 9973},{2 * i},{i % 3 % 2}", "", []),
}  # fmt: skip


@pytest.mark.parametrize(("header", "row", "note", "silent"), NAMED.values(), ids=NAMED)
def test_train_names_columns_that_are_no_features(cli, header, row, note, silent):
    """As `describe` does, before all is learned from them; not where a flag says what they are."""
    write("t.csv", "\n".join([header, *map(row, range(60))]) + "\n")
    given = "train --method nag --quiet --label y t.csv"
    said = cli.both(given)
    assert said[0] == ""
    assert [line.startswith(f"sonlearn: warning: {note}") for line in said[1].splitlines()] == [True] * bool(note)
    assert note in cli.out("describe --label y t.csv")
    for flags in silent:
        assert cli(*shlex.split(f"{given} {flags}")) == (0, "", "")


@pytest.mark.parametrize("model", ["", "-f m"])
def test_a_link_or_a_threshold_that_does_not_fit_the_loss_is_named(cli, model):
    given = f"train {model} --method nag t.svm --loss"
    told = "--link logistic: with --loss squared a prediction is a value; learn with --loss logistic"
    write("t.svm", "1 1:1\n-1 1:-1\n" * 20)
    assert cli.err(f"{given} squared --link logistic").count(told) == 1
    assert "--link" not in cli.err(f"{given} logistic --link logistic")
    told = "--threshold 0.3: labels are values, so predictions are no classes"
    assert told not in cli.err(f"{given} squared --threshold .3")
    write("t.svm", "7 1:1\n3 1:-1\n" * 20)
    assert told in cli.err(f"{given} squared --threshold .3")


@pytest.mark.parametrize(
    "command", [("train", "--method", "nag"), ("tune", "--grid", "method=nag l2=0,.1")], ids=" ".join
)
def test_a_row_that_was_left_out_says_nothing_of_the_mean_of_its_column(cli, command):
    """What stands for a missing number is the mean of the rows that were learned, not of one out of all bounds."""
    rows, found = [f"{i % 7},{i % 3},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(60)], []
    write("then.csv", "a,b\n,1\n")
    for bad in ([], ["1e300,1,no\n"]):
        write("t.csv", "a,b,label\n" + "".join([*rows[:30], *bad, *rows[30:]]))
        cli.out(*command, "--quiet", "--label", "label", "--on-error", "skip", "-f", "m", "t.csv")
        found.append(cli.out("predict --quiet -i m then.csv"))
    assert found[0] == found[1]


def test_long_names_of_columns_are_whole_where_a_flag_takes_them(cli):
    """As those of surveys are, which often begin alike: a shortened one is that of no column."""
    flags = [f"How satisfied have you been with what our company did: {what}" for what in ("delivery", "price")]
    rows = [f"{i % 7},{'ab'[i % 2]},{'cd'[i % 2]},{['no', 'yes'][i % 2]}" for i in range(60)]
    write("t.csv", "\n".join([f"n,{','.join(flags)},label", *rows]) + "\n")
    assert f"'{flags[0]}', '{flags[1]}': look like a leak" in cli.out("describe", "--label", "label", "t.csv")
    err = cli.err("train", "--method", "nag", "--label", "label", "--ignore", flags[0], "t.csv")
    assert f"--ignore '{flags[1]}' if" in err
    err = cli("train", "--method", "nag", "--label", "label", "--ignore", flags[0].lower(), "t.csv")[2]
    assert err.endswith(f"did you mean '{flags[0]}'?")
    days = [f"{i % 2},0{i % 9 + 1}/0{i % 7 + 1}/2024" for i in range(60)]
    write("u.csv", "\n".join([f"label,{flags[0]}", *days]) + "\n")
    assert f"--day-first '{flags[0]}'" in cli.out("describe", "--label", "label", "u.csv")
