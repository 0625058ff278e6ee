"""SVMlight / LIBSVM text: the kernel that turns bytes into rows.

::

    line    = [label {blank feature}] [blank] ["#" comment]
    label   = number
    feature = index ":" number | "qid:" integer
    index   = digits ["." zeros]

Indices are 64-bit, 0 is one of them, and any order and repetition is allowed. ``qid`` is read and not used.
"""

from sonlearn.data.batch import CONSTANT
from sonlearn.jit import inline, jit
from sonlearn.text import number
from sonlearn.text import rows as at
from sonlearn.text.number import MINUS, PLUS, POINT, ZERO, byte, parse_number, plain_features, read_digits
from sonlearn.text.rows import BLANK, COLON, HASH, NEWLINE, RETURN, begin_row, end_row

_MAX_INDEX = 0x7FFFFFFFFFFFFFFF


@inline
def is_blank(c):
    """Space, tab, vertical tab, form feed or carriage return."""
    return c == BLANK or (9 <= c <= RETURN and c != NEWLINE)


@inline
def ends_token(c):
    """Return whether a label or value may end before `c`."""
    return c in (BLANK, HASH) or 9 <= c <= RETURN


@inline(force=True)
def _skip_blanks(buf, p):
    while is_blank(byte(buf, p)):
        p += 1
    return p


@jit
def parse_svmlight(buf, constant, strict, rows, state):
    """Parse the lines of `buf` from ``state[POSITION]`` on and append their rows.

    Parameters
    ----------
    buf : uint8[n], whole lines, the last byte a newline
    constant : bool
        Append the feature `CONSTANT` to every row.
    strict : bool
        Stop with the code UNORDERED at a line whose indices do not increase, unless it is ``state[IN_ORDER]``.
    rows : ParsedRows, written from row ``state[ROWS]`` and entry ``state[NNZ]`` on
    state : int64[at.STATE_SIZE], brought up to date

    Returns
    -------
    int : DONE at the end of `buf`; else a code, with the beginning of that line in ``state[POSITION]``, its number in
    ``state[LINE]`` and the offending place in ``state[AT]``. Nothing of that line has been added.
    """
    p, line, row, nnz = int(state[at.POSITION]), int(state[at.LINE]), int(state[at.ROWS]), int(state[at.NNZ])
    code = at.DONE
    while p < len(buf):
        begin = p
        p = _skip_blanks(buf, p)
        if byte(buf, p) not in (NEWLINE, HASH):
            p, k, code = _row(buf, p, row, nnz, rows)
            if code == at.DONE and strict and state[at.IN_ORDER] != line and not _increasing(rows.indices, nnz, k):
                code = at.UNORDERED
            if code != at.DONE:
                state[at.AT] = p
                p = begin
                break
            nnz = end_row(rows, row, k, line, constant, CONSTANT)
            row += 1
        while buf[p] != NEWLINE:
            p += 1
        p += 1
        line += 1
    state[at.POSITION], state[at.LINE], state[at.ROWS], state[at.NNZ] = p, line, row, nnz
    return code


@inline(force=True)
def _row(buf, p, row, k, rows):
    """One example from its label on: (position, entries so far, code); of an error, its position."""
    label, end, status = parse_number(buf, p)
    if status > number.OK:
        return p, k, status
    if status == number.MALFORMED or not ends_token(byte(buf, end)):
        return p, k, at.BAD_LABEL
    p = end
    while True:
        p, k = plain_features(buf, _skip_blanks(buf, p), k, 0, 1.0, _MAX_INDEX, True, rows)
        p = _skip_blanks(buf, p)
        if byte(buf, p) in (NEWLINE, HASH):
            break
        index, end = _index(buf, p)
        if index < 0:
            end, code = _rare(buf, p)
            if code != at.DONE:
                return p, k, code
            p = end
            continue
        value, q, status = parse_number(buf, end)
        if status > number.OK:
            return end, k, status
        if status == number.MALFORMED or not ends_token(byte(buf, q)):
            return end, k, at.BAD_VALUE
        rows.indices[k] = index
        rows.values[k] = value
        k += 1
        p = q
    begin_row(rows, row)
    rows.y[row] = label
    return p, k, at.DONE


@inline
def _increasing(indices, start, end):
    for k in range(start + 1, end):  # noqa: SIM110 (no generators in kernels)
        if indices[k] <= indices[k - 1]:
            return False
    return True


@inline(force=True)
def _index(buf, p):
    """An index and its colon: (index, position after the colon), the index negative where there is none."""
    index, p = _whole(buf, p)
    if index >= 0 and buf[p] == POINT:
        p += 1
        while buf[p] == ZERO:
            p += 1
    return (index if buf[p] == COLON else -1), p + 1


@inline
def _whole(buf, p):
    """Digits: (their number, end), the number negative where there are none, or it is beyond 2^63 - 1."""
    start = p
    while buf[p] == ZERO:
        p += 1
    first = p
    number, p, _ = read_digits(buf, first, 0)  # of 19 digits it is below 2^64: beyond 2^63 it is negative when compiled
    return (number if p > start and p - first < 20 and 0 <= number <= _MAX_INDEX else -1), p


@inline
def _rare(buf, p):
    """A token that does not begin with an index: a query id, or the reason why it is wrong: (end, code)."""
    if buf[p] == 113 and buf[p + 1] == 105 and buf[p + 2] == 100 and buf[p + 3] == COLON:  # qid:
        p += 4
        if buf[p] == MINUS or buf[p] == PLUS:
            p += 1
        start = p
        _, p, _ = read_digits(buf, start, 0)
        return p, (at.DONE if p > start and ends_token(byte(buf, p)) else at.BAD_QID)
    index, p = _whole(buf, p)
    return p, (at.BAD_INTEGER if index >= 0 and buf[p] == POINT else at.BAD_INDEX)
