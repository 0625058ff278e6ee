"""Where things are: the project, recorded outputs, and samples of data."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "sonlearn"
GOLDEN = ROOT / "tests" / "golden"


def sample(name: str, start: int = 0, stop: int | None = None) -> str:
    """Lines of a file of data/."""
    lines = (ROOT / "data" / name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(lines[start:stop])
