"""Options of contextual bandits; part of a model. Imports no numbers."""

from __future__ import annotations

import dataclasses

from sonlearn.errors import OptionError
from sonlearn.options.spec import check_fields, flags, option

#: How an action is chosen.
EXPLORERS = ("ucb", "thompson", "squarecb", "softmax", "epsilon", "greedy")
#: Those that need the width of what is expected, which methods of values do not tell.
OF_WIDTHS = ("ucb", "thompson")
#: Options of some rules, by field, and those rules.
OF_RULES = {
    "explore_width": OF_WIDTHS, "epsilon": ("epsilon",), "softmax_lambda": ("softmax",), "gamma_scale": ("squarecb",),
    "gamma_exponent": ("squarecb",),
}  # fmt: skip
#: How a log is learned from.
CB_TYPES = ("dm", "mtr", "ips", "dr")
#: Options that are also `LearnOptions`': they do not say that decisions are learned.
SHARED = ("decay",)
#: Options that say that decisions are learned, of which one is given.
KINDS = ("cb", "cb_explore", "cb_adf", "cb_explore_adf", "cbify")


@dataclasses.dataclass(frozen=True)
class BanditOptions:
    """How to decide, and to learn from the costs of decisions. Frozen; checked on construction.

    Raises
    ------
    OptionError
        A value is out of range, or two options contradict each other.
    """

    cb: int | None = option(
        None, "decisions among K actions: lines action:cost:probability | features; the best action is predicted",
        low=2, high=10_000, metavar="K",
    )  # fmt: skip
    cb_explore: int | None = option(
        None, "decisions among K numbered actions; the probability of each is predicted", low=2, high=10_000,
        metavar="K",
    )  # fmt: skip
    cb_adf: bool = option(
        False, "decisions among actions with features: blocks of lines, shared | and one line an action, or dsjson"
    )
    cb_explore_adf: bool = option(False, "decisions as of --cb_adf; the probability of each action is predicted")
    cbify: int | None = option(
        None, "K classes as decisions, numbers or names: one is chosen, and only whether it was right is learned",
        low=2, high=10_000, metavar="K",
    )  # fmt: skip
    cb_type: str = option(
        "dm", "from a log learn the cost of the action chosen (dm), that cost with weight 1/probability (mtr), or "
        "estimated costs of all actions (ips, dr)", choices=CB_TYPES,
    )  # fmt: skip
    explore: str = option(
        "ucb", "choose by the upper confidence bound, by Thompson sampling, or by expected cost alone",
        choices=EXPLORERS,
    )  # fmt: skip
    explore_width: float = option(
        0.4, "with ucb and thompson: standard deviations that count", low=0.0, metavar="W", rare=True
    )
    epsilon: float = option(
        0.05, "with epsilon: the share of decisions at random", low=0.0, high=1.0, metavar="E", rare=True
    )
    softmax_lambda: float = option(
        20.0, "with softmax: probabilities are in proportion to exp(L reward), rewards scaled to [0, 1]",
        flags=("--lambda",), low=0.0, metavar="L", rare=True,
    )  # fmt: skip
    gamma_scale: float = option(
        10.0, "with squarecb: gamma is G t^X after t decisions", above=0.0, metavar="G", rare=True
    )
    gamma_exponent: float = option(0.5, "X of it", low=0.0, metavar="X", rare=True)
    min_probability: float = option(
        0.0, "share of each decision that is divided equally among all actions, so that the log can be evaluated",
        low=0.0, high=1.0, metavar="P",
    )  # fmt: skip
    decay: float = option(
        0.0, "share of the precision of its reward models that a learner of decisions forgets with each reward",
        low=0.0, high=0.99, metavar="RATE",
    )  # fmt: skip
    action: str = option(
        "", "of a table: the column of the action, a number from 1 on or a name (with --cb)", metavar="COLUMN"
    )
    cost: str = option("", "of a table: the column of its cost", metavar="COLUMN")
    reward: str = option("", "of a table: the column of its reward, the negative cost", metavar="COLUMN")
    probability: str = option(
        "", "of a table: the column of the probability with which it was chosen", metavar="COLUMN"
    )
    bandit_seed: int = option(0, "seed of the choices", low=0, high=2**62, metavar="S", rare=True)

    def __post_init__(self) -> None:
        check_fields(self)
        given = [f"--{name}" for name in KINDS if getattr(self, name)]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            expected = ", ".join(f"--{name}" for name in KINDS)
            raise OptionError(f"decisions need one of {expected}: {found} given")
        for field in dataclasses.fields(self):
            value, rules = getattr(self, field.name), OF_RULES.get(field.name, (self.explore,))
            if value != field.default and self.explore not in rules:
                flag, *_ = flags(field)
                raise OptionError(f"{flag} {value:g} is for --explore {' or '.join(rules)}; the rule is {self.explore}")
        if self.cost and self.reward:
            raise OptionError("--cost and --reward: give one of them")

    @property
    def actions(self) -> int | None:
        """Return how many numbered actions there are; None: actions have features."""
        return self.cb or self.cb_explore or self.cbify

    @property
    def explores(self) -> bool:
        """Return whether actions are chosen by `explore`; else the best one is."""
        return not (self.cb or self.cb_adf)
