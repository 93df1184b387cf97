"""F1 and exact match of answers against SQuAD's official script."""

from __future__ import annotations

import numpy as np
import pytest

from runoff import metrics
from runoff.errors import UsageError
from runoff.metrics.text_metric import TextMetric
from runoff.nbest import NBest

EXACT = metrics.get("exact[articles=dropped,case=lower,punctuation=ascii]")
# References, text, and what `get_raw_scores` of SQuAD's official evaluate-v2.0.py gives: exact match and F1.
SQUAD = [
    (["The cat sat."], "a cat sat down", 0, 0.8),
    (["the"], "", 1, 1),
    ([""], "", 1, 1),
    (["the", "cat"], "", 0, 0),
    (["cat"], "", 0, 0),
    ([""], "cat", 0, 0),
    (["U.S.", "United States"], "the United States of America", 0, 0.6666666666666666),
    (["$5"], "5", 1, 1.0),
    (["“yes”"], "yes", 0, 0),
    (["to be or not to be"], "be to be", 0, 0.6666666666666666),
    (["the cat", "dog"], "a", 0, 0),
    (["An  apple"], "APPLE!", 1, 1.0),
    (["x-ray"], "x ray", 0, 0),
]


def quality(name: str, text: str, *references: str) -> float:
    data = NBest.from_arrays(texts=[text], sizes=[1], references=[list(references)])
    return float(metrics.get(name).quality(data)[0])


@pytest.mark.parametrize(("references", "text", "exact", "f1"), SQUAD)
def test_equals_the_official_script(references: list[str], text: str, exact: int, f1: float) -> None:
    assert quality(EXACT.label, text, *references) == exact
    assert quality("f1", text, *references) == f1


def test_score_is_the_mean_over_groups() -> None:
    f1 = metrics.get("f1")
    data = NBest.from_arrays(
        texts=[text for _, text, _, _ in SQUAD],
        sizes=[1] * len(SQUAD),
        references=[references for references, _, _, _ in SQUAD],
    )
    expected = np.mean([value for _, _, _, value in SQUAD])
    assert f1.score(metrics.first_rows(f1, data).sum(axis=0)) == pytest.approx(expected, abs=1e-12)


def test_every_step_can_be_turned_off() -> None:
    assert quality("f1", "The cat!", "cat") == 1
    assert quality("f1[articles=kept]", "The cat!", "cat") == pytest.approx(2 / 3)
    assert quality("f1[punctuation=kept]", "The cat!", "cat") == 0
    assert quality("f1[case=mixed]", "The Cat!", "cat") == 0
    assert quality("f1[articles=kept,case=mixed,punctuation=kept]", "the cat the", "the cat") == pytest.approx(0.8)


def test_expected_equals_judging_every_pair() -> None:
    texts = ["the cat", "a cat sat", "cat!", "", "the", "dog cat", "dog"]
    offsets, weights = np.array([0, 3, 3, 7]), np.random.default_rng(0).random((7, 2))
    for name in ("f1", "f1[articles=kept]", "exact", EXACT.label):
        metric = metrics.get(name)
        slow = TextMetric.expected(metric, texts, offsets, weights)
        np.testing.assert_allclose(metric.expected(texts, offsets, weights), slow, rtol=1e-12, atol=1e-14)


def test_signatures_tell_every_option() -> None:
    found = metrics.get("f1").signature
    assert found == "f1|words:white-space|case:lower|punct:ascii|unicode:none|articles:dropped|references:highest"
    assert metrics.get("f1").label == "f1"
    assert metrics.get("exact").signature == "exact|space:normalised|case:mixed|punct:kept|unicode:none|articles:kept"


@pytest.mark.parametrize("name", ["f1[articles=no]", "exact[punctuation=all]", "wer[case=no]", "cer[space=no]"])
def test_wrong_options(name: str) -> None:
    with pytest.raises(UsageError, match="must be one of"):
        metrics.get(name)
