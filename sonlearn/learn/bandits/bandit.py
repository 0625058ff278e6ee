"""`Bandit`: a learner of decisions. Names of features, views, two reward models, and their state."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from sonlearn.data.decisions import Decisions
from sonlearn.data.rows import NO_ROWS
from sonlearn.errors import OptionError
from sonlearn.files import storage
from sonlearn.learn.bandits.by_engine import EngineRewards
from sonlearn.learn.bandits.rounds import ConfidentRewards, Problem, RewardModel
from sonlearn.learn.bandits.rounds import Decided as Decided
from sonlearn.learn.saved import Access, SavedModel
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.bandit import OF_WIDTHS, BanditOptions
from sonlearn.options.losses import CLASSIFICATION
from sonlearn.text.columns import ColumnTable
from sonlearn.text.decisions.labels import ActionLabels
from sonlearn.views.index import index_of, intern, knows, lookup, new_index

#: Rows that are viewed at a time.
ROWS = 2048


class Bandit(SavedModel):
    """A learner of decisions.

    Parameters
    ----------
    options : BanditOptions
    text : TextOptions
        Kept with the model, since it defines what the features are.
    learn : LearnOptions or None
        The method that learns costs; None: the two reward models that know how sure they are.
    threads : int
        How many threads may learn side by side, where that method allows it; results are the same.

    Attributes
    ----------
    examples : int
        Decisions learned from, over the model's whole life.
    labels : ActionLabels or None
        Of tables, which action stands for which label.

    Raises
    ------
    OptionError
        `learn` is not of values, or the rule of exploration needs widths, which a method has not.
    """

    KIND, FORMAT = "bandit", 18

    def __init__(
        self, options: BanditOptions, text: TextOptions | None = None, learn: LearnOptions | None = None,
        *, threads: int = 1,
    ):  # fmt: skip
        self.options, self.text, self.learn = options, text or TextOptions(), learn
        self.columns, self._threads = ColumnTable(), threads
        self.labels = ActionLabels(options) if options.cbify or options.action else None
        self.index = new_index()
        make: Callable[[], RewardModel] = functools.partial(ConfidentRewards, options)
        if learn is not None:
            _check_method(options, learn)
            make = functools.partial(EngineRewards, options, learn, threads)
        self.access = Access(make)
        self._model: RewardModel = self.access.engine
        self.state = self._model.new()

    @property
    def examples(self) -> int:
        """Decisions learned from."""
        return int(self.state.now["learned"][0])

    # -- decisions ---------------------------------------------------------------------------------------------------

    def partial_fit(self, decisions: Decisions) -> Decided:
        """Decide each decision, and learn from its cost, in order; those without a cost are only decided.

        Where all costs are known, the action is chosen here, and only its cost is learned.
        """
        with self.access.to_learn:
            return self._by_rows(decisions, self._model, True)

    def predict(self, decisions: Decisions) -> Decided:
        """Decide each decision as the model is, and change nothing: the same calls give the same actions."""
        with self.access.to_predict() as model:
            return self._by_rows(decisions, model, False)

    def decide(self, decisions: Decisions) -> Decided:
        """`predict`, and the next call draws other numbers: for decisions that are put into effect."""
        with self.access.to_learn:
            decided = self.predict(decisions)
            self.state = self.state._replace(now=self.state.now.copy())
            self.state.now["drawn"] += decisions.n
            return decided

    def knows(self, decisions: Decisions) -> bool:
        """Return whether the model has seen a feature of `decisions`, the constant apart. Changes nothing."""
        return knows(self._model.rows_of(decisions), self.index)

    def _by_rows(self, decisions: Decisions, model: RewardModel, learn: bool) -> Decided:
        """A part after the other, each of about `ROWS` rows."""
        out, start, low = Decided.empty(decisions.first), 0, 0
        for stop in range(1, decisions.n + 1):
            rows = int(decisions.row[decisions.first[stop] - 1]) + 1 - low
            if rows >= ROWS or stop == decisions.n:
                self._run(decisions.part(start, stop), model, learn, start, out.part(start, stop))
                start, low = stop, low + rows
        return out

    def _run(self, decisions: Decisions, model: RewardModel, learn: bool, before: int, out: Decided) -> None:
        """`partial_fit` or `predict` of decisions, `before` of which have been predicted in the same call."""
        known = ~np.isnan(decisions.cost) & (decisions.action >= 0)
        if decisions.costs is not None:
            known = ~np.isnan(decisions.costs[decisions.first[:-1]])
        rows = model.rows_of(decisions)
        of_row = np.repeat(np.arange(decisions.n), np.diff(decisions.first))
        if rows.n != len(of_row):  # numbered actions that share a row
            of_row = np.arange(rows.n)
        rows = rows._replace(y=np.where(known[of_row], 0.0, np.nan), weight=np.ones(rows.n))
        given = (getattr(decisions, name) for name in Problem._fields)
        arrays = (np.zeros(0) if array is None else array for array in given)
        problem = Problem(*(np.require(array, requirements=["C", "W"]) for array in arrays))
        state = self.state._replace(now=self.state.now.copy())
        if learn:
            numbered, self.index = intern(rows, self.index, True)
            self.state = model.run(model.reserve(state, numbered, self.size), numbered, problem, out, True)
        else:
            state.now["drawn"] += before
            model.run(state, lookup(rows, self.index, True), problem, out, False)

    # -- what is known -----------------------------------------------------------------------------------------------

    def facts(self) -> dict[str, Any]:
        """Numbers on the state: decisions learned, the range of rewards, and what the reward model adds."""
        now = self.state.now[0]
        known = {
            "learned": int(now["learned"]), "lowest reward": float(now["low"]) + 0.0,
            "highest reward": float(now["high"]) + 0.0,
        }  # fmt: skip
        return {**known, **self._model.facts(self.state)}

    # -- persistence -------------------------------------------------------------------------------------------------

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        learn = None if self.learn is None else dataclasses.asdict(self.learn)
        header = {
            "bandit": dataclasses.asdict(self.options), "text": dataclasses.asdict(self.text), "learn": learn,
            "columns": {name: list(kinds) for name, kinds in self.columns.known.items()},
            "labels": None if self.labels is None else self.labels.header(),
        }  # fmt: skip
        state = self._model.packed(self.state)
        return header, {"ids": self.index.ids[: self.size], **storage.flat(state, "state")}

    @classmethod
    def _of_arrays(cls, header: dict[str, Any], arrays: dict[str, np.ndarray], threads: int) -> Bandit:
        learn = None if header["learn"] is None else LearnOptions(**header["learn"])
        bandit = cls(BanditOptions(**header["bandit"]), TextOptions(**header["text"]), learn, threads=threads)
        bandit.columns = ColumnTable(header["columns"])
        if bandit.labels is not None:
            bandit.labels.restore(header["labels"])
        bandit.index = index_of(arrays["ids"])
        state = storage.rebuilt(bandit._model.template(0), arrays, "state")
        bandit.state = bandit._model.reserve(state, NO_ROWS, bandit.size)
        return bandit


def _check_method(options: BanditOptions, learn: LearnOptions) -> None:
    """Raise OptionError where a method cannot learn costs, or the rule needs what it has not."""
    if learn.several or learn.loss in CLASSIFICATION:
        raise OptionError(f"--loss {learn.loss}: costs are values; give --loss squared, or another loss of values")
    if learn.label_delay or learn.coverage is not None:
        raise OptionError("--label-delay, --coverage: decisions do not take them")
    if options.explores and options.explore in OF_WIDTHS:
        raise OptionError(
            f"--explore {options.explore} with --method {learn.method}: it has no widths; give --explore squarecb, "
            "softmax, epsilon or greedy, or leave --method out"
        )
