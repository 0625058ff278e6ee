"""What is said of mistakes names the mistake, whatever bytes it is made of."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from for_all import for_all

from sonlearn import InputError, Learner, from_scipy
from sonlearn.commands.models import load_model
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options.bandit import BanditOptions
from sonlearn.report.progress import LabelStatistics, Progress
from sonlearn.sketch.make import make_sketch


@pytest.fixture(autouse=True)
def files(tmp_path):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    (tmp_path / "a.vw").write_text("1 |a x |b y\n-1 |a z |b y\n" * 20)


def test_what_is_asked_for_and_what_the_model_has(cli):
    assert cli("train", "--quiet", "-f", "with", "a.svm")[0] == 0
    assert cli("train", "--quiet", "--noconstant", "--no-prune", "-f", "without", "a.svm")[0] == 0
    for model, flags, asked, own in (
        ("with", "--noconstant", "noconstant = yes", "no"), ("with", "-m 5", "sketch-size = 5", "10"),
        ("without", "--prune", "prune = yes", "no"), ("with", "--strict", "strict = yes", "no"),
        ("with", "-q ab", "quadratic = ab", "none"), ("with", "--coverage 0.9", "coverage = 0.9", "none"),
    ):  # fmt: skip
        line = cli.error(f"train -i {model} {flags} -f new a.svm")
        has = f"{asked.split()[0]} = {own}"
        assert line.startswith(f"{asked} is asked for, but the model {model} has {has}: a model keeps")
        assert "leave the flag out" in line
    assert not Path("new").exists()
    assert cli("train -i with -m 10 --quiet a.svm")[0] == 0


#: What the file t holds, the command that reads it, and a part of what is said, or behind a $ its end.
FORMAT, NO_LABEL = "train --quiet --method nag", "$; this looks like CSV: train with --label COLUMN"
WORDS = "; words are read as VW text, behind a label and a bar: 1 | words; or of"
ARRAY = "$; this looks like an array of JSON: an object a line is read, which jq -c '.[]' FILE writes"
BUYS, NO_BUYS = f"{FORMAT} --label buys", "', expected one column 'buys' (--label); "
BAD_TEXTS = [
    ("You are late today.\n", FORMAT, WORDS),
    ("1 you are late today\n", FORMAT, WORDS),
    ("text, with words that go on\n1,2\n", FORMAT, "words are read as VW text"),
    ("__label__ham see you\n", FORMAT,
     "; this looks like fastText's: sed 's/^__label__\\([^ ]*\\)/\\1 |/' FILE | sonlearn"),
    ("x\ny\n1 1:z\n", f"{FORMAT} --on-error skip",
     "t: found 3 malformed lines and nothing else (the first: t:1:1: found 'x', expected "),
    ("x\ny\n1 1:z\n", f"{FORMAT} --on-error skip", "$), expected at least one example"),
    ("customer id,age,y\n1,2,3\n", FORMAT, NO_LABEL), ("a;b;y\n1,2,3\n", FORMAT, NO_LABEL),
    ("5.8\t2.8\t3\n", FORMAT, NO_LABEL),
    ("id\tage\ty\n1,2,3\n", FORMAT, NO_LABEL), ('"a","b"\n1,2,3\n', FORMAT, NO_LABEL),
    *((text, f"{FORMAT}{flags}", ARRAY) for flags in ("", " --label y")
      for text in ('[{"a": 1}, {"a": 2}]', '[\n{"a": 1}\n]\n', '[{"a": 1, "b": 2},\n{"a": 2}]\n')),
    ("Age,Buys\n1,1\n", BUYS, "'Age, Buys" + NO_BUYS + "did you mean 'Buys'?"),
    ("# all\na\tbuys\n1\t1\n", BUYS, "'# all" + NO_BUYS + "lines behind # are rows of CSV"),
    ("a, or b?\tbuys\n1\t1\n", BUYS, "or b?\\tbuys" + NO_BUYS + "give --delimiter tab"),
    ("a|buys\n1|1\n", BUYS, "'a|buys" + NO_BUYS + "give --delimiter '|'"),
    ("a^buys\n1^1\n", BUYS, "'a^buys" + NO_BUYS + "give --delimiter '^'"),
    ("a buys\n1 1\n", BUYS, "'a buys" + NO_BUYS + "give --delimiter ' '"),
    ("<html><body>\n", BUYS, "'<html><body>" + NO_BUYS + "this looks like a page of the web"),
    *((f"{title}\n\na{mark}buys\n1{mark}1\n", BUYS, NO_BUYS + "is line 3 the header? tail -n +3 FILE begins with it")
      for title in ("Sales", "All sales of 2024,") for mark in ",;\t"),
    ("a,byus\n1,1\n2,buys\n", BUYS, NO_BUYS + "did you mean 'byus'?"),
    ("Größe,Käufe\n1,1\n".encode("latin-1"), f"{FORMAT} --label Käufe",
     "(--label); the header is text that is not UTF-8; if it is Windows-1252 or Latin-1 (with 'ö'), "),
    ("a,b,y\n1,2,1\n", f"{FORMAT} --label y --ignore a,b",
     "$expected a column 'a,b' (--ignore); several columns: --ignore 'a' --ignore 'b'"),
    ("a,b,y\n1,2,1\n", f"{FORMAT} --label y --ignore a,c", "$expected a column 'a,c' (--ignore)"),
    ("1 1:1\n3 1:1\n", FORMAT, "$found label 3, expected -1 and +1, or 0 and 1, for --loss logistic "
     "(several classes: --oaa K, or --classes auto; values: --loss squared; two other labels: --positive 3)"),
    ("1 1:1\n5 1:1\n", f"{FORMAT} --oaa 4",
     "$found label 5, expected 1 to 4, or 0 to 3, for --oaa 4 (more classes: --oaa 5)"),
    ("1 | x\na | x\n", FORMAT, "$found 'a', expected a label (a finite number), or nothing, before the first bar; "
     "names of classes: --classes auto; --on-error skip leaves such lines out"),
    ("a 1:1\n", f"{FORMAT} --classes auto", "$found 'a', expected a label (a finite number), then index:value pairs"),
    ('{\n  "x": 1\n}\n', f"{FORMAT} --label x",
     "$looks like JSON, not CSV: an object a line is read, which jq -c . FILE writes"),
    (bytes(range(256)) * 9, "describe", "$t: found a binary file (a zero byte at offset 0), expected text (LIBSVM, VW, "
     "CSV, JSON), plain or compressed with gzip, bzip2, xz or zstd"),
    ("a|b\n1|2\n", "describe", "$expected a table with a header; give --delimiter '|'"),
    ("1 |a x\n-1 |a y\n", "describe", "$; this looks like VW text, not CSV"),
]  # fmt: skip


@for_all("text, command, said", BAD_TEXTS)
def test_bad_text_is_one_line_with_a_remedy(cli, text, command, said):
    Path("t").write_bytes(text if isinstance(text, bytes) else text.encode())
    line = cli.error(f"{command} t")
    assert line.startswith("t:")
    assert line.endswith(said[1:]) if said.startswith("$") else said in line


@pytest.mark.parametrize("verb", ["train", "convert --to vw", "sketch"])
def test_max_errors_needs_skip(cli, verb):
    line = cli.error(*verb.split(), "--max-errors", "3", "a.svm")
    assert line == "--max-errors 3: the first malformed line ends a run; give --on-error skip too"
    assert cli(*verb.split(), "--max-errors", "3", "--on-error", "skip", "a.svm")[0] == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("train -t -i m --passes 2 a.svm", "-t with --passes 2: nothing is learned, so one pass says it all"),
        ("train -t -i m --resume -f m a.svm",
         "--resume with -t: nothing is learned, so there is nothing to go on with"),
        ("train --cache_file /dev/null a.svm", "--cache_file /dev/null: expected a file, for it is read again"),
        ("train --label-delay 3 --passes 2 a.svm",
         "--label-delay 3 with --passes 2: expected one pass; the labels of a further pass have come long ago"),
        ("train -i decides --l2 1 a.vw", "--l2: the model decides has no --method; leave it out"),
        ("train --cb 2 --method nag --label-delay 3 a.vw", "--label-delay, --coverage: decisions do not take them"),
        ("train --cb 2 --action a --cost c --reward r a.csv", "--cost and --reward: give one of them"),
        ("evaluate -i classes a.vw",
         "-i classes: it decides among classes (--cbify), and rows with a class are no log"),
        ("evaluate -i decides -i apart",
         "these models read a log in different ways, and standard input can be read once; give a file"),
        ("inspect --json sketch", "--json: sketch is a sketch; sonlearn.sketch.load reads it"),
        ("sketch --merge sketch ./sketch", "--merge: ./sketch is given twice; its rows would count twice"),
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_is_said_before_anything_is_read(cli, line, said):
    Learner(method="nag").save("m")
    for name, options in (("decides", {"cb_explore": 2}), ("classes", {"cbify": 3}), ("apart", {"cb_explore": 3})):
        model = Bandit(BanditOptions(**options))
        model.state.now["low"], model.state.now["high"], model.state.now["learned"] = 0.0, 1.0, 2
        model.save(name)
    make_sketch("rfd", 3).save("sketch")
    assert cli.error(line) == said


@pytest.mark.parametrize(
    "line", [("train", "no\nfile"), ("train", "--method", "a\x1b\rb"), ("train", "-q", "a\nb", "a.vw")]
)
def test_what_ends_lines_in_a_name_does_not_end_the_line(cli, line):
    status, _, err = cli(*line)
    (said,) = err.splitlines()
    assert (status, said.isprintable()) == (1, True)


@pytest.mark.skipif(os.name != "posix", reason="arguments of bytes")
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_namespaces_of_any_byte(cli, locale):
    """Several commands in one process, whose arguments are bytes that a locale decodes."""
    Path("t.vw").write_bytes(b"1 |a x y |\xffb u v\n-1 |a x |\xffb v\n" * 5)
    commands = []
    for flag in ("-q", "--ngram", "--ignore", "--keep", "--interactions"):
        value = {"-q": b"a\xff", "--ngram": b"\xff2", "--interactions": b"a\xffb"}.get(flag, b"\xff")
        commands += [["train", "-f", "m", flag, value, "t.vw"], ["inspect", "m"], ["predict", "-i", "m", "t.vw"]]
    commands.append(["train", "-q", b"\xff", "t.vw"])
    program = (
        "import sys; from pathlib import Path; from sonlearn.cli import main; found, command = [], []\n"
        "for argument in sys.argv[1:]:\n"
        "    command.append(argument)\n"
        "    if argument == ';': found.append(main(command[:-1])); command.clear()\n"
        "Path('found').write_text(repr(found))"
    )
    arguments = [argument for command in commands for argument in (*command, ";")]
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, env=os.environ | {"LC_ALL": locale}, capture_output=True, check=False)
    assert done.returncode == 0, done
    assert Path("found").read_text() == repr([0] * (len(commands) - 1) + [1]), done.stderr
    assert b"this is a bug" not in done.stderr
    assert b"expected the first bytes of namespaces, 2 bytes" in done.stderr


def test_examples_of_an_interrupted_run_are_counted_not_averaged():
    progress = Progress(LabelStatistics("squared"))
    progress.examples = 150
    progress.next_pass()
    assert "number of examples per pass = 75" in progress.summary(1.0)
    lines = progress.summary(1.0, "interrupted run (SIGINT)", whole=False)
    assert "number of examples = 150" in lines
    assert not any("per pass" in line for line in lines)


# ------------------------------------------------------------------------------------------------- zero bytes


@for_all("kind", ["svm", "vw", "csv"])
@for_all("before", [0, 1, 20_000])
@for_all("threads", [0, 1])
def test_a_zero_byte_makes_its_line_malformed_wherever_it_stands(cli, kind, before, threads):
    line, bad = {
        "svm": (b"1 1:1\n", b"1 1:1 # \0\n"), "vw": (b"1 |a x\n", b"1 |a x\0y\n"), "csv": (b"1,x\n", b"1,x\0y\n"),
    }[kind]  # fmt: skip
    head = b"y,a\n" if kind == "csv" else b""
    Path("t").write_bytes(head + line * before + bad + line * 3)
    options = ["--label", "y"] if kind == "csv" else ["--format", "svmlight" if kind == "svm" else "vw"]
    options += ["--threads", threads]
    place = f"t:{before + 1 + bool(head)}" + f":{bad.index(0) + 1}" * (kind != "csv")
    message = f"{place}: found a zero byte, expected text; is this a binary file?"
    assert cli.error("convert", "--to", "vw", "-o", "out", *options, "t") == message
    status, out, err = cli("convert", "--to", "vw", "--on-error", "skip", *options, "t")
    assert (status, len(out.splitlines())) == (0, before + 3)
    assert err == f"sonlearn: warning: malformed lines left out: 1, the first: {message}"


def test_a_zero_byte_ends_neither_a_description_nor_a_run_that_skips(cli):
    Path("t.csv").write_bytes(b"y,a\n" + b"1,2\n0,1\n" * 8 + b"1,\0\n")
    told = "sonlearn: warning: malformed lines left out: 1, the first: t.csv:18: found a zero byte"
    status, out, err = cli("describe", "t.csv")
    assert (status, out.splitlines()[0]) == (0, "rows = 16")
    assert told in err
    Path("noise").write_bytes(b"\xc3\x28,x\n\0\x01,\x02\n")
    assert cli.error("describe", "noise") == "noise:2: found a zero byte, expected text; is this a binary file?"


@pytest.mark.parametrize(
    "given", [("a.vw",), ("--oaa", "2", "a.vw"), ("--label_delay", "3", "a.vw"), ("--label", "y", "a.csv")]
)
def test_a_label_that_does_not_fit_is_left_out_with_its_line(cli, given):
    """As a label that is no number; the row itself is predicted, and learning goes on as if it had no label."""
    y = ["1", "0"] * 8
    for name, labels in (("a", [*y, "seven", *y]), ("b", [*y, "", *y])):
        Path(f"{name}.csv").write_text("y,x\n" + "".join(f"{y},{i % 5}\n" for i, y in enumerate(labels)))
        lines = (f"{y.replace('seven', '7')} | x:{i % 5}\n" for i, y in enumerate(labels))
        Path(f"{name}.vw").write_text("".join(lines))
    place = {"a.vw": "a.vw:17", "a.csv": "a.csv:18"}[given[-1]]
    learned = []
    for name in "ab":
        *flags, file = given
        file = name + file[1:]
        err = cli.err("train", "--method", "nag", "--on-error", "skip", "-f", "m", "-p", "p", *flags, file)
        learned.append(Path("p").read_text())
        if name == "a":
            assert f"examples that could not be learned from: 1, the first: {place}: found label" in err
            predicted = cli.err("predict", "-i", "m", "--on-error", "skip", file)
            assert "labels that the model has not learned: 1;" in predicted
            assert f"{place}: found label" in cli.error("train", "--quiet", "--method", "nag", *flags, file)
    assert learned[0] == learned[1]


def test_all_labels_that_do_not_fit_are_counted_beside_the_two_that_do(cli):
    rows = [("ham", "spam", "eggs")[i % 3] for i in range(900)]
    Path("a.csv").write_text("y,x\n" + "".join(f"{y},{i % 7}\n" for i, y in enumerate(rows)))
    err = cli.err("train", "--method", "nag", "--label", "y", "--positive", "ham", "--on-error", "skip", "a.csv")
    assert "could not be learned from: 300, the first: a.csv:4: found label 'eggs', expected 'spam' or 'ham'" in err


def test_many_different_control_characters_are_a_binary_file(cli):
    Path("t").write_bytes(b"1 1:1\n" + bytes({*range(1, 32)} - {13}) + b"\r\n")
    assert "t: found a binary file, expected text" in cli.error("convert", "--to", "vw", "-o", "out", "t")
    Path("t").write_bytes(b"1 1:1\n" + bytes(range(14, 24)) + b"\n")
    assert "t:2:1: found" in cli.error("convert", "--to", "vw", "-o", "out", "t")


def test_a_line_that_ends_a_run_behind_others_names_the_flag_that_leaves_it_out(cli):
    Path("t.csv").write_text("a,y\n1,1\n2,0\n3\n4,1\n")
    error, flag = "t.csv:4: found 1 field, expected 2 fields as in the header", "--on-error skip"
    train = "train --quiet --method nag --label y"
    assert cli.error(f"{train} t.csv") == f"{error}; {flag} leaves such lines out"
    assert cli.error(f"{train} {flag} --max-errors 0 t.csv") == error
    assert cli.both(f"{train} {flag} -f m t.csv")[1].endswith(error)
    assert cli.error("predict --quiet -i m t.csv").endswith(f"; {flag} leaves such lines out")
    Path("t.csv").write_text("a,y\n1\n2,0\n")  # where no line before was well-formed, it may be another format
    assert cli.error(f"{train} t.csv") == "t.csv:2: found 1 field, expected 2 fields as in the header"


def test_objects_without_the_label_are_not_learned_from_and_counted(cli):
    rows = [{"a": i % 7, "y": i % 2} if i % 10 else {"a": i % 7} for i in range(60)]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for more, per in ((), ""), (("-i", "m"), ""), (("--passes", 2, "--holdout_off"), " per pass"):
        _, err = cli.both("train", "--label", "y", "--method", "nag", *more, "-f", "m", "t.jsonl")
        assert f"\nnumber of examples{per} = 60\n" in err
        assert "\nexamples without a label = 6\n" in err


def test_a_hole_of_zeros_is_one_malformed_line(cli):
    Path("t").write_bytes(b"1 1:1\n" * 10 + bytes(3 << 20) + b"\n-1 2:1\n")
    _, out, err = cli("convert", "--to", "vw", "--on-error", "skip", "t")
    assert len(out.splitlines()) == 11
    assert "malformed lines left out: 1, the first: t:11:1: found a zero byte" in err


# ------------------------------------------------------------------------------------------------- matrices, labels


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0]], None, "found a list, expected a SciPy sparse matrix, or a NumPy array of two dimensions"),
        (np.ones(3), None, r"found a ndarray of shape \(3,\), expected a SciPy sparse matrix"),
        (None, None, "found a NoneType, expected a SciPy"),
        (np.array([["a"]]), None, "found values of type <U1, expected numbers as values"),
        (np.array([[1j]]), None, "found values of type complex128"),
        (sp.csr_array(np.eye(2)), ["a", "b"], "found labels of type <U1, expected numbers as labels"),
        (sp.csr_array(np.eye(2)), np.array(["1", "-1"], dtype=object), None),
        (sp.csr_array(np.eye(2)), np.array(["x", None], dtype=object), "found labels of type object"),
        (sp.csr_array(np.eye(2)), [1], r"found \(1,\) labels"),
    ],
)
def test_matrices_that_are_none(X, y, message):
    if message is None:
        assert from_scipy(X, y).y.tolist() == [1, -1]
        return
    with pytest.raises(InputError, match=message):
        from_scipy(X, y)


def test_numpy_arrays_are_matrices():
    X = np.array([[1, 0, 2], [0, 3, 0]])
    ours, theirs = from_scipy(X, [1, -1]), from_scipy(sp.csr_array(X), np.array([1.0, -1.0]))
    for name in ("indptr", "indices", "values", "y", "weight", "lines"):
        assert (getattr(ours, name) == getattr(theirs, name)).all()
    assert from_scipy(X.astype(bool)).values.tolist() == [1, 1, 1, 1, 1]


def test_a_saved_model_keeps_what_is_no_utf8(cli):
    assert cli("train", "--quiet", "-f", "m", "-q", "a\udcff", "a.vw")[0] == 0
    assert load_model("m").learner.text.quadratic == ("a\udcff",)


def test_values_that_one_learner_alone_has_not_reached(cli):
    """Labels of 450 and a step of .5: the mean would have done better, which the committee finds by itself."""
    rng = np.random.default_rng(0)
    rows = [(450 + 17 * x + rng.normal(), x) for x in rng.normal(size=200)]
    Path("far.svm").write_text("".join(f"{y:.6f} 1:{x:.6f}\n" for y, x in rows))
    Path("near.svm").write_text("".join(f"{(y - 450) / 17:.6f} 1:{x:.6f}\n" for y, x in rows))
    err = cli.err("train", "--quiet", "--method", "nag", "--loss", "squared", "far.svm")
    assert re.fullmatch(
        r"sonlearn: warning: average loss .*always predicting 450\..*--method nag learns labels as they are; "
        r"leave --method out.*or give --members nag in its place.*", err
    )  # fmt: skip
    assert cli("train", "--quiet", "--members", "nag,nlms:zs", "--loss", "squared", "far.svm") == (0, "", "")
    assert cli("train", "--quiet", "--method", "nag", "--loss", "squared", "near.svm") == (0, "", "")
    Path("few.svm").write_text("".join(Path("far.svm").read_text().splitlines(keepends=True)[:50]))
    assert cli("train", "--quiet", "--method", "nag", "--loss", "squared", "few.svm") == (0, "", "")
