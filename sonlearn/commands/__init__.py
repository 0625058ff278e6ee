"""The verbs: they wire text, learners and reports together, and nothing is imported from here but by `sonlearn.cli`.

Read `verbs` first: the table of verbs, and the command line made of the dataclasses that hold the options (`flags` has
those of runs, `options` the others). Then `passes` with `milestones`, the way of a run from reading to saving, and
`train` (also ``predict``) and `tune`, which learn on that way; `cluster` shares the work out, `serve` answers requests;
`convert`, `inspect`, `report`, `sketch` with `sketching`, `warm` and `completion` are short.

What several of them need: `checks` (what is refused before any work), `files` (no output is an input), `settings` (a
new model's options, and those of a model at hand), `models` (a learner's file, and how far a run has come), `recording`
(a run's log, page and bar), `audit` (what moves each prediction), `interrupts` (a signal ends a run between two
batches), `vw_flags` (what became of Vowpal Wabbit's flags).
"""
