"""B and R beside sacrebleu and the metric ROUGE-S4, and a slow Lf."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from runoff.metrics import ROUGES4
from runoff.nbest import NBest
from runoff.tasks.answers.context_scores import Patterns

WORDS = st.lists(st.sampled_from(["a", "b", "c", "ANSWER", "PERSON"]), max_size=9)
TEXTS = st.lists(WORDS.filter(bool), min_size=1, max_size=4)


@settings(deadline=None, max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=5), TEXTS)
def test_b_is_sacrebleu_with_one_added(sentences, texts):
    found, _ = Patterns(texts).scores(sentences)
    # sacrebleu: smooth_method="add-k" adds to orders above 1; effective order is off.
    truth = BLEU(smooth_method="add-k", smooth_value=1, tokenize="none", effective_order=False)
    wanted = [
        truth.sentence_score(" ".join(each), [" ".join(text) for text in texts]).score / 100 for each in sentences
    ]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.lists(WORDS, min_size=1, max_size=5), TEXTS)
def test_r_is_the_metric_of_this_name(sentences, texts):
    _, found = Patterns(texts).scores(sentences)
    # ROUGES4 is tested against ROUGE-1.5.5's definition in tests/metrics.
    data = NBest.from_arrays(
        texts=[" ".join(each) for each in sentences], sizes=[len(sentences)], references=[[" ".join(t) for t in texts]]
    )
    np.testing.assert_allclose(found, ROUGES4(tokenize="space").quality(data), atol=1e-6)


def test_many_of_a_pair_count_as_often_as_both_have_them():
    # "a a a" has 3 pairs (a, a), "a a" has 1: F = 2 * 1 / (3 + 1).
    assert Patterns([["a", "a"]]).scores([["a", "a", "a"]])[1].tolist() == [0.5]


def test_lf_is_the_mean_frequency():
    patterns = Patterns([["a", "b"], ["a"]])
    # a: 2 of at most 2, b: 1 of 2.
    assert patterns.frequency([["a", "b"], ["c"], []]).tolist() == [0.75, 0.0, 0.0]


@pytest.mark.parametrize("texts", [[], [[]]])
def test_without_translations_all_scores_are_zero(texts):
    bleu, rouge = Patterns(texts).scores([["a"]])
    assert (bleu.tolist(), rouge.tolist(), Patterns(texts).frequency([["a"]]).tolist()) == ([0.0], [0.0], [0.0])
