"""``sonlearn vw``: whole command lines of Vowpal Wabbit."""

import random
import shlex
import sys

import pytest
from places import GOLDEN

from sonlearn.commands.vw_line import translate
from sonlearn.errors import OptionError

sys.path.insert(0, str(GOLDEN))
from capture_vw_flags import EVERYDAY

sys.path.remove(str(GOLDEN))


@pytest.fixture
def files(tmp_path):
    draw = random.Random(2)

    def rows(labels):
        return "".join(
            f"{labels[i % len(labels)]} |s w{i % len(labels)} x{draw.randint(0, 9)} y:0.5 |b z{draw.randint(0, 9)}\n"
            for i in range(150)
        )

    for name, labels in (("train", "1 -1"), ("test", "1 -1"), ("classes", "1 2 3"), ("names", "red green blue")):
        (tmp_path / f"{name}.vw").write_text(rows(labels.split()))
    (tmp_path / "costs.vw").write_text("1:0 2:1.5 |a b\n")
    return tmp_path


def runs(line):
    try:
        return translate(shlex.split(line)[1:]).arguments
    except OptionError:
        return None


def test_of_25_everyday_lines_20_run():
    assert len(EVERYDAY) == 25
    assert sum(runs(line) is not None for line in EVERYDAY) >= 20


@pytest.mark.parametrize("line", [line for line in EVERYDAY if runs(line) and "--daemon" not in line])
def test_an_everyday_line_runs(line, files, cli):
    if " -i model" in line:
        cli.out("vw train.vw -f model --sgd --quiet")
    printed = cli.err(*shlex.split(line))
    if "--quiet" not in line:
        assert printed.startswith("sonlearn: this is: sonlearn train ")
        assert "finished run" in printed
    if "-p predictions" in line:
        assert len((files / "predictions").read_text().splitlines()) == 150
    if "-f model" in line:
        assert (files / "model").exists()


@pytest.mark.parametrize(
    ("line", "ours"),
    [
        ("vw a", "train a --loss squared"),
        ("vw -d a -c --passes 3 -k", "train --data a --passes 3 --loss squared"),
        ("vw a -b18 -l0.5 --loss_function=hinge",
         "train a --bit_precision 18 --learning_rate 0.5 --loss_function hinge --method nag"),
        ("vw a -l 1 --power_t 0", "train a --learning_rate 1 --power_t 0 --method nag --loss squared --clip labels"),
        ("vw a --l1 1e-6 --ngram 2", "train a --ngram 2 --method nag --loss squared --clip labels"),
        ("vw a --l1 1e-6 --l2 1", "train a --l2 1 --method nag --loss squared --clip labels"),
        ("vw a --l1 1e-6 -i m", "train a --initial_regressor m"),
        ("vw a --l1 1e-6 --ftrl", "train a --l1 1e-6 --method ftrl --ftrl_beta 1 --loss squared --clip labels"),
        ("vw a --sgd --power_t 0", "train a --power_t 0 --method sgd --learning_rate 10 --loss squared --clip labels"),
        ("vw a --l1 1e-6 --ftrl_alpha 1",
         "train a --l1 1e-6 --ftrl_alpha 1 --method ftrl --ftrl_beta 1 --loss squared --clip labels"),
        ("vw a --ftrl --ftrl_beta 2 --onethread", "train a --ftrl_beta 2 --method ftrl --loss squared --clip labels"),
        ("vw a --cb_explore 3", "train a --cb_explore 3 --explore epsilon"),
        ("vw a --cb_explore_adf --squarecb", "train a --cb_explore_adf --explore squarecb"),
        ("vw a --cb_explore 3 -i m", "train a --cb_explore 3 --initial_regressor m"),
        ("vw a --cb 3", "train a --cb 3"),
        ("vw a --l2 1e-6", "train a --l2 1e-6 --loss squared"),
        ("vw a --sgd --l2 1", "train a --l2 1 --method sgd --learning_rate 10 --loss squared --clip labels"),
        ("vw a --adaptive", "train a --method adagrad --learning_rate 10 --loss squared --clip labels"),
        ("vw a --adaptive --normalized", "train a --method nag --no-invariant --loss squared --clip labels"),
        ("vw a --sgd -i m", "train a --initial_regressor m"),
        ("vw a --learning-rate 1", "train a --learning_rate 1 --method nag --loss squared --clip labels"),
        ("vw --daemon -i m -f n --port 3 --num_children 2", "serve -i m --port none --tcp 3 --learn -f n"),
    ],
)  # fmt: skip
def test_what_a_line_becomes(line, ours):
    assert translate(shlex.split(line)[1:]).arguments == shlex.split(ours)


def test_what_is_left_out_is_said(files, cli):
    printed = cli.err("vw train.vw -k --save_resume --random_seed 7 --sgd")
    assert printed.splitlines()[0] == (
        "sonlearn: this is: sonlearn train train.vw --method sgd --learning_rate 10 --loss squared --clip labels "
        "(left out: -k --save_resume --random_seed)"
    )  # fmt: skip
    assert "warning: --sgd: steps are l t^-p, and VW's l (t + 1)^-p" in printed


def test_what_the_nearest_method_does_not_take_is_warned_of(files, cli):
    left_out = "was left out: --method nag, which has the steps of VW's default, does not take it"
    assert cli.err("vw train.vw --quiet --l1 1e-6 -l .1 --power_t .3").splitlines() == [
        f"sonlearn: warning: --l1 1e-6 {left_out}; --method ftrl would"
    ]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "vw a --bfgs --nn 5 -C 1",
            ["--bfgs (only online methods", "--nn (no such model; ", "-C (the constant fea"],
        ),
        (
            "vw a --ftrl_alpha 1 -l 1",
            ["-l and --ftrl_alpha (no one method takes them; -l: --method nag", "--ftrl_alpha:"],
        ),
        ("vw a --sgd --ftrl", ["--ftrl with --sgd (there is no method with these steps)"]),
        ("vw a --invariant", ["--invariant (there is no method with these steps)"]),
        ("vw a --normalized --invariant", ["--invariant with --normalized (there is no method with these steps)"]),
        ("vw a --coin -l 1", ["-l (--coin is --method coin, which does not take all of it)"]),
        ("vw a --what 5", ["--what (VW has no such flag)"]),
        ("vw a --passes", ["--passes (its value is missing)"]),
        ("vw --daemon -t", ["--daemon without -i"]),
        ("vw --daemon -i m", ["--daemon without -t or -f"]),
        ("vw a --classweight 1:2", ["--classweight (give the examples of the class an importance weight)"]),
    ],
)
def test_all_that_cannot_be_done_is_said_at_once(line, parts, files, cli):
    printed = cli.error(*shlex.split(line))
    assert printed.startswith("vw: this cannot be done here: ")
    for part in parts:
        assert part in printed


@pytest.mark.parametrize(
    ("arguments", "ending"),
    [
        (["--epochs", "3"], "did you mean --passes?"),
        (["--lr", "3"], "did you mean --learning_rate?"),
        (["--model", "m"], "did you mean -f or -i?"),
        (["--target", "y"], "did you mean --label?"),
        (["--alhpa", "3"], "did you mean --alpha?"),
        (["--what-on-earth"], "sonlearn train --help-all lists them all"),
        (["--xyz"], "sonlearn train --help-all lists them all"),
        (["--max-depth", "3"], "one label a row"),
        (["--method", "naq"], "and 33 more"),
    ],
)
def test_only_what_is_near_is_named(arguments, ending, cli):
    line = cli.error("train", *arguments, "a.svm")
    assert line.endswith(ending), line
    if ending.startswith("sonlearn"):
        assert "did you mean" not in line


def test_the_nearest_three_are_listed(cli):
    printed = cli.error("train --method nagg a.svm")
    assert "expected one of nag, " in printed
    assert printed.count(",") == 2
    said = cli.error("train --power_t 0.3 a.svm")
    assert "--method committee does not take it; --method nag, adagrad, sgd, ogd do" in said
