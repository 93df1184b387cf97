"""Data and what a model chooses in it, as arrays that a viewer asks again and again."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runoff import metrics, ranking, tasks
from runoff.errors import DataError
from runoff.metrics import grade_for, reference_choices, with_statistics
from runoff.report.scored import leads, metrics_for, with_model_statistics
from runoff.server.family_scores import FamilyScores

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.metrics import Metric, Resampling
    from runoff.model import Choices, LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.report.scored import Asked

OUTCOMES = "kept", "better", "worse", "equal", "empty"  # of a choice beside the first round's, by code


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
        other: LinearModel | None = None,
        resampling: Resampling | None = None,
        name: str = "",
        other_name: str = "the other model",
        notes: tuple[str, ...] = (),
    ) -> None:
        self.name, self.model, self.resampling = name, model, resampling or metrics.Resampling()
        self.notes = notes
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
        self.other = None if other is None else Study(data, other, self.metric, name=other_name)

    # ---------------------------------------------------------------- for every candidate

    @cached_property
    def scores(self) -> Floats:
        """The model's scores; those of the first round where there is no model."""
        return self.first_scores if self._choices is None else self._choices.all_scores

    @cached_property
    def probabilities(self) -> Floats | None:
        """The model's probabilities."""
        return None if self._choices is None else self._choices.all_probabilities

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
    def own_scores(self) -> Floats:
        """The model's scores of every candidate by itself, whatever copies of its text have."""
        if self.model is None or self.data.first_copies is None:
            return self.scores
        found, rows = self.model.scores(self.data), self.data.rows
        return found if rows is None else found[rows]

    @cached_property
    def _choices(self) -> Choices | None:
        return None if self.model is None else self.model.pick(self.data)

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
        choices = self._choices
        if choices is None:
            return np.ones(len(self.data))
        return choices.confidences if choices.has_confidences else choices.probabilities

    @cached_property
    def versus(self) -> Floats:
        """How much better the choice is than the other model's."""
        return np.zeros(len(self.data)) if self.other is None else self._between(self.chosen, self.other.chosen)

    @cached_property
    def leads(self) -> Floats:
        """Lead of the choice over the first round's, in score."""
        out = np.zeros(len(self.data))
        filled = self.chosen.filled
        out[filled] = self.scores[self.chosen.top] - self.scores[self.first.top]
        return out

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
