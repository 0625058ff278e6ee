"""The estimators for River: its own checks, and that they learn what the command line learns from the same text."""

import copy
import datetime
import io
import math
import pickle
import re
import sys

import numpy as np
import pytest
from for_all import for_all

pytest.importorskip("river", reason="needs the extra river")

from river.checks import yield_checks

from sonlearn import DivergedError, InputError, Learner, LearnOptions, TextOptions, read_batches
from sonlearn.river import SonlearnClassifier, SonlearnRegressor, batch_of
from sonlearn.text.hashing import hash_bytes

TEXT = TextOptions(format="vw", bits=32)
MODELS = {
    "classes": SonlearnClassifier(method="nag"),
    "two classes": SonlearnClassifier(method="nag", classes=(False, True)),
    "hinge": SonlearnClassifier(method="arow", loss="hinge"),
    "committee": SonlearnClassifier(classes=(False, True)),
    "values": SonlearnRegressor(),
    "second order": SonlearnRegressor(method="drfd"),
}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", MODELS)
def test_rivers_checks(name):
    for library in ("pandas", "sklearn"):  # River's datasets and checks use them
        pytest.importorskip(library, reason=f"needs {library}")

    @for_all("check", yield_checks(MODELS[name]))
    def passed(check):
        check(MODELS[name].clone())

    passed()


def stream(n=120, seed=0):
    """(features, whether they are good): numbers, texts, booleans and names that are numbers."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        size, colour, fresh = round(rng.normal(), 3), ["red", "green", "blue"][rng.integers(3)], bool(rng.integers(2))
        yield {"size": size, "colour": colour, "fresh": fresh, 7: 1.5}, bool(size + (colour == "red") - fresh > 0)


def line(x, label=""):
    def feature(name, value):
        return f"{name}:{value if isinstance(value, str) else float(value)!r}"

    return f"{label} | " + " ".join(feature(name, value) for name, value in x.items()) + "\n"


def batch(text):
    return next(iter(read_batches([io.BytesIO(text.encode())], TEXT)))


def test_dicts_are_lines_of_vw_text():
    rows, learner, ours = list(stream()), Learner(LearnOptions(method="nag"), TEXT), SonlearnClassifier(method="nag")
    learner.partial_fit(batch("".join(line(x, 1 if y else -1) for x, y in rows)))
    for x, y in rows:
        ours.learn_one(x, y)
    expect = learner.predict(batch("".join(line(x) for x, _ in rows))).raw
    proba = [ours.predict_proba_one(x)[True] for x, _ in rows]
    np.testing.assert_allclose(proba, 1 / (1 + np.exp(-expect)), rtol=1e-9)
    assert not ours.learner_.options.several
    assert np.mean([ours.predict_one(x) == y for x, y in rows]) > 0.8


def test_values_are_those_of_the_learner():
    learner = Learner(LearnOptions(method="nag", loss="squared"), TEXT)
    ours = SonlearnRegressor(method="nag")
    for x, _ in stream():
        y, found = 3 * x["size"] + 1, ours.predict_one(x)
        assert found == pytest.approx(learner.partial_fit(batch(line(x, y))).prediction[0], abs=1e-9)
        ours.learn_one(x, y)


@pytest.mark.parametrize("model", [SonlearnClassifier(), SonlearnRegressor()], ids=["classes", "values"])
def test_default_methods_in_batches_equal_one_by_one(model):
    """The committee, of which River's checks are too many for every run."""
    rows = list(stream(60))
    one, many = model.clone(), model.clone()
    for x, y in rows:
        one.learn_one(x, y)
    for start in range(0, 60, 17):
        part = rows[start : start + 17]
        many.learn_many([x for x, _ in part], [y for _, y in part])
    again = pickle.loads(pickle.dumps(many))
    for x, _ in rows[:10]:
        assert one.predict_one(x) == many.predict_one(x) == again.predict_one(x)
        if isinstance(model, SonlearnClassifier):
            assert one.predict_proba_one(x) == many.predict_proba_one(x) == again.predict_proba_one(x)


def test_classes_turn_up_as_the_stream_goes_on():
    rows = [({"a": 1.0}, "tea"), ({"b": 1.0}, "cup"), ({"a": 1.0}, "tea"), ({"c": 2.0}, "pot"), ({"b": 1.0}, "cup")]
    one, many = SonlearnClassifier(method="nag"), SonlearnClassifier(method="nag")
    assert one.predict_one({"a": 1.0}) is None
    assert one.predict_proba_one({"a": 1.0}) == {}
    for x, y in rows:
        one.learn_one(x, y)
        assert y in one.predict_proba_one(x)
        assert math.isclose(sum(one.predict_proba_one(x).values()), 1.0)
    many.learn_many([x for x, _ in rows], [y for _, y in rows])
    # a class that comes late has lost nothing
    expect = {}
    for name in ["tea", "cup", "pot"]:
        learner = Learner(LearnOptions(method="nag"), TEXT)
        learner.partial_fit(batch("".join(line(x, 1 if y == name else -1) for x, y in rows)))
        expect[name] = learner.predict(batch("| c:2\n")).raw[0]
    p = {name: 1 / (1 + math.exp(-raw)) for name, raw in expect.items()}
    for model in (one, many):
        assert model.predict_proba_one({"c": 2.0}) == pytest.approx({n: v / sum(p.values()) for n, v in p.items()})
        assert model.predict_one({"c": 2.0}) == max(expect, key=expect.get)


@pytest.mark.parametrize("method", ["nag", "committee"])
def test_a_class_is_there_once_it_is_learned(method):
    late, most = SonlearnClassifier(method=method, label_delay=2), SonlearnClassifier(method=method, max_classes=2)
    known = []
    for label in "aaabbb":
        found = late.predict_proba_one({"x": 1})
        assert late.predict_one({"x": 1}) == max(found, key=found.get, default=None)
        known.append("".join(found))
        late.learn_one({"x": 1}, label)
    assert known == ["", "", "", "a", "a", "a"]
    assert list(late.predict_proba_one({"x": 1})) == ["a", "b"]
    with pytest.raises(InputError, match="the most that there can be"):
        most.learn_many([{"x": 1}] * 3, ["a", "b", "c"])
    assert list(most.predict_proba_one({"x": 1})) == ["a", "b"]


@pytest.mark.parametrize("classes", [("ham", "tea"), ("ham", "spam", "tea")])
def test_classes_told_beforehand_are_all_there_at_once(classes):
    ours = SonlearnClassifier(method="nag", classes=classes)
    assert ours.predict_proba_one({"a": 1}) == pytest.approx(dict.fromkeys(classes, 1 / len(classes)))
    ours.learn_one({"a": 1}, "tea")
    *others, tea = ours.predict_proba_one({"a": 1}).values()
    assert len({*others}) == 1
    assert others[0] < tea
    assert ours.predict_one({"a": 1}) == "tea"
    assert ours.learner_.options.oaa == (3 if len(classes) > 2 else None)
    with pytest.raises(InputError, match="one of the classes 'ham'"):
        ours.learn_one({"a": 1}, "cup")


def test_a_class_of_a_row_without_weight_is_not_met():
    ours = SonlearnClassifier(method="nag")
    ours.learn_one({"a": 1}, "tea")
    ours.learn_one({"b": 1}, "cup", w=0.0)
    assert list(ours.predict_proba_one({"b": 1})) == ["tea"]
    ours.learn_one({"b": 1}, "pot")
    assert list(ours.predict_proba_one({"b": 1})) == ["tea", "pot"]


def test_importance():
    thrice, once = SonlearnRegressor(method="sgd"), SonlearnRegressor(method="sgd")
    once.learn_one({"a": 1.0}, 1.0, w=0.2)
    thrice.learn_one({"a": 1.0}, 1.0, w=0.4)
    assert thrice.predict_one({"a": 1.0}) == pytest.approx(2 * once.predict_one({"a": 1.0}))
    thrice.learn_one({"b": 1.0}, 1.0, w=0.0)
    assert thrice.predict_one({}) == pytest.approx(2 * once.predict_one({}))


@pytest.mark.parametrize("weight", [-5, -1e-9, math.nan, math.inf, "2", None])
@pytest.mark.parametrize(
    "model", [SonlearnClassifier(), SonlearnClassifier(method="nag"), SonlearnRegressor(method="nag")]
)
def test_a_weight_that_is_none_is_refused_and_nothing_learned(model, weight):
    ours, other = model.clone(), model.clone()
    for each in (ours, other):
        each.learn_one({"a": 1.0}, True)
    found = "a number as weight" if weight in (None, "2") else "a finite number, 0 or more"
    with pytest.raises(InputError, match=found):
        ours.learn_one({"a": 1.0}, True, w=weight)
    assert pickle.dumps(ours.learner_.to_arrays()) == pickle.dumps(other.learner_.to_arrays())


NO_LABELS = (math.nan, math.inf, -math.inf, "tea", "3", b"3", None, [1.0], np.complex128(2), 10**400)
NO_NUMBERS = (math.inf, -math.inf, [1], b"2", 10**400, bytearray(b"2"), np.complex128(2), np.complex64(2))


@for_all("value, label", [*((2.0, label) for label in NO_LABELS), *((value, 1.0) for value in NO_NUMBERS)])
def test_what_is_no_value_is_refused(value, label):
    ours, of_label = SonlearnRegressor(method="nag"), label != 1.0
    with pytest.raises(
        InputError, match="found label .*, expected a" if of_label else "'tea'.*a finite number or a text"
    ):
        ours.learn_one({"cup": 1.0, "tea": value}, label)
    assert ours.predict_one({"cup": 1.0}) == 0.0


def test_what_is_wrong_is_told_in_a_short_line():
    for model in (SonlearnClassifier(method="nag"), SonlearnRegressor(method="nag")):
        with pytest.raises(ValueError, match="1 labels"):
            model.learn_many([{"a": 1}, {"a": 2}], [True])
    ours = SonlearnClassifier(method="nag")
    for label, told in (([1], r"\[1\]"), (([1],), r"\(\[1\],\)"), (np.zeros(1, "m8")[0], r"np.timedelta64\(0\)")):
        with pytest.raises(InputError, match=rf"1: found label {told}, expected a class: a text or a number$"):
            ours.learn_one({"a": 1.0}, label)
    with pytest.raises(InputError, match=r"^.{,130}$"):
        ours.learn_one({"a": 10**400}, 1)


def test_what_pandas_has_is_told_in_a_line(pandas):
    series = pandas.Series([1.0, 2.0])
    for ours, x, y in (
        (SonlearnClassifier(method="nag"), {"a": series}, 1), (SonlearnClassifier(method="nag"), {"a": 1.0}, pandas.NA),
        (SonlearnRegressor(method="nag"), {"a": 1.0}, series), (SonlearnRegressor(method="nag"), {"a": 1.0}, pandas.NA),
    ):  # fmt: skip
        with pytest.raises(InputError) as refused:
            ours.learn_one(x, y)
        assert ("found" in str(refused.value), "\n" in str(refused.value)) == (True, False)


@pytest.mark.parametrize("label", [None, math.nan, np.float64("nan")])
def test_a_missing_label_is_no_class(label):
    ours = SonlearnClassifier(method="nag")
    for number in range(3):
        with pytest.raises(InputError, match=r"1: found label (None|nan), expected a class; leave out rows"):
            ours.learn_one({"a": 1.0}, label)
        ours.learn_one({"a": 1.0}, number)
        assert list(ours.predict_proba_one({"a": 1.0})) == list(range(number + 1))


@pytest.mark.parametrize("x", ["cheap tea", ["tea"], None])
def test_what_is_no_dict_is_refused(x):
    ours = SonlearnClassifier(method="nag", classes=(0, 1))
    for _ in range(2):  # before and after the first row
        for call in (lambda: ours.learn_one(x, 1), lambda: ours.learn_many([x], [1])):
            with pytest.raises(InputError, match=re.escape(repr(str(x))) + r" \(\w+\), expected a dict of features"):
                call()
        ours.learn_one({"tea": 1.0}, 1)
    with pytest.raises(InputError, match="expected a dict of features"):
        ours.predict_one(x)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables(library, pandas):
    frames = pytest.importorskip(library, reason=f"needs {library}")
    table = frames.DataFrame({"a": [1.0, None, 2.0], "b": ["x", "y", None]})
    labels, rows = [True, False, True], [{"a": 1.0, "b": "x"}, {"a": None, "b": "y"}, {"a": 2.0, "b": None}]
    one, many = SonlearnClassifier(method="nag"), SonlearnClassifier(method="nag")
    many.learn_many(table, frames.Series(labels))
    for x, y in zip(rows, labels, strict=True):
        one.learn_one(x, y)
    assert many.predict_many(table).tolist() == [one.predict_one(x) for x in rows]
    assert many.predict_proba_many(table).to_dict("records") == [one.predict_proba_one(x) for x in rows]
    arrow = pytest.importorskip("pyarrow").Table.from_pylist(rows)
    lazy = getattr(table, "lazy", lambda: table)()  # of polars
    for each in (arrow, arrow.to_batches()[0], arrow.to_reader(), lazy):
        assert many.predict_many(each).tolist() == many.predict_many(rows).tolist()


def test_tables_without_pandas(monkeypatch):
    """River needs no pandas; what would be a series is a list then."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    rows = [{"a": 1.0}, {"a": -1.0}]
    model, values = SonlearnClassifier(method="nag"), SonlearnRegressor(method="nag")
    model.learn_many(rows, [True, False])
    values.learn_many(rows, [1.0, 2.0])
    assert model.predict_many(rows) == [model.predict_one(x) for x in rows]
    assert model.predict_proba_many(rows) == [model.predict_proba_one(x) for x in rows]
    assert values.predict_many(rows) == [values.predict_one(x) for x in rows]


@pytest.mark.parametrize("value", [None, math.nan, "NA", "NaT"])
def test_a_missing_value_is_a_feature_that_says_so(value, pandas):
    """In a dict, in a list of dicts and in a table: the text of the feature is empty."""
    slot = hash_bytes(b"", hash_bytes(b"tea"))
    if isinstance(value, str):
        value = getattr(pytest.importorskip("pandas", reason="needs pandas"), value)
    one = batch_of([{"tea": value, "cup": 2.0}], [1.0], 1.0, 32, False)
    assert dict(zip(one.indices.tolist(), one.values.tolist(), strict=True)) == {slot: 1.0, hash_bytes(b"cup"): 2.0}
    rows = [{"tea": "x" if i % 3 else None, "cup": math.nan if i % 2 else float(i)} for i in range(40)]
    y = [i % 3 == 0 for i in range(40)]
    ours, many, table = (SonlearnClassifier(method="nag", classes=(False, True)) for _ in range(3))
    for row, label in zip(rows, y, strict=True):
        ours.learn_one(row, label)
    many.learn_many(rows, y)
    table.learn_many(pandas.DataFrame(rows), pandas.Series(y))
    probabilities = [list(each.predict_proba_many(rows)[True]) for each in (ours, many, table)]
    assert probabilities[0] == probabilities[1] == probabilities[2]
    assert ours.predict_proba_one({"tea": None})[True] > 0.5 > ours.predict_proba_one({"tea": "x"})[True]


@pytest.mark.parametrize("constant", [True, False])
@pytest.mark.parametrize("bits", [32, 3])
def test_one_by_one_is_a_batch_whatever_a_row_holds(constant, bits):
    """Numbers of any type, zeros, texts, missing values, names that are equal and not the same, no feature at all."""
    draw = np.random.default_rng(3)
    rows = []
    for i in range(80):
        a, b, c = draw.normal(size=3).tolist()
        kinds = [
            {"a": a, "b": b, "c": c}, {"a": a, "b": 0.0, "c": i % 2}, {"c": c, "b": b, "a": a},
            {"a": np.float64(a), "b": 1}, {"a": a, "b": "red"},
            {"a": None, "b": math.nan, "c": True}, {1: a, 2: b}, {True: a, 2: b}, {}, {"a": a},
            {"a": np.float32(a), "b": np.bool_(True)}, {"a": 2**70, "b": 2**53 + 1},
        ]  # fmt: skip
        rows.append((kinds[i % len(kinds)], bool(draw.integers(2))))
    made = {"method": "nag", "constant": constant, "bits": bits, "class_weight": {True: 2.0}}
    one, many = SonlearnClassifier(**made), SonlearnClassifier(**made)
    values, of_values = (SonlearnRegressor(method="nag", bits=bits, constant=constant) for _ in range(2))
    for i, (x, y) in enumerate(rows):
        w = (1.0, 2, 0.0)[i % 3]
        assert one.predict_one(x) == many.predict_many([x])[0]
        one.learn_one(x, y, w=w)
        many.learn_many([x], [y], w=[w])
        table = many.predict_proba_many([x])  # without pandas a list
        assert [one.predict_proba_one(x)] == (table if isinstance(table, list) else table.to_dict("records"))
        assert values.predict_one(x) == of_values.predict_many([x])[0]
        values.learn_one(x, (1, 2.5, True)[i % 3], w=w)
        of_values.learn_many([x], [(1, 2.5, True)[i % 3]], w=w)
    for each in (values, of_values):  # finite, though their sum is not
        with pytest.raises(DivergedError):
            each.learn_one({"a": 1e308, "b": 1e308}, 1.0)
    for ours, other in ((one, many), (values, of_values)):
        assert pickle.dumps(ours.learner_.to_arrays()) == pickle.dumps(other.learner_.to_arrays())


def test_rows_of_texts_keep_the_buffers_of_one_row():
    """Made anew for each row they took twenty times as long as the row."""
    model, buffers = SonlearnRegressor(method="nag"), []
    for i in range(6):
        model.learn_one({"a": i, "b": "xyz"[i % 3]}, i % 3)
        buffers += model.__dict__.get("_buffers", [None])[:1]
    assert all(each is buffers[1] is not None for each in buffers[1:])


DAYS = [
    {"at": datetime.datetime(2024, 3, 1 + i % 31, i % 24, 5), "day": datetime.date(2024, 1 + i % 12, 7), "x": i % 5 - 2,
     "clock": datetime.time(i % 24, 30), "say": ["Green tea, black tea", "a cup", "tea"][i % 3], "kind": "ab"[i % 2]}
    for i in range(60)
]  # fmt: skip


def test_dates_and_words_are_those_of_json():
    """Features and their marks; of a row of several parts the order is that of the slots. Zones do not count."""
    options, utc = TextOptions(format="json", bits=32, chain_hash=True, text=("say",)), datetime.UTC
    zoned = [x | {"at": x["at"].replace(tzinfo=utc), "clock": x["clock"].replace(tzinfo=utc)} for x in DAYS[:3]]
    rows = [*DAYS, *zoned, *({"at": np.datetime64("2024-03-31T13:05", unit), "x": 2.0} for unit in ("ns", "m"))]
    expect = next(iter(read_batches(rows, options)))
    found = batch_of(rows, None, 1.0, 32, True, ("say",))
    assert (found.marks == 1).any()
    assert (found.marks > 1).any()
    for i in range(len(rows)):
        own, other = (batch.part(i, i + 1) for batch in (found, expect))
        pairs = [sorted(zip(part.indices, part.values, part.marks, strict=True)) for part in (own, other)]
        assert pairs[0] == pairs[1]
    with pytest.raises(InputError, match=r"for the feature 'at', expected a finite number"):
        batch_of([{"at": np.timedelta64(5, "ns")}], None, 1.0, 32, True)


@pytest.mark.parametrize("text", [(), ("say",)])
def test_rows_of_dates_and_words_one_by_one_are_a_batch(text):
    """The committee takes hours as hours and words as words, whichever way a row goes; and tells by them."""
    y = [float(np.sin(x["at"].hour / 24 * 2 * np.pi) + ("cup" in x["say"])) for x in DAYS * 3]
    one, many = SonlearnRegressor(text=text), SonlearnRegressor(text=text)
    rows = [x if text else {name: value for name, value in x.items() if name != "say"} for x in DAYS * 3]
    for x, label in zip(rows, y, strict=True):
        one.learn_one(x, label)
    many.learn_many(rows, y)
    assert pickle.dumps(one.learner_.to_arrays()) == pickle.dumps(many.learner_.to_arrays())
    assert [one.predict_one(x) for x in rows[:20]] == many.predict_many(rows[:20]).tolist()


@pytest.mark.parametrize("rows_before", [0, 9])
def test_errors_of_rows_name_keywords(rows_before):
    """Whichever way the row goes; flags are for those who have a command line."""
    counts, names = SonlearnRegressor(method="nag", loss="poisson"), SonlearnClassifier(method="nag", max_classes=2)
    for i in range(rows_before):
        counts.learn_one({"a": 1.0}, 2.0)
        names.learn_one({"a": 1.0}, "xy"[i % 2])
    with pytest.raises(InputError, match=re.escape("at least 0 for loss poisson (any number: loss squared)")):
        counts.learn_one({"a": 1.0}, -1.0)
    with pytest.raises(InputError, match=r"more: max_classes N; .*: loss squared, without classes"):
        names.learn_many([{"a": 1.0}] * 3, ["x", "y", "z"])


def test_positive_threshold_and_multinomial():
    rows = [({"a": 1.0, "b": 2.0}, "spam"), ({"a": 1.0, "b": -1.0}, "ham")] * 6
    ours = SonlearnClassifier(method="nag", classes=("ham", "spam"), positive="ham", threshold=0.9)
    plain = SonlearnClassifier(method="nag", classes=("spam", "ham"))
    for x, y in rows:
        ours.learn_one(x, y)
        plain.learn_one(x, y)
    x = {"a": 1.0, "b": 0.0}
    assert ours.predict_proba_one(x) == plain.predict_proba_one(x)
    assert 0.5 < ours.predict_proba_one({"a": 1.0, "b": -0.4})["ham"] < 0.9
    assert ours.predict_one({"a": 1.0, "b": -0.4}) == "spam" != plain.predict_one({"a": 1.0, "b": -0.4})
    with pytest.raises(ValueError, match="positive 'tea': expected one of two classes"):
        SonlearnClassifier(positive="tea").learn_one({"a": 1.0}, True)
    with pytest.raises(ValueError, match="SonlearnClassifier: multinomial: expected classes="):
        SonlearnClassifier(method="nag", multinomial=True).learn_one({"a": 1.0}, "tea")
    shared = SonlearnClassifier(method="nag", multinomial=True, classes=("ham", "spam", "tea"))
    shared.learn_one({"a": 1.0}, "tea")
    assert shared.learner_.options.multinomial == 3
    assert shared.predict_proba_one({"a": 1.0})["tea"] > 0.4


@pytest.mark.parametrize("name", ["classes", "two classes", "values"])
def test_a_clone_with_its_attributes_goes_on_alone(name):
    """After rows of numbers, whose calls of kernels are kept with the model."""
    model, fresh = MODELS[name].clone(), MODELS[name].clone()
    for i in range(20):
        model.learn_one({"a": i % 2, "b": 1.0}, i % 2 == 0)
    before = model.predict_one({"a": 1})
    copied = model.clone(include_attributes=True)
    for i in range(20):
        copied.learn_one({"a": i % 2}, i % 2 == 1)
        fresh.learn_one({"a": i % 2, "b": 1.0}, i % 2 == 0)
    assert model.predict_one({"a": 1}) == before == fresh.predict_one({"a": 1}) != copied.predict_one({"a": 1})
    for each in (model, fresh):
        each.learn_one({"a": 1, "c": 2.0}, True)
    assert model.predict_one({"a": 1, "c": 1.0}) == fresh.predict_one({"a": 1, "c": 1.0})


def test_a_copy_meets_classes_of_its_own():
    model = SonlearnClassifier(method="nag")
    for label in "ham", "spam", "tea":
        model.learn_one({label: 1.0, "b": 2.0}, label)
    before, copied = model.predict_proba_one({"tea": 1.0}), copy.copy(model)
    copied.learn_one({"a": 1.0}, "new")
    assert model.predict_proba_one({"tea": 1.0}) == before
    assert copied.predict_proba_one({"tea": 1.0}).keys() - before.keys() == {"new"}


def test_memory_is_that_of_what_has_been_learned():
    model = SonlearnClassifier(method="nag", classes=(False, True))
    before = model._raw_memory_usage
    for i in range(200):
        model.learn_one({f"word{i}": 1.0}, i % 2 == 0)
    arrays = model.learner_.to_arrays()[1].values()
    assert model._raw_memory_usage - before == sum(array.nbytes for array in arrays)
    assert 200 * 8 < model._raw_memory_usage < 100_000
