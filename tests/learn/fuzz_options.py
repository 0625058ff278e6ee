"""Fuzz options and rows in one process: a learner predicts finite numbers, or says in one line why not.

A long run: ``PYTHONPATH=tests/support python tests/learn/fuzz_options.py 3000 [SEED [TIMES]]``, which lists all that is
wrong. Of each combination of options and odd rows:

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
from sonlearn.learn.one_row import OneRow
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.options.methods import METHODS
from sonlearn.options.views import VIEWS
from sonlearn.views.index import Entries

SECONDS = 120
NUMBERS = (0.0, 1e-12, 1e-3, 0.1, 0.5, 1.0, 2.0, 10.0, 1e3, 1e12)
#: Fields that are drawn on their own.
OWN = ("method", "sketch", "members", "oaa", "classes", "multinomial", "positive", "max_classes", "seed")


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
        given["members"] = tuple(
            f"{r.choice(names)}:{r.choice(sorted(VIEWS))}{r.choice(rate)}" for _ in range(r.randrange(1, 4))
        )
    if r.random() < 0.2:
        given |= r.choice([{"oaa": 3}, {"multinomial": 3}, {"classes": "auto"}])
    for field in dataclasses.fields(LearnOptions):
        if field.name in OWN or r.random() > (0.5 if field.name == "loss" else 0.06):
            continue
        about, default = field.metadata, field.default
        if about.get("choices"):
            given[field.name] = r.choice(list(about["choices"]))
        elif isinstance(default, bool) or about.get("switch"):
            given[field.name] = r.random() < 0.5
        elif about.get("parse") is int:
            given[field.name] = r.choice([0, 1, 2, 3, 7, 20])
        else:
            given[field.name] = r.choice(NUMBERS)
    if r.random() < 0.7 and not given.get("sketch_size", 1) > 8:
        given.pop("sketch_size", None)
    return given


def rows(r: random.Random, learner: Learner) -> list[Batch]:
    """Rows, each a batch: short, empty, repeated, long, of wild sizes; with labels that fit, as a rule."""
    n, wild, several = r.randrange(3, 60), r.choice([0, 0, 0.05, 0.3]), learner.options.several
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
            label = float(1 + r.randrange(3))
        elif learner.options.loss in CLASSIFICATION:
            label = 1.0 if total + r.gauss(0, 1) > 0 else -1.0
        elif learner.options.loss == "poisson":
            label = float(r.randrange(6))
        elif r.random() < 0.1:
            label = 10.0 ** r.choice([-200, 9, 40])
        label = math.nan if r.random() < 0.05 else label
        weight = r.choice([1.0, 1.0, 1.0, 1.0, 0.0, 2.0, 0.25, r.choice([1e-12, 1e3, 1e12])])
        ids, values = [*ids, -1], [*values, 1.0]
        made.append(
            Batch(np.array([0, len(ids)]), np.array(ids, np.int64), np.array(values), np.array([label]),
                  np.array([weight]), np.array([i + 1]))
        )  # fmt: skip
    return made


def learned(learner: Learner, batches: list[Batch]) -> tuple[list, Exception | None]:
    """(what was predicted for each row of all batches, the error that ended it)."""
    predicted: list = []
    for batch in batches:
        try:
            predicted.append(learner.partial_fit(batch))
        except (DivergedError, InputError) as error:
            return predicted, of_one_line(error)
    return predicted, None


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
    one = Learner(LearnOptions(**given))
    batches = rows(r, one)
    before = None
    for number, batch in enumerate(batches):
        before = one.to_arrays()
        predicted, error = learned(one, [batch])
        if error is not None and one.options.several:  # what one class refuses, the others may learn
            batches = batches[:number]
            break
        if error is not None:
            changed = [
                name for name, array in one.to_arrays()[1].items()
                if name.startswith("state") and not np.array_equal(array, before[1].get(name), equal_nan=True)
            ]  # fmt: skip
            assert one.examples == before[0]["examples"], "a refused row counts as an example"
            assert not changed or same_predictions(one, Learner.from_arrays(*before), batches[:number]), (
                f"a refused row changed {changed}"
            )
            batches = batches[:number]
            break
        assert all(np.isfinite(row).all() for row in raw_of(predicted)), (
            f"prediction {raw_of(predicted)} of row {number + 1}"
        )
    if not batches:
        return "refused at once"
    many, whole = Learner(LearnOptions(**given)), joined(batches)
    cut = r.randrange(len(batches) + 1)
    predicted = [many.partial_fit(part) for part in (whole.part(0, cut), whole.part(cut, whole.n)) if part.n]
    again, apart = Learner(LearnOptions(**given)), []
    way = OneRow(again, -1)
    for number, batch in enumerate(batches):
        if number == cut:
            again = Learner.from_arrays(*again.to_arrays())
            way = OneRow(again, -1)
        if not OneRow.serves(again) or number % 7 == 0:
            apart += raw_of([again.partial_fit(batch)])
        else:
            row = Entries(batch.indices, batch.values.copy())
            apart.append(np.array([way.learn(row, float(batch.y[0]), float(batch.weight[0]))]))
    for row, (a, b) in enumerate(zip(raw_of(predicted), apart, strict=True), 1):
        k = min(len(a), len(b))
        assert np.array_equal(a[:k], b[:k]), f"row {row}: {a} in batches, {b} one by one"
    w = many.weights()[1]
    assert np.isfinite(w).all(), "weights that are not finite"
    try:
        found = many.predict(whole)
    except DivergedError as error:  # a row of wild values, beside which others have been learned since
        of_one_line(error)
        return "learned"
    shown = found.prediction if hasattr(found, "prediction") else found.scores
    assert not np.isnan(np.asarray(shown, float)).any(), "predict gives NaN"
    return "learned"


def same_predictions(a: Learner, b: Learner, batches: list[Batch]) -> bool:
    """Whether both predict the same."""
    if not batches:
        return True
    whole = joined(batches)
    return all(
        np.array_equal(x, y) for x, y in zip(raw_of([a.predict(whole)]), raw_of([b.predict(whole)]), strict=True)
    )


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
