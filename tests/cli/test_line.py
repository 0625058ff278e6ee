"""Command lines are split up as argparse would split them."""

import random
from functools import partial

import pytest
from for_all import for_all

from sonlearn.commands.line import Line, parse, split, table_of
from sonlearn.commands.parser import parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError

FIELDS = {verb: [field for _, group in entry.groups for field in group] for verb, entry in VERBS.items()}
WORDS = ("a.svm", "-", "", "1", "a b", "x=y", "-1", "-.5", "-1 2")


def by_argparse(verb):
    def split_line(words):
        namespace, rest = parser_of(verb).parse_known_args(words)
        return vars(namespace), rest

    return split_line


def said(split_line, words):
    """What a line is split up into, or the message."""
    try:
        return split_line(words)
    except OptionError as error:
        return str(error)


def some_line(r, table):
    words = []
    for _ in range(r.randrange(8)):
        if r.random() < 0.3 or not table:
            words.append(r.choice(WORDS[:6]))
            continue
        name = r.choice(sorted(table))
        takes_one = table[name][1] != 2
        if takes_one and r.random() < 0.3:
            words.append(name + ("=" if name[:2] == "--" else "") + r.choice(("a", "1", "-1", "x=y")))
            continue
        words.append(name)
        if takes_one:
            words.append(r.choice(WORDS))
    return words


@for_all("verb", [verb for verb in VERBS if FIELDS[verb]])
def test_lines_are_split_as_by_argparse(verb):
    table, r = table_of(FIELDS[verb]), random.Random(verb)
    for _ in range(60):
        words = some_line(r, table)
        theirs, ours = (said(split_line, words) for split_line in (by_argparse(verb), partial(split, verb, table)))
        assert ours == theirs, words


@pytest.mark.parametrize(
    ("words", "given", "others"),
    [
        (["--alpha=1", "-b18"], {"alpha": 1.0, "bits": 18}, []),
        (["-tc", "a.svm"], {"testonly": True, "cache": True}, ["a.svm"]),
        (["--learning-rate", "1", "--sketch_size=3"], {"learning_rate": 1.0, "sketch_size": 3}, []),
        (["--quiet", "--", "-x", "--quiet"], {"quiet": True}, ["-x", "--quiet"]),
        (["--alpha", "2", "a.svm", "-q", "ab", "--json", "-q", "cd", "--no-prune", "-"],
         {"alpha": 2.0, "quadratic": ("ab", "cd"), "format": "json", "prune": False}, ["a.svm", "-"]),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_given_is_parsed(words, given, others):
    assert parse("train", words) == (given, others)


@pytest.mark.parametrize(
    ("verb", "words", "message"),
    [
        ("train", ["--alpha", "x"], "--alpha x: expected a number"),
        ("train", ["--alpha", "-1"], "--alpha -1.0: expected"),
        ("train", ["--alpha"], "--alpha: expected one argument"),
        ("train", ["--alpha", "--quiet"], "--alpha: expected one argument"),
        ("train", ["--quiet=1"], "--quiet: ignored explicit argument '1'"),
        ("train", ["--nothing"], "--nothing: no such flag"),
        ("train", ["-tx"], "-x: no such flag"),
        ("methods", ["a"], "methods takes no files, a given"),
    ],
)
def test_what_cannot_be_is_one_line(verb, words, message):
    with pytest.raises(OptionError) as error:
        Line(verb, words)
    assert str(error.value).replace("'", "").startswith(message.replace("'", ""))
