"""A claim about all of a list is one test, which names every counterexample."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

#: Cases that a failure names in its first line; their errors follow, with tracebacks.
NAMED = 20


def for_all(names: str | tuple[str, ...], values: Iterable[Any]) -> Callable[[Callable], Callable]:
    """Like `pytest.mark.parametrize`, but one test: run it for every value, then fail with all that went wrong.

    Stacked, these decorators run all combinations. A test of which values need marks, or fixtures of their own
    (`tmp_path`, which all cases share here), stays with `parametrize`.

    Parameters
    ----------
    names : str or tuple of str
        Names of arguments, separated by commas.
    values : iterable
        A value for one name, a sequence of values for several.

    Raises
    ------
    ExceptionGroup
        By the test: the error of every case that fails. Its message names the cases.
    ValueError
        By the decorator: nothing to run.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    own = [dict(zip(names, value if len(names) > 1 else (value,), strict=True)) for value in values]
    if not own:
        raise ValueError(f"no value for {', '.join(names)}: such a test cannot fail")

    def decorate(test):
        inner, below = getattr(test, "cases_of", (test, [{}]))
        cases = [{**one, **other} for one in own for other in below]

        @functools.wraps(inner)
        def run(**fixtures):
            errors, failed = [], []
            for case in cases:
                try:
                    inner(**fixtures, **case)
                except TimeoutError:  # the limit of the whole test
                    raise
                except pytest.skip.Exception:
                    if case is cases[0]:
                        raise
                    errors.append(AssertionError("a single case must not skip: leave it out of the list"))
                    failed.append(case)
                except Exception as error:
                    error.add_note(f"in the case {label(case)}")
                    errors.append(error)
                    failed.append(case)
            if errors:
                some = "; ".join(map(label, failed[:NAMED])) + ("; ..." if len(failed) > NAMED else "")
                raise ExceptionGroup(f"{len(failed)} of {len(cases)} cases fail: {some}", errors)

        signature = inspect.signature(inner)
        free = [parameter for name, parameter in signature.parameters.items() if name not in cases[0]]
        run.__signature__ = signature.replace(parameters=free)
        run.pytestmark = [*getattr(test, "pytestmark", [])]
        run.cases_of = (inner, cases)
        return run

    return decorate


def label(case: dict[str, Any]) -> str:
    """The values of a case in short."""
    return ", ".join(f"{name}={short(value)}" for name, value in case.items())


def short(value: Any) -> str:
    text = getattr(value, "__name__", None) or repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
