"""Several classes.

`one_vs_rest`          a binary subproblem for each class, `binary_subproblems` what learns one
`multinomial`          one softmax learner for all classes, on `softmax` and `shared_diagonal`
"""
