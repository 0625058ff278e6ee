"""``sonlearn vw ...``: a whole command line of Vowpal Wabbit as one of ours.

What is harmless is left out, what has another name here is renamed, the nearest is taken in the place of what is not
here, and the flags of learning decide the method that takes them. What cannot be done is refused, all of it in one
message, and nothing is run. Imports neither numpy nor numba.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from sonlearn.commands.line import parser_of
from sonlearn.errors import OptionError
from sonlearn.options import vw_flags
from sonlearn.options.bandit import OF_WIDTHS
from sonlearn.options.conflicts import CLIPPED_TO_LABELS
from sonlearn.options.methods import METHODS


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Left out: nothing changes without them.
HARMLESS = _names(f"{' '.join(vw_flags.HARMLESS)} --no_stdin --onethread --random_seed --log_level")
#: Flags that are the same here: those that have no value, and those that have one.
_TAKEN = {
    "--" + name[2:].replace("-", "_"): action.nargs != 0
    for name, action in parser_of("train")._option_string_actions.items()
}
_SAME = {name for name, support in vw_flags.FLAGS.items() if support.is_same and name in _TAKEN}
VALUES = {name for name in _SAME if _TAKEN[name]} | {"--log-json"}  # which stands for another
SWITCHES = _SAME - VALUES
#: Flags that say that decisions are learned, and rules of exploration that are flags there.
DECISIONS = _names("--cb --cb_explore --cb_adf --cb_explore_adf --cbify")
EXPLORING = _names("--cb_explore --cb_explore_adf --cbify")  # by VW's default with epsilon .05
RULES = {"--squarecb": "squarecb", "--softmax": "softmax", "--epsilon": "epsilon"}
_ONE_RULE = "what explores has one rule"
#: Of these decisions take none.
OF_PASSES = _names("--passes --cache --cache_file --holdout_off --holdout_period --holdout_after --early_terminate")
#: Passes without a fall of the holdout loss after which VW ends, if it is not told.
EARLY_STOP_PASSES = 3
#: By long name: what is taken in a flag's place; those in whose place the committee learns; those left out; and why.
NEAREST, COMMITTEE, NEEDLESS = vw_flags.NEAREST, vw_flags.NEAREST_COMMITTEE, vw_flags.NEEDLESS
#: Flags whose place in our line is behind the others, or in another flag.
SAID_LATER = _names("--daemon --port --named_labels --squarecb --softmax --explore")
#: Which step it is to be.
STEPS = _names("--adaptive --invariant --normalized --sgd --ftrl --coin --OjaNewton")
#: The method with these steps; None: whichever takes the other flags.
_OF_STEPS = {
    "": None, "--sgd": "sgd", "--ftrl": "ftrl", "--coin": "coin", "--OjaNewton": "rfd-son", "--adaptive": "adagrad",
    "--adaptive --normalized": "nag", "--adaptive --invariant --normalized": "nag",
}  # fmt: skip
#: Parts of VW's default step; the committee learns where no method has just these.
_PARTS = {"--adaptive", "--invariant", "--normalized"}
#: Methods by preference, where flags of learning decide.
_METHODS = ("committee", "nag", "adagrad", "sgd", "ftrl", "coin", "rfd-son")
_OF_METHODS = ("learning_rate", "power_t", "l1", "l2", "ftrl_alpha", "ftrl_beta", "sketch_size", "alpha")
#: The method with the steps of VW's default, and flags without which it is nearer to VW than another method with them.
_DEFAULT, _LESS = "nag", {"l1"}


class Word(NamedTuple):
    """A flag of the line as it was written, its long name, and its value (None: it has none); or data: no name."""

    written: str
    name: str
    value: str | None


class Translated(NamedTuple):
    """A line of ours, the verb first, the harmless flags that were left out, and what is to be said of others."""

    arguments: list[str]
    left_out: list[str]
    warnings: list[str]


#: What of a line cannot be done: flags, or several that do not go together, by reason.
Problems = defaultdict[str, list[str]]


def refuse(problems: Problems) -> None:
    """Raise OptionError, if there are any problems: all in one line."""
    if problems:
        shown = "; ".join(f"{', '.join(written)} ({why})" for why, written in problems.items())
        raise OptionError(f"vw: this cannot be done here: {shown}")


def translate(arguments: list[str]) -> Translated:
    """A command line of VW, without its ``vw``, as one of ours. Raises OptionError, which names all that cannot be."""
    problems, warnings, read = Problems(list), [], list(_words(arguments))
    names = {word.name for word in read}
    steps = names & STEPS
    replaced = bool(names & COMMITTEE.keys()) or (steps <= _PARTS and " ".join(sorted(steps)) not in _OF_STEPS)
    words = _with_nearest(read, names, replaced, warnings)
    given = {word.name: word.value for word in words if word.name}
    rule, out, left = _rule(given), [], []
    for word in words:
        if not word.name:
            out.append(word.written)
        elif word.name in HARMLESS or (word.name == "--cache" and "--cache_file" not in given):
            left.append(word.written)
        elif word.name in OF_PASSES and DECISIONS & given.keys():
            once = "decisions are learned once, in their order"
            warnings += [_left_out([_shown(word.written, word.value)], once)] * (word.name == "--passes")
            left.append(word.written)
        elif word.name in STEPS | SAID_LATER:
            if rule is not None and RULES.get(word.name, rule) != rule:
                warnings.append(_left_out([_shown(word.written, word.value)], _ONE_RULE))
        elif word.name == "--cb_explore_adf" and "--cbify" in given:
            left.append(word.written)
        elif word.name == "--driver_output_off":
            out.append("--quiet")
        elif word.name == "--link" and "--oaa" in given:
            warnings.append(_left_out([_shown(word.written, word.value)], "classes have labels, or --probabilities"))
        elif word.name == "--oaa" and "--named_labels" in given:
            out += ["--classes", "auto"]
        elif word.name == "--epsilon" and rule not in (None, "epsilon") and word.value is not None:
            out += ["--min-probability", word.value]  # VW's: divided among all actions
        elif word.name in SWITCHES and word.value is None:
            out.append(word.written)
        elif word.name in VALUES and word.value is not None:
            out += [word.name, word.value]
        else:
            problems[_why(word)].append(word.written)
    if "--daemon" in given:
        return Translated(_served(given, problems), left, warnings)
    passes = given.get("--passes") or ""
    if passes.isdecimal() and int(passes) > EARLY_STOP_PASSES:
        told = given.keys() & (DECISIONS | {"--early_terminate", "--holdout_off"})
        out += [] if told else ["--early_terminate", str(EARLY_STOP_PASSES)]
    out += [] if rule is None else ["--explore", rule]
    more, less, why = _learning(given, replaced or rule in OF_WIDTHS, problems)
    if less:
        warnings.append(_left_out([_shown(name, given[name]) for name in less], why))
    for name in less:
        if name in out:
            at = out.index(name)
            del out[at : at + 2]
    if more[:2] == ["--method", "sgd"] and given.get("--power_t") != "0":
        warnings.append("--sgd: steps are l t^-p, and VW's l (t + 1)^-p: the first ones are longer here")
    if more[:2] == ["--method", "rfd-son"]:
        warnings.append(f"--OjaNewton: --sketch rfd learns in its place: {vw_flags.WHY_RFD}")
    refuse(problems)
    return Translated(["train", *out, *more], left, warnings)


def _with_nearest(words: list[Word], names: set[str], replaced: bool, warnings: list[str]) -> list[Word]:
    """The line with the nearest in the place of what is not here; what that changes is added to the warnings."""
    decides, out, without = names & DECISIONS, list[Word](), defaultdict[str, list[str]](list)
    impossible = {"--explore": not names & EXPLORING, "--invert_hash": decides or replaced}
    for word in words:
        written = _shown(word.written, word.value)
        if word.name in NEAREST:
            ours, why = NEAREST[word.name]
            flag, value = ours.split(" ")
            if impossible.get(flag):
                out.append(word)  # which is refused
                continue
            if flag == "--explore" and flag in (each.name for each in out):
                without[_ONE_RULE].append(written)
                continue
            if flag == "--invert_hash" and flag in names:
                without[f"{flag} has the weights"].append(written)
                continue
            value = word.value if value.isupper() else value
            out.append(Word(word.written, flag, value))
            warnings.append(f"{written} is not here; the nearest is {flag} {value}: {why}")
        elif word.name in COMMITTEE:
            why = "two reward models learn" if decides else COMMITTEE[word.name]
            warnings.append(f"{written} is not here; {why}")
        elif word.name in NEEDLESS:
            without[NEEDLESS[word.name]].append(written)
        else:
            out.append(word)
    warnings += [_left_out(written, why) for why, written in without.items()]
    return out


def _shown(flag: str, value: str | None) -> str:
    return flag if value is None else f"{flag} {value}"


def _left_out(written: list[str], why: str) -> str:
    return f"{', '.join(written)} {'was' if len(written) == 1 else 'were'} left out: {why}"


def _rule(given: dict[str, str | None]) -> str | None:
    """Return how a line of decisions explores; None: it does not, or its model says it."""
    explores = "--initial_regressor" not in given and EXPLORING & given.keys()
    named = given.get("--explore") or next((rule for flag, rule in RULES.items() if flag in given), None)
    return (named or ("epsilon" if explores else None)) if DECISIONS & given.keys() else None


def _words(arguments: list[str]) -> Iterator[Word]:
    """The line taken apart: values go to their flags."""
    rest = list(arguments)
    while rest:
        written = rest.pop(0)
        if not written.startswith("-") or written == "-":
            yield Word(written, "", None)
            continue
        head, equals, tail = written.partition("=")
        value: str | None = tail if equals else None
        if not head.startswith("--") and len(head) > 2:  # -b18, -l0.5
            head, value = head[:2], head[2:] + equals + tail
        name = vw_flags.SHORT.get(head, "--" + head[2:].replace("-", "_") if head.startswith("--") else head)
        if value is None and rest and not rest[0].startswith("--") and _has_value(name, rest[0]):
            value = rest.pop(0)
        yield Word(head, name, value)


def _has_value(name: str, after: str) -> bool:
    """Return whether a flag takes what stands behind it; one that cannot be done here, if that is no flag or file."""
    if name in VALUES or name in ("--port", "--named_labels"):
        return True
    if name in SWITCHES | STEPS | SAID_LATER | vw_flags.VALUELESS:
        return False
    if name in HARMLESS | NEAREST.keys() | COMMITTEE.keys() | NEEDLESS.keys():
        return True
    return not (after.startswith("-") and after[1:2].isalpha()) and not os.path.exists(after)


def _why(word: Word) -> str:
    if word.name in VALUES | SWITCHES:
        return "its value is missing" if word.value is None else "it has no value"
    answer = vw_flags.flag_support(word.name)
    return "vw --help of 9.11 does not list it" if answer is None else answer.text


def _learning(given: dict[str, str | None], replaced: bool, problems: Problems) -> tuple[list[str], list[str], str]:
    """Flags of what learns, flags of the line that are to be left out, and why.

    Where the nearest was taken (`replaced`) it has steps of its own. So have decisions where the line sets no steps.
    """
    wanted = [f"--{name}" for name in _OF_METHODS if f"--{name}" in given] + sorted(STEPS & given.keys())
    decides = DECISIONS & given.keys()
    if replaced or (decides and not wanted):
        wanted += ["--loss_function"] * bool(decides and "--loss_function" in given)
        return _loss(given, None), wanted, "what learns here has its own"
    method, less = _method(given, problems)
    takers = ", ".join(taker for name in less for taker in _takers(name))
    why = f"--method {_DEFAULT}, which has the steps of VW's default, does not take it; {takers} would"
    return method + _loss(given, method[1] if method else None), [f"--{name}" for name in less], why


def _loss(given: dict[str, str | None], method: str | None) -> list[str]:
    """Flags of VW's loss with this method, if it is one; of decisions also those of what VW learns of a log."""
    decides, out = DECISIONS & given.keys(), list[str]()
    if decides and method is None:
        return out
    if decides and "--cb_type" not in given:
        out = ["--cb_type", "mtr" if decides & {"--cb_adf", "--cb_explore_adf"} else "dr"]  # VW's defaults
    if "--initial_regressor" in given:
        return out
    one_committee = "--oaa" in given and method is None
    out += [] if "--loss_function" in given or one_committee else ["--loss", "squared"]
    logarithm = given.get("--loss_function") in ("logistic", "poisson")
    if method is None and (one_committee or logarithm):
        return out  # the committee has its own
    if (method or "committee") in CLIPPED_TO_LABELS and not {"--min_prediction", "--max_prediction"} & given.keys():
        out += ["--clip", "50" if logarithm else "1" if "--oaa" in given else "labels"]  # VW's bounds
    return out


def _method(given: dict[str, str | None], problems: Problems) -> tuple[list[str], list[str]]:
    """Flags of the one method that takes those of the line, its name second; options to be left out."""
    steps = sorted(STEPS & given.keys())
    wanted = [name for name in _OF_METHODS if f"--{name}" in given]
    alone = DECISIONS & given.keys() or "--invert_hash" in given or {"--oaa", "--l2"} <= given.keys()
    single = _METHODS[1:] if alone else _METHODS
    able = [name for name in single if all(option in METHODS[name].takes for option in wanted)]
    if " ".join(steps) not in _OF_STEPS:
        problems["there is no method with these steps"].append(" with ".join(steps))
        return [], []
    method, spelt = _OF_STEPS[" ".join(steps)], " and ".join(_spelt(name) for name in wanted)
    less = [name for name in wanted if name not in METHODS[_DEFAULT].takes]
    if method in (None, _DEFAULT) and not {"committee", _DEFAULT} & set(able) and set(less) <= _LESS:
        able = [_DEFAULT]
    if able != [_DEFAULT]:
        less = []
    if method is None and not able:
        takers = "; ".join(f"{_spelt(name)}: {', '.join(_takers(name))}" for name in wanted)
        problems[f"no one method takes them; {takers}"].append(spelt)
    elif method is not None and method not in able:
        problems[f"{' '.join(steps)} is --method {method}, which does not take all of it"].append(spelt)
    elif method is None:
        method = able[0]
    out = [] if method in (None, "committee") or "--initial_regressor" in given else ["--method", method]
    if out and method == "ftrl" and "--ftrl_beta" not in given:
        out += ["--ftrl_beta", "1"]  # VW's default
    if out and "--invariant" not in steps and "--normalized" in steps:
        out.append("--no-invariant")
    if out and steps in (["--sgd"], ["--adaptive"]) and "--learning_rate" not in given:
        out += ["--learning_rate", "10"]  # VW's default of steps other than its default ones
    return out, less


def _spelt(name: str) -> str:
    return "-l" if name == "learning_rate" else f"--{name}"


def _takers(name: str) -> list[str]:
    return [f"--method {method}" for method in _METHODS[1:] if name in METHODS[method].takes]


def _served(given: dict[str, str | None], problems: Problems) -> list[str]:
    """The line of a daemon: it answers, and does not learn with ``-t``."""
    model = given.get("--initial_regressor")
    if model is None:
        problems["a server needs a model: sonlearn train makes it"].append("--daemon without -i")
    if "--testonly" not in given and given.get("--final_regressor") is None:
        problems["what a server learns has to be saved"].append("--daemon without -t or -f")
    refuse(problems)
    out = ["serve", "-i", str(model), "--port", "none", "--tcp", given.get("--port") or "26542"]
    if "--testonly" not in given:
        out += ["--learn", "-f", str(given["--final_regressor"])]
    return out + ["--quiet"] * ("--quiet" in given)
