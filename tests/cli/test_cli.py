"""The command line: golden runs, chained runs, every kind of bad input, signals and closed pipes."""

import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from commands import TIMING, one_line, start, tokens
from for_all import for_all
from places import GOLDEN as GOLDEN_FILES
from places import sample, write_inputs

from sonlearn import Learner
from sonlearn.cli import main
from sonlearn.commands.line import parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.files import storage
from sonlearn.interrupts import Interrupted, Interrupts
from sonlearn.options.methods import FIRST, METHODS

GOLDEN = json.loads((GOLDEN_FILES / "cli.json").read_text(encoding="utf-8"))
#: Runs of the whole committee, whose members and combiner other tests run without compilation.
DEFAULT = "defaults, saved, predicted, inspected"
CHAINS = [pytest.param(one, marks=[pytest.mark.compiled] * (one["name"] == DEFAULT), id=one["name"]) for one in GOLDEN]
#: Options under which projection changes many predictions.
PROJECTED = ("--loss", "squared", "--clip", "0.1", "--sigma", "0", "--noconstant")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with small inputs, entered."""
    monkeypatch.chdir(tmp_path)
    write_inputs()
    return tmp_path


# ------------------------------------------------------------------------------------------------- golden runs


def check_text(ours, theirs):
    """Line by line and token by token; numbers within 1e-4. The options that ``inspect`` lists are left to its test."""
    options = re.compile(r"^options\n(  .*\n)+", re.MULTILINE)
    ours, theirs = (
        [tokens(line) for line in options.sub("", text).splitlines() if not line.startswith(TIMING)]
        for text in (ours, theirs)
    )
    assert [len(line) for line in ours] == [len(line) for line in theirs]
    for a, b in zip(ours, theirs, strict=True):
        assert [isinstance(t, str) for t in a] == [isinstance(t, str) for t in b]
        assert a == [t if isinstance(t, str) else pytest.approx(t, abs=1e-4, rel=1e-4) for t in b]


@pytest.mark.interpreted
@pytest.mark.parametrize("chain", CHAINS)
def test_golden(cli, chain):
    for step in chain["steps"]:
        out, err = cli.both(*step["args"])
        check_text(out, step["stdout"])
        check_text(err, step["stderr"])


# ------------------------------------------------------------------------------------------------- models


@pytest.mark.parametrize("sketch", ["rfd", "fd", "oja", "none"])
@pytest.mark.parametrize("kind", ["svm", "vw"])
def test_resuming_gives_the_same_bytes_as_one_long_run(cli, sketch, kind):
    options = ["--sketch", sketch, "-m", "4"]
    assert cli("train", *options, "-f", "whole", f"a.{kind}", f"b.{kind}")[0] == 0
    assert cli("train", *options, "-f", "half", f"a.{kind}")[0] == 0
    assert cli("train", "-i", "half", "-f", "both", f"b.{kind}")[0] == 0
    assert Path("both").read_bytes() == Path("whole").read_bytes()
    assert Path("half").read_bytes() != Path("whole").read_bytes()


def test_predicting_changes_nothing_and_needs_no_option(cli):
    cli("train", "--sketch", "rfd", "-m", "3", *PROJECTED, "-f", "model", "a.svm")
    before = Path("model").read_bytes()
    _, out, err = cli("predict", "-i", "model", "b.svm")
    status, nothing, again = cli("train", "-t", "-i", "model", "b.svm", "-p", "predictions", "-r", "raw", "-f", "copy")
    assert (status, nothing) == (0, "")
    assert Path("predictions").read_text() == out
    assert len(out.splitlines()) == 110
    assert all(abs(float(line)) <= 0.1 for line in out.splitlines())
    assert any(abs(float(line)) > 0.1 for line in Path("raw").read_text().splitlines())
    assert Path("copy").read_bytes() == Path("model").read_bytes() == before
    assert re.findall("average loss = .*", err) == re.findall("average loss = .*", again) != []


def test_a_model_learns_on_in_its_own_format(cli):
    cli("train", "-f", "model", "a.svm")
    line = cli.error("train", "-i", "model", "-f", "model", "a.vw")
    assert line.startswith("a.vw: found vw text, expected svmlight text")
    assert "--format svmlight" in line
    assert "format = vw" in cli.error("predict", "-i", "model", "--format", "vw", "a.vw")
    Path("labels").write_text("1\n-1\n1\n")
    cli("train", "-f", "model", "a.vw")
    assert "labels: found svmlight text, expected vw text" in cli.error("predict", "-i", "model", "labels")
    assert cli.error("predict", "-i", "model", "--format", "vw", "labels").startswith("labels:1:")


def test_inspect_lists_options_counters_and_weights(cli):
    cli("train", "--sketch", "rfd", "-m", "3", "--loss", "hinge", "-f", "model", "a.svm")
    status, out, err = cli("inspect", "model", "--top", "5")
    assert (status, err) == (0, "")
    for text in ("loss = hinge", "sketch_size = 3", "format = svmlight", "examples = 150", "alpha = ", "clip = inf"):
        assert text in out
    weights = [float(line.split()[1]) for line in out.split("largest weights")[1].splitlines()[1:]]
    assert len(weights) == 5
    assert sorted(weights, key=abs, reverse=True) == weights
    assert "largest weights: 0 of" in cli("inspect", "--top", "0", "model")[1]


# ------------------------------------------------------------------------------------------------- passes, labels


def test_a_run_that_goes_on_with_a_model_of_several_passes_learns_new_rows(cli):
    cli("train", "--passes", "2", "--holdout_off", "-f", "model", "a.svm")
    cli("train", "-i", "model", "-f", "after", "a.svm")
    assert Learner.load("model").state.now[["passes", "rows"]].tolist() == [(1, 150)]
    assert Learner.load("after").state.now[["passes", "rows"]].tolist() == [(0, 300)]


# ------------------------------------------------------------------------------------------------- errors

#: All that parsers refuse: tests/text/test_text_read.py.
BAD_LINES = [
    (sample("sample.svm", 0, 150) + "1 q\n", r"bad:151:3: found 'q'.*"),
    ("1 1:1\n3 1:1\n", r"bad:2: found .*3.*, expected -1 .*\+1.*"),
    ("", r"bad: found an empty stream, expected at least one example"),
    ("\x00\x01\x02", r"bad.*: found .*binary.*"),
]


@for_all("text, message", BAD_LINES)
def test_bad_input_is_one_line_and_writes_no_model(cli, text, message):
    Path("bad").write_text(text)
    storage.write("old", {"kind": "learner"}, {})  # what is no model would not be replaced anyhow
    old = Path("old").read_bytes()
    for target in ("new", "old"):
        line = cli.error("train", "--quiet", "-f", target, "bad")
        assert re.fullmatch(message, line), line
        assert ", expected " in line
    assert Path("old").read_bytes() == old
    assert sorted(p.name for p in Path().iterdir()) == ["a.svm", "a.vw", "b.svm", "b.vw", "bad", "old"]


BAD_COMMANDS = [
    ("train none.svm", r"none\.svm: found .*, expected .*"),
    ("train a.svm none.svm --quiet", r"none\.svm: found .*, expected .*"),
    ("train -m -1 a.svm", r"--sketch-size -1: expected at least 0"),
    ("train -m ten a.svm", r"--sketch-size ten: expected a whole number"),
    ("train --alpha zero a.svm", r"--alpha zero: expected a number"),
    ("train --alpha nan a.svm", r"--alpha nan: expected a number"),
    ("train --label y --categorical y a.csv", "--categorical y: that is the column of the label.*--classes auto.*"),
    ("train --label y --text x --text y a.csv", "--text y: that is the column of the label.*"),
    ("train --label y --id y a.csv", "--id y: that is the column of the label .--label.; leave it out"),
    ("train --label y --weight y a.csv", "--weight y: that is the column of the label .--label.; leave it out"),
    ("train -m 1 --sketch pfd a.svm", "--sketch-size 1 with --beta 0.2: .*give -m 5, or --beta 1"),
    ("train --alpha 0 --sketch none a.svm", r"--alpha 0 with --sketch none: .* positive value.*"),
    ("train --clip 0 a.svm", r"--clip 0\.0: expected more than 0"),
    ("train --loss squred a.svm", r"--loss_function squred: expected one of squared, logistic, hinge, absolute.*"),
    ("train --passes 0 a.svm", r"--passes 0: expected at least 1"),
    ("train -P 0 a.svm", r"--progress 0: expected .*"),
    ("train -P 0.5 a.svm", r"--progress 0\.5: expected .*"),
    ("train -P often a.svm", r"--progress often: expected .*"),
    ("train --holdout_period 1 a.svm", r"--holdout_period 1: expected at least 2"),
    ("train --sketchsize=3 a.svm", r"'--sketchsize': no such flag; did you mean --sketch-size\?"),
    ("train -c a.svm b.svm", r"-c with 2 files of data: give the cache a name with --cache_file FILE"),
    ("train -c", r"-c with standard input: give the cache a name with --cache_file FILE"),
    ("train --cache *.svm", r"-c with \*\.svm: give the cache a name with --cache_file FILE"),
    ("train --cache_file b.svm a.svm", r"b\.svm: found a file that is no cache, expected a cache; name another file"),
    ("train --cache_file no/c a.svm", r"--cache_file no/c: cannot be written: there is no folder .*/no"),
    ("predict -c -i none a.svm", r"-c: sonlearn predict has no such flag, .*; a model keeps its own: leave it out"),
    ("convert a.svm", r"convert needs the format to write; give --to svmlight or --to vw"),
    ("convert --to csv a.svm", r"--to csv: expected one of svmlight, vw"),
    ("convert --to vw -o no/x a.svm", r"-o no/x: cannot be written: there is no folder .*/no"),
    ("convert --to vw -o x a.svm none.svm", r"none\.svm: found no such file, expected a text file"),
    ("convert --to vw - -", r"standard input is given twice as DATA"),
    ("convert --alpha 1 --to vw a.svm", r"--alpha: sonlearn convert has no such flag, but sonlearn train has"),
    ("sketch -l 0 a.svm", r"--size 0: expected at least 1"),
    ("sketch --method svd a.svm", r"--method svd: expected one of isvd, fd, rfd and \d+ more"),
    ("sketch --share 0.2 -o x a.svm", r"sketch method rfd has no setting share; it takes .*"),
    ("sketch --method gauss --alpha 1 a.svm", r"sketch method gauss has no alpha"),
    ("sketch --k 0 a.svm", r"--k 0: expected at least 1"),
    ("sketch -o no/x a.svm", r"-o no/x: cannot be written: there is no folder .*/no"),
    ("sketch -o - a.svm", r"-o -: a sketch is a binary file; give it a name"),
    ("sketch --quiet -o x a.svm none.svm", r"none\.svm: found no such file, expected a text file"),
    ("sketch --plot x.txt a.svm", r"--plot x\.txt: expected a name that ends in one of \.png, .*"),
    ("sketch --merge", r"--merge: expected one or more sketch files"),
    ("sketch --merge a.svm -o x", r"a\.svm: is not a sonlearn model file.*"),
    ("sketch --merge none.npz", r"none\.npz: cannot be read: No such file or directory"),
    ("sketch --merge -l 5 a.npz", r"--merge takes only -o, --plot and --quiet: .*"),
    ("sketch --diagonal a.svm", r"--diagonal: sonlearn sketch has no such flag, but sonlearn train has"),
    ("train -m", r"-m/--sketch-size: expected one argument"),
    ("train -t a.svm", r"-t: there is no model to test; give -i MODEL"),
    ("train --passes 2", r"--passes 2: standard input can be read only once; save it to a file.*"),
    ("train --passes 2 a.svm -", r"--passes 2: standard input can be read only once; save it to a file.*"),
    ("train - -", r"standard input is given twice.*"),
    ("train -f a.svm a.svm", r"-f a\.svm: this would overwrite the data; give another name"),
    ("train -f no/model a.svm", r"no/model: cannot be written: there is no folder .*/no"),
    ("train -f . a.svm", r"\.: cannot be written: it is a folder"),
    ("train -p no/p a.svm", r"-p no/p: cannot be written: there is no folder .*/no"),
    ("train -p - -r - a.svm", r"-p and -r both write to standard output; give two names"),
    ("train -i none a.svm", r"none: cannot be read: No such file or directory"),
    ("train -i a.svm a.svm", r"a\.svm: is not a sonlearn model file"),
    ("predict a.svm", r"predict needs a model; give -i MODEL"),
    ("inspect a.svm b.svm", r"inspect takes one MODEL, 2 given"),
    ("inspect", r"inspect takes one MODEL, 0 given"),
    ("inspect a.svm", r"a\.svm: is not a sonlearn model file"),
    ("inspect --top -1 a.svm", r"--top -1: expected at least 0"),
    ("train --save_per_pass a.svm", r"--save_per_pass: there is no model to save; give -f MODEL"),
    ("train --checkpoint 5 a.svm", r"--checkpoint: there is no model to save; give -f MODEL"),
    ("train --checkpoint_minutes 5 a.svm", r"--checkpoint-minutes: there is no model to save; give -f MODEL"),
    ("train --resume a.svm", r"--resume: there is no model to save; give -f MODEL"),
    ("train -f - a.svm", r"-f -: .*is a binary file; give it a name"),
    ("train --cache_file - a.svm", r"--cache_file -: .*is a binary file; give it a name"),
    ("train --eta foo a.svm", r"--eta foo: expected 1/t, 1/sqrt\(t\) or a number"),
    ("train --sigma foo a.svm", r"--sigma foo: expected auto or a number"),
    ("train --early_terminate 1 a.svm", r".*one pass.*"),
    ("train --holdout_after 5 a.svm", r"--holdout_after 5 with one pass: expected several; give --passes N"),
    ("train --early_terminate 1 --passes 2 --holdout_off a.svm", r".*--holdout_off.*"),
    ("train --early_terminate 1 --passes 2 --resume -f m a.svm", r".*--resume.*"),
    ("train --examples 0 a.svm", r"--examples 0: expected at least 1"),
    ("train --holdout_after 0 a.svm", r"--holdout_after 0: expected at least 1"),
    ("train -a -p - a.vw", r"-p - with --audit, which writes to standard output itself.*"),
    ("train -a -r /dev/stdout a.vw", r"-r /dev/stdout with --audit.*"),
    ("train --audit-top 3 a.vw", r"--audit-top 3: nothing is explained; give --audit as well"),
    ("train --audit-format json a.vw", r"--audit-format json: nothing is explained.*"),
    ("train -a --audit-top -1 a.vw", r"--audit-top -1: expected at least 0"),
    ("train -a --audit-format xml a.vw", r"--audit-format xml: expected one of text, json, mean"),
    ("completion tcsh", r"completion 'tcsh': expected one of bash, zsh, fish"),
    ("completion bash zsh", r"completion takes one shell \(bash, zsh, fish\), 2 given"),
    ("completion", r"completion takes one shell \(bash, zsh, fish\), 0 given"),
    ("trian a.svm", r"'trian': no such verb; did you mean train\?"),
    ("frobnicate", f"'frobnicate': no such verb; expected {', '.join(VERBS)}"),
    ("a.svm", r"'a\.svm': expected a verb first \(train, .*, completion\), as in: sonlearn train a\.svm"),
    ("--quiet", r"'--quiet': expected a verb first .*"),
    ("train --epochs 3 a.svm", r"'--epochs': no such flag; did you mean --passes\?"),
    ("train --lr 3 a.svm", r"'--lr': no such flag; did you mean --learning_rate\?"),
    ("train --model m a.svm", r"'--model': no such flag; did you mean -f or -i\?"),
    ("train --target y a.svm", r"'--target': no such flag; did you mean --label\?"),
    ("train --alhpa 3 a.svm", r"'--alhpa': no such flag; did you mean --alpha\?"),
    ("train --xyz a.svm", r"'--xyz': no such flag; sonlearn train --help-all lists them all"),
    ("train --max-depth 3 a.svm", r"--max-depth: no such flag here; leave it out: there is no such setting"),
    ("train -1", r"'-1': no such flag; sonlearn train --help-all lists them all"),
    ("train -k 1 a.svm", r"-k: no such flag here; leave it out: a stale cache is rebuilt automatically"),
    ("train -C 1 a.svm", r"-C: no such flag here; leave it out: weights begin at 0"),
    ("convert --passes 2", r"--passes: sonlearn convert has no such flag, but sonlearn train has"),
    ("inspect --bfgs 2 x", r"'--bfgs': no such flag; sonlearn inspect --help-all lists them all"),
    ("train --method nagg a.svm", rf"--method nagg: expected one of nag, [\w-]+, [\w-]+ and {len(METHODS) - 3} more"),
    ("train --method RFD-SON", r"--method RFD-SON: expected one of rfd-son, .*"),
    ("train -l .1", r"--learning_rate: --method committee does not take it; --method nag, adagrad, .*"),
    ("train --power_t 1", r"--power_t: --method committee does not take it; --method nag, adagrad, sgd, ogd do"),
    ("train --alpha -1 a.svm", r"--alpha -1\.0: expected at least 0"),
    ("train --alpha --quiet", r"--alpha: expected one argument"),
    ("train --quiet=1", r"--quiet: ignored explicit argument '1'"),
    ("methods a", r"methods takes no files, 'a' given"),
    ("train --positive x --classes auto a.svm", r"--positive x with --classes: it is for two classes; leave it out"),
    ("train --positive x --loss squared a.svm", r"--positive x with --loss squared: it is for two classes; .*"),
    ("train --output csv a.svm", r"--output csv: nothing is written; give -p FILE as well"),
    ("train --output csv -p p --probabilities --classes auto a.svm", r".* classes that come .* have no columns yet.*"),
    ("train --output xml -p p a.svm", r"--output xml: expected one of vw, csv, jsonl"),
    ("train --on-error ignore a.svm", r"--on-error ignore: expected one of stop, skip"),
    ("train --on-error skip --max-errors -1 a.svm", r"--max-errors -1: expected at least 0"),
    ("tune a.svm", r"tune needs what to try; give --grid .*"),
    ("tune --grid method=nag --grid alpha=x a.svm", r"--grid no\. 2, column 7: --alpha x: expected a number"),
    ("tune --grid alpha=1,2 --alpha 3 --sketch rfd a.svm", r"--grid alpha: --alpha is given as well; give one of them"),
    ("tune --grid loss=squared,logistic --by loss --method nag a.svm", r".*: give one --loss, or compare --by error"),
    ("tune --grid m=1,2 --table a.svm a.svm", r"--table a\.svm: this would overwrite the data; give another name"),
    ("tune --grid m=1,2 --table x/t a.svm", r"--table x/t: cannot be written: there is no folder .*"),
    ("tune --grid m=1,2 --table t -f t a.svm", r"-f and --table both write to t; give two names"),
    ("tune --grid m=1,2 --first-halving 9 a.svm", r"--first-halving 9: nothing is halved; give --halving as well"),
    ("tune --grid m=1,2 --by luck a.svm", r"--by luck: expected one of loss, error"),
    ("tune --grid m=1,2 -i model a.svm", r"-i: sonlearn tune has no such flag, but sonlearn train has"),
    ("tune --grid m=1,2 --label-delay 3 a.svm", r"--label-delay among settings: to them labels come at once; leave.*"),
]


@for_all("command, message", BAD_COMMANDS)
def test_bad_command_is_one_line_with_a_remedy(cli, command, message):
    before = sorted(Path().iterdir())
    done = cli(*command.split())
    line = one_line(done)
    assert re.fullmatch(message, line), line
    assert done.out == ""
    assert sorted(Path().iterdir()) == before


def test_predictions_of_an_earlier_run_survive_an_input_that_cannot_be_read(cli):
    Path("p").write_text("precious")
    cli.error("train", "-p", "p", "none.svm")
    assert Path("p").read_text() == "precious"


def test_a_bug_is_one_line_and_a_traceback_on_request(cli, monkeypatch):
    from sonlearn.commands import train

    def broken(*_):
        raise KeyError("two\nlines")

    monkeypatch.setattr(train, "options_of", broken)
    done = cli("train", "a.svm")
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert "unexpected KeyError" in done.err
    assert "please report it" in done.err
    monkeypatch.setenv("SONLEARN_DEBUG", "1")
    with pytest.raises(KeyError):
        main(["train", "a.svm"])


@pytest.mark.parametrize(("error", "line"), [
    (OSError(24, "Too many open files"), "Too many open files"),
    (OSError(28, "No space left on device", "some/file"), "some/file: No space left on device"),
    (RuntimeError("can't start new thread"),
     "the system starts no more threads; give --threads 1, or raise its limit (ulimit -u)"),
])  # fmt: skip
def test_what_the_system_refuses_is_named_as_that(cli, monkeypatch, error, line):
    """Not as standard output, nor as a bug."""
    from sonlearn.commands import train

    def refused(*_):
        raise error

    monkeypatch.setattr(train, "options_of", refused)
    done = cli("train", "a.svm")
    assert (done.status, done.err) == (1, f"sonlearn: {line}")


# ------------------------------------------------------------------------------------------------- help, imports


def test_help_version_and_no_arguments(cli):
    out = cli.out("--help")
    assert all(f"sonlearn {verb}" in out for verb in VERBS)
    assert cli() == (1, out, "")
    assert re.fullmatch(r"sonlearn \d+\.\d+\.\d+\n", cli("--version")[1])
    for verb in VERBS:
        status, out, err = cli(verb, "--help")
        assert (status, err) == (0, "")
        assert out.startswith(f"usage: sonlearn {verb}")
        assert len(out.splitlines()) <= 120
        assert cli.out("help", verb) == out


def test_the_help_of_train_fits_a_screen_and_the_rest_is_in_help_all(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, daily, _ = cli("train", "--help")
    assert len(daily.splitlines()) <= 50
    assert "--help-all" in daily
    assert not re.search("--delta|--oja-step|--hash_seed", daily)  # of methods that papers compare with; rare ones
    for verb in VERBS:
        status, out, err = cli(verb, "--help-all")
        assert (status, err) == (0, "")
        assert all(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", out)
                   for name in parser_of(verb)._option_string_actions), verb  # fmt: skip
    assert "--ftrl_alpha" in cli("train", "--method", "ftrl", "--help")[1]
    assert "--ftrl_alpha" not in cli("train", "--method", "nag", "--help-all")[1]
    assert "--ftrl_alpha" not in cli("tune", "--help")[1]


def test_six_methods_come_first_and_comparisons_last(cli):
    lines = cli("methods")[1].splitlines()
    names = [line.split()[0] for line in lines if re.match("[a-z]", line) and " of the sketch" not in line]
    assert sorted(names) == sorted(METHODS)
    assert len(FIRST) == 6
    assert tuple(names[:6]) == FIRST
    last = [METHODS[name].when.startswith("comparison") for name in names]
    assert last == sorted(last)


def test_answers_that_need_no_numbers_import_neither_numpy_nor_numba():
    commands = [["--help"], ["--version"], ["train", "--alpha", "x"], *([verb, "--help"] for verb in VERBS)]
    commands.append(["completion", "bash", "--", "sonlearn", "ser"])
    program = (
        "import sys, sonlearn.__main__, sonlearn.tuning.grid, sonlearn.files.atomic, sonlearn.options.python\n"
        "from sonlearn.cli import main\n"
        f"for command in {commands!r}:\n"
        "    main(command)\n"
        "    assert not {'numpy', 'numba', 'scipy'} & set(sys.modules), command"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ------------------------------------------------------------------------------------------------- signals, pipes


def test_the_first_signal_lets_the_item_under_way_be_finished():
    done = []
    with Interrupts() as interrupts:
        for item in interrupts.until_signal(range(5)):
            if item == 2:
                signal.raise_signal(signal.SIGINT)
            done.append(item)
        assert interrupts.received == signal.SIGINT
        with pytest.raises(Interrupted):
            signal.raise_signal(signal.SIGTERM)
    assert done == [0, 1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_waiting_for_input_is_given_up_at_the_first_signal():
    def slow():
        yield 0
        signal.raise_signal(signal.SIGTERM)
        yield 1

    with Interrupts() as interrupts:
        assert list(interrupts.until_signal(slow())) == [0]
    assert interrupts.received == signal.SIGTERM


def test_an_ignored_signal_stays_ignored():
    old = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Interrupts():
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, old)


def test_no_handlers_outside_the_main_thread():
    def enter():
        with Interrupts():
            return True

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(enter).result()


def test_a_closed_output_pipe_ends_with_the_summary_and_a_saved_model(cli):
    tag = "t" * 1000  # more output than any pipe holds
    Path("long.vw").write_text(f"1 {tag}| a\n-1 {tag}| b\n" * 3_000)
    arguments = ("train", "-f", "model", "-p", "-", "long.vw")
    with start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline() == f"0 {tag}\n".encode()
        process.stdout.close()
        err = process.stderr.read().decode()
    assert process.returncode == 141
    assert "interrupted run (the reader of the output has gone)" in err
    assert "Traceback" not in err
    assert "BrokenPipeError" not in err
    assert cli("inspect", "model")[0] == 0


def test_help_into_a_closed_pipe_says_nothing():
    with start("train", "--help", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


UNWRITTEN = r"sonlearn: standard output: cannot be written: Bad file descriptor\n"


@pytest.mark.parametrize(
    ("closed", "arguments", "message"),
    [
        (0, ("train", "--quiet"), r"sonlearn: <stdin>: .*bad file descriptor.*\n"),
        (1, ("train", "--quiet", "a.svm"), ""), (1, ("--help",), UNWRITTEN),
        (1, ("train", "--quiet", "-p", "-", "a.svm"), UNWRITTEN), (2, ("train", "a.svm"), ""),
    ],
)  # fmt: skip
@pytest.mark.skipif(os.name != "posix", reason="needs descriptors that are inherited")
def test_a_standard_stream_that_is_closed_is_no_traceback(folder, closed, arguments, message):
    program = f"import os, sys; os.close({closed}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = subprocess.run(
        [sys.executable, "-c", program, "-m", "sonlearn", *arguments], stderr=subprocess.PIPE, text=True
    )
    err = "".join(line for line in done.stderr.splitlines(True) if "compiling kernels" not in line)
    assert re.fullmatch(message, err, re.IGNORECASE), err
    assert done.returncode == (1 if message else 0)


@pytest.mark.parametrize("waiting", [False, True])
def test_a_second_signal_while_the_reader_is_closed_is_not_lost(waiting):
    interrupts = Interrupts()

    def items():
        try:
            if waiting:
                interrupts._handle(signal.SIGINT, None)
            yield 1
        finally:
            interrupts._handle(signal.SIGTERM, None)  # raising here would be printed and lost, were this a finalizer

    def use():
        for _ in interrupts.until_signal(items()):
            interrupts._handle(signal.SIGINT, None)

    with pytest.raises(Interrupted) as caught:
        use()
    assert (interrupts.received, caught.value.number) == (signal.SIGINT, signal.SIGTERM)
