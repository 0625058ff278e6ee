"""Decisions in dsjson: one object a line.

As in VW, a decision with ``_skipLearn`` is only decided, and a line with a reward but no decision (a "dangling
observation"), or of the log's own (``[CHECKPOINT``), is passed over. ``pdrop``, the share of decisions that a log left
out, is not made up for: VW weights what is left by 1/(1 - pdrop), which changes sums, but no mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sonlearn.data.batch import Batch, joined
from sonlearn.errors import InputError
from sonlearn.options import BanditOptions, TextOptions
from sonlearn.text.chunk import ChunkParser
from sonlearn.text.columns import A_PROBABILITY, TableSchema
from sonlearn.text.decisions.rows import DecisionLines, Head, assembled, crosses
from sonlearn.text.malformed import OTHER_DECISIONS
from sonlearn.text.objects import JsonObject, RowError, display, error_of, json_object
from sonlearn.text.rows import ParsedChunk


def parse_dsjson(
    blocks: list[DecisionLines], options: TextOptions, bandit: BanditOptions, source: str, whole: bool = False
) -> ParsedChunk:
    """Decisions of lines of dsjson, in lines of the `source` whose numbers they have.

    `whole`: what has no decision is malformed, too.
    """
    parser = ChunkParser(options)
    heads: list[Head] = []
    refused: list[InputError] = []
    batches: list[Batch] = []
    notes = set[str]()
    for block in blocks:
        line = block.lines[0]
        if not whole and line.startswith(b"[CHECKPOINT"):
            notes.add("lines with a CHECKPOINT and no decision were passed over")
            continue
        try:
            record = json_object(line)
            fields: dict[str, Any] = dict(record)
            if not whole and "RewardValue" in fields and not {"c", "_multi"} & fields.keys():
                notes.add("lines with a RewardValue and no decision were passed over")
                continue
            if fields.get("pdrop"):
                notes.add("pdrop: decisions that the log has left out are not made up for")
            head, records = _decision_of(record, block.line, bandit)
            if not crosses(options):  # products of the user's own are those of all that a row has
                records[1:] = [JsonObject((*action, *records[0])) for action in records[1:]]
            parsed = parser.parse_records(((block.line, record) for record in records), source)
            if parsed.errors:
                refused.append(parsed.errors[0].but(tag=head.tag))
                continue
        except RowError as problem:
            refused.append(error_of(problem, line, (source, block.line)))
            continue
        heads.append(head)
        batches += parsed.batches
    chunk = ParsedChunk([], refused, 0, found=TableSchema((), {}, faults=tuple(sorted(notes))))
    if not heads:
        return chunk
    found = assembled(joined(batches), heads, options, bandit)
    if any(head.probabilities for head in heads):  # of all actions of some decisions
        logged = [p for head in heads for p in head.probabilities or (math.nan,) * len(head.columns)]
        found = found._replace(probabilities=np.array(logged))
    return chunk._replace(batches=[found])


def _decision_of(record: JsonObject, line: int, bandit: BanditOptions) -> tuple[Head, list[JsonObject]]:
    """(what is known of a decision in dsjson, its records: what is shared, then each action's). Raises RowError."""
    fields: dict[str, Any] = dict(record)
    context = fields.get("c", record if "_multi" in fields else None)
    if not isinstance(context, JsonObject):
        raise RowError("no object c", "dsjson: the context in c, with its actions in _multi", ())
    slots = next((f"an array {name}" for name in ("_slots", "_outcomes") if name in dict(context) | fields), None)
    if slots is not None:
        raise RowError(slots, OTHER_DECISIONS[b"ccb"], ())
    actions = dict(context).get("_multi")
    shared = JsonObject((name, value) for name, value in context if name[:1] != "_" or name == "_text")
    tag = fields.get("EventId") or fields.get("_tag") or ""
    if bandit.actions is not None:
        if actions is not None:
            expected = f"none: this model numbers its {bandit.actions} actions; objects of actions: --cb_explore_adf"
            raise RowError("actions in _multi", expected, ())
        columns: tuple[int, ...] = tuple(range(bandit.actions))
        records = [shared]
    else:
        if not isinstance(actions, list) or not actions:
            expected = "one object for each action in _multi of the context (c in dsjson, the whole body in /decide)"
            raise RowError("no array _multi", expected, ())
        wrong = next((i for i, one in enumerate(actions) if not isinstance(one, JsonObject)), None)
        if wrong is not None:
            raise RowError("an action that is no object", "one object for each action", ("c", "_multi", str(wrong)))
        columns, records = tuple(range(len(actions))), [shared, *actions]
    labels = {name.lower(): value for name, value in fields.items()}
    index, cost, probability = (labels.get(f"_label{name}") for name in ("index", "_cost", "_probability"))
    if index is None and isinstance(fields.get("_label_Action"), float):
        index = fields["_label_Action"] - 1.0
    logged = _logged_probabilities(fields, len(columns))
    if cost is None or index is None or fields.get("_skipLearn") is True:
        return Head(line, True, columns, -1, math.nan, math.nan, str(tag), logged), records
    if probability is None:
        raise RowError("no _label_probability beside _label_cost", A_PROBABILITY, ())
    for name, value in (("_labelIndex", index), ("_label_cost", cost), ("_label_probability", probability)):
        if not isinstance(value, float) or not math.isfinite(value):
            raise RowError(display(value), "a number", (name,))
    if not (0 <= index < len(columns) and index == math.floor(index)):
        raise RowError(f"{index:g}", f"an action from 0 to {len(columns) - 1}", ("_labelIndex",))
    if not 0.0 < probability <= 1.0:
        raise RowError(f"{probability:g}", A_PROBABILITY, ("_label_probability",))
    head = Head(line, bandit.actions is None, columns, int(index), cost, probability, str(tag), logged)  # type: ignore[arg-type]
    return head, records


def _logged_probabilities(fields: dict[str, Any], count: int) -> tuple[float, ...]:
    """The probabilities p of the actions a (from 1 or 0 on), in the order of actions; empty without. RowError."""
    p, a = fields.get("p"), fields.get("a")
    if p is None or a is None:
        return ()
    for name, values in (("p", p), ("a", a)):
        if not isinstance(values, list) or not all(isinstance(value, float) for value in values):
            raise RowError(display(values), "an array of numbers", (name,))
        if len(values) != count:
            raise RowError(f"{len(values)} numbers", f"{count}, one for each action", (name,))
    least = 0 if 0.0 in a else 1
    if sorted(a) != list(range(least, count + least)):
        raise RowError("numbers of actions", f"each from 1 to {count} once, or from 0 on", ("a",))
    if not all(0.0 <= one <= 1.0 for one in p):
        raise RowError("a probability", "probabilities from 0 to 1", ("p",))
    of = dict(zip(a, p, strict=True))
    return tuple(of[float(i + least)] for i in range(count))
