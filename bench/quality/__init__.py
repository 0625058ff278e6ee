"""How well the learner learns, beside Vowpal Wabbit and River: see `__main__`."""
