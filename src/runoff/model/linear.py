"""`LinearModel`: the sparse linear model that every learner produces."""

from __future__ import annotations

import dataclasses
import html
import weakref
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from runoff import ranking
from runoff.arrays import frozen
from runoff.errors import ModelError, UsageError
from runoff.features import align, featurizer_in, prepare
from runoff.kernels.groups import softmax
from runoff.kernels.sparse_rows import row_products
from runoff.model.choices import Choice, Choices
from runoff.model.contributions import are_copies, best_copy, contributions, find_candidate, runner_up
from runoff.model.explanation import Explanation
from runoff.model.known_features import known_columns
from runoff.model.learning_curve import learning_curve_of
from runoff.nbest import NBest
from runoff.nbest.anything import as_nbest
from runoff.parallel import even_cuts, in_threads
from runoff.tables import html_bars

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Mapping

    from runoff.arrays import Bools, Floats, Ints
    from runoff.model.calibration import Calibration
    from runoff.model.explanation import Contribution
    from runoff.model.learning_curve import LearningCurve
    from runoff.model.training_path import TrainingPath
    from runoff.model.votes import Votes
    from runoff.nbest.anything import NBestLike

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

    Data may be an `NBest`, a list of records as in Runoff's JSON lines, or a list of lists of texts.

    Features are matched by name; data with features, none of which the model knows, is refused. `preparation` lists the
    steps that turn new data into the features that the weights are for; `provenance` says how the model was trained.

    With `votes` the score of a candidate is its share of the votes (Freund & Schapire 1999) and so is its probability;
    candidates without a vote follow in the first round's order. The weights are then the mean of the vectors that vote.

    With `calibration` every choice has a confidence that it is the best; see `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> model = LinearModel.of({"length": -1.0, "lm": 2.0})
    >>> data = NBest.from_arrays([[3, 1], [2, 1]], sizes=[2], feature_names=["length", "lm"], texts=["a b c", "a b"])
    >>> model.pick(data)[0].text
    'a b'
    """

    keeps_missing: ClassVar[bool] = False  # whether missing values stay so in prepared data
    weights: Floats
    names: pa.Array
    base_weight: float = 0.0
    preparation: tuple[Mapping[str, Any], ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    training_path: TrainingPath | None = None  # round by round, if the learner changed one weight at a time
    votes: Votes | None = None  # the vectors that vote, if the learner kept them
    calibration: Calibration | None = None  # of the confidence, if held-out lists were at hand
    _last: list[tuple[weakref.ref[NBest], NBest]] = field(default_factory=list, init=False, repr=False)

    @classmethod
    def of(cls, weights: Mapping[str, float], base_weight: float = 0.0) -> LinearModel:
        """Build by hand from named weights."""
        values = frozen(np.fromiter(weights.values(), np.float64, len(weights)))
        return cls(values, pa.array(list(weights), pa.large_string()), base_weight)

    # ---------------------------------------------------------------- scores and choices

    def scores(self, data: NBestLike) -> Floats:
        """Score of every candidate, in the order in which the rows of the data came in. O(stored values).

        A share of the votes where there are `votes`, at the cost of `runoff.model.VoteTally`.
        """
        data = as_nbest(data)
        return data.in_input_order(self._scores(self.prepare(data)))

    def probabilities(self, data: NBestLike) -> Floats:
        """Softmax of the scores within each group, or shares of the votes, in the order in which the rows came in."""
        data = as_nbest(data)
        return data.in_input_order(self._probabilities(data, self._scores(self.prepare(data))))

    def ranking(self, data: NBest) -> ranking.Ranking:
        """Candidates of every group from best to worst, as rows of the data; of the winner's copies the first leads."""
        return ranking.chosen(data, self._scores(self.prepare(data)))

    def ranks(self, data: NBestLike) -> Ints:
        """Rank of every candidate in its group, 1 for the winner, in the order in which the rows came in."""
        data = as_nbest(data)
        order = self.ranking(data)
        ranks = np.empty(data.n_candidates, np.int64)
        ranks[order.rows] = np.arange(data.n_candidates) - np.repeat(data.offsets[:-1], data.sizes) + 1
        return data.in_input_order(ranks)

    def pick(self, data: NBestLike, *, min_confidence: float = 0.0) -> Choices:
        """Pick the winner of every group, in the order in which the groups came in.

        Ties go to the higher first-round score, then to the candidate that came earlier. Copies of a text are one
        candidate: the text has the score of its best copy and the probability of all of them together, and the copy
        that the first round ranks first is picked. A group whose choice has less than `min_confidence` gets none.

        Examples
        --------
        >>> model = LinearModel.of({"lm": 1.0})
        >>> records = [{"candidates": [{"text": "a", "features": {"lm": -2}}, {"text": "b", "features": {"lm": -1}}]}]
        >>> [choice.text for choice in model.pick(records)]
        ['b']
        """
        data = as_nbest(data)
        choices = self._choices(data, self._scores(self.prepare(data)))
        return choices.at_least(min_confidence) if min_confidence else choices

    def top(self, data: NBestLike, k: int) -> list[list[Choice]]:
        """The k best candidates of every group (fewer where the group has fewer), best first."""
        if k < 1:
            raise UsageError(f"top needs k of at least 1; found {k}.")
        data = as_nbest(data)
        scores = self._scores(self.prepare(data))
        return self._choices(data, scores).top(ranking.chosen(data, scores), k)

    def explain(self, data: NBestLike, group: str | int, against: str | int | None = None) -> Explanation:
        """Say why the winner of a group leads a rival.

        `group` is an id (text) or an index; `against` is a candidate's id (text) or its index in the group,
        by default the first round's choice, or the runner-up where the first round's choice won. Of copies of a
        text, the one with the highest score is explained. Where vectors vote, the contributions are those of their
        mean, beside the votes that the two got.
        """
        data = as_nbest(data)
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
            rival = winner.first if winner.first != winner.index else runner_up(part, order)
        else:
            rival = find_candidate(part, against)
            if rival == winner.index:
                raise UsageError(f"candidate {against!r} is the winner itself; name another one to compare it with.")
            if are_copies(part, rival, winner.index):
                raise UsageError(f"candidate {against!r} has the winner's own text; name one with another text.")
        other = choices.candidate(0, rival)
        sides = (best_copy(part, order, winner.index), best_copy(part, order, rival))
        parts, ignored = self.contributions(self.prepare(part), *sides)
        return Explanation(winner, other, parts, ignored, None if self.votes is None else self.votes.total)

    def contributions(self, prepared: NBest, winner: int, rival: int) -> tuple[tuple[Contribution, ...], int]:
        """What every feature adds to the lead of a candidate over another in the only group of prepared data."""
        return contributions(self, prepared, winner, rival)

    def unseen(self, data: NBest) -> Unseen:
        """Count the features of the data that training never saw. O(stored values).

        For a model with a featurizer, only the features that came with the candidates count, if the model uses these
        at all.
        """
        featurizer, names = featurizer_in(self.preparation), self.names
        features = (self.prepare(data) if featurizer is None else data).features.check(missing=True)
        if featurizer is not None:
            supplied = featurizer.supplied(data)
            names = features.column_names() if supplied is None else supplied
        if not (self.weights.size or self.preparation):
            return Unseen(0, 0, 0, 0)  # it has no weights on purpose
        known = align(features, names) >= 0
        used = features.indices[features.indptr[0] : features.indptr[-1]]
        known_values = int(np.bincount(used, minlength=features.n_columns)[known].sum()) if used.size else 0
        return Unseen(int((~known).sum()), features.n_columns, features.n_stored - known_values, features.n_stored)

    def prepare(self, data: NBest) -> NBest:
        """Prepare data as the training data was prepared."""
        if not isinstance(data, NBest):
            raise UsageError(f"a model prepares an NBest (see NBest.from_records); found {type(data).__name__}.")
        if not self.preparation and (self.keeps_missing or not data.features.has_missing):
            return data
        # Picking, evaluating and explaining the same data one after the other prepares it once.
        last = next(iter(self._last), None)
        if last is None or last[0]() is not data:
            kept = self._last  # forgotten with the data
            prepared = prepare(data, self.preparation, keep_missing=self.keeps_missing)
            last = weakref.ref(data, lambda _: kept.clear()), prepared
            kept[:] = [last]
        return last[1]

    # ---------------------------------------------------------------- the model itself

    @property
    def metric(self) -> str | None:
        """The metric that the model was trained for, if known."""
        metric = self.provenance.get("metric", self.provenance.get("parameters", {}).get("metric"))
        return metric if isinstance(metric, str) else None

    @property
    def learning_curve(self) -> LearningCurve | None:
        """How good models of fewer training lists are, where that was found; see `runoff.learning_curve`."""
        return learning_curve_of(self.provenance)

    @property
    def n_active(self) -> int:
        """Number of weights that are not zero."""
        return int(np.count_nonzero(self.weights))

    @property
    def uses(self) -> Bools:
        """Columns that scores can depend on: those with a weight, also of a vector that votes."""
        used: Bools = self.weights != 0
        if self.votes is not None:  # vectors can differ in weights of which the mean is zero
            used[self.votes.columns] = True
        return used

    def prefix(self, rounds: int) -> LinearModel:
        """The model after that many rounds of its training path, for learners that change one weight at a time."""
        if self.training_path is None:
            raise UsageError("this model was not built round by round, so it has no prefixes.")
        weights = frozen(self.training_path.weights(self.weights.size, rounds))
        provenance = provenance_of_prefix(self.provenance, rounds)
        return dataclasses.replace(self, weights=weights, provenance=provenance, votes=None, calibration=None)

    def heaviest(self, n: int = 20) -> list[tuple[str, float]]:
        """Names and weights of the n largest weights, by size."""
        order = np.argsort(-np.abs(self.weights), kind="stable")[:n]
        return [(self.names[int(at)].as_py(), float(self.weights[at])) for at in order]

    def save(self, path: str | pathlib.Path) -> None:
        """Write to one file that is safe to open (Arrow and JSON in a zip); a crash leaves the old file."""
        from runoff.model.file import save

        save(self, path)

    def __getstate__(self) -> dict[str, Any]:
        # For worker processes; the data that was prepared last is not sent along.
        return {**self.__dict__, "_last": []}

    def _repr_html_(self) -> str:
        weights = self.heaviest(12)
        more = f"<p>{self.n_active - len(weights):,} more</p>" if self.n_active > len(weights) else ""
        curve = "" if self.learning_curve is None else self.learning_curve._repr_html_()
        return f"<p>{html.escape(repr(self))}</p>{html_bars(weights)}{more}{curve}"

    def __repr__(self) -> str:
        learner = f"{self.provenance['learner']}, " if "learner" in self.provenance else ""
        voted = "" if self.votes is None else f", voted by {self.votes.n_voters:,} vectors"
        weights = f"{self.n_active:,} of {self.weights.size:,} weights"
        return f"LinearModel({learner}{weights}, base {self.base_weight:.4g}{voted})"

    def _choices(self, data: NBest, scores: Floats) -> Choices:
        indices, probabilities, raw = ranking.winners(data, frozen(scores)), self._probabilities(data, scores), scores
        copies = data.first_copies
        if copies is not None:
            filled = indices >= 0
            starts = data.offsets[:-1][filled]
            indices[filled] = copies[starts + indices[filled]] - starts
            best = np.full(scores.size, -np.inf)
            np.maximum.at(best, copies, scores)
            together = np.zeros(scores.size)
            np.add.at(together, copies, probabilities)
            scores, probabilities = best[copies], together[copies]
        confidences = None if self.calibration is None else partial(self.calibration.confidences, data, raw)
        return Choices(data, indices, frozen(scores), frozen(probabilities), confidences)

    def _probabilities(self, data: NBest, scores: Floats) -> Floats:
        # Votes are shares already; a softmax would make them nearly uniform.
        return scores if self.votes is not None else softmax(data.offsets, frozen(scores))

    def _scores(self, prepared: NBest) -> Floats:
        columns = known_columns(self, prepared.features)
        if self.votes is not None:
            return self.votes.shares(prepared, self.names)
        features = prepared.features.check()
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
            out += self.base_weight * self.base_of(prepared)
        return out

    def base_of(self, data: NBest) -> Floats:
        """First-round scores of data in which the model has to weigh them."""
        if data.base is None:
            raise ModelError(
                f"the model weighs the first round's score (by {self.base_weight:.4g}) and this data has none; "
                "add base scores, or train without them."
            )
        return data.base


def provenance_of_prefix(provenance: Mapping[str, Any], rounds: int) -> dict[str, Any]:
    """The provenance of a model after fewer rounds, without what is true of the whole model alone."""
    of_the_whole = ("loss", "active", "dev", "history", "learning_curve")
    return {**{name: value for name, value in provenance.items() if name not in of_the_whole}, "rounds": int(rounds)}
