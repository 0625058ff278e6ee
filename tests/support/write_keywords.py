"""Write the keywords of learners and estimators as types, for mypy and editors: ``PYTHONPATH=. python FILE``.

A test compares the file with what this gives (`tests/house/test_keywords.py`).
"""

from pathlib import Path

from sonlearn.options import LearnOptions
from sonlearn.options.python import parameters_of

FILE = Path(__file__).resolve().parents[2] / "sonlearn" / "options" / "keywords.pyi"
HEAD = '''"""The keywords of learners and estimators, as type checkers and editors know them.

By tests/support/write_keywords.py.
"""

from typing import Any, TypedDict'''


def of_class(name, parameters, doc, base="", inherited=()):
    """The text of a class of keywords: those of the classes that it follows, and further ones."""
    lines = [f"class {name}({base or 'TypedDict'}, total=False):", f'    """{doc}"""', ""]
    return "\n".join(lines + [f"    {key}: {each.kind}" for key, each in parameters.items() if key not in inherited])


def text():
    """What the file holds."""
    from sonlearn import river, sklearn

    learn = parameters_of(LearnOptions)
    modules = ((sklearn, "Sklearn"), (river, "River"))
    shared = {
        name: each for name, each in learn.items() if all(
            module.SonlearnRegressor.PARAMETERS.get(name, each).kind == each.kind
            and name in module.SonlearnRegressor.PARAMETERS for module, _ in modules
        )
    }  # fmt: skip
    pieces = [
        HEAD,
        of_class("SharedKeywords", shared, "Options of learning that learners and all estimators have."),
        of_class("LearnKeywords", learn, "See `LearnOptions`.", "SharedKeywords", shared),
    ]
    for module, library in modules:
        base, inherited = "SharedKeywords", shared
        for cls in (module.SonlearnRegressor, module.SonlearnClassifier):
            name = f"{library}{cls.__name__.removeprefix('Sonlearn')}Keywords"
            doc = f"See `sonlearn.{library.lower()}.{cls.__name__}`."
            pieces.append(of_class(name, cls.PARAMETERS, doc, base, inherited))
            base, inherited = name, cls.PARAMETERS
    return "\n\n".join(pieces) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
