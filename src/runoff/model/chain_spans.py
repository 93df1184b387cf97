"""Spans with the highest expected F1 under a chain: minimum Bayes risk decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.errors import DataError
from runoff.kernels.chain_labels import sequence_scores
from runoff.kernels.chain_spans import best_spans, span_probabilities, tags_of_spans
from runoff.kernels.chain_viterbi import viterbi
from runoff.model.chain_model import pieces_of
from runoff.model.chain_shape import tokens_of
from runoff.parallel import in_threads

if TYPE_CHECKING:
    from runoff.arrays import Bools, Columns, Floats
    from runoff.features.sequences import Sequences
    from runoff.model.chain_model import ChainModel, Constraints

LEAST = 1e-3  # probability of a span that may be chosen; those below cost F1 unless it is under 2 LEAST
EVERY_ERROR = 1.0  # the price at which wrong and missed spans count the same
_MOST_ROUNDS = 100


class SpanTags(NamedTuple):
    """Which tags stand for spans: the type of every tag, -1 for none; and the pairs that continue one."""

    type_of: Columns
    continues: Bools  # tag before, tag
    n_types: int


class SpanDecoding(NamedTuple):
    """Tags of every token, and the expected F1 of their spans."""

    tags: Columns
    expected_f1: float


def decode_spans(
    model: ChainModel,
    data: Sequences,
    rules: SpanTags,
    constraints: Constraints | None = None,
    *,
    price: float | None = None,
) -> SpanDecoding:
    """The tags whose spans have the highest `2 E[right] / (chosen + E[true])` over all sequences together.

    Expected numbers stand for the numbers themselves: this is the F1 of a corpus of many sentences, not the mean of
    every possible F1. For it the choice is exact: with the best F1 as the price of a span, spans that do not overlap
    are chosen by dynamic programming where `2 probability - price` sums to the most, and the price is improved until it
    stays (Dinkelbach 1967). With a given `price`, every sequence is tagged by itself, whatever the others are: a
    price of 1 makes the expected number of wrong and missed spans the least. O(tokens x tags²) and a few passes over
    the probable spans. A sequence whose sums underflow gets its best tagging.
    """
    model.check_probabilistic()
    limits, tokens, weights = model.limits(data, constraints), tokens_of(data), model.weights

    def look(cut: tuple[int, int]) -> list[tuple[Any, ...]]:
        found = []
        for sequence in range(*cut):
            unary, edges = sequence_scores(sequence, tokens, weights, limits)
            many, spans, chances = span_probabilities(
                unary, edges, rules.continues, rules.type_of, rules.n_types, LEAST, 2 * len(unary) + 8
            )
            found.append((unary, edges, many, spans[: max(many, 0)], chances[: max(many, 0)]))
        return found

    each = [one for part in in_threads(look, pieces_of(tokens)) for one in part]
    chosen: list[Bools] = [np.zeros(len(one[3]), bool) for one in each]
    f1 = _choose([(len(one[0]), one[3], one[4]) for one in each], chosen, price)
    tags = np.zeros(data.n_tokens, np.int32)
    for at, (unary, edges, many, spans, _) in enumerate(each):
        path = tags[data.offsets[at] : data.offsets[at + 1]]
        if not path.size:
            continue
        score = -np.inf
        if many >= 0:
            score = tags_of_spans(unary, edges, rules.continues, rules.type_of, spans[chosen[at]], path)
        if score == -np.inf:  # no tagging with these spans is allowed
            score = viterbi(unary, edges, np.empty(unary.shape), np.empty(unary.shape, np.int32), path)
        if score == -np.inf:
            raise DataError(f"the constraints leave no tagging of sequence {at + 1}.")
    return SpanDecoding(tags, f1)


def _choose(each: list[tuple[int, Columns, Floats]], chosen: list[Bools], price: float | None) -> float:
    """The expected F1 of the spans that are chosen at a price, or the best one; `chosen` gets the spans."""
    true = float(sum(chances.sum() for _, _, chances in each))
    best = 0.0
    for _ in range(_MOST_ROUNDS):
        expected = many = 0.0
        for (length, spans, chances), its in zip(each, chosen, strict=True):
            right, number = best_spans(length, spans, chances, best if price is None else price, its)
            expected, many = expected + right, many + number
        better = 2.0 * expected / (many + true) if many else 0.0
        if price is not None or better <= best:
            return max(best, better)
        best = better
    return best
