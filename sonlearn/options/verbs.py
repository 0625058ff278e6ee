"""Options that verbs have of their own, and those of a cluster, which several have.

What they have in common, the options of a run, is in `sonlearn.options.run`. Imports neither numpy nor numba.
"""

from __future__ import annotations

import dataclasses

from sonlearn.errors import OptionError
from sonlearn.options.spec import option, port_number
from sonlearn.options.text import WRITABLE

#: Labelled rows after which --halving begins, unless told.
FIRST_HALVING = 1000


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
    max_features: int = option(1 << 16, "most features of a row, with interactions", low=1, high=1 << 22, metavar="N")
    connections: int = option(512, "most open connections of a port", low=1, metavar="N")
    timeout: float = option(
        30.0, "seconds for a request to arrive, and for its response to be read", above=0.0, high=3600.0, metavar="S"
    )

    @property
    def max_line(self) -> int:
        """Bytes of a line of the line protocol."""
        return min(self.max_body, 1 << 20)

    @property
    def idle(self) -> float:
        """Seconds between two requests of a connection."""
        return max(self.timeout, 600.0)


@dataclasses.dataclass(frozen=True)
class EventsOptions:
    """What ``sonlearn events`` writes, and removes."""

    output: str = option("-", "file to write; -: standard output", flags=("-o", "--output"), metavar="FILE")
    remove: float | None = option(
        None, "write only events of decisions made more than so many days ago, and remove these from the log", low=0.0,
        metavar="DAYS",
    )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class PageOptions:
    """What ``sonlearn report`` writes."""

    output: str = option("-", "write the page here; -: standard output", flags=("-o", "--output"), metavar="FILE")


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
