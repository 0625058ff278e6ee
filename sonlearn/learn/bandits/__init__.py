"""Contextual bandits: decisions, of which only the chosen action's reward is seen.

Read `rounds` first: what happens for a decision. It uses two reward models, each of which gives the expected reward of
a candidate and the width of its confidence, and one rule of exploration:

`diagonal`  logistic regression with a diagonal precision for each (feature, action) that occurred: words
`sketched`  drfd of a few hundred dense features for each action: random Fourier features of numbers
`explore`   expected rewards and widths -> the probability of each action; the choice
`confident` views, and both models in the loop of `rounds`: the default
`by_engine` any method of values in their place, without widths
`bandit`    `Bandit`: names of features, a reward model and its state

A candidate is a row and a column (`sonlearn.data.decisions`): numbered actions share a row and have a column each,
actions with features have a row each and share one column. So both are one code.
"""
