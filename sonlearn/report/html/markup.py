"""Elements of HTML and SVG as values: text is escaped where it is written, once for all."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

Element = ElementTree.Element
#: Characters that a page cannot hold: control characters, and bytes that were no text.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def element(tag: str, *children: Element | str | None, **attributes: Any) -> Element:
    """An element with children in order (None: nothing).

    Attributes are named as in Python: `class_` is class, `stroke_width` stroke-width; None is left out.
    """
    given = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    texts = {name: _number(value) if isinstance(value, float) else fit(str(value)) for name, value in given.items()}
    made = ElementTree.Element(tag, texts)
    for child in children:
        if isinstance(child, str):
            if len(made):
                made[-1].tail = (made[-1].tail or "") + fit(child)
            else:
                made.text = (made.text or "") + fit(child)
        elif child is not None:
            made.append(child)
    return made


def fit(text: str) -> str:
    """`text` with what a page cannot hold made visible."""
    return _UNFIT.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", text)


def written(root: Element) -> bytes:
    """The page of an ``html`` element, in UTF-8."""
    return b"<!DOCTYPE html>\n" + ElementTree.tostring(root, encoding="utf-8", method="html") + b"\n"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
