"""Data and what a model chooses in it, as arrays that a viewer asks again and again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import metrics, ranking, tasks
from runoff.errors import DataError
from runoff.metrics import grade_for, reference_choices, with_statistics
from runoff.report import describe, evaluate
from runoff.report.scored import leads, metrics_for, with_model_statistics
from runoff.server.family_scores import FamilyScores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats, Ints
    from runoff.metrics import Metric, Resampling
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.report.scored import Asked

OUTCOMES = "kept", "better", "worse", "equal", "empty"  # of a choice beside the first round's, by code
_NO_METRIC = "There are references: name a metric, such as --metric wer or bleu, by which choices are judged."
_CUTS = 60  # points of the curve of thresholds


class Study:
    """What a viewer shows: everything about all lists in a few arrays, and about one list on demand.

    Data that can be judged is judged by one metric. Costs what `runoff eval` does, once; memory is a few numbers per
    candidate.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 1, 0], sizes=[2, 2], feature_names=["lm"])
    >>> study = Study(data, LinearModel.of({"lm": 1.0}))
    >>> [OUTCOMES[code] for code in study.outcomes]
    ['better', 'worse']
    """

    def __init__(
        self,
        data: NBest,
        model: LinearModel | None = None,
        metric: Asked = None,
        *,
        resampling: Resampling | None = None,
        name: str = "",
    ) -> None:
        self.name, self.model, self._resampling = name, model, resampling or metrics.Resampling()
        self.task = tasks.recognise(data) if model is None else tasks.task_of(model, data)
        self.is_judged = data.quality is not None or bool(data.stats)
        if data.references is not None and not self.is_judged:
            self.is_judged = bool(metric or data.metric or (model is not None and model.metric))
        self.metric: Metric | None = None
        if self.is_judged:
            if model is not None:
                data = with_model_statistics(model, data)
            self.metric = metrics_for(data, metric, model, self.task)[0]
            data = with_statistics(grade_for(data, [self.metric]), self.metric)
        elif metric is not None:
            raise DataError("this data has neither references nor quality, by which a metric could judge it.")
        self.data = data
        self.first: Ranking = ranking.first_round(data)

    # ---------------------------------------------------------------- for every candidate

    @cached_property
    def scores(self) -> Floats:
        """The model's scores; those of the first round where there is no model."""
        return self.first_scores if self.model is None else self._model_scores[0]

    @cached_property
    def probabilities(self) -> Floats | None:
        """The model's probabilities."""
        return None if self.model is None else self._model_scores[1]

    @cached_property
    def first_scores(self) -> Floats:
        """The first round's scores, or minus the place where it has none."""
        if self.data.base is not None:
            return self.data.base
        return -(np.arange(self.data.n_candidates) - np.repeat(self.data.offsets[:-1], self.data.sizes)).astype(float)

    @cached_property
    def quality(self) -> Floats | None:
        """Quality of every candidate, higher is better."""
        return None if self.metric is None else self.metric.quality(self.data)

    @cached_property
    def families(self) -> FamilyScores | None:
        """What every family of features adds to every score; None for models that are no weighted sum."""
        return None if self.model is None else FamilyScores.of(self.model, self.data)

    @cached_property
    def _model_scores(self) -> tuple[Floats, Floats]:
        model = self.model
        assert model is not None  # noqa: S101 - asked only where there is one
        choices = model.pick(self.data)
        # In the order of the data, whatever that of its input was.
        return choices.all_scores, choices.all_probabilities

    # ---------------------------------------------------------------- for every list

    @cached_property
    def chosen(self) -> Ranking:
        """The model's ranking."""
        return self.first if self.model is None else self.model.ranking(self.data)

    @cached_property
    def outcomes(self) -> Ints:
        """What became of every list, as an index of `OUTCOMES`."""
        return self.outcomes_of(self.chosen)

    def outcomes_of(self, chosen: Ranking) -> Ints:
        """What becomes of every list by some ranking."""
        out = np.full(len(self.data), OUTCOMES.index("empty"), np.int64)
        filled = chosen.filled
        same = chosen.top == self.first.top
        gain = self._gains(chosen)[filled]
        better, worse, equal = (OUTCOMES.index(name) for name in ("better", "worse", "equal"))
        changed = np.where(gain > 0, better, np.where(gain < 0, worse, equal))
        out[filled] = np.where(same, OUTCOMES.index("kept"), changed)
        return out

    @cached_property
    def gains(self) -> Floats:
        """How much better the choice is than the first round's."""
        return self._gains(self.chosen)

    @cached_property
    def regrets(self) -> Floats:
        """How much better the best possible choice is than the choice."""
        if self.metric is None:
            return np.zeros(len(self.data))
        return self._between(reference_choices.oracle(self.metric, self.data), self.chosen)

    @cached_property
    def confidences(self) -> Floats:
        """Confidence of every choice where the model is calibrated, else its probability; 1 without a model."""
        if self.model is None:
            return np.ones(len(self.data))
        choices = self.model.pick(self.data)
        return choices.confidences if choices.has_confidences else choices.probabilities

    @cached_property
    def leads(self) -> Floats:
        """Lead of the choice over the first round's, in score."""
        out = np.zeros(len(self.data))
        filled = self.chosen.filled
        out[filled] = self.scores[self.chosen.top] - self.scores[self.first.top]
        return out

    # ---------------------------------------------------------------- all lists together

    @cached_property
    def overview(self) -> dict[str, Any]:
        """What the first page shows, as plain values."""
        found = describe(self.data, None if self.metric is None else self.metric)
        out: dict[str, Any] = {
            "name": self.name,
            "task": self.task.title,
            "groups": len(self.data),
            "candidates": self.data.n_candidates,
            "model": None if self.model is None else repr(self.model),
            "first_round": "highest base score" if self.data.base is not None else "first candidate",
            "outcomes": {name: int(np.sum(self.outcomes == code)) for code, name in enumerate(OUTCOMES)},
            "notes": [*found.notes, *([_NO_METRIC] if not self.is_judged and self.data.references is not None else [])],
            "metric": None,
        }
        if self.metric is None:
            return out
        prospect = found.prospects[0]
        out["metric"] = {
            "name": self.metric.label,
            "higher_is_better": self.metric.higher_is_better,
            "digits": self.metric.digits,
            "signature": prospect.signature,
        }
        largest = int(self.data.sizes.max(initial=0))
        out["oracle_at"] = [*([k, score] for k, score in prospect.oracle_at.items()), [largest, prospect.oracle]]
        if self.model is None:
            scores = {"first round": prospect.first, "oracle": prospect.oracle, "random": prospect.random}
            out["choices"] = [{"name": name, "score": score} for name, score in scores.items()]
            return out
        return {**out, **self._judged(self.model)}

    def thresholds(self) -> list[dict[str, float]]:
        """What a threshold on the lead would give: the score, and in how many lists the first choice is left."""
        if self.metric is None:
            return []
        chosen, first = (self.metric.rows(self.data, each) for each in (self.chosen, self.first))
        switched = np.flatnonzero(self.outcomes != OUTCOMES.index("kept"))
        order = switched[np.argsort(-self.leads[switched], kind="stable")]
        steps = np.cumsum((chosen - first)[order], axis=0)
        start = first.sum(axis=0)
        out = []
        for count in np.unique(np.linspace(0, order.size, _CUTS + 1).astype(int)).tolist():
            sums = start + steps[count - 1] if count else start
            lead = float(self.leads[order[count - 1]]) if count else float("inf")
            out.append({"lead": lead, "switched": count, "score": float(self.metric.score(sums))})
        return out

    def reweighed(self, factors: Mapping[str, float]) -> dict[str, Any]:
        """What would be chosen if families of features weighed more or less: the score, and what becomes of lists."""
        if self.families is None:
            raise DataError("this model is no weighted sum of features, so that nothing can be weighed anew.")
        scores = self.families.scores(factors)
        chosen = ranking.chosen(self.data, scores)
        outcomes = self.outcomes_of(chosen)
        out: dict[str, Any] = {
            "outcomes": {name: int(np.sum(outcomes == code)) for code, name in enumerate(OUTCOMES)},
            "differ": int(np.sum(chosen.top != self.chosen.top)),
        }
        if self.metric is not None:
            rows = self.metric.rows(self.data, chosen)
            out["score"] = float(self.metric.score(rows.sum(axis=0)))
        return out

    def _judged(self, model: LinearModel) -> dict[str, Any]:
        found = evaluate(model, self.data, self.metric, resampling=self._resampling)
        result = found.results[0]
        choices = [("first round", result.first), *((each.label, each.scored) for each in result.baselines)]
        choices += [("chosen", result.chosen), ("oracle", result.oracle), ("random", result.random)]
        return {
            "choices": [
                {"name": name, "score": each.score, "low": each.low, "high": each.high} for name, each in choices
            ],
            "gain": {"delta": result.gain.delta, "low": result.gain.low, "high": result.gain.high, "p": result.p},
            "recovered": result.recovered,
            "warnings": list(found.warnings),
            "reliability": None if found.reliability is None else found.reliability.to_dict(),
            "thresholds": self.thresholds(),
            "families": [] if self.families is None else self.families.shares(self),
        }

    def _gains(self, chosen: Ranking) -> Floats:
        return self._between(chosen, self.first)

    def _between(self, a: Ranking, b: Ranking) -> Floats:
        out = np.zeros(len(self.data))
        if self.metric is None:
            return out
        found = leads(self.metric, self.data, a, b)
        if found.size == len(self.data):
            return found
        out[a.filled] = found
        return out

    def __repr__(self) -> str:
        return f"Study({self.data!r}, {self.model!r})"
