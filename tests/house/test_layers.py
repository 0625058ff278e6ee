"""Habits of the code base that a reader relies on, checked on the syntax trees. Each test lists all violations."""

import ast

import pytest
from places import PACKAGE

#: A module imports from its own layer and those above it in this list: folders, and single files of the package.
LAYERS = (
    ("__init__", "errors", "interrupts", "files", "jit"),
    ("options", "data"),
    ("sketch", "text", "views", "conformal", "offpolicy"),
    ("learn",),
    ("report",),
    ("estimators", "tuning"),
    ("sklearn", "river", "torch", "plot"),
    ("cluster", "serve"),
    ("dask",),
    ("commands",),
    ("cli", "__main__"),
)


@pytest.fixture(scope="module")
def sources():
    """{dotted name: syntax tree}, which every process of a run would parse if they were a constant of this module."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def imported(sources):
    """{dotted name: what `imports` finds in the module}."""
    return {name: list(imports(tree)) for name, tree in sources.items()}


def layer_of(module):
    """Layer of a dotted name below ``sonlearn`` ("" for the package itself)."""
    first = module.split(".")[0] or "__init__"
    return next(i for i, names in enumerate(LAYERS) if first in names)


def imports(tree):
    """(dotted module, whether at the module's top level) of all imports that run."""
    top = {id(node) for node in tree.body}
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) in top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            yield node.module, id(node) in top
            yield from ((f"{node.module}.{alias.name}", id(node) in top) for alias in node.names)


def of_package(module):
    """`module` below ``sonlearn``, or None where it is of another package."""
    return module.removeprefix("sonlearn").removeprefix(".") if module.split(".")[0] == "sonlearn" else None


def test_imports_go_one_way(imported):
    wrong = [
        f"{name} imports {module}"
        for name, found in imported.items()
        for module, _ in found
        if (theirs := of_package(module)) is not None and theirs.split(".")[0] != "__version__"
        and layer_of(theirs if theirs in imported or theirs.rpartition(".")[0] else "") > layer_of(name)
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_no_modules_import_each_other(imported):
    """What imports what, imports inside functions included."""
    named = {name.removesuffix(".__init__") for name in imported}
    edges = {
        name.removesuffix(".__init__"): {of_package(module) for module, _ in found} & named
        for name, found in imported.items()
        if not name.endswith("__init__")
    }
    while edges:
        free = {name for name, needed in edges.items() if not (needed - {name}) & edges.keys()}
        assert free, f"these import each other: {sorted(edges)}"
        edges = {name: needed for name, needed in edges.items() if name not in free}


def test_only_the_compiler_knows_numba(imported):
    knows = {name for name, found in imported.items() if "numba" in {m.split(".")[0] for m, _ in found}}
    assert {name for name in knows if not name.startswith("jit.")} == set()


def test_public_things_have_docstrings(sources):
    bare = [
        f"{name}.{node.name}" if node is not tree else name
        for name, tree in sources.items()
        for node in (tree, *tree.body)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
        and not getattr(node, "name", "").startswith("_")
        and tree.body and not ast.get_docstring(node)
    ]  # fmt: skip
    assert not bare, "\n".join(bare)


def test_docstrings_begin_with_no_question_word(sources):
    words = ("What", "Whether", "How", "Which", "Where", "Why", "Who", "When")
    wrong = [
        f"{name}.{node.name}: {text[:40]}"
        for name, tree in sources.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (text := ast.get_docstring(node) or "").split(" ")[0] in words
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_nothing_is_pickled_or_evaluated(sources, imported):
    wrong = []
    for name, tree in sources.items():
        loaded = {module.split(".")[0] for module, _ in imported[name]}
        calls = {n.func.id for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        found = {"pickle", "marshal", "shelve", "joblib"} & loaded | {"eval", "exec"} & calls
        wrong += [f"{name}: {what}" for what in sorted(found)]
    assert not wrong, "\n".join(wrong)
