"""Write the keywords of learners and estimators as types, for mypy and editors: ``PYTHONPATH=. python FILE``.

A test compares the files with what this gives (`tests/house/test_keywords.py`).
"""

from pathlib import Path

from sonlearn.options import LearnOptions
from sonlearn.options.python import parameters_of

PACKAGE = Path(__file__).resolve().parents[2] / "sonlearn"
HEAD = '''"""{title}, as type checkers and editors know them. By tests/support/write_keywords.py."""

from __future__ import annotations

from typing import TypedDict
'''


def of_class(name, parameters, base="TypedDict", doc=""):
    """The text of a class of keywords."""
    total = ", total=False" if base == "TypedDict" else ""
    lines = [f"class {name}({base}{total}):", f'    """{doc}"""', ""]
    return "\n".join(lines + [f"    {key}: {each.kind}" for key, each in parameters.items()])


def texts():
    """{file: text}."""
    from sonlearn.estimators import river, sklearn

    out = {"options/keywords.py": [
        HEAD.format(title="The keywords of a `Learner`"),
        of_class("LearnKeywords", parameters_of(LearnOptions), doc="See `LearnOptions`."),
    ]}  # fmt: skip
    parts = [HEAD.format(title="The keywords of the estimators")]
    for module, library in ((sklearn, "Sklearn"), (river, "River")):
        for cls in (module.SonlearnClassifier, module.SonlearnRegressor):
            name = f"{library}{cls.__name__.removeprefix('Sonlearn')}Keywords"
            parts.append(of_class(name, cls.PARAMETERS, doc=f"See `sonlearn.{library.lower()}.{cls.__name__}`."))
    out["estimators/keywords.py"] = parts
    for_typing = {"Any": "Any, ", "Literal": "Literal, "}
    done = {}
    for file, pieces in out.items():
        text = "\n\n\n".join(piece.strip("\n") for piece in pieces) + "\n"
        more = "".join(found for name, found in for_typing.items() if f"{name}" in text.split("import TypedDict")[1])
        done[file] = text.replace("import TypedDict", f"import {more}TypedDict")
    return done


if __name__ == "__main__":
    for file, text in texts().items():
        (PACKAGE / file).write_text(text, encoding="utf-8")
