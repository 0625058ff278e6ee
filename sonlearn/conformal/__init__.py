"""Sets and intervals that hold the label as often as was asked, on any stream: a layer beside a learner.

What is predicted goes in, and the label after that; the learner is not touched, so every method has it. To read:
`tracker` (the threshold that keeps the coverage), `values` (intervals), `classes` (sets), `layer` (both, with what is
saved). docs/coverage.md has the promise, and what was measured.
"""
