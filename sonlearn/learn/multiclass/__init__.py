"""Several classes: one binary learner a class (`one_vs_rest`, on `binary_subproblems`), or a shared metric."""
