"""Learners of several classes at once: what a row scores for every class, from what has occurred with its features.

`arow`     AROW with a diagonal, against up to three rivals
`bayes`    naive Bayes
`rls`      recursive least squares with one whole matrix for all classes

They, `sonlearn.learn.first_order.engine.Nag`, and `sonlearn.learn.ewma` of several classes, are engines
(`sonlearn.learn.engine.Engine`) and the members of `sonlearn.learn.ensemble`. They fill in `Predictions.raw` alone, and
the columns of the classes that a row before has shown; columns beyond stay as they are. Features and classes of their
states may get other numbers (`Engine.renumbered`).

Besides, there is `by_method`: a binary subproblem for each class, or one softmax learner for all classes.
"""
