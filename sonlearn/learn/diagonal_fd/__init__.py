"""Frequent directions with diagonal compensation, on AROW's step: the method ``drfd``.

The matrix is Delta + B'B: B is the sketch, and the diagonal Delta makes the diagonal of the whole exact.
Read `rounds` (predict and learn a row; shrink; a shrink is applied to a feature when the feature is next read), then
`engine`, which also makes one learner of several; `dense` is the engine of dense rows.
"""
