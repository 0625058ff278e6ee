"""Explanations of predictions as text, for people and for programs: a block, or one line of JSON, an example."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonlearn.learn.explain import Account, Explanation

#: Names that are known of the feature of an id; none where there are none.
Names = Callable[[int], list[str]]

#: What is left over counts as nothing, in text, below this share of the numbers that it is left over from.
_NOTHING = 1e-9
_NAME, _NUMBER = 24, 12


def as_text(head: str, explanation: Explanation, names: Names, top: int) -> str:
    """Lines on one example, `head` the first of them; of the features the first `top` (0: all)."""
    lines = [head]
    for account in explanation.accounts:
        if account.label is None:
            if account.raw != explanation.prediction:
                lines.append(_line(f"before the bounds of --clip: {_number(account.raw)}"))
        else:
            lines.append(_line(f"class {account.label}: {_number(account.raw)}"))
        shown = _shown(account, names, top)
        width = max(_NAME, *(len(name) for name, _ in shown), *(len(member.name) for member in account.members))
        if account.members:
            lines.append(_row("member", ["says", "weight", "moved"], width))
            lines += [_row(v.name, [v.said, v.weight, v.moved], width) for v in account.members]
            scale = max(abs(account.raw), *(abs(v.moved) for v in account.members))
            lines += _left([("start", account.start), ("rest", account.mixed)], scale, width)
        lines.append(_row("feature", ["value", "without", "moved"], width))
        lines += [_row(name, numbers, width) for name, numbers in shown]
        scale = max([abs(account.raw), *abs(account.moved[:1])])
        lines += _left([("no feature", account.empty)], scale, width)
    return "\n".join(lines) + "\n"


def as_json(about: dict[str, Any], explanation: Explanation, names: Names, top: int) -> str:
    """The same as one line of JSON, which begins with what is said `about` the example."""
    return json.dumps(about | content_of(explanation, names, top), allow_nan=False)


def content_of(explanation: Explanation, names: Names, top: int) -> dict[str, Any]:
    """The same as an object of JSON."""
    accounts = [_content(account, names, top) for account in explanation.accounts]
    several = not accounts or explanation.accounts[0].label is not None
    return {"classes": accounts} if several else accounts[0]


def _content(account: Account, names: Names, top: int) -> dict[str, Any]:
    most = _most(account, top)
    content: dict[str, Any] = {} if account.label is None else {"label": account.label}
    content["raw"] = account.raw
    if account.members:
        content["members"] = [member._asdict() for member in account.members]
        content |= {"start": account.start, "mixed": account.mixed}
    content["features"] = [
        {"id": i, "names": names(i), "value": x, "without": without, "moved": moved}
        for i, x, without, moved in _entries(account, most)
    ]
    others = {"others": len(account.ids) - most, "others_moved": float(account.moved[most:].sum())}
    return content | others | {"empty": account.empty}


def _most(account: Account, top: int) -> int:
    """How many features are listed."""
    return min(top, len(account.ids)) if top else len(account.ids)


def _entries(account: Account, most: int) -> Iterator[tuple[int, float, float, float]]:
    """(id, value, without, moved) of the first features."""
    parts = (account.ids, account.values, account.without, account.moved)
    return zip(*(part[:most].tolist() for part in parts), strict=True)


def _shown(account: Account, names: Names, top: int) -> list[tuple[str, list[Any]]]:
    """(name, numbers) of the features that are listed, and of the others together."""
    most = _most(account, top)
    rows: list[tuple[str, list[Any]]] = [
        (" ".join(names(i)) or str(i), numbers) for i, *numbers in _entries(account, most)
    ]
    others = len(account.ids) - most
    if others:
        rows.append((f"{others} more", ["", "", float(account.moved[most:].sum())]))
    return rows


def _left(parts: list[tuple[str, float]], scale: float, width: int) -> list[str]:
    return [_row(name, ["", "", value], width) for name, value in parts if abs(value) > _NOTHING * scale]


def _row(name: str, numbers: list[Any], width: int) -> str:
    cells = (number if isinstance(number, str) else _number(number) for number in numbers)
    return _line(f"{name:<{width}} " + " ".join(f"{cell:>{_NUMBER}}" for cell in cells))


def _line(text: str) -> str:
    return "  " + text


def _number(value: float) -> str:
    return f"{value + 0.0:.6g}" if math.isfinite(value) else str(value)  # + 0.0: no "-0"
