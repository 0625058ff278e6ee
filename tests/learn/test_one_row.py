"""Rows one at a time: the bits of the same rows in batches, for every learner that has that way."""

import copy
import pickle

import numpy as np
import pytest
from states import assert_same, same_state, state_of

from sonlearn import Batch, DivergedError, InputError, Learner
from sonlearn.data.batch import joined
from sonlearn.jit.sequence import Sequence
from sonlearn.learn import by_row
from sonlearn.learn.by_row import OneRow
from sonlearn.learn.ensemble import pruning
from sonlearn.views.index import Entries

pytestmark = pytest.mark.interpreted


def stream(n=90, features=1000, seed=0):
    """(ids, values, label, weight): rows of new and known features, the constant -1, zero weights, repeated ids."""
    draw = np.random.default_rng(seed)
    same = Entries(np.array([*range(1, 7), -1]), np.ones(7))
    for i in range(n):
        if i % 3:
            same.values[:-1] = draw.normal(size=6)
            row = same
        else:
            ids = np.append(draw.integers(1, features, draw.integers(0, 12)), -1)
            row = Entries(ids, np.append(draw.normal(size=len(ids) - 1), 1.0))
        y = float(np.sign(row.values.sum() - 1)) or 1.0
        yield row, y, float(draw.integers(0, 3))


def batch_of(row, y, weight):
    values = row.values.copy()
    return Batch(row.indptr, row.ids, values, np.array([y]), np.array([weight]), np.ones(1, np.int64), constant=-1)


def settled(**options):
    """A learner that knows how labels are written, and its one row."""
    learner = Learner(**options)
    label = 0.0 if options.get("loss") == "poisson" else 1.0 if learner.options.several else -1.0
    learner.partial_fit(batch_of(Entries(np.array([-1]), np.ones(1)), label, 1.0))
    return learner


def learned(way, row, y, weight):
    """The raw prediction of a row that is learned, as a batch where its class has not been met."""
    if way.knows(y):
        return way.learn(row, y, weight)
    return way.learner.partial_fit(batch_of(row, y, weight)).scores[0]


@pytest.mark.parametrize(
    "options",
    [
        {"method": "nag"}, {"method": "nag", "loss": "squared", "clip": 1.0},
        {"method": "nag", "loss": "squared", "clip": "labels"},
        {"method": "rfd-son", "sketch_size": 3},
        {"method": "arow", "threshold": 0.7}, {"method": "nag", "threshold": "best-f1"},
        {"method": "nag", "coverage": 0.8}, {"method": "nag", "loss": "squared", "coverage": 0.8},
        {"method": "nag", "loss": "poisson"}, {"method": "multinomial-bayes"}, {"method": "drfd", "sketch_size": 3},
        {"method": "ewma", "decay": 0.1}, {"method": "nag", "classes": "auto"},
        {"method": "nag", "oaa": 3}, {"method": "drfd", "oaa": 2}, {"method": "rfd-son", "classes": "auto"},
        {"method": "nag", "multinomial": 3},
        {"members": ("nag", "arow-precision:tfidf"), "classes": "auto", "coverage": 0.8}, {},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)  # fmt: skip
def test_one_row_is_a_batch_of_one(options, monkeypatch):
    monkeypatch.setattr(by_row, "MIN_ROWS_TO_PREPARE", np.inf)
    one, many = settled(**options), settled(**options)
    assert OneRow.serves(one)
    way = OneRow(one, -1)
    for row, y, weight in stream():
        y = float(y > 0) if options.get("loss") == "poisson" else y
        y = 1.0 + (y > 0) if one.options.several else y
        expect = many.predict(batch_of(row, np.nan, 1.0), online=True)
        np.testing.assert_array_equal(way.raw(row), expect.scores[0])
        found, expect = learned(way, row, y, weight), many.partial_fit(batch_of(row, y, weight))
        np.testing.assert_array_equal(found, expect.scores[0])
    same_state(one, many)


@pytest.mark.parametrize("method", ["full-on", "ridge", "ada-full", "metagrad"])
def test_whole_matrices_too(method):
    loss = "squared" if method == "ridge" else "logistic"
    batch = joined([batch_of(*row) for row in stream(40, 30)])
    one, many = Learner(method=method, loss=loss), Learner(method=method, loss=loss)
    alone = [one.partial_fit(batch.part(i, i + 1)).raw[0] for i in range(batch.n)]
    np.testing.assert_array_equal(alone, many.partial_fit(batch).raw)
    assert np.abs(alone[20:]).max() > 1e-6


#: Every kind of view, and every engine that says what it does in calls (`Engine.calls`), with and without forgetting;
#: and one that does not, rfd-son.
MEMBERS = {
    "logistic": ("nag", "nag:zs~0.01", "drfd:lunit", "arow-precision:odds", "multinomial-bayes:log~0.02", "nag:bins-z",
                 "nag:triples", "arow-precision:neighbours", "drfd:zs-all", "ewma~0.1", "boost", "rfd-son:tfidf"),
    "squared": ("nag", "drfd:zs", "nlms:zs", "nag:pairs-z~0.01", "ridge:ranges", "boost", "ewma~0.1"),
    "classes": ("nag", "nag:zs~0.01", "arow-precision:tfidf", "arow-precision:bins-z", "arow-precision:pairs~0.01",
                "multinomial-bayes:log", "rls:fourier-few", "shares~0.1", "boost"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize(
    "options",
    [
        {"method": "nag"}, {"method": "rfd-son", "sketch_size": 3, "threshold": "best-f1", "loss": "logistic"},
        {"method": "nag", "classes": "auto"}, {"method": "nag", "multinomial": 3, "classes": "auto"},
        {"members": ("nag", "drfd:lunit", "nag~0.1"), "coverage": 0.8},
        {"members": ("nag", "arow-precision:tfidf"), "classes": "auto"},
    ],
    ids=lambda options: " ".join(map(str, options.values())),
)  # fmt: skip
def test_batches_of_one_row_are_as_other_batches(options, monkeypatch):
    """With offsets, a new class, a row that is refused; batches and online predictions between."""
    kinds = ("no", "yes", "late") if "classes" in options else ("no", "yes")
    one, many, alone, learn = Learner(**options), Learner(**options), [], by_row.EngineByRow.learn
    monkeypatch.setattr(by_row.EngineByRow, "learn", lambda own, *given: alone.append(own) or learn(own, *given))
    for i, (row, y, weight) in enumerate(stream(80)):
        batch = batch_of(row, np.nan, weight)
        label = kinds[2] if i > 50 and i % 5 == 0 and len(kinds) == 3 else kinds[y > 0]
        batch = batch._replace(class_names=[label], base=np.array([0.5 * (i % 4 == 1)]))
        if i % 20 == 15:
            batch = joined([batch, batch])
        if i == 30:
            batch.values[:] = 1e200
        found = []
        for learner, few in ((one, 2), (many, np.inf)):
            monkeypatch.setattr(by_row, "MIN_ROWS_TO_PREPARE", few)
            before = learner.predict(batch, online=True).scores if i % 8 == 3 else np.zeros(0)
            found.append((before, learner.partial_fit(batch, skip=True)))
        (before, own), (expect_before, expect) = found
        np.testing.assert_array_equal(before, expect_before)
        for name, value in own._asdict().items():
            np.testing.assert_array_equal(value, getattr(expect, name), err_msg=name)
    assert len(alone) > 50
    assert set(map(id, alone)) == {id(one._alone)}
    assert one.refused_rows == many.refused_rows == 1
    same_state(one, many)


def test_nothing_is_prepared_for_a_row_that_brings_a_class(monkeypatch):
    """The next row would find scores of one class more, and all would be prepared anew."""
    monkeypatch.setattr(by_row, "MIN_ROWS_TO_PREPARE", 2)
    one, prepared, run = settled(members=("nag",), classes="auto"), [], by_row.EngineByRow.run
    monkeypatch.setattr(by_row.EngineByRow, "run", lambda own, *given: prepared.append(i) or run(own, *given))
    for i, (row, _, weight) in enumerate(stream(30)):
        one.partial_fit(batch_of(row, 5.0 + i // 3, 1.0 + weight))
    assert prepared == [i for i in range(30) if i % 3 > 0]


@pytest.mark.parametrize("problem", MEMBERS)
@pytest.mark.parametrize("numbers", [pytest.param(True, marks=pytest.mark.compiled), False])
def test_a_committee_learns_rows_one_by_one_as_in_batches(problem, numbers, monkeypatch):
    """The same bits of predictions and of the model, while tables grow, a view sets in or goes, and members are pruned.

    Every seventh row is predicted beforehand, with features that nobody knows, and one is learned as a batch. Of
    several classes some turn up late.
    """
    sooner = {"first": 30, "checkpoints": (60, 95), "rarer": 10}
    of_classes = sooner | {"words_after": 20, "price": 0.2}
    monkeypatch.setattr(pruning, "TWO_RULES", pruning.TWO_RULES._replace(**sooner))
    monkeypatch.setattr(pruning, "VALUE_RULES", pruning.VALUE_RULES._replace(**sooner | {"rarer": 0}))
    monkeypatch.setattr(pruning, "CLASS_RULES", pruning.CLASS_RULES._replace(**of_classes))
    options = {"members": MEMBERS[problem]}
    options |= {"classes": "auto"} if problem == "classes" else {"loss": problem, "sketch_size": 3}
    one, many = settled(**options), settled(**options)
    way, batches, got, known, draw = OneRow(one, -1), [], [], [], np.random.default_rng(1)
    for i, (row, y, weight) in enumerate(stream(130, features=60)):
        if numbers and i % 3 == 0:
            continue
        if problem != "logistic":
            y = 100.0 + 3.0 * row.values.sum()
        if problem == "classes":
            y = float(np.clip((y - 90.0) // 5.0, 0, 1 + i // 30))
        batches.append(batch_of(row, y, weight))
        if i % 7 == 0:
            asked = Entries(np.append(row.ids[:-1], [999, -1]), np.append(row.values[:-1], [0.5, 1.0]))
            found = one.copy().predict(batch_of(asked, np.nan, 1.0), online=True).scores[0]
            np.testing.assert_array_equal(way.raw(asked), found)
        raw = one.partial_fit(batches[-1]).scores[0] if i == 50 else learned(way, row, y, weight)
        got += np.ravel(raw).tolist()
        known.append(np.size(raw))
    expect, at = [], 0
    while at < len(batches):
        n = int(draw.integers(1, 40))
        found = many.partial_fit(joined(batches[at : at + n]))
        expect += [score for k, row in enumerate(found.scores) for score in row[: known[at + k]].tolist()]
        at += n
    np.testing.assert_array_equal(got, expect)
    assert 1 < sum(member["active"] for member in one.facts()["members"]) < len(MEMBERS[problem])
    same_state(one, many)


@pytest.mark.parametrize("options", [{}, {"multinomial": 3}])
@pytest.mark.parametrize(("method", "once_more"), [("nag", False), ("rfd-son", True)])
def test_the_learners_of_classes_make_one_sequence(options, method, once_more, monkeypatch):
    """Where they only call kernels: of ten classes a row took 25 times as long, with softmax ten times."""
    one = settled(method=method, classes="auto", **options)
    way, learned_before, learn = OneRow(one, -1), [], type(one.engine).learn
    rows = [row for row, _, _ in stream(40)]
    for i, row in enumerate(rows):
        if i == 20:
            monkeypatch.setattr(type(one.engine), "learn", lambda *given: learned_before.append(1) or learn(*given))
        learned(way, row, float(i % 3), 1.0)
    assert len(learned_before) == 20 * once_more


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
@pytest.mark.parametrize("options", [{"members": ("nag", "drfd:lunit")}, {"method": "nag", "loss": "squared"}], ids=str)
def test_a_row_is_refused_as_in_a_batch(options):
    one = settled(**options)
    way, rows = OneRow(one, -1), [row for row, _, _ in stream(9)]
    for row in rows[:5]:
        way.learn(row, 1.0, 1.0)
    wild, before = Entries(np.array([1, -1]), np.array([1e200, 1.0])), state_of(one)
    with pytest.raises(DivergedError, match="<memory>:1"):
        way.learn(wild, 1.0, 1.0)
    assert_same(state_of(one), before)
    way.learn(rows[6], -1.0, 1.0)
    assert one.examples == 7


@pytest.mark.parametrize("options", [{"label_delay": 2}, {"oaa": 3}, {"loss": "logistic"}])
def test_what_needs_more_than_an_engine_goes_as_a_batch(options):
    """Of two classes, labels may be 0 and 1, or words, until a batch has come; of several one has to be known."""
    assert not OneRow.serves(Learner(method="nag", **options))


def test_counts_are_not_negative():
    one = Learner(method="nag", loss="poisson")
    with pytest.raises(InputError, match="<memory>:1"):
        OneRow(one, -1).learn(Entries(np.array([1, -1]), np.ones(2)), -1.0, 1.0)
    assert one.examples == 0


@pytest.mark.parametrize("method", ["nag", "committee"])
def test_learners_that_have_learned_and_predicted_are_copied_and_pickled(method):
    one = settled(method=method)
    way = OneRow(one, -1)
    rows = list(stream(12))
    for row, y, weight in rows:
        way.learn(row, y, weight)
    one.predict(batch_of(*rows[0]))
    others = [copy.deepcopy(one), pickle.loads(pickle.dumps(one))]
    for row, y, weight in rows:
        expect = way.learn(row, y, weight)
        for other in others:
            assert other.partial_fit(batch_of(row, y, weight)).raw[0] == expect


def test_a_sequence_stops_at_the_call_that_is_not_done():
    from sonlearn.jit.decorators import Kernel
    from sonlearn.jit.settings import faststart_is_on
    from sonlearn.learn.ensemble.by_row import copy_one
    from sonlearn.views.view import fits

    count, other, third = np.array([3]), np.zeros(1, np.int64), np.zeros(1, np.int64)
    calls = [(copy_one, (count, other)), (fits, (count, 4)), (copy_one, (other, third))]
    sequence = Sequence(calls)
    assert (sequence._run is not None) == (isinstance(copy_one, Kernel) and faststart_is_on())
    assert sequence.run(0) == 3
    assert third[0] == 3
    count[0] = 5
    assert sequence.run(0) == 1
    assert (other[0], third[0]) == (5, 3)
    sequence.replace(1, [(fits, (count, 5))])
    assert sequence.run(1) == 3
    assert third[0] == 5
