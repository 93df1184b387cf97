"""Agreement with the list, against double loops with the outside tools themselves."""

from __future__ import annotations

import math

import jiwer
import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.metrics import get
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.agreement import NAMES, WEIGHTED, agreement_features, count_votes

TEXT = st.lists(st.sampled_from(["a", "b", "the", "cat", "sat."]), min_size=1, max_size=6).map(" ".join)
LISTS = st.lists(st.lists(TEXT, max_size=5), min_size=1, max_size=3)


def wer(text: str, reference: str) -> float:
    out = jiwer.process_words([reference], [text])
    return -float(out.substitutions + out.insertions + out.deletions)


def chrf(text: str, reference: str) -> float:
    return float(sacrebleu.sentence_chrf(text, [reference]).score)


OUTSIDE = {"wer": wer, "chrf": chrf}


def rows_of(groups: list[list[str]], metric: str, base: list[float] | None = None) -> list[dict[str, float]]:
    texts = [text for group in groups for text in group]
    lists = DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=[len(group) for group in groups], base=base))
    names, table = agreement_features(lists, get(metric))
    return [dict(zip(names, row, strict=True)) for row in table[lists.text_of].tolist()]


@pytest.mark.parametrize("metric", sorted(OUTSIDE))
@settings(deadline=None)
@given(groups=LISTS, scored=st.booleans(), seed=st.integers(0, 99))
def test_every_column(metric: str, groups: list[list[str]], scored: bool, seed: int) -> None:
    quality = OUTSIDE[metric]
    sizes = [len(group) for group in groups]
    base = np.random.default_rng(seed).normal(size=sum(sizes)).round(1).tolist() if scored else None
    rows = iter(rows_of(groups, metric, base))
    scores = iter(base or [0.0] * sum(sizes))
    for group in groups:
        own = [next(scores) for _ in group]
        total = sum(map(math.exp, own))
        first = group[max(range(len(group)), key=own.__getitem__)] if group else ""
        expected = {text: sum(quality(text, other) for other in group) / len(group) for text in group}
        leader = max(dict.fromkeys(group), key=lambda text: round(expected[text], 9), default="")
        winner = max(dict.fromkeys(group), key=group.count, default="")
        for text in group:
            row = next(rows)
            assert row["agree:expected"] == pytest.approx(expected[text], abs=1e-9)
            assert row["agree:expected most"] == float(text == leader)
            assert row["agree:votes"] == row["agree:copies"] == pytest.approx(group.count(text) / len(group))
            assert row["agree:votes most"] == float(text == winner)
            assert row["agree:with first"] == pytest.approx(quality(text, first), abs=1e-9)
            if scored:
                by_base = sum(math.exp(s) / total * quality(text, o) for s, o in zip(own, group, strict=True))
                assert row[WEIGHTED] == pytest.approx(by_base, abs=1e-9)
            else:
                assert tuple(row) == NAMES


def test_bleu_against_sacrebleu() -> None:
    # The quality of a text by BLEU is what Runoff documents; the most likely one is compared by sentence BLEU.
    groups = [["the cat sat on the mat", "a cat sat on the mat", "the cat sat on a mat", "dogs bark very loud today"]]
    rows = rows_of(groups, "bleu")
    quality = get("bleu").quality
    for text, row in zip(groups[0], rows, strict=True):
        data = [NBest.from_arrays(texts=[text], sizes=[1], references=[[other]]) for other in groups[0]]
        assert row["agree:expected"] == pytest.approx(np.mean([quality(pair)[0] for pair in data]), abs=1e-9)
    sentence = [sum(sacrebleu.sentence_bleu(t, [o]).score for o in groups[0]) for t in groups[0]]
    assert np.argmax([row["agree:expected"] for row in rows]) == np.argmax(sentence)


def test_answers_that_the_metric_takes_for_the_same_vote_together() -> None:
    rows = rows_of([["yes", " yes", "no", "No", "no"]], "exact")
    assert [row["agree:votes"] for row in rows] == [0.4, 0.4, 0.4, 0.2, 0.4]
    assert [row["agree:copies"] for row in rows] == [0.2, 0.2, 0.4, 0.2, 0.4]
    assert [row["agree:votes most"] for row in rows] == [1.0, 0.0, 0.0, 0.0, 0.0]  # the first of equal ones
    rows = rows_of([["yes", "No", "no"]], "exact[case=lower]")
    assert [row["agree:votes"] for row in rows] == pytest.approx([1 / 3, 2 / 3, 2 / 3])


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", " a", "a ", "b", "A", ""]), max_size=6), min_size=1, max_size=4))
def test_votes(groups: list[list[str]]) -> None:
    lists = DistinctTexts.of(NBest.from_arrays(texts=[t for g in groups for t in g], sizes=[len(g) for g in groups]))
    found = count_votes(lists, get("exact"))[lists.text_of].tolist()
    expected = [sum(other.split() == text.split() for other in group) for group in groups for text in group]
    assert found == expected


@pytest.mark.parametrize("metric", ["wer", "bleu", "chrf", "exact", "rouge-l", "cer"])
def test_empty_texts_lists_and_groups(metric: str) -> None:
    for groups in ([["", "a"], []], [[], []], [[""]], [["a", "", ""], ["", "b"]]):
        rows = rows_of(groups, metric)
        assert len(rows) == sum(map(len, groups))
        assert all(np.isfinite(value) for row in rows for value in row.values())


def test_a_candidate_in_another_script_does_not_stop_rouge() -> None:
    good, odd = ["a cat", "a dog"], ["日本", "a cat"]
    together = rows_of([good, good, odd], "rouge-l")[4:]
    assert rows_of([odd], "rouge-l") == together
