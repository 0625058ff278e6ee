"""Every flag of Vowpal Wabbit is answered, and the answers hold."""

import re
import subprocess
import sys

import pytest
from for_all import for_all
from places import GOLDEN, ROOT

from sonlearn.commands.line import parser_of
from sonlearn.commands.vw_line import COMMITTEE, NEAREST, NEEDLESS
from sonlearn.options import vw_flags

OURS = set(parser_of("train")._option_string_actions) | {"--version", "-V"}
EVERY_FLAG_OF_OURS = {name for verb in ("train", "predict", "convert", "sketch", "serve", "inspect") for name in
                      parser_of(verb)._option_string_actions}  # fmt: skip


def test_all_of_vws_flags_are_answered_and_no_others(vowpalwabbit):
    text = subprocess.run([sys.executable, "-m", "vowpalwabbit", "--help"], capture_output=True, text=True).stdout
    found = re.findall(r"^    (?:(-\w), )?--([\w-]+)", text, re.MULTILINE)
    assert len(found) > 400
    assert set(vw_flags.FLAGS) == {"--" + long.replace("-", "_") for _, long in found}
    assert {short: f"--{long}" for short, long in found if short} == vw_flags.SHORT


def test_values_of_flags_that_something_stands_for_are_told_from_data(vowpalwabbit):
    text = subprocess.run([sys.executable, "-m", "vowpalwabbit", "--help"], capture_output=True, text=True).stdout
    found = dict(re.findall(r"^    (?:-\w, )?(--\w+)( arg)?", text, re.MULTILINE))
    for name in NEAREST.keys() | COMMITTEE.keys() | NEEDLESS.keys():
        assert (name in vw_flags.VALUELESS) == (not found[name]), name


def test_the_page_is_the_data():
    sys.path.insert(0, str(GOLDEN))
    try:
        from capture_vw_flags import page
    finally:
        sys.path.remove(str(GOLDEN))
    expected = (ROOT / "docs" / "vw-flags.md").read_text(encoding="utf-8")
    assert page() == expected, "run python tests/golden/capture_vw_flags.py"


@for_all("name", sorted(vw_flags.FLAGS))
def test_what_works_exists_and_what_does_not_does_not(name):
    state, text = vw_flags.FLAGS[name]
    assert state in vw_flags.STATES
    spelt = [name] + [short for short, long in vw_flags.SHORT.items() if long == name]
    alike = {flag.replace("_", "-") for flag in OURS}
    assert all((flag.replace("_", "-") in alike) == (state == vw_flags.WORKS) for flag in spelt)
    assert text or state == vw_flags.WORKS
    for flag in re.findall(r"(?<![\w\[-])--?[a-zA-Z][\w-]*", text):
        assert flag in EVERY_FLAG_OF_OURS | {"--OjaNewton"} or flag in ("-n",), (name, flag)


@for_all("name", sorted(n for n, a in vw_flags.FLAGS.items() if a.state != vw_flags.WORKS))
def test_the_command_line_says_it(name, cli):
    state, text = vw_flags.FLAGS[name]
    for spelt in (name, name.replace("_", "-"), f"{name}=1"):
        line = cli.error("train", spelt, "a.svm")
        assert line.startswith(f"{spelt.partition('=')[0]}: no such flag here; ")
        assert line.endswith(text)
        assert ("nothing stands for it" in line) == (state == vw_flags.NOT_HERE)


# ------------------------------------------------------------------------------------------------- text


def claims():
    """(value, what VW makes of it, what we do) from the table of docs/vw-text.md."""
    text = (ROOT / "docs" / "vw-text.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("| `")]
    return [(word.strip("`"), theirs, ours) for words, theirs, ours in rows for word in words.split(", ")]


@for_all("word, theirs, ours", claims())
@pytest.mark.interpreted
def test_ours_of_the_table_of_text(word, theirs, ours, tmp_path, cli):
    from sonlearn.options import TextOptions
    from sonlearn.text.hashing import hash_bytes
    from sonlearn.text.read import read_batches

    (tmp_path / "t").write_text(f"1 |a x:{word}\n")
    options = TextOptions(format="vw", constant=False)
    if ours == "refused":
        assert f"found '{word}', expected a finite number as value" in cli.error("train --quiet t")
        return
    (batch,) = read_batches(tmp_path / "t", options)
    assert ours == "text"
    slot = hash_bytes(word.encode(), hash_bytes(b"x", hash_bytes(b"a"))) & 2**18 - 1
    assert (batch.indices.tolist(), batch.values.tolist()) == ([slot], [1.0])


def test_vws_of_the_table_of_text(tmp_path, vowpalwabbit):
    """A line for each value, all in one run."""
    path = tmp_path / "t"
    path.write_text("".join(f"1 |a x:{word}\n" for word, _, _ in claims()))
    command = [sys.executable, "-m", "vowpalwabbit", "-d", str(path), "--audit", "--quiet", "--noconstant"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    wrong = []
    for (word, theirs, _), (_, *features) in zip(claims(), examples(out), strict=True):
        number = features and "^x:" in features[0]
        found = "left out" if not features else f"the number {features[0].split(':')[2]}" if number else "text"
        if found != theirs:
            wrong.append((word, theirs, found))
    assert not wrong


def examples(audited):
    """What VW prints of each example with --audit: its prediction, and its features."""
    found = []
    for line in audited.splitlines():
        if line.startswith("\t"):
            found[-1] += line.removeprefix("\t").split("\t")
        elif line:  # empty where there are no features
            found.append([line])
    return found
