"""A tagger that goes from left to right and decides by boosted trees over features and the tags before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from runoff.features.sequences import BEFORE_LAST, LAST
from runoff.model.chain_shape import context_codes
from runoff.nbest import Features

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints
    from runoff.features.sequences import Sequences
    from runoff.features.trees import Trees


@dataclass(frozen=True, eq=False)
class HistoryColumns:
    """Columns of a table of tokens: features, then the last tag, then history features with their contexts."""

    n_features: int
    n_tags: int
    rows: Ints  # of every history feature, its contexts in `contexts`, in ascending order
    contexts: Ints
    has_transitions: bool = True

    @classmethod
    def of(cls, data: Sequences) -> HistoryColumns:
        """The contexts that occur in sequences with tags. O(stored numbers log)."""
        feature, context = _contexts(data, *_before(data, _tags(data)))
        pairs = np.unique(np.column_stack([feature, context]), axis=0) if feature.size else np.zeros((0, 2), np.int64)
        counts = np.bincount(pairs[:, 0], minlength=data.modes.size)
        rows = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return cls(data.n_features, data.n_tags, rows, pairs[:, 1].astype(np.int64), data.transitions)

    @property
    def width(self) -> int:
        """Number of columns."""
        return self.n_features + self.n_tags + 1 + self.contexts.size

    def table(self, data: Sequences, tokens: Ints, last: Columns, before_last: Columns) -> Features:
        """Rows of some tokens after the tags before them. O(stored numbers log)."""
        own = np.diff(data.indptr)[tokens]
        at = np.repeat(data.indptr[tokens] - np.cumsum(own) + own, own) + np.arange(own.sum())
        columns, rows = [data.features[at].astype(np.int64)], [np.repeat(np.arange(tokens.size), own)]
        if self.has_transitions:
            columns.append(self.n_features + last.astype(np.int64))
            rows.append(np.arange(tokens.size))
        if self.contexts.size:
            many = np.diff(data.history_indptr)[tokens]
            places = np.repeat(data.history_indptr[tokens] - np.cumsum(many) + many, many) + np.arange(many.sum())
            feature, row = data.history[places], np.repeat(np.arange(tokens.size), many)
            context = context_codes(data.modes[feature], last[row], before_last[row], self.n_tags)
            found, is_known = self._find(feature, context)
            columns.append(self.n_features + self.n_tags + 1 + found[is_known])
            rows.append(row[is_known])
        column, row = np.concatenate(columns), np.concatenate(rows)
        order = np.lexsort((column, row))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=tokens.size))]).astype(np.int64)
        return Features.from_csr(indptr, column[order].astype(np.int32), None, self.width)

    def _find(self, feature: Columns, context: Ints) -> tuple[Ints, Ints]:
        """Place of every pair of a history feature and a context, and whether it has one."""
        size = (self.n_tags + 1) ** 2
        keys = np.repeat(np.arange(self.rows.size - 1), np.diff(self.rows)) * size + self.contexts
        wanted = feature.astype(np.int64) * size + context
        places = np.minimum(np.searchsorted(keys, wanted), max(keys.size - 1, 0))
        return places, keys[places] == wanted


@dataclass(frozen=True, eq=False)
class TreeChainModel:
    """Tags from left to right: the label with the highest sum of trees, given the tags before."""

    trees: Trees
    columns: HistoryColumns
    labels: Columns  # the tag of every output; two of them for a single output

    @property
    def n_tags(self) -> int:
        """Number of tags."""
        return self.columns.n_tags

    def first_rounds(self, count: int) -> TreeChainModel:
        """The model as it was after so many rounds of boosting."""
        return replace(self, trees=self.trees.first_rounds(count))

    def best(self, data: Sequences) -> Columns:
        """The tags of every token; all sequences go one token on at a time. O(tokens x trees)."""
        return self._walk(data, None)

    def log_probabilities(self, data: Sequences) -> Floats:
        """Of every tag at every token, after the best tags before it; the sums of trees as log-odds, normalised."""
        out = np.full((data.n_tokens, self.n_tags), -np.inf)
        self._walk(data, out)
        return out

    def _walk(self, data: Sequences, chances: Floats | None) -> Columns:
        out = np.zeros(data.n_tokens, np.int32)
        lengths, n_tags = np.diff(data.offsets), self.n_tags
        for at in range(int(lengths.max(initial=0))):
            tokens = data.offsets[:-1][lengths > at] + at
            last, before_last = (
                np.where(at >= back, out[np.maximum(tokens - back, 0)], n_tags).astype(np.int32) for back in (1, 2)
            )
            scores = self._scores(self.columns.table(data, tokens, last, before_last))
            out[tokens] = self.labels[scores.argmax(axis=1)]
            if chances is not None:
                own = -np.logaddexp(0.0, -2.0 * scores)  # of 1 / (1 + exp(-2F)), as AdaBoost's
                chances[np.ix_(tokens, self.labels)] = own - np.logaddexp.reduce(own, axis=1, keepdims=True)
        return out

    def _scores(self, table: Features) -> Floats:
        """One column for every label."""
        scores: Floats = self.trees.scores(table, np.arange(self.columns.width))
        return np.column_stack([-scores, scores]) if scores.shape[1] == 1 else scores


def training_table(data: Sequences, columns: HistoryColumns) -> Features:
    """Rows of all tokens after the right tags."""
    last, before_last = _before(data, _tags(data))
    return columns.table(data, np.arange(data.n_tokens), last, before_last)


def _tags(data: Sequences) -> Columns:
    if data.tags is None:
        raise ValueError("the sequences have no tags.")
    return data.tags


def _before(data: Sequences, tags: Columns) -> tuple[Columns, Columns]:
    """The last tag and the one before at every token; `n_tags` where there is none."""
    inside = np.arange(data.n_tokens) - np.repeat(data.offsets[:-1], np.diff(data.offsets))
    last, before = (
        np.where(inside >= back, np.roll(tags, back), data.n_tags).astype(np.int32) for back in (LAST, BEFORE_LAST)
    )
    return last, before


def _contexts(data: Sequences, last: Columns, before_last: Columns) -> tuple[Columns, Ints]:
    token = np.repeat(np.arange(data.n_tokens), np.diff(data.history_indptr))
    return data.history, context_codes(data.modes[data.history], last[token], before_last[token], data.n_tags)
