"""Write ``vw_slots.json`` anew: the features that Vowpal Wabbit makes of the lines that stand there.

Run with the vowpalwabbit wheel installed: ``python tests/golden/capture_vw_slots.py``.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "support"))

from vw_peer import CASES, vw_features  # noqa: E402

if __name__ == "__main__":
    golden = [{"options": o, "lines": lines, "features": vw_features(lines, o)} for o, lines in CASES]
    text = ",\n".join(json.dumps(case, ensure_ascii=False) for case in golden)
    (HERE / "vw_slots.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
