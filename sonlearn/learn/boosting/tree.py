"""One tree: a Newton step of the loss, constant on each leaf.

With gradient g_i and hessian c_i of row i's loss at its score, times its importance, G and C their sums over rows, a
split of a node has the gain

    G_l^2/(C_l + l2) + G_r^2/(C_r + l2) - G^2/(C + l2)

and a leaf the value -learning_rate G/(C + l2) [XGB] eq. 5-7, after [GBM]. Splits are sought in histograms of the codes
[LGB]: of two children the one with fewer rows is counted, the other one is what is left of their parent. Rows without a
value go to the side where the gain is greater, and where it is the same to the right. Of a column with more values than
bins, the edge found is moved within the two bins beside it, by a second histogram of their rows alone: as exact as many
times as many bins, for a look at one column.

Gradient and hessian of a row stand as whole numbers of small units in one integer (`pack_grad_hess`), so that a cell of
a histogram is one sum, and an exact one: what is left of a parent is what a count gives. After Shi et al. (Quantized
Training of Gradient Boosting Decision Trees, NeurIPS 2022), but in units of at most 2^-14 of the mean row's, which
change no split but a tie. Leaves are of the numbers themselves.

Of several classes a leaf has a value for each, by the class's own g_i and c_i, and splits are sought by one g_i a row:
the sum of those of all classes with signs that are drawn at random for each tree (Iosipoi and Vakhrushev: SketchBoost,
NeurIPS 2022, with one random projection). So the histograms of a tree cost what those of two classes do.
"""

import math

from sonlearn.data.linear_algebra import clear_first
from sonlearn.jit import inline
from sonlearn.learn.boosting.bins import BLOCK_ROWS, WIDE, padded_scores, refit_rows, ring_of, slot_of
from sonlearn.learn.boosting.losses import SQUARED, add_grad_hess, grad_hess_of, leaf_update_of, update_scores
from sonlearn.learn.boosting.state import BELOW_ALL, BINS, COLUMNS, GRADIENT, HESSIAN, LEAF, MAX_VALUE, PARTS, QUANTILES
from sonlearn.views.codes import key_of

#: A split has to be better than the one before by more than rounding, relatively.
ROUNDING = 1e-10
#: A gradient and a hessian in one number: the gradient in units stands above so many bits, those of the hessian.
BITS = 32
HESSIAN_MASK = (1 << BITS) - 1
#: Digits that a split counts as (`weigh_columns`).
SPLIT_BONUS = 4
#: What the best split by a column gains that says nothing of the labels, in their variance (`bins.relevance_of`).
NOISE = 8.0
#: Columns of `Scratch.span`.
LOW, HIGH = range(2)


@inline
def grow_tree(params, state, work, number, t):
    """Grow tree t, of that number in its refit, up to its leaves, or take over the splits of the tree before."""
    now, nodes, inner = state.now[0], work.nodes, work.nodes.hist.shape[0]
    leaf, ring = state.leaf_ids[number], ring_of(now)
    keeps = now["trees_end"] > 0 and (now["refits"] + number) % params.regrow_every > 0
    if not keeps or now["refit_classes"] == 1:
        draw_signs(params, params.several, now, work.signs, number)
        fill_grad_hess(params, now, state.labels, state.scores, work.grad_hess, work.signs)
    if keeps:
        copy_splits(state.trees, now["first_tree"] + number, t)
    else:
        m = draw_columns(params, now, state, work.column_weights, nodes.chosen, number)
        begin_tree(now, nodes, work.grad_hess)
        gather_cells(state.column_codes, state.n_bins, nodes, m)
        fill_histogram(nodes, 0, m)
        for k in range(2 * inner + 1):
            split = False
            if k < inner:
                state.trees.column[t, k] = LEAF
                split = nodes.begin[k] < nodes.end[k] and split_node(params, state, work, t, k, m)
            if not split:
                for place in range(nodes.begin[k], nodes.end[k]):
                    leaf[slot_of(ring, nodes.order[place])] = k
                if k < inner:
                    nodes.begin[2 * k + 1] = nodes.end[2 * k + 1] = nodes.begin[2 * k + 2] = nodes.end[2 * k + 2] = 0


@inline
def copy_splits(trees, old, t):
    """Tree t <- the splits of the tree `old`."""
    column, threshold, missing_left = trees.column, trees.threshold, trees.missing_left
    for k in range(column.shape[1]):
        column[t, k], threshold[t, k], missing_left[t, k] = column[old, k], threshold[old, k], missing_left[old, k]


@inline
def draw_columns(params, now, state, column_weights, chosen, number):
    """Choose as many of the columns that vary as there is room for; returns how many were chosen.

    They are drawn one after the other (Knuth's algorithm S) by their `column_weights`, in a room of `COLUMNS` columns
    of which all rows have values.
    """
    weigh_columns(params, now, state.n_bins, state.relevance, state.trees.column, column_weights)
    costs, room, every, left, m = state.costs, COLUMNS * (BINS + 1), 0, 0, 0
    for j in range(now["refit_columns"]):
        every += costs[j] * (column_weights[j] > 0)
        left += costs[j] * column_weights[j]
    for j in range(now["refit_columns"]):
        own, cost = column_weights[j], costs[j]
        if own > 0:
            drawn = every <= room or key_of(now["refits"] * params.trees + number, j) % left < own * room
            if drawn and cost <= room:
                chosen[m] = j
                m += 1
                room -= cost
            every -= cost
            left -= cost * own
    return m


@inline
def weigh_columns(params, now, n_bins, relevance, column, column_weights):
    """column_weights[j] <- how likely column j is drawn: the binary digits of its number of bins; 0 if constant.

    So many names leave room for numbers. Of many columns, those that alone tell something of the labels count up to
    V / `WIDE` times as much, V the number of columns that vary: else few of them would ever meet in a tree. Of values,
    a split by it in the trees that predict counts as `SPLIT_BONUS` digits, where not all columns are drawn anyway.
    """
    varying = 0
    for j in range(now["refit_columns"]):
        column_weights[j] = bit_length(n_bins[j])
        varying += n_bins[j] > 0
    for j in range(now["refit_columns"] if varying > WIDE else 0):
        column_weights[j] *= max(min(relevance[j] / NOISE, varying / WIDE), 1.0)
    if params.loss == SQUARED and now["trees_end"] > 0 and now["refit_columns"] > COLUMNS:
        for t in range(now["first_tree"], now["first_tree"] + params.trees):
            for k in range(column.shape[1]):
                j = column[t, k]
                if j >= 0 and column_weights[j] > 0:
                    column_weights[j] += SPLIT_BONUS


@inline(force=True)
def bit_length(number):
    """Return how many binary digits a number has."""
    own = 0
    while number >> own > 0:
        own += 1
    return own


@inline
def fill_grad_hess(params, now, labels, scores, grad_hess, signs):
    """The gradients and hessians of the rows at their scores, by which a tree is split."""
    n, row_stride, ring = refit_rows(now), padded_scores(now["refit_classes"]), ring_of(now)
    for i in range(n):
        grad_hess[i, GRADIENT], grad_hess[i, HESSIAN] = grad_hess_of(
            params.loss, params.several, labels, scores, i, slot_of(ring, i), row_stride, signs
        )


@inline
def begin_tree(now, nodes, grad_hess):
    """All rows are in the root, with their gradients and hessians in units."""
    n = refit_rows(now)
    for i in range(n):
        nodes.order[i] = i
    nodes.begin[0], nodes.end[0] = 0, n
    pack_grad_hess(grad_hess, nodes.scale, nodes.packed, n)


@inline
def gather_cells(column_codes, n_bins, nodes, m):
    """Put side by side the cells in a histogram of the values that each row of the root has in the tree's m columns."""
    n = nodes.end[0]
    for q in range(m):
        nodes.cells[q + 1] = nodes.cells[q] + n_bins[nodes.chosen[q]] + 1
    end = 0
    for i in range(n):
        nodes.row_begin[i] = end
        for q in range(m):
            code = int(column_codes[nodes.chosen[q] * n + i])
            nodes.row_cells[end] = nodes.cells[q] + code  # overwritten where there is no value
            end += int(code > 0)
    nodes.row_begin[n] = end


@inline
def pack_grad_hess(grad_hess, scale, packed, n):
    """packed <- the gradient and the hessian of each of n rows, in units without fractions, side by side.

    Units are as small as they can be for sums over any of the rows to stay in their places, and powers of two.
    """
    gradients, hessians = 0.0, 0.0
    for i in range(n):
        gradients, hessians = gradients + abs(grad_hess[i, GRADIENT]), hessians + grad_hess[i, HESSIAN]
    scale[GRADIENT] = scale_for(gradients, HESSIAN_MASK // 2)
    scale[HESSIAN] = scale_for(hessians, HESSIAN_MASK)
    for i in range(n):
        g, c = grad_hess[i, GRADIENT] * scale[GRADIENT], grad_hess[i, HESSIAN] * scale[HESSIAN]
        packed[i] = (int(g) << BITS) + int(c)


@inline
def scale_for(total, most):
    """Return how many units 1 has: the greatest power of two with which the total has so many at most."""
    scale = 1.0
    while total * scale > most:
        scale *= 0.5
    while scale < MAX_VALUE and total * scale * 2.0 <= most:
        scale *= 2.0
    return scale


@inline
def draw_signs(params, several, now, signs, number):
    """Part several classes in two at random: signs[c] <- -1 or 1, of one another than of all others if need be."""
    if len(several) == 0:
        return
    seed, total, known = now["refits"] * params.trees + number, 0.0, now["refit_classes"]
    for c in range(known):
        signs[c] = 1.0 if key_of(seed, params.max_columns + c) % 2 == 0 else -1.0
        total += signs[c]
    if abs(total) == known:
        signs[seed % known] *= -1.0
    for c in range(known, padded_scores(known)):
        signs[c] = 0.0


@inline
def split_node(params, state, work, t, k, m):
    """Split node k of tree t where that gains most; returns whether it was split."""
    tree, nodes = state.trees, work.nodes
    if m == 0 or not has_min_hessian(params, nodes, k):
        return False
    q, code, missing_left = best_split(params, state.n_bins, nodes, k, m)
    if q < 0:
        return False
    tree.column[t, k], tree.missing_left[t, k] = nodes.chosen[q], missing_left
    tree.threshold[t, k] = state.bin_edges[nodes.chosen[q], code - 1] if code > 0 else BELOW_ALL
    middle = partition_rows(params, state, work, t, k, q, code)
    nodes.begin[2 * k + 1], nodes.end[2 * k + 1] = nodes.begin[k], middle
    nodes.begin[2 * k + 2], nodes.end[2 * k + 2] = middle, nodes.end[k]
    if 2 * k + 2 < nodes.hist.shape[0]:
        fill_child_histograms(params, nodes, k, m)
    return True


@inline
def has_min_hessian(params, nodes, k):
    """Return whether the rows of node k have the hessian that a split needs."""
    total, min_hessian = 0, 2.0 * params.min_hessian * nodes.scale[HESSIAN]
    for place in range(nodes.begin[k], nodes.end[k]):
        total += nodes.packed[nodes.order[place]] & HESSIAN_MASK
        if total >= min_hessian:
            return True
    return False


@inline
def fill_child_histograms(params, nodes, k, m):
    """Fill in the histograms of the children of node k: the one with fewer rows is counted, the other is the rest."""
    few, many, hist = 2 * k + 1, 2 * k + 2, nodes.hist
    if nodes.end[few] - nodes.begin[few] > nodes.end[many] - nodes.begin[many]:
        few, many = many, few
    if not (has_min_hessian(params, nodes, few) or has_min_hessian(params, nodes, many)):
        return
    fill_histogram(nodes, few, m)
    for cell in range(nodes.cells[m] + 1):
        hist[many, cell] = hist[k, cell] - hist[few, cell]


@inline
def fill_histogram(nodes, k, m):
    """Sum the rows of node k by column and code, and all; those without a value are left to `best_split`."""
    hist, row_cells, row_begin, total = nodes.hist[k], nodes.row_cells, nodes.row_begin, 0
    for cell in range(nodes.cells[m]):
        hist[cell] = 0
    for place in range(nodes.begin[k], nodes.end[k]):
        i = nodes.order[place]
        packed = nodes.packed[i]
        total += packed
        for at in range(row_begin[i], row_begin[i + 1]):
            hist[row_cells[at]] += packed
    hist[nodes.cells[m]] = total


@inline
def best_split(params, n_bins, nodes, k, m):
    """(place among the columns chosen, last code on the left, whether rows without a value go left); place -1: none."""
    hist, (l2, min_hessian), found, last, left = nodes.hist[k], split_limits(params, nodes.scale), -1, 0, False
    total = hist[nodes.cells[m]]
    G, C = unpacked(total)
    best, below = gain_of(G, C, 0.0, 0.0, l2, 0.0) * (1.0 + ROUNDING), nodes.below
    for q in range(m):
        at, packed, size = nodes.cells[q], 0, n_bins[nodes.chosen[q]]
        for code in range(size):
            below[GRADIENT, code], below[HESSIAN, code] = unpacked(packed)
            packed += hist[at + code + 1]
        none = hist[at] = total - packed
        for side in range(int(none != 0), -1, -1):
            (g_none, c_none), better = unpacked(side * none), 0
            for code in range(size):
                g, c = below[GRADIENT, code] + g_none, below[HESSIAN, code] + c_none
                gain = gain_of(g, c, G - g, C - c, l2, min_hessian)
                nodes.gains[code] = gain
                better |= int(gain > best)
            for code in range(1 - side, size if better else 0):
                if nodes.gains[code] > best:
                    best, found, last, left = nodes.gains[code] * (1.0 + ROUNDING), q, code, side == 1
    return found, last, left


@inline(force=True)
def split_limits(params, scale):
    """(l2, least hessian of either side of a split) in units."""
    return params.l2 * scale[HESSIAN], params.min_hessian * scale[HESSIAN]


@inline(force=True)
def unpacked(total):
    """(gradient, hessian) in units of a sum of `packed`: whole numbers, which float64 holds exactly."""
    return float(total >> BITS), float(total & HESSIAN_MASK)


@inline(force=True)
def gain_of(g, a, h, b, l2, min_hessian):
    """g^2/(a + l2) + h^2/(b + l2) in units; 0 where a side has less than the least hessian.

    g, a : gradient and hessian of the rows on the left; h, b : of those on the right
    """
    if min(a, b) < min_hessian:
        return 0.0
    return (g * g * (b + l2) + h * h * (a + l2)) / ((a + l2) * (b + l2))


@inline
def partition_rows(params, state, work, t, k, q, last):
    """Put the rows of node k that go left first; returns where the others begin.

    Rows in the bins on either side of the split are parted by their values, after its edge is moved. Others are parted
    without branches, which would be foretold wrongly.
    """
    nodes, partition, now = work.nodes, work.partition, state.now[0]
    j, n, at, right_rows, edge_rows = int(nodes.chosen[q]), refit_rows(now), nodes.begin[k], 0, 0
    codes, threshold = state.column_codes[j * n : (j + 1) * n], state.trees.threshold
    cells = nodes.hist[k, nodes.cells[q] : nodes.cells[q + 1]]
    first, below, following = 0 if state.trees.missing_left[t, k] else 1, last, last
    if last > 0 and state.n_bins[j] >= QUANTILES:
        below, following = last - 1, next_code(cells, last)
    for place in range(nodes.begin[k], nodes.end[k]):
        i = nodes.order[place]
        code = codes[i]
        left, between = int(first <= code) * int(code <= below), int(below < code) * int(code <= following)
        nodes.order[at], partition.right_rows[right_rows], partition.edge_rows[edge_rows] = i, i, i
        at += left
        edge_rows += between
        right_rows += 1 - left - between
    if count_parts(now, state.values, nodes.packed, partition, j, edge_rows):
        refine_threshold(split_limits(params, nodes.scale), state.trees, cells, partition, t, k, below)
    for place in range(edge_rows):
        i = partition.edge_rows[place]
        left = int(partition.value[place] <= threshold[t, k])
        nodes.order[at], partition.right_rows[right_rows] = i, i
        at += left
        right_rows += 1 - left
    for place in range(right_rows):
        nodes.order[at + place] = partition.right_rows[place]
    return at


@inline
def next_code(cells, last):
    """The code after `last` that rows of the node have in a column with these cells, or the last one."""
    code = last + 1
    while code < len(cells) - 1 and cells[code] == 0:
        code += 1
    return code


@inline
def sum_histogram(hist, begin, end):
    """The sum of the cells from begin to end."""
    total = 0
    for cell in range(begin, end):
        total += hist[cell]
    return total


@inline
def refine_threshold(split_limits, trees, cells, partition, t, k, below):
    """Move the edge of node k's split to where it gains most among the rows that `count_parts` has summed.

    An edge is in the middle between two of the parts. Rows with codes up to `below` are on the left anyway.
    """
    threshold, span, (l2, min_hessian) = trees.threshold, partition.span, split_limits
    best, under, found = 0.0, 0.0, False
    every = sum_histogram(cells, 0, len(cells))
    left = sum_histogram(cells, 1 - int(trees.missing_left[t, k]), below + 1)
    for part in range(PARTS):
        if span[part, LOW] > span[part, HIGH]:
            continue
        if found:
            threshold[t, k], found = 0.5 * under + 0.5 * span[part, LOW], False
            if threshold[t, k] >= span[part, LOW]:
                threshold[t, k] = under
        left += partition.parts[part]
        gain = gain_of(*unpacked(left), *unpacked(every - left), l2, min_hessian)
        if part < PARTS - 1 and gain > best:
            best, under, found = gain * (1.0 + ROUNDING), span[part, HIGH], True


@inline
def count_parts(now, values, packed, partition, j, edge_rows):
    """Sum the first `edge_rows` rows of partition.edge_rows in `PARTS` of equal width by their values of column j.

    Returns False if these are all the same. Fills in what else is in `partition` but for `right_rows`.
    """
    ring, width, low, high, span = ring_of(now), now["width"], math.inf, -math.inf, partition.span
    for place in range(edge_rows):
        x = float(values[slot_of(ring, partition.edge_rows[place]) * width + j])
        partition.value[place], low, high = x, min(low, x), max(high, x)
    if not low < high:
        return False
    for part in range(PARTS):
        partition.parts[part] = 0
        span[part, LOW], span[part, HIGH] = math.inf, -math.inf
    parts = PARTS / (high - low)
    for place in range(edge_rows):
        i, x = partition.edge_rows[place], float(partition.value[place])
        part = min(int(parts * (x - low)), PARTS - 1)
        partition.parts[part] += packed[i]
        span[part, LOW], span[part, HIGH] = min(span[part, LOW], x), max(span[part, HIGH], x)
    return True


@inline(force=True)
def leaf_offset(column, classes, t, k):
    """Return where the values of leaf k of tree t begin, one for each class. column : of the trees"""
    return (t * (2 * column.shape[1] + 1) + k) * classes


@inline(force=True)
def is_leaf(column, t, k):
    """Return whether node k is a leaf of tree t. column : of the trees"""
    splits = k < column.shape[1] and column[t, k] != LEAF
    return not splits and (k == 0 or column[t, (k - 1) >> 1] != LEAF)


@inline
def fill_leaves(params, several, state, grad_hess, leaf, by_leaf, t):
    """Fill in the values of the leaves of tree t; those of other nodes are 0.

    Rows of one score have the slopes by which the tree was split.
    """
    now, value, column, classes = state.now[0], state.trees.value, state.trees.column, len(state.base_scores)
    row_stride, ring = padded_scores(now["refit_classes"]), ring_of(now)
    for k in range(by_leaf.shape[1]):
        for c in range(row_stride if is_leaf(column, t, k) else 0):
            by_leaf[GRADIENT, k, c] = by_leaf[HESSIAN, k, c] = 0.0
    for i in range(refit_rows(now)):
        k = leaf[slot_of(ring, i)]
        if len(several) == 0 or row_stride == 1:
            by_leaf[GRADIENT, k, 0] += grad_hess[i, GRADIENT]
            by_leaf[HESSIAN, k, 0] += grad_hess[i, HESSIAN]
        else:
            add_grad_hess(state.labels, state.scores, i, slot_of(ring, i), row_stride, by_leaf, k)
    for k in range(by_leaf.shape[1]):
        at = leaf_offset(column, classes, t, k)
        clear_first(value[at:], now["refit_classes"])
        for c in range(now["refit_classes"] if is_leaf(column, t, k) else 0):
            step = by_leaf[GRADIENT, k, c] * (-params.learning_rate / (by_leaf[HESSIAN, k, c] + params.l2))
            value[at + c] = min(max(step, -params.max_leaf_value), params.max_leaf_value)


@inline
def add_leaves(params, state, leaf, leaf_updates, t):
    """Add to the scores of each row the values of its leaf.

    leaf : uint8[slots]; leaf_updates : float64[nodes, room for the scores of a row], overwritten
    """
    known, at = state.now[0]["refit_classes"], leaf_offset(state.trees.column, len(state.base_scores), t, 0)
    row_stride, ring = padded_scores(known), ring_of(state.now[0])
    for k in range(len(leaf_updates)):
        for c in range(row_stride if is_leaf(state.trees.column, t, k) else 0):
            value = state.trees.value[at + k * len(state.base_scores) + c] if c < known else 0.0
            leaf_updates[k, c] = leaf_update_of(params.several, value)
    for i in range(refit_rows(state.now[0])):
        update_scores(params.several, state.scores, i, row_stride, leaf_updates[leaf[slot_of(ring, i)]])


@inline
def find_leaves(params, state, leaf, t, ring, end):
    """leaf[slot of row i] <- where the first rows i of a ring, up to `end`, end in tree t.

    The looks for one row need not wait for those for another.
    """
    width = state.now[0]["width"]
    for first in range(0, end, BLOCK_ROWS):
        last = min(first + BLOCK_ROWS, end)
        for i in range(first, last):
            leaf[slot_of(ring, i)] = 0
        for _ in range(params.max_depth):
            for i in range(first, last):
                slot = slot_of(ring, i)
                leaf[slot] = child_of(state.trees, t, leaf[slot], state.values, slot * width)


@inline(force=True)
def child_of(trees, t, k, values, at):
    """Say where a row with the values values[at:] comes from node k of tree t; k if that is a leaf. No branch."""
    column, threshold, missing_left = trees.column[t, k], trees.threshold[t, k], trees.missing_left[t, k]
    value = values[at + max(column, 0)]
    left = missing_left if value == 0.0 else value <= threshold
    return k + (k + 2 - left) * (column != LEAF)
