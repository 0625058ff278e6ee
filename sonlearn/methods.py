"""The table of methods: one entry for every learner that `--method` names, with what varies from method to method.

A method is an engine (`sonlearn.learn.engines`) and values: what the engine would otherwise have to be copied for
stands here, beside the paper that the method is from. Options that a method does not take are refused; those that it
takes have the defaults of `sonlearn.options`, or those of the entry. Imports nothing: `sonlearn --help` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

#: The papers, as docstrings cite them.
PAPERS = {
    "SON": "Luo, Agarwal, Cesa-Bianchi, Langford: Efficient Second Order Online Learning by Sketching. NIPS 2016",
    "RFD": "Luo, Chen, Zhang, Li, Zhang: Robust Frequent Directions with Application in Online Learning. JMLR 2019",
}


@dataclass(frozen=True)
class Method:
    """One entry.

    Attributes
    ----------
    engine : str
        Which engine runs it (`sonlearn.learn.engines.make_engine`).
    about, source, cost, when : str
        What it is, where it is from, what an example costs, and when to use it: ``sonlearn methods`` prints them.
    takes : tuple of str
        Fields of `LearnOptions` that it reads, beside the loss.
    values : dict
        What the engine is told beyond options.
    defaults : dict
        Values of options where this method's are not the general ones.
    sketch : str
        Short name for ``--sketch``; empty: none.
    """

    engine: str
    about: str
    source: str
    cost: str
    when: str
    takes: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    sketch: str = ""


_NEWTON = ("sketch_size", "clip", "alpha", "sigma", "eta", "diagonal")

METHODS = {
    "committee": Method(
        "committee", "members that see the row in different ways, and a full Newton step over their predictions",
        "its parts' papers, and [SON] eq. 1-2 for the combiner", "m^2 + m s", "all data, untuned",
        ("sketch_size", "clip", "members", "retire"), defaults={"sketch_size": 10},
    ),
    "rfd-son": Method(
        "sketched", "robust frequent directions: half of what a shrink sheds goes to alpha", "[RFD] Alg. 3, 6",
        "m^2 + m s", "correlated or badly scaled features; nothing to tune with --alpha 0", _NEWTON,
        {"rule": "rfd"}, sketch="rfd",
    ),
    "fd-son": Method(
        "sketched", "frequent directions", "[SON] Alg. 1, 2, 6", "m^2 + m s", "as rfd-son, with alpha chosen by hand",
        _NEWTON, {"rule": "fd"}, sketch="fd",
    ),
    "pfd-son": Method(
        "sketched", "frequent directions of which only the last floor(beta m) pay for a shrink", "[RFD] sec. 6.2",
        "m^2 + m s", "as fd-son, where the leading directions matter most", (*_NEWTON, "beta"), {"rule": "pfd"},
        {"beta": 0.2}, sketch="pfd",
    ),
    "cfd-son": Method(
        "sketched", "frequent directions that A reads with all that was shed added to the rows kept (our reading)",
        "[RFD] sec. 6", "m^2 + m s", "comparison: no paper says how it is done online", _NEWTON, {"rule": "cfd"},
        sketch="cfd",
    ),
    "oja-son": Method(
        "sketched", "Oja's rule follows the leading eigenvectors", "[SON] Alg. 3-5", "m^2 + m s",
        "spectra that fall quickly; faster than rfd-son", (*_NEWTON, "oja_step"), {"rule": "oja"},
        sketch="oja",
    ),
    "gd": Method(
        "sketched", "gradient descent with step 1/alpha; with --diagonal a form of AdaGrad", "[SON] with m = 0", "s",
        "nearly independent features", _NEWTON, {"rule": "none"}, sketch="none",
    ),
}  # fmt: skip

#: `--sketch NAME` is short for the method.
SKETCHES = {method.sketch: name for name, method in METHODS.items() if method.sketch}
DEFAULT = "rfd-son"


def listing() -> list[str]:
    """What ``sonlearn methods`` prints: every method with its source, its cost an example, and when to use it."""
    lines = ["m rows of the sketch, s features of the example, d features in all", ""]
    for name, method in METHODS.items():
        short = f" (--sketch {method.sketch})" if method.sketch else ""
        lines += [f"{name}{short}", f"    {method.about}; {method.source}; O({method.cost}) an example"]
        lines += [f"    for {method.when}" + (" (the default)" if name == DEFAULT else "")]
    return [*lines, "", *(f"[{key}] {text}" for key, text in PAPERS.items())]
