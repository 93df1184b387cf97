"""`LinearModel`: the sparse linear model in which every learner ends."""

from __future__ import annotations

import dataclasses
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff import ranking
from runoff.arrays import frozen
from runoff.errors import ModelError, UsageError
from runoff.features import align, of_texts, prepare
from runoff.kernels.groups import softmax
from runoff.kernels.sparse_rows import row_products
from runoff.model.choices import Choice, Choices
from runoff.model.explanation import BASE, Contribution, Explanation
from runoff.nbest import NBest
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping

    from runoff.arrays import Floats, Ints
    from runoff.model.path import Path
    from runoff.model.votes import Votes

_ROWS_PER_PIECE = 1 << 16


@dataclass(frozen=True)
class Unseen:
    """Features of some data that the model never saw in training and therefore ignores."""

    columns: int
    of_columns: int
    values: int
    of_values: int

    def __str__(self) -> str:
        share = self.values / self.of_values if self.of_values else 0.0
        return (
            f"{self.columns:,} of {self.of_columns:,} features were not seen in training and are ignored "
            f"({share:.1%} of the stored values)."
        )


@dataclass(frozen=True, eq=False, repr=False)
class LinearModel:
    """Score of a candidate: `base_weight * base + weights · features`.

    Features are matched by name. `preparation` lists the steps that turn new data into the features that
    the weights are for; `provenance` says how the model came about.

    With `votes` the score of a candidate is its share of the votes (Freund & Schapire 1999) and so is its probability;
    candidates without a vote follow in the first round's order. The weights are then the mean of the vectors that vote.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> model = LinearModel.of({"length": -1.0, "lm": 2.0})
    >>> data = NBest.from_arrays([[3, 1], [2, 1]], sizes=[2], feature_names=["length", "lm"], texts=["a b c", "a b"])
    >>> model.pick(data)[0].text
    'a b'
    """

    weights: Floats
    names: pa.Array
    base_weight: float = 0.0
    preparation: tuple[Mapping[str, Any], ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None  # how the weights came about, where the learner took one at a time
    votes: Votes | None = None  # the vectors that choose together, where the learner kept them
    _last: list[tuple[weakref.ref[NBest], NBest]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(cls, weights: Mapping[str, float], base_weight: float = 0.0) -> LinearModel:
        """Build by hand from named weights."""
        values = frozen(np.fromiter(weights.values(), np.float64, len(weights)))
        return cls(values, pa.array(list(weights), pa.large_string()), base_weight)

    # ---------------------------------------------------------------- scores and choices

    def scores(self, data: NBest) -> Floats:
        """Score of every candidate, in the order in which the rows of the data came in. O(stored values).

        A share of the votes where there are `votes`, at the cost of `runoff.model.Tally`.
        """
        return data.in_input_order(self._scores(self.prepare(data)))

    def probability(self, data: NBest) -> Floats:
        """Softmax of the scores within each group, or shares of the votes, in the order in which the rows came in."""
        return data.in_input_order(self._probabilities(data, self._scores(self.prepare(data))))

    def ranking(self, data: NBest) -> ranking.Ranking:
        """Candidates of every group from best to worst, as rows of the data."""
        return ranking.by_score(data, self._scores(self.prepare(data)))

    def rank(self, data: NBest) -> Ints:
        """Place of every candidate in its group, 1 for the winner, in the order in which the rows came in."""
        order = self.ranking(data)
        places = np.empty(data.n_candidates, np.int64)
        places[order.rows] = np.arange(data.n_candidates) - np.repeat(data.offsets[:-1], data.sizes) + 1
        return data.in_input_order(places)

    def pick(self, data: NBest) -> Choices:
        """Pick the winner of every group, in the order in which the groups came in.

        Ties go to the higher first-round score, then to the candidate that came earlier.
        """
        return self._choices(data, self._scores(self.prepare(data)))

    def top(self, data: NBest, k: int) -> list[list[Choice]]:
        """The k best candidates of every group (fewer where the group has fewer), best first."""
        if k < 1:
            raise UsageError(f"top needs k of at least 1; found {k}.")
        scores = self._scores(self.prepare(data))
        return self._choices(data, scores).top(ranking.by_score(data, scores), k)

    def explain(self, data: NBest, group: str | int, against: str | int | None = None) -> Explanation:
        """Say why the winner of a group leads a rival.

        `group` is an id (text) or an index; `against` is a candidate's id (text) or its place in the group,
        by default the first round's choice, or the runner-up where the first round's choice won. Where vectors
        vote, the contributions are those of their mean, beside the votes that the two got.
        """
        if not isinstance(group, str) and not -len(data) <= group < len(data):
            raise UsageError(f"there are {len(data)} groups, counted from 0; found {group}.")
        part = data[data.find(group) if isinstance(group, str) else group]
        if part.n_candidates < 2:
            raise UsageError(
                f"group {part.group_ids[0].as_py()!r} has {part.n_candidates} candidate(s): nothing to compare."
            )
        scores = self._scores(self.prepare(part))
        choices, order = self._choices(part, scores), ranking.by_score(part, scores).rows
        winner = choices[0]
        if against is None:
            rival = winner.first if winner.first != winner.index else _runner_up(part, order)
        else:
            rival = _place(part, against)
            if rival == winner.index:
                raise UsageError(f"candidate {against!r} is the winner itself; name another one to compare it with.")
        return self._explanation(part, winner, choices.candidate(0, rival))

    def unseen(self, data: NBest) -> Unseen:
        """Count the features of the data that training never saw. O(stored values).

        A model of texts makes features by itself, and which of them it weighs is its own affair: then only those count
        that the candidates carry, where the model looks at these at all.
        """
        step, names = of_texts(self.preparation), self.names
        features = (self.prepare(data) if step is None else data).features.check()
        names = names if step is None else step.get("carried", features.column_names())
        if not (self.weights.size or self.preparation):
            return Unseen(0, 0, 0, 0)  # it weighs nothing, on purpose
        known = align(features, names) >= 0
        used = features.indices[features.indptr[0] : features.indptr[-1]]
        known_values = int(np.bincount(used, minlength=features.n_columns)[known].sum()) if used.size else 0
        return Unseen(int((~known).sum()), features.n_columns, features.n_stored - known_values, features.n_stored)

    def prepare(self, data: NBest) -> NBest:
        """Do to the data what was done to the training data."""
        if not isinstance(data, NBest):
            raise UsageError(f"a model chooses in an NBest (see NBest.from_arrays); found {type(data).__name__}.")
        if not self.preparation:
            return data
        # Choosing, judging and explaining the same data in a row prepare it once.
        last = next(iter(self._last), None)
        if last is None or last[0]() is not data:
            kept = self._last  # forgotten with the data
            last = weakref.ref(data, lambda _: kept.clear()), prepare(data, self.preparation)
            kept[:] = [last]
        return last[1]

    # ---------------------------------------------------------------- the model itself

    @property
    def metric(self) -> str | None:
        """What the model was trained to be good at, where that is known."""
        metric = self.provenance.get("parameters", {}).get("metric")
        return metric if isinstance(metric, str) else None

    @property
    def n_active(self) -> int:
        """Number of weights that are not zero."""
        return int(np.count_nonzero(self.weights))

    def prefix(self, rounds: int) -> LinearModel:
        """The model after that many rounds of its path, for learners that move one weight at a time."""
        if self.path is None:
            raise UsageError("this model was not built round by round, so it has no prefixes.")
        weights = frozen(self.path.weights(self.weights.size, rounds))
        of_the_whole = ("loss", "active", "dev")
        provenance = {name: value for name, value in self.provenance.items() if name not in of_the_whole}
        return dataclasses.replace(self, weights=weights, provenance={**provenance, "rounds": int(rounds)}, votes=None)

    def heaviest(self, n: int = 20) -> list[tuple[str, float]]:
        """Names and weights of the n largest weights, by size."""
        order = np.argsort(-np.abs(self.weights), kind="stable")[:n]
        return [(self.names[int(at)].as_py(), float(self.weights[at])) for at in order]

    def save(self, path: str | pathlib.Path) -> None:
        """Write to one file that is safe to open (Arrow and JSON in a zip); a crash leaves the old file."""
        from runoff.model.file import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        # Worker processes get models this way; what was prepared last stays here.
        return {**self.__dict__, "_last": []}

    def __repr__(self) -> str:
        learner = f"{self.provenance['learner']}, " if "learner" in self.provenance else ""
        voted = "" if self.votes is None else f", voted by {self.votes.n_voters:,} vectors"
        weights = f"{self.n_active:,} of {self.weights.size:,} weights"
        return f"LinearModel({learner}{weights}, base {self.base_weight:.4g}{voted})"

    def _choices(self, data: NBest, scores: Floats) -> Choices:
        scores = frozen(scores)
        return Choices(data, ranking.winners(data, scores), scores, self._probabilities(data, scores))

    def _probabilities(self, data: NBest, scores: Floats) -> Floats:
        # Votes are shares already; a softmax of them would call nearly even what nearly all voted for.
        return scores if self.votes is not None else softmax(data.offsets, frozen(scores))

    def _scores(self, prepared: NBest) -> Floats:
        if self.votes is not None:
            return self.votes.shares(prepared, self.names)
        features = prepared.features.check()
        columns = align(features, self.names)
        weights = np.where(columns >= 0, self.weights[columns], 0.0) if self.weights.size else np.zeros(columns.size)
        out = np.empty(prepared.n_candidates)
        cuts = even_cuts(features.indptr - features.indptr[0], 1 + prepared.n_candidates // _ROWS_PER_PIECE)

        def piece(at: int) -> None:
            row_products(
                features.indptr,
                features.indices,
                features.values,
                weights,
                cuts[at],
                out[cuts[at] : cuts[at + 1]],
            )

        in_threads(piece, range(cuts.size - 1))
        if self.base_weight:
            out += self.base_weight * self._base_of(prepared)
        return out

    def _base_of(self, data: NBest) -> Floats:
        if data.base is None:
            raise ModelError(
                f"the model weighs the first round's score (by {self.base_weight:.4g}) and this data has none; "
                "add base scores, or train without them."
            )
        return data.base

    def _explanation(self, part: NBest, winner: Choice, rival: Choice) -> Explanation:
        prepared = self.prepare(part)
        names = prepared.features.column_names()
        columns = align(prepared.features, self.names)
        table = prepared.features.to_scipy()
        mine, other = (_row(table, choice.index) for choice in (winner, rival))
        parts, ignored = [], 0
        if self.base_weight:
            base = self._base_of(prepared)
            a, b = float(base[winner.index]), float(base[rival.index])
            lead = self.base_weight * a - self.base_weight * b
            parts.append(Contribution(BASE, a, b, self.base_weight, lead))
        for column in sorted(mine.keys() | other.keys()):
            if columns[column] < 0:
                ignored += 1
                continue
            weight = float(self.weights[columns[column]])
            a, b = mine.get(column, 0.0), other.get(column, 0.0)
            if weight and a != b:
                parts.append(Contribution(names[column].as_py(), a, b, weight, weight * a - weight * b))
        parts.sort(key=lambda each: -abs(each.amount))
        total = None if self.votes is None else self.votes.total
        return Explanation(winner, rival, tuple(parts), ignored, total)


def _row(table: Any, row: int) -> dict[int, float]:
    """Values by column; a column that the row has twice counts twice, as it does in the score."""
    start, stop = table.indptr[row], table.indptr[row + 1]
    values: dict[int, float] = {}
    for column, value in zip(table.indices[start:stop].tolist(), table.data[start:stop].tolist(), strict=True):
        values[column] = values.get(column, 0.0) + value
    return values


def _runner_up(part: NBest, order: Ints) -> int:
    """The best candidate that says something else than the winner; the next one where all say the same."""
    if part.texts is not None:
        said = part.texts[int(order[0])].as_py()
        for row in order[1:].tolist():
            if part.texts[row].as_py() != said:
                return int(row)
    return int(order[1])


def _place(part: NBest, candidate: str | int) -> int:
    if isinstance(candidate, str) and part.candidate_ids is not None:
        ids = part.candidate_ids.to_pylist()
        if candidate in ids:
            return int(ids.index(candidate))
    try:
        return range(part.n_candidates)[int(candidate)]
    except (ValueError, IndexError):
        group = part.group_ids[0].as_py()
        raise UsageError(
            f"group {group!r} has no candidate {candidate!r}; it has {part.n_candidates}, counted from 0."
        ) from None
