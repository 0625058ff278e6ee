"""Write docs/vw-flags.md from `sonlearn.options.vw_flags`; run it after a change there."""

from pathlib import Path

from sonlearn.options import vw_flags

HEAD = """# Vowpal Wabbit's flags

All flags that `vw --help` of release 9.11 lists. `works`: the same flag, with the same meaning, is one of `sonlearn
train`'s. `stands for`: there is none of that name, and this is to be given instead, or nothing. `not here`: nothing
stands for it, and why. The command line says the same of a flag that it does not know.

"""


def page() -> str:
    """The page as it is to be."""
    return HEAD + "\n".join(vw_flags.table()) + "\n"


if __name__ == "__main__":
    (Path(__file__).resolve().parents[2] / "docs" / "vw-flags.md").write_text(page(), encoding="utf-8")
