"""A server from the first connection to the last answer."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable

import uvicorn

from sonlearn.errors import OptionError
from sonlearn.interrupts import SIGNALS
from sonlearn.serve.app import Handlers, Limits, RowHandlers, make_app
from sonlearn.serve.lines import LineServer
from sonlearn.serve.metrics import ServerMetrics
from sonlearn.serve.protocol import connection_class
from sonlearn.serve.worker import Worker

_BACKLOG = 1024


class Server:
    """Serves what a worker predicts or decides.

    Parameters
    ----------
    handlers : Handlers
    lines : LineServer or None
    """

    def __init__(self, handlers: Handlers, lines: LineServer | None = None):
        self._worker, self._limits, self._lines = handlers.worker, handlers.limits, lines
        app, limits = make_app(handlers), handlers.limits
        logging.getLogger("uvicorn").addHandler(logging.NullHandler())
        config = uvicorn.Config(
            app, http=connection_class(limits), ws="none", loop="asyncio", lifespan="off", log_config=None,
            access_log=False, log_level="critical", proxy_headers=False, server_header=False, backlog=_BACKLOG,
            timeout_keep_alive=int(min(limits.idle, 60)) or 1, timeout_graceful_shutdown=int(limits.seconds) or 1,
        )  # fmt: skip
        self._http = uvicorn.Server(config)
        self._http.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]  # signals are ours: `run`
        self._stop = asyncio.Event()

    async def run(self, http: socket.socket | None, lines: socket.socket | None, ready: Callable[[], None]) -> None:
        """Serve until `stop` or a signal, and answer all that has come; `ready` is called at the start."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):  # not the main thread; Windows
                if signal.getsignal(number) != signal.SIG_IGN:
                    loop.add_signal_handler(number, self.stop)
        working = asyncio.ensure_future(self._worker.run())
        listening = None
        if lines is not None and self._lines is not None:
            listening = await asyncio.start_server(self._lines.connected, sock=lines, backlog=_BACKLOG)
        serving = asyncio.ensure_future(self._http.serve(sockets=[http])) if http is not None else None
        ready()
        stopped = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({working, stopped, *([serving] if serving else [])}, return_when=asyncio.FIRST_COMPLETED)
        if listening is not None:
            listening.close()
        self._http.should_exit = True
        if self._lines is not None:
            await self._lines.stop(self._limits.seconds)
        if serving is not None:
            await serving
        self._worker.stop()
        stopped.cancel()
        await working

    def stop(self) -> None:
        """End; a second time: without waiting for what is under way."""
        if self._stop.is_set():
            self._http.force_exit = True
        self._stop.set()


def server_of_rows(
    worker: Worker, metrics: ServerMetrics, limits: Limits, learns: bool, report: Callable[[str], None]
) -> Server:
    """A server of rows, over HTTP and as lines; the parameters are those of `Handlers`."""
    asked, totals = worker.learner.options.coverage, worker.coverage
    if asked is not None:
        metrics.cover(asked, lambda: totals.covered / max(totals.rows, 1), lambda: totals.size / max(totals.finite, 1))
    how = (worker, metrics, limits, learns, report)
    return Server(RowHandlers(*how), LineServer(*how))


def listen(host: str, port: int, flag: str) -> socket.socket:
    """A socket that listens. Raises OptionError where it cannot."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        # Accepted sockets have it too. asyncio sets it only on those that say they are TCP's, and create_server's do
        # not; without it an answer in two writes waits 40 ms for the client to acknowledge the first.
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return bound
    except OSError as error:
        reason = os.strerror(error.errno) if isinstance(error.errno, int) and error.errno > 0 else str(error)
        raise OptionError(f"{flag} {port}: cannot listen on {host}: {reason.lower()}; give another port") from None


def address(bound: socket.socket) -> str:
    """``host:port`` of a socket."""
    host, port = bound.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
