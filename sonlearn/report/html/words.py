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
    "zs-all": "all values less their mean, in standard deviations",
    "fourier": "waves across all values, and the values themselves",
    "fourier-few": "waves across all values",
}
#: Methods that learn several classes at once and are no methods of their own.
OF_CLASSES = {
    "rls": "least squares, of all classes at once",
    "shares": "how often each class has come",
}


def member_words(name: str) -> str:
    """What a member METHOD:VIEW~RATE is; empty where nothing is known of it."""
    name, _, rate = name.partition("~")
    method, _, view = name.partition(":")
    about = METHODS[method].about if method in METHODS else OF_CLASSES.get(method)
    parts = [text for text in (about, VIEWS.get(view)) if text]
    if parts and rate:
        parts.append(f"forgets the share {rate} of what it has seen with each row")
    return "; ".join(parts)
