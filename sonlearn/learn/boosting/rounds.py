"""Rows one after the other: the trees predict, then the row is kept and the refit under way goes on.

Where the trees begin to err much more than they did (`learn.drift`, with a wider slack: what else learns follows
small changes), rows before that moment are forgotten, and a refit of those after it begins at once.

A refit goes in steps: each column gets its codes, then each tree is grown. They are made after rows, a few at a time:
so no single row waits for a whole refit. Until the last step the trees of the refit before predict. What step is made
after which row depends on nothing but the rows learned.
"""

from sonlearn.data.linear_algebra import clear_first
from sonlearn.data.rows import COUNT, is_learned
from sonlearn.jit import inline, jit
from sonlearn.learn.boosting.bins import code_columns, refit_rows
from sonlearn.learn.boosting.losses import SOFTMAX, SQUARED, class_of, error_of, set_base_scores
from sonlearn.learn.boosting.state import BASE, COLUMNS, GRADIENT, IN_USE, LABEL, MAX_CLASSES, MAX_VALUE, NEXT, WEIGHT
from sonlearn.learn.boosting.tree import add_leaves, child_of, fill_leaves, find_leaves, grow_tree, leaf_offset
from sonlearn.learn.drift import MAX_CHANGES as CHANGES
from sonlearn.learn.drift import add_error
from sonlearn.learn.tolerances import LIMIT

#: A mean error of the trees that is higher by this is no change.
SLACK = 0.1
#: What `predict_and_learn` does behind the rows.
NOTHING, REFIT, REBUILD, ASK = range(4)


@jit
def predict_and_learn(params, state, work, rows, start, learns, raw, then):
    """raw[start:] <- predictions; where `learns`, rows are kept and refits made, each after the row's prediction.

    Behind them `REFIT` brings the refit that is due or under way to its end, `REBUILD` works out what a packed state
    has been without, and `ASK` puts the errors in the last rows kept into raw[:, 0]. They are no kernels of their own:
    these would be compiled before a model's first prediction.

    Returns the first row that was refused or for which there is no room, or n.

    Parameters
    ----------
    params : Params; state : BoostState, modified unless it only predicts; work : Scratch, overwritten
    rows : Rows; start : int
    raw : float64[n, K], of several classes filled in up to those that the rows before have shown
    """
    now, width = state.now[0], state.now[0]["width"]
    for i in range(start, len(rows.y)):
        learned = learns and is_learned(rows.weight[i], rows.y[i])
        if learned and not fits_buffer(params.loss, now, state.base_scores, state.labels, state.values, rows, i):
            return i
        read_values(rows, i, work.x, width)
        for c in range(now["classes"]):
            raw[i, c] = rows.base[i]
        descend_trees(params, now["first_tree"], state.trees, work.x, work.ends)
        if (
            rows.indptr[i] < rows.indptr[i + 1] or rows.unseen[i, COUNT] > 0
        ):  # a view of numbers shows a text as nothing
            add_scores(params, now, state.base_scores, state.trees, work, raw[i])
        if learned:
            detect_tree_drift(params, now, state.drift, raw[i], rows.y[i])
            append_to_buffer(params, state, work, rows, i)
        clear_first(work.x, width)
        if learned and (now["step"] > 0 or now["rows"] >= now["due"]):  # a call hands over hundreds of numbers
            advance_refit(params, state, work, MAX_READS_PER_ROW)
    if then == REFIT:
        advance_refit(params, state, work, UNLIMITED)
    elif then == REBUILD:
        rebuild_derived(params, state, work)
    for i in range(len(raw) if then == ASK else 0):
        slot = (now["rows"] - len(raw) + i) % now["slots"]
        descend_trees(params, now["first_tree"], state.trees, state.values[slot * width :], work.ends)
        raw[i, :] = state.labels[slot, BASE]
        add_scores(params, now, state.base_scores, state.trees, work, raw[i])
        raw[i, 0] = error_of(params.loss, raw[i], now["classes"], state.labels[slot, LABEL])
    return len(rows.y)


@inline
def fits_buffer(loss, now, base_scores, labels, values, rows, i):
    """Return whether row i has numbers within bounds, and there is room for it."""
    slot, width = now["rows"] % now["slots"], now["width"]
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        if rows.features[place] >= width:
            return False
    if len(base_scores) <= min(class_of(loss, rows.y[i]), MAX_CLASSES - 1):
        return False
    within = abs(rows.y[i] - rows.base[i]) <= LIMIT and rows.weight[i] <= LIMIT
    return within and slot < len(labels) and (slot + 1) * width <= len(values)


@inline
def read_values(rows, i, x, width):
    """x[:width] <- the values of row i."""
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        j = rows.features[place]
        if 0 <= j < width:
            x[j] = min(max(rows.values[place], -MAX_VALUE), MAX_VALUE)


@inline
def descend_trees(params, first, trees, x, ends):
    """ends[t] <- where a row with the values x ends in tree `first` + t; it goes down all trees side by side."""
    clear_first(ends, params.trees)
    for _ in range(params.max_depth):
        for t in range(params.trees):
            ends[t] = child_of(trees, first + t, ends[t], x, 0)


@inline
def add_scores(params, now, base_scores, trees, work, z):
    """z[c] += the score of class c for a row that ends in the leaves work.ends."""
    classes, total = min(now["classes"], len(base_scores)), work.total
    for c in range(classes):
        total[c] = base_scores[c, IN_USE]
    for t in range(params.trees):
        value = trees.value[leaf_offset(trees.column, len(base_scores), now["first_tree"] + t, work.ends[t]) :]
        for c in range(classes):
            total[c] += value[c]
    for c in range(classes):
        z[c] += total[c]


@inline
def append_to_buffer(params, state, work, rows, i):
    """Put row i, whose values and leaves are in `work`, into the buffer."""
    now, labels, loss = state.now[0], state.labels, params.loss
    slot, width = now["rows"] % now["slots"], now["width"]
    for j in range(width):
        state.values[slot * width + j] = work.x[j]
    for t in range(params.trees if params.regrow_every > 1 else 0):
        state.leaf_ids[t, slot] = work.ends[t]
    labels[slot, LABEL], labels[slot, WEIGHT], labels[slot, BASE] = rows.y[i], rows.weight[i], rows.base[i]
    for place in range(rows.indptr[i], rows.indptr[i + 1]):
        now["seen"] = max(now["seen"], rows.features[place] + 1)
    now["rows"] += 1
    now["classes"] = max(now["classes"], class_of(loss, rows.y[i]) + 1)


@inline
def detect_tree_drift(params, now, drift, z, y):
    """Take in scores z of a row, before it is kept; where that names a change, rows before it are forgotten.

    Of a further pass nothing: trees err less on rows that they have seen, and new ones would look like a change.
    """
    changes = drift.count[1]
    drift.count[0] += 1
    if now["again"]:
        return
    add_error(drift, params.loss == SQUARED, abs(error_of(params.loss, z, now["classes"], y)), SLACK)
    if drift.count[1] > changes:
        now["forgotten"] = drift.changes[changes % CHANGES] - 1
        now["step"], now["part"], now["due"], now["trees_end"] = 0, 0, now["rows"], 0


# -------------------------------------------------------------------------------------------------------------- refits


#: Rows between two refits, at least.
MIN_ROWS_BETWEEN_REFITS = 32
#: Values that are looked at after one row, roughly; more than a refit looks at.
MAX_READS_PER_ROW, UNLIMITED = 1 << 21, 1 << 62
#: Of more scores of rows than this a tree is split after one row, its leaves get values after the next, and these are
#: added to the scores after one more.
SCORES_PER_ROW = 1 << 20
#: Looks that the code of a value takes.
READS_PER_CODE = 8
#: Columns that get their codes in one step: their values are side by side in memory.
COLUMNS_PER_STEP = 8


@inline
def advance_refit(params, state, work, most):
    """Begin a refit when it is due, and make steps of it that look at about `most` values."""
    now = state.now[0]
    if now["step"] == 0 and now["rows"] >= now["due"] and now["classes"] <= MAX_CLASSES:
        now["step"], now["refit_end"], now["refit_columns"] = 1, now["rows"], now["seen"]
        now["refits"], now["refit_classes"] = now["refits"] + 1, now["classes"]
        now["due"] = now["rows"] + max(int(params.refit_interval * refit_rows(now)), MIN_ROWS_BETWEEN_REFITS)
    n, of_classes = refit_rows(now), READS_PER_CODE * now["refit_classes"] if params.loss == SOFTMAX else 0
    while now["step"] > 0 and most > 0:
        t = now["step"] - 1 - now["refit_columns"]
        if t < 0:
            begin, end = now["step"] - 1, min(now["step"] - 1 + COLUMNS_PER_STEP, now["refit_columns"])
            code_columns(params, state, work.binning, begin, end)
            now["step"] += end - begin
            most -= READS_PER_CODE * n * (end - begin)
            continue
        whole, tree, leaf = n * now["refit_classes"] <= SCORES_PER_ROW, next_tree(params, now) + t, state.leaf_ids[t]
        if now["part"] == 0:
            if t == 0:
                set_base_scores(params.loss, now, state.labels, state.base_scores, state.scores)
            grow_tree(params, state, work, t, tree)
        if whole or now["part"] == 1:
            fill_leaves(params, params.several, state, work.grad_hess, leaf, work.by_leaf, tree)
        if whole or now["part"] == 2:
            add_leaves(params, state, leaf, work.by_leaf[GRADIENT], tree)
        most -= n * (min(now["refit_columns"], COLUMNS) * params.max_depth + of_classes)
        now["part"] = 0 if whole else (now["part"] + 1) % 3
        if now["part"] > 0:
            continue
        now["step"] += 1
        if t + 1 == params.trees:
            now["step"], now["first_tree"], now["trees_end"] = 0, next_tree(params, now), now["refit_end"]
            for c in range(now["refit_classes"]):
                state.base_scores[c, IN_USE] = state.base_scores[c, NEXT]
            since = now["refit_end"] % now["slots"], now["slots"]
            for number in range(params.trees if params.regrow_every > 1 else 0):
                leaf = state.leaf_ids[number]
                find_leaves(params, state, leaf, now["first_tree"] + number, since, now["rows"] - now["refit_end"])


@inline(force=True)
def next_tree(params, now):
    """The first of the trees of the refit under way."""
    return params.trees - now["first_tree"]


@inline
def rebuild_derived(params, state, work):
    """Work out what a packed state has been without: leaves; codes, edges and scores of the refit under way."""
    now = state.now[0]
    t = now["step"] - 1 - now["refit_columns"] if now["step"] > 0 else 0
    code_columns(params, state, work.binning, 0, min(now["step"] - 1, now["refit_columns"]))
    if t > 0 or now["part"] > 0:
        set_base_scores(params.loss, now, state.labels, state.base_scores, state.scores)
    for number in range(params.trees):
        leaf, new = state.leaf_ids[number], number < t + min(now["part"], 1)
        each = number + (next_tree(params, now) if new else now["first_tree"])
        if new or params.regrow_every > 1:  # else no refit reads them
            find_leaves(params, state, leaf, each, (0, now["slots"]), min(now["rows"], now["slots"]))
        if number < t:
            add_leaves(params, state, leaf, work.by_leaf[GRADIENT], each)
