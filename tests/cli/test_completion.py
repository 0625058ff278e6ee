"""``sonlearn completion``: the scripts are sound, and offer what they should where they should."""

import os
import shutil
import subprocess
import sys

import pytest
from for_all import for_all
from places import PACKAGE

from sonlearn.commands.completion import SCRIPTS, offers
from sonlearn.commands.line import parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.options.losses import LOSSES
from sonlearn.options.methods import METHODS


@pytest.fixture
def folder(tmp_path):
    """A folder with a file, from which the shells have a `sonlearn` to ask."""
    (tmp_path / "rows.svm").touch()
    (tmp_path / ".bin").mkdir()
    program = tmp_path / ".bin" / "sonlearn"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={PACKAGE.parent} exec {sys.executable} -m sonlearn "$@"\n')
    program.chmod(0o755)
    return tmp_path


def run(shell, text, *options, **more):
    """The output of `shell` running `text`."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    command = [shell, *options, "/dev/stdin"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False, **more)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_can_read_its_script(shell):
    run(shell, SCRIPTS[shell], "-n")


@for_all("verb", VERBS)
def test_every_flag_of_every_verb_is_offered(verb):
    flags = offers([verb, "-"])
    assert flags.keys() == parser_of(verb)._option_string_actions.keys()
    assert all(flags.values())


def test_what_is_no_flag_is_a_file_or_nothing_or_a_shell():
    offered = {verb: offers([verb, ""]) for verb in VERBS}
    assert offered.pop("completion").keys() == SCRIPTS.keys()
    assert offered == {verb: {} if verb in ("serve", "methods", "warm") else None for verb in offered}


#: Words on the line, the last one unfinished; what is offered (None: files).
OFFERS = [
    (["tr"], {"train"}),
    (["--v"], {"--version"}),
    (["train", "--hash"], {"--hash", "--hash_seed"}),
    (["train", "--no-pr"], {"--no-prune"}),
    (["train", "--loss", ""], set(LOSSES)),
    (["train", "--method", "oja"], {name for name in METHODS if name.startswith("oja")}),
    (["train", "-m", "4", "--on-error", "s"], {"stop", "skip"}),
    (["train", "-m", ""], set()),
    (["train", "-f", ""], None),
    (["train", ""], None),
    (["events", ""], None),
    (["completion", "z"], {"zsh"}),
    (["methods", ""], set()),
]


def asking(folder):
    home = str(folder / "home")
    path = f"{folder / '.bin'}{os.pathsep}{os.environ['PATH']}"
    return {"cwd": folder, "env": os.environ | {"PATH": path, "HOME": home, "XDG_CONFIG_HOME": home}}


def bash_offers(line, folder):
    words = " ".join(f"'{word}'" for word in ["sonlearn", *line])
    text = f"COMP_WORDS=({words})\nCOMP_CWORD={len(line)}\ncompopt() {{ echo none; }}\n{SCRIPTS['bash']}\n_sonlearn\n"
    offered = run("bash", text + 'printf "%s\n" "${COMPREPLY[@]}"\n', **asking(folder)).split()
    if not offered:
        return None  # nothing was said against files, which are what bash goes on to offer
    return set(offered) - {"none"}


def zsh_offers(line, folder):
    words = " ".join(f"'{word}'" for word in ["sonlearn", *line])
    text = (
        "compdef() { }\ncompset() { }\n_files() { print files }\n"
        "_describe() { for one in $found; do print -r -- $one; done }\n"
        f"{SCRIPTS['zsh']}\nwords=({words})\nCURRENT={len(line) + 1}\n_sonlearn\n"
    )
    offered = {line.partition(":")[0] for line in run("zsh", text, "-f", **asking(folder)).splitlines()}
    return None if offered == {"files"} else offered


def fish_offers(line, folder):
    text = f"{SCRIPTS['fish']}\ncomplete -C 'sonlearn {' '.join(line)}'\n"
    offered = {line.split("\t")[0] for line in run("fish", text, **asking(folder)).splitlines()}
    return None if "rows.svm" in offered else offered - {"home/"}


@for_all(("line", "expected"), OFFERS)
def test_what_is_offered(line, expected):
    found = offers(line)
    assert (found if found is None else set(found)) == expected


@pytest.mark.parametrize("asked", [bash_offers, zsh_offers, fish_offers])
def test_a_shell_offers_what_it_is_told(asked, folder):
    lines = [["tr"], ["train", "--hash"], ["train", "--loss", ""], ["train", "-m", ""], ["train", "-f", ""]]
    for line in lines:
        found = offers(line)
        assert asked(line, folder) == (found if found is None else set(found))
    if asked is bash_offers:  # it takes a flag with an equals sign apart
        assert asked(["train", "--loss", "=", "sq"], folder) == {"squared", "squared_hinge"}
        assert asked(["train", "--loss", "="], folder) == set(LOSSES)
    else:
        assert asked(["train", "--loss=sq"], folder) == {"--loss=squared", "--loss=squared_hinge"}
