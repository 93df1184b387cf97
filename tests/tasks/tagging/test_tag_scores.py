"""Scores of two files: the layout and the numbers of conlleval, intervals, and files that do not fit."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.slow_conlleval import slow_conlleval
from runoff.errors import DataError, UsageError
from runoff.metrics import Resampling
from runoff.tasks.tagging import Corpus, evaluate_tags
from runoff.tasks.tagging.columns import read_columns

if TYPE_CHECKING:
    from pathlib import Path

GOLD = ["B-NP", "I-NP", "B-VP", "O", "B-NP", "I-NP", "B-PP", "B-NP", "O", "B-LOC"]
GUESS = ["B-NP", "I-NP", "B-VP", "O", "B-NP", "B-NP", "B-PP", "I-NP", "I-X", "O"]
# What the Perl script printed for these ten tokens in sentences of 4, 5 and 1.
PRINTED = """\
processed 10 tokens with 6 phrases; found: 7 phrases; correct: 4.
accuracy:  60.00%; precision:  57.14%; recall:  66.67%; FB1:  61.54
              LOC: precision:   0.00%; recall:   0.00%; FB1:   0.00  0
               NP: precision:  50.00%; recall:  66.67%; FB1:  57.14  4
               PP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
               VP: precision: 100.00%; recall: 100.00%; FB1: 100.00  1
                X: precision:   0.00%; recall:   0.00%; FB1:   0.00  1"""


def both(gold: list[str], guess: list[str], sizes: list[int], **more: list[str]) -> Corpus:
    return Corpus.of({"tag": gold, "guess": guess}, sizes, **more)


def test_the_text_of_the_script() -> None:
    found = evaluate_tags(both(GOLD, GUESS, [4, 5, 1]), "guess")
    assert found.conlleval() == PRINTED
    assert str(found).startswith(PRINTED + "\n\nIntervals: accuracy ")


@settings(deadline=None)
@given(st.integers(1, 4), st.randoms(use_true_random=False))
def test_types_add_up_as_in_the_rules(size: int, rng: object) -> None:
    draw = rng.choice  # type: ignore[attr-defined]
    gold = [[draw(["O", "B-A", "I-A", "B-C", "I-C"]) for _ in range(size)] for _ in range(5)]
    guess = [[draw([tag, tag, "O", "B-A", "I-C"]) for tag in each] for each in gold]
    flat = [[tag for each in some for tag in each] for some in (gold, guess)]
    found = evaluate_tags(both(*flat, [size] * 5), "guess", resampling=Resampling(resamples=1))
    counts, by_type = slow_conlleval(gold, guess)
    assert tuple(found.sums) == counts
    assert found.by_type == by_type
    assert list(found.by_type) == sorted(by_type)


def test_the_published_baseline_of_chunking(shared_data: Path) -> None:
    # Tjong Kim Sang & Buchholz (2000), table 2: the most frequent chunk tag of every part of speech scores
    # precision 72.58, recall 82.14 and F 77.07.
    train, test = (
        read_columns(shared_data / "chunks" / f"conll2000.{part}.txt.gz", "word,pos,tag") for part in ("train", "test")
    )
    seen: dict[str, Counter[str]] = {}
    for pos, tag in zip(train["pos"].texts(), train["tag"].texts(), strict=True):
        seen.setdefault(pos, Counter())[tag] += 1
    guess = test.with_column("guess", [seen[pos].most_common(1)[0][0] for pos in test["pos"].texts()])
    found = evaluate_tags(guess, "guess")
    assert [f"{found.score(part):.2f}" for part in ("precision", "recall", "f")] == ["72.58", "82.14", "77.07"]
    low, high = found.intervals["f"].low, found.intervals["f"].high
    assert 76 < low < found.score("f") < high < 78.5


def test_as_plain_values() -> None:
    found = evaluate_tags(both(GOLD, GUESS, [4, 5, 1]), "guess").to_dict()
    assert json.loads(json.dumps(found)) == found
    assert (found["sentences"], found["correct"], found["right_tags"], found["tokens"]) == (3, 4, 6, 10)
    assert found["types"]["NP"]["gold"] == 3
    assert found["signature"].startswith("conlleval|phrases:conlleval-2004|bootstrap:1000")


def test_raw_tags() -> None:
    found = evaluate_tags(both(["NN", "O", "VB"], ["NN", "NN", "O"], [3]), "guess", raw=True)
    assert found.by_type == {"NN": (1, 2, 1), "VB": (0, 0, 1)}
    assert "raw" in found.signature


def test_documents_are_drawn_as_a_whole() -> None:
    corpus = both(GOLD, GUESS, [4, 5, 1], documents=["a", "a", "b"])
    by_document = evaluate_tags(corpus, "guess", resampling=Resampling(group_by="document"))
    assert "blocks:2" in by_document.signature
    with pytest.raises(UsageError, match="no documents"):
        evaluate_tags(both(GOLD, GUESS, [10]), "guess", resampling=Resampling(group_by="document"))
    with pytest.raises(UsageError, match="group_by='speaker'"):
        evaluate_tags(corpus, "guess", resampling=Resampling(group_by="speaker"))


def test_letters_that_the_script_does_not_know_are_told() -> None:
    found = evaluate_tags(both(["S-A", "S-A"], ["S-A", "S-A"], [2]), "guess")
    assert found.sums.tolist() == [1, 1, 1, 2, 2]
    assert "The tags have the letters S, whose phrases conlleval does not all read" in found.notes[0]


def test_files_that_do_not_fit() -> None:
    gold = Corpus.of({"word": ["a", "b"], "tag": ["O", "O"]}, sizes=[1, 1])
    with pytest.raises(DataError, match="expected the 2 sentences of the gold tags; found 1"):
        evaluate_tags(gold, gold[:1])
    with pytest.raises(DataError, match="sentence 1 has 1 gold tags; found 2"):
        evaluate_tags(gold, Corpus.of({"tag": ["O"] * 3}, sizes=[2, 1]))
    with pytest.raises(DataError, match=r"sentence 2 has other words .* expected 'b', found 'c'"):
        evaluate_tags(gold, gold.with_column("word", ["a", "c"]))
    assert evaluate_tags(gold, gold).score("accuracy") == 100
    assert evaluate_tags(gold, Corpus.of({"tag": ["O", "B-A"]}, sizes=[1, 1])).score("accuracy") == 50


def test_no_sentences() -> None:
    found = evaluate_tags(both([], [], []), "guess")
    assert found.conlleval() == "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0."
