"""Write docs/vw-flags.md from `sonlearn.options.vw_flags`; run it after a change there."""

import shlex
from pathlib import Path

from sonlearn.commands.vw_line import translate
from sonlearn.errors import OptionError
from sonlearn.options import vw_flags

#: Lines of VW as people write them, of which the tables of flags tell ours.
PLAIN = [
    "vw train.vw -f model",
    "vw -d train.vw -f model --loss_function logistic",
    "vw -i model -t test.vw -p predictions --quiet",
    "vw -d train.vw -c -k --passes 3 -f model",
    "vw -d train.vw --cache_file train.cache -k --passes 5 --holdout_off --loss_function logistic",
    "vw -d train.vw -b 24 -q :: --l2 1e-6 --loss_function logistic",
    "vw train.vw --ngram 2 --skips 1 -b 22",
    "vw train.vw --binary --loss_function logistic -P 100",
    "vw train.vw --ignore b --cubic sss --hash all --noconstant",
    "vw train.vw --loss_function logistic --link logistic -p predictions --compressed",
    "vw train.vw --loss_function quantile --quantile_tau 0.9 --sort_features",
    "vw -d train.vw --save_resume --preserve_performance_counters -f model --examples 100",
    "vw train.vw --sgd -l 0.05 --power_t 0",
    "vw train.vw --coin --loss_function logistic",
    "vw classes.vw --oaa 3 --probabilities -p predictions --loss_function=logistic",
    "vw train.vw -c --passes 10 --early_terminate 2 --holdout_period 5 -l0.5",
    "vw train.vw --nn 5 -l 0.1",
    "vw classes.vw --ect 3",
    "vw train.vw --adaptive --normalized --invariant --random_seed 17",
    "vw train.vw --bfgs --passes 20 -c --mem 7 --loss_function logistic",
    "vw log.vw --cb_explore_adf -q ua --bag 5 --epsilon 0.1",
    "vw train.vw -l 0.1 --power_t 0.3",
]
#: Those of which more changes, or which cannot be done here: the page shows them.
CHANGED = [
    "vw train.vw -l 0.5 --loss_function logistic",
    "vw train.vw --ftrl --ftrl_alpha 0.1 --ftrl_beta 1 --l1 1e-5 --loss_function logistic",
    "vw classes.vw --oaa 3 -f model --save_resume",
    "vw names.vw --oaa 3 --named_labels red,green,blue",
    "vw --daemon --port 26542 -i model -t --quiet --num_children 4",
    "vw log.vw --cb_explore_adf -q ua -l 0.1 --power_t 0",
    "vw costs.vw --csoaa 3 --lda 5",
]
#: Tests run all that can be run.
EVERYDAY = PLAIN + CHANGED

HEAD = """# Vowpal Wabbit's flags

`sonlearn vw` takes a whole command line of Vowpal Wabbit: it leaves out what is harmless, takes the nearest to what is
not here, with a warning, names all that cannot be done in one message, and runs the rest. The loss is VW's, squared,
where none is given. Flags of learning go to the one method that takes them (`-l`: `nag`; `--ftrl_alpha`: `ftrl`); where
there are none the committee learns, or of decisions their two reward models. Without a method `--l1` is left out with a
warning. Predictions have VW's bounds unless `--min_prediction` or `--max_prediction` is given: `--clip labels` keeps
them within 0 and the labels so far (VW counts the row's own, too), `--clip 50` those of logistic and Poisson losses
with a method. `--oaa K -l` learns VW's classes where its `-b` leaves room: VW divides the 2^b slots among classes, so
that at its 18 features share weights. Decisions with `-l`: [bandits.md](bandits.md#how-it-learns).

Of the 691 command lines in VW's own tests 351 are followed. Where both print an average loss, it is .67 of VW's
(geometric mean of 226 lines, without one of another Poisson loss and one with `--constant 1000`; .93 in the median,
higher on 70), mostly of 3 to 1,000 rows; far higher after many passes over some ten rows: give `-l`. Standard error has
the line of ours:

```console
$ sonlearn vw -d data/sample.vw -c -k --passes 2 -l 0.3 --loss_function logistic --quiet -f mail.model
$ sonlearn vw data/sample.vw --nn 5 -l 0.3 --loss_function logistic --quiet
sonlearn: warning: --nn 5 is not here; the committee learns pairs of features and trees
sonlearn: warning: --learning_rate 0.3 was left out: what learns here has its own
$ sonlearn vw data/sample.vw --lda 10 --lda_alpha 0.1 --affix +2b
sonlearn: vw: this cannot be done here: --lda, --lda_alpha (no topics); --affix (features are those of the text, and \
of -q, --interactions, --ngram and --skips)
```

| line | is here |
|---|---|
"""

REST = """
## All flags

Of the flags that `vw --help` of release 9.11 lists, these work, with the same meaning: {works}.

With some methods or rules only: {limited}.

| works | but |
|---|---|
{differs}

These are not here:

| flag | what stands for it |
|---|---|
{stands}

| leave out | for |
|---|---|
{needless}

All others have no counterpart; `sonlearn train` says so of each, and why.
"""


def ours(line: str) -> str:
    """What an everyday line is here, or why it is not."""
    try:
        return f"`sonlearn {shlex.join(translate(shlex.split(line)[1:]).arguments)}`"
    except OptionError as error:
        return "not here: " + str(error).partition("done here: ")[2]


def spelt(name: str) -> str:
    """A flag, its short form first."""
    return ", ".join(f"`{each}`" for each in (*(s for s, long in vw_flags.SHORT.items() if long == name), name))


def page() -> str:
    """The page as it is to be."""
    everyday = [f"| `{line}` | {ours(line)} |" for line in CHANGED]
    alike: dict[vw_flags.FlagSupport, list[str]] = {}
    for name, answer in sorted(vw_flags.FLAGS.items()):
        if answer.state != vw_flags.NOT_HERE:
            alike.setdefault(answer, []).append(spelt(name))
    works = ", ".join(alike.pop(vw_flags.FlagSupport(vw_flags.WORKS, "")))
    limited = [
        f"{', '.join(alike.pop(answer))} ({answer.text.removeprefix('of ')})"
        for answer in list(alike)
        if answer.state == vw_flags.WORKS and answer.text.startswith("of ") and ";" not in answer.text
    ]
    tables: dict[str, list[str]] = {"differs": [], "stands": [], "needless": []}
    for (state, text), names in alike.items():
        reason = text.removeprefix("leave it out: ")
        place = "differs" if state == vw_flags.WORKS else "stands" if reason == text else "needless"
        tables[place].append(f"| {', '.join(names)} | {reason.replace('|', '&#124;')} |")
    lists = {"works": works, "limited": "; ".join(limited), **{k: "\n".join(v) for k, v in tables.items()}}
    return HEAD + "\n".join(everyday) + "\n" + REST.format(**lists)


if __name__ == "__main__":
    (Path(__file__).resolve().parents[2] / "docs" / "vw-flags.md").write_text(page(), encoding="utf-8")
