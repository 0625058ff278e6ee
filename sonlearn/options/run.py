"""Options of runs: what belongs to one call of a verb and to no model, once, with default, range and help.

`RunOptions` are what verbs have in common; then come those that each has of its own, and those of a cluster, which
several have. Imports neither numpy nor numba. Flags are made of them in `sonlearn.commands.verbs`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.spec import check_fields, option, port_number
from sonlearn.options.text import WRITABLE

#: What -p writes.
FORMS = ("vw", "csv", "jsonl")
ON_ERROR = ("stop", "skip")
#: -P where it is not given.
COARSE = "2.0"
#: Labelled rows after which --halving begins, unless told.
FIRST_HALVING = 1000


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """What belongs to one run and not to the model: files, passes, reporting. Checked on construction: OptionError."""

    data: tuple[str, ...] = option(
        (), "read this file as well (DATA and -d may be mixed)", flags=("-d", "--data"), metavar="FILE"
    )
    initial_regressor: str | None = option(
        None, "start from this model", flags=("-i", "--initial_regressor"), metavar="MODEL"
    )
    final_regressor: str | None = option(
        None, "save the model here at the end", flags=("-f", "--final_regressor"), metavar="MODEL"
    )
    save_per_pass: bool = option(False, "save the model after every pass as well", rare=True)
    invert_hash: str | None = option(
        None, "write the weights of the model by name at the end, as VW does: name:slot:weight a line", metavar="FILE",
        rare=True,
    )  # fmt: skip
    checkpoint: int | None = option(
        None, "save the model after every N examples as well, at the end of a batch", low=1, metavar="N"
    )
    checkpoint_minutes: float | None = option(
        None, "save the model after every N minutes as well, at the end of a batch", above=0.0, metavar="N", rare=True
    )
    resume: bool = option(
        False, "continue the unfinished run that saved the model -f; begin a run if there is no such file"
    )
    testonly: bool = option(False, "predict and report the loss, learn nothing (needs -i)", flags=("-t", "--testonly"))
    predictions: str | None = option(
        None, "write one prediction a line, with its tag: of two classes log-odds (the probability: --link logistic); "
        "-: standard output", flags=("-p", "--predictions"), metavar="FILE",
    )  # fmt: skip
    form: str = option(
        "vw", "what -p writes: VW's lines, or id, label and probability", choices=FORMS, flags=("--output",)
    )
    raw_predictions: str | None = option(
        None, "write predictions before the projection onto [-C, C]", flags=("-r", "--raw_predictions"),
        metavar="FILE", rare=True,
    )  # fmt: skip
    probabilities: bool = option(False, "of several classes, -p writes the probability of each: label:p ...")
    top: int | None = option(
        None, "of several classes, -p writes the K likeliest, likeliest first: label:p ...", low=1, metavar="K"
    )
    audit: bool = option(
        False, "explain each prediction on standard output: contributions of members and features, largest first",
        flags=("-a", "--audit"),
    )  # fmt: skip
    audit_top: int = option(
        10, "with --audit: features of an example that are listed; 0: all", low=0, metavar="N", rare=True
    )
    audit_format: str = option(
        "text", "with --audit: text, or json, a line for each example; mean: mean contributions of all, at the end",
        choices=("text", "json", "mean"), rare=True,
    )  # fmt: skip
    passes: int = option(1, "go over the data N times", low=1, metavar="N")
    cache: bool = option(
        False, "keep parsed text in DATA.cache; later passes and runs read that, unless DATA has changed since",
        flags=("-c", "--cache"),
    )  # fmt: skip
    cache_file: str | None = option(
        None, "keep parsed examples in FILE; for several files, or standard input", rare=True, metavar="FILE"
    )
    holdout_off: bool = option(False, "with several passes, hold no examples out")
    holdout_period: int = option(
        10, "with several passes, hold every N-th example out of learning and report the loss on those", low=2,
        metavar="N",
    )  # fmt: skip
    holdout_after: int | None = option(
        None, "with several passes, hold all examples after the first N out instead", low=1, metavar="N", rare=True
    )
    early_terminate: int | None = option(
        None, "end after N passes in a row without a fall of the holdout loss, with the best pass's model", low=1,
        metavar="N",
    )  # fmt: skip
    join: str | None = option(
        None, "take the labels from this table, by id (--id, --label; VW text: tags, columns id and label)", rare=True,
        metavar="FILE",
    )  # fmt: skip
    examples: int | None = option(None, "read the first N examples only", low=1, metavar="N")
    on_error: str = option("stop", "a malformed line ends the run, or is left out and counted", choices=ON_ERROR)
    max_errors: int | None = option(
        None, "with --on-error skip: end the run when more lines than this are malformed", low=0, metavar="N", rare=True
    )
    threads: int | None = option(
        None, "threads that parse ahead, and that run the members; 0: the main one only (default: 1 that parses, and "
        "one for each core)", low=0, high=64, metavar="N",
    )  # fmt: skip
    progress: str | None = option(
        None, "print a row when the summed weight has grown by N (1000) or N-fold (2.0)", flags=("-P", "--progress"),
        metavar="N", general=COARSE,
    )  # fmt: skip
    progress_bar: bool = option(
        False, "on a terminal, a bar with speed and time left in place of the rows (needs tqdm)"
    )
    log_json: str | None = option(
        None, "write a row as JSON when the summed weight has grown 1.1-fold (or as -P says), at the end the results",
        metavar="FILE",
    )  # fmt: skip
    report: str | None = option(None, "at the end, write a page about the run (HTML)", metavar="FILE")
    quiet: bool = option(False, "print nothing but errors and warnings")

    def __post_init__(self) -> None:
        check_fields(self)
        if self.max_errors is not None and self.on_error == "stop":
            raise OptionError(
                f"--max-errors {self.max_errors}: the first malformed line ends a run; give --on-error skip too"
            )

    @property
    def reading(self) -> dict[str, Any]:
        """Return what readers are told: what becomes of malformed lines, and how many threads parse ahead."""
        threads = 1 if self.threads is None else self.threads
        return {"on_error": self.on_error, "max_errors": self.max_errors, "threads": threads}

    def steps(self, unless: str = COARSE) -> tuple[float, bool]:
        """``-P``'s value, `unless` it is not given, as (step, additive): a number with a point multiplies, as in VW.

        Raises OptionError.
        """
        text = self.progress or unless
        try:
            step, additive = (float(text), False) if "." in text else (float(int(text)), True)
            if (additive and step >= 1) or 1 < step < float("inf"):
                return step, additive
        except ValueError:
            pass
        raise OptionError(
            f"--progress {text}: expected a whole number (1000: a row every 1000) or a number above 1 with a point "
            "(1.5: a row at 1.5 times the last one)"
        )


@dataclasses.dataclass(frozen=True)
class TuneOptions:
    """What ``sonlearn tune`` tries, and how it chooses."""

    grid: tuple[str, ...] = option(
        (), "options of learning with the values to try, all combinations: 'alpha=.1,1 method=rfd-son,nag'; given "
        "again: further combinations", metavar="GRID",
    )  # fmt: skip
    by: str | None = option(
        None, "choose by the average loss or the average error (loss, unless the settings' losses differ)",
        choices=("loss", "error"),
    )  # fmt: skip
    halving: bool = option(False, "after N labelled rows, and at each doubling, the worse half of the settings stops")
    first_halving: int | None = option(None, "N of --halving", low=1, general=FIRST_HALVING, metavar="N")
    table: str | None = option(
        None, "write all settings with their figures here, the best first, with tabs between (FILE.csv: commas); -: "
        "standard output", metavar="FILE",
    )  # fmt: skip

    def __post_init__(self) -> None:
        if self.first_halving is not None and not self.halving:
            raise OptionError(f"--first-halving {self.first_halving}: nothing is halved; give --halving as well")
        if self.first_halving is None:
            object.__setattr__(self, "first_halving", FIRST_HALVING)


@dataclasses.dataclass(frozen=True)
class EvaluateOptions:
    """What ``sonlearn evaluate`` compares, and how."""

    models: tuple[str, ...] = option(
        (), "a model of decisions to evaluate; given again: further ones, each also compared with the first",
        flags=("-i", "--initial_regressor"), metavar="MODEL",
    )  # fmt: skip
    level: float = option(
        0.95, "each interval holds at all times with this probability", above=0.0, high=1.0, metavar="P"
    )
    cost_low: float | None = option(
        None, "no cost is below this (default: the least that the models have learned from)", metavar="C"
    )
    cost_high: float | None = option(
        None, "no cost is above this (default: the greatest that the models have learned from)", metavar="C"
    )
    floor: float | None = option(
        None, "the log's policy took every action with this probability at least; narrows the intervals of logs that "
        "have the probability of the chosen action only", above=0.0, high=1.0, metavar="P",
    )  # fmt: skip
    horizon: int | None = option(
        None, "about how many decisions there will be, said before they are seen: intervals are narrowest after as "
        "many, and hold at all times nevertheless", low=1, metavar="N",
    )  # fmt: skip
    progressive: bool = option(False, "the models learn from each decision after it was evaluated; none is saved")
    output: str = option("text", "format of the result on standard output", choices=("text", "jsonl", "csv"))

    def __post_init__(self) -> None:
        if self.level == 1.0:
            raise OptionError("--level 1: expected less than 1; no interval holds for certain")


@dataclasses.dataclass(frozen=True)
class ConvertOptions:
    """What ``sonlearn convert`` writes."""

    to: str | None = option(None, "format to write (needed)", choices=WRITABLE)
    output: str = option("-", "file to write; -: standard output", flags=("-o", "--output"), metavar="FILE")


@dataclasses.dataclass(frozen=True)
class SketchRunOptions:
    """What ``sonlearn sketch`` does with a sketch."""

    output: str | None = option(None, "save the sketch here", flags=("-o", "--output"), metavar="FILE")
    merge: bool = option(False, "DATA are saved sketches: merge them, in this order")
    error: bool = option(
        False, "measure covariance and projection error, in a second pass over the rows, which are kept in memory"
    )
    k: int = option(10, "rank of the projection that --error measures", low=1, metavar="K")
    plot: str | None = option(
        None, "draw the spectrum (.png, .svg, .pdf: needs matplotlib); -: as text", metavar="FILE"
    )
    zero_based: bool = option(False, "indices of LIBSVM text begin with 0, not 1")


@dataclasses.dataclass(frozen=True)
class ServeOptions:
    """What ``sonlearn serve`` listens to, and how much of it."""

    host: str = option(
        "127.0.0.1", "address to listen on; the default is reachable from this machine only", metavar="ADDR"
    )
    port: int | None = option(
        8080, "HTTP port; 0: any free port, none: no HTTP", parse=port_number, low=0, high=65535, metavar="PORT"
    )
    tcp: int | None = option(
        None, "TCP port that takes lines of text, as VW's --daemon does; 0: any free port",
        parse=port_number, low=0, high=65535, metavar="PORT",
    )  # fmt: skip
    learn: bool = option(False, "learn from rows with a label: POST /learn, and lines of --tcp (needs -f)")
    events: str | None = option(
        None, "log of decisions and rewards, or of rows and late labels: a database of SQLite", metavar="LOG"
    )
    max_body: int = option(8 << 20, "largest request in bytes", low=1, high=1 << 30, metavar="N")
    max_rows: int = option(1 << 17, "most rows of a request", low=1, high=1 << 30, metavar="N")
    max_features: int = option(1 << 16, "most features of a row, with interactions", low=1, high=1 << 22, metavar="N")
    connections: int = option(512, "most open connections of a port", low=1, metavar="N")
    timeout: float = option(
        30.0, "seconds for a request to arrive, and for its response to be read", above=0.0, high=3600.0, metavar="S"
    )

    @property
    def idle(self) -> float:
        """Seconds between two requests of a connection."""
        return max(self.timeout, 600.0)


@dataclasses.dataclass(frozen=True)
class OutputOptions:
    """What ``sonlearn report`` writes; ``events`` has more."""

    output: str = option("-", "file to write; -: standard output", flags=("-o", "--output"), metavar="FILE")


@dataclasses.dataclass(frozen=True)
class EventsOptions(OutputOptions):
    """What ``sonlearn events`` writes, and removes."""

    remove: float | None = option(
        None, "write only events of decisions made more than so many days ago, and remove these from the log", low=0.0,
        metavar="DAYS",
    )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class InspectOptions:
    """What ``sonlearn inspect`` prints."""

    top: int | None = option(None, "largest weights to list (as text 20 if not given, as JSON all)", low=0, metavar="N")
    json: bool = option(False, "print JSON, for programs")


@dataclasses.dataclass(frozen=True)
class ClusterOptions:
    """Where the work of a verb is done, if not in this process."""

    cluster: str | None = option(
        None, "share the files out: tcp://HOST:PORT, a Dask scheduler; local: workers here (needs dask)",
        metavar="ADDRESS",
    )  # fmt: skip
    workers: int | None = option(
        None, "with --cluster: learners of partitions of the data, and workers of local (default: one for each core "
        "here, or worker there)", low=1, high=1024, metavar="N",
    )  # fmt: skip
    rounds: int | None = option(
        None, "with --cluster: merge the learners so many times (default: after 8 parts each, 16 at least)", low=1,
        high=100_000, metavar="R",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("workers", "rounds"):
            value = getattr(self, name)
            if value is not None and self.cluster is None:
                raise OptionError(f"--{name} {value}: nothing is shared out; give --cluster local, or an address")
        if self.cluster is not None and self.cluster != "local" and "://" not in self.cluster:
            raise OptionError(f"--cluster {self.cluster}: expected local, or a scheduler's address: tcp://HOST:PORT")
