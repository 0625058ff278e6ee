"""Every engine's state: room, packing, other numbers there and back, and merges, whatever the numbers are."""

import numpy as np
import pytest
from streams import zipf

from sonlearn.data import axes
from sonlearn.data.axes import Numbers
from sonlearn.data.rows import NO_ROWS
from sonlearn.files.storage import flat
from sonlearn.learn.engine import Engine, Predictions, make_engine
from sonlearn.learn.ensemble.slots import ClassSlots
from sonlearn.options import LearnOptions
from sonlearn.options.members import member
from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS
from sonlearn.views import make_view
from sonlearn.views.index import intern, new_index

N, D, K = 60, 12, 4
MEMBERS = ("nag", "nag~0.1", "arow-precision", "arow-precision~0.1", "multinomial-bayes~0.1", "rls", "shares~0.1")
AUTO = LearnOptions(classes="auto")
METRICS = ("nag", "rfd-son", "ada-full")
#: Fields that come out of a decomposition: other numbers of the features change their last digits.
ROUGH = 1e-6


def engines():
    """(name, a function that makes the engine, classes or 0)."""
    for name, method in METHODS.items():
        options = LearnOptions(method=name, loss=(method.losses or ("logistic",))[0])
        yield pytest.param(lambda options=options: make_engine(options), 0, id=name)
        if "decay" in method.takes:
            fading = LearnOptions(method=name, loss=options.loss, decay=0.05)
            yield pytest.param(lambda options=fading: make_engine(options), 0, id=f"{name}-decay")
    for name in METRICS:
        shared = LearnOptions(method=name, multinomial=K)
        yield pytest.param(lambda options=shared: make_engine(options), K, id=f"multinomial-{name}")
    for shared in (LearnOptions(method="adagrad", oaa=K), LearnOptions(method="adagrad", classes="auto"), AUTO):
        name = f"{shared.method}-{'oaa' if shared.oaa else 'auto'}"
        yield pytest.param(lambda options=shared: make_engine(options), K, id=name)
    for name in MEMBERS:
        own = member(name, several=True)
        yield pytest.param(lambda own=own: ClassSlots(AUTO).engine_of(own), K, id=f"member-{name}")


every = pytest.mark.parametrize(("make", "classes"), list(engines()))
mergeable = pytest.mark.parametrize(("make", "classes"), [entry for entry in engines() if entry.values[0]().merges])


def rows_of(classes, seed):
    """Rows whose labels are -1 and +1, or slots of classes, the first of which come first."""
    batch = zipf(n=N, d=D, s=4, seed=seed)
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, N - K)]) if classes else np.sign(rng.normal(size=N))
    rows, index = intern(batch._replace(y=y.astype(float), weight=np.ones(N)), new_index())
    assert int(index.size[0]) == D
    return rows


def taught(engine, state, rows, classes):
    return engine.packed(engine.learn_all(state, rows, Predictions.empty(N, classes or 1), D))


def three(make, classes):
    """(an engine, the states of two learners, that with which both began)."""
    engine = make()
    base = taught(engine, engine.new(), rows_of(classes, 0), classes)
    own = [taught(make(), engine.reserve(copied(base), NO_ROWS, D), rows_of(classes, seed), classes) for seed in (1, 2)]
    return engine, own, base


def copied(state):
    if isinstance(state, tuple):
        return type(state)(*map(copied, state)) if hasattr(state, "_fields") else tuple(map(copied, state))
    return state.copy()


def assert_alike(one, other, rtol=0.0):
    one, other = flat(one, "state"), flat(other, "state")
    for name in one:
        np.testing.assert_allclose(one[name], other[name], rtol=rtol, atol=rtol, err_msg=name)


def growing(state, name="state"):
    """(dotted name, whether the field says what its rows are) of the arrays that grow with the features or the rows."""
    said = {field for field, _, _ in axes.axes_of(type(state))}
    for field, part in zip(state._fields, state, strict=True):
        if hasattr(part, "_fields") and field != "pairs":
            yield from growing(part, f"{name}.{field}")
        elif isinstance(part, np.ndarray) and part.ndim and len(part) == 0:
            yield f"{name}.{field}", field in said


@every
def test_what_grows_says_what_its_rows_are(make, classes):
    engine = make()
    if type(engine).packed is Engine.packed:  # others pack what they keep
        silent = {name for name, says in growing(engine.new()) if not says}
        sized = {"state.basis.RT", "state.own.basis.RT", "state.factor.FT"}
        assert silent <= sized, "of these the length is that of an option"


@every
def test_packing_and_room_change_nothing(make, classes):
    engine = make()
    state = taught(engine, engine.new(), rows_of(classes, 0), classes)
    assert_alike(engine.packed(engine.reserve(copied(state), NO_ROWS, D)), state)


@pytest.mark.parametrize("name", VIEWS)
def test_views_keep_their_states(name):
    """What grows says what its rows are; room, packing and other numbers there and back change nothing."""
    view, rows = make_view(name), rows_of(0, 0)
    assert {field for field, says in growing(view.new()) if not says} <= {"state.sums"}
    state, _ = view.transform(view.reserve(view.new(), rows, D), rows, True)
    state = view.packed(state)
    assert_alike(view.packed(view.reserve(copied(state), NO_ROWS, D)), state)
    there = np.random.default_rng(5).permutation(D)
    moved, _ = view.renumbered(copied(state), Numbers(there, D))
    back, shown = view.renumbered(copied(moved), Numbers(np.argsort(there), D))
    assert_alike(back, state)
    wide, other = view.renumbered(copied(moved), Numbers(2 * np.argsort(there), 2 * D))
    assert len(shown) == len(other) == view.features(state)
    again = view.merge([copied(wide)], wide)
    np.testing.assert_array_equal(again.state.now, wide.now)
    np.testing.assert_array_equal(again.base, np.arange(view.features(wide)))


@mergeable
def test_other_numbers_there_and_back(make, classes):
    engine = make()
    state = taught(engine, engine.new(), rows_of(classes, 0), classes)
    there = np.random.default_rng(5).permutation(D)
    slots = np.random.default_rng(6).permutation(K) if classes and hasattr(state, "pairs") else None
    plain = engine.renumbered(copied(state), Numbers(np.arange(D), D))
    moved = engine.renumbered(copied(state), Numbers(there, D, slots))
    back = engine.renumbered(moved, Numbers(np.argsort(there), D, None if slots is None else np.argsort(slots)))
    assert_alike(back, plain, rtol=1e-12)
    wide = engine.renumbered(copied(state), Numbers(2 * np.arange(D), 2 * D))
    weights = engine.weights(engine.reserve(wide, NO_ROWS, 2 * D), 2 * D)
    np.testing.assert_allclose(weights[..., ::2], engine.weights(plain, D), rtol=ROUGH, atol=1e-12)
    assert not weights[..., 1::2].any()


@mergeable
def test_a_merge_does_not_depend_on_numbers(make, classes):
    engine, own, base = three(make, classes)
    there = np.random.default_rng(5).permutation(D)

    def merged(numbers):
        start, *others = (engine.renumbered(copied(state), Numbers(numbers, D)) for state in (base, *own))
        return start, others, engine.merge(others, start, [N, N])

    start, others, one = merged(np.arange(D))
    other = engine.renumbered(engine.packed(merged(there)[2]), Numbers(np.argsort(there), D))
    np.testing.assert_allclose(engine.weights(one, D), engine.weights(other, D), rtol=ROUGH, atol=1e-9)
    scalars = [axis for _, axis, _ in axes.axes_of(type(start)) if isinstance(axis, axes.Scalars)]
    if scalars and scalars[0].rows:
        assert axes.rows_learned([one], start) == [sum(axes.rows_learned(others, start))]
    for field, _, rule in axes.axes_of(type(start)):
        if rule is axes.summed and engine.retention == 1.0 and field != "logp":
            parts = [getattr(state, field) for state in (start, *others)]
            wanted = sum(parts[1:]) - parts[0] if len({len(part) for part in parts}) == 1 else None
            if wanted is not None:
                np.testing.assert_allclose(getattr(one, field), wanted, rtol=1e-9, atol=1e-12)


def test_the_other_axes():
    """Two counts of one array, what so many take, classes, and scalars, on numbers that anybody can add."""
    now = np.zeros(1, dtype=[("seen", "i8"), ("classes", "i8"), ("used", "i8"), ("n", "i8")])
    now["seen"], now["classes"], now["used"] = 2, 2, 1
    squares = axes.Counted("used", rows=lambda n: n * n)
    assert len(squares.reserved(np.zeros(1), now, {"used": 3})) == 9
    assert len(squares.packed(np.arange(9.0), now)) == 1
    array = np.array([3.0, 5.0])
    numbers = axes.Numbers(np.array([2, 0]), 3, np.array([1, 0]))
    np.testing.assert_array_equal(axes.BY_FEATURE.renumbered(array, numbers), [5.0, 0.0, 3.0])
    np.testing.assert_array_equal(axes.BY_CLASS.renumbered(array, numbers), [5.0, 3.0])
    scalars = axes.Scalars("n", sums=("used",), totals=("n",))
    moved = scalars.renumbered(now, numbers)
    assert (moved["seen"][0], moved["classes"][0], now["seen"][0]) == (3, 2, 2)
    others = [now.copy(), now.copy()]
    others[0]["n"], others[1]["n"], others[1]["classes"], others[1]["used"] = 4, 5, 3, 7
    found = scalars(now, others, np.array([0.5, 1.0]))
    assert [found[name][0] for name in ("n", "classes", "used", "seen")] == [9, 3, 7, 2]
    np.testing.assert_array_equal(axes.summed(np.ones(1), [np.full(2, 3.0), np.full(1, 4.0)], np.ones(2)), [6.0, 3.0])
