"""The examples of docs/python.md, and those with River of the tutorial, run and print what the pages say."""

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


def test_the_example_with_river_of_the_tutorial():
    pytest.importorskip("river", reason="needs the extra river")
    found = doctest.testfile(str(ROOT / "docs" / "tutorials" / "stream.md"), module_relative=False)
    assert found.attempted >= 5
    assert found.failed == 0
