"""Numbers -> text: what a run prints, and what is said of it afterwards.

`progress` (with `labels`) has the running totals of what was predicted, Vowpal Wabbit's table of them, and the summary;
`predictions` writes a line for each example, `audit` what moved a prediction. `problem` is the one place that tells the
kinds of problem apart, and hands what was predicted of a batch to all of these. Of `sonlearn.learn` they take the
record of predictions, links and the histogram of scores; `problem`, `facts` and `metrics` ask a learner what its labels
are and what it has learned.

`decisions` has the texts and totals of decisions. Of a whole run: `quality` adds up calibration, confusions and
coverage, `facts` asks a learner what it has learned, `runlog` writes and reads the log that has all of it, `series` has
the series behind each picture, which ``html/``, a page of a log, and `sonlearn.plot` draw.
"""
