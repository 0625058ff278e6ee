"""The sections of the bench: each loads its sets, runs ours and the peers on them, and prints its tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bench.quality import sets
from bench.quality.measures import error_ratio, errors, geometric, log_loss, running_mean, squared
from bench.quality.ours import Judged, for_values, judge, without_members
from bench.quality.peers import DEFAULT, GRID, LOGISTIC, PAIRS, VARIANTS, VW, settings_for
from bench.quality.report import Goal, Scores, averages
from bench.quality.sets import DataSet
from bench.table import Table
from sonlearn import LearnOptions

#: Rows of a progressive measurement, unless told.
LIMIT = 20_000


class Run(NamedTuple):
    """What the command line asks for: settings by their heading, sets by name (none: all), rows, and peers."""

    settings: dict[str, LearnOptions]
    wanted: list[str]
    limit: int | None
    fresh: bool
    vw: bool

    def load(self, names: list[str]) -> list[str]:
        """Names of the sets that are asked for and there."""
        return sets.chosen(names, self.wanted)

    def headings(self, *measures: str) -> list[str]:
        """Columns for measures of every setting."""
        return [f"{heading} {measure}" for measure in measures for heading in self.settings]

    def stream(self, name: str) -> DataSet:
        """A set for a progressive measurement."""
        return sets.load(name, self.limit or LIMIT)


def progressive(data: DataSet, run: Run) -> dict[str, np.ndarray]:
    """{heading: predictions} of Vowpal Wabbit's default ("VW") and its variants; empty without it."""
    if not run.vw:
        return {}
    vw = VW(data, fresh=run.fresh)
    return {name: vw.predict(words) for name, words in {"VW": DEFAULT, **settings_for(data)}.items()}


class Binary(NamedTuple):
    """Measures of one set by heading; NaN for what was not run. `errors` are numbers of errors."""

    errors: dict[str, float]
    log_losses: dict[str, float]


#: Variants whose predictions are log-odds.
WITH_ODDS = [name for name, words in (VARIANTS | PAIRS).items() if "logistic" in words]


def measure(data: DataSet, theirs: dict[str, np.ndarray], ours: dict[str, Judged]) -> Binary:
    """Errors and log losses of everything that ran on one set."""
    counts = {name: errors(p, data.y) for name, p in theirs.items()}
    counts["best of VW"] = min(counts.values(), default=np.nan)
    counts |= {name: errors(p.prediction, data.y) for name, p in ours.items()}
    losses = {name: log_loss(theirs[name], data.y) for name in WITH_ODDS if name in theirs}
    losses |= {name: log_loss(p.log_odds, data.y) for name, p in ours.items()}
    return Binary(counts, losses)


def binary(run: Run) -> list[Goal]:
    """Error and log loss of ours and of Vowpal Wabbit's variants on every binary set."""
    names = run.load(sets.TEXT + sets.NUMBERS)
    if not names:
        return []
    columns, own = [*VARIANTS, *PAIRS, "best of VW", *run.settings], run.headings("error")
    table = Table("Error of one pass, relative to VW's default", ["data", "kind", "rows", "VW", *columns, *own])
    scores, losses = Scores([], [], []), []
    for name in names:
        data = run.stream(name)
        ours = {heading: judge(options, data.X, data.y) for heading, options in run.settings.items()}
        theirs = progressive(data, run)
        result = measure(data, theirs, ours)
        base = result.errors.get("VW", np.nan)
        ratios = {name: error_ratio(count, base) for name, count in result.errors.items()}
        shown = [ratios.get(name, np.nan) for name in columns]
        shown += [result.errors[heading] / len(data.y) for heading in run.settings]
        table.row(data.name, data.kind, len(data.y), base / len(data.y), *shown)
        counted = [ratios.get(name, 1.0 if run.vw else np.nan) for name in columns]
        scores.add(data.name, data.kind, counted)
        losses.append((data, result.log_losses))
    averages(table, scores, 3)
    i, first = columns.index(next(iter(run.settings))), next(iter(run.settings))
    return [
        Goal("geometric mean of error, all sets", 0.66, geometric(scores.column(i))),
        Goal("geometric mean of error, text", 0.84, geometric(scores.column(i, "text"))),
        Goal("error of the worst set", 1.02, *scores.worst(i)),
        *_log_losses(run, losses, first),
    ]


def _log_losses(run: Run, losses: list[tuple[DataSet, dict[str, float]]], first: str) -> list[Goal]:
    """The table of log losses."""
    columns = [*WITH_ODDS[1:], *run.settings]
    headings = ["data", "kind", "rows", "VW logistic", *columns, *run.headings("log loss")]
    table = Table("Log loss of one pass, relative to VW's --loss_function logistic", headings)
    scores = Scores([], [], [])
    for data, loss in losses:
        base = loss.get("logistic", np.nan)
        ratios = [loss.get(name, np.nan) / base for name in columns]
        table.row(data.name, data.kind, len(data.y), base, *ratios, *(loss[heading] for heading in run.settings))
        scores.add(data.name, data.kind, [loss.get(name, base) / base for name in columns])
    averages(table, scores, 3)
    i = columns.index(first)
    return [
        Goal("geometric mean of log loss, all sets", 0.60, geometric(scores.column(i))),
        Goal("log loss of the worst set", 1.00, *scores.worst(i)),
    ]


def regression(run: Run) -> list[Goal]:
    """Squared error of ours, of the running mean, and of Vowpal Wabbit's default and best setting in hindsight."""
    names = run.load(sets.REGRESSION)
    if not names:
        return []
    columns = ["running mean", "best of VW's grid", *run.settings]
    headings = ["data", "rows", "VW", *columns, *run.headings("squared error"), "VW's best"]
    table = Table("Squared error of one pass, relative to VW's default", headings)
    scores, first = Scores([], [], []), next(iter(run.settings))
    for name in names:
        data = run.stream(name)
        found = {"running mean": squared(running_mean(data.y), data.y)}
        grid = {}
        if run.vw:
            vw = VW(data, fresh=run.fresh)
            grid = {words: squared(vw.predict(words), data.y) for words in [DEFAULT, *GRID]}
        best = min(grid, key=grid.__getitem__, default="-")
        found["best of VW's grid"] = grid.get(best, np.nan)
        for heading, options in run.settings.items():
            found[heading] = squared(judge(for_values(options), data.X, data.y).prediction, data.y)
        base = grid.get(DEFAULT, np.nan)
        ratios = [found[column] / base for column in columns]
        own = [found[heading] for heading in run.settings]
        table.row(data.name, len(data.y), base, *ratios, *own, best.removeprefix("-b 20").strip() or "default")
        scores.add(data.name, data.kind, [*ratios, *(found[first] / found[column] for column in columns[:2])])
    shown = scores._replace(ratios=[ratios[: len(columns)] for ratios in scores.ratios])
    averages(table, shown, 2)
    i = columns.index(first)
    return [
        Goal("geometric mean of squared error", 0.18, geometric(scores.column(i))),
        Goal("squared error of the worst set", 1.00, *scores.worst(i)),
        Goal("squared error / the running mean's, worst set", 1.00, *scores.worst(len(columns))),
        Goal("squared error / best of VW's grid, worst set", 1.00, *scores.worst(len(columns) + 1)),
    ]


def final(run: Run) -> list[Goal]:
    """Error and log loss of final models on test parts, after one pass and five over the training part."""
    names = [name for name in run.load(sets.WITH_TEST) if sets.path_of(f"{name}.t").exists()]
    if not names:
        return []
    headings = [f"{heading}{what}" for heading in run.settings for what in ("", " / VW", " log loss / VW")]
    columns = ["data", "passes", "VW", "VW logistic", "its log loss", *headings]
    table = Table("Error of the final model on the test part", columns)
    scores: dict[int, list[list[float]]] = {1: [], 5: []}
    for name in names:
        data, test = sets.load(name, run.limit), sets.load_test(name, run.limit)
        y = test.y
        vw = VW(data, test, run.fresh) if run.vw else None
        for passes, rows in scores.items():
            more = f" --passes {passes} --holdout_off"
            nothing = np.full(len(y), np.nan)
            default, logistic = (vw.predict(words + more) if vw else nothing for words in (DEFAULT, LOGISTIC))
            base, loss = (errors(default, y), log_loss(logistic, y)) if vw else (np.nan, np.nan)
            cells = []
            for options in run.settings.values():
                out = judge(options, data.X, data.y, test=test.X, passes=passes)
                wrong = errors(out.prediction, y)
                cells += [wrong / len(y), error_ratio(wrong, base), log_loss(out.log_odds, y) / loss]
            rows.append(cells)
            table.row(data.name, passes, base / len(y), errors(logistic, y) / len(y) if vw else np.nan, loss, *cells)
    for passes, rows in scores.items():
        means = [np.nan if i % 3 == 0 else geometric(column) for i, column in enumerate(zip(*rows, strict=True))]
        table.row("**geometric mean**", passes, "", "", "", *means)
    return []


def ablation(run: Run) -> list[Goal]:
    """What each member of the first setting's committee is worth: errors without it, over the binary sets."""
    heading, options = next(iter(run.settings.items()))
    cases = without_members(options)
    if not cases or not run.vw:
        print("\nablation: left out, " + ("no VW to compare with" if cases else "the setting names no members to drop"))
        return []
    cases = {"(none)": options, **cases}
    scores, losses = Scores([], [], []), Scores([], [], [])
    for name in run.load(sets.TEXT + sets.NUMBERS):
        data = run.stream(name)
        vw = VW(data, fresh=run.fresh)
        base, base_loss = errors(vw.predict(DEFAULT), data.y), log_loss(vw.predict(LOGISTIC), data.y)
        ours = [judge(case, data.X, data.y) for case in cases.values()]
        scores.add(data.name, data.kind, [error_ratio(errors(p.prediction, data.y), base) for p in ours])
        losses.add(data.name, data.kind, [log_loss(p.log_odds, data.y) / base_loss for p in ours])
    if not scores.names:
        return []
    columns = ["without", "error, all", "text", "numbers", "worst set", "log loss, all", "worst set"]
    table = Table(f"Ablation of {heading}: geometric means relative to VW", columns)
    for i, case in enumerate(cases):
        kinds = [geometric(scores.column(i, kind)) for kind in ("", "text", "numbers")]
        table.row(case, *kinds, scores.worst(i)[0], geometric(losses.column(i)), losses.worst(i)[0])
    return []
