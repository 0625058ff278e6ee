"""The command line of decisions: what is printed, saved, resumed and refused."""

import csv
import json
import random
import re
from fnmatch import fnmatchcase

import numpy as np
import pytest
from commands import summary
from states import assert_same, state_of

from sonlearn import LearnOptions, OptionError, SonlearnBandit, TextOptions
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options.bandit import BanditOptions
from sonlearn.text.decisions import DecisionReader


def blocks(n, seed=0):
    """Logged decisions among three actions: the user's letter says which is free."""
    rng = np.random.default_rng(seed)
    text = []
    for i in range(n):
        user, chosen = rng.integers(0, 3, 2)
        text.append(f"shared 'd{i} |u {'xyz'[user]}")
        for a in range(3):
            label = f"0:{float(a != user)}:{1 / 3:.6f} " if a == chosen else ""
            text.append(f"{label}|a {'pqr'[a]}")
        text.append("")
    return "\n".join(text) + "\n"


def test_a_log_becomes_a_better_policy(cli, tmp_path):
    (tmp_path / "log").write_text(blocks(300))
    status, out, err = cli("train --cb_explore_adf -f m -p p log")
    assert (status, out) == (0, "")
    assert "average  since         example" in err
    assert "number of examples with a cost = 300" in err
    assert float(summary(err, "average loss")) < 0.2
    assert 0.6 < float(summary(err, "average cost of the log")) < 0.74
    assert re.fullmatch(r"0:[\d.]+,1:[\d.]+,2:[\d.]+ d0", (tmp_path / "p").read_text().splitlines()[0])
    (tmp_path / "new").write_text("".join(f"shared |u {u}\n|a p\n|a q\n|a r\n\n" for u in "xyz"))
    status, out, _ = cli("predict -i m --quiet new")
    assert [line.split(",")[0] for line in out.splitlines()] == ["0:1", "1:1", "2:1"]
    status, out, _ = cli("inspect m")
    assert "a sonlearn bandit" in out
    assert "learned = 300" in out
    assert "cb_explore_adf = yes" in out


@pytest.mark.parametrize("flags", ["", " --explore epsilon --method nag"])
def test_decisions_of_which_nothing_is_known_are_named(cli, tmp_path, flags):
    (tmp_path / "log").write_text(blocks(40))
    (tmp_path / "other").write_text(blocks(20).replace("|u", "|U").replace("|a", "|A"))
    assert cli(f"train --cb_explore_adf --quiet -f m{flags} log") == (0, "", "")
    warning = "no feature of the data is one that m has learned, so that all predictions are alike: is it the right"
    assert warning in cli("predict --quiet -i m other")[2]
    assert cli("predict --quiet -i m other log")[2] == ""


def test_a_run_goes_on_where_it_was_stopped(cli, tmp_path):
    (tmp_path / "log").write_text(blocks(60))
    assert cli("train --cb_explore_adf --quiet -f whole -p p log")[0] == 0
    assert cli("train --cb_explore_adf --quiet -f m --examples 25 -p first log")[0] == 0
    (tmp_path / "rest").write_text("\n".join((tmp_path / "log").read_text().split("\n")[125:]))
    assert cli("train --quiet -i m -f m -p second rest")[0] == 0
    assert (tmp_path / "m").read_bytes() == (tmp_path / "whole").read_bytes()
    assert (tmp_path / "p").read_text() == (tmp_path / "first").read_text() + (tmp_path / "second").read_text()
    status, _, err = cli("train --resume -f m log")
    assert status == 3
    assert "has finished" in err


def table_of_offers(rows):
    """A log of four of five actions as CSV, with a number in each context."""
    draw = random.Random(1)
    lines = []
    for i in range(rows):
        lines.append(f"{draw.choice('abc')},{draw.random()!r},{i % 4 + 1},{int(draw.random() < 0.5)},0.25\n")
    return "who,age,shown,bought,chance\n" + "".join(lines)


@pytest.mark.parametrize(
    ("flags", "error"),
    [
        ("--action show --reward bought --probability chance", "*column 'show' (--action); did you mean 'shown'?"),
        ("--action shown --reward brought --probability chance", "*'brought' (--reward); did you mean 'bought'?"),
        ("--action shown --cost Bought --probability chance", "*column 'Bought' (--cost); did you mean 'bought'?"),
        ("--action shown --reward bought --probability chanse", "*'chanse' (--probability); did you mean 'chance'?"),
        ("--action shown --reward bought --ignore agee", "*column 'agee' (--ignore); did you mean 'age'?"),
        ("--action shown --reward bought --label bought",
         "--label 'bought': --cost or --reward names the column of what came of a decision"),
        ("--action shown --reward bought --weight chance",
         "--weight 'chance': --probability names the column of that with which an action was chosen"),
    ],
)  # fmt: skip
def test_columns_and_flags_that_a_table_of_decisions_does_not_have_are_named(cli, tmp_path, flags, error):
    (tmp_path / "t.csv").write_text(table_of_offers(4))
    assert fnmatchcase(cli.error(f"train --quiet --cb_explore 5 {flags} t.csv"), error)


@pytest.mark.parametrize("form", ["csv", "json", "arrow"])
def test_decisions_of_a_table_have_ids(cli, tmp_path, form):
    """They are no features, and stand behind predictions; a malformed decision has its own, too."""
    fields = [line.split(",") for line in table_of_offers(60).splitlines()[1:]]
    fields[6][4] = "1.5"  # a probability
    rows = [
        {"visit": f"v{i}", "who": who, "age": float(age), "shown": int(shown), "bought": float(y), "chance": float(p)}
        for i, (who, age, shown, y, p) in enumerate(fields)
    ]
    if form == "arrow":
        pytest.importorskip("pyarrow")
        pytest.importorskip("pandas").DataFrame(rows).to_parquet(tmp_path / "log")
    elif form == "json":
        (tmp_path / "log").write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        lines = [",".join(map(str, fields)) + "\n" for fields in (rows[0], *(row.values() for row in rows))]
        (tmp_path / "log").write_text("".join(lines))
    line = "train --quiet --cb_explore 4 --action shown --reward bought --probability chance --on-error skip log"
    assert cli(f"{line} --id visit -f m -p p")[0] == 0
    assert cli(f"{line} --ignore visit -p without")[0] == 0
    said = [row.split(" ") for row in (tmp_path / "p").read_text().splitlines()]
    assert [text for text, _ in said] == (tmp_path / "without").read_text().splitlines()
    assert [name for _, name in said] == [f"v{i}" for i in range(60)]
    answers = cli.out("predict --quiet --on-error skip --output csv -i m log").splitlines()
    assert [answer.split(",")[0] for answer in answers] == ["id", *(f"v{i}" for i in range(60))]
    assert answers[7] == "v6,,"


@pytest.mark.parametrize(
    ("reward", "chance", "message"),
    [
        ("1", "25%", "2:5: found '25%' in the column 'chance', expected a probability above 0, and at most 1"),
        ("1", "", "2:5: found nothing in the column 'chance', expected a probability above 0, and at most 1"),
        ("yes", "0.25", "2:3: found 'yes' in the column 'bought', expected a finite number, or nothing"),
    ],
)
def test_malformed_rewards_and_probabilities_are_no_labels_or_weights(cli, tmp_path, reward, chance, message):
    (tmp_path / "log").write_text(f"shown,bought,chance\n1,{reward},{chance}\n")
    line = "train --quiet --cb_explore 4 --action shown --reward bought --probability chance log"
    assert cli.error(line) == f"log:{message}"


def test_actions_that_were_never_logged_are_named(cli, tmp_path):
    (tmp_path / "t.csv").write_text(table_of_offers(100))
    flags = "--action shown --reward bought --probability chance"
    said = cli.err(f"train --quiet --cb_explore 6 {flags} -f m t.csv")
    assert said == (
        "sonlearn: warning: actions that no decision with a cost has had: '5', '6'; nothing is known of them, so "
        "exploration tries them first"
    )
    assert cli.err(f"train --quiet --cb_explore 4 {flags} t.csv") == ""
    assert cli.err("train --quiet -i m -f m t.csv") == ""
    (tmp_path / "who.csv").write_text("who,age\na,1\n")
    assert len(cli.out("predict --quiet -i m who.csv").split(",")) == 6


def test_actions_of_a_table_may_have_names(cli, tmp_path):
    """The same decisions as with numbers, by name wherever they are shown; a model goes on with them."""
    numbers = table_of_offers(200)
    names = {"1": "news", "2": "sport", "3": "art", "4": "war"}
    head, *rows = numbers.splitlines()
    fields = [row.split(",") for row in rows]
    named = "\n".join([head, *(",".join((who, age, names[k], *rest)) for who, age, k, *rest in fields)]) + "\n"
    (tmp_path / "numbers.csv").write_text(numbers)
    (tmp_path / "names.csv").write_text(named)
    flags = "--quiet --action shown --reward bought --probability chance"
    shown = {}
    for table in ("numbers", "names"):
        assert cli(f"train {flags} --cb_explore 4 -f m -p p --log-json log --report page {table}.csv")[0] == 0
        cli.out(f"predict --quiet -i m -p p2 --output csv {table}.csv")
        cli.out(f"train {flags} --cb_explore 4 -f half --examples 100 {table}.csv")
        shown[table] = [(tmp_path / name).read_text() for name in ("p", "p2")]
        shown[table].append(cli.out(f"evaluate -i m {table}.csv"))
        rest = (tmp_path / f"{table}.csv").read_text().splitlines(True)[101:]
        (tmp_path / "rest.csv").write_text(f"{head}\n{''.join(rest)}")
        assert cli("train --quiet -i half -f half rest.csv")[0] == 0
        assert (tmp_path / "half").read_bytes() == (tmp_path / "m").read_bytes()
    for k, name in names.items():
        shown["names"][0] = shown["names"][0].replace(f"{name}:", f"{k}:")
        shown["names"][1] = shown["names"][1].replace(f",{name},", f",{k},")
    assert shown["names"] == shown["numbers"]
    assert ":-0:" not in (tmp_path / "log").read_text()
    assert '"action":"war"' in (tmp_path / "log").read_text().replace(": ", ":")
    said = cli.err(f"train {flags} --cb_explore 6 names.csv")
    assert "had: 2 of 6, which have no names yet; nothing is known" in said


def test_numbered_actions(cli, tmp_path):
    (tmp_path / "k").write_text("".join(f"{1 + i % 3}:{float(i % 3 != 1)}:0.3333 |w a\n" for i in range(60)))
    assert cli("train --cb 3 --quiet -f m k")[0] == 0
    (tmp_path / "one").write_text("|w a\n")
    assert cli("predict --quiet -i m one") == (0, "1\n", "")


def test_classes_may_have_names_or_begin_with_0(cli, tmp_path):
    """The same decisions, whatever classes are called; names stay with the model, and a stopped run goes on."""
    rng = np.random.default_rng(0)
    kinds = rng.permutation(np.concatenate(([0, 1, 2], rng.integers(0, 3, 197))))
    order = list(dict.fromkeys(kinds.tolist()))  # of names, actions are in the order of their first occurrence
    spellings = {
        "one": [str(order.index(k) + 1) for k in range(3)],
        "zero": [str((order.index(k) + 1) % 3) for k in range(3)],
        "named": [["red", "green", "blue"][order.index(k)] for k in range(3)],
    }
    predicted = {}
    for name, spelt in spellings.items():
        lines = [f"{spelt[k]} |w {'xyz'[k]}\n" for k in kinds]
        (tmp_path / "c").write_text("".join(lines))
        err = cli.err("train --cbify 3 -f m -p p --report page --log-json log c")
        assert cli("train --cbify 3 --quiet -f part --examples 2 -p first c")[0] == 0
        (tmp_path / "rest").write_text("".join(lines[2:]))
        assert cli("train --quiet -i part -f part -p second rest")[0] == 0
        assert (tmp_path / "part").read_bytes() == (tmp_path / "m").read_bytes()
        (tmp_path / "two").write_text("|w y\n|w z\n")
        assert cli("predict --quiet -i m two") == (0, f"{spelt[1]}\n{spelt[2]}\n", "")
        predicted[name] = [spelt.index(one) for one in (tmp_path / "p").read_text().split()[20:]]
        wrong = [one != spelt[k] for one, k in zip((tmp_path / "p").read_text().split(), kinds, strict=True)]
        assert f"average loss = {np.mean(wrong):.6f}" in err
        assert f'"action": "{spelt[0]}"' in (tmp_path / "log").read_text() or name != "named"
    assert predicted["one"] == predicted["zero"] == predicted["named"]
    assert np.mean(np.array(predicted["one"]) != kinds[20:]) < 0.2
    table = "".join(f"{'pqr'[k]},{['red', 'green', 'blue'][k]}\n" for k in kinds)
    (tmp_path / "t.csv").write_text("word,colour\n" + table)
    status, out, err = cli("train --cbify 3 --label colour -p /dev/stdout t.csv")
    assert (status, set(out.split())) == (0, {"red", "green", "blue"} | ({"unknown"} & set(out.split())))
    assert " red " in err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("train --cb 3 --cbify 3 log", "--cb and --cbify given"),
        ("train --epsilon .1 log", "decisions need one of --cb, --cb_explore"),
        ("train --cb_explore_adf --method nag log", "--explore ucb with --method nag: it has no widths"),
        ("train --cb_adf --method nag --loss logistic log", "costs are values; give --loss squared"),
        ("train --cb 3 --passes 2 log", "--passes: decisions do not take it"),
        ("train --cb 3 --invert_hash w log", "--invert_hash: decisions do not take it"),
        ("train --cb_adf --cluster local log", "--cluster: decisions are learned in one process"),
        ("train --cb_explore_adf --epsilon .1 log", "--epsilon 0.1 is for --explore epsilon; the rule is ucb"),
        ("train --cb 3 --explore greedy --explore-width 1 log", "for --explore ucb or thompson; the rule is greedy"),
        ("evaluate --cb_adf log", "evaluate has no such flag, but sonlearn train has; a model keeps its own: leave it"),
        ("train --cb_type magic --cb 3 log", "expected one of dm, mtr, ips, dr"),
        ("train --cb 3 --reward gain log", "needs --action COLUMN"),
        ("train --cb_adf --action a --cost c log", "give --cb K as well"),
        ("train --cb_adf nothing", "no decision with a cost, expected action:cost:probability before the features"),
        ("train --cb 2 --action a --reward gain misspelt.json", "with a cost, expected a number in --reward gain;"),
        ("train --cb_adf undecided.json", "with a cost, expected _label_cost, _label_probability and _labelIndex;"),
        ("train --cb_adf slots", "slots:1:1: found 'ccb', expected one decision at a time: give each slot a block of"),
        ("train --cb_adf slots.json", "slots.json:1:1: found an array _outcomes, expected one decision at a time: "),
        ("train --cb 3 range", "range:1:1: found 'ca', expected actions that are numbered: cut their range into K"),
        ("predict -i m --explore thompson log", "no such flag"),
        ("train -i m --explore thompson log", "explore = thompson is asked for, but the model m has explore = ucb"),
    ],
)
def test_what_is_refused(cli, tmp_path, line, message):
    (tmp_path / "log").write_text(blocks(3))
    (tmp_path / "slots").write_text("ccb shared |a b\nccb action |a p\nccb slot 0:1:1 |a s\n\n")
    (tmp_path / "slots.json").write_text('{"c": {"_multi": [{"a": 1}]}, "_outcomes": [{"_label_cost": 1}]}\n')
    (tmp_path / "undecided.json").write_text('{"c": {"_multi": [{"a": 1}]}}\n')
    (tmp_path / "range").write_text("ca 18.5:0.6:0.01 |a b\n")
    (tmp_path / "nothing").write_text("|a p\n|a q\n\n")
    (tmp_path / "misspelt.json").write_text('{"a": 1, "gian": 1.0, "x": 2}\n')
    if "-i m" in line:
        assert cli("train --cb_explore_adf --quiet -f m log")[0] == 0
    status, out, err = cli(line + " --quiet")
    assert (status, out, len(err.splitlines())) == (1, "", 1)
    assert message in err


def said_by_vw(folder, flags):
    """The lines of predictions of Vowpal Wabbit for the file `log`."""
    vowpalwabbit = pytest.importorskip("vowpalwabbit", reason="vowpalwabbit is not installed")
    vowpalwabbit.Workspace(f"{flags} -d {folder}/log -p {folder}/theirs --quiet").finish()
    return [line for line in (folder / "theirs").read_text().splitlines() if line]


def check_costs(bandit, folder, lines, atol):
    """The costs that are expected before each decision of the file `log` are those of the lines of Vowpal Wabbit."""
    ours = []
    for decisions in DecisionReader(str(folder / "log"), bandit.text, bandit.options):
        ours += np.split(bandit.partial_fit(decisions).mean, decisions.first[1:-1])
    assert len(ours) == len(lines) == 80
    for mean, line in zip(ours, lines, strict=True):
        theirs = dict(pair.split(":") for pair in line.split(","))
        np.testing.assert_allclose(mean, [float(theirs[str(a)]) for a in range(len(mean))], atol=atol)


@pytest.mark.parametrize("cb_type", ["mtr", "ips", "dr"])
def test_nag_predicts_what_vw_predicts(cli, tmp_path, cb_type):
    """Expected costs of all actions before each decision is learned.

    The first costs are extreme: VW clips predictions to the range of the labels so far; here there is nothing to clip.
    """
    rng, text = np.random.default_rng(0), []
    for i in range(80):
        text.append(f"shared |u u{rng.integers(4)} x:{rng.random():.3f}")
        actions = int(rng.integers(2, 4))
        chosen = rng.integers(actions)
        for a in range(actions):
            cost = (-3, 3)[i] if i < 2 else rng.uniform(-0.5, 0.5)
            label = f"0:{cost:.3f}:{rng.uniform(0.2, 1):.3f} " if a == chosen else ""
            text.append(f"{label}|a a{rng.integers(6)} z:{rng.random():.3f}")
        text.append("")
    (tmp_path / "log").write_text("\n".join(text) + "\n")
    flags = f"--cb_adf --cb_type {cb_type}"
    lines = said_by_vw(tmp_path, f"{flags} --rank_all")
    options = BanditOptions(cb_adf=True, cb_type=cb_type), TextOptions(quadratic=("zz",))  # no products
    bandit = Bandit(*options, LearnOptions(method="nag", loss="squared"))
    check_costs(bandit, tmp_path, lines, 1e-5)
    assert "method = nag" in cli.err(f"train {flags} -q zz --method nag -f m log")
    again = Bandit.load(tmp_path / "m")
    bandit.text = again.text
    assert_same(state_of(bandit), state_of(again))


@pytest.mark.parametrize("cb_type", ["mtr", "ips", "dr"])
def test_nag_decides_among_numbered_actions_as_vw_does(cli, tmp_path, cb_type):
    """``--cb 3``, some actions not open: the action of least expected cost before each decision is learned."""
    rng, lines = np.random.default_rng(1), []
    for i in range(200):
        chosen, cost = rng.integers(1, 4), (-60, 60)[i] if i < 2 else rng.uniform(-0.5, 0.5)
        others = "".join(f"{a} " for a in range(1, 4) if a != chosen) if i % 5 else ""
        lines.append(
            f"{chosen}:{cost:.3f}:{rng.uniform(0.2, 1):.3f} {others}|a a{rng.integers(6)} z:{rng.random():.3f}"
        )
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    flags = f"--cb 3 --cb_type {cb_type}"
    theirs = said_by_vw(tmp_path, flags)
    assert cli(f"train {flags} --quiet --method nag -p ours log")[0] == 0
    ours = (tmp_path / "ours").read_text().split()
    assert len(theirs) == len(ours) == 200
    assert len(set(ours)) == 3
    differ = [i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b]
    assert not [i for i in differ if i > 20], (differ, ours[:30], theirs[:30])  # at first costs are equal


@pytest.mark.parametrize("cb_type", ["mtr", "ips", "dr"])
def test_nag_predicts_what_vw_predicts_of_dsjson(tmp_path, cb_type):
    """With products of shared features and those of actions, ``-q``."""
    rng, lines = np.random.default_rng(2), []
    for i in range(80):
        K = int(rng.integers(2, 4))
        chosen, cost = int(rng.integers(K)), (-60.0, 60.0)[i] if i < 2 else float(rng.uniform(-0.5, 0.5))
        p = rng.dirichlet(np.ones(K)) * 0.8 + 0.2 / K
        order = [chosen, *(a for a in range(K) if a != chosen)]
        multi = [{"ad": {f"a{rng.integers(6)}": 1, "z": float(rng.random())}} for _ in range(K)]
        lines.append(json.dumps({
            "_label_cost": cost, "_label_probability": float(p[chosen]), "_label_Action": chosen + 1,
            "_labelIndex": chosen, "Version": "1", "EventId": str(i), "a": [a + 1 for a in order],
            "c": {"user": {f"u{rng.integers(4)}": 1, "x": float(rng.random())}, "_multi": multi},
            "p": [float(p[a]) for a in order],
        }))  # fmt: skip
    (tmp_path / "log").write_text("\n".join(lines) + "\n")
    lines = said_by_vw(tmp_path, f"--cb_adf --dsjson --cb_type {cb_type} -q ua --rank_all")
    text, options = TextOptions(format="json", quadratic=("ua",)), BanditOptions(cb_adf=True, cb_type=cb_type)
    check_costs(Bandit(options, text, LearnOptions(method="nag", loss="squared")), tmp_path, lines, 1e-4)


def test_python_and_the_command_line_share_models(cli, tmp_path):
    bandit = SonlearnBandit()
    actions = [{"ad": name} for name in "pqr"]
    for i in range(60):
        context = {"user": "xyz"[i % 3], "hour": i % 24}
        decision = bandit.decide(context, actions)
        assert decision.probability == decision.probabilities[decision.action]
        bandit.learn(context, decision.action, float(decision.action == i % 3), decision.probability, actions)
    # what is expected; what is chosen may still be explored
    expected = np.array([bandit.decide({"user": u, "hour": 3}, actions).rewards for u in "xyz"])
    assert expected.argmax(axis=1).tolist() == [0, 1, 2]
    assert expected.max(axis=1).min() > 0.9
    bandit.save(tmp_path / "m")
    again = SonlearnBandit.load(tmp_path / "m")
    one, other = (each.decide({"user": "x", "hour": 2}, actions) for each in (bandit, again))
    np.testing.assert_array_equal(one.probabilities, other.probabilities)
    (tmp_path / "d").write_text(
        '{"c":{"context":{"user":"x","hour":3},"_multi":[{"action":{"ad":"p"}},{"action":{"ad":"q"}}]}}\n'
    )
    assert cli("predict --quiet -i m d")[1] == "0:1,1:0\n"


@pytest.mark.parametrize("quadratic", [(), ("ca",)])
def test_products_are_those_of_dsjson_and_of_text(tmp_path, quadratic):
    """Of contexts and actions, in Python, dsjson and VW's text: our own products, and those of -q."""
    text, options = TextOptions(quadratic=quadratic), BanditOptions(cb_adf=True)
    bandit = SonlearnBandit(text=text)
    mine = bandit._decision({"t": "x", "hour": 3}, [{"name": "p", "z": 0.5}, {"name": "q", "more": {"w": 2.0}}])
    (tmp_path / "json").write_text(
        '{"c":{"context":{"t":"x","hour":3},'
        '"_multi":[{"action":{"name":"p","z":0.5}},{"more":{"w":2.0},"action":{"name":"q"}}]}}\n'
    )
    (tmp_path / "vw").write_text("shared |context t=x hour:3\n|action name=p z:0.5\n|more w:2 |action name=q\n\n")
    (theirs,) = DecisionReader(str(tmp_path / "json"), TextOptions(quadratic=quadratic, format="json"), options)
    (texts,) = DecisionReader(str(tmp_path / "vw"), text, options)
    for i in range(2):
        rows = [
            sorted(zip(one.indices[a:b].tolist(), one.values[a:b].tolist(), strict=True))
            for one in (mine.rows, theirs.rows, texts.rows)
            for a, b in [one.indptr[i : i + 2]]
        ]
        assert rows[0] == rows[1]
        assert len(rows[0]) == len(rows[2]) == (7 if quadratic and i else 9)


def test_python_takes_vectors_and_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    action = rng.integers(0, 3, 400)
    bandit = SonlearnBandit(3, explore="squarecb")
    decided = bandit.partial_fit(X, action, (X.argmax(axis=1) == action) * 1.0, np.full(400, 1 / 3))
    assert np.nanmean(decided.loss) < -0.4
    assert (bandit.predict(X[:50]).argmax(axis=1) == X[:50].argmax(axis=1)).mean() > 0.8
    np.testing.assert_allclose(bandit.predict(X[:50]).sum(axis=1), 1.0)
    for wrong in ((5, 1.0, 0.5), (1, np.nan, 0.5), (1, 1.0, 0.0)):
        with pytest.raises(ValueError, match="expected"):
            bandit.learn(X[0], *wrong)
    listed = SonlearnBandit(min_probability=0.1)
    assert listed.decide([1.0, 0.0], [[1.0], [2.0], [3.0]]).probabilities.min() >= 0.1 / 3
    with pytest.raises(OptionError, match="give the number of actions"):
        SonlearnBandit(cbify=3)


@pytest.mark.parametrize(
    ("flags", "names"), [("--cb_explore 3 --explore softmax", "012"), ("--cb 3", "012"), ("--cbify 3", "123")]
)
def test_each_probability_is_in_a_table_of_decisions(cli, tmp_path, flags, names):
    """As VW's lines have them, in the order of the actions."""
    rows = [f"{i % 3 + 1}{':-1:.5' if '--cbify' not in flags else ''} | x:{i % 5} y:{i % 2}\n" for i in range(40)]
    (tmp_path / "log").write_text("".join(rows))
    cli.out(f"train --quiet {flags} -f m log")
    csv_rows = list(csv.DictReader(cli.out("predict --quiet --output csv --probabilities -i m log").splitlines()))
    lines = list(map(json.loads, cli.out("predict --quiet --output jsonl --probabilities -i m log").splitlines()))
    for row, line, shown in zip(csv_rows, lines, cli.out("predict --quiet -i m log").splitlines(), strict=True):
        p = line["probabilities"]
        assert json.loads(row["probabilities"]) == p
        assert ("".join(p), sum(p.values())) == (names, pytest.approx(1))
        if "explore" in flags:
            assert {name: float(f"{each:.6g}") for name, each in p.items()} == {
                name: float(each) for name, each in (part.split(":") for part in shown.split(","))
            }
            assert (line["action"], line["probability"]) == max(p.items(), key=lambda one: one[1])
    assert cli.error("predict --probabilities -i m log").startswith("--probabilities: decisions do not take it")
