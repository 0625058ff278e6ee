"""Options as Python's keywords: signatures, docstrings and messages, all from the fields that declare them.

`parameters_of` gives each option as a `Parameter`; a client adds those of its own. From such a table follow the
signature that `inspect` and editors show (`constructor`), a class with both (`with_parameters`), and the types in
`sonlearn/options/keywords.pyi`, which ``tests/support/write_keywords.py`` writes and a test compares. `in_keywords`
turns a message about flags into one about keywords.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from sonlearn.errors import InputError, OptionError
from sonlearn.options.learning import LearnOptions
from sonlearn.options.spec import closest, flags, nearest
from sonlearn.options.text import TextOptions

T = TypeVar("T", bound=type)
_WIDTH = 108


class Parameter(NamedTuple):
    """A keyword."""

    default: Any
    kind: str  # as an annotation
    help: str


def parameters_of(options: type, names: tuple[str, ...] | None = None) -> dict[str, Parameter]:
    """The fields of a class of options, or those of these names, as keywords."""
    fields = {field.name: field for field in dataclasses.fields(options)}
    return {name: _parameter(fields[name]) for name in names or fields}


def _parameter(field: dataclasses.Field[Any]) -> Parameter:
    """One field as a keyword; None stands for what the method has."""
    kind, meta = str(field.type), field.metadata
    if kind.startswith("tuple"):
        kind = f"{kind} | list[str] | str"
    if field.default is None and "None" not in kind:
        kind += " | None"
    words = [in_keywords(meta["help"])]
    if "choices" in meta and len(meta["choices"]) <= len("few lines"):
        words.append("one of " + ", ".join(map(str, meta["choices"])))
    bounds = [f"{word} {meta[key]:g}" for key, word in (("low", "from"), ("above", "above"), ("high", "to"))
              if key in meta]  # fmt: skip
    words += [" ".join(bounds)] * bool(bounds)
    if field.default is None and meta.get("general") is not None:
        own = "" if field.name == "method" else "the method's own, or "
        words.append(f"None: {own}{meta['general']}")
    return Parameter(field.default, kind, "; ".join(words))


def constructor(parameters: Mapping[str, Parameter], renamed: Mapping[str, str] | None = None) -> Callable[..., None]:
    """An ``__init__`` with these keywords that only keeps them as attributes.

    Clients of other libraries read the parameters from its signature, and want no work done before the first row.
    `renamed` has for names of options those that they have here, for the message about an unknown one.
    """
    defaults = {name: each.default for name, each in parameters.items()}

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807
        for name in given:
            if name not in defaults:
                raise unknown(type(self).__name__, name, defaults, renamed or {})
        for name, value in (defaults | given).items():
            setattr(self, name, value)

    first, *_ = inspect.signature(__init__).parameters.values()
    of_class = signature_with(__init__, parameters)
    __init__.__signature__ = of_class.replace(  # type: ignore[attr-defined]
        parameters=[first, *of_class.parameters.values()]
    )
    return __init__


def signature_with(function: Any, parameters: Mapping[str, Parameter]) -> inspect.Signature:
    """The signature of the class that a constructor is of, with these keywords in the place of ``**given``."""
    _, *own = (each for each in inspect.signature(function).parameters.values() if each.kind is not each.VAR_KEYWORD)
    return inspect.Signature([
        *own,
        *(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.kind)
          for name, each in parameters.items()),
    ])  # fmt: skip


def unknown(owner: str, name: str, known: Mapping[str, Any], renamed: Mapping[str, str]) -> TypeError:
    """Return what to say of a keyword that there is none of."""
    here = [renamed[name]] if name in renamed else closest(name, known)
    more = f"; did you mean {here[0]}?" if here else f"; expected one of {nearest(name, known)}"
    return TypeError(f"{owner}() got an unexpected keyword argument {name!r}{more}")


def with_parameters(parameters: Mapping[str, Parameter]) -> Callable[[T], T]:
    """Give a class these keywords, and in its docstring the section about them, before that of its attributes."""

    def with_section(cls: T) -> T:
        cls.PARAMETERS = parameters  # type: ignore[attr-defined]
        cls.__init__ = constructor(parameters, getattr(cls, "_RENAMED", None))  # type: ignore[misc]
        lines = ["Parameters", "----------"]
        for name, each in parameters.items():
            lines += [f"{name} : {each.kind.replace(' | ', ' or ')}, default {each.default!r}"]
            lines += textwrap.wrap(each.help, _WIDTH, initial_indent="    ", subsequent_indent="    ")
        text, gap = inspect.cleandoc(cls.__doc__ or ""), "\n\n"
        begin, mark, rest = text.partition("\n\nAttributes\n")
        cls.__doc__ = begin + gap + "\n".join(lines) + mark + rest + "\n"
        return cls

    return with_section


#: What the command line calls an option, and what Python calls it.
_KEYWORDS = {
    flag: field.name for options in (TextOptions, LearnOptions) for field in dataclasses.fields(options)
    for flag in flags(field)
}  # fmt: skip
_FLAG = re.compile(r"(?<![\w-])(--?[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)( (?='))?")


@contextlib.contextmanager
def errors_in_keywords(owner: str, renamed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Raise an OptionError of this context as one about keywords of `owner`, and an InputError in keywords."""
    try:
        yield
    except OptionError as error:
        raise OptionError(f"{owner}: {in_keywords(str(error), renamed)}") from None
    except InputError as error:
        raise error.but(expected=in_keywords(error.expected, renamed)) from None


def in_keywords(text: str, renamed: Mapping[str, str] | None = None) -> str:
    """`text` with keywords in the place of flags: ``-m 0`` is ``sketch_size 0``, ``--ignore 'a'`` ``ignore='a'``."""

    def keyword(found: re.Match[str]) -> str:
        name = _KEYWORDS.get(found[1])
        return found[0] if name is None else (renamed or {}).get(name, name) + "=" * bool(found[2])

    return _FLAG.sub(keyword, text)
