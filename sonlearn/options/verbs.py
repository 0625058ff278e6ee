"""Options that verbs have of their own.

What they have in common, the options of a run, is in `sonlearn.options.run`. Imports neither numpy nor numba.
"""

from __future__ import annotations

import dataclasses

from sonlearn.errors import OptionError
from sonlearn.options.spec import check_fields, number, option, port_number
from sonlearn.options.text import WRITABLE

#: Labelled rows after which --halving begins, unless told.
FIRST_HALVING = 1000


@dataclasses.dataclass(frozen=True)
class TuneOptions:
    """What ``sonlearn tune`` tries, and how it chooses."""

    grid: tuple[str, ...] = option(
        (), "options of learning with the values to try, all combinations: 'alpha=.1,1 method=rfd-son,nag'; given "
        "again: further combinations", repeat=True, metavar="GRID",
    )  # fmt: skip
    by: str | None = option(
        None, "choose by the average loss or the average error (loss, unless the settings' losses differ)",
        choices=("loss", "error"),
    )  # fmt: skip
    halving: bool = option(False, "after N labelled rows, and at each doubling, the worse half of the settings stops")
    first_halving: int | None = option(None, "N of --halving", parse=int, low=1, general=FIRST_HALVING, metavar="N")
    table: str | None = option(
        None, "write all settings with their figures here, the best first, with tabs between (FILE.csv: commas); -: "
        "standard output", metavar="FILE",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_fields(self)
        if self.first_halving is not None and not self.halving:
            raise OptionError(f"--first-halving {self.first_halving}: nothing is halved; give --halving as well")
        if self.first_halving is None:
            object.__setattr__(self, "first_halving", FIRST_HALVING)


@dataclasses.dataclass(frozen=True)
class ConvertOptions:
    """What ``sonlearn convert`` writes."""

    to: str | None = option(None, "format to write (needed)", choices=WRITABLE)
    output: str = option("-", "file to write; -: standard output", flags=("-o", "--output"), parse=str, metavar="FILE")


@dataclasses.dataclass(frozen=True)
class SketchRunOptions:
    """What ``sonlearn sketch`` does with a sketch."""

    output: str | None = option(None, "save the sketch here", flags=("-o", "--output"), metavar="FILE")
    merge: bool = option(False, "DATA are saved sketches: merge them, in this order")
    error: bool = option(
        False, "measure covariance and projection error, in a second pass over the rows, which are kept in memory"
    )
    k: int = option(10, "rank of the projection that --error measures", parse=int, low=1, metavar="K")
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
        None, "of a model of decisions: the log of decisions and rewards, a database of SQLite (needed)", metavar="LOG"
    )
    max_body: int = option(8 << 20, "largest request in bytes", parse=int, low=1, high=1 << 30, metavar="N")
    max_features: int = option(
        1 << 16, "most features of a row, with interactions", parse=int, low=1, high=1 << 22, metavar="N"
    )
    connections: int = option(512, "most open connections of a port", parse=int, low=1, metavar="N")
    timeout: float = option(
        30.0, "seconds for a request to arrive, and for its response to be read", parse=number, above=0.0,
        high=3600.0, metavar="S",
    )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class EventsOptions:
    """What ``sonlearn events`` writes, and removes."""

    output: str = option("-", "file to write; -: standard output", flags=("-o", "--output"), parse=str, metavar="FILE")
    remove: float | None = option(
        None, "write only events of decisions made more than so many days ago, and remove these from the log",
        parse=number, low=0.0, metavar="DAYS",
    )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class PageOptions:
    """What ``sonlearn report`` writes."""

    output: str = option(
        "-", "write the page here; -: standard output", flags=("-o", "--output"), parse=str, metavar="FILE"
    )


@dataclasses.dataclass(frozen=True)
class InspectOptions:
    """What ``sonlearn inspect`` prints."""

    top: int | None = option(
        None, "largest weights to list (as text 20 if not given, as JSON all)", parse=int, low=0, metavar="N"
    )
    json: bool = option(False, "print JSON, for programs")
