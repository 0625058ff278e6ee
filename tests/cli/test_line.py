"""Command lines are split up into flags with their values, and the rest."""

import pytest

from sonlearn.commands.line import parse


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
