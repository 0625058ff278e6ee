"""Rows -> state: every learner, without input or output.

Read `engine` first, the seam: what a learner is to the rest of the program. Then `learner`, which keeps the names of
features, the labels and one engine (`abreast`: several learners of the same rows), and `engines`, one for each kind of
arithmetic. `losses`, `labels`, `classes` and `dense` are used by all.

The Newton family: `round` (what happens to a row), `step` (what knows alpha), `shrink` and `oja` (the sketches),
`rescale`, `predict`, `newton` (a batch of rounds), on `state`, `status` and `tolerances`. How that costs nothing that
grows with d is apart, in `sparse_time`.

First-order methods: `first_order`, with `invariant`, and `softmax`, where several classes share them. Random
projections: `projected`, with `normals`. Whole matrices: `full`. What a step makes of a matrix's eigenvalues, for all
who have any: `spectrum`. Learners made of learners: `combine`. What moved a prediction,
of any learner: `explain`.
"""
