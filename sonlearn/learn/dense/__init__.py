"""Learners that keep the whole matrix, d x d: what the sketched ones approximate, for few features.

`factor`    a matrix as a triangular factor that grows with the features: solve and rank-one update in O(d^2)
`rounds`    full-on and arow-full on that factor
`spectral`  what needs eigenvalues, O(d^3) a row: full-on with alpha = 0, ada-full, ada-lr
`metagrad`  many step sizes at once, on one such decomposition
"""
