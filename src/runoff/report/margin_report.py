"""How confidently does a model choose? The lead of the best candidate over the strongest worse one, per group."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import metrics
from runoff.arrays import frozen
from runoff.errors import DataError, ModelError, UsageError
from runoff.kernels.concordance import concordance, leads
from runoff.kernels.ordering import best_first
from runoff.learners.feature_scaling import spread_within
from runoff.nbest import NBest
from runoff.report.scored import check_judgeable, metrics_for, model_of, signature, with_model_statistics
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.model import LinearModel
    from runoff.report.scored import Asked

QUANTILES = (1, 5, 25, 50, 75, 95, 99)  # in percent
_WHAT = (
    "Margin of a group: score of its best candidate minus that of the strongest worse one.",
    "Above 0 the model chooses right; at 0 both tie, and the tie rule decides.",
    "Pairs: every better candidate with every worse one of its group.",
)
_UNITS = {
    "spread": "in standard deviations of the scores within a group (root mean square), comparable between models",
    "geometric": "divided by the length of the weight vector, as in the theorems about perceptrons",
    "score": "in the model's own scores",
}


@dataclass(frozen=True)
class Counts:
    """How many are right, tied and wrong; ties count separately."""

    right: int
    tied: int
    wrong: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.right + self.tied + self.wrong

    @property
    def shares(self) -> tuple[float, float, float]:
        """Right, tied and wrong as shares of all."""
        return self.right / self.total, self.tied / self.total, self.wrong / self.total


@dataclass(frozen=True)
class Distribution:
    """Mean and quantiles of the margins, in one unit; quantiles by percent."""

    mean: float
    quantiles: dict[int, float]

    @classmethod
    def of(cls, values: Floats, unit: float) -> Distribution:
        """Summarise margins in a unit; if the unit is 0, so are they. O(n log n)."""
        measured = in_unit(values, unit)
        found = np.percentile(measured, QUANTILES)
        return cls(float(measured.mean()), dict(zip(QUANTILES, found.tolist(), strict=True)))


@dataclass(frozen=True)
class SetMargins:
    """Margins in one data set; `values` has the margin of every group, in scores, NaN for groups without one."""

    name: str
    metric: str  # that ranks the candidates
    groups: Counts  # groups that have a margin
    without: int  # groups without a worse candidate, which have none
    pairs: Counts
    spread: float  # of the scores within the groups that have a margin
    norm: float | None  # of the weights; None if the model is not one vector of weights
    units: dict[str, Distribution]
    signature: str
    values: Floats = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the margins of single groups as plain values."""
        units = {
            unit: {"mean": each.mean, "quantiles": {str(at): value for at, value in each.quantiles.items()}}
            for unit, each in self.units.items()
        }
        plain = {name: getattr(self, name) for name in ("name", "metric", "without", "spread", "norm", "signature")}
        return {**plain, "groups": asdict(self.groups), "pairs": asdict(self.pairs), "margins": units}


@dataclass(frozen=True)
class Margins:
    """Margins of one model in one or several data sets, in the given order.

    Examples
    --------
    >>> from runoff import LinearModel, NBest, margins
    >>> data = NBest.from_arrays([[0], [2]], quality=[0, 1], sizes=[2])
    >>> margins(LinearModel.of({"0": 1.5}), {"test": data})["test"].values.tolist()
    [3.0]
    """

    sets: tuple[SetMargins, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> SetMargins:
        for each in self.sets:
            if each.name == name:
                return each
        raise UsageError(f"there is no data set {name!r}; there are: {', '.join(each.name for each in self.sets)}.")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {"sets": [each.to_dict() for each in self.sets], "notes": list(self.notes)}

    def _counts(self) -> tuple[list[str], list[list[str]]]:
        rows = []
        for each in self.sets:
            for name, of, counts in ((each.name, "groups", each.groups), ("", "pairs", each.pairs)):
                rows.append([name, of, f"{counts.total:,}", *(f"{share:.1%}" for share in counts.shares)])
        return ["data", "of", "number", "right", "tied", "wrong"], rows

    def _distributions(self) -> tuple[list[str], list[list[str]]]:
        header = ["margin in", "data", "mean", *("median" if at == 50 else f"{at}%" for at in QUANTILES)]
        rows = []
        for unit in _UNITS:
            measured = [each for each in self.sets if unit in each.units]
            for at, each in enumerate(measured):
                found = each.units[unit]
                numbers = [_number(value, unit) for value in (found.mean, *found.quantiles.values())]
                rows.append(["" if at else unit, each.name, *numbers])
        return header, rows

    def _remarks(self) -> list[str]:
        first = self.sets[0]
        units = [f"{unit}: {words}." for unit, words in _UNITS.items() if unit in first.units]
        sizes = [f"{each.name} {each.spread:.4g}" for each in self.sets]
        scale = f"Spread of scores: {', '.join(sizes)}."
        if first.norm is not None:
            scale += f" Length of the weight vector: {first.norm:.4g}."
        more = f" ({len(self.sets) - 1} more in the JSON)" if len(self.sets) > 1 else ""
        return [*_WHAT, *units, scale, *self.notes, f"signature: {first.signature}{more}"]

    def __str__(self) -> str:
        tables = text_table(*self._counts(), left=2), "", text_table(*self._distributions(), left=2)
        return "\n".join([*tables, "", *self._remarks()])

    def _repr_html_(self) -> str:
        tables = html_table(*self._counts(), left=2) + html_table(*self._distributions(), left=2)
        return tables + "".join(f"<p>{html.escape(line)}</p>" for line in self._remarks())


def margins(model: LinearModel | Learner, data: NBest | Mapping[str, NBest], metric: Asked = None) -> Margins:
    """By how much a model scores the best candidate of every group above the strongest worse one.

    These are the margins of Shen & Joshi (2004, 2005) for the best candidate against the rest, together with the share
    of all pairs in the right order, which is what their ordinal order asks for. Several data sets are given as a
    mapping from names. Better and worse are by the metric if it computes quality itself (from references, for
    instance), else by the quality in the data. O(stored values + n log k) for n candidates in groups of k.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> data = NBest.from_arrays([[0], [2], [1], [4]], quality=[0, 1, 1, 0], sizes=[2, 2])
    >>> found = margins(LinearModel.of({"0": 1.0}), {"dev": data})["dev"]
    >>> found.values.tolist(), found.groups
    ([2.0, -3.0], Counts(right=1, tied=0, wrong=1))
    """
    model = model_of(model)
    if not isinstance(data, Mapping):
        found, notes = _in_one(model, "data", data, metric)
        return Margins((found,), tuple(notes))
    if not data:
        raise UsageError("margins needs at least one data set; found none.")
    sets, all_notes = [], []
    for name, each in data.items():
        try:
            found, notes = _in_one(model, str(name), each, metric)
        except DataError as error:
            raise DataError(error.message, path=str(name)) from error
        except ModelError as error:
            raise ModelError(f"{name}: {error}") from error
        sets.append(found)
        all_notes += [f"{name}: {note}" for note in notes]
    return Margins(tuple(sets), tuple(all_notes))


def in_unit(values: Floats, unit: float) -> Floats:
    """Margins in a unit; if it is 0, so are they.

    Examples
    --------
    >>> in_unit(np.array([1.0, -4.0]), 2.0).tolist()
    [0.5, -2.0]
    """
    return values / unit if unit > 0 else np.zeros_like(values)


def _number(value: float, unit: str) -> str:
    if unit == "spread":
        return f"{value:+.3f}"
    return f"{value:+,.0f}" if 1_000 <= abs(value) < 1e7 else f"{value:+.3g}"


def _in_one(model: LinearModel, name: str, data: NBest, metric: Asked) -> tuple[SetMargins, list[str]]:
    if not isinstance(data, NBest):
        raise UsageError(f"expected an NBest, or a mapping from names to NBests; found {type(data).__name__}.")
    scores = _scores(model, data)
    asked, quality = _quality(model, data, metric)
    values = leads(data.offsets, quality, scores)
    has = ~np.isnan(values)
    if not has.any():
        raise DataError(
            f"none of the {len(data):,} group(s) has candidates of different quality by {asked.label}, so there is no "
            "margin to report."
        )
    order = frozen(best_first(data.offsets, quality, scores))
    pairs = concordance(data.offsets, order, quality, scores).sum(axis=0)
    spread = spread_within(data[has], scores[np.repeat(has, data.sizes)])
    # A voted model has many weight vectors: no single length to divide by.
    norm = None if getattr(model, "votes", None) is not None else _length(np.append(model.weights, model.base_weight))
    sizes = {"spread": spread, "geometric": norm, "score": 1.0}
    found = values[has]
    summary = SetMargins(
        name,
        asked.label,
        Counts(*(int(np.count_nonzero(kind)) for kind in (found > 0, found == 0, found < 0))),
        int(np.count_nonzero(~has)),
        Counts(*pairs.tolist()),
        spread,
        norm,
        {unit: Distribution.of(found, size) for unit, size in sizes.items() if size is not None},
        signature(asked, data),
        frozen(values),
    )
    return summary, _notes(model, data, summary)


def _notes(model: LinearModel, data: NBest, found: SetMargins) -> list[str]:
    notes = []
    if found.norm == 0:
        notes.append("all weights are 0, so every score and every margin is 0.")
    elif found.spread == 0:
        notes.append("the model gives all candidates of a group the same score, so every margin is 0.")
    if found.norm is None:
        notes.append("no geometric margin, because the model votes: scores are shares of the votes of many vectors.")
    if found.without:
        empty = int(np.count_nonzero(data.sizes == 0))
        empties = f" ({empty:,} of them have no candidates)" if empty else ""
        notes.append(f"{found.without:,} group(s) have no candidate worse than the best{empties}, so no margin.")
    unseen = model.unseen(data)
    if unseen.columns:
        question = " Is this the right data for this model?" if unseen.columns == unseen.of_columns else ""
        notes.append(f"{unseen}{question}")
    return notes


def _quality(model: LinearModel, data: NBest, metric: Asked) -> tuple[metrics.Metric, Floats]:
    """The metric that ranks candidates, and its values; metrics that read the data's own quality count as one."""
    check_judgeable(data)
    data = with_model_statistics(model, data)
    asked = metrics_for(data, metric, model)
    data = metrics.grade_for(data, asked)
    finders = [each for each in asked if not each.reads_quality]
    if finders and len(asked) > 1:
        labels = ", ".join(each.label for each in asked)
        raise UsageError(f"margins need one metric to rank candidates; give one of: {labels}.")
    chosen = finders[0] if finders else metrics.get("quality")
    return chosen, frozen(np.ascontiguousarray(chosen.quality(metrics.with_statistics(data, chosen)), np.float64))


def _scores(model: LinearModel, data: NBest) -> Floats:
    scores = model.scores(data)
    largest = float(np.abs(scores).max(initial=0.0))
    if not np.isfinite(2.0 * largest * scores.size):
        raise ModelError(f"the model's scores of up to {largest:.3g} are too large to add up; scale down its weights.")
    return frozen(np.ascontiguousarray(scores if data.rows is None else scores[data.rows]))


def _length(values: Floats) -> float:
    """Euclidean norm, also for numbers whose squares overflow or underflow."""
    largest = float(np.abs(values).max(initial=0.0))
    return largest * float(np.sqrt(np.square(values / largest).sum())) if largest > 0 else 0.0
