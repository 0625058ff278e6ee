"""JSON objects, and dicts in memory, to rows of hashed features, as Vowpal Wabbit's ``--json`` reads them.

What a member ``name: value`` of an object becomes, where H is VW's hash (`sonlearn.text.hashing`) and ns that of the
namespace, which is the default one at the top and else the name of the object:

- a number, and true as 1: the feature H(name, ns); 0, false and null are left out;
- a text that is a date or a time stamp: its parts, as in a table (`sonlearn.text.encode`), but for those that
  ``--ignore name.year`` and the like leave out;
- any other text, and any text or number of a member that ``--categorical`` names: the feature H(name + text, ns) with
  value 1, with ``--chain_hash`` H(text, H(name, ns)); blanks, tabs, bars and colons of the text are underscores;
- an object: a namespace; so is an array, of numbers (the i-th is the feature ns + i) and of objects;
- a text in a member that ``--text`` names, and a text in an array: its words in lower case
  (`sonlearn.text.encode.words_of`), each a feature of the namespace of that name. A text in a member that ``--numeric``
  names: its number. ``--label``, ``--id`` and ``--weight`` name members of the object itself that are the label, the
  tag and the importance; ``--ignore`` and ``--keep`` leave members of it out, by names of more than one byte. With
  ``--text``, ``--numeric``, ``--categorical``, ``--date`` and ``--ignore``, a.b is the member b of the member a;
- ``_text``: the words of a text, each a feature of the namespace;
- ``_label``: a number, "label importance base", or {"Label": l, "Weight": h, "Initial": base}; ``_label_weight`` and
  the like stand for one of these; ``_tag``: the tag; any other name that begins with ``_`` is passed over.

Where VW reads on in silence, the object is refused: a label that is no number, an infinite number, true in an array.
A line is decoded by Python's json module. Repeated names all count.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from sonlearn.errors import InputError, shorten
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text.columns import FINITE, NUMBER, ColumnTable, Found, Labelling, label_of, number_in, weight_of
from sonlearn.text.encode import A_DATE, Features, RowLists, date_in, parts_of, words_of
from sonlearn.text.hashing import hash_bytes
from sonlearn.text.objects import Members, Record, Unfit, described, members_of
from sonlearn.text.rows import ParsedChunk, Runs
from sonlearn.text.suspicions import Suspicions
from sonlearn.text.vw import make_names

_UNDERSCORES = str.maketrans(" \t|:", "____")
_REMEMBERED = 1 << 20
#: Objects after which it is said that none of them has a member that an option names.
_MANY = 100
#: Of a member: whether it is one of --text, --numeric, --categorical, --date.
_AS_IT_IS = [False] * 4
#: Flags of members of the object itself.
_OF_ITSELF = ("label", "id", "weight", "action", "keep")
_ELEMENT = "numbers, texts or objects in an array"
#: Of examples of several lines: contextual bandits, and decisions in slots.
_OF_BANDITS = ("_multi", "_slots", "_labelIndex", "_label_cost", "_label_probability", "_slot_id", "__aid")


def is_member(name: str) -> bool:
    """Whether what ``--ignore`` or ``--keep`` names in JSON is a member; else it is the first byte of namespaces."""
    return len(raw(name)) > 1


class RecordRows:
    """Rows under way, in lists; a record that does not fit leaves nothing behind. Remembers slots.

    Parameters
    ----------
    options : TextOptions
    labels : Labelling
    columns : ColumnTable or None
        What a model knows of the members whose texts are dates; as of `sonlearn.text.encode.TableEncoder`.
    """

    def __init__(self, options: TextOptions, labels: Labelling, columns: ColumnTable | None = None):
        ignored, kept = (frozenset(filter(is_member, given)) for given in (options.ignore, options.keep))
        self._ignored, self._kept = ignored, kept
        self._spaces_kept = {raw(byte) for byte in options.keep if not is_member(byte)}
        spaces = [byte for byte in options.ignore if not is_member(byte)]
        names = make_names(dataclasses.replace(options, ignore=spaces, keep=() if self._kept else options.keep))
        self._mask, self._seed, self._hash_all, self._drop = names.mask, names.seed, names.hash_all, names.drop
        self._chain, self._features = options.chain_hash, Features(options)
        self._rows = RowLists(self._features.constant)
        given = {"label": options.label, "id": options.id, "weight": options.weight, "action": labels.action}
        self._roles = {name: role for role, name in given.items() if name}
        self._read_as = [frozenset(each) for each in (options.text, options.numeric, options.categorical, options.date)]
        self._reads = any(self._read_as)
        self._dated: dict[str, tuple[str]] = {}  # members of the object itself that have held dates
        self._model = columns if columns is not None and columns.rests else None
        self._labelling = labels
        #: Features by the hash of the namespace, name or place, text, and whether they are words.
        self._members: dict[tuple[int, str | int, str | None, bool], int] = {}
        self._spaces: dict[str, tuple[int, int]] = {}
        self._taken = 0
        #: Members that options name and no object has had, by the flag; whether one is a member of a member.
        self._unmet = {name: f"--{role}" for name, role in self._roles.items()} | {
            name: f"--{field}" for field in ("text", "numeric", "categorical", "date", "ignore", "keep")
            for name in getattr(options, field) if is_member(name)
        }  # fmt: skip
        self._deep = any("." in name for name in (*self._ignored, *(of for each in self._read_as for of in each)))
        self._suspicions: dict[str, Suspicions] = {}  # by member; of texts that are features as a whole
        self._runs: list[tuple[int, int]] = []
        self._run_indptr = [0]

    def add(self, record: Record, line: int) -> None:
        """Take a record. Raises Unfit."""
        self._label, self._tag, self._class = [math.nan, 1.0, 0.0], "", None
        self._path: list[str] = []
        try:
            self._object(members_of(record), " ")
        except (Unfit, RecursionError, UnicodeEncodeError) as error:
            self._rows.undo()
            del self._runs[self._run_indptr[-1] :]
            if isinstance(error, RecursionError):
                raise Unfit("objects or arrays nested too deeply", "a few levels") from None
            if isinstance(error, UnicodeEncodeError):
                raise Unfit("half of a surrogate pair", "whole characters", tuple(self._path)) from None
            raise
        y, weight, base = self._label
        self._rows.add(line, y, weight, self._tag, self._class, base)
        self._run_indptr.append(len(self._runs))

    def take(self, errors: list[InputError]) -> ParsedChunk:
        """All rows since the last call; the `errors` of the records between them that were malformed."""
        batch, names = self._features.slotted(self._rows.take(), words=True)
        if not batch.words.any():  # type: ignore[union-attr]
            batch = batch._replace(words=None)
        if self._features.settle():
            self._members = {}
        run_byte, run_start = np.array(self._runs, dtype=np.int64).reshape(-1, 2).T.copy()
        run_indptr = np.array(self._run_indptr, dtype=np.int64)
        self._runs, self._run_indptr = [], [0]
        runs = Runs(batch.indptr, batch.indices, batch.values, run_indptr, run_byte.astype(np.uint8), run_start)
        self._taken += batch.n
        notes = [suspicions.member_note(name, self._taken) for name, suspicions in self._suspicions.items()]
        if self._taken >= _MANY:
            notes += [self._unmet_note(*pair) for pair in self._unmet.items()]
        found = Found((), dict(self._dated), notes=tuple(filter(None, notes)))
        return ParsedChunk([batch] if batch.n else [], errors, 0, names, found, runs=runs)

    @staticmethod
    def _unmet_note(name: str, flag: str) -> str:
        inner = "; a member of a member cannot be it" if flag[2:] in _OF_ITSELF and ("." in name or "^" in name) else ""
        return f"{flag} {shorten(name)}: none of the first {_MANY} objects has such a member{inner}"

    # -- features ----------------------------------------------------------------------------------------------------

    def _object(self, members: Members, space: str) -> None:
        """The features of an object, in the namespace `space`."""
        seed = self._enter(space)
        for name, value in members:
            path = ".".join((*self._path, name)) if self._path and (self._deep or self._unmet) else name
            how = [name in each or path in each for each in self._read_as] if self._reads else _AS_IT_IS
            texts, numeric, categorical, dates = how
            if self._unmet and (any(how) or not self._path or path in self._ignored):
                self._unmet.pop(path, None)
                self._unmet.pop(name, None)
            if name in self._roles and not self._path and space == " ":
                self._set_role(self._roles[name], value, (name,))
                if self._roles[name] != "id" or not any(how):
                    continue
            if name[:1] == "_":
                self._special(name, value, space)
            elif (self._deep and path in self._ignored) if self._path else self._left_out(name, value):
                continue
            elif type(value) is float:
                if categorical:
                    text = repr(self._finite(value, name)).removesuffix(".0")
                    self._entry(self._member(seed, name, text, space), 1.0)
                elif value:
                    self._entry(self._member(seed, name, None, space), self._finite(value, name))
            elif type(value) is str and texts:
                self._words(self._enter(name), name, words_of(value))
                self._enter(space)
            elif type(value) is str and numeric:
                number = number_in(value.strip())
                if number is None or math.isinf(number):
                    raise Unfit(described(value), f"{FINITE}, or nothing (--numeric)", (*self._path, name))
                if number and number == number:
                    self._entry(self._member(seed, name, None, space), number)
            elif type(value) is str and (known := self._members.get((seed, name, value, False))) is not None:
                self._entry(known, 1.0)
            elif type(value) is str and not categorical and self._date(seed, name, path, value, space):
                continue
            elif type(value) is str and dates and value.strip():
                raise Unfit(described(value), A_DATE, (*self._path, name))
            elif type(value) is str:
                self._entry(self._member(seed, name, value, space), 1.0)
            elif isinstance(value, Members | list):
                self._path.append(name)
                if isinstance(value, Members):
                    self._object(value, name)
                else:
                    self._array(value, name)
                self._path.pop()
                self._enter(space)
            elif value:
                self._entry(self._member(seed, name, None, space), 1.0)

    def _date(self, seed: int, name: str, path: str, text: str, space: str) -> bool:
        """Whether a text in a member is a date; the features of its parts."""
        found = date_in(text)
        if found is None:
            return False
        if not self._path:
            self._dated[name] = ("date",)
        for part, feature, value in parts_of(found, name, None if self._path else self._model):
            self._unmet.pop(f"{path}.{part}", None)
            if f"{path}.{part}" not in self._ignored:
                self._entry(self._member(seed, f"{name}.{feature}", None, space), value)
        return True

    def _left_out(self, name: str, value: Any) -> bool:
        """Whether ``--ignore`` or ``--keep`` leaves out a member of the object itself."""
        if not self._kept:
            return name in self._ignored
        of_space = isinstance(value, Members | list) and raw(name)[:1] in self._spaces_kept
        return name not in self._kept and not of_space

    def _words(self, seed: int, space: str, words: Iterable[str]) -> None:
        """Words, each a feature of the namespace with that hash."""
        for word in words:
            self._entry(self._member(seed, word, None, space, word=True), 1.0)

    def _array(self, values: list, space: str) -> None:
        """The numbers of an array, the words of its texts, and the objects in it."""
        seed, at = self._enter(space), 0
        for value in values:
            if type(value) is float:
                if self._finite(value, None):
                    self._entry(self._place(seed, at, space), value)
                at += 1
            elif type(value) is str:
                self._words(seed, space, words_of(value))
            elif isinstance(value, Members):
                self._object(value, space)
                self._enter(space)
            elif value is not None:
                raise Unfit(described(value), _ELEMENT, tuple(self._path))

    def _enter(self, space: str) -> int:
        """Let what follows belong to a namespace; its hash."""
        known = self._spaces.get(space)
        if known is None:
            name = raw(space)
            known = (hash_bytes(name, self._seed, hash_all=self._hash_all), name[0] if name else 0)
            if len(self._spaces) >= _REMEMBERED:
                self._spaces.clear()
            self._spaces[space] = known
        self._dropped = bool(self._drop[known[1]])
        end = len(self._rows.entries)
        if len(self._runs) > self._run_indptr[-1] and self._runs[-1][1] == end:
            self._runs.pop()  # nothing came
        self._runs.append((known[1], end))
        return known[0]

    def _entry(self, number: int, value: float) -> None:
        if not self._dropped:
            self._rows.entries.append((number, value))

    def _place(self, seed: int, at: int, space: str) -> int:
        """The feature of the numbers at a place of an array."""
        key = (seed, at, None, False)
        if key not in self._members:
            self._members[key] = self._new(seed + at, f"[{at}]", space)
        return self._members[key]

    def _new(self, slot: int, name: str, space: str, word: bool = False) -> int:
        """The number of a new feature."""
        return self._features.new(name if space == " " else f"{space}^{name}", slot & self._mask, word)

    def _member(self, seed: int, name: str, text: str | None, space: str, word: bool = False) -> int:
        """The feature of a member, or of a text in it, or of a `word`."""
        number = self._members.get((seed, name, text, word))
        if number is not None:
            return number
        words = None if text is None else text.translate(_UNDERSCORES)
        if text is not None:
            self._suspicions.setdefault(name, Suspicions()).add(text)
        if words is None or self._chain:
            slot = hash_bytes(raw(name), seed, hash_all=self._hash_all)
            if words is not None:
                slot = hash_bytes(raw(words), slot, hash_all=self._hash_all)
        else:
            slot = hash_bytes(raw(name + words), seed, hash_all=self._hash_all)
        number = self._new(slot, name if words is None else f"{name}^{words}", space, word)
        self._members[seed, name, text, word] = number
        return number

    def _finite(self, value: float, name: str | None) -> float:
        if not math.isfinite(value):
            raise Unfit(f"the number {value}", FINITE, (*self._path, *([] if name is None else [name])))
        return value

    # -- names that begin with _ -------------------------------------------------------------------------------------

    def _special(self, name: str, value: Any, space: str) -> None:
        at = (*self._path, name)
        if name == "_text":
            if type(value) is not str:
                raise Unfit(described(value), "a text of words", at)
            words = (word.translate(_UNDERSCORES) for word in re.split("[ \t]+", value) if word)
            self._words(self._enter(space), space, words)
        elif name in _OF_BANDITS:
            raise Unfit(shorten(name), "one example an object; dsjson is learned with --cb_explore_adf or --cb_adf", at)
        elif name.lower() == "_tag":
            if type(value) is not str or "\n" in value or "\r" in value:
                raise Unfit(described(value), "a text of one line as tag", at)
            self._tag = value
        elif name == "_label":
            self._set_label(value, at)
        elif name.startswith("_label_"):
            self._set_part(name.removeprefix("_label_"), value, at)

    def _set_role(self, role: str, value: Any, at: tuple[str, ...]) -> None:
        """A member that an option names: a label is a number, true, false, null or the name of a class."""
        if role == "label" and isinstance(value, str | bool):
            self._label[0], name = label_of(value, self._labelling.worded, self._labelling.truth, at)
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
        if isinstance(value, Members):
            for name, part in value:
                self._set_part(name, part, (*at, name))
        elif type(value) is float:
            self._set_part("label", value, at)
        elif type(value) is str:
            words = value.split()
            if len(words) > 3:
                raise Unfit(shorten(value), "a label, with importance and base behind it or not", at)
            for part, word in zip(("label", "weight", "initial"), words, strict=False):
                if part == "label" and self._labelling.worded and not NUMBER.fullmatch(word):
                    self._class = word
                elif not NUMBER.fullmatch(word):
                    raise Unfit(shorten(word), f"{FINITE} as {part}; names of classes: --classes auto", at)
                else:
                    self._set_part(part, float(word), at)
        elif value is not None:
            raise Unfit(described(value), f"a label ({FINITE})", at)

    def _set_part(self, name: str, value: Any, at: tuple[str, ...]) -> None:
        place = {"label": 0, "weight": 1, "initial": 2}.get(name.lower())
        if place is None:
            raise Unfit(shorten(name), "Label, Weight or Initial as parts of a label", at)
        if value is None:
            return
        if type(value) is not float or not math.isfinite(value) or (place == 1 and value < 0):
            raise Unfit(described(value), f"{FINITE}{', at least 0,' if place == 1 else ''} as {name.lower()}", at)
        self._label[place] = value


def _line_of(value: Any, role: str, at: tuple[str, ...]) -> str:
    """The text of one line, or the number as text, that is the id or the action of a record. Raises Unfit."""
    if type(value) is float:
        value = repr(value).removesuffix(".0")
    if value is not None and (type(value) is not str or "\n" in value or "\r" in value):
        raise Unfit(described(value), f"a text of one line, or a number, as {role}", at)
    return value or ""
