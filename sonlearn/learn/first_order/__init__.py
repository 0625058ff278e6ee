"""First-order learners: gradient descent and its kin, diagonal AROW, FTRL, coin betting.

`rules` has one kernel with a rule for each method; `engine` is the interface to the rest of the program, and makes
one learner of several.
"""
