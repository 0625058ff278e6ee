"""A model as a service (extra ``serve``): HTTP, and lines over TCP as Vowpal Wabbit's daemon takes them.

To read: `worker` (the one place that touches the learner: requests wait in a queue, and what waits together is parsed,
predicted or learned together), `app` (HTTP requests to a worker, by Starlette), `lines` (the line protocol), `metrics`,
`server` (all of it, from the first connection to the last answer; uvicorn's connections with bounds on headers, time
and unread answers). Of decisions `decider` is the worker, `events` the log; of labels that come
late `labels`, with the same log. Else nothing here opens a file: who starts a server says how to save.
"""
