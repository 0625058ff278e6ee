"""Sketched online Newton: RFD-SON, FD-SON, Oja-SON and their kin, at O(m^2 + ms) an example.

Read `round` first, what happens to one row; then `step` (the Newton step, the only place that knows alpha), `shrink`
(frequent directions; [RFD]'s half of the shrunk mass goes to alpha here) and `oja`. `rescale` divides features,
`forgetting` lets the past fade, `learn` is the kernel of a batch and `predict` that of a prediction. `state` has the
arrays, `engine` is what the rest of the program calls. How none of this costs anything that grows with d is apart, in
`sparse_time`.
"""
