"""Batch -> rows as a learner sees them: features numbered by first sight, and further views of the same rows."""
