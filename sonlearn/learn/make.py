"""Engines: one for each kind of arithmetic; what differs within a kind are values in `sonlearn.options.methods`.

`sketched`     sketched online Newton in sparse time: FD, RFD, Oja, and no sketch at all
`compensated`  frequent directions with diagonal compensation, on AROW's step
`first_order`  gradient descent and its kin, AROW with a diagonal, FTRL, coin betting: one kernel, rules by code
`dense`        the whole matrix, d x d, for few features: full-on, arow-full, ada-full
`metagrad`     MetaGrad with whole matrices
`metagrad_fd`  the same with one sketch for all experts
`shared_diagonal`  of several classes that share the metric, the first-order ones (the sketched ones are in `sketched`)
`projected`    random projections of the gradients: rp-son, ada-gp, ada-dp, radagrad
`bayes`        naive Bayes, of rows or of amounts

Read `first_order`, the plainest, to see what an engine does: numbers of the options, a state, and calls of kernels,
which are in `sonlearn.learn` where they do not stand beside it. Engines of engines are in `sonlearn.learn.ensemble`
and `sonlearn.learn.ensemble`.
"""

from __future__ import annotations

import importlib

from sonlearn.learn.engine import Engine
from sonlearn.options import LearnOptions
from sonlearn.options.methods import METHODS

#: Engine -> its module and what makes one of options. Modules are imported on first use: each brings kernels along.
_MAKERS = {
    "sketched": ("engines.sketched", "SketchedNewton"),
    "compensated": ("engines.compensated", "Compensated"),
    "first_order": ("engines.first_order", "FirstOrder"),
    "bayes": ("engines.bayes", "NaiveBayes"),
    "dense": ("engines.dense", "Dense"),
    "metagrad_fd": ("engines.metagrad_fd", "SketchedMetaGrad"),
    "metagrad": ("engines.metagrad", "MetaGrad"),
    "mixture": ("combine.mixture", "Mixture"),
    "projected": ("engines.projected", "Projected"),
    "committee": ("combine.committee", "Committee"),
    "multinomial": ("combine.multinomial", "Multinomial"),
    "classes": ("ensemble.classes", "ClassCommittee"),
    "against_all": ("combine.against_all", "AgainstAll"),
    "parts": ("combine.parts", "Parts"),
    "committee_partitions": ("ensemble.committee_partitions", "CommitteePartitions"),
    "class_parts": ("combine.class_parts", "ClassParts"),
}


def make_engine(options: LearnOptions, threads: int = 1, parts: int | None = None) -> Engine:
    """The engine that `options` ask for; `threads` of its parts may learn side by side, where it has such.

    With `parts`, an engine of so many such engines, each of which has learned a part of the data.
    """
    name = METHODS[options.method].engine
    if options.several:
        name = "against_all" if options.multinomial is None else "multinomial"
        name = "classes" if options.method == "committee" else name
    if parts:
        of_classes = "committee_partitions" if name == "classes" else "class_parts"
        name = of_classes if options.several else "parts"
    module, maker = _MAKERS[name]
    make = getattr(importlib.import_module(f"sonlearn.learn.{module}"), maker)
    if parts:
        return make(options, parts, threads)
    return make(options, threads) if name in ("committee", "against_all", "classes") else make(options)
