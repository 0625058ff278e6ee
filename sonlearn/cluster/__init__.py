"""Sketching, learning and prediction on several machines, one partition of the data at a time.

`partitions`  partitions of the data: files, ranges of a file, or lines, tables and matrices in memory
`tasks`       the work on one partition: sketch it, learn it, predict it
`worker`      the handling of signals in a worker process
`plan`        the assignment of partitions to learners and to the combiner
`dask`        all of this on a Dask cluster; the other modules depend on no scheduler
"""
