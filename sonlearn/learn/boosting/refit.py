"""A refit in steps: each column gets its codes, then each tree is grown. They are made after rows, a few at a time.

So no single row waits for a whole refit. Until the last step the trees of the refit before predict. What step is made
after which row depends on nothing but the rows learned.
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.learn.boosting.bins import code_column, ring_of, rows_of_refit, slot_of
from sonlearn.learn.boosting.state import CLASSES, COLUMNS, IN_USE, NEXT
from sonlearn.learn.boosting.tree import add_leaves, grow_tree, leaf_of, start_scores

#: Values that are looked at after one row, roughly.
AT_ONCE = 1 << 22
#: Looks that the code of a value takes.
LOOKS = 8


@bare_inline
def go_on(params, state, work, most):
    """Begin a refit when it is due, and make steps of it that look at about `most` values."""
    now = state.now[0]
    if now["step"] == 0 and now["rows"] >= now["due"] and now["classes"] <= CLASSES:
        now["step"], now["last"], now["columns"] = 1, now["rows"], now["seen"]
        now["due"] = now["rows"] + max(int(params.growth * rows_of_refit(now)), 1)
        now["refits"], now["known"] = now["refits"] + 1, now["classes"]
    while now["step"] > 0 and most > 0:
        most -= make_step(params, state, work)


@bare_inline
def make_step(params, state, work):
    """Make the next step of the refit under way; returns about how many values it looks at."""
    now = state.now[0]
    n, t = rows_of_refit(now), now["step"] - 1 - now["columns"]
    if t < 0:
        code_column(state, work.sample, now["step"] - 1)
        now["step"] += 1
        return LOOKS * n
    if t == 0:
        start_scores(params, state)
    grow_tree(params, state, work, t, growing(params, now) + t)
    now["step"] += 1
    if t + 1 == params.trees:
        now["step"], now["first"] = 0, growing(params, now)
        for c in range(now["known"]):
            state.starts[c, IN_USE] = state.starts[c, NEXT]
    return n * (min(now["columns"], COLUMNS) * params.depth + (LOOKS * now["known"] if params.several else 0))


@forced_inline
def growing(params, now):
    """The first of the trees of the refit under way."""
    return params.trees - now["first"]


@bare_jit
def refit_now(params, state, work):
    """A refit from its first step to its last."""
    now = state.now[0]
    now["step"], now["due"] = 0, now["rows"]
    if now["rows"] > 0:
        go_on(params, state, work, 1)
    while now["step"] > 0:
        make_step(params, state, work)


@bare_jit
def restore(params, state, work):
    """Work out what a packed state has been without: codes, edges and scores of the refit under way."""
    now = state.now[0]
    n, t, ring = rows_of_refit(now), now["step"] - 1 - now["columns"], ring_of(now)
    for j in range(min(now["step"] - 1, now["columns"])):
        code_column(state, work.sample, j)
    if t > 0:
        start_scores(params, state)
    for each in range(growing(params, now), growing(params, now) + t):
        for i in range(n):
            row = slot_of(ring, i) * now["width"]
            work.leaf[i] = leaf_of(state.trees, each, state.values[row : row + now["width"]])
        add_leaves(params, state, work.leaf, work.by_leaf, each)
