"""TER against sacrebleu, which is the outside truth of every comparison here."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.nbest import NBest

words = st.sampled_from(["the", "The", "cat", "sat", "on", "mat,", "mat", "3.5", "東京", "。", "&quot;", "!"])
texts = st.lists(words, max_size=9).map(" ".join)
groups = st.lists(
    st.tuples(st.lists(texts, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=3)),
    min_size=1,
    max_size=4,
)
OPTIONS = {
    "ter": {},
    "ter[case_sensitive]": {"case_sensitive": True},
    "ter[normalized]": {"normalized": True},
    "ter[no_punct]": {"no_punct": True},
    "ter[asian_support,no_punct,normalized]": {"asian_support": True, "no_punct": True, "normalized": True},
}


@pytest.mark.parametrize("name", OPTIONS)
@settings(deadline=None)
@given(made=groups)
def test_corpus_and_sentences_equal_sacrebleu(name: str, made: list[tuple[list[str], list[str]]]) -> None:
    metric, ter = metrics.get(name), sacrebleu.TER(**OPTIONS[name])
    data = NBest.from_arrays(
        texts=[text for candidates, _ in made for text in candidates],
        sizes=[len(candidates) for candidates, _ in made],
        references=[references for _, references in made],
    )
    streams = list(itertools.zip_longest(*(references for _, references in made)))
    expected = ter.corpus_score([candidates[0] for candidates, _ in made], streams).score
    assert metric.score(metrics.first_rows(metric, data).sum(axis=0)) == pytest.approx(expected, abs=1e-9)
    sentences = [ter.sentence_score(text, references).score for some, references in made for text in some]
    np.testing.assert_allclose(-100 * metric.quality(data), sentences, atol=1e-9)


def test_nothing_to_divide_by() -> None:
    ter = metrics.get("ter")
    # sacrebleu: 100 for a text without a reference word, 0 if the text is empty too.
    assert ter.score(np.array([[3.0, 0.0], [0.0, 0.0], [1.0, 4.0]])).tolist() == [100, 0, 25]


def test_signature_and_canonical() -> None:
    version = sacrebleu.__version__
    assert metrics.get("ter").signature == f"ter|case:lc|tok:tercom|norm:no|punct:yes|asian:no|sacrebleu:{version}"
    assert metrics.get("ter").canonical(" The  Cat. ") == "the cat."
    assert metrics.get("ter[normalized]").canonical("The Cat.") == "the cat ."
