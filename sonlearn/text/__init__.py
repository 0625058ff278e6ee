"""Text -> `sonlearn.data.batch.Batch`: reads every format and writes some. Knows nothing of learners.

To read, along the way of a line: `source` (bytes in chunks that end where a line ends; `compression`), `read` (sources
to batches, in order, with `pipeline` ahead of the learner), `chunk` (a chunk to rows), and the kernels of the formats,
`svmlight` and `vw`, which fill `rows`, over `number` (text to float64), `hashing` and `interact` (-q, n-grams).
`malformed` says what is wrong with a line. JSON and dicts need no kernel: `objects` decodes them, `records` makes
features of them.

Tables: `csv` and `arrow`, column by column (`assemble`), and JSON of models that know no namespaces, row by row
(`flat`), with the columns of `columns` and the features of `encode`; `infer` says how columns are read that no option
names. Decisions of bandits: the folder `decisions`. Further: `cache` (parsed text, kept), `join` (labels by id),
`names` (of hashed features), `write` (batches to text).
"""
