"""The line protocol over TCP, as Vowpal Wabbit's daemon has it: an example a line in, a prediction a line out.

Lines are in the model's format; where a line begins with ``{`` it is an object of JSON. A blank line has no answer. A
line that is no example is answered ``error: `` and what is wrong with it, and the connection goes on; after one that is
too long, or does not come in time, it ends.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import itertools
import re

from sonlearn.errors import SonlearnError
from sonlearn.serve.app import RowHandlers, prediction_lines
from sonlearn.serve.worker import LINES, TEXT

_READ_BYTES, MAX_LINE = 1 << 16, 1 << 20
_LAST_SECONDS = 1.0  # that the end of a connection waits for the client's own
_HTTP = re.compile(rb"[A-Z]+ \S+ HTTP/")


class LineServer:
    """Answers connections; lines with a label are learned from, after they were predicted, where the model learns.

    Parameters
    ----------
    handlers : RowHandlers
        Those of HTTP: what they know is known here.
    """

    def __init__(self, handlers: RowHandlers):
        self._worker, self._metrics, self._options = handlers.worker, handlers.counted, handlers.options
        self._report = handlers.report
        self._open: set[asyncio.Task] = set()
        self._stopping = asyncio.Event()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer a connection to its end."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        self._metrics.connections.inc()
        try:
            if len(self._open) > self._options.connections:
                await self._send(writer, "error: too many connections; try again later\n")
            else:
                await self._serve_client(reader, writer)
        except (OSError, asyncio.CancelledError):  # or the answer was not taken in time: TimeoutError
            writer.transport.abort()
        except Exception as error:
            self._report("lines: " + " ".join(f"unexpected {type(error).__name__}: {error}".split()))
            writer.transport.abort()
        finally:
            self._open.discard(task)
            self._metrics.connections.dec()
            await self._close(reader, writer)

    async def stop(self, seconds: float) -> None:
        """Answer the lines that have come, then close all connections."""
        self._stopping.set()
        if self._open:
            _, late = await asyncio.wait(self._open, timeout=seconds)
            for task in late:
                task.cancel()

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pending, since, fresh, loop = b"", 0.0, True, asyncio.get_running_loop()
        most = min(self._options.max_body, MAX_LINE)
        while True:
            rest = since + self._options.timeout - loop.time() if pending else self._options.idle
            data = await self._read(reader, rest)
            if data is None:
                if pending:
                    within = f"within {self._options.timeout:g} seconds"
                    when = "before the server stopped" if self._stopping.is_set() else within
                    await self._send(writer, f"error: the line did not come {when}\n")
                return
            if fresh and _HTTP.match(data):
                # From a web page, maybe: its text would be learned from.
                await self._send(writer, "error: found a request of HTTP, expected lines; HTTP has a port of its own\n")
                return
            data = data.removeprefix(codecs.BOM_UTF8) if fresh else data
            fresh, since = False, since if pending else loop.time()
            lines, newline, after = (pending + data).rpartition(b"\n") if b"\n" in data else (b"", b"", pending + data)
            if newline:
                since = loop.time()
            if not data:  # the end; what stands there without a line's end is the last line
                lines, after = after, b""
            pending = after
            if lines:
                await self._send(writer, await self._answers(lines))
            if len(pending) > most:
                await self._send(writer, f"error: found a line of more than {most} bytes, expected less\n")
                return
            if not data:
                return

    async def _read(self, reader: asyncio.StreamReader, seconds: float) -> bytes | None:
        """Return what has come; empty at the end, None after so many seconds or when the server stops."""
        read = asyncio.ensure_future(reader.read(_READ_BYTES))
        stop = asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({read, stop}, timeout=max(seconds, 0.0), return_when=asyncio.FIRST_COMPLETED)
            return read.result() if read.done() else None
        finally:
            read.cancel()
            stop.cancel()
            await asyncio.wait({read, stop})  # who reads next must be the only one

    async def _answers(self, lines: bytes) -> str:
        """Return what is said to whole lines. Only a newline ends one; tags may hold what other systems take for it."""
        answers: list[str] = []
        for kind, part in itertools.groupby(lines.split(b"\n"), self._kind):
            text = b"\n".join(part) + b"\n"
            try:
                answer = await self._worker.ask(kind, text, learn=self._options.learn, whole=False)
            except SonlearnError as error:
                count = sum(1 for line in text.split(b"\n") if line.strip(b" \t\r"))
                answers += [f"error: {error}\n"] * count
                self._metrics.lines.labels("refused").inc(count)
                continue
            texts = dict(zip(answer.lines, prediction_lines(answer).split("\n")[:-1], strict=True))
            texts |= {error.line or 0: f"error: {error}" for error in answer.errors}
            answers += [texts[line] + "\n" for line in sorted(texts)]
            self._metrics.lines.labels("answered").inc(len(answer.lines))
            self._metrics.lines.labels("malformed").inc(len(answer.errors))
        return "".join(answers)

    def _kind(self, line: bytes) -> str:
        return TEXT if self._worker.takes_text and line.lstrip()[:1] != b"{" else LINES

    async def _send(self, writer: asyncio.StreamWriter, text: str) -> None:
        writer.write(text.encode("utf-8", "surrogateescape"))
        async with asyncio.timeout(self._options.timeout):
            await writer.drain()

    async def _close(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Read what the client still sends for a moment, or its system would lose the last answer; then close."""
        with contextlib.suppress(OSError):
            async with asyncio.timeout(_LAST_SECONDS):
                writer.write_eof()
                while await reader.read(_READ_BYTES):
                    pass
        writer.close()
        with contextlib.suppress(OSError):
            async with asyncio.timeout(self._options.timeout):
                await writer.wait_closed()
            return
        writer.transport.abort()
