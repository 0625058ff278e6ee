"""Decisions in VW's text: a line for each (``--cb``), or a block of lines, one for each action (``--cb_adf``)."""

from __future__ import annotations

import math

import numpy as np

from sonlearn.data.batch import joined
from sonlearn.errors import InputError, shorten
from sonlearn.options import BanditOptions, TextOptions
from sonlearn.text.chunk import ChunkParser, tag_in
from sonlearn.text.decisions.rows import DecisionLines, Head, assembled, crosses
from sonlearn.text.malformed import OTHER_DECISIONS
from sonlearn.text.rows import ParsedChunk

_COST = "action:cost:probability, for example 2:-1:0.25"


def parse_blocks(blocks: list[DecisionLines], options: TextOptions, bandit: BanditOptions, source: str) -> ParsedChunk:
    """Decisions of blocks of VW text, in lines of the `source` whose numbers they have."""
    texts: list[bytes] = []  # what the parser of VW text reads: of each row a line
    origin: list[tuple[int, int]] = []  # of each row its block, and its line
    heads: dict[int, Head] = {}
    refused: dict[int, InputError] = {}

    def refuse(at: int, line: int | None, error: InputError) -> None:
        refused.setdefault(at, error.but(source=source, line=line, tag=tag_in(blocks[at].lines[0])))

    for at, block in enumerate(blocks):
        try:
            if bandit.actions is not None:
                heads[at], rows_of_block = _read_line(block, bandit.actions)
            else:
                heads[at], rows_of_block = _read_block(block, crosses(options))
        except InputError as error:
            refuse(at, error.line, error)
            continue
        texts += rows_of_block
        origin += [(at, block.line + i) for i in range(len(rows_of_block))]
    text = np.frombuffer(bytearray(b"\n".join(texts) + b"\n"), np.uint8)  # of bytes it is of a type to compile for
    parsed = ChunkParser(options, stops=False).parse(text, "vw", "")
    for error in parsed.errors:
        refuse(*origin[(error.line or 1) - 1], error)
    chunk = ParsedChunk([], [refused[at] for at in sorted(refused)], 0, spaces=parsed.spaces)
    good = [at for at in heads if at not in refused]
    if not good:
        return chunk
    rows = joined(parsed.batches)
    owners, lines = np.array(origin)[rows.lines - 1].T
    kept = np.flatnonzero(np.isin(owners, good))
    rows = rows._replace(lines=lines).at(kept)
    return chunk._replace(batches=[assembled(rows, [heads[at] for at in good], options, bandit)])


def _read_line(block: DecisionLines, K: int) -> tuple[Head, list[bytes]]:
    """Read a line, a decision among K actions: what its label says, and its row. Raises InputError."""
    label = parse_label(block.lines[0], block.line)
    if label.shared:
        raise InputError("", "shared", f"{_COST}; blocks of lines are for --cb_adf", block.line, 1)
    wrong = next((a for a in label.columns if not 1 <= a <= K), None)
    if wrong is not None:
        raise InputError("", f"action {wrong}", f"an action from 1 to {K} (--cb {K})", block.line, 1)
    named = sorted(set(label.columns))
    columns = tuple(a - 1 for a in named) if len(label.columns) > (label.action > 0) else tuple(range(K))
    action = columns.index(label.action - 1) if label.action else -1
    return label._replace(columns=columns, action=action), [without_label(block.lines[0])]


def _read_block(block: DecisionLines, crosses: bool) -> tuple[Head, list[bytes]]:
    """Read a block of lines, one an action: what its labels say, and its rows. Raises InputError.

    Unless features of actions are multiplied with shared ones later (`crosses`), the rows of actions hold what is
    shared.
    """
    labels = [parse_label(line, block.line + i) for i, line in enumerate(block.lines)]
    shared = labels[0].shared
    if shared and len(labels) == 1:
        raise InputError("", "shared without an action", "a line for each action behind it", block.line, 1)
    late = next((i for i, label in enumerate(labels) if i and label.shared), None)
    if late is not None:
        expected = "shared in the first line of a block; a blank line ends one"
        raise InputError("", "shared", expected, block.line + late, 1)
    chosen = [i for i, label in enumerate(labels) if not math.isnan(label.cost)]
    if len(chosen) > 1:
        raise InputError("", "a second cost", "one action with a cost in a decision", block.line + chosen[1], 1)
    for i, label in enumerate(labels):
        if math.isnan(label.cost) and label.columns:
            raise InputError("", shorten(str(label.columns[0])), _COST, block.line + i, 1)
    rows = [without_label(line) for line in block.lines]
    if shared and not crosses:
        rows[1:] = [row + b" " + rows[0].lstrip() for row in rows[1:]]
    tag = next((label.tag for label in labels if label.tag), "")
    at, action = (chosen[0], chosen[0] - shared) if chosen else (0, -1)
    columns = tuple(range(len(rows) - shared))
    return labels[at]._replace(line=block.line, shared=shared, columns=columns, action=action, tag=tag), rows


def parse_label(line: bytes, number: int) -> Head:
    """Read what stands before the bar: `columns` are the actions it names, `action` has a cost (0: none); from 1 on.

    Raises InputError.
    """
    before, bar, _ = line.partition(b"|")
    if not bar:
        hint = "; of a table give --action and --cost or --reward" if b"," in line else ""
        raise InputError("", shorten(line), f"| before the features, as in 2:-1:0.25 | a b{hint}", number, 1)
    words, tag = before.split(), ""

    def unfit(word: bytes, expected: str) -> InputError:
        return InputError("", shorten(word), expected, number, before.index(word) + 1)

    if words and words[0] in OTHER_DECISIONS:
        raise unfit(words[0], OTHER_DECISIONS[words[0]])
    may_be_tag = len(words) > 1 if words[:1] == [b"shared"] else bool(words) and b":" not in words[-1]
    if may_be_tag:
        tag = tag_in(line)
        words = words[:-1] if tag and not (words[-1].isdigit() and before[-1:].isspace()) else words
    if words[:1] == [b"shared"]:
        if len(words) > 1:
            raise unfit(words[1], "| or a tag after shared, as in shared 'tag | a b")
        return Head(number, True, (), 0, math.nan, math.nan, tag)
    action, cost, probability, named = 0, math.nan, math.nan, []
    unweighted = b""  # a cost without a probability: VW does not count it beside one that has it
    for word in words:
        fields = word.split(b":")
        try:
            number_of, values = int(fields[0]), [float(field) for field in fields[1:]]
        except ValueError:
            raise unfit(word, _COST) from None
        if len(fields) > 3 or number_of < 0:
            raise unfit(word, _COST)
        named.append(number_of)
        if len(values) == 1:
            unweighted = unweighted or word
        elif values:
            if action or not math.isnan(cost):
                raise unfit(word, "one action with a cost in a decision")
            action, (cost, probability) = number_of, values
            if not math.isfinite(cost):
                raise unfit(word, "a finite cost")
            if not 0.0 < probability <= 1.0:
                raise unfit(word, "a probability above 0, and at most 1, behind the cost")
    if unweighted and math.isnan(cost):
        raise unfit(unweighted, _COST)
    return Head(number, False, tuple(named), action, cost, probability, tag)


def without_label(line: bytes) -> bytes:
    """`line` with blanks in place of what stands before its bar: columns stay."""
    at = line.index(b"|")
    return b" " * at + line[at:]
