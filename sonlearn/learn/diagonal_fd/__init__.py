"""Frequent directions with diagonal compensation, on AROW's step: the method ``drfd``.

The matrix is Delta + B'B: B the sketch, Delta a diagonal such that the whole has the exact diagonal of the unsketched
matrix. Read `rounds` (predict and learn a row), `shrink`, then `lazy` (features undergo a shrink when they are next
read), `predict`, `state` and `engine`.
"""
