"""Character error rate against jiwer, which is the outside truth of every comparison here."""

from __future__ import annotations

import random

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.metrics.text_metric import TextMetric
from runoff.nbest import NBest

CER = metrics.get("cer")
texts = st.text(st.sampled_from("ab \té\u0301😀\u00a0\n"), max_size=12)


def edits(reference: str, text: str) -> int:
    out = jiwer.process_characters(reference, text)
    return out.substitutions + out.insertions + out.deletions


@settings(deadline=None)
@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_equals_jiwer(groups: list[tuple[str, list[str]]]) -> None:
    references = [reference for reference, _ in groups]
    data = NBest.from_arrays(
        texts=[text for _, candidates in groups for text in candidates],
        sizes=[len(candidates) for _, candidates in groups],
        references=references,
    )
    found = CER.score(metrics.first_rows(CER, data).sum(axis=0))
    assert found == pytest.approx(100 * jiwer.cer(references, [candidates[0] for _, candidates in groups]), abs=1e-9)
    assert CER.quality(data).tolist() == [-edits(reference, text) for reference, some in groups for text in some]


@pytest.mark.parametrize("size", [63, 64, 65, 127, 128, 129, 1000, 5000])
def test_long_texts_equal_jiwer(size: int) -> None:
    draw = random.Random(size)
    reference = "".join(draw.choices("abcd ", k=size - 2)).join("xy")
    noisy = [
        "".join(draw.choice(["", character, character, character, "zz"]) for character in reference),
        reference[size // 3 :] + reference[: size // 3],
        "".join(draw.choices("abcdefg\U0001f600", k=size)),
        "",
    ]
    data = NBest.from_arrays(texts=noisy, sizes=[4], references=[reference])
    assert CER.quality(data).tolist() == [-edits(reference, text) for text in noisy]


def statistics(text: str, *references: str, name: str = "cer") -> list[float]:
    data = NBest.from_arrays(texts=[text], sizes=[1], references=[list(references)])
    return metrics.get(name).statistics(data)[0].tolist()


def test_nearest_reference_then_the_shortest() -> None:
    # By hand: one edit from each of "abcd" and "ab", two from "xbz".
    assert statistics("abc", "xbz", "abcd", "ab") == [1, 2]
    assert statistics("", "abc", "") == [0, 0]


def test_white_space() -> None:
    assert statistics(" a  b ", "a b") == [1, 3]
    assert statistics(" a  b ", "a b", name="cer[space=single]") == [0, 3]
    assert statistics("東 京", "東京", name="cer[space=dropped]") == [0, 2]


def test_characters_are_code_points() -> None:
    # A thumb with a skin tone is two code points, an e with a combining accent too.
    assert statistics("👍🏽", "👍") == [1, 1]
    assert statistics("e\u0301", "\u00e9") == [2, 1]
    assert statistics("e\u0301", "\u00e9", name="cer[unicode=nfc]") == [0, 1]


def test_characters_beyond_those_of_the_references() -> None:
    # By hand: every character of the text is a substitution, with none that any reference has.
    assert statistics("\U0010ffff\U0010fffe", "ab") == [2, 2]
    assert statistics("ab", "\U0010ffff") == [2, 1]


def test_groups_without_candidates_or_references() -> None:
    data = NBest.from_arrays(texts=["a", "b"], sizes=[0, 2, 0], references=[[], ["b", "ab"], ["c"]])
    assert CER.statistics(data).tolist() == [[1, 1], [0, 1]]


def test_expected_equals_judging_every_pair() -> None:
    lists = ["kitten", "sitting", "", "😀 mitten", "kitten ", "abc" * 40, "abd" * 41]
    offsets, weights = np.array([0, 4, 4, 7]), np.random.default_rng(0).random((7, 2))
    for name in ("cer", "cer[space=dropped]", "wer", "wer[case=lower]"):
        metric = metrics.get(name)
        slow = TextMetric.expected(metric, lists, offsets, weights)
        np.testing.assert_allclose(metric.expected(lists, offsets, weights), slow, rtol=1e-12, atol=1e-12)


def test_signature() -> None:
    assert CER.signature == (
        "cer|characters:code-points|space:kept|case:mixed|punct:kept|unicode:none|references:fewest-edits"
    )
