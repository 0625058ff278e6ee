"""One tree: a Newton step of the loss, constant on each leaf.

With gradient g_i and curvature c_i of row i's loss at its score, times its importance, G and C their sums over rows, a
split of a node has the gain

    G_l^2/(C_l + penalty) + G_r^2/(C_r + penalty) - G^2/(C + penalty)

and a leaf the value -rate G/(C + penalty) [XGB] eq. 5-7, after [GBM]. Splits are sought in histograms of the codes
[LGB]: of two children the one with fewer rows is counted, the other one is what is left of their parent. Rows without a
value go to the side where the gain is greater, and where it is the same to the right. Of a column with more values than
bins, the edge found is moved within the two bins beside it, by a second histogram of their rows alone: as exact as many
times as many bins, for a look at one column.

Of several classes a leaf has a value for each, by the class's own g_i and c_i, and splits are sought by one g_i a row:
the sum of those of all classes with signs that are drawn at random for each tree (Iosipoi and Vakhrushev: SketchBoost,
NeurIPS 2022, with one random projection). So the histograms of a tree cost what those of two classes do.
"""

from __future__ import annotations

import math

from sonlearn.jit import bare_inline, forced_inline
from sonlearn.learn.boosting.state import (
    BASE,
    BELOW_ALL,
    BINS,
    COLUMNS,
    CURVATURE,
    GRADIENT,
    IMPORTANCE,
    LABEL,
    LEAF,
    NEXT,
    PARTS,
    rows_of_refit,
    slot_of,
)
from sonlearn.learn.linear_algebra import product, total_of
from sonlearn.views.codes import key_of

#: A split has to be better than the one before by more than rounding, relatively.
ROUNDING = 1e-10
#: A bin with no greater share of a node's curvature counts as empty: what is left of a parent's is not exactly 0.
NOTHING = 1e-9
#: Columns of `Scratch.span`.
LEAST, MOST = range(2)
#: Least curvature of a row.
FLOOR = 1e-16
#: Of several classes the largest value of a leaf, and the least probability while trees are grown.
LONGEST, TINIEST = 20.0, 1e-30


@bare_inline
def grow_tree(params, state, work, number, t):
    """Grow tree t, of that number in its refit, and add its leaves to the scores of the rows."""
    inner, m = work.cells.shape[0], draw_columns(params, state, work, number)
    begin_tree(params, state, work, number)
    count_cells(state, work, 0, m)
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
    add_leaves(params, state, work, t)


@bare_inline
def draw_columns(params, state, work, number):
    """Choose `COLUMNS` of the columns that vary, at random (Knuth's algorithm S); returns how many there are."""
    now, left, m = state.now[0], 0, 0
    for j in range(now["columns"]):
        left += state.sizes[j] > 0
    for j in range(now["columns"]):
        if state.sizes[j] > 0:
            if key_of(now["refits"] * params.trees + number, j) % left < COLUMNS - m:
                work.chosen[m] = j
                m += 1
            left -= 1
    return m


@bare_inline
def begin_tree(params, state, work, number):
    """All rows are in the root; the gradients and curvatures at their scores by which this tree is split."""
    now = state.now[0]
    n, known = rows_of_refit(now), now["known"]
    if params.several:
        draw_signs(params, now, work.signs, number)
    for i in range(n):
        slot = slot_of(now, i)
        y, h = state.labels[slot, LABEL], state.labels[slot, IMPORTANCE]
        if params.several:
            g, c = slope_of_classes(state.scores[i * known : (i + 1) * known], work.signs, known, int(y))
        else:
            z = state.scores[i]
            g, c = z - y, 1.0
            if params.logistic:
                e = math.exp(-abs(z))
                p = 1.0 / (1.0 + e) if z > 0.0 else e / (1.0 + e)
                g, c = p - (1.0 if y > 0.0 else 0.0), max(e / ((1.0 + e) * (1.0 + e)), FLOOR)
        work.slopes[i, GRADIENT], work.slopes[i, CURVATURE] = h * g, h * c
        work.order[i] = i
    work.begin[0], work.end[0] = 0, n


@bare_inline
def draw_signs(params, now, signs, number):
    """Part the classes in two at random: signs[c] <- -1 or 1, of one class another than of all others if need be."""
    seed, total, known = now["refits"] * params.trees + number, 0.0, now["known"]
    for c in range(known):
        signs[c] = 1.0 if key_of(seed, params.most + c) % 2 == 0 else -1.0
        total += signs[c]
    if abs(total) == known:
        signs[seed % known] *= -1.0


@forced_inline
def slope_of_classes(p, signs, known, y):
    """(gradient, curvature) of a row of class y for one score that is added to a class or taken from it, by its sign.

    Of softmax: with probabilities p, e = p but less 1 for the own class, and signs s they are s'e and 1 - (s'p)^2.
    """
    mean = product(p, signs, known)
    return mean - signs[y], max(1.0 - mean * mean, FLOOR)


@bare_inline
def split_node(params, state, work, t, k, m):
    """Split node k of tree t where that gains most; returns whether it was split."""
    tree, begin, end = state.trees, work.begin[k], work.end[k]
    if m == 0 or not heavy(params, work, k):
        return False
    G, C = sums_of(work.cells[k], 0, BINS + 1)
    q, code, none_left = best_split(params, state, work, work.cells[k], m, G, C)
    if q < 0:
        return False
    tree.column[t, k], tree.none_left[t, k] = work.chosen[q], none_left
    tree.edge[t, k] = state.edges[work.chosen[q], code - 1] if code > 0 else BELOW_ALL
    middle = part_rows(params, state, work, t, k, q, code, G, C)
    work.begin[2 * k + 1], work.end[2 * k + 1] = begin, middle
    work.begin[2 * k + 2], work.end[2 * k + 2] = middle, end
    if 2 * k + 2 < work.cells.shape[0]:
        count_children(params, work, state, k, m)
    return True


@bare_inline
def heavy(params, work, k):
    """Whether the rows of node k have the curvature that a split needs."""
    total = 0.0
    for place in range(work.begin[k], work.end[k]):
        total += work.slopes[work.order[place], CURVATURE]
        if total >= 2.0 * least_curvature(params):
            return True
    return False


@forced_inline
def least_curvature(params):
    """The curvature of the rows on either side of a split, at least."""
    return params.least_logistic if params.logistic or params.several else params.least


@bare_inline
def count_children(params, work, state, k, m):
    """Fill in the histograms of the children of node k: the one with fewer rows is counted, the other is the rest."""
    few, many = 2 * k + 1, 2 * k + 2
    if work.end[few] - work.begin[few] > work.end[many] - work.begin[many]:
        few, many = many, few
    if not (heavy(params, work, few) or heavy(params, work, many)):
        return
    count_cells(state, work, few, m)
    for place in range(m * (BINS + 1) * 2):
        work.cells[many, place] = work.cells[k, place] - work.cells[few, place]


@bare_inline
def count_cells(state, work, k, m):
    """Sum the rows of node k by column and code."""
    cells, columns = work.cells[k], state.now[0]["columns"]
    for place in range(m * (BINS + 1) * 2):
        cells[place] = 0.0
    for place in range(work.begin[k], work.end[k]):
        i = work.order[place]
        g, c, row = work.slopes[i, GRADIENT], work.slopes[i, CURVATURE], state.codes[i * columns : (i + 1) * columns]
        for q in range(m):
            cell = 2 * (q * (BINS + 1) + int(row[work.chosen[q]]))
            cells[cell] += g
            cells[cell + 1] += c


@bare_inline
def best_split(params, state, work, cells, m, G, C):
    """(place among the columns chosen, last code on the left, whether rows without a value go left); place -1: none."""
    least, found, last, left = least_curvature(params), -1, 0, False
    best = term(params, G, C) * (1.0 + ROUNDING)
    for q in range(m):
        at, g, c = 2 * q * (BINS + 1), 0.0, 0.0
        g0, c0 = cells[at], cells[at + 1]
        for code in range(state.sizes[work.chosen[q]]):
            if code > 0:
                at += 2
                if cells[at + 1] == 0.0:
                    continue
                g, c = g + cells[at], c + cells[at + 1]
                if min(c, C - c) >= least:
                    gain = term(params, g, c) + term(params, G - g, C - c)
                    if gain > best:
                        best, found, last, left = gain * (1.0 + ROUNDING), q, code, False
            if c0 > 0.0 and min(c + c0, C - c - c0) >= least:
                gain = term(params, g + g0, c + c0) + term(params, G - g - g0, C - c - c0)
                if gain > best:
                    best, found, last, left = gain * (1.0 + ROUNDING), q, code, True
    return found, last, left


@forced_inline
def term(params, G, C):
    """G^2/(C + penalty), which does not overflow where G does not."""
    return G * (G / (C + params.penalty))


@bare_inline
def part_rows(params, state, work, t, k, q, last, G, C):
    """Put the rows of node k that go left first; returns where the others begin.

    Rows in the bins on either side of the split are parted by their values, after its edge is moved. Others are parted
    without branches, which would be foretold wrongly.
    """
    columns, j, at, aside, near = state.now[0]["columns"], work.chosen[q], work.begin[k], 0, 0
    first, below, following = 0 if state.trees.none_left[t, k] else 1, last, last
    if last > 0 and state.sizes[j] == BINS:
        below, following = last - 1, next_code(work.cells[k], q, last, C)
    for place in range(work.begin[k], work.end[k]):
        i = work.order[place]
        code = state.codes[i * columns + j]
        left, between = int(first <= code) * int(code <= below), int(below < code) * int(code <= following)
        work.order[at], work.aside[aside], work.near[near] = i, i, i
        at += left
        near += between
        aside += 1 - left - between
    move_edge(params, state, work, t, k, q, below, near, G, C)
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
def next_code(cells, q, last, C):
    """The code after `last` that rows of a node of curvature C have in column q of those chosen."""
    code = last + 1
    while code < BINS and cells[2 * (q * (BINS + 1) + code) + CURVATURE] <= NOTHING * C:
        code += 1
    return code


@bare_inline
def sums_of(cells, begin, end):
    """(gradient, curvature) of the cells from begin to end."""
    g, c = 0.0, 0.0
    for cell in range(begin, end):
        g, c = g + cells[2 * cell + GRADIENT], c + cells[2 * cell + CURVATURE]
    return g, c


@bare_inline
def move_edge(params, state, work, t, k, q, below, near, G, C):
    """Move the edge of node k's split to where it gains most among the first `near` rows of work.near.

    These are summed in `PARTS` of equal width, and an edge is in the middle between two of them. Rows with codes up to
    `below` are on the left anyway. Fills in work.value, the values of the rows.
    """
    low, high = count_parts(state, work, work.chosen[q], near)
    if not low < high:
        return
    edge, span, cell = state.trees.edge, work.span, q * (BINS + 1)
    g, c = sums_of(work.cells[k], cell + 1 - int(state.trees.none_left[t, k]), cell + below + 1)
    best, under, found = 0.0, 0.0, False
    for part in range(PARTS):
        if span[part, LEAST] > span[part, MOST]:
            continue
        if found:
            edge[t, k], found = 0.5 * under + 0.5 * span[part, LEAST], False
            if edge[t, k] >= span[part, LEAST]:
                edge[t, k] = under
        g, c = g + work.parts[part, GRADIENT], c + work.parts[part, CURVATURE]
        gain = term(params, g, c) + term(params, G - g, C - c)
        if part < PARTS - 1 and gain > best and min(c, C - c) >= least_curvature(params):
            best, under, found = gain * (1.0 + ROUNDING), span[part, MOST], True


@bare_inline
def count_parts(state, work, j, near):
    """Fill in work.value, work.parts and work.span; returns the least and the largest value."""
    now, low, high = state.now[0], math.inf, -math.inf
    for place in range(near):
        x = float(state.values[slot_of(now, work.near[place]) * now["width"] + j])
        work.value[place], low, high = x, min(low, x), max(high, x)
    for part in range(PARTS if low < high else 0):
        work.parts[part, GRADIENT] = work.parts[part, CURVATURE] = 0.0
        work.span[part, LEAST], work.span[part, MOST] = math.inf, -math.inf
    for place in range(near if low < high else 0):
        i, x = work.near[place], float(work.value[place])
        part = min(int(PARTS * ((x - low) / (high - low))), PARTS - 1)
        work.parts[part, GRADIENT] += work.slopes[i, GRADIENT]
        work.parts[part, CURVATURE] += work.slopes[i, CURVATURE]
        work.span[part, LEAST], work.span[part, MOST] = min(work.span[part, LEAST], x), max(work.span[part, MOST], x)
    return low, high


@forced_inline
def place_of(state, t, k):
    """Where the values of leaf k of tree t begin, one for each class."""
    return (t * (2 * state.trees.column.shape[1] + 1) + k) * len(state.starts)


@bare_inline
def fill_leaves(params, state, work, t):
    """Fill in the values of the leaves of tree t; of nodes without rows they are 0.

    Of several classes the curvature of a class of probability p is p (1 - p).
    """
    now, value, curvature = state.now[0], state.trees.value, work.by_leaf
    known = now["known"]
    for k in range(len(curvature)):
        at = place_of(state, t, k)
        for c in range(known):
            value[at + c] = curvature[k, c] = 0.0
    for i in range(rows_of_refit(now)):
        k = work.leaf[i]
        at = place_of(state, t, k)
        gradients, curvatures = value[at : at + known], curvature[k]
        if params.several:
            slot, p = slot_of(now, i), state.scores[i * known : (i + 1) * known]
            h = state.labels[slot, IMPORTANCE]
            for c in range(known):
                gradients[c] += h * p[c]
                curvatures[c] += h * max(p[c] * (1.0 - p[c]), FLOOR)
            gradients[int(state.labels[slot, LABEL])] -= h
        else:
            gradients[0] += work.slopes[i, GRADIENT]
            curvatures[0] += work.slopes[i, CURVATURE]
    for k in range(len(curvature)):
        at = place_of(state, t, k)
        for c in range(known):
            value[at + c] *= -params.rate / (curvature[k, c] + params.penalty)
            if params.several:
                value[at + c] = min(max(value[at + c], -LONGEST), LONGEST)


@bare_inline
def add_leaves(params, state, work, t):
    """Add to the score of each row the value of its leaf; of several classes the scores' softmax follows."""
    now, value, factor = state.now[0], state.trees.value, work.by_leaf
    known = now["known"]
    if params.several:
        for k in range(len(factor)):
            at = place_of(state, t, k)
            for c in range(known):
                factor[k, c] = math.exp(value[at + c])
    for i in range(rows_of_refit(now)):
        k = work.leaf[i]
        if params.several:
            scale(state.scores[i * known : (i + 1) * known], factor[k], known)
        else:
            state.scores[i] += value[place_of(state, t, k)]


@forced_inline
def scale(p, factor, n):
    """p[:n] <- probabilities in proportion to p factor."""
    for c in range(n):
        p[c] = max(p[c] * factor[c], TINIEST)
    total = total_of(p, n)
    for c in range(n):
        p[c] /= total


@bare_inline
def start_scores(params, state):
    """Scores of no tree, and with them those of the rows, whose bases they have besides.

    They are the mean of the labels; of two classes the log-odds of their shares; of several the logarithm of each one's
    weight and 1, so that a class without a row has 0.
    """
    now, starts, total, positive, weight = state.now[0], state.starts, 0.0, 0.0, 0.0
    n, known = rows_of_refit(now), now["known"]
    for c in range(known):
        starts[c, NEXT] = 0.0
    for i in range(n):
        slot = slot_of(now, i)
        y, h = state.labels[slot, LABEL], state.labels[slot, IMPORTANCE]
        weight += h
        if params.several:
            starts[int(y), NEXT] += h
        else:
            total += h / weight * (y - state.labels[slot, BASE] - total)
            positive += h if y > 0.0 else 0.0
    if params.logistic:
        total = math.log((positive + 1.0) / (max(weight - positive, 0.0) + 1.0))
    for c in range(known):
        for i in range(n if params.several else 0):
            state.scores[i * known + c] = (starts[c, NEXT] + 1.0) / (weight + known)
        starts[c, NEXT] = math.log(starts[c, NEXT] + 1.0) if params.several else total
    for i in range(0 if params.several else n):
        state.scores[i] = total + state.labels[slot_of(now, i), BASE]


@bare_inline
def leaf_of(trees, t, x):
    """The leaf of tree t to which a row with the values x (float32[columns]) comes."""
    k = 0
    while k < trees.column.shape[1] and trees.column[t, k] != LEAF:
        value = x[trees.column[t, k]]
        left = trees.none_left[t, k] if value == 0.0 else value <= trees.edge[t, k]
        k = 2 * k + 2 - int(left)
    return k
