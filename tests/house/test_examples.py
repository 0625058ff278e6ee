"""The scripts of docs/examples run, and print what docs/examples.md shows, or tests/golden/examples.txt has."""

import os
import re
import subprocess
import sys

import pytest
from places import GOLDEN, ROOT

FOLDER = ROOT / "docs" / "examples"
#: What each needs beside the project.
PEERS = {"text_classification": ("sklearn", "vowpalwabbit"), "streaming_pca": ("sklearn",), "drift": ("river",)}
COLUMNS = re.compile(" {2,}")


def run(name, *before):
    """The output of a script with --quick; `before` is Python to be run first."""
    start = f"import runpy, sys; {' '.join(before)} sys.path.insert(0, {str(FOLDER)!r}); sys.argv = ['x', '--quick'];"
    text = f"{start} runpy.run_path({str(FOLDER / name)!r} + '.py', run_name='__main__')"
    environment = {k: v for k, v in os.environ.items() if k != "SONLEARN_DATA"}
    done = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:__main__", "-c", text], capture_output=True, text=True,
        env=environment, check=False, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def tables(text):
    """{title: {first cell: numbers}} without the seconds, which stand last."""
    found = {}
    for part in text.strip().split("\n\n"):
        title, _, *rows = part.splitlines()
        cells = [COLUMNS.split(row.strip()) for row in rows]
        found[title] = {first: [float(cell) for cell in rest[:-1]] for first, *rest in cells}
    return found


def shown(name):
    """The tables of the page, of all blocks after the heading that names the script."""
    page = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    section = page.split(f"(examples/{name}.py)")[1].split("\n## ")[0]
    return tables("\n\n".join(re.findall("^```text\n(.*?)\n```$", section, re.MULTILINE | re.DOTALL)))


@pytest.mark.parametrize("name", PEERS)
def test_an_example_prints_what_its_page_shows(name):
    """Our own rows to the last digit but one; those of the peers, whose versions differ, are there."""
    for peer in PEERS[name]:
        pytest.importorskip(peer, reason=f"the example compares with {peer} (extra `peers`)")
    page = shown(name) | tables((GOLDEN / "examples.txt").read_text(encoding="utf-8"))
    found = tables(run(name))
    assert found
    for title, rows in found.items():
        assert list(rows) == list(page[title]), title
        for row, numbers in rows.items():
            assert all(0 <= number <= 1 for number in numbers)
            if "sonlearn" in row or "Streaming" in row:
                assert numbers == pytest.approx(page[title][row], abs=0.002), (title, row)


@pytest.mark.parametrize("name", PEERS)
def test_an_example_without_its_peer_says_so(name):
    """As if the first peer were not installed."""
    hide = "import importlib.util as u; real = u.find_spec;"
    hide += f"u.find_spec = lambda n, *a: None if n == {PEERS[name][0]!r} else real(n, *a);"
    assert run(name, hide) == f"skipped: {PEERS[name][0]} is not installed; pip install '.[peers]'\n"


def test_every_script_is_tested_and_has_its_part_of_the_page():
    assert {path.stem for path in FOLDER.glob("*.py")} == PEERS.keys() | {"shared"}
    assert all(shown(name) for name in PEERS)
