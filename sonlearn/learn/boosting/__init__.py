"""Boosted trees, refitted over a buffer of the last rows.

`state`   what is kept: the buffer, the trees that predict, those that are being grown; codes of at most 64 bins
`tree`    one tree: gradients, histograms, splits, leaves
`rounds`  rows one after the other: predict, keep, go on with the refit, some steps of it after each row learned
`engine`  the interface to the rest of the program
"""
