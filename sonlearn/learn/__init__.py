"""Learning: rows in, predictions and states out. Nothing here reads or writes files.

Read `engine` first: it declares the interface of every learner. Then read `learner`, which holds the names of the
features, the labels and one engine. `shared_index` trains several learners on the same rows. All learners use
`losses`, `labels`, `classes` and `linear_algebra`; `make` builds the engine for given options.

Each family has a folder with its kernels and its engine:

`newton`       sketched online Newton; its folder `sparse_time` makes the cost independent of d
`diagonal_fd`  frequent directions with an exact diagonal, on AROW's step
`first_order`  gradient descent and its relatives, with `invariant_step`
`projected`    random projections, with the random numbers of `normals`
`dense`        full matrices, for few features
`metagrad`     many step sizes at once
`bayes`        naive Bayes, in one file
`multiclass`   several classes
`ensemble`     learners that combine other learners

`spectrum` has the spectral functions of all families with a matrix, `log` the index arithmetic of lazy updates,
`tolerances` the thresholds. `merge` combines learners of several partitions of the data, and `explain` attributes a
prediction to features and members.
"""
