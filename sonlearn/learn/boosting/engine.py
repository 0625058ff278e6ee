"""Engine of boost: a sum of small trees of the last rows, fitted anew when half as many have come, of classes .3.

Of classes, in each refit every fourth tree, in turn, is grown anew; the others keep their splits, and leaves alone are
fitted. For these the leaves are kept in which each row ended when it was predicted. So leaves are of more of the rows,
and on the whole refits take less time. Trees of values, which are of streams more often, would gain nothing, and say
less of what comes later.

Rows are kept as numbers of all columns, and at most `MAX_ROWS` of them: a bounded memory and, row by row, a bounded
time. Predictions of a row are by trees that have not seen it.
"""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sonlearn.data.arrays import grown, zeros
from sonlearn.data.axes import Numbers
from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.jit.sequence import Calls
from sonlearn.learn.boosting.bins import BLOCK_ROWS, SAMPLE, max_refit_rows, padded_scores
from sonlearn.learn.boosting.losses import LOGISTIC, SOFTMAX, SQUARED
from sonlearn.learn.boosting.rounds import ASK, NOTHING, REBUILD, REFIT, predict_and_learn
from sonlearn.learn.boosting.state import (
    BINS,
    COLUMNS,
    LABEL,
    LEAF,
    MAX_CLASSES,
    MAX_ROWS,
    MAX_ROWS_WIDE,
    MAX_VALUES,
    MOST_COLUMNS,
    NOW,
    PARTS,
    SPARE_ROWS,
    WEIGHT,
    BinningScratch,
    BoostState,
    Nodes,
    Params,
    PartitionScratch,
    Scratch,
    Trees,
    new_trees,
)
from sonlearn.learn.drift import merge_drifts, new_drift
from sonlearn.learn.engine import Engine, Predictions, check_width, too_wide
from sonlearn.learn.losses import sure_gain
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: The width of the buffer grows by so many columns; its rows, where they come one by one.
STRIDE, ROWS = 8, 256
#: The largest value of a leaf of several classes.
MAX_LEAF_VALUE = 20.0
#: A model at rest has one of these times as many trees, of values also with so many times less hessian on either side
#: of a split, if trees (times that) times rows times scores are not more than `MAX_COST`.
TIMES, FINER, MAX_COST = (1, 2, 3), 5, 4_000_000
#: What is best for one in so many of the rows kept, the last ones; so many of them at least, and at most.
HELD_OUT, MIN_HELD_OUT, MAX_HELD_OUT = 3, 16, 1024


class Boost(Engine):
    """Engine of boost (see `sonlearn.learn.engine.Engine` for the verbs)."""

    merges = True

    def __init__(self, options: LearnOptions):
        self._method = options.method
        self._params = params_of(LOGISTIC if options.loss == "logistic" else SQUARED)
        self._work = self._scratch(0, 1)

    def new(self, classes: int = 0) -> BoostState:
        """State of a learner that has learned nothing."""
        scores = 0 if self.by_class else 1
        now = np.zeros(1, dtype=NOW)
        now["classes"] = now["refit_classes"] = scores
        now["slots"] = MAX_ROWS + SPARE_ROWS
        return BoostState(
            now, np.zeros(0, np.float32), np.zeros((0, 3)), np.zeros((scores, 2)), new_trees(self._params, scores),
            new_drift(), np.zeros(0, np.uint8), np.zeros((0, BINS), np.float32), np.zeros(0, np.int64),
            np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros((0, 0), np.uint8),
        )  # fmt: skip

    def _scratch(self, width: int, classes: int) -> Scratch:
        inner, row_stride = (1 << self._params.max_depth) - 1, padded_scores(classes)
        order, right_rows, edge_rows = zeros((3, MAX_ROWS), np.uint32)
        return Scratch(
            np.zeros(max(width, 1), np.float32), np.zeros(max(width, 1), np.int64),
            BinningScratch(
                np.zeros(SAMPLE, np.float32), np.zeros(BLOCK_ROWS, np.float32), np.zeros(BLOCK_ROWS, np.int32),
                np.zeros((BINS + 3, 1 + classes)),
            ),
            zeros((MAX_ROWS, 2)),
            Nodes(
                order, *np.zeros((2, 2 * inner + 1), np.int64), zeros((MAX_ROWS,), np.int64), np.zeros(2),
                np.zeros(MOST_COLUMNS, np.uint16), zeros((MAX_ROWS * COLUMNS + 1,), np.uint16),
                np.zeros(MAX_ROWS + 1, np.int64), np.zeros(MOST_COLUMNS + 1, np.int64),
                zeros((inner, COLUMNS * (BINS + 1) + 1), np.int64), np.zeros((2, BINS)), np.zeros(BINS),
            ),
            PartitionScratch(
                right_rows, edge_rows, np.zeros(MAX_ROWS, np.float32), np.zeros(PARTS, np.int64),
                np.zeros((PARTS, 2), np.float32),
            ),
            zeros((2, 2 * inner + 1, row_stride)), np.zeros(row_stride), np.zeros(classes),
            np.zeros(max(TIMES) * self._params.trees, np.int64),
        )  # fmt: skip

    def _room_for(self, state: BoostState) -> Scratch:
        """Scratch for rows of `state`."""
        width = int(state.now["width"][0])
        if len(self._work.total) < len(state.base_scores):
            self._work = self._scratch(width, len(state.base_scores))
        if len(self._work.x) < width:
            self._work = self._work._replace(x=np.zeros(width, np.float32), column_weights=np.zeros(width, np.int64))
        return self._work

    def reserve(self, state: BoostState, rows: Rows, features: int) -> BoostState:
        """Make room for learning `rows`, up to the number of columns allowed."""
        shown = 1 + int(np.nanmax(rows.y, initial=-1.0)) if self.by_class else 1
        return self._with_room(state, len(rows.y), features, shown)

    def _with_room(self, state: BoostState, n: int, features: int, classes: int = 1) -> BoostState:
        """`state` with room for n more rows; what a packed one has been without is worked out."""
        classes = min(max(classes, int(state.now["classes"][0])), MAX_CLASSES)
        before, learned, kept = int(state.now["width"][0]), int(state.now["rows"][0]), len(state.leaf_ids) > 0
        width, base_scores = max(before, self._width(features)), grown(state.base_scores, classes)
        if width > before or state.now["slots"][0] > _slots(state):
            state = _laid_out(state, width)
        used, slots = (min(rows, int(state.now["slots"][0])) for rows in (learned, learned + n))
        labels = grown(state.labels, slots, used)
        rows, cells = min(len(labels), MAX_ROWS), min(len(labels) * width, max(MAX_VALUES, MAX_ROWS_WIDE * width))
        roomy = state._replace(
            values=grown(state.values, slots * width, used * width), labels=labels,
            column_codes=grown(state.column_codes, cells), bin_edges=grown(state.bin_edges, width),
            n_bins=grown(state.n_bins, width), costs=grown(state.costs, width),
            relevance=grown(state.relevance, width), base_scores=base_scores,
            scores=grown(state.scores, min(rows * padded_scores(len(base_scores)), MAX_VALUES)),
            trees=state.trees._replace(value=_with_classes(state, len(base_scores))),
            leaf_ids=state.leaf_ids if kept else zeros((self._params.trees, int(state.now["slots"][0])), np.uint8),
        )  # fmt: skip
        if learned > 0 and not kept:
            self._call_without_rows(REBUILD, roomy)
        return roomy

    def _width(self, features: int) -> int:
        """Columns of the buffer for so many features: some in any case, as rows go down trees without a branch."""
        return -(-max(min(features, self._params.max_columns), 1) // STRIDE) * STRIDE

    def calls(self, state: BoostState, rows: Rows, out: Predictions, start: int = 0, learns: bool = True) -> Calls:
        """See `Engine.calls`."""
        params, scratch = self._params_for(state), self._room_for(state)
        return [(predict_and_learn, (params, state, scratch, rows, start, learns, out.raw, NOTHING))]

    def _params_for(self, state: BoostState) -> Params:
        """The constants, with as many trees as the state has."""
        return self._params._replace(trees=len(state.trees.column) // 2)

    def _refit(self, state: BoostState, **values: float) -> None:
        """Make a refit of all rows kept, after the one that is under way, with these `values` of the constants."""
        now = state.now
        for _ in range(1 + int(now["step"][0] > 0)):
            if now["trees_end"][0] < now["rows"][0]:
                now["due"] = now["rows"]
                self._call_without_rows(REFIT, state, **values)

    def _call_without_rows(self, then: int, state: BoostState, last: int = 0, **values: float) -> np.ndarray:
        """Call the kernel for `REFIT`, `REBUILD` or `ASK` alone; returns raw, of so many of the last rows."""
        raw, params = np.zeros((last, len(state.base_scores))), self._params_for(state)._replace(**values)
        predict_and_learn(params, state, self._room_for(state), NO_ROWS, 0, False, raw, then)
        return raw

    def at_rest(self, state: BoostState) -> BoostState:
        """With trees of all rows kept (see `Engine.at_rest`): as many, and as fine, as is best for the last ones.

        In `scores` stand the errors in these of such trees of the rows before: of values, or of classes 1 less the
        probability. Where there are too few or too many rows for that, trees are the usual ones, and no errors known.
        After further passes the last rows are those of one: none is held out that another repeats.
        """
        now = state.now[0]
        n = int(min(now["rows"] - now["forgotten"], _distinct_rows(now), max_refit_rows(now["seen"], now["classes"])))
        way, errors = self._best_way(state, n)
        if way is not None:
            own = self._with_new_trees(state, n, 0, *way)
        elif now["trees_end"] < now["rows"]:
            own = self._with_room(copy.deepcopy(state), 0, int(now["seen"]))
            self._refit(own)
        else:
            own = state
        return state._replace(now=own.now, trees=own.trees, base_scores=own.base_scores, scores=errors)

    def _best_way(self, state: BoostState, n: int) -> tuple[tuple[float, int] | None, np.ndarray]:
        """((least hessian, trees) that are best for the last of n rows, None: the usual ones, their errors there)."""
        now, held, squared = state.now[0], min(n // HELD_OUT, MAX_HELD_OUT), self._params.loss == SQUARED
        cost = self._params.trees * n * padded_scores(int(now["classes"]))
        tried = [times * self._params.trees for times in TIMES if times * cost <= MAX_COST]
        if not tried or held < MIN_HELD_OUT:
            return None, state.scores[:0]
        finer = squared and FINER * len(tried) * cost <= MAX_COST
        ways = list(itertools.product([self._params.min_hessian / by for by in (1, FINER)[: 1 + finer]], tried))
        errors = np.zeros((len(ways), held))
        for i, (min_hessian, trees) in enumerate(ways):
            if i % len(tried) == 0:
                others = self._with_new_trees(state, n, held, min_hessian, tried[-1])
            errors[i] = self._call_without_rows(ASK, others, held, trees=trees)[:, 0]
        losses = errors**2 if squared else -np.log1p(-np.minimum(errors, 1.0 - 1e-15))
        best = int(np.argmax(sure_gain(losses[0] - losses, last_weights(state, held))))
        return ways[best] if best > 0 else None, errors[best]

    def _with_new_trees(self, state: BoostState, n: int, held: int, min_hessian: float, trees: int) -> BoostState:
        """`state` with so many trees, of the last n rows but those held out; the old ones say which columns split."""
        now, slots, first = state.now.copy(), int(state.now["slots"][0]), int(state.now["first_tree"][0])
        new, usual = new_trees(self._params._replace(trees=trees), len(state.base_scores)), self._params.trees
        new.column[:usual] = state.trees.column[first : first + usual]
        own = self._with_room(state._replace(
            now=now, base_scores=state.base_scores.copy(), trees=new, leaf_ids=zeros((trees, slots), np.uint8),
            column_codes=state.column_codes[:0], bin_edges=state.bin_edges[:0], n_bins=state.n_bins[:0],
            costs=state.costs[:0], relevance=state.relevance[:0], scores=state.scores[:0],
        ), 0, int(now["seen"][0]))  # fmt: skip
        now = own.now
        now["forgotten"], now["first_tree"] = now["rows"] - n, 0
        now["rows"] -= held
        now["step"] = now["part"] = 0
        now["trees_end"] = np.minimum(now["trees_end"], now["rows"] - 1)
        self._refit(own, regrow_every=1, min_hessian=min_hessian)
        now["rows"] += held
        return own

    def reserve_ahead(self, state: BoostState, rows: Rows, features: int) -> tuple[BoostState, int]:
        """Room for some rows of the features that there are (see `Engine.reserve_ahead`)."""
        return self._with_room(state, ROWS, features), features

    def next_pass(self, state: BoostState, again: bool) -> None:
        """See `Engine.next_pass`: errors on rows of a further pass tell nothing of a change."""
        now = state.now[0]
        if again or now["again"]:  # how many rows a pass has is known once a further one has ended
            now["distinct"] = max(now["rows"] - now["began"], now["distinct"]) if now["again"] else 0
            now["began"], now["again"] = now["rows"], again

    def refusal(self, rows: Rows, row: int) -> tuple[str, str] | None:
        """(found, expected) for a row that was refused for exceeding the number of columns."""
        return too_wide(rows, row, self._params.max_columns, self._method, "rows of numbers: use --method nag")

    def packed(self, state: BoostState) -> BoostState:
        """`state` without spare room, and without what follows from the rest or is not read any more."""
        state, K = _laid_out(state, int(state.now["seen"][0])), min(int(state.now["classes"][0]), MAX_CLASSES)
        return state._replace(
            base_scores=state.base_scores[:K],
            trees=_without_old_trees(state._replace(trees=state.trees._replace(value=_with_classes(state, K)))),
            column_codes=state.column_codes[:0], bin_edges=state.bin_edges[:0], n_bins=state.n_bins[:0],
            costs=state.costs[:0], relevance=state.relevance[:0], scores=state.scores[:0],
            leaf_ids=state.leaf_ids[:0, :0],
        )  # fmt: skip

    def for_prediction(self, state: BoostState) -> BoostState:
        """`packed` without the rows kept (see `Engine.for_prediction`)."""
        now = state.now.copy()
        now["rows"] = now["trees_end"] = 0
        return self.packed(state._replace(now=now, values=state.values[:0], labels=state.labels[:0]))

    def renumbered(self, state: BoostState, numbers: Numbers) -> BoostState:
        """The buffer with other numbers of its columns (see `Engine.renumbered`); `merge` grows trees of it."""
        before, width, used = int(state.now["width"][0]), self._width(numbers.most), len(state.labels)
        own, values = self.new()._replace(drift=state.drift), np.zeros((used, width), np.float32)
        check_width(numbers.features[:before], self._params.max_columns, self._method)  # others are of refused rows
        known = np.flatnonzero(numbers.features[:before] >= 0)
        values[:, numbers.features[known]] = state.values.reshape(used, before)[:, known]
        now = state.now.copy()
        now["width"], now["seen"] = width, min(numbers.most, self._params.max_columns)
        now["step"] = now["part"] = now["trees_end"] = 0
        labels = state.labels.copy()
        if numbers.classes is not None:
            labels[:, LABEL] = numbers.classes[labels[:, LABEL].astype(np.int64)]
            now["classes"] = 1 + numbers.classes[: int(now["classes"][0])].max(initial=-1)
        return own._replace(now=now, values=values.ravel(), labels=labels)

    def merge(self, states: Sequence[BoostState], base: BoostState, rows: Sequence[int]) -> BoostState:
        """The last rows of all, of each as large a share as of those learned; trees are grown of them.

        Where all rows since the base fit in, the base's last ones are before them. Rows before a change count for
        nothing.
        """
        begin, now = int(base.now["rows"][0]), base.now.copy()
        now["classes"] = max(int(state.now["classes"][0]) for state in (base, *states))
        most = int(max_refit_rows(now["seen"][0], now["classes"][0]))
        since = [int(state.now["forgotten"][0]) for state in states]
        counts = [int(state.now["rows"][0]) - max(begin, own) for state, own in zip(states, since, strict=True)]
        new = sum(counts)
        shares = np.diff(np.cumsum([0, *counts]) * min(new, most) // max(new, 1)).tolist()
        parts = [(base, min(most - sum(shares), max(begin - max(since), 0))), *zip(states, shares, strict=True)]
        now["rows"] += sum(int(state.now["rows"][0]) - begin for state in states)
        now["refits"] = max(int(state.now["refits"][0]) for state in (base, *states))
        kept, total = sum(n for _, n in parts), int(now["rows"][0])
        now["forgotten"], now["slots"] = total - kept, most + SPARE_ROWS
        width, slots = int(now["width"][0]), min(total, int(now["slots"][0]))
        merged = self.new()._replace(
            now=now, values=np.zeros(slots * width, np.float32), labels=np.zeros((slots, 3)),
            drift=merge_drifts(base.drift, [state.drift for state in states], np.zeros(0)),
        )  # fmt: skip
        merged, to = self._with_room(merged, 0, width), np.arange(total - kept, total) % now["slots"]
        merged.values.reshape(slots, width)[to] = np.concatenate(
            [_last(own, own.values.reshape(len(own.labels), width), n) for own, n in parts]
        )
        merged.labels[to] = np.concatenate([_last(own, own.labels, n) for own, n in parts])
        self._refit(merged)
        return merged


class BoostOfClasses(Boost):
    """Member of several classes (see `sonlearn.learn.multiclass`), which has a score for each.

    Parameters
    ----------
    trees : int
        How many there are.
    learning_rate : float
        What a leaf's Newton step is multiplied with.
    """

    by_class = True

    def __init__(self, trees: int = 80, learning_rate: float = 0.2):
        self._method, self._params = "boost", params_of(SOFTMAX, trees=trees, learning_rate=learning_rate, max_depth=6)
        self._work = self._scratch(0, 0)


def params_of(loss: int, **values: Any) -> Params:
    """The constants of boost for a loss, with other `values` where they are given."""
    given = dict(METHODS["boost"].values)
    of_classes = given.pop("of_classes")
    given |= ({} if loss == SQUARED else of_classes) | {"loss": loss} | values
    max_leaf_value, several = (MAX_LEAF_VALUE, (True,)) if loss == SOFTMAX else (math.inf, ())
    return Params(**given, max_leaf_value=max_leaf_value, several=several)


def _with_classes(state: BoostState, classes: int) -> np.ndarray:
    """Values of leaves for so many classes."""
    value, room = state.trees.value, len(state.base_scores)
    if classes == room:
        return value
    T, inner = state.trees.column.shape
    wider, both = zeros((T * (2 * inner + 1), classes), value.dtype), min(room, classes)
    wider[:, :both] = value.reshape(len(wider), room)[:, :both]
    return wider.ravel()


def _without_old_trees(state: BoostState) -> Trees:
    """The trees; of those that the next refit, or the one under way, has still to grow nodes are leaves, values 0."""
    now, trees = state.now[0], state.trees
    T = len(trees.column)
    whole = max(now["step"] - 1 - now["refit_columns"], 0) if now["step"] > 0 else 0
    next_tree = T // 2 - now["first_tree"]  # the first of the trees that do not predict yet
    column, value, end = trees.column.copy(), trees.value.copy(), next_tree + T // 2
    column[next_tree + whole + (now["part"] > 0) : end] = LEAF
    value.reshape(T, -1)[next_tree + whole + (now["part"] > 1) : end] = 0.0
    splits = column != LEAF
    return Trees(column, np.where(splits, trees.threshold, np.float32(0.0)), trees.missing_left & splits, value)


def last_weights(state: BoostState, n: int) -> np.ndarray:
    """Importance of the last n rows learned."""
    return _last(state, state.labels, n)[:, WEIGHT]


def _distinct_rows(now: np.void) -> int:
    """Count the last rows learned of which none is certainly another: in a further pass, those of the one before it."""
    return int(now["distinct"] + (0 if now["again"] else now["rows"] - now["began"]))


def _last(state: BoostState, array: np.ndarray, n: int) -> np.ndarray:
    """The last n rows of one of a state's arrays, which has a row a slot."""
    rows = int(state.now["rows"][0])
    return array[np.arange(rows - n, rows) % state.now["slots"]]


def _slots(state: BoostState) -> int:
    """Slots that the buffer needs: for the rows of the next refit or the one under way, and `SPARE_ROWS` more."""
    columns, classes = ("refit_columns", "refit_classes") if state.now["step"][0] > 0 else ("seen", "classes")
    return int(max_refit_rows(state.now[columns][0], state.now[classes][0])) + SPARE_ROWS


def _laid_out(state: BoostState, width: int) -> BoostState:
    """`state` with so many columns, and no more slots than the rows of a refit need: rows are moved to their slots."""
    now, before, learned = state.now[0], int(state.now["width"][0]), int(state.now["rows"][0])
    slots = min(int(now["slots"]), _slots(state))
    rows, used, both = np.arange(max(learned - slots, 0), learned), min(learned, int(now["slots"])), min(width, before)
    values, labels, old = zeros((len(rows), width), np.float32), zeros((len(rows), 3)), rows % now["slots"]
    values[rows % slots, :both] = state.values[: used * before].reshape(used, before)[old, :both]
    labels[rows % slots] = state.labels[old]
    moved = state.now.copy()
    moved["width"], moved["slots"] = width, slots
    leaf_ids = zeros((len(state.leaf_ids), slots), np.uint8)
    leaf_ids[:, rows % slots] = state.leaf_ids[:, old] if len(leaf_ids) else 0
    return state._replace(now=moved, values=values.ravel(), labels=labels, leaf_ids=leaf_ids)
