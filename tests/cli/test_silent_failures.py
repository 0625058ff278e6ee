"""What once failed without a word: other tables, options of no effect, nothing learned, lines amiss, finished runs."""

import gzip
import json
import random

import pytest
from commands import one_line

from sonlearn import Learner, TextOptions
from sonlearn.commands.models import load_model

TABLE = "id,age,spend,city,buys\n"
VW = "1 |a x:1 y\n0 |a z:2\n" * 5
LIBSVM = "1 1:2 3:4\n0 2:2\n" * 5


def table(rows=60):
    draw = random.Random(1)
    lines = []
    for i in range(rows):
        age, spend = draw.randint(18, 80), round(draw.random() * 100, 2)
        lines.append(f"{i + 9},{age},{spend},{draw.choice(['Graz', 'Wien'])},{int(age / 80 + spend / 100 > 1)}\n")
    return lines


@pytest.fixture
def files(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE + "".join(table()))
    (tmp_path / "t.vw").write_text(VW)
    (tmp_path / "t.svm").write_text(LIBSVM)
    return tmp_path


def trained(cli, files, *arguments):
    model = files / "m"
    given = ("train", "--method", "nag", "--quiet", "-f", model, "--label", "buys", files / "t.csv", *arguments)
    assert cli(*given) == (0, "", "")
    return model


def zstd(text):
    try:
        from compression.zstd import compress  # Python 3.14

        return compress(text)
    except ImportError:
        return pytest.importorskip("zstandard").ZstdCompressor().compress(text)


@pytest.mark.parametrize("compress", [gzip.compress, zstd])
def test_what_is_learned_before_the_end_of_a_cut_file_is_kept(cli, files, compress):
    """With --on-error skip, as at a signal: the run can go on with the whole file."""
    draw = random.Random(1)
    lines = [f"{draw.randint(0, 1)} {draw.randint(1, 99999)}:{draw.random()}\n" for _ in range(30_000)]
    cut, whole = files / "cut", compress("".join(lines).encode())
    cut.write_bytes(whole[:-100])
    command = ["train", "--method", "nag", "--quiet", cut]
    kind = "zstd" if compress is zstd else "gzip"
    told = f"{cut}: found the end of truncated {kind} data, expected a whole {kind} stream"
    assert one_line(cli(*command, "-f", files / "m")) == told
    assert not (files / "m").exists()
    done = cli(*command, "--on-error", "skip", "-f", files / "m")
    model = load_model(files / "m")
    assert 0 < model.learner.examples < 30_000
    assert one_line(done) == f"{told}; learned before it: {model.learner.examples} examples"
    assert model.unfinished.read == model.learner.examples
    done = cli("predict", "--quiet", "--on-error", "skip", "-i", files / "m", "-p", files / "p", cut)
    assert one_line(done) == f"{told}; predicted before it: {model.unfinished.read} examples"
    assert (files / "p").read_text().count("\n") == model.unfinished.read
    cut.write_bytes(whole)
    assert cli(*command, "--resume", "-f", files / "m") == cli(*command, "-f", files / "n") == (0, "", "")
    assert (files / "m").read_bytes() == (files / "n").read_bytes()


# ------------------------------------------------------------------------------------------------- 1: other tables


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VW, "found the columns '1 |a x:1 y', expected columns that the model knows: 'id', 'age', 'spend', 'city'"),
        (LIBSVM, "; this looks like LIBSVM text, not CSV"),
        (VW, "; this looks like VW text, not CSV"),
        ('{"a": 1}\n', "found the members 'a', expected columns that the model knows: 'id', 'age'"),
        ("".join(table()[1:]), "; this looks like a row: put a header before it"),
        (TABLE.replace(",", "|") + "".join(table()).replace(",", "|"), "; give --delimiter '|'"),
    ],
)
def test_another_table_is_refused(cli, files, text, message):
    model = trained(cli, files)
    (files / "other").write_text(text)
    done = cli("predict", "--quiet", "-i", model, files / "other")
    assert message in one_line(done)
    assert done.out == ""


def test_columns_are_checked_when_learning_goes_on(cli, files):
    model = trained(cli, files)
    (files / "t.csv").write_text(TABLE.replace("age", "years") + "".join(table()))
    err = cli.err("train", "--quiet", "-i", model, "-f", files / "n", files / "t.csv")
    assert "has not: 'age'" in err
    assert "new to the model: 'years'" in err
    assert list(Learner.load(files / "m").columns.known) == ["id", "age", "spend", "city"]
    assert list(Learner.load(files / "n").columns.known) == ["id", "age", "spend", "city", "years"]
    assert cli("predict", "--quiet", "-i", files / "n", files / "t.csv", "-p", files / "p")[2].count("warning") == 1


def test_a_model_remembers_what_columns_held(cli, files):
    question = "How often, on the whole, do you read the news?"
    header = f'n,d,c,t,m,"{question}",buys\n'
    (files / "t.csv").write_text(f"{header}1,2024-02-03,x,good day,,1,1\n,2024-02-03 11:00,7,bad day,,2,0\n")
    model = trained(cli, files, "--text", "t")
    held = {"n": ("number", "missing"), "d": ("date",), "c": ("number", "category"), "t": ("text",), "m": ("missing",)}
    assert Learner.load(model).columns.known == held | {question: ("number",)}
    printed = cli("inspect", model)[1]
    assert "  column 'c' = number, category\n" in printed
    assert f"  column '{question}' = number\n" in printed
    assert json.loads(cli("inspect", "--json", model)[1])["columns"]["n"] == ["number", "missing"]


# ------------------------------------------------------------------------------------------------- 2: options of tables


def test_columns_are_left_out_by_name(cli, files):
    (files / "without.csv").write_text("".join(line.split(",", 1)[1] for line in [TABLE, *table()]))
    trained(cli, files, "--ignore", "id")
    expected = cli.out("predict --quiet -i m t.csv")
    for more in ("without.csv", "--keep age --keep spend --keep city t.csv"):
        cli.out(f"train --method nag --quiet -f w --label buys {more}")
        assert cli.out("predict --quiet -i w without.csv") == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-q ac t.csv", "-q: expected VW text or JSON, which have namespaces; a table has none, found a table"),
        ("--interactions abc t.csv", "--interactions: expected VW text"),
        ("--ngram 2 t.csv", "--ngram: expected --text COLUMN, whose words they take, found a table"),
        ("--ignore Id t.csv", "expected a column 'Id' (--ignore)"),
        ("--keep x t.csv", "expected a column 'x' (--keep)"),
        ("--text note t.csv", "expected a column 'note' (--text)"),
        ("--weight w t.csv", "expected one column 'w' (--weight)"),
        ("--id key t.csv", "expected one column 'key' (--id)"),
        ("-q ab t.svm", "-q: expected VW text, found LIBSVM text"),
        ("--ignore a --ngram 2 t.svm", "--ignore, --ngram: expected VW text, found LIBSVM text"),
        ("--format svmlight --label y t.svm", "--label: expected a table (CSV, Parquet), found LIBSVM"),
        ("--format vw --text a t.vw", "--text: expected a table (CSV, Parquet), found VW text"),
        ("--format vw --label a t.vw", "--label: expected a table (CSV, Parquet), found VW text"),
    ],
)
def test_what_has_no_effect_is_refused(cli, files, line, message):
    label = " --label buys" * line.endswith(".csv")
    assert message in cli.error(f"train --method nag --quiet{label} {line}")


# ------------------------------------------------------------------------------------------------- 3: nothing learned


def test_the_label_of_json_by_name(cli, files):
    predictions = []
    for label, options in (("label", "--label label"), ("_label", "")):
        rows = [{label: i % 2, "a": i % 2 + 1, "b": {"label": "x"}} for i in range(20)]
        (files / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert cli(f"train --method nag --quiet -f m {options} t.jsonl") == (0, "", "")
        predictions.append(cli.out("predict --quiet -i m t.jsonl"))
    assert predictions[0] == predictions[1]
    assert len(predictions[0].splitlines()) == 20


@pytest.mark.parametrize(
    ("name", "text", "options", "message"),
    [
        ("a.jsonl", '{"a": 1}\n' * 5, [], "expected _label in each object, or the member that --label names"),
        ("a.jsonl", '{"a": 1}\n' * 5, ["--label", "y"], "expected labels in 'y' (--label)"),
        ("a.csv", "a,y\n1,\n2,\n", ["--label", "y"], "expected labels in 'y' (--label)"),
        ("a.csv", "a,y\n1,1\n2,0\n", ["--format", "csv"], "found the columns 'a', 'y', expected one that is the label"),
        ("a.csv", "a,y\n1,1\n2,0\n", ["--label", "y", "--ignore", "a"], "found no column to learn from, expected one"),
        (
            "a.vw", "1 0 |a b\n0 0 |a c\n", [], "found no example that has a label and an importance above 0, expected "
            "a label before the first bar; nothing was learned, and no model was saved",
        ),
        ("a.vw", "1 |a b\n0 |a c\n", ["--label_delay", "2"], "found no more examples than --label_delay 2"),
        ("a.vw", "u |a b\nv |a c\n", ["--classes", "auto", "--coverage", ".9", "--label_delay", "2"],
         "found no more examples than --label_delay 2"),
        ("a.csv", "a,y\n1,x\n2,y\n", ["--label", "y", "--loss", "squared", "--on-error", "skip"], "2 malformed lines"),
    ],
)  # fmt: skip
def test_where_nothing_is_learned_nothing_is_saved(cli, files, name, text, options, message):
    (files / name).write_text(text)
    assert message in cli.error("train", "--method", "nag", "--quiet", "-f", files / "m", *options, files / name)
    assert not (files / "m").exists()


def test_parquet_without_a_label(cli, files, pandas):
    pandas.read_csv(files / "t.csv").to_parquet(files / "t.parquet")
    err = cli.error("train --method nag --quiet -f m t.parquet")
    assert "found the columns 'id', 'age', 'spend', 'city', 'buys', expected one that is the label: --label" in err
    assert not (files / "m").exists()


@pytest.mark.parametrize("flags", [(), ("--noconstant",)])
def test_data_of_which_nothing_is_known_are_named(cli, files, flags):
    given = ("train", "--method", "nag", "--quiet", "-f", files / "m", *flags, files / "t.vw")
    assert cli(*given) == (0, "", "")
    (files / "other").write_text("1 |other x:1 y\n0 |other z:2\n" * 5)
    (files / "late").write_text("1 |other x:1 y\n0 |other z:2\n" * 5 + "1 |a y\n")
    (files / "few").write_text("1 |other x:1 y\n0 |other z:2\n" * 4)
    for verb in (("predict",), ("train", "-t")):
        status, _, err = cli(*verb, "--quiet", "-i", files / "m", files / "other")
        assert (status, err.splitlines()) == (0, [
            f"sonlearn: warning: no feature of the data is one that {files}/m has learned, so that all predictions are "
            "alike: is it the right model, and the right file?"
        ])  # fmt: skip
        for name in ("late", "few", "t.vw"):
            assert cli(*verb, "--quiet", "-i", files / "m", files / name)[2] == ""


def test_a_model_of_json_with_roles_reads_vw_text(cli, files):
    lines = [f'{{"y": {i % 2}, "id": {i}, "t": "Good tea {i % 2}", "c": "x", "d": 0}}\n' for i in range(40)]
    (files / "a.jsonl").write_text("".join(lines))
    (files / "b.vw").write_text("".join(f"{i % 2} {i}|t good tea {i % 2}| cx\n" for i in range(40)))
    flags = ("--label", "y", "--id", "id", "--text", "t", "--categorical", "c", "--month-first", "d")
    assert cli("train", "--method", "nag", "--quiet", "-f", files / "m", *flags, files / "a.jsonl") == (0, "", "")
    of_json = cli("predict", "--quiet", "-i", files / "m", files / "a.jsonl")
    assert of_json[0] == 0
    assert cli("predict", "--quiet", "-i", files / "m", "--format", "vw", files / "b.vw") == of_json
    assert cli.error("predict", "--quiet", "-i", files / "m", files / "b.vw").endswith("give --format json or vw")


# ------------------------------------------------------------------------------------------------- 4: a line a row


@pytest.mark.parametrize("threads", [0, 1])
def test_a_row_that_is_skipped_has_its_line(cli, files, threads):
    rows = [("1 1 one|a b", "one"), ("1 x two|a b", "nan two"), ("| c", ""), ("0 1 'four |a c", "four"),
            ("9 9 9 9 |x", "nan"), ("5:x six|a", "nan six"), ("1 1 seven|a b", "seven")]  # fmt: skip
    (files / "bad").write_text("x bad|a\n\nx y |a\n")
    assert cli("train --method nag --quiet -f m t.vw").status == 0
    for lines in (rows, rows[::-1]):
        (files / "t").write_text("".join(line + "\n" for line, _ in lines))
        out = cli.out(f"predict --quiet --on-error skip --threads {threads} -i m bad t bad")
        said = [line if line.startswith("nan") else line.partition(" ")[2] for line in out.splitlines()]
        assert said == ["nan bad", "nan", *(told for _, told in lines), "nan bad", "nan"]


def test_a_row_of_a_table_that_is_skipped_has_its_line(cli, files):
    lines = table(12)
    lines[3] = lines[3].replace(",", ",x,", 1)  # a field too many
    lines[11] = "last,1e999,1,Graz,1\n"
    (files / "u.csv").write_text(TABLE + "".join(lines))
    model = trained(cli, files, "--id", "id")
    out = cli.out("predict", "--quiet", "--on-error", "skip", "-i", model, files / "u.csv")
    values, tags = zip(*(line.split(" ") for line in out.splitlines()), strict=True)
    assert tags == (*map(str, range(9, 20)), "last")
    assert [i for i, value in enumerate(values) if value == "nan"] == [3, 11]


def test_rows_of_json_that_are_skipped(cli, files):
    rows = ['{"_label": 1, "_tag": "a", "x": 1}', '{"_tag": "b", "x": [[1]]}', '{"_tag": "c", "x": }', '{"x": 2}', "{"]
    (files / "t.jsonl").write_text("\n".join(rows) + "\n")
    assert cli("train --method nag -f m --quiet --on-error skip t.jsonl").status == 0
    lines = [line.split() for line in cli.out("predict -i m --quiet --on-error skip t.jsonl").splitlines()]
    told = [(line[0] == "nan", *line[1:]) for line in lines]
    assert told == [(False, "a"), (True, "b"), (True, "c"), (False,), (True,)]


def test_raw_predictions_classes_and_interactions_that_overflow_have_their_lines(cli, files):
    (files / "t.vw").write_text("1 |a b\nx y z|a\n2 |a c\n1 bad|a b:1x\n3 |a d\n1 two|a x:1e200 |b y:1e200\n")
    given = ("train", "--method", "nag", "--quiet", "--oaa", "3", "-q", "ab", "--on-error", "skip", "-p", files / "p")
    assert cli(*given, "-r", files / "r", "--probabilities", files / "t.vw")[0] == 0
    for name in ("p", "r"):
        lines = (files / name).read_text().splitlines()
        assert [line.split()[0] == "nan" for line in lines] == [False, True, False, True, False, True]
        assert (lines[1], lines[3], lines[5]) == ("nan z", "nan bad", "nan two")


# ------------------------------------------------------------------------------------------------- 5: finished runs


def test_a_finished_run_that_is_resumed_has_a_status_of_its_own(cli, files):
    given = "train --method nag --quiet --resume -f m"
    assert cli(f"{given} t.vw") == (0, "", "")
    before = (files / "m").read_bytes()
    (files / "u.vw").write_text(VW)
    for name in ("t.vw", "u.vw"):
        status, _, err = cli(f"{given} {name}")
        assert (status, len(err.splitlines())) == (3, 1)
        assert "nothing was learned; to learn further data give -i m -f m without --resume" in err
    assert (files / "m").read_bytes() == before


# ------------------------------------------------------------------------------------------------- 6: other problems


@pytest.mark.parametrize("options", [[], ["--classes", "auto"], ["--oaa", "4"]])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1:0 2:1.5 |a b\n", "'1:0 2:1.5': cost-sensitive labels, expected one label for each example: for costs of"),
        ("1:0 2:1.5\n", "give a line for each class, its label CLASS:COST:1, with --cb K, or the class of least cost"),
        ("1:0.5 |a b\n", "cost-sensitive labels"),
        ("shared |u a\n0:1:0.5 |x c\n|x d\n", "'shared': contextual-bandit text, expected one label for each example"),
        ("1:2:0.4 |a b\n", "contextual-bandit text"),
        ("ccb shared |u a\n", "contextual-bandit text, expected one decision at a time: give each slot a block of"),
        ("ca 18.5:0.6:0.01 |a b\n", "contextual-bandit text, expected actions that are numbered: cut their range"),
        ("1,3 |a c\n", "several labels"),
        ("1,2,4 'tag |a c\n", "several labels"),
    ],
)
def test_labels_of_other_problems_of_vw_are_recognised(cli, files, text, message, options):
    (files / "t.vw").write_text(text)
    err = cli.error("train", "--method", "nag", "--quiet", *options, files / "t.vw")
    assert message in err
    assert err.startswith(f"{files}/t.vw:1:1: ")


def test_labels_of_other_problems_are_left_out_as_other_malformed_lines(cli, files):
    (files / "t.vw").write_text("x |a b\n1,3 'one |a c\ny |a c\n1:2.5 'two |a d\nx |a b\n")
    given = ["train", "--method", "nag", "--classes", "auto", "--on-error", "skip", "-p", files / "p", files / "t.vw"]
    status, _, err = cli(*given)
    assert (status, (files / "p").read_text()) == (0, "unknown\nnan one\nx\nnan two\nx\n")
    assert "number of examples = 3" in err
    assert "malformed lines left out: 2" in err


@pytest.mark.parametrize("options", ["--classes auto", ""])
def test_names_may_look_like_labels_of_other_problems(cli, files, options):
    (files / "t.csv").write_text("y,a\n" + '1:30,4\n"1,2",3\nx,5\n' * 3)
    assert cli(f"train --method nag {options} -f m --label y t.csv").status == 0
    assert list(Learner.load(files / "m").classes) == ["1:30", "1,2", "x"]
    (files / "t.vw").write_text("a:b |a b\nsharedness |a c\n")
    assert cli("train --method nag --quiet --classes auto t.vw").status == 0


# ------------------------------------------------------------------------------------------------- 7: JSON and VW text


def test_json_and_vw_models_read_both(cli, files):
    (files / "t.json").write_text('{"_label": 1, "a": {"x": 1, "y": true}}\n{"_label": 0, "a": {"z": 2}}\n' * 5)
    for name, other in (("json", "vw"), ("vw", "json")):
        assert cli(f"train --method nag --quiet -f m t.{name}").status == 0
        expected = cli(f"predict --quiet -i m --format {name} t.{name}")
        for options in ("", f"--format {other}"):
            assert cli(f"predict --quiet -i m {options} t.{other}") == expected
        assert len(expected.out.splitlines()) == 10
        assert "format = svmlight is asked for" in cli.error("predict --quiet -i m --format svmlight t.svm")


# ------------------------------------------------------------------------------------------------- 8: names


def test_names_are_kept_of_tables_and_json(cli, files):
    printed = cli.out("inspect", trained(cli, files))
    assert " city=Graz" in printed
    assert "  names = of 6 slots (of at most 1048576, 3 of each)\n" in printed
    (files / "t.jsonl").write_text('{"_label": 1, "a": {"x": 1, "l": [2, 3]}}\n{"_label": 0, "a": {"z": "w"}}\n')
    shown = []
    for given in ("t.jsonl", "t.vw", "--no-names t.jsonl"):
        cli.out(f"train --method nag --quiet -f j {given}")
        shown.append(cli.out("inspect j"))
    assert ["names = of" in text for text in shown] == [True, False, False]
    assert all(name in shown[0] for name in ("a^x", "a^z^w", "l^[1]", "Constant"))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_the_most_frequent_name_of_a_slot_comes_first(cli, files, form):
    """In 2 slots names share, and the one that comes first is the rarest."""
    draw = random.Random(3)
    words = ["rare", *(draw.choice(["often"] * 6 + ["seldom"]) for _ in range(400))]
    text = "w,y\n" + "".join(f"{word},{i % 2}\n" for i, word in enumerate(words))
    if form == "jsonl":
        rows = [{"_label": i % 2, "w": {word: 1}} for i, word in enumerate(words)]
        text = "".join(json.dumps(row) + "\n" for row in rows)
    (files / "t").write_text(text)
    given = ["train", "--method", "nag", "--quiet", "-b", "1", "--noconstant", *(["--label", "y"] * (form == "csv"))]
    assert cli(*given, "-f", files / "m", files / "t")[0] == 0
    named = json.loads(cli("inspect", "--json", files / "m")[1])["weights"]
    counts = {f"{'w=' if form == 'csv' else 'w^'}{word}": words.count(word) for word in set(words)}
    assert sum(len(entry["names"]) for entry in named) == 3
    for entry in named:
        assert entry["names"] == sorted(entry["names"], key=lambda name: -counts[name])
    for threads in ("0", "2"):  # read in other pieces, the same counts
        assert cli(*given, "--threads", threads, "-f", files / "n", files / "t")[0] == 0
        assert json.loads(cli("inspect", "--json", files / "n")[1])["weights"] == named


def test_names_are_counted_once_in_a_run_that_goes_on(cli, files):
    """The bytes of a model do not tell that the run was interrupted, nor that a cache was read."""
    (files / "t.csv").write_text(TABLE + "".join(table(9000)))
    names = []
    for more in ("", "-c", "-c"):  # which is made, and read
        cli.out(f"train --method nag --quiet --label buys --passes 2 --holdout_off -f m {more} t.csv")
        names.append(load_model("m").names)
    assert all((one.known, one.counts) == (names[0].known, names[0].counts) for one in names)
    assert sum(names[0].counts[slot][0] for slot in names[0].counts) > 9000
    assert TextOptions().names is None
