"""Text of decisions: VW's ``--cb`` and ``--cb_adf`` text, dsjson, tables, and classes as decisions.

::

    --cb K      action:cost:probability {action} [tag] | features      one line a decision, actions 1 to K
    --cb_adf    [shared [tag] | features]                              a block: one line an action, a blank line ends it
                [number:cost:probability] [tag] | features
    dsjson      {"_label_cost": c, "_label_probability": p, "_labelIndex": i, "c": {..., "_multi": [{...}, ...]}}
                or, as VW's --json has it, the members of c at the top

With ``--cb K`` further numbers name the actions that there were to choose from; without any there were all K. The
features of the shared line belong to every action. Without interactions of the user's own (``-q`` and the like), each
feature of an action also occurs multiplied with each shared one (`crossed`): else what is shared could not tell actions
apart.

Where VW reads on in silence, these are refused with line and column: a cost that is no number, a probability outside
(0, 1], an action beyond K, two costs in a decision, a shared line that is not the first of its block or has no action
after it. A malformed line refuses its whole decision.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.data.decisions import Decisions, numbered
from sonlearn.errors import InputError, OptionError, shorten
from sonlearn.jit import bare_inline, bare_jit, forced_inline
from sonlearn.options import TextOptions
from sonlearn.options.bandit import BanditOptions
from sonlearn.text.chunk import ChunkParser, tag_in
from sonlearn.text.columns import ColumnTable, Labelling
from sonlearn.text.hashing import constant_id
from sonlearn.text.meter import Meter
from sonlearn.text.names import NameTable
from sonlearn.text.objects import Members, Unfit, error_of, members_of, said
from sonlearn.text.read import SHOWN_ERRORS, Reader, expand_globs
from sonlearn.text.source import CHUNK_BYTES, read_chunks, source_name

_COST = "action:cost:probability, for example 2:-1:0.25"
#: Bits of a hash: as many as leave a product of two in 63.
_BITS, _LOW = 31, (1 << 31) - 1


class Label(NamedTuple):
    """What stands before the bar of a line."""

    action: int  # number of the action that has a cost, 0 of none
    cost: float
    probability: float
    actions: tuple[int, ...]  # all that are named
    shared: bool
    tag: str


class Problem(Exception):  # noqa: N818
    """What is wrong with a decision, and where: the line of the block or text, and its column."""

    def __init__(self, line: int, column: int | None, found: str, expected: str):
        super().__init__(line, column, found, expected)
        self.line, self.column, self.found, self.expected = line, column, found, expected


class Block(NamedTuple):
    """The lines of one decision."""

    line: int  # number of the first
    lines: list[bytes]


def label_of(line: bytes, number: int) -> Label:
    """What stands before the bar. Raises Problem."""
    before, bar, _ = line.partition(b"|")
    if not bar:
        raise Problem(number, 1, shorten(line), "| before the features, as in 2:-1:0.25 | a b")
    words = before.split()
    tag = ""
    may_be_tag = len(words) > 1 if words[:1] == [b"shared"] else bool(words) and b":" not in words[-1]
    if may_be_tag:
        tag = tag_in(line)
        words = words[:-1] if tag and not (words[-1].isdigit() and before[-1:].isspace()) else words
    if words[:1] == [b"shared"]:
        if len(words) > 1:
            raise Problem(number, before.index(words[1]) + 1, shorten(words[1]), "a tag or | after shared")
        return Label(0, math.nan, math.nan, (), True, tag)
    action, cost, probability, named = 0, math.nan, math.nan, []
    for word in words:
        column = before.index(word) + 1
        fields = word.split(b":")
        try:
            number_of = int(fields[0])
            values = [float(field) for field in fields[1:]]
        except ValueError:
            raise Problem(number, column, shorten(word), _COST) from None
        if len(fields) not in (1, 3) or number_of < 0:
            raise Problem(number, column, shorten(word), _COST)
        named.append(number_of)
        if len(fields) == 3:
            if action or not math.isnan(cost):
                raise Problem(number, column, shorten(word), "one action with a cost in a decision")
            action, (cost, probability) = number_of, values
            if not math.isfinite(cost):
                raise Problem(number, column, shorten(word), "a finite cost")
            if not 0.0 < probability <= 1.0:
                raise Problem(number, column, shorten(word), "a probability above 0, and at most 1, behind the cost")
    return Label(action, cost, probability, tuple(named), False, tag)


def features_of(line: bytes) -> bytes:
    """`line` with blanks in place of what stands before its bar: columns stay."""
    at = line.index(b"|")
    return b" " * at + line[at:]


class DecisionReader:
    """Batches of the decisions in one or several sources. Iterate once.

    The parameters and attributes are those of `sonlearn.text.read.Reader`, with these besides.

    Parameters
    ----------
    bandit : BanditOptions
    """

    def __init__(
        self,
        sources: Any,
        options: TextOptions,
        bandit: BanditOptions,
        *,
        chunk_bytes: int = CHUNK_BYTES,
        on_error: str = "stop",
        max_errors: int | None = None,
        threads: int = 0,
        names: NameTable | None = None,
        columns: ColumnTable | None = None,
        known_rows: int = 0,
    ):
        self.options, self.bandit = options, bandit
        self._columns_of_costs = bool(bandit.cost or bandit.reward or bandit.action)
        self._tables = bandit.cbify is not None or self._columns_of_costs
        if self._columns_of_costs:
            options = _as_table(options, bandit)
        self._reader = Reader(
            sources, options, chunk_bytes=chunk_bytes, on_error=on_error, max_errors=max_errors,
            threads=threads if self._tables else 0, names=names, columns=columns, known_rows=known_rows,
            labels=Labelling(False),
        )  # fmt: skip
        self.sources = self._reader.sources
        self._chunk_bytes, self._on_error, self._max_errors = chunk_bytes, on_error, max_errors
        self._format = None if options.format == "auto" else options.format
        self.meter: Meter | None = None
        self.skipped: list[str] = []
        self._errors: list[InputError] = []
        self._error_count = 0

    # What the run asks of a reader.
    @property
    def format(self) -> str | None:
        """``vw``, ``json`` (dsjson), or that of a table."""
        return self._reader.format if self._tables else self._format

    @property
    def errors(self) -> list[InputError]:
        """The first malformed decisions that were left out."""
        return self._reader.errors if self._tables else self._errors

    @property
    def error_count(self) -> int:
        """Malformed decisions that were left out."""
        return self._reader.error_count if self._tables else self._error_count

    @property
    def notes(self) -> list[str]:
        """What is to be said of columns."""
        return self._reader.notes

    def __iter__(self) -> Iterator[Decisions]:
        """Yield batches. Raises InputError as `Reader` does."""
        self._reader.meter = self.meter
        if self.bandit.cbify is not None:
            yield from (decisions_of_classes(batch, self.bandit.cbify) for batch in self._reader)
        elif self._columns_of_costs:
            yield from (_decisions_of_table(batch, self.bandit) for batch in self._reader)
        else:
            yield from self._of_text()

    def _of_text(self) -> Iterator[Decisions]:
        if self.meter is not None:
            self.meter.begin(expand_globs(self.sources))
        found = 0
        watch = None if self.meter is None else self.meter.watch
        for source in expand_globs(self.sources):
            name = source_name(source)
            for blocks in self._blocks(source, watch):
                for decisions in self._parsed(blocks, name):
                    found += decisions.n
                    yield decisions
        if found == 0:
            self._reader.errors, self._reader.error_count = self._errors, self._error_count
            self._reader.nothing()

    def _blocks(self, source: Any, watch: Any) -> Iterator[list[Block]]:
        """The blocks of a source, of a chunk of it at a time."""
        line, begun = 1, Block(1, [])
        for chunk in read_chunks(source, self._chunk_bytes, watch):
            blocks = []
            for text in chunk.tobytes().split(b"\n")[:-1]:
                text = text.removesuffix(b"\r")
                blank = not text.strip()
                if self._format is None and not blank:
                    self._format = "json" if text.lstrip()[:1] == b"{" else "vw"
                if not blank:
                    begun = Block(line, []) if not begun.lines else begun
                    begun.lines.append(text)
                if begun.lines and (blank or self.bandit.actions is not None or self._format == "json"):
                    blocks.append(begun)
                    begun = Block(line + 1, [])
                line += 1
            yield blocks
        if begun.lines:
            yield [begun]

    def _parsed(self, blocks: list[Block], source: str) -> Iterator[Decisions]:
        """The decisions of some blocks, up to the malformed one that is one too many."""
        if self._format == "json":
            found, problems = parse_dsjson(blocks, self.options, self.bandit)
        else:
            found, problems = parse_blocks(blocks, self.options, self.bandit)
        problems = [problem._replace(error=_placed(problem.error, source)) for problem in problems]
        allowed = 0 if self._on_error == "stop" else self._max_errors
        fatal = None
        if allowed is not None and self._error_count + len(problems) > allowed:
            fatal = problems[allowed - self._error_count]
            problems = problems[: allowed - self._error_count]
        self._errors += [problem.error for problem in problems][: SHOWN_ERRORS - len(self._errors)]
        self._error_count += len(problems)
        if found is not None:
            found = found._replace(
                rows=found.rows._replace(source=source, constant=constant_id(self.options, self.format)), source=source
            )
            skipped = [(0, tag) for tag in self.skipped]
            skipped += [(int(np.searchsorted(found.lines, problem.line)), problem.tag) for problem in problems]
            found = found._replace(skipped=skipped or None)
            if fatal is not None:
                found = found.part(0, int(np.searchsorted(found.lines, fatal.line)))
            if found.n:
                self.skipped = []
                yield found
        else:
            self.skipped += [problem.tag for problem in problems]
        if fatal is not None:
            raise fatal.error


class Refused(NamedTuple):
    """A malformed decision: the line of its first, its tag, and the error."""

    line: int
    tag: str
    error: InputError


def _placed(error: InputError, source: str) -> InputError:
    return InputError(source, error.line, error.column, error.found, error.expected)


def parse_blocks(
    blocks: list[Block], options: TextOptions, bandit: BanditOptions
) -> tuple[Decisions | None, list[Refused]]:
    """Decisions of blocks of VW text, and those that are malformed."""
    texts: list[bytes] = []  # what the parser of VW text reads: of each row a line
    origin: list[Origin] = []
    heads: list[Any] = []
    refused: dict[int, Refused] = {}
    for at, block in enumerate(blocks):
        try:
            heads.append(_read_block(at, block, bandit, texts, origin))
        except Problem as problem:
            heads.append(None)
            error = InputError("", problem.line, problem.column, problem.found, problem.expected)
            refused[at] = Refused(block.line, tag_in(block.lines[0]), error)
    if not texts:
        return None, list(refused.values())
    text = np.frombuffer(b"\n".join(texts) + b"\n", np.uint8)
    parsed = ChunkParser(options, "skip", len(texts)).parse(text, "vw", "")
    for error in parsed.errors:
        at, line, shared, own, offset = origin[(error.line or 1) - 1]
        column = error.column
        if column is not None and shared and column > own:
            line, column = shared, column - own - 1 + offset
        refused.setdefault(
            at,
            Refused(
                blocks[at].line, tag_in(blocks[at].lines[0]), InputError("", line, column, error.found, error.expected)
            ),
        )
    in_order = [refused[at] for at in sorted(refused)]
    good = [at for at, head in enumerate(heads) if head is not None and at not in refused]
    if not good:
        return None, in_order
    rows = joined(parsed.batches)
    owners = np.array([origin[line - 1][0] for line in rows.lines.tolist()])
    lines = np.array([origin[line - 1][1] for line in rows.lines.tolist()])
    rows = rows._replace(lines=lines, tags=None, y=np.full(rows.n, np.nan))
    kept = np.isin(owners, good)
    rows, owners = _chosen(rows, kept), owners[kept]
    return _assembled(rows, owners, [heads[at] for at in good], good, options, bandit), in_order


class Origin(NamedTuple):
    """Where a row of the parser's text comes from."""

    block: int
    line: int
    shared: int  # line of the features that follow its own; 0: none do
    own: int  # bytes of its own text
    offset: int  # bytes before the shared features in their own line


class Head(NamedTuple):
    """What is known of a decision before its features."""

    line: int
    shared: bool  # whether the first of its rows holds what is shared
    columns: tuple[int, ...]  # of numbered actions those to choose from
    action: int
    cost: float
    probability: float
    tag: str
    probabilities: tuple[float, ...] = ()  # of all candidates, where they were logged


def _read_block(at: int, block: Block, bandit: BanditOptions, texts: list[bytes], origin: list[Origin]) -> Head:
    """Read the labels of a block, and give its rows to the parser. Raises Problem."""
    labels = [label_of(line, block.line + i) for i, line in enumerate(block.lines)]
    K = bandit.actions
    if K is not None:
        label = labels[0]
        if label.shared:
            raise Problem(block.line, 1, "shared", f"{_COST}; blocks of lines are for --cb_adf")
        wrong = next((a for a in label.actions if not 1 <= a <= K), None)
        if wrong is not None:
            raise Problem(block.line, 1, f"action {wrong}", f"an action from 1 to {K} (--cb {K})")
        named = sorted(set(label.actions))
        columns = tuple(a - 1 for a in named) if len(label.actions) > (label.action > 0) else tuple(range(K))
        texts.append(features_of(block.lines[0]))
        origin.append(Origin(at, block.line, 0, 0, 0))
        action = columns.index(label.action - 1) if label.action else -1
        return Head(block.line, False, columns, action, label.cost, label.probability, label.tag)
    shared = labels[0].shared
    if shared and len(labels) == 1:
        raise Problem(block.line, 1, "shared without an action", "a line for each action behind it")
    late = next((i for i, label in enumerate(labels) if i and label.shared), None)
    if late is not None:
        raise Problem(block.line + late, 1, "shared", "shared in the first line of a block; a blank line ends one")
    chosen = [i for i, label in enumerate(labels) if not math.isnan(label.cost)]
    if len(chosen) > 1:
        raise Problem(block.line + chosen[1], 1, "a second cost", "one action with a cost in a decision")
    for i, label in enumerate(labels):
        if math.isnan(label.cost) and label.actions:
            raise Problem(block.line + i, 1, shorten(str(label.actions[0])), _COST)
    tail = features_of(block.lines[0]).lstrip() if shared else b""
    if shared:
        texts.append(features_of(block.lines[0]))
        origin.append(Origin(at, block.line, 0, 0, 0))
    offset = len(block.lines[0]) - len(tail)  # columns of the shared features in their own line
    for i, line in enumerate(block.lines[shared:], int(shared)):
        own = features_of(line)
        texts.append(own + b" " + tail if shared else own)
        origin.append(Origin(at, block.line + i, block.line if shared else 0, len(own), offset))
    tag = next((label.tag for label in labels if label.tag), "")
    if not chosen:
        return Head(block.line, shared, (), -1, math.nan, math.nan, tag)
    label = labels[chosen[0]]
    return Head(block.line, shared, (), chosen[0] - shared, label.cost, label.probability, tag)


def _chosen(rows: Batch, kept: np.ndarray) -> Batch:
    """The rows that are `kept` (bool[n])."""
    if kept.all():
        return rows
    sizes, entries = np.diff(rows.indptr), np.repeat(kept, np.diff(rows.indptr))
    indptr = np.concatenate(([0], np.cumsum(sizes[kept])))
    return rows._replace(
        indptr=indptr, indices=rows.indices[entries], values=rows.values[entries], y=rows.y[kept],
        weight=rows.weight[kept], lines=rows.lines[kept], base=None,
    )  # fmt: skip


def _assembled(
    rows: Batch, owners: np.ndarray, heads: list[Head], good: list[int], options: TextOptions, bandit: BanditOptions
) -> Decisions:
    """Decisions of the rows of the `heads`; with actions that are rows, shared rows are multiplied in."""
    n = len(heads)
    action, cost, probability = (
        np.array([getattr(head, name) for head in heads]) for name in ("action", "cost", "probability")
    )
    lines = np.array([head.line for head in heads])
    tags = [head.tag for head in heads] if any(head.tag for head in heads) else None
    if bandit.actions is not None:
        first = np.concatenate(([0], np.cumsum([len(head.columns) for head in heads])))
        row = np.repeat(np.arange(n), np.diff(first))
        column = np.array([a for head in heads for a in head.columns], np.int64)
        return Decisions(rows, first, row, column, action, cost, probability, lines, None, rows.source, tags)
    begin = np.searchsorted(owners, good)
    sizes = np.diff(np.append(begin, rows.n))
    shared = np.array([head.shared for head in heads])
    crosses = not (options.quadratic or options.cubic or options.interactions)
    if shared.any():
        rows = merged(rows, begin, sizes, shared, options.constant, crosses, given=True)
        sizes = sizes - shared
    first = np.concatenate(([0], np.cumsum(sizes)))
    return Decisions(
        rows, first, np.arange(rows.n), np.zeros(rows.n, np.int64), action, cost, probability, lines, None,
        rows.source, tags,
    )  # fmt: skip


def merged(
    rows: Batch, begin: np.ndarray, sizes: np.ndarray, shared: np.ndarray, constant: bool, crosses: bool, given: bool
) -> Batch:
    """Rows of actions with what is shared, and with products of both.

    Parameters
    ----------
    rows : Batch
        Of each decision the row of what is shared, where it has one, and after it those of its actions.
    begin, sizes : int64[n]
        Where the rows of each decision begin, and how many they are.
    shared : bool[n]
        Whether the first of them is of what is shared.
    constant : bool
        Whether each row ends with the constant feature.
    crosses : bool
        Whether to multiply.
    given : bool
        Whether the rows of actions hold what is shared already, behind what is theirs.
    """
    lengths = np.diff(rows.indptr)
    of = np.repeat(np.where(shared, begin, -1), sizes)  # of each row that of what it shares
    actions = np.ones(rows.n, bool)
    actions[begin[shared]] = False
    if given and not crosses:
        return _chosen(rows, actions)
    own = lengths - constant - np.where((of >= 0) & given, lengths[of] - constant, 0)
    theirs = np.where(of >= 0, lengths[of] - constant, 0)
    total = own + theirs + constant + (own * theirs if crosses else 0)
    at = np.flatnonzero(actions)
    indptr = np.concatenate(([0], np.cumsum(total[at])))
    indices, values = np.empty(indptr[-1], np.int64), np.empty(indptr[-1])
    of = np.ascontiguousarray(of[at])
    cross(rows.indptr, rows.indices, rows.values, at, of, constant, own[at], crosses, indptr, indices, values)
    return rows._replace(
        indptr=indptr, indices=indices, values=values, y=rows.y[at], weight=rows.weight[at], lines=rows.lines[at]
    )


@bare_jit
def cross(indptr, indices, values, at, of, constant, own, crosses, out_indptr, out_indices, out_values):
    """Fill in rows: those `at`, with what row `of` holds (-1: none), and products.

    Parameters
    ----------
    indptr, indices : int64[...], values : float64[...]: rows, not modified
    at, of, own : int64[n]; own is how many entries of a row are not of what is shared; not modified
    constant, crosses : bool
    out_indptr : int64[n + 1]; out_indices : int64[nnz], out_values : float64[nnz], filled in
    """
    for i in range(len(at)):
        begin, to = indptr[at[i]], out_indptr[i]
        end = begin + own[i]
        for e in range(begin, end):
            out_indices[to], out_values[to] = indices[e], values[e]
            to += 1
        if of[i] >= 0:
            first, last = indptr[of[i]], indptr[of[i] + 1] - constant
            for s in range(first, last):
                out_indices[to], out_values[to] = indices[s], values[s]
                to += 1
            if crosses:
                for e in range(begin, end):
                    for s in range(first, last):
                        out_indices[to] = product_id(indices[e], indices[s])
                        out_values[to] = values[e] * values[s]
                        to += 1
        if constant:
            e = indptr[at[i] + 1] - 1
            out_indices[to], out_values[to] = indices[e], values[e]
            to += 1


@bare_inline
def product_id(a, b):
    """The id of the product of two features, from 2^61 on: no id of a feature."""
    low = mixed(mixed(a & _LOW) ^ (a >> _BITS) ^ (b & _LOW)) ^ (b >> _BITS)
    high = mixed(mixed(b & _LOW) ^ (a & _LOW)) & ((1 << 30) - 1)
    return (1 << 61) | (high << _BITS) | mixed(low)


@forced_inline
def mixed(h):
    """A hash of 31 bits."""
    h &= _LOW
    h = ((h ^ (h >> 15)) * 0x2C1B3C6D) & _LOW
    h = ((h ^ (h >> 12)) * 0x297A2D39) & _LOW
    return h ^ (h >> 15)


def parse_dsjson(
    blocks: list[Block], options: TextOptions, bandit: BanditOptions
) -> tuple[Decisions | None, list[Refused]]:
    """Decisions of lines of dsjson, and those that are malformed."""
    parser = ChunkParser(options, "stop", 1)
    heads: list[Head] = []
    refused: list[Refused] = []
    batches: list[Batch] = []
    for block in blocks:
        line = block.lines[0]
        try:
            head, records = _decision_of(members_of(line), block.line, bandit)
            parsed = parser.parse_records(((block.line, record) for record in records), "")
            if parsed.errors:
                error = parsed.errors[0]
                refused.append(Refused(block.line, head.tag, error))
                continue
        except Unfit as problem:
            refused.append(Refused(block.line, "", error_of(problem, line, ("", block.line))))
            continue
        heads.append(head)
        batches += parsed.batches
    if not heads:
        return None, refused
    rows = joined(batches)
    rows = rows._replace(tags=None, base=None, y=np.full(rows.n, np.nan), weight=np.ones(rows.n))
    sizes = [len(head.columns) + head.shared for head in heads]
    owners = np.repeat(np.arange(len(heads)), sizes)
    begin = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    if bandit.actions is None:
        found = _from_records(rows, begin, np.array(sizes), heads, options)
    else:
        found = _assembled(rows, owners, heads, list(range(len(heads))), options, bandit)
    return found._replace(probabilities=_all_logged(heads)), refused


def _from_records(
    rows: Batch, begin: np.ndarray, sizes: np.ndarray, heads: list[Head], options: TextOptions
) -> Decisions:
    """Decisions of records: a row of what is shared, then one for each action."""
    crosses = not (options.quadratic or options.cubic or options.interactions)
    shared = np.ones(len(heads), bool)
    rows = merged(rows, begin, sizes, shared, options.constant, crosses, given=False)
    first = np.concatenate(([0], np.cumsum(sizes - 1)))
    action, cost, probability = (
        np.array([getattr(head, name) for head in heads]) for name in ("action", "cost", "probability")
    )
    tags = [head.tag for head in heads]
    return Decisions(
        rows, first, np.arange(rows.n), np.zeros(rows.n, np.int64), action, cost, probability,
        np.array([head.line for head in heads]), None, rows.source, tags if any(tags) else None,
    )  # fmt: skip


def _decision_of(record: Members, line: int, bandit: BanditOptions) -> tuple[Head, list[Members]]:
    """(what is known of a decision in dsjson, its records: what is shared, then each action's). Raises Unfit."""
    fields: dict[str, Any] = dict(record)
    context = fields.get("c", record if "_multi" in fields else None)
    if not isinstance(context, Members):
        raise Unfit("no object c", "dsjson: the context in c, with its actions in _multi", ())
    actions = dict(context).get("_multi")
    shared = Members((name, value) for name, value in context if name[:1] != "_" or name == "_text")
    tag = fields.get("EventId") or fields.get("_tag") or ""
    if bandit.actions is not None:
        columns: tuple[int, ...] = tuple(range(bandit.actions))
        records = [shared]
    else:
        if not isinstance(actions, list) or not actions:
            raise Unfit("no array _multi in c", "one object for each action in c._multi", ("c", "_multi"))
        wrong = next((i for i, one in enumerate(actions) if not isinstance(one, Members)), None)
        if wrong is not None:
            raise Unfit("an action that is no object", "one object for each action", ("c", "_multi", str(wrong)))
        columns, records = tuple(range(len(actions))), [shared, *actions]
    labels = {name.lower(): value for name, value in fields.items()}
    index, cost, probability = (labels.get(f"_label{name}") for name in ("index", "_cost", "_probability"))
    if index is None and isinstance(fields.get("_label_Action"), float):
        index = fields["_label_Action"] - 1.0
    logged = _logged_probabilities(fields, len(columns))
    if cost is None or index is None:
        return Head(line, True, columns, -1, math.nan, math.nan, str(tag), logged), records
    for name, value in (("_labelIndex", index), ("_label_cost", cost), ("_label_probability", probability)):
        if not isinstance(value, float) or not math.isfinite(value):
            raise Unfit(f"{value!r}", "a number", (name,))
    if not (0 <= index < len(columns) and index == math.floor(index)):
        raise Unfit(f"{index:g}", f"an action from 0 to {len(columns) - 1}", ("_labelIndex",))
    if not 0.0 < probability <= 1.0:  # type: ignore[operator]
        raise Unfit(f"{probability:g}", "a probability above 0, and at most 1", ("_label_probability",))
    head = Head(line, bandit.actions is None, columns, int(index), cost, probability, str(tag), logged)  # type: ignore[arg-type]
    return head, records


def _logged_probabilities(fields: dict[str, Any], count: int) -> tuple[float, ...]:
    """The probabilities p of the actions a (from 1 on), in the order of actions; empty where there are none. Unfit."""
    p, a = fields.get("p"), fields.get("a")
    if p is None or a is None:
        return ()
    for name, values in (("p", p), ("a", a)):
        if not isinstance(values, list) or not all(isinstance(value, float) for value in values):
            raise Unfit(said(values), "an array of numbers", (name,))
        if len(values) != count:
            raise Unfit(f"{len(values)} numbers", f"{count}, one for each action", (name,))
    if sorted(a) != list(range(1, count + 1)):
        raise Unfit("numbers of actions", f"each from 1 to {count} once", ("a",))
    if not all(0.0 <= one <= 1.0 for one in p):
        raise Unfit("a probability", "probabilities from 0 to 1", ("p",))
    of = dict(zip(a, p, strict=True))
    return tuple(of[float(i)] for i in range(1, count + 1))


def _all_logged(heads: list[Head]) -> np.ndarray | None:
    """float64[candidates]: the probabilities of all actions of some decisions; None where none has them."""
    if not any(head.probabilities for head in heads):
        return None
    return np.array([p for head in heads for p in head.probabilities or (math.nan,) * len(head.columns)])


def decisions_of_classes(batch: Batch, classes: int) -> Decisions:
    """Rows of classes 1 to `classes` as decisions whose costs are all known: 0 of the right class, 1 of others."""
    labelled = ~np.isnan(batch.y)
    wrong = labelled & ((batch.y != np.floor(batch.y)) | (batch.y < 1) | (batch.y > classes))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise InputError(
            batch.source, int(batch.lines[i]), 1, f"label {batch.y[i]:.16g}", f"a class from 1 to {classes} (--cbify)"
        )
    costs = np.where(labelled[:, None], 1.0, np.nan) * np.ones(classes)
    at = np.flatnonzero(labelled)
    costs[at, batch.y[at].astype(int) - 1] = 0.0
    return numbered(batch, classes, costs=costs)


def _as_table(options: TextOptions, bandit: BanditOptions) -> TextOptions:
    """How a table of decisions is read: the cost as label, the action as id, the probability as weight."""
    if bandit.actions is None or bandit.cbify is not None:
        raise OptionError("--action, --cost, --reward: of a table whose actions are numbered; give --cb K as well")
    if not (bandit.cost or bandit.reward) or not bandit.action:
        raise OptionError("a table of decisions needs --action COLUMN, and --cost COLUMN or --reward COLUMN")
    if options.label or options.id or options.weight:
        raise OptionError("--label, --id, --weight: of a table of decisions --action, --cost, --probability are given")
    return dataclasses.replace(options, label=bandit.cost or bandit.reward, id=bandit.action, weight=bandit.probability)


def _decisions_of_table(batch: Batch, bandit: BanditOptions) -> Decisions:
    """Decisions of rows that were read by `_as_table`. Raises InputError."""
    K = bandit.actions or 0
    action = np.full(batch.n, -1)
    for i, text in enumerate(batch.tags or [""] * batch.n):
        if math.isnan(batch.y[i]):
            continue
        if not text.isdigit() or not 1 <= int(text) <= K:
            expected = f"an action from 1 to {K} in the column {shorten(bandit.action)}"
            raise InputError(batch.source, int(batch.lines[i]), None, shorten(text), expected)
        action[i] = int(text) - 1
        if bandit.probability and not 0.0 < batch.weight[i] <= 1.0:
            expected = f"a probability above 0, and at most 1, in the column {shorten(bandit.probability)}"
            raise InputError(batch.source, int(batch.lines[i]), None, f"{batch.weight[i]:g}", expected)
    cost = -batch.y if bandit.reward else batch.y
    probability = batch.weight if bandit.probability else np.full(batch.n, np.nan)
    rows = batch._replace(tags=None, y=np.full(batch.n, np.nan), weight=np.ones(batch.n))
    return numbered(rows, K, action, cost, probability)


def read_decisions(
    sources: Any, options: TextOptions, bandit: BanditOptions, *, chunk_bytes: int = CHUNK_BYTES
) -> Iterable[Decisions]:
    """Batches of the decisions in `sources`: see `DecisionReader`."""
    return iter(DecisionReader(sources, options, bandit, chunk_bytes=chunk_bytes))
