"""Sources use nothing that Python 3.12 to 3.14 removed or deprecated, as far as it can be told without running them.

Lists from "What's New in Python" 3.12, 3.13 and 3.14. Attributes are looked for by name, whatever they belong to.
"""

import ast
import re

import pytest
from places import ROOT

MODULES = """
    asynchat asyncore distutils imp smtpd
    aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd sunau
    telnetlib uu xdrlib
    pkg_resources
"""
ATTRIBUTES = """
    SafeConfigParser readfp find_loader get_loader ImpImporter ImpLoader makeSuite findTestCases wrap_socket
    match_hostname failUnless assertEquals assertNotEquals assertRegexpMatches assertRaisesRegexp
    utcnow utcfromtimestamp last_type last_traceback co_lnotab master_open slave_open load_module
    resetlocale MAXFD LegacyInterpolation no_type_check_decorator is_resource
    NameConstant get_child_watcher set_child_watcher get_event_loop_policy set_event_loop_policy
    iscoroutinefunction ByteString
"""
#: Keywords of functions: `shutil.rmtree(onerror=)` of 3.12.
KEYWORDS = {("rmtree", "onerror")}
ALLOWED = {("inspect", "iscoroutinefunction")}
FILES = sorted(path for folder in ("sonlearn", "tests", "bench", "docs") for path in (ROOT / folder).rglob("*.py"))


def found_in(text):
    """Lines and names of what a source should not use."""
    found, modules, attributes = [], frozenset(MODULES.split()), frozenset(ATTRIBUTES.split())
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""] if not node.level else []
            found += [(node.lineno, each.name) for each in node.names if each.name in attributes]
        else:
            names = []
        found += [(node.lineno, name) for name in names if name.split(".")[0] in modules]
        if isinstance(node, ast.Attribute) and node.attr in attributes:
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            found += [(node.lineno, node.attr)] if (owner, node.attr) not in ALLOWED else []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found += [(node.lineno, word.arg) for word in node.keywords if (node.func.attr, word.arg) in KEYWORDS]
        if isinstance(node, ast.Attribute) and node.attr == "__annotations__":  # empty in classes from 3.14 on
            found.append((node.lineno, node.attr))
        if isinstance(node, ast.Try):  # 3.14: an exception on its way would be lost
            for each in node.finalbody:
                found += [(each.lineno, "return in finally")] if isinstance(each, ast.Return) else []
    return found


def test_sources_use_nothing_that_newer_pythons_lack():
    """Those are parsed in which one of the names stands at all."""
    names = "|".join([*MODULES.split(), *ATTRIBUTES.split(), *dict(KEYWORDS).values(), "__annotations__", "finally"])
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in FILES}
    assert len(texts) > 400
    found = {name: found_in(text) for name, text in texts.items() if re.search(rf"\b({names})\b", text)}
    assert {name: uses for name, uses in found.items() if uses} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import imp", "from distutils.core import setup", "import datetime as d\nd.datetime.utcnow()",
        "from unittest import makeSuite", "import shutil\nshutil.rmtree('a', onerror=print)", "C.__annotations__",
        "def f():\n    try:\n        pass\n    finally:\n        return 1",
    ],
)  # fmt: skip
def test_uses_are_found(text):
    assert len(found_in(text)) == 1
