"""Outputs of vLLM as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from runoff import formats
from runoff.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest


def request(name: str, *outputs: dict[str, Any]) -> dict[str, Any]:
    return {
        "request_id": name,
        "prompt": f"prompt {name}",
        "prompt_token_ids": [1],
        "outputs": outputs,
        "finished": True,
    }


def output(text: str, total: Any, tokens: Any = (7, 8), logprobs: Any = None, finish: str = "stop") -> dict[str, Any]:
    return {
        "index": 0,
        "text": text,
        "token_ids": tokens,
        "cumulative_logprob": total,
        "logprobs": logprobs,
        "finish_reason": finish,
    }


def read(tmp_path: Path, content: Any) -> NBest:
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps(content))
    assert formats.recognise(path).name == "vllm"
    return formats.read(path)


def test_the_cumulative_score_and_its_mean(tmp_path: Path) -> None:
    data = read(tmp_path, [request("0", output("a", -3.0), output("b", -1.0, [5], finish="length")), request("1")])
    assert data.group_ids.to_pylist() == ["0", "1"]
    assert data.inputs.to_pylist() == ["prompt 0", "prompt 1"]
    assert data.base.tolist() == [-3, -1]
    assert data.features.names.to_pylist() == ["logprob:mean", "logprob:tokens", "finish:length"]
    assert data.features.to_scipy().toarray().tolist() == [[-1.5, 2, 0], [-1, 1, 1]]


def test_scores_of_tokens_where_there_is_no_sum(tmp_path: Path) -> None:
    places = [{"7": {"logprob": -1.0, "rank": 1}, "9": {"logprob": -0.1}}, {"8": {"logprob": -2.0}}]
    assert read(tmp_path, [request("0", output("a", None, logprobs=places))]).base.tolist() == [-3]
    assert read(tmp_path, [request("0", output("a", None))]).base is None


WRONG = {
    "output": ([request("0", {"text": 3, "token_ids": []})], "element 1: expected objects with a 'text' in 'outputs'"),
    "score": (
        [request("0", output("a", "x"))],
        "element 1: expected a finite number for 'cumulative_logprob', found 'x'.",
    ),
    "nan": ([request("0", output("a", float("nan")))], "element 1: expected a finite number for 'cumulative_logprob'"),
    "prompt": ([{**request("0", output("a", 1)), "prompt": [1]}], "element 1: expected text for 'prompt', found [1]."),
    "element": ([request("0", output("a", 1)), {"a": 1}], "element 2: expected an object with a list of 'outputs'"),
}


@pytest.mark.parametrize(("content", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_are_named_with_their_place(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, content)
    assert message in str(caught.value)
