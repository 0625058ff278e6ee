"""Options of ``sonlearn sketch``; its flags derive from them. Imports neither numpy nor numba."""

from __future__ import annotations

import dataclasses
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.spec import check_fields, option

#: Every method `make_sketch` knows; all but the last four are values of one shrink rule.
METHODS = (
    "rfd", "fd", "cfd", "pfd", "isvd", "fd-last", "fd-half", "alpha-fd", "mgfd", "fd-ramp",
    "gauss", "sign", "sample", "oja",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class SketchOptions:
    """Method and settings of a sketch. Frozen; checked on construction.

    Raises
    ------
    OptionError
        A value is out of range. (Whether a method takes a setting is checked by `make_sketch`.)
    """

    method: str = option("rfd", "how to sketch", choices=METHODS)
    size: int = option(100, "rows l of the sketch", flags=("-l", "--size"), low=1, metavar="L")
    alpha: float = option(0.0, "alpha_0, to which rfd adds", low=0.0, metavar="A")
    buffer: int | None = option(
        None, "rows held before a shrink: 2 l by default; l is row by row, more is faster and more accurate", low=1,
        metavar="N",
    )  # fmt: skip
    share: float | None = option(
        None, "share of the directions that a shrink lowers (pfd, alpha-fd; 0.2 by default)", above=0.0, high=1.0,
        metavar="S",
    )  # fmt: skip
    nonzeros: int | None = option(
        None, "nonzeros in a column of the projection (sign; 4 by default)", low=1, metavar="N"
    )
    seed: int | None = option(None, "of the random numbers (gauss, sign, sample)", low=0, metavar="S")

    recycle: bool = option(
        False, "free the rows of vanished directions at once (rfd, fd, cfd, pfd, isvd; the papers count them)"
    )

    def __post_init__(self) -> None:
        check_fields(self)
        if self.alpha == float("inf"):
            raise OptionError("--alpha inf: expected a finite number")

    def values(self) -> dict[str, Any]:
        """Keywords for `make_sketch` beyond method and size: those that were given."""
        names = ("buffer", "share", "nonzeros", "seed")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        given |= {"recycle": True} if self.recycle else {}
        return given | ({"alpha": self.alpha} if self.alpha else {})
