"""All that a learner would save, to be compared bit by bit."""

import itertools

import numpy as np
from streams import rows_of

from sonlearn import Learner


def state_of(learner):
    """(header, copies of the arrays by name) of a learner."""
    header, arrays = learner.to_arrays()
    return header, {name: np.array(array) for name, array in arrays.items()}


def assert_same(one, other):
    """Two states, headers included, are the same."""
    assert one[0] == other[0]
    assert_same_arrays(one[1], other[1])


def same_state(one, other):
    """Two learners would save the same."""
    assert_same(state_of(one), state_of(other))


def assert_same_arrays(one, other):
    """Arrays by name are the same, bit by bit (and NaN like NaN)."""
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def assert_same_predictions(one, other):
    """Two `Predicted`, or parts of them, are the same bit by bit; what neither has is None in both."""
    for a, b in zip(one, other, strict=True):
        if a is None or b is None:
            assert a is None
            assert b is None
        else:
            np.testing.assert_array_equal(a, b)


def check_sight(learner, row):
    """What is predicted of a row, labels arriving, is what learning from it predicts before."""
    what = "scores" if learner.options.several else "raw"
    before, learned = getattr(learner.predict(row, online=True), what), getattr(learner.partial_fit(row), what)
    k = min(before.shape[-1], learned.shape[-1])
    np.testing.assert_allclose(before[..., :k], learned[..., :k], rtol=1e-9, atol=1e-12)


def in_parts(learner, batch, edges):
    """(what is predicted of each part of a batch as it is learned, the learner), written out and read after each."""
    found = []
    for start, stop in itertools.pairwise(edges):
        found.append(learner.partial_fit(rows_of(batch, slice(start, stop))))
        learner = Learner.from_arrays(*state_of(learner))
    return found, learner


def check_saves(options, batch, folder, ends, threads=1, foreseen=True):
    """Rows learned at once, and in parts with a save and a load after each, change no bit; return both learners.

    Parts are learned by so many threads. If `foreseen`, the first row of each is predicted as learning predicts it.
    """
    whole, cut = Learner(options), Learner(options, threads=threads)
    expected, found = whole.partial_fit(batch), []
    for start, stop in itertools.pairwise([0, *ends, batch.n]):
        part = rows_of(batch, slice(start, stop))
        first = cut.predict(part, online=True).raw[0] if foreseen else None
        found.append(cut.partial_fit(part).raw)
        if foreseen:
            np.testing.assert_allclose(first, found[-1][0], rtol=1e-12, atol=1e-15)
        cut.save(folder / "model")
        cut = Learner.load(folder / "model", threads=threads)
    np.testing.assert_array_equal(np.concatenate(found), expected.raw)
    same_state(cut, whole)
    return whole, cut


def check_cuts(through, cut, batch, folder, before=lambda: None):
    """Learners of several classes: batches cut anywhere, saves between them and threads change no bit; return both.

    Nor do rows without a label or a weight, and rows are counted by their classes.
    """
    whole = through.partial_fit(batch)
    before()
    for start, stop in ((0, 1), (1, 3), (3, 3), (3, 61), (61, 62), (62, 118), (118, batch.n)):
        part = cut.partial_fit(rows_of(batch, slice(start, stop)))
        for name in ("prediction", "raw", "loss", "label", "other", "met", "unseen"):
            np.testing.assert_array_equal(getattr(part, name), getattr(whole, name)[start:stop], err_msg=name)
        K = part.scores.shape[1]
        np.testing.assert_array_equal(part.scores, whole.scores[start:stop, :K])
        np.testing.assert_array_equal(part.probabilities, whole.probabilities[start:stop, :K])
        cut.save(folder / "model")
        cut = Learner.load(folder / "model", threads=1 + start % 3)
    same_state(through, cut)
    first = through.predict(batch)
    for one, other in zip(first, cut.predict(batch), strict=True):
        np.testing.assert_array_equal(one, other)
    for i in (0, 77, batch.n - 1):
        np.testing.assert_array_equal(cut.predict(rows_of(batch, [i])).scores[0], first.scores[i])
    cut.partial_fit(batch._replace(y=np.full(batch.n, np.nan)))
    other = np.full(batch.n, 42.0 if cut.options.classes == "auto" else 4.0)
    assert np.isfinite(cut.partial_fit(batch._replace(y=other, weight=np.zeros(batch.n))).loss).all()
    same_state(through, cut)
    learned = batch.y[(batch.weight > 0) & ~np.isnan(batch.y)]
    counts = [facts["examples"] for facts in cut.facts()["classes"]]
    assert counts == [int((learned == label).sum()) for label in cut.classes]
    assert cut.examples == len(learned)
    return through, cut
