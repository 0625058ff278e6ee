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

from sonlearn.data.linear_algebra import clear_first
from sonlearn.jit import inline
from sonlearn.learn.boosting.bins import SIDE_BY_SIDE, WIDE, ring_of, rows_of_refit, scores_of_row, slot_of
from sonlearn.learn.boosting.losses import SQUARED, add_slopes, move, move_of, slopes_of
from sonlearn.learn.boosting.state import BELOW_ALL, BINS, COLUMNS, CURVATURE, GRADIENT, LEAF, MAX_VALUE, PARTS
from sonlearn.views.codes import key_of

#: A split has to be better than the one before by more than rounding, relatively.
ROUNDING = 1e-10
#: A gradient and a curvature in one number: the gradient in units stands above so many bits, those of the curvature.
BITS = 32
CURVATURES = (1 << BITS) - 1
#: Digits that a split counts as (`take_chances`).
SPLIT = 4
#: What the best split by a column gains that says nothing of the labels, in their variance (`bins.relevance_of`).
NOISE = 8.0
#: Columns of `Scratch.span`.
LOW, HIGH = range(2)


@inline
def grow_tree(params, state, work, number, t):
    """Grow tree t, of that number in its refit, up to its leaves, or take over the splits of the tree before."""
    now, nodes, inner = state.now[0], work.nodes, work.nodes.cells.shape[0]
    leaf, ring = state.leaves[number], ring_of(now)
    keeps = now["prior"] > 0 and (now["refits"] + number) % params.turns > 0
    if not keeps or now["known"] == 1:
        draw_signs(params, params.several, now, work.signs, number)
        take_slopes(params, now, state.labels, state.scores, work.slopes, work.signs)
    if keeps:
        keep_splits(state.trees, now["first"] + number, t)
    else:
        m = draw_columns(params, now, state, work.chances, nodes.chosen, number)
        begin_tree(now, nodes, work.slopes)
        gather_codes(state.by_column, nodes, m)
        count_cells(nodes, 0, m)
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
def keep_splits(trees, old, t):
    """Tree t <- the splits of the tree `old`."""
    column, edge, none_left = trees.column, trees.edge, trees.none_left
    for k in range(column.shape[1]):
        column[t, k], edge[t, k], none_left[t, k] = column[old, k], edge[old, k], none_left[old, k]


@inline
def draw_columns(params, now, state, chances, chosen, number):
    """Choose `COLUMNS` of the columns that vary, or all if these are no more; returns how many were chosen.

    They are drawn one after the other (Knuth's algorithm S) by their `chances`.
    """
    take_chances(params, now, state.sizes, state.relevance, state.trees.column, chances)
    many, left, m = 0, 0, 0
    for j in range(now["columns"]):
        many += chances[j] > 0
        left += chances[j]
    for j in range(now["columns"]):
        own = chances[j]
        if own > 0:
            room = COLUMNS - m
            if many <= room or key_of(now["refits"] * params.trees + number, j) % left < own * room:
                chosen[m] = j
                m += 1
            many -= 1
            left -= own
    return m


@inline
def take_chances(params, now, sizes, relevance, column, chances):
    """chances[j] <- how likely column j is drawn: the binary digits of its number of bins, and 0 if it does not vary.

    So many names leave room for numbers. Of many columns, those that alone tell something of values or of two classes
    count up to columns / `WIDE` times as much: else few of them would ever meet in a tree. Of values, a split by it in
    the trees that predict counts as `SPLIT` digits, where not all columns are drawn anyway.
    """
    for j in range(now["columns"]):
        chances[j] = digits(sizes[j])
        if now["columns"] > WIDE and now["known"] == 1:
            chances[j] *= max(min(relevance[j] / NOISE, now["columns"] / WIDE), 1.0)
    if params.loss == SQUARED and now["prior"] > 0 and now["columns"] > COLUMNS:
        for t in range(now["first"], now["first"] + params.trees):
            for k in range(column.shape[1]):
                j = column[t, k]
                if j >= 0 and chances[j] > 0:
                    chances[j] += SPLIT


@inline(force=True)
def digits(number):
    """Return how many binary digits a number has."""
    own = 0
    while number >> own > 0:
        own += 1
    return own


@inline
def take_slopes(params, now, labels, scores, slopes, signs):
    """The gradients and curvatures of the rows at their scores, by which a tree is split."""
    n, across, ring = rows_of_refit(now), scores_of_row(now["known"]), ring_of(now)
    for i in range(n):
        slopes[i, GRADIENT], slopes[i, CURVATURE] = slopes_of(
            params.loss, params.several, labels, scores, i, slot_of(ring, i), across, signs
        )


@inline
def begin_tree(now, nodes, slopes):
    """All rows are in the root, with their gradients and curvatures in units."""
    n = rows_of_refit(now)
    for i in range(n):
        nodes.order[i] = i
    nodes.begin[0], nodes.end[0] = 0, n
    pack_slopes(slopes, nodes.scale, nodes.packed, n)


@inline
def gather_codes(by_column, nodes, m):
    """Put side by side what each row of the root has in the m columns of the tree."""
    n = nodes.end[0]
    for i in range(n):
        codes = nodes.codes[i * COLUMNS : (i + 1) * COLUMNS]
        for q in range(m):
            codes[q] = by_column[nodes.chosen[q] * n + i]


@inline
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
    seed, total, known = now["refits"] * params.trees + number, 0.0, now["known"]
    for c in range(known):
        signs[c] = 1.0 if key_of(seed, params.most + c) % 2 == 0 else -1.0
        total += signs[c]
    if abs(total) == known:
        signs[seed % known] *= -1.0
    for c in range(known, scores_of_row(known)):
        signs[c] = 0.0


@inline
def split_node(params, state, work, t, k, m):
    """Split node k of tree t where that gains most; returns whether it was split."""
    tree, nodes = state.trees, work.nodes
    if m == 0 or not heavy(params, nodes, k):
        return False
    q, code, none_left = best_split(params, state.sizes, nodes, k, m)
    if q < 0:
        return False
    tree.column[t, k], tree.none_left[t, k] = nodes.chosen[q], none_left
    tree.edge[t, k] = state.edges[nodes.chosen[q], code - 1] if code > 0 else BELOW_ALL
    middle = part_rows(params, state, work, t, k, q, code)
    nodes.begin[2 * k + 1], nodes.end[2 * k + 1] = nodes.begin[k], middle
    nodes.begin[2 * k + 2], nodes.end[2 * k + 2] = middle, nodes.end[k]
    if 2 * k + 2 < nodes.cells.shape[0]:
        count_children(params, nodes, k, m)
    return True


@inline
def heavy(params, nodes, k):
    """Return whether the rows of node k have the curvature that a split needs."""
    total, least = 0, 2.0 * params.least * nodes.scale[CURVATURE]
    for place in range(nodes.begin[k], nodes.end[k]):
        total += nodes.packed[nodes.order[place]] & CURVATURES
        if total >= least:
            return True
    return False


@inline
def count_children(params, nodes, k, m):
    """Fill in the histograms of the children of node k: the one with fewer rows is counted, the other is the rest."""
    few, many, cells = 2 * k + 1, 2 * k + 2, nodes.cells
    if nodes.end[few] - nodes.begin[few] > nodes.end[many] - nodes.begin[many]:
        few, many = many, few
    if not (heavy(params, nodes, few) or heavy(params, nodes, many)):
        return
    count_cells(nodes, few, m)
    for cell in range(m * (BINS + 1)):
        cells[many, cell] = cells[k, cell] - cells[few, cell]


@inline
def count_cells(nodes, k, m):
    """Sum the rows of node k by column and code."""
    cells = nodes.cells[k]
    for cell in range(m * (BINS + 1)):
        cells[cell] = 0
    for place in range(nodes.begin[k], nodes.end[k]):
        i = nodes.order[place]
        packed, row = nodes.packed[i], nodes.codes[i * COLUMNS : (i + 1) * COLUMNS]
        for q in range(m):
            cells[q * (BINS + 1) + int(row[q])] += packed


@inline
def best_split(params, sizes, nodes, k, m):
    """(place among the columns chosen, last code on the left, whether rows without a value go left); place -1: none."""
    cells, (penalty, least), found, last, left = nodes.cells[k], limits(params, nodes.scale), -1, 0, False
    every = total_of_cells(cells, 0, BINS + 1)
    best = gain_of(every, 0, penalty, 0.0) * (1.0 + ROUNDING)
    for q in range(m):
        at, below, size = q * (BINS + 1), 0, sizes[nodes.chosen[q]]
        none = cells[at]
        for code in range(size):
            below += cells[at + code] if code > 0 else 0
            nodes.below[code] = below
        for side in range(int(none != 0), -1, -1):
            add, better = side * none, 0
            for code in range(size):
                gain = gain_of(nodes.below[code] + add, every - nodes.below[code] - add, penalty, least)
                nodes.gains[code] = gain
                better |= int(gain > best)
            for code in range(1 - side, size if better else 0):
                if nodes.gains[code] > best:
                    best, found, last, left = nodes.gains[code] * (1.0 + ROUNDING), q, code, side == 1
    return found, last, left


@inline(force=True)
def limits(params, scale):
    """(penalty, least curvature of either side of a split) in units."""
    return params.penalty * scale[CURVATURE], params.least * scale[CURVATURE]


@inline(force=True)
def gain_of(left, right, penalty, least):
    """G_l^2/(C_l + penalty) + G_r^2/(C_r + penalty) in units; 0 where a side has less than the least curvature."""
    a, b = float(left & CURVATURES), float(right & CURVATURES)
    if min(a, b) < least:
        return 0.0
    g, h = float(left >> BITS), float(right >> BITS)
    return (g * g * (b + penalty) + h * h * (a + penalty)) / ((a + penalty) * (b + penalty))


@inline
def part_rows(params, state, work, t, k, q, last):
    """Put the rows of node k that go left first; returns where the others begin.

    Rows in the bins on either side of the split are parted by their values, after its edge is moved. Others are parted
    without branches, which would be foretold wrongly.
    """
    nodes, parting, now = work.nodes, work.parting, state.now[0]
    j, n, at, aside, near = int(nodes.chosen[q]), rows_of_refit(now), nodes.begin[k], 0, 0
    codes, edge = state.by_column[j * n : (j + 1) * n], state.trees.edge
    first, below, following = 0 if state.trees.none_left[t, k] else 1, last, last
    if last > 0 and state.sizes[j] == BINS:
        below, following = last - 1, next_code(nodes.cells[k], q, last)
    for place in range(nodes.begin[k], nodes.end[k]):
        i = nodes.order[place]
        code = codes[i]
        left, between = int(first <= code) * int(code <= below), int(below < code) * int(code <= following)
        nodes.order[at], parting.aside[aside], parting.near[near] = i, i, i
        at += left
        near += between
        aside += 1 - left - between
    if count_parts(now, state.values, nodes.packed, parting, j, near):
        move_edge(limits(params, nodes.scale), state.trees, nodes.cells[k], parting, t, k, q, below)
    for place in range(near):
        i = parting.near[place]
        left = int(parting.value[place] <= edge[t, k])
        nodes.order[at], parting.aside[aside] = i, i
        at += left
        aside += 1 - left
    for place in range(aside):
        nodes.order[at + place] = parting.aside[place]
    return at


@inline
def next_code(cells, q, last):
    """The code after `last` that rows of the node have in column q of those chosen."""
    code = last + 1
    while code < BINS and cells[q * (BINS + 1) + code] == 0:
        code += 1
    return code


@inline
def total_of_cells(cells, begin, end):
    """The sum of the cells from begin to end."""
    total = 0
    for cell in range(begin, end):
        total += cells[cell]
    return total


@inline
def move_edge(limits, trees, cells, parting, t, k, q, below):
    """Move the edge of node k's split to where it gains most among the rows that `count_parts` has summed.

    An edge is in the middle between two of the parts. Rows with codes up to `below` are on the left anyway.
    """
    edge, span, (penalty, least) = trees.edge, parting.span, limits
    at, best, under, found = q * (BINS + 1), 0.0, 0.0, False
    every = total_of_cells(cells, 0, BINS + 1)
    left = total_of_cells(cells, at + 1 - int(trees.none_left[t, k]), at + below + 1)
    for part in range(PARTS):
        if span[part, LOW] > span[part, HIGH]:
            continue
        if found:
            edge[t, k], found = 0.5 * under + 0.5 * span[part, LOW], False
            if edge[t, k] >= span[part, LOW]:
                edge[t, k] = under
        left += parting.parts[part]
        gain = gain_of(left, every - left, penalty, least)
        if part < PARTS - 1 and gain > best:
            best, under, found = gain * (1.0 + ROUNDING), span[part, HIGH], True


@inline
def count_parts(now, values, packed, parting, j, near):
    """Sum the first `near` rows of parting.near in `PARTS` of equal width by their values of column j.

    Returns False if these are all the same. Fills in what else is in `parting` but for `aside`.
    """
    ring, width, low, high, span = ring_of(now), now["width"], math.inf, -math.inf, parting.span
    for place in range(near):
        x = float(values[slot_of(ring, parting.near[place]) * width + j])
        parting.value[place], low, high = x, min(low, x), max(high, x)
    if not low < high:
        return False
    for part in range(PARTS):
        parting.parts[part] = 0
        span[part, LOW], span[part, HIGH] = math.inf, -math.inf
    parts = PARTS / (high - low)
    for place in range(near):
        i, x = parting.near[place], float(parting.value[place])
        part = min(int(parts * (x - low)), PARTS - 1)
        parting.parts[part] += packed[i]
        span[part, LOW], span[part, HIGH] = min(span[part, LOW], x), max(span[part, HIGH], x)
    return True


@inline(force=True)
def place_of(column, classes, t, k):
    """Return where the values of leaf k of tree t begin, one for each class. column : of the trees"""
    return (t * (2 * column.shape[1] + 1) + k) * classes


@inline(force=True)
def is_leaf(column, t, k):
    """Return whether node k is a leaf of tree t. column : of the trees"""
    splits = k < column.shape[1] and column[t, k] != LEAF
    return not splits and (k == 0 or column[t, (k - 1) >> 1] != LEAF)


@inline
def fill_leaves(params, several, state, slopes, leaf, by_leaf, t):
    """Fill in the values of the leaves of tree t; those of other nodes are 0.

    Rows of one score have the slopes by which the tree was split.
    """
    now, value, column, classes = state.now[0], state.trees.value, state.trees.column, len(state.starts)
    across, ring = scores_of_row(now["known"]), ring_of(now)
    for k in range(by_leaf.shape[1]):
        for c in range(across if is_leaf(column, t, k) else 0):
            by_leaf[GRADIENT, k, c] = by_leaf[CURVATURE, k, c] = 0.0
    for i in range(rows_of_refit(now)):
        k = leaf[slot_of(ring, i)]
        if len(several) == 0 or across == 1:
            by_leaf[GRADIENT, k, 0] += slopes[i, GRADIENT]
            by_leaf[CURVATURE, k, 0] += slopes[i, CURVATURE]
        else:
            add_slopes(state.labels, state.scores, i, slot_of(ring, i), across, by_leaf, k)
    for k in range(by_leaf.shape[1]):
        at = place_of(column, classes, t, k)
        clear_first(value[at:], now["known"])
        for c in range(now["known"] if is_leaf(column, t, k) else 0):
            step = by_leaf[GRADIENT, k, c] * (-params.rate / (by_leaf[CURVATURE, k, c] + params.penalty))
            value[at + c] = min(max(step, -params.longest), params.longest)


@inline
def add_leaves(params, state, leaf, moves, t):
    """Add to the scores of each row the values of its leaf.

    leaf : uint8[slots]; moves : float64[nodes, room for the scores of a row], overwritten
    """
    known, at = state.now[0]["known"], place_of(state.trees.column, len(state.starts), t, 0)
    across, ring = scores_of_row(known), ring_of(state.now[0])
    for k in range(len(moves)):
        for c in range(across if is_leaf(state.trees.column, t, k) else 0):
            value = state.trees.value[at + k * len(state.starts) + c] if c < known else 0.0
            moves[k, c] = move_of(params.several, value)
    for i in range(rows_of_refit(state.now[0])):
        move(params.several, state.scores, i, across, moves[leaf[slot_of(ring, i)]])


@inline
def find_leaves(params, state, leaf, t, ring, end):
    """leaf[slot of row i] <- where the first rows i of a ring, up to `end`, end in tree t.

    The looks for one row need not wait for those for another.
    """
    width = state.now[0]["width"]
    for first in range(0, end, SIDE_BY_SIDE):
        last = min(first + SIDE_BY_SIDE, end)
        for i in range(first, last):
            leaf[slot_of(ring, i)] = 0
        for _ in range(params.depth):
            for i in range(first, last):
                slot = slot_of(ring, i)
                leaf[slot] = child_of(state.trees, t, leaf[slot], state.values, slot * width)


@inline(force=True)
def child_of(trees, t, k, values, at):
    """Say where a row with the values values[at:] comes from node k of tree t; k if that is a leaf. No branch."""
    column, edge, none_left = trees.column[t, k], trees.edge[t, k], trees.none_left[t, k]
    value = values[at + max(column, 0)]
    left = none_left if value == 0.0 else value <= edge
    return k + (k + 2 - left) * (column != LEAF)
