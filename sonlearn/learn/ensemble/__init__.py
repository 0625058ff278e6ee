"""Ensembles of learners: members that predict a row, and a combiner that learns what their predictions are worth.

`combiner`   a full Newton step over the members' predictions: read it first
`label_scale` the label standardiser: classes as they are, values in standard deviations
`stacking`   members, and the online and the offline combination of their predictions
`pruning`    which members a stream can do without
`drift`      when the stream has changed
`committee`  views of the rows, and a stacked ensemble that learns from them: the default method
`by_row`     the committee's rows one by one, all kernels of a row by one call
`viewing`    several views of the same rows, side by side
`merging`    combiners, labels and changes of several ensembles as one
`jobs`       what the threads do, each when what it needs is there

`class_combiner`  a full online Newton step over scores of several classes
`class_pruning`   which members of several classes a stream can do without
`classes`         the committee of several classes: views, members, the combiner

`mixture`           an average weighted by how well each member has done

The table of members is `sonlearn.options.members`, the views are `sonlearn.views`. docs/methods.md has the formulas.
"""
