"""Oja's sketch: V <- Gram-Schmidt(V + gamma V ghat ghat'), stored as V = F Z, in O(m^2 + ms) a round.

[SON] Algorithms 3-5. Because V + gamma V ghat ghat' = F (Z + gamma (Z ghat) ghat'), Z takes the sparse rank-one part
and F the orthonormalisation; and because the Gram matrix of the new rows is I + theta y y', its Cholesky factor is
known in closed form, so that Gram-Schmidt costs O(m^2) in every round. Departures: V starts empty and its first m rows
are the first m independent gradients ([SON]: random rows, which in high dimension overlap with nothing); a scale-free
step (AdaOja, Henriksen & Ward 2019) as well as the paper's 1/t; F is reset (`coordinates.renew`) if ill-conditioned.
"""

import math

from sonlearn.data.linear_algebra import add_scaled, clear_first, dot, set_scaled
from sonlearn.jit import inline
from sonlearn.learn.newton.coordinates import move_kept, move_wbar, pseudo_divide, spectral_excess
from sonlearn.learn.tolerances import DOUBTFUL, NEXT, ORTHONORMALISE, RENEW, SPAN, SPREAD


@inline(force=True)
def oja_round(params, state, work, feats, row, oja):
    """Project, add the row ghat = s x to the sketch, then w -= slope A^-1 x with the new sketch, for every class.

    Returns a status. With m = 0 there is no sketch: this is gradient descent with step 1/alpha.

    params : NewtonParams; state : NewtonState, modified in place
    work : NewtonScratch with x, Z x, y = V x, u, the slopes and the projection moves; overwritten
    feats : int64[s], the row's features, not modified; row : RowGeometry; oja : float64[M], overwritten
    """
    now, y, u, aside = state.now[0], work.y, work.u, work.aside
    projected = False
    for c in range(len(aside)):
        if work.along[c] != 0.0 or aside[c] != 0.0:
            for i in range(now.k):
                move_kept(state.factor, c, i, aside[c] * y[i] - work.along[c] * u[i])
            projected = True
        aside[c] = -aside[c]
    if projected:
        move_wbar(state.table, feats, work.x, aside)
    status = NEXT
    clear_first(aside, len(aside))
    if params.m > 0:
        status = update_sketch(params, state, work, row, oja)
    for c in range(len(aside)):
        if params.m > 0:
            for i in range(now.k):
                excess = spectral_excess(params, now, state.basis.D2[i], work.slope[c] * y[i])
                move_kept(state.factor, c, i, -excess)
        aside[c] -= pseudo_divide(now.alpha, work.slope[c])
    if params.m == 0:
        move_wbar(state.table, feats, work.x, aside)
        return NEXT
    apply_changes(state, work, feats)
    return RENEW if status == NEXT and is_ill_conditioned(state.factor.FT, now.k) else status


@inline(force=True)
def update_sketch(params, state, work, row, oja):
    """Apply Oja's rule to V and t Lambda; returns a status. Arguments as for `oja_round`.

    work.delta <- the change of Z per unit of x; work.y <- V x in the new V; work.aside (0 before) <- the change of wbar
    per unit of x that compensates the change of Z.
    """
    now, delta, norm2 = state.now[0], work.delta, row.scale * row.scale * row.xx
    clear_first(delta, len(delta))
    if norm2 == 0.0:
        return NEXT
    if now.k < params.m and row.rho2 > 0.0 and norm2 > SPAN * math.sqrt(now.oja_sum):
        now.oja_sum += norm2 * norm2
        add_direction(state, work, row.scale, math.sqrt(row.rho2))
        return ORTHONORMALISE if row.rho2 < DOUBTFUL * row.xx else NEXT
    return rotate(params, state, work, row, oja)


@inline(force=True)
def apply_changes(state, work, feats):
    """Z += work.delta x', and w += work.aside x for every class: modifies state.table and the end of work.delta."""
    table, delta, M = state.table, work.delta, state.maps.shape[1]
    for c in range(len(work.aside)):
        delta[M + c] = work.aside[c]
    for at in range(len(feats)):
        add_scaled(table[feats[at]], work.x[at], delta, len(delta))


@inline
def add_direction(state, work, scale, rho):
    """Append the row q = (x - V'y)/rho to V: an empty row of Z becomes x/rho, the new row of F is e_k - y'F/rho.

    Modifies state, work.delta and work.y.
    """
    now, FT, D2 = state.now[0], state.factor.FT, state.basis.D2
    k, empty = now.k, now.used
    for j in range(len(FT)):
        FT[j, k] = -dot(work.y, FT[j], k) / rho
    FT[empty, k] += 1.0
    work.delta[empty] = 1.0 / rho
    work.y[k] = rho
    for i in range(k + 1):
        D2[i] += (scale * work.y[i]) ** 2
    now.k = k + 1
    now.used = empty + 1


@inline(force=True)
def rotate(params, state, work, row, oja):
    """One step of Oja's rule, V <- L^-1 (V + gamma y ghat') with y = V ghat; arguments and result as `update_sketch`.

    Usually Z takes the rank-one part and F the factor L^-1. A steep step would make F very small and Z very large; the
    row then becomes a row of Z of its own, and F is reset after the round.
    """
    now, factor, D2, y = state.now[0], state.factor, state.basis.D2, work.y
    k, scale, norm2, along2 = now.k, row.scale, row.scale * row.scale * row.xx, 0.0
    for i in range(k):
        y[i] *= scale
        along2 += y[i] * y[i]
        D2[i] += y[i] * y[i]
    gamma = learning_rate(params, now, norm2 * along2)
    theta = gamma * (2.0 + gamma * norm2)
    steep = theta * along2 > SPREAD
    if not steep:
        for j in range(len(factor.FT)):
            work.delta[j] = gamma * scale * scale * work.zx[j]
            for c in range(len(factor.beta)):
                work.aside[c] -= work.delta[j] * factor.beta[c, j]
    gram_schmidt(factor.FT, y, k, theta, oja)
    apply_inverse_factor(y, k, theta)
    if steep:
        work.delta[now.used] = 1.0
        set_scaled(factor.FT[now.used], gamma * scale, y, k)
    set_scaled(y, (1.0 + gamma * norm2) / scale, y, k)
    return RENEW if steep else NEXT


@inline(force=True)
def learning_rate(params, now, gradient2):
    """Step of Oja's rule: 1/t, or AdaOja's 1/sqrt(sum of squared gradients), each |ghat|^2 |V ghat|^2.

    `gradient2` is the newest squared gradient; it is added to `now`. The sum includes the rows that V was built
    from, where |V ghat| = |ghat|. Otherwise the first rotation would be of order 1, however small its gradient.
    """
    now.oja_sum += gradient2
    if not params.oja_adaptive:
        return 1.0 / now.t
    return 1.0 / math.sqrt(now.oja_sum) if now.oja_sum > 0.0 else 0.0  # 0: all squares underflow


@inline(force=True)
def gram_schmidt(FT, y, k, theta, run):
    """F <- L^-1 F where L L' = I + theta y y': a running sum, since L is diagonal plus semiseparable.

    FT : float64[M, k_max], F transposed, modified; y : float64[k], not modified; run : float64[M], overwritten
    """
    before = 1.0
    clear_first(run, len(FT))
    for i in range(k):
        after = before + theta * y[i] * y[i]
        shrunk, share = math.sqrt(before / after), theta * y[i] / before
        for j in range(len(FT)):
            old = FT[j, i]
            FT[j, i] = shrunk * (old - share * run[j])
            run[j] += y[i] * old
        before = after


@inline(force=True)
def apply_inverse_factor(y, k, theta):
    """y[:k] <- L^-1 y[:k] (float64, modified) where L L' = I + theta y y', without cancellation."""
    before = 1.0
    for i in range(k):
        after = before + theta * y[i] * y[i]
        y[i] /= math.sqrt(before) * math.sqrt(after)
        before = after


@inline(force=True)
def is_ill_conditioned(FT, k):
    """Return whether F (triangular, of k rows) is too ill-conditioned for the product F Z to be accurate.

    That is: whether an entry, or 1, is larger than `SPREAD` times the least on the diagonal.
    """
    least, large = math.inf, 0
    for i in range(k):
        least = min(least, abs(FT[i, i]))
    bound = SPREAD * least
    for j in range(len(FT)):
        for i in range(k):
            large |= abs(FT[j, i]) > bound
    return large != 0 or bound < 1.0
