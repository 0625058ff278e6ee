"""Options of reading: how text becomes features. Part of a model, as `sonlearn.options.learning.LearnOptions` is."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from sonlearn.errors import OptionError
from sonlearn.options.conflicts import check_label, check_namespaces
from sonlearn.options.spec import check_fields, delimiter, flags, option, repeats

FORMATS = ("auto", "svmlight", "vw", "json", "csv", "arrow")
#: Formats whose features are slots of hashed names; those of TABLES, and of NAMESPACED, are the same features.
HASHED = ("vw", "json", "csv", "arrow")
TABLES, NAMESPACED = ("csv", "arrow"), ("vw", "json")
#: Options that say how all fields of a column are read, and what comes first in its dates.
READINGS, ORDERS = ("text", "categorical", "numeric", "date"), ("day_first", "month_first", "year_first", "unix_time")
#: What the first rows tell where no option does (`sonlearn.text.infer`).
INFERRED = ("text", "categorical", *ORDERS, "unit", "several")
#: Options that name columns, but those of which there is one.
NAMING = (*READINGS, *ORDERS, "unit", "several", "ignore", "keep")
#: Options of text that need columns, and those that need namespaces.
OF_TABLES = ("id", "weight", *READINGS, *ORDERS, "unit", "several")
OF_NAMESPACES = ("quadratic", "cubic", "interactions")
OF_BOTH = ("ignore", "keep", "ngram", "skips")
#: Formats that can be written.
WRITABLE = ("svmlight", "vw")
HASHES = ("strings", "all")

#: How ``--unit`` has a unit: 1.5 or 1,5 with it, a regular expression; 1.5 alone: thousands are apart, as in 1,234.5.
UNIT = r"(?!1,5$)([^\d=()+-]*?)\s*1([.,])5\s*([^\d=()]*)"
#: Options that say how a table is written: other data of a model may be written in another way.
WRITTEN = ("delimiter", "decimal")


@dataclasses.dataclass(frozen=True)
class TextOptions:
    """How text becomes features. Frozen; `validate` runs on construction, OptionError as for `LearnOptions`."""

    format: str = option(
        "auto", "input format; auto looks at the first lines; --json, --dsjson: --format json", choices=FORMATS,
        short={"--json": "json", "--dsjson": "json"},
    )  # fmt: skip
    bits: int = option(
        18, "hash names to 2^B slots (VW text)", flags=("-b", "--bit_precision"), low=1, high=40, metavar="B"
    )
    constant: bool = option(True, "add the constant feature", flags=("--noconstant",))
    hash: str = option(
        "strings", "names of digits only are their number (strings), or hashed too (all)", choices=HASHES, rare=True
    )
    chain_hash: bool = option(
        False, "JSON: the text of a member is hashed with its name as seed, as VW text's name:text is, not behind it",
        rare=True,
    )  # fmt: skip
    hash_seed: int = option(0, "seed of the hash of names (VW text)", low=0, high=2**32 - 1, metavar="S", rare=True)
    quadratic: tuple[str, ...] = option(
        (), "pairs of features of two namespaces, given by their first bytes; ':' is any", flags=("-q", "--quadratic"),
        metavar="AB",
    )  # fmt: skip
    cubic: tuple[str, ...] = option(
        (), "triples of features of three namespaces, given by their first bytes; ':' is any", metavar="ABC", rare=True
    )
    interactions: tuple[str, ...] = option(
        (), "tuples of features of two or more namespaces, given by their first bytes; ':' is any", metavar="AB...",
        rare=True,
    )  # fmt: skip
    ignore: tuple[str, ...] = option(
        (), "leave out this column of a table, part of its dates (COLUMN.year), member of JSON, or namespaces that "
        "begin with this byte", metavar="COLUMN|A", rare=True,
    )  # fmt: skip
    keep: tuple[str, ...] = option(
        (), "leave out all columns of a table but this one, or all namespaces but those that begin with this byte",
        metavar="COLUMN|A", rare=True,
    )  # fmt: skip
    ngram: tuple[str, ...] = option(
        (), "add n-grams: N for all namespaces, or AN for those that begin with A", metavar="[A]N"
    )
    skips: tuple[str, ...] = option(
        (), "add n-grams with up to K skips: K for all namespaces, or AK for those that begin with A", metavar="[A]K",
        rare=True,
    )  # fmt: skip
    label: str = option("", "column (of JSON, member) of the label", metavar="COLUMN")
    id: str = option("", "column of ids of predictions; no feature by itself", metavar="COLUMN")
    weight: str = option("", "column of the rows' importance weights", metavar="COLUMN", rare=True)
    text: tuple[str, ...] = option((), "column of texts: split into words (--ngram applies)", metavar="COLUMN")
    categorical: tuple[str, ...] = option(
        (),
        "column (of JSON, member) whose numbers and dates are names, as postal codes are",
        metavar="COLUMN",
        rare=True,
    )
    numeric: tuple[str, ...] = option(
        (), "column (of JSON, member) of numbers alone: a text in it is malformed",
        metavar="COLUMN", rare=True,
    )  # fmt: skip
    date: tuple[str, ...] = option(
        (), "column (of JSON, member) of dates alone: another text in it is malformed", metavar="COLUMN", rare=True
    )
    day_first: tuple[str, ...] = option(
        (), "column of dates as 31/3/2024 or 31-3-24 (default: as the first rows tell)", metavar="COLUMN", rare=True
    )
    month_first: tuple[str, ...] = option(
        (), "column of dates as 3/31/2024 or 3-31-24 (default: as the first rows tell)", metavar="COLUMN", rare=True
    )
    year_first: tuple[str, ...] = option((), "column of dates as 20240331", metavar="COLUMN", rare=True)
    unix_time: tuple[str, ...] = option(
        (), "column of seconds or milliseconds since 1970 (default: as the first rows tell)", metavar="COLUMN",
        rare=True,
    )  # fmt: skip
    unit: tuple[str, ...] = option(
        (), "column of numbers with this unit (default: as the first rows tell)", metavar="COLUMN=$1.5", rare=True
    )
    several: tuple[str, ...] = option(
        (), "column of several names, with this mark between (default: as the first rows tell)", metavar="COLUMN=;",
        rare=True,
    )  # fmt: skip
    delimiter: str = option(",", "CSV delimiter: one character, or tab", parse=delimiter, metavar="C", rare=True)
    decimal: str = option(
        ".", "decimal mark of numbers in CSV; with , a point separates thousands", choices=(".", ","), rare=True
    )  # fmt: skip
    names: bool | None = option(None, "keep names of features (default: of tables, JSON)", switch=True)
    strict: bool = option(
        False, "refuse a LIBSVM line with the same index twice (else its values are summed)", rare=True
    )

    def __post_init__(self) -> None:
        if isinstance(self.delimiter, str) and self.delimiter in ("tab", "\\t"):
            object.__setattr__(self, "delimiter", "\t")
        for field in dataclasses.fields(self):
            if repeats(field):
                value = getattr(self, field.name)
                names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Iterable) else value
                if not (isinstance(names, tuple) and all(isinstance(name, str) for name in names)):
                    raise OptionError(f"{flag_of(TextOptions, field.name)} {value!r}: expected a text, or several")
                object.__setattr__(self, field.name, names)
        check_fields(self)
        for name in self.unit:
            if not re.fullmatch(f".+={UNIT}", name):
                raise OptionError(f"--unit {name}: expected COLUMN=$1.5, or COLUMN=1,5 kg, without a digit in the unit")
        for name in self.several:
            if not re.fullmatch(r".+=[^\w\s]", name):
                raise OptionError(f"--several {name}: expected COLUMN=MARK, as COLUMN=;")
        check_label(self)
        check_namespaces(self)

    def with_inferred(self, other: TextOptions) -> TextOptions:
        """These options with what the first rows told in `other`, which are the same but for it."""
        return dataclasses.replace(self, **{name: getattr(other, name) for name in INFERRED})

    def named(self, option: str) -> list[str]:
        """The columns that an option of `NAMING` names."""
        return [name.rpartition("=")[0] if option in ("unit", "several") else name for name in getattr(self, option)]

    def given(self, names: tuple[str, ...]) -> list[str]:
        """Flags of the fields of these names that are set."""
        return [flag_of(TextOptions, name) for name in names if getattr(self, name)]


def flag_of(options: type, name: str) -> str:
    """Return how the command line spells a field."""
    return next(flags(field)[0] for field in dataclasses.fields(options) if field.name == name)
