"""Engines of engines: learners that hold other learners and combine what they predict.

`combiner`   a full Newton step over the members' predictions: read it first
`label_scale` the label standardiser: classes as they are, values in standard deviations
`stacking`   members, and the online and the offline combination of their predictions
`pruning`    which members a stream can do without
`drift`      when the stream has changed
`committee`  views of the rows, and a stacked ensemble that learns from them: the default method
`viewing`    several views of the same rows, side by side
`jobs`       what the threads do, each when what it needs is there

`partitions`  learners of partitions of the data, and the same combiner: what a cluster has learned; of several classes
              `class_partitions`
`mixture`     apart from these: an average weighted by how well each has done

Which members there are stands in `sonlearn.options.members`; the views are `sonlearn.views`. docs/methods.md has the formulas.
"""
