"""``sonlearn serve``: a model over HTTP, and over lines of TCP; with --learn it goes on learning, and is saved."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import functools
import io
import ipaddress
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.commands.checks import check_binary, check_files
from sonlearn.commands.line import Line
from sonlearn.commands.messages import compilation_notice, require_extra, to_stderr, warn
from sonlearn.commands.models import contents, is_bandit, load_model
from sonlearn.commands.passes import Checkpoints
from sonlearn.data.batch import Batch
from sonlearn.errors import ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.files.atomic import locked
from sonlearn.interrupts import Interrupts
from sonlearn.learn.learner import Learner
from sonlearn.options.run import RunOptions, ServeOptions
from sonlearn.options.text import NAMESPACED, TABLES
from sonlearn.serve.events import EventLog
from sonlearn.text.decisions import DecisionReader
from sonlearn.text.hashing import constant_id, hash_bytes
from sonlearn.text.read import read_batches

if TYPE_CHECKING:
    from sonlearn.learn.bandits.bandit import Bandit
    from sonlearn.serve.server import Server

#: What is imported of the extra.
PACKAGES = ("starlette", "uvicorn", "httptools", "prometheus_client")
#: How often a model that learns is saved where nothing is said.
CHECKPOINT_MINUTES = 5.0


def command(line: Line) -> int:
    """Serve as the command line says, until a signal; return the exit status.

    Raises
    ------
    SonlearnError
        A flag or a file is wrong, a package of the extra is not there, or a port is taken: nothing has been served. Or
        the model could not be saved at the end.
    """
    options, run_options = line.options(ServeOptions), line.running()
    decides = is_bandit(run_options.initial_regressor)
    check(options, run_options, decides)
    with require_extra("serve", "serve", *PACKAGES), contextlib.ExitStack() as stack:
        from sonlearn.serve.server import address, listen

        http = None if options.port is None else stack.enter_context(listen(options.host, options.port, "--port"))
        lines = None if options.tcp is None else stack.enter_context(listen(options.host, options.tcp, "--tcp"))
        stack.enter_context(locked(options.events))
        run_options = where_to_begin(decides, options, run_options)
        path = run_options.initial_regressor
        server, saver = (decisions_served if decides else rows_served)(options, run_options, stack)
        places = ([f"http://{address(http)}"] if http else []) + ([f"lines on {address(lines)}"] if lines else [])
        events = "" if options.events is None else f", events in {options.events}"
        learns = f", learning, saved as {run_options.final_regressor}" if options.learn else ""
        notice = f"serving {'decisions of ' * decides}{path} on {' and '.join(places)}{events}{learns}"
        asyncio.run(server.run(http, lines, lambda: None if run_options.quiet else to_stderr(notice)))
        saver.save_at_end()
    return 0


def rows_served(options: ServeOptions, run_options: RunOptions, stack: contextlib.ExitStack) -> tuple[Server, Saver]:
    """The server of a model of rows, and what saves it; `stack` closes the log. Raises as `command` does."""
    from sonlearn.serve.labels import LateLabels
    from sonlearn.serve.metrics import ServerMetrics
    from sonlearn.serve.server import server_of_rows
    from sonlearn.serve.worker import Worker

    model = load_model(run_options.initial_regressor, threads=run_options.threads or 1)
    learner, names = model.learner, model.names
    if options.events is not None and learner.text.format not in NAMESPACED and not learner.text.id:
        raise OptionError(f"--events {options.events}: the model's rows have no ids; train it with --id COLUMN")
    with Interrupts(at_once=True), compilation_notice():
        warm_up(learner, options.learn)
    changes = lambda: len(learner.facts().get("drift", {}).get("changes", ()))  # noqa: E731
    metrics = ServerMetrics(lambda: learner.examples, lambda: worker.waiting, changes)
    events, worker_of = None, Worker
    if options.events is not None:
        events, mark = log_of("rows", options, run_options, stack)
        worker_of = functools.partial(LateLabels, events)
        if mark is not None:
            with Interrupts(at_once=True):
                say_learned(worker_of(learner, names, options).replay(mark), events, run_options)
        metrics.show("sonlearn_events_pending", "Rows without a label that are remembered", lambda: events.pending)
    saver = Saver(run_options, lambda: contents(learner, names), metrics, events)
    worker = worker_of(learner, names, options, after=saver.worked, tell=warn)
    return server_of_rows(worker, metrics, options, warn), saver


def decisions_served(
    options: ServeOptions, run_options: RunOptions, stack: contextlib.ExitStack
) -> tuple[Server, Saver]:
    """The server of a model of decisions, and what saves it; `stack` closes the log. Raises as `command` does."""
    from sonlearn.serve.app import DecisionHandlers
    from sonlearn.serve.decider import Decider, check_json, replay
    from sonlearn.serve.metrics import DecisionMetrics
    from sonlearn.serve.server import Server

    learner = load_model(run_options.initial_regressor, decides=True).learner
    check_json(learner)
    events, mark = log_of("decisions", options, run_options, stack)
    with Interrupts(at_once=True), compilation_notice():
        warm_up_decisions(learner)
        learned = replay(learner, events, mark, options.learn and mark is not None)
    say_learned(learned, events, run_options)
    metrics = DecisionMetrics(lambda: learner.examples, lambda: decider.waiting, lambda: events.pending)
    saver = Saver(run_options, learner.to_arrays, metrics, events)
    decider = Decider(learner, events, options, after=saver.worked)
    return Server(DecisionHandlers(decider, metrics, options, warn)), saver


def log_of(
    what: str, options: ServeOptions, run_options: RunOptions, stack: contextlib.ExitStack
) -> tuple[EventLog, dict[str, Any] | None]:
    """The log of events, of rows or decisions, and how much of it the model has seen; None: it is not the model's.

    Raises ModelFileError, OutputError.
    """
    events = stack.enter_context(contextlib.closing(EventLog(options.events, what)))
    path = run_options.initial_regressor
    if events.covers(mark := mark_of(path)):
        return events, mark
    if options.learn and (there := events.mark()["rewards"]):
        to_stderr(f"-i {path}: it has learned none of the {there} {events.names[1]}s in {options.events}, nor will it")
    return events, None


def where_to_begin(decides: bool, options: ServeOptions, run_options: RunOptions) -> RunOptions:
    """The options, with the model of -f as that of -i where a server before has taught it from the log, and not that.

    Raises ModelFileError, OutputError.
    """
    path, final = run_options.initial_regressor, run_options.final_regressor
    if not (options.events and final and os.path.exists(options.events) and os.path.exists(final)):
        return run_options
    with contextlib.closing(EventLog(options.events, "decisions" if decides else "rows")) as events:
        if events.covers(mark_of(path)) or not events.covers(mark_of(final)):
            return run_options
    to_stderr(f"-i {path}: {final} has learned from the events in {options.events}, and goes on in its place")
    return dataclasses.replace(run_options, initial_regressor=final)


def mark_of(path: str) -> dict[str, Any] | None:
    """Return how much a model has seen of which log of events."""
    return storage.read(path)[0].get("events")


def say_learned(learned: int, events: EventLog, run_options: RunOptions) -> None:
    """Say how many rewards or labels were learned from the log, if any were."""
    if learned:
        whose = f"that {run_options.initial_regressor} did not have yet"
        to_stderr(f"{events.path}: {learned} {events.names[1]}s were learned {whose}")


def warm_up_decisions(learner: Bandit) -> None:
    """Have all kernels ready that a request will run."""
    actions = "" if learner.options.actions else '"_multi":[{"b":1},{"c":2}],'
    line = '{"_label_cost":%d,"_label_probability":0.5,"_labelIndex":%d,"c":{' + actions + '"a":1}}\n'
    text = "".join(line % (i, i) for i in (0, 1))
    other = learner.copy()
    read_as = dataclasses.replace(learner.text, format="json")
    for decisions in DecisionReader(io.BytesIO(text.encode()), read_as, learner.options):
        other.decide(decisions)
        other.partial_fit(decisions)


def check(options: ServeOptions, run_options: RunOptions, decides: bool) -> None:
    """Raise OptionError or ModelFileError for what could only fail later; `decides`: the model is one of decisions."""
    path, final = run_options.initial_regressor, run_options.final_regressor
    if path is None:
        raise OptionError("serve needs a model; give -i MODEL")
    if options.port is None and options.tcp is None:
        raise OptionError("serve: there is nothing to listen on; give --port PORT or --tcp PORT")
    if options.learn and final is None:
        raise OptionError("--learn: what is learned has to be saved; give -f MODEL (it may be the one of -i)")
    if not options.learn and (final or run_options.checkpoint or run_options.checkpoint_minutes):
        raise OptionError("-f, --checkpoint and --checkpoint-minutes are for a server that learns; give --learn")
    check_binary("-f", final, "a model")
    check_files({"-i": path}, {"-f": final, "--events": options.events}, rewritten=[("-f", "-i")])
    if final is not None:
        storage.check_target(final)
    if not _is_loopback(options.host):
        warn(f"--host {options.host}: whoever reaches this address may ask{' and teach' * options.learn} the model")
    if decides and options.events is None:
        raise OptionError(f"{path} decides, and its decisions have to be written down; give --events FILE")
    if decides and (options.port is None or options.tcp is not None):
        raise OptionError("--tcp, --port none: decisions are served over HTTP alone")
    if options.events is not None and not decides and (not options.learn or options.tcp is not None):
        raise OptionError(f"--events {options.events}: late labels are learned over HTTP; give --learn, no --tcp")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def warm_up(learner: Learner, learns: bool) -> None:
    """Have all kernels ready that a request will run."""
    text = learner.text
    hash_bytes(b"a")  # names in JSON
    if text.format in TABLES:
        row = Batch(np.array([0, 1]), np.array([0]), np.ones(1), np.ones(1), np.ones(1), np.ones(1, np.int64))
        row = row._replace(constant=constant_id(text, text.format))
    else:
        lines = {"vw": b"1 |a b c", "json": b'{"_label": 1, "a": 1}'}
        (row,) = read_batches(io.BytesIO(lines.get(text.format, b"1 1:1")), text)
    learner.predict(row._replace(y=np.full(1, np.nan)))
    if learns:
        other = Learner(learner.options, text)
        other.partial_fit(row)
        other.predict(row)
        other.predict(row, online=True)


def _version_of(path: str | None) -> tuple[int, int] | None:
    """Return which file is at `path`, and since when; None: there is none."""
    try:
        found = os.stat(path or "")
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


class Saver:
    """Saves a model that learns while requests are answered: its arrays are copied, and written by another thread.

    A file that takes the place of the one saved last, as a model trained anew, is not overwritten.
    One with a log of `events` is saved at once: it says from where they have to be learned again after a crash.
    """

    def __init__(
        self, options: RunOptions, contents: Callable[[], tuple[dict[str, Any], dict[str, np.ndarray]]], metrics: Any,
        events: EventLog | None = None,
    ):  # fmt: skip
        minutes = options.checkpoint_minutes
        if minutes is None and options.checkpoint is None:
            minutes = CHECKPOINT_MINUTES
        self._checkpoints = Checkpoints(options.checkpoint, minutes)
        self._path, self._model, self._metrics, self._events = options.final_regressor, contents, metrics, events
        self._writing: threading.Thread | None = None
        self._saved = _version_of(self._path)
        if events is not None:
            self.save_at_end()

    def worked(self, done: int, learned: int, more: Any) -> None:
        """Count what a worker has done, and save what was learned if it is time; the learner rests."""
        self._metrics.worked(done, learned, more)
        if learned and self._checkpoints.due(learned) and (self._writing is None or not self._writing.is_alive()):
            header, arrays = self._contents()
            copies = {name: np.array(array) for name, array in arrays.items()}
            self._writing = threading.Thread(target=self._checkpoint, args=(header, copies), name="sonlearn-save")
            self._writing.start()

    def _contents(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        header, arrays = self._model()
        return {**header, **({"events": self._events.mark()} if self._events else {})}, arrays

    def _write(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        while _version_of(self._path) not in (None, self._saved):
            replaced, self._path = self._path, f"{self._path}.learned"
            warn(
                f"{replaced}: another file has taken its place, and stays; what this server learns goes to {self._path}"
            )
        storage.write(str(self._path), header, arrays)
        self._saved = _version_of(self._path)
        if self._events is not None:
            self._events.saved(header["events"])

    def _checkpoint(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        try:
            self._write(header, arrays)
            self._metrics.saved.inc()
        except ModelFileError as error:
            self._metrics.unsaved.inc()
            warn(f"no checkpoint was saved: {error}")

    def save_at_end(self) -> None:
        """Save it at the end. Raises ModelFileError."""
        if self._writing is not None:
            self._writing.join()
        if self._path is not None:
            self._write(*self._contents())
