"""A learner combined with a featurizer: it trains on raw lists, and its model takes raw lists."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Self

from runoff.errors import UsageError
from runoff.learners.base import Learner
from runoff.nbest import NBest

if TYPE_CHECKING:
    from runoff.features.featurizer import Featurizer
    from runoff.metrics import Metric
    from runoff.model import LinearModel


class FeaturizedLearner(Learner):
    """Extract features from raw lists with a featurizer, and train any learner on them.

    Parameters are those of the learner; the featurizer has its settings from the start. scikit-learn's tools work on
    raw lists: every fold fits the featurizer anew.

    Examples
    --------
    >>> from runoff.learners import LogLinear
    >>> from runoff.nbest import NBest
    >>> from runoff import tasks
    >>> texts = ["so it is is", "so it is"] * 40
    >>> train = NBest.from_arrays(texts=texts, sizes=[2] * 40, references=["so it is"] * 40, metric="wer")
    >>> featurizer = tasks.get("text").featurizer(families="repetition")
    >>> model = FeaturizedLearner(featurizer, LogLinear(sigma=1.0, metric="wer")).fit(train).model
    >>> model.pick([["so so it is", "so it is"]])[0].text
    'so it is'
    """

    def __init__(self, featurizer: Featurizer, learner: Learner) -> None:
        self.featurizer, self.learner = featurizer, learner

    @property
    def name(self) -> str:  # type: ignore[override]  # the learner's own
        """Name of the learner."""
        return self.learner.name

    @property
    def metric(self) -> Any:  # type: ignore[override]
        """The learner's metric."""
        return self.learner.metric

    @property
    def own_metric(self) -> str | None:
        """The learner's default metric."""
        return self.learner.own_metric

    def metric_for(self, data: NBest) -> Metric:
        """The metric that decides on dev data."""
        return self.learner.metric_for(data)

    @property
    def history(self) -> list[dict[str, float]]:  # type: ignore[override]
        """The learner's history, one entry per step."""
        return self.learner.history

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the learner."""
        return self.learner.get_params(deep)

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters of the learner."""
        self.learner.set_params(**parameters)
        return self

    def clone(self) -> Self:
        """An unfitted copy with the same settings."""
        return type(self)(self.featurizer.clone(), self.learner.clone())

    def __sklearn_clone__(self) -> Self:
        return self.clone()

    def fit(self, train: NBest, dev: NBest | None = None) -> Self:
        """Fit the featurizer, then the learner."""
        for role, data in (("training", train), ("dev", dev)):
            if data is not None and not isinstance(data, NBest):
                raise UsageError(f"the {role} data must be an NBest; found {type(data).__name__}.")
        train = self.featurizer.fit_transform(train, self.metric)
        dev = None if dev is None else self.featurizer.transform(dev)
        self._model = with_featurizer(self.learner.fit(train, dev).model, self.featurizer)
        return self

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        raise NotImplementedError  # `fit` passes the data on to the learner

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self.featurizer).__name__}, {self.learner!r})"


def with_featurizer(model: LinearModel, featurizer: Featurizer) -> LinearModel:
    """A model trained on extracted features, combined with the featurizer, so that it takes raw lists."""
    kept = featurizer.for_model(model)
    notes = [*model.provenance.get("notes", []), *featurizer.notes]
    return dataclasses.replace(
        model,
        preparation=(kept.to_step(), *model.preparation),
        provenance={**model.provenance, "notes": notes},
    )
