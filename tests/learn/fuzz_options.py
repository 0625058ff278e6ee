"""Fuzz options and rows in one process: a learner predicts finite numbers, or says in one line why not.

A long run: ``PYTHONPATH=tests/support python tests/learn/fuzz_options.py 3000 [SEED [TIMES]]``, which lists all that is
wrong. Of each combination of options and odd rows:

- there are two classes, up to 50, or values; labels come at once or late; weights are 0, below 0, tiny and huge;
- errors are OptionError, InputError or DivergedError, with a message of one line;
- predictions and weights are finite; a row that is refused has changed nothing;
- batches of other sizes, one row at a time, and a model that was saved on the way give the same bits;
- nothing takes longer than SECONDS of a processor, compilation included.
"""

from __future__ import annotations

import dataclasses
import math
import random
import signal
import sys
import traceback
import warnings

import numpy as np

from sonlearn import Batch, DivergedError, InputError, Learner, LearnOptions, OptionError
from sonlearn.data.batch import joined
from sonlearn.learn.by_row import OneRow
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.methods import METHODS
from sonlearn.options.spec import parser_of
from sonlearn.options.views import VIEWS
from sonlearn.views.index import Entries, index_of

SECONDS = 120
NUMBERS = (0.0, 1e-12, 1e-3, 0.1, 0.5, 1.0, 2.0, 10.0, 1e3, 1e12)
#: Fields that are drawn on their own.
OWN = (
    "method", "sketch", "members", "oaa", "classes", "multinomial", "positive", "max_classes", "seed", "label_delay",
)  # fmt: skip


def of_one_line(error: Exception) -> Exception:
    """`error`, whose message has to be of one line."""
    assert "\n" not in str(error), "a message of several lines"
    return error


def options(r: random.Random) -> dict:
    """Some options, not all of which go with each other."""
    given: dict = {}
    if r.random() < 0.8:
        given["method"] = r.choice(sorted(METHODS))
    elif r.random() < 0.5:
        names = sorted(name for name, entry in METHODS.items() if entry.engine != "committee")
        rate = ("", "", "~0.01")
        drawn = ((r.choice(names), r.choice(sorted(VIEWS)), r.choice(rate)) for _ in range(r.randrange(1, 4)))
        given["members"] = tuple(f"{name}:{view}{share}" for name, view, share in drawn)
    if r.random() < 0.2:
        classes = r.choice([3, 3, 10, 50])
        given |= r.choice([{"oaa": classes}, {"multinomial": classes}, {"classes": "auto"}, {"classes": "auto"}])
    if r.random() < 0.1:
        given["label_delay"] = r.choice([1, 3, 20])
    for field in dataclasses.fields(LearnOptions):
        if field.name in OWN or r.random() > (0.5 if field.name == "loss" else 0.06):
            continue
        about, default = field.metadata, field.default
        if about.get("choices"):
            given[field.name] = r.choice(list(about["choices"]))
        elif isinstance(default, bool) or about.get("switch"):
            given[field.name] = r.random() < 0.5
        elif parser_of(field) is int:
            given[field.name] = r.choice([0, 1, 2, 3, 7, 20])
        else:
            given[field.name] = r.choice(NUMBERS)
    if r.random() < 0.7 and not given.get("sketch_size", 1) > 8:
        given.pop("sketch_size", None)
    return given


def rows(r: random.Random, learner: Learner) -> list[Batch]:
    """Rows, each a batch: short, empty, repeated, long, of wild sizes; with labels that fit, as a rule."""
    n, wild, several = r.randrange(3, 90), r.choice([0, 0, 0.05, 0.3]), learner.options.several
    most = learner.options.oaa or learner.options.multinomial or 50
    scale = 10.0 ** r.choice([0, 0, 0, -8, 3, 12])
    made: list[Batch] = []
    for i in range(n):
        if made and r.random() < 0.1:
            made.append(r.choice(made))
            continue
        s = r.choice([0, 1, 2, 5, 8, 8, 30])
        ids = [r.randrange(1, r.choice([4, 20, 20, 2**40])) for _ in range(s)]
        values = [r.gauss(0, 1) * scale if r.random() < 0.7 else r.choice([0.0, 1.0, -1.0]) for _ in ids]
        if r.random() < wild:
            values = [v * 10.0 ** r.choice([-300, -150, 20, 60, 120, 250]) for v in values]
        label = total = sum(values)
        if several:
            label = float(1 + int(most * r.random() ** 2))
        elif learner.options.loss in CLASSIFICATION:
            label = 1.0 if total + r.gauss(0, 1) > 0 else -1.0
        elif learner.options.loss == "poisson":
            label = float(r.randrange(6))
        elif r.random() < 0.1:
            label = 10.0 ** r.choice([-200, 9, 40])
        label = math.nan if r.random() < 0.05 else label
        weight = r.choice([1.0, 1.0, 1.0, 1.0, r.choice([0.0, -1.0]), 2.0, 0.25, r.choice([1e-90, 1e-12, 1e3, 1e12])])
        ids, values = [*ids, -1], [*values, 1.0]
        made.append(
            Batch(np.array([0, len(ids)]), np.array(ids, np.int64), np.array(values), np.array([label]),
                  np.array([weight]), np.array([i + 1]))
        )  # fmt: skip
    return made


def raw_of(predicted: list) -> list[np.ndarray]:
    """The raw predictions, row by row."""
    return [np.atleast_1d(row) for each in predicted for row in (each.scores if hasattr(each, "scores") else each.raw)]


def accepted(given: dict, r: random.Random) -> dict:
    """`given` without as many options, drawn one by one, as it takes until they go with each other."""
    while True:
        try:
            Learner(LearnOptions(**given))
            return given
        except OptionError as error:
            of_one_line(error)
            del given[r.choice(sorted(given))]


def check(given: dict, r: random.Random) -> str:
    """Learn with these options; returns how it went. AssertionError or another exception: something is wrong."""
    one, taken, predicted, refused = Learner(LearnOptions(**given)), [], [], []
    for number, batch in enumerate(rows(r, one), 1):
        before = one.to_arrays()
        try:
            found = one.partial_fit(batch, skip=True)
        except InputError as error:  # the label: the row is left out before anything is learned
            of_one_line(error)
            assert same_arrays(before, one.to_arrays()), f"row {number}, which is malformed, has changed something"
            continue
        taken.append(batch)
        predicted += raw_of([found])
        refused.append(bool(found.refused[0]))
        assert refused[-1] or np.isfinite(predicted[-1]).all(), f"prediction {predicted[-1]} of row {number}"
    if not taken:
        return "refused at once"
    whole, kept = joined(taken), [not left for left in refused]
    cut = r.randrange(whole.n + 1)
    many = Learner(LearnOptions(**given))
    parts = [many.partial_fit(part, skip=True) for part in (whole.part(0, cut), whole.part(cut, whole.n)) if part.n]
    compare(raw_of(parts), predicted, kept, "in batches")
    assert np.concatenate([part.refused for part in parts]).tolist() == refused, "other rows refused in batches"
    if not given.get("label_delay"):
        one_way(given, taken, predicted, kept, cut)
    if any(refused) and any(kept) and not (given.get("label_delay") or one_for_each_class(one.options)):
        left, plain = [batch for batch, own in zip(taken, kept, strict=True) if own], Learner(LearnOptions(**given))
        plain.index = index_of(one.index.ids[: one.size].copy())  # refused rows number their features: sums' order
        wanted = [row for row, good in zip(predicted, kept, strict=True) if good]
        learned = [bool(batch.weight[0] > 0 and batch.y[0] == batch.y[0]) for batch in left]  # others: what is new?
        compare(raw_of([plain.partial_fit(joined(left), skip=True)]), wanted, learned, "without them")
    assert np.isfinite(many.weights()[1]).all(), "weights that are not finite"
    try:
        found = many.predict(whole._replace(y=np.full(whole.n, np.nan)))
    except DivergedError as error:  # a row of wild values, beside which others have been learned since
        of_one_line(error)
        return "learned"
    shown = found.prediction if hasattr(found, "prediction") else found.scores
    nothing = one.options.several and not many.examples  # no class is known
    assert nothing or not np.isnan(np.asarray(shown, float)).any(), "predict gives NaN"
    return "learned"


def one_for_each_class(options: LearnOptions) -> bool:
    """Whether classes have learners of their own: what one refuses, others learn."""
    return options.several and METHODS[options.method].engine != "committee"


def one_way(given: dict, taken: list[Batch], predicted: list, kept: list[bool], cut: int) -> None:
    """Learn rows one by one as a server does, with a model that was saved on the way, and compare."""
    again, found = Learner(LearnOptions(**given)), []
    way = OneRow(again, -1)
    for number, batch in enumerate(taken):
        if number == cut:
            again = Learner.from_arrays(*again.to_arrays())
            way = OneRow(again, -1)
        if not OneRow.serves(again) or not way.knows(float(batch.y[0])) or number % 7 == 0:
            found += raw_of([again.partial_fit(batch, skip=True)])
            continue
        try:
            row = Entries(batch.indices, batch.values.copy())
            found.append(np.atleast_1d(way.learn(row, float(batch.y[0]), float(batch.weight[0]))))
        except DivergedError as error:
            of_one_line(error)
            assert not kept[number], f"row {number + 1} is refused when it comes alone"
            found.append(np.array([math.nan]))
    compare(found, predicted, kept, "one by one, saved on the way")


def compare(found: list, wanted: list, kept: list[bool], how: str) -> None:
    """Equal bits of the rows that are `kept`."""
    for row, (a, b, good) in enumerate(zip(found, wanted, kept, strict=True), 1):
        k = min(len(a), len(b))
        assert not good or np.array_equal(a[:k], b[:k]), f"row {row}: {a[:k]} {how}, {b[:k]} alone"


def same_arrays(a: tuple, b: tuple) -> bool:
    """Whether two stored learners are equal."""
    return a[0] == b[0] and a[1].keys() == b[1].keys() and all(
        np.array_equal(array, b[1][name], equal_nan=array.dtype.kind == "f") for name, array in a[1].items()
    )  # fmt: skip


def late(*_: object) -> None:
    raise TimeoutError("a hang")


def main(n: int, seed: int = 0, times: int = 3) -> int:
    """Run `n` combinations, each on `times` streams; the number of those that went wrong."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, late)
    wrong, counts = 0, dict[str, int]()
    for number in range(seed, seed + n):
        given = options(random.Random(number))
        given = accepted(given, random.Random(number))
        for time in range(times):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                how = check(given, random.Random(number * 1000 + time))
                counts[how] = counts.get(how, 0) + 1
            except Exception as error:
                wrong += 1
                where = traceback.extract_tb(error.__traceback__)[-1]
                print(f"{number}.{time} {given}\n    {type(error).__name__} {error} ({where.name}:{where.lineno})")
                sys.stdout.flush()
                break
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
    print(f"{n} combinations from {seed}: {counts}, {wrong} wrong")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
