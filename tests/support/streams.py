"""Seeded example streams for tests and benches; the same seed gives the same stream.

Every generator takes a seed and returns a `Batch`; feature ids are 1..d.
"""

import collections
import copy
import functools
import gzip
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from places import DATA

from sonlearn import Batch


def batch_of(rows: list[dict[int, float]], y, weight=None) -> Batch:
    """Batch of rows given as {id: value}."""
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.array([i for row in rows for i in row], dtype=np.int64)
    values = np.array([v for row in rows for v in row.values()], dtype=np.float64)
    return _batch(indptr, indices, values, y, weight)


def batch_of_dense(X: np.ndarray, y, weight=None) -> Batch:
    """Batch of the nonzero entries of a dense matrix; column j is feature j + 1."""
    row, column = np.nonzero(X)
    return _batch(np.searchsorted(row, np.arange(len(X) + 1)), column + 1, X[row, column], y, weight)


def _batch(indptr, indices, values, y, weight) -> Batch:
    n = len(indptr) - 1
    weight = np.ones(n) if weight is None else np.asarray(weight, dtype=np.float64)
    return Batch(
        np.asarray(indptr, dtype=np.int64), np.asarray(indices, dtype=np.int64), np.asarray(values, dtype=np.float64),
        np.asarray(y, dtype=np.float64), weight, np.arange(1, n + 1, dtype=np.int64),
    )  # fmt: skip


def rows_of(batch: Batch, chosen) -> Batch:
    """The rows of `batch` at the positions `chosen` (any order, repeats allowed)."""
    return batch.at(np.arange(batch.n)[chosen])


def entries(batch: Batch) -> list[list[tuple[int, float]]]:
    """(feature, value) of the entries of each row, in their order."""
    pairs = list(zip(batch.indices.tolist(), batch.values.tolist(), strict=True))
    return [pairs[a:b] for a, b in itertools.pairwise(batch.indptr.tolist())]


def with_weights(batch: Batch, seed=0) -> Batch:
    """Importance weights of 1/2, 1, 2 and 3, and a few of 0 (predict only)."""
    rng = np.random.default_rng(seed)
    return batch._replace(weight=rng.choice([0.0, 0.5, 1.0, 2.0, 3.0], batch.n, p=[0.05, 0.25, 0.3, 0.25, 0.15]))


def without_some_labels(batch: Batch, seed=0, share=0.2) -> Batch:
    """Some labels are NaN, the first one included."""
    missing = np.random.default_rng(seed).random(batch.n) < share
    missing[:1] = True
    return batch._replace(y=np.where(missing, np.nan, batch.y))


# ---------------------------------------------------------------------------------------------------- synthetic


def drawn_once(draw: Callable) -> Callable:
    """A generator that draws a stream once for the same arguments; each call returns arrays of its own."""
    drawn = functools.cache(draw)
    return functools.wraps(draw)(lambda *given, **more: copy.deepcopy(drawn(*given, **more)))


@drawn_once
def zipf(n=2000, d=150, s=12, seed=0, kind="binary", noise=0.05, unit=True) -> Batch:
    """Text-like rows: about s distinct features drawn from a Zipf law over d, log-normal counts, of unit length or not.

    `kind` binary: labels are the sign of a random linear score (around its median), a share `noise` flipped;
    real: the score itself, scaled into [-1, 1], plus Gaussian noise.
    """
    rng = np.random.default_rng(seed)
    p = 1.0 / np.arange(1, d + 1)
    p /= p.sum()
    truth = rng.normal(size=d + 1)
    rows, score = [], np.zeros(n)
    for i in range(n):
        # Sorted: sets have no order to rely on. Text comes sorted (LIBSVM) or not (VW); see `shuffled_features`.
        ids = np.unique(rng.choice(d, size=max(1, rng.poisson(s)), p=p)) + 1
        values = np.exp(0.5 * rng.normal(size=len(ids)))
        values /= np.linalg.norm(values) if unit else np.sqrt(s)
        rows.append(dict(zip(ids.tolist(), values.tolist(), strict=True)))
        score[i] = truth[ids] @ values
    score -= np.median(score)
    if kind == "binary":
        y = np.where(score > 0, 1.0, -1.0) * np.where(rng.random(n) < noise, -1.0, 1.0)
    else:
        y = np.clip(score / np.abs(score).max() + noise * rng.normal(size=n), -1, 1)
    return batch_of(rows, y)


def mixed(n=150, d=40, **more) -> Batch:
    """Rows of `zipf` with weights, some of them without a label, some without features."""
    return with_empty_rows(with_weights(without_some_labels(zipf(n=n, d=d, **more))))


def low_rank(n=1500, d=80, rank=4, seed=0) -> Batch:
    """Dense rows in a subspace of `rank` dimensions: m >= rank loses nothing, and alpha stays where it was."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d)) / np.sqrt(d * rank)
    return batch_of_dense(X, np.sign(X @ rng.normal(size=d)))


def duplicated(n=1500, distinct=7, d=60, s=8, seed=0) -> Batch:
    """Few distinct sparse rows over and over, their labels not always the same; some ids are repeated in a row."""
    rng = np.random.default_rng(seed)
    base = zipf(distinct, d, s, seed)
    base = batch_of(list(map(dict, entries(base))), rng.choice([-1.0, 1.0], distinct))
    out = rows_of(base, rng.integers(distinct, size=n))
    out = out._replace(y=out.y * np.where(rng.random(n) < 0.1, -1.0, 1.0), lines=np.arange(1, n + 1))
    return repeated_ids(out)


def repeated_ids(batch: Batch) -> Batch:
    """The same examples with the first entry of every row split into two (3/4 and 1/4 of it), far apart."""
    indptr, indices, values = [0], [], []
    for row in entries(batch):
        ids, vals = [feature for feature, _ in row], [value for _, value in row]
        if ids:
            ids, vals = [*ids, ids[0]], [0.75 * vals[0], *vals[1:], 0.25 * vals[0]]
        indices += ids
        values += vals
        indptr.append(len(indices))
    return _batch(indptr, indices, values, batch.y, batch.weight)._replace(source=batch.source)


def shuffled_features(batch: Batch, seed=0) -> Batch:
    """The same examples with the entries of every row in another order."""
    rng = np.random.default_rng(seed)
    order = np.concatenate([
        rng.permutation(np.arange(batch.indptr[i], batch.indptr[i + 1])) for i in range(batch.n)
    ])  # fmt: skip
    return batch._replace(indices=batch.indices[order], values=batch.values[order])


def with_empty_rows(batch: Batch, seed=0, share=0.15) -> Batch:
    """Some rows lose all their features; the first and the last among them."""
    rng = np.random.default_rng(seed)
    empty = rng.random(batch.n) < share
    empty[[0, -1]] = True
    rows = [{} if none else dict(row) for none, row in zip(empty, entries(batch), strict=True)]
    return batch_of(rows, batch.y, batch.weight)


def one_feature(n=1000, seed=0) -> Batch:
    """A single feature, the same in all rows, of varying value; a sign to learn, one label in ten flipped."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return batch_of([{7: v} for v in x.tolist()], np.sign(x) * np.where(rng.random(n) < 0.1, -1.0, 1.0))


@drawn_once
def wide_range(n=200, d=30, s=6, seed=0) -> Batch:
    """Sparse rows whose values spread log-uniformly over 1e-30..1e30, with signs."""
    rng = np.random.default_rng(seed)
    base = zipf(n, d, s, seed)
    size = 10.0 ** rng.uniform(-30, 30, len(base.values))
    return base._replace(values=size * rng.choice([-1.0, 1.0], len(base.values)))


class IllConditioned(NamedTuple):
    """What `ill_conditioned` draws."""

    X: np.ndarray
    y: np.ndarray
    batch: Batch


@drawn_once
def ill_conditioned(kappa: float, seed=0, T=10_000, d=100, large=10, flipped=0.02, equal=False) -> IllConditioned:
    """Dense stream after [SON] section 5.1: a few directions of large variance hide the others.

    z_t ~ N(0, I_d) and x_t = R diag(sqrt(lambda)) z_t with a random rotation R. The `large` first lambda_i fall
    geometrically, kappa^((large - i)/large) for i = 0..large-1, or are all kappa (`equal`); the other ones are 1; all
    are divided by their sum, so that E ||x||^2 = 1 and the covariance has condition number kappa.
    y_t = sign(v'z_t) for a random v ~ N(0, I_d): every direction matters alike, however small its variance, so the
    task is equally hard for every kappa to a learner that whitens. A share `flipped` of the labels has the wrong sign:
    no learner ends below that error.

    With `equal`, a frequent-directions sketch of m = `large` rows cannot work: it keeps m - 1 of them, and what it
    sheds in every shrink is the last large direction.
    """
    rng = np.random.default_rng(seed)
    power = np.ones(large) if equal else (large - np.arange(large)) / large
    spectrum = np.concatenate([float(kappa) ** power, np.ones(d - large)])
    spectrum /= spectrum.sum()
    rotation, _ = np.linalg.qr(rng.normal(size=(d, d)))
    z = rng.normal(size=(T, d))
    X = (z * np.sqrt(spectrum)) @ rotation.T
    y = np.sign(z @ rng.normal(size=d)) * np.where(rng.random(T) < flipped, -1.0, 1.0)
    return IllConditioned(X, y, batch_of_dense(X, y))


def several_classes(n=160, seed=0, late=5) -> Batch:
    """Rows of classes 1 to 4, and of class `late` from row n / 2 on; weights 0 and more, and rows without a label."""
    batch = with_weights(zipf(n=n, d=60, s=18, seed=seed))
    rng = np.random.default_rng(seed + 1)
    centre = np.array([batch.indices[a:b].mean() for a, b in itertools.pairwise(batch.indptr)])
    y = 1.0 + np.searchsorted(np.quantile(centre, [0.25, 0.5, 0.75]), centre)
    y[(rng.random(n) < 0.2) & (np.arange(n) > n // 2)] = late
    return without_some_labels(batch._replace(y=y))


def words_text(n: int, d: int, noise: float, seed: int) -> str:
    """Lines of VW text: five of d words each, labels by the sign of the words' scores, to which noise is added."""
    rng = np.random.default_rng(seed)
    score, lines = rng.normal(size=d), []
    for _ in range(n):
        words = rng.choice(d, size=5, replace=False)
        y = 1 if score[words].sum() + noise * rng.normal() > 0 else -1
        lines.append(f"{y} | " + " ".join(f"w{j}" for j in words) + "\n")
    return "".join(lines)


def variants(batch: Batch) -> dict[str, Batch]:
    """The rows with weights and without some labels, with empty rows, with repeated ids, in another order."""
    return {
        "weighted-unlabelled": with_weights(without_some_labels(batch)),
        "empty-rows": with_empty_rows(batch),
        "repeated-ids": repeated_ids(batch),
        "unsorted": shuffled_features(batch),
    }


def special_streams(d: int) -> dict[str, Batch]:
    """`variants` of rows of d features; long rows, few that repeat, of low rank, of one feature, ill-conditioned."""
    return variants(zipf(n=100, d=d)) | {
        "long-rows": zipf(n=100, d=d, unit=False),
        "duplicated": duplicated(n=100),
        "three-rows": duplicated(n=100, distinct=3),
        "rank-4": low_rank(n=100, d=d, seed=3),
        "one-feature": one_feature(n=100),
        "ill-conditioned": ill_conditioned(1e4, T=100, d=40, large=5).batch,
    }


# ---------------------------------------------------------------------------------------------------- as data come


def categories(rng: np.random.Generator, n: int) -> np.ndarray:
    """Rows of 22 columns of names, a one where a row has a name: as long as each other, and some rows come again."""
    return np.hstack([np.eye(k)[np.minimum(rng.geometric(0.4, n), k) - 1] for k in rng.integers(2, 10, 22)])


def images(rng: np.random.Generator, n: int, side: int = 10) -> np.ndarray:
    """Pictures of grey strokes, from -1 to 1: neighbours are alike, and the corners are those of nearly all."""
    place = (np.arange(side) - side / 2) / side
    turn, bend, width = rng.uniform(0, np.pi, (n, 1, 1)), rng.normal(0, 2, (n, 1, 1)), rng.uniform(0.05, 0.3, (n, 1, 1))
    along = np.cos(turn) * place[:, None] + np.sin(turn) * place
    across = np.cos(turn) * place - np.sin(turn) * place[:, None]
    return np.clip(2 * np.exp(-(((across - bend * along**2) / width) ** 2)) - 1, -1, 1).reshape(n, -1)


def shares(rng: np.random.Generator, n: int, d: int = 57) -> np.ndarray:
    """Shares of words, most of them 0, beside three columns of lengths that are a hundred times as large."""
    X = rng.exponential(rng.exponential(1.0, d), (n, d)) * (rng.random((n, d)) < 0.3)
    X[:, -3:] = np.exp(rng.normal(2, 1, (n, 3)))
    return X


def signs(rng: np.random.Generator, n: int, d: int = 60) -> np.ndarray:
    """Dense rows of -1 and +1, one of 17 patterns with a tenth of it turned."""
    return rng.choice([-1.0, 1.0], (17, d))[rng.integers(17, size=n)] * np.where(rng.random((n, d)) < 0.1, -1.0, 1.0)


def counts(rng: np.random.Generator, n: int, d: int = 80) -> np.ndarray:
    """Counts of words by Zipf's law, of texts of all lengths."""
    return rng.poisson(np.exp(rng.normal(3, 1, (n, 1))) / np.arange(1, d + 1) ** 1.1).astype(float)


def read_rows(rng: np.random.Generator, n: int, path: Path, most: int = 300) -> np.ndarray:
    """n lines of LIBSVM text (.gz) drawn at random, dense: the `most` features that occur most often in them."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    X = [[entry.split(":") for entry in lines[i].split()[1:]] for i in rng.permutation(len(lines))[:n]]
    kept = [index for index, _ in collections.Counter(index for row in X for index, _ in row).most_common(most)]
    return np.array([[float(row.get(index, 0.0)) for index in kept] for row in map(dict, X)])


#: Rows as data sets have them before anybody has scaled them: function(rng, n) -> float64[n, d]. Real ones, too, where
#: the folder of data has them.
AS_THEY_COME = {make.__name__: make for make in (categories, images, shares, signs, counts)}
AS_THEY_COME |= {
    path.name: functools.partial(read_rows, path=path)
    for path in (
        DATA / "svm" / f"{name}.svm.gz"
        for name in ("a9a", "ionosphere_scale", "mushrooms", "phishing", "rcv1sub.binary", "splice_scale", "usps")
    )
    if path.exists()
}
