"""One learner of what several have learned: a model of one learner's size and speed, which can go on learning.

Sums over rows (counts, moments, odds, sums of squared gradients, precisions) are what one learner of all rows would
have. Weights move by the precision that each learner has gained (`sonlearn.data.merging` and the engines'
`merge`). Learners number features as they meet them; the merged one has the numbers of the base, and then those of the
learners in their order.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.axes import Numbers
from sonlearn.data.batch import Batch
from sonlearn.data.rows import NO_ROWS
from sonlearn.errors import OptionError
from sonlearn.learn.engine import make_engine
from sonlearn.options import LearnOptions
from sonlearn.options.text import HASHED
from sonlearn.views.index import index_of, intern

if TYPE_CHECKING:
    from sonlearn.learn.learner import Learner


def merged(make: Any, learners: Sequence[Learner], base: Learner | None, threads: int = 1) -> Learner:
    """The merged learner. Arguments are not modified.

    Parameters
    ----------
    make : type
        `Learner`.
    learners : of G learners of the same options
        In the order of their rows: what forgets, forgets the earlier ones' rows more.
    base : Learner or None
        With a copy of which each of them began; None: with nothing. What they have learned since is added to it.
    threads : int
        As in the constructor.

    Raises
    ------
    OptionError
        Learners have other options than the base, have learned less, or their method cannot be merged.
    InputError
        One learner has labels 0 and 1, another -1 and +1; or numbers and names of classes.
    """
    first = learners[0]
    base = base or make(dataclasses.replace(first.options), first.text)
    check_mergeable(learners, base)
    out = make(base.options, first.text, threads=threads)
    for each in learners:
        out.columns.join(each.columns, base.columns)
    every, rows = (base, *learners), [each.examples - base.examples for each in learners]
    index, numbers = index_of(base.index.ids[: base.size]), []
    for each in every:
        found, index = intern(_row_of(each.index.ids[: each.size]), index)
        numbers.append(found.features[: each.size])
    out.index, size = index, int(index.size[0])
    states = [each.engine.packed(each.state) for each in every]
    out.labels.restore(out.labels.merged([each.labels.header() for each in every]))
    for i, own in enumerate([*each.labels.labels] for each in every):
        order = [own.index(label) if label in own else None for label in out.labels.labels]
        states[i] = out.engine.reordered(states[i], order)
    start, *states = [
        out.engine.renumbered(state, Numbers(own, size)) for state, own in zip(states, numbers, strict=True)
    ]
    out.state = out.engine.reserve(out.engine.merge(states, start, rows), NO_ROWS, size)
    out.examples = base.examples + sum(rows)
    out.copy_thresholds(learners[-1])
    return out


def check_mergeable(learners: Sequence[Learner], base: Learner) -> None:
    """Raise OptionError for learners that cannot be merged."""
    texts = (each.text for each in (base, *learners) if each.text.format != "auto")
    if len({text.format in HASHED and text.bits for text in texts}) > 1:
        raise OptionError("learners of other features cannot be merged: indices, or names hashed to other slots (-b)")
    for each in learners:
        if each.options != base.options:
            raise OptionError("learners of other options than the base's cannot be merged")
        if each.examples < base.examples:
            raise OptionError(
                f"a learner of {each.examples} rows did not begin with the base, which has learned {base.examples}"
            )
    if problem := unmergeable(base.options):
        raise OptionError(problem)


def unmergeable(options: LearnOptions) -> str:
    """Return why learners with these options cannot be merged; empty if they can."""
    if options.label_delay:
        return "--label-delay: rows wait for their labels, so that learners cannot be merged"
    named = f"--multinomial {options.multinomial}" if options.multinomial else f"--method {options.method}"
    return "" if make_engine(options).merges else f"{named}: learners of this method cannot be merged"


def _row_of(ids: np.ndarray) -> Batch:
    """One row with these features, to be learned from."""
    one = np.ones(1)
    return Batch(np.array([0, len(ids)]), ids, np.ones(len(ids)), one, one, np.ones(1, np.int64))
