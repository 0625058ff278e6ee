"""Options of reading: how text becomes features. Part of a model, as `sonlearn.options.learning.LearnOptions` is."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from sonlearn.options.conflicts import check_namespaces
from sonlearn.options.spec import check_field, delimiter, option

FORMATS = ("auto", "svmlight", "vw", "json", "csv", "arrow")
#: Formats whose features are slots of hashed names; those of TABLES, and of NAMESPACED, are the same features.
HASHED = ("vw", "json", "csv", "arrow")
TABLES, NAMESPACED = ("csv", "arrow"), ("vw", "json")
#: Formats that can be written.
WRITABLE = ("svmlight", "vw")
HASHES = ("strings", "all")
ON_ERROR = ("stop", "skip")


@dataclass(frozen=True)
class TextOptions:
    """How text becomes features. Frozen; `validate` runs on construction, OptionError as for `LearnOptions`."""

    format: str = option(
        "auto", "input format; auto looks at the first lines; --json: --format json", choices=FORMATS,
        short={"--json": "json"},
    )  # fmt: skip
    bits: int = option(
        18, "hash names to 2^B slots (VW text)", flags=("-b", "--bit_precision"), parse=int, low=1, high=40, metavar="B"
    )
    constant: bool = option(True, "add the constant feature", flags=("--noconstant",))
    hash: str = option(
        "strings", "names of digits only are their number (strings), or hashed too (all)", choices=HASHES
    )
    chain_hash: bool = option(
        False, "JSON: the text of a member is hashed with its name as seed, as VW text's name:text is, not behind it",
        flags=("--chain_hash",),
    )  # fmt: skip
    hash_seed: int = option(
        0,
        "seed of the hash of names (VW text)",
        flags=("--hash_seed",),
        parse=int,
        low=0,
        high=2**32 - 1,
        metavar="S",
        rare=True,
    )
    quadratic: tuple[str, ...] = option(
        (), "pairs of features of two namespaces, given by their first bytes; ':' is any", flags=("-q", "--quadratic"),
        repeat=True, metavar="AB",
    )  # fmt: skip
    cubic: tuple[str, ...] = option((), "triples, likewise", repeat=True, metavar="ABC", rare=True)
    interactions: tuple[str, ...] = option(
        (), "tuples of two or more, likewise", repeat=True, metavar="AB...", rare=True
    )
    ignore: tuple[str, ...] = option(
        (), "leave out namespaces that begin with this byte", repeat=True, metavar="A", rare=True
    )
    keep: tuple[str, ...] = option((), "leave out all namespaces but those", repeat=True, metavar="A", rare=True)
    ngram: tuple[str, ...] = option(
        (), "add n-grams: N for all namespaces, or AN for those that begin with A", repeat=True, metavar="[A]N"
    )
    skips: tuple[str, ...] = option((), "skips within n-grams, likewise", repeat=True, metavar="[A]K", rare=True)
    label: str = option("", "CSV column of the label; implies --format csv", parse=str, metavar="COLUMN")
    delimiter: str = option(",", "CSV delimiter: one character, or tab", parse=delimiter, metavar="C", rare=True)
    names: bool = option(False, "keep names of hashed features in the model, for inspect, --audit (reads more slowly)")
    strict: bool = option(
        False, "refuse a LIBSVM line with the same index twice (else its values are summed)", rare=True
    )

    def __post_init__(self) -> None:
        if isinstance(self.delimiter, str) and self.delimiter in ("tab", "\\t"):
            object.__setattr__(self, "delimiter", "\t")
        for field in dataclasses.fields(self):
            if field.metadata.get("repeat"):
                value = getattr(self, field.name)
                object.__setattr__(self, field.name, (value,) if isinstance(value, str) else tuple(value))
        validate(self)

    @property
    def has_namespace_options(self) -> bool:
        """Whether an option is set that needs VW's namespaces."""
        return any(getattr(self, field.name) for field in dataclasses.fields(self) if field.metadata.get("repeat"))


def validate(options: TextOptions) -> None:
    """Raise OptionError at the first value that is out of its range."""
    for field in dataclasses.fields(options):
        check_field(field, getattr(options, field.name))
    check_namespaces(options)
