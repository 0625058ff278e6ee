"""A server in a thread of the test's own process, on ports of 127.0.0.1 that are free; and clients of it.

Without the extra `serve` whoever imports this is skipped.
"""

import asyncio
import contextlib
import http.client
import io
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the extra serve is not installed")
pytest.importorskip("starlette", reason="the extra serve is not installed")
pytest.importorskip("httptools", reason="the extra serve is not installed")
pytest.importorskip("prometheus_client", reason="the extra serve is not installed")

from sonlearn import Learner, LearnOptions, TextOptions
from sonlearn.commands.serve import warm_up, warm_up_decisions
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options.run import ServeOptions
from sonlearn.serve.app import DecisionHandlers
from sonlearn.serve.decider import Decider
from sonlearn.serve.events import EventLog
from sonlearn.serve.labels import LateLabels
from sonlearn.serve.metrics import DecisionMetrics, ServerMetrics
from sonlearn.serve.server import Server, listen, server_of_rows
from sonlearn.serve.worker import Worker
from sonlearn.text.columns import Labelling
from sonlearn.text.names import NameTable
from sonlearn.text.read import Reader

JSON = "application/json"


def learned_from(text: bytes, format: TextOptions, **options: object) -> Learner:
    """A learner of a text, as `sonlearn train` has it; its method is `nag` unless another is named."""
    learner = Learner(LearnOptions(**{"method": "nag"} | options), format)
    labels = Labelling.of(learner.options)
    for batch in Reader(io.BytesIO(text), learner.text, labels=labels, columns=learner.columns):
        learner.partial_fit(batch)
    return learner


class Served:
    """A server under way: its ports, its worker, what it has reported, and its notes on columns."""

    def __init__(self, learner: Learner, options: ServeOptions, events: EventLog | None = None):
        self.learner, self.reports, self.notes, self.events, self.told = learner, [], [], events, None
        self._warm_up(options)  # so that no client waits for kernels
        self._sockets = [listen("127.0.0.1", 0, "--port"), self._lines()]
        self.http, self.tcp = (bound and bound.getsockname()[1] for bound in self._sockets)
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(options, ready)))
        self._thread.start()
        assert ready.wait(10)

    def _warm_up(self, options: ServeOptions) -> None:
        warm_up(self.learner, options.learn)

    def _lines(self) -> socket.socket | None:
        return listen("127.0.0.1", 0, "--tcp")

    async def _run(self, options: ServeOptions, ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self.server = self._server(options)
        await self.server.run(*self._sockets, ready.set)

    def _server(self, options: ServeOptions) -> Server:
        metrics = ServerMetrics(lambda: self.learner.examples, lambda: 0)
        more = {"after": metrics.worked, "tell": self.notes.append}
        rest = self.learner, NameTable(), options
        self.worker = Worker(*rest, **more) if self.events is None else LateLabels(self.events, *rest, **more)
        return server_of_rows(self.worker, metrics, options, self.reports.append)

    def stop(self) -> None:
        """End it."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self.server.stop)
        self._thread.join(120)
        assert not self._thread.is_alive()

    def ask(self, method: str, path: str, body: bytes | str | None = None, media: str | None = "text/plain", **headers):
        """(status, answer) of one request; `told` are the warnings that came with it, or None."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=60)
        try:
            connection.request(method, path, body, headers | ({"content-type": media} if media else {}))
            response = connection.getresponse()
            self.told = json.loads(response.headers.get("warnings", "null"))
            return response.status, response.read().decode("utf-8", "surrogateescape")
        finally:
            connection.close()

    def json(self, path: str, value: object):
        """(status, decoded answer) of JSON, as a value or a text."""
        text = value if isinstance(value, str | bytes) else json.dumps(value)
        status, answer = self.ask("POST", path, text, JSON)
        return status, json.loads(answer)

    def check_refused(self, status: int, part: str, path: str, body: object, media: str = JSON, **headers) -> None:
        """A POST is answered with this status and an error that has this part."""
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        found, answer = self.ask("POST", path, text, media, **headers)
        error = json.loads(answer)["error"] if "json" in media else answer
        assert (found, part in error) == (status, True), (path, body, found, error)

    def connection(self, port: int | None = None) -> socket.socket:
        """An open connection; of lines, if no port is named."""
        return socket.create_connection(("127.0.0.1", port or self.tcp), timeout=60)

    def lines(self, data: bytes) -> str:
        """What is said to lines, until the connection is closed."""
        with self.connection() as client:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            return everything(client).decode("utf-8", "surrogateescape")


class ServedDecisions(Served):
    """A server of decisions under way."""

    def _warm_up(self, options: ServeOptions) -> None:
        warm_up_decisions(self.learner)

    def _lines(self) -> None:
        return None

    def _server(self, options: ServeOptions) -> Server:
        metrics = DecisionMetrics(lambda: self.learner.examples, lambda: 0, lambda: self.events.pending)
        self.worker = Decider(self.learner, self.events, options, after=metrics.worked)
        return Server(DecisionHandlers(self.worker, metrics, options, self.reports.append))


def everything(client: socket.socket) -> bytes:
    """All that comes until the connection ends, however it does."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while data := client.recv(1 << 16):
            found += data
    return found


@contextlib.contextmanager
def served(
    learner: Learner, learns: bool = False, events: EventLog | None = None, kind: type = Served, **options: float
) -> Iterator[Served]:
    """A server of `learner`, of late labels with a log of `events`; what should not happen fails the test."""
    server = kind(learner, ServeOptions(learn=learns, **options), events)
    try:
        yield server
    finally:
        server.stop()
    assert not server.reports, server.reports[:3]


@contextlib.contextmanager
def served_decisions(learner: Bandit, path: Path, learns: bool = False, **options: float) -> Iterator[ServedDecisions]:
    """A server of decisions with a log of its own."""
    with (
        contextlib.closing(EventLog(str(path))) as events,
        served(learner, learns, events, ServedDecisions, **options) as server,
    ):
        yield server
