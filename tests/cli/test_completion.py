"""``sonlearn completion``: the scripts are sound, know every flag, and offer what they should where they should."""

import os
import shutil
import subprocess
import sys

import pytest
from for_all import for_all
from places import ROOT

from sonlearn.commands.completion import SHELLS, _operand, script
from sonlearn.commands.parser import parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.options.losses import LOSSES
from sonlearn.options.methods import METHODS


def run(shell, text, *options, **more):
    """The output of `shell` running `text`."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [shell, *options, "/dev/stdin"], input=text, capture_output=True, text=True, timeout=60, check=False, **more
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_read_its_script(shell):
    run(shell, script(shell), "-n")


@pytest.mark.parametrize("shell", SHELLS)
@for_all("verb", VERBS)
def test_every_flag_of_every_verb_occurs(shell, verb):
    text = script(shell)
    part = {
        "bash": lambda: next(line for line in text.splitlines() if line.startswith(f"        {verb}) words=")),
        "zsh": lambda: text.split(f"    {verb})\n")[1].split(";;\n")[0],
        "fish": lambda: "\n".join(line for line in text.splitlines() if f"'__sonlearn_verb {verb}'" in line),
    }[shell]()
    for name in parser_of(verb)._option_string_actions:
        if shell == "fish":
            expected = f" -l {name[2:]} " if name.startswith("--") else f" -s {name[1:]} "
        else:
            expected = {"zsh": f"){name}", "bash": name}[shell]
            if shell == "zsh" and name in ("-d", "--data"):
                expected = f"*{name}"
        assert expected in part, name


def test_what_is_no_flag_is_told_by_the_usage():
    assert {verb: _operand(verb)[0] for verb in ("train", "methods", "warm", "inspect", "report")} == {
        "train": "DATA", "methods": None, "warm": None, "inspect": "MODEL", "report": "RUN.jsonl",
    }  # fmt: skip
    assert _operand("completion")[1] == tuple(SHELLS)


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
    (["completion", "z"], {"zsh"}),
    (["methods", ""], set()),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rows.svm").touch()
    return tmp_path


def bash_offers(line, folder):
    words = " ".join(f"'{word}'" for word in ["sonlearn", *line])
    text = f"COMP_WORDS=({words})\nCOMP_CWORD={len(line)}\ncompopt() {{ echo none; }}\n{script('bash')}\n_sonlearn\n"
    offered = run("bash", text + 'printf "%s\\n" "${COMPREPLY[@]}"\n', cwd=folder).split()
    if not offered:
        return None  # nothing was said against files, which are what bash goes on to offer
    return set(offered) - {"none"}


def fish_offers(line, folder):
    text = f"{script('fish')}\ncomplete -C 'sonlearn {' '.join(line)}'\n"
    environment = os.environ | {"HOME": str(folder / "home"), "XDG_CONFIG_HOME": str(folder / "home")}
    offered = {line.split("\t")[0] for line in run("fish", text, cwd=folder, env=environment).splitlines()}
    return None if "rows.svm" in offered else offered - {"home/"}


@pytest.mark.parametrize(
    ("line", "expected"), OFFERS, ids=lambda part: " ".join(part) if isinstance(part, list) else ""
)
@pytest.mark.parametrize("offers", [bash_offers, fish_offers])
def test_what_is_offered(offers, line, expected, folder):
    assert offers(line, folder) == expected


def test_bash_takes_a_flag_with_an_equals_sign_apart(folder):
    assert bash_offers(["train", "--loss", "=", "sq"], folder) == {"squared", "squared_hinge"}
    assert bash_offers(["train", "--loss", "="], folder) == set(LOSSES)


def test_it_answers_without_numbers():
    """What takes long to import is not imported, so that a shell's start does not wait."""
    text = "import sys, sonlearn.cli as c; c.main(['completion', 'bash']); print({'numba', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == script("bash") + "set()\n"
