"""Word error rate against jiwer, which is the outside truth of every comparison here."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import jiwer
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.errors import DataError
from runoff.nbest import NBest
from runoff.ranking import first_round

if TYPE_CHECKING:
    from pathlib import Path

WER = metrics.get("wer")
# jiwer splits at single spaces only, so that these sentences have no other white space.
sentences = st.lists(st.sampled_from(["a", "b", "c", "B", "é"]), max_size=8).map(" ".join)


def edits(reference: str, text: str) -> int:
    out = jiwer.process_words([reference], [text])
    return out.substitutions + out.insertions + out.deletions


@settings(deadline=None)
@given(st.lists(st.tuples(sentences, st.lists(sentences, min_size=1, max_size=4)), min_size=1, max_size=6))
def test_equals_jiwer(groups: list[tuple[str, list[str]]]) -> None:
    references = [reference for reference, _ in groups]
    data = NBest.from_arrays(
        texts=[text for _, texts in groups for text in texts],
        sizes=[len(texts) for _, texts in groups],
        references=references,
    )
    rows = WER.rows(data, first_round(data))
    expected = jiwer.process_words(references, [texts[0] for _, texts in groups])
    assert WER.score(rows.sum(axis=0)) == pytest.approx(100 * expected.wer, abs=1e-12)
    assert WER.quality(data).tolist() == [-edits(ref, text) for ref, texts in groups for text in texts]


@settings(deadline=None)
@given(sentences, sentences)
def test_counts_are_an_alignment_with_the_most_substitutions(reference: str, text: str) -> None:
    substitutions, insertions, deletions, words = one(text, reference)
    assert words == len(reference.split())
    assert insertions - deletions == len(text.split()) - words
    assert substitutions + insertions + deletions == edits(reference, text)
    assert substitutions >= jiwer.process_words([reference], [text]).substitutions
    assert min(substitutions, insertions, deletions) >= 0


def one(text: str, *references: str) -> list[float]:
    data = NBest.from_arrays(texts=[text], sizes=[1], references=[list(references)])
    return WER.rows(data, first_round(data))[0].tolist()


def test_of_equal_alignments_the_one_with_most_substitutions() -> None:
    # By hand: two substitutions, or one deletion and one insertion around the shared word.
    assert one("a b", "b a") == [2, 0, 0, 2]
    # By hand: only with an insertion and a deletion can the three shared words stay.
    assert one("x a b c", "a b c y") == [0, 1, 1, 4]


@settings(deadline=None)
@given(sentences, st.lists(sentences, min_size=1, max_size=4))
def test_several_references(text: str, references: list[str]) -> None:
    nearest = min(references, key=lambda reference: (edits(reference, text), len(reference.split())))
    row = one(text, *references)
    assert sum(row[:3]) == edits(nearest, text)
    assert row[3] == len(nearest.split())


@pytest.mark.parametrize(("reference", "text"), [("", "a b"), ("", ""), ("a", "")])
def test_empty_texts_are_scored_as_jiwer_does(reference: str, text: str) -> None:
    assert WER.score(np.array(one(text, reference))) == 100 * jiwer.wer(reference, text)


def test_any_white_space_separates_words() -> None:
    assert one("\ta\u00a0b  c\n", "a b\u2003c ") == [0, 0, 0, 3]


def test_groups_without_candidates_are_zeros() -> None:
    data = NBest.from_arrays(texts=["a"], sizes=[0, 1, 0], references=[[], ["b"], ["c d"]])
    assert WER.rows(data, first_round(data)).tolist() == [[0] * 4, [1, 0, 0, 1], [0] * 4]
    assert WER.random_rows(data, 0).tolist() == [[0] * 4, [1, 0, 0, 1], [0] * 4]


def test_random_is_the_mean_of_the_candidates() -> None:
    data = NBest.from_arrays(texts=["a b", "a c", "b"], sizes=[2, 1], references=["a b", "b"])
    assert WER.random_rows(data, 0).tolist() == [[0.5, 0, 0, 2], [0, 0, 0, 1]]


def test_ready_made_statistics_are_used_and_checked() -> None:
    data = NBest.from_arrays(sizes=[1], texts=["a"], references=["b"], stats={"wer": [[0, 0, 5, 9]]})
    assert WER.quality(data).tolist() == [-5]
    with pytest.raises(DataError, match="with 2 columns; expected 4: substitutions"):
        WER.quality(data.replace(stats={"wer": np.zeros((1, 2))}))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"texts": ["a", "b"]}, "no references"),
        ({"quality": [1, 2]}, "no texts and no references"),
        ({"texts": ["a", "b"], "references": ["x", []]}, "group '1' has none"),
        ({"texts": ["a", None], "references": ["x", "y"]}, "candidate 0 of group '1' has none"),
    ],
)
def test_missing_parts_are_named(parts: dict[str, list[object]], said: str) -> None:
    with pytest.raises(DataError, match=said):
        WER.quality(NBest.from_arrays(sizes=[1, 1], **parts))


# The source of these numbers is the README that comes with the data: "WER 15.4 -> oracle 11.3, 3.7 -> 2.3".
@pytest.mark.parametrize(("name", "first", "oracle"), [("commonvoice", 15.4, 11.3), ("librispeech-other", 3.7, 2.3)])
def test_real_lists(shared_data: Path, name: str, first: float, oracle: float) -> None:
    path = shared_data / "speech" / f"{name}-5best.json.gz"
    if not path.exists():
        pytest.skip(f"{path.name} is not in the data folder")
    entries = json.loads(gzip.decompress(path.read_bytes()))
    data = NBest.from_arrays(
        texts=[text for entry in entries for text in entry["input"]],
        sizes=[len(entry["input"]) for entry in entries],
        references=[entry["output"] for entry in entries],
    )
    assert WER.score(metrics.first_rows(WER, data).sum(axis=0)).round(1) == first
    assert WER.score(metrics.oracle_rows(WER, data).sum(axis=0)).round(1) == oracle
