"""What a policy would have cost in place of the one that wrote a log: estimates, with intervals that hold at any time.

To read: `value` (unbiased terms of a decision; estimates and intervals of one policy, or of a difference of two; lower
bounds of a mean that hold at all times), `evaluation` (the policies of a log side by side, and what is wrong with its
probabilities). Nothing here reads files or knows of models.
"""
