"""HTTP requests to the decider, by Starlette: decisions and their rewards.

======  =========  ==================================================================================================
POST    /decide    a context, as c of dsjson: an action, its probability, those of all actions, and the event's id
POST    /reward    the id of an event and its reward: late, or never; a second one is refused
GET     /health    that the server works, how many rewards its model has learned, how many events wait for theirs
GET     /metrics   counters, for Prometheus
======  =========  ==================================================================================================
"""

from __future__ import annotations

import json
from typing import Any

from prometheus_client import Counter
from starlette.requests import Request
from starlette.responses import Response

from sonlearn.errors import OutputError
from sonlearn.serve.app import JSON, Handlers, Refused, refused_type
from sonlearn.serve.decider import RewardedTwiceError, UnknownEventError
from sonlearn.serve.metrics import ServerMetrics


class DecisionHandlers(Handlers):
    """What is done for decisions: they are made, and rewarded; see `Handlers`."""

    paths = {"/decide": False, "/reward": True}  # noqa: RUF012

    def facts(self) -> dict[str, Any]:
        """See `Handlers`."""
        return {"examples": self.worker.learner.examples, "pending": self.worker.events.pending}

    async def answered(self, request: Request, learn: bool) -> Response:
        """See `Handlers`."""
        self._check_origin(request)
        if request.query_params:
            raise Refused(400, "found a query, expected none")
        media = request.headers.get("content-type", JSON).split(";")[0].strip().lower()
        if media != JSON:
            raise refused_type(media, JSON)
        body = await self._body(request)
        try:
            decoded = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise Refused(400, f"found no JSON: {' '.join(str(error).split())}") from None
        try:
            answer = await self.worker.ask(decoded, len(body), rewards=learn)
        except UnknownEventError as error:
            raise Refused(404, str(error)) from None
        except RewardedTwiceError as error:
            raise Refused(409, str(error)) from None
        except OutputError as error:
            self._report(str(error))
            raise Refused(503, "the event could not be written, so nothing was done; try again later") from None
        return Response(json.dumps(answer._asdict()) + "\n", media_type=JSON)


class DecisionMetrics(ServerMetrics):
    """Counters of a server of decisions; the parameters are those of `ServerMetrics`, and the decider's events."""

    def __init__(self, examples: Any, waiting: Any, pending: Any):
        super().__init__(examples, waiting)
        self.decided = Counter("sonlearn_decisions", "Decisions made", registry=self.registry)
        self.rewarded = Counter("sonlearn_rewards", "Rewards that have come", registry=self.registry)
        self.show("sonlearn_events_pending", "Events without a reward that are remembered", pending)

    def done(self, decided: int, rewarded: int, learned: int) -> None:
        """Count decisions, rewards, and of these the ones that were learned."""
        self.decided.inc(decided)
        self.rewarded.inc(rewarded)
        self.learned.inc(learned)
