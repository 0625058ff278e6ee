"""What is done with a part of the data on one machine of many, and how the parts are put together. Knows no scheduler.

`partitions`  files, or lines of a file, as parts; also lines, tables and matrices that are in memory already
`tasks`       what a worker does with a part: sketch it, learn it, predict it
`worker`      what a worker process does with signals
`plan`        which learner learns which parts, and on which the combiner learns

What is here runs anywhere; `sonlearn.dask` runs it on a Dask cluster.
"""
