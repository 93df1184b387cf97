"""What a model would choose if some of its weights were other ones."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from runoff import ranking
from runoff.arrays import frozen
from runoff.errors import UsageError, brief
from runoff.model.explanation import BASE
from runoff.server.study import OUTCOMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Bools
    from runoff.model import LinearModel
    from runoff.ranking import Ranking
    from runoff.server.family_scores import FamilyScores
    from runoff.server.study import Study

_MOST_FACTORS = 200


class WhatIf:
    """Choices by weights that are multiplied by factors, of families or of single features; the last is remembered.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays([[0], [1]], quality=[1, 0], sizes=[2], feature_names=["lm"])
    >>> found = WhatIf(Study(data, LinearModel.of({"lm": 1.0})))
    >>> found.answer({"lm": -1.0})["differ"], found.model({"lm": -1.0}).heaviest()
    (1, [('lm', -1.0)])
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._ranked = lru_cache(maxsize=1)(self._rank)  # tens of megabytes for millions of candidates

    def ranking(self, factors: Mapping[str, float]) -> Ranking:
        """The ranking of all candidates by the changed weights."""
        return self._ranked(tuple(sorted(factors.items())))

    def moved(self, factors: Mapping[str, float]) -> Bools:
        """Lists in which the choice would be another one."""
        found: Bools = self.ranking(factors).indices != self._study.chosen.indices
        return found

    def answer(self, factors: Mapping[str, float]) -> dict[str, Any]:
        """The score, and what would become of the lists."""
        study, ranked = self._study, self.ranking(factors)
        outcomes = study.outcomes_of(ranked)
        out: dict[str, Any] = {
            "outcomes": {name: int(np.sum(outcomes == code)) for code, name in enumerate(OUTCOMES)},
            "differ": int(np.sum(self.moved(factors))),
        }
        if study.metric is not None:
            out["score"] = float(study.metric.score(study.metric.rows(study.data, ranked).sum(axis=0)))
        return out

    def model(self, factors: Mapping[str, float]) -> LinearModel:
        """The model with the changed weights; its confidence would no longer be true and goes."""
        families, model = self._families, self._study.model
        if model is None:
            raise AssertionError  # there would be no families
        names = model.names.to_pylist()
        weights = np.array([families.factor_of(name, factors) for name in names]) * model.weights
        return dataclasses.replace(
            model,
            weights=frozen(weights),
            base_weight=model.base_weight * factors.get(BASE, 1.0),
            provenance={**model.provenance, "reweighed": dict(factors)},
            calibration=None,
            training_path=None,
        )

    @property
    def _families(self) -> FamilyScores:
        found = self._study.families
        if found is None:
            raise UsageError("there is no model, or it is no weighted sum of features, so that nothing can be weighed.")
        return found

    def _rank(self, factors: tuple[tuple[str, float], ...]) -> Ranking:
        scores = self._families.change(dict(factors))
        scores += self._study.own_scores
        return ranking.chosen(self._study.data, scores)


def read_factors(given: bytes | str) -> dict[str, float]:
    """Factors by the names of families and features, from JSON."""
    try:
        factors = orjson.loads(given or "{}")
    except orjson.JSONDecodeError as error:
        raise UsageError(f"the factors of weights are not JSON: {error}.") from error
    if not isinstance(factors, dict) or not all(
        isinstance(each, (int, float)) and not isinstance(each, bool) for each in factors.values()
    ):
        raise UsageError(f"expected a number for each weight that changes; found {brief(factors)}.")
    if len(factors) > _MOST_FACTORS:
        raise UsageError(f"at most {_MOST_FACTORS} weights can be changed at once; found {len(factors):,}.")
    return {name: float(each) for name, each in factors.items()}
