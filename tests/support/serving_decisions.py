"""A server of decisions in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading

from serving import Served

from sonlearn.commands.serve import warm_up_decisions
from sonlearn.options.verbs import ServeOptions
from sonlearn.serve.app import DecisionHandlers
from sonlearn.serve.decider import Decider
from sonlearn.serve.events import EventLog
from sonlearn.serve.metrics import DecisionMetrics
from sonlearn.serve.server import Server, listen


class ServedDecisions(Served):
    """A server under way; see `Served`."""

    def __init__(self, learner, events, options):
        self.learner, self.events, self.reports = learner, events, []
        warm_up_decisions(learner)
        self._sockets = [listen("127.0.0.1", 0, "--port")]
        self.http = self._sockets[0].getsockname()[1]
        ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run(options, ready)))
        self._thread.start()
        assert ready.wait(10)

    async def _run(self, options, ready):
        self._loop = asyncio.get_running_loop()
        metrics = DecisionMetrics(lambda: self.learner.examples, lambda: 0, lambda: self.events.pending)
        self.worker = Decider(self.learner, self.events, options, after=metrics.worked)
        self.server = Server(DecisionHandlers(self.worker, metrics, options, self.reports.append))
        await self.server.run(self._sockets[0], None, ready.set)

    def post(self, path, value):
        """(status, decoded answer) of a request."""
        text = value if isinstance(value, str | bytes) else json.dumps(value)
        status, answer = self.ask("POST", path, text, "application/json")
        return status, json.loads(answer)


@contextlib.contextmanager
def served_decisions(learner, path, learns=False, **options):
    """A server while the block runs; what should not happen fails the test."""
    with contextlib.closing(EventLog(str(path))) as events, served_by(learner, events, learns, **options) as server:
        yield server


@contextlib.contextmanager
def served_by(learner, events, learns=True, **options):
    """The same with a log of events that is open."""
    server = ServedDecisions(learner, events, ServeOptions(learn=learns, **options))
    try:
        yield server
    finally:
        server.stop()
    assert not server.reports, server.reports[:3]
