"""Taggers that go from left to right and look at the tags that they have given: passes of training, and a beam."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.chain_perceptron import MISTAKES, STEPS
from runoff.kernels.chain_rows import place_of
from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.chain_perceptron import ChainSums
    from runoff.kernels.chain_scores import ChainTokens, ChainWeights

_LAST, _BEFORE_LAST = 1, 2


@compiled
def context_of(mode: int, last: int, before_last: int, n_tags: int) -> int:  # pragma: no cover - compiled
    """Number of the context of a history feature; `n_tags` stands for no tag."""
    if mode == _LAST:
        return last
    return before_last if mode == _BEFORE_LAST else last * (n_tags + 1) + before_last


@compiled
def token_scores(
    token: int, last: int, before_last: int, tokens: ChainTokens, modes: Columns, weights: ChainWeights, out: Floats
) -> None:  # pragma: no cover - compiled
    """Scores of the tags of a token after two tags. O(features x their tags)."""
    n_tags = weights.starts.size
    out[:] = weights.transitions[last] if last < n_tags else weights.starts
    for place in range(tokens.indptr[token], tokens.indptr[token + 1]):
        feature = tokens.features[place]
        for pair in range(weights.rows[feature], weights.rows[feature + 1]):
            out[weights.row_tags[pair]] += weights.weights[pair]
    for place in range(tokens.history_indptr[token], tokens.history_indptr[token + 1]):
        feature = tokens.history[place]
        begin = context_of(modes[feature], last, before_last, n_tags) * n_tags
        end = weights.history_rows[feature + 1]
        at = first_from(weights.history_rows[feature], end, weights.history_codes, begin)
        while at < end and weights.history_codes[at] < begin + n_tags:
            out[weights.history_codes[at] - begin] += weights.history_weights[at]
            at += 1


@compiled
def first_from(first: int, last: int, codes: Ints, code: int) -> int:  # pragma: no cover - compiled
    """The first place of a row in ascending order whose code is not below another. O(log)."""
    while first < last:
        middle = (first + last) // 2
        if codes[middle] < code:
            first = middle + 1
        else:
            last = middle
    return first


@compiled
def _move(
    token: int,
    last: int,
    before_last: int,
    tag: int,
    amount: float,
    late: float,
    tokens: ChainTokens,
    modes: Columns,
    weights: ChainWeights,
    sums: ChainSums,
) -> None:  # pragma: no cover - compiled
    n_tags = weights.starts.size
    if last < n_tags:
        weights.transitions[last, tag] += amount
        sums.transitions[last, tag] += amount * late
    else:
        weights.starts[tag] += amount
        sums.starts[tag] += amount * late
    for place in range(tokens.indptr[token], tokens.indptr[token + 1]):
        feature = tokens.features[place]
        pair = place_of(weights.rows[feature], weights.rows[feature + 1], weights.row_tags, tag)
        if pair >= 0:
            weights.weights[pair] += amount
            sums.weights[pair] += amount * late
    for place in range(tokens.history_indptr[token], tokens.history_indptr[token + 1]):
        feature = tokens.history[place]
        code = context_of(modes[feature], last, before_last, n_tags) * n_tags + tag
        pair = place_of(weights.history_rows[feature], weights.history_rows[feature + 1], weights.history_codes, code)
        if pair >= 0:
            weights.history_weights[pair] += amount
            sums.history_weights[pair] += amount * late


@compiled
def greedy_pass(
    order: Ints,
    tokens: ChainTokens,
    modes: Columns,
    tags: Columns,
    weights: ChainWeights,
    sums: ChainSums,
    is_logistic: bool,
    rate: float,
    counters: Ints,
) -> None:  # pragma: no cover - compiled
    """Visit the tokens of sequences from left to right, after the tags that the weights give.

    The perceptron moves by 1 where a tag is wrong; the logistic one by `rate` times the slope of `-log p(right)`.
    """
    n_tags = weights.starts.size
    scores = np.empty(n_tags)
    for sequence in order:
        last, before_last = n_tags, n_tags
        for token in range(tokens.offsets[sequence], tokens.offsets[sequence + 1]):
            late = float(counters[STEPS])
            counters[STEPS] += 1
            token_scores(token, last, before_last, tokens, modes, weights, scores)
            found, right = int(np.argmax(scores)), tags[token]
            counters[MISTAKES] += found != right
            if is_logistic:
                scores -= scores[found]
                np.exp(scores, scores)
                scores /= scores.sum()
                for tag in range(n_tags):
                    slope = scores[tag] - (1.0 if tag == right else 0.0)
                    if abs(slope) > 1e-6:
                        _move(token, last, before_last, tag, -rate * slope, late, tokens, modes, weights, sums)
            elif found != right:
                _move(token, last, before_last, right, 1.0, late, tokens, modes, weights, sums)
                _move(token, last, before_last, found, -1.0, late, tokens, modes, weights, sums)
            last, before_last = found, last


@compiled
def beam_labels(
    begin: int,
    end: int,
    tokens: ChainTokens,
    modes: Columns,
    weights: ChainWeights,
    is_logistic: bool,
    beam: int,
    out: Columns,
) -> None:  # pragma: no cover - compiled
    """Tags of sequences from left to right, with the best `beam` taggings so far. O(tokens x beam x tags).

    Ties go to the better tagging so far, then to the lower tag.
    """
    n_tags = weights.starts.size
    scores = np.empty(n_tags)
    for sequence in range(begin, end):
        first, last_token = tokens.offsets[sequence], tokens.offsets[sequence + 1]
        n = last_token - first
        tag_at, from_at = np.empty((n, beam), np.int32), np.empty((n, beam), np.int32)
        value, last, before = np.zeros(beam), np.full(beam, n_tags), np.full(beam, n_tags)
        alive = 1
        for at in range(n):
            new_value, new_tag, new_from = np.full(beam, -np.inf), np.zeros(beam, np.int64), np.zeros(beam, np.int64)
            many = 0
            for one in range(alive):
                token_scores(first + at, last[one], before[one], tokens, modes, weights, scores)
                if is_logistic:
                    most = scores.max()
                    scores -= most + np.log(np.exp(scores - most).sum())
                for tag in range(n_tags):
                    total = value[one] + scores[tag]
                    if many == beam and total <= new_value[beam - 1]:
                        continue
                    place = min(many, beam - 1)
                    while place > 0 and new_value[place - 1] < total:
                        new_value[place], new_tag[place], new_from[place] = (
                            new_value[place - 1],
                            new_tag[place - 1],
                            new_from[place - 1],
                        )
                        place -= 1
                    new_value[place], new_tag[place], new_from[place] = total, tag, one
                    many = min(beam, many + 1)
            old_last = last.copy()
            for one in range(many):
                tag_at[at, one], from_at[at, one] = new_tag[one], new_from[one]
                last[one], before[one] = new_tag[one], old_last[new_from[one]]
            value[:] = new_value
            alive = many
        one = 0
        for at in range(n - 1, -1, -1):
            out[first + at] = tag_at[at, one]
            one = from_at[at, one]
