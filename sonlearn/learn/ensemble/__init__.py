"""Ensembles of learners: members that predict a row, and a combiner that learns what their predictions are worth.

`combiner`      weights of the members' predictions, a full Newton step over them: read it first
`committee`     views of the rows, members, and the online and the offline combination: the default method
`target`        all that the kind of problem decides; `label_scale` has labels, of values in standard deviations
`slots`         several classes, and the step on their scores
`progress`      how members and combinations have done, and what a committee has to tell
`pruning`       which members a stream can do without, and what they are worth
`scheduling`    several views of the same rows; who learns when, side by side
`merging`       several committees as one
`by_row`        the committee's rows one by one, all kernels of a row by one call

`mixture`       an average weighted by how well each member has done

The table of members is `sonlearn.options.members`, the views are `sonlearn.views`. docs/methods.md has the formulas.
"""
