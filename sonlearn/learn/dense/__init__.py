"""Learners with the full d x d matrix, for few features. The sketched learners approximate them.

`rounds`    full-on and arow-full, on a triangular factor that grows with the features: O(d^2) a row; ridge, on sums
            over all rows: O(s^2) a row, and the weights that follow from them; methods that need eigenvalues, O(d^3)
            a row: full-on with alpha = 0, ada-full, ada-lr; metagrad, many step sizes at once on the same matrix
            (with a sketch: `sonlearn.learn.newton.metagrad`)
`engine`    the interface to the rest of the program
"""
