"""Makes the engine that options ask for.

Methods that share an engine differ in values only (`sonlearn.options.methods`).
"""

from __future__ import annotations

import importlib

from sonlearn.learn.engine import Engine
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: Engine -> its module and what makes one of options. Modules are imported on first use: each brings kernels along.
_MAKERS = {
    "sketched": ("newton.engine", "SketchedNewton"),
    "diagonal_fd": ("diagonal_fd.engine", "DiagonalFD"),
    "dense_diagonal_fd": ("diagonal_fd.dense_engine", "DenseDiagonalFD"),
    "first_order": ("first_order.engine", "FirstOrder"),
    "bayes": ("bayes", "NaiveBayes"),
    "ewma": ("ewma", "LabelMean"),
    "dense": ("dense.engine", "Dense"),
    "metagrad_fd": ("metagrad.sketched_engine", "SketchedMetaGrad"),
    "metagrad": ("metagrad.dense_engine", "MetaGrad"),
    "mixture": ("ensemble.mixture", "Mixture"),
    "projected": ("projected.engine", "Projected"),
    "committee": ("ensemble.committee", "Committee"),
    "multinomial": ("multiclass.multinomial", "Multinomial"),
    "classes": ("ensemble.classes", "ClassCommittee"),
    "one_vs_rest": ("multiclass.one_vs_rest", "OneVsRest"),
    "partitions": ("ensemble.partitions", "PartitionEnsemble"),
    "committee_partitions": ("ensemble.committee_partitions", "CommitteePartitions"),
    "class_partitions": ("ensemble.class_partitions", "ClassPartitionEnsemble"),
}


def make_engine(options: LearnOptions, threads: int = 1, parts: int | None = None, dense: bool = False) -> Engine:
    """The engine that `options` ask for; `threads` of its parts may learn side by side, where it has such.

    0 threads are 1: all in turn, in the thread that asks.

    With `parts`, an engine of so many such engines, each of which has learned a part of the data. `dense` says that a
    row has nearly all features, and that these are no more than some hundreds.
    """
    name, threads = METHODS[options.method].engine, max(threads, 1)
    if dense and name == "diagonal_fd":
        name = "dense_diagonal_fd"
    if options.several:
        name = "one_vs_rest" if options.multinomial is None else "multinomial"
        name = "classes" if options.method == "committee" else name
    if parts:
        of_classes = "committee_partitions" if name == "classes" else "class_partitions"
        name = of_classes if options.several else "partitions"
    module, maker = _MAKERS[name]
    make = getattr(importlib.import_module(f"sonlearn.learn.{module}"), maker)
    if parts:
        return make(options, parts, threads)
    return make(options, threads) if name in ("committee", "one_vs_rest", "classes") else make(options)
