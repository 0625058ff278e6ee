"""Capture predictions of the Newton family anew: ``python tests/golden/capture_engine.py``; look before you keep them.

engine.json: raw predictions of every 7th row of generated streams, by settings. They guard a rewrite of the engine,
which has to give them again to 1e-12 (its dense twin guards what they mean).
"""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1] / "support")]
from streams import ill_conditioned, with_weights, without_some_labels, zipf  # noqa: E402

from sonlearn import Learner, LearnOptions  # noqa: E402

PAPER = {"loss": "squared", "clip": 1.0, "diagonal": False}
PLAIN = {"loss": "logistic", "diagonal": True, "alpha": 1.0}
SETTINGS = [
    {"sketch": "rfd", "sketch_size": 5, "alpha": 0.0, **PAPER},
    {"sketch": "rfd", "sketch_size": 10, "alpha": 1.0, **PAPER},
    {"sketch": "rfd", "sketch_size": 10, **PLAIN},
    {"sketch": "fd", "sketch_size": 10, **PLAIN},
    {"sketch": "fd", "sketch_size": 4, "alpha": 10.0, **PAPER},
    {"sketch": "oja", "sketch_size": 6, **PLAIN},
    {"sketch": "oja", "sketch_size": 6, "oja_step": "1/t", "alpha": 1.0, **PAPER},
    {"sketch": "none", **PLAIN},
    {"sketch": "none", "alpha": 1.0, **PAPER},
    {"sketch": "rfd", "sketch_size": 6, "loss": "hinge", "diagonal": True, "alpha": 1.0, "sigma": 0.0625},
    {"sketch": "rfd", "sketch_size": 6, "loss": "absolute", "diagonal": True, "alpha": 1.0, "sigma": 0.0625},
]  # fmt: skip


def streams():
    """The streams, by name."""
    return {
        "text": zipf(n=1200, d=150),
        "weighted": with_weights(without_some_labels(zipf(n=700, d=80))),
        "ill-conditioned": ill_conditioned(1e3, T=700, d=40, large=5).batch,
    }


def predictions(settings, batch):
    """Raw predictions of the rows that are kept."""
    each = {"thin": 0.0} if settings["sketch"] in ("rfd", "fd") else {}  # the sketch took every row then
    return Learner(LearnOptions(**settings, **each)).partial_fit(batch).raw[::7].tolist()


if __name__ == "__main__":
    cases = [
        {"stream": name, "settings": settings, "raw": predictions(settings, batch)}
        for name, batch in streams().items()
        for settings in SETTINGS
    ]
    Path(__file__).with_name("engine.json").write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n")
