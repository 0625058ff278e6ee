"""Options of ``sonlearn evaluate``. Imports no numbers."""

from __future__ import annotations

import dataclasses

from sonlearn.errors import OptionError
from sonlearn.options.spec import check_fields, number, option

#: What the result is written as.
RESULTS = ("text", "jsonl", "csv")


@dataclasses.dataclass(frozen=True)
class EvaluateOptions:
    """What ``sonlearn evaluate`` compares, and how."""

    models: tuple[str, ...] = option(
        (), "a model of decisions to evaluate; given again: further ones, each also compared with the first",
        flags=("-i", "--initial_regressor"), metavar="MODEL", repeat=True,
    )  # fmt: skip
    level: float = option(
        0.95, "each interval holds at all times with this probability", parse=number, above=0.0, high=1.0, metavar="P"
    )
    cost_low: float | None = option(
        None, "no cost is below this (default: the least that the models have learned from)", parse=number, metavar="C"
    )
    cost_high: float | None = option(
        None,
        "no cost is above this (default: the greatest that the models have learned from)",
        parse=number,
        metavar="C",
    )
    floor: float | None = option(
        None, "the log's policy took every action with this probability at least; narrows the intervals of logs that "
        "have the probability of the chosen action only", parse=number, above=0.0, high=1.0, metavar="P",
    )  # fmt: skip
    horizon: int | None = option(
        None, "about how many decisions there will be, said before they are seen: intervals are narrowest after as "
        "many, and hold at all times nevertheless", parse=int, low=1, metavar="N",
    )  # fmt: skip
    progressive: bool = option(False, "the models learn from each decision after it was evaluated; none is saved")
    output: str = option("text", "format of the result on standard output", choices=RESULTS)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.level == 1.0:
            raise OptionError("--level 1: expected less than 1; no interval holds for certain")
