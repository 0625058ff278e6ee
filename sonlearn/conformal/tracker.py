"""The threshold that keeps the coverage: online quantile tracking on a logarithmic scale.

Rows have scores s_t, larger where the label is further from what was predicted; the label is covered where s_t <= q_t.
With v_t = ln s_t (of values), or the logit of s_t (of classes), and theta_t the threshold on that scale,

    theta_(t+1) = theta_t + h_t ([v_t > theta_t] - alpha),    h_t = max(STEP, t^-0.6)

which is adaptive conformal inference (Gibbs and Candes 2021) as Angelopoulos, Barber and Bates (2024) have it, with
steps that fall at first and then stay. Departures: the logarithm makes a step the same whatever the scale of the
scores, so nothing has to be tuned; steps stay at `STEP`, for a stream that changes has no last threshold. Where theta
>= BOUND everything is covered. So the sum of h_t ([missed] - alpha) is at most 2 BOUND + h whatever an adversary does,
and of T rows with h_t = STEP the share of those missed is at most

    alpha + (2 BOUND + STEP) / (STEP T).

What STEP keeps on real streams is in docs/coverage.md: a larger one keeps the coverage of short windows better, and the
thresholds tremble more.
"""

from __future__ import annotations

from sonlearn.jit import bare_inline, bare_jit

STEP, BOUND, POWER = 0.07, 12.0, 0.6
#: Rows after which steps are surely `STEP`.
FEW = 1000
#: Rows, about, that the mean of theta is over which holds for rows without labels to come.
STEADY = 256


@bare_inline
def step_of(t):
    """h_t of the row after t others."""
    return STEP if t > FEW else max(STEP, (t + 1.0) ** -POWER)


@bare_inline
def stepped(theta, missed, h, alpha):
    """theta after a step h for a row that was missed or not."""
    if missed:
        return min(theta + h * (1.0 - alpha), BOUND + h)
    return max(theta - h * alpha, -BOUND)


@bare_inline
def averaged(mean, theta, t):
    """The mean of theta lately, of t rows before and this one."""
    return mean + max(1.0 / STEADY, 1.0 / (t + 1.0)) * (theta - mean)


@bare_jit
def track(now, v, counted, alpha, thetas):
    """Fill in the threshold of each row before its label is used; the rows counted move it.

    Steps that stay let the threshold tremble about the right one. That keeps the coverage of rows whose labels come;
    for rows to come without labels `steady`, its mean lately, is nearer to the right one.

    Parameters
    ----------
    now : structured [1] with `rows`, `theta` and `steady`, modified
    v : float64[n]
        Scores on the logarithmic scale, up to BOUND; inf of what nothing can cover. Of rows not counted anything.
    counted : bool[n]
    alpha : float
    thetas : float64[n], written
    """
    for i in range(len(v)):
        thetas[i] = now[0]["theta"]
        if counted[i]:
            missed = v[i] > thetas[i]
            now[0]["theta"] = stepped(thetas[i], missed, step_of(now[0]["rows"]), alpha)
            now[0]["steady"] = averaged(now[0]["steady"], now[0]["theta"], now[0]["rows"])
            now[0]["rows"] += 1
