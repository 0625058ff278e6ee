"""Warnings about labels: a third one, missing ones, only one; and which of two words is the positive label."""

import json

import numpy as np
import pytest
from commands import one_line

from sonlearn import Learner, LearnOptions, Metrics, TextOptions, read_batches
from sonlearn.data.order import DateOrder, LabelOrder


def trained(cli, tmp_path, labels, *flags, form="csv"):
    rows = [{"x": i % 7, "y": label} for i, label in enumerate(labels)]
    texts = {"csv": "x,y\n" + "".join("{x},{y}\n".format(**row) for row in rows)}
    texts["json"] = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / f"t.{form}").write_text(texts[form])
    return cli("train", "--method", "nag", "--label", "y", tmp_path / f"t.{form}", *flags)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (("yes", "no", "Yes"), "'no' or 'yes', the two labels so far ('yes' and 'Yes' differ by capitals alone"),
        (
            ("No", "no", "yes"),
            "found label 'no', expected 'No' or 'yes', the two labels so far ('No' and 'no' differ by capitals alone",
        ),
        (("yes", "NA", "no"), "so far (the label 'NA' is a class: if it means that there is none, leave it empty; sev"),
        ((0, 1, "NA"), "found label 'NA', expected 0 or 1 for --loss logistic (an example without a label has nothing"),
        (range(7, 38), "; values: --loss squared; two other labels: --positive"),
        ((0, 1, -1), "found label -1, expected 0 or 1 for --loss logistic (labels so far are 0 and 1: write 0)"),
        ((1, -1, 0), "expected -1 or +1 for --loss logistic (labels so far are -1 and +1: write -1)"),
        (("no", "yes", "maybe"), "'maybe', expected 'no' or 'yes', the two labels so far (several classes: --classes"),
        (("$5", "2 €", "30.8%"), "the two labels so far (values: --loss squared; several classes: --classes auto)"),
        ((1, "no"), "-1 and +1, or 0 and 1, for --loss logistic (several classes: --oaa K, or --classes auto)"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_label_too_many(cli, tmp_path, labels, message, form):
    assert message in one_line(trained(cli, tmp_path, labels, "--quiet", form=form))


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("missing", ["NA", "n/a", "null", "#N/A"])
def test_among_values_a_missing_one_is_no_label(cli, tmp_path, missing, form):
    """As in other columns: the row is predicted, and not learned."""
    models = []
    for place in ("", missing):
        flags = ("--loss", "squared", "-f", tmp_path / "m", "--quiet")
        assert trained(cli, tmp_path, (3.5, place, 4.25, 1), *flags, form=form) == (0, "", "")
        models.append((tmp_path / "m").read_bytes())
    assert models[0] == models[1]
    assert "found 'none' " in one_line(trained(cli, tmp_path, (3.5, "none"), "--loss", "squared", "--quiet", form=form))


@pytest.mark.parametrize("form", ["csv", "json"])
def test_values_may_have_a_unit(cli, tmp_path, form):
    """Prices are learned as their numbers; as names of classes they stay as they are written."""
    values, predicted = [1000.5 + 7.25 * (i % 5) for i in range(30)], []
    for written in (values, [f"${value}" for value in values]):
        trained(cli, tmp_path, written, "--loss", "squared", "-f", tmp_path / "m", "--quiet", form=form)
        predicted.append(cli.both("predict", "-i", tmp_path / "m", tmp_path / f"t.{form}"))
    assert predicted[0][0] == predicted[1][0]
    assert "R2 = " in predicted[1][1]
    assert "\nlabels that are values: --loss squared\n" in cli.out("describe", "--label", "y", tmp_path / f"t.{form}")
    trained(cli, tmp_path, written, "--classes", "auto", "-f", tmp_path / "m", "--quiet", form=form)
    assert cli.out("predict", "-i", tmp_path / "m", tmp_path / f"t.{form}").startswith("$10")


@pytest.mark.parametrize("weight", ["NA", "$2.5", "-1"])
def test_an_importance_is_a_number_whatever_labels_may_be(cli, tmp_path, weight):
    rows = [f"{i % 7},${1000 + i}.5,1" for i in range(30)]
    (tmp_path / "t.csv").write_text("\n".join(["x,y,w", *rows, f"1,$3.5,{weight}"]) + "\n")
    said = cli("train", "--quiet", "--loss", "squared", "--label", "y", "--weight", "w", tmp_path / "t.csv")
    assert f"found '{weight}' in the column 'w', expected a weight" in one_line(said)


def test_a_class_that_looks_like_no_label(cli, tmp_path):
    told = "warning: the label 'NA' is a class: if it means that there is none, leave it empty"
    for classes, is_told in (("auto", True), ("cat,dog,NA", False)):
        said = trained(cli, tmp_path, ("cat", "NA", "dog"), "--classes", classes, "-f", tmp_path / "m")[2]
        assert (told in said) == is_told
        assert told not in cli("predict", "-i", tmp_path / "m", tmp_path / "t.csv")[2]
    described = cli.out("describe", "--label", "y", tmp_path / "t.csv")
    assert "\nthe label 'NA' is a class: if it means that there is none, leave it empty\n" in described
    trained(cli, tmp_path, ("cat", "nan", "dog"), "--classes", "auto")
    assert "labels = 'cat' 1, 'dog' 1 (1 rows have none)\n" in cli.out("describe", "--label", "y", tmp_path / "t.csv")


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        (("no", "yes", "No"), "'no' and 'No' differ by capitals alone: write one of them, if they are one label"),
        ([f"~{1000 + i}" for i in range(25)], "labels look like numbers that are read as texts ('~1000'); write 1"),
        (("1 year", "2 years", "3 years"), ""),
        (("a", "b", "c", "a | b", "b | c", "a | b | c"), "labels as 'a | b' are a class each: if they are several"),
        (("a;b", "a;c", "b;c", "a;b;c"), "labels as 'a;b' are a class each"),
        (("Bonn; Germany", "Lyon; France", "Nice; France", "Rome; Italy"), ""),
    ],
)
def test_classes_that_look_like_one_or_like_values(cli, tmp_path, labels, told):
    err = trained(cli, tmp_path, labels, "--classes", "auto", "--quiet")[2]
    assert (err.startswith(f"sonlearn: warning: {told}"), err == "") == (told != "", told == "")
    described = cli.out("describe", "--label", "y", tmp_path / "t.csv")
    assert told in described
    assert ("--classes auto" in described) == (told == "")


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("flags", [(), ("--classes", "auto")])
def test_true_beside_1_is_named(cli, tmp_path, flags, form):
    told = "warning: some labels are true or false, some 1 or 0: true counts as 1"
    for labels, mixed in (
        (["True", "1", "False", "0"], True),
        (["1", "True", "0"], True),
        (["True", "False", ""], False),
        ([1, 0, ""], False),
    ):
        assert (told in trained(cli, tmp_path, labels, "-f", tmp_path / "m", *flags, form=form)[2]) == mixed
        assert told not in cli("predict", "-i", tmp_path / "m", tmp_path / f"t.{form}")[2]


@pytest.mark.parametrize("form", ["csv", "json"])
def test_where_words_are_no_labels_what_is_advised_works(cli, tmp_path, form):
    labels = ("ham", "spam", "ham")
    said = one_line(trained(cli, tmp_path, labels, "--method", "rfd-son", form=form))
    assert "names of classes: --classes auto, of two --loss logistic" in said
    assert trained(cli, tmp_path, labels, "--method", "rfd-son", "--classes", "auto", form=form)[0] == 0
    status, _, err = trained(cli, tmp_path, labels, "--method", "rfd-son", "--loss", "logistic", form=form)
    assert (status, "positive label = spam (the other: ham)" in err) == (0, True)


@pytest.mark.parametrize(("labels", "positive"), [(("ja", "nein"), "ja"), (("non", "oui"), "oui"), (("a", "b"), "b")])
def test_the_positive_word(cli, tmp_path, labels, positive):
    assert f"\npositive label = {positive} (" in trained(cli, tmp_path, labels)[2]


def test_one_label_alone_is_said(cli, tmp_path):
    for labels, flags in ((["yes"], ()), ([1], ()), ([0], ()), (["a"], ("--classes", "auto"))):
        status, _, err = trained(cli, tmp_path, labels * 10, "--quiet", *flags)
        told = "there is nothing to tell apart; is it the right"
        warning = f"sonlearn: warning: all labels are {str(labels[0])!r}: {told}"
        assert (status, err[: len(warning)]) == (0, warning)
        assert trained(cli, tmp_path, labels * 9, "--quiet", *flags)[2] == ""
    assert trained(cli, tmp_path, ["yes"] * 99 + ["no"], "--quiet")[2] == ""
    assert "tell apart" not in trained(cli, tmp_path, [3] * 100, "--quiet", "--loss", "squared")[2]


SORTED = "the labels come in {} blocks: shuffle the rows, or the figures of a run mean nothing"


@pytest.mark.parametrize(
    ("labels", "flags"),
    [
        (["ham"] * 150 + ["spam"] * 150, ()),
        (["a"] * 70 + ["b"] * 60 + ["c"] * 80, ("--classes", "auto")),
        ([1] * 90 + [-1] * 90, ("--loss", "squared")),
    ],
)
def test_labels_in_long_blocks_are_named(cli, tmp_path, labels, flags):
    note = SORTED.format(len(set(labels)))
    status, _, err = trained(cli, tmp_path, labels, "--quiet", *flags, "--report", tmp_path / "page.html", "-f", "m")
    assert (status, err) == (0, f"sonlearn: warning: {note}")
    assert f"Warning: {note}." in (tmp_path / "page.html").read_text()
    assert note in cli.out("describe", "--label", "y", tmp_path / "t.csv")
    assert "blocks" not in cli("predict", "--quiet", "-i", "m", tmp_path / "t.csv", "-p", "p")[2]
    for other in (labels[::7] * 7, np.random.default_rng(0).permutation(labels).tolist()):
        assert "blocks" not in trained(cli, tmp_path, other, "--quiet", *flags)[2]
        assert "blocks" not in cli.out("describe", "--label", "y", tmp_path / "t.csv")


def test_values_that_come_in_order_are_not_named(cli, tmp_path):
    assert "blocks" not in trained(cli, tmp_path, [i // 100 for i in range(300)], "--quiet", "--loss", "squared")[2]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_order_of_labels_is_that_of_all_rows_however_cut(size):
    for blocks, n, noted in ((3, 200, True), (40, 10, False), (1, 500, False)):
        y, order = np.repeat(np.arange(blocks) % 3, n), LabelOrder()
        for at in range(0, len(y), size):
            order.add(y[at : at + size])
        assert (order.rows, order.changes) == (len(y), blocks - 1)
        assert order.note(np.bincount(y)) == SORTED.format(blocks) * noted
    assert LabelOrder().note([]) == ""


def test_nobody_is_said_by_name(cli, tmp_path):
    labels = ["ham", *["spam" if i % 20 == 0 else "ham" for i in range(199)]]
    err = trained(cli, tmp_path, labels, "--quiet", "--threshold", ".99")[2]
    assert err.startswith("sonlearn: warning: no example was predicted 'spam', though 5 % are")
    assert err.endswith("of those it predicts are 'spam'")


def test_what_is_predicted_before_any_class_is_known_is_no_class():
    lines = [f'{{"a": {i % 3 + 1}, "y": "{"uvw"[i % 3]}"}}' for i in range(120)]
    learner = Learner(LearnOptions(method="nag", classes="auto"), TextOptions(format="json", label="y"))
    metrics = Metrics(learner)
    for batch in read_batches(lines, learner.text, class_names=True):
        predicted = learner.partial_fit(batch)
        metrics.add(batch, predicted)
    result = metrics.result()
    assert learner.label_texts(predicted.prediction[:1]) == ["unknown"]
    assert result["classes"] == 3
    assert result["macro_f1"] == pytest.approx(sum(row["f1"] for row in result["worst"]) / 3)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (range(200), "rise"), ([-(i // 9) for i in range(200)], "fall"),
        ([*range(200), *range(9)], "rise"), ([*range(100), *range(5)] * 2, "rise"),
        ([i * 37 % 101 for i in range(200)], ""), ([i // 150 for i in range(200)], ""), ([*range(99)], ""),
        ([i + 3 * (i % 9 == 0) for i in range(200)], ""),  # a trend
    ],
)  # fmt: skip
def test_values_that_are_sorted(cli, tmp_path, values, said):
    err = trained(cli, tmp_path, values, "--loss", "squared")[2]
    told = f"warning: the labels {said} from row to row, as if sorted: shuffle such rows, or the figures of a run mean"
    assert (told in err) == bool(said)
    assert ("as if sorted" in err) == bool(said)
    orders = LabelOrder(), LabelOrder()
    for batch in (values[:50], values[50:51], values[51:]):
        orders[0].add(np.array(batch, np.float64))
    orders[1].add(np.array(values, np.float64))
    assert vars(orders[0]) == vars(orders[1])


SERIES = [f"20{20 + month // 12}-{month % 12 + 1:02}-{day:02}" for month in range(20) for day in (3, 9, 21)]


@pytest.mark.parametrize(
    ("dates", "begin"),
    [
        (SERIES * 4, 3), (SERIES, 0), (np.repeat(SERIES, 4), 0), (SERIES[::-1], 0), (SERIES[:9] * 9, 0),
        (SERIES[:12] * 9, 8),
        (np.random.default_rng(0).permutation(SERIES * 4), 0),
        ([date for at in range(0, 60, 6) for date in SERIES[at : at + 9]], 0),  # some rows come a month late
    ],
)  # fmt: skip
def test_dates_that_begin_again(cli, tmp_path, dates, begin):
    rows = "".join(f"{date},{i % 7 % 2}\n" for i, date in enumerate(dates))
    (tmp_path / "t.csv").write_text("day,y\n" + rows)
    note = f"the dates of 'day' begin again {begin} times, as if rows were sorted by another column: sort such rows by"
    err = cli("train", "--quiet", "--method", "nag", "--label", "y", tmp_path / "t.csv", "-f", tmp_path / "m")[2]
    assert (note in err, "begin again" in err) == (begin > 0, begin > 0)
    assert (note in cli.out("describe", "--label", "y", tmp_path / "t.csv")) == (begin > 0)
    assert "again" not in cli("predict", "--quiet", "-i", tmp_path / "m", tmp_path / "t.csv", "-p", tmp_path / "p")[2]
    months = np.array([12 * int(date[:4]) + int(date[5:7]) for date in dates])
    orders = DateOrder(), DateOrder()
    for part in (months[:50], months[50:51], months[51:]):
        orders[0].add(part)
    orders[1].add(months)
    assert vars(orders[0]) == vars(orders[1])


def test_dates_of_several_passes_do_not_begin_again(cli, tmp_path):
    (tmp_path / "t.csv").write_text("day,y\n" + "".join(f"{date},{i % 2}\n" for i, date in enumerate(SERIES)))
    err = cli("train", "--quiet", "--method", "nag", "--label", "y", "--passes", "3", tmp_path / "t.csv")[2]
    assert "again" not in err
