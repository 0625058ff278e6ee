"""Options of runs: what belongs to one call of a verb and to no model, once, with default, range and help.

Imports neither numpy nor numba. Flags are made of them in `sonlearn.commands.verbs`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from sonlearn.errors import OptionError
from sonlearn.options.spec import option
from sonlearn.options.text import ON_ERROR

#: What -p writes.
FORMS = ("vw", "csv", "jsonl")
#: -P where it is not given.
COARSE = "2.0"


@dataclasses.dataclass(frozen=True)
class RunOptions:
    """What belongs to one run and not to the model: files, passes, reporting."""

    data: tuple[str, ...] = option(
        (), "read this file as well (DATA and -d may be mixed)", flags=("-d", "--data"), metavar="FILE"
    )
    initial_regressor: str | None = option(
        None, "start from this model", flags=("-i", "--initial_regressor"), metavar="MODEL"
    )
    final_regressor: str | None = option(
        None, "save the model here at the end", flags=("-f", "--final_regressor"), metavar="MODEL"
    )
    save_per_pass: bool = option(False, "save the model after every pass as well", rare=True)
    invert_hash: str | None = option(
        None, "write the weights of the model by name at the end, as VW does: name:slot:weight a line", metavar="FILE",
        rare=True,
    )  # fmt: skip
    checkpoint: int | None = option(
        None, "save the model after every N examples as well, at the end of a batch", low=1, metavar="N"
    )
    checkpoint_minutes: float | None = option(
        None, "save the model after every N minutes as well, at the end of a batch", above=0.0, metavar="N", rare=True
    )
    resume: bool = option(
        False, "continue the unfinished run that saved the model -f; begin a run if there is no such file"
    )
    testonly: bool = option(False, "predict and report the loss, learn nothing (needs -i)", flags=("-t", "--testonly"))
    predictions: str | None = option(
        None, "write one prediction a line, with its tag: of two classes log-odds (the probability: --link logistic); "
        "-: standard output", flags=("-p", "--predictions"), metavar="FILE",
    )  # fmt: skip
    form: str = option(
        "vw", "what -p writes: VW's lines, or id, label and probability", choices=FORMS, flags=("--output",)
    )
    raw_predictions: str | None = option(
        None, "write predictions before the projection onto [-C, C]", flags=("-r", "--raw_predictions"),
        metavar="FILE", rare=True,
    )  # fmt: skip
    probabilities: bool = option(False, "of several classes, -p writes the probability of each: label:p ...")
    top: int | None = option(
        None, "of several classes, -p writes the K likeliest, likeliest first: label:p ...", low=1, metavar="K"
    )
    audit: bool = option(
        False, "explain each prediction on standard output: contributions of members and features, largest first",
        flags=("-a", "--audit"),
    )  # fmt: skip
    audit_top: int = option(
        10, "with --audit: features of an example that are listed; 0: all", low=0, metavar="N", rare=True
    )
    audit_format: str = option(
        "text", "with --audit: text, or json, a line for each example; mean: mean contributions of all, at the end",
        choices=("text", "json", "mean"), rare=True,
    )  # fmt: skip
    passes: int = option(1, "go over the data N times", low=1, metavar="N")
    cache: bool = option(
        False, "keep parsed text in DATA.cache; later passes and runs read that, unless DATA has changed since",
        flags=("-c", "--cache"),
    )  # fmt: skip
    cache_file: str | None = option(
        None, "keep parsed examples in FILE; for several files, or standard input", rare=True, metavar="FILE"
    )
    holdout_off: bool = option(False, "with several passes, hold no examples out")
    holdout_period: int = option(
        10, "with several passes, hold every N-th example out of learning and report the loss on those", low=2,
        metavar="N",
    )  # fmt: skip
    holdout_after: int | None = option(
        None, "with several passes, hold all examples after the first N out instead", low=1, metavar="N", rare=True
    )
    early_terminate: int | None = option(
        None, "end after N passes in a row without a fall of the holdout loss, with the best pass's model", low=1,
        metavar="N",
    )  # fmt: skip
    join: str | None = option(
        None, "take the labels from this table, by id (--id, --label; VW text: tags, columns id and label)", rare=True,
        metavar="FILE",
    )  # fmt: skip
    examples: int | None = option(None, "read the first N examples only", low=1, metavar="N")
    on_error: str = option("stop", "a malformed line ends the run, or is left out and counted", choices=ON_ERROR)
    max_errors: int | None = option(
        None, "with --on-error skip: end the run when more lines than this are malformed", low=0, metavar="N", rare=True
    )
    threads: int | None = option(
        None, "threads that parse ahead, and that run the members; 0: the main one only (default: 1 that parses, and "
        "one for each core)", low=0, high=64, metavar="N",
    )  # fmt: skip
    progress: str | None = option(
        None, "print a row when the summed weight has grown by N (1000) or N-fold (2.0)", flags=("-P", "--progress"),
        metavar="N", general=COARSE,
    )  # fmt: skip
    progress_bar: bool = option(
        False, "on a terminal, a bar with speed and time left in place of the rows (needs tqdm)"
    )
    log_json: str | None = option(
        None, "write a row as JSON when the summed weight has grown 1.1-fold (or as -P says), at the end the results",
        metavar="FILE",
    )  # fmt: skip
    report: str | None = option(None, "at the end, write a page about the run (HTML)", metavar="FILE")
    quiet: bool = option(False, "print nothing but errors and warnings")

    @property
    def reading(self) -> dict[str, Any]:
        """What readers are told: what becomes of malformed lines, and how many threads parse ahead."""
        threads = 1 if self.threads is None else self.threads
        return {"on_error": self.on_error, "max_errors": self.max_errors, "threads": threads}


def parse_progress(text: str) -> tuple[float, bool]:
    """``-P``'s value as (step, additive): a whole number is added, one with a point multiplies, as in VW."""
    try:
        step, additive = (float(text), False) if "." in text else (float(int(text)), True)
        if (additive and step >= 1) or 1 < step < float("inf"):
            return step, additive
    except ValueError:
        pass
    raise OptionError(
        f"--progress {text}: expected a whole number (1000: a row every 1000) or a number above 1 with a point "
        "(1.5: a row at 1.5 times the last one)"
    )
