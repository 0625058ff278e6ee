"""Where things are: the project, recorded outputs, samples of data, and real data that tests take where they are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "sonlearn"
GOLDEN = ROOT / "tests" / "golden"
#: Real data sets (svm/, vw/, ...): not part of the project.
DATA = Path(os.environ.get("SONLEARN_DATA", ROOT.parent / "shared" / "data"))


def sample(name: str, start: int = 0, stop: int | None = None) -> str:
    """Lines of a file of data/."""
    lines = (ROOT / "data" / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(lines[start:stop])
