"""Builds the engine for given options.

Methods that share an engine differ only in their values in the table `sonlearn.options.methods`.
"""

from __future__ import annotations

import importlib
from typing import Any

from sonlearn.learn.engine import Engine
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: Name of an engine -> (module, class). Modules are imported on first use, because each one defines kernels.
_MAKERS = {
    "sketched": ("newton.engine", "SketchedNewton"),
    "diagonal_fd": ("diagonal_fd.engine", "DiagonalFD"),
    "dense_diagonal_fd": ("diagonal_fd.dense", "DenseDiagonalFD"),
    "first_order": ("first_order.engine", "FirstOrder"),
    "bayes": ("bayes", "NaiveBayes"),
    "boosting": ("boosting.engine", "Boost"),
    "ewma": ("ewma", "LabelMean"),
    "dense": ("dense.engine", "Dense"),
    "metagrad_fd": ("metagrad.sketched", "SketchedMetaGrad"),
    "metagrad": ("metagrad.dense", "MetaGrad"),
    "mixture": ("ensemble.mixture", "Mixture"),
    "projected": ("projected.engine", "Projected"),
    "committee": ("ensemble.committee", "Committee"),
    "multinomial": ("multiclass.multinomial", "Multinomial"),
    "one_vs_rest": ("multiclass.one_vs_rest", "OneVsRest"),
}


def make_engine(options: LearnOptions, threads: int = 1, dense: bool = False) -> Engine:
    """The engine for `options`.

    Parameters
    ----------
    options : LearnOptions
    threads : int
        Number of threads of an ensemble. With 0 or 1, everything runs in the calling thread.
    dense : bool
        Whether a row has nearly all features, of which there are no more than some hundreds.
    """
    name, threads = METHODS[options.method].engine, max(threads, 1)
    if dense and name == "diagonal_fd":
        name = "dense_diagonal_fd"
    if options.several and name != "committee":
        name = "one_vs_rest" if options.multinomial is None else "multinomial"
    make = engine_class(name)
    return make(options, threads) if name in ("committee", "one_vs_rest") else make(options)


def engine_class(name: str) -> Any:
    """The class of an engine."""
    module, maker = _MAKERS[name]
    return getattr(importlib.import_module(f"sonlearn.learn.{module}"), maker)
