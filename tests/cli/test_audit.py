"""``--audit``: what is printed, and that nothing else changes."""

import json
import math
import os
import re
import subprocess
import sys

import pytest

LINES = [
    "1 1 'first|u good x |v tea", "-1 |u bad x:2 |v tea", "1 |u good |v cup", "-1 |u bad |v cup", "1 |u good x |v tea",
] * 6  # fmt: skip
NUMBER = r"-?[\d.]+(?:e[+-]\d+)?"


@pytest.fixture(autouse=True)
def files(tmp_path):
    (tmp_path / "a.vw").write_text("\n".join(LINES) + "\n")


def blocks(text):
    """(head, [(name, numbers)]) of each example."""
    found = []
    for block in text.removesuffix("\n\n").split("\n\n"):
        head, *lines = block.split("\n")
        assert all(line.startswith("  ") for line in lines)
        parts = [re.fullmatch(rf"  (.*?)((?: +{NUMBER})+|(?: +[a-z]+)*)", line) for line in lines]
        found.append((head, [(part[1], part[2].split()) for part in parts]))
    return found


def test_json_is_a_line_an_example(cli):
    cli.out("train", "--quiet", "--members", "nag,nag:pairs", "-f", "m", "a.vw")
    command = ["predict", "--quiet", "-a", "--audit-format", "json", "--audit-top", "2", "-i", "m", "a.vw"]
    explained = [json.loads(line) for line in cli.out(*command).splitlines()]
    plain = cli.out("predict", "--quiet", "-i", "m", "a.vw").splitlines()
    assert [f"{one['prediction']:.6f}" + (f" {one['tag']}" if one["tag"] else "") for one in explained] == plain
    assert [one["line"] for one in explained] == list(range(1, len(LINES) + 1))
    assert {one["source"] for one in explained} == {"a.vw"}
    for one in explained:
        assert set(one["features"][0]) == {"id", "names", "value", "without", "contribution"}
        assert len(one["features"]) == 2
        shares = [*(own["contribution"] for own in one["features"]), one["others_contribution"], one["baseline"]]
        assert math.fsum(shares) == pytest.approx(one["raw"], abs=1e-9)
        parts = [*(member["contribution"] for member in one["members"]), one["start"], one["mixed"]]
        assert math.fsum(parts) == pytest.approx(one["raw"], abs=1e-9)
        assert set(one["members"][0]) == {"name", "prediction", "weight", "contribution"}
    assert explained[1]["features"][0]["names"] == ["u^bad"]
    assert explained[1]["others"] == 2


@pytest.mark.parametrize("options", [["--method", "nag"], ["--members", "nag,nag:pairs"], ["--sketch", "rfd"]], ids=str)
def test_training_is_explained_before_each_label_and_stays_the_same(cli, options, tmp_path):
    cli.out("train", "--quiet", *options, "-f", "plain", "-p", "plain.p", "a.vw")
    out = cli.out("train", "--quiet", *options, "-f", "audited", "-p", "audited.p", "--audit", "a.vw")
    assert (tmp_path / "plain").read_bytes() == (tmp_path / "audited").read_bytes()
    assert (tmp_path / "plain.p").read_text() == (tmp_path / "audited.p").read_text()
    assert [head for head, _ in blocks(out)] == (tmp_path / "plain.p").read_text().splitlines()
    assert {"u^good", "u^bad", "v^cup"} < {name for _, rows in blocks(out) for name, _ in rows}
    assert "good" not in cli.out("inspect", "audited")  # names are kept with --names only


@pytest.mark.parametrize("options", [["--method", "nag"], ["--members", "nag,nag:pairs"]], ids=str)
def test_two_classes_of_several_are_explained(cli, options, tmp_path):
    words = ["ham |w lunch today", "spam |w win money", "news |w vote today", "ham |w lunch"] * 4
    (tmp_path / "c.vw").write_text("\n".join(words) + "\n")
    cli.out("train", "--quiet", "--classes", "auto", *options, "-f", "m", "c.vw")
    plain = cli.out("predict", "--quiet", "-i", "m", "c.vw").splitlines()
    scores = cli.out("predict", "--quiet", "-i", "m", "-r", "-", "-p", "p", "c.vw").splitlines()
    for (head, rows), label, line in zip(blocks(cli.out("predict", "--quiet", "-a", "-i", "m", "c.vw")), plain, scores,
                                         strict=True):  # fmt: skip
        score = dict(word.split(":") for word in line.split())
        assert head == label
        best = sorted(score, key=lambda name: -float(score[name]))[:2]
        titles = [(name, numbers) for name, numbers in rows if name.startswith("class ")]
        assert [name for name, _ in titles] == [f"class {name}:" for name in best]
        assert [float(n[0]) for _, n in titles] == pytest.approx([float(score[name]) for name in best], rel=1e-5)
    line = cli.out("predict", "--quiet", "-a", "--audit-format", "json", "-i", "m", "c.vw").splitlines()[1]
    explained = json.loads(line)
    assert explained["prediction"] == explained["classes"][0]["label"] == "spam"
    assert len(explained["classes"]) == 2
    assert ("members" in explained["classes"][0]) == ("--members" in options)


def test_nothing_met_and_numbered_classes(cli, tmp_path):
    (tmp_path / "c.svm").write_text("3 1:1\n5 2:1\n" * 3)
    out = cli.out("train", "--quiet", "--classes", "auto", "--method", "nag", "-a", "-f", "m", "c.svm")
    assert [head for head, _ in blocks(out)][:2] == ["unknown", "3"]
    out = cli.out("train", "--quiet", "--oaa", "5", "--method", "nag", "-a", "--audit-format", "json", "c.svm")
    first, second, *_ = map(json.loads, out.splitlines())
    assert (first["prediction"], first["classes"]) == (1, [])
    assert (second["prediction"], second["classes"][0]["label"]) == (3, 3)


@pytest.mark.parametrize(
    ("data", "flags", "names"),
    [
        ("a.vw", "-q uv --ngram u2", "u^good u^x v^tea u^good*v^tea u^x*v^tea u^good^x u^good^x*v^tea Constant"),
        ("t.csv", "--label y", "age city=Paris Constant"),
        ("t.svm", "", "3 17 Constant"),
    ],
)
def test_made_features_and_columns_have_names_and_others_their_ids(cli, tmp_path, data, flags, names):
    (tmp_path / "t.csv").write_text("y,age,city\n" + "1,3,Paris\n0,4,Rome\n" * 3)
    (tmp_path / "t.svm").write_text("1 3:1 17:2\n-1 3:2 5:1\n" * 5)
    cli.out(f"train --quiet --method nag {flags} -f m {data}")
    explained = blocks(cli.out(f"predict --quiet -a --audit-top 0 -i m {data}"))
    assert {name for name, _ in explained[0][1][1:]} == set(names.split())


@pytest.mark.parametrize("options", [["--method", "nag"], ["--members", "nag,nag:pairs", "--classes", "auto"]])
def test_mean_contributions_are_those_of_the_examples(cli, options):
    """Of each feature, over all examples; where it does not stand it contributes nothing."""
    cli.out("train", "--quiet", *options, "-f", "m", "a.vw")
    found: dict = {}
    lines = cli.out("predict", "--quiet", "-a", "--audit-format", "json", "--audit-top", "0", "-i", "m", "a.vw")
    for line in lines.splitlines():
        said = json.loads(line)
        for one in said.get("classes", [said]):
            for feature in one["features"]:
                key = (one.get("label"), *feature["names"])
                found.setdefault(key, []).append(feature["contribution"])
    text = cli.out("predict", "--quiet", "-a", "--audit-format", "mean", "--audit-top", "0", "-i", "m", "a.vw")
    head, *rows = text.splitlines()
    assert head == "mean contributions to the predictions of 30 examples"
    label, seen = None, {}
    for row in rows:
        name, *numbers = row.split()
        if name == "class":
            label = int(numbers[0])
        elif name != "feature":
            seen[label, name] = [float(number) for number in numbers]
    assert seen.keys() == found.keys()
    for key, values in found.items():
        mean, size = math.fsum(values) / 30, math.fsum(map(abs, values)) / 30
        assert seen[key] == [len(values), pytest.approx(size, rel=1e-5), pytest.approx(mean, rel=1e-5, abs=1e-9)]


def test_mean_contributions_of_a_table_are_of_its_columns(cli, tmp_path):
    """All features of a column together, whose name may be the beginning of another's."""
    rows = [f"{i % 2},{i % 7},{'Paris' if i % 3 else 'Rome'},{i % 5},2020-01-{1 + i % 28:02d}" for i in range(60)]
    (tmp_path / "t.csv").write_text("\n".join(["y,age,city,age2,day", *rows]) + "\n")
    cli.out("train", "--quiet", "--method", "nag", "--label", "y", "-f", "m", "t.csv")
    _, head, *lines = cli.out("predict", "--quiet", "-a", "--audit-format", "mean", "-i", "m", "t.csv").splitlines()
    assert head.split() == ["column", "examples", "mean", "size", "mean"]
    assert {line.split()[0]: line.split()[1] for line in lines} == dict.fromkeys(
        ("age", "age2", "city", "day", "Constant"), "60"
    ) | {name: str(sum(int(row.split(",")[k]) != 0 for row in rows)) for name, k in (("age", 1), ("age2", 3))}


@pytest.mark.parametrize(
    ("given", "explained", "before"),
    [
        (["--clip", "0.01"], "0.010000 first", "before --clip:"),
        (["--clip", "5", "--max_prediction", "0.01"], "0.010000 first", "before --max_prediction:"),
        (["--link", "logistic"], None, "before --link:"),
        (["--max_prediction", "0.01", "--link", "glf1"], "0.005000 first", "before --max_prediction and --link:"),
        (["--binary"], "1 first", "before --binary:"),
    ],
)
def test_what_makes_another_number_of_the_raw_prediction_is_told(cli, given, explained, before):
    cli.out("train", "--quiet", "--method", "nag", *given, "-f", "m", "a.vw")
    plain = cli.out("predict", "--quiet", "-i", "m", "a.vw").splitlines()
    head, rows = blocks(cli.out("predict", "--quiet", "-a", "-i", "m", "a.vw"))[0]
    assert head == plain[0]
    assert explained in (None, head)
    assert rows[0][0] == before
    assert math.fsum(float(n[-1]) for _, n in rows[2:]) == pytest.approx(float(rows[0][1][0]), abs=1e-5)


def test_malformed_lines_end_it_after_the_examples_before(cli, tmp_path):
    (tmp_path / "bad.vw").write_text("1 |u good\nx y |u\n1 |u good\n")
    cli.out("train", "--quiet", "--method", "nag", "-f", "m", "a.vw")
    done = cli("predict", "--quiet", "-a", "-i", "m", "bad.vw")
    assert done.status == 1
    assert len(blocks(done.out)) == 1
    assert "bad.vw:2" in done.err
    assert len(blocks(cli.out("predict", "--quiet", "-a", "--on-error", "skip", "-i", "m", "bad.vw"))) == 2


def test_a_reader_that_goes_ends_the_run(tmp_path):
    (tmp_path / "a.vw").write_text("\n".join(LINES * 100) + "\n")
    command = f"{sys.executable} -m sonlearn train --quiet --method nag -a a.vw | head -n 1"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=tmp_path, env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("0 first\n", "")
