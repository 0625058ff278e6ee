"""Several classes through the command line: train, go on, predict, inspect; one line for labels that do not fit."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from commands import summary

from sonlearn.text.cache import CachedReader
from sonlearn.text.columns import Labelling
from sonlearn.text.read import Reader, read_batches

NAMES = ("ham", "spam", "eggs", "Käse")
NAG = ("--method", "nag", "--quiet")


def lines(start, stop, label, bar):
    """Rows of three features each, with a tag for some in VW text."""
    rng = np.random.default_rng(start)
    for i in range(start, stop):
        k = int(rng.integers(4)) if i > 5 else i % 2
        x = rng.random(4) + 2 * (np.arange(4) == k)
        features = " ".join(f"{j + 1}:{v:.3f}" for j, v in enumerate(x))
        yield label(k) + (f" '{i}| {features}" if bar and i % 3 == 0 else f" | {features}" if bar else f" {features}")


@pytest.fixture(autouse=True)
def files(tmp_path):
    """Small inputs."""
    for name, start, stop, label, bar in (
        ("a.vw", 0, 60, NAMES.__getitem__, True), ("b.vw", 60, 90, NAMES.__getitem__, True),
        ("a.svm", 0, 60, lambda k: str(k + 1), False), ("b.svm", 60, 90, lambda k: str(k + 1), False),
    ):  # fmt: skip
        text = "".join(line + "\n" for line in lines(start, stop, label, bar))
        (tmp_path / name).write_text(text, encoding="utf-8")


def check_chain(cli, kind, *flags):
    """A run over both files and one that goes on after the first write the same models, `long` and `short`."""
    a, b = f"a.{kind}", f"b.{kind}"
    assert cli("train", *flags, "-f", "long", "-p", "long.p", a, b) == (0, "", "")
    assert cli("train", *flags, "-f", "short", "-p", "short.p", a) == (0, "", "")
    assert cli("train", "--quiet", "-i", "short", "-f", "short", "-p", "more.p", b) == (0, "", "")
    assert Path("short").read_bytes() == Path("long").read_bytes()
    assert Path("short.p").read_bytes() + Path("more.p").read_bytes() == Path("long.p").read_bytes()
    return b


@pytest.mark.parametrize(("kind", "flags"), [("vw", ("--classes", "auto")), ("svm", ("--oaa", "4"))])
def test_a_chain_of_runs_is_one_long_run(cli, kind, flags):
    b = check_chain(cli, kind, *NAG, *flags)
    labels = set(NAMES) if kind == "vw" else {"1", "2", "3", "4"}
    predicted = [line.split(" ")[0] for line in Path("long.p").read_text(encoding="utf-8").splitlines()]
    assert set(predicted) <= labels | ({"unknown"} if kind == "vw" else set())
    assert labels <= set(predicted)
    status, out, err = cli("predict", "-i", "long", b)
    error = float(summary(err, "average error"))
    truth = [line.split()[0] for line in Path(b).read_text(encoding="utf-8").splitlines()]
    wrong = sum(line.split(" ")[0] != label for line, label in zip(out.splitlines(), truth, strict=True))
    assert status == 0
    assert error == pytest.approx(wrong / 30, abs=1e-6)
    assert error < 0.2


def test_probabilities_and_scores_stand_beside_labels(cli):
    cli("train", *NAG, "--oaa", "4", "-f", "m", "a.svm")
    _, out, _ = cli("predict", "--quiet", "-i", "m", "--probabilities", "-r", "r", "b.svm")
    _, labels, _ = cli("predict", "--quiet", "-i", "m", "b.svm")
    for p, r, label in zip(out.splitlines(), Path("r").read_text().splitlines(), labels.split(), strict=True):
        p, r = ({k: float(v) for k, v in (pair.split(":") for pair in line.split())} for line in (p, r))
        assert list(p) == ["1", "2", "3", "4"]
        assert max(p, key=p.get) == max(r, key=r.get) == label
        s = {k: 1 / (1 + np.exp(-z)) for k, z in r.items()}
        for k in p:
            assert p[k] == pytest.approx(s[k] / sum(s.values()), rel=1e-4)
    cli("train", *NAG, "--oaa", "4", "--probabilities", "-p", "p", "a.svm")
    assert Path("p").read_text().splitlines()[0] == "1:0.25 2:0.25 3:0.25 4:0.25"
    cli("train", *NAG, "--classes", "auto", "--probabilities", "-p", "p", "a.vw")
    assert Path("p").read_text(encoding="utf-8").splitlines()[:2] == ["unknown 0", "ham:1"]
    status, _, err = cli("train", *NAG, "--probabilities", "a.svm")
    told = (
        "of several classes: --oaa K, --multinomial K, or --classes auto; of two classes give --output csv or jsonl as"
    )
    assert (status, err) == (1, f"sonlearn: --probabilities: expected a model {told} well")


@pytest.mark.parametrize("method", ["fd-son", "nag"])
def test_classes_that_share_a_learner(cli, method):
    how = ("--multinomial", "4", "--method", method, "--quiet")
    for kind, more in (("svm", ()), ("vw", ("--classes", "auto"))):
        b = check_chain(cli, kind, *how, *more)
        _, out, err = cli("predict", "-i", "long", "--probabilities", b)
        for line in out.splitlines():
            p = {k: float(v) for k, v in (pair.split(":") for pair in line.split(" ")[:4])}
            assert set(p) == (set(NAMES) if kind == "vw" else set("1234"))
            assert sum(p.values()) == pytest.approx(1, abs=1e-5)
        assert float(summary(err, "average error")) < 0.2
        _, out, _ = cli("inspect", "--top", "2", "long")
        assert f"largest weights of class {NAMES[0] if kind == 'vw' else 1}: 2 of 5" in out.splitlines()
    status, out, err = cli("train", "--multinomial", "4", "--method", "arow", "a.svm")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert err.startswith("sonlearn: --multinomial 4: --method arow has no metric that classes can share; --oaa 4")


def test_progress_and_inspect_speak_of_classes(cli):
    err = cli.err("train", "--method", "nag", "--classes", "auto", "-f", "m", "-c", "--passes", "2", "a.vw")
    rows = [line.split() for line in err.splitlines() if line[:1].isdigit()]
    assert {row[4] for row in rows} <= set(NAMES)
    assert "best constant = " in err
    assert "best constant's error = " in err
    assert "weighted label sum" not in err
    counts = {name: Path("a.vw").read_text(encoding="utf-8").count(f"{name} ") for name in NAMES}
    _, out, _ = cli("inspect", "--top", "2", "m")
    assert "classes: 4" in out.splitlines()
    for name in NAMES:
        assert f"largest weights of class {name}: 2 of 5" in out.splitlines()
    predicted = json.loads(cli.out("inspect --json m"))
    assert [one["label"] for one in predicted["classes"]][:2] == ["ham", "spam"]
    assert sorted(one["label"] for one in predicted["classes"]) == sorted(counts)
    assert all(len(one["weights"]) == 5 for one in predicted["classes"])


def test_the_format_does_not_matter(cli):
    rows = [line.split(" ") for line in lines(0, 60, NAMES.__getitem__, False)]
    table = ["label,1,2,3,4"] + [",".join([row[0], *(pair.split(":")[1] for pair in row[1:])]) for row in rows]
    Path("a.csv").write_text("\n".join(table) + "\n", encoding="utf-8")
    assert cli("train", *NAG, "--classes", "auto", "-p", "csv.p", "--label", "label", "a.csv")[0] == 0
    assert cli("train", *NAG, "--classes", "auto", "-p", "vw.p", "a.vw")[0] == 0
    first, second = (Path(name).read_text(encoding="utf-8").splitlines() for name in ("csv.p", "vw.p"))
    assert first == [line.split(" ")[0] for line in second]
    cached = CachedReader("a.vw", path="c", labels=Labelling(names=True))
    read = Reader("a.vw", labels=Labelling(names=True), chunk_bytes=200, threads=2)
    for batches in (list(cached), list(cached), list(read)):
        assert [name for batch in batches for name in batch.class_names] == [row[0] for row in rows]
    assert all(batch.class_names is None for batch in read_batches("a.svm", class_names=True))


def table_of(rows, form):
    """The text of rows of a label and four words."""
    if form == "vw":
        return "".join(f"{label} | {' '.join(words)}\n" for label, *words in rows)
    if form == "csv":
        return "".join(",".join(row) + "\n" for row in [("label", "a", "b", "c", "d"), *rows])
    return "".join(json.dumps(dict(zip(("label", "a", "b", "c", "d"), row, strict=True))) + "\n" for row in rows)


def words_of(labels):
    return [(label, *(f"w{i // 5 % (j + 2)}x" for j in range(4))) for i, label in enumerate(labels)]


@pytest.mark.parametrize("form", ["vw", "csv", "json"])
def test_three_names_in_the_first_rows_are_several_classes(cli, form):
    """Also where rows are explained, or settings are tried."""
    Path("t").write_text(table_of(words_of(NAMES * 10), form), encoding="utf-8")
    column = () if form == "vw" else ("--label", "label")
    told = "labels are three names or more: several classes are learned (--classes auto)"
    status, _, err = cli("train", "--method", "nag", *column, "-f", "told", "t")
    assert (status, err.split("\n")[0]) == (0, told)
    cli("train", *NAG, *column, "--classes", "auto", "-f", "asked", "t")
    assert Path("told").read_bytes() == Path("asked").read_bytes()
    Path("t").write_text(table_of(words_of(("none", "NA", "low", "high") * 5), form), encoding="utf-8")
    assert told in cli.err("train", "--method", "nag", *column, "t")
    Path("t").write_text(table_of(words_of(NAMES * 10), form), encoding="utf-8")
    cli("train", *NAG, "-i", "told", "-f", "told", "--log-json", "log", "t")
    assert json.loads(Path("log").read_text().splitlines()[-1])["classes"][0]["label"] == "ham"
    status, out, err = cli("train", "--method", "nag", "--audit", *column, "t")
    assert (status, told in err) == (0, True)
    assert cli("train", *NAG, "--audit", *column, "--classes", "auto", "t")[1] == out
    for flags in ((), ("--classes", "auto")):
        grid = ("--grid", "method=nag learning-rate=.1,1")
        status, _, err = cli("tune", *grid, *column, *flags, "-f", f"m{len(flags)}", "t")
        assert (status, told in err, err.count("--classes auto")) == (0, not flags, 2 - len(flags) // 2)
    assert Path("m0").read_bytes() == Path("m2").read_bytes()


@pytest.mark.parametrize("form", ["vw", "csv", "json"])
def test_where_a_third_name_comes_late_or_an_option_is_against_it_there_are_two_classes(cli, form):
    column = () if form == "vw" else ("--label", "label")
    Path("t").write_text(table_of(words_of(("ham", "spam") * 20000 + ("eggs",)), form), encoding="utf-8")
    told = "found label 'eggs', expected 'ham' or 'spam', the two labels so far"
    assert told in cli.error("train", *NAG, *column, "t")
    for labels, flags in (
        (("ham", "spam", "eggs") * 5, ("--positive", "spam")), (("ham", "spam", "eggs") * 5, ("--binary",)),
        (("ham", "spam", "eggs") * 5, ("--threshold", ".3")), (("ham", "spam", "?") * 5, ()),
        ([f"${i}.5" for i in range(20)] * 3, ()), (NAMES, ()),
    ):  # fmt: skip
        Path("t").write_text(table_of(words_of(labels), form), encoding="utf-8")
        assert "classes: --classes auto" in cli.error("train", *NAG, *column, *flags, "t")
    Path("t").write_text(table_of(words_of(("ham", "spam", "eggs") * 5), form), encoding="utf-8")
    table = ("--output", "csv", "--probabilities", "-p", "p")
    assert "have no columns yet; give --output jsonl" in cli.error("train", *NAG, *column, *table, "t")


def test_two_names_in_vw_text_are_two_classes(cli):
    rows = words_of(("spam", "ham") * 20)
    for name, labels in (("n", rows), ("y", [("1" if row[0] == "spam" else "-1", *row[1:]) for row in rows])):
        Path(name).write_text("|\n" + table_of(labels, "vw"), encoding="utf-8")
        assert cli("train", *NAG, "-f", f"{name}.m", "-p", f"{name}.p", name) == (0, "", "")
    assert Path("n.p").read_text() == Path("y.p").read_text()
    assert "found label 'eggs'" in cli.error("train", *NAG, "-i", "n.m", "--examples", "60", "n", "a.vw")


@pytest.mark.parametrize("order", ["3U2", "U32"])
def test_whole_numbers_and_names_are_classes(cli, order):
    rows = [(label, "321U".index(label) * 3) for label in order * 8]
    Path("t.csv").write_text("x,y\n" + "".join(f"k{x},{label}\n" for label, x in rows))
    Path("t.json").write_text("".join(f'{{"x": "k{x}", "y": "{label}"}}\n' for label, x in rows))
    Path("t.vw").write_text("".join(f"{label} |x k{x}\n" for label, x in rows))
    said = "warning: some classes are whole numbers, some are names ('U')"
    for name, flags in (("t.csv", ("--label", "y")), ("t.json", ("--label", "y")), ("t.vw", ())):
        status, _, err = cli("train", *NAG, "--classes", "auto", *flags, "-f", "m", name)
        assert (status, said in err) == (0, True)
        status, out, err = cli("predict", "-i", "m", name)
        assert (status, "".join(out.split()), "\naverage error = 0.000000\n" in err) == (0, order * 8, True)
        assert "macro F1 = 1.000000, of 3 classes" in err
        answer = json.loads(cli.out("predict", "-i", "m", name, "--audit", "--audit-format", "json").splitlines()[0])
        assert str(answer["prediction"]) == order[0]
    Path("other.vw").write_text("V |x k0\n4 |x k0\n")
    assert "examples of labels that the model has not learned: 2;" in cli("predict", "-i", "m", "other.vw")[2]


@pytest.mark.parametrize(
    ("header", "known", "new", "flags"),
    [
        ("", "1 1:1\n2 2:1\n3 3:1\n", "5 2:1\n7.5 1:1\n", ("--oaa", "3")),
        ("", "1 1:1\n-1 2:1\n", "5 2:1\n-3 1:1\n", ()),
        ("", "1 1:1\n0 2:1\n", "5 2:1\n-1 1:1\n", ("--binary",)),
        ("y,x\n", "ham,a\nspam,b\n", "eggs,a\n2,b\n", ("--label", "y")),
    ],
)
@pytest.mark.parametrize("skip", [(), ("--on-error", "skip")])
def test_labels_that_cannot_be_count_as_errors_where_rows_are_only_predicted(cli, header, known, new, flags, skip):
    Path("known").write_text(header + 6 * known)
    Path("new").write_text(header + new + known)
    assert cli("train", *NAG, *flags, "-f", "m", "known")[0] == 0
    out, err = cli("predict", "-i", "m", "known", *skip)[1:]
    rows = known.count("\n")
    assert "\naverage error = 0.000000\n" in err
    status, more, told = cli("predict", "-i", "m", "new", *skip, "--log-json", "log")
    assert (status, more.splitlines()[2:]) == (0, out.splitlines()[:rows])
    assert f"\naverage error = {2 / (2 + rows):.6f}\n" in told
    assert told.count("not learned: 2; each counts as an error, and not in the loss") == 1
    loss = next(line for line in err.splitlines() if line.startswith("average loss"))
    assert f"\n{loss}\n" in told


@pytest.mark.parametrize(("kind", "flags"), [("vw", ("--classes", "auto")), ("svm", ("--oaa", "4"))])
def test_the_committee_of_classes_goes_on_and_is_described(cli, kind, flags):
    check_chain(cli, kind, "--quiet", *flags)
    _, out, _ = cli("inspect", "--top", "2", "long")
    assert "classes: 4" in out
    assert re.search(r"\n  member +own error +weight +offline +bytes\n  nag +[0-9.]+ +pruned\n", out)
    assert re.search(r"\n  arow-precision:zs +[0-9.]+ +-?[0-9.]+ +-?[0-9.]+ +[0-9]+\n", out)
    assert f"largest weights of class {NAMES[0] if kind == 'vw' else 1}: none; predict --audit" in out
    _, out, _ = cli("inspect", "--json", "long")
    assert [len(one["weights"]) for one in json.loads(out)["classes"]] == [5, 5, 5, 5]


def test_the_likeliest_classes(cli):
    cli("train", *NAG, "--oaa", "4", "-f", "m", "a.svm")
    status, every, _ = cli("predict", "-i", "m", "--quiet", "--probabilities", "b.svm")
    again, top, err = cli("predict", "-i", "m", "--quiet", "--top", "2", "b.svm")
    assert (status, again, err) == (0, 0, "")
    for line, two in zip(every.splitlines(), top.splitlines(), strict=True):
        order = sorted(line.split(" "), key=lambda pair: -float(pair.split(":")[1]))
        assert two.split(" ") == order[:2]
    cli("train", *NAG, "--classes", "auto", "--top", "3", "-p", "p", "a.vw")
    assert Path("p").read_text(encoding="utf-8").splitlines()[:2] == ["unknown 0", "ham:1"]
    for wrong in ((), ("--oaa", "4", "--probabilities"), ("--oaa", "4", "-p", "csv", "--output", "csv")):
        err = cli.error("train", *NAG, "--top", "2", *wrong, "a.svm")
        assert err.startswith("--top 2 ")


def test_labels_that_are_no_classes(cli):
    Path("ids.svm").write_text("".join(f"{i} 1:{i % 7}\n" for i in range(1, 400)))
    err = cli.err("train", *NAG, "--classes", "auto", "ids.svm")
    assert len(err.splitlines()) == 1
    assert err.startswith("sonlearn: warning: ")
    assert "--loss squared" in err
    assert cli("train", *NAG, "--classes", "auto", "a.svm")[2] == ""
    status, _, err = cli("train", *NAG, "--classes", "auto", "--max-classes", "100", "ids.svm")
    assert status == 1
    assert err.splitlines()[-1] == (
        "sonlearn: ids.svm:101: found label 101, expected one of the 100 classes met before, the most that there can "
        "be (more: --max-classes N; labels that are values: --loss squared, without --classes)"
    )
    assert cli("train", *NAG, "--oaa", "4", "--max-classes", "5", "a.svm")[0] == 1
