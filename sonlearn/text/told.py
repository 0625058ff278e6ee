"""Which columns hold texts though no option says so: the first rows tell, before anything is learned.

Such a column is one of ``--text`` from then on, in the options that the model keeps: its fields are words.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterable, Mapping

from sonlearn.options import TextOptions
from sonlearn.text.columns import MISSING, is_feature, number_in, reading_of
from sonlearn.text.encode import LONGEST, date_in, words_of
from sonlearn.text.objects import MANY
from sonlearn.text.suspicions import ENOUGH, Suspicions

#: Texts by the share of a column's fields that are different, and that of a field's words that others have, on average.
_DIFFERENT, _SHARED = 0.7, 0.6


def with_texts(options: TextOptions, rows: Iterable[Mapping[str, str]]) -> TextOptions:
    """`options` with the columns that are texts by the first rows, fields by column, where no option says otherwise."""
    fields: dict[str, list[str]] = {}
    for row in itertools.islice(rows, MANY):
        for name, field in row.items():
            fields.setdefault(name, []).append(field)
    told = [
        name for name, held in fields.items()
        if is_feature(name, options) and not reading_of(name, options) and are_texts(held)
    ]  # fmt: skip
    return dataclasses.replace(options, text=(*options.text, *told)) if told else options


def are_texts(fields: Iterable[str]) -> bool:
    """Whether a column's fields are texts: enough, most have several words, most differ, and their words come again."""
    held = [field for field in map(str.strip, fields) if field.lower() not in MISSING]
    different, most, met = dict.fromkeys(held), len(held) / 2, Suspicions()
    if len(held) < ENOUGH or len(different) < _DIFFERENT * len(held):
        return False
    texts = [field for field in held if number_in(field) is None and date_in(field) is None]
    for field in texts:
        met.add(field)
    if sum(len(field.split(None, 1)) > 1 for field in texts) <= most or met.meant(most):
        return False
    words = [set(words_of(field[:LONGEST])) for field in different]
    fields_of = Counter(itertools.chain.from_iterable(words))
    shared = [sum(fields_of[word] > 1 for word in own) / max(len(own), 1) for own in words]
    return sum(shared) >= _SHARED * len(shared)
