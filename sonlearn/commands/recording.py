"""What ``--log-json`` and ``--report`` keep of a run, and the bar of ``--progress-bar``."""

from __future__ import annotations

import dataclasses
import datetime
import sys
import time
from collections.abc import Callable
from typing import Any

from sonlearn import __version__
from sonlearn.commands.models import names_of
from sonlearn.files.atomic import LineFile
from sonlearn.options.run import RunOptions
from sonlearn.report.problem import Problem
from sonlearn.report.progress import BatchOutcome, Progress
from sonlearn.report.runlog import FORMAT, Run, bounded, jsonable, log_line
from sonlearn.text.names import NameTable
from sonlearn.text.source import Meter

#: When rows of the log come unless -P says so: at 1.1 times the last one's weight.
FINE = "1.1"
_BAR = "{percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}"


def recorded(options: RunOptions) -> bool:
    """Whether anything is to be kept of the run."""
    return options.log_json is not None or options.report is not None


class Recorder:
    """The log of a run and, at its end, the page; nothing where neither is asked for.

    Parameters
    ----------
    options : RunOptions
    problem : Problem
    progress : Progress
        The run's own, with its finer rows: of each batch it is told first.
    keep : bool
        Whether an existing log is gone on with.
    """

    def __init__(self, options: RunOptions, problem: Problem, progress: Progress, keep: bool):
        self.wanted = recorded(options)
        self._options, self._problem, self._progress = options, problem, progress
        # a last line that was cut in the run that is gone on with is cut off
        self._log = LineFile(options.log_json, None if keep else 0) if options.log_json is not None else None
        self._begin: dict[str, Any] = {}
        self._rows: list[dict[str, Any]] = []
        self._read, self._started = 0, time.perf_counter()

    def begin(self, files: dict[str, str | None]) -> None:
        """Write the first entry, before the first examples: settings, and how many examples were learned before."""
        if not self.wanted:
            return
        learner, now = self._problem.learner, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        self._begin = jsonable({
            "sonlearn": __version__, "format": FORMAT, "verb": "test" if self._options.testonly else "train",
            "started": now, "data": list(self._options.data) or ["-"],
            "files": {name: value for name, value in files.items() if value}, "learn": self._problem.settings(),
            "text": dataclasses.asdict(learner.text), "passes": self._options.passes, "before": learner.examples,
        }, bounded)  # fmt: skip
        self._write(self._begin)

    def add(self, outcome: BatchOutcome) -> None:
        """Add a batch of n examples (none of them refused)."""
        if not self.wanted:
            return
        self._read += len(outcome.y)
        seconds = time.perf_counter() - self._started
        for row in self._progress.fine_rows:
            entry = row._asdict()
            shown = entry.pop("shown")
            entry |= dict(zip(("label", "prediction"), shown, strict=True)) if shown else {}
            entry = {"kind": "progress", "pass": self._progress.passes, **entry, "seconds": seconds, "read": self._read}
            self._write(entry)
            if self._options.report is not None:
                self._rows.append(jsonable(entry, bounded))

    def finish(self, ending: str, metrics: Any, names: NameTable, warnings: list[str]) -> None:
        """Write the last entry, and the page. Raises OutputError."""
        if not self.wanted or metrics is None:
            return
        totals = self._progress.totals()
        end = jsonable({
            "kind": "end", "ending": ending, "seconds": time.perf_counter() - self._started, **totals,
            **self._problem.logged(metrics, lambda feature: names_of(feature, names), totals["error"] is not None),
            "warnings": warnings,
        }, bounded)  # fmt: skip
        self._write(end)
        if self._options.report is not None:
            from sonlearn.report.html.page import write_page

            write_page(self._options.report, Run(self._begin, self._rows, end, []))

    def close(self) -> None:
        """Close the log, however the run has ended."""
        if self._log is not None:
            self._log.close()

    def _write(self, entry: dict[str, Any]) -> None:
        if self._log is not None:
            self._log.write(log_line(entry))


class Bar:
    """A progress bar on standard error, with speed and time left, where that is a terminal and the length is known."""

    def __init__(self, options: RunOptions, meter: Meter):
        self._passes, self._meter, self._bar = options.passes, meter, None
        self.wanted = options.progress_bar and not options.quiet and sys.stderr.isatty()
        self._read, self._started = 0, time.perf_counter()

    @property
    def shown(self) -> bool:
        """Whether there is a bar, in place of the table."""
        return self.wanted and self._meter.share is not None

    def add(self, number: int, examples: int, progress: Progress) -> None:
        """Say that so many more examples have been learned, in pass `number`."""
        if not self.shown:
            return
        self._read += examples
        result, parts = progress.result, [f"{self._read / (time.perf_counter() - self._started):,.0f} examples/s"]
        if result.average_loss is not None:
            parts.append(f"loss {result.average_loss:.4f}")
        if result.average_error is not None:
            parts.append(f"error {result.average_error:.4f}")
        place, figures = number - 1 + (self._meter.share or 0.0), ", ".join(parts)
        if self._bar is None:  # what comes before is the time of kernels being compiled, which says nothing of the rest
            self._bar = _tqdm()(
                total=self._passes, initial=place, postfix=figures, bar_format=_BAR, miniters=0, file=sys.stderr,
                dynamic_ncols=True,
            )  # fmt: skip
        self._bar.set_postfix_str(figures, refresh=False)
        self._bar.update(place - self._bar.n)

    def close(self) -> None:
        """Leave the bar as it stands, and end its line."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _tqdm() -> Callable[..., Any]:
    """tqdm's bar without the thread that watches over bars."""
    from tqdm import tqdm

    return type("bar", (tqdm,), {"monitor_interval": 0})
