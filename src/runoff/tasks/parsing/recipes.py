"""Learners that do well on parses, each with settings that are quick and were found on dev data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.learners import CRF, Boost, LogLinear, Perceptron

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.learners import Learner

METRIC = "parseval"
DEFAULT = ("orum", "loglinear")
_RECIPES: dict[str, tuple[type[Learner], dict[str, Any]]] = {
    "orum": (Perceptron, {"order": "orum", "tau": 0.0, "max_epochs": 20, "patience": 5}),
    "loglinear": (LogLinear, {"sigma": [0.1, 0.2, 0.4], "max_iter": 80}),
    "crf": (CRF, {"objective": "la", "loss_weight": [1.0, 3.0], "l2": [4e-3, 1.6e-2], "max_iter": 80}),
    "boost": (Boost, {"max_rounds": 5_000}),
}


def recipe(name: str, seed: int = 0) -> Learner:
    """A learner for parses by name: orum (perceptron with uneven ordinal margins), loglinear, crf (la) or boost.

    Examples
    --------
    >>> recipe("orum")
    Perceptron(tau=0.0, max_epochs=20, patience=5, metric='parseval')
    """
    check_recipes([name])
    kind, settings = _RECIPES[name]
    return kind().set_params(**settings, metric=METRIC, seed=seed)


def check_recipes(names: Sequence[str]) -> tuple[str, ...]:
    """The names, each once; a wrong one is an error that has the right ones.

    Examples
    --------
    >>> check_recipes(["orum", "svm"])
    Traceback (most recent call last):
    runoff.errors.UsageError: there is no learner 'svm' for parses; there are: orum, loglinear, crf, boost.
    """
    for name in names:
        if name not in _RECIPES:
            raise UsageError(f"there is no learner {name!r} for parses; there are: {', '.join(_RECIPES)}.")
    if not names:
        raise UsageError(f"expected a learner at least; there are: {', '.join(_RECIPES)}.")
    return tuple(dict.fromkeys(names))
