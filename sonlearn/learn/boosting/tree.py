"""One tree: a Newton step of the loss, constant on each leaf.

With gradient g_i and curvature c_i of row i's loss at its score, times its importance, G and C their sums over rows, a
split of a node has the gain

    G_l^2/(C_l + penalty) + G_r^2/(C_r + penalty) - G^2/(C + penalty)

and a leaf the value -rate G/(C + penalty) [XGB] eq. 5-7, after [GBM]. Splits are sought in histograms of the codes
[LGB]: of two children the one with fewer rows is counted, the other one is what is left of their parent. Rows without a
value go to the side where the gain is greater, and where it is the same to the right. Of a column with more values than
bins, the edge found is moved within the two bins beside it, by a second histogram of their rows alone: as exact as many
times as many bins, for a look at one column.

Gradient and curvature of a row stand as whole numbers of small units in one integer (`pack_slopes`), so that a cell of
a histogram is one sum, and an exact one: what is left of a parent is what a count gives. After Shi et al. (Quantized
Training of Gradient Boosting Decision Trees, NeurIPS 2022), but in units of at most 2^-14 of the mean row's, which
change no split but a tie. Leaves are of the numbers themselves.

Of several classes a leaf has a value for each, by the class's own g_i and c_i, and splits are sought by one g_i a row:
the sum of those of all classes with signs that are drawn at random for each tree (Iosipoi and Vakhrushev: SketchBoost,
NeurIPS 2022, with one random projection). So the histograms of a tree cost what those of two classes do.
"""

import math

from sonlearn.jit import bare_inline, fetch, forced_inline
from sonlearn.learn.boosting.bins import ring_of, rows_of_refit, slot_of
from sonlearn.learn.boosting.losses import add_slopes, move, move_of, scores_of_row, slopes_of
from sonlearn.learn.boosting.state import BELOW_ALL, BINS, COLUMNS, CURVATURE, GRADIENT, LARGEST, LEAF, PARTS
from sonlearn.views.codes import key_of

#: A split has to be better than the one before by more than rounding, relatively.
ROUNDING = 1e-10
#: A gradient and a curvature in one number: the gradient in units stands above so many bits, those of the curvature.
BITS = 32
CURVATURES = (1 << BITS) - 1
#: What is read of a row is prefetched so many rows before: rows of a node are not side by side in memory.
AHEAD = 8
#: Columns of `Scratch.span`.
LEAST, MOST = range(2)


@bare_inline
def grow_tree(params, state, work, number, t):
    """Grow tree t, of that number in its refit, and add its leaves to the scores of the rows."""
    inner, m = work.cells.shape[0], draw_columns(params, state.now[0], state.sizes, work.chosen, number)
    begin_tree(params, state, work, number)
    count_cells(state.codes, state.now[0]["columns"], work, 0, m)
    for k in range(2 * inner + 1):
        split = False
        if k < inner:
            state.trees.column[t, k] = LEAF
            split = split_node(params, state, work, t, k, m)
        if not split:
            for place in range(work.begin[k], work.end[k]):
                work.leaf[work.order[place]] = k
            if k < inner:
                work.begin[2 * k + 1] = work.end[2 * k + 1] = work.begin[2 * k + 2] = work.end[2 * k + 2] = 0
    fill_leaves(params, state, work, t)
    add_leaves(params, state, work.leaf, work.by_leaf[GRADIENT], t)


@bare_inline
def draw_columns(params, now, sizes, chosen, number):
    """Choose `COLUMNS` of the columns that vary, at random (Knuth's algorithm S); returns how many there are."""
    left, m = 0, 0
    for j in range(now["columns"]):
        left += sizes[j] > 0
    for j in range(now["columns"]):
        if sizes[j] > 0:
            if key_of(now["refits"] * params.trees + number, j) % left < COLUMNS - m:
                chosen[m] = j
                m += 1
            left -= 1
    return m


@bare_inline
def begin_tree(params, state, work, number):
    """All rows are in the root; the gradients and curvatures at their scores by which this tree is split."""
    now = state.now[0]
    n, across, ring = rows_of_refit(now), scores_of_row(now["known"]), ring_of(now)
    draw_signs(params, now, work.signs, number)
    for i in range(n):
        work.slopes[i, GRADIENT], work.slopes[i, CURVATURE] = slopes_of(
            params.loss, state, i, slot_of(ring, i), across, work.signs
        )
        work.order[i] = i
    work.begin[0], work.end[0] = 0, n
    pack_slopes(work.slopes, work.scale, work.packed, n)


@bare_inline
def pack_slopes(slopes, scale, packed, n):
    """packed <- the gradient and the curvature of each of n rows, in units without fractions, side by side.

    Units are as small as they can be for sums over any of the rows to stay in their places, and powers of two.
    """
    gradients, curvatures = 0.0, 0.0
    for i in range(n):
        gradients, curvatures = gradients + abs(slopes[i, GRADIENT]), curvatures + slopes[i, CURVATURE]
    scale[GRADIENT] = scale_for(gradients, CURVATURES // 2)
    scale[CURVATURE] = scale_for(curvatures, CURVATURES)
    for i in range(n):
        g, c = slopes[i, GRADIENT] * scale[GRADIENT], slopes[i, CURVATURE] * scale[CURVATURE]
        packed[i] = (int(g) << BITS) + int(c)


@bare_inline
def scale_for(total, most):
    """How many units 1 has: the greatest power of two with which the total has so many at most."""
    scale = 1.0
    while total * scale > most:
        scale *= 0.5
    while scale < LARGEST and total * scale * 2.0 <= most:
        scale *= 2.0
    return scale


@bare_inline
def draw_signs(params, now, signs, number):
    """Part the classes in two at random: signs[c] <- -1 or 1, of one class another than of all others if need be."""
    seed, total, known = now["refits"] * params.trees + number, 0.0, now["known"]
    for c in range(known):
        signs[c] = 1.0 if key_of(seed, params.most + c) % 2 == 0 else -1.0
        total += signs[c]
    if abs(total) == known:
        signs[seed % known] *= -1.0
    for c in range(known, scores_of_row(known)):
        signs[c] = 0.0


@bare_inline
def split_node(params, state, work, t, k, m):
    """Split node k of tree t where that gains most; returns whether it was split."""
    tree, begin, end = state.trees, work.begin[k], work.end[k]
    if m == 0 or not heavy(params, work, k):
        return False
    q, code, none_left = best_split(params, state.sizes, work, k, m)
    if q < 0:
        return False
    tree.column[t, k], tree.none_left[t, k] = work.chosen[q], none_left
    tree.edge[t, k] = state.edges[work.chosen[q], code - 1] if code > 0 else BELOW_ALL
    middle = part_rows(params, state, work, t, k, q, code)
    work.begin[2 * k + 1], work.end[2 * k + 1] = begin, middle
    work.begin[2 * k + 2], work.end[2 * k + 2] = middle, end
    if 2 * k + 2 < work.cells.shape[0]:
        count_children(params, state.codes, state.now[0]["columns"], work, k, m)
    return True


@bare_inline
def heavy(params, work, k):
    """Whether the rows of node k have the curvature that a split needs."""
    total, least = 0, 2.0 * params.least * work.scale[CURVATURE]
    for place in range(work.begin[k], work.end[k]):
        total += work.packed[work.order[place]] & CURVATURES
        if total >= least:
            return True
    return False


@bare_inline
def count_children(params, codes, columns, work, k, m):
    """Fill in the histograms of the children of node k: the one with fewer rows is counted, the other is the rest."""
    few, many = 2 * k + 1, 2 * k + 2
    if work.end[few] - work.begin[few] > work.end[many] - work.begin[many]:
        few, many = many, few
    if not (heavy(params, work, few) or heavy(params, work, many)):
        return
    count_cells(codes, columns, work, few, m)
    for cell in range(m * (BINS + 1)):
        work.cells[many, cell] = work.cells[k, cell] - work.cells[few, cell]


@bare_inline
def count_cells(codes, columns, work, k, m):
    """Sum the rows of node k by column and code."""
    cells, end = work.cells[k], work.end[k]
    for cell in range(m * (BINS + 1)):
        cells[cell] = 0
    for place in range(work.begin[k], end):
        fetch(codes, work.order[min(place + AHEAD, end - 1)] * columns, 1)
        i = work.order[place]
        packed, row = work.packed[i], codes[i * columns : (i + 1) * columns]
        for q in range(m):
            cells[q * (BINS + 1) + int(row[work.chosen[q]])] += packed


@bare_inline
def best_split(params, sizes, work, k, m):
    """(place among the columns chosen, last code on the left, whether rows without a value go left); place -1: none."""
    cells, (penalty, least), found, last, left = work.cells[k], limits(params, work.scale), -1, 0, False
    every = total_of_cells(cells, 0, BINS + 1)
    best = gain_of(every, 0, penalty, 0.0) * (1.0 + ROUNDING)
    for q in range(m):
        at, below, size = q * (BINS + 1), 0, sizes[work.chosen[q]]
        none = cells[at]
        for code in range(size):
            below += cells[at + code] if code > 0 else 0
            work.below[code] = below
        for side in range(int(none != 0), -1, -1):
            add, better = side * none, 0
            for code in range(size):
                gain = gain_of(work.below[code] + add, every - work.below[code] - add, penalty, least)
                work.gains[code] = gain
                better |= int(gain > best)
            for code in range(1 - side, size if better else 0):
                if work.gains[code] > best:
                    best, found, last, left = work.gains[code] * (1.0 + ROUNDING), q, code, side == 1
    return found, last, left


@forced_inline
def limits(params, scale):
    """(penalty, least curvature of either side of a split) in units."""
    return params.penalty * scale[CURVATURE], params.least * scale[CURVATURE]


@forced_inline
def gain_of(left, right, penalty, least):
    """G_l^2/(C_l + penalty) + G_r^2/(C_r + penalty) in units; 0 where a side has less than the least curvature."""
    a, b = float(left & CURVATURES), float(right & CURVATURES)
    if min(a, b) < least:
        return 0.0
    g, h = float(left >> BITS), float(right >> BITS)
    return (g * g * (b + penalty) + h * h * (a + penalty)) / ((a + penalty) * (b + penalty))


@bare_inline
def part_rows(params, state, work, t, k, q, last):
    """Put the rows of node k that go left first; returns where the others begin.

    Rows in the bins on either side of the split are parted by their values, after its edge is moved. Others are parted
    without branches, which would be foretold wrongly.
    """
    j, n, at, aside, near = int(work.chosen[q]), rows_of_refit(state.now[0]), work.begin[k], 0, 0
    codes = state.by_column[j * n : (j + 1) * n]
    first, below, following = 0 if state.trees.none_left[t, k] else 1, last, last
    if last > 0 and state.sizes[j] == BINS:
        below, following = last - 1, next_code(work.cells[k], q, last)
    for place in range(work.begin[k], work.end[k]):
        i = work.order[place]
        code = codes[i]
        left, between = int(first <= code) * int(code <= below), int(below < code) * int(code <= following)
        work.order[at], work.aside[aside], work.near[near] = i, i, i
        at += left
        near += between
        aside += 1 - left - between
    move_edge(params, state, work, t, k, q, below, near)
    for place in range(near):
        i = work.near[place]
        left = int(work.value[place] <= state.trees.edge[t, k])
        work.order[at], work.aside[aside] = i, i
        at += left
        aside += 1 - left
    for place in range(aside):
        work.order[at + place] = work.aside[place]
    return at


@bare_inline
def next_code(cells, q, last):
    """The code after `last` that rows of the node have in column q of those chosen."""
    code = last + 1
    while code < BINS and cells[q * (BINS + 1) + code] == 0:
        code += 1
    return code


@bare_inline
def total_of_cells(cells, begin, end):
    """The sum of the cells from begin to end."""
    total = 0
    for cell in range(begin, end):
        total += cells[cell]
    return total


@bare_inline
def move_edge(params, state, work, t, k, q, below, near):
    """Move the edge of node k's split to where it gains most among the first `near` rows of work.near.

    These are summed in `PARTS` of equal width, and an edge is in the middle between two of them. Rows with codes up to
    `below` are on the left anyway. Fills in work.value, the values of the rows.
    """
    low, high = count_parts(state, work, work.chosen[q], near)
    if not low < high:
        return
    edge, span, cells, (penalty, least) = state.trees.edge, work.span, work.cells[k], limits(params, work.scale)
    at, best, under, found = q * (BINS + 1), 0.0, 0.0, False
    every = total_of_cells(cells, 0, BINS + 1)
    left = total_of_cells(cells, at + 1 - int(state.trees.none_left[t, k]), at + below + 1)
    for part in range(PARTS):
        if span[part, LEAST] > span[part, MOST]:
            continue
        if found:
            edge[t, k], found = 0.5 * under + 0.5 * span[part, LEAST], False
            if edge[t, k] >= span[part, LEAST]:
                edge[t, k] = under
        left += work.parts[part]
        gain = gain_of(left, every - left, penalty, least)
        if part < PARTS - 1 and gain > best:
            best, under, found = gain * (1.0 + ROUNDING), span[part, MOST], True


@bare_inline
def count_parts(state, work, j, near):
    """Fill in work.value, work.parts and work.span; returns the least and the largest value."""
    now, low, high = state.now[0], math.inf, -math.inf
    ring, width = ring_of(now), now["width"]
    for place in range(near):
        fetch(state.values, slot_of(ring, work.near[min(place + AHEAD, near - 1)]) * width + j, 1)
        x = float(state.values[slot_of(ring, work.near[place]) * width + j])
        work.value[place], low, high = x, min(low, x), max(high, x)
    if not low < high:
        return low, high
    for part in range(PARTS):
        work.parts[part] = 0
        work.span[part, LEAST], work.span[part, MOST] = math.inf, -math.inf
    parts = PARTS / (high - low)
    for place in range(near):
        i, x = work.near[place], float(work.value[place])
        part = min(int(parts * (x - low)), PARTS - 1)
        work.parts[part] += work.packed[i]
        work.span[part, LEAST], work.span[part, MOST] = min(work.span[part, LEAST], x), max(work.span[part, MOST], x)
    return low, high


@forced_inline
def place_of(column, classes, t, k):
    """Where the values of leaf k of tree t begin, one for each class. column : of the trees"""
    return (t * (2 * column.shape[1] + 1) + k) * classes


@bare_inline
def fill_leaves(params, state, work, t):
    """Fill in the values of the leaves of tree t; of nodes without rows they are 0.

    Rows of one score have the slopes by which the tree was split.
    """
    now, value, column, classes = state.now[0], state.trees.value, state.trees.column, len(state.starts)
    across, ring, by_leaf = scores_of_row(now["known"]), ring_of(now), work.by_leaf
    for k in range(by_leaf.shape[1]):
        for c in range(across):
            by_leaf[GRADIENT, k, c] = by_leaf[CURVATURE, k, c] = 0.0
    for i in range(rows_of_refit(now)):
        k = work.leaf[i]
        if across == 1:
            by_leaf[GRADIENT, k, 0] += work.slopes[i, GRADIENT]
            by_leaf[CURVATURE, k, 0] += work.slopes[i, CURVATURE]
        else:
            add_slopes(state, i, slot_of(ring, i), across, by_leaf, k)
    for k in range(by_leaf.shape[1]):
        at = place_of(column, classes, t, k)
        for c in range(now["known"]):
            step = by_leaf[GRADIENT, k, c] * (-params.rate / (by_leaf[CURVATURE, k, c] + params.penalty))
            value[at + c] = min(max(step, -params.longest), params.longest)


@bare_inline
def add_leaves(params, state, leaf, moves, t):
    """Add to the scores of each row the values of its leaf.

    leaf : uint32[rows]; moves : float64[nodes, room for the scores of a row], overwritten
    """
    known, at = state.now[0]["known"], place_of(state.trees.column, len(state.starts), t, 0)
    across = scores_of_row(known)
    for k in range(len(moves)):
        for c in range(across):
            value = state.trees.value[at + k * len(state.starts) + c] if c < known else 0.0
            moves[k, c] = move_of(params.loss, value)
    for i in range(rows_of_refit(state.now[0])):
        move(params.loss, state.scores, i, across, moves[leaf[i]])


@bare_inline
def leaf_of(trees, t, x):
    """The leaf of tree t to which a row with the values x (float32[columns]) comes."""
    k = 0
    while k < trees.column.shape[1] and trees.column[t, k] != LEAF:
        value = x[trees.column[t, k]]
        left = trees.none_left[t, k] if value == 0.0 else value <= trees.edge[t, k]
        k = 2 * k + 2 - int(left)
    return k
