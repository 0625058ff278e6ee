"""``sonlearn vw``: whole command lines of Vowpal Wabbit."""

import random
import re
import shlex
import subprocess
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
    decision = "shared |u {}\n0:{}:0.5 |a x\n|a y\n\n"
    (tmp_path / "log.vw").write_text("".join(decision.format(draw.choice("bc"), i % 2) for i in range(150)))
    return tmp_path


def runs(line):
    try:
        return translate(shlex.split(line)[1:]).arguments
    except OptionError:
        return None


def test_of_29_everyday_lines_28_run():
    assert len(EVERYDAY) == 29
    assert sum(runs(line) is not None for line in EVERYDAY) == 28


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
        ("vw a", "train a --loss squared --clip labels"),
        ("vw -d a -c --passes 3 -k", "train --data a --passes 3 --loss squared --clip labels"),
        ("vw a -c --passes 4", "train a --passes 4 --early_terminate 3 --loss squared --clip labels"),
        ("vw a -c --passes 4 --holdout_off", "train a --passes 4 --holdout_off --loss squared --clip labels"),
        ("vw a -c --passes 4 --early_terminate 1",
         "train a --passes 4 --early_terminate 1 --loss squared --clip labels"),
        ("vw a --cb 3 --passes 4", "train a --cb 3"),
        ("vw a -b18 -l0.5 --loss_function=hinge",
         "train a --bit_precision 18 --learning_rate 0.5 --loss_function hinge --method nag --clip labels"),
        ("vw a -l1 --min_prediction -1", "train a --learning_rate 1 --min_prediction -1 --method nag --loss squared"),
        ("vw a --sgd -l1 --loss_function logistic",
         "train a --learning_rate 1 --loss_function logistic --method sgd --clip 50"),
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
        ("vw a --cb_explore 3 --cover 3 --psi .1 -l 1", "train a --cb_explore 3 --explore thompson"),
        ("vw a --cb_explore_adf --rnd 1 --epsilon .1", "train a --cb_explore_adf --min-probability .1 --explore ucb"),
        ("vw a --cb_explore_adf --regcb b", "train a --cb_explore_adf b --explore ucb"),
        ("vw a --cb_explore_adf --first 9 -i m", "train a --cb_explore_adf --initial_regressor m --explore ucb"),
        ("vw a --cb_explore_adf --squarecb --epsilon .1 -l 1",
         "train a --cb_explore_adf --min-probability .1 --learning_rate 1 --explore squarecb --method nag "
         "--cb_type mtr --loss squared --clip labels"),
        ("vw a --cb 3 --coin", "train a --cb 3 --method coin --cb_type dr --loss squared --clip labels"),
        ("vw a --cb 3 --l2 1 --cb_type ips",
         "train a --cb 3 --l2 1 --cb_type ips --method nag --loss squared --clip labels"),
        ("vw a --cb_adf --no_predict --nn 5 --sgd", "train a --cb_adf"),
        ("vw a --cb_adf --loss_function logistic -b 20", "train a --cb_adf --bit_precision 20"),
        ("vw a --cb_adf --passes 3 -c --holdout_off --holdout_period 5 b", "train a --cb_adf b"),
        ("vw a --log_multi 3 --no_progress b", "train a --oaa 3 b"),
        ("vw a --oaa 3 --l2 1", "train a --oaa 3 --l2 1 --method nag --loss squared --clip 1"),
        ("vw a --OjaNewton --alpha 2 --sketch_size 5",
         "train a --alpha 2 --sketch_size 5 --method rfd-son --loss squared"),
        ("vw a --oaa 3", "train a --oaa 3"),
        ("vw a --oaa 3 --link logistic --probabilities", "train a --oaa 3 --probabilities"),
        ("vw a --boosting 5 --alg BBM --sgd --l2 1 -l .1", "train a --loss squared --clip labels"),
        ("vw a --bfgs --loss_function logistic", "train a --loss_function logistic"),
        ("vw a --initial_t 3 -C 1 --bs_type vote b", "train a b --loss squared --clip labels"),
        ("vw a --adaptive --invariant -l 20 --log_output compat --leave_duplicate_interactions b",
         "train a b --loss squared --clip labels"),
        ("vw a --readable_model w --extra_metrics m",
         "train a --invert_hash w --log-json m --method nag --loss squared --clip labels"),
        ("vw a --readable_model w --invert_hash v",
         "train a --invert_hash v --method nag --loss squared --clip labels"),
        ("vw a --l2 1e-6", "train a --l2 1e-6 --loss squared --clip labels"),
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


def test_a_model_of_decisions_takes_its_own_learning_rate_again(files, cli):
    cli.err("vw log.vw --cb_explore_adf -q ua -l 0.1 -f model --quiet")
    cli.err("vw log.vw -t -i model -l 0.1 -p predictions --quiet")
    assert (files / "predictions").read_text().count("\n") == 150
    assert "learning_rate = 0.2 is asked for, but the model" in cli.error("train --quiet -i model -l 0.2 log.vw")


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


def test_what_the_nearest_is_is_warned_of(files, cli):
    assert translate(shlex.split("a --oaa 3 --lrq ab5 --lrqdropout --initial_t 1 --sgd -l 1")).warnings == [
        "--lrq ab5 is not here; the committee learns pairs of features, at no fixed rank",
        "--lrqdropout was left out: there is no such setting",
        "--initial_t 1 was left out: steps follow from --learning_rate and --power_t, or from what was seen",
        "--learning_rate 1, --sgd were left out: what learns here has its own",
    ]
    assert translate(shlex.split("a --cb 3 --passes 2")).warnings == [
        "--passes 2 was left out: decisions are learned once, in their order"
    ]
    assert translate(["a", "--OjaNewton"]).warnings == [
        "--OjaNewton: --sketch rfd learns in its place: without VW's bounds Oja's sketch (--sketch oja) errs far more"
    ]
    for written, left in (("--cover 3 --squarecb", "--squarecb"), ("--softmax --squarecb", "--softmax")):
        warned = translate(shlex.split(f"a --cb_explore_adf {written}")).warnings
        assert f"{left} was left out: what explores has one rule" in warned
    assert cli.err("vw log.vw --cb_explore_adf --quiet --bag 5 --greedify --nn 3 --first 9").splitlines() == [
        "sonlearn: warning: --bag 5 is not here; the nearest is --explore thompson: each action is as likely as it is "
        "to be the best one",
        "sonlearn: warning: --nn 3 is not here; two reward models learn",
        "sonlearn: warning: --greedify was left out: there is no such setting",
        "sonlearn: warning: --first 9 was left out: what explores has one rule",
    ]


def test_decisions_with_a_learning_rate_cost_what_they_cost_in_vw(files, cli, vowpalwabbit):
    for flags in ("--epsilon 0.2 -l 0.1", "--epsilon 0.1 -l 0.01 --power_t 0"):
        flags = ["--cb_explore_adf", "-q", "ua", *flags.split()]
        command = [sys.executable, "-m", "vowpalwabbit", "-d", str(files / "log.vw"), *flags]
        theirs = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        assert average_loss(cli.err("vw", "log.vw", *flags)) == pytest.approx(average_loss(theirs), abs=2e-6)


@pytest.mark.parametrize(
    "flags",
    ["--loss_function squared -l 5", "--loss_function quantile --quantile_tau .9 -l 5", "--loss_function hinge -l 5",
     "--binary -l 5", "--loss_function logistic -l 50", "--binary --ftrl", "--oaa 3 -b 24 -l 5"],
)  # fmt: skip
def test_values_and_classes_are_bounded_as_in_vw(flags, files, cli, vowpalwabbit):
    draw, data = random.Random(3), "classes.vw" if "--oaa" in flags else "drawn.vw"
    (files / "drawn.vw").write_text(
        "".join(f"{draw.choice([-1, 1, 1])} |s w{draw.randint(0, 3)} x{draw.randint(0, 99)} y:3\n" for _ in range(400))
    )
    flags = flags.split()
    command = [sys.executable, "-m", "vowpalwabbit", "-d", data, "-p", "theirs", *flags]
    theirs = subprocess.run(command, cwd=files, capture_output=True, text=True, check=True).stderr
    ours = cli.err("vw", data, "-p", "ours", *flags)
    read = ([float(line) for line in (files / name).read_text().split()] for name in ("ours", "theirs"))
    assert next(read)[20:] == pytest.approx(next(read)[20:], abs=1e-4)  # first ones: VW counts the label of the row
    if "--oaa" not in flags:
        assert average_loss(ours) == pytest.approx(average_loss(theirs), abs=2e-5)


@pytest.mark.parametrize("loss", ["squared", "hinge"])
def test_without_flags_of_learning_predictions_are_within_the_labels_as_in_vw(loss, files, cli):
    (files / "sure.vw").write_text("1 |s y:3 sure\n-1 |s y:3 never\n" * 100)
    cli.err("vw", "sure.vw", "-p", "ours", "--loss_function", loss)
    ours = [float(line) for line in (files / "ours").read_text().split()]
    assert (min(ours), max(ours)) == (-1, 1)


def average_loss(printed):
    return float(re.search(r"^average loss = (\S+)$", printed, re.MULTILINE)[1])


def test_reward_models_are_not_replaced_in_silence(files, cli):
    said = cli.error("train --cb_explore_adf --l2 1e-6 log.vw")
    assert said == (
        "--l2: the two reward models of decisions do not take it; give --method nag, or another method of values, or "
        "leave it out"
    )
    assert "average loss" in cli.err("train --cb_explore_adf --l2 1e-6 --method nag --explore greedy log.vw")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "vw a --lda 5 --affix +2b --confidence",
            ["--lda (no topics)", "--affix (features are those of the text", "--confidence (give --coverage .9"],
        ),
        ("vw a --csoaa 3", ["--csoaa (for costs of classes give a line for each class, its label CLASS:COST:1"]),
        ("vw a --csoaa_ldf m", ["a block for each cost, one label 0:COST:1 in it, with --cb_adf"]),
        ("vw a --plt 9", ["learn a model for each, its rows labelled 1 and -1"]),
        ("vw a --active --simulation", ["ask for the labels of rows whose probability is near a half"]),
        ("vw a --cb 3 --eval", ["--eval (use sonlearn evaluate"]),
        ("vw a --slates", ["give each slot a block of its own, with --cb_explore_adf"]),
        ("vw a --cats 4", ["cut their range into K, with --cb_explore K"]),
        ("vw a --bag 5", ["--bag (give --explore thompson: each"]),
        ("vw a --cb_adf --regcb", ["--regcb (give --explore ucb: it"]),
        ("vw a --ect", ["--ect (its value is missing)"]),
        ("vw a --ftrl_alpha 1 -l 1", ["-l and --ftrl_alpha (no one method takes them; -l: --method", "--ftrl_alpha:"]),
        ("vw a --sgd --ftrl", ["--ftrl with --sgd (there is no method with these steps)"]),
        ("vw a --sgd --invariant", ["--invariant with --sgd (there is no method with these steps)"]),
        ("vw a --coin -l 1", ["-l (--coin is --method coin, which does not take all of it)"]),
        ("vw a --what 5", ["--what (vw --help of 9.11 does not list it)"]),
        (
            "vw a --affix -2 --math-mode 1",
            [
                "--affix (features are those of the text, and of -q, --interactions, --ngram "
                "and --skips); --math-mode (no topics)"
            ],
        ),
        ("vw a --extra_metrics", ["--extra_metrics (its value is missing)"]),
        ("vw a --cb 3 --readable_model w", ["--readable_model (give --invert_hash FILE: weights"]),
        ("vw a --nn 3 --readable_model w", ["--readable_model (give --invert_hash FILE: weights"]),
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
