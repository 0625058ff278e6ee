"""Capture the command line's output anew: ``python tests/golden/capture_cli.py``. Look at the difference by git.

cli.json: chains of commands that run one after the other in one folder, with what they print.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parents[1] / "support")]
from commands import TIMING, in_this_process  # noqa: E402
from places import ROOT, write_inputs  # noqa: E402

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


def step(command):
    status, out, err = in_this_process(command.split())
    assert status == 0, err
    lines = [line for line in err.splitlines() if not line.startswith(TIMING)]
    return {"args": command.split(), "stdout": out, "stderr": "\n".join(lines)}


def capture():
    chains = []
    for name, commands in CHAINS.items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            write_inputs()
            chains.append({"name": name, "steps": [step(command) for command in commands]})
            os.chdir(ROOT)
    return chains


if __name__ == "__main__":
    Path(__file__).with_name("cli.json").write_text(json.dumps(capture(), indent=1) + "\n", encoding="utf-8")
