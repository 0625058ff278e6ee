"""Checks before any work: a command refuses what could only fail, or destroy something, later.

No output of a command may be one of its inputs, or another of its outputs. Files are told by what they are, not by
their names: a symbolic or a hard link, and standard input or output that the shell has opened, are the file itself.
Devices and pipes lose nothing and may be named twice.
"""

from __future__ import annotations

import dataclasses
import glob
import importlib.util
import os
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.files import storage
from sonlearn.files.atomic import STDOUT, target_problem
from sonlearn.options import LearnOptions, RunOptions
from sonlearn.options.methods import METHODS
from sonlearn.options.spec import flags
from sonlearn.text.source import is_remote

#: Engines that are no sum of weights times features.
WITHOUT_WEIGHTS = ("committee", "mixture", "boosting", "ewma")
STDIN = ("-", "/dev/stdin")


def check_run(options: RunOptions, table: str | None = None) -> None:
    """Check the files and flags of ``train`` and ``predict``, and of ``tune`` with its `table`.

    Raises
    ------
    OptionError, ModelFileError
    """
    options.steps()
    sources = options.data or ("-",)
    if options.testonly and options.initial_regressor is None:
        raise OptionError("-t: there is no model to test; give -i MODEL")
    if options.testonly and options.passes > 1:
        raise OptionError(f"-t with --passes {options.passes}: nothing is learned, so one pass says it all")
    for flag, *_ in flags_given(options, ("save_per_pass", "checkpoint", "checkpoint_minutes", "resume")):
        if options.final_regressor is None:
            raise OptionError(f"{flag}: there is no model to save; give -f MODEL")
    if options.resume and options.testonly:
        raise OptionError("--resume with -t: nothing is learned, so there is nothing to go on with")
    if options.form != "vw" and options.predictions is None:
        raise OptionError(f"--output {options.form}: nothing is written; give -p FILE as well")
    if options.early_terminate is not None:
        _check_early(options)
    if options.holdout_after is not None and options.passes == 1:
        raise OptionError(f"--holdout_after {options.holdout_after} with one pass: expected several; give --passes N")
    cache = cache_file(options)
    if options.passes > 1 and cache is None:
        _check_read_again(options.passes, sources)
    check_stdin((*sources, options.join or ""))
    _check_audit(options)
    outputs = {
        "-p": options.predictions, "-r": options.raw_predictions, "-f": options.final_regressor, "--cache_file": cache,
        "--log-json": options.log_json, "--report": options.report, "--table": table,
        "--invert_hash": options.invert_hash,
    }  # fmt: skip
    check_binary("-f", options.final_regressor, "a model")
    check_binary("--cache_file", cache, "a cache")
    check_files(
        {"DATA": sources, "-i": options.initial_regressor, "--join": options.join}, outputs, rewritten=[("-f", "-i")]
    )
    if outputs.pop("-f") is not None:
        storage.check_target(options.final_regressor)
    for flag, name in outputs.items():
        check_target(flag, name, in_place=flag in ("-p", "-r", "--log-json"))
    if cache is not None and os.path.exists(cache) and not os.path.isfile(cache):
        raise OptionError(f"--cache_file {cache}: expected a file, for it is read again")
    if options.report in STDOUT:
        raise OptionError(f"--report {options.report}: expected a file; the page of a log goes anywhere: "
                          "--log-json FILE, then sonlearn report FILE")  # fmt: skip
    if options.progress_bar and importlib.util.find_spec("tqdm") is None:
        raise OptionError("--progress-bar: tqdm is not installed; pip install tqdm, or leave the flag out")


def flags_given(options: RunOptions, names: Collection[str]) -> Iterator[tuple[str, str, Any]]:
    """Yield (flag, name, value) of those of the fields `names` that are not as they are by default."""
    for field in dataclasses.fields(options):
        value = getattr(options, field.name)
        if field.name in names and value != field.default:
            yield flags(field)[-1], field.name, value


def check_output(options: RunOptions, learn: LearnOptions) -> None:
    """Raise OptionError for flags of a run that its learner cannot follow."""
    if options.invert_hash and METHODS[learn.method].engine in WITHOUT_WEIGHTS:
        raise OptionError(
            f"--invert_hash {options.invert_hash} with --method {learn.method}, which has no one weight for a feature: "
            "--method nag has; what moves other predictions: --audit --audit-format mean"
        )
    if options.passes > 1 and learn.label_delay:
        raise OptionError(
            f"--label-delay {learn.label_delay} with --passes {options.passes}: expected one pass; the labels "
            "of a further pass have come long ago"
        )
    if options.probabilities and learn.kind != "classes" and options.form == "vw":
        raise OptionError(
            "--probabilities: expected a model of several classes: --oaa K, --multinomial K, or --classes auto; of "
            "two classes give --output csv or jsonl as well"
        )
    if options.top is not None and (options.probabilities or learn.kind != "classes" or options.form != "vw"):
        other = "with --probabilities or --output" if learn.kind == "classes" else "of a model of no classes"
        raise OptionError(f"--top {options.top} {other}: expected several classes (--oaa K, --classes auto) alone")
    if options.form == "csv" and options.probabilities and learn.classes is not None and not options.testonly:
        raise OptionError(
            "--output csv with --probabilities: classes that come as they will have no columns yet; give --output "
            "jsonl, or predict with the model that was learned"
        )


def cache_file(options: RunOptions) -> str | None:
    """Return where the cache is kept: ``--cache_file``, or with ``-c`` beside the one file of data; None: no cache."""
    if options.cache_file is not None or not options.cache:
        return options.cache_file
    sources = options.data or ("-",)
    if len(sources) > 1:
        raise OptionError(f"-c with {len(sources)} files of data: give the cache a name with --cache_file FILE")
    (source,) = sources
    if source in STDIN or is_remote(source) or (glob.has_magic(source) and not os.path.exists(source)):
        name = "standard input" if source in STDIN else source
        raise OptionError(f"-c with {name}: give the cache a name with --cache_file FILE")
    return source + ".cache"


def check_files(
    inputs: Mapping[str, Iterable[str | None] | str | None],
    outputs: Mapping[str, str | None],
    rewritten: Iterable[tuple[str, str]] = (),
) -> None:
    """Refuse an output that is an input, or another output.

    Parameters
    ----------
    inputs, outputs : dict
        Names of files by flag; None: not given. ``-`` is standard input and standard output.
    rewritten : pairs of an output's and an input's flag that may be one file, since the input has been read to its end
        before the output is begun.

    Raises
    ------
    OptionError
    """
    known: dict[Any, tuple[str, str]] = {}
    for flag, names in inputs.items():
        for name in [names] if isinstance(names, str) else names or ():
            for path in _expanded(name):
                known.setdefault(_identity(path, STDIN, sys.stdin), (flag, path))
    known.pop(None, None)
    allowed = set(rewritten)
    written: dict[Any, tuple[str, str]] = {}
    for flag, name in outputs.items():
        key = None if name is None else _identity(name, STDOUT, sys.stdout)
        if name is None or key is None:
            continue
        if key in known and (flag, known[key][0]) not in allowed:
            raise OptionError(f"{flag} {name}: this would overwrite {_named(*known[key], name)}; give another name")
        if key in written:
            where = "standard output" if name in STDOUT else name
            raise OptionError(f"{written[key][0]} and {flag} both write to {where}; give two names")
        written[key] = (flag, name)


def check_binary(flag: str, name: str | None, what: str) -> None:
    """Refuse ``-``, which means standard output for text, as the name of a binary file."""
    if name == "-":
        raise OptionError(f"{flag} -: {what} is a binary file; give it a name")


def check_stdin(sources: Iterable[str]) -> None:
    """Refuse standard input as two of the `sources`."""
    if sum(source in STDIN for source in sources) > 1:
        raise OptionError("standard input is given twice as DATA")


def check_target(flag: str, path: str | None, in_place: bool = False) -> None:
    """Refuse a file that could not be written (see `sonlearn.files.atomic.target_problem`); standard output can be."""
    problem = "" if path is None or path in STDOUT else target_problem(path, in_place)
    if problem:
        raise OptionError(f"{flag} {path}: cannot be written: {problem}")


def _check_early(options: RunOptions) -> None:
    flag = f"--early_terminate {options.early_terminate}"
    if options.passes == 1 or options.holdout_off:
        other = "--holdout_off" if options.holdout_off else "one pass"
        raise OptionError(f"{flag} with {other}: expected several passes and examples held out; give --passes N")
    if options.resume:
        raise OptionError(f"{flag} with --resume: a model does not hold the best pass's; leave one of them out")


def _check_audit(options: RunOptions) -> None:
    """Refuse what ``--audit`` cannot be given with, and what cannot be given without it."""
    for flag, name in (("-p", options.predictions), ("-r", options.raw_predictions)):
        if options.audit and name in STDOUT:
            raise OptionError(
                f"{flag} {name} with --audit, which writes to standard output itself, each prediction included: "
                f"leave {flag} out, or give it a file"
            )
    for flag, _, value in flags_given(options, ("audit_top", "audit_format")):
        if not options.audit:
            raise OptionError(f"{flag} {value}: nothing is explained; give --audit as well")


def _check_read_again(passes: int, sources: Iterable[str]) -> None:
    for source in sources:
        if source in STDIN or (os.path.exists(source) and not os.path.isfile(source)):
            name = "standard input" if source in STDIN else source
            raise OptionError(
                f"--passes {passes}: {name} can be read only once; save it to a file and give that as DATA, or keep "
                "what was read with --cache_file FILE"
            )


def _named(flag: str, path: str, name: str) -> str:
    """The input `path`, for a message about the output `name`."""
    what = "the data" if flag == "DATA" else f"the model of {flag}" if flag == "-i" else f"the {flag}"
    return what if path == name else f"{what}, {'standard input' if path in STDIN else path}"


def _expanded(name: str | None) -> list[str]:
    """The files that `name` stands for: itself, or what matches a pattern."""
    if name is None or is_remote(name):
        return []
    return glob.glob(name, recursive=True) if glob.has_magic(name) and not os.path.exists(name) else [name]


def _identity(path: str, standard: tuple[str, ...], stream: Any) -> Any:
    """Return what tells a file from all others; None for a device or pipe; standard output is itself whatever it is."""
    ours = path in standard
    other = "standard output" if ours and standard is STDOUT else None
    try:
        status = os.fstat(stream.fileno()) if ours else os.stat(path)
    except (OSError, ValueError, AttributeError):
        return other if ours else os.path.realpath(path)
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else other
