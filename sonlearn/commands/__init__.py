"""The commands: they wire text, learners and reports together. Only `sonlearn.cli` imports from here.

Read `verbs` first: the table of commands, whose flags are made of the dataclasses in `sonlearn.options`; `line` splits
a command line up, and writes the help. Then `passes`, the way of a run from reading to saving, `session`, one learner
on that way with its log and page, of which there are `train` (also ``predict``) and `bandit`, and `tune`, many of them.
`cluster` shares the work out, `serve` answers requests, `vw_line` takes whole command lines of Vowpal Wabbit;
`inspect`, `sketch`, `completion` and those in `conversions` are short.

Several of them use `checks` (what is refused before any work: no output is an input), `messages` (lines on standard
error), `models` (a learner's file, how far a run has come, and the options of a new model or a loaded one), and
`precompile` (a second process compiles ahead; ``warm``)."""
