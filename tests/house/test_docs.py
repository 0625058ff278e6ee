"""The documents against the program: commands run; every flag, default, method and kernel letter is written down."""

import ast
import dataclasses
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib

import pytest
from commands import TIMING, in_this_process, tokens
from for_all import for_all
from places import ROOT

from sonlearn.commands.line import parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.losses import LOSSES
from sonlearn.options.members import CLASS_MEMBERS, MEMBERS, VALUE_MEMBERS, word_members
from sonlearn.options.methods import METHODS, PAPERS
from sonlearn.options.spec import flags

#: Where users read.
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: Where the project's files are for a reader of the README elsewhere.
PUBLISHED = "https://github.com/sonlearn/sonlearn/blob/main/"
#: What else names files of the project.
DOCUMENTS = [
    *PAGES,
    ROOT / "DEVELOPERS.md",
    *sorted((ROOT / ".github").rglob("*.md")),
    *sorted((ROOT / "bench").rglob("*.md")),
    ROOT / "data" / "README.md",
]
#: By title of their group, which is the title of the table in docs/flags.md, and by names.
FIELDS = {(title, flags(field)): field for v in VERBS.values() for title, group in v.groups for field in group}


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(page, language):
    """The blocks of code in that language, but doctests, which are tests of their own."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [block for block in found if not block.startswith(">>>")]


def pages_with(language):
    """A parameter `page` for each page that has such blocks."""
    return pytest.mark.parametrize("page", [p for p in PAGES if blocks(p, language)], ids=lambda page: page.name)


# ------------------------------------------------------------------------------------------------- flags


def table_row(title, names):
    """The cells of the row that begins with these names, in the table of that title."""
    tables = [part.split("\n\n")[0] for part in read("docs/flags.md").split(f"\n| {title} | default | |\n")[1:]]
    assert len(tables) == 1, f"expected one table of docs/flags.md with the title {title}"
    start = "| " + ", ".join(f"`{name}`" for name in names) + " |"
    rows = [line for line in tables[0].splitlines() if line.startswith(start)]
    assert len(rows) == 1, f"expected one row of the table {title} in docs/flags.md beginning with {start}"
    return cells(rows[0])


def cells(line):
    """The cells of a table's row."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@for_all("place", FIELDS)
def test_every_flag_has_a_row_with_its_default(place):
    field = FIELDS[place]
    names = flags(field)
    if (field.default is True or field.metadata.get("switch")) and not names[0].startswith("--no"):
        names = (*names, "--no-" + names[0].removeprefix("--"))
    default = table_row(place[0], names)[1]
    if isinstance(field.default, bool):
        assert default == ("on" if field.default and not names[0].startswith("--no") else "off")
    elif field.metadata.get("general", field.default) in (None, (), ""):
        assert default == "none"
    else:
        assert default.startswith("`")
        assert default.endswith("`")
        stated = default.strip("`")
        general = field.metadata.get("general", field.default)
        if isinstance(general, int | float):
            assert math.isclose(float(stated), general, rel_tol=0)
        else:
            assert stated == general


@for_all("verb", VERBS)
def test_every_flag_of_every_verb_occurs(verb):
    text = read("docs/flags.md")
    for name in parser_of(verb)._option_string_actions:
        if name not in ("-h", "--help"):
            assert f"`{name}`" in text, name


@for_all("page", [p for p in PAGES if not p.name.startswith("vw-")])
def test_no_flag_is_mentioned_that_does_not_exist(page):
    known = {name for verb in VERBS for name in parser_of(verb)._option_string_actions}
    others = {"--OjaNewton", "--adaptive", "--coin", "--binary", "--version", "--alhpa", "--loss_function"}
    lines = page.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not re.search("pip install|python (bench|docs)/|curl ", line))
    for name in re.findall(r"(?<![\w-])--[a-zA-Z][\w-]*", text):
        assert name in known | others, name


@for_all("place", FIELDS)
def test_every_flag_has_help(place):
    assert len(FIELDS[place].metadata["help"]) > 5


def test_every_extra_is_explained():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    for extra in extras.keys() - {"test", "peers"}:
        assert re.search(rf"^\|.*`{extra}`.*\|", read("docs/formats.md"), re.MULTILINE), extra


def table_below(text, header):
    """{first cell: further cells} of the table with that header."""
    lines = text.split(f"\n{header}\n")[1].split("\n\n")[0].splitlines()[1:]
    return {first: rest for first, *rest in map(cells, lines)}


def test_every_method_has_its_row():
    expected = {}
    for name, entry in METHODS.items():
        short = f" (`--sketch {entry.sketch}`)" if entry.sketch else ""
        expected[f"`{name}`{short}"] = [entry.about, entry.source, entry.cost, entry.when]
    text = read("docs/methods.md")
    stated = table_below(text, "| method | what it is | from | time an example | when |")
    assert stated == expected
    assert list(stated) == list(expected)
    for key, paper in PAPERS.items():
        assert f"\n[{key}] {paper}.\n" in text
    (flag,) = (line for line in read("docs/flags.md").splitlines() if line.startswith("| `--loss`"))
    for loss in LOSSES:
        assert f"\n| `{loss}` |" in text
        assert f"`{loss}`" in flag


def settings(entry):
    """A member's options as they would be given on the command line."""
    flag_of = {field.name: flags(field)[-1] for field in dataclasses.fields(LearnOptions)} | {"loss": "--loss"}
    words = " ".join(f"{flag_of[option]} {plain(value)}" for option, value in entry.options.items())
    return f"`{words}`" if words else ""


def test_every_member_has_its_row():
    text = read("docs/methods.md")
    expected = {f"`{n}`": [plain(e.gain), plain(e.weight), settings(e)] for n, e in MEMBERS.items()}
    assert table_below(text, "| member | gain | weight at first | settings |") == expected
    expected = {f"`{n}`": [settings(e)] for n, e in VALUE_MEMBERS.items()}
    assert table_below(text, "| member for values | settings |") == expected
    assert {e.gain for e in VALUE_MEMBERS.values()} == {1.0}
    assert read("README.md").count(f" {len(MEMBERS)} members") == 1


def test_every_member_of_several_classes_is_in_their_table():
    stated = set()
    for names, (what,) in table_below(read("docs/classes.md"), "| member | what it is |").items():
        views = re.findall("`(.+?)`", what.partition("; on ")[2]) or ["VIEW"]
        stated |= {name.replace("VIEW", view) for name in re.findall("`(.+?)`", names) for view in views}
    assert stated == CLASS_MEMBERS.keys() | {each.name for each in word_members("logistic", several=True)}


def plain(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


# ------------------------------------------------------------------------------------------------- code blocks


def prepared(folder):
    """(the folder with the samples and `sonlearn` as a command, the environment for it)."""
    shutil.copytree(ROOT / "data", folder / "data")
    (folder / "bin").mkdir()
    command = folder / "bin" / "sonlearn"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m sonlearn "$@"\n')
    command.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return folder, os.environ | {"PYTHONPATH": str(ROOT), "PATH": path}


@pytest.fixture
def place(tmp_path):
    """See `prepared`."""
    return prepared(tmp_path)


def same(ours, theirs):
    ours, theirs = tokens(ours), tokens(theirs)
    return len(ours) == len(theirs) and all(
        a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=1e-4, abs_tol=2e-4))
        for a, b in zip(ours, theirs, strict=True)
    )


def check_output(ours, theirs):
    """Lines one by one; ``...`` stands for any number of lines."""
    at = 0
    skip = False
    for line in theirs:
        if line == "...":
            skip = True
            continue
        if skip:
            matches = [i for i in range(at, len(ours)) if same(ours[i], line)]
            assert matches, f"no line like {line!r} in {ours[at:]}"
            at = matches[0]
        assert at < len(ours), f"no more output where {line!r} is expected"
        assert same(ours[at], line), (ours[at], line)
        at, skip = at + 1, False
    assert skip or at == len(ours), ours[at:]


def in_a_shell(command, environment, **more):
    """What a command prints, on both streams."""
    return subprocess.run(
        ["/bin/sh", "-c", command], env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more,
    ).stdout  # fmt: skip


def in_turn(command, environment):
    """What a pipe of commands prints, one after the other: to start a process takes longer than most of `sonlearn`."""
    passed, said = "", ""
    for stage in command.split(" | "):
        if re.fullmatch(r"sonlearn [^|&<>$*`]+", stage):
            _, passed, more = in_this_process(shlex.split(stage)[1:], passed)
        else:
            given = {"env": environment, "input": passed, "capture_output": True, "text": True, "check": False}
            done = subprocess.run(["/bin/sh", "-c", stage], **given)
            passed, more = done.stdout, done.stderr
        said += more
    return said + passed


@pytest.mark.skipif(os.name != "posix", reason="the commands are for a POSIX shell")
@pages_with("console")
def test_the_commands_print_what_a_page_says(page, place, monkeypatch):
    """Those of the README as a user runs them, of other pages `sonlearn` in this process."""
    monkeypatch.chdir(place[0])
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *expected = part.splitlines()
            whole = page.name == "README.md" or re.search("[;()&]", command)
            printed = (in_a_shell if whole else in_turn)(command, place[1])
            assert "Traceback" not in printed
            check_output([line for line in printed.splitlines() if not line.startswith(TIMING)], expected)


@pages_with("python")
def test_the_python_of_a_page_runs(page, place, monkeypatch, capsys):
    monkeypatch.chdir(place[0])
    namespace = {}
    for block in blocks(page, "python"):
        exec(compile(block, page.name, "exec"), namespace)
    assert capsys.readouterr().out.startswith("2000 " if page.name == "README.md" else "[")


def test_the_readme_has_blocks_that_run():
    """So that a change of their marks does not silence the tests above."""
    assert sum(block.count("\n$ ") + 1 for block in blocks(ROOT / "README.md", "console")) >= 10
    assert len(blocks(ROOT / "README.md", "python")) >= 2


def test_the_two_commands_are_there():
    install, test = blocks(ROOT / "README.md", "sh")
    assert "pip install -q ." in install
    assert "sonlearn train" in install
    assert "pip install -q '.[test]'" in test
    assert test.strip().endswith("python -m pytest -n auto --dist loadfile")
    assert len(install.strip().splitlines()) == len(test.strip().splitlines()) == 1
    for path in re.findall(r"data/\S+", install):
        assert (ROOT / path).exists()


@for_all("document", DOCUMENTS)
def test_files_that_the_documents_name_exist(document):
    text = document.read_text(encoding="utf-8")
    for name in re.findall(r"`((?:sonlearn|tests|data|docs|bench)/[\w/.]+|[A-Z]+\.md)`", text):
        assert name == "bench/out" or (ROOT / name).exists(), name  # benches write there
    for link in re.findall(r"\]\(([\w./-]+)\)", text):
        assert (document.parent / link).exists(), link
    for link in re.findall(rf"\]: {re.escape(PUBLISHED)}([\w./-]+)$", text, re.MULTILINE):
        assert (ROOT / link).exists(), link


def test_the_readme_can_be_read_elsewhere():
    """On a package index a link to a file of the project must be whole."""
    assert not re.findall(r"\]\((?!https?:)[^)]+\)", read("README.md"))
    assert f"]: {PUBLISHED}docs/index.md\n" in read("README.md")


def test_developers_are_shown_every_folder_and_a_test_of_it():
    table = table_below(read("DEVELOPERS.md"), "| folder | what it does | a test to begin with |")
    package = ROOT / "sonlearn"
    found = [p.parent.relative_to(ROOT).as_posix() for g in ("*", "learn/*") for p in package.glob(f"{g}/__init__.py")]
    assert len(found) > 15
    assert [name for name in found if f"`{name}/`" not in "".join(table)] == []
    assert all(re.match(r"`tests/\w+/test_\w+\.py`", test) for _, test in table.values())


def test_what_developers_are_shown_stands_in_the_code():
    """Each line of the entries in "Five lines", and each name of the code in backquotes."""
    text = read("DEVELOPERS.md")
    sources = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "sonlearn").rglob("*.py")))
    shown = re.findall("^ {4}(.+)$", text.split("## Five lines")[1].split("\n## ")[0], re.MULTILINE)
    lines = [line.strip() for line in shown]
    assert len(lines) >= 10
    assert [line for line in lines if line not in sources] == []
    names = re.findall(r"`(_?[A-Za-z]\w*(?:\.[a-z_]\w*)?)`", text)
    known = {"vVERSION", "chromium", *re.findall(r"\w+", sources + read("tests/conftest.py") + read("pyproject.toml"))}
    files = {path.name for path in ROOT.iterdir()}
    assert [name for name in names if name not in files and not set(name.split(".")) <= known] == []


# ------------------------------------------------------------------------------------------------- letters

#: Names that mean the same in every language, and need no row.
EVERYDAY = set("ijk")


def kernel_letters():
    """{letter: file} of the single-letter names in functions that are compiled."""
    found = {}
    for path in (ROOT / "sonlearn").rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef):
                continue
            decorators = {ast.unparse(d).split("(")[0].split(".")[-1] for d in function.decorator_list}
            if not decorators & {"jit", "inline"}:
                continue
            names = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
            nodes = (node for node in ast.walk(function) if isinstance(node, ast.Name))
            names |= {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
            found |= {name: path.name for name in names if len(name) == 1}
    return found


def test_every_letter_in_a_kernel_is_in_the_notation():
    letters = kernel_letters()
    assert len(letters) > 5
    rows = (ROOT / "sonlearn" / "NOTATION.md").read_text(encoding="utf-8").splitlines()
    cells = [re.split(r"(?<!\\)\|", row)[1] for row in rows if row.startswith("|")]
    listed = {name for cell in cells for name in re.findall(r"`(\w)`", cell)}
    missing = {name: file for name, file in letters.items() if name not in listed | EVERYDAY | {"_"}}
    assert not missing


def test_fields_of_the_learners_options_are_documented():
    named = {field.name for field in FIELDS.values()}
    assert {f.name for c in (LearnOptions, TextOptions) for f in dataclasses.fields(c)} <= named
