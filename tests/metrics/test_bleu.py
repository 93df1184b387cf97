"""BLEU against sacrebleu, which is the outside truth of every comparison here."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.errors import UsageError
from runoff.nbest import NBest
from runoff.ranking import first_round

words = st.sampled_from(
    ["the", "The", "cat", "sat", "on", "mat,", "mat", "3.5", "don't", "(x)", "&quot;", "naïve", "."]
)
texts = st.lists(words, max_size=14).map(" ".join)
groups = st.lists(
    st.tuples(st.lists(texts, min_size=1, max_size=3), st.lists(texts, min_size=1, max_size=3)),
    min_size=1,
    max_size=5,
)
OPTIONS = {
    "bleu": {},
    "bleu[lowercase]": {"lowercase": True},
    "bleu[tokenize=none]": {"tokenize": "none"},
    "bleu[tokenize=intl,smooth=floor]": {"tokenize": "intl", "smooth_method": "floor"},
    "bleu[tokenize=char,smooth=none]": {"tokenize": "char", "smooth_method": "none"},
    "bleu[smooth=add-k,smooth_value=0.5]": {"smooth_method": "add-k", "smooth_value": 0.5},
    "bleu[smooth=floor,smooth_value=0.01]": {"smooth_method": "floor", "smooth_value": 0.01},
}


def build(made: list[tuple[list[str], list[str]]]) -> NBest:
    return NBest.from_arrays(
        texts=[text for candidates, _ in made for text in candidates],
        sizes=[len(candidates) for candidates, _ in made],
        references=[references for _, references in made],
    )


@pytest.mark.parametrize("name", OPTIONS)
@settings(deadline=None, max_examples=60)
@given(made=groups)
def test_corpus_and_sentences_equal_sacrebleu(name: str, made: list[tuple[list[str], list[str]]]) -> None:
    metric, data, options = metrics.get(name), build(made), OPTIONS[name]
    streams = list(itertools.zip_longest(*(references for _, references in made)))
    expected = sacrebleu.corpus_bleu([candidates[0] for candidates, _ in made], streams, **options).score
    assert metric.score(metric.rows(data, first_round(data)).sum(axis=0)) == pytest.approx(expected, abs=1e-9)
    sentences = [sacrebleu.sentence_bleu(text, refs, **options).score for texts, refs in made for text in texts]
    np.testing.assert_allclose(metric.quality(data), sentences, atol=1e-9)


def test_statistics_are_sacrebleus_own() -> None:
    candidates, references = ["the the the cat sat", "a b"], ["the cat sat on the mat", "the cat"]
    data = build([(candidates, references)])
    for row, text in zip(metrics.get("bleu").statistics(data), candidates, strict=True):
        expected = sacrebleu.corpus_bleu([text], [[reference] for reference in references])
        lengths = [expected.sys_len, expected.ref_len]
        assert row.tolist() == [*lengths, *expected.counts, *expected.totals]


def test_of_two_lengths_equally_close_the_shorter_counts() -> None:
    data = build([(["a b c"], ["a b c d", "a b"])])
    assert metrics.get("bleu").statistics(data)[0, 1] == 2


def test_many_sums_at_once() -> None:
    metric = metrics.get("bleu")
    data = build([(["the cat sat on a mat .", "the cat"], ["the cat sat on the mat ."]), (["a"], ["b"])])
    statistics = metric.statistics(data)
    stacked = np.stack([statistics, 2 * statistics])
    assert metric.score(stacked).shape == (2, 3)
    assert metric.score(stacked)[1, 0] == metric.score(2 * statistics[0])
    assert metric.score(np.zeros((4, 10))).tolist() == [0, 0, 0, 0]


def test_signature_and_label() -> None:
    version = sacrebleu.__version__
    assert metrics.get("bleu").signature == f"bleu|case:mixed|eff:no|tok:13a|smooth:exp|sacrebleu:{version}"
    floor = metrics.get("bleu[smooth=floor,tokenize=none,lowercase=true]")
    assert floor.signature == f"bleu|case:lc|eff:no|tok:none|smooth:floor[0.10]|sacrebleu:{version}"
    assert floor.label == "bleu[lowercase,smooth=floor,tokenize=none]"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bleu[tokenize=13b]", "one of sacrebleu's none, zh, 13a"),
        ("bleu[smooth=more]", "must be one of exp, floor, add-k, none; found 'more'"),
        ("bleu[smooth_value=1]", "takes no smooth_value"),
        ("bleu[lowercase=maybe]", "write true or false, found 'maybe'"),
        ("bleu[smooth=floor,smooth_value=x]", "must be a number; found 'x'"),
    ],
)
def test_wrong_options(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        metrics.get(name)
