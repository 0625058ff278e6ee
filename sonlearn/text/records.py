"""JSON objects, and dicts in memory, to rows of hashed features, as Vowpal Wabbit's ``--json`` reads them.

What a member ``name: value`` of an object becomes, where H is VW's hash (`sonlearn.text.hashing`) and ns that of the
namespace, which is the default one at the top and else the name of the object:

- a number, also in quotes, and true as 1: the feature H(name, ns); 0 and false are left out;
- null, and what else is missing in a table (`sonlearn.text.encode`): the feature H(name=, ns);
- a text that is a date or a time stamp: its parts, as in a table, but for those that ``--ignore name.year`` and the
  like leave out;
- any other text, and any text or number of a member that ``--categorical`` names: the feature H(name + text, ns) with
  value 1, with ``--chain_hash`` H(text, H(name, ns)); blanks, tabs, bars and colons of the text are underscores;
- an object: a namespace; so is an array, of numbers (the i-th is the feature ns + i) and of objects;
- a text in a member that ``--text`` names, and a text in an array: its words in lower case
  (`sonlearn.text.encode.words_of`), each a feature of the namespace of that name. ``--label``, ``--id`` and
  ``--weight`` name members of the object itself that are the label, the tag and the importance; ``--ignore`` and
  ``--keep`` leave members of it out, by names of more than one byte. With ``--text``, ``--numeric``,
  ``--categorical``, ``--date`` and ``--ignore``, a.b is the member b of the member a;
- ``_text``: the words of a text, each a feature of the namespace;
- ``_label``: a number, "label importance base", or {"Label": l, "Weight": h, "Initial": base}; ``_label_weight`` and
  the like stand for one of these; ``_tag``: the tag; any other name that begins with ``_`` is passed over.

Where VW reads on in silence, the object is refused: a label that is no number, an infinite number, true in an array.
A line is decoded by Python's json module. Repeated names all count.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import operator
import re
from collections import Counter
from typing import Any

import numpy as np

from sonlearn.data.batch import NO_BATCH
from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.options.text import NAMING, flag_of
from sonlearn.text.columns import (
    ABSENT,
    DATE_PARTS,
    FINITE,
    MOST_OF_OBJECTS,
    NUMBER,
    ColumnTable,
    Labelling,
    did_you_mean,
    first_names,
    label_of,
    reading_of,
    weight_of,
    without_label,
)
from sonlearn.text.encode import ColumnEncoder, RowLists, TableEncoder, words_of
from sonlearn.text.hashing import hash_bytes
from sonlearn.text.objects import SAMPLE, TOO_DEEP, JsonObject, LongRowError, Record, RowError, display, json_object
from sonlearn.text.rows import ParsedChunk, Runs
from sonlearn.text.vw import make_names

_COLUMN = operator.attrgetter("column")
_UNDERSCORES = str.maketrans(" \t|:", "____")
_MAX_REMEMBERED = 1 << 20
#: Members that are remembered between chunks, as all of them are that hold texts; or twice as many as a chunk has had.
_MAX_MEMBERS = 1 << 14
#: What a member that is a feature and no more may hold.
_PLAIN = ("number", "missing")
#: Flags of members of the object itself.
_OF_ITSELF = ("label", "id", "weight", "action", "keep")
_ELEMENT = "numbers, texts or objects in an array"
#: Of examples of several lines: contextual bandits, and decisions in slots.
_OF_BANDITS = ("_multi", "_slots", "_labelIndex", "_label_cost", "_label_probability", "_slot_id", "__aid")


def is_member(name: str) -> bool:
    """Tell whether ``--ignore`` or ``--keep`` name a member of JSON here; else the first byte of namespaces."""
    return len(raw(name)) > 1


def _column_of(name: str, space: str) -> str:
    """The name of a feature in a namespace; the default one, a blank, is not said."""
    return name if space == " " else f"{space}^{name}"


class _Member(ColumnEncoder):
    """A member of objects: its column, and what options say of it. Its features are in the namespace of its object.

    The column has the name of its number: a member of the object itself its own, any other ``namespace^name``. Options
    and messages call it by the names that lead there, as a.b, options also by its own.
    """

    typed = True

    def __init__(self, path: tuple[str, ...], name: str, space: str, seed: int, table: TableEncoder, digits: bool):
        title, options = ".".join((*path, name)), table.options
        super().__init__(_column_of(name, space), table, (name, title))
        self.key, self.digits = (path, name), digits or self.as_number
        self.reads = self.as_text or self.as_number or self.as_category or self.as_date
        self.is_column = "^" not in title
        self.ignored = title in options.ignore and is_member(title)
        self._name, self._mask, self._hash_all = name, (1 << options.bits) - 1, options.hash == "all"
        self._space = seed

    def _hash(self, name: str, seed: int) -> int:
        return hash_bytes(raw(name), seed, hash_all=self._hash_all)

    def _new(self, behind: str = "", mark: int = 0) -> int:
        slot = self._hash(self._name + behind, self._space) & self._mask
        return self._table.new(self.column + behind, slot, mark)

    def _new_category(self, field: str) -> int:
        text = field.translate(_UNDERSCORES)
        if self._table.options.chain_hash:
            slot = self._hash(text, self._hash(self._name, self._space))
        else:
            slot = self._hash(self._name + text, self._space)
        return self._table.new(f"{self.column}^{text}", slot & self._mask)


class RecordRows:
    """Rows under way, in lists; a record that does not fit leaves nothing behind. Remembers slots.

    Parameters
    ----------
    options : TextOptions
    labels : Labelling
    columns : ColumnTable or None
        None: of decisions, whose columns nobody is told of; a number in quotes is a text then, as in VW. Else columns
        that the model knows, to learn from objects that have the label (what is usual counts as missing where it is
        absent), or to predict: then what each object had that was learned does, and an object is malformed that has
        none of them.
    most : float
        Features that a row may have.
    """

    def __init__(
        self, options: TextOptions, labels: Labelling, columns: ColumnTable | None = None, most: float = math.inf
    ):  # fmt: skip
        self._kept = frozenset(filter(is_member, options.keep))
        self._spaces_kept = {raw(byte) for byte in options.keep if not is_member(byte)}
        spaces = [byte for byte in options.ignore if not is_member(byte)]
        names = make_names(dataclasses.replace(options, ignore=spaces, keep=() if self._kept else options.keep))
        self._mask, self._hash_all, self._drop = names.mask, names.hash_all, names.drop
        self._table = TableEncoder(options, columns, most)
        self._rows = RowLists(self._table.constant)
        given = {"label": options.label, "id": options.id, "weight": options.weight, "action": labels.action}
        self._roles = {name: role for role, name in given.items() if name}
        self._labelling = labels
        self._levels: dict[tuple[str, ...], dict[str, _Member]] = {}  # by the names that lead to an object
        self._met: dict[_Member, None] = {}
        self._times = Counter[tuple[_Member, ...]]()  # how many rows have had these
        #: Features by the hash of the namespace; place in an array, word, or name; and whether it is a word.
        self._others: dict[tuple[int, int | str, bool], int] = {}
        #: (hash, first byte) of a namespace.
        self._space_of = functools.lru_cache(_MAX_REMEMBERED)(
            lambda space: (hash_bytes(raw(space), names.seed, hash_all=names.hash_all), (raw(space) or b"\0")[0])
        )
        #: Members that options name and no object has had, by the flag; whether one is a member of a member.
        elsewhere = options.label if labels.joined else None
        self._unmet = {name: f"--{role}" for name, role in self._roles.items() if name != elsewhere} | {
            name: flag_of(TextOptions, field) for field in NAMING
            for name in options.named(field) if is_member(name)
        }  # fmt: skip
        parts = [name.split(".") for name in self._unmet]
        self._named = {".".join(names[i:]) for names in parts for i in range(len(names))}
        self._runs: list[tuple[int, int]] = []
        self._run_indptr = [0]
        self._digits = columns is not None
        known, is_frozen = (columns.known, columns.is_frozen) if columns is not None else ({}, False)
        self._label_needed = labels.in_each and bool(options.label)
        #: Columns without which nothing counts (`ColumnTable.leaves_out`), where there are such.
        self._of_model = known if is_frozen and columns is not None and columns.fixed and known else None
        #: Members of a chunk before others are features and no more, but where a member that is not known is a fault.
        self._most = MOST_OF_OBJECTS if self._of_model is None else math.inf
        always = () if columns is None else columns.always if is_frozen else columns.usual
        self._always = {name: None for name in always if name not in self._roles or reading_of(name, options)}

    def add(self, record: Record, line: int) -> None:
        """Take a record. Raises RowError."""
        self._label, self._tag, self._class = [math.nan, 1.0, 0.0], "", None
        self._path: list[str] = []
        self._row: dict[_Member, None] = {}
        self._labelled = False
        self._room = self._most - len(self._met)  # for members that the chunk has not had
        mark, self._end = self._table.mark(), len(self._rows.entries) + self._table.most
        try:
            self._object(json_object(record), " ")
            if self._label_needed and not self._labelled:
                raise without_label(self._table.options)
            if self._always:
                self._absent()
        except (RowError, RecursionError, UnicodeEncodeError) as error:
            self._rows.undo()
            self._table.roll_back(mark)
            del self._runs[self._run_indptr[-1] :]
            if isinstance(error, RecursionError):
                raise RowError(*TOO_DEEP) from None
            if isinstance(error, UnicodeEncodeError):
                raise RowError("half of a surrogate pair", "whole characters", tuple(self._path)) from None
            raise
        y, weight, base = self._label
        self._rows.add(line, y, weight, self._tag, self._class, base)
        self._run_indptr.append(len(self._runs))
        members = tuple(self._row)
        if members not in self._times:
            self._met |= self._row
        self._times[members] += 1

    def take(self, errors: list[InputError]) -> ParsedChunk:
        """All rows since the last call; the `errors` of the records between them that were malformed."""
        met = [member for member in self._met if member.is_column]
        features = len(self._table.slots)
        parsed = self._table.parsed(self._rows.take(), errors, [member.key for member in met], marked=True)
        batch, found = (parsed.batches or [NO_BATCH])[0], parsed.found
        assert found is not None
        rows_of = Counter[str]()
        for members, rows in self._times.items():
            rows_of.update(dict.fromkeys((member.column for member in members if member.is_column), rows))
        for member in met:
            for part in DATE_PARTS if self._unmet and {"date", "number"} & member.kinds.keys() else ():
                self._unmet.pop(f"{member.title}.{part}", None)
        first = set(itertools.islice(rows_of, MOST_OF_OBJECTS))
        kinds = {
            name: held if name in first and rows_of[name] == batch.n else
            (*(kind for kind in held if name in first or kind not in _PLAIN), *ABSENT)
            for name, held in found.kinds.items()
        }  # fmt: skip
        titles = [member.title for member in met]
        unmet = self._unmet.items() if self._table.rows >= SAMPLE else ()
        found = found._replace(columns=tuple(rows_of), kinds=kinds, objects=batch.n > 0)
        found = found._replace(notes=(*found.notes, *(self._unmet_note(name, flag, titles) for name, flag in unmet)))
        run_byte, run_start = np.array(self._runs, dtype=np.int64).reshape(-1, 2).T.copy()
        run_indptr = np.array(self._run_indptr, dtype=np.int64)
        runs = Runs(batch.indptr, batch.indices, batch.values, run_indptr, run_byte.astype(np.uint8), run_start)
        self._runs, self._run_indptr = [], [0]
        self._met.clear()
        self._times.clear()
        if len(self._table.slots) < features:
            self._others = {}
        if len(self._table.columns) > max(_MAX_MEMBERS, 2 * len(met)):
            self._levels.clear()
            self._table.columns.clear()
        return parsed._replace(found=found, runs=runs)

    @staticmethod
    def _unmet_note(name: str, flag: str, met: list[str]) -> str:
        inner = flag[2:] in _OF_ITSELF and ("." in name or "^" in name)
        end = "; a member of a member cannot be it" if inner else did_you_mean(name, met)
        return f"{flag} {shorten(name)}: none of the first {SAMPLE} objects has such a member{end}"

    # -- features ----------------------------------------------------------------------------------------------------

    def _object(self, members: JsonObject, space: str) -> None:
        """The features of an object, in the namespace `space`."""
        seed, path = self._enter(space), tuple(self._path)
        level, entries = self._levels.setdefault(path, {}), self._rows.entries
        for name, value in members:
            if len(entries) > self._end:
                raise LongRowError(self._table.most)
            member = level.get(name)
            if member is None:
                if self._room <= 0 and self._is_plain(name, value, space):
                    self._plain(seed, name, value, space)
                    continue
                member = self._member(path, name, space, seed)
            kind = type(value)
            if not path and name in self._roles:
                self._set_role(self._roles[name], value, (name,))
                if self._roles[name] != "id" or not member.reads:
                    continue
            if name[:1] == "_":
                self._special(name, value, space)
            elif member.ignored if path else self._left_out(member, value):
                continue
            elif kind is JsonObject or kind is list:
                self._path.append(name)
                if kind is JsonObject:
                    self._object(value, name)
                else:
                    self._array(value, name)
                self._path.pop()
                self._enter(space)
            else:
                self._row[member] = None
                self._room -= member not in self._met
                self._field(member, value, space)

    def _is_plain(self, name: str, value: Any, space: str) -> bool:
        """Return whether a member is a feature and no more: one beyond those that can be remembered, without a text."""
        model = self._table.model
        return (
            (value is None or type(value) is bool or (type(value) is float and math.isfinite(value)))
            and name[:1] != "_" and name not in self._named
            and not (model is not None and _column_of(name, space) in model.known)
        )  # fmt: skip

    def _plain(self, seed: int, name: str, value: float | None, space: str) -> None:
        """The feature of a member that `_is_plain`."""
        if not (value == 0 or self._dropped or (self._kept and not self._path)):
            number = self._other(seed, f"{name}=" if value is None else name, space, word=False)
            self._rows.entries.append((number, 1.0 if value is None else float(value)))

    def _member(self, path: tuple[str, ...], name: str, space: str, seed: int) -> _Member:
        """Return what is known of a member."""
        level = self._levels.setdefault(path, {})
        if name not in level:
            member = level[name] = _Member(path, name, space, seed, self._table, self._digits)
            self._table.columns[member.key] = member
            if not path or member.reads or member.ignored:
                self._unmet.pop(member.title, None)
                self._unmet.pop(name, None)
        return level[name]

    def _field(self, member: _Member, value: Any, space: str) -> None:
        """The features of a number, a text, true, false or null in a member."""
        try:
            words = member.words(value) if member.as_text else None
            if words:
                own = member.key[1]
                self._words(self._enter(own), own, words)
                self._enter(space)
            else:
                entries = member.entries(value) if words is None else member.missing()
                unknown = self._of_model is not None and member.column not in self._of_model
                self._rows.entries += () if self._dropped or unknown else entries
        except RowError as problem:
            problem.at = (*self._path, member.key[1])
            raise

    def _absent(self) -> None:
        """Add what stands for members absent from a record: those that all had that was learned, or are usual."""
        met, model = set(map(_COLUMN, self._row)), self._table.model
        if self._always.keys() <= met:
            return
        if model is not None and met and met.isdisjoint(model.known) and model.fixed:
            titles = first_names(member.title for member in self._row)
            raise RowError(f"the members {titles}", f"columns that the model knows: {first_names(model.known)}")
        for column in self._always:
            if column not in met:
                space, _, name = column.rpartition("^")
                member = self._member((space,) if space else (), name, space or " ", self._enter(space or " "))
                left_out = member.ignored if model is not None else self._left_out(member, None)
                if not left_out:
                    entries = member.absent()
                    self._rows.entries += () if self._dropped else entries
                    if model is None:
                        self._row[member] = None

    def _left_out(self, member: _Member, value: Any) -> bool:
        """Return whether ``--ignore`` or ``--keep`` leaves out a member of the object itself."""
        if not self._kept:
            return member.ignored
        of_space = isinstance(value, JsonObject | list) and raw(member.title)[:1] in self._spaces_kept
        return member.title not in self._kept and not of_space

    def _words(self, seed: int, space: str, words: list[str]) -> None:
        """Words, each a feature of the namespace with that hash."""
        self._table.count_words(len(words))
        if not self._dropped:
            self._rows.entries += [(self._other(seed, word, space, word=True), 1.0) for word in words]

    def _array(self, values: list, space: str) -> None:
        """The numbers of an array, the words of its texts, and the objects in it."""
        seed, at, entries = self._enter(space), 0, self._rows.entries
        for value in values:
            if len(entries) > self._end:
                raise LongRowError(self._table.most)
            if type(value) is float:
                if not math.isfinite(value):
                    raise RowError(f"the number {value}", FINITE, tuple(self._path))
                if value and not self._dropped:
                    self._rows.entries.append((self._other(seed, at, space, word=False), value))
                at += 1
            elif type(value) is str:
                self._words(seed, space, words_of(value))
            elif isinstance(value, JsonObject):
                self._object(value, space)
                self._enter(space)
            elif value is not None:
                raise RowError(display(value), _ELEMENT, tuple(self._path))

    def _enter(self, space: str) -> int:
        """Let what follows belong to a namespace; its hash."""
        seed, byte = self._space_of(space)
        self._dropped = bool(self._drop[byte])
        end = len(self._rows.entries)
        if len(self._runs) > self._run_indptr[-1] and self._runs[-1][1] == end:
            self._runs.pop()  # nothing came
        self._runs.append((byte, end))
        return seed

    def _other(self, seed: int, of: int | str, space: str, word: bool) -> int:
        """The feature of a `word`, of another name, or of a place of an array, in a namespace with that hash."""
        number = self._others.get((seed, of, word))
        if number is None:
            slot = hash_bytes(raw(of), seed, hash_all=self._hash_all) if isinstance(of, str) else seed + of
            name = _column_of(of if isinstance(of, str) else f"[{of}]", space)
            number = self._others[seed, of, word] = self._table.new(name, slot & self._mask, word)
        return number

    # -- names that begin with _ -------------------------------------------------------------------------------------

    def _special(self, name: str, value: Any, space: str) -> None:
        at = (*self._path, name)
        if name == "_text":
            if type(value) is not str:
                raise RowError(display(value), "a text of words", at)
            words = [word.translate(_UNDERSCORES) for word in re.split("[ \t]+", value) if word]
            self._words(self._enter(space), space, words)
        elif name in _OF_BANDITS:
            raise RowError(
                shorten(name), "one example an object; dsjson is learned with --cb_explore_adf or --cb_adf", at
            )
        elif name.lower() == "_tag":
            if type(value) is not str or "\n" in value or "\r" in value:
                raise RowError(display(value), "a text of one line as tag", at)
            self._tag = value
        elif name == "_label":
            self._set_label(value, at)
        elif name.startswith("_label_"):
            self._labelled = True
            self._set_part(name.removeprefix("_label_"), value, at)

    def _set_role(self, role: str, value: Any, at: tuple[str, ...]) -> None:
        """A member that an option names: a label is a number, true, false, null or the name of a class."""
        self._labelled |= role == "label"
        if role == "label" and isinstance(value, str | bool):
            self._label[0], name = label_of(value, self._labelling, self._table.options, at)
            self._class = self._class if name is None else name
        elif role == "label":
            self._set_label(value, at)
        elif role == "weight":
            self._label[1] = weight_of(value, at)
        elif role == "id":
            self._tag = _line_of(value, role, at)
        else:
            self._class = _line_of(value, role, at)

    def _set_label(self, value: Any, at: tuple[str, ...]) -> None:
        """The label of a record."""
        self._labelled = True
        if isinstance(value, JsonObject):
            for name, part in value:
                self._set_part(name, part, (*at, name))
        elif type(value) is float:
            self._set_part("label", value, at)
        elif type(value) is str:
            words = value.split()
            if len(words) > 3:
                raise RowError(shorten(value), "a label, with importance and base behind it or not", at)
            for part, word in zip(("label", "weight", "initial"), words, strict=False):
                if part == "label" and self._labelling.worded and not NUMBER.fullmatch(word):
                    self._class = word
                elif not NUMBER.fullmatch(word):
                    names = "; names of classes: --classes auto" * (part == "label")
                    raise RowError(shorten(word), f"{FINITE} as {part}{names}", at)
                else:
                    self._set_part(part, float(word), at)
        elif value is not None:
            raise RowError(display(value), f"a label ({FINITE})", at)

    def _set_part(self, name: str, value: Any, at: tuple[str, ...]) -> None:
        place = {"label": 0, "weight": 1, "initial": 2}.get(name.lower())
        if place is None:
            raise RowError(shorten(name), "Label, Weight or Initial as parts of a label", at)
        if value is None:
            return
        if type(value) is not float or not math.isfinite(value) or (place == 1 and value < 0):
            raise RowError(display(value), f"{FINITE}{', at least 0,' if place == 1 else ''} as {name.lower()}", at)
        self._label[place] = value


def _line_of(value: Any, role: str, at: tuple[str, ...]) -> str:
    """The text of one line, or the number as text, that is the id or the action of a record. Raises RowError."""
    if type(value) is float:
        value = repr(value).removesuffix(".0")
    if value is not None and (type(value) is not str or "\n" in value or "\r" in value):
        raise RowError(display(value), f"a text of one line, or a number, as {role}", at)
    return (value or "").strip()
