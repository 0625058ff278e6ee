"""Views against their twins (`views_twin`), entry by entry; and what every view must do whatever it computes."""

import itertools
import time

import numba
import numpy as np
import pytest
from states import assert_same_arrays
from streams import (
    batch_of,
    entries,
    repeated_ids,
    rows_of,
    shuffled_features,
    wide_range,
    with_weights,
    without_some_labels,
    zipf,
)
from views_twin import CONSTANT, FEWER, TWINS, Fourier, gaussian

from sonlearn.data.batch import GROUP, joined
from sonlearn.data.batch import HOUR as HOUR_MARK
from sonlearn.data.rows import NO_CONSTANT, Rows, rows_between
from sonlearn.files import storage
from sonlearn.options.views import VIEWS, WORDS
from sonlearn.views import make_view
from sonlearn.views.codes import logarithms
from sonlearn.views.fourier import MAX_IN_ALL
from sonlearn.views.index import intern, lookup, new_index

pytestmark = pytest.mark.interpreted
#: Those of words are others of these, of a part of the row.
WHOLE = {name: entry for name, entry in VIEWS.items() if entry.part != WORDS}
every = pytest.mark.parametrize("name", WHOLE)


def with_constant(batch, last=True):
    """The same rows with the constant feature, at their end or their beginning."""
    at = batch.indptr[1:] if last else batch.indptr[:-1]
    return batch._replace(
        indptr=batch.indptr + np.arange(batch.n + 1), indices=np.insert(batch.indices, at, CONSTANT),
        values=np.insert(batch.values, at, 1.0),
    )  # fmt: skip


def numbers_stream(n=150, seed=3):
    """Short dense rows of numbers of all kinds: few values, many values, signs, zeros."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([
        rng.integers(0, 4, n), rng.normal(size=n), 1e3 + rng.normal(size=n), np.exp(3 * rng.normal(size=n)),
        np.full(n, 7.5),
    ])  # fmt: skip
    rows = [dict(enumerate(x.tolist(), 1)) for x in X]
    return batch_of(rows, np.sign(X[:, 1] * X[:, 0] - 0.5))


def streams():
    text = zipf(n=150, d=60, s=8)
    return {
        "text": with_constant(text),
        "numbers": with_constant(numbers_stream(), last=False),
        "no-constant": text,
        "weighted": with_constant(with_weights(without_some_labels(text))),
        "long": with_constant(shuffled_features(zipf(n=60, d=300, s=70))),
        "wide": with_constant(wide_range(n=150)),
    }


STREAMS = streams()
#: Rows of features that occur once.
NEW_WORDS = batch_of([{3 * i + k: 2.0 for k in range(3)} for i in range(150)], np.ones(150))
#: Differences of about nothing leave what rounding leaves of 1.
ROUNDING = {"odds": 1e-15, "zs": 1e-12, "bins-z": 1e-12, "zs-all": 1e-10, "fourier": 1e-10, "fourier-few": 1e-10}
#: Views of rows of numbers, which show nothing of others.
OF_NUMBERS = [name for name, entry in WHOLE.items() if entry.kind == "fourier"]
OF_TREES = ("columns", "stacked")


class Viewed:
    """A view with the index of its raw features, fed with batches."""

    def __init__(self, name, **more):
        self.name, self.more = name, FEWER.get(name, {}) | more
        self.index = new_index()
        self.renew()
        self.state = self.view.new()

    def renew(self):
        """Another view with the same values."""
        self.view = make_view(self.name, **self.more)

    def fit_transform(self, batch):
        rows, self.index = intern(batch, self.index, True)
        self.state = self.view.reserve(self.state, rows, int(self.index.size[0]))
        self.state, seen = self.view.transform(self.state, rows, True)
        return split(seen)

    def transform(self, batch):
        return split(self.view.transform(self.state, lookup(batch, self.index, True), False)[1])

    def arrays(self):
        return {key: np.array(part) for key, part in storage.flat(self.view.packed(self.state), "state").items()}


def split(rows):
    """[(features, values)] of every row."""
    spans = [slice(*rows.indptr[i : i + 2]) for i in range(len(rows.y))]
    return [(rows.features[span].copy(), rows.values[span].copy()) for span in spans]


def learned(batch, i):
    return batch.weight[i] > 0 and not np.isnan(batch.y[i])


def assert_same_rows(ones, others):
    for one, other in zip(ones, others, strict=True):
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


# ---------------------------------------------------------------------------------------------------- twins


def test_every_view_has_a_twin():
    assert TWINS.keys() == WHOLE.keys()
    for name in VIEWS.keys() - WHOLE.keys():
        assert VIEWS[name] == WHOLE[name.removeprefix("words-")].of_words()


def agree(viewed, twin, batch):
    """Entry by entry; {the twin's name: the number that stands for it}, one to one over the stream, and how many."""
    number, count = {}, 0
    for i, (row, (features, values)) in enumerate(zip(entries(batch), viewed.fit_transform(batch), strict=True)):
        wanted = twin.fit_transform(row, batch.y[i], batch.weight[i], learned(batch, i))
        assert len(features) == len(wanted)
        atol = ROUNDING.get(viewed.name, 0)
        np.testing.assert_allclose(values, [value for _, value in wanted], rtol=1e-12, atol=atol)
        for (key, _), f in zip(wanted, features.tolist(), strict=True):
            assert number.setdefault(key, f) == f
        count += len(wanted)
    assert len(set(number.values())) == len(number)
    return number, count


@every
@pytest.mark.parametrize("stream", STREAMS)
def test_values_are_the_twins(name, stream):
    viewed = Viewed(name)
    number, count = agree(viewed, TWINS[name](), STREAMS[stream])
    assert count > 400
    top = max(int(features.max(initial=-1)) for features, _ in viewed.transform(STREAMS[stream]))
    assert max(number.values()) < viewed.view.features(viewed.state) <= max(len(number) + (name == "log"), top + 1)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_rows_of_few_names_are_for_trees_alone(name):
    """Five columns of four names; twelve of 0 and 1; words, of which one in four is new; texts of up to five words."""
    rng = np.random.default_rng(0)
    names = 4 * np.arange(5) + rng.integers(0, 4, (200, 5))
    flags = [np.flatnonzero(row) for row in rng.integers(0, 2, (200, 12))]
    words = np.column_stack((rng.integers(0, 20, (200, 3)), 20 + np.arange(200)))
    texts = [rng.choice(50, 1 + i % 5, replace=False) for i in range(400)]
    for ids, shown in ((names, name in OF_TREES), (flags, name in OF_TREES), (words, False), (texts, False)):
        rows = [dict.fromkeys(row.tolist(), 1.0) for row in ids]
        batch = with_constant(batch_of(rows, np.ones(len(rows))))
        assert (agree(Viewed(name), TWINS[name](), batch)[1] > 0) == shown


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_many_names_beside_numbers_are_for_trees_alone(name):
    """A column of numbers, and one of 120 names, of which each comes again after 120 rows."""
    rows = [{0: 1.5 + i % 7, 1 + i % 120: 1.0} for i in range(600)]
    batch, viewed = with_constant(batch_of(rows, np.ones(600))), Viewed(name)
    agree(viewed, TWINS[name](), batch)
    assert (len(viewed.transform(batch)[-1][0]) > 0) == (name in OF_TREES)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_of_a_wide_table_the_first_features_stay(name):
    """A number and columns of names, each for 20 rows; then texts. Where names are new sooner nothing stays."""
    cases = (130, 5, 18, 0), (60, 20, 18, 1000 if name in OF_TREES else 0), (250, 20, 9, MAX_IN_ALL)
    for columns, each, names, stay in cases:
        rows = [{0: 1.5} | {1 + 20 * k + i // each: 1.0 for k in range(columns)} for i in range(names * each)]
        batch, viewed = with_constant(batch_of(rows, np.ones(len(rows)))), Viewed(name)
        agree(viewed, TWINS[name](), batch)
        assert stay in (0, viewed.state.now["occurred"][0])
        assert (len(viewed.transform(batch)[-1][0]) > 0) == (stay > 0)
    texts = [{6000 + k: 1.5 for k in range(80 + 160 * (i % 2))} for i in range(90)]
    viewed.fit_transform(with_constant(batch_of(texts, np.ones(90))))
    assert len(viewed.transform(batch)[-1][0]) == 0


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_features_are_counted_where_most_rows_are_of_numbers_no_more(name):
    """Rows of numbers, then of names that are ever new: these are shown as well, and learners need room for them."""
    rows = [{0: 1.5 + i, 1: 0.5 * i} for i in range(20)] + [{2 + i // 4: 1.0} for i in range(100)]
    batch, viewed = with_constant(batch_of(rows, np.ones(120))), Viewed(name)
    number, _ = agree(viewed, TWINS[name](), batch)
    assert max(number.values()) < viewed.view.features(viewed.state)


#: Rows of an hour each, from midnight on, or of a day: the year, month, weekday, and the hour or at midnight the day.
HOUR, WEEKDAY, MONTH = 64 * np.arange(1, 4)


def dates(days, hours=(13,)):
    rows = [
        {1: 24.0, 100 + day // 31: 1.0, 200 + day % 7: 1.0, **({300 + hour: 1.0} if hour else {2: 1.0 + day % 31})}
        for day in days for hour in hours
    ]  # fmt: skip
    batch = with_constant(batch_of(rows, np.arange(len(rows)) % 2.0))
    part, own = np.divmod(batch.indices, 100)
    mark = np.select([part == 1, part == 2, part == 3], [MONTH, WEEKDAY, HOUR + 32], -own - 2) + own + 2
    return batch._replace(marks=np.where(batch.indices == CONSTANT, 0, mark).astype(np.uint32))


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_parts_of_dates_with_hours_are_in_order_for_trees_and_products_alone(name):
    hourly, daily = dates(range(25, 45), (0, 6, 18)), dates(range(100), (0,))
    for batch in (hourly, daily, joined([rows_of(daily, slice(0, 50)), hourly])):
        viewed, twin = Viewed(name), TWINS[name]()
        twin.marks = dict(zip(batch.indices.tolist(), batch.marks.tolist(), strict=True))
        agree(viewed, twin, batch)
        plain, whole, pieces = Viewed(name), Viewed(name), Viewed(name)
        rows = whole.fit_transform(batch)
        cut = [row for i in range(batch.n) for row in pieces.fit_transform(batch.part(i, i + 1))]
        assert_same_rows(rows, cut)
        assert_same_arrays(whole.arrays(), pieces.arrays())
        plain.fit_transform(batch._replace(marks=None))
        in_order = batch is not daily and name in (*OF_TREES, "products")
        assert (whole.view.features(whole.state) < plain.view.features(plain.state)) == in_order


def test_hours_of_dates_stand_beside_their_weekday_in_ranges():
    batch = joined([dates(range(100), (0,)), dates(range(25, 45), (0, 6, 18))])
    viewed, twin = Viewed("ranges"), TWINS["ranges"]()
    twin.marks = dict(zip(batch.indices.tolist(), batch.marks.tolist(), strict=True))
    number, _ = agree(viewed, twin, batch)
    assert len([name for name in number if isinstance(name, tuple) and len(name) == 2]) == 2 * 7
    assert_same_rows(viewed.transform(batch), viewed.transform(batch.part(0, batch.n)))


def of_names(*spans):
    """Rows of a wide table: 130 columns of ten names, each for 20 rows."""
    rows = [{0: 1.5} | {1 + 10 * k + i // 20 % 10: 1.0 for k in range(130)} for span in spans for i in range(*span)]
    return with_constant(batch_of(rows, np.ones(len(rows))))


@pytest.mark.parametrize(
    ("batch", "spans"),
    [(dates(range(25, 65), (0, 6, 12, 18)), (60, 160)), (of_names((0, 120), (80, 200)), (120, 240))],
    ids=["parts of dates are in one order", "the first features of a wide table stay"],
)
def test_merged_views_show_what_one_would(batch, spans):
    rows, _ = intern(batch, new_index(), True)
    view, top = make_view("columns"), int(rows.features.max()) + 1
    base, one, other, whole = view.new(), *(
        view.transform(view.reserve(view.new(), rows, top), rows_between(rows, *span), True)[0]
        for span in ((0, spans[0]), spans, (0, spans[1]))
    )  # fmt: skip
    merged = view.merge([view.packed(one), view.packed(other)], base)
    shown, wanted = (split(view.transform(state, rows, False)[1]) for state in (merged.state, whole))
    assert len(wanted[-1][0]) > 0
    for (_, values), (_, others) in zip(shown, wanted, strict=True):
        np.testing.assert_array_equal(np.sort(values), np.sort(others))
    for own, numbers in zip((one, other), merged.numbers, strict=True):
        assert len(numbers) == view.features(own)
        assert numbers.max() < view.features(merged.state)


def table_of_names(n=600):
    """Rows of one of 30 shops, of twelve months and of 300 ages, and a price that is no whole number."""
    rng = np.random.default_rng(4)
    columns = rng.integers(200, 230, n), rng.integers(1, 13, n), rng.integers(18, 318, n), rng.integers(8, 12, n) + 0.25
    rows = [dict(enumerate(map(float, row))) for row in zip(*columns, strict=True)]
    return with_constant(batch_of(rows, (columns[0] + columns[1]) % 2))


def test_whole_numbers_that_are_names_have_pairs_of_their_own():
    number, _ = agree(Viewed("pairs"), TWINS["pairs"](), table_of_names())
    names = {tuple(sorted(j for j, kind, _ in pair if kind == "whole")) for pair in number}
    assert names == {(), (0,), (1,), (0, 1)}


def test_merged_views_know_which_whole_numbers_are_names():
    batch = table_of_names()
    rows, _ = intern(batch, new_index(), True)
    view = make_view("pairs")
    one, other, whole = (
        view.packed(view.transform(view.reserve(view.new(), rows, 5), rows_between(rows, *span), True)[0])
        for span in ((0, 250), (250, batch.n), (0, batch.n))
    )
    base = view.packed(view.reserve(view.new(), rows, 5))
    np.testing.assert_array_equal(view.merge([one, other], base).state.wholes, whole.wholes)


@pytest.mark.parametrize("name", [name for name, entry in WHOLE.items() if entry.kind == "tuples"])
def test_labels_that_are_numbers_choose_other_entries(name):
    long = STREAMS["long"]
    batch = with_weights(long._replace(y=np.random.default_rng(0).normal(size=long.n) + 100))
    viewed, twin, other = Viewed(name, numbers=True), TWINS[name](), Viewed(name)
    twin.labels = []
    agree(viewed, twin, batch)
    other.fit_transform(batch)
    assert not np.array_equal(viewed.arrays()["state.slots"], other.arrays()["state.slots"])


@pytest.mark.parametrize("name", ["pairs", "triples", "triples-z"])
def test_labels_of_several_classes_choose_for_all_of_them(name):
    """Of rows longer than what is combined whole, of pairs 24 entries; 11 classes, so that some are taken together."""
    long = STREAMS["long"]
    batch = with_weights(long._replace(y=np.random.default_rng(0).integers(0, 11, long.n).astype(float)))
    viewed, twin = Viewed(name, several=True), TWINS[name]()
    twin.classes, twin.longest, twin.chosen = [], min(twin.longest, 24), min(twin.chosen, 24)
    agree(viewed, twin, batch)
    assert max(np.diff(batch.indptr)) > viewed.view._params.longest


@pytest.mark.parametrize("weight", [0.1, 0.7, 3.0])
def test_equal_values_of_any_weight_do_not_vary(weight):
    """(x h)/h is not x: what never changes must not be taken for what does."""
    values = np.random.default_rng(0).normal(size=50)
    batch = batch_of([dict(enumerate(values.tolist()))] * 5, [1.0] * 5, np.full(5, weight))
    assert all((values == 1).all() for _, values in Viewed("zs").fit_transform(batch))


@every
def test_a_feature_twice_in_a_row_is_one(name):
    batch = zipf(n=50, d=40, s=6)
    one, other, again = Viewed(name), Viewed(name), repeated_ids(batch)
    for see in ("fit_transform", "transform"):
        shown, same = getattr(one, see)(batch), getattr(other, see)(again)
        for (_, values), (_, others) in zip(shown, same, strict=True):
            np.testing.assert_allclose(values, others, rtol=1e-12)


# ---------------------------------------------------------------------------------------------------- all views


@pytest.mark.compiled
@every
@pytest.mark.parametrize("batch", [STREAMS["weighted"], STREAMS["numbers"], NEW_WORDS], ids="wnu")
def test_batches_may_be_cut_and_states_stored_anywhere(name, batch):
    whole, pieces, stored, parts = Viewed(name), Viewed(name), Viewed(name), []
    rows = whole.fit_transform(batch)
    for a, b in itertools.pairwise([0, 1, 40, 41, batch.n]):
        parts += pieces.fit_transform(rows_of(batch, slice(a, b)))
        assert_same_rows(stored.fit_transform(rows_of(batch, slice(a, b))), parts[a:])
        stored.renew()
        stored.state = storage.rebuilt(stored.view.new(), stored.arrays(), "state")
        assert_same_rows(stored.transform(batch), pieces.transform(batch))
    assert_same_rows(rows, parts)
    assert_same_arrays(whole.arrays(), pieces.arrays())
    assert_same_arrays(whole.arrays(), stored.arrays())


@every
def test_rows_may_get_longer(name):
    """Scratch space follows; a whole number may be seen as itself and by its bins."""
    batch = batch_of([{k: 8.0 + (i + k) % 5 for k in range(i + 1)} for i in range(60)], np.resize([1.0, -1.0], 60))
    at_once, one_by_one = Viewed(name), Viewed(name)
    rows = at_once.fit_transform(batch)
    for i in range(batch.n):
        assert_same_rows(one_by_one.fit_transform(rows_of(batch, slice(i, i + 1))), rows[i : i + 1])


@every
def test_rows_that_are_only_predicted_change_nothing(name):
    batch = STREAMS["numbers"]
    viewed = Viewed(name)
    viewed.fit_transform(rows_of(batch, slice(0, 100)))
    before, rest = viewed.arrays(), rows_of(batch, slice(100, 150))
    more = rest._replace(indices=np.where(rest.indices == 2, 77, rest.indices), values=rest.values + 0.37)
    for silent in (rest._replace(y=np.full(50, np.nan)), more._replace(weight=np.zeros(50))):
        seen = viewed.fit_transform(silent)
        assert_same_arrays(viewed.arrays(), before)
        assert_same_rows(viewed.transform(silent), seen)
        assert_same_arrays(viewed.arrays(), before)


@every
def test_a_new_state_can_be_looked_through(name):
    viewed = Viewed(name)
    for features, values in viewed.transform(STREAMS["numbers"]):
        assert len(features) == len(values) == 0
    seen = viewed.fit_transform(STREAMS["numbers"]._replace(y=np.full(150, np.nan)))
    assert all(len(features) == 0 for features, _ in seen)
    assert_same_arrays(viewed.arrays(), Viewed(name).arrays())
    assert viewed.fit_transform(batch_of([], [])) == viewed.transform(batch_of([], [])) == []


@every
@pytest.mark.parametrize("stream", ["text", "wide"])
def test_looking_gives_what_seeing_will_give(name, stream):
    """Row by row: the entries that have a number before the row is learned from, with the same values."""
    batch, viewed = STREAMS[stream], Viewed(name)
    for i in range(60):
        row = rows_of(batch, [i])
        before = viewed.view.features(viewed.state)
        (features, values), (wanted, others) = viewed.transform(row)[0], viewed.fit_transform(row)[0]
        known = wanted < before
        np.testing.assert_array_equal(features, wanted[known])
        np.testing.assert_array_equal(values, others[known])


@every
def test_no_array_of_a_new_state_but_now_has_rows(name):
    view = make_view(name)
    for field, part in view.new()._asdict().items():
        assert part.shape[0] == (1 if field == "now" else 0), field


EXTREME = [5e-324, -1e-310, 1e-200, 1e-30, 1.0, -1.0, 1e30, -1e200, 1.7e308, -1.7e308, 0.0]


@every
def test_values_of_any_size_stay_finite(name):
    """The largest and the smallest numbers there are, in rows of one entry and of many, with weights likewise."""
    rng = np.random.default_rng(0)
    rows = [{1: x} for x in EXTREME] + [dict(enumerate(rng.permutation(EXTREME).tolist())) for _ in range(80)]
    weight = rng.choice([1e-300, 1.0, 1.7e308], len(rows))
    batch = with_constant(batch_of(rows, rng.choice([-1.0, 1.0], len(rows)), weight))
    viewed = Viewed(name)
    for got in (viewed.fit_transform(batch), viewed.fit_transform(batch), viewed.transform(batch)):
        assert all(np.isfinite(values).all() for _, values in got)
        assert sum(len(values) for _, values in got) > 100
    assert all(np.isfinite(part).all() for part in viewed.arrays().values())


@every
def test_rows_of_ten_thousand_entries(name):
    """Of a thousand without compilation."""
    rng, s = np.random.default_rng(0), 1_000 if numba.config.DISABLE_JIT else 10_000
    rows = [dict(zip(range(s), rng.normal(size=s).tolist(), strict=True)) for _ in range(2)]
    got = Viewed(name).fit_transform(with_constant(batch_of(rows, [1.0, -1.0])))
    if name in OF_NUMBERS:
        assert [len(features) for features, _ in got] == [0, 0]
        return
    assert all(0 < len(features) <= 3 * s + 1 and np.isfinite(values).all() for features, values in got)
    assert all(len(set(features.tolist())) == len(features) for features, _ in got)


# ---------------------------------------------------------------------------------------------------- bounded memory


MADE_UP = [name for name, entry in WHOLE.items() if entry.kind in ("bins", "tuples")]


@pytest.mark.parametrize("name", MADE_UP)
def test_what_is_made_up_is_bounded(name):
    """Beyond the limit features share numbers, within a row too: their values are added up, and none stands twice."""
    batch = STREAMS["text"]
    free, bounded, resumed = Viewed(name), Viewed(name, limit=64), Viewed(name, limit=64)
    wanted, got = free.fit_transform(batch), bounded.fit_transform(batch)
    assert int(bounded.state.now["made"][0]) == 64 < free.state.now["made"][0]
    assert len(bounded.state.slots) == 128
    shared = 0
    for (features, values), (others, all_values) in zip(got, wanted, strict=True):
        assert len(set(features.tolist())) == len(features)
        if name != "odds":  # what shares a number shares its counts
            np.testing.assert_allclose(values.sum(), all_values.sum(), rtol=1e-9)
        shared += len(features) < len(others)
    assert shared > 50
    assert_same_rows(bounded.transform(batch), bounded.fit_transform(batch._replace(weight=np.zeros(batch.n))))
    for a, b in ((0, 3), (3, 4), (4, 80), (80, 150)):
        resumed.fit_transform(rows_of(batch, slice(a, b)))
        resumed.renew()
        resumed.state = storage.rebuilt(resumed.view.new(), resumed.arrays(), "state")
    assert_same_arrays(resumed.arrays(), bounded.arrays())


@pytest.mark.parametrize("name", MADE_UP)
def test_tables_follow_what_is_seen(name):
    """Nothing of the size of the bound at the start; at most half full, and not more than four times too large."""
    viewed = Viewed(name)
    for a in range(0, 150, 50):
        viewed.fit_transform(rows_of(STREAMS["text"], slice(a, a + 50)))
        made, slots = int(viewed.state.now["made"][0]), len(viewed.state.slots)
        most = max(1, np.diff(STREAMS["text"].indptr).max()) ** 3
        assert 2 * made <= slots <= max(512, 4 * (made + most))


# ---------------------------------------------------------------------------------------------------- rows of numbers


def test_fourier_features_as_in_the_table():
    """All 600 of both widths, and rows that come in blocks of 32."""
    batch = STREAMS["numbers"]
    view, twin, index = make_view("fourier"), Fourier(), new_index()
    rows, index = intern(batch, index, True)
    _, seen = view.transform(view.reserve(view.new(), rows, int(index.size[0])), rows, True)
    for i, (row, (_, values)) in enumerate(zip(entries(batch), split(seen), strict=True)):
        wanted = twin.fit_transform(row, batch.y[i], batch.weight[i], True)
        np.testing.assert_allclose(values, [value for _, value in wanted], rtol=0, atol=1e-10)
    assert i == 149
    assert len(values) == 600 + 1 + 6


def test_directions_worked_out_before_change_no_bit_of_fourier_features():
    """Features come one after the other: blocks of rows end there, unless the directions are known already."""
    X = np.random.default_rng(0).normal(size=(60, 11))
    batch = batch_of([dict(enumerate(x[: 3 + i // 6].tolist(), 1)) for i, x in enumerate(X)], np.ones(60))
    viewed = Viewed("fourier")
    first = viewed.fit_transform(batch)
    viewed.state, viewed.index = viewed.view.new(), new_index()
    assert_same_rows(viewed.fit_transform(batch), first)


def test_products_of_fourier_features_are_gaussian_kernels():
    """Of two rows, the mean of exp(-width^2 |z - z'|^2 / (2 d)) of both widths, within 5 standard errors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    batch = batch_of([dict(enumerate(x.tolist(), 1)) for x in X], np.ones(60))
    shown = {}
    for name, more in (("fourier", {"linear": 0.0}), ("zs-all", {})):
        viewed = Viewed(name, **(more | ({"components": 600} if name == "fourier" else {})))
        viewed.fit_transform(batch)
        shown[name] = np.array([values for _, values in viewed.transform(batch)])
    between = ((shown["zs-all"][:, None] - shown["zs-all"]) ** 2).sum(axis=2)
    kernel = (np.exp(-(0.5**2) * between / 16) + np.exp(-(1.5**2) * between / 16)) / 2
    assert np.abs(shown["fourier"] @ shown["fourier"].T - kernel).max() < 5 / np.sqrt(600)


def test_directions_are_normal_numbers_and_those_of_the_formula():
    from scipy.stats import kstest

    from sonlearn.views.fourier import directions

    W, b = np.zeros((40, 70)), np.zeros(70)
    directions(W, 0, b, np.full(len(b), 2 * np.pi), np.arange(40))
    np.testing.assert_allclose(W, [[gaussian(j, c) for c in range(len(b))] for j in range(40)], rtol=1e-11, atol=1e-13)
    again = np.zeros((50, 70))
    again[:30] = W[:30]
    directions(again, 30, b, np.full(len(b), 2 * np.pi), np.arange(50))
    np.testing.assert_array_equal(again[:40], W)
    assert kstest(W.ravel(), "norm").pvalue > 0.01
    assert kstest(b, "uniform").pvalue > 0.01
    assert np.abs(np.corrcoef(W) - np.eye(40)).max() < 0.6
    assert np.abs(np.corrcoef(W[:, :50].T) - np.eye(50)).max() < 0.6


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_nothing_is_shown_of_rows_that_are_not_of_numbers(name):
    """Indicators, not yet 16 of each; few different words, some of them more than once in a row; rows in which new
    features go on coming. Then the state holds nothing but counts."""
    numbers = zipf(n=36, d=20, s=8)
    counts = 1.0 + np.random.default_rng(8).binomial(8, 0.01, len(numbers.values))
    for values in (np.ones(len(counts)), counts):
        viewed = Viewed(name)
        assert all(len(features) == 0 for features, _ in viewed.fit_transform(numbers._replace(values=values)))
        (features, _), *_ = viewed.fit_transform(numbers._replace(values=counts + 0.5))
        assert len(features) == 0
        assert len(viewed.transform(numbers)[0][0]) > 0  # half of the rows have been of numbers
    words = batch_of([{3 * (i // 4) + k: 2.0 for k in range(3)} for i in range(800)], np.ones(800))
    shown = [len(features) for features, _ in viewed.fit_transform(words)]
    first = shown.index(0)
    assert first > 0
    assert not any(shown[first:])
    assert len(viewed.arrays()["state.moments"]) == 0
    assert viewed.view.transform(viewed.state, intern(words, new_index())[0], False)[1].indptr.any() == 0


def test_dates_that_come_late_in_a_wide_table():
    """They have hours: each of their parts is to have a place, of which there are so many, however rows are cut."""
    parts = dict(enumerate([1.0] * 30, 5000))
    rows = [dict.fromkeys(range(s, s + 250), 1.0) for s in [1] * 130 + [1 + 250 * (1 + k // 4) for k in range(28)]]
    batch = batch_of([*rows, *[rows[0] | parts] * 3], np.resize([1.0, -1.0], len(rows) + 3))
    mark = np.where(batch.indices >= 5000, 2 + HOUR_MARK + GROUP * (batch.indices - 4999), 0).astype(np.uint32)
    batch, whole, cut = batch._replace(marks=mark), Viewed("columns"), Viewed("columns")
    at_once = whole.fit_transform(batch)
    assert_same_rows([row for k in (0, 145) for row in cut.fit_transform(batch.part(k, k + 145))], at_once)
    assert whole.state.now["occurred"][0] == MAX_IN_ALL


# ---------------------------------------------------------------------------------------------------- raw rows


def test_rows_know_the_number_of_their_constant():
    rows, index = intern(with_constant(zipf(n=3, d=9))._replace(y=np.array([np.nan, 1.0, 1.0])), new_index())
    assert index.ids[rows.constant] == CONSTANT
    assert lookup(zipf(n=3, d=9), index).constant == rows.constant
    other, _ = intern(zipf(n=3, d=9), new_index())
    assert other.constant == NO_CONSTANT
    hashed = with_constant(zipf(n=3, d=9))
    hashed = hashed._replace(indices=np.where(hashed.indices == CONSTANT, 116060, hashed.indices), constant=116060)
    rows, index = intern(hashed, new_index())
    assert index.ids[rows.constant] == 116060


def test_the_constant_of_text_that_is_hashed_has_no_part_in_pairs():
    batch = with_constant(zipf(n=40, d=9))
    hashed = batch._replace(indices=np.where(batch.indices == CONSTANT, 116060, batch.indices), constant=116060)
    for name in WHOLE:
        assert_same_rows(Viewed(name).fit_transform(batch), Viewed(name).fit_transform(hashed))


@pytest.mark.compiled
def test_a_long_row_takes_time_in_proportion_when_the_table_is_full():
    """Numbers are shared then, and entries of the same number are found by a table, not by going through the row."""
    view = make_view("neighbours", limit=1 << 15)
    rng = np.random.default_rng(0)

    def row(s):
        numbers = rng.permutation(40_000)[:s]
        ones, none = np.ones(s), (np.zeros(1), np.zeros((1, 2)))
        return Rows(np.array([0, s]), numbers, ones, ones[:1], ones[:1], *none, ids=numbers)

    def seconds(s):
        times = []
        for _ in range(3):
            begin = time.process_time()
            _, out = view.transform(view.reserve(state, row(s), 40_000), row(s), True)
            times.append(time.process_time() - begin)
            numbers = out.features[: out.indptr[-1]]
            assert len(np.unique(numbers)) == len(numbers)
        return min(times)

    filling = row(40_000)
    state, _ = view.transform(view.reserve(view.new(), filling, 40_000), filling, True)
    assert state.now["made"][0] == 1 << 15
    assert seconds(40_000) < 40 * max(seconds(4_000), 1e-4)  # going through the row it was 100 times as long


def test_logarithms_of_all_sizes():
    x = np.concatenate([np.geomspace(1e-300, 1e300, 301), [1.0, 0.5**0.5, 2.0**0.5, 1 - 1e-15, 1 + 1e-15]])
    got = x.copy()
    logarithms(got, len(x))
    np.testing.assert_allclose(got, np.log(x), rtol=1e-14)
    assert got[x == 1.0].tolist() == [0.0, 0.0]
