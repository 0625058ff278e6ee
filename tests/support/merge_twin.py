"""Merges of the dense twins, by definition: d x d matrices of all learners added up and decomposed once."""

import copy

import numpy as np
from dense_learner import DIAGONAL_START, DenseLearner, FrequentDirections


def merged(twins: list[DenseLearner], base: DenseLearner) -> DenseLearner:
    """One `DenseLearner` of several, each of which went on from `base`."""
    out, keep = copy.deepcopy(base), base.keep
    rounds = [twin.t - base.t for twin in twins]
    by = [keep ** sum(rounds[g + 1 :]) for g in range(len(twins))]

    def total(of, first=0.0):
        """The sum of what the learners have added, beyond `first`, which is nobody's."""
        last = of(twins[-1]) - first
        return (
            first + last + sum(share * (of(twin) - of(base)) for share, twin in zip(by[:-1], twins[:-1], strict=True))
        )

    def exact(of):
        return of(base) + sum(of(twin) - of(base) for twin in twins)

    start = base.weights()
    shares = [(n / sum(rounds)) ** 0.75 for n in rounds]
    inputs = start + sum(share * (twin.weights() - start) for share, twin in zip(shares, twins, strict=True))
    out.D = DIAGONAL_START + exact(lambda twin: twin.D - DIAGONAL_START)
    out.top = np.max([twin.top for twin in twins], axis=0)
    scale = {"none": 1.0, "gradients": np.sqrt(out.D)}.get(base.o.scale, out.top)
    out.w = inputs * scale
    out.t, out.held = exact(lambda twin: twin.t), exact(lambda twin: twin.held)
    out.remembered, out.mass = sum(keep**i for i in range(out.t)), max(total(lambda twin: twin.mass), 0.0)
    out.sketch.alpha = total(lambda twin: twin.sketch.alpha, base.sketch.alpha_0)
    lam, U = np.linalg.eigh(
        total(lambda twin: twin.sketch.rows().T @ twin.sketch.rows() if oja(twin) else squares(twin))
    )
    lam, V = np.maximum(lam[::-1], 0.0), U[:, ::-1].T
    if oja(base):
        out.sketch.V, out.sketch.L = V[: out.sketch.m], lam[: out.sketch.m]
        out.sketch.t, out.sketch.b = out.t, total(lambda twin: twin.sketch.b)
    else:
        sketch, m = out.sketch, out.sketch.m
        lost, sketch.shed = lam[m - 1], total(lambda twin: twin.sketch.shed) + lam[m - 1]
        sketch.kept = lam[: m - 1] - lost * sketch.lose
        sketch.alpha += lost / 2 if sketch.robust else 0.0
        sketch.buffer = np.sqrt(sketch.kept)[:, None] * V[: m - 1]
    out.inverse = out.sketch.pseudo_inverse()
    return out


def oja(twin: DenseLearner) -> bool:
    return not isinstance(twin.sketch, FrequentDirections)


def squares(twin: DenseLearner) -> np.ndarray:
    """S'S, without what CFD restores."""
    return twin.sketch.buffer.T @ twin.sketch.buffer
