"""What uvicorn's connections lack: a bound on headers, on the time they take, and on answers that nobody takes.

uvicorn bounds neither: a client that sends half a request line, or never reads what it asked for, would keep its
connection for ever, and enough of them would be all there are. It also closes connections whose client still sends, and
then the client's system loses the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sonlearn.serve.app import Limits

#: Bytes of a request's line and headers.
MOST_HEADERS = 1 << 16
_SILENCE = 1.0  # seconds without a byte after which a client that was answered counts as done


class Connection(HttpToolsProtocol):
    """One connection; it looks at itself four times in `Limits.seconds`."""

    limits = Limits()

    def connection_made(self, transport: Any) -> None:
        self._refused = False
        self._ending: asyncio.TimerHandle | None = None
        super().connection_made(transport)
        self.transport = _Transport(transport, self._end)  # type: ignore[assignment]
        self._head: float | None = self.loop.time()  # since when headers are expected; None: they have come
        self._head_bytes = 0
        self._unsent, self._since = 0, self._head
        self._timer = self.loop.call_later(self.limits.seconds / 4, self._look)
        if sum(not connection._refused for connection in self.connections) > self.limits.connections:
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
        """Whether to stay open although the client sends no more: while it waits for an answer."""
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
        self._last = self.loop.time() + self.limits.seconds
        self.flow.resume_reading()
        transport.write_eof()
        self._wait()

    def _wait(self) -> None:
        """Close after the client's silence; it has `Limits.seconds` in all."""
        if self._ending is not None:
            self._ending.cancel()
        self._ending = self.loop.call_at(min(self.loop.time() + _SILENCE, self._last), self.transport.abort)

    def _look(self) -> None:
        now, unsent = self.loop.time(), self.transport.get_write_buffer_size()
        if unsent == 0 or unsent < self._unsent:
            self._since = now
        self._unsent = unsent
        late = self._head is not None and now - self._head > self.limits.seconds
        if late or now - self._since > self.limits.seconds:
            self.transport.abort()
            return
        self._timer = self.loop.call_later(self.limits.seconds / 4, self._look)

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


def connection_class(limits: Limits) -> type[Connection]:
    """The class of connections with these limits."""
    return type("Connection", (Connection,), {"limits": limits})


__all__ = ["MOST_HEADERS", "Connection", "connection_class"]
