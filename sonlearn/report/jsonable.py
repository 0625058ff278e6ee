"""Values in JSON's terms: the one way from arrays and tuples to what ``json.dumps`` takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

#: Numbers beyond this are written to a log as this, so that squares and sums of what was read are finite.
LARGEST = 1e150


def bounded(value: float) -> float | None:
    """A number for a log: null for inf and nan, none beyond `LARGEST` in magnitude."""
    return max(min(value, LARGEST), -LARGEST) if math.isfinite(value) else None


def spelt(value: float) -> float | str:
    """A number for a reader: "inf", "-inf" and "nan" as text."""
    return value if math.isfinite(value) else str(value)


def jsonable(value: Any, number: Callable[[float], float | str | None]) -> Any:
    """`value` with dicts, lists, texts and numbers only.

    Parameters
    ----------
    value : dict, list, tuple, array or scalar
        Entries of dicts that can only be called are left out.
    number : callable
        Every float goes through it: `bounded` or `spelt`.
    """
    if isinstance(value, dict):
        return {key: jsonable(item, number) for key, item in value.items() if not callable(item)}
    if hasattr(value, "tolist"):  # an array or a scalar of NumPy
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [jsonable(item, number) for item in value]
    return number(value) if isinstance(value, float) else value
