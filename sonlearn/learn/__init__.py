"""Learners: rows in, predictions made before each label, a state out. No text, no report, no file but whole models.

Read first `engine` (what every learner is to the rest: five verbs and a state) and `learner` (names of features,
labels, one engine). Then the Newton family: `round` (the algorithm), `step` (what knows alpha), `shrink` and `oja`
(what becomes of a row), `rescale` (rows as the learner sees them), `state` (its names). How all this costs O(m^2 + ms)
a row and not O(md) stands apart in `sparse_time`, what rounding decides in `tolerances`. `newton` strings rounds and
shrinks together, `predict` reads the state, `dense` has small matrices, `losses` the losses.

`engines` makes an engine of options; `combine` has engines of engines. What varies from method to method are values in
`sonlearn.methods`, not copies here.
"""
