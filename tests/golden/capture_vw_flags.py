"""Write docs/vw-flags.md from `sonlearn.options.vw_flags`; run it after a change there."""

from pathlib import Path

from sonlearn.options import vw_flags

#: What users of Vowpal Wabbit type every day, in the order of its tutorial.
DAILY = (
    "--data", "--final_regressor", "--initial_regressor", "--testonly", "--predictions", "--raw_predictions",
    "--passes", "--cache", "--cache_file", "--kill_cache", "--loss_function", "--link", "--binary",
    "--learning_rate", "--power_t", "--l1", "--l2", "--bit_precision", "--quadratic", "--interactions", "--ngram",
    "--ignore", "--noconstant", "--oaa", "--probabilities", "--csoaa", "--progress", "--quiet", "--audit",
    "--invert_hash", "--readable_model", "--save_resume", "--holdout_off", "--early_terminate", "--random_seed",
    "--ftrl", "--coin", "--bfgs", "--OjaNewton", "--sketch_size", "--daemon", "--cb_explore_adf",
)  # fmt: skip

HEAD = """# Vowpal Wabbit's flags

The tables have three answers. `works`: `sonlearn train` has the same flag with the same meaning, within the limits
named. `stands for`: there is no such flag; give what the third column says, or nothing. `not here`: nothing takes its
place, and the third column says why. The command line gives the same answer to a flag that it does not know.

## What you type every day

"""

REST = """
## All flags

All flags that `vw --help` of release 9.11 lists.

"""


def page() -> str:
    """The page as it is to be."""
    return HEAD + "\n".join(vw_flags.table(DAILY)) + "\n" + REST + "\n".join(vw_flags.table()) + "\n"


if __name__ == "__main__":
    (Path(__file__).resolve().parents[2] / "docs" / "vw-flags.md").write_text(page(), encoding="utf-8")
