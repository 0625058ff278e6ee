"""Settings shared out among the workers of a Dask cluster: each worker learns some of them, from all of the data.

A setting's learner and figures are those of `sonlearn.tuning.search.Tuning` in one process, to the last bit, but for
the seconds. Workers read the data once each. Successive halving compares all settings at one row, and stays in one
process.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import dask
from distributed import Client

from sonlearn.cluster.dask import checked_results, client_here, empty_error, results_of, with_format
from sonlearn.cluster.tasks import LearnedPartition, PartResult, Reading, initial
from sonlearn.errors import OptionError, SonlearnError
from sonlearn.learn.learner import Learner
from sonlearn.options import TextOptions
from sonlearn.text.names import NameTable
from sonlearn.tuning.grid import Setting, settings_of, with_classes
from sonlearn.tuning.search import SettingResult, Tuning, criterion, labelling, ranking_score


class Tuned(NamedTuple):
    """Results of all settings.

    Attributes
    ----------
    results : list of SettingResult
        Active settings from the best on, then failed ones; see `sonlearn.tuning.search.SettingResult`.
    learner : Learner
        Of the best setting.
    names : NameTable
    skipped, errors
        Number of malformed lines left out, and the first of them.
    """

    results: list[SettingResult]
    learner: Learner
    names: NameTable
    skipped: int
    errors: list[Any]


@dataclass
class TunedSettings(PartResult):
    """Some settings after all of the data: place in the grid, result and error of each, and the learner of the best."""

    results: list[tuple[int, SettingResult, SonlearnError | None]] = field(default_factory=list)
    best: LearnedPartition | None = None


def tune_settings(
    reading: Reading, settings: Sequence[tuple[int, Setting]], by: str, parts: Sequence[Any]
) -> TunedSettings:
    """Learn all parts with these settings."""
    done, names = TunedSettings(), NameTable()
    tuning = Tuning([setting for _, setting in settings], reading.text, by=by, skip=reading.on_error == "skip")
    try:
        for number, part in enumerate(parts, 1):
            for batch in done.read(reading.reader(part, number, names)):
                tuning.partial_fit(batch)
            if done.problem is not None:
                return done
    except SonlearnError as error:
        if tuning.at_work:  # what is wrong is the data, not the settings
            done.problem = error
            return done
    of_settings = zip(settings, tuning.contenders, strict=True)
    done.results = [(place, own.result, own.failure) for (place, _), own in of_settings]
    if tuning.at_work:
        done.best = dataclasses.replace(initial(tuning.learner), names=names.known)
    return done


def tuned(
    settings: Sequence[Setting], data: Any, reading: Reading, by: str, *, workers: int | None = None,
    client: Client | None = None,
) -> Tuned:  # fmt: skip
    """Learn `data` with all settings, each worker with some of them.

    Raises
    ------
    InputError, OptionError
        Something is wrong in the data.
    DivergedError
        No setting has come to the end: the error of the best-placed one.
    """
    client = client or client_here()
    parts, reading = with_format(client, data, reading, infers=True)
    with contextlib.suppress(OptionError):  # a third label is refused then
        settings = with_classes(settings) if reading.labels.names else settings
    groups = min(workers or len(client.nthreads()), len(settings))
    own = [list(enumerate(settings))[g::groups] for g in range(groups)]
    work = [dask.delayed(tune_settings)(reading, each, by, parts) for each in own]
    light = dask.delayed(dataclasses.replace)
    futures = client.compute([*work, *(light(each, best=None) for each in work)])
    found = checked_results(futures[groups:], reading)
    every = sorted(one for done in found for one in done.results)
    ranked = sorted(every, key=lambda one: (one[1].state == "failed", ranking_score(by, one[1].loss, one[1].error)))
    place, first, failure = ranked[0]
    if failure is not None:
        raise failure
    if not first.examples:
        raise empty_error(parts, found[0].skipped, found[0].errors)
    (best,) = results_of([futures[place % groups]])
    names = NameTable(best.best.names)
    return Tuned([result for _, result, _ in ranked], best.best.learner(), names, found[0].skipped, found[0].errors)


def tune(
    grid: Mapping[str, Any] | Iterable[Mapping[str, Any]],
    data: Any,
    text: TextOptions | None = None,
    *,
    fixed: Mapping[str, Any] | None = None,
    by: str | None = None,
    client: Client | None = None,
) -> Tuned:
    """`sonlearn.tune` with the settings shared out among workers; `data` as for `sonlearn.dask.train`.

    Every worker reads all of the data: give names of files, or what each worker has room for.

    Raises
    ------
    OptionError
        A combination is contradictory, or the settings cannot be compared.
    InputError, DivergedError
    """
    settings = settings_of(grid, fixed or {}).settings
    reading = Reading(text or TextOptions(), labels=labelling(settings))
    return tuned(settings, data, reading, criterion([s.options for s in settings], by), client=client)
