"""The examples of docs/python.md run and print what the page says."""

import doctest

import pytest
from places import ROOT


def test_the_examples_of_the_page():
    pytest.importorskip("sklearn", reason="needs the extra sklearn")
    pytest.importorskip("river", reason="needs the extra river")
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    found = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert found.attempted >= 10
    assert found.failed == 0
