"""``--join``: labels in a table of their own, by the ids of rows."""

import json
from pathlib import Path

import pytest

TABLE = ("train", "--method", "nag", "--label", "bought", "--id", "id", "-p", "p")


@pytest.fixture(autouse=True)
def files(tmp_path):
    """Twenty rows with ids as 007, in three formats; labels of those but each fourth, in another order."""
    ids = [f"{i:03d}" for i in range(20)]
    labels = {id: "yes" if i % 3 else "no" for i, id in enumerate(ids) if i % 4}
    (tmp_path / "rows.csv").write_text("id,a\n" + "".join(f"{id},{int(id) % 3}\n" for id in ids))
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"id": id, "a": int(id) % 3}) + "\n" for id in ids))
    (tmp_path / "rows.vw").write_text("".join(f"'{id} |f a:{int(id) % 3}\n" for id in ids))
    whole = "".join(f"{id},{int(id) % 3},{labels.get(id, '')}\n" for id in ids)
    (tmp_path / "whole.csv").write_text(f"id,a,bought\n{whole}")
    reverse = [*reversed(labels.items()), ("7", "yes"), ("088", "no"), ("", "no"), ("089", "")]
    (tmp_path / "labels.csv").write_text("bought,when,id\n" + "".join(f"{y},today,{id}\n" for id, y in reverse))
    (tmp_path / "tags.csv").write_text("id,label\n" + "".join(f"{id},{y}\n" for id, y in reverse))


@pytest.mark.parametrize("rows", ["rows.csv", "rows.jsonl"])
def test_as_with_labels_in_the_rows(cli, rows):
    cli.err(*TABLE, "whole.csv")
    expected = Path("p").read_bytes()
    err = cli.err(*TABLE, "--join", "labels.csv", "-f", "m", rows)
    assert Path("p").read_bytes() == expected
    assert "\nlabels joined = 15 of 17; rows without one = 5" in err
    assert "\naverage loss = n.a." in cli.err("predict", "-i", "m", "-p", "q", rows)
    assert "\naverage loss = 0." in cli.err("predict", "-i", "m", "-p", "q", "--join", "labels.csv", rows)


def test_tags_of_vw_text_and_passes(cli):
    err = cli.err("train", "--method", "nag", "--join", "tags.csv", "--passes", "3", "--holdout_off", "rows.vw")
    assert "\nlabels joined = 15 of 17; rows without one = 5" in err
    assert "\nweighted example sum = 60.000000" in err


@pytest.mark.parametrize("rows", ["rows.csv", "rows.jsonl"])
def test_rows_without_the_column_are_learned_again_and_nothing_is_warned_of(rows, cli):
    header, *lines = Path(rows).read_text().splitlines(keepends=True)
    Path(rows).write_text(header + "".join(lines * 6))  # more than the first rows, which tell what there is
    said = cli.err(*TABLE, "--quiet", "--join", "labels.csv", "--passes", "2", "--holdout_off", "-f", "m", rows)
    said += cli.err(*TABLE, "--quiet", "--join", "labels.csv", "-i", "m", rows)
    said += cli.err(*TABLE, "--quiet", "--join", "labels.csv", "-i", "m", "rows.jsonl")
    assert said == ""


def test_labels_of_the_rows_do_not_count(cli):
    """A column of labels in the rows is no feature, and the table's labels stand in its place."""
    cli.err(*TABLE, "--join", "labels.csv", "rows.csv")
    expected = Path("p").read_bytes()
    Path("whole.csv").write_text(Path("whole.csv").read_text().replace("yes", "maybe"))
    err = cli.err(*TABLE, "--join", "labels.csv", "whole.csv")
    assert "; rows without one = 5; labels of the rows themselves, not used = 15" in err
    assert Path("p").read_bytes() == expected


def test_a_label_that_is_no_class_is_that_of_the_table(cli):
    Path("wrong.csv").write_text("id,label\n003,-1\n")
    error = cli.error("train --quiet --oaa 3 --join wrong.csv rows.vw")
    assert error.startswith("rows.vw with labels of wrong.csv:4: found label -1, expected")


def test_tune(cli):
    err = cli.err("tune --grid method=nag,adagrad --label bought --id id --join labels.csv rows.csv")
    assert "labels joined = 15 of 17; rows without one = 5" in err


@pytest.mark.parametrize("rows", ["rows.csv", "rows.jsonl", "whole.csv"])
def test_describe(cli, rows):
    """The labels of the table are counted, not those of the rows, and tell which column is a leak."""
    Path("whole.csv").write_text(Path("whole.csv").read_text().replace("yes", "maybe").replace(",\n", ",nan\n"))
    ids = [f"{i:03d}" for i in range(20)]
    Path("labels.csv").write_text("id,bought\n" + "".join(f"{id},{int(id) % 3}\n" for id in [*ids[1:], "99"]))
    out = cli.out("describe", "--label", "bought", "--id", "id", "--join", "labels.csv", rows)
    assert "\nlabels = '1' 7, '2' 6, '0' 6 (1 rows have none)\n" in out
    own = "; labels of the rows themselves, not used = 15" if rows == "whole.csv" else ""
    assert f"\nlabels joined = 19 of 20; rows without one = 1{own}\n" in out
    Path("labels.csv").write_text("id,bought\n" + "".join(f"{id},{int(id) % 3}\n" for id in ids))
    out = cli.out("describe", "--label", "bought", "--id", "id", "--join", "labels.csv", rows)
    assert "\na: looks like a leak: it tells the label of every row" in out
    Path("labels.csv").write_text("id,bought\n7,1\n")
    refused = cli.error("describe", "--label", "bought", "--id", "id", "--join", "labels.csv", rows)
    assert "found ids as '000', none of them in labels.csv, whose ids are written as '7'" in refused
    refused = cli.error("describe", "--join", "labels.csv", rows)
    assert "--join labels.csv: expected --id COLUMN and --label COLUMN" in refused


REFUSED = [
    ((), "7,yes\n8,no\n", "rows.csv: found ids as '000', none of them in t.csv, whose ids are written as '7'"),
    ((), "001,yes\n002,no\n001,yes\n", "t.csv:4: found a further label of the id '001', expected one, as in line 2"),
    (("--label", "buy"), "001,yes\n", "t.csv:1: found the columns 'id, bought', expected one column 'buy' (--label)"),
    (("--id", ""), "001,yes\n", "--join t.csv: expected --id COLUMN and --label COLUMN, or neither"),
    (("--cb", "2"), "001,yes\n", "--join t.csv: decisions have their costs with them"),
    (("-p", "t.csv"), "001,yes\n", "-p t.csv: this would overwrite the --join"),
]


@pytest.mark.parametrize(("more", "table", "expected"), REFUSED)
def test_refused(cli, more, table, expected):
    Path("t.csv").write_text("id,bought\n" + table)
    assert cli.error(*TABLE, "--quiet", "--join", "t.csv", *more, "rows.csv").startswith(expected)
