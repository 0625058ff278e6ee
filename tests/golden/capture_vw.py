"""Capture Vowpal Wabbit's progress tables: ``python tests/golden/capture_vw.py`` (needs the extra `peers`).

Writes progress_vw.json: for every run the examples, VW's own predictions, and the table and summary it printed.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = [
    {"loss": "squared", "args": []},
    {"loss": "logistic", "args": ["-P", "1.5"]},
    {"loss": "hinge", "args": ["-P", "10"]},
    {"loss": "squared", "labels": [0.5, 2, 3], "args": []},
    {"loss": "squared", "args": ["--passes", "3", "--holdout_period", "5"]},
    {"loss": "squared", "args": ["--passes", "2", "--holdout_off", "-P", "20"]},
    {"loss": "logistic", "labels": [1], "args": []},
]


def examples(seed, labels, n=150):
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        label = None if i % 13 == 4 else rng.choice(labels)
        weight = rng.choice([1, 1, 1, 2, 0.5, 0]) if label is not None else 1
        names = rng.sample([f"f{k}:{0.1 + rng.random():.3f}" for k in range(9)], rng.randrange(1, 5))
        rows.append((label, weight, names))
    return rows


def capture(seed, run, folder):
    rows = examples(seed, run.get("labels", [-1, 1]))
    data, predictions = folder / f"{seed}.vw", folder / f"{seed}.p"
    data.write_text(
        "".join(f"{'' if y is None else f'{y} {w}'} | {' '.join(names)}\n" for y, w, names in rows), encoding="utf-8"
    )
    command = [sys.executable, "-m", "vowpalwabbit", "-d", data, "--loss_function", run["loss"], "-p", predictions]
    if "--passes" in run["args"]:
        command += ["-k", "-c"]
    done = subprocess.run([*map(str, command), *run["args"]], capture_output=True, text=True, check=True)
    lines = (done.stdout + done.stderr).splitlines()
    start, end = (next(i for i, line in enumerate(lines) if line.startswith(s)) for s in ("loss", "finished run"))
    return {
        **run,
        "y": [y for y, _, _ in rows],
        "weight": [w for _, w, _ in rows],
        "features": [len(names) + 1 for _, _, names in rows],
        "predictions": [float(line) for line in predictions.read_text(encoding="utf-8").split()],
        "table": [line for line in lines[start + 1 : end] if line],
        "summary": lines[end:],
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        runs = [capture(seed, run, Path(name)) for seed, run in enumerate(RUNS)]
    target = Path(__file__).with_name("progress_vw.json")
    target.write_text("[\n" + ",\n".join(json.dumps(run) for run in runs) + "\n]\n", encoding="utf-8")
