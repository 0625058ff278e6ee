"""Capture the command line's output anew: ``python tests/golden/capture_cli.py``. Look at the difference by git.

cli.json: chains of commands that run one after the other in one folder, with what they print.
"""

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2])]
from sonlearn.cli import main  # noqa: E402

ROOT = Path(__file__).parents[2]
INPUTS = [
    ("a.svm", "sample.svm", 0, 150), ("b.svm", "sample.svm", 150, 260), ("a.vw", "sample.vw", 0, 120),
    ("b.vw", "sample.vw", 120, 160),
]  # fmt: skip
TIMING = ("elapsed time", "examples a second", "compiling kernels")
CHAINS = {
    "defaults, saved, predicted, inspected": [
        "train -f model a.svm", "predict -i model b.svm", "train -i model -f model b.svm", "inspect model --top 4",
    ],
    "the paper's setting": [
        "train --sketch rfd --loss squared --clip 1 --alpha 0 --eta 1/t --no-diagonal --noconstant -m 5 -f model a.svm",
        "train -t -i model -p - -r raw b.svm",
    ],
    "VW text": ["train --sketch fd -m 4 -b 12 -f model a.vw", "predict -i model b.vw"],
    "Oja, hinge, passes": ["train --sketch oja --loss hinge --passes 3 -P 1.5 a.svm"],
    "no sketch, absolute": ["train --sketch none --loss absolute -P 40 -p - a.vw"],
}  # fmt: skip


class Output(io.TextIOWrapper):
    """Text and bytes to one place."""

    def __init__(self):
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self):
        return self.buffer.getvalue().decode()


def step(command):
    out, err = Output(), Output()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(command.split())
    assert status == 0, err.text()
    lines = [line for line in err.text().splitlines() if not line.startswith(TIMING)]
    return {"args": command.split(), "stdout": out.text(), "stderr": "\n".join(lines)}


def capture():
    chains = []
    for name, commands in CHAINS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for target, of, start, stop in INPUTS:
                lines = (ROOT / "data" / of).read_text(encoding="utf-8").splitlines(keepends=True)
                Path(target).write_text("".join(lines[start:stop]), encoding="utf-8")
            chains.append({"name": name, "steps": [step(command) for command in commands]})
            os.chdir(ROOT)
    return chains


if __name__ == "__main__":
    Path(__file__).with_name("cli.json").write_text(json.dumps(capture(), indent=1) + "\n", encoding="utf-8")
