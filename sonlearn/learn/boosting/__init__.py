"""Boosted trees, refitted over a buffer of the last rows.

`state`   what is kept: the buffer, the trees that predict, those that are being grown
`bins`    columns of the buffer become codes of at most 64 bins
`losses`  what scores are to a loss: errors, slopes, what a leaf adds
`tree`    one tree: gradients, histograms, splits, leaves
`rounds`  rows one after the other: predict, keep, make the next steps of a refit
`engine`  the interface to the rest of the program
"""
