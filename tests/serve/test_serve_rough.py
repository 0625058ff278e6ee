"""Clients that send rubbish, half of a request, too much, too slowly, or do not listen: none of them stops a server.

All of it on 127.0.0.1, bounded in count and in time.
"""

import gc
import http
import json
import random
import socket
import time

import pytest
from serving import everything, served

from sonlearn import Learner, LearnOptions, TextOptions
from sonlearn.serve import app, worker

POST = b"POST /predict HTTP/1.1\r\nhost: x\r\ncontent-length: "
ROW = b"1 |a x y\n"
TOO_LARGE = http.HTTPStatus(413).phrase.encode()  # another one from Python 3.13 on
WHOLE = POST + b"%d\r\n\r\n" % len(ROW) + ROW
CHUNKED = POST[:-16] + b"transfer-encoding: chunked\r\n\r\n"


@pytest.fixture
def learner():
    return Learner(LearnOptions(method="nag"), TextOptions(format="vw"))


def fine(server):
    """Whether the server answers as if nothing had been."""
    status, answer = server.ask("POST", "/predict", ROW)
    return (status, answer) == (200, "0\n") and server.lines(ROW) == "0\n"


def rubbish(r):
    """Bytes that are no request, or one that has been damaged."""
    kind = r.randrange(6)
    if kind == 0:
        return r.randbytes(r.randrange(1, 3000))
    if kind == 1:
        return WHOLE[: r.randrange(1, len(WHOLE))]
    if kind == 2:
        return b"x" * r.randrange(1, 300_000) + b"\n" * r.randrange(2)
    if kind == 3:
        pieces = [b"GET ", b"POST ", b"\r\n\r\n", b"\0", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]
        return r.choice(pieces) * r.randrange(1, 300)
    if kind == 4:
        size = r.choice([b"-1", b"99999999999999999999", b"x", b"0x10", b"", b"9" * 5000, b"5, 6"])
        return POST + size + b"\r\n\r\n" + ROW
    damaged = bytearray(WHOLE * r.randrange(1, 4))
    for _ in range(r.choice([0, 1, 2, 8])):
        damaged[r.randrange(len(damaged))] = r.randrange(256)
    return bytes(damaged)


def answers_rubbish(client, data, r):
    """Send, in one piece or in several, and take what comes, however the connection ends; sometimes hang up early."""
    try:
        cut = r.randrange(len(data) + 1)
        client.sendall(data[:cut])
        client.sendall(data[cut:])
        if r.random() < 0.3:
            return b""
        client.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    return everything(client)


def hangs_up(client, pieces):
    """Send pieces, with a pause after each; whether the server ends the connection before the last."""
    for piece, pause in pieces:
        try:
            client.sendall(piece)
        except ConnectionError:
            return True
        time.sleep(pause)
    return False


def test_rubbish(learner):
    r = random.Random(1)
    statuses = set()
    with served(learner, timeout=1.0, max_body=200_000) as server:
        for i in range(300):
            with server.connection(server.http if i % 2 else server.tcp) as client:
                answer = answers_rubbish(client, rubbish(r), r)
            assert b"Traceback" not in answer
            if i % 2 and answer:
                assert answer.startswith(b"HTTP/1.1 ")
                statuses.add(answer.split()[1])
            elif answer:
                assert all(line[:1] in b"0123456789-e" for line in answer.split(b"\n") if line)
            if i % 50 == 0:
                assert fine(server)
        assert fine(server)
    assert statuses <= {b"200", b"400", b"404", b"405", b"408", b"411", b"413", b"415", b"431", b"501", b"505"}
    assert {b"200", b"400"} <= statuses


def test_rows_of_rubbish_are_refused_or_answered(learner):
    """In requests that are well formed otherwise: each is answered, with rows or with one line."""
    r = random.Random(2)
    pieces = [b"|", b" ", b":", b"1", b"-", b"{", b"}", b'"', b"\n", b"\xff", b"\0", b"nan", b"1e999", b"a", b"[", b","]
    with served(learner, learns=True) as server:
        for i in range(300):
            body = b"".join(r.choice(pieces) for _ in range(r.randrange(1, 60)))
            media = r.choice(["text/plain", "application/json", "application/x-ndjson"])
            status, answer = server.ask("POST", r.choice(["/predict", "/learn"]), body, media)
            assert status in (200, 400)
            assert status == 200 or answer.count("\n") == 1
            if i % 3 == 0:
                said = server.lines(body + b"\n")
                assert said.count("\n") == sum(1 for line in body.split(b"\n") if line.strip(b" \t\r"))
        assert server.ask("POST", "/predict", ROW)[0] == 200


def test_half_requests_and_slow_ones_are_given_up(learner):
    """So many of them as there are connections; those who ask properly come in as soon as they are given up."""
    halves = [b"", b"P", POST, POST + b"100\r\n\r\n", POST + b"100\r\n\r\n|a x"]
    with served(learner, timeout=0.6, connections=10) as server:
        clients = [server.connection(server.http) for _ in range(10)]
        lines = [server.connection(server.tcp) for _ in range(10)]
        for i, client in enumerate(clients):
            client.sendall(halves[i % len(halves)])
        for client in lines:
            client.sendall(b"1 |a half of a line")
        assert server.ask("GET", "/health") == (503, "too many connections; try again later\n")
        assert server.lines(b"|a x\n") == "error: too many connections; try again later\n"
        started = time.monotonic()
        found = [everything(client) for client in clients]
        told = [everything(client) for client in lines]
        assert time.monotonic() - started < 5
        assert {answer.split(b"\r\n")[0] for answer in found} == {b"", b"HTTP/1.1 408 Request Timeout"}
        assert set(told) == {b"error: the line did not come within 0.6 seconds\n"}
        assert fine(server)
        for client in clients + lines:
            client.close()


def test_who_sends_on_after_a_refusal_reads_it_all_the_same(learner):
    """A connection that is closed at once, with something unread, would lose the line at the client's system."""
    with served(learner, timeout=5.0, connections=1) as server, server.connection(), server.connection() as client:
        for _ in range(3):
            client.sendall(b"|a x\n")
            time.sleep(0.1)
        client.shutdown(socket.SHUT_WR)
        assert everything(client) == b"error: too many connections; try again later\n"


@pytest.mark.parametrize(
    ("limits", "request_", "status"),
    [
        ({"connections": 0}, WHOLE * 2000, b"503 Service Unavailable"),
        ({"max_body": 100}, POST + b"%d\r\n\r\n" % (20 << 20) + ROW * 2000, b"413 " + TOO_LARGE),
        ({"max_body": 100}, CHUNKED + b"c8\r\n" + b"x" * 200 + b"\r\n", b"413"),
        ({}, b"no request\r\n\r\n" + ROW * 2000, b"400 Bad Request"),
        ({}, b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 20000, b"431 Request Header Fields Too Large"),
    ],
)
def test_who_sends_on_after_a_refusal_over_http_reads_it_too(learner, limits, request_, status):
    """A megabyte more, slowly, before it looks at the answer: the connection waits for it, and no longer."""
    with served(learner, timeout=5.0, **limits) as server, server.connection(server.http) as client:
        client.sendall(request_)
        for _ in range(4):
            time.sleep(0.1)
            client.sendall(b"|a x\n" * 50_000)
        started = time.monotonic()
        client.shutdown(socket.SHUT_WR)
        assert everything(client).startswith(b"HTTP/1.1 " + status)
        assert time.monotonic() - started < 3


def test_a_refused_client_that_neither_sends_nor_leaves_is_left(learner):
    """After a second; one that sends for ever after the time of a request. None keeps another's place."""
    with served(learner, timeout=2.0, connections=1) as server, server.connection(server.http) as first:
        with server.connection(server.http) as silent, server.connection(server.http) as drips:
            assert everything(silent).startswith(b"HTTP/1.1 503")
            assert hangs_up(drips, ([b"x", 0.05] for _ in range(200)))
        first.close()
        time.sleep(0.2)
        assert fine(server)


def test_drops_of_headers_do_not_keep_a_connection(learner):
    """A byte at a time, always in time for the next, but never a request."""
    with served(learner, timeout=0.5) as server, server.connection(server.http) as client:
        started = time.monotonic()
        assert hangs_up(client, ([bytes([byte]), 0.02] for byte in POST * 100))
        assert 0.3 < time.monotonic() - started < 3
        assert fine(server)


def test_answers_that_nobody_takes_do_not_keep_a_connection(learner):
    rows = b"1 '" + b"t" * 2000 + b"|a x\n"  # a tag comes back
    rows *= 2000
    request = POST + b"%d\r\n\r\n" % len(rows) + rows
    with served(learner, timeout=0.5) as server:
        clients = []
        for port, data in ((server.http, request), (server.tcp, rows)):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.settimeout(5)
            clients.append(client)
            assert hangs_up(client, [[data, 0.0]] * 50)  # when nothing has been taken for so long
        assert fine(server)
        for client in clients:
            client.close()


def test_headers_and_lines_have_an_end(learner):
    with served(learner, max_body=1000, timeout=5.0) as server:
        with server.connection(server.http) as client:
            answer = answers_rubbish(client, b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000, random.Random(1))
            assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")
        for length, status in ((65_000, b"200"), (70_000, b"431")):
            with server.connection(server.http) as client:
                client.sendall(WHOLE.replace(b"host: x", b"connection: close\r\na: " + b"b" * length))
                assert everything(client).startswith(b"HTTP/1.1 " + status)
        with server.connection(server.tcp) as client:
            client.sendall(b"|a x\n|a " + b"x" * 70_000)
            assert everything(client) == b"0\nerror: found a line of more than 1000 bytes, expected less\n"
        assert fine(server)


def test_bodies_that_come_in_are_held_within_a_bound(learner, monkeypatch):
    """One that goes beyond it is refused, and may be sent again."""
    for module in (app, worker):
        monkeypatch.setattr(module, "MAX_QUEUED_BYTES", 100, raising=False)
    with served(learner, timeout=10.0) as server, server.connection(server.http) as client:
        client.sendall(POST + b"90\r\nconnection: close\r\n\r\n" + ROW * 9)
        deadline = time.monotonic() + 10
        while not server.worker.waiting and time.monotonic() < deadline:
            time.sleep(0.01)
        assert server.ask("POST", "/predict", ROW * 3) == (503, "too much is waiting; try again later\n")
        assert fine(server)
        client.sendall(ROW)
        assert everything(client).startswith(b"HTTP/1.1 200")
        assert server.ask("POST", "/predict", ROW * 30)[0] == 200  # by itself
        assert server.worker.waiting == 0


def test_pipelined_requests_are_answered_in_order(learner):
    with served(learner) as server, server.connection(server.http) as client:
        bad = POST + b"1\r\n\r\nx"
        last = WHOLE.replace(b"host: x", b"connection: close")
        client.sendall(WHOLE + bad + last)
        answer = everything(client)
        assert [part.split()[0] for part in answer.split(b"HTTP/1.1 ")[1:]] == [b"200", b"400", b"200"]


def test_half_a_line_is_told_that_the_server_stops(learner):
    with served(learner, timeout=10.0) as server, server.connection() as lines:
        lines.sendall(ROW + ROW[:-1])
        assert lines.recv(1 << 16) == b"0\n"
        server.stop()
        assert everything(lines) == b"error: the line did not come before the server stopped\n"


def test_a_stop_finishes_what_has_been_asked(learner, caplog):
    rows = json.dumps([{"a": {"x": 1}}] * 20_000).encode()
    head = POST + b"%d\r\ncontent-type: application/json\r\n\r\n" % len(rows)
    with served(learner, timeout=300.0) as server:  # more than `Served.stop` waits: no connection is given up
        asked, enqueue = set(), server.worker.enqueue

        def noted(request):
            asked.add(request.kind)
            return enqueue(request)

        server.worker.enqueue = noted
        with (
            server.connection(server.http) as client, server.connection(server.tcp) as lines,
            server.connection(server.http) as idle, server.connection(server.tcp) as idle_lines,
        ):  # fmt: skip
            lines.sendall(ROW * 20_000)
            client.sendall(head + rows)
            while len(asked) < 2:
                time.sleep(0.001)
            server.stop()
            answer = everything(client)
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert len(json.loads(answer.split(b"\r\n\r\n")[1])["predictions"]) == 20_000
            said = everything(lines)
            assert said.count(b"\n") >= 1
            assert said.replace(b"0\n", b"") == b""
            assert (everything(idle), everything(idle_lines)) == (b"", b"")
    gc.collect()  # what a task has raised that nobody asks for is told with its end
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []
