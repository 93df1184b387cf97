"""srl-eval: against the Perl script's own output, and against its rules in plain Python."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runoff
from helpers.slow_srl_eval import slow_srl_eval
from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.metrics.resampling import Resampling
from runoff.nbest import NBest
from runoff.ranking import by_score, first_round
from runoff.tasks import recognise
from runoff.tasks.roles.metric import SrlEval
from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
from runoff.tasks.roles.role_files import read_roles
from runoff.tasks.roles.role_scores import RoleComparison, evaluate_roles
from runoff.tasks.roles.role_statistics import role_statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

GOLD = """\
-       (A0*       *         *
-          *)      *         *
say      (V*)      *         *
-       (A1*    (A0*)        *
leave      *     (V*)        *
-          * (AM-TMP*)       *
-          *)   (A1*         *
-          *       *)        *
-          *  (C-A1*)   (R-A0*)
run        *       *       (V*)
-          *  (C-A1*)    (C-V*)

-

-       (A0*)
give     (V*)
-       (A2*)
-     (C-A1*)
-       (A1*)
-     (C-A1*)
"""
PREDICTED = """\
-       (A0*       *         *
-          *)      *         *
say      (V*)      *         *
-       (A1*    (A0*)        *
leave      *     (V*)        *
-          * (AM-LOC*)       *
-          *)   (A1*         *
-          *       *)        *
-          *  (C-A1*)     (A0*)
run        *       *       (V*)
-          *  (C-A1*)    (C-V*)

-

-       (A0*)
give     (V*)
-       (A2*
-          *)
-       (A1*)
-     (C-A1*)
"""
# What srl-eval.pl -C (of 2005-04-21, without its LaTeX table and its writers) printed for these files.
PRINTED = """\
Number of Sentences    :           3
Number of Propositions :           4
Percentage of perfect props :  25.00

              corr.  excess  missed    prec.    rec.      F1
------------------------------------------------------------
   Overall        6       3       4    66.67   60.00   63.16
----------
        A0        3       1       0    75.00  100.00   85.71
        A1        3       0       1   100.00   75.00   85.71
        A2        0       1       1     0.00    0.00    0.00
    AM-LOC        0       1       0     0.00    0.00    0.00
    AM-TMP        0       0       1     0.00    0.00    0.00
      R-A0        0       0       1     0.00    0.00    0.00
------------------------------------------------------------
         V        4       0       0   100.00  100.00  100.00
------------------------------------------------------------
--------------------------------------------------------------------
              corr.  excess  missed    prec.    rec.      F1    lAcc
 Unlabeled        8       1       2    88.89   80.00   84.21   75.00
--------------------------------------------------------------------

---- Confusion Matrix: (one row for each correct role, with the distribution of predictions)
               -1    0    1    2    3    4    5    6\x20
-1: -NONE-      0    0    0    1    0    0    0    0\x20
 0: A0          0    3    0    0    0    0    0    0\x20
 1: A1          1    0    3    0    0    0    0    0\x20
 2: A2          1    0    0    0    0    0    0    0\x20
 3: AM-LOC      0    0    0    0    0    0    0    0\x20
 4: AM-TMP      0    0    0    0    1    0    0    0\x20
 5: R-A0        0    1    0    0    0    0    0    0\x20
 6: V           0    0    0    0    0    0    0    4\x20
"""


def test_the_output_of_the_script(file: Callable[..., Path]) -> None:
    gold, predicted = read_roles(file(GOLD, "gold.props")), read_roles(file(PREDICTED, "predicted.props"))
    found = evaluate_roles(gold, predicted)
    assert f"{found.srl_eval()}\n{found.confusion_matrix()}\n" == PRINTED
    assert json.loads(json.dumps(found.to_dict()))["f"] == pytest.approx(63.157894736842)
    same = evaluate_roles(gold, gold)
    assert [same.score(part) for part in ("precision", "recall", "f", "perfect")] == [100.0] * 4
    assert same.confusion_matrix().count("-NONE-") == 1  # srl-eval.pl shows it even where it is empty


LABELS = ("A0", "A1", "AM-TMP", "C-A0", "C-A1", "C-AM-TMP", "R-A0", "C-R-A0", "V", "C-V", "C-C-A1")


def drawn_tags(rng: random.Random, size: int) -> list[str]:
    tags: list[str] = []
    while len(tags) < size:
        label, length = rng.choice(LABELS), min(rng.choice([1, 1, 2, 3]), size - len(tags))
        tags += ["O"] * length if rng.random() < 0.3 else [f"B-{label}", *[f"I-{label}"] * (length - 1)]
    if rng.random() < 0.3 and size:
        tags[rng.randrange(size)] = f"I-{rng.choice(LABELS)}"
    return tags


def drawn_pairs(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    rng = random.Random(seed)
    gold = [drawn_tags(rng, rng.randint(0, 10)) for _ in range(8)]
    guess = [each if rng.random() < 0.2 else drawn_tags(rng, len(each)) for each in gold]
    for one, other in zip(gold, guess, strict=True):
        for at in range(len(one)):  # so that some arguments are right
            if rng.random() < 0.6:
                other[at] = one[at]
    return gold, guess


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_counts_of_the_rules(seed: int) -> None:
    gold, guess = drawn_pairs(seed)
    texts, references = [" ".join(each) for each in guess], [" ".join(each) for each in gold]
    data = NBest.from_arrays(texts=texts, sizes=[1] * len(gold), references=references)
    found = role_statistics(data, "srl-eval")
    counts, by_label, confusion = slow_srl_eval(gold, guess)
    assert tuple(found.rows.sum(axis=0)) == counts
    assert dict(found.by_label) == by_label
    assert {(one, other): n for one, row in found.confusions.items() for other, n in row.items()} == dict(confusion)
    for one, other, row in zip(gold, guess, found.rows, strict=True):
        assert tuple(row) == slow_srl_eval([one], [other])[0]


def test_parts_are_in_the_arithmetic_of_the_script() -> None:
    # The same script on 4,963 noisy propositions: 7020 correct, 1427 excess, 2459 missed: 83.11, 74.06, 78.32; 60.83.
    sums = np.array([7020, 1427, 2459, 3019, 4963], float)
    parts = [f"{SrlEval(part=part).score(sums):.2f}" for part in ("precision", "recall", "f", "perfect")]
    assert parts == ["83.11", "74.06", "78.32", "60.83"]
    assert SrlEval().score(np.zeros((2, 5))).tolist() == [0.0, 0.0]


def lists() -> NBest:
    texts = ["B-A0 B-V O", "B-A0 B-V B-A1", "O B-V", "B-A0 B-V"]
    return NBest.from_arrays(
        texts=texts, sizes=[2, 2], references=["B-A0 B-V B-A1", "O B-V"], base=[2, 1, 2, 1], metric="srl-eval"
    )


def test_as_any_other_metric() -> None:
    metric = metrics.get("srl-eval[part=recall]")
    assert (metric, metric.label) == (SrlEval(part="recall"), "srl-eval[part=recall]")
    assert SrlEval().quality(lists()).tolist() == [-1.0, 0.0, 0.0, -1.0]
    # Twice the right ones minus 0.75 times those that are guessed and gold: 2 - 0.75 * 3, 4 - 0.75 * 4, 0, -0.75.
    assert metrics.get("srl-eval[price=0.75]").quality(lists()).tolist() == [-0.25, 1.0, 0.0, -0.75]
    with pytest.raises(UsageError, match="price"):
        metrics.get("srl-eval[price=2]")
    report = runoff.evaluate(runoff.LinearModel.of({}, base_weight=1.0), lists(), metric="srl-eval")
    assert "Perfect propositions: " in str(report)
    with pytest.raises(UsageError, match="part"):
        metrics.get("srl-eval[part=best]")
    with pytest.raises(DataError, match="srl-eval needs as many tags as the gold tagging has, 2"):
        SrlEval().quality(NBest.from_arrays(texts=["O"], sizes=[1], references=["O O"]))


def test_the_table_by_label() -> None:
    data = lists()
    table = recognise(data).tabulate(data, {"first": first_round(data), "last": by_score(data, np.array([0, 1, 0, 1]))})
    assert table is not None
    found = json.loads(json.dumps(table.to_dict()))
    assert found["first"]["labels"]["A1"] == {
        "precision": 0.0, "recall": 0.0, "f": 0.0, "correct": 0, "excess": 0, "missed": 1,
    }  # fmt: skip
    assert [found[name]["perfect"] for name in ("first", "last")] == [50.0, 50.0]
    assert recognise(data).tabulate(data.replace(references=None), {}) is None


# -------------------------------------------------------------------- sentences of two files


def proposition(at: int, *roles: tuple[int, int, str], lemma: str = "say") -> Proposition:
    return Proposition.of(at, lemma, [(at, at + 1, "V"), *roles])


WORDS = ("I", "say", "so", "often")
SAID = RoleSentence(WORDS, (proposition(1, (0, 1, "A0"), (2, 3, "A1")),), pos=("PRP", "VBP", "RB", "RB"), id="s7")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ([], "expected the 1 sentences of the gold roles; found 0"),
        ([RoleSentence(("I", "say"))], r"sentence 1 \(s7\) has 4 words with gold roles; found 2"),
        ([RoleSentence(("I", "say", "so", "!"))], r"expected 'often' at word 4, found '!'"),
        ([RoleSentence(WORDS)], r"sentence 1 \(s7\) lacks the predicate 'say' at word 2"),
        ([RoleSentence(WORDS, (proposition(1, lemma="sew"),))], "expected the predicate 'say' at word 2, found 'sew'"),
        ([RoleSentence(WORDS, (proposition(1), proposition(2)))], "has the predicate 'say' at word 3, which the gold"),
        ([RoleSentence(WORDS, (proposition(1), proposition(1)))], "two predicted predicates at word 2"),
    ],
)
def test_files_that_differ(other: Sequence[RoleSentence], message: str) -> None:
    with pytest.raises(DataError, match=message):
        evaluate_roles([SAID], other)


def test_predicates_that_differ_as_the_script_counts_them() -> None:
    # srl-eval.pl: a missing predicate or another lemma counts all gold arguments as missed, others are skipped.
    missing = evaluate_roles([SAID], [RoleSentence(WORDS, (proposition(2, (0, 1, "A0")),))], lenient=True)
    assert missing.sums.tolist() == [0, 0, 2, 0, 1]
    assert missing.statistics.by_label["V"] == (0, 0, 1)
    assert missing.notes == (
        "Gold predicates that were not predicted, whose arguments all count as missed: 1.",
        "Predicates that the gold roles have not, which are not counted: 1.",
    )
    renamed = RoleSentence(WORDS, (proposition(1, (0, 1, "A0"), lemma="sew"),))
    assert evaluate_roles([SAID], [renamed], lenient=True).sums.tolist() == [0, 0, 2, 0, 1]


def test_verbs_alone() -> None:
    both = SAID.with_propositions([*SAID.propositions, proposition(3, (0, 1, "A0"), lemma="often")])
    assert evaluate_roles([both], [both]).sums.tolist() == [3, 0, 0, 2, 2]
    assert evaluate_roles([both], [both], verbs=True).sums.tolist() == [2, 0, 0, 1, 1]
    assert evaluate_roles([both], [SAID], verbs=True).sums.tolist() == [2, 0, 0, 1, 1]
    with pytest.raises(DataError, match="has no parts of speech"):
        evaluate_roles([RoleSentence(WORDS, SAID.propositions)], [SAID], verbs=True)


def test_words_that_are_not_known_are_not_compared() -> None:
    bare = RoleSentence(("_",) * 4, SAID.propositions)
    assert evaluate_roles([SAID], [bare]).score("f") == evaluate_roles([bare], [SAID]).score("f") == 100.0


def test_two_labellings_are_compared_over_sentences() -> None:
    worse = SAID.with_propositions([SAID.propositions[0].with_roles([(0, 1, "A0"), (2, 4, "A1")])])
    drawn = Resampling(resamples=200, trials=999)
    gold = [SAID] * 30
    first, second = (evaluate_roles(gold, [each] * 30, resampling=drawn) for each in (worse, SAID))
    found = RoleComparison.of(first, second, drawn)
    # The interval and the test are those of the rows of sentences, which all metrics share.
    assert found.difference.delta == 50.0
    assert found.p == drawn.p_value(second.rows, first.rows, SrlEval()) == 0.001
    assert first.intervals["f"] == drawn.interval(first.rows, SrlEval())
    assert json.loads(json.dumps(found.to_dict()))["difference"]["p"] == 0.001
    assert "F1 50.00 and 100.00: difference +50.00" in found.table(("old", "new"))
    assert found.table(("old", "new")).splitlines()[0].split()[:3] == ["gold", "old:", "precision"]


def test_sentences_without_predicates_and_arguments() -> None:
    empty = [RoleSentence(WORDS), RoleSentence(WORDS, (proposition(1),)), RoleSentence(())]
    found = evaluate_roles(empty, empty)
    assert found.sums.tolist() == [0, 0, 0, 1, 1]
    assert "Number of Sentences    :           3" in str(found)
    assert Argument(1, 2, "V") in empty[1].propositions[0].arguments
