"""What a server counts, as Prometheus reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class ServerMetrics:
    """Counters of one server.

    Parameters
    ----------
    examples, waiting : callable
        Examples that the model has learned, bytes that wait to be worked on.
    changes : callable
        How often the stream has changed (docs/streams.md).
    """

    def __init__(
        self, examples: Callable[[], float], waiting: Callable[[], float], changes: Callable[[], float] = lambda: 0.0
    ):
        disable_created_metrics()  # when a counter began is nothing that anyone asks
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "sonlearn_requests", "HTTP requests, by path and status", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "sonlearn_request_seconds", "Time from a request's headers to its answer", buckets=_SECONDS,
            registry=registry,
        )  # fmt: skip
        self.lines = Counter("sonlearn_lines", "Lines of the line protocol, by outcome", ["outcome"], registry=registry)
        self.connections = Gauge("sonlearn_line_connections", "Open connections of lines", registry=registry)
        self.predicted = Counter("sonlearn_predictions", "Rows predicted", registry=registry)
        self.learned = Counter("sonlearn_learned", "Rows learned", registry=registry)
        self.loss = Counter("sonlearn_loss", "Summed loss of rows before they were learned", registry=registry)
        self.saved = Counter("sonlearn_saved", "Times that the model was saved", registry=registry)
        self.unsaved = Counter("sonlearn_save_failures", "Times that it could not be", registry=registry)
        self.show("sonlearn_model_examples", "Examples that the model has learned", examples)
        self.show("sonlearn_stream_changes", "Changes of the stream that the model has met", changes)
        self.show("sonlearn_waiting_bytes", "Text that waits for its turn", waiting)

    def show(self, name: str, about: str, value: Callable[[], float]) -> None:
        """Show a number, which is asked for whenever it is shown."""
        Gauge(name, about, registry=self.registry).set_function(value)

    def cover(self, asked: float, reached: Callable[[], float], size: Callable[[], float]) -> None:
        """Show the coverage asked, that of the rows learned, and the mean length of intervals or size of sets."""
        self.show("sonlearn_coverage_asked", "Share of the labels that sets or intervals are to hold", lambda: asked)
        self.show("sonlearn_coverage_reached", "Share of the labels learned that they held", reached)
        self.show("sonlearn_coverage_size", "Mean size of the sets, or length of the intervals", size)

    def worked(self, rows: int, learned: int, more: Any) -> None:
        """Count rows, and add their sum of losses (a float); a negative one (of rounding) counts as none."""
        self.predicted.inc(rows)
        self.learned.inc(learned)
        self.loss.inc(max(more, 0.0))

    def text(self) -> bytes:
        """All of it, in Prometheus' text format."""
        return generate_latest(self.registry)


class DecisionMetrics(ServerMetrics):
    """Counters of a server of decisions; the parameters are those of `ServerMetrics`, and the decider's events."""

    def __init__(self, examples: Callable[[], float], waiting: Callable[[], float], pending: Callable[[], float]):
        super().__init__(examples, waiting)
        self.decided = Counter("sonlearn_decisions", "Decisions made", registry=self.registry)
        self.rewarded = Counter("sonlearn_rewards", "Rewards that have come", registry=self.registry)
        self.earned = Gauge("sonlearn_reward_sum", "Their sum", registry=self.registry)
        self.show("sonlearn_events_pending", "Events without a reward that are remembered", pending)

    def worked(self, rows: int, learned: int, more: list[float]) -> None:
        """Count decisions, rewards, and of these the ones that were learned."""
        self.decided.inc(rows)
        self.rewarded.inc(len(more))
        self.earned.inc(sum(more))
        self.learned.inc(learned)
