"""Write ``vw_slots.json``: the features that Vowpal Wabbit makes of the cases and of some random lines.

Run with the vowpalwabbit wheel installed: ``python tests/golden/capture_vw_slots.py``.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "support"))

from vw_peer import CASES, random_line, vw_features  # noqa: E402


def main() -> None:
    r = random.Random(0)
    cases = [*CASES, ([], [random_line(r) for _ in range(200)]), (["-q", "::"], [random_line(r) for _ in range(20)])]
    golden = [{"options": o, "lines": lines, "features": vw_features(lines, o)} for o, lines in cases]
    text = ",\n".join(json.dumps(case, ensure_ascii=False) for case in golden)
    (HERE / "vw_slots.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
