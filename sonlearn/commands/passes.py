"""Passes over the examples: what ``train`` and ``tune`` have in common, from reading to saving at the end.

What is learned, and what is said of it, is a subclass's.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sonlearn.commands import messages
from sonlearn.commands.checks import STDIN, cache_file
from sonlearn.commands.models import Model, Unfinished, save_model, settings_text, where_to_begin
from sonlearn.data.batch import Batch, between
from sonlearn.errors import InputError, ModelFileError, OptionError, OutputError
from sonlearn.files.atomic import STDOUT
from sonlearn.interrupts import Interrupts
from sonlearn.options import RunOptions, TextOptions
from sonlearn.report.progress import Progress
from sonlearn.text.cache import CachedReader
from sonlearn.text.columns import MULTICLASS_NOTE, ColumnTable, Labelling, are_classes
from sonlearn.text.join import JoinedLabels
from sonlearn.text.objects import SAMPLE
from sonlearn.text.read import Reader, expand_globs
from sonlearn.text.source import Meter

FINISHED = "finished run"
#: Seconds without a line after which a run says how far it is, unless -P or a bar does.
HEARTBEAT = 30.0
#: Seconds after which a run says that a stream's first rows are waited for.
WAITING_SECONDS = 5.0
#: Exit status where a run that is to be resumed has finished.
NOTHING_LEFT = 3
#: Rows held out that a committee learns at the end, at most: the last ones.
MAX_HELD_OUT = 4096
#: Files that a run writes: what they are called, and the field of `RunOptions`.
_WRITTEN = {name: name for name in ("final_regressor", "predictions", "raw_predictions")}
_WRITTEN |= {"log": "log_json", "report": "report"}
_BAR = "{percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}"


class ProgressBar:
    """A progress bar on standard error, with speed and time left, where that is a terminal and the length is known."""

    def __init__(self, options: RunOptions, meter: Meter):
        self._passes, self._meter = options.passes, meter
        self._bar: Any = None
        self.wanted = options.progress_bar and not options.quiet and sys.stderr.isatty()

    @property
    def shown(self) -> bool:
        """Return whether there is a bar, in place of the table."""
        return self.wanted and self._meter.share is not None

    def add(self, number: int, speed: float, progress: Progress) -> None:
        """Say how far pass `number` is, at so many examples a second."""
        if not self.shown:
            return
        figures = ", ".join([f"{speed:,.0f} examples/s", *_averages(progress, "", 4)])
        place = number - 1 + (self._meter.share or 0.0)
        if self._bar is None:  # what comes before is the time of kernels being compiled, which says nothing of the rest
            from tqdm import tqdm

            self._bar = type("bar", (tqdm,), {"monitor_interval": 0})(  # without the thread that watches over bars
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


def _averages(progress: Progress, of: str, digits: int) -> list[str]:
    """Average loss and error so far, those that there are."""
    values = {"loss": progress.result.average_loss, "error": progress.result.average_error}
    return [f"{of}{name} {value:.{digits}f}" for name, value in values.items() if value is not None]


class Checkpoints:
    """Schedule of checkpoints: after a number of examples or of minutes, whichever comes first."""

    def __init__(self, examples: int | None, minutes: float | None):
        self.examples, self.seconds = examples, None if minutes is None else 60 * minutes
        self._count, self._last = 0, time.monotonic()

    def due(self, examples: int) -> bool:
        """Return whether a checkpoint is due after `examples` more examples; if so, counting starts again."""
        self._count += examples
        late = self.seconds is not None and time.monotonic() - self._last >= self.seconds
        if not late and (self.examples is None or self._count < self.examples):
            return False
        self._count, self._last = 0, time.monotonic()
        return True


class Passes:
    """One run under way.

    Parameters
    ----------
    options : RunOptions
    read_as : TextOptions
        How the text is read.
    model : Model
        What the run begins with.

    Attributes
    ----------
    learner : Learner, Bandit or None
        The one that is saved, with `names`; a subclass has it.
    progress : Progress
        Its totals, which the bar shows; a subclass has them.
    columns : ColumnTable
        Columns of tables; those of the model that is saved.
    """

    learner: Any
    progress: Progress
    labelling = Labelling()
    stretch = 1  # see `Reader`

    def __init__(self, options: RunOptions, read_as: TextOptions, model: Model):
        self.options, self.read_as, self.names, self.from_model = options, read_as, model.names, model.path
        self.nothing_left, self.done = where_to_begin(options, model)
        self.began = self.done
        self.sources = list(options.data) or ["-"]
        self.holdout = options.passes > 1 and not options.holdout_off
        self.checkpoints = Checkpoints(options.checkpoint, options.checkpoint_minutes)
        self.columns = ColumnTable()
        self.shown_notes: set[str] = set()
        self.failure: OutputError | InputError | None = None
        self.cache = cache_file(options)
        self.reader: Any = None  # a Reader, once a pass begins
        self.held_rows: list[Batch] = []
        self.joined: JoinedLabels | None = None
        self.meter = Meter()
        self.bar = ProgressBar(options, self.meter)
        self.started = self.last_line = time.perf_counter()
        self.compiled = False  # whether kernels had to be
        self.read_here = 0

    # -- what a subclass does ------------------------------------------------------------------------------------------

    def begin(self, format: str, batch: Batch, cache: str) -> None:
        """Make what learns, whose features depend on the `format`, and print the header, with a line on the cache."""

    def learn_classes(self) -> None:
        """Learn several classes in the place of two. Raises OptionError: an option is against it."""

    def next_pass(self, learns: bool) -> None:
        """Another pass begins; `learns`: so far nothing of it has been learned."""
        raise NotImplementedError

    def batches(self, rows: Iterable[Batch]) -> Iterable[Batch]:
        """Return what is learned from at a time."""
        return rows

    def learn_from(self, batch: Batch, held: np.ndarray | None) -> Any:
        """Predict a batch, and learn from it what is to be learned."""
        raise NotImplementedError

    def ends_early(self, number: int) -> bool:
        """Return whether pass `number`, which has been gone over, is the last one though more were asked for."""
        return False

    def report(self, batch: Batch, held: np.ndarray | None, predicted: Any) -> None:
        """Count, write predictions, print the rows that are due."""
        raise NotImplementedError

    def report_skipped(self, tags: list[str]) -> None:
        """Malformed lines that were left out behind the last row of a pass."""

    def summary(self, seconds: float, ending: str, whole: bool) -> list[str]:
        """Return what is said at the end; `whole`: all passes have been gone over, by this run alone."""
        raise NotImplementedError

    def record(self, ending: str) -> None:
        """Write what is kept of the run beside the model. Raises OutputError."""

    # -- what a subclass adds to ---------------------------------------------------------------------------------------

    @property
    def files(self) -> dict[str, str | None]:
        """Return which files the run reads and writes."""
        data = " ".join("<stdin>" if name in STDIN else name for name in self.sources)
        written = {name: getattr(self.options, field) for name, field in _WRITTEN.items()}
        return {"data": data, "initial_regressor": self.from_model, **written}

    def compiling(self) -> None:
        """Kernels have to be compiled before anything is learned."""
        self.last_line, self.compiled = time.perf_counter(), True

    def warnings(self) -> list[str]:
        """Return what is to be known of a run that has come to its end."""
        if self.reader is None:
            return []
        return messages.skipped_warning(self.reader.malformed.count, self.reader.malformed.errors)

    def close(self) -> None:
        """Close what is open, however the run has ended."""
        self.bar.close()

    # -- the passes ----------------------------------------------------------------------------------------------------

    def already_finished(self) -> int:
        """The run that saved the model has finished, so nothing is done: say so; the exit status."""
        path = self.options.final_regressor
        messages.to_stderr(
            f"sonlearn: {path}: the run that saved this model has finished: nothing is left to do, and nothing was "
            f"learned; to learn further data give -i {path} -f {path} without --resume"
        )
        return NOTHING_LEFT

    def run(self) -> int:
        """All of it; return the exit status. Raises SonlearnError or OSError, and nothing has been saved."""
        if self.nothing_left:
            return self.already_finished()
        messages.prompt(self.sources, self.say)
        try:
            with (
                Interrupts(at_once=True) as interrupts,
                messages.compilation_notice(self.options.quiet, self.compiling),
            ):
                ending, status = self.run_passes(interrupts)
                self.finish(ending)
        except InputError as error:
            fatal = self.reader is not None and self.reader.malformed.fatal
            if error is fatal and self.done.read and self.options.on_error == "stop":
                error = error.but(expected=f"{error.expected}; --on-error skip leaves such lines out")
            raise error from None
        finally:
            self.close()
        if self.failure is not None:
            raise self.failure
        return status

    def run_passes(self, interrupts: Interrupts) -> tuple[str, int]:
        """All passes over all examples; return (how it ended, exit status)."""
        self.started = time.perf_counter()
        if self.options.join is not None:
            self.joined = JoinedLabels(self.options.join, self.read_as, self.labelling)
            self.labelling = self.labelling._replace(joined=True)
        try:
            for number in range(1, self.options.passes + 1):
                if number > 1:
                    self.next_pass(learns=number >= self.done.number and self.done.read == 0)
                if number < self.done.number:
                    continue
                self.run_pass(number, interrupts)
                if interrupts.received is not None:
                    name = signal.Signals(interrupts.received).name
                    return f"interrupted run ({name})", 128 + interrupts.received
                self.done = self.done._replace(number=number + 1, read=0)
                if self.ends_early(number):
                    break
                if self.options.save_per_pass and number < self.options.passes:
                    self.save_checkpoint()
            self.learn_held_out()
        except BrokenPipeError:
            return "interrupted run (the reader of the output has gone)", 128 + 13
        except OutputError as error:
            self.failure = error
            return f"interrupted run ({error})", 1
        except InputError as error:  # with --on-error skip what was learned before a place that cannot be read is kept
            if self.options.on_error != "skip" or not self.read_here or error is self.reader.malformed.fatal:
                raise
            done = "predicted" if self.options.testonly else "learned"
            self.failure = error.but(expected=f"{error.expected}; {done} before it: {self.read_here} examples")
            return f"interrupted run ({self.failure})", 1
        return FINISHED, 0

    def run_pass(self, number: int, interrupts: Interrupts) -> None:
        """Go over all examples once, but those that a resumed run has read."""
        if self.reader is None or self.cache is None:
            self.reader = self.make_reader()
            self.reader.meter = None if self.options.quiet else self.meter
        before, done, begun, self.held_rows = self.done.read, 0, False, []
        if before:
            skipped = f"skipping {before} examples that the unfinished run has read"
            if "-" in self.sources:
                model = self.options.final_regressor
                messages.warn(f"{skipped}; if standard input begins behind them, give -i {model} in place of --resume")
            else:
                self.say(skipped)
        rows = self.reader if self.joined is None else self.joined.rows(self.reader)
        batches = interrupts.until_signal(self.batches(self.with_wait_notice(rows)))
        for batch in between(batches, 0, self.options.examples, self.cache is not None):  # a cache is of all
            self.show_notes()
            start, done = done, done + batch.n
            if number > 1:
                self.keep_held_out(batch, self.held_out(start, done))
            if done <= before:
                continue
            batch = batch.part(max(before - start, 0), batch.n)
            if not begun:
                self.read_as = self.reader.options  # as the first rows told; so are further passes read
                self.begin_pass(self.reader, batch, first=number == self.began.number)
                begun = True
            held = self.held_out(done - batch.n, done)
            predicted = self.learn_from(batch, held)
            interrupts.at_once = False  # until here there was nothing to save
            self.done = self.done._replace(read=done)
            messages.end_line()  # predictions may go to the terminal, too
            self.report(batch, held, predicted)
            self.report_speed(number, batch.n)
            if self.checkpoints.due(batch.n):
                self.save_checkpoint()
        self.show_notes()
        if interrupts.received is None:
            self.report_skipped(self.reader.malformed.tags)
        if done < before and interrupts.received is None:
            name = " ".join(self.sources)
            raise InputError(name, f"{done} examples", f"the {before} that the unfinished run has read")

    def held_out(self, start: int, stop: int) -> np.ndarray | None:
        """bool[stop - start]: which examples of a pass are held out; None without a holdout."""
        at, after = np.arange(start + 1, stop + 1), self.options.holdout_after
        if not self.holdout:
            return None
        return at % self.options.holdout_period == 0 if after is None else at > after

    def keep_held_out(self, batch: Batch, held: np.ndarray | None) -> None:
        """Keep the rows held out of a further pass's batch, read or only skipped, for `learn_held_out`."""
        if held is not None and self.learner.options.method == "committee" and not self.options.testonly:
            rows = [*self.held_rows, batch.at(np.flatnonzero(held))]
            more = sum(each.n for each in rows) - MAX_HELD_OUT
            self.held_rows = list(between((each for each in rows), more, None))

    def learn_held_out(self) -> None:
        """Learn the rows held out, as new ones: members that know all others are combined as suits those."""
        if self.held_rows:
            self.learner.next_pass(again=False)
            self.say(f"learned at the end = {sum(each.n for each in self.held_rows)} examples held out")
        for batch in self.held_rows:
            self.learner.partial_fit(batch, skip=self.options.on_error == "skip")

    def with_wait_notice(self, rows: Iterable[Batch]) -> Iterator[Batch]:
        """The same rows; where the first ones of a stream take long, it is said what they wait for.

        They tell whether there are several classes.
        """
        reader, come = self.reader, threading.Event()

        def tell() -> None:
            while not come.wait(WAITING_SECONDS):
                if reader.waiting:
                    lines = f"lines that have come: {reader.waiting}"
                    self.say(f"... waiting for the first {SAMPLE} rows, which tell how columns are read; {lines}")
                    return

        if reader.infers:
            threading.Thread(target=tell, name="sonlearn-wait", daemon=True).start()
        try:
            for batch in rows:
                if self.learner is None and not come.is_set() and are_classes(batch, self.labelling, reader.options):
                    with contextlib.suppress(OptionError):  # a third label is refused then
                        self.learn_classes()
                        self.say(MULTICLASS_NOTE)
                come.set()
                yield batch
        finally:
            come.set()

    def make_reader(self) -> Reader:
        """Return what reads the examples: for one pass, or with a cache for all of them."""
        options = self.options
        # of a stream, whoever reads each answer before the next row is written would wait for ever
        to_stdout = not {options.predictions, options.raw_predictions}.isdisjoint(STDOUT)
        answers = to_stdout and not os.path.isfile(str(next(expand_globs(self.sources))))
        arguments: dict[str, Any] = {
            **options.reading, "names": self.names, "columns": self.columns, "labels": self.labelling,
            "known_rows": self.done.read if self.done.number == 1 else 1 << 62, "stretch": self.stretch,
            "usual": not options.testonly and not answers, "texts": not options.testonly and not answers,
        }  # fmt: skip
        of = Reader if self.cache is None else functools.partial(CachedReader, path=self.cache)
        return of(self.sources, self.read_as, **arguments)

    def report_speed(self, number: int, examples: int) -> None:
        """Tell how far pass `number` is, of which `examples` more are done.

        The bar does, if there is one; else a line does where nothing has been said for `HEARTBEAT` seconds.
        """
        self.read_here += examples
        now = time.perf_counter()
        speed = self.read_here / (now - self.started)
        self.bar.add(number, speed, self.progress)
        if self.bar.shown or self.options.progress is not None or now - self.last_line < HEARTBEAT:
            return
        figures = [f"{self.progress.examples} examples", f"{speed:.0f} a second"]
        if self.meter.share is not None:
            passes = f" of pass {number}" if self.options.passes > 1 else ""
            figures.append(f"{100 * self.meter.share:.0f} %{passes} read")
        self.say("... " + ", ".join([*figures, *_averages(self.progress, "average ", 6)]))

    def begin_pass(self, reader: Reader, batch: Batch, first: bool) -> None:
        """Do what waits for the first examples of a pass: the learner and the header, and what is said of the cache."""
        cache = ""
        if isinstance(reader, CachedReader):
            cache = f"cache_file = {self.cache}" + (f", made anew: found {reader.reason}" if reader.reason else "")
        if first:
            self.begin(reader.format or "auto", batch, cache)
        elif isinstance(reader, CachedReader) and reader.reason:
            self.say(cache)

    # -- the end -------------------------------------------------------------------------------------------------------

    def save_checkpoint(self) -> None:
        """Save the model while the run goes on; where that fails, the run goes on as well."""
        if self.learner is not None:
            try:
                self.save(self.done)
            except ModelFileError as error:
                messages.warn(f"no checkpoint was saved: {error}")

    def finish(self, ending: str) -> None:
        """Save the model, and say how it went whether or not that succeeds."""
        seconds, finished = time.perf_counter() - self.started, ending == FINISHED
        self.bar.close()
        try:
            if self.options.final_regressor is not None and self.learner is not None:
                self.save(None if finished else self.done)
        finally:
            self.say(*self.summary(seconds, ending, finished and self.began.number == 1 and not self.began.read))
            if self.compiled:
                self.say("compiling kernels, which only a first run does, took a part of that time")
            if self.joined is not None:
                self.say(self.joined.line)
            messages.warn(*self.warnings())
            self.record(ending)

    def save(self, unfinished: Unfinished | None) -> None:
        """Save the model. Raises ModelFileError."""
        save_model(str(self.options.final_regressor), self.learner, unfinished, self.names)

    def show_notes(self) -> None:
        """Warn of what the reader has to say of columns, or remark on it, once."""
        messages.show_notes((text for text in self.reader.notes if text not in self.shown_notes), self.say)
        self.shown_notes.update(self.reader.notes)

    def say_header(self, cache: str, settings: Iterable[str], text: TextOptions, head: Iterable[str]) -> None:
        """Print what a run begins with: its files, that on the cache, `settings`, and the `head` of the table."""
        files = [f"{name} = {value}" for name, value in self.files.items() if value] + [cache] * bool(cache)
        self.say(*files, *settings, settings_text(text, keep=("format",)), *(() if self.bar.shown else ("", *head)))

    def say(self, *lines: str) -> None:
        """Print lines on standard error, at once, unless --quiet."""
        if lines:
            self.last_line = time.perf_counter()
        if not self.options.quiet:
            messages.to_stderr(*lines)
