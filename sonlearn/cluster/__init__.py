"""Sketching, learning and prediction on several machines, one partition of the data at a time.

`partitions`  partitions of the data: files, ranges of a file, or lines, tables and matrices in memory; their assignment
              to rounds and learners
`tasks`       the work on one partition: sketch it, learn it, predict it
`dask`        all of this on a Dask cluster
`tuning`      settings of a grid on a Dask cluster; the modules before `dask` depend on no scheduler
`estimators`  scikit-learn's form, on `dask.array` and `dask.dataframe`
"""
