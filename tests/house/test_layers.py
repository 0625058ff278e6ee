"""Habits of the code base that a reader relies on, checked on the syntax trees."""

import ast

import pytest
from places import PACKAGE

FILES = sorted(PACKAGE.rglob("*.py"))

#: A module imports from its own layer and those before it. What stands in no folder is named by its file.
LAYERS = (
    "shared",
    "sketch",
    "text",
    "views",
    "conformal",
    "learn",
    "clients",
    "transformers",
    "sklearn",
    "river",
    "torch",
    "report",
    "tuning",
    "cluster",
    "dask",
    "serve",
    "plot",
    "commands",
    "cli",
)
SHARED = {
    "__init__",
    "arrays",
    "batch",
    "errors",
    "fields",
    "grid",
    "members",
    "methods",
    "options",
    "together",
    "outputs",
    "scores",
    "compiler",
    "jit",
    "kernelcache",
    "sources",
    "storage",
    "viewtable",
}

BODY_LINES, ARGUMENTS, FILE_LINES = 50, 8, 400


def name_of(path):
    return path.relative_to(PACKAGE).as_posix()


def layer_of(module):
    """Layer of a dotted name below ``sonlearn`` ("" for the package itself)."""
    first = module.split(".")[0] or "__init__"
    if first in SHARED:
        return 0
    return LAYERS.index("cli" if first == "__main__" else first)


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


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_imports_go_one_way(path):
    ours = layer_of(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    for module, _ in imports(ast.parse(path.read_text(encoding="utf-8"))):
        if module.split(".")[0] != "sonlearn":
            continue
        theirs = layer_of(module.removeprefix("sonlearn").removeprefix("."))
        assert theirs <= ours, f"{LAYERS[ours]} imports {module}"


def test_the_sketches_import_each_other_in_no_circle():
    """What imports what within ``sketch/``, imports inside functions included."""
    files = {f"sonlearn.sketch.{path.stem}": path for path in (PACKAGE / "sketch").glob("[!_]*.py")}
    edges = {}
    for name, path in files.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {module for module, _ in imports(tree)}
        named |= {
            f"{node.module}.{alias.name}"
            for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names
        }  # fmt: skip
        edges[name] = named & files.keys()
    while edges:
        free = {name for name, needed in edges.items() if not needed & edges.keys()}
        assert free, f"these import each other: {sorted(edges)}"
        edges = {name: needed for name, needed in edges.items() if name not in free}


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_only_the_compiler_knows_numba(path):
    modules = {module.split(".")[0] for module, _ in imports(ast.parse(path.read_text(encoding="utf-8")))}
    assert ("numba" in modules) == (name_of(path) == "compiler.py")


def test_the_command_line_loads_no_numbers_until_it_runs():
    for name in (
        "__init__",
        "__main__",
        "cli",
        "errors",
        "fields",
        "grid",
        "methods",
        "options",
        "together",
        "outputs",
        "commands/__init__",
        "commands/completion",
        "commands/flags",
        "commands/options",
        "commands/verbs",
        "sketch/__init__",
        "sketch/options",
        "sketch/rules",
    ):
        tree = ast.parse((PACKAGE / f"{name}.py").read_text(encoding="utf-8"))
        tops = {module for module, top in imports(tree) if top}
        assert not {"numpy", "scipy", "numba", "sonlearn.compiler"} & tops, name


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_sizes(path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= FILE_LINES
    for function in functions(ast.parse(text)):
        body = function.body[1:] if ast.get_docstring(function) is not None else function.body
        lines = function.body[-1].end_lineno - body[0].lineno + 1 if body else 0
        assert lines <= BODY_LINES, f"{function.name}: {lines} lines"
        arguments = function.args
        count = len(arguments.posonlyargs + arguments.args + arguments.kwonlyargs)
        count -= bool(arguments.args) and arguments.args[0].arg in ("self", "cls")
        assert count <= ARGUMENTS, f"{function.name}: {count} arguments"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_public_things_have_docstrings(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree) or not tree.body
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            assert ast.get_docstring(node), node.name


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_nothing_is_pickled_or_evaluated(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not {"pickle", "marshal", "shelve", "joblib"} & {module.split(".")[0] for module, _ in imports(tree)}
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not {"eval", "exec"} & calls
