"""When to switch from the first round's choice: by a threshold on the lead, chosen from held-out scores."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.features.first_choice import COLUMN, STEP
from runoff.metrics import Resampling, with_statistics
from runoff.model import LinearModel
from runoff.ranking import by_score, first_round, winners

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.ranking import Ranking

CONFIDENCE = 0.68  # about one standard error to either side
RESAMPLES = 300  # of the bootstrap: enough to compare nine thresholds
_LEVELS = 8  # thresholds that are tried, at quantiles of the leads


@dataclass(frozen=True)
class SwitchThreshold:
    """The lead that a candidate needs over the first choice, and the gain on the data that chose it."""

    threshold: float  # infinite: the first choice is always kept
    gain: float  # of the metric, positive is better
    gain_low: float  # lower end of the gain's interval
    switched: int  # groups in which another candidate takes the first choice's place
    gain_without_threshold: float

    @property
    def keeps_first_choice(self) -> bool:
        """Whether the first choice is always kept, because no threshold gains reliably."""
        return math.isinf(self.threshold)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the provenance of a model; JSON has no infinity, so that threshold is None."""
        plain = dataclasses.asdict(self)
        return {
            **plain,
            "threshold": None if self.keeps_first_choice else self.threshold,
            "keeps_first_choice": self.keeps_first_choice,
        }


def choose_threshold(
    data: NBest,
    scores: Floats,
    metric: Metric,
    *,
    confidence: float = CONFIDENCE,
    seed: int = 0,
    blocks: Ints | None = None,
) -> SwitchThreshold:
    """Choose the lead from which on switching pays, from scores of data that the model was not trained on.

    Of up to nine thresholds from 0 on, and of never switching, the one with the best lower end of the gain's interval
    (paired bootstrap over groups) is taken: with the default confidence, about the gain minus one standard error. Of
    equal ones the highest. Groups of one block are drawn together; `blocks` has the number of every group's, by default
    as `runoff.blocks` finds them. Candidates that remain tied count in expectation.
    O(9 (n log k + resamples x groups)).

    Examples
    --------
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0, 1] * 30 + [1, 0] * 30, sizes=[2] * 60)
    >>> sure = choose_threshold(data, np.array([0.0, 2.0] * 30 + [0.0, 1.0] * 30), get("quality"))
    >>> sure.threshold, sure.gain, sure.switched, sure.gain_without_threshold
    (1.5, 0.5, 30, 0.0)
    """
    data, metric = with_statistics(data, metric), metric.in_expectation
    resampling = Resampling(RESAMPLES, confidence, seed=seed)
    resampling = resampling.over(data) if blocks is None else dataclasses.replace(resampling, blocks=blocks)
    first, lead = first_round(data), leads(data, scores)
    before = metric.rows(data, first)
    best = SwitchThreshold(math.inf, 0.0, 0.0, 0, 0.0)
    gain_without_threshold = 0.0
    # From the highest on, so that of equal gains the highest threshold stays.
    for threshold in np.unique(np.append(_thresholds(lead), 0.0))[::-1].tolist():
        rows = metric.rows(data, by_score(data, lifted(scores, first, threshold)))
        won = resampling.difference(rows, before, metric)
        gain_without_threshold = won.delta
        if won.low > best.gain_low:
            best = SwitchThreshold(threshold, won.delta, won.low, int((lead > threshold).sum()), 0.0)
    return dataclasses.replace(best, gain_without_threshold=gain_without_threshold)


def leads(data: NBest, scores: Floats) -> Floats:
    """How far the winner of each group leads the first round's choice; 0 where it is that choice, a copy, or none.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> leads(NBest.from_arrays(quality=[0, 1, 0, 1], sizes=[2, 2]), np.array([0.0, 1.5, 2.0, 1.0])).tolist()
    [1.5, 0.0]
    """
    won, first, filled = winners(data, scores), first_round(data).top, data.sizes > 0
    out = np.zeros(len(data))
    rows = (data.offsets[:-1] + won)[filled]
    out[filled] = scores[rows] - scores[first]
    if data.first_copies is not None:
        out[np.flatnonzero(filled)[data.first_copies[rows] == data.first_copies[first]]] = 0.0
    return out


def lifted(scores: Floats, first: Ranking, threshold: float) -> Floats:
    """Scores with the first choices raised by the threshold, and above what is tied with them then: a tie is no lead.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[0, 1], sizes=[2])
    >>> one, other = lifted(np.array([0.0, 1.0]), first_round(data), 1.0)
    >>> bool(one > other), round(float(one), 12)
    (True, 1.0)
    """
    out = scores.copy()
    out[first.top] = np.nextafter(scores[first.top] + threshold, np.inf)
    return out


def with_threshold(model: LinearModel, found: SwitchThreshold) -> LinearModel:
    """The model with the threshold as weight of the first round's choice; a model without weights where it is infinite.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0.0], [1.0], [0.0], [3.0]], sizes=[2, 2], feature_names=["a"])
    >>> model = with_threshold(LinearModel.of({"a": 1.0}), SwitchThreshold(2.0, 0.5, 0.1, 1, 0.4))
    >>> model.pick(data).indices.tolist()
    [0, 1]
    """
    if model.votes is not None:
        raise UsageError("a model that votes has no lead to compare with a threshold; average it instead.")
    provenance = {**model.provenance, "threshold": found.to_dict()}
    if found.keeps_first_choice:
        return dataclasses.replace(LinearModel.of({}), provenance=provenance)
    return dataclasses.replace(
        model,
        weights=frozen(np.append(model.weights, found.threshold)),
        names=pa.concat_arrays([model.names, pa.array([COLUMN], pa.large_string())]),
        preparation=(*model.preparation, {"step": STEP}),
        training_path=None,  # its prefixes would not have the threshold
        provenance=provenance,
        calibration=None,  # scores of first choices have changed
    )


def _thresholds(lead: Floats) -> Floats:
    """Quantiles of the leads, each half-way between two, so that rounding does not matter."""
    leads = np.unique(lead[lead > 0])
    if leads.size < 2:
        return np.empty(0)
    levels = np.quantile(lead[lead > 0], np.arange(_LEVELS) / _LEVELS, method="nearest")
    place = np.minimum(np.searchsorted(leads, levels), leads.size - 2)
    thresholds: Floats = (leads[place] + leads[place + 1]) / 2
    return thresholds
