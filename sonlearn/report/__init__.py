"""Numbers -> text: what a run prints.

`progress` has the running totals of what was predicted, Vowpal Wabbit's table of them, and the summary; `predictions`
writes a line for each example, `classes` what stands in it where there are several; `outcomes` hands what was predicted
of a batch to the totals. They know nothing of learners: they are given what was predicted.
"""
