"""The members of the committee: a method on a view each, with the values that make it a good member.

``--members nag,drfd:lunit`` chooses by name, ``METHOD:VIEW`` or ``METHOD`` for the raw view. What stands in `MEMBERS`
has settings of its own, found by measuring over many data sets (docs/evidence.md); any other method on any view is a
member with its method's defaults. Imports nothing but the table of methods: `sonlearn --help` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.methods import METHODS
from sonlearn.options.spec import nearest
from sonlearn.options.views import VIEWS


@dataclass(frozen=True)
class Member:
    """One member.

    Attributes
    ----------
    method, view : str
    options : dict
        Options of `LearnOptions` that differ from the method's defaults.
    gain : float
        What its prediction is multiplied with before it enters the combiner, where it is clipped to [-6, 6].
    weight : float
        The combiner's weight of it at the start.
    cost : float
        Time for an entry of its view, the view's own time included, in units of `NAG_SECONDS`: what retiring it saves.
    """

    method: str
    view: str
    options: dict[str, Any] = field(default_factory=dict)
    gain: float = 2.0
    weight: float = 0.1
    cost: float = 1.0

    @property
    def name(self) -> str:
        """METHOD:VIEW, or METHOD for the raw view."""
        return self.method if self.view == "raw" else f"{self.method}:{self.view}"


#: What `nag` takes for an entry of a row of text, roughly and on the machines at hand: the unit of costs.
NAG_SECONDS = 15e-9
_NAG = {"loss": "squared", "clip": 1.0}


def _arow(r: float) -> dict[str, Any]:
    return {"loss": "squared_hinge", "arow_r": r}


#: Members for classes, the first of them Vowpal Wabbit's default.
_CLASSES = (
    Member("nag", "raw", _NAG, weight=0.5),
    Member("drfd", "lunit", {"loss": "hinge", "arow_r": 0.1}, cost=8.0),
    Member("arow-precision", "odds", _arow(0.3), cost=4.0),
    Member("arow-precision", "tfidf", _arow(10.0), cost=2.0),
    Member("multinomial-bayes", "log", {"loss": "logistic"}, gain=1.0, cost=2.0),
    Member("arow-precision", "neighbours", _arow(0.1), cost=3.0),
    Member("nag", "pairs", _NAG, cost=3.0),
    Member("nag", "pairs-z", _NAG, cost=3.0),
    Member("arow-precision", "pairs-fine", _arow(0.1), cost=3.0),
    Member("nag", "triples", _NAG, cost=3.0),
)
MEMBERS = {entry.name: entry for entry in _CLASSES}


def _of_values(method: str, view: str, cost: float, **options: Any) -> Member:
    return Member(method, view, {"loss": "squared", **options}, gain=1.0, cost=cost)


#: Members for values: they predict means, in standard deviations of the labels, whatever the loss of the committee.
_VALUES = (
    _of_values("nag", "raw", 1.0),
    _of_values("drfd", "zs", 8.0, arow_r=10.0),
    _of_values("arow-precision", "bins-z", 2.0, arow_r=10.0),
    _of_values("nlms", "zs", 1.0, learning_rate=0.6),
    _of_values("nag", "pairs", 4.0),
    _of_values("nag", "pairs-z", 4.0),
    _of_values("arow-precision", "triples-z", 6.0, arow_r=0.1),
)
VALUE_MEMBERS = {entry.name: entry for entry in _VALUES}
#: Members for ``--budget cheap``: what costs a small multiple of the row's entries, and keeps no sketch.
CHEAP = (
    "nag", "arow-precision:odds", "arow-precision:tfidf", "multinomial-bayes:log", "arow-precision:neighbours",
)  # fmt: skip
CHEAP_VALUES = ("nag", "arow-precision:bins-z", "nlms:zs")
#: Beside those, members that learn quantiles themselves: means alone do not tell where the labels are spread out.
_QUANTILES = ("nag:zs", "nag:bins")


def default_members(loss: str, budget: str = "normal") -> tuple[str, ...]:
    """Names of the members of a committee that was not told which."""
    if loss in CLASSIFICATION:
        return CHEAP if budget == "cheap" else tuple(MEMBERS)
    values = CHEAP_VALUES if budget == "cheap" else tuple(VALUE_MEMBERS)
    return (*values, *_QUANTILES) if loss == "quantile" else values


def member(name: str, loss: str = "logistic") -> Member:
    """The member of that name in a committee for `loss`. Raises OptionError."""
    table = MEMBERS if loss in CLASSIFICATION else VALUE_MEMBERS
    if name in table:
        return table[name]
    method, _, view = name.partition(":")
    view = view or "raw"
    if method not in METHODS or METHODS[method].engine == "committee":
        known = ", ".join(sorted(name for name, entry in METHODS.items() if entry.engine != "committee"))
        raise OptionError(
            f"--members {name}: there is no method {method!r}; expected METHOD or METHOD:VIEW, of {known}"
        )
    if view not in VIEWS:
        raise OptionError(f"--members {name}: there is no view {view!r}; expected one of {nearest(view, VIEWS)}")
    return Member(method, view) if loss in CLASSIFICATION else Member(method, view, gain=1.0)
