"""Members of a committee, and the positive class, in an analyst's words."""

from __future__ import annotations

from typing import Any

from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS

#: Methods that learn several classes at once and are no methods of their own.
OF_CLASSES = {
    "rls": "least squares, of all classes at once",
    "shares": "how often each class has come",
}


def positive_label(measures: dict[str, Any] | None) -> str:
    """How the positive label of two classes is written in the data."""
    return (measures or {}).get("positive_label") or "+1"


def member_words(name: str) -> str:
    """What a member METHOD:VIEW~RATE is; empty where nothing is known of it."""
    name, _, rate = name.partition("~")
    method, _, view = name.partition(":")
    about = METHODS[method].about if method in METHODS else OF_CLASSES.get(method)
    parts = [text for text in (about, view in VIEWS and VIEWS[view].about) if text]
    if parts and rate:
        parts.append(f"forgets the share {rate} of what it has seen with each row")
    return "; ".join(parts)
