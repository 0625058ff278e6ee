"""``sonlearn completion``: what the Tab key offers in a shell, written from the parsers that read the command line.

Imports neither numpy nor numba: a shell that runs this at its start waits for it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sonlearn.commands.line import Line
from sonlearn.commands.parser import parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError, shorten

#: What stands for the name of a file in usages and in flags' values.
_FILES = ("DATA", "FILE", "MODEL", "RUN.jsonl")
_GENERAL = {"--help": "list the verbs", "--version": "print the version"}


class _Flag(NamedTuple):
    """A flag of a verb: its spellings, and what may follow it."""

    names: tuple[str, ...]
    about: str
    #: What its value is called; None: it takes none.
    value: str | None
    #: The values that there are; empty: files, or anything.
    choices: tuple[str, ...]

    @property
    def takes_files(self) -> bool:
        return self.value in _FILES


def command(line: Line) -> int:
    """Print the script; return the exit status. Raises OptionError."""
    print(script(line.others[0]), end="")
    return 0


def script(shell: str) -> str:
    """The script that teaches `shell` (one of `SHELLS`) verbs, flags, their choices, and where files stand.

    Raises
    ------
    OptionError
        Another shell.
    """
    if shell not in SHELLS:
        raise OptionError(f"completion {shorten(shell)}: expected one of {', '.join(SHELLS)}")
    return "\n".join(SHELLS[shell]()) + "\n"


def _flags(verb: str) -> list[_Flag]:
    """All flags of `verb`, as its parser has them."""
    fields = {field.name: field for _, group in VERBS[verb].groups for field in group}
    found = []
    for action in parser_of(verb)._actions:
        field, takes_value = fields.get(action.dest), action.nargs != 0
        choices = tuple(field.metadata.get("choices", ())) if field and takes_value else ()
        about = (action.help or "").replace("%%", "%")
        metavar = action.dest if choices else str(action.metavar or action.dest)
        value = metavar if takes_value else None
        found.append(_Flag(tuple(action.option_strings), about, value, choices))
    return found


def _operand(verb: str) -> tuple[str | None, tuple[str, ...]]:
    """(What the words that are no flags are called in the usage, the choices that there are); None: no such words."""
    usage = re.sub(r"\[-[^]]*\]|(?<= )--?\w+ \S+", "", VERBS[verb].usage).replace("[options]", "")
    words = [word for word in usage.split()[2:] if word.strip("[].")]
    if not words:
        return None, ()
    word = words[-1].strip("[]")
    return word, tuple(word.split("|")) if "|" in word else ()


# --------------------------------------------------------------------------------------------------- bash

_BASH = """\
# Completion of sonlearn for bash, from: sonlearn completion bash
_sonlearn() {
    local verb=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} words= flags=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W VERBS -- "$cur"))
        compopt +o default 2>/dev/null
        return
    fi
    if [[ $cur == = ]]; then  # bash takes --flag=value for three words
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    case $verb,$prev in
CASES
    esac
    case $verb in
FLAGS
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
    elif [[ $words != files ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$cur"))
        compopt +o default 2>/dev/null
    fi
}
complete -o default -F _sonlearn sonlearn"""


def _bash() -> Iterator[str]:
    cases, flags = [], []
    for verb in VERBS:
        for flag in _flags(verb):
            if flag.value is None:
                continue
            pattern = " | ".join(f"{verb},{name}" for name in flag.names)
            if flag.takes_files:  # where nothing is offered, files are
                cases.append(f"        {pattern}) return ;;")
            elif flag.choices:
                words = shlex.quote(" ".join(flag.choices))
                cases.append(f'        {pattern}) COMPREPLY=($(compgen -W {words} -- "$cur")); return ;;')
            else:
                cases.append(f"        {pattern}) compopt +o default 2>/dev/null; return ;;")
        names = " ".join(name for flag in _flags(verb) for name in flag.names)
        operand, choices = _operand(verb)
        words = "files" if operand in _FILES else shlex.quote(" ".join(choices))
        flags.append(f"        {verb}) words={words} flags={shlex.quote(names)} ;;")
    text = _BASH.replace("VERBS", shlex.quote(" ".join([*VERBS, *_GENERAL])))
    yield text.replace("CASES", "\n".join(cases)).replace("FLAGS", "\n".join(flags))


# --------------------------------------------------------------------------------------------------- zsh

_ZSH = """\
#compdef sonlearn
# Completion of sonlearn for zsh, from: sonlearn completion zsh
_sonlearn() {
    if ((CURRENT == 2)); then
        local -a verbs=(
VERBS
        )
        _describe -t verbs verb verbs
        return
    fi
    local verb=$words[2]
    shift words
    ((CURRENT--))
    case $verb in
CASES
    esac
}
if [[ $funcstack[1] == _sonlearn ]]; then
    _sonlearn "$@"
else
    compdef _sonlearn sonlearn
fi"""


def _zsh() -> Iterator[str]:
    about = {verb: VERBS[verb].about for verb in VERBS} | _GENERAL
    verbs = "\n".join(f"            {shlex.quote(f'{name}:{text}')}" for name, text in about.items())
    cases = []
    for verb in VERBS:
        specs = [_zsh_spec(flag, name) for flag in _flags(verb) for name in flag.names]
        operand, choices = _operand(verb)
        if operand:
            specs.append(f"*:{_zsh_escaped(operand)}:{_zsh_values(choices, operand in _FILES)}")
        lines = " \\\n            ".join(shlex.quote(spec) for spec in specs)
        cases.append(f"    {verb})\n        _arguments \\\n            {lines}\n        ;;")
    yield _ZSH.replace("VERBS", verbs).replace("CASES", "\n".join(cases))


def _zsh_spec(flag: _Flag, name: str) -> str:
    """What ``_arguments`` is told of one spelling of a flag."""
    again = "*" if flag.names[-1] == "--data" else f"({' '.join(flag.names)})"
    about = f"[{_zsh_escaped(flag.about)}]"
    if flag.value is None:
        return f"{again}{name}{about}"
    join = "=" if name.startswith("--") else "+"
    return f"{again}{name}{join}{about}:{_zsh_escaped(flag.value)}:{_zsh_values(flag.choices, flag.takes_files)}"


def _zsh_values(choices: tuple[str, ...], files: bool) -> str:
    return "_files" if files else f"({' '.join(choices)})" if choices else " "


def _zsh_escaped(text: str) -> str:
    return re.sub(r"([][:\\])", r"\\\1", text)


# --------------------------------------------------------------------------------------------------- fish

_FISH = """\
# Completion of sonlearn for fish, from: sonlearn completion fish
function __sonlearn_verb
    set -l words (commandline -opc)
    if test (count $words) -ge 2
        test "$words[2]" = "$argv[1]"
    else
        test -z "$argv[1]"
    end
end
complete -c sonlearn -e"""


def _fish() -> Iterator[str]:
    yield _FISH
    yield "complete -c sonlearn -n '__sonlearn_verb \"\"' -f"
    for name, about in _GENERAL.items():
        yield f"complete -c sonlearn -n '__sonlearn_verb \"\"' -l {name[2:]} -d {_fish_quoted(about)}"
    for verb in VERBS:
        yield f"complete -c sonlearn -n '__sonlearn_verb \"\"' -a {verb} -d {_fish_quoted(VERBS[verb].about)}"
    for verb in VERBS:
        start = f"complete -c sonlearn -n '__sonlearn_verb {verb}'"
        operand, choices = _operand(verb)
        if operand not in _FILES:
            yield f"{start} -f" + (f" -a {_fish_quoted(' '.join(choices))}" if choices else "")
        for flag in _flags(verb):
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
            values = "" if flag.value is None else " -r -F" if flag.takes_files else " -x"
            values += f" -a {_fish_quoted(' '.join(flag.choices))}" if flag.choices else ""
            yield f"{start} {names}{values} -d {_fish_quoted(flag.about)}"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


#: The shells, and what writes their scripts.
SHELLS: dict[str, Callable[[], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
