"""The members of the committee: a method on a view each and a forgetting rate, with the values that make it a good one.

``--members nag,drfd:lunit,nag~0.03`` chooses by name: ``METHOD:VIEW~RATE``, without ``:VIEW`` on the raw row, without
``~RATE`` it forgets at ``--decay`` only. There is a table for two classes, one for values and one for several classes,
whose members score all classes at once. What stands in a table has settings of its own, found by measuring over many
data sets (docs/evidence.md); any other method on any view at any rate is a member with the settings of the one that
does not forget, or with its method's defaults. Imports nothing but tables: `sonlearn --help` reads it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from sonlearn.errors import OptionError
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.methods import METHODS
from sonlearn.options.spec import nearest
from sonlearn.options.views import SUIT_WORDS, SUIT_WORDS_OF_VALUES, VIEWS, WORDS


class Member(NamedTuple):
    """One member.

    Attributes
    ----------
    method, view : str
    options : dict
        Options of `LearnOptions` that differ from the method's defaults; of several classes, what its learner is told.
    gain : float
        What its prediction is multiplied with before it enters the combiner, where it is clipped: for two classes to
        [-6, 6], for values to the labels so far and 16 standard deviations around their mean (see `label_scale`).
    weight : float
        The combiner's weight of it at the start.
    cost : float
        Time for an entry of its view, the view's own time included, in units of `NAG_SECONDS`: what pruning it saves.
        What costs nothing stays.
    rate : float
        Share of what it has learned that it forgets with each row (``--decay`` of its method).
    precision : float
        Least prior precision of the combiner's weight of it.
    words : bool
        Of several classes, whether it is of use where rows are words, most of them rare.
    beside_trees : bool
        Whether it is of use where boosted trees learn the same rows; where `members` are named, all are.
    """

    method: str
    view: str
    options: dict[str, Any] = {}  # noqa: RUF012
    gain: float = 2.0
    weight: float = 0.1
    cost: float = 1.0
    rate: float = 0.0
    precision: float = 0.0
    words: bool = True
    beside_trees: bool = True

    @property
    def name(self) -> str:
        """METHOD:VIEW~RATE; METHOD for the raw view, and no RATE where it does not forget by itself."""
        name = self.method if self.view == "raw" else f"{self.method}:{self.view}"
        return f"{name}~{self.rate:.15g}" if self.rate else name

    @property
    def follows(self) -> bool:
        """Tell whether a fixed share of each error is removed: what it says is of the last labels, at whatever rate."""
        return self.method == "nlms"

    @property
    def stacked(self) -> bool:
        """Tell whether it sees what other members say of a row."""
        return VIEWS[self.view].stacked

    @property
    def in_own_unit(self) -> bool:
        """Return whether it learns labels in their own unit, where they are values: it keeps sums of all, or rows."""
        return self.follows_line or (self.method == "boost" and not self.stacked)

    @property
    def follows_line(self) -> bool:
        """Return whether it is least squares, for which labels far out count less, and none without a constant."""
        return self.method in METHODS and METHODS[self.method].values.get("rule") == "ridge"

    def forgetting(self, rate: float) -> Member:
        """The same with a rate, and without a weight at the start."""
        return self._replace(rate=rate, weight=0.0)


#: The highest forgetting rate, as of ``--decay``.
FASTEST = 0.99
#: What `nag` takes for an entry of a row of text, roughly and on the machines at hand: the unit of costs.
NAG_SECONDS = 15e-9
_NAG = {"loss": "squared", "clip": 1.0}


def _arow(r: float) -> dict[str, Any]:
    return {"loss": "squared_hinge", "arow_r": r}


#: Exponentially weighted means of the labels, which see no feature. On rows in no order they tell nothing: their
#: weights are held to 0 by a high prior precision.
_EWMA = tuple(
    Member("ewma", "raw", {"loss": "logistic"}, gain=1.0, weight=0.0, cost=0.02, rate=rate, precision=100.0)
    for rate in (0.9, 0.3, 0.03)
)


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
    Member("drfd", "zs-all", {"loss": "logistic", "arow_r": 2.0}, gain=1.0, cost=8.0),
    Member("ridge-z", "products", {"loss": "squared", "alpha": 0.1}, weight=0.0, cost=1.5, precision=50.0),
    Member("drfd", "fourier", {"loss": "hinge", "arow_r": 0.03, "sketch_size": 20}, cost=1.5),
    Member("boost", "columns", {"loss": "logistic"}, gain=1.0, weight=0.0, cost=15.0),
    Member("boost", "stacked", {"loss": "logistic"}, gain=1.0, weight=0.0, cost=15.0, precision=100.0),
    Member("nag", "raw", _NAG).forgetting(0.03),
    Member("nag", "pairs-z", _NAG, cost=2.0).forgetting(0.003),
    *_EWMA,
)
MEMBERS = {entry.name: entry for entry in _CLASSES}


def _of_values(method: str, view: str, cost: float, **options: Any) -> Member:
    return Member(method, view, {"loss": "squared", **options}, gain=1.0, cost=cost)


#: Members for values: they predict means, in standard deviations of the labels, whatever the loss of the committee.
_VALUES = (
    _of_values("nag", "raw", 1.0),
    _of_values("drfd", "zs", 8.0, arow_r=10.0),
    _of_values("arow-precision", "bins-z", 2.0, arow_r=10.0),
    _of_values("ridge", "ranges", 4.0, alpha=1.0)._replace(weight=0.0, precision=100.0),
    _of_values("ridge", "raw", 1.0, alpha=0.1),
    _of_values("ridge-z", "products", 1.5, alpha=0.1),
    _of_values("nlms", "zs", 1.0, learning_rate=0.6),
    _of_values("arow-precision", "pairs", 4.0, arow_r=3.0),
    _of_values("nag", "pairs-z", 4.0),
    _of_values("arow-precision", "triples-z", 6.0, arow_r=0.1),
    _of_values("drfd", "fourier", 1.2, arow_r=0.03, sketch_size=10),
    _of_values("boost", "columns", 15.0)._replace(weight=0.0),
    _of_values("boost", "stacked", 15.0)._replace(weight=0.0, precision=100.0),
    _of_values("nag", "pairs-z", 3.0).forgetting(0.003),
    _of_values("nag", "zs", 1.0).forgetting(0.003),
    *(each._replace(options={"loss": "squared"}) for each in _EWMA),
)
VALUE_MEMBERS = {entry.name: entry for entry in _VALUES}
#: Members for ``--budget cheap``: what costs a small multiple of the row's entries, and keeps no sketch.
CHEAP = (
    "nag", "arow-precision:odds", "arow-precision:tfidf", "multinomial-bayes:log", "arow-precision:neighbours",
    "nag~0.03", *(each.name for each in _EWMA),
)  # fmt: skip
CHEAP_VALUES = ("nag", "arow-precision:bins-z", "nlms:zs", "nag:zs~0.003", *(each.name for each in _EWMA))
#: Beside those, members that learn quantiles themselves: means alone do not tell where the labels are spread out.
_QUANTILES = ("nag:zs", "nag:bins")


#: Methods that score several classes at once -> module and class in `sonlearn.learn`, and whether it can forget.
CLASS_METHODS = {
    "arow-precision": ("multiclass.arow", "Arow", True),
    "boost": ("boosting.engine", "BoostOfClasses", False),
    "multinomial-bayes": ("multiclass.bayes", "Bayes", True),
    "nag": ("first_order.engine", "Nag", True),
    "rls": ("multiclass.rls", "Rls", False),
    "shares": ("ewma", "Shares", True),
}
#: Views of one score: of one class against all others, and of what members say.
_OF_ONE = ("odds", "words-odds", "stacked")
#: A member of several classes without settings of its own.
_PLAIN = Member("nag", "raw", gain=1.0, weight=0.3)


def _of_classes(method: str, view: str, cost: float, **options: Any) -> Member:
    return _PLAIN._replace(method=method, view=view, options=options, cost=cost)


#: Members for several classes.
_SEVERAL = (
    _of_classes("nag", "raw", 1.0, rate=4.0)._replace(beside_trees=False),
    _of_classes("arow-precision", "lunit", 1.0, r=0.1, unit=False)._replace(beside_trees=False),
    _of_classes("arow-precision", "tfidf", 1.0, r=1.0, unit=False)._replace(beside_trees=False),
    _of_classes("arow-precision", "zs", 1.0, r=0.1, unit=True)._replace(words=False),
    _of_classes("arow-precision", "bins-z", 1.5, r=0.1, unit=True),
    _of_classes("multinomial-bayes", "log", 1.0)._replace(beside_trees=False),
    _of_classes("arow-precision", "neighbours", 1.5, r=0.1, unit=False)._replace(words=False, beside_trees=False),
    _of_classes("arow-precision", "pairs", 3.0, r=0.1, unit=True)._replace(words=False),
    _of_classes("arow-precision", "pairs-z", 3.0, r=0.1, unit=True)._replace(words=False),
    _of_classes("arow-precision", "pairs-fine", 3.5, r=0.1, unit=False)._replace(beside_trees=False),
    _of_classes("arow-precision", "triples", 4.0, r=0.1, unit=True)._replace(words=False, beside_trees=False),
    _of_classes("rls", "fourier-few", 2.0, ridge=0.1, most=257)._replace(words=False),
    _of_classes("boost", "columns", 15.0)._replace(words=False),
    _of_classes("nag", "zs", 1.0, rate=4.0).forgetting(0.03)._replace(precision=2.5, words=False),
    *(_of_classes("shares", "raw", 0.0)._replace(weight=0.0, rate=rate, precision=25.0) for rate in (0.3, 0.03)),
)
CLASS_MEMBERS = {entry.name: entry for entry in _SEVERAL}
CHEAP_CLASSES = ("nag", "arow-precision:lunit", "arow-precision:tfidf", "multinomial-bayes:log")


class _Kind(NamedTuple):
    """What members there are for labels of one kind.

    Attributes
    ----------
    members : dict of str to Member
    cheap : tuple of str
        Names of those for ``--budget cheap``.
    plain : Member
        One without settings of its own, but for its method, view and rate.
    suit_words : tuple of str
        Views of the members that suit words.
    precision : float
        `Member.precision` of those that see words alone.
    """

    members: dict[str, Member]
    cheap: tuple[str, ...]
    plain: Member
    suit_words: tuple[str, ...] = SUIT_WORDS
    precision: float = 0.0


_TWO = _Kind(MEMBERS, CHEAP, Member("nag", "raw"), precision=20.0)
_OF_VALUES = _Kind(VALUE_MEMBERS, CHEAP_VALUES, Member("nag", "raw", gain=1.0), SUIT_WORDS_OF_VALUES)
_OF_CLASSES = _Kind(CLASS_MEMBERS, CHEAP_CLASSES, _PLAIN)


def _kind(loss: str, several: bool) -> _Kind:
    """The members for `several` classes, or for `loss`."""
    return _OF_CLASSES if several else _TWO if loss in CLASSIFICATION else _OF_VALUES


def default_members(loss: str, budget: float | str = "normal", several: bool = False) -> tuple[str, ...]:
    """Names of the members of a committee that was not told which, for `several` classes or for `loss`."""
    kind = _kind(loss, several)
    return (*(kind.cheap if budget == "cheap" else kind.members), *(_QUANTILES if loss == "quantile" else ()))


def word_members(loss: str, several: bool = False) -> tuple[Member, ...]:
    """Members of such a committee for the words of texts alone, of use where rows have columns as well.

    They are those of the whole row that suit words, and begin without a weight; trees do not learn words. Of two
    classes a higher precision lets the combiner see sooner that words tell nothing.
    """
    kind = _kind(loss, several)
    return tuple(
        each._replace(view=f"{WORDS}-{each.view}", weight=0.0, precision=kind.precision, words=True, beside_trees=True)
        for each in kind.members.values()
        if each.view in kind.suit_words and not each.rate
    )


def member(name: str, loss: str = "logistic", several: bool = False) -> Member:
    """The member of that name in a committee for `several` classes, or for `loss`. Raises OptionError."""
    kind = _kind(loss, several)
    table = kind.members | {each.name: each for each in word_members(loss, several)}
    base, forgets, text = name.partition("~")
    method, _, view = base.partition(":")
    view = view or "raw"
    _check_parts(name, method, view, several)
    rate = rate_of(name, text) if forgets or method == "shares" else 0.0
    alike = [each for each in table.values() if (each.method, each.view) == (method, view)]
    for each in alike:
        if each.rate == rate:
            return each
    able = [method for method, (_, _, can) in CLASS_METHODS.items() if can]
    able = able if several else sorted(method for method, entry in METHODS.items() if "decay" in entry.takes)
    if rate and method not in able:
        raise OptionError(f"--members {name}: {method} cannot forget; without ~{text}, or of {', '.join(able)}")
    if base in table:
        return table[base]._replace(rate=rate)
    if alike and (rate or method == "ewma"):  # one that forgets begins without a weight, and learns squared loss
        return alike[0]._replace(rate=rate)
    return kind.plain._replace(method=method, view=view, rate=rate)


def _check_parts(name: str, method: str, view: str, several: bool) -> None:
    """Raise OptionError for a member whose method or view there is not."""
    if several and method not in CLASS_METHODS:
        raise OptionError(
            f"--members {name}: there is no {method!r} of several classes; expected METHOD or METHOD:VIEW, of "
            f"{', '.join(CLASS_METHODS)} (any other method, a learner a class: --oaa K --method {method})"
        )
    if several and (view not in VIEWS or view in _OF_ONE):
        able = ", ".join(view for view in VIEWS if view not in _OF_ONE)
        raise OptionError(f"--members {name}: there is no view {view!r} of several classes; expected one of {able}")
    if not several and (method not in METHODS or METHODS[method].engine == "committee"):
        known = [name for name, entry in METHODS.items() if entry.engine != "committee"]
        raise OptionError(
            f"--members {name}: there is no method {method!r}; expected METHOD, METHOD:VIEW or METHOD:VIEW~RATE, of "
            f"{nearest(method, known)}"
        )
    if view not in VIEWS:
        raise OptionError(f"--members {name}: there is no view {view!r}; expected one of {nearest(view, VIEWS)}")


def rate_of(name: str, text: str) -> float:
    """The forgetting rate of the member `name` that `text` says. Raises OptionError."""
    try:
        rate = float(text)
    except ValueError:
        rate = math.nan
    if not 0.0 < rate <= FASTEST:
        raise OptionError(f"--members {name}: found the rate {text!r} behind ~; expected above 0, at most {FASTEST}")
    return rate
