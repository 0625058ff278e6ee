"""``--invert_hash``: all weights of a method alone, by name, as Vowpal Wabbit writes them."""

from pathlib import Path

import pytest

from sonlearn.commands.models import load_model

ROWS = "1 |f price:.23 x |g u\n2 |f price:.18 y\n3 |f price:.53\n"


def weights_of(text):
    """The entries behind the line ``:0``, by name: (slot, weight)."""
    entries = (line.rsplit(":", 2) for line in text.split("\n:0\n")[1].splitlines())
    return {name: (int(slot), float(weight)) for name, slot, weight in entries}


@pytest.fixture(autouse=True)
def rows(tmp_path):
    (tmp_path / "t.vw").write_text(ROWS)


def test_of_a_line_of_vw(cli):
    cli.err("vw", "t.vw", "-f", "m", "--invert_hash", "w", "-q", "fg", "--quiet")
    found = weights_of(Path("w").read_text())
    assert list(found) == ["f^price", "f^x", "g^u", "f^price*g^u", "f^x*g^u", "Constant", "f^y"]
    ids, weights = load_model("m").learner.weights()
    assert [slot for slot, _ in found.values()] == ids.tolist()
    assert [weight for _, weight in found.values()] == pytest.approx(weights.tolist(), rel=1e-8)
    assert weights_of(cli.out("vw", "-t", "-i", "m", "t.vw", "--invert_hash", "-", "--quiet")) == found


def test_classes_and_numbers_of_features(cli):
    found = weights_of(cli.out("train --method nag --oaa 3 --quiet --invert_hash - t.vw"))
    assert {"f^price[1]", "f^price[3]", "Constant[2]"} < found.keys()
    assert found["f^x[1]"][1] > 0 > found["f^x[2]"][1]
    Path("t.svm").write_text("1 7:1\n-1 9:2\n")
    assert list(weights_of(cli.out("train --method nag --quiet --invert_hash - t.svm"))) == ["7", "Constant", "9"]


@pytest.mark.parametrize("method", ["", "--method mixture", "--method boost", "--method ewma"])
def test_refused(cli, method):
    assert "which has no one weight for a feature" in cli.error(f"train {method} --invert_hash w t.vw")
