"""What all learners share: parameters that follow scikit-learn, checks, predictions and scores."""

from __future__ import annotations

import dataclasses
import html
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.features import (
    fit_estimates,
    fit_group_ranks,
    fit_missing_values,
    fit_products,
    note_on_estimates,
    note_on_missing_values,
    prepare,
)
from runoff.learners.bagging import bagged
from runoff.learners.calibrate import FOLDS, calibrate, calibrate_by_folds
from runoff.learners.early_stopping import check_dev_features
from runoff.learners.leaves import fit_leaves
from runoff.learners.ties import tell_ties
from runoff.learners.training_history import with_history
from runoff.nbest import NBest
from runoff.nbest.blocks import blocks
from runoff.parameters import Parametrised, choice, flag, optional, parameter, whole, words
from runoff.tables import counted
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Ints
    from runoff.model import LinearModel


def _metric_or_text(value: Any) -> str | None:
    return None if value is None or isinstance(value, str | metrics.Metric) else "a metric, or a text that names one"


@dataclass(eq=False, repr=False, kw_only=True)
class Learner(Parametrised, ABC):
    """A learner follows scikit-learn: the constructor only stores parameters, `fit` returns the learner.

    A learner is a dataclass whose parameters are declared by `runoff.parameters.parameter`, each with its default and
    its check; values are checked when `fit` is called.

    One sample is one group, so `KFold`, `cross_val_score` and `GridSearchCV` split between groups. The
    fitted model is `model`; `history` has one entry per step, for plots.

    Examples
    --------
    >>> from runoff.learners import LEARNERS, Learner
    >>> all(issubclass(kind, Learner) for kind in LEARNERS.values())
    True
    """

    name: ClassVar[str]
    makes_features: ClassVar[bool] = False  # beside those that come with the candidates
    metric: str | metrics.Metric | None = parameter(None, _metric_or_text)
    group_by: str | None = parameter(None, optional(words))  # what folds keep together; see `runoff.blocks`
    group_ranks: bool = parameter(False, flag)  # add ranks within the group; see `runoff.features.fit_group_ranks`
    leaves: int = parameter(0, whole(0))  # add the leaves of so many trees; see `runoff.learners.fit_leaves`
    products: int = parameter(0, whole(0))  # add products of features in so many; see `runoff.features.fit_products`
    # What is put in place of missing values; see `runoff.features.fit_estimates`.
    missing: Literal["auto", "mean", "regress"] = parameter("auto", choice("auto", "mean", "regress"))
    bags: int = parameter(0, whole(0))  # take the mean of the models of so many bootstrap samples of the lists
    seed: int = parameter(0, whole(0))
    verbose: bool = parameter(False, flag)
    calibration: Literal["auto", "folds", "none"] = parameter("auto", choice("auto", "folds", "none"))
    history: list[dict[str, float]] = field(init=False)
    _model: LinearModel | None = field(default=None, init=False)
    _notes_on_data: list[str] = field(init=False)
    _note_on_folds: str = field(default="", init=False)
    _chosen_on: str = field(default="", init=False)  # the lists that chose parameters, if any were chosen

    # ---------------------------------------------------------------- parameters

    @classmethod
    def parameters(cls) -> Mapping[str, Any]:
        """Names and defaults of the constructor's parameters."""
        shared = [each.name for each in dataclasses.fields(Learner)]
        declared = {each.name: each for each in dataclasses.fields(cls) if each.init}
        # In the order of the constructor: keyword-only ones last, and of these what all learners share.
        names = sorted(declared, key=lambda name: (declared[name].kw_only, name in shared))
        return {name: declared[name].default for name in names}

    def plain_params(self) -> dict[str, Any]:
        """Parameters by name as JSON can hold them: a function by its name."""
        return {name: _plain(value) for name, value in self.get_params().items()}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None

    # ---------------------------------------------------------------- learning

    def fit(self, train: NBest, dev: NBest | None = None) -> Self:
        """Learn from groups with quality; `dev` serves for early stopping and the choice of parameters."""
        for role, data in (("training", train), ("dev", dev)):
            if data is not None and not isinstance(data, NBest):
                raise UsageError(f"the {role} data must be an NBest; found {type(data).__name__}.")
        self.check_params()
        if self.makes_features:
            self.refuse_unused("recipes of its own", "bags")
        asked = self._metrics_for(train)
        train, dev = self._graded(train, asked), None if dev is None else self._graded(dev, asked)
        _check_usable(train, "training")
        if dev is not None:
            _check_usable(dev, "dev")
        steps, ready = self._prepared(train)
        ready_dev = None if dev is None else prepare(dev, steps, keep_missing=self.keeps_missing)
        self.history, self._note_on_folds, self._chosen_on = [], "", ""
        if not self.makes_features:
            check_dev_features(ready, ready_dev)
        model = with_history(self._learn(ready, ready_dev, steps), self.history)
        if self.bags and model.provenance.get("finished") is not False:
            self._model = model  # every sample is learned with the settings that it chose
            model = bagged(self.settled(), model, ready, ready_dev, made=len(steps))
        model = tell_ties(model, train, "training") if dev is None else tell_ties(model, dev, "dev")
        self._model = self._calibrated(model, train, dev)
        return self

    def settled(self) -> Self:
        """A learner that trains as this one did at last, with nothing left to choose, and without calibration."""
        left_out = {"calibration": "none", "verbose": False, "checkpoint": None}
        mine = {name: value for name, value in left_out.items() if name in self.get_params()}
        return self.clone().set_params(**_chosen_settings(self, self.model), **mine)

    def _calibrated(self, model: LinearModel, train: NBest, dev: NBest | None) -> LinearModel:
        if self.calibration == "none" or model.calibration is not None or model.provenance.get("finished") is False:
            return model
        if dev is not None:
            return calibrate(model, dev, self.metric_for(dev), fitted_on="dev data")
        if self.calibration == "auto" and not self._has_chosen(model):
            return model  # the folds would take several times as long as the training
        self._model = model
        return calibrate_by_folds(self, model, train, self.folds_within(train, FOLDS))

    def _has_chosen(self, model: LinearModel) -> bool:
        """Whether settings were left to training."""
        return bool(_chosen_settings(self, model))

    @property
    def keeps_missing(self) -> bool:
        """Whether it learns from missing values as they are."""
        return False

    def _prepared(self, train: NBest) -> tuple[tuple[dict[str, Any], ...], NBest]:
        """The preparation, which the model keeps, and the training lists after it.

        What may see missing values comes before they are filled.
        """
        steps = self._first_steps(train)
        ready = prepare(train, steps, keep_missing=True)
        multiplied = ready.features.column_names()
        estimating = fit_estimates(ready, self.missing, beside=self.keeps_missing)
        steps, ready = (*steps, *estimating), prepare(ready, estimating, keep_missing=True)
        known = ready
        self._notes_on_data = note_on_estimates(estimating, self.missing)
        if self.group_ranks:
            steps = (*steps, fit_group_ranks(ready))
            ready = prepare(ready, steps[-1:], keep_missing=True)
        if self.leaves:
            step, ready = fit_leaves(ready, self.leaves, seed=self.seed, group_by=self.group_by)
            steps = (*steps, step)
        if self.products:
            steps = (*steps, fit_products(ready, multiplied, self.products))
            ready = prepare(ready, steps[-1:], keep_missing=True)
        if self.keeps_missing:
            return steps, ready
        self._notes_on_data += note_on_missing_values(known)
        filling = fit_missing_values(known, ready)
        return (*steps, *filling), prepare(ready, filling)

    def _first_steps(self, train: NBest) -> tuple[dict[str, Any], ...]:
        """The first steps of the preparation."""
        # A list of plain texts still has positions, lengths and duplicates.
        is_plain = not self.makes_features and train.features.n_columns == 0 and train.texts is not None
        return ({"step": "list-features"},) if is_plain else ()

    def _graded(self, data: NBest, asked: list[metrics.Metric]) -> NBest:
        """The data with quality computed from references by the metric, unless its quality comes from elsewhere."""
        if data.texts is None:
            return data
        if self.metric and not asked[0].reads_quality:
            data = metrics.without_usual_quality(data)
        return metrics.grade_for(data, asked)

    @abstractmethod
    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        """Learn from checked data; `steps` have been applied to it already and go into the model."""

    def _repr_html_(self) -> str:
        """The settings, and the model where there is one, for a notebook."""
        said = f"<p>{html.escape(repr(self))}</p>"
        return said if self._model is None else said + self._model._repr_html_()

    @property
    def model(self) -> LinearModel:
        """The model that was learned."""
        if self._model is None:
            raise UsageError(f"this {type(self).__name__} has not learned anything yet; call fit first.")
        return self._model

    def predict(self, data: NBest) -> Ints:
        """Index of the pick within every group; -1 for a group without candidates."""
        return self.model.pick(data).indices

    def score(self, data: NBest, y: None = None) -> float:  # noqa: ARG002 - scikit-learn's signature
        """The metric of the picks by which the learner would choose; always higher is better."""
        asked = self._metrics_for(data)
        data, metric = self._graded(data, asked), asked[0]
        return float(metric.signed(metric.rows(data, self.model.ranking(data)).sum(axis=0)))

    @property
    def own_metric(self) -> str | None:
        """The learner's metric for data without a usual one, if that is not mean quality."""
        return None

    def metric_for(self, train: NBest) -> metrics.Metric:
        """The metric that chooses parameters, on dev data or by folds, for a model of these training lists.

        It is the first of `metric`, else the usual one of the data, else the learner's own, else mean quality.
        """
        return self._metrics_for(train)[0]

    def _metrics_for(self, train: NBest) -> list[metrics.Metric]:
        return metrics.metrics_of(train, self.metric, self.own_metric)

    def folds_within(self, train: NBest, most: int) -> Ints:
        """Fold of every training list, for the choice of parameters; only one fold if all lists belong together."""
        kept = blocks(train, self.group_by)
        self._note_on_folds = kept.note()
        fold_of = kept.folds_up_to(most, self.seed)
        folds = int(fold_of.max(initial=0)) + 1
        self._chosen_on = f"{folds} folds of {counted(len(train), 'training lists')}" if folds > 1 else ""
        return fold_of

    def _choose_on(self, dev: NBest) -> None:
        """Record that dev data chooses parameters."""
        self._chosen_on = f"{counted(len(dev), 'lists')} of dev data"

    def _provenance(self, train: NBest, **more: Any) -> dict[str, Any]:
        """How the model was trained; stored inside it."""
        too_few = isinstance(more.get("chosen_by_folds"), str)  # defaults were taken
        return {
            "learner": self.name,
            "parameters": self.plain_params(),
            "metric": _plain(self.metric) or train.metric or self.own_metric or "quality",
            **({"chosen_on": self._chosen_on} if self._chosen_on and not too_few else {}),
            "runoff": __version__,
            "groups": len(train),
            "candidates": train.n_candidates,
            **more,
            **self._notes_with_folds([*self._notes_on_data, *more.get("notes", [])]),
            "warnings": more.get("warnings", []),
        }

    def _notes_with_folds(self, notes: list[str]) -> dict[str, list[str]]:
        is_new = self._note_on_folds and self._note_on_folds not in notes  # a featurizer may have said the same
        notes = [*notes, self._note_on_folds] if is_new else notes
        return {"notes": notes} if notes else {}


def _chosen_settings(learner: Learner, model: LinearModel) -> dict[str, Any]:
    """What training chose of the settings that were left to it ("auto", or several values)."""
    return {
        name: model.provenance[name]
        for name, value in learner.get_params().items()
        if (value == "auto" or isinstance(value, list | tuple)) and model.provenance.get(name) is not None
    }


def _plain(value: Any) -> Any:
    if isinstance(value, metrics.Metric):
        return value.label
    if not callable(value):
        return value
    name = getattr(value, "__qualname__", None)
    return f"{value.__module__}.{name}" if name else repr(value)


def _check_usable(data: NBest, role: str) -> None:
    if len(data) == 0 or data.n_candidates == 0:
        raise DataError(f"the {role} data is empty: groups {len(data)}, candidates {data.n_candidates}.")
    if data.quality is None:
        hint = (
            "it has references, so name a metric that finds quality by them, such as wer, bleu or exact"
            if data.references is not None
            else "a learner must know how good each candidate is; add quality, or references and a metric"
        )
        raise DataError(f"the {role} data has no quality: {hint}.")
    if data.features.n_columns == 0 and data.base is None and data.texts is None:
        raise DataError(
            f"the {role} data has no features, no base scores and no texts: there is nothing to learn from."
        )
