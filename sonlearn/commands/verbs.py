"""The verbs of the command line: which dataclasses' fields are their flags, and which function runs each.

Imports neither numpy nor numba.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

from sonlearn.options import LearnOptions, RunOptions, TextOptions, run
from sonlearn.options.bandit import SHARED, BanditOptions
from sonlearn.options.learning import OUTPUT_OPTIONS
from sonlearn.options.text import NAMING, WRITTEN
from sonlearn.sketch.rules import SketchOptions

#: A title, and the fields whose flags stand below it.
Group = tuple[str, tuple[dataclasses.Field[Any], ...]]


class Verb(NamedTuple):
    """A verb of the command line."""

    usage: str
    about: str
    #: Its flags by the titles that they stand under: of all fields of a dataclass, or of (dataclass, names of some).
    flags: dict[str, Any] = {}  # noqa: RUF012
    #: The function that runs it, ``module.name`` below `sonlearn.commands`; it takes a `sonlearn.commands.line.Line`.
    #: Empty: ``command`` of the module that is called as the verb.
    run: str = ""
    #: How the words that are no flags are counted: None: there may be any number; empty: there are none; else there is
    #: one, which is called this.
    operand: str | None = None
    #: The function that runs it with ``--cluster``, which is given the `ClusterOptions` as well.
    on_cluster: str = ""
    #: Fields whose flags ``--help`` lists, for a verb that has more than a screen of them; empty: all but rare ones.
    daily: tuple[str, ...] = ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The fields that are its flags, by their titles; of a verb for a cluster also those of `ClusterOptions`."""
        every = self.flags | ({"cluster": run.ClusterOptions} if self.on_cluster else {})
        found: list[Group] = []
        for title, of in every.items():
            options, *names = of if isinstance(of, tuple) else (of,)
            fields = dataclasses.fields(options)
            found.append((title, tuple(field for field in fields if not names or field.name in names)))
        return tuple(found)

    @property
    def fields(self) -> dict[str, dataclasses.Field[Any]]:
        """The fields of all groups, by name."""
        return {field.name: field for _, group in self.groups for field in group}


def _but(options: type, *names: str) -> tuple[Any, ...]:
    """A dataclass and the names of its fields, but for some."""
    return (options, *(field.name for field in dataclasses.fields(options) if field.name not in names))


#: The options of text but that which is not one of a matrix of features, or of a file of them.
_MATRIX = _but(TextOptions, "constant")

_PREDICT = (
    "data", "initial_regressor", "predictions", "form", "raw_predictions", "probabilities", "top", "join", "examples",
    "audit", "audit_top", "audit_format", "on_error", "max_errors", "threads", "progress", "progress_bar", "log_json",
    "report", "quiet",
)  # fmt: skip

_TUNE = (
    "data", "final_regressor", "save_per_pass", "checkpoint", "checkpoint_minutes", "passes", "cache", "cache_file",
    "holdout_off", "holdout_period", "holdout_after", "join", "examples", "on_error", "max_errors", "threads",
    "progress", "progress_bar", "quiet",
)  # fmt: skip
_TABLE = ("label", "id", "weight", *NAMING)
_SERVE = ("initial_regressor", "final_regressor", "checkpoint", "checkpoint_minutes", "threads", "quiet")
_READ = ("data", "on_error", "max_errors", "threads")
_EVALUATE = (*_READ, "examples", "progress", "quiet")

#: What people use daily.
_DAILY = (
    "method", "loss", "oaa", "classes", "budget", "format", "bits", "quadratic", "label", "initial_regressor",
    "final_regressor", "testonly", "predictions", "passes", "cache", "examples", "report", "quiet",
)  # fmt: skip

VERBS = {
    "train": Verb(
        "sonlearn train [options] [DATA ...]",
        "Learn from LIBSVM, VW, JSON, CSV or Parquet, plain or compressed; no DATA or - is standard input.",
        {"learning": LearnOptions, "decisions": _but(BanditOptions, *SHARED), "text": TextOptions, "run": RunOptions},
        on_cluster="cluster.train",
        daily=_DAILY,
    ),
    "predict": Verb(
        "sonlearn predict -i MODEL [options] [DATA ...]",
        "Predict without learning: a line for each example on standard output, the loss on standard error.",
        {
            "learning": (LearnOptions, *OUTPUT_OPTIONS, "coverage"),
            "text": (TextOptions, "format", *WRITTEN),
            "run": (RunOptions, *_PREDICT),
        },
        run="train.command",
        on_cluster="cluster.train",
    ),
    "tune": Verb(
        "sonlearn tune --grid GRID [options] [DATA ...]",
        "Learn with many settings in one pass over the data, and save the model of the best.",
        {"tuning": run.TuneOptions, "learning": LearnOptions, "text": TextOptions, "run": (RunOptions, *_TUNE)},
        on_cluster="cluster.tune",
    ),
    "evaluate": Verb(
        "sonlearn evaluate -i MODEL [-i MODEL ...] [options] [DATA ...]",
        "Estimate from a log what other models of decisions would have cost, with confidence intervals.",
        {"evaluation": run.EvaluateOptions, "text": (TextOptions, "format"), "run": (RunOptions, *_EVALUATE)},
    ),
    "describe": Verb(
        "sonlearn describe [options] DATA",
        "Describe the columns of a table, and point out ids, texts and columns that give the label away.",
        {"text": (TextOptions, "format", *_TABLE, *WRITTEN), "run": (RunOptions, "join", "examples")},
        run="conversions.describe",
        operand="file of DATA",
    ),
    "vw": Verb(  # the one whose flags are not its own: `sonlearn.cli` translates them
        "sonlearn vw [flags of Vowpal Wabbit] [DATA ...]",
        "Run a command line of Vowpal Wabbit, or name all of its flags that cannot be followed (docs/vw-flags.md).",
    ),
    "convert": Verb(
        "sonlearn convert --to svmlight|vw [-o FILE] [options] [DATA ...]",
        "Write text of any format as LIBSVM or VW text. Names become slot numbers: read VW text with the same -b.",
        {"conversion": run.ConvertOptions, "text": _MATRIX, "run": (RunOptions, *_READ)},
        run="conversions.convert",
    ),
    "sketch": Verb(
        "sonlearn sketch [-o FILE] [options] [DATA ...]",
        "Sketch the matrix whose rows are the examples (labels do not count), or --merge saved sketches.",
        {
            "sketch": SketchOptions,
            "report": run.SketchRunOptions,
            "text": _MATRIX,
            "run": (RunOptions, *_READ, "quiet"),
        },
        on_cluster="cluster.sketch",
    ),
    "serve": Verb(
        "sonlearn serve -i MODEL [--port PORT] [--tcp PORT] [--learn -f MODEL]",
        "Serve predictions over HTTP, or over TCP as VW's daemon does, until Ctrl-C or SIGTERM.",
        {"server": run.ServeOptions, "run": (RunOptions, *_SERVE)},
        operand="",
    ),
    "events": Verb(
        "sonlearn events [-o FILE] [--remove DAYS] LOG",
        "Write the log of serve --events as dsjson or JSON, for train and evaluate, and remove old events from it.",
        {"events": run.EventsOptions},
        run="conversions.events",
        operand="LOG of serve",
    ),
    "methods": Verb(
        "sonlearn methods",
        "List the methods of train --method: source, cost, and when to use each.",
        run="line.methods",
        operand="",
    ),
    "warm": Verb(
        "sonlearn warm [--method NAME]",
        "Compile and store the kernels of a method, or of all, for a container image or all users of a machine.",
        {"learning": (LearnOptions, "method")},
        run="precompile.warm",
        operand="",
    ),
    "inspect": Verb(
        "sonlearn inspect [options] MODEL",
        "Show what a model or sketch file holds: options, counters, eigenvalues, the largest weights.",
        {"inspection": run.InspectOptions},
        operand="MODEL",
    ),
    "report": Verb(
        "sonlearn report [-o FILE] RUN.jsonl",
        "Make an HTML page about a run from the log of train --log-json; - is standard input.",
        {"page": run.OutputOptions},
        run="conversions.report",
        operand="RUN.jsonl",
    ),
    "completion": Verb("sonlearn completion bash|zsh|fish", "Print a script for completion in a shell."),
}
