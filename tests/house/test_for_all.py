"""`for_all` of the tests' own support: no case is left out, and no failure is lost."""

import pytest
from for_all import for_all


def test_every_case_runs_and_every_counterexample_is_named():
    ran = []

    @for_all("a, b", [(1, 2), (3, 4)])
    @for_all("c", [5, 6])
    def claim(a, b, c, fixture):
        ran.append((a, b, c, fixture))
        assert a + c != 6, "six"
        assert b + c != 10, "ten"

    with pytest.raises(ExceptionGroup, match=r"^2 of 4 cases fail: a=1, b=2, c=5; a=3, b=4, c=6\b") as caught:
        claim(fixture="x")
    assert ran == [(1, 2, 5, "x"), (1, 2, 6, "x"), (3, 4, 5, "x"), (3, 4, 6, "x")]
    assert [str(error).splitlines()[0] for error in caught.value.exceptions] == ["six", "ten"]


def test_marks_above_and_below_hold_and_only_the_rest_are_fixtures():
    import inspect

    @pytest.mark.interpreted
    @for_all("a", "xy")
    @pytest.mark.parametrize("b", [1])
    def claim(a, b, tmp_path):
        pass

    assert sorted(mark.name for mark in claim.pytestmark) == ["interpreted", "parametrize"]
    assert list(inspect.signature(claim).parameters) == ["b", "tmp_path"]


def test_nothing_to_run_is_refused():
    with pytest.raises(ValueError, match="no value for a"):
        for_all("a", [])
