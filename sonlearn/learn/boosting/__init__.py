"""Boosted trees, refitted over a buffer of the last rows.

`state`   what is kept: the buffer, the trees that predict, those that are being grown
`bins`    columns of the buffer become codes of at most 64 bins
`tree`    one tree: gradients, histograms, splits, leaves
`refit`   the steps of a refit, some of them after each row learned
`rounds`  rows one after the other: predict, keep, go on with the refit
`engine`  the interface to the rest of the program
"""
