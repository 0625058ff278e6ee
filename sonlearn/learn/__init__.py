"""Rows -> state and predictions: every learner, without input or output.

Read `engine` first, the interface: what a learner is to the rest of the program, and who makes it; what states say of
their arrays is in `sonlearn.data.axes`. Then `learner`, which keeps the names of the features, the labels and one
engine, and of `sonlearn.text` takes how labels and tables are read: a model file has what their columns were.
`losses`, `predicted`, `labels`, `classes` and `scores` serve them all.

A folder for each family has its kernels beside its engine:

`newton`       sketched online Newton: rfd-son, fd-son, oja-son, ...    `diagonal_fd`  drfd
`first_order`  nag, adagrad, arow, ftrl, coin, ...                      `dense`        whole matrices, d x d
`multiclass`   learners of several classes                              `ensemble`     the committee
`bandits`      decisions: reward models, exploration
`boosting`     trees over the last rows
`bayes`        naive Bayes                                              `ewma`         means of the labels
`projected`    random projections

`eigenpairs` the leading ones of a small matrix               `delay`      labels that come late
`log`        updates that features outside a row still owe    `saved`      models in files, who may use them
`merging`    several learners become one (`Engine.merge`)
`pairs`, `tables`  numbers for each feature and class that occurred together: kernels, and what states do with them
`by_row`     rows one by one, without the ceremony of a batch
`explain`    contributions of members and features to a prediction
`drift`      when a stream has changed, by the errors of what predicts it
"""
