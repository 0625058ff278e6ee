"""docs/views.md repeats the table of views."""

import re

from places import ROOT

from sonlearn.options.views import VIEWS, WORDS

DOCUMENT = (ROOT / "docs" / "views.md").read_text(encoding="utf-8")


def test_the_documents_table_is_the_programs():
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in DOCUMENT.splitlines() if line.startswith("| `")]
    stated = {cells[0].strip(" `"): [cell.strip().replace("\\|", "|") for cell in cells[1:]] for cells in rows}
    own = {name: entry for name, entry in VIEWS.items() if entry.part != WORDS}
    assert stated == {name: [entry.formula, entry.cost] for name, entry in own.items()}
    assert list(stated) == list(own)
    assert set(re.findall(r"`(words-[a-z-]+)`", DOCUMENT)) == VIEWS.keys() - own.keys()


def test_limits_and_sizes_are_those_of_the_code():
    from sonlearn.views.numbers import CAPACITY
    from sonlearn.views.tuples import MOST_TUPLES
    from sonlearn.views.view import MAX_ROWS_BEFORE_PARTS

    assert f"the first {MAX_ROWS_BEFORE_PARTS:,}. The constant" in DOCUMENT

    assert f"up to 2^{CAPACITY.bit_length() - 1} bins or 2^{MOST_TUPLES.bit_length() - 1} tuples a view" in DOCUMENT
    assert CAPACITY.bit_count() == MOST_TUPLES.bit_count() == 1
    longest = {name: entry.values["entries"][0] for name, entry in VIEWS.items() if "entries" in entry.values}
    assert ", ".join(f"`{name}`: {n}" for name, n in longest.items()) in DOCUMENT
