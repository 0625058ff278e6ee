"""How well we learn, untuned: every data set there is, one pass, beside Vowpal Wabbit's variants.

    python bench/quality                                    # everything, for the default setting
    python bench/quality --only binary --sets a9a,sms       # a section, some sets
    python bench/quality --options "sketch=none" --options "sketch=fd alpha=10"     # other settings, side by side

Sections: `binary` (progressive error and log loss), `regression` (progressive squared error), `final` (models on test
parts after one pass and five), `ablation` (without each member of the committee), `batch` (final models after one pass
beside boosted trees, which see the training part many times), `classes` (several classes, 10,000 rows, beside VW's
--oaa and scikit-learn's SGDClassifier: `bench/quality/classes.py`). Everybody gets the same rows in the same order with
the constant feature; every prediction counts that was made before the label was used.

Read the tables so: 1 is Vowpal Wabbit's default (squared loss, adaptive, normalized, invariant), below is better.
Ratios of errors add half an error to both sides, so that no error at all is no division by zero. A prediction that is
no number counts as a coin's flip, and as an infinite squared error. `-q ::` (all pairs) runs where rows have at most 64
entries in the mean; elsewhere it counts as no pairs in means. `best of VW` is the best of its columns in
hindsight.

What the peers predicted is kept under bench/out/quality; --fresh makes it anew. Data: $SONLEARN_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.processes import installed
from bench.quality import sections, sets
from bench.quality.batch import batch
from bench.quality.classes import classes
from bench.quality.ours import options_of
from bench.quality.report import print_goals
from bench.rows import DATA
from sonlearn import LearnOptions, SonlearnError

SECTIONS = {name: getattr(sections, name) for name in ("binary", "regression", "final", "ablation")}
SECTIONS["batch"] = batch
SECTIONS["classes"] = classes


def words(text: str) -> list[str]:
    """Names with commas between them."""
    return [word for word in text.split(",") if word]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=words, default=[], metavar="A,B", help="these sets only")
    parser.add_argument("--only", type=words, default=list(SECTIONS), metavar="A,B", help="these sections only")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="rows of a set (default: 20000; classes: 10000; test parts: all)"
    )
    parser.add_argument("--method", metavar="NAME", help="the same as method=NAME in every --options")
    parser.add_argument(
        "--options", action="append", metavar="WORDS", help="a setting to judge, as 'loss=squared no-diagonal'; repeat"
    )
    parser.add_argument("--fresh", action="store_true", help="run the peers again")
    given = parser.parse_args()
    known = {sets.short(name) for name in sets.TEXT + sets.NUMBERS + sets.REGRESSION + sets.CLASSES} | {"made"}
    for name, among in [(name, known) for name in given.sets] + [(name, set(SECTIONS)) for name in given.only]:
        if name not in among:
            parser.error(f"{name}: expected one of {', '.join(sorted(among))}")
    return given


def settings_of(given: argparse.Namespace) -> dict[str, LearnOptions]:
    """{heading: options} of what is to be judged, and what the headings mean on standard output."""
    settings = {}
    for i, text in enumerate(given.options or [""]):
        text = f"method={given.method} {text}".strip() if given.method else text
        heading = f"({i})" if len(given.options or []) > 1 else "ours"
        print(f"{heading}: {text or 'default'}")
        settings[heading] = options_of(text)
    return settings


def main() -> None:
    given = arguments()
    if not DATA.is_dir():
        raise SystemExit(f"bench/quality: no folder {DATA}: set SONLEARN_DATA to that of the data sets")
    try:
        settings = settings_of(given)
    except SonlearnError as error:
        raise SystemExit(f"bench/quality: {error}") from None
    run = sections.Run(settings, given.sets, given.limit, given.fresh, installed("vowpalwabbit"))
    goals = [goal for name, section in SECTIONS.items() if name in given.only for goal in section(run)]
    if goals:
        print_goals(goals)


if __name__ == "__main__":
    main()
