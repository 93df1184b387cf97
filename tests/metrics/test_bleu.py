"""BLEU against sacrebleu, which is the outside truth of every comparison here."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
import sacrebleu
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from runoff import metrics
from runoff.errors import UsageError
from runoff.metrics.sacrebleu_tokens import sacrebleu_tokens
from runoff.metrics.text_metric import TextMetric
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
# What the rules of 13a look at, what they take out, white space of all kinds, and letters whose case depends on others.
NASTY = st.lists(
    st.one_of(
        st.sampled_from("aB19.,-'$~&日٣Σİ\ue000"),
        st.sampled_from(" \n\r\t\x0b\x1c\x85\xa0\u2009\u2028\u3000"),
        st.sampled_from(
            ["-\n", "<skipped>", "<SKIPPED>", "<skip", "ped>", "&quot;", "&amp;", "&lt;", "&gt;", "&amp;quot;"]
        ),
    ),
    max_size=16,
).map("".join)
lists_of_texts = st.lists(st.lists(texts, max_size=5), max_size=4)


def build(made: list[tuple[list[str], list[str]]]) -> NBest:
    return NBest.from_arrays(
        texts=[text for candidates, _ in made for text in candidates],
        sizes=[len(candidates) for candidates, _ in made],
        references=[references for _, references in made],
    )


@pytest.mark.parametrize("name", OPTIONS)
@settings(deadline=None)
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


def test_an_n_gram_counts_up_to_the_most_in_one_reference() -> None:
    # By hand: "a" is there three times, twice in one reference and once in the other, "b" once in the other alone.
    data = build([(["a a a b"], ["a a", "a b"]), ([], ["a"]), (["a"], ["b a"])])
    assert metrics.get("bleu").statistics(data)[:, 2:6].tolist() == [[3, 2, 0, 0], [1, 0, 0, 0]]


@pytest.mark.parametrize("length", [300, 5_000])
def test_long_texts_equal_sacrebleu(length: int) -> None:
    rng = np.random.default_rng(length)
    candidates, references = (
        [" ".join(map(str, rng.zipf(1.6, length + extra) % 50)) for extra in range(3)] for _ in range(2)
    )
    found = metrics.get("bleu").statistics(build([(candidates, references)]))
    for row, text in zip(found, candidates, strict=True):
        expected = sacrebleu.corpus_bleu([text], [[reference] for reference in references])
        assert row.tolist() == [expected.sys_len, expected.ref_len, *expected.counts, *expected.totals]


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


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", ["13a", "none"])
@settings(deadline=None)
@given(made=st.lists(NASTY, min_size=1, max_size=4))
@example(made=["a-<skipped>\nb", "a-\nb", "--\n\nb", "a-\n"])
@example(made=["1.,2", "a.,", ",.1", "1-2", "..1..", "&amp;quot;."])
def test_pieces_have_the_tokens_of_the_whole_text(tokenize: str, lowercase: bool, made: list[str]) -> None:
    tokenizer = BLEU(tokenize=tokenize).tokenizer
    found = sacrebleu_tokens(made, tokenize, lowercase=lowercase)
    for at, text in enumerate(made):
        assert found.of(at) == tokenizer((text.lower() if lowercase else text).rstrip()).split()


@pytest.mark.parametrize("name", OPTIONS)
@settings(deadline=None)
@given(made=lists_of_texts, seed=st.integers(0, 9))
def test_expected_bleu_is_that_of_all_pairs(name: str, made: list[list[str]], seed: int) -> None:
    metric = metrics.get(name)
    assert isinstance(metric, TextMetric)
    flat = [text for texts in made for text in texts]
    offsets = np.concatenate([[0], np.cumsum([len(texts) for texts in made], dtype=np.int64)])
    weights = np.random.default_rng(seed).integers(0, 4, (len(flat), 2)) / 3
    np.testing.assert_allclose(
        metric.expected(flat, offsets, weights), TextMetric.expected(metric, flat, offsets, weights), 1e-9, 1e-12
    )


@settings(deadline=None)
@given(made=st.lists(texts, min_size=1, max_size=8))
def test_sums_have_the_bits_of_a_double_loop(made: list[str]) -> None:
    sacre, metric = BLEU(effective_order=True), metrics.get("bleu")
    assert isinstance(metric, TextMetric)
    found = metric.expected(made, np.array([0, len(made)]), np.ones((len(made), 1)))[:, 0]
    scores = [[sacre.sentence_score(text, [other]).score for other in made] for text in made]
    sums = [_added(row) / len(made) for row in scores]
    # Python 3.12 and later add with less rounding inside sacrebleu: then only nearly the same.
    if sys.version_info < (3, 12):
        assert found.tolist() == sums
    np.testing.assert_allclose(found, sums, 1e-12)


def test_texts_longer_than_the_table_of_logarithms() -> None:
    made = [
        " ".join(str(i % period) for i in range(length)) for length, period in ((63, 9), (64, 10), (200, 7), (65, 90))
    ]
    metric, weights = metrics.get("bleu[smooth=add-k]"), np.ones((4, 1))
    assert isinstance(metric, TextMetric)
    found = metric.expected(made, np.array([0, 4]), weights)
    np.testing.assert_allclose(found, TextMetric.expected(metric, made, np.array([0, 4]), weights), 1e-12)


def _added(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
