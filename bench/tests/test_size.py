"""What counts as a line of code."""

from bench.size import lines_of

TEXT = '''"""Of
the module."""

import math  # a comment


def f(x):
    """Of the function."""
    # alone
    return """one
two""", x
'''


def test_docstrings_comments_and_blanks_are_no_code():
    assert lines_of(TEXT) == (4, 11)
