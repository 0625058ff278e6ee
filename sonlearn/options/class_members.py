"""The members of the committee of several classes: learners of all classes at once, each on a view of the row.

``--members arow-precision:tfidf,nag`` chooses by name, ``METHOD:VIEW`` or ``METHOD`` for the raw view, and ``~RATE``
behind either for one that forgets the share RATE of what it has seen with each row. Imports nothing but tables:
`sonlearn --help` reads it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sonlearn.errors import OptionError
from sonlearn.options.members import rate_of
from sonlearn.options.views import VIEWS

#: Methods that learn several classes at once -> module and class in `sonlearn.learn.multiclass`, and what they take.
CLASS_METHODS = {
    "arow-precision": ("arow", "Arow", {"r", "unit", "decay"}),
    "multinomial-bayes": ("bayes", "Bayes", {"decay"}),
    "nag": ("nag", "Nag", {"rate", "decay"}),
    "rls": ("rls", "Rls", {"ridge", "most"}),
    "shares": ("shares", "Shares", {"decay"}),
}
#: Views of two classes: of one class against all others.
_OF_TWO = ("odds",)


class ClassMember(NamedTuple):
    """One member.

    Attributes
    ----------
    method, view : str
        `shares` has no view: it goes by the labels alone.
    options : dict
        What its learner is told.
    weight : float
        The combiner's weight of it at the start.
    precision : float
        By how much more firmly than others the combiner holds that weight.
    cost : float
        Time for an entry of its view, the view's own time included, in any unit: what pruning it saves. What costs
        nothing stays.
    words : bool
        Whether it is of use where rows are words, most of them rare.
    decay : float
        The share of what it has seen that it forgets with each row; 0: none.
    """

    method: str
    view: str = "raw"
    options: dict[str, Any] = {}  # noqa: RUF012
    weight: float = 0.3
    precision: float = 1.0
    cost: float = 1.0
    words: bool = True
    decay: float = 0.0

    @property
    def name(self) -> str:
        """METHOD:VIEW~RATE; without the view that is raw and the rate that is 0."""
        of = self.method if self.view == "raw" else f"{self.method}:{self.view}"
        return f"{of}~{self.decay:g}" if self.decay else of

    @property
    def lasting(self) -> bool:
        """Whether its memory is long: what it learned is of use when labels have stopped coming."""
        return self.decay < LASTING


#: Members that forget a larger share with each row are of use only while labels keep coming.
LASTING = 1e-3


def _arow(view: str, r: float, cost: float, unit: bool = False, words: bool = False) -> ClassMember:
    return ClassMember("arow-precision", view, {"r": r, "unit": unit}, cost=cost, words=words)


def _shares(rate: float) -> ClassMember:
    return ClassMember("shares", weight=0.0, precision=100.0, cost=0.0, decay=rate)


#: Members with settings of their own, found by measuring over many data sets (docs/evidence.md).
_DEFAULT = (
    ClassMember("nag", "raw", {"rate": 4.0}, cost=1.0),
    _arow("lunit", 0.1, 1.0, words=True),
    _arow("tfidf", 1.0, 1.0, words=True),
    _arow("zs", 0.1, 1.0, unit=True),
    _arow("bins-z", 0.1, 1.5, unit=True, words=True),
    ClassMember("multinomial-bayes", "log", cost=1.0),
    _arow("neighbours", 0.1, 1.5),
    _arow("pairs", 0.1, 3.0, unit=True),
    _arow("pairs-z", 0.1, 3.0, unit=True),
    _arow("pairs-fine", 0.1, 3.5, words=True),
    _arow("triples", 0.1, 4.0, unit=True),
    ClassMember("rls", "fourier-few", {"ridge": 0.1, "most": 257}, cost=2.0, words=False),
    ClassMember("nag", "zs", {"rate": 4.0}, weight=0.0, precision=10.0, words=False, decay=0.03),
    *(_shares(rate) for rate in (0.3, 0.03)),
)
CLASS_MEMBERS = {entry.name: entry for entry in _DEFAULT}
#: Members for ``--budget cheap``: what costs a small multiple of the row's entries.
CHEAP_CLASSES = ("nag", "arow-precision:lunit", "arow-precision:tfidf", "multinomial-bayes:log")


def default_class_members(budget: float | str = "normal") -> tuple[str, ...]:
    """Names of the members of a committee of several classes that was not told which."""
    return CHEAP_CLASSES if budget == "cheap" else tuple(CLASS_MEMBERS)


def class_member(name: str) -> ClassMember:
    """The member of that name. Raises OptionError."""
    if name in CLASS_MEMBERS:
        return CLASS_MEMBERS[name]
    of, _, rate = name.partition("~")
    if of in CLASS_MEMBERS:
        found = CLASS_MEMBERS[of]
    else:
        method, _, view = of.partition(":")
        if method not in CLASS_METHODS:
            able = ", ".join(CLASS_METHODS)
            raise OptionError(
                f"--members {name}: there is no {method!r} of several classes; expected METHOD or METHOD:VIEW, of "
                f"{able} (any other method, a learner a class: --oaa K --method {method})"
            )
        view = view or "raw"
        if view not in VIEWS or view in _OF_TWO:
            able = ", ".join(view for view in VIEWS if view not in _OF_TWO)
            raise OptionError(f"--members {name}: there is no view {view!r} of several classes; expected one of {able}")
        found = ClassMember(method, view)
    if not rate and found.method != "shares":
        return found
    if "decay" not in CLASS_METHODS[found.method][2]:
        able = ", ".join(method for method, (_, _, takes) in CLASS_METHODS.items() if "decay" in takes)
        raise OptionError(f"--members {name}: {found.method} does not forget; {able} do")
    return found._replace(decay=rate_of(name, rate))
