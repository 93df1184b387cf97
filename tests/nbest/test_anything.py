"""Models take what a person has in a program: records, lists of texts, or an `NBest`."""

from __future__ import annotations

from typing import Any

import pytest

from runoff import LinearModel, NBest, UsageError
from runoff.nbest.anything import as_nbest

RECORDS = [
    {
        "candidates": [
            {"text": "a b", "base": -1.0, "features": {"lm": -3}},
            {"text": "a c", "base": -2.0, "features": {"lm": -1}},
        ]
    },
    {"id": "second", "candidates": [{"text": "d", "base": -1.0}]},
]


def test_an_nbest_is_itself() -> None:
    data = NBest.from_records(RECORDS)
    assert as_nbest(data) is data


def test_records_are_groups_in_their_order() -> None:
    made = as_nbest(iter(RECORDS))
    assert made.group_ids.to_pylist() == ["1", "second"]
    assert made.texts is not None
    assert made.texts.to_pylist() == ["a b", "a c", "d"]


def test_lists_of_texts_are_groups() -> None:
    made = as_nbest([["a b", "a c"], [], ("d",)])
    assert made.sizes.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (7, "must be an NBest, a list of records .*; found 7"),
        ("a b", "must be an NBest.*; found 'a b'"),
        ({"candidates": []}, "must be an NBest, a list of records"),
        (["a b", "a c"], r"group 1 is 'a b'; expected .* One group alone goes into a list too"),
        ([["a"], 3], "group 2 is 3; expected an NBest, a list of records"),
    ],
)
def test_wrong_things_are_named(wrong: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        as_nbest(wrong)


def test_every_method_of_a_model_that_chooses_takes_records() -> None:
    model, data = LinearModel.of({"lm": 1.0}, base_weight=0.5), NBest.from_records(RECORDS)
    assert model.pick(RECORDS).indices.tolist() == model.pick(data).indices.tolist() == [1, 0]
    for method in (model.scores, model.ranks, model.probabilities):
        assert method(RECORDS).tolist() == method(data).tolist()
    assert model.top(RECORDS, 1) == model.top(data, 1)
    assert model.explain(RECORDS, group=0).difference == model.explain(data, group="1").difference
    assert LinearModel.of({}).pick([["a b", "a c"], ["d"]])[0].text == "a b"
