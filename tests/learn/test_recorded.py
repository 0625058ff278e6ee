"""The Newton family gives the predictions that were recorded before its last rewrite."""

import json

import numpy as np
import pytest
from places import GOLDEN

CASES = json.loads((GOLDEN / "engine.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def capture():
    import importlib.util

    spec = importlib.util.spec_from_file_location("capture_engine", GOLDEN / "capture_engine.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, module.streams()


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['stream']}-{c['settings']['sketch']}")
def test_predictions_are_those_recorded(capture, case):
    module, streams = capture
    got = np.array(module.predictions(case["settings"], streams[case["stream"]]))
    wanted = np.array(case["raw"])
    assert (np.abs(got - wanted) <= 1e-12 * np.maximum(1, np.abs(wanted))).all()
