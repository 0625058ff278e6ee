"""Plain command lines are split up without argparse as argparse would split them; of all others it is asked."""

import random

import pytest
from for_all import for_all

from sonlearn.commands.line import _plain, _table, _whole, parse
from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError

FIELDS = {verb: [field for _, group in entry.groups for field in group] for verb, entry in VERBS.items()}
WORDS = ("a.svm", "-", "", "1", "a b", "x=y")


def some_line(r, table):
    words = []
    for _ in range(r.randrange(8)):
        if r.random() < 0.3 or not table:
            words.append(r.choice(WORDS))
            continue
        name = r.choice(sorted(table))
        words.append(name)
        if table[name][1] != 2:
            words.append(r.choice(WORDS))
    return words


@for_all("verb", [verb for verb in VERBS if FIELDS[verb]])
def test_plain_lines_are_split_as_by_argparse(verb):
    table, r = _table(FIELDS[verb]), random.Random(verb)
    for _ in range(60):
        words = some_line(r, table)
        assert _plain(table, words) == _whole(verb, words), words


@pytest.mark.parametrize(
    "words",
    [["--alpha"], ["--alpha", "--quiet"], ["--alpha=1"], ["-b18"], ["--alpha", "-1"], ["--", "-x"], ["--nothing"],
     ["--sketch_size", "3"], ["--learning-rate", "1"]],
    ids=" ".join,
)  # fmt: skip
def test_other_lines_are_left_to_argparse(words):
    assert _plain(_table(FIELDS["train"]), words) is None


def test_what_is_given_is_parsed_and_checked():
    given, others = parse("train", ["--alpha", "2", "a.svm", "-q", "ab", "--json", "-q", "cd", "--no-prune", "-"])
    assert given == {"alpha": 2.0, "quadratic": ("ab", "cd"), "format": "json", "prune": False}
    assert others == ["a.svm", "-"]
    for words in (["--alpha", "x"], ["--alpha", "-1"], ["--alpha"], ["--nothing"]):
        with pytest.raises(OptionError):
            parse("train", words)
