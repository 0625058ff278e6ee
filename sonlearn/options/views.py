"""The table of views: one entry for every way in which a member of a committee can see a row.

A view is a kind (`sonlearn.views`) and values, as a method is an engine and values. `docs/views.md` has the formulas
in full. Imports nothing: the command line reads it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

#: Parts of a row that a view sees, once a stream's rows have both columns and words: all of it, or one of these.
ROW, COLUMNS, WORDS = "row", "columns", "words"


class ViewEntry(NamedTuple):
    """One entry.

    Attributes
    ----------
    kind : str
        Which class computes it (`sonlearn.views.make_view`).
    about : str
        What it makes of the features, in an analyst's words.
    formula : str
        What an entry x_j of a row becomes.
    cost : str
        Order of the time for a row, and of the number of entries of the resulting row; s: entries of the row itself.
    values : dict
        What the class is told.
    part : str
        Which part of a row it sees.
    stacked : bool
        Whether the constant's value is what the members on other views say, combined.
    """

    kind: str
    about: str
    formula: str
    cost: str
    values: dict[str, Any] = {}  # noqa: RUF012
    part: str = COLUMNS
    stacked: bool = False

    def of_words(self) -> ViewEntry:
        """The same of the words of texts alone."""
        return self._replace(about=f"{self.about}; of the words of texts alone", part=WORDS)


VIEWS = {
    "raw": ViewEntry(
        "raw", "features as they stand in the input",
        "x_j", "s", part=ROW,
    ),
    "log": ViewEntry(
        "scaled", "logarithms of the values",
        "sign(x_j) ln(1 + |x_j|), without the constant", "s", {"constant": False},
    ),
    "lunit": ViewEntry(
        "scaled", "logarithms of the values, rows of the same length",
        "sign(x_j) ln(1 + |x_j|), then the row / its 2-norm", "s", {"unit": True},
    ),
    "tfidf": ViewEntry(
        "scaled", "rare words count more, rows of the same length",
        "sign(x_j) ln(1 + |x_j|) ln((t + 2)/(df_j + 1)), then the row / its 2-norm", "s", {"idf": True, "unit": True},
    ),
    "zs": ViewEntry(
        "scaled", "values less their mean, in standard deviations",
        "(x_j - mean_j)/sd_j within +-5", "s", {"z": True},
    ),
    "bins": ViewEntry(
        "bins", "values and the ranges that they fall into",
        "x_j, [bin 1 of x_j], [bin 3 of x_j]", "3 s", {"code": "float", "itself": True},
    ),
    "bins-z": ViewEntry(
        "bins", "standardised values and the ranges that they fall into",
        "(x_j - mean_j)/sd_j within +-5, [z-bin 1 of x_j], [z-bin 3 of x_j, or whole x_j]", "3 s",
        {"code": "z", "itself": True},
    ),
    "ranges": ViewEntry(
        "bins", "the ranges that values fall into, hours of dates with their weekday, and the constant",
        "[bin 1 of x_j], [bin 3 of x_j], [hour and weekday]", "2 s", {"code": "float", "hours": True},
    ),
    "indicators": ViewEntry(
        "bins", "the ranges that values fall into",
        "[bin 1 of x_j], [bin 3 of x_j], without the constant", "2 s",
        {"code": "float", "constant": False},
    ),
    "odds": ViewEntry(
        "odds", "words weighted by class odds",
        "rho_f / sqrt(s) in place of f = [bin 2 of x_j], and of [whole x_j]", "s",
    ),
    "pairs": ViewEntry(
        "tuples", "pairs of features that occur in the same row",
        "[bin 1 of x_i, or name x_i, and the same of x_j], i <= j", "s^2",
        {"order": 2, "code": "float", "resolution": 1, "names": True},
    ),
    "pairs-fine": ViewEntry(
        "tuples", "pairs of features, finer ranges of values",
        "[bin 3 of x_i and bin 3 of x_j] / sqrt(number of pairs), i <= j", "s^2",
        {"order": 2, "code": "float", "resolution": 3, "unit": True, "entries": (20, 20, 10)},
    ),
    "pairs-z": ViewEntry(
        "tuples", "pairs of ranges of standardised values",
        "[z-bin 2 of x_i and z-bin 2 of x_j], i <= j", "s^2", {"order": 2, "code": "z", "resolution": 2},
    ),
    "neighbours": ViewEntry(
        "neighbours", "words side by side, and up to a few words apart",
        "[bins 1 of two entries up to 3 apart] and [bins 1 of three side by side], / sqrt(their number)", "4 s",
        {"order": 0, "code": "float", "resolution": 1, "unit": True},
    ),
    "triples": ViewEntry(
        "tuples", "triples of features that occur in the same row",
        "[bin 1 of x_i and bin 1 of x_j and bin 1 of x_k], i < j < k", "s^3",
        {"order": 3, "code": "float", "resolution": 1, "entries": (16, 16, 8)},
    ),
    "triples-z": ViewEntry(
        "tuples", "triples of ranges of standardised values",
        "[z-bin 1 of x_i and z-bin 1 of x_j and z-bin 1 of x_k] / sqrt(number of triples), i < j < k", "s^3",
        {"order": 3, "code": "z", "resolution": 1, "unit": True, "entries": (24, 16, 8)},
    ),
    "columns": ViewEntry(
        "fourier", "all values as they are",
        "x_j, of all features; rows of numbers and of few names only", "d",
        {"components": 0, "linear": 1.0, "standard": False, "rows": "names"},
    ),
    "stacked": ViewEntry(
        "fourier", "all values as they are, and what members on other views say of the row",
        "x_j, of all features, and what members on other views say; rows of numbers and of few names only",
        "d", {"components": 0, "linear": 1.0, "standard": False, "rows": "names"}, stacked=True,
    ),
    "products": ViewEntry(
        "fourier", "all values and their products",
        "x_j, of all features, and x_i x_j of the first 12, i <= j; rows of numbers only", "d + 78",
        {"components": 0, "linear": 1.0, "standard": False, "products": 12},
    ),
    "zs-all": ViewEntry(
        "fourier", "all values less their mean, in standard deviations",
        "(x_j - mean_j)/sd_j within +-4, of all features; rows of numbers only", "d", {"components": 0, "linear": 1.0},
    ),
    "fourier": ViewEntry(
        "fourier", "waves across all values, and the values themselves",
        "sqrt(2/D) cos(2 pi u_c), c < 600, and z_j/sqrt(4 d); rows of numbers only", "D d",
        {"components": 600, "widths": (0.5, 1.5), "linear": 0.5},
    ),
    "fourier-few": ViewEntry(
        "fourier", "waves across all values",
        "sqrt(2/D) cos(2 pi u_c), c < 256; rows of numbers only", "D d",
        {"components": 256, "widths": (1.0,), "linear": 0.0},
    ),
}  # fmt: skip
#: Views that suit words: where labels are classes, and where they are values.
SUIT_WORDS, SUIT_WORDS_OF_VALUES = ("lunit", "odds", "tfidf", "log", "neighbours"), ("zs", "bins-z")
VIEWS |= {f"{WORDS}-{name}": VIEWS[name].of_words() for name in (*SUIT_WORDS, *SUIT_WORDS_OF_VALUES)}
