"""Responses of chat and completion endpoints, alone, in batches and in logs of requests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from runoff import formats
from runoff.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest


def chat(name: str, *texts: Any, logprobs: Any = None, finish: str = "stop") -> dict[str, Any]:
    choices = [
        {"index": at, "message": {"role": "assistant", "content": text}, "logprobs": logprobs, "finish_reason": finish}
        for at, text in enumerate(texts)
    ]
    return {"id": name, "object": "chat.completion", "choices": choices}


def batch(name: str, body: Any) -> dict[str, Any]:
    response = body and {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "b", "custom_id": name, "response": response, "error": None if body else {"code": "expired"}}


def read(tmp_path: Path, *records: Any, **options: Any) -> NBest:
    path = tmp_path / "responses"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert formats.recognise(path).name == "openai"
    return formats.read(path, **options)


CHAT_LOGPROBS = {"content": [{"token": "a", "logprob": -0.5, "top_logprobs": []}, {"token": "b", "logprob": -1.5}]}
COMPLETION_LOGPROBS = {"tokens": ["a", "b", "c"], "token_logprobs": [None, -1.0, -3.0], "text_offset": [0, 1, 2]}


def test_scores_of_tokens_are_summed_and_their_mean_is_a_feature(tmp_path: Path) -> None:
    completion = {"id": "c", "choices": [{"text": "abc", "index": 0, "logprobs": COMPLETION_LOGPROBS}]}
    data = read(tmp_path, chat("x", "ab", logprobs=CHAT_LOGPROBS), completion)
    assert data.group_ids.to_pylist() == ["x", "c"]
    assert data.base.tolist() == [-2, -4]  # the first token of an echoed prompt has no score
    assert data.features.names.to_pylist() == ["logprob:mean", "logprob:tokens"]
    assert data.features.to_scipy().toarray().tolist() == [[-1, 2], [-2, 2]]


def test_lines_of_batches_have_the_ids_of_their_requests(tmp_path: Path) -> None:
    data = read(
        tmp_path, batch("q2", chat("x", "a", "b")), batch("q1", chat("y", "c", finish="length")), batch("q3", None)
    )
    assert data.group_ids.to_pylist() == ["q2", "q1", "q3"]
    assert data.sizes.tolist() == [2, 1, 0]
    assert data.features.names.to_pylist() == ["finish:length"]
    assert "Requests that failed and have no choices: 1." in data.notes


def test_requests_that_are_logged_beside_responses_are_the_input(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": [{"type": "text", "text": "one"}, {"type": "image_url"}]}]
    said = read(
        tmp_path,
        {"request": {"messages": messages}, "response": chat("x", "a")},
        {"prompt": "two", **chat("y", "b")},
        {"body": {"messages": [{"role": "user", "content": "three"}]}, "response": {"body": chat("z", "c")}},
    )
    assert said.inputs.to_pylist() == ["one", "two", "three"]


def test_the_same_request_again_joins_its_group(tmp_path: Path) -> None:
    data = read(tmp_path, batch("q", chat("x", "a")), batch("p", chat("y", "b")), batch("q", chat("z", "c")))
    assert (data.group_ids.to_pylist(), data.texts.to_pylist()) == (["q", "p"], ["a", "c", "b"])


def test_parts_refusals_and_calls_of_tools(tmp_path: Path) -> None:
    refused, called = chat("x", None), chat("y", None)
    refused["choices"][0]["message"]["refusal"] = "I will not."
    called["choices"][0]["message"]["tool_calls"] = [{"id": "t"}]
    data = read(tmp_path, refused, called, chat("z", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]))
    assert data.texts.to_pylist() == ["I will not.", "", "ab"]
    assert "Choices without a text (calls of tools, say), which is empty here: 1." in data.notes


WRONG = {
    "no choices": ([chat("x", "a"), {"id": "y"}], "line 2: expected the key 'choices', in the record or"),
    "choices": ([chat("x", "a"), {"choices": "a"}], "line 2: expected a list for 'choices', found 'a'."),
    "choice": ([chat("x", "a"), {"choices": [1]}], "line 2: expected objects in 'choices', found 1."),
    "text": (
        [chat("x", "a"), {"choices": [{"x": 1}]}],
        "line 2: expected a choice with 'message' or 'text', found ['x']",
    ),
    "logprobs": (
        [chat("x", "a", logprobs={"content": [{"logprob": "high"}]})],
        "line 1: expected numbers of tokens in 'logprobs', found",
    ),
    "nan": ([chat("x", "a", logprobs={"content": [{"logprob": float("nan")}]})], "line 1: expected numbers of tokens"),
    "some": (
        [chat("x", "a", logprobs=CHAT_LOGPROBS), chat("y", "b")],
        "line 2: candidate 1 of group 'y' has no 'base', but others have",
    ),
    "element": ([chat("x", "a"), 3], "line 2: expected an object with the key 'choices', found 3."),
}


@pytest.mark.parametrize(("records", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_their_place(tmp_path: Path, records: list[Any], message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, *records)
    assert message in str(caught.value)


def test_a_response_alone_and_an_array(tmp_path: Path) -> None:
    for content in (chat("x", "a", "b"), [chat("x", "a", "b")]):
        path = tmp_path / "response.json"
        path.write_text(json.dumps(content, indent=2))
        assert formats.read(path).texts.to_pylist() == ["a", "b"]
    path.write_text(json.dumps(content)[:-20])
    with pytest.raises(DataError, match=r"the file is not JSON \(.*ends too early"):
        formats.read(path)


def test_a_very_long_first_line(tmp_path: Path) -> None:
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(json.dumps(chat(name, "a" * 200_000)) + "\n" for name in "xy"))
    assert formats.read(path).group_ids.to_pylist() == ["x", "y"]
