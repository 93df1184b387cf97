"""Runoff: the second round for any model that proposes candidates.

>>> import runoff
>>> data = runoff.NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
>>> learner = runoff.LogLinear(sigma=1.0).fit(data)
>>> [choice.index for choice in learner.model.pick(data)]
[1, 1]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runoff.combine.merge import merge
    from runoff.errors import DataError, ModelError, RunoffError, UsageError
    from runoff.io import read, read_blocks, write
    from runoff.learners import CRF, Blend, Boost, LogLinear, Perceptron
    from runoff.learners.calibrate import calibrate
    from runoff.metrics import grade
    from runoff.model import LinearModel, load
    from runoff.nbest import NBest
    from runoff.nbest.blocks import blocks
    from runoff.report import compare, cross_validate, describe, evaluate, learning_curve, margins
    from runoff.server import Client
    from runoff.version import __version__

__all__ = [
    "CRF",
    "Blend",
    "Boost",
    "Client",
    "DataError",
    "LinearModel",
    "LogLinear",
    "ModelError",
    "NBest",
    "Perceptron",
    "RunoffError",
    "UsageError",
    "__version__",
    "blocks",
    "calibrate",
    "compare",
    "cross_validate",
    "describe",
    "evaluate",
    "grade",
    "learning_curve",
    "load",
    "margins",
    "merge",
    "read",
    "read_blocks",
    "write",
]

_HOMES = {
    "runoff.combine.merge": ("merge",),
    "runoff.errors": ("DataError", "ModelError", "RunoffError", "UsageError"),
    "runoff.io": ("read", "read_blocks", "write"),
    "runoff.learners": ("CRF", "Blend", "Boost", "LogLinear", "Perceptron"),
    "runoff.learners.calibrate": ("calibrate",),
    "runoff.metrics": ("grade",),
    "runoff.model": ("LinearModel", "load"),
    "runoff.nbest": ("NBest",),
    "runoff.nbest.blocks": ("blocks",),
    "runoff.report": ("compare", "cross_validate", "describe", "evaluate", "learning_curve", "margins"),
    "runoff.server": ("Client",),
    "runoff.version": ("__version__",),
}
_ROOMS = ("learners", "metrics", "tasks")  # subpackages that are imported on first use as attributes
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # Compilers and plotting take half a second to import; what is not used is not imported.
    if name in _ROOMS:
        return importlib.import_module(f"runoff.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'runoff' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS]
