"""HTTP requests to a worker or a decider, by Starlette. Whatever is sent, the answer is one status and one clear line.

======  =========  ==================================================================================================
POST    /predict   rows as JSON, or lines of text: what is predicted, in their order
POST    /learn     the same, and rows with a label are learned from after they were predicted
POST    /label     with --events: ids of rows that were predicted, and their labels: the rows are learned
POST    /decide    a context, as c of dsjson: an action, its probability, those of all actions, and the event's id
POST    /reward    the id of an event and its reward: late, or never; a second one is refused
GET     /health    that the server works, how many examples or rewards its model has learned, how many events wait
GET     /metrics   counters, for Prometheus
======  =========  ==================================================================================================
"""

from __future__ import annotations

import asyncio
import codecs
import functools
import json
import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sonlearn.errors import OutputError, SonlearnError, shorten
from sonlearn.options.run import ServeOptions
from sonlearn.options.text import NAMESPACED
from sonlearn.report.predictions import format_lines
from sonlearn.serve.metrics import ServerMetrics
from sonlearn.serve.worker import CSV, DOCUMENT, LINES, MAX_QUEUED_BYTES, TEXT, Busy, Extras, Reply

JSON, JSON_LINES, PLAIN, TEXT_CSV = "application/json", "application/x-ndjson", "text/plain", "text/csv"
_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


def media_of(request: Request, usual: str = "") -> str:
    """Return the media type of a body, which is the `usual` one unless told; capitals in it mean nothing."""
    return request.headers.get("content-type", usual).split(";")[0].strip().lower()


def refused_type(media: str, *known: str, suggested: int = 0) -> HTTPException:
    """Return the refusal of a body that is of none of the `known` media types; curl sends a form's unless told."""
    remedy = f"; curl: -H 'content-type: {known[suggested]}'" if media.endswith("form-urlencoded") else ""
    return HTTPException(415, f"found content of type {media or 'nothing'}, expected {' or '.join(known)}{remedy}")


class Handlers:
    """What is done for each path; of what a worker predicts or decides, a subclass's.

    Parameters
    ----------
    worker : Worker or Decider
    metrics : ServerMetrics
    options : ServeOptions
    report : callable
        Takes a line on what should not have happened.
    """

    def __init__(self, worker: Any, metrics: ServerMetrics, options: ServeOptions, report: Callable[[str], None]):
        self.worker, self.counted, self.options, self.report = worker, metrics, options, report

    #: The paths that take POST, and of each whether something is learned there.
    paths: Mapping[str, bool]

    async def answered(self, request: Request, learn: bool) -> Response:
        """Return the answer to a POST. Raises HTTPException, SonlearnError."""
        raise NotImplementedError

    async def post(self, path: str, request: Request) -> Response:
        """Answer a POST to one of the `paths`, whatever happens, and count it."""
        started = time.perf_counter()
        try:
            if "origin" in request.headers:
                raise HTTPException(403, "requests of web pages are not answered: any page could send them")
            response = await self.answered(request, self.paths[path])
        except HTTPException as refused:
            response = refusal(request, refused.status_code, refused.detail, refused.headers)
        except OutputError as error:
            self.report(str(error))
            response = refusal(request, 503, "the event could not be written, so nothing was done; try again later")
        except SonlearnError as error:
            response = refusal(request, getattr(error, "status", 400), str(error), getattr(error, "headers", None))
        except ClientDisconnect:
            response = refusal(request, 400, "the request has ended before its end")
        except Exception as error:
            line = " ".join(f"unexpected {type(error).__name__}: {error}".split())
            self.report(f"{path}: {line}")
            response = refusal(request, 500, f"{line}; this is a bug, please report it")
        self.counted.requests.labels(path, response.status_code).inc()
        self.counted.seconds.observe(time.perf_counter() - started)
        return response

    def facts(self) -> dict[str, Any]:
        """Return what /health says of the model, and of the events that wait."""
        events = getattr(self.worker, "events", None)
        return {"examples": self.worker.learner.examples, **({} if events is None else {"pending": events.pending})}

    async def health(self, request: Request) -> Response:
        """GET /health."""
        health = {"status": "ok", **self.facts(), "learns": self.options.learn}
        return Response(json.dumps(health) + "\n", media_type=JSON)

    async def metrics(self, request: Request) -> Response:
        """GET /metrics."""
        return Response(self.counted.text(), headers={"content-type": _PROMETHEUS})

    async def _body(self, request: Request) -> bytes:
        """The body, in time and within bounds; a connection whose body is not is closed."""
        close, most = {"connection": "close"}, self.options.max_body
        too_much = HTTPException(413, f"found more than {most} bytes, expected at most so many in a request", close)
        stated = request.headers.get("content-length", "0")
        if not stated.isdecimal() or int(stated[:20]) > most:
            raise too_much
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.options.timeout):
                async for part in request.stream():
                    size += len(part)
                    self.worker.waiting += len(part)
                    if size > most:
                        raise too_much
                    if self.worker.waiting > max(MAX_QUEUED_BYTES, size):  # one alone is never too much
                        raise Busy
                    parts.append(part)
        except TimeoutError:
            line = f"the request did not come within {self.options.timeout:g} seconds"
            raise HTTPException(408, line, close) from None
        finally:
            self.worker.waiting -= size
        coding = request.headers.get("content-encoding", "").strip().lower()
        if coding not in ("", "identity"):
            raise HTTPException(
                415, f"found a body of content-encoding {coding[:40]!r}, expected one that is not encoded"
            )
        return b"".join(parts).removeprefix(codecs.BOM_UTF8)


class RowHandlers(Handlers):
    """What is done for rows: they are predicted, and learned; see `Handlers`."""

    @property
    def paths(self) -> Mapping[str, bool]:  # type: ignore[override]
        """See `Handlers`: labels that come late have a path of their own."""
        return {"/predict": False, self.worker.learns_at: True}

    def facts(self) -> dict[str, Any]:
        """See `Handlers`."""
        learner = self.worker.learner
        positive = {"positive": learner.two_labels[1]} if learner.labels.worded and learner.two_labels else {}
        return {"method": learner.options.method, **positive, **super().facts()}

    async def answered(self, request: Request, learn: bool) -> Response:
        """See `Handlers`."""
        if learn and not self.options.learn:
            raise HTTPException(403, "this server does not learn; start it with: sonlearn serve --learn -f MODEL")
        media = media_of(request, PLAIN)
        extras = self._extras_of(request, media)
        body = await self._body(request)
        answer = await self.worker.ask(self._kind(media, body), body, learn=learn, extras=extras)
        headers = {"warnings": json.dumps(answer.notes)} if answer.notes else None  # of ASCII
        if media in (PLAIN, TEXT_CSV):
            return _plain(prediction_lines(answer), headers=headers)
        content = {"predictions": answer.values, **answer.more}
        if extras.probabilities:
            content["tags"] = answer.tags
        return Response(json.dumps(content) + "\n", headers=headers, media_type=JSON)

    def _extras_of(self, request: Request, media: str) -> Extras:
        """Return what the query asks for."""
        given: dict[str, bool] = {}
        for name, value in request.query_params.multi_items():
            if name not in Extras._fields:
                known = " or ".join(f"{known}=1" for known in Extras._fields)
                raise HTTPException(400, f"found the query parameter {name[:40]!r}, expected {known}")
            if value not in ("0", "1"):
                raise HTTPException(400, f"found {name}={value[:40]!r}, expected 1 or 0")
            given[name] = value == "1"
        extras = Extras(**given)
        if any(extras) and media in (PLAIN, TEXT_CSV):
            raise HTTPException(400, f"found a query with {media}, whose answers are lines of predictions; send {JSON}")
        if extras.coverage and self.worker.learner.options.coverage is None:
            raise HTTPException(400, "found coverage=1, and the model keeps none; train it with --coverage")
        if extras.probabilities and (why := self.worker.problem.no_probabilities):
            raise HTTPException(400, f"found probabilities=1, and {why}")
        return extras

    def _kind(self, media: str, body: bytes) -> str:
        if media == JSON:
            one_line = body.count(b"\n", 0, len(body.rstrip())) == 0
            return LINES if one_line and body.lstrip()[:1] == b"{" else DOCUMENT
        if media == JSON_LINES:
            return LINES
        if media == PLAIN and self.worker.takes_text:
            # a model of VW text or JSON takes lines of both: they have the same features
            return LINES if self.worker.learner.text.format in NAMESPACED and body.lstrip()[:1] == b"{" else TEXT
        if media == TEXT_CSV and self.worker.takes_csv:
            return CSV
        known = {PLAIN: self.worker.takes_text, TEXT_CSV: self.worker.takes_csv}
        suggested = 0 if body.lstrip()[:1] in (b"{", b"[") else -1
        raise refused_type(media, JSON, JSON_LINES, *filter(known.get, known), suggested=suggested)


class DecisionHandlers(Handlers):
    """What is done for decisions: they are made, and rewarded; see `Handlers`."""

    paths = {"/decide": False, "/reward": True}  # noqa: RUF012

    async def answered(self, request: Request, learn: bool) -> Response:
        """See `Handlers`."""
        if request.query_params:
            raise HTTPException(400, "found a query, expected none")
        media = media_of(request, JSON)
        if media != JSON:
            raise refused_type(media, JSON)
        body = await self._body(request)
        try:
            decoded = json.loads(
                body, parse_int=functools.partial(_finite, int), parse_float=functools.partial(_finite, float)
            )
        except (ValueError, RecursionError) as error:
            raise HTTPException(400, f"found no JSON: {' '.join(str(error).split())}") from None
        answer = await self.worker.ask(decoded, len(body), rewards=learn)
        return Response(json.dumps(answer) + "\n", media_type=JSON)


def _finite(kind: type, text: str) -> Any:
    """Return a number in JSON, as what it is written. Raises HTTPException: it is beyond all bounds."""
    if math.isinf(float(text)):
        raise HTTPException(400, f"found {shorten(text)}, expected a number of at most 1.8e308")
    return kind(text)


def prediction_lines(answer: Reply) -> str:
    """Predictions as ``sonlearn predict`` writes them."""
    texts = answer.values
    named = bool(texts) and isinstance(texts[0], str)
    return format_lines(texts if named else np.array(texts, dtype=np.float64), answer.tags)


def refusal(request: Request, status: int, line: str, headers: Mapping[str, str] | None = None) -> Response:
    """One line, as text or as JSON, as the request was; one without a body as /health answers."""
    if media_of(request, PLAIN if request.method == "POST" else JSON) in (JSON, JSON_LINES):
        content = json.dumps({"error": line}) + "\n"
        return Response(content, status, headers=headers, media_type=JSON)
    return _plain(line + "\n", status, headers)


def _plain(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    # a tag that is not UTF-8 leaves as the bytes it came in as
    content = text.encode("utf-8", "surrogateescape")
    return Response(content, status, headers=headers, media_type=PLAIN)


def make_app(handlers: Handlers) -> Starlette:
    """The application of what is done for each path, with /health and /metrics."""
    expected = f"{', '.join(f'POST {path}' for path in handlers.paths)}, GET /health or GET /metrics"

    async def unknown(request: Request, error: Any) -> Response:
        line = f"found {request.method} {request.url.path!r:.80}, expected {expected}"
        return refusal(request, error.status_code, line, error.headers)

    routes = [Route(path, functools.partial(handlers.post, path), methods=["POST"]) for path in handlers.paths]
    routes += [Route("/health", handlers.health), Route("/metrics", handlers.metrics)]
    return Starlette(routes=routes, exception_handlers={HTTPException: unknown})
