"""Fusion of the rankings of several systems without training, by scores or by places.

A list has the candidates that any system has. What the systems give a candidate is added up, with a weight for each
system if there are weights:

- `rrf`: 1 / (60 + place). G. V. Cormack, C. L. A. Clarke & S. Büttcher, Reciprocal rank fusion outperforms Condorcet
  and individual rank learning methods (SIGIR 2009).
- `combsum`: the normalised score; `combmnz`: the same sum times the number of systems that have the candidate.
  E. A. Fox & J. A. Shaw, Combination of multiple searches (TREC-2, 1993).
- `borda`: n points for the first of n candidates, n - 1 for the second, and so on; those that a system lacks share the
  points that it has left. J. A. Aslam & M. Montague, Models for metasearch (SIGIR 2001).
- `isr`: 1 / place², the sum times the number of systems that have the candidate; `log-isr`: times the logarithm of that
  number, so 0 for what a single system has. A. Mourão, F. Martins & J. Magalhães, Multimodal medical information
  retrieval with unsupervised rank fusion (Computerized Medical Imaging and Graphics 39, 2015).

Scores are normalised within the system's list: `min-max` to 0…1 (J. H. Lee, Analyses of multiple evidence combination,
SIGIR 1997), `z` to mean 0 and variance 1 (M. Montague & J. A. Aslam, Relevance score normalization for metasearch, CIKM
2001), or `none`. A candidate that a system lacks gets 0 from it, but for Borda's share. A weighted sum of scores is
`combsum` with weights.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Bools, Floats, Ints

Normalisation: TypeAlias = Literal["min-max", "z", "none"]
NORMALISATIONS: tuple[Normalisation, ...] = get_args(Normalisation)
RRF_CONSTANT = 60.0  # Cormack et al.'s
_LEAST_RANGE = 1e-9  # where all scores of a list are equal


@dataclass(frozen=True, eq=False)
class SystemScores:
    """What several systems say of the candidates of merged lists: a row for each system, a column for each candidate.

    `places` are those in the system's own list, from 1 for its best; 0 where it lacks the candidate, whose score then
    counts for nothing.
    """

    offsets: Ints
    scores: Floats
    places: Ints

    @cached_property
    def found(self) -> Bools:
        """Whether the system has the candidate."""
        return frozen(self.places > 0)

    @cached_property
    def group_of(self) -> Ints:
        """Number of the list of every candidate."""
        return frozen(np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets)))

    @cached_property
    def hits(self) -> Ints:
        """Number of systems that have the candidate."""
        return frozen(self.found.sum(axis=0))

    def normalised(self, normalisation: Normalisation) -> Floats:
        """Scores within the lists of every system, 0 where it lacks the candidate."""
        return np.stack(
            [self._normalised(row, found, normalisation) for row, found in zip(self.scores, self.found, strict=True)]
        )

    def _normalised(self, scores: Floats, found: Bools, normalisation: Normalisation) -> Floats:
        values, group, lists = scores[found], self.group_of[found], self.offsets.size - 1
        if normalisation == "min-max":
            low, high = np.full(lists, np.inf), np.full(lists, -np.inf)
            np.minimum.at(low, group, values)
            np.maximum.at(high, group, values)
            values = (values - low[group]) / np.maximum((high - low)[group], _LEAST_RANGE)
        elif normalisation == "z":
            counts = np.maximum(np.bincount(group, minlength=lists), 1)
            values = values - (np.bincount(group, values, lists) / counts)[group]
            deviation = np.sqrt(np.bincount(group, values**2, lists) / counts)
            values = values / np.maximum(deviation[group], _LEAST_RANGE)
        out = np.zeros(scores.size)
        out[found] = values
        return out

    def at_places(self, value: Callable[[Floats], Floats]) -> Floats:
        """A function of the place, 0 where the system lacks the candidate."""
        out = np.zeros(self.places.shape)
        out[self.found] = value(self.places[self.found].astype(np.float64))
        return out

    def points(self) -> Floats:
        """Borda's points."""
        size = np.diff(self.offsets)[self.group_of]
        points = np.where(self.found, size - self.places + 1.0, 0.0)
        for own, found in zip(points, self.found, strict=True):
            listed = np.bincount(self.group_of[found], minlength=self.offsets.size - 1)[self.group_of]
            own[~found] = ((size - listed + 1) / 2)[~found]
        return points


@dataclass(frozen=True)
class Fusion:
    """A way to fuse the rankings of several systems: a method, and its options.

    O(systems x candidates) time and memory.

    Examples
    --------
    >>> import numpy as np
    >>> scores, places = [[9.0, 7.0, 0.0], [0.0, 0.8, 0.9]], [[1, 2, 0], [0, 2, 1]]
    >>> told = SystemScores(np.array([0, 3]), np.array(scores), np.array(places))
    >>> Fusion("combsum").scores(told).tolist()
    [1.0, 0.0, 1.0]
    >>> [round(score, 5) for score in Fusion("rrf").scores(told).tolist()]
    [0.01639, 0.03226, 0.01639]
    >>> Fusion("combsum", weights=(2, 1)).scores(told).tolist()
    [2.0, 0.0, 1.0]
    """

    method: str = "rrf"
    normalisation: Normalisation = "min-max"  # of scores, for methods that add them up
    weights: tuple[float, ...] = ()  # one for each system; none: all 1
    constant: float = RRF_CONSTANT  # of RRF

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"there is no method of fusion {self.method!r}; there are: {', '.join(METHODS)}.")
        if self.normalisation not in NORMALISATIONS:
            known = ", ".join(NORMALISATIONS)
            raise UsageError(f"there is no normalisation {self.normalisation!r} of scores; there are: {known}.")
        for weight in self.weights:
            if not math.isfinite(weight) or weight < 0:
                raise UsageError(f"weights of systems are numbers from 0; found {weight}.")
        if not (math.isfinite(self.constant) and self.constant >= 0):
            raise UsageError(f"the constant of RRF is a number from 0; found {self.constant}.")

    def check(self, systems: Sequence[str]) -> None:
        """Raise unless there is a weight for every system, or none at all."""
        if self.weights and len(self.weights) != len(systems):
            raise UsageError(f"there are {len(systems)} systems and {len(self.weights)} weights; give one for each.")

    def scores(self, told: SystemScores) -> Floats:
        """The fused score of every candidate."""
        given = METHODS[self.method](self, told)
        weights = np.array(self.weights or np.ones(len(given)))
        total: Floats = weights @ given
        if self.method in ("combmnz", "isr"):
            return total * told.hits
        if self.method == "log-isr":
            return total * np.log(np.maximum(told.hits, 1))
        return total


def _of_scores(fusion: Fusion, told: SystemScores) -> Floats:
    return told.normalised(fusion.normalisation)


def _inverse_squares(_: Fusion, told: SystemScores) -> Floats:
    return told.at_places(lambda place: place**-2)


def _reciprocal(fusion: Fusion, told: SystemScores) -> Floats:
    return told.at_places(lambda place: 1 / (fusion.constant + place))


def _points(_: Fusion, told: SystemScores) -> Floats:
    return told.points()


METHODS: dict[str, Callable[[Fusion, SystemScores], Floats]] = {
    "rrf": _reciprocal,
    "combsum": _of_scores,
    "combmnz": _of_scores,
    "borda": _points,
    "isr": _inverse_squares,
    "log-isr": _inverse_squares,
}
