"""Does the sketch work? Progressive error against sketch size and condition number, after [SON] section 5.1.

    python bench/illconditioned.py [--seeds N] [--equal]

The stream (10,000 rows, 100 dense features, 10 directions that hide the other 90; 2% of the labels are wrong) is
`ill_conditioned` in tests/streams.py; --equal gives all 10 directions the same variance. Paper setting: squared loss,
C = 1, sigma = 1/8, eta = 1/t, no rescaling. RFD runs with alpha = 0.001 and nothing tuned; FD, Oja and m = 0 show the
best of ALPHAS in every cell, Vowpal Wabbit's OjaNewton the best of ALPHA_INVERSE. Means over the seeds; `nan` where
every setting of a cell ended in NaN.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from streams import IllConditioned, ill_conditioned  # noqa: E402

from sonlearn import DivergedError, Learner, LearnOptions  # noqa: E402

KAPPAS = (10, 50, 100, 200, 10_000)
SIZES = (0, 5, 10, 20)
ALPHAS = (0.1, 1.0, 10.0)
ALPHA_INVERSE = (0.1, 1.0, 10.0)
PAPER = {"loss": "squared", "clip": 1.0, "diagonal": False}
METHODS = {
    "rfd": [{"sketch": "rfd", "alpha": 1e-3}],
    "fd": [{"sketch": "fd", "alpha": alpha} for alpha in ALPHAS],
    "oja adaptive": [{"sketch": "oja", "oja_step": "adaptive", "alpha": alpha} for alpha in ALPHAS],
    "oja 1/t": [{"sketch": "oja", "oja_step": "1/t", "alpha": alpha} for alpha in ALPHAS],
}
NONE = [{"sketch": "none", "alpha": alpha} for alpha in ALPHAS]


def ours(stream: IllConditioned, m: int, settings: dict) -> float:
    """Progressive error rate; NaN if the learner diverges."""
    try:
        prediction = Learner(LearnOptions(sketch_size=m, **settings, **PAPER)).partial_fit(stream.batch).prediction
    except DivergedError:
        return np.nan
    return float(np.mean(prediction * stream.y <= 0))


def vw_lines(stream: IllConditioned) -> list[str]:
    """The stream as VW text."""
    names = [f" {j}:" for j in range(1, stream.X.shape[1] + 1)]
    return [
        f"{y:g} |" + "".join(name + f"{x:.8g}" for name, x in zip(names, row, strict=True))
        for row, y in zip(stream.X.tolist(), stream.y, strict=True)
    ]


def oja_newton(lines: list[str], y: np.ndarray, m: int, alpha_inverse: float) -> float:
    """Progressive error rate of Vowpal Wabbit's OjaNewton; NaN if one of its predictions is."""
    from vowpalwabbit import Workspace

    sketch = f"--OjaNewton --sketch_size {m} --alpha_inverse {alpha_inverse}"
    vw = Workspace(f"--quiet --loss_function squared --noconstant -b 7 {sketch}")
    prediction = np.empty(len(y))
    for i, line in enumerate(lines):
        example = vw.example(line)
        vw.learn(example)
        prediction[i] = example.get_simplelabel_prediction()
        vw.finish_example(example)
    vw.finish()
    return np.nan if np.isnan(prediction).any() else float(np.mean(prediction * y <= 0))


def best(errors: np.ndarray) -> float:
    """The best setting's mean over seeds; errors is [seed, setting]."""
    means = errors.mean(axis=0)
    return np.nan if np.isnan(means).all() else float(np.nanmin(means))


def row(label: str, m: int, cells: list[float]) -> None:
    print(f"{label:<14}{m:>4}" + "".join(f"{cell:>9.3f}" for cell in cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--equal", action="store_true")
    arguments = parser.parse_args()
    seeds = range(arguments.seeds)
    streams = {(k, seed): ill_conditioned(k, seed, equal=arguments.equal) for k in KAPPAS for seed in seeds}

    def cells(measure, settings) -> list[float]:
        return [best(np.array([[measure(k, seed, s) for s in settings] for seed in seeds])) for k in KAPPAS]

    print(f"{'condition':<14}{'m':>4}" + "".join(f"{k:>9,}" for k in KAPPAS))
    row("none", 0, cells(lambda k, seed, s: ours(streams[k, seed], 0, s), NONE))
    for label, settings in METHODS.items():
        for m in SIZES[1:]:
            row(label, m, cells(lambda k, seed, s, m=m: ours(streams[k, seed], m, s), settings))
    row("full matrix", 101, cells(lambda k, seed, s: ours(streams[k, seed], 101, s), METHODS["rfd"]))
    try:
        import vowpalwabbit  # noqa: F401
    except ImportError as error:
        print(f"VW OjaNewton: left out ({error}); pip install vowpalwabbit")
        return
    lines = {key: vw_lines(stream) for key, stream in streams.items()}
    for m in SIZES:
        row(
            "VW OjaNewton", m,
            cells(lambda k, seed, s, m=m: oja_newton(lines[k, seed], streams[k, seed].y, m, s), ALPHA_INVERSE),
        )  # fmt: skip


if __name__ == "__main__":
    main()
