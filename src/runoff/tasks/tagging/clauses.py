"""Clauses as in the CoNLL-2001 shared task (Tjong Kim Sang & Déjean 2001): nested, and all called S.

The task took the clauses of the Penn Treebank, all labels of which it changed to S, and left out FRAG and RRC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.bracket_balance import best_balance
from runoff.tasks.tagging.bracket_column import bracket_spans
from runoff.tasks.tagging.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.arrays import Columns, Floats, Ints
    from runoff.tasks.tagging.corpus import Corpus

CLAUSE = "S"
CLAUSE_LABELS = ("S", "SBAR", "SBARQ", "SINV", "SQ")  # of the Penn Treebank; not FRAG and RRC


def clauses_of_parses(
    corpus: Corpus, column: str, labels: Iterable[str] = CLAUSE_LABELS, *, keep_equal: bool = True
) -> Spans:
    """The clauses among the constituents of a column of brackets such as `(TOP(S(NP*`; all get the label S.

    Parameters
    ----------
    corpus
        Sentences with their parses.
    column
        The column of the parses.
    labels
        Labels of clauses, without function tags: S-TPC-1 counts as S.
    keep_equal
        Keep clauses of the same tokens apart, such as an SBAR without a complementiser and its S; else one is left.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"parse": ["(TOP(S(NP*)", "(VP*", "(SBAR(S-NOM(VP*", "*)))))"]}, sizes=[4])
    >>> [(span.start, span.stop, span.label) for span in clauses_of_parses(corpus, "parse").of(corpus.offsets)]
    Traceback (most recent call last):
    runoff.errors.DataError: expected a bracket to close 'TOP' in column 'parse' of sentence 1, token 4; ...
    >>> corpus = Corpus.of({"parse": ["(TOP(S(NP*)", "(VP*", "(SBAR(S-NOM(VP*", "*))))))"]}, sizes=[4])
    >>> [(span.start, span.stop, span.label) for span in clauses_of_parses(corpus, "parse").of(corpus.offsets)]
    [(0, 4, 'S'), (2, 4, 'S'), (2, 4, 'S')]
    """
    found = bracket_spans(corpus, column)
    wanted = frozenset(labels)
    is_clause = np.array([_without_functions(label) in wanted for label in found.labels] or [False])
    kept = np.flatnonzero(is_clause[found.codes]) if len(found) else np.zeros(0, np.int64)
    starts, stops = found.starts[kept], found.stops[kept]
    if not keep_equal and starts.size:
        # Equal stretches stand beside each other: an outer one opens before an inner one.
        fresh = np.ones(starts.size, bool)
        fresh[1:] = (starts[1:] != starts[:-1]) | (stops[1:] != stops[:-1])
        starts, stops = starts[fresh], stops[fresh]
    return clause_spans(starts, stops)


def _without_functions(label: str) -> str:
    head = label[1:].partition("-")[0].partition("=")[0]
    return label[:1] + head


def clause_spans(starts: Ints, stops: Ints) -> Spans:
    """Clauses of these tokens.

    Examples
    --------
    >>> clause_spans(np.array([0]), np.array([4])).texts()
    ['S']
    """
    labels = (CLAUSE,) if starts.size else ()
    return Spans(frozen(starts), frozen(stops), frozen(np.zeros(starts.size, np.int32)), labels)


def boundary_counts(spans: Spans, n_tokens: int) -> tuple[Ints, Ints]:
    """How many clauses start at every token, and how many end there. O(tokens + clauses).

    Examples
    --------
    >>> starts, ends = boundary_counts(clause_spans(np.array([0, 1]), np.array([3, 3])), 3)
    >>> starts.tolist(), ends.tolist()
    ([1, 1, 0], [0, 0, 2])
    """
    return (
        frozen(np.bincount(spans.starts, minlength=n_tokens)),
        frozen(np.bincount(spans.stops - 1, minlength=n_tokens)),
    )


def spans_of_counts(starts: Ints | Columns, ends: Ints | Columns) -> Spans:
    """The nested clauses of one sentence whose numbers of starts and ends are these, which must balance. O(n).

    Every end closes the clause that started last.

    Examples
    --------
    >>> spans = spans_of_counts(np.array([2, 0]), np.array([1, 1]))
    >>> spans.starts.tolist(), spans.stops.tolist()
    ([0, 0], [2, 1])
    """
    first: list[int] = []
    stops: list[int] = []
    still_open: list[int] = []
    for at, (opened, closed) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        for _ in range(opened):
            still_open.append(len(first))
            first.append(at)
            stops.append(at)
        if closed > len(still_open):
            raise UsageError(f"at token {at + 1} more clauses end than have started.")
        for _ in range(closed):
            stops[still_open.pop()] = at + 1
    if still_open:
        raise UsageError(f"{len(still_open)} clauses start and do not end.")
    return clause_spans(np.array(first, np.int64), np.array(stops, np.int64))


def best_clauses(start_scores: Floats, end_scores: Floats, *, deepest: int = 100) -> tuple[Spans, float]:
    """The nested clauses of one sentence with the highest score, and that score.

    Parameters
    ----------
    start_scores
        Row i has the log-probabilities that 0, 1, 2, … clauses start at token i; minus infinity is allowed.
    end_scores
        The same for clauses that end at token i.
    deepest
        Most clauses that may be open at a token.

    Notes
    -----
    The sum of the scores of all tokens is maximised over all choices in which every clause that starts also ends:
    exact, by a dynamic programme over tokens and open clauses. O(tokens deepest (columns of both)).

    Examples
    --------
    >>> starts = np.log([[0.1, 0.9], [0.6, 0.4], [0.9, 0.1]])
    >>> ends = np.log([[0.9, 0.1, 1e-9], [0.8, 0.1, 1e-9], [0.01, 0.19, 0.8]])
    >>> spans, score = best_clauses(starts, ends)
    >>> list(zip(spans.starts.tolist(), spans.stops.tolist())), round(score, 3)
    ([(0, 3), (1, 3)], -1.679)
    """
    opening, closing = (np.ascontiguousarray(each, np.float64) for each in (start_scores, end_scores))
    if opening.ndim != 2 or closing.ndim != 2 or len(opening) != len(closing):
        raise UsageError(
            "scores of starts and ends need a row for every token and a column for every number; "
            f"found {opening.shape} and {closing.shape}."
        )
    if np.isnan(opening).any() or np.isnan(closing).any() or np.isposinf(opening).any() or np.isposinf(closing).any():
        raise UsageError("scores of starts and ends must be numbers or minus infinity.")
    if deepest < 1:
        raise UsageError(f"at least one clause must be allowed to be open; found {deepest}.")
    n = len(opening)
    depth = min(deepest, n * max(opening.shape[1] - 1, 0))
    opens, closes = np.zeros(n, np.int32), np.zeros(n, np.int32)
    score = best_balance(opening, closing, depth, opens, closes)
    if not np.isfinite(score):
        raise UsageError("no balanced clauses have a probability above 0; smooth the scores of starts and ends.")
    return spans_of_counts(opens, closes), float(score)
