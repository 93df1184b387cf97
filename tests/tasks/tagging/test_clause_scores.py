"""Clauses of two files: exact spans, counted as often as both have them; against a plain count."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError
from runoff.metrics import Resampling
from runoff.tasks.tagging import Corpus, bracket_spans, brackets_of, evaluate_clauses
from runoff.tasks.tagging.clauses import clause_spans, spans_of_counts


def test_by_hand() -> None:
    gold = ["(S*", "(S(S*", "*S)", "*S)S)", "*", "(S*S)"]
    guess = ["(S*", "(S*", "*S)", "*S)", "*", "(S(S*S)S)"]
    corpus = Corpus.of({"clause": gold, "guess": guess}, sizes=[5, 1])
    # gold: 0-4, 1-4, 1-3, and 5-6; guessed: 0-4, 1-3, and 5-6 twice
    found = evaluate_clauses(corpus, "guess")
    assert found.rows.tolist() == [[2, 2, 3, 3, 5], [1, 2, 1, 0, 1]]
    assert found.by_type == {"S": (3, 4, 4)}
    assert (found.score("precision"), found.score("recall")) == (75.0, 75.0)
    assert found.signature.startswith("clauses|")


@st.composite
def balanced(draw: st.DrawFn, n: int) -> list[tuple[int, int]]:
    starts, ends, depth = [], [], 0
    for at in range(n):
        starts.append(draw(st.integers(0, 2)))
        depth += starts[-1]
        ends.append(depth if at == n - 1 else draw(st.integers(0, depth)))
        depth -= ends[-1]
    spans = spans_of_counts(np.array(starts), np.array(ends))
    return list(zip(spans.starts.tolist(), spans.stops.tolist(), strict=True))


@settings(deadline=None)
@given(st.data(), st.integers(1, 5))
def test_as_a_plain_count(data: st.DataObject, n: int) -> None:
    columns, counted = {}, []
    for name in ("clause", "guess"):
        pairs = data.draw(balanced(n))
        counted.append(Counter(pairs))
        array = np.array(pairs, np.int64).reshape(-1, 2)
        columns[name] = brackets_of(clause_spans(array[:, 0], array[:, 1]), np.array([0, n])).texts()
    corpus = Corpus.of(columns, sizes=[n])
    found = evaluate_clauses(corpus, "guess", resampling=Resampling(resamples=1))
    gold, guess = counted
    assert found.sums[:3].tolist() == [(gold & guess).total(), guess.total(), gold.total()]
    assert len(bracket_spans(corpus, "guess")) == guess.total()


def test_files_that_do_not_fit() -> None:
    with pytest.raises(DataError, match="to close 'S' in column 'guess'"):
        evaluate_clauses(Corpus.of({"clause": ["*"], "guess": ["(S*"]}, sizes=[1]), "guess")
    with pytest.raises(DataError, match="sentences"):
        evaluate_clauses(Corpus.of({"clause": ["*"]}, sizes=[1]), Corpus.of({"clause": []}, sizes=[]))
