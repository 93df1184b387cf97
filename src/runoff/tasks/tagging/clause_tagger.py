"""Taggers of clauses: one for their starts, one for their ends, and the best brackets that balance."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.tasks.tagging.bracket_column import brackets_of
from runoff.tasks.tagging.clause_patterns import with_patterns
from runoff.tasks.tagging.clause_templates import plain_columns
from runoff.tasks.tagging.clauses import best_clauses, clause_spans
from runoff.tasks.tagging.token_features import check_columns

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Floats, Ints
    from runoff.tasks.tagging.corpus import Column, Corpus
    from runoff.tasks.tagging.spans import Spans
    from runoff.tasks.tagging.tagger import Tagger

_LEAST = 1e-12  # probability of what a tagger thinks impossible, so that some brackets always balance


@dataclass(frozen=True, eq=False)
class ClauseTagger:
    """Gives every token of a corpus the brackets of the clauses that start and end there, as in CoNLL-2001.

    The tags of both taggers are numbers of clauses. That of ends sees what that of starts has found; the brackets with
    the highest product of both taggers' probabilities are chosen among all that balance.

    Examples
    --------
    >>> from runoff.tasks.tagging.clause_training import train_clauses
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> words, tags = "I know he left .".split(), "PRP VBP PRP VBD .".split()
    >>> clauses = ["(S*", "*", "(S*", "*S)", "*S)"]
    >>> corpus = Corpus.of({"word": words * 9, "pos": tags * 9, "clause": clauses * 9}, sizes=[5] * 9)
    >>> train_clauses(corpus).label(Corpus.of({"word": words, "pos": tags}, sizes=[5])).texts()
    ['(S*', '*', '(S*', '*S)', '*S)']
    """

    column: str  # name of the brackets
    starts: Tagger
    ends: Tagger
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def needs(self) -> list[str]:
        """Columns that sentences must have."""
        return list(dict.fromkeys(name for each in self._both for name in plain_columns(each.features.templates)))

    @property
    def _both(self) -> tuple[Tagger, Tagger]:
        return self.starts, self.ends

    def label(self, corpus: Corpus) -> Column:
        """The brackets of every token. O(tokens x (templates + numbers² + depth numbers))."""
        return brackets_of(self.spans(corpus), corpus.offsets)

    def spans(self, corpus: Corpus) -> Spans:
        """The clauses of all sentences."""
        found = self.scores(corpus)
        firsts, stops = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for first, stop in pairwise(corpus.offsets.tolist()):
            spans, _ = best_clauses(*(scores[first:stop] for scores in found))
            firsts.append(spans.starts + first)
            stops.append(spans.stops + first)
        return clause_spans(np.concatenate(firsts), np.concatenate(stops))

    def scores(self, corpus: Corpus) -> tuple[Floats, Floats]:
        """Log-probabilities that 0, 1, 2, … clauses start at a token, a row each, and that so many end."""
        check_columns(corpus, self.needs)
        starts = numbers_of(self.starts, with_patterns(corpus))
        ends = numbers_of(self.ends, with_patterns(corpus, likeliest(starts)))
        return np.log(np.maximum(starts, _LEAST)), np.log(np.maximum(ends, _LEAST))

    def save(self, path: str | Path) -> None:
        """Write one file that `load_tagger` opens; nothing in it can run code."""
        from runoff.tasks.tagging.tagger_file import save_clauses

        save_clauses(self, path)

    def __repr__(self) -> str:
        counts = " and ".join(f"{each.features.n_features:,}" for each in self._both)
        return f"ClauseTagger({self.column}: {counts} features of starts and ends)"


def numbers_of(tagger: Tagger, corpus: Corpus) -> Floats:
    """Probabilities of the numbers 0, 1, 2, …, which are the tags of a tagger, at every token.

    Examples
    --------
    >>> from runoff.learners import ChainCRF
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> from runoff.tasks.tagging.training import train_tagger
    >>> corpus = Corpus.of({"word": ["a", "b"], "starts": ["2", "0"]}, sizes=[2])
    >>> numbers_of(train_tagger(corpus, "starts", "pos", learner=ChainCRF(), min_count=1), corpus).round(1).tolist()
    [[0.2, 0.0, 0.8], [0.8, 0.0, 0.2]]
    """
    marginals, numbers = tagger.marginals(corpus), list(map(int, tagger.tags))
    found = np.zeros((len(marginals), 1 + max(numbers)))
    found[:, numbers] = marginals
    return found


def likeliest(probabilities: Floats) -> Ints:
    """The number with the highest probability at every token.

    Examples
    --------
    >>> likeliest(np.array([[0.2, 0.5, 0.3], [1.0, 0.0, 0.0]])).tolist()
    [1, 0]
    """
    found: Ints = probabilities.argmax(axis=1)
    return found
