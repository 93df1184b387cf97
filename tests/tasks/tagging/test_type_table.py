"""The table by type in an evaluation."""

from __future__ import annotations

import json

import numpy as np

import runoff
from helpers.slow_conlleval import slow_conlleval
from runoff.ranking import by_score, first_round
from runoff.tasks import recognise
from runoff.tasks.tagging import Corpus, to_nbest

GOLD = ["B-NP I-NP B-VP", "B-PP B-NP", "B-X"]
FIRST = ["B-NP O B-VP", "B-PP I-PP", "O"]
BETTER = ["B-NP I-NP B-VP", "B-PP B-NP", "B-Y"]


def lists() -> runoff.NBest:
    corpus = Corpus.of({"word": list("abcdef"), "tag": " ".join(GOLD).split()}, sizes=[3, 2, 1])
    return to_nbest(corpus, [[one, other] for one, other in zip(FIRST, BETTER, strict=True)], [[2, 1]] * 3)


def test_both_choices_side_by_side() -> None:
    data = lists()
    chosen = by_score(data, np.array([0, 1, 0, 1, 0, 1.0]))
    table = recognise(data).tabulate(data, {"first round": first_round(data), "chosen": chosen})
    assert table is not None
    found = table.to_dict()
    assert json.loads(json.dumps(found)) == found
    for name, texts in (("first round", FIRST), ("chosen", BETTER)):
        counts, by_type = slow_conlleval([each.split() for each in GOLD], [each.split() for each in texts])
        keys = ("correct", "guessed", "gold")
        assert tuple(found[name][key] for key in (*keys, "right_tags", "tokens")) == counts
        for kind, counted in by_type.items():
            assert tuple(found[name]["types"][kind][key] for key in keys) == counted
    lines = str(table).splitlines()
    numbers = "precision recall F"
    assert " ".join(lines[0].split()) == f"gold first round: found {numbers} chosen: found {numbers}"
    assert lines[2].split() == ["all", "5", "3", "33.33", "20.00", "25.00", "5", "80.00", "80.00", "80.00"]
    assert [line.split()[0] for line in lines[3:-1]] == ["NP", "PP", "VP", "X", "Y"]
    assert lines[3].split() == ["NP", "2", "1", "0.00", "0.00", "0.00", "2", "100.00", "100.00", "100.00"]
    assert lines[-1] == "Tags that are right: first round 50.00%, chosen 83.33%."


def test_it_is_part_of_an_evaluation() -> None:
    data = lists()
    report = runoff.evaluate(runoff.LinearModel.of({}, base_weight=-1.0), data, metric="conlleval")
    assert "chosen: found" in str(report)
    without = data.replace(metric="tag-accuracy")
    assert recognise(without).tabulate(without, {"first round": first_round(data)}) is None
