"""Clauses: which constituents they are, their starts and ends, and the best balanced choice against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import UsageError
from runoff.tasks.tagging import Corpus, best_clauses, bracket_spans, brackets_of, clauses_of_parses
from runoff.tasks.tagging.clauses import boundary_counts, spans_of_counts

# The example of the shared task's page: (S The deregulation … (SBAR that (S began …)) enabled (S shippers to …) .)
PARSE = "(TOP(S(NP(NP*) (SBAR(WHNP*) (S(VP*)))) (VP* (S-1(NP*) (VP*))) *))"
CLAUSES = "(S* (S* (S*S)S) * (S* *S) *S)"


def test_the_example_of_the_shared_task() -> None:
    corpus = Corpus.of({"parse": PARSE.split()}, sizes=[7])
    assert brackets_of(clauses_of_parses(corpus, "parse"), corpus.offsets).texts() == CLAUSES.split()


def test_labels_that_are_no_clauses() -> None:
    parse = "(TOP(FRAG(RRC*) (SINV(SBARQ(SQ* *))) (S=2*) (-NONE-*) (SYM*)))"
    corpus = Corpus.of({"parse": parse.split()}, sizes=[6])
    made = brackets_of(clauses_of_parses(corpus, "parse"), corpus.offsets).texts()
    assert made == ["*", "(S(S(S*", "*S)S)S)", "(S*S)", "*", "*"]
    only = clauses_of_parses(corpus, "parse", ["FRAG"])
    assert (only.starts.tolist(), only.stops.tolist()) == ([0], [6])


def test_equal_clauses() -> None:
    corpus = Corpus.of({"parse": ["(SBAR(S(NP(S*", "*))))"]}, sizes=[2])
    assert len(clauses_of_parses(corpus, "parse")) == 3
    assert len(clauses_of_parses(corpus, "parse", keep_equal=False)) == 1
    apart = Corpus.of({"parse": ["(SBAR(S*", "(S(SQ*))))"]}, sizes=[2])
    kept = clauses_of_parses(apart, "parse", keep_equal=False)
    assert list(zip(kept.starts.tolist(), kept.stops.tolist(), strict=True)) == [(0, 2), (1, 2)]


def test_counts_of_starts_and_ends_and_back() -> None:
    corpus = Corpus.of({"x": CLAUSES.split()}, sizes=[7])
    spans = bracket_spans(corpus, "x")
    starts, ends = boundary_counts(spans, 7)
    assert starts.tolist() == [1, 1, 1, 0, 1, 0, 0]
    assert ends.tolist() == [0, 0, 2, 0, 0, 1, 1]
    again = spans_of_counts(starts, ends)
    assert brackets_of(again, corpus.offsets).texts() == CLAUSES.split()
    with pytest.raises(UsageError, match="at token 1 more clauses end"):
        spans_of_counts(np.array([0, 1]), np.array([1, 0]))
    with pytest.raises(UsageError, match="1 clauses start and do not end"):
        spans_of_counts(np.array([1]), np.array([0]))


def enumerated(starts: np.ndarray, ends: np.ndarray, deepest: int) -> float:
    """The best sum over all numbers of starts and ends that balance."""
    best = -np.inf
    n = len(starts)
    for opened in itertools.product(range(starts.shape[1]), repeat=n):
        for closed in itertools.product(range(ends.shape[1]), repeat=n):
            depth, fits = 0, True
            for one, other in zip(opened, closed, strict=True):
                depth += one
                fits &= depth <= deepest
                depth -= other
                fits &= depth >= 0
            if fits and depth == 0:
                best = max(best, sum(starts[range(n), opened]) + sum(ends[range(n), closed]))
    return best


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 4), st.integers(1, 3), st.integers(1, 3), st.sampled_from([1, 2, 100]))
def test_the_best_balanced_choice(seed: int, n: int, opens: int, closes: int, deepest: int) -> None:
    rng = np.random.default_rng(seed)
    starts, ends = np.log(rng.random((n, opens))), np.log(rng.random((n, closes)))
    starts[rng.random((n, opens)) < 0.1] = -np.inf
    best = enumerated(starts, ends, deepest)
    if np.isneginf(best):
        with pytest.raises(UsageError, match="smooth the scores"):
            best_clauses(starts, ends, deepest=deepest)
        return
    spans, score = best_clauses(starts, ends, deepest=deepest)
    assert score == pytest.approx(best)
    opened, closed = boundary_counts(spans, n)
    if n:
        assert starts[range(n), opened].sum() + ends[range(n), closed].sum() == pytest.approx(best)


def test_a_long_sentence() -> None:
    rng = np.random.default_rng(0)
    spans, _ = best_clauses(np.log(rng.random((2000, 4))), np.log(rng.random((2000, 6))))
    assert (spans.stops > spans.starts).all()


@pytest.mark.parametrize(
    ("starts", "ends", "message"),
    [
        (np.zeros((2, 2)), np.zeros((3, 2)), r"found \(2, 2\) and \(3, 2\)"),
        (np.zeros(2), np.zeros((2, 2)), "a row for every token"),
        (np.full((1, 2), np.nan), np.zeros((1, 2)), "numbers or minus infinity"),
        (np.zeros((1, 2)), np.full((1, 2), np.inf), "numbers or minus infinity"),
    ],
)
def test_scores_that_cannot_be(starts: np.ndarray, ends: np.ndarray, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        best_clauses(starts, ends)
    with pytest.raises(UsageError, match="at least one clause"):
        best_clauses(np.zeros((1, 2)), np.zeros((1, 2)), deepest=0)
