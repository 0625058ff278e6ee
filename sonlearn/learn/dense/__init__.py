"""Learners with the full d x d matrix, for few features. The sketched learners approximate them.

`factor`    the matrix as a triangular factor that grows with the features: solve and rank-one update in O(d^2)
`rounds`    full-on and arow-full, on that factor
`ridge`     sums over all rows, O(s^2) a row, and the weights that follow from them
`spectral`  methods that need eigenvalues, O(d^3) a row: full-on with alpha = 0, ada-full, ada-lr
`engine`    the interface to the rest of the program
"""
