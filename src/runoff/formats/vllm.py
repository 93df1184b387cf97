"""Outputs of vLLM and of engines with its classes, as JSON: a request with `outputs`, each with a text and its scores.

`cumulative_logprob` is the base score; its mean over the tokens and their number are features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.formats.base import Format, Sample
from runoff.formats.generated import is_finite_number, scored, wanted
from runoff.formats.json_reader import outline
from runoff.formats.json_records import open_records
from runoff.formats.reference_records import with_references
from runoff.nbest.records import RecordBuilder, collector_paused

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.nbest.record_blocks import RecordSource


def read(path: Path, references: str | Path | None = None) -> NBest:
    """Read requests with their outputs, one group each. O(bytes); JSON lines are streamed."""
    opened = open_records(path)
    builder = RecordBuilder(opened.source, joins=True)
    with collector_paused():
        for values, numbers in opened.blocks:
            pairs = zip(values, numbers, strict=True)
            builder.add([_group(value, number, opened.source) for value, number in pairs], numbers)
    return with_references(builder.finish(), references)


def _group(record: Any, number: int, source: RecordSource) -> dict[str, Any]:
    if not isinstance(record, dict) or not isinstance(record.get("outputs"), list):
        raise wanted("an object with a list of 'outputs'", record, source, number)
    prompt = record.get("prompt")
    if prompt is not None and not isinstance(prompt, str):
        raise wanted("text for 'prompt'", prompt, source, number)
    candidates = [_candidate(output, number, source) for output in record["outputs"]]
    return {"id": record.get("request_id", record.get("id")), "input": prompt, "candidates": candidates}


def _candidate(output: Any, number: int, source: RecordSource) -> dict[str, Any]:
    if not isinstance(output, dict) or not isinstance(output.get("text"), str):
        raise wanted("objects with a 'text' in 'outputs'", output, source, number)
    total, tokens = output.get("cumulative_logprob"), output.get("token_ids")
    if total is not None and not is_finite_number(total):
        raise wanted("a finite number for 'cumulative_logprob'", total, source, number)
    values = _of_tokens(output.get("logprobs"), tokens)
    if total is None or values is not None:
        candidate = scored(output["text"], values, total)
    elif isinstance(tokens, list):
        candidate = scored(output["text"], [total / max(1, len(tokens))] * len(tokens), total)
    else:
        candidate = {"text": output["text"], "base": total}
    if output.get("finish_reason") not in ("stop", None):
        candidate.setdefault("features", {})[f"finish:{output['finish_reason']}"] = 1
    return candidate


def _of_tokens(given: Any, tokens: Any) -> list[float] | None:
    """Log-probability of every sampled token, where they were asked for: an object of tokens at each place."""
    if not isinstance(given, list) or not isinstance(tokens, list) or len(given) != len(tokens):
        return None
    found = []
    for place, token in zip(given, tokens, strict=True):
        entry = place.get(str(token)) if isinstance(place, dict) else place
        value = entry.get("logprob") if isinstance(entry, dict) else entry
        if value is None or not is_finite_number(value):
            return None
        found.append(float(value))
    return found


def recognise(sample: Sample) -> bool:
    """Recognise lists of outputs that have a text, and tokens or their scores."""
    seen = outline(sample.head)
    scores = {("outputs", "token_ids"), ("outputs", "cumulative_logprob")}
    return seen.get(("outputs",)) == b"[" and ("outputs", "text") in seen and bool(scores & seen.keys())


FORMAT = Format(
    name="vllm",
    description="outputs of vLLM as JSON: requests with `outputs` and their `cumulative_logprob`",
    recognise=recognise,
    read=read,
    options=("references",),
    keys=("request_id", "prompt", "prompt_token_ids", "outputs", "finished"),
)
