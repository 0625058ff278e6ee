"""Sketched online Newton: RFD-SON, FD-SON, Oja-SON and their kin, at O(m^2 + ms) an example.

Read `round` first: it processes one row, and has the Newton step. Then read `shrink` (frequent directions; here [RFD]
adds half of the shrunk mass to alpha) and `oja`. `rescale` divides features by their scales.
`shrink.learn` is the kernel for a batch. `state` declares the arrays, and
`engine` is the interface to the rest of the program. `metagrad` has many step sizes at once, on one sketch.

Sparse time: a round changes the weights of all d features, yet costs O(m^2 + ms). Between two shrinks only coefficients
of size m change (`coordinates`). A shrink writes to the features of the buffered rows alone (`folding`); every other
feature is brought up to date when it is next read (`coordinates`, at its end). Read these in that order.
`coordinates.reorthogonalise` and `folding.orthonormalise` keep the arithmetic accurate when rows are nearly dependent.
"""
