"""Sketched online Newton: RFD-SON, FD-SON, Oja-SON and their kin, at O(m^2 + ms) an example.

Read `round` first: it processes one row. Then read `step` (the Newton step), `shrink` (frequent directions; here [RFD]
adds half of the shrunk mass to alpha) and `oja`. `rescale` divides features by their scales.
`shrink.learn` is the kernel for a batch, `predict` the one for predictions. `state` declares the arrays, and
`engine` is the interface to the rest of the program. `sparse_time` explains why no cost grows with d. `metagrad` has
many step sizes at once, on one sketch.
"""
