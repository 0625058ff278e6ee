"""Ensembles of learners: members that predict a row, and a combiner that learns what their predictions are worth.

`class_combiner`  a full online Newton step over scores of several classes
`class_pruning`   which members a stream can do without
`classes`         the committee of several classes: views, members, the combiner
`committee_partitions`  committees of several classes, of partitions of a stream, under one combiner
"""
