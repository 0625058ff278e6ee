"""Members of a committee in an analyst's words."""

from __future__ import annotations

from sonlearn.options.methods import METHODS

#: What a view makes of the features.
VIEWS = {
    "raw": "features as they stand in the input",
    "log": "logarithms of the values",
    "lunit": "logarithms of the values, rows of the same length",
    "tfidf": "rare words count more, rows of the same length",
    "zs": "values less their mean, in standard deviations",
    "bins": "values and the ranges that they fall into",
    "bins-z": "standardised values and the ranges that they fall into",
    "indicators": "the ranges that values fall into",
    "odds": "words weighted by class odds",
    "pairs": "pairs of features that occur in the same row",
    "pairs-z": "pairs of ranges of standardised values",
    "pairs-fine": "pairs of features, finer ranges of values",
    "triples": "triples of features that occur in the same row",
    "triples-z": "triples of ranges of standardised values",
    "neighbours": "words side by side, and up to a few words apart",
}


def member_words(name: str) -> str:
    """What a member METHOD:VIEW is; empty where nothing is known of it."""
    method, _, view = name.partition(":")
    parts = [METHODS[method].about] if method in METHODS else []
    parts += [VIEWS[view]] if view in VIEWS else []
    return "; ".join(parts)
