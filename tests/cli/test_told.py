"""What people are told: advice that can be followed, and figures that are not taken for what they are not."""

import json
import zipfile

import pytest
from commands import summary

WORDS = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{'spam' if i % 3 else 'ham'}\n" for i in range(120))


def train(cli, name, *more):
    return cli("train", "--quiet", "--method", "nag", "--label", "y", *more, name)


@pytest.fixture
def tables(tmp_path):
    """A table in three ways of writing."""
    (tmp_path / "t.csv").write_text(WORDS)
    (tmp_path / "semi.csv").write_text(WORDS.replace(",", ";"))
    (tmp_path / "comma.csv").write_text(
        "\n".join(";".join(f"{field},0" if field.isdigit() else field for field in line.split(","))
                  for line in WORDS.splitlines())
    )  # fmt: skip
    return tmp_path


def test_predict_reads_a_table_that_is_written_in_another_way(cli, tables):
    assert train(cli, "t.csv", "-f", "m")[0] == 0
    wanted = cli.out("predict", "--quiet", "-i", "m", "t.csv")
    (tables / "bar.csv").write_text(WORDS.replace(",", "|"))
    assert cli.error("predict", "--quiet", "-i", "m", "bar.csv").endswith("give --delimiter '|'")
    for flags in ((), ("--delimiter", ";"), ("--delimiter", "tab")):
        assert cli.out("predict", "--quiet", "-i", "m", *flags, "semi.csv") == wanted
        assert cli.out("predict", "--quiet", "-i", "m", *flags, "--decimal", ",", "comma.csv") == wanted
    assert train(cli, "semi.csv", "-i", "m", "--delimiter", ";", "-f", "n")[0] == 0
    assert train(cli, "t.csv", "-i", "n", "-t", "--delimiter", ",")[0] == 0


def test_a_delimiter_that_the_header_does_not_have_is_named(cli, tables):
    told = "sonlearn: warning: t.csv: no ';' in the header (--delimiter), so fields end at ','"
    assert told in train(cli, "t.csv", "--delimiter", ";", "-f", "m")[2].splitlines()
    assert "--delimiter" not in train(cli, "semi.csv", "--delimiter", ";", "-f", "m")[2]
    assert cli("predict", "--quiet", "-i", "m", "t.csv")[2] == ""


def test_tune_takes_labels_of_two_words(cli, tables):
    err = cli.err("tune", "--grid", "method=nag,arow", "--label", "y", "-f", "m", "t.csv")
    assert summary(err, "best setting") == "--method"
    assert {"ham", "spam"} & set(cli.out("predict --quiet -i m --output csv t.csv").split()[1].split(","))


@pytest.mark.parametrize(
    ("name", "told"),
    [("[Content_Types].xml", "an Excel or OpenDocument file, expected a table: save it as CSV"),
     ("sonlearn.json", "a model or a sketch, expected data; models are given with -i"),
     ("a.txt", "a zip archive, expected text; unpack it first: unzip -p FILE | sonlearn ...")],
)  # fmt: skip
def test_archives_are_told_apart(cli, tmp_path, name, told):
    with zipfile.ZipFile(tmp_path / "t", "w") as archive:
        archive.writestr(name, "x")
    for verb in ("train", "describe"):
        assert cli.error(verb, "t").endswith(f"found {told}")


def test_page_and_log_call_words_by_their_names(cli, tables):
    assert train(cli, "t.csv", "--report", "page.html", "--log-json", "log")[0] == 0
    end = json.loads((tables / "log").read_text().splitlines()[-1])
    assert end["confusion"]["labels"] == ["ham", "spam"]
    assert end["metrics"]["positive_label"] == "spam"
    page = (tables / "page.html").read_text()
    assert "The class spam is the positive one" in page
    assert "predicted spam" in page
    assert "F1 of the class spam" in page
    assert "the label was spam" in page
    assert "+1" not in page
    assert train(cli, "t.csv", "--report", "page.html", "--positive", "ham")[0] == 0
    assert "The class ham is the positive one" in (tables / "page.html").read_text()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_rows_are_written_once_whatever_the_passes(cli, tables, form):
    assert train(cli, "t.csv", "-p", "once", "--output", form)[0] == 0
    more = ("--passes", "3", "--holdout_off")
    assert train(cli, "t.csv", *more, "-p", "thrice", "--output", form)[0] == 0
    assert (tables / "thrice").read_text() == (tables / "once").read_text()
    assert train(cli, "t.csv", *more, "-p", "lines")[0] == 0
    assert len((tables / "lines").read_text().splitlines()) == 3 * 120


def test_actions_of_a_table_come_out_as_they_went_in(cli, tmp_path):
    rows = [(i % 2, 1 + i % 3, float(i % 3 != 2), 1 / 3) for i in range(90)]
    (tmp_path / "log.csv").write_text("x,action,cost,p\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    columns = ("--action", "action", "--cost", "cost")
    err = cli.err("train", "--cb", 3, *columns, "--probability", "p", "-f", "m", "log.csv")
    assert " 1:1:0.33 " in err.splitlines()[[line.startswith("loss ") for line in err.splitlines()].index(True) + 1]
    assert set(cli.out("predict", "--quiet", "-i", "m", "log.csv").split()) == {"3"}
    (tmp_path / "semi.csv").write_text((tmp_path / "log.csv").read_text().replace(",", ";"))
    assert set(cli.out("predict", "--quiet", "-i", "m", "--delimiter", ";", "semi.csv").split()) == {"3"}
    assert "average loss is what these have cost" not in err
    assert (
        "sonlearn: warning: the log does not say with which probabilities it chose its actions: average loss is what "
        "these have cost, no estimate of what the model's choices would"
    ) in cli.err("train", "--cb", 3, *columns, "log.csv")


def test_decisions_are_written_as_tables(cli, tmp_path):
    """The likeliest action with its probability; ids are tags."""
    lines = [f"{1 + i % 3}:{float(i % 3 != 2)}:.3 'v{i} | x{i % 2}" for i in range(60)]
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    assert cli("train", "--quiet", "--cb_explore", 3, "-f", "m", "log")[0] == 0
    wanted = [line.split(" ") for line in cli.out("predict", "--quiet", "-i", "m", "log").splitlines()]
    header, *rows = cli.out("predict", "--quiet", "-i", "m", "--output", "csv", "log").splitlines()
    assert header == "id,action,probability"
    likeliest = [(*shown.split(",")[0].split(":"), tag) for shown, tag in wanted]
    got = [(row.split(",")[1], float(row.split(",")[2]), row.split(",")[0]) for row in rows]
    assert got == [(action, pytest.approx(float(p), abs=2e-6), tag) for action, p, tag in likeliest]
    objects = map(json.loads, cli.out("predict", "--quiet", "-i", "m", "--output", "jsonl", "log").splitlines())
    assert [(one["id"], one["action"]) for one in objects] == [(tag, action) for action, _, tag in likeliest]
    assert cli.error("train", "--cb_explore", 3, "--output", "csv", "log").endswith("give -p FILE as well")


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("ham spam ham spam", ""), ("1 0 1 0", ""), ("ham spam eggs 7", "labels of several classes: --classes auto"),
        ("1 2 3 3", "labels that are values: --loss squared; if they are classes: --classes auto"),
        ("ham spam eggs " * 2, "labels are three names or more: several classes are learned (--classes auto)"),
        ("1 2.5 NA #N/A 3", "labels that are values: --loss squared"),
        ("1 2.5 3 3", "labels that are values: --loss squared"), ("-1 1 -1 1", ""),
        (" ".join(f"{i}.5" for i in range(25)), "labels that are values: --loss squared"),
        ("1 2 1", "labels are neither 0 and 1 nor -1 and +1: of two classes --positive 2, of values --loss squared"),
    ],
)  # fmt: skip
def test_describe_says_how_labels_are_learned(tmp_path, cli, labels, said):
    rows = "".join(f"{label},{i % 3}\n" for i, label in enumerate(labels.split()))
    (tmp_path / "t.csv").write_text(f"y,x\n{rows}")
    lines = cli.out("describe", "--label", "y", "t.csv").splitlines()
    assert [line for line in lines if line.startswith("labels ")][1:] == [said] * bool(said)


def test_convert_and_sketch_take_names_as_labels(tmp_path, cli):
    """Where no flag says what labels are: VW text has them, LIBSVM text has no place for them."""
    (tmp_path / "t.csv").write_text("y,x\nham,1\n,2\n3,0\n")
    written = cli.out("convert", "--to", "vw", "--label", "y", "t.csv").splitlines()
    assert [line.partition("|")[0] for line in written] == ["ham ", "", "3 "]
    (tmp_path / "t.vw").write_text("\n".join(written))
    assert cli.out("convert", "--to", "vw", "t.vw").splitlines() == written
    told = cli.error("convert", "--to", "svmlight", "--label", "y", "t.csv")
    assert told.endswith("t.csv:2: found the label 'ham', expected a number: LIBSVM text has no names; use --to vw")
    (tmp_path / "t.csv").write_text("y,x\ngreen tea,1\n")
    told = cli.error("convert", "--to", "vw", "--label", "y", "t.csv")
    assert told.endswith("t.csv:2: found the label 'green tea', expected one word without a bar in VW text")
    assert cli("sketch", "--label", "y", "t.csv")[0] == 0
    (tmp_path / "t.json").write_text('{"_label": "1 tea"}')
    told = cli.error("convert", "--to", "vw", "t.json")
    assert told.endswith("found 'tea' for '_label', expected a finite number as weight")


def test_namespaces_that_no_row_has_are_named_at_the_end(tmp_path, cli):
    """Of interactions, and of --keep; with threads and several passes once."""
    (tmp_path / "t.vw").write_text("1 |user a |ad b\n-1 |user c |ad d\n" * 50)
    line = "train --quiet --method nag t.vw --passes 2 --holdout_off"
    for flags, said in (
        ("-q uz", ["-q 'uz': no namespace begins with 'z'"]),
        ("-q ua -q :: --interactions uaa --keep u --keep a", []),
        ("--cubic uzy --keep x --keep u", ["--cubic 'uzy': no namespace begins with 'z' or 'y'",
                                           "--keep 'x': no namespace begins with 'x'"]),
        ("--ignore u --ignore z", ["--ignore 'z': no namespace begins with 'z'"]),
        ("--keep z", ["--keep 'z': no namespace begins with 'z'"]),
    ):  # fmt: skip
        assert cli.err(f"{line} {flags}").splitlines() == [f"sonlearn: warning: {text}" for text in said]
    assert cli.err(f"{line} -q zz -P 10 --examples 50") == ""
