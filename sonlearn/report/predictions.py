"""Predictions as text: one line an example, the value and then its tag, as Vowpal Wabbit writes them."""

from __future__ import annotations

import numpy as np

from sonlearn.files.atomic import LineFile


def format_lines(values: np.ndarray | list[str], tags: list[str] | None = None) -> str:
    """Lines of ``value`` or ``value tag``: whole numbers without a point, others with six digits behind it.

    Parameters
    ----------
    values : float64[n], finite; or list of n str, which stand as they are
    tags : list of n str, or None
    """
    texts = values if isinstance(values, list) else _texts(values)
    if tags is not None:
        texts = [f"{text} {tag}" if tag else text for text, tag in zip(texts, tags, strict=True)]
    return "\n".join(texts) + "\n" if texts else ""


def number_texts(values: np.ndarray) -> list[str]:
    """Numbers as `format_lines` writes them."""
    return _texts(values)


def _texts(values: np.ndarray) -> list[str]:
    wholes = (np.trunc(values) + 0.0).tolist()  # + 0.0: no "-0"
    pairs = zip(values.tolist(), wholes, strict=True)
    return [f"{whole:.0f}" if value == whole else f"{value:.6f}" for value, whole in pairs]


def with_intervals(values: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[str]:
    """``value [low,high]`` for each row, without a blank in the brackets."""
    texts = zip(_texts(values), low.tolist(), high.tolist(), strict=True)
    return [f"{text} [{a:.6g},{b:.6g}]" for text, a, b in texts]


def with_sets(texts: list[str], sets: np.ndarray, labels: list[str]) -> list[str]:
    """``value {label,label}`` for each row: the labels of its set, bool[n, K]."""
    named = [",".join(label for label, inside in zip(labels, row, strict=False) if inside) for row in sets.tolist()]
    return [f"{text} {{{inside}}}" for text, inside in zip(texts, named, strict=True)]


class PredictionWriter:
    """Writes predictions to a file as they come, each batch at once.

    Parameters
    ----------
    path : str
        A file, or one of `STDOUT`; see `sonlearn.files.atomic.LineFile`.
    keep : int
        Lines of an existing file that stay, for a run that goes on; those after them go.

    Raises
    ------
    OutputError
        The file has not so many lines.
    """

    def __init__(self, path: str, keep: int = 0):
        self._file = LineFile(path, keep)

    def write(self, values: np.ndarray | list[str], tags: list[str] | None = None) -> None:
        """Write `values` (see `format_lines`) with their tags.

        Raises OutputError, BrokenPipeError where the reader has gone.
        """
        # surrogateescape: a tag that is not UTF-8 leaves as the bytes it came in as
        self._file.write(format_lines(values, tags).encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        """Close a file of our own."""
        self._file.close()
