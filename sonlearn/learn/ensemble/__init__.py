"""Engines of engines: learners that hold other learners and combine what they predict.

`combiner`   a full Newton step over the members' predictions: read it first
`target`     what members are to predict: classes as they are, values in standard deviations
`panel`      members, and the combiner of what they say
`prune`     which members a stream can do without
`committee`  views of the rows, and a panel that sees them: the default method
`viewing`    several views of the same rows, side by side
`jobs`       what the threads do, each when what it needs is there

`multinomial`  several classes that share a learner
`against_all`  several classes, each learned against all others, on `sides`, what learns one class
`parts`        learners of parts of the data, and the same combiner: what a cluster has learned; of several classes
               `class_parts`
`mixture`      apart from these: an average weighted by how well each has done

Which members there are stands in `sonlearn.options.members`; the views are `sonlearn.views`. docs/methods.md has the formulas.
"""
