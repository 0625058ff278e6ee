"""Contextual bandits: decisions of which only the chosen action's reward is known.

Read `rounds` first: the loop over decisions, and what learns by default. It uses two reward models and a rule of
exploration. A reward model gives the expected reward of a candidate and the width of its confidence:

`diagonal`  logistic regression with a diagonal precision for each (feature, action) that occurred: words
`sketched`  drfd of a few hundred dense features for each action: random Fourier features of numbers
`explore`   expected rewards and widths -> the probability of each action; the choice
`by_engine` any method of values in their place, without widths
`bandit`    `Bandit`: names of features, a reward model and its state

A candidate is a row and a column (`sonlearn.data.decisions`): numbered actions share a row and have a column each,
actions with features have a row each and share one column. So both are one code.
"""
