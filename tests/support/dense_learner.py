"""The learner by its definitions: dense vectors, explicit d x d matrices, explicit pseudo-inverses.

Slow, and written to be read beside the papers: [SON] Luo, Agarwal, Cesa-Bianchi, Langford, "Efficient Second Order
Online Learning by Sketching", NIPS 2016; [RFD] Luo, Chen, Zhang, Li, Zhang, "Robust Frequent Directions with
Application in Online Learning", JMLR 20(45), 2019; [AdaOja] Henriksen, Ward, "AdaOja: Adaptive Learning Rates for
Streaming PCA", 2019. Nothing here is shared with the engine but the options.

One round: project u onto {w : |w'x| <= C} in the norm of A, predict w'x, append ghat = sqrt(sigma + eta_t) l' h x to
the sketch, update u = w - A^+ g with the new sketch. Or, with `project` after: the gradient is that of u'x, and
u - A^+ g is what is projected, for the same x and with the new A ([RFD] Algorithm 6).

With `thin` most rows are in A for their own step only, and the sketch takes one now and then, as long as all those
since the last are in sum: when that is `thin` alpha times a number from 0.5 to 1.5, a hash of how many it took.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, softmax

from sonlearn import Batch, Learner, LearnOptions

#: A vector x lies in the range of A when what sticks out of it has ||x - P x||^2 <= IN_RANGE ||x||^2. Decided for unit
#: rows, one after the other, so that neither the scale of a row nor the condition of A enters.
IN_RANGE = 1e-22
#: The same for Oja's sketch, which asks whether a direction is worth a row.
NEW = 1e-12
#: Rows whose least singular value is more than this share of the largest are far from each other's range.
INDEPENDENT = 1e-8
#: Of the kept rows, those whose square is at most this multiple of the largest are none.
NO_ROW = 1e-14
#: Eigenvalues up to this multiple of the largest are 0 where a pseudo-inverse is meant.
ZERO = 1e-10
#: D_1 of the diagonal rescaling ([SON] section 5.2).
DIAGONAL_START = 0.1


def hashed(h: int) -> float:
    """A number in [0, 1) that looks random: 31 bits, multiplied and folded twice."""
    for factor, fold in ((1, 15), (0x2C1B3C6D, 12), (0x297A2D39, 15)):
        h = h * factor % 2**31
        h ^= h >> fold
    return h / 2**31


# ---------------------------------------------------------------------------------------------------- losses


def canonical_label(options: LearnOptions, y: float) -> float:
    """0/1 labels mean -1/+1 where the loss asks for a sign; of several classes y is the number of one."""
    signs = options.loss in ("logistic", "hinge", "squared_hinge") and not options.multinomial
    return -1.0 if signs and y == 0 else y


def loss_value(loss: str, p: float, y: float, options: LearnOptions | None = None) -> float:
    """l(p, y); `options` for the losses that have a parameter. Of several classes ln(1/q_y), q the softmax of p."""
    if np.ndim(p):
        return logsumexp(p) - p[int(y)]
    match loss:
        case "squared":
            return (p - y) ** 2
        case "logistic":
            return np.logaddexp(0.0, -y * p)
        case "hinge":
            return np.maximum(0.0, 1.0 - y * p)
        case "absolute":
            return abs(p - y)
        case "squared_hinge":
            return np.maximum(0.0, 1.0 - y * p) ** 2
        case "quantile":
            return np.maximum(options.quantile_tau * (y - p), (1 - options.quantile_tau) * (p - y))
        case "huber":
            inside = np.clip(p - y, -options.huber_k, options.huber_k)
            return inside**2 / 2 + options.huber_k * (abs(p - y) - abs(inside))
        case "poisson":
            return np.exp(p) - y * p
    raise ValueError(loss)


def loss_slope(loss: str, p: float, y: float, options: LearnOptions | None = None) -> float:
    """dl/dp, a subgradient at the kinks: 0 where hinge has y p = 1 or absolute or quantile have p = y.

    Of several classes float64[K], the entry of y from the others.
    """
    if np.ndim(p):
        slopes = softmax(p)
        slopes[int(y)] = 0.0
        slopes[int(y)] = -slopes.sum()
        return slopes
    match loss:
        case "squared":
            return 2.0 * (p - y)
        case "logistic":
            return -y * np.exp(-np.logaddexp(0.0, y * p))
        case "hinge":
            return -y if y * p < 1.0 else 0.0
        case "absolute":
            return float(np.sign(p - y))
        case "squared_hinge":
            return -2.0 * y * (1.0 - y * p) if y * p < 1.0 else 0.0
        case "quantile":
            return {1.0: 1 - options.quantile_tau, 0.0: 0.0, -1.0: -options.quantile_tau}[float(np.sign(p - y))]
        case "huber":
            return np.clip(p - y, -options.huber_k, options.huber_k)
        case "poisson":
            return np.exp(p) - y
    raise ValueError(loss)


def size(slope):
    """What a matrix sees of a slope: of several classes the length of theirs."""
    return np.linalg.norm(slope) if np.ndim(slope) else slope


# ---------------------------------------------------------------------------------------------------- linear algebra


def range_basis(rows: np.ndarray, least: float = IN_RANGE) -> np.ndarray:
    """Orthonormal basis (rank x d) of the span of `rows`: Gram-Schmidt in row order, twice.

    A row that sticks out by no more than `least` of its squared length is within the span of those before.
    """
    basis = np.zeros((0, rows.shape[1]))
    for row in rows:
        rest = row - basis.T @ (basis @ row)
        rest = rest - basis.T @ (basis @ rest)
        if rest @ rest > least * (row @ row):
            basis = np.vstack([basis, rest / np.linalg.norm(rest)])
    return basis


def pseudo_inverse(rows: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """A^+ and I - A^+ A (d x d each) for A = rows' rows + alpha I.

    Through singular values of the rows, never of A, whose condition number is theirs squared.
    """
    identity = np.eye(rows.shape[1])
    if alpha > 0:
        _, s, v = np.linalg.svd(rows, full_matrices=False)
        return (v.T / (s**2 + alpha)) @ v + (identity - v.T @ v) / alpha, 0 * identity
    basis = range_basis(rows)
    root = basis.T @ np.linalg.pinv(rows @ basis.T, rcond=0) if len(basis) else np.zeros((rows.shape[1], 0))
    return root @ root.T, identity - basis.T @ basis


def of_spectrum(A: np.ndarray, f, pseudo: bool) -> np.ndarray:
    """f(A) for a positive semidefinite A; where a pseudo-inverse is meant, f is 0 on what counts as 0."""
    lam, U = np.linalg.eigh(A)
    zero = lam <= ZERO * max(lam.max(), 0.0)
    values = [0.0 if pseudo and none else f(max(value, 0.0)) for value, none in zip(lam, zero, strict=True)]
    return (U * values) @ U.T


# ---------------------------------------------------------------------------------------------------- sketches
# Each has append(ghat), pseudo_inverse() -> (A^+, I - A^+A), matrix() -> A, alpha, and eigenvalues() of the sketch.


class NoSketch:
    """A = alpha I: gradient descent with step 1/alpha."""

    def __init__(self, alpha: float, d: int):
        self.alpha, self.alpha_0, self.d = alpha, alpha, d

    def append(self, ghat: np.ndarray) -> None:
        pass

    def forget_past(self, keep: float) -> None:
        """A <- A_0 + keep (A - A_0); with a sketch, its rows fade."""

    def rows(self) -> np.ndarray:
        return np.zeros((0, self.d))

    def eigenvalues(self) -> np.ndarray:
        return np.zeros(0)

    def matrix(self) -> np.ndarray:
        return self.rows().T @ self.rows() + self.alpha * np.eye(self.d)

    def pseudo_inverse(self) -> tuple[np.ndarray, np.ndarray]:
        return pseudo_inverse(self.rows(), self.alpha)


class FrequentDirections(NoSketch):
    """Frequent directions; `robust` adds half of the shed mass to alpha ([RFD] Alg. 5, 6).

    There is a shrink when there are `full` rows: m ([RFD] Alg. 1, 2), or 2m (Alg. 4, 5). Of the m - 1 leading squared
    values each loses `lose` times the m-th: 1 (FD), 1 or 0 (PFD), 0 (incremental SVD). With `compensated` (CFD) A reads
    the kept rows' squares with all that was shed so far added; the sketch goes on as FD.
    """

    def __init__(self, alpha: float, d: int, m: int, robust=False, lose=1.0, compensated=False, full=None):
        super().__init__(alpha, d)
        self.m, self.robust, self.compensated, self.full = m, robust, compensated, full or 2 * m
        self.lose = np.broadcast_to(lose, m - 1)
        self.buffer = np.zeros((0, d))
        self.kept = np.zeros(0)
        self.shed = 0.0

    def append(self, ghat: np.ndarray) -> None:
        self.buffer = np.vstack([self.buffer, ghat])
        if len(self.buffer) == self.full:
            self.shrink()

    def forget_past(self, keep: float) -> None:
        self.buffer, self.kept, self.shed = np.sqrt(keep) * self.buffer, keep * self.kept, keep * self.shed
        self.alpha = self.alpha_0 + keep * (self.alpha - self.alpha_0)

    def shrink(self) -> None:
        """Keep m - 1 rows, lowered by the m-th squared singular value; zero rows make up what is missing."""
        m, (_, s, v) = self.m, np.linalg.svd(self.buffer, full_matrices=False)
        independent = s.min(initial=np.inf) > INDEPENDENT * s.max(initial=0.0)
        rank = len(s) if independent else len(range_basis(self.buffer))
        s[rank:] = 0.0
        lost = s[m - 1] ** 2 if rank >= m and s[m - 1] ** 2 > NO_ROW * s[0] ** 2 else 0.0
        self.kept = np.zeros(m - 1)
        self.buffer = np.zeros((m - 1, self.d))
        for i in range(min(m - 1, rank)):
            value = s[i] ** 2 - self.lose[i] * lost
            self.kept[i] = value if value > NO_ROW * s[0] ** 2 else 0.0
            self.buffer[i] = np.sqrt(self.kept[i]) * v[i]
        self.shed += lost
        if self.robust:
            self.alpha += lost / 2

    def rows(self) -> np.ndarray:
        if not self.compensated:
            return self.buffer
        rows = self.buffer.copy()
        for i in np.flatnonzero(self.kept):
            rows[i] *= np.sqrt((self.kept[i] + self.shed) / self.kept[i])
        return rows

    def eigenvalues(self) -> np.ndarray:
        return np.linalg.svd(self.buffer, compute_uv=False) ** 2


def paying(m: int, share: float) -> np.ndarray:
    """PFD: bool[m - 1], the squared values that are, the m-th included, the last floor(share m) of m."""
    return np.arange(m - 1) >= m - np.floor(share * m + 1e-9)


class Projections(NoSketch):
    """[RFD] section 6.2: A = alpha I + S'S, S <- S + r_t ghat', r_t a row of m standard normals over sqrt(m)."""

    def __init__(self, alpha: float, d: int, m: int, seed: int):
        super().__init__(alpha, d)
        self.S, self.normals = np.zeros((m, d)), np.random.default_rng(seed)

    def append(self, ghat: np.ndarray) -> None:
        self.S = self.S + np.outer(self.normals.standard_normal(len(self.S)) / np.sqrt(len(self.S)), ghat)

    def rows(self) -> np.ndarray:
        return self.S


class Oja(NoSketch):
    """Oja's eigenpairs: A_t = alpha I + V' diag(t Lambda) V ([SON] Alg. 3-5).

    V starts empty and takes the first m directions that it meets instead of random ones. The squared gradients of the
    rows that it takes count in AdaOja's sum like all others, which so begins positive and in the scale of the data.
    """

    def __init__(self, alpha: float, d: int, m: int, step: str):
        super().__init__(alpha, d)
        self.m, self.step = m, step
        self.V = np.zeros((0, d))
        self.L = np.zeros(0)  # t Lambda: running sums of (v_i' ghat)^2
        self.t = 0
        self.b = 0.0  # AdaOja: running sum of the squared gradients of Oja's rule

    def append(self, ghat: np.ndarray) -> None:
        self.t += 1
        rest = ghat - self.V.T @ (self.V @ ghat)
        rest = rest - self.V.T @ (self.V @ rest)
        new = rest @ rest > NEW * (ghat @ ghat) and ghat @ ghat > NEW * np.sqrt(self.b)
        if len(self.V) < self.m and new:
            self.b += (ghat @ ghat) ** 2
            self.V = np.vstack([self.V, rest / np.linalg.norm(rest)])
            self.L = np.append(self.L, 0.0) + (self.V @ ghat) ** 2
        else:
            self.L = self.L + (self.V @ ghat) ** 2
            self.V = range_basis(self.V + self.gamma(ghat) * np.outer(self.V @ ghat, ghat), 0.0)

    def forget_past(self, keep: float) -> None:
        self.L, self.b = keep * self.L, keep * self.b

    def gamma(self, ghat: np.ndarray) -> float:
        self.b += (ghat @ ghat) * ((self.V @ ghat) @ (self.V @ ghat))
        if self.step == "1/t":
            return 1.0 / self.t
        return 1.0 / np.sqrt(self.b) if self.b > 0 else 0.0

    def rows(self) -> np.ndarray:
        return np.sqrt(self.L)[:, None] * self.V

    def pseudo_inverse(self) -> tuple[np.ndarray, np.ndarray]:
        """Without a decomposition, which NumPy has in double precision only."""
        V, alpha, identity = self.V, self.alpha, np.eye(self.d)
        return V.T @ ((1 / (alpha + self.L))[:, None] * V) + (identity - V.T @ V) / alpha, 0 * identity

    def eigenvalues(self) -> np.ndarray:
        return np.sort(self.L)[::-1]


class FullMatrix(NoSketch):
    """Nothing is sketched: A = alpha I + sum of ghat ghat' ([SON] eq. 1-2)."""

    def __init__(self, alpha: float, d: int):
        super().__init__(alpha, d)
        self.A = alpha * np.eye(d)

    def append(self, ghat: np.ndarray) -> None:
        self.A = self.A + np.outer(ghat, ghat)

    def matrix(self) -> np.ndarray:
        return self.A

    def eigenvalues(self) -> np.ndarray:
        return np.linalg.eigvalsh(self.A - self.alpha * np.eye(self.d))[::-1]

    def pseudo_inverse(self) -> tuple[np.ndarray, np.ndarray]:
        identity = np.eye(self.d)
        if self.alpha > 0:
            return np.linalg.inv(self.A), 0 * identity
        return of_spectrum(self.A, lambda lam: 1 / lam, True), identity - of_spectrum(self.A, lambda lam: 1.0, True)


def sketch_of(options: LearnOptions, d: int) -> NoSketch:
    m = options.sketch_size
    match options.effective_sketch or options.method:
        case "full-on":
            return FullMatrix(options.alpha, d)
        case "rp-son":
            return Projections(options.alpha, d, m, options.seed)
        case "none":
            return NoSketch(options.alpha, d)
        case "fd":
            return FrequentDirections(options.alpha, d, m)
        case "rfd":
            return FrequentDirections(options.alpha, d, m, robust=True)
        case "pfd":
            return FrequentDirections(options.alpha, d, m, lose=paying(m, options.beta))
        case "cfd":
            return FrequentDirections(options.alpha, d, m, compensated=True)
        case "oja":
            return Oja(options.alpha, d, options.sketch_size, options.oja_step)
    raise ValueError(options.sketch)


# ---------------------------------------------------------------------------------------------------- the learner


def projected(u: np.ndarray, x: np.ndarray, C: float, A_plus: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """The w nearest to u in the norm of A with |w'x| <= C; `outside` is I - A^+ A."""
    raw = u @ x
    if abs(raw) <= C:
        return u
    tau = np.sign(raw) * (abs(raw) - C)
    out = outside @ x
    direction = out if out @ out > IN_RANGE * (x @ x) else A_plus @ x
    return u - tau / (x @ direction) * direction


class Result(NamedTuple):
    """float64[n] each, [n, K] of K classes, and of loss [n]; loss is NaN where there is no label."""

    prediction: np.ndarray
    raw: np.ndarray
    loss: np.ndarray


class Twin:
    """What all learners of dense rows have in common; w are the weights, of several classes a row for each.

    predict(x) is the raw prediction, learn(x, y, h) a round of a label, or of several classes of the number of one.
    """

    def __init__(self, options: LearnOptions, d: int):
        self.o, self.d, self.t = options, d, 0
        self.w = np.zeros((options.multinomial, d) if options.multinomial else d)
        self.range = (0.0, 0.0)

    def predict(self, x: np.ndarray) -> float:
        return self.within_labels(self.w @ x)

    def forget(self) -> None:
        """A round begins."""

    def run(self, X: np.ndarray, y: np.ndarray, weight: np.ndarray | None = None) -> Result:
        """Rows of X one by one; those without a label (NaN) or of weight 0 are predicted only."""
        raw, loss = np.empty((len(y), *self.w.shape[:-1])), np.full(len(y), np.nan)
        for i, (x, label, h) in enumerate(zip(X, y, np.ones(len(y)) if weight is None else weight, strict=True)):
            raw[i] = self.predict(x)
            if not np.isnan(label):
                means = canonical_label(self.o, label)
                loss[i] = loss_value(self.o.loss, self.bounded(raw[i]), means, self.o)
                if h > 0:
                    self.forget()
                    self.learn(x, means, h)
                    self.range = min(self.range[0], label), max(self.range[1], label)
        return Result(self.bounded(raw), raw, loss)

    def clipped(self, u):
        return u if self.o.clip == "labels" else np.clip(u, -self.o.clip, self.o.clip)

    def bounded(self, u):
        """What the loss is of: raw predictions within --clip; those of several classes as they are."""
        return u if self.o.multinomial else self.clipped(u)

    def within_labels(self, u: float) -> float:
        """The raw prediction with --clip labels: within 0 and the labels learned."""
        return np.clip(u, *self.range) if self.o.clip == "labels" else u

    def kept(self, length: float) -> np.ndarray:
        """The weights before a step of this length moves them."""
        return self.w * max(1 - self.o.l2 * length, 0.5)

    @property
    def keep(self) -> float:
        return 1 - self.o.decay

    def slope(self, u, y):
        """Of the loss in u within its bounds."""
        return loss_slope(self.o.loss, self.clipped(u), y, self.o)


class DenseLearner(Twin):
    """One row at a time through the definitions; `full` replaces the sketch by the whole matrix.

    Several classes share A: each projects and steps with it, and it takes the row sqrt(sigma + eta) |l'| h x.
    """

    def __init__(self, options: LearnOptions, d: int, full: bool = False):
        super().__init__(options, d)
        self.scale = options.scale if options.sketch else "none"
        self.sketch = FullMatrix(options.alpha, d) if full else sketch_of(options, d)
        self.D = np.full(d, DIAGONAL_START)
        self.top = np.zeros(d)  # largest sizes
        self.remembered = 0.0  # rounds learned, each fading
        self.held = 0  # rows that the sketch took
        self.mass = 0.0  # squared lengths of the rows since the last one that the sketch took
        self.inverse = self.sketch.pseudo_inverse()

    def eta(self) -> float:
        eta, t = self.o.eta, self.remembered
        return {"1/t": 1 / t, "1/sqrt(t)": 1 / np.sqrt(t)}[eta] if isinstance(eta, str) else eta

    def scaled(self, x: np.ndarray) -> np.ndarray:
        match self.scale:
            case "none":
                return x
            case "gradients" | "all-gradients":
                return x / np.sqrt(self.D)
        over = np.divide(x, np.maximum(self.top, np.abs(x)), out=np.zeros(len(x)), where=x != 0)
        length = np.linalg.norm(over) if self.scale == "unit" else 1.0
        return over / length if length > 0 else over

    def weights(self) -> np.ndarray:
        """In the scale of the original features (of unit rows: over the length that they have rescaled)."""
        match self.scale:
            case "none":
                return self.w
            case "gradients" | "all-gradients":
                return self.w / np.sqrt(self.D)
        return np.divide(self.w, self.top, out=np.zeros(self.w.shape), where=self.top > 0)

    def predict(self, x: np.ndarray) -> float:
        return self.w @ self.scaled(x)

    def learn(self, x: np.ndarray, y: float, h: float = 1.0) -> None:
        o, u = self.o, self.predict(x)
        self.t += 1
        self.remembered = self.keep * self.remembered + 1
        if o.decay:
            self.sketch.forget_past(self.keep)
            self.mass *= self.keep
            self.inverse = self.sketch.pseudo_inverse()

        after = o.project == "after"
        slope = h * (loss_slope(o.loss, u, y, o) if after else self.slope(u, y))
        before, scaled_x = self.D, self.scaled(x)
        if self.scale == "all-gradients":
            self.D = before + (size(slope) * x) ** 2
            scaled_x = self.scaled(x)
        w = self.kept(h)
        if not after:
            w = w + self.projected(scaled_x, *self.inverse) - self.w
        inverse = self.taken(np.sqrt(o.resolved_sigma + self.eta()) * (size(slope) * scaled_x))
        self.w = w - np.multiply.outer(slope, inverse[0] @ scaled_x)
        if after:
            self.w = self.projected(scaled_x, *inverse)
        self.D = before + (size(slope) * x) ** 2
        self.top = np.maximum(self.top, np.abs(x))

    def projected(self, x: np.ndarray, *inverse: np.ndarray) -> np.ndarray:
        """The weights, those of each class, within their bound at x."""
        return np.apply_along_axis(projected, -1, self.w, x, self.o.clip, *inverse)

    def taken(self, ghat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sketch takes the row ghat, or leaves it out; returns the inverse for its step, with ghat in A."""
        thin, norm2 = self.o.thin * isinstance(self.sketch, FrequentDirections), ghat @ ghat
        self.mass += norm2
        share = thin * (0.5 + hashed(self.held))
        if thin > 0 and (norm2 == 0 or self.mass < share * self.sketch.alpha):
            return pseudo_inverse(np.vstack([self.sketch.rows(), ghat]), self.sketch.alpha)
        self.sketch.append(ghat * np.sqrt(self.mass / norm2) if thin > 0 else ghat)
        self.mass, self.held = 0.0, self.held + 1
        self.inverse = self.sketch.pseudo_inverse()
        return self.inverse


def dense_rows(batch: Batch) -> tuple[np.ndarray, np.ndarray]:
    """The rows of a batch as a matrix (repeated ids summed), and the sorted feature ids of its columns."""
    ids, column = np.unique(batch.indices, return_inverse=True)
    X = np.zeros((batch.n, len(ids)))
    np.add.at(X, (np.repeat(np.arange(batch.n), np.diff(batch.indptr)), column), batch.values)
    return X, ids


def by_column(learner: Learner, batch: Batch, values: np.ndarray | None = None) -> np.ndarray:
    """Values of features (the learner's weights, if none are given) in the order of the columns of `dense_rows`."""
    (ids, weights), columns = learner.weights(), dense_rows(batch)[1]
    values = weights if values is None else values
    out = np.zeros((*values.shape[:-1], len(columns)))
    out[..., np.searchsorted(columns, ids)] = values
    return out
