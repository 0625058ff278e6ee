"""A committee of rows in parts: members see the columns or the words as if there were nothing else in the row."""

import itertools

import numpy as np
import pytest
from states import check_sight, same_state

from sonlearn import Batch, Learner, LearnOptions
from sonlearn.data.batch import joined
from sonlearn.options.members import default_members, member, word_members
from sonlearn.options.views import COLUMNS, ROW, VIEWS, WORDS

CONSTANT = -1
KINDS = {"two": {"loss": "logistic"}, "values": {"loss": "squared"}, "several": {"classes": "auto"}}
kinds = pytest.mark.parametrize("kind", KINDS)


def table(n=300, kind="two", without="", seed=0):
    """Rows of five numbers, a category of ever more values (ids below 1,000), and words (ids from 1,000 on)."""
    rng, rows, labels = np.random.default_rng(seed), [], []
    for i in range(n):
        numbers = rng.normal(size=5).round(2)
        columns = dict(enumerate(numbers.tolist(), 1)) | {10 + int(rng.integers(0, 3 + i // 20)): 1.0}
        words = dict.fromkeys((1000 + rng.zipf(1.4, rng.integers(1, 12)) % 5000).tolist(), 1.0)
        score = numbers[0] * numbers[1] + numbers[2] + (1001 in words) - 0.5
        of_kind = {"two": 1.0 if score > 0 else -1.0, "values": 10 + score, "several": 1.0 + min(abs(score) // 1, 2.0)}
        labels.append(of_kind[kind])
        rows.append((columns if without != COLUMNS else {}) | (words if without != WORDS else {}) | {CONSTANT: 1.0})
    ids = np.array([id for row in rows for id in row], np.int64)
    values = np.array([x for row in rows for x in row.values()])
    return Batch(
        np.cumsum([0, *map(len, rows)]), ids, values, np.array(labels), np.ones(n), np.arange(1, n + 1),
        marks=(ids >= 1000).astype(np.uint8),
    )  # fmt: skip


def learned(batch, cuts=(), learner=None, **given):
    learner = learner or Learner(LearnOptions(**given))
    for a, b in itertools.pairwise([0, *cuts, batch.n]):
        learner.partial_fit(batch.part(a, b))
    return learner


def part_of(name, kind):
    loss, several = KINDS[kind].get("loss", "logistic"), kind == "several"
    return VIEWS[member(name, loss, several).view].part


def json_object(kind):
    loss, several = KINDS[kind].get("loss", "logistic"), kind == "several"
    return [*default_members(loss, several=several), *(each.name for each in word_members(loss, several))]


@kinds
def test_a_member_sees_the_part_that_is_its_own(kind):
    """Bit by bit what it makes of rows that have nothing else, also where their features have other numbers."""
    names = [name for name in json_object(kind) if part_of(name, kind) != ROW and ":stacked" not in name]
    whole = learned(table(kind=kind), members=tuple(names), prune=False, **KINDS[kind])
    assert whole.state.now["in_parts"][0] == 1
    found = whole.contributions(table(40, kind, seed=1), 0 if kind == "several" else None)
    compared = 0
    for part, other in ((COLUMNS, WORDS), (WORDS, COLUMNS)):
        own = tuple(name for name in names if part_of(name, kind) == part)
        alone = learned(table(kind=kind, without=other), members=own, prune=False, **KINDS[kind])
        assert alone.state.now["in_parts"][0] == 0
        apart = alone.contributions(table(40, kind, other, seed=1), 0 if kind == "several" else None)
        for j, name in enumerate(apart.names):
            own = found.predictions[:, found.names.index(name)]
            np.testing.assert_array_equal(own, apart.predictions[:, j], err_msg=name)
            compared += 1
    assert compared >= 9


@kinds
@pytest.mark.parametrize("without", [COLUMNS, WORDS])
def test_rows_of_one_part_are_seen_as_ever(kind, without):
    """Whether the reader says what is a word or not; members for words alone are neither at work nor named.

    Rows kept for copies at rest, of which there is none yet, have what the reader says.
    """
    batch = table(250, kind, without)
    told, plain = learned(batch, **KINDS[kind]), learned(batch._replace(marks=None), **KINDS[kind])
    same_state(told, plain)
    assert not told.state.active[told.engine.of_words].any()
    assert not any(f":{WORDS}-" in own["name"] for own in told.facts()["members"])


def test_words_that_begin_behind_a_checkpoint_of_their_batch_have_room():
    """Members were pruned there, and nobody sees any more what these saw."""
    batch, given = joined([table(520, "several", WORDS), table(80, "several")]), KINDS["several"]
    one, cut = learned(batch, **given), learned(batch, (520,), **given)
    same_state(one, cut)
    assert one.state.now["in_parts"][0] == 1
    assert not one.state.active[~one.engine.of_words].all()


@kinds
def test_where_batches_are_cut_and_models_stored_changes_no_bit(kind):
    """Also where the first rows have one part only."""
    first, rest = table(20, kind, WORDS), table(kind=kind)
    one, cut = learned(first, **KINDS[kind]), learned(first, (3, 11), **KINDS[kind])
    before = learned(rest.part(0, 1), learner=cut.copy())
    one, cut = learned(rest, learner=one), learned(rest.part(1, rest.n), (5, 100, 101), before.copy())
    same_state(one, cut)
    assert one.state.now["in_parts"][0] == 1
    assert any(f":{WORDS}-" in own["name"] for own in one.facts()["members"])


@kinds
def test_a_prediction_sees_the_row_that_learning_sees(kind):
    """With ever new words and categories."""
    rows, learner = table(kind=kind), Learner(LearnOptions(**KINDS[kind]))
    learner.partial_fit(rows.part(0, 1))
    for i in range(1, 60):
        check_sight(learner, rows.part(i, i + 1))


@kinds
def test_learners_of_partitions_are_merged(kind):
    batch = table(600, kind)
    base = learned(batch.part(0, 100), **KINDS[kind])
    parts = [learned(batch.part(a, a + 250), learner=base.copy()) for a in (100, 350)]
    merged, asked = Learner.merge(parts, base), table(200, kind, seed=1)
    assert merged.state.now["in_parts"][0] == 1
    assert merged.state.active[merged.engine.of_words].any()
    losses = [np.nanmean(each.predict(asked).loss) for each in (merged, base)]
    assert losses[0] < losses[1]
    same_state(merged, Learner.merge(parts, base))
    learned(batch, learner=merged)  # and it goes on


def test_a_late_second_part_leaves_rows_whole():
    text = table(1100, without=COLUMNS)
    learner = learned(text, members=("nag", "nag:words-tfidf"))
    learned(table(50), learner=learner)
    assert learner.state.now["in_parts"][0] == 0
    learner = learned(text.part(0, 900), members=("nag", "nag:words-tfidf"))
    learned(table(50), learner=learner)
    assert learner.state.now["in_parts"][0] == 1


def test_parts_of_dates_are_in_order_row_by_row_as_well():
    """The way for one row has what readers tell of its entries: the same bits."""
    rows = [(i % 24, i // 24 % 7, float(i % 5)) for i in range(150)]
    ids = np.array([id for hour, day, _ in rows for id in (100 + hour, 200 + day, 1)])
    marks = np.array([mark for hour, day, _ in rows for mark in (64 + 34 + hour, 128 + 2 + day, 0)], np.uint32)
    values = np.array([x for *_, value in rows for x in (1.0, 1.0, value)])
    y = np.array([float(hour > 12) * value for hour, _, value in rows])
    batch = Batch(3 * np.arange(151), ids, values, y, np.ones(150), np.arange(150) + 1, marks=marks)
    given = {"loss": "squared", "members": ("boost:columns", "nag"), "prune": False}
    whole, single = learned(batch, **given), learned(batch, range(1, 150), **given)
    same_state(whole, single)
    assert not np.array_equal(whole.predict(batch).raw, learned(batch._replace(marks=None), **given).predict(batch).raw)
