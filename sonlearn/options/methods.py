"""The table of methods: one entry for every learner that `--method` names.

A method is an engine (`sonlearn.learn.engine`) and values that distinguish it from the engine's other methods, together
with its paper. Options that a method does not take are refused. The others have the defaults of `sonlearn.options`,
unless the entry has its own. Imports nothing, because `sonlearn --help` reads it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

#: The papers, by the keys that docstrings cite.
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
    "RIDGE": "Hoerl, Kennard: Ridge Regression: Biased Estimation for Nonorthogonal Problems. Technometrics 1970",
    "VOVK": "Vovk: Aggregating Strategies. COLT 1990",
    "AROW": "Crammer, Kulesza, Dredze: Adaptive Regularization of Weight Vectors. NIPS 2009",
    "NLMS": "Nagumo, Noda: A Learning Method for System Identification. IEEE Transactions on Automatic Control 1967",
    "EWMA": "Roberts: Control Chart Tests Based on Geometric Moving Averages. Technometrics 1959",
    "GBM": "Friedman: Greedy Function Approximation: a Gradient Boosting Machine. Annals of Statistics 2001",
    "XGB": "Chen, Guestrin: XGBoost: a Scalable Tree Boosting System. KDD 2016",
    "LGB": "Ke et al.: LightGBM: a Highly Efficient Gradient Boosting Decision Tree. NIPS 2017",
    "NB": "McCallum, Nigam: A Comparison of Event Models for Naive Bayes Text Classification. AAAI Workshop 1998",
}


class Method(NamedTuple):
    """One entry of the table.

    Attributes
    ----------
    engine : str
        Name of its engine (`sonlearn.learn.engine.make_engine`).
    about, source, cost, when : str
        Description, source, cost of an example and use: ``sonlearn methods`` prints them.
    takes : tuple of str
        Fields of `LearnOptions` that it reads, besides the loss.
    values : dict
        Parameters for the engine that are not options.
    defaults : dict
        Its own defaults of options.
    setting : dict
        Defaults that belong together; they hold unless another loss or scale is given.
    sketch : str
        Short name for ``--sketch``; empty: none.
    shared : dict or None
        Defaults if several classes share its matrix (``--multinomial``); None if they cannot.
    losses : tuple of str
        Losses that it can learn; empty: all.
    """

    engine: str
    about: str
    source: str
    cost: str
    when: str
    takes: tuple[str, ...]
    values: dict[str, Any] = {}  # noqa: RUF012
    defaults: dict[str, Any] = {}  # noqa: RUF012
    setting: dict[str, Any] = {}  # noqa: RUF012
    sketch: str = ""
    losses: tuple[str, ...] = ()
    shared: dict[str, Any] | None = None


#: Defaults with --alpha 0: the setting of [RFD], in which it has no hyperparameter. (Without the bound on predictions,
#: steps would be unbounded.)
ZERO_ALPHA = {"loss": "squared", "clip": 1.0, "sigma": "auto", "eta": "1/t", "scale": "none"}

#: With rescaled rows, a sketch takes one row for several whose total squared length is below this share of alpha. Over
#: 36 data sets the number of errors is the same as without, in a fraction of the time (docs/evidence.md).
THIN = 0.03

_STEPS = ("sketch_size", "clip", "alpha", "sigma", "eta", "scale", "diagonal", "l2")
_NEWTON = (*_STEPS, "decay")
_BUFFERED = (*_NEWTON, "project", "thin")

#: Options of adaptive subgradient methods, whose step has the square root of a matrix.
_ADA = ("learning_rate", "delta", "update", "clip")
_ADA_FD = (*_ADA, "sketch_size", "buffer", "decay", "l2")
_PROJECTED = (*_ADA, "sketch_size", "seed")

#: AROW's own step needs no slope: it uses margins (with any classification loss), or errors (squared).
_AROW = ("squared_hinge", "logistic", "hinge", "squared")

#: Defaults of the sketched methods if classes share the sketch, chosen over 12 data sets, as nag's (docs/evidence.md).
_SHARED = {"scale": "unit", "sigma": 0.1, "eta": 0.0, "alpha": 0.1}

METHODS = {
    "committee": Method(
        "committee", "an ensemble: members with different views of the row, combined by a full Newton method",
        "the papers of its members; [SON] eq. 1-2 for the combiner", "m^2 + m s", "all data, without tuning",
        ("sketch_size", "clip", "members", "prune", "budget", "decay", "l2"), defaults={"sketch_size": 10},
    ),
    "rfd-son": Method(
        "sketched", "robust frequent directions: alpha grows by half of what a shrink removes", "[RFD] Alg. 3, 6",
        "m^2 + m s", "correlated or badly scaled features; nothing to tune with --alpha 0", _BUFFERED,
        {"rule": "rfd"}, setting={"loss": "squared", "scale": "unit", "sigma": 0.1}, sketch="rfd",
        shared={**_SHARED, "sigma": 0.01, "eta": "1/t"},
    ),
    "fd-son": Method(
        "sketched", "frequent directions", "[SON] Alg. 1, 2, 6", "m^2 + m s", "as rfd-son, with alpha chosen by hand",
        _BUFFERED, {"rule": "fd"}, sketch="fd", shared=_SHARED,
    ),
    "pfd-son": Method(
        "sketched", "frequent directions; a shrink lowers only the last floor(beta m) of them", "[RFD] sec. 6.1, 6.2",
        "m^2 + m s", "as fd-son, if the leading directions matter most", (*_BUFFERED, "beta"), {"rule": "pfd"},
        {"beta": 0.2}, sketch="pfd", shared=_SHARED,
    ),
    "cfd-son": Method(
        "sketched", "frequent directions; A adds the removed mass to the kept directions (our reading)",
        "[RFD] sec. 6", "m^2 + m s", "comparison; no paper describes the online form", _BUFFERED, {"rule": "cfd"},
        sketch="cfd", shared=_SHARED,
    ),
    "oja-son": Method(
        "sketched", "Oja's rule follows the leading eigenvectors", "[SON] Alg. 3-5", "m^2 + m s",
        "quickly decaying spectra; faster than rfd-son", (*_NEWTON, "oja_step"), {"rule": "oja"},
        sketch="oja", shared={**_SHARED, "sigma": 0.03, "eta": "1/t"},
    ),
    "gd": Method(
        "sketched", "gradient descent with step 1/alpha; with --diagonal a form of AdaGrad", "[SON] with m = 0", "s",
        "nearly independent features", _STEPS, {"rule": "none"}, sketch="none", shared={},
    ),
    "nag": Method(
        "first_order", "normalised adaptive gradient: invariant to features' scales; the default step of Vowpal Wabbit",
        "[NAG] Alg. 2 (exactly with --rescale before --no-invariant), [IWA]", "s",
        "features of any scale; try this first",
        ("learning_rate", "power_t", "clip", "invariant", "rescale", "decay", "l2"), {"rule": "nag"},
        shared={"learning_rate": 4.0},
    ),
    "adagrad": Method(
        "first_order", "a step size for each feature, by its sum of squared gradients", "[AdaGrad] with delta = 0", "s",
        "rare and frequent features of similar size", ("learning_rate", "power_t", "clip", "decay", "l2"),
        {"rule": "adagrad"}, shared={},
    ),
    "ada-diag": Method(
        "first_order", "adagrad with --delta and both kinds of updates, for comparison with the other ada- methods",
        "[AdaGrad], [ADA] section 2", "s", "comparison", (*_ADA, "decay", "l2"), {"rule": "ada"}, shared={},
    ),
    "sgd": Method(
        "first_order", "stochastic gradient descent, steps l t^-p", "[OGD]", "s", "comparison",
        ("learning_rate", "power_t", "clip", "l2"), {"rule": "sgd"}, shared={},
    ),
    "ogd": Method(
        "first_order", "gradient descent with steps t^-1/2, w projected onto |w'x| <= C", "[OGD], [RFD] 3.1", "s",
        "comparison; the Newton family improves on it", ("learning_rate", "power_t", "clip", "l2"), {"rule": "ogd"},
        {"learning_rate": 1.0}, shared={},
    ),
    "ftrl": Method(
        "first_order", "follow the regularised leader: adagrad whose --l1 makes weights exactly 0", "[FTRL] Alg. 1",
        "s", "many features, of which few matter", ("ftrl_alpha", "ftrl_beta", "l1", "l2", "clip"), {"rule": "ftrl"},
    ),
    "coin": Method(
        "first_order", "coin betting: a bettor for each feature, without a step size", "[COIN], as VW's --coin", "s",
        "weights of unknown scale", ("ftrl_alpha", "ftrl_beta", "clip"), {"rule": "coin"},
        {"ftrl_alpha": 4.0, "ftrl_beta": 1.0},
    ),
    "nlms": Method(
        "first_order", "normalised least mean squares: each example removes a fixed share of its error",
        "[NLMS]", "s", "values that drift; features of similar size", ("learning_rate", "clip"), {"rule": "nlms"},
        {"loss": "squared"}, losses=("squared",),
    ),
    "arow": Method(
        "first_order", "a confidence for each feature (the diagonal of AROW's covariance); learns if the margin is < 1",
        "[AROW] Fig. 1, diagonal version", "s", "text; classes", ("arow_r", "decay"), {"rule": "arow"},
        {"loss": "squared_hinge"}, losses=_AROW,
    ),
    "arow-precision": Method(
        "first_order", "arow with sums of the precisions", "[AROW], the diagonal of Sigma^-1 + x x'/r",
        "s", "as arow; confidence grows faster", ("arow_r", "decay"), {"rule": "precision"}, {"loss": "squared_hinge"},
        losses=_AROW,
    ),
    "full-on": Method(
        "dense", "online Newton with the full matrix, at most 2,000 features; d^3 with --alpha 0 (pseudo-inverses)",
        "[SON] eq. 1-2, App. D", "d^2", "few features; the sketched Newton methods approximate it",
        ("clip", "alpha", "sigma", "eta"),
        {"rule": "full-on", "max_columns": 2000, "instead": "rfd-son, which keeps m rows"},
    ),
    "arow-full": Method(
        "dense", "AROW with its full covariance, at most 2,000 features", "[AROW] Fig. 1", "d^2",
        "few features, classes", ("arow_r",),
        {"rule": "arow", "max_columns": 2000, "instead": "arow, which keeps the diagonal, or drfd, which adds m rows"},
        {"loss": "squared_hinge"}, losses=_AROW,
    ),
    "ridge": Method(
        "dense", "ridge regression from sums over all examples, of the first 512 features; solved anew when they have "
        "doubled, then every 8 d", "[RIDGE]", "s^2 + d^2 / 48", "few features, values", ("clip", "alpha"),
        {"rule": "ridge", "max_columns": 512}, {"loss": "squared", "alpha": 1.0}, losses=("squared",),
    ),
    "ridge-z": Method(
        "dense", "ridge whose penalty is in standard deviations of the features", "[RIDGE]", "s^2 + d^2 / 48",
        "as ridge, with features of any scale", ("clip", "alpha"),
        {"rule": "ridge", "max_columns": 256, "standard": True},
        {"loss": "squared", "alpha": 1.0}, losses=("squared",),
    ),
    "ada-full": Method(
        "dense", "steps by the square root of the sum of outer products of gradients, at most 1,000 features",
        "[AdaGrad] full matrices, [ADA] section 2", "d^3", "comparison; the other ada- methods approximate it",
        _ADA, {"rule": "ada-full", "max_columns": 1000, "instead": "ada-fd or ada-gp, which keep m rows, or ada-diag"},
        shared={},
    ),
    "ada-lr": Method(
        "dense", "the leading m directions of ada-full by a randomised range finder, at most 1,000 features",
        "[RADA], [ADA] eq. 1", "m d^2", "comparison", _PROJECTED,
        {"rule": "ada-lr", "max_columns": 1000, "instead": "radagrad or ada-gp, which keep m rows"}, shared={},
    ),
    "ada-fd": Method(
        "sketched", "ada-full with frequent directions of the gradients", "[ADAFD]", "m^3 + m s",
        "as ada-gp, without random numbers", _ADA_FD, {"rule": "fd", "f": "root"}, shared={},
    ),
    "s-adagrad": Method(
        "sketched", "ada-fd that adds what a shrink removes to the multiple of the identity under the root",
        "[SKETCHY] Alg. 2", "m^3 + m s", "as ada-fd; less sensitive to --delta", _ADA_FD,
        {"rule": "fd", "f": "shifted", "gain": 1.0}, shared={},
    ),
    "metagrad": Method(
        "metagrad", "experts with many step sizes, --learning_rate the largest; at most 1,000 features",
        "[METAGRAD]", "d^3", "few features and an unknown step size", ("learning_rate", "alpha", "clip"),
        {"rule": "full-on", "max_columns": 1000, "instead": "metagrad-fd, which keeps m rows, or nag"},
    ),
    "metagrad-fd": Method(
        "metagrad_fd", "metagrad's experts with a common sketch; every direction receives what shrinks remove",
        "[METAGRAD], in the form of [FTRL]", "m^3 + m s", "as metagrad, for any number of features",
        ("learning_rate", "alpha", "clip", "sketch_size"), {"rule": "fd", "gain": 1.0},
    ),
    "rp-son": Method(
        "projected", "Newton with m random combinations of the gradients", "[RFD] sec. 6.2",
        "m^3 + m s", "comparison; frequent directions improve on it",
        ("sketch_size", "clip", "alpha", "sigma", "eta", "seed"), {"source": "newton"}, shared={},
    ),
    "ada-gp": Method(
        "projected", "ada-full with m random combinations of the gradients", "[ADA] Alg. 1", "m^3 + m s",
        "correlated features and any convex loss", _PROJECTED, {"source": "gradient"}, shared={},
    ),
    "ada-dp": Method(
        "projected", "ada-gp with the rows in place of their gradients", "[ADA] Alg. 2", "m^3 + m s",
        "as ada-gp; the size of a gradient does not matter", _PROJECTED, {"source": "data"}, shared={},
    ),
    "radagrad": Method(
        "projected", "m random combinations of the columns of summed outer products; plain steps outside of them",
        "[RADA]", "m^3 + m s", "comparison; ada-gp improves on it", _PROJECTED, {"source": "own"}, shared={},
    ),
    "mixture": Method(
        "mixture", "several learners; averages their probabilities, weighted by past losses", "[VOVK]",
        "the sum of its members'", "to be nearly as good as the best of --members", ("members", "sketch_size"),
        losses=("logistic",),
    ),
    "drfd": Method(
        "diagonal_fd", "frequent directions; a diagonal receives what shrinks remove; AROW's step",
        "our own, after [RFD] Alg. 3, with the step of [AROW]", "m^2 + m s",
        "all kinds of data, without tuning; an example with a margin above 1 costs a prediction only",
        ("sketch_size", "arow_r", "decay"), defaults={"loss": "hinge"}, losses=("squared", "logistic", "hinge"),
        sketch="drfd",
    ),
    "bayes": Method(
        "bayes", "naive Bayes: for each feature the number of rows of each class with it", "[NB] Bernoulli", "s",
        "few examples; words and indicators", ("decay",), {"amounts": False, "a": 1.0, "q": 0.25},
        losses=("logistic", "hinge"),
    ),
    "multinomial-bayes": Method(
        "bayes", "naive Bayes: for each feature the sum of its values in each class", "[NB] multinomial", "s",
        "few examples; counts of words", ("decay",), {"amounts": True, "a": 0.05, "q": 0.5},
        losses=("logistic", "hinge"),
    ),
    "boost": Method(
        "boosting", "gradient-boosted trees of the last 65,536 examples (16,384 of more than 512 features), fitted "
        "anew when half as many have come, of classes .3; at most 2,000 features",
        "[GBM], [XGB] eq. 5-7, [LGB] for histograms", "T D, and T D min(s, 32) for the refits",
        "numbers: thresholds and columns that act together", ("clip",),
        {"trees": 60, "max_depth": 7, "learning_rate": 0.15, "l2": 1.0, "min_hessian": 10.0,
         "refit_interval": 0.5, "regrow_every": 1, "max_columns": 2000,
         "of_classes": {"min_hessian": 0.5, "refit_interval": 0.3, "regrow_every": 4}},
        losses=("logistic", "squared"),
    ),
    "ewma": Method(
        "ewma", "exponentially weighted mean of the labels, of classes the log-odds of their share; no feature counts",
        "[EWMA]", "1", "streams whose labels are like those before; a yardstick for all others", ("decay", "clip"),
        losses=("logistic", "hinge", "squared"),
    ),
}  # fmt: skip

#: Engines whose raw prediction is not a sum over the features.
CURVED = ("committee", "mixture", "bayes", "ewma", "boosting")


def additive(options: Any) -> bool:
    """Return whether a raw prediction with these `LearnOptions` is a sum with one independent term for each feature."""
    method = METHODS[options.method]
    return method.engine not in CURVED and not ("scale" in method.takes and options.scale == "unit")


#: `--sketch NAME` is short for the method.
SKETCHES = {method.sketch: name for name, method in METHODS.items() if method.sketch}
DEFAULT = "committee"


#: The methods that `listing` shows first: one of them suits most data.
FIRST = ("committee", "nag", "rfd-son", "drfd", "arow", "ftrl")


def listing() -> list[str]:
    """The output of ``sonlearn methods``: every method with its source, the cost of an example, and its use."""
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
