"""How many predictions a second a server gives, and how soon: on this machine alone, over loopback.

    python bench/serve.py [--methods nag,committee] [--seconds S] [--connections C]

A model of each method learns the sample (data/sample.vw, 1,000 rows of about 19 features) and is served by a process of
its own. This one asks, over C connections that are kept open: each asks again when it is answered, for S seconds and at
most 50,000 requests. Rows a second, and the time from sending to the whole answer; a request has one row unless the
table says otherwise. The asking takes one of the cores.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.processes import ROOT, SONLEARN, TRAIN
from bench.table import Table

SAMPLE = ROOT / "data" / "sample.vw"
MOST_REQUESTS = 50_000
WORD = re.compile(r"([^\s:|]+)(?::(\S+))?")


def as_json(line: str) -> dict:
    """A line of the sample as an object of JSON, with the same features."""
    head, *parts = line.split("|")
    record: dict = {"_label": float(head.split()[0])} if head.split() else {}
    for part in parts:
        space, _, words = part.partition(" ")
        members = {name: float(value or 1) for name, value in WORD.findall(words)}
        record |= {space.partition(":")[0]: members} if space else members
    return record


class Asker(asyncio.Protocol):
    """A connection that asks, waits for the whole answer, and asks again."""

    def __init__(self, requests: itertools.cycle, whole: Callable[[bytes], int], done: Callable[[float], bool]):
        self.requests, self.whole, self.done = requests, whole, done
        self.answer, self.finished = b"", asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask first."""
        self.transport = transport
        self.ask()

    def ask(self) -> None:
        """Send the next request."""
        self.began = time.perf_counter()
        self.transport.write(next(self.requests))

    def data_received(self, data: bytes) -> None:
        """Take a part of the answer."""
        self.answer += data
        if self.whole(self.answer):
            if not (self.answer.startswith(b"HTTP/1.1 200") or self.answer[:1] in b"-0123456789"):
                raise SystemExit(f"refused: {self.answer[:300]!r}")
            self.answer = b""
            if self.done(time.perf_counter() - self.began):
                self.ask()
            else:
                self.transport.close()
                self.finished.set_result(None)


def http_whole(answer: bytes) -> int:
    """Whether an answer of HTTP is whole."""
    head, blank, body = answer.partition(b"\r\n\r\n")
    match = re.search(rb"content-length: (\d+)", head)
    return bool(blank and match and len(body) >= int(match[1]))


async def load(port: int, requests: list[bytes], whole: Callable, connections: int, seconds: float) -> np.ndarray:
    """Seconds that each answer took; then the length of all."""
    loop, took = asyncio.get_running_loop(), []
    end = time.perf_counter() + seconds

    def done(one: float) -> bool:
        took.append(one)
        return len(took) < MOST_REQUESTS - connections and time.perf_counter() < end

    cycle, started = itertools.cycle(requests), time.perf_counter()
    askers = [
        (await loop.create_connection(lambda: Asker(cycle, whole, done), "127.0.0.1", port))[1]
        for _ in range(connections)
    ]
    await asyncio.gather(*(asker.finished for asker in askers))
    return np.array([*took, time.perf_counter() - started])


def http(path: str, media: str, body: bytes) -> bytes:
    """A request."""
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {media}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def shapes(lines: list[str], learn: bool) -> dict[str, tuple[int, list[bytes], Callable]]:
    """{what is asked: (rows of a request, the requests, whether an answer is whole)}."""
    path, texts = "/learn" if learn else "/predict", [line.encode() + b"\n" for line in lines]
    records = [json.dumps(as_json(line)).encode() for line in lines]
    hundreds = [b"".join(texts[i : i + 100]) for i in range(0, len(texts), 100)]
    return {
        "HTTP, text": (1, [http(path, "text/plain", text) for text in texts], http_whole),
        "HTTP, JSON": (1, [http(path, "application/json", record) for record in records], http_whole),
        "HTTP, 100 lines of text": (100, [http(path, "text/plain", text) for text in hundreds], http_whole),
        "lines over TCP": (1, texts, lambda answer: answer.endswith(b"\n")),
        "lines over TCP, 100 at once": (100, hundreds, lambda answer: answer.count(b"\n") == 100),
    }  # fmt: skip


def serve(table: Table, method: str, learn: bool, folder: str, arguments: argparse.Namespace) -> None:
    """Print the rows of one server."""
    model = f"{folder}/model"
    subprocess.run([*TRAIN, "--method", method, "-f", model, str(SAMPLE)], check=True, cwd=ROOT)
    command = [*SONLEARN, "serve", "-i", model, "--port", "0", "--tcp", "0", *(["--learn", "-f", model] * learn)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr:
                if ports := re.findall(r"127\.0\.0\.1:(\d+)", line):
                    break
            lines = SAMPLE.read_text(encoding="utf-8").splitlines()
            for name, (rows, requests, whole) in shapes(lines, learn).items():
                port = int(ports["TCP" in name])
                asyncio.run(load(port, requests, whole, arguments.connections, 0.5))  # warm up
                for connections in (1, arguments.connections):
                    took = asyncio.run(load(port, requests, whole, connections, arguments.seconds))
                    p50, p99 = np.percentile(1e3 * took[:-1], [50, 99])
                    rate = round(rows * (len(took) - 1) / took[-1])
                    table.row(method + ", learning" * learn, name, connections, rate, f"{p50:.2f}", f"{p99:.2f}")
        finally:
            server.terminate()


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", default="nag,committee")
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--connections", type=int, default=32)
    arguments = parser.parse_args()
    table = Table("", ["method", "asked", "connections", "rows/s", "p50 ms", "p99 ms"])
    for method in arguments.methods.split(","):
        for learn in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                serve(table, method, learn, folder, arguments)


if __name__ == "__main__":
    main()
