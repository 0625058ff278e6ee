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
    return "".join((ROOT / "data" / name).read_text(encoding="utf-8").splitlines(keepends=True)[start:stop])


def write_inputs() -> None:
    """Write a.svm, b.svm, a.vw and b.vw into the current folder, as recorded outputs of the command line have them."""
    for suffix, rows, stop in (("svm", 150, 260), ("vw", 120, 160)):
        for name, lines in (("a", (0, rows)), ("b", (rows, stop))):
            Path(f"{name}.{suffix}").write_text(sample(f"sample.{suffix}", *lines), encoding="utf-8")
