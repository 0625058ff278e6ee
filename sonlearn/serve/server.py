"""A server from the first connection to the last answer.

`Connection` has what uvicorn's connections lack: a bound on headers, on the time they take, and on answers that nobody
takes. uvicorn bounds neither: a client that sends half a request line, or never reads what it asked for, would keep its
connection for ever, and enough of them would be all there are. It also closes connections whose client still sends, and
then the client's system loses the answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sonlearn.errors import OptionError
from sonlearn.interrupts import SIGNALS
from sonlearn.options.run import ServeOptions
from sonlearn.serve.app import Handlers, RowHandlers, make_app
from sonlearn.serve.lines import LineServer
from sonlearn.serve.metrics import ServerMetrics
from sonlearn.serve.worker import Worker

_BACKLOG = 1024
#: Bytes of a request's line and headers.
MOST_HEADERS = 1 << 16
_SILENCE = 1.0  # seconds without a byte after which a client that was answered counts as done


class Connection(HttpToolsProtocol):
    """One connection; it looks at itself four times in `ServeOptions.timeout`."""

    options = ServeOptions()

    def connection_made(self, transport: Any) -> None:
        self._refused = False
        self._ending: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self.transport = _Transport(transport, self._end)  # type: ignore[assignment]
        self._head: float | None = self.loop.time()  # since when headers are expected; None: they have come
        self._head_bytes = 0
        self._unsent, self._since = 0, self._head
        self._timer = self.loop.call_later(self.options.timeout / 4, self._check_timeout)
        if sum(not connection._refused for connection in self.connections) > self.options.connections:
            self._refuse(b"503 Service Unavailable", b"too many connections; try again later\n")

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        if self._ending is not None:
            self._ending.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            self._wait()
            return
        if self._head is None and self.cycle is not None and self.cycle.response_complete:
            self._head, self._head_bytes = self.loop.time(), 0
        while data and not self.transport.is_closing():
            part = data if self._head is None else data[: MOST_HEADERS - self._head_bytes]
            data = data[len(part) :]
            super().data_received(part)
            self._head_bytes += len(part)
            if self._head is not None and self._head_bytes >= MOST_HEADERS:
                self._refuse(b"431 Request Header Fields Too Large", b"found more than 65536 bytes of headers\n")

    def eof_received(self) -> bool:
        """Return whether to stay open although the client sends no more: while it waits for an answer."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete or cycle.more_body:
            return False
        cycle.keep_alive = False
        return True

    def on_headers_complete(self) -> None:
        self._head = None
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._refuse(b"400 Bad Request", msg.encode())

    def _end(self, transport: asyncio.Transport) -> None:
        """Close, once the client has sent what it was sending when it was answered."""
        if not self._refused and (self.cycle is None or not self.cycle.more_body):
            transport.close()
            return
        self._last = self.loop.time() + self.options.timeout
        self.flow.resume_reading()
        transport.write_eof()
        self._wait()

    def _wait(self) -> None:
        """Close after the client's silence; it has `ServeOptions.timeout` in all."""
        if self._ending is not None:
            self._ending.cancel()
        self._ending = self.loop.call_at(min(self.loop.time() + _SILENCE, self._last), self.transport.abort)

    def _check_timeout(self) -> None:
        now, unsent = self.loop.time(), self.transport.get_write_buffer_size()
        if unsent == 0 or unsent < self._unsent:
            self._since = now
        self._unsent = unsent
        late = self._head is not None and now - self._head > self.options.timeout
        if late or now - self._since > self.options.timeout:
            self.transport.abort()
            return
        self._timer = self.loop.call_later(self.options.timeout / 4, self._check_timeout)

    def _refuse(self, status: bytes, line: bytes) -> None:
        if not self.transport.is_closing():
            head = b"HTTP/1.1 %s\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: %d\r\n"
            self.transport.write(head % (status, len(line)) + b"connection: close\r\n\r\n" + line)
            self._refused = True
            self.transport.close()


class _Transport:
    """A transport whose `close` leaves to `end` when that is."""

    def __init__(self, transport: asyncio.Transport, end: Callable[[asyncio.Transport], None]):
        self._transport, self._end, self._closing = transport, end, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        return self._closing or self._transport.is_closing()

    def close(self) -> None:
        if not self.is_closing():
            self._closing = True
            self._end(self._transport)


class Server:
    """Serves what a worker predicts or decides.

    Parameters
    ----------
    handlers : Handlers
    lines : LineServer or None
    """

    def __init__(self, handlers: Handlers, lines: LineServer | None = None):
        self._worker, self._options, self._lines = handlers.worker, handlers.options, lines
        app, options = make_app(handlers), handlers.options
        connection = type("Connection", (Connection,), {"options": options})
        logging.getLogger("uvicorn").addHandler(logging.NullHandler())
        config = uvicorn.Config(
            app, http=connection, ws="none", loop="asyncio", lifespan="off", log_config=None,
            access_log=False, log_level="critical", proxy_headers=False, server_header=False, backlog=_BACKLOG,
            timeout_keep_alive=int(min(options.idle, 60)) or 1, timeout_graceful_shutdown=int(options.timeout) or 1,
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
            await self._lines.stop(self._options.timeout)
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
    worker: Worker, metrics: ServerMetrics, options: ServeOptions, report: Callable[[str], None]
) -> Server:
    """A server of rows, over HTTP and as lines; the parameters are those of `Handlers`."""
    asked, totals = worker.learner.options.coverage, worker.coverage
    if asked is not None:
        metrics.cover(asked, lambda: totals.covered / max(totals.rows, 1), lambda: totals.size / max(totals.finite, 1))
    handlers = RowHandlers(worker, metrics, options, report)
    return Server(handlers, LineServer(handlers))


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
