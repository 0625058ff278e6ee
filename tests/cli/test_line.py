"""Command lines are split up into flags with their values, and the rest."""

import pytest

from sonlearn.commands.line import parse
from sonlearn.errors import OptionError


@pytest.mark.parametrize(
    ("words", "given", "others"),
    [
        (["--alpha=1", "-b18"], {"alpha": 1.0, "bits": 18}, []),
        (["-tc", "a.svm"], {"testonly": True, "cache": True}, ["a.svm"]),
        (["--learning-rate", "1", "--sketch_size=3"], {"learning_rate": 1.0, "sketch_size": 3}, []),
        (["a", "--quiet", "--", "-x", "--quiet"], {"quiet": True}, ["a", "-x", "--quiet"]),
        (["--alpha", "2", "a.svm", "-q", "ab", "--json", "-q", "cd", "--no-prune", "-"],
         {"alpha": 2.0, "quadratic": ("ab", "cd"), "format": "json", "prune": False}, ["a.svm", "-"]),
        (["--loss_function", "squared", "--bit-precision=20", "--final-regressor", "m", "--noconstant", "--data", "a"],
         {"loss": "squared", "bits": 20, "final_regressor": "m", "constant": False, "data": ("a",)}, []),
        (["a", "-m3", "--loss", "squared", "-b", "20", "-f", "m", "-d", "b"],
         {"sketch_size": 3, "loss": "squared", "bits": 20, "final_regressor": "m", "data": ("b",)}, ["a"]),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_given_is_parsed(words, given, others):
    assert parse("train", words) == (given, others)


def test_a_flag_that_is_given_twice_says_the_same():
    assert parse("train", ["-b", "20", "--bit_precision", "20"])[0] == {"bits": 20}
    with pytest.raises(OptionError, match=r"^--bit_precision: found 20 and 18, expected one of them$"):
        parse("train", ["-b", "20", "--bit_precision", "18"])
