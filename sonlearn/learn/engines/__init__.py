"""Engines: one for each kind of arithmetic; what differs within a kind are values in `sonlearn.methods`.

`sketched`  sketched online Newton in sparse time: FD, RFD, Oja, and no sketch at all
`compensated`  frequent directions with diagonal compensation, on AROW's step
"""

from __future__ import annotations

import importlib

from sonlearn.learn.engine import Engine
from sonlearn.methods import METHODS
from sonlearn.options import LearnOptions

#: Engine -> its class, in the module of that name.
_CLASS = {"sketched": "SketchedNewton", "compensated": "Compensated"}


def make_engine(options: LearnOptions) -> Engine:
    """The engine that `options` ask for. Modules are imported on first use: each brings kernels along."""
    name = METHODS[options.method].engine
    module = importlib.import_module(f"sonlearn.learn.engines.{name}")
    return getattr(module, _CLASS[name])(options)
