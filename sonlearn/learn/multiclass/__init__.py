"""Learners of several classes at once: what a row scores for every class, from what has occurred with its features.

`pairs`    the table beneath: numbers for each (feature, class) that occurred together, and for no other
`sums`     largest and sums over classes
`merging`  tables of several learners side by side
`arow`     AROW with a diagonal, against up to three rivals
`nag`      normalised adaptive gradient, softmax
`bayes`    naive Bayes
`rls`      recursive least squares with one whole matrix for all classes
`shares`   how frequent each class has been of late

They are the members of `sonlearn.learn.ensemble.classes`, and have the verbs of an engine
(`sonlearn.learn.engine.Engine`) with two differences: what is filled in is float64[n, K], and labels are *slots*:
classes numbered from 0 on in the order in which the rows learned from showed them, so that the first row of a class
shows it no earlier than all lower numbers. A class has a score in a row only if a row before has shown it; columns
beyond are left as they are.

Besides, there are engines: `one_vs_rest` has a binary subproblem for each class (`binary_subproblems` learns one),
`multinomial` one softmax learner for all classes (on `softmax` and `shared_diagonal`).
"""
