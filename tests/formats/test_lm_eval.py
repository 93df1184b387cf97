"""Logs of samples of the lm-evaluation-harness, of older and newer versions."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from runoff import formats
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest


def read(tmp_path: Path, *records: Any, **options: Any) -> NBest:
    path = tmp_path / "samples_task.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert formats.recognise(path).name == "lm-eval"
    return formats.read(path, **options)


def generated(doc: int, responses: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "doc_id": doc,
        "doc": {"question": "q"},
        "target": "7",
        "arguments": {"gen_args_0": {"arg_0": f"Question {doc}", "arg_1": {"until": ["\n"]}}},
        "resps": [responses],
        "filtered_resps": responses[:1],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
        **more,
    }


def choices(likelihoods: list[Any], target: Any, *, old: bool = False) -> dict[str, Any]:
    pairs = [("ctx", f" choice {at}") for at in range(len(likelihoods))]
    arguments = (
        pairs if old else {f"gen_args_{at}": {"arg_0": one, "arg_1": two} for at, (one, two) in enumerate(pairs)}
    )
    responses = [[[value, "False"]] for value in likelihoods]
    return {"doc_id": 0, "doc": {}, "target": target, "arguments": arguments, "resps": responses, "acc": 1.0}


def test_repeats_are_candidates_and_the_target_is_the_reference(tmp_path: Path) -> None:
    data = read(tmp_path, generated(0, ["a 7", "8"]), generated(1, ["c", "d"], target=["7", "seven"]))
    assert data.group_ids.to_pylist() == ["0", "1"]
    assert data.texts.to_pylist() == ["a 7", "8", "c", "d"]
    assert data.references.to_pylist() == [["7"], ["7", "seven"]]
    assert data.inputs.to_pylist() == ["Question 0", "Question 1"]
    assert data.quality is None


def test_of_one_candidate_the_metric_is_the_quality(tmp_path: Path) -> None:
    data = read(tmp_path, generated(0, ["a"]), generated(1, ["b"], exact_match=0.0))
    assert data.quality.tolist() == [1, 0]


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("target", [1, "1", "choice 1", " choice 1", ["choice 1"]])
def test_of_multiple_choice_every_choice_is_a_candidate(tmp_path: Path, target: Any, old: bool) -> None:
    data = read(tmp_path, choices(["-9.0", "-18.0"] if not old else [-9.0, -18.0], target, old=old))
    assert data.texts.to_pylist() == ["choice 0", "choice 1"]
    assert data.base.tolist() == [-9, -18]
    assert data.quality.tolist() == [0, 1]
    assert data.references.to_pylist() == [["choice 1"]]
    # acc_norm divides by the characters of the choice, with its space, as the harness does
    assert data.features.to_scipy().toarray()[:, 0].tolist() == [-1, -2]
    assert data.features.names.to_pylist()[0] == "logprob:per character"


def test_one_filter_is_read_and_the_others_are_named(tmp_path: Path) -> None:
    records = [generated(0, ["a", "b"], filter="strict"), generated(0, ["a", "b"], filter="flexible", target="8")]
    data = read(tmp_path, *records)
    assert data.notes == (
        "Samples are those of the filter 'strict'; others are left out: flexible (see option filter).",
    )
    assert read(tmp_path, *records, filter="flexible").references.to_pylist() == [["8"]]
    with pytest.raises(UsageError, match="the log has no filter 'loose'; it has: strict, flexible"):
        read(tmp_path, *records, filter="loose")


def test_chats_are_written_as_json(tmp_path: Path) -> None:
    asked = json.dumps([{"role": "system", "content": "s"}, {"role": "user", "content": "u"}])
    for argument in (asked, [asked]):
        record = generated(0, ["a"], arguments={"gen_args_0": {"arg_0": argument}})
        assert read(tmp_path, record).inputs.to_pylist() == ["u"]
    assert read(tmp_path, generated(0, ["a"], arguments=[["[{broken", {}]])).inputs.to_pylist() == ["[{broken"]


WRONG = {
    "same document": (
        [generated(0, ["a"]), generated(0, ["a"])],
        "line 2: the group id '0' was used before, in line 1",
    ),
    "response": (
        [generated(0, [7])],
        "line 1: expected generated texts, or the log-likelihoods of choices, in 'resps'",
    ),
    "responses": ([generated(0, ["a"], resps="a")], "line 1: expected a list for 'resps', found 'a'."),
    "id": ([generated(0, ["a"]), generated(0, ["a"], doc_id=None)], "line 2: expected text or a number for 'doc_id'"),
    "no id": ([generated(0, ["a"]), {"resps": []}], "line 2: expected an object with the key 'doc_id'"),
    "no choice": (
        [{**choices([-1.0], 0), "arguments": [["ctx"]]}],
        "line 1: expected a context and a choice for each of 'arguments', found ['ctx'].",
    ),
}


@pytest.mark.parametrize(("records", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_their_place(tmp_path: Path, records: list[Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, *records)
    assert message in str(caught.value)
