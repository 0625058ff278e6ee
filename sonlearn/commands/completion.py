"""``sonlearn completion``: what the Tab key offers in a shell.

The script that it prints has the shell ask at each Tab: ``sonlearn completion SHELL -- sonlearn WORDS``, where the last
of the words is unfinished. So what is offered is what the installed version takes. Imports neither numpy nor numba,
since somebody waits.
"""

from __future__ import annotations

import re

from sonlearn.commands.line import Line, parser_of
from sonlearn.commands.verbs import VERBS
from sonlearn.errors import OptionError, shorten

#: The answer where the name of a file is wanted, and what stands for one in usages and in flags' values.
FILES, _FILES = "files", ("DATA", "FILE", "MODEL", "RUN.jsonl", "LOG")
_BEFORE_ABOUT = {"zsh": ":", "fish": "\t"}
_GENERAL = {"--help": "list the verbs", "--version": "print the version"}

#: Where nothing is said against it, bash and fish offer files.
SCRIPTS = {
    "bash": r"""# Completion of sonlearn for bash, from: sonlearn completion bash
_sonlearn() {
    local IFS=$'\n'
    COMPREPLY=($(sonlearn completion bash -- sonlearn "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    if [[ ${COMPREPLY[0]} == files ]]; then
        COMPREPLY=()
    else
        compopt +o default 2>/dev/null
    fi
}
complete -o default -F _sonlearn sonlearn
""",
    "zsh": r"""#compdef sonlearn
# Completion of sonlearn for zsh, from: sonlearn completion zsh
_sonlearn() {
    local -a found=(${(f)"$(sonlearn completion zsh -- sonlearn "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if [[ $found == files ]]; then
        compset -P '--*='
        _files
    else
        _describe sonlearn found
    fi
}
if [[ $funcstack[1] == _sonlearn ]]; then
    _sonlearn "$@"
else
    compdef _sonlearn sonlearn
fi
""",
    "fish": r"""# Completion of sonlearn for fish, from: sonlearn completion fish
function __sonlearn_offers
    set -l words (commandline -opc)
    set -l now (commandline -ct)
    set -g __sonlearn_found (sonlearn completion fish -- sonlearn $words[2..] "$now" 2>/dev/null)
    test "$__sonlearn_found" != files
end
complete -c sonlearn -e
complete -c sonlearn -n __sonlearn_offers -f -a '$__sonlearn_found'
""",
}


def command(line: Line) -> int:
    """Print the script of a shell, or what it has asked for; return the exit status. Raises OptionError."""
    shell, asked = line.others[:1], line.others[1:]
    if not shell or asked[:1] not in ([], ["sonlearn"]):
        raise OptionError(f"completion takes one shell ({', '.join(SCRIPTS)}), {len(line.others)} given")
    if shell[0] not in SCRIPTS:
        raise OptionError(f"completion {shorten(shell[0])}: expected one of {', '.join(SCRIPTS)}")
    if not asked:
        print(SCRIPTS[shell[0]], end="")
        return 0
    found = offers(asked[1:])
    for word, about in {FILES: ""}.items() if found is None else found.items():
        name = re.sub(r"([:\\])", r"\\\1", word) if shell[0] == "zsh" else word
        print(f"{name}{_BEFORE_ABOUT[shell[0]]}{about}" if about and shell[0] in _BEFORE_ABOUT else name)
    return 0


def offers(words: list[str]) -> dict[str, str] | None:
    """{word: what it is} of what may stand in the place of the last of `words`, which begins so; None: a file."""
    words = [word for word in words if word != "="] + [""] * (words[-1:] == ["="])  # bash makes three of --flag=value
    *before, now = words or [""]
    if not before:
        known: dict[str, str] | None = {verb: VERBS[verb].about for verb in VERBS} | _GENERAL
    elif before[0] not in VERBS:
        known = {}
    else:
        known = _of_verb(before, now)
    return None if known is None else {word: about for word, about in known.items() if word.startswith(now)}


def _of_verb(before: list[str], now: str) -> dict[str, str] | None:
    """The words behind those `before`, the first of which is a verb."""
    flags = parser_of(before[0])._option_string_actions
    name, equals, _ = now.partition("=")
    action = flags.get(name if equals else before[-1])
    if action is not None and action.nargs != 0:
        choices = VERBS[before[0]].fields[action.dest].metadata.get("choices", ())
        if not choices and action.metavar in _FILES:
            return None
        return {f"{name}=" * bool(equals) + word: "" for word in choices}
    if now.startswith("-"):
        return {name: (action.help or "").replace("%%", "%") for name, action in flags.items()}
    if before[0] == "completion":
        return dict.fromkeys(SCRIPTS, "")
    return {} if VERBS[before[0]].operand == "" else None
