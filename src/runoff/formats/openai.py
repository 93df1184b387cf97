"""Responses of chat and completion endpoints in OpenAI's form, and output files of batches of them.

A response is an object with `choices`, of which each has a `message` or a `text`, or with an `output` of messages. In
a batch (`custom_id`, `response.body`) or a log of requests, it stands deeper. Where choices have the log-probabilities
of their tokens, the sum is the base score, and mean and number are features. A choice that did not end by itself has
`finish:REASON`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from runoff.formats.base import Format, Sample
from runoff.formats.generated import is_finite_number, message_text, said_last, scored, wanted
from runoff.formats.json_reader import outline
from runoff.formats.json_records import open_records
from runoff.formats.reference_records import with_references
from runoff.nbest.records import RecordBuilder, collector_paused

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.nbest.record_blocks import RecordSource

_HOLDERS = ((), ("response", "body"), ("response",), ("body",), ("completion",), ("result",))  # of the choices
_REQUESTS = ((), ("request", "body"), ("request",), ("body",), ("kwargs",))  # of messages or a prompt
_ENDED = ("stop", "end_turn", None)


def read(path: Path, references: str | Path | None = None) -> NBest:
    """Read responses, one group each. O(bytes); JSON lines are streamed."""
    opened = open_records(path)
    builder = RecordBuilder(opened.source, joins=True)
    counts: Counter[str] = Counter()
    with collector_paused():
        for values, numbers in opened.blocks:
            pairs = zip(values, numbers, strict=True)
            builder.add([_group(value, number, opened.source, counts) for value, number in pairs], numbers)
    return with_references(builder.finish(notes=_notes(counts)), references)


def _notes(counts: Counter[str]) -> list[str]:
    sentences = {
        "failed": "Requests that failed and have no choices: {}.",
        "silent": "Choices without a text (calls of tools, say), which is empty here: {}.",
    }
    return [sentence.format(f"{counts[key]:,}") for key, sentence in sentences.items() if counts[key]]


def _group(record: Any, number: int, source: RecordSource, counts: Counter[str]) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise wanted("an object with the key 'choices'", record, source, number)
    bodies = (body for holder in _HOLDERS if isinstance(body := _inside(record, holder), dict))
    body = next((body for body in bodies if "choices" in body or _is_response(body)), None)
    name = record.get("custom_id", None if body is None else body.get("id"))
    group: dict[str, Any] = {"id": name if name is not None else record.get("id"), "candidates": []}
    for holder in _REQUESTS:
        request = _inside(record, holder)
        if isinstance(request, dict) and ("messages" in request or "prompt" in request):
            group["input"] = said_last(request.get("messages", request.get("prompt")))
            break
    if body is None or (body.get("choices") is None and body.get("error")):
        if not (record.get("error") or "response" in record):
            raise wanted("the key 'choices', in the record or in its 'response.body'", list(record), source, number)
        counts["failed"] += 1
        return group
    choices = body["choices"] if "choices" in body else _messages(body["output"])
    if not isinstance(choices, list):
        raise wanted("a list for 'choices'", choices, source, number)
    group["candidates"] = [_candidate(choice, number, source, counts) for choice in choices]
    return group


def _is_response(body: dict[str, Any]) -> bool:
    """Whether it is an answer of the endpoint for responses, which has one output in several items."""
    return body.get("object") == "response" and isinstance(body.get("output"), list)


def _messages(items: list[Any]) -> list[dict[str, Any]]:
    """The messages among the items of a response (others are calls of tools and reasoning) as one choice."""
    messages = [item for item in items if isinstance(item, dict) and item.get("type") == "message"]
    contents = [message["content"] for message in messages if isinstance(message.get("content"), list)]
    parts = [part for content in contents for part in content if isinstance(part, dict)]
    scores = [part["logprobs"] for part in parts if isinstance(part.get("logprobs"), list) and part["logprobs"]]
    choice: dict[str, Any] = {"message": {"content": parts or None}}
    if scores:
        choice["logprobs"] = {"content": [token for part in scores for token in part]}
    return [choice]


def _inside(record: dict[str, Any], holder: tuple[str, ...]) -> Any:
    value: Any = record
    for key in holder:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _candidate(choice: Any, number: int, source: RecordSource, counts: Counter[str]) -> dict[str, Any]:
    if not isinstance(choice, dict):
        raise wanted("objects in 'choices'", choice, source, number)
    message = choice.get("message")
    said = message if isinstance(message, dict) else choice
    text = message_text(said.get("content", said.get("text")))
    text = text if text is not None else message_text(said.get("refusal"))
    if text is None:
        if not {"message", "text"} & choice.keys():
            raise wanted("a choice with 'message' or 'text'", list(choice), source, number)
        counts["silent"] += 1
        text = ""
    candidate = scored(text, _logprobs(choice.get("logprobs"), number, source))
    if choice.get("finish_reason") not in _ENDED:
        candidate.setdefault("features", {})[f"finish:{choice['finish_reason']}"] = 1
    return candidate


def _logprobs(given: Any, number: int, source: RecordSource) -> list[Any] | None:
    """Log-probability of every token, as chat endpoints give them (`content`) or those of completions."""
    if given is None:
        return None
    found = given.get("content", given.get("token_logprobs")) if isinstance(given, dict) else given
    if found is None:
        return None
    if isinstance(found, list):
        values = [each.get("logprob") if isinstance(each, dict) else each for each in found]
        if all(value is None or is_finite_number(value) for value in values):
            return values
    raise wanted("numbers of tokens in 'logprobs'", given, source, number)


def recognise(sample: Sample) -> bool:
    """Recognise lists of choices that are objects, and the lines of batches whose requests failed."""
    seen = outline(sample.head)
    for holder in _HOLDERS:
        path = (*holder, "choices")
        if seen.get(path) == b"[" and (holder or {(*path, "message"), (*path, "text")} & seen.keys()):
            return True
    if ("object",) in seen and seen.get(("output",)) == b"[" and ("output", "type") in seen:
        return True
    return ("custom_id",) in seen and ("response",) in seen


FORMAT = Format(
    name="openai",
    description="responses of chat and completion endpoints (`choices`), and output files of batches",
    recognise=recognise,
    read=read,
    options=("references",),
    keys=("choices", "custom_id", "response", "object", "usage", "created"),
)
