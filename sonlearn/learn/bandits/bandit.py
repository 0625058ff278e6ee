"""`Bandit`: a learner of decisions. Names of features, views, two reward models, and their state."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sonlearn import __version__
from sonlearn.data.batch import Batch
from sonlearn.data.decisions import Decisions
from sonlearn.data.rows import NO_ROWS, Rows
from sonlearn.errors import ModelFileError, OptionError
from sonlearn.files import storage
from sonlearn.learn.bandits import rounds
from sonlearn.learn.bandits.diagonal import DiagonalState, new_diagonal, packed_diagonal, reserve_diagonal
from sonlearn.learn.bandits.explore import rule_of
from sonlearn.learn.bandits.rounds import Models, Outcome, Params, Problem, Scratch, room_needed, run
from sonlearn.learn.bandits.sketched import (
    SketchedState,
    new_sketched,
    params,
    reserve_sketched,
    scratch,
    with_columns,
)
from sonlearn.learn.multiclass.pairs import bytes_of, more_room
from sonlearn.options import TextOptions
from sonlearn.options.bandit import CB_TYPES, BanditOptions
from sonlearn.text.columns import ColumnTable
from sonlearn.views import make_view
from sonlearn.views.index import index_of, intern, lookup, new_index

#: Version of the header and arrays of a bandit's file.
FORMAT = 1
#: Rows that are viewed at a time.
ROWS = 2048
#: What the dense view shows.
COMPONENTS, WIDTH = 256, 1.5


class BanditState(NamedTuple):
    """All that has been learned, but for the names of the features."""

    sparse: Any  # of the view of the diagonal model
    dense: Any  # of the view of the sketched one
    diagonal: DiagonalState
    sketched: SketchedState
    now: np.ndarray  # structured [1], see `rounds.SCALARS`


class Decided(NamedTuple):
    """What comes of n decisions: decision i has the candidates ``first[i]:first[i + 1]``.

    Attributes
    ----------
    first : int64[n + 1]
    probability : float64[candidates]
        With which each would be chosen; those of a decision add up to 1.
    mean : float64[candidates]
        Expected costs.
    width : float64[candidates]
        Of their confidence: one standard deviation, in units of costs.
    action : int64[n]
        The candidate chosen, counted from the decision's first; of a log, the log's.
    loss : float64[n]
        The cost of that action; of a log with probabilities, the cost times this model's probability of the action
        over the log's: an unbiased estimate of what this model would have cost. NaN where no cost is known.
    """

    first: np.ndarray
    probability: np.ndarray
    mean: np.ndarray
    width: np.ndarray
    action: np.ndarray
    loss: np.ndarray


class Bandit:
    """A learner of decisions.

    Parameters
    ----------
    options : BanditOptions
    text : TextOptions
        Kept with the model, since it defines what the features are.

    Attributes
    ----------
    examples : int
        Decisions learned from, over the model's whole life.
    """

    def __init__(self, options: BanditOptions, text: TextOptions | None = None):
        self.options, self.text = options, text or TextOptions()
        self.columns = ColumnTable()
        self.index = new_index()
        self._params = Params(rule_of(options), CB_TYPES.index(options.cb_type), params())
        self._sparse = make_view("lunit")
        self._dense = make_view("fourier", components=COMPONENTS, widths=(WIDTH,), linear=1.0)
        K = self._columns = options.actions or 1
        self.state = BanditState(
            self._sparse.new(), self._dense.new(), new_diagonal(K), new_sketched(), np.zeros(1, rounds.SCALARS)
        )
        self._work = Scratch(*np.zeros((2, K)), np.zeros((K, 4)), *np.zeros((2, K)), scratch())

    @property
    def examples(self) -> int:
        """Decisions learned from."""
        return int(self.state.now["learned"][0])

    @property
    def size(self) -> int:
        """Features that have been seen."""
        return int(self.index.size[0])

    # -- decisions ---------------------------------------------------------------------------------------------------

    def partial_fit(self, decisions: Decisions) -> Decided:
        """Decide each decision, and learn from its cost, in order; those without a cost are only decided.

        Where all costs are known, the action is chosen here, and only its cost is learned.
        """
        return self._by_rows(decisions, True)

    def predict(self, decisions: Decisions) -> Decided:
        """Decide each decision as the model is, and change nothing: the same calls give the same actions."""
        return self._by_rows(decisions, False)

    def decide(self, decisions: Decisions) -> Decided:
        """`predict`, and the next call draws other numbers: for decisions that are put into effect."""
        decided = self.predict(decisions)
        self.state = self.state._replace(now=self.state.now.copy())
        self.state.now["drawn"] += decisions.n
        return decided

    def _by_rows(self, decisions: Decisions, learn: bool) -> Decided:
        """A part after the other, each of about `ROWS` rows."""
        parts, start, low = [], 0, 0
        for stop in range(1, decisions.n + 1):
            rows = int(decisions.row[decisions.first[stop] - 1]) + 1 - low
            if rows >= ROWS or stop == decisions.n:
                parts.append(self._run(decisions.part(start, stop), learn, start))
                start, low = stop, low + rows
        empty = Outcome(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0))
        whole = (np.concatenate(one) for one in zip(empty, *parts, strict=True))
        return Decided(decisions.first, *whole)

    def _run(self, decisions: Decisions, learn: bool, before: int) -> Outcome:
        """`partial_fit` or `predict` of decisions, `before` of which have been predicted in the same call."""
        known = ~np.isnan(decisions.cost) & (decisions.action >= 0)
        if decisions.costs is not None:
            known = ~np.isnan(decisions.costs[decisions.first[:-1]])
        of_row = np.zeros(decisions.rows.n, np.int64)
        of_row[decisions.row] = np.repeat(np.arange(decisions.n), np.diff(decisions.first))
        batch = decisions.rows._replace(y=np.where(known[of_row], 0.0, np.nan), weight=np.ones(decisions.rows.n))
        sparse, dense = self._learned_rows(batch) if learn else self._predicted_rows(batch)
        self._reserve_work(int(np.diff(decisions.first).max(initial=0)))
        none = np.zeros(0)
        problem = Problem(
            decisions.first, decisions.row, decisions.column, decisions.action, decisions.cost, decisions.probability,
            none if decisions.costs is None else decisions.costs,
        )  # fmt: skip
        problem = Problem(*(np.require(array, requirements=["C", "W"]) for array in problem))
        count, at = len(decisions.row), 0
        out = Outcome(
            np.zeros(count), np.zeros(count), np.zeros(count), np.zeros(decisions.n, np.int64), np.zeros(decisions.n)
        )
        now = self.state.now
        if not learn:
            now = now.copy()
            now["drawn"] += before
        while True:
            models = Models(self.state.diagonal, with_columns(self.state.sketched, self._columns), now)
            at = run(self._params, models, self._work, sparse, dense, problem, out, at, learn)
            if at == decisions.n:
                break
            begin, end = decisions.first[at : at + 2]
            places = room_needed(self.state.diagonal.pairs, sparse, problem.row, begin, end)
            pairs = more_room(self.state.diagonal.pairs, places)
            self.state = self.state._replace(diagonal=self.state.diagonal._replace(pairs=pairs))
        return out

    def _learned_rows(self, batch: Batch) -> tuple[Rows, Rows]:
        """The rows as both models see them, new features numbered."""
        rows, self.index = intern(batch, self.index, True)
        state = self.state
        sparse, seen = self._sparse.fit_transform(self._sparse.reserve(state.sparse, rows, self.size), rows)
        dense, shown = self._dense.fit_transform(self._dense.reserve(state.dense, rows, self.size), rows)
        self.state = BanditState(
            sparse, dense, reserve_diagonal(state.diagonal, self._sparse.features(sparse)),
            reserve_sketched(state.sketched, self._columns, self._dense.features(dense)), state.now.copy(),
        )  # fmt: skip
        return seen, shown

    def _predicted_rows(self, batch: Batch) -> tuple[Rows, Rows]:
        rows = lookup(batch, self.index, True)
        return self._sparse.transform(self.state.sparse, rows), self._dense.transform(self.state.dense, rows)

    def _reserve_work(self, longest: int) -> None:
        """Scratch for decisions of so many candidates."""
        if longest > len(self._work.mean):
            room = 2 * longest
            self._work = self._work._replace(score=np.zeros((room, 4)), mean=np.zeros(room), width=np.zeros(room))

    # -- what is known -----------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """Numbers on the state: decisions, the range of rewards, each reward model's recent squared error."""
        now, pairs = self.state.now[0], self.state.diagonal.pairs
        sketched = self.state.sketched
        return {
            "learned": int(now["learned"]), "lowest reward": float(now["low"]),
            "highest reward": float(now["high"]), "pairs": int(pairs.size.sum()),
            "bytes": bytes_of(pairs) + sum(array.nbytes for array in sketched),
            "error of the diagonal model": float(now["error_d"]),
            "error of the sketched model": float(now["error_s"]) if len(sketched.now) else None,
        }  # fmt: skip

    # -- persistence -------------------------------------------------------------------------------------------------

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """(header, arrays): the whole state; going on from it gives the same bits."""
        header = {
            "kind": "bandit", "format": FORMAT, "bandit": dataclasses.asdict(self.options),
            "text": dataclasses.asdict(self.text),
            "columns": {name: list(kinds) for name, kinds in self.columns.known.items()},
        }  # fmt: skip
        state = self.state._replace(
            sparse=self._sparse.packed(self.state.sparse), dense=self._dense.packed(self.state.dense),
            diagonal=packed_diagonal(self.state.diagonal),
        )  # fmt: skip
        return header, {"ids": self.index.ids[: self.size], **storage.flat(state, "state")}

    @classmethod
    def from_arrays(cls, header: dict[str, Any], arrays: dict[str, np.ndarray], *, threads: int = 1) -> Bandit:
        """Inverse of `to_arrays`. Raises ModelFileError."""
        if header.get("kind") != "bandit":
            raise ModelFileError(f"a {header.get('kind')}, not a bandit")
        found = header.get("format")
        if found != FORMAT:
            newer = isinstance(found, int) and found > FORMAT
            remedy = "a newer sonlearn is needed" if newer else "it is of an earlier sonlearn: train it anew"
            raise ModelFileError(f"has model format {found}, this sonlearn {__version__} reads {FORMAT}; {remedy}")
        try:
            bandit = cls(BanditOptions(**header["bandit"]), TextOptions(**header["text"]))
            bandit.columns = ColumnTable(header["columns"])
            if arrays["ids"].dtype != np.int64 or arrays["ids"].ndim != 1:
                raise ValueError("ids are not integers")
            bandit.index = index_of(arrays["ids"])
            state = storage.rebuilt(bandit.state, arrays, "state")
            with_columns(state.sketched, bandit._columns)
            bandit.state = state._replace(
                sparse=bandit._sparse.reserve(state.sparse, NO_ROWS, bandit.size),
                dense=bandit._dense.reserve(state.dense, NO_ROWS, bandit.size),
                diagonal=reserve_diagonal(state.diagonal, bandit.size),
            )  # fmt: skip
        except (KeyError, TypeError, OptionError, ValueError) as error:
            raise ModelFileError(f"the model's content does not fit together: {error}") from error
        return bandit

    def copy(self) -> Bandit:
        """A learner that goes on from the same state, with arrays of its own."""
        header, arrays = self.to_arrays()
        return Bandit.from_arrays(header, {name: np.array(array) for name, array in arrays.items()})

    def save(self, path: str | Path) -> None:
        """Write the model, whole or not at all."""
        storage.write(path, *self.to_arrays())

    @classmethod
    def load(cls, path: str | Path) -> Bandit:
        """Read a model written by `save`; raises ModelFileError, which names the file."""
        header, arrays = storage.read(path, kind="bandit")
        try:
            return cls.from_arrays(header, arrays)
        except ModelFileError as error:
            raise ModelFileError(f"{path}: {error}") from error
