"""Engines of engines: learners that hold other learners and combine what they predict.

`combiner`   a full Newton step over the members' predictions
`target`     labels as members are told them, and predictions as the world is
`panel`      members, and the combiner of what they say
`committee`  views of the rows, and a panel that sees them: the default method
`retire`     which members a stream can do without
"""
