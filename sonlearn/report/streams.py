"""What there is to say of a stream that changes: predictions with labels arriving and without, and when it changed."""

from __future__ import annotations

from typing import Any

#: Losses that differ by less, relatively, are said to be the same.
SAME = 0.002
#: Changes of different classes within so many rows are one.
NEAR = 1000
#: Moments that a line names.
NAMED = 8


def combinations(facts: dict[str, Any]) -> dict[str, dict[str, float]] | None:
    """{"online": {"loss", "error"}, "offline": ...}, of several classes the mean over them; None: they are one."""
    found = [own for own in _each(facts, "combinations") if own]
    if not found:
        return None
    return {
        which: {name: sum(own[which][name] for own in found) / len(found) for name in ("loss", "error")}
        for which in ("online", "offline")
    }


def drift(facts: dict[str, Any]) -> dict[str, Any] | None:
    """{"changes": rows at which a change began, "short": share of weight on what forgets}; None: nobody has looked.

    Of several classes changes are those of any, and the share is the mean.
    """
    found = [own for own in _each(facts, "drift") if own]
    if not found:
        return None
    rows: list[int] = []
    for row in sorted(row for own in found for row in own["changes"]):
        if len(found) == 1 or not rows or row - rows[-1] > NEAR:
            rows.append(row)
    return {"changes": rows, "short": sum(own["short"] for own in found) / len(found)}


def lines(facts: dict[str, Any]) -> list[str]:
    """Lines of a summary; none of a learner that has no members."""
    both, changes = combinations(facts), drift(facts)
    shown = []
    unit = " (in standard deviations of the labels)" if facts.get("scaled") else ""
    if both is not None and _differ(both):
        shown += [
            f"{name} = loss {both[which]['loss']:.6f}, error {both[which]['error']:.6f}{unit}"
            for name, which in (("with labels arriving", "online"), ("without", "offline"))
        ]
    if changes is not None:
        when = change_points(changes["changes"])
        shown.append(f"drift = {when}; {changes['short']:.0%} of the weight on what forgets")
    return shown


def change_points(rows: list[int]) -> str:
    """When a stream changed, in words."""
    if not rows:
        return "no change"
    shown = ", ".join(str(row) for row in rows[-NAMED:])
    more = f", {len(rows) - NAMED} before" if len(rows) > NAMED else ""
    return f"{'changes' if len(rows) > 1 else 'a change'} at row{'s' * (len(rows) > 1)} {shown}{more}"


def _differ(both: dict[str, dict[str, float]]) -> bool:
    online, offline = both["online"]["loss"], both["offline"]["loss"]
    return abs(offline - online) > SAME * max(abs(online), 1e-300)


def _each(facts: dict[str, Any], name: str) -> list[Any]:
    return [one.get(name) for one in (facts, *facts.get("classes", []))]
