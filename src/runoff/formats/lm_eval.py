"""Logs of samples as the evaluation harness of EleutherAI writes them (`samples_TASK_TIME.jsonl`).

A line is one document under one filter: `doc_id`, `doc`, `target`, `arguments`, `resps`, `filtered_resps` and metrics.
Generated texts (`resps`, as many as there were repeats) are the candidates; with one candidate, the first metric is its
quality. Of multiple choice, every choice is a candidate: its log-likelihood is the base score, that per character and
whether it is what the model would have said are features, and the target has the quality 1.
"""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.formats.base import Format, Sample
from runoff.formats.generated import is_finite_number, said_last, wanted
from runoff.formats.json_reader import outline
from runoff.formats.json_records import open_records
from runoff.formats.record_paths import number_of
from runoff.nbest.record_columns import id_text
from runoff.nbest.records import RecordBuilder, collector_paused

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest
    from runoff.nbest.record_blocks import RecordSource

_LONGEST = 10  # digits of the number of a choice
_METRICS = ("acc", "exact_match", "em", "f1", "pass@1", "bleu", "rougeL")  # where the log does not name its metrics


def read(path: Path, filter: str | None = None) -> NBest:  # noqa: A002 - what the harness calls it
    """Read the documents of a log, one group each; of several filters the first one, or `filter`. O(bytes)."""
    opened = open_records(path)
    builder = RecordBuilder(opened.source)
    seen: Counter[str] = Counter()
    chosen = filter
    with collector_paused():
        for values, numbers in opened.blocks:
            kept = []
            for value, number in zip(values, numbers, strict=True):
                if not isinstance(value, dict) or "doc_id" not in value:
                    raise wanted("an object with the key 'doc_id'", value, opened.source, number)
                name = str(value.get("filter", "none"))
                chosen = name if chosen is None else chosen
                seen[name] += 1
                if name == chosen:
                    kept.append((_group(value, number, opened.source), number))
            builder.add([group for group, _ in kept], [number for _, number in kept])
    others = [name for name in seen if name != chosen]
    if filter is not None and filter not in seen:
        raise UsageError(f"the log has no filter {filter!r}; it has: {', '.join(seen)}.")
    note = f"Samples are those of the filter {chosen!r}; others are left out: {', '.join(others)} (see option filter)."
    return builder.finish(notes=[note] if others else [])


def _group(record: dict[str, Any], number: int, source: RecordSource) -> dict[str, Any]:
    responses = record.get("resps", record.get("filtered_resps"))
    if not isinstance(responses, list):
        raise wanted("a list for 'resps'", responses, source, number)
    name = id_text(record["doc_id"])
    if name is None:
        raise wanted("text or a number for 'doc_id'", record["doc_id"], source, number)
    requests = _arguments(record.get("arguments"))
    group: dict[str, Any] = {"id": name}
    if requests and requests[0]:
        group["input"] = _prompt(requests[0][0])
    likelihoods = [_likelihood(response) for response in responses]
    if responses and all(each is not None for each in likelihoods) and len(requests) == len(responses):
        pairs = [each for each in likelihoods if each is not None]
        return group | _choices(record, pairs, requests, number, source)
    texts = list(chain.from_iterable(each if isinstance(each, list) else [each] for each in responses))
    for text in texts:
        if not isinstance(text, str):
            raise wanted("generated texts, or the log-likelihoods of choices, in 'resps'", responses, source, number)
    quality = _quality(record) if len(texts) == 1 else None
    return group | {
        "candidates": [{"text": text} if quality is None else {"text": text, "quality": quality} for text in texts],
        "references": _references(record.get("target")),
    }


def _choices(
    record: dict[str, Any],
    pairs: list[tuple[float, bool]],
    requests: list[list[Any]],
    number: int,
    source: RecordSource,
) -> dict[str, Any]:
    texts = [str(request[1]) if len(request) > 1 else "" for request in requests]
    if not all(texts):
        raise wanted("a context and a choice for each of 'arguments'", requests[texts.index("")], source, number)
    right = _right(record.get("target"), texts)
    candidates = []
    for at, (text, (likelihood, is_greedy)) in enumerate(zip(texts, pairs, strict=True)):
        features = {"logprob:per character": likelihood / max(1, len(text)), "logprob:greedy": float(is_greedy)}
        candidate = {"text": text.strip(), "base": likelihood, "features": features}
        candidates.append(candidate if right is None else candidate | {"quality": float(at in right)})
    return {"candidates": candidates, "references": [texts[at].strip() for at in right or ()] or None}


def _right(target: Any, texts: list[str]) -> set[int] | None:
    """Numbers of the right choices: a target is one of them, its text, or a list of either."""
    found: set[int] = set()
    stripped = [text.strip() for text in texts]
    for each in target if isinstance(target, list) else [target]:
        word = id_text(each)
        if word is not None and word.strip() in stripped:
            found.add(stripped.index(word.strip()))
        elif word is not None and word.isdecimal() and len(word) < _LONGEST and int(word) < len(texts):
            found.add(int(word))
    return found or None


def _likelihood(response: Any) -> tuple[float, bool] | None:
    """A log-likelihood and whether the text was the most likely one, which older versions write as texts."""
    while isinstance(response, list) and len(response) == 1 and isinstance(response[0], list):
        response = response[0]
    if not isinstance(response, list) or len(response) != 2 or type(response[1]) not in (bool, str):
        return None
    value: Any = number_of(response[0])
    is_greedy = number_of(response[1])
    if is_finite_number(value) and is_greedy in (0.0, 1.0):
        return float(value), bool(is_greedy)
    return None


def _arguments(given: Any) -> list[list[Any]]:
    """The arguments of every request: lists of them, or objects `gen_args_0` with `arg_0` and so on."""
    if isinstance(given, dict):
        given = [list(each.values()) if isinstance(each, dict) else each for each in given.values()]
    return [each for each in given if isinstance(each, list)] if isinstance(given, list) else []


def _prompt(argument: Any) -> str | None:
    """The context of a request, or what was said last in a chat, which is written as JSON."""
    if isinstance(argument, list) and len(argument) == 1:
        argument = argument[0]
    if isinstance(argument, str) and argument.startswith("[{"):
        try:
            return said_last(json.loads(argument)) or argument
        except (ValueError, RecursionError):
            return argument
    return argument if isinstance(argument, str) else None


def _quality(record: dict[str, Any]) -> float | None:
    """The first metric of the sample that is a number."""
    names = record.get("metrics")
    for name in names if isinstance(names, list) else _METRICS:
        value = number_of(record.get(name)) if isinstance(name, str) else None
        if value is not None and is_finite_number(value):
            return float(value)
    return None


def _references(target: Any) -> list[str] | None:
    known = [id_text(each) for each in (target if isinstance(target, list) else [target])]
    return [text for text in known if text is not None] or None


def recognise(sample: Sample) -> bool:
    """Recognise documents with the responses to them."""
    seen = outline(sample.head)
    return ("doc_id",) in seen and bool({("resps",), ("filtered_resps",)} & seen.keys())


FORMAT = Format(
    name="lm-eval",
    description="logs of samples of the lm-evaluation-harness (`samples_*.jsonl`)",
    recognise=recognise,
    read=read,
    options=("filter",),
    keys=("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash"),
)
