"""Vowpal Wabbit's text format: the kernel that turns bytes into rows of hashed features.

::

    line      = [label [importance [base]]] [tag] namespace {namespace}
    tag       = text that touches the first bar, or that begins with a quote: 'text
    namespace = "|" [name [":" number]] {blank [feature]}
    feature   = name [":" number] | ":" number | [name] ":" text

A feature's value is multiplied by its namespace's weight; without a value it is 1; a feature with value 0 is left
out, as in VW. ``:number`` is anonymous: its hash is the namespace's plus its count there. ``name:text`` has value 1
and the chained hash of both (see `sonlearn.text.hashing`); the text must not begin like a number.

Where labels may be the names of classes, a label that is no number is one.

Where VW reads on in silence, this kernel refuses the line: a label that is no number, an infinite value, an empty
value (``a:``), a number with something behind it (``a:1x``), a bar within a text value, a line without a bar (LIBSVM
text would become label, importance and base). A blank before the label may be a tab (VW drops what precedes it).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonlearn.jit import inline, jit
from sonlearn.options import TextOptions
from sonlearn.options.spec import raw
from sonlearn.text import number
from sonlearn.text import rows as at
from sonlearn.text.hashing import constant_id, hash_bytes, hash_name
from sonlearn.text.number import MINUS, PLUS, POINT, ZERO, byte, parse_number, plain_features, read_digits
from sonlearn.text.rows import BAR, BLANK, COLON, NEWLINE, QUOTE, RETURN, TAB, begin_row, end_row

_LOW63 = 0x7FFFFFFFFFFFFFFF
_INFINITY, _NAN = np.frombuffer(b"infinity", np.uint8), np.frombuffer(b"nan", np.uint8)


class Names(NamedTuple):
    """How names become slots.

    Attributes
    ----------
    mask : int, 2^B - 1
    seed, default : int
        Seed of the namespaces' hashes; hash of the namespace without a name.
    hash_all : bool
    constant : int
        Slot of the constant feature; negative: none is added.
    drop : bool[256]
        Namespaces that are left out, by first byte; the default namespace is that of the space.
    class_names : bool
        A label that is no number is the name of a class.
    """

    mask: int
    seed: int
    default: int
    hash_all: bool
    constant: int
    drop: np.ndarray
    class_names: bool


def make_names(options: TextOptions, class_names: bool = False) -> Names:
    """Return what the kernel needs to know of `options`, and of whether labels may be `class_names`."""
    mask, seed = (1 << options.bits) - 1, options.hash_seed
    drop = np.zeros(256, dtype=bool)
    drop[list(raw("".join(options.ignore)))] = True
    if options.keep:  # decides alone, as in VW
        drop[:] = True
        drop[list(raw("".join(options.keep)))] = False
    default = hash_bytes(b"", seed, hash_all=True) if seed else 0
    constant = constant_id(options, "vw") if options.constant else -1
    return Names(mask, seed, default, options.hash == "all", constant, drop, class_names)


@inline
def _ends_word(c):
    """Blank, bar, or the end of the line."""
    return c in (BLANK, TAB, BAR, NEWLINE, RETURN)


@inline
def _ends_line(buf, p):
    return buf[p] == NEWLINE or (buf[p] == RETURN and buf[p + 1] == NEWLINE)


@inline(force=True)
def _skip_blanks(buf, p):
    while byte(buf, p) in (BLANK, TAB):
        p += 1
    return p


@inline
def _name_end(buf, p):
    while byte(buf, p) not in (BLANK, COLON, BAR, NEWLINE, TAB, RETURN):
        p += 1
    return p


@jit
def parse_vw(buf, names, rows, state):
    """Parse the lines of `buf` from ``state[POSITION]`` on and append their rows; `names` is a `Names`.

    The other parameters and the result are those of `sonlearn.text.svmlight.parse_svmlight`.
    """
    p, line, row, nnz = int(state[at.POSITION]), int(state[at.LINE]), int(state[at.ROWS]), int(state[at.NNZ])
    code = at.DONE
    while p < len(buf):
        begin = p
        p = _skip_blanks(buf, p)
        if not _ends_line(buf, p):
            p, k, code = _row(buf, p, row, nnz, names, rows)
            if code != at.DONE:
                state[at.AT] = p
                p = begin
                break
            nnz = end_row(rows, row, k, line, names.constant >= 0, names.constant)
            row += 1
        while buf[p] != NEWLINE:
            p += 1
        p += 1
        line += 1
    state[at.POSITION], state[at.LINE], state[at.ROWS], state[at.NNZ] = p, line, row, nnz
    return code


@inline(force=True)
def _row(buf, p, row, k, names, rows):
    """One example: (position, entries so far, code); the position that of the error if there is one."""
    p, code = _label(buf, p, row, names.class_names, rows)
    run = int(rows.run_indptr[row])
    while code == at.DONE and buf[p] == BAR:
        rows.run_byte[run] = BLANK if _ends_word(byte(buf, p + 1)) else buf[p + 1]
        rows.run_start[run] = start = k
        rows.run_bar[run] = p
        p, seed, scale, code = _namespace(buf, p + 1, names)
        if code == at.DONE:
            p, k, code = _features(buf, p, k, seed, scale, names, rows)
        if names.drop[rows.run_byte[run]]:
            k = start
        run += 1
    rows.run_indptr[row + 1] = run
    return p, k, code


@inline(force=True)
def _label(buf, p, row, class_names, rows):
    """Return what stands before the first bar: (position of the bar or of the error, code)."""
    begin_row(rows, row)
    count = 0
    while buf[p] != BAR:
        if _ends_line(buf, p):
            return p, at.NO_BAR
        end = p
        while not _ends_word(byte(buf, end)):
            end += 1
        after = _skip_blanks(buf, end)
        if buf[p] == QUOTE or buf[end] == BAR:
            if buf[after] != BAR:
                return p, (at.NO_BAR if _ends_line(buf, after) else at.TAG_NOT_LAST)
            rows.tag_start[row] = p + (buf[p] == QUOTE)
            rows.tag_end[row] = end
            return after, at.DONE
        value, q, status = parse_number(buf, p)
        if status > number.OK:
            return p, status
        if count == 0 and class_names and (status == number.MALFORMED or q != end):
            rows.name_start[row] = p
            rows.name_end[row] = q = end
            status = number.OK
        elif count == 0:
            rows.y[row], code = value, at.BAD_LABEL
        elif count == 1:
            rows.weight[row], code = value, at.BAD_WEIGHT
        elif count == 2:
            rows.base[row], code = value, at.BAD_BASE
        else:
            code = at.MANY_LABELS
        if status == number.MALFORMED or q != end or count > 2 or (count == 1 and value < 0):
            return p, code
        count += 1
        p = after
    return p, at.DONE


@inline(force=True)
def _namespace(buf, p, names):
    """Name and weight of a namespace, from behind its bar: (position, hash, weight, code)."""
    c = byte(buf, p)
    if _ends_word(c):
        return p, names.default, 1.0, at.DONE
    if c == COLON:
        return p, 0, 1.0, at.BAD_NAMESPACE
    end = _name_end(buf, p)
    seed = hash_name(buf, p, end, names.seed, names.hash_all)
    if buf[end] != COLON:
        return end, seed, 1.0, at.DONE
    scale, q, status = parse_number(buf, end + 1)
    if status > number.OK:
        return end + 1, seed, 1.0, status
    if status == number.MALFORMED or not _ends_word(byte(buf, q)):
        return end + 1, seed, 1.0, at.BAD_NAMESPACE_WEIGHT
    return q, seed, scale, at.DONE


@inline(force=True)
def _features(buf, p, k, seed, scale, names, rows):
    """Features up to the next bar or the end of the line: (position, entries so far, code)."""
    anonymous = 0
    while True:
        p = _skip_blanks(buf, p)
        if not names.hash_all and len(rows.tokens) == 0:
            p, k = plain_features(buf, p, k, seed, scale, names.mask, False, rows)
            p = _skip_blanks(buf, p)
        c = byte(buf, p)
        if c in (BAR, NEWLINE):
            return p, k, at.DONE
        if c == RETURN:
            return p, k, (at.DONE if buf[p + 1] == NEWLINE else at.CARRIAGE_RETURN)
        start, value = p, scale
        p, slot = _name(buf, p, seed, names.hash_all)
        end = p
        if byte(buf, p) == COLON:
            x, q, status = parse_number(buf, p + 1)
            if status != number.OK or not _ends_word(byte(buf, q)):
                q, code = _text_value(buf, p + 1, status)
                if code != at.DONE:
                    return q, k, code
                slot = hash_name(buf, p + 1, q, slot, names.hash_all)
                value, end = 1.0, q
            else:
                value = float(scale) * float(x)
                if abs(value) == np.inf:
                    return p + 1, k, at.BIG_NUMBER
                if p == start:
                    slot, start, end = seed + anonymous, -1, anonymous
                    anonymous += 1
            p = q
        if value != 0.0:
            rows.indices[k] = slot & names.mask
            rows.values[k] = value
            if len(rows.tokens) > 0:
                rows.tokens[k, 0], rows.tokens[k, 1] = start, end
            k += 1


@inline(force=True)
def _name(buf, p, seed, hash_all):
    """A feature's name: (its end, its hash). Most digits are read once, as their number."""
    number, end, d = read_digits(buf, p, 0)
    if 0 < end - p < 19 and (d == COLON - ZERO or d == BLANK - ZERO or d == NEWLINE - ZERO) and not hash_all:
        return end, (number + seed) & _LOW63
    return _other_name(buf, p, end, seed, hash_all)


@inline
def _other_name(buf, p, end, seed, hash_all):
    """A name that is more than a few digits; it does not end before `end`."""
    end = _name_end(buf, end)
    return end, hash_name(buf, p, end, seed, hash_all)


@inline
def _text_value(buf, p, status):
    """The end of a text value that begins at `p`, or the place of an error: (position, code)."""
    if status > number.OK:
        return p, status
    q = p
    if buf[q] == MINUS or buf[q] == PLUS:
        q += 1
    if _is_word(buf, q, _INFINITY, 3) or _is_word(buf, q, _INFINITY, 8) or _is_word(buf, q, _NAN, 3):
        return p, at.BAD_FEATURE_VALUE
    if buf[q] == POINT:
        q += 1
    if _ends_word(byte(buf, p)) or 0 <= byte(buf, q) - ZERO <= 9:
        return p, at.BAD_FEATURE_VALUE
    end = p
    while not (buf[end] == BLANK or buf[end] == TAB or buf[end] == NEWLINE or buf[end] == RETURN):
        if buf[end] == BAR:
            return end, at.BAR_IN_VALUE
        end += 1
    return end, at.DONE


@inline
def _is_word(buf, p, word, length):
    """Tell whether the first `length` letters of `word` (lower case) stand at `p`, in any case, nothing after them."""
    for i in range(length):
        if buf[p + i] | 32 != word[i]:
            return False
    return _ends_word(byte(buf, p + length))
