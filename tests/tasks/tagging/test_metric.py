"""conlleval and tag accuracy: against the Perl script's own output, and against its rules in plain Python."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.slow_conlleval import slow_conlleval
from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.ranking import first_round
from runoff.tasks.tagging import ConllEval, TagAccuracy


def judged(gold: list[str], guessed: list[str], *, raw: bool = False) -> np.ndarray:
    data = NBest.from_arrays(texts=guessed, sizes=[1] * len(gold), references=gold)
    return ConllEval(raw=raw).statistics(data)


# What conlleval (Perl, version of 2004-01-26) printed for these tags, one sentence each; right tags from its accuracy.
PRINTED = [
    ("B-NP I-NP O", "B-NP I-NP O", (1, 1, 1, 3, 3)),
    ("B-NP I-NP O", "I-NP I-NP O", (1, 1, 1, 2, 3)),  # an I after O starts a phrase
    ("B-NP I-NP I-VP", "B-NP B-NP I-VP", (1, 3, 2, 2, 3)),
    ("B-NP I-NP B-NP", "I-NP I-NP I-NP", (0, 1, 2, 1, 3)),
    ("B-NP E-NP B-NP E-NP", "B-NP E-NP B-NP E-NP", (1, 1, 1, 4, 4)),  # no B starts a phrase after an E
    ("S-NP S-NP O", "S-NP O O", (0, 1, 1, 2, 3)),  # an S continues one
    ("[-NP [-NP ]-NP", "[-NP ]-NP O", (2, 2, 3, 1, 3)),
    ("B-0 O B-0", "B O B-0", (2, 2, 2, 3, 3)),  # what Perl takes for false is no type
    ("E-A E-A I-A E-A", "B-A E-A I-A E-A", (1, 2, 3, 3, 4)),
    ("B-A-B I-A-B O", "B-A I-A-B O", (0, 2, 1, 2, 3)),
    ("B I O", "B I B-X", (1, 2, 1, 2, 3)),
    ("DT NN VB", "DT VB VB", (0, 0, 0, 2, 3)),
]


@pytest.mark.parametrize(("gold", "guess", "counts"), PRINTED)
def test_counts_of_the_script(gold: str, guess: str, counts: tuple[int, ...]) -> None:
    assert tuple(judged([gold], [guess])[0]) == counts
    assert slow_conlleval([gold.split()], [guess.split()])[0] == counts


@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["OBI", "OBIE", "OEI", "OBIES", "OBI[]", "OBIEX."]), st.booleans())
def test_counts_of_the_rules(seed: int, letters: str, raw: bool) -> None:
    rng = random.Random(seed)
    types = rng.choice([["NP"], ["NP", "VP", "A-B"], ["", "NP", "0"]])

    def tag() -> str:
        letter, kind = rng.choice(letters), rng.choice(types)
        return "O" if letter == "O" else f"{letter}-{kind}" if kind else letter

    gold = [[tag() for _ in range(rng.randint(0, 9))] for _ in range(6)]
    guess = [[each if rng.random() < 0.6 else tag() for each in sentence] for sentence in gold]
    rows = judged([" ".join(each) for each in gold], [" ".join(each) for each in guess], raw=raw)
    for one, other, row in zip(gold, guess, rows, strict=True):
        assert slow_conlleval([one], [other], raw=raw)[0] == tuple(row)
    assert slow_conlleval(gold, guess, raw=raw)[0] == tuple(rows.sum(axis=0))


def test_parts_are_in_the_arithmetic_of_the_script() -> None:
    # conlleval's output.html of CoNLL-2000: 961 tokens, 459 phrases, 539 found, 371 right:
    # accuracy 84.08 (808 right tags), precision 68.83, recall 80.83, FB1 74.35.
    sums = np.array([371, 539, 459, 808, 961], float)
    parts = [f"{ConllEval(part=part).score(sums):.2f}" for part in ("accuracy", "precision", "recall", "f")]
    assert parts == ["84.08", "68.83", "80.83", "74.35"]
    assert ConllEval().score(np.zeros((2, 5))).tolist() == [0.0, 0.0]


def lists() -> NBest:
    texts = ["B-NP O O", "B-NP I-NP O", "B-NP I-NP B-VP", "O", "B-NP", ""]
    references = ["B-NP I-NP O", "O", ""]
    return NBest.from_arrays(texts=texts, sizes=[3, 2, 1], references=references, base=[3, 2, 1, 1, 2, 1])


def test_quality_is_minus_the_wrong_and_missed_phrases() -> None:
    # two errors; none; one phrase too many; none; one too many where there is no phrase at all; nothing
    assert ConllEval().quality(lists()).round(6).tolist() == [-2, 0, -1, 0, -1, 0]
    tied = NBest.from_arrays(texts=["O O B-X", "O I-NP O"], sizes=[2], references=["B-NP I-NP B-X"])
    one, other = ConllEval().quality(tied)
    assert one > other  # one of two phrases against none
    equal = NBest.from_arrays(texts=["B-NP O O", "O O O"], sizes=[2], references=["B-X O O"])
    wrong, missed = ConllEval().quality(equal)
    assert missed > wrong


def test_right_tags_decide_between_equal_phrases() -> None:
    data = NBest.from_arrays(texts=["I-NP I-NP O", "B-NP I-NP O"], sizes=[2], references=["B-NP I-NP O"])
    assert np.diff(ConllEval().quality(data))[0] > 0
    assert ConllEval().quality(data).round(6).tolist() == [0, 0]


def test_as_any_other_metric() -> None:
    metric = metrics.get("conlleval[part=recall,raw]")
    assert (metric, metric.label) == (ConllEval(part="recall", raw=True), "conlleval[part=recall,raw]")
    assert metric.key == "conlleval[raw]"
    assert metrics.get("conlleval[part=recall]").key == "conlleval"
    assert metric.signature == "conlleval|part:recall|phrases:raw"
    rows = ConllEval().rows(lists(), first_round(lists()))
    assert ConllEval().score(rows.sum(axis=0)) == 0.0  # both first choices have a wrong phrase
    with pytest.raises(UsageError, match="must be one of f, precision, recall, accuracy"):
        metrics.get("conlleval[part=phrases]")
    assert metrics.get("tag-accuracy").signature == "tag-accuracy|tags:as-written"


def test_tag_accuracy() -> None:
    data = NBest.from_arrays(texts=["DT 0 B-0", "DT NN O"], sizes=[2], references=["DT NN B-0"])
    assert TagAccuracy().statistics(data).tolist() == [[2, 3], [2, 3]]
    assert TagAccuracy().quality(data).tolist() == [2, 2]
    assert TagAccuracy().score(np.array([4.0, 6.0])) == pytest.approx(100 * 4 / 6)


@pytest.mark.parametrize("name", ["conlleval", "tag-accuracy"])
def test_data_that_cannot_be_judged(name: str) -> None:
    metric = metrics.get(name)
    with pytest.raises(DataError, match=f"{name} compares tags with gold tags, and this data has no references"):
        metric.quality(NBest.from_arrays(texts=["O"], sizes=[1]))
    with pytest.raises(DataError, match="has, 1; candidate 1 of list 'b' has 2"):
        metric.quality(
            NBest.from_arrays(texts=["O", "O", "O O"], sizes=[1, 2], references=["O", "O"], group_ids=["a", "b"])
        )
    with pytest.raises(DataError, match="list 'b' has none"):
        metric.quality(NBest.from_arrays(texts=["O", "O"], sizes=[1, 1], references=[["O"], []], group_ids=["a", "b"]))
    without = NBest.from_arrays(texts=["O"], sizes=[1, 0], references=[["O"], []])
    assert metric.quality(without).size == 1  # nothing to compare in a list without candidates
