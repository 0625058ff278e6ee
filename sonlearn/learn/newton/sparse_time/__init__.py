"""Sparse time: a round changes the weights of all d features, yet costs O(m^2 + ms).

Between two shrinks only coefficients of size m change (`coordinates`). A shrink writes to the features of the buffered
rows alone (`folding`); every other feature is brought up to date when it is next read (`generations`). Read the modules
in that order. `coordinates.look_again` and `folding.orthonormalise` keep the arithmetic accurate when rows are nearly
dependent.

A round uses `coordinates`, `append`, `move_wbar`, `move_kept`; a shrink uses `fold`, `is_due`. Between rounds:
`orthonormalise`, `renew`, `log_is_full`, `log.with_room`. Predictions use `present`, `coefficients`.
"""
