"""Write the keywords of learners and estimators as types, for mypy and editors: ``PYTHONPATH=. python FILE``.

A test compares the files with what this gives (`tests/house/test_keywords.py`).
"""

from pathlib import Path

from sonlearn.options import LearnOptions
from sonlearn.options.python import parameters_of

PACKAGE = Path(__file__).resolve().parents[2] / "sonlearn"
HEAD = '''"""{title}, as type checkers and editors know them. By tests/support/write_keywords.py."""

from __future__ import annotations

{imports}
'''


def of_class(name, parameters, doc, base="", inherited=()):
    """The text of a class of keywords: those of the classes that it follows, and further ones."""
    lines = [f"class {name}({base or 'TypedDict'}, total=False):", f'    """{doc}"""', ""]
    return "\n".join(lines + [f"    {key}: {each.kind}" for key, each in parameters.items() if key not in inherited])


def texts():
    """{file: text}."""
    from sonlearn.estimators import river, sklearn

    learn = parameters_of(LearnOptions)
    modules = ((sklearn, "Sklearn"), (river, "River"))
    shared = {
        name: each for name, each in learn.items() if all(
            module.SonlearnRegressor.PARAMETERS.get(name, each).kind == each.kind
            and name in module.SonlearnRegressor.PARAMETERS for module, _ in modules
        )
    }  # fmt: skip
    of_learners = [
        HEAD.format(title="The keywords of a `Learner`", imports="from typing import TypedDict"),
        of_class("SharedKeywords", shared, "Options of learning that learners and all estimators have."),
        of_class("LearnKeywords", learn, "See `LearnOptions`.", "SharedKeywords", shared),
    ]
    imports = "from typing import Any\n\nfrom sonlearn.options.keywords import SharedKeywords"
    of_estimators = [HEAD.format(title="The keywords of the estimators", imports=imports)]
    for module, library in modules:
        base, inherited = "SharedKeywords", shared
        for cls in (module.SonlearnRegressor, module.SonlearnClassifier):
            name = f"{library}{cls.__name__.removeprefix('Sonlearn')}Keywords"
            doc = f"See `sonlearn.{library.lower()}.{cls.__name__}`."
            of_estimators.append(of_class(name, cls.PARAMETERS, doc, base, inherited))
            base, inherited = name, cls.PARAMETERS
    files = {"options/keywords.py": of_learners, "estimators/keywords.py": of_estimators}
    return {file: "\n\n\n".join(piece.strip("\n") for piece in pieces) + "\n" for file, pieces in files.items()}


if __name__ == "__main__":
    for file, text in texts().items():
        (PACKAGE / file).write_text(text, encoding="utf-8")
