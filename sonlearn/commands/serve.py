"""``sonlearn serve``: a model over HTTP, and over lines of TCP; with --learn it goes on learning, and is saved."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import io
import ipaddress
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.commands.checkpoints import Checkpoints
from sonlearn.commands.checks import check_binary, check_files
from sonlearn.commands.line import Line
from sonlearn.commands.messages import complain, telling_of_compiling, warn
from sonlearn.commands.models import contents, is_bandit, load_bandit, load_model
from sonlearn.data.batch import Batch
from sonlearn.errors import ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.interrupts import Interrupts
from sonlearn.learn.learner import Learner
from sonlearn.options.run import RunOptions
from sonlearn.options.text import TABLES
from sonlearn.options.verbs import ServeOptions
from sonlearn.report import streams
from sonlearn.text.decisions import DecisionReader
from sonlearn.text.hashing import hash_bytes
from sonlearn.text.read import read_batches

if TYPE_CHECKING:
    from sonlearn.learn.bandits.bandit import Bandit
    from sonlearn.serve.app import Limits

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
    check(options, run_options)
    if is_bandit(run_options.initial_regressor):
        return serve_decisions(options, run_options)
    if options.events is not None:
        raise OptionError(f"--events {options.events}: {run_options.initial_regressor} is no model of decisions")
    with extra():
        from sonlearn.serve.app import Limits
        from sonlearn.serve.metrics import ServerMetrics
        from sonlearn.serve.server import address, listen, server_of_rows
        from sonlearn.serve.worker import Worker
    with contextlib.ExitStack() as stack:
        http = None if options.port is None else stack.enter_context(listen(options.host, options.port, "--port"))
        lines = None if options.tcp is None else stack.enter_context(listen(options.host, options.tcp, "--tcp"))
        assert run_options.initial_regressor is not None
        model = load_model(run_options.initial_regressor, threads=run_options.threads or 1)
        with Interrupts(at_once=True), telling_of_compiling():
            warm_up(model.learner, options.learn)
        limits = limits_of(options, Limits())
        saver = Saver(run_options, lambda: contents(model.learner, model.names)) if options.learn else None

        async def serve() -> None:
            metrics = ServerMetrics(
                lambda: model.learner.examples, lambda: worker.waiting, lambda: changes_in(model.learner.facts())
            )

            def after(rows: int, learned: int, loss: float) -> None:
                metrics.worked(rows, learned, loss)
                if saver is not None and learned:
                    saver.learned(learned, metrics)

            worker = Worker(
                model.learner, model.names, most_entries=limits.entries, after=after, online=options.learn, tell=warn
            )
            places = [f"http://{address(http)}"] if http else []
            places += [f"lines on {address(lines)}"] if lines else []
            learns = f", learning, saved as {run_options.final_regressor}" if options.learn else ""
            notice = f"serving {run_options.initial_regressor} on {' and '.join(places)}{learns}"
            server = server_of_rows(worker, metrics, limits, options.learn, warn)
            await server.run(http, lines, lambda: None if run_options.quiet else complain(notice))

        asyncio.run(serve())
    if saver is not None:
        saver.last()
    return 0


def serve_decisions(options: ServeOptions, run_options: RunOptions) -> int:
    """Serve a model of decisions until a signal; return the exit status. Raises as `command` does."""
    path = run_options.initial_regressor
    assert path is not None
    if options.events is None:
        raise OptionError(f"{path} decides, and its decisions have to be written down; give --events FILE")
    if options.port is None or options.tcp is not None:
        raise OptionError("--tcp, --port none: decisions are served over HTTP alone")
    check_files({"-i": path}, {"-f": run_options.final_regressor, "--events": options.events}, [("-f", "-i")])
    with extra(), contextlib.ExitStack() as stack:
        from sonlearn.serve.app import Limits
        from sonlearn.serve.decider import Decider, replay
        from sonlearn.serve.decisions import DecisionHandlers, DecisionMetrics
        from sonlearn.serve.events import EventLog
        from sonlearn.serve.server import Server, address, listen

        http = stack.enter_context(listen(options.host, options.port, "--port"))
        learner = load_bandit(path)[0]
        events = stack.enter_context(contextlib.closing(EventLog(options.events)))
        mark = mark_of(path)
        known, final = events.knows(mark), run_options.final_regressor
        if options.learn and not known and final and is_bandit(final) and events.knows(mark_of(final)):
            raise OptionError(
                f"-i {path}: {final} has learned from the events in {options.events} and would be replaced; give "
                f"-i {final} to go on, or another -f"
            )
        with Interrupts(at_once=True), telling_of_compiling():
            warm_up_decisions(learner)
            learned = replay(learner, events, mark if known else None, options.learn and known)
        if learned:
            complain(f"{options.events}: {learned} rewards were learned that {path} did not have yet")

        def contents() -> tuple[dict[str, Any], dict[str, np.ndarray]]:
            header, arrays = learner.to_arrays()
            return {**header, "events": events.mark()}, arrays

        saver = Saver(run_options, contents) if options.learn else None
        if saver is not None:
            saver.last()  # from now on the model says from where its events have to be learned again
        limits = limits_of(options, Limits())

        async def serve() -> None:
            metrics = DecisionMetrics(lambda: learner.examples, lambda: decider.waiting, lambda: events.pending)

            def after(decided: int, rewarded: int, learned: int) -> None:
                metrics.done(decided, rewarded, learned)
                if saver is not None and learned:
                    saver.learned(learned, metrics)

            decider = Decider(learner, events, options.learn, most_entries=limits.entries, after=after)
            handlers = DecisionHandlers(decider, metrics, limits, options.learn, warn)
            learns = f", learning, saved as {run_options.final_regressor}" if options.learn else ""
            about = f"serving decisions of {path} on http://{address(http)}, events in {options.events}{learns}"
            await Server(handlers).run(http, None, lambda: None if run_options.quiet else complain(about))

        asyncio.run(serve())
        if saver is not None:
            saver.last()
    return 0


def mark_of(path: str) -> dict[str, Any] | None:
    """How much a model has seen of which log of events."""
    mark: dict[str, Any] | None = storage.read(path, kind="bandit")[0].get("events")
    return mark


def limits_of(options: ServeOptions, default: Limits) -> Limits:
    """What a client may ask for."""
    limits = default._replace(
        body=options.max_body, line=min(options.max_body, default.line), connections=options.connections,
        seconds=options.timeout, entries=options.max_features,
    )  # fmt: skip
    return limits._replace(idle=max(limits.idle, limits.seconds))


@contextlib.contextmanager
def extra() -> Iterator[None]:
    """Turn the lack of a package of the extra into an OptionError."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "sonlearn"):
            raise
        remedy = "in a copy of the source: pip install '.[serve]'"
        raise OptionError(f"serve: {package} is not installed; {remedy}") from None


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


def check(options: ServeOptions, run_options: RunOptions) -> None:
    """Raise OptionError or ModelFileError for what could only fail later."""
    if run_options.initial_regressor is None:
        raise OptionError("serve needs a model; give -i MODEL")
    if options.port is None and options.tcp is None:
        raise OptionError("serve: there is nothing to listen on; give --port PORT or --tcp PORT")
    final = run_options.final_regressor
    if options.learn and final is None:
        raise OptionError("--learn: what is learned has to be saved; give -f MODEL (it may be the one of -i)")
    if not options.learn and (final or run_options.checkpoint or run_options.checkpoint_minutes):
        raise OptionError("-f, --checkpoint and --checkpoint-minutes are for a server that learns; give --learn")
    check_binary("-f", final, "a model")
    check_files({"-i": run_options.initial_regressor}, {"-f": final}, rewritten=[("-f", "-i")])
    if final is not None:
        storage.check_target(final)
    if not _is_loopback(options.host):
        warn(f"--host {options.host}: whoever reaches this address may ask{' and teach' * options.learn} the model")


def changes_in(facts: dict[str, Any]) -> float:
    """How often a stream has changed; 0 of a learner that does not look."""
    changes = streams.drift(facts)
    return float(len(changes["changes"])) if changes else 0.0


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
    else:
        lines = {"vw": b"1 |a b c", "json": b'{"_label": 1, "a": 1}'}
        (row,) = read_batches(io.BytesIO(lines.get(text.format, b"1 1:1")), text)
    learner.predict(row._replace(y=np.full(1, np.nan)))
    if learns:
        other = Learner(learner.options, text)
        other.partial_fit(row)
        other.predict(row)
        other.predict(row, online=True)


class Saver:
    """Saves the model while requests are answered: its arrays are copied, and written by another thread."""

    def __init__(self, options: RunOptions, contents: Callable[[], tuple[dict[str, Any], dict[str, np.ndarray]]]):
        minutes = options.checkpoint_minutes
        if minutes is None and options.checkpoint is None:
            minutes = CHECKPOINT_MINUTES
        self._checkpoints = Checkpoints(options.checkpoint, minutes)
        assert options.final_regressor is not None
        self._path, self._contents = options.final_regressor, contents
        self._writing: threading.Thread | None = None

    def learned(self, rows: int, metrics: Any) -> None:
        """So many rows more have been learned; the learner rests."""
        if self._checkpoints.due(rows) and (self._writing is None or not self._writing.is_alive()):
            header, arrays = self._contents()
            copies = {name: np.array(array) for name, array in arrays.items()}
            self._writing = threading.Thread(target=self._write, args=(header, copies, metrics), name="sonlearn-save")
            self._writing.start()

    def _write(self, header: dict[str, Any], arrays: dict[str, np.ndarray], metrics: Any) -> None:
        try:
            storage.write(self._path, header, arrays)
            metrics.saved.inc()
        except ModelFileError as error:
            metrics.unsaved.inc()
            warn(f"no checkpoint was saved: {error}")

    def last(self) -> None:
        """Save it at the end. Raises ModelFileError."""
        if self._writing is not None:
            self._writing.join()
        storage.write(self._path, *self._contents())
