"""The table of methods: one entry for every learner that `--method` names, with what varies from method to method.

A method is an engine (`sonlearn.learn.make`) and values: what the engine would otherwise have to be copied for
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
    "NAG": "Ross, Mineiro, Langford: Normalized Online Learning. UAI 2013",
    "IWA": "Karampatziakis, Langford: Online Importance Weight Aware Updates. UAI 2011",
    "AdaGrad": "Duchi, Hazan, Singer: Adaptive Subgradient Methods for Online Learning. JMLR 2011",
    "OGD": "Zinkevich: Online Convex Programming and Generalized Infinitesimal Gradient Ascent. ICML 2003",
    "FTRL": "McMahan et al.: Ad Click Prediction: a View from the Trenches. KDD 2013",
    "COIN": "Orabona, Tommasi: Training Deep Networks without Learning Rates Through Coin Betting. NIPS 2017",
    "ADA": "Wan, Zhang: Accelerating Adaptive Online Learning by Matrix Approximation. PAKDD 2018, IJDSA 2019",
    "RADA": "Krummenacher et al.: Scalable Adaptive Stochastic Optimization Using Random Projections. NIPS 2016",
    "ADAFD": "Wan, Wei, Zhang: Efficient Adaptive Online Learning via Frequent Directions. IJCAI 2018",
    "SKETCHY": "Feinberg, Chen, Sun, Anil, Hazan: Sketchy: Memory-efficient Adaptive Regularization. NeurIPS 2023",
    "METAGRAD": "van Erven, Koolen, van der Hoeven: MetaGrad: Adaptation using Multiple Learning Rates. JMLR 2021",
    "VOVK": "Vovk: Aggregating Strategies. COLT 1990",
    "AROW": "Crammer, Kulesza, Dredze: Adaptive Regularization of Weight Vectors. NIPS 2009",
    "NLMS": "Nagumo, Noda: A Learning Method for System Identification. IEEE Transactions on Automatic Control 1967",
    "EWMA": "Roberts: Control Chart Tests Based on Geometric Moving Averages. Technometrics 1959",
    "NB": "McCallum, Nigam: A Comparison of Event Models for Naive Bayes Text Classification. AAAI Workshop 1998",
}


@dataclass(frozen=True)
class Method:
    """One entry.

    Attributes
    ----------
    engine : str
        Which engine runs it (`sonlearn.learn.make.make_engine`).
    about, source, cost, when : str
        What it is, where it is from, what an example costs, and when to use it: ``sonlearn methods`` prints them.
    takes : tuple of str
        Fields of `LearnOptions` that it reads, beside the loss.
    values : dict
        What the engine is told beyond options.
    defaults : dict
        Values of options where this method's are not the general ones.
    setting : dict
        Defaults that belong together, and hold unless another loss or scale is given.
    sketch : str
        Short name for ``--sketch``; empty: none.
    shared : dict or None
        Defaults where several classes share its metric (``--multinomial``); None: they cannot.
    losses : tuple of str
        Losses that it can learn; empty: all.
    """

    engine: str
    about: str
    source: str
    cost: str
    when: str
    takes: tuple[str, ...]
    values: dict[str, Any] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    setting: dict[str, Any] = field(default_factory=dict)
    sketch: str = ""
    losses: tuple[str, ...] = ()
    shared: dict[str, Any] | None = None


#: Defaults where --alpha 0 is given: the setting of [RFD], under which it has no hyperparameter. (Without the bound on
#: predictions steps would be of any size.)
ZERO_ALPHA = {"loss": "squared", "clip": 1.0, "sigma": "auto", "eta": "1/t", "scale": "none"}

#: Rows that have less than this share of alpha together go into a sketch as one, where rows are rescaled: measured over
#: 36 sets, as many errors as with none, in a fraction of the time (docs/evidence.md).
THIN = 0.03

_STEPS = ("sketch_size", "clip", "alpha", "sigma", "eta", "scale", "diagonal", "l2")
_NEWTON = (*_STEPS, "decay")
_BUFFERED = (*_NEWTON, "project", "thin")

#: Adaptive subgradient methods, the root of a matrix in the step.
_ADA = ("learning_rate", "delta", "update", "clip")
_ADA_FD = (*_ADA, "sketch_size", "buffer", "decay", "l2")
_PROJECTED = (*_ADA, "sketch_size", "seed")

#: AROW has a step of its own: for margins (whatever loss of classes is reported), or for errors (squared).
_AROW = ("squared_hinge", "logistic", "hinge", "squared")

#: The sketched methods where classes share the sketch: measured over 12 sets (docs/evidence.md), as nag's rate is.
_SHARED = {"scale": "unit", "sigma": 0.1, "eta": 0.0, "alpha": 0.1}

METHODS = {
    "committee": Method(
        "committee", "members that see the row in different ways, and a full Newton step over their predictions",
        "its parts' papers, and [SON] eq. 1-2 for the combiner", "m^2 + m s", "all data, untuned",
        ("sketch_size", "clip", "members", "prune", "budget", "decay", "l2"), defaults={"sketch_size": 10},
    ),
    "rfd-son": Method(
        "sketched", "robust frequent directions: half of what a shrink sheds goes to alpha", "[RFD] Alg. 3, 6",
        "m^2 + m s", "correlated or badly scaled features; nothing to tune with --alpha 0", _BUFFERED,
        {"rule": "rfd"}, setting={"loss": "squared", "scale": "unit", "sigma": 0.1}, sketch="rfd",
        shared={**_SHARED, "sigma": 0.01, "eta": "1/t"},
    ),
    "fd-son": Method(
        "sketched", "frequent directions", "[SON] Alg. 1, 2, 6", "m^2 + m s", "as rfd-son, with alpha chosen by hand",
        _BUFFERED, {"rule": "fd"}, sketch="fd", shared=_SHARED,
    ),
    "pfd-son": Method(
        "sketched", "frequent directions of which only the last floor(beta m) pay for a shrink", "[RFD] sec. 6.2",
        "m^2 + m s", "as fd-son, where the leading directions matter most", (*_BUFFERED, "beta"), {"rule": "pfd"},
        {"beta": 0.2}, sketch="pfd", shared=_SHARED,
    ),
    "cfd-son": Method(
        "sketched", "frequent directions that A reads with all that was shed added to the rows kept (our reading)",
        "[RFD] sec. 6", "m^2 + m s", "comparison: no paper says how it is done online", _BUFFERED, {"rule": "cfd"},
        sketch="cfd", shared=_SHARED,
    ),
    "oja-son": Method(
        "sketched", "Oja's rule follows the leading eigenvectors", "[SON] Alg. 3-5", "m^2 + m s",
        "spectra that fall quickly; faster than rfd-son", (*_NEWTON, "oja_step"), {"rule": "oja"},
        sketch="oja", shared={**_SHARED, "sigma": 0.03, "eta": "1/t"},
    ),
    "gd": Method(
        "sketched", "gradient descent with step 1/alpha; with --diagonal a form of AdaGrad", "[SON] with m = 0", "s",
        "nearly independent features", _STEPS, {"rule": "none"}, sketch="none", shared={},
    ),
    "nag": Method(
        "first_order", "normalised adaptive gradient: no scale of a feature matters; the default step of Vowpal Wabbit",
        "[NAG] Alg. 2 (exactly with --rescale before --no-invariant), [IWA]", "s",
        "features of any scales; what to try first", ("learning_rate", "clip", "invariant", "rescale", "decay", "l2"),
        {"rule": "nag"}, shared={"learning_rate": 4.0},
    ),
    "adagrad": Method(
        "first_order", "a step a feature, by its summed squared gradients", "[AdaGrad] with delta = 0", "s",
        "rare and frequent features of similar size", ("learning_rate", "power_t", "clip", "decay", "l2"),
        {"rule": "adagrad"}, shared={},
    ),
    "ada-diag": Method(
        "first_order", "adagrad with --delta and both kinds of updates, as the ada- methods are compared with",
        "[AdaGrad], [ADA] section 2", "s", "comparison", (*_ADA, "decay", "l2"), {"rule": "ada"}, shared={},
    ),
    "sgd": Method(
        "first_order", "stochastic gradient descent, steps l t^-p", "[OGD]", "s", "comparison",
        ("learning_rate", "power_t", "clip", "l2"), {"rule": "sgd"}, shared={},
    ),
    "ogd": Method(
        "first_order", "gradient descent with steps t^-1/2, w projected onto |w'x| <= C", "[OGD], [RFD] 3.1", "s",
        "comparison: what the Newton family improves on", ("learning_rate", "power_t", "clip", "l2"), {"rule": "ogd"},
        {"learning_rate": 1.0}, shared={},
    ),
    "ftrl": Method(
        "first_order", "follow the regularised leader: adagrad whose --l1 makes weights exactly 0", "[FTRL] Alg. 1",
        "s", "many features of which few matter", ("ftrl_alpha", "ftrl_beta", "l1", "l2", "clip"), {"rule": "ftrl"},
    ),
    "coin": Method(
        "first_order", "coin betting: a gambler a feature, no step size at all", "[COIN], as VW's --coin", "s",
        "nothing is known of the scale of the weights", ("ftrl_alpha", "ftrl_beta", "clip"), {"rule": "coin"},
        {"ftrl_alpha": 4.0, "ftrl_beta": 1.0},
    ),
    "nlms": Method(
        "first_order", "normalised least mean squares: each example takes a fixed share of its error away",
        "[NLMS]", "s", "values that drift; features of similar size", ("learning_rate", "clip"), {"rule": "nlms"},
        {"loss": "squared"}, losses=("squared",),
    ),
    "arow": Method(
        "first_order", "a confidence a feature: the diagonal of AROW's covariance; learns where the margin is below 1",
        "[AROW] Fig. 1, its diagonal kept", "s", "text; classes", ("arow_r", "decay"), {"rule": "arow"},
        {"loss": "squared_hinge"}, losses=_AROW,
    ),
    "arow-precision": Method(
        "first_order", "the same, but the precisions are what is added up", "[AROW], the diagonal of Sigma^-1 + x x'/r",
        "s", "as arow; confidence grows faster", ("arow_r", "decay"), {"rule": "precision"}, {"loss": "squared_hinge"},
        losses=_AROW,
    ),
    "full-on": Method(
        "dense", "online Newton with the whole matrix, at most 2,000 features; --alpha 0 by pseudo-inverses, d^3",
        "[SON] eq. 1-2, App. D", "d^2", "few features; what the sketched Newton methods approximate",
        ("clip", "alpha", "sigma", "eta"), {"rule": "full-on", "most": 2000, "instead": "rfd-son, which keeps m rows"},
    ),
    "arow-full": Method(
        "dense", "AROW with its whole covariance, at most 2,000 features", "[AROW] Fig. 1", "d^2",
        "few features, classes", ("arow_r",),
        {"rule": "arow", "most": 2000, "instead": "arow, which keeps the diagonal, or drfd, which adds m rows"},
        {"loss": "squared_hinge"}, losses=_AROW,
    ),
    "ada-full": Method(
        "dense", "a step by the root of summed outer products of gradients, at most 1,000 features",
        "[AdaGrad] full matrices, [ADA] section 2", "d^3", "comparison: what the other ada- methods approximate",
        _ADA, {"rule": "ada-full", "most": 1000, "instead": "ada-fd or ada-gp, which keep m rows, or ada-diag"},
    ),
    "ada-lr": Method(
        "dense", "the leading m directions of ada-full by a randomised range finder, at most 1,000 features",
        "[RADA], [ADA] eq. 1", "m d^2", "comparison", _PROJECTED,
        {"rule": "ada-lr", "most": 1000, "instead": "radagrad or ada-gp, which keep m rows"},
    ),
    "ada-fd": Method(
        "sketched", "ada-full with frequent directions of the gradients", "[ADAFD]", "m^3 + m s",
        "as ada-gp, without random numbers", _ADA_FD, {"rule": "fd", "f": "root"}, shared={},
    ),
    "s-adagrad": Method(
        "sketched", "the same, and all that a shrink sheds goes to the multiple of the identity under the root",
        "[SKETCHY] Alg. 2", "m^3 + m s", "as ada-fd; less depends on --delta", _ADA_FD,
        {"rule": "fd", "f": "shifted", "gain": 1.0}, shared={},
    ),
    "metagrad": Method(
        "metagrad", "experts with steps of many sizes, the largest --learning_rate; at most 1,000 features",
        "[METAGRAD]", "d^3", "few features, and a step size that nobody knows", ("learning_rate", "alpha", "clip"),
        {"rule": "metagrad", "most": 1000, "instead": "metagrad-fd, which keeps m rows, or nag"},
    ),
    "metagrad-fd": Method(
        "metagrad_fd", "metagrad's experts with one sketch for all; what shrinks shed goes to every direction alike",
        "[METAGRAD], in the form of [FTRL]", "m^3 + m s", "as metagrad, for any number of features",
        ("learning_rate", "alpha", "clip", "sketch_size"), {"rule": "fd", "gain": 1.0},
    ),
    "rp-son": Method(
        "projected", "Newton with m random combinations of the gradients in place of all of them", "[RFD] sec. 6.2",
        "m^3 + m s", "comparison: what frequent directions improve on",
        ("sketch_size", "clip", "alpha", "sigma", "eta", "seed"), {"source": "newton"},
    ),
    "ada-gp": Method(
        "projected", "ada-full with m random combinations of the gradients", "[ADA] Alg. 1", "m^3 + m s",
        "correlated features and any convex loss", _PROJECTED, {"source": "gradient"},
    ),
    "ada-dp": Method(
        "projected", "the same with the rows themselves in place of their gradients", "[ADA] Alg. 2", "m^3 + m s",
        "as ada-gp; gradients of any size count alike", _PROJECTED, {"source": "data"},
    ),
    "radagrad": Method(
        "projected", "m random combinations of the columns of summed outer products; plain steps outside of them",
        "[RADA]", "m^3 + m s", "comparison: what ada-gp improves on", _PROJECTED, {"source": "own"},
    ),
    "mixture": Method(
        "mixture", "learners side by side, their probabilities averaged by how well they have done", "[VOVK]",
        "the sum of its members'", "to be nearly as good as the best of --members", ("members", "sketch_size"),
        losses=("logistic",),
    ),
    "drfd": Method(
        "diagonal_fd", "frequent directions; what shrinks shed goes back to the features it came from; AROW's step",
        "our own, after [RFD] Alg. 3, with the step of [AROW]", "m^2 + m s",
        "all kinds of data, untuned; an example with a margin above 1 costs a prediction only",
        ("sketch_size", "arow_r", "decay"), defaults={"loss": "hinge"}, losses=("squared", "logistic", "hinge"),
        sketch="drfd",
    ),
    "bayes": Method(
        "bayes", "naive Bayes: counts of the rows of each class that have a feature", "[NB] Bernoulli", "s",
        "few examples; words and indicators", ("decay",), {"amounts": False, "a": 1.0, "q": 0.25},
        losses=("logistic", "hinge"),
    ),
    "multinomial-bayes": Method(
        "bayes", "naive Bayes: sums of the values of each feature in each class", "[NB] multinomial", "s",
        "few examples; counts of words", ("decay",), {"amounts": True, "a": 0.05, "q": 0.5},
        losses=("logistic", "hinge"),
    ),
    "ewma": Method(
        "ewma", "exponentially weighted mean of the labels, of classes the log-odds of their share; no feature counts",
        "[EWMA]", "1", "streams whose labels are like those before; a yardstick for all others", ("decay", "clip"),
        losses=("logistic", "hinge", "squared"),
    ),
}  # fmt: skip

#: Engines whose raw prediction is no sum over the features.
CURVED = ("committee", "mixture", "bayes", "ewma")


def additive(options: Any) -> bool:
    """Whether a raw prediction under these `LearnOptions` is a sum over the features, whatever the others are."""
    method = METHODS[options.method]
    return method.engine not in CURVED and not ("scale" in method.takes and options.scale == "unit")


#: `--sketch NAME` is short for the method.
SKETCHES = {method.sketch: name for name, method in METHODS.items() if method.sketch}
DEFAULT = "committee"


#: What `listing` shows first: one to choose for most data.
FIRST = ("committee", "nag", "rfd-son", "drfd", "arow", "ftrl")


def listing() -> list[str]:
    """What ``sonlearn methods`` prints: every method with its source, its cost an example, and when to use it."""
    compared = tuple(name for name, method in METHODS.items() if method.when.startswith("comparison"))
    others = tuple(name for name in METHODS if name not in FIRST + compared)
    lines = ["m rows of the sketch, s features of the example, d features in all"]
    for title, names in (("Six to choose from:", FIRST), ("Others, for special needs:", others),
                         ("Methods that papers compare with:", compared)):  # fmt: skip
        lines += ["", title, "", *(line for name in names for line in _entry(name))]
    return [*lines, "", *(f"[{key}] {text}" for key, text in PAPERS.items())]


def _entry(name: str) -> list[str]:
    method = METHODS[name]
    short = f" (--sketch {method.sketch})" if method.sketch else ""
    use = f"use: {method.when}" + (" (the default)" if name == DEFAULT else "")
    return [f"{name}{short}", f"    {method.about}; {method.source}; O({method.cost}) an example", f"    {use}"]
