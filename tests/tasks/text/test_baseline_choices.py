"""Choices that need no training, against loops with the outside tools themselves."""

from __future__ import annotations

import jiwer
import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.errors import DataError, UsageError
from runoff.metrics import get
from runoff.tasks.text import BASELINES, baselines

TEXT = st.lists(st.sampled_from(["a", "b", "the", "cat", "sat", "mat"]), min_size=1, max_size=7).map(" ".join)


def wer(text: str, reference: str) -> float:
    out = jiwer.process_words([reference], [text])
    return -float(out.substitutions + out.insertions + out.deletions)


def chrf(text: str, reference: str) -> float:
    return float(sacrebleu.sentence_chrf(text, [reference]).score)


def bleu(text: str, reference: str) -> float:
    # What BLEU's quality of one text is, is the metric's own business (see its tests); pair by pair it is asked here.
    return float(get("bleu").quality(NBest.from_arrays(texts=[text], sizes=[1], references=[[reference]]))[0])


OUTSIDE = {"wer": wer, "chrf": chrf, "bleu": bleu}


def order_of(values: list[float], base: list[float]) -> list[int]:
    """From the highest value on; ties by the first round's score, then as they came."""
    return sorted(range(len(values)), key=lambda at: (-round(values[at], 9), -base[at], at))


@pytest.mark.parametrize("metric", sorted(OUTSIDE))
@settings(deadline=None)
@given(
    groups=st.lists(st.lists(TEXT, max_size=6), min_size=1, max_size=3), scored=st.booleans(), seed=st.integers(0, 9)
)
def test_every_choice(metric: str, groups: list[list[str]], scored: bool, seed: int) -> None:
    total = sum(map(len, groups))
    base = np.random.default_rng(seed).integers(0, 3, total).astype(float) if scored else None
    data = NBest.from_arrays(texts=[t for g in groups for t in g], sizes=[len(g) for g in groups], base=base)
    found = baselines(data, metric)
    assert tuple(found) == BASELINES
    start = 0
    for at, group in enumerate(groups):
        own = (base if base is not None else np.zeros(total))[start : start + len(group)].tolist()
        values = {
            "shortest": [-float(len(text.split())) for text in group],
            "longest": [float(len(text.split())) for text in group],
            "vote": [float(group.count(text)) for text in group],
            "bayes-risk": [sum(OUTSIDE[metric](text, other) for other in group) / len(group) for text in group],
        }
        for name, ranked in found.items():
            expected = order_of(values[name], own)
            rows = ranked.rows[ranked.offsets[at] : ranked.offsets[at + 1]] - start
            assert rows.tolist() == expected, name
            assert ranked.indices[at] == (expected[0] if expected else -1)
        start += len(group)


def test_ties_go_to_the_first_round_by_score_or_by_order() -> None:
    data = NBest.from_arrays(texts=["b", "a", "c", "a", "b"], sizes=[5])
    assert {name: int(r.indices[0]) for name, r in baselines(data, "wer").items()} == {
        "shortest": 0, "longest": 0, "vote": 0, "bayes-risk": 0,
    }  # fmt: skip
    scored = data.replace(base=[0.0, 1.0, 9.0, 3.0, 2.0])
    assert {name: int(r.indices[0]) for name, r in baselines(scored, "wer").items()} == {
        "shortest": 2, "longest": 2, "vote": 3, "bayes-risk": 3,
    }  # fmt: skip


def test_sentence_bleu_agrees_on_the_choice() -> None:
    # Outside truth: sacrebleu's sentence BLEU, on a list in which its choice is clear.
    texts = ["the cat is on the mat today", "a dog ran far off", "the cat is on a mat today", "the cat is on the mat"]
    scores = [sum(sacrebleu.sentence_bleu(t, [o], use_effective_order=True).score for o in texts) for t in texts]
    data = NBest.from_arrays(texts=texts, sizes=[4])
    assert baselines(data, "bleu")["bayes-risk"].indices.tolist() == [int(np.argmax(scores))]


def test_votes_go_by_what_the_metric_takes_for_the_same_answer() -> None:
    data = NBest.from_arrays(texts=["no", "Yes", "yes "], sizes=[3])
    assert baselines(data, "exact")["vote"].indices.tolist() == [0]
    assert baselines(data, "exact[case=lower]")["vote"].indices.tolist() == [1]
    assert baselines(data, "wer", similarity="exact[case=lower]")["vote"].indices.tolist() == [1]


def test_what_compares_texts() -> None:
    texts = ["x y z w", "x y z", "a b c d e"]
    data = NBest.from_arrays(texts=texts, sizes=[3], metric="wer")
    by_wer = baselines(data)["bayes-risk"].rows.tolist()
    assert by_wer == baselines(data, "wer")["bayes-risk"].rows.tolist()
    assert baselines(data, "quality")["bayes-risk"].rows.tolist() == baselines(data, "chrf")["bayes-risk"].rows.tolist()


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(DataError, match="have no texts"):
        baselines(NBest.from_arrays([[1.0]], sizes=[1]), "wer")
    with pytest.raises(UsageError, match="does not compare texts"):
        baselines(NBest.from_arrays(texts=["a"], sizes=[1]), "wer", similarity="ndcg@5")


@pytest.mark.parametrize("sizes", [[], [0, 0]])
@pytest.mark.parametrize("metric", ["wer", "bleu", "chrf", "exact", "rouge-l"])
def test_nothing_to_choose_from(sizes: list[int], metric: str) -> None:
    for ranked in baselines(NBest.from_arrays(texts=[], sizes=sizes), metric).values():
        assert ranked.indices.tolist() == [-1] * len(sizes)


def test_interleaved_rows() -> None:
    data = NBest.from_arrays(texts=["a b", "x", "a b c", "x y"], groups=["p", "q", "p", "q"])
    assert baselines(data, "wer")["longest"].indices.tolist() == [1, 1]
