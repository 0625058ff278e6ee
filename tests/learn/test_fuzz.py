"""A short run of `fuzz_options.py`, which makes long ones."""

from fuzz_options import main


def test_no_prediction_depends_on_the_cut_or_on_a_refused_row():
    assert main(25, seed=7, times=1) == 0
