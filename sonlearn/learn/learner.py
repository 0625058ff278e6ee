"""Learner: names of features, labels, and one engine with its state. No input or output but whole model files."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sonlearn.data.batch import CONSTANT, Batch
from sonlearn.data.rows import NO_ROWS, Rows, learned_rows
from sonlearn.errors import DivergedError, InputError, OptionError, SonlearnError, warn_caller
from sonlearn.files import storage
from sonlearn.learn import delay
from sonlearn.learn.classes import Classes
from sonlearn.learn.engine import Contributions, Engine, Predictions, make_engine
from sonlearn.learn.labels import UNFIT, LabelEncoder
from sonlearn.learn.losses import loss_of, losses
from sonlearn.learn.predicted import Predicted, chosen_of, linked, probability, reported
from sonlearn.learn.saved import Access, SavedModel
from sonlearn.learn.scores import DecisionRule
from sonlearn.learn.tolerances import LIMIT
from sonlearn.options import LearnOptions, TextOptions
from sonlearn.options.learning import OUTPUT_OPTIONS
from sonlearn.options.text import TABLES
from sonlearn.text.columns import ColumnTable, Labelling
from sonlearn.text.hashing import constant_id
from sonlearn.views.index import index_of, intern, knows, lookup, new_index

if TYPE_CHECKING:
    from typing import Unpack

    from sonlearn.learn.explain import Explanation
    from sonlearn.options.keywords import LearnKeywords

#: Rows whose labels are looked at together where some do not fit.
ROWS_PER_LOOK = 256
#: A table of any library that speaks Arrow.
Table = Any


class _Signature:
    """The keywords that `inspect` and editors show; to make them takes a moment that runs need not wait."""

    def __get__(self, instance: Any, owner: type) -> Any:
        from sonlearn.options.python import parameters_of, signature_with

        return signature_with(owner.__init__, parameters_of(LearnOptions))  # type: ignore[misc]


class Learner(SavedModel):
    """A learner of sparse rows: ``--method`` and its options, in the form of `LearnOptions`.

    Parameters
    ----------
    options : LearnOptions or None
    text : TextOptions or None
        Kept with the model, since it defines what the features are; not used for learning.
    threads : int
        How many threads may learn side by side, where the method allows it; results are the same.
    method, sketch_size, ... :
        The fields of `LearnOptions`, in the place of `options`: ``Learner(method="rfd-son", sketch_size=20)``.

    Attributes
    ----------
    examples : int
        Rows learned from, over the model's whole life.
    refused_rows : int
        Rows left out with `skip`, since the learner was made or loaded; `first_refused` says what the first one was.
    columns : ColumnTable
        The columns of the tables that it has learned from.

    Raises
    ------
    OptionError
        `options` contradict each other, or both they and further keywords are given.
    TypeError
        There is no such option.
    """

    KIND, FORMAT = "learner", 45
    __signature__ = _Signature()

    def __init__(
        self,
        options: LearnOptions | None = None,
        text: TextOptions | None = None,
        *,
        threads: int = 1,
        **given: Unpack[LearnKeywords],
    ):
        self.options = options or LearnOptions() if not given else _options_of(options, given)
        self.text = TextOptions() if text is None else text
        if not isinstance(self.options, LearnOptions):
            raise TypeError(f"options {options!r}: expected a LearnOptions")
        if not isinstance(self.text, TextOptions):
            raise TypeError(f"text {text!r}: expected a TextOptions")
        self.examples = 0
        self.refused_rows = 0
        self.first_refused: SonlearnError | None = None
        self.columns = ColumnTable()
        self._constant: int | None = None  # that of the rows learned so far, which tells what their features are
        self._waiting: Batch | None = None
        self._rests_at: int | None = None  # `examples` at the last call of `rest`
        self._rested: tuple[tuple[int, int], Any] | None = None  # (examples, features), and the state that predicts
        self._predicted: Any = None  # what was predicted for the rows that wait, as the engine filled it in
        self._made_of, self._threads = self.options, threads
        self.access = Access(functools.partial(make_engine, self.options, threads))
        self.engine: Engine = self.access.engine
        self.counts_unknown = self.engine.unknown
        self.state = self.engine.new()
        self.index = new_index()
        self.labels = self._new_labels()
        self._alone = self.engine.by_row()
        self._decision = DecisionRule(self.options)
        self._coverage = None
        if self.options.coverage is not None:
            from sonlearn.conformal import Coverage

            self._coverage = Coverage(
                self.options.coverage, self.options.kind != "values", both=self.options.method == "committee"
            )

    def __repr__(self) -> str:
        own, usual = self.options, LearnOptions(method=self.options.method)
        names = [field.name for field in dataclasses.fields(own)]
        given = [f"{name}={getattr(own, name)!r}" for name in names
                 if name == "method" or getattr(own, name) != getattr(usual, name)]  # fmt: skip
        return f"Learner({', '.join(given)})"

    def partial_fit(self, batch: Batch | Table, *, label: str | None = None, skip: bool = False) -> Predicted:
        """Learn the rows of `batch` in order; rows without a label or with weight 0 are only predicted.

        Returns what was predicted for each row before its label was used, so that the mean loss is progressive.

        Parameters
        ----------
        batch : Batch, or a table
            Of pandas, polars, pyarrow or whatever has ``__arrow_c_stream__``, with the features that
            `sonlearn.text.arrow` says (extra ``arrow``). All of it is converted before any row is learned.
        label : str or None
            The column of a table that is the label; None: that of ``text``, which it then is of this learner.
        skip : bool
            Leave out rows that would lead to numbers out of all bounds, and name them in `Predicted.refused`; and only
            predict rows whose labels do not fit. Else the first one raises.

        Raises
        ------
        InputError
            A label does not fit the loss, or a row has more features than the method has room for; the rows before it
            have been learned.
        DivergedError
            A prediction or step was not finite; the rows before it have been learned.
        ThreadError
            Another thread learns with this learner, or predicts; nothing has been learned.
        """
        with self.access.to_learn:
            batch = self._batch_of(batch, label, learns=True)
            if skip:
                batch = self.fitting(batch)
            if self.options.label_delay:
                return self._fit_late(batch, skip)
            return self._fit(batch, skip, settles=False)

    def settle(self, batch: Batch, *, skip: bool = False) -> Predicted:
        """`partial_fit` after a merge: a committee's combiner learns the rows, its members only predict them.

        Members of a merged learner have averaged weights, which predict better than those of one learner until they
        learn again. Other learners learn as ever. Not with ``--label-delay``: such learners are not merged.
        """
        with self.access.to_learn:
            return self._fit(self.fitting(batch) if skip else batch, skip, settles=True)

    def _fit(self, batch: Batch, skip: bool, settles: bool) -> Predicted:
        before = self.labels.header()
        y, bad = self.labels.coded(batch, remember=True)
        if bad < batch.n:
            if bad > 0:
                self.partial_fit(batch.part(0, bad), skip=skip)
            raise self.labels.error(batch, bad)
        rows, self.index = intern(batch._replace(y=y), self.index, self.counts_unknown)
        return self.fit_rows(batch, rows, skip, settles, before)

    def fit_rows(
        self, batch: Batch, rows: Rows, skip: bool, settles: bool = False, before: dict[str, Any] | None = None
    ) -> Predicted:
        """`partial_fit` or `settle` of `batch` where its rows have been numbered, and their labels coded.

        `before`: what `learn_rows` asks for.
        """
        with self.access.to_learn:
            out = self.learn_rows(batch, rows, skip, settles, before)
            for row in np.flatnonzero(out.refused).tolist():
                self._count_refused(diverged(batch, row))
            self.columns.count(batch, self.text, out.refused)
            return self.as_predicted(out, rows.y, batch, learned_rows(rows) & ~out.refused)

    def fitting(self, batch: Batch) -> Batch:
        """`batch` without the labels that do not fit (see `unfit`)."""
        return delay.without_labels(batch, self.unfit(batch))

    def unfit(self, batch: Batch) -> np.ndarray:
        """bool[n]: which labels do not fit, as follows from the rows before as well; their rows count as refused."""
        gone = np.zeros(batch.n, dtype=bool)
        if self.labels.coded(batch, remember=False)[1] == batch.n:
            return gone
        before, at = self.labels.header(), 0
        while at < batch.n:
            part = batch.part(at, at + ROWS_PER_LOOK)
            bad = self.labels.coded(part, remember=True)[1]
            if bad < part.n:
                gone[at + bad] = True
                self._count_refused(self.labels.error(part, bad))
            at += min(bad + 1, part.n)
        self.labels.restore(before)
        return gone

    def _count_refused(self, error: SonlearnError) -> None:
        self.refused_rows += 1
        self.first_refused = self.first_refused or error

    def _fit_late(self, batch: Batch, skip: bool) -> Predicted:
        """`partial_fit` where labels come `label_delay` rows late: the rows that wait are part of the model."""
        self.coded(batch)
        late, places, waiting = delay.interleaved(self._waiting, batch, self.options.label_delay)
        before = self.labels.header()
        y = self.coded(late, remember=True)
        rows, self.index = intern(late._replace(y=y), self.index, self.counts_unknown)
        out = self.learn_rows(late, rows, skip, before=before)
        refused, comes = out.refused, np.isin(np.arange(late.n), places)
        self._waiting = waiting
        out, self._predicted = delay.as_predicted_then(self._predicted, out, places)
        for row in np.flatnonzero(refused & (comes | (~out.refused & (late.weight > 0)))).tolist():  # each of them once
            self._count_refused(diverged(late, row))
        y, shown = rows.y.copy(), late.y.copy()
        y[places], shown[places] = self.labels.coded(batch, remember=False)[0], batch.y
        counted = learned_rows(rows) & ~refused  # not the rows at `places`: their labels are for the loss alone
        found: Predicted = self.as_predicted(out._replace(refused=refused), y, late._replace(y=shown), counted)
        chosen: Predicted = chosen_of(found, places)
        self.columns.count(batch, self.text, chosen.refused)
        return chosen

    def learn_rows(
        self, batch: Batch, rows: Rows, skip: bool, settles: bool = False, before: dict[str, Any] | None = None
    ) -> Predictions:
        """Learn `rows`, those of `batch` with its features numbered; returns what the engine filled in.

        `before`: the header of `labels` before those of `batch` were coded, so that they can be coded without a row
        that is refused; None where other learners use the same labels.
        """
        alone = not (settles or self.options.label_delay) and self._alone.serves(rows, self.scores)
        if not alone:
            self.state = self.engine.reserve(self.state, rows, self.size)
        out, refused, at = Predictions.empty(batch.n, self.scores), np.zeros(batch.n, dtype=bool), -1
        while at < batch.n:
            start = at + 1
            if alone and start == 0:
                self._alone.make_room(int(rows.indptr[1]), self.scores)
                self.state, at = self._alone.learn(self.state, rows, out, self.size)
            else:
                learn = self.engine.settle if settles else self.engine.learn
                self.state, at = learn(self.state, rows, out, start)
            self.examples += int(np.count_nonzero(learned_rows(rows)[start:at]))
            if at < batch.n:
                refused[at] = True
                if before is not None and self.labels.header() != before:
                    self._encode_again(before, batch, rows, refused, batch.n if skip else at)
                if not skip:
                    learned = rows._replace(y=rows.y[:at], weight=rows.weight[:at])
                    self.update_thresholds(out.part(0, at), learned, batch.part(0, at))
                    raise self.refusal(batch, rows, at)
        out.refused[refused] = True
        if out.refused.any() and not skip:
            self.update_thresholds(out, rows, batch)
            raise diverged(batch, int(np.argmax(out.refused)))
        return out.of_classes(self.scores)

    def _encode_again(self, before: dict[str, Any], batch: Batch, rows: Rows, refused: np.ndarray, stop: int) -> None:
        """Code the labels of the rows before `stop` anew, as if those refused had none: so they leave no class."""
        self.labels.restore(before)
        rows.y[:stop] = self.labels.coded(delay.without_labels(batch, refused).part(0, stop), remember=True)[0]

    def predict(self, batch: Batch | Table, *, online: bool = False, labels_follow: bool = False) -> Predicted:
        """Predict the rows of `batch` and change nothing; features never seen count as 0.

        Any number of threads may predict at the same time, but one at a time with `online`.

        A table (see `partial_fit`) may have the column of the label, or not. With `online` the rows are predicted as
        `partial_fit` would, while labels keep arriving: by all members of a committee, those that forget included
        (docs/streams.md); labels in the batch are then not looked at. With ``--coverage``, `labels_follow` says that
        each row will be learned before the next one is predicted: then sets and intervals are those that `partial_fit`
        would give, which keep the coverage row by row. Else they are by thresholds averaged over the last rows learned,
        which suit many rows to come.

        Raises
        ------
        DivergedError
            A prediction is not finite.
        ThreadError
            Another thread learns with this learner.
        """
        batch = self._batch_of(batch, None, learns=False)
        if online:
            return self._predict_online(batch, labels_follow)
        with self.access.to_predict() as engine:
            y = self.labels.coded(batch, remember=False)[0]
            rows = lookup(batch._replace(y=y), self.index, self.counts_unknown)
            out = Predictions.empty(batch.n, self.scores)
            at = engine.predict(self._state_at_rest(engine), rows, out)
            if at < batch.n:
                raise diverged(batch, at)
            none = np.zeros(batch.n, dtype=bool)
            return self.as_predicted(out, rows.y, batch, none if labels_follow else None, rests=True)

    def _predict_online(self, batch: Batch, labels_follow: bool) -> Predicted:
        """`predict` with ``online``: learning, of rows that have no labels."""
        with self.access.to_learn:
            # views count a row's weight; but where labels come late, a row of some weight would wait for its label
            weight = np.zeros(batch.n) if self.options.label_delay else batch.weight
            batch = batch._replace(y=np.full(batch.n, np.nan), weight=weight, class_names=None)
            rows, _ = intern(batch, self.index, self.counts_unknown)
            out, none = self.learn_rows(batch, rows, skip=False), np.zeros(batch.n, dtype=bool)
            return self.as_predicted(out, rows.y, batch, none if labels_follow else None)

    def _batch_of(self, table: Batch | Table, label: str | None, learns: bool) -> Batch:
        """`table`, or its rows. The first table that is learned from settles what the features are."""
        if isinstance(table, Batch):
            told = self.text.format != "auto"
            constant = constant_id(self.text, self.text.format) if told else self._constant
            if constant is not None and table.constant != constant and len(table.indices):
                given = "indices, as of a matrix" if table.constant == CONSTANT else "hashed names"
                slots = f"names hashed to 2^{self.text.bits} slots" if told else "hashed names"
                expected = "indices" if constant == CONSTANT else slots
                raise InputError(table.source, given, f"{expected}, which this learner takes")
            if learns and len(table.indices):
                self._constant = table.constant
            return table
        if not hasattr(table, "__arrow_c_stream__"):
            given, expected = f"a {type(table).__name__}", "a Batch, or a table that has __arrow_c_stream__"
            others = "matrices: sonlearn.from_scipy; dicts: sonlearn.read_batches"
            raise InputError("<memory>", given, f"{expected}; {others}")
        text = dataclasses.replace(self.text, format="arrow", label=label or self.text.label)
        if self.text.format not in ("auto", *TABLES) or (self.text.format == "auto" and self.examples):
            what = "matrices" if self.text.format == "auto" else f"{self.text.format} text"
            raise InputError("<table>", "a table", f"{what}, which this learner has learned from")
        if learns and not text.label:
            raise OptionError("partial_fit of a table: give label=COLUMN, or TextOptions(label=COLUMN)")
        from sonlearn.options.python import errors_in_keywords
        from sonlearn.text.arrow import table_batch
        from sonlearn.text.read import check_options

        columns = self.columns if learns else self.columns.frozen()
        infers = learns and not columns.known  # the first rows tell how columns are read
        with errors_in_keywords("Learner"):
            batch, found = table_batch(table, text, Labelling(learns, self.options.takes_words), columns, texts=infers)
            check_options(found.read_as or text, "arrow")
            if learns:
                self.coded(batch)
        for note in (*columns.check(found, "<table>", learns), *(found.notes if learns else found.faults)):
            warn_caller(note)
        if learns:
            self.columns.add_schema(found)
            own = text if self.text.format == "auto" else self.text
            self.text = dataclasses.replace(own, label=text.label).with_inferred(found.read_as or text)
        return batch

    def coded(self, batch: Batch, remember: bool = False) -> np.ndarray:
        """float64[n]: the labels of `batch` as the engine takes them; with `remember` what shows in them is settled.

        Raises InputError for the first one that `partial_fit` would refuse.
        """
        y, bad = self.labels.coded(batch, remember=remember)
        if bad < batch.n:
            raise self.labels.error(batch, bad)
        return y

    def knows(self, batch: Batch) -> bool:
        """Return whether the learner has seen a feature of `batch`, the constant apart. Changes nothing."""
        return knows(batch, self.index)

    def explain(self, batch: Batch | Table, classes: int = 2) -> list[Explanation]:
        """The contributions to the prediction of each row of `batch`: see `sonlearn.learn.explain`. Changes nothing.

        A table (see `partial_fit`) may have the column of the label, or not.

        Of several classes, to the scores of so many `classes`, those of the highest. A row of s features takes 33 s
        more predictions, each of the row without some of its features (fewer where s > 1,024); s predictions of single
        features, where a prediction is a sum over the features. Raises DivergedError as `predict` does.
        """
        from sonlearn.learn.explain import explained

        batch = self._batch_of(batch, None, learns=False)
        return [one for one in explained(self, batch, classes) if one is not None]

    def contributions(self, batch: Batch, number: int | None = None) -> Contributions | None:
        """Return what each member contributes to the raw predictions; None where the method has no members.

        Of several classes, those to the score of the class of that `number`.
        """
        with self.access.to_predict() as engine:
            rows = lookup(batch._replace(y=np.full(batch.n, np.nan)), self.index, self.counts_unknown)
            found: Contributions | None = engine.contributions(self._state_at_rest(engine), rows, number)
            return found

    def refusal(self, batch: Batch, rows: Rows, row: int) -> Exception:
        """Return what to say of a row that the engine refused to learn."""
        why = self.engine.refusal(rows, row)
        return InputError(batch.source, *why, line=int(batch.lines[row])) if why else diverged(batch, row)

    def copy_thresholds(self, other: Learner) -> None:
        """Take what follows from the scores of `other`'s last rows: the threshold of best F1, and coverage."""
        self._decision.restore(*other._decision.packed())
        if self._coverage is not None and other._coverage is not None:
            self._coverage.restore(other._coverage.arrays())

    def next_pass(self, again: bool = True) -> None:
        """Begin a pass over the rows that have been learned, or with ``again=False`` over new ones.

        Raises OptionError where labels come late (`label_delay`): those of a further pass have come long ago.
        """
        if again and self.options.label_delay:
            raise OptionError(f"Learner: label_delay {self.options.label_delay} with a further pass: expected one pass")
        with self.access.to_learn:
            self.engine.next_pass(self.state, again)
            self._rested = None

    def combine_as(self, other: Learner) -> None:
        """Combine the members of a committee as `other` does, a learner of the same rows; others have nothing to."""
        with self.access.to_learn:
            self.state = self.engine.combined_as(self.state, other.state)
            self._rested = None

    def rest(self) -> None:
        """Predict what comes now as suits rows without labels, until a row is learned; saved with the model.

        Boosted trees, which are grown anew now and then, are then those of all rows kept, and more of them where these
        predict better: the first prediction takes as long as some refits. What is learned later stays the same. Models
        that the command line has saved rest, and estimators after `fit`.
        """
        with self.access.to_learn:
            self._rests_at = self.examples

    def _state_at_rest(self, engine: Engine) -> Any:
        """The state that predicts."""
        if self._rests_at != self.examples:
            return self.state
        rested, now = self._rested, (self.examples, self.size)
        if rested is None or rested[0] != now:
            self._rested = rested = now, engine.at_rest(self.state)
        return rested[1]

    def set_output(self, **given: Any) -> None:
        """Change how predictions are reported: options of `OUTPUT_OPTIONS` by name. Nothing that is learned changes.

        Raises OptionError where they contradict each other, or the other options.
        """
        from sonlearn.options.python import errors_in_keywords

        with errors_in_keywords("Learner"):
            self.report_with(**given)

    def report_with(self, **given: Any) -> None:
        """`set_output` for clients of other names, with errors that name flags."""
        options = dataclasses.replace(self.options, **{name: given[name] for name in OUTPUT_OPTIONS if name in given})
        changed = options.threshold != self.options.threshold
        if changed and options.learns_threshold and self.examples:
            raise OptionError(
                f"--threshold {options.threshold}: the model has kept no scores to find it by; train it with that "
                "flag, or give a probability"
            )
        self.options = options
        if changed:
            self._decision = DecisionRule(options)
        header, self.labels = self.labels.header(), self._new_labels()
        self.labels.restore(header)

    def declare_classes(self, labels: Iterable[int | str]) -> None:
        """Say which classes there are, before any row: they have this order, and scores and weights from now on.

        What each class learns is the same as if it had been met in a row. Raises OptionError where there are no
        several classes, or something has been learned.
        """
        if self.classes or self.examples:
            raise OptionError("classes can be named before any row has been learned, not later")
        labels = list(labels)
        first = min(labels, default=None) if self.options.oaa else None
        self.restore_labels({"labels": labels, "first": first}, len(labels))

    def restore_labels(self, header: dict[str, Any], met: int) -> None:
        """Have labels as `header` says, and a new state that has met so many classes."""
        self.labels.restore(header)
        self.state = self.engine.new(met)

    def _new_labels(self) -> Classes | LabelEncoder:
        return (Classes if self.options.several else LabelEncoder)(self.options)

    # -- what has been learned ---------------------------------------------------------------------------------------

    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """(ids int64[d], w float64[d]) of the features seen, in the scale of the input; of K classes float64[K, d]."""
        w = self.engine.weights(self.state, self.size)
        return self.ids(), w[: self.scores] if self.options.several else w

    def ids(self) -> np.ndarray:
        """int64[d]: ids of the features seen, in the order of `weights`."""
        return self.index.ids[: self.size].copy()

    def class_weights(self, k: int) -> np.ndarray:
        """float64[d]: of class `classes[k]` the row of `weights`, without room for those of all classes at once."""
        self._classes()
        return self.engine.weights(self.state, self.size, k)

    @property
    def classes(self) -> list[int | str]:
        """Labels of the classes met so far, in that order. Raises OptionError where there are no several classes."""
        return list(self._classes().labels)

    @property
    def two_labels(self) -> tuple[str, str] | None:
        """Return how the negative and the positive label are written; None where there are no two classes."""
        return self.labels.names

    @property
    def threshold(self) -> float:
        """The raw prediction above which a row is +1, where there are two classes (``--threshold``)."""
        return self._decision.threshold

    @property
    def tracks_predictions(self) -> bool:
        """Return whether a threshold, sets or intervals are learned from predictions and labels."""
        return self.options.learns_threshold or self._coverage is not None

    def label_texts(self, values: np.ndarray) -> list[str]:
        """Write `Predicted.prediction` or `label` of several classes, float64[n], as text: 3 or a name, or unknown."""
        return self._classes().text(values)

    def _classes(self) -> Classes:
        if not isinstance(self.labels, Classes):
            raise OptionError("this is no learner of several classes: give oaa=K, multinomial=K, or classes='auto'")
        return self.labels

    def facts(self) -> dict[str, Any]:
        """Tell what the method knows of its state, by name: see `alpha` and `eigenvalues` for the Newton family."""
        return self.engine.facts(self.state)

    @property
    def alpha(self) -> float:
        """The present multiple of the identity in A (methods that have one)."""
        return float(self._fact("alpha"))

    def eigenvalues(self) -> np.ndarray:
        """float64[r], descending: squared singular values of the sketch S as it stands (Oja: t Lambda)."""
        return np.asarray(self._fact("eigenvalues"))

    def components(self) -> tuple[np.ndarray, np.ndarray]:
        """(ids int64[d], V float64[k, d]): the orthonormal rows kept by the last shrink, over the features seen."""
        return self.ids(), self._fact("components")(self.size)

    def _fact(self, name: str) -> Any:
        facts = self.facts()
        if name not in facts:
            raise OptionError(f"method {self.options.method} has no {name}")
        return facts[name]

    @property
    def scores(self) -> int:
        """Return how many scores a row has: one, but of several classes one for each that has been met."""
        return self.labels.scores

    def as_predicted(
        self, out: Predictions, y: np.ndarray, batch: Batch, counted: np.ndarray | None, *, rests: bool = False
    ) -> Predicted:
        """Return what is predicted, of what the engine has filled in.

        Parameters
        ----------
        out : Predictions
        y : float64[n]
            Labels as the engine has them, for the loss.
        batch : Batch
            Weights, and labels as they are written.
        counted : bool[n], or None
            Rows whose labels thresholds, sets and intervals learn from, each after the row's own. None: nothing is
            being learned, nor will be before the next row is predicted.
        rests : bool
            Whether the model at rest has predicted.
        """
        if isinstance(self.labels, Classes):
            judged = self.labels.judged(out, y, batch, rests)
            if self._coverage is None:
                return judged
            # sets of the classes met before the row alone, so that no bit depends on where batches end
            met = np.arange(judged.probabilities.shape[1]) < judged.met[:, None]
            known = (y >= 0) & (y < judged.met)
            number, learned = np.where(known, y, -1.0), None if counted is None else counted & ~judged.refused
            sets = self._coverage.sets(np.where(met, judged.probabilities, 0.0), number.astype(np.int64), learned)
            return judged._replace(sets=sets & met)
        none = np.zeros(len(y), dtype=bool)
        label, y = y if self.labels.worded else np.where(y == UNFIT, y, batch.y), np.where(y == UNFIT, np.nan, y)
        loss = np.empty(len(y))
        raw, offline = out.raw[:, 0], np.where(np.isnan(out.offline), out.raw, out.offline)[:, 0]
        prediction = np.clip(raw, *self.options.bounds)
        losses(loss_of(self.options), prediction, y, loss)
        decided = self._decision.decided(prediction, y, batch.weight, none if counted is None else counted)
        shown, loss = reported(self.options, prediction, decided, y, loss)
        predicted = Predicted(shown, raw, loss, out.refused, label, decided, offline, out.raw)
        coverage = self._coverage
        if coverage is None:
            return predicted
        if coverage.of_classes:
            p = probability(self.options.loss, prediction)
            sets = coverage.sets(np.column_stack([1.0 - p, p]), (y > 0).astype(np.int64), counted)
            return predicted._replace(sets=sets)
        link = "poisson" if self.options.loss == "poisson" else "identity"
        center, rest = (linked(link, p) for p in (prediction, np.clip(offline, *self.options.bounds)))
        if counted is None:
            low, high = coverage.steady_intervals(center, rests, self.engine.error_ahead(self.state))
        else:
            low, high = coverage.intervals(center, rest, y, counted)
        return predicted._replace(low=low, high=high)

    def update_thresholds(self, out: Predictions, rows: Rows, batch: Batch) -> None:
        """Let thresholds, sets and intervals learn from rows that the engine has learned, or has refused."""
        self.as_predicted(out, rows.y, batch, learned_rows(rows) & ~out.refused)

    # -- persistence -------------------------------------------------------------------------------------------------

    def _to_arrays(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        header = {
            "learn": dataclasses.asdict(self._made_of),
            "text": dataclasses.asdict(self.text),
            "labels": self.labels.header(),
            "met": self.engine.met(self.state),
            "examples": self.examples,
            "columns": {name: list(kinds) for name, kinds in self.columns.known.items()},
            "numbers": self.columns.numbers,
            "dates": {name: sorted(met.items()) for name, met in self.columns.dates.items()},
            "shuffled": sorted(self.columns.shuffled),
        }
        if self.text.format == "auto" and self._constant is not None:
            header["constant"] = self._constant
        if self.options != self._made_of:
            header["output"] = {name: getattr(self.options, name) for name in OUTPUT_OPTIONS}
        arrays = storage.flat(self.engine.packed(self.state), "state")
        waits, late = delay.to_arrays(self._waiting, self._predicted)
        if waits is not None:
            header["waiting"] = waits
        header["decision"], decision = self._decision.packed()
        if self._rests_at == self.examples:
            header["rests"] = True
        sets = {} if self._coverage is None else self._coverage.arrays()
        return header, {"ids": self.index.ids[: self.size], **arrays, **decision, **sets, **late}

    @classmethod
    def _of_arrays(cls, header: dict[str, Any], arrays: dict[str, np.ndarray], threads: int) -> Learner:
        options = LearnOptions(**header["learn"])
        learner = cls(options, TextOptions(**header["text"]), threads=threads)
        learner.restore_labels(header["labels"], int(header["met"]))
        learner.columns = ColumnTable(*(header[each] for each in ("columns", "numbers", "dates", "shuffled")))
        learner._constant = header.get("constant")
        learner.report_with(**header.get("output", {}))
        learner._decision.restore(header["decision"], arrays)
        learner.examples = int(header["examples"])
        learner._rests_at = learner.examples if header.get("rests") else None
        if learner._coverage is not None:
            learner._coverage.restore(arrays)
        learner.index = index_of(arrays["ids"])
        none = Predictions.empty(0, learner.scores)
        learner._waiting, learner._predicted = delay.from_arrays(header.get("waiting"), arrays, none)
        state = storage.rebuilt(learner.engine.template(int(header["met"])), arrays, "state")
        if not header["met"] == learner.engine.met(state) <= learner.scores:
            raise ValueError(
                f"{header['met']} classes are said to be learned, and {learner.engine.met(state)} have been"
            )
        learner.state = learner.engine.reserve(state, NO_ROWS, learner.size)
        return learner

    @classmethod
    def merge(cls, learners: Sequence[Learner], base: Learner | None = None, *, threads: int = 1) -> Learner:
        """One learner of what several have learned, each from rows of its own; see `sonlearn.learn.merging.merged`."""
        from sonlearn.learn.merging import merged

        return merged(cls, learners, base, threads)

    def carry_on(self, base: Learner, previous: Learner) -> None:
        """After a merge, let weights go on as they moved before; see `sonlearn.data.merging.MOMENTUM`.

        `base` is what the merged learners began with, and `previous` what those began with that `base` was merged from.
        """
        engine = self.engine
        state = engine.add_momentum(self.state, engine.packed(base.state), engine.packed(previous.state))
        self.state = engine.reserve(state, NO_ROWS, self.size)


def _options_of(options: LearnOptions | None, given: Mapping[str, Any]) -> LearnOptions:
    """The options that are given by name. Raises OptionError or TypeError in these names."""
    if options is not None:
        raise OptionError(f"Learner: both options and {', '.join(given)}: give all in one LearnOptions, or all by name")
    from sonlearn.options.python import errors_in_keywords, unknown

    known = {field.name: field for field in dataclasses.fields(LearnOptions)}
    for name in given:
        if name not in known:
            raise unknown("Learner", name, known, {})
    with errors_in_keywords("Learner"):
        return LearnOptions(**given)


def diverged(batch: Batch, row: int) -> DivergedError:
    """Return what to say of a row that an engine refused: whose fault it is, the row's or the learner's."""
    largest = np.abs(batch.values[batch.indptr[row] : batch.indptr[row + 1]]).max(initial=0.0)
    place, why = f"{batch.source}:{batch.lines[row]}", "the prediction or the step is no longer finite"
    if largest > LIMIT:
        return DivergedError(f"{place}: found the value {largest:g}, with which {why}; scale the values down")
    steps = "take smaller steps (alpha up, learning_rate down), or bound predictions (clip)"
    return DivergedError(f"{place}: {why}: the learner has diverged; scale the values down, {steps}")


__all__ = ["Learner", "Predicted"]
