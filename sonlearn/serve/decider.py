"""The one place that touches the learner while a model of decisions is served.

Requests wait in a queue, in the order in which they came. All that wait are worked on, their events are written in one
transaction, and then they are answered. So an answer is never given before its event is on the disk, and the state of
the learner is that of the log: whatever is lost in a crash is learned again from it (`replay`), to the same bits.
"""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import json
import secrets
from collections.abc import Callable, Container
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sonlearn.data.decisions import Decisions
from sonlearn.errors import InputError, OptionError, OutputError, shorten
from sonlearn.learn.bandits.bandit import Bandit
from sonlearn.options.run import ServeOptions
from sonlearn.options.text import NAMESPACED, TextOptions
from sonlearn.serve.events import EventLog
from sonlearn.serve.worker import SOURCE, Queue, TooLongError
from sonlearn.text.decisions.dsjson import parse_dsjson
from sonlearn.text.decisions.rows import DecisionLines
from sonlearn.text.hashing import constant_id

#: Requests that are worked on together.
MAX_GROUP = 256
_MAX_NUMBER = 1e100


#: The answer to /decide (event_id, action, probability, probabilities), or to /reward (event_id, learned).
Answer = dict[str, Any]


@dataclasses.dataclass(eq=False)
class DecisionRequest:
    """A request: a context to decide in, or the reward of an event."""

    body: Any
    rewards: bool
    size: int
    answer: asyncio.Future[Answer] = dataclasses.field(init=False)


class Decider(Queue):
    """Takes requests in turn.

    Parameters
    ----------
    learner : Bandit
        Of VW text or dsjson.
    events : EventLog
    options : ServeOptions
        Whether rewards are learned (else they are only written), and how many features an action may have, with those
        of the context and their products.
    after : callable
        Called with (decisions, rewards learned, rewards) when some are done. Runs while the learner rests.
    """

    def __init__(
        self, learner: Bandit, events: EventLog, options: ServeOptions, after: Callable[[int, int, list[float]], None]
    ):
        super().__init__()
        self.learner, self.events, self._after = learner, events, after
        self._learns, self._most_entries = options.learn, options.max_features
        self._text = dataclasses.replace(learner.text, format="json")

    async def ask(self, body: Any, size: int, *, rewards: bool) -> Answer:
        """The answer to a decoded request of so many bytes.

        Raises
        ------
        Busy
        SonlearnError
            A context or a reward is malformed; what `EventLog.waiting` raises; `OutputError`: nothing could
            be written.
        """
        return await self.enqueue(DecisionRequest(body, rewards, size))

    async def turn(self, pool: ThreadPoolExecutor) -> None:
        """Answer what waits, when its events are written."""
        group = [self._requests.popleft() for _ in range(min(MAX_GROUP, len(self._requests)))]
        self.answer(group, await asyncio.get_running_loop().run_in_executor(pool, self._work, group))

    # -- without the event loop ------------------------------------------------------------------------------------

    def _work(self, group: list[DecisionRequest]) -> list[Answer | Exception]:
        """Answers of some requests, whose events are written."""
        results: list[Answer | Exception] = []
        made: list[tuple[str, str]] = []
        rewards: dict[str, float] = {}
        to_learn: list[Decisions] = []
        before = self.learner.state  # `decide` leaves it as it is
        for request in group:
            try:
                if request.rewards:
                    event, reward, decisions = self._rewarded(request.body, rewards)
                    rewards[event] = reward
                    to_learn.append(decisions)
                    results.append({"event_id": event, "learned": self._learns})
                else:
                    answer, line = self._decided(request.body)
                    made.append((answer["event_id"], line))
                    results.append(answer)
            except Exception as error:
                results.append(error)
        try:
            if made or rewards:
                self.events.append(made, list(rewards.items()))
        except OutputError as error:
            self.learner.state = before
            return [error if not isinstance(result, Exception) else result for result in results]
        for decisions in to_learn if self._learns else ():
            self.learner.partial_fit(decisions)
        self._after(len(made), len(to_learn) * self._learns, list(rewards.values()))
        return results

    def _decided(self, context: Any) -> tuple[Answer, str]:
        """Decide; the answer and its event's line. Raises InputError."""
        if not isinstance(context, dict):
            raise InputError(SOURCE, shorten(json.dumps(context)), "an object: the context")
        if "event_id" in context:
            raise InputError(SOURCE, "event_id in the context", "none: the answer gives the event its id")
        self._check_size(context)
        decisions = _read(_line({"c": context}), self.learner, self._text, SOURCE)
        decided = self.learner.decide(decisions)
        p, a = decided.probability.tolist(), int(decided.action[0])
        event = secrets.token_hex(16)
        order = [a, *(b for b in range(len(p)) if b != a)]
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {
            "_label_probability": p[a], "_label_Action": a + 1, "_labelIndex": a, "Version": "1", "EventId": event,
            "Timestamp": now, "a": [b + 1 for b in order], "c": context, "p": [p[b] for b in order],
        }  # fmt: skip
        return {"event_id": event, "action": a, "probability": p[a], "probabilities": p}, _line(line)

    def _rewarded(self, body: Any, now: Container[str]) -> tuple[str, float, Decisions]:
        """(id, reward, what is to be learned); `now`: rewarded by the requests before. Raises SonlearnError."""
        fields = body if isinstance(body, dict) else {}
        event, reward = fields.get("event_id"), fields.get("reward")
        if not isinstance(event, str) or set(fields) != {"event_id", "reward"}:
            raise InputError(SOURCE, shorten(json.dumps(body)), '{"event_id": "...", "reward": 1}')
        number = isinstance(reward, int | float) and not isinstance(reward, bool)
        if not number or not -_MAX_NUMBER <= reward <= _MAX_NUMBER:  # type: ignore[operator]
            raise InputError(SOURCE, f"reward {shorten(json.dumps(reward))}", "a number of at most 1e100")
        found = self.events.pending_event(event, now)
        reward = float(reward)  # type: ignore[arg-type]
        return event, reward, _read(found._replace(reward=reward).text, self.learner, self._text, SOURCE)

    def _check_size(self, context: dict[str, Any]) -> None:
        """Raise TooLongError where an action would have too many features."""
        actions = context.get("_multi") or []
        shared = 1 + sum(_leaves(value) for name, value in context.items() if name != "_multi")
        own = [1 + _leaves(action) for action in actions] if isinstance(actions, list) else [1]
        products = (shared + max(own, default=1)) ** 2 if self._text.quadratic else shared * max(own, default=1)
        if products > self._most_entries or sum(own) * shared > 64 * self._most_entries:
            found = f"{products} features of an action, with products"
            raise TooLongError(SOURCE, found, f"at most {self._most_entries}, and 64 times as many in all")


def _leaves(value: Any) -> int:
    """Features that a value of JSON may become."""
    if isinstance(value, dict):
        return sum(map(_leaves, value.values()))
    if isinstance(value, list):
        return sum(map(_leaves, value))
    return 1 + value.count(" ") if isinstance(value, str) else 1


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, separators=(",", ":"))


def _read(line: str, learner: Bandit, text: TextOptions, source: str) -> Decisions:
    """The decision of a line of dsjson. Raises InputError."""
    parsed = parse_dsjson([DecisionLines(1, [line.encode() + b"\n"])], text, learner.options, source, whole=True)
    if parsed.errors:
        raise parsed.errors[0].but(line=None, column=None)
    (found,) = parsed.batches
    return found._replace(rows=found.rows._replace(source=source, constant=constant_id(text, "json")))


def check_json(learner: Bandit) -> None:
    """Raise OptionError where a model decides no contexts in JSON."""
    if learner.text.format not in (*NAMESPACED, "auto"):
        raise OptionError(f"a model of {learner.text.format} decides no JSON; train it from VW text or dsjson")
    if learner.options.cbify is not None:
        raise OptionError("a model of --cbify has no decisions of its own; train it with --cb_explore K")


def replay(learner: Bandit, events: EventLog, mark: dict[str, Any] | None, learns: bool) -> int:
    """Bring a model to where the log is, from its `mark` on (None: from the beginning); how many rewards were learned.

    Decisions count as made, so that their draws are not drawn again.
    """
    text, learned = dataclasses.replace(learner.text, format="json"), 0
    before = mark or {"decisions": 0, "rewards": 0}
    learner.state = learner.state._replace(now=learner.state.now.copy())
    learner.state.now["drawn"] += events.mark()["decisions"] - before["decisions"]
    for event in events.rewarded(before["rewards"]) if learns else ():
        learner.partial_fit(_read(event.text, learner, text, events.path))
        learned += 1
    return learned
