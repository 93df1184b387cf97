"""What a request asks of a model: lists to choose from, or documents to rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import brief
from runoff.server.request_error import RequestError, malformed

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from runoff.server.served_model import ServedModel
    from runoff.server.service_settings import ServiceSettings

# Records with these keys alone are scored together with those of other requests: no list looks at another one.
_ALONE, _CANDIDATE = frozenset(("id", "input", "candidates")), frozenset(("id", "text", "base", "features"))
_OPTIONS = "model", "explain", "scores", "min_confidence"


@dataclass(frozen=True)
class Reranking:
    """What is wanted of ranked documents."""

    top: int | None  # of them; None: all
    documents: bool  # whether their texts are returned


@dataclass(frozen=True)
class Job:
    """Lists as records, and what is wanted of them."""

    served: ServedModel
    records: Sequence[Mapping[str, Any]]
    candidates: int
    shape: Hashable = None  # jobs of equal shapes can be scored together; None: alone
    explain: bool = False
    scores: bool = False
    min_confidence: float = 0.0
    reranking: Reranking | None = None  # None: choices


def choose_job(body: bytes, models: Mapping[str, ServedModel], settings: ServiceSettings) -> Job:
    """The job of a request to choose: `lists`, or one list with its `candidates`, as in Runoff's JSON lines."""
    given = _object(body)
    served = _named(given, models)
    if "lists" in given:
        unknown = sorted(given.keys() - {"lists", *_OPTIONS})
        if unknown:
            raise malformed(f"unknown key {brief(unknown[0])} beside 'lists'; there are: {', '.join(_OPTIONS)}.")
        records = given["lists"]
        if not isinstance(records, list) or not records:
            raise malformed(f"expected a list with at least one list for 'lists', found {brief(records)}.")
    elif "candidates" in given:
        records = [{key: value for key, value in given.items() if key not in _OPTIONS}]
    else:
        raise malformed(
            "expected 'lists', each with its 'candidates', or one list as 'candidates'; "
            f"found {', '.join(map(brief, given)) or 'nothing'}."
        )
    records = [_record(record, at) for at, record in enumerate(records, 1)]
    confidence = given.get("min_confidence", 0)
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float)) or not 0 <= confidence <= 1:
        raise malformed(f"'min_confidence' is from 0 to 1; found {brief(confidence)}.")
    return Job(
        served,
        records,
        _counted(records, settings),
        _shape(served, records),
        explain=_flag(given, "explain"),
        scores=_flag(given, "scores"),
        min_confidence=float(confidence),
    )


def rerank_job(body: bytes, models: Mapping[str, ServedModel], settings: ServiceSettings) -> Job:
    """The job of a request to rank `documents` for a `query`, as clients of rerank services send it.

    Documents are texts, or objects with a `text` and what else a candidate can have. Keys of other services that have
    no meaning here are ignored, as these services do with one another's.
    """
    given = _object(body)
    served = _named(given, models, otherwise_first=True)
    query, documents, top = given.get("query"), given.get("documents"), given.get("top_n")
    if not isinstance(query, str):
        raise malformed(f"expected a text for 'query', found {brief(query)}.")
    if not isinstance(documents, list) or not documents:
        raise malformed(f"expected a list of at least one text for 'documents', found {brief(documents)}.")
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 1):
        raise malformed(f"'top_n' is a number from 1; found {brief(top)}.")
    for at, each in enumerate(documents):
        if not isinstance(each, str) and not (isinstance(each, dict) and isinstance(each.get("text"), str)):
            raise malformed(f"expected a text, or an object with a 'text', for document {at}, found {brief(each)}.")
    records = [{"input": query, "candidates": documents}]
    candidates = _counted(records, settings)
    wanted = Reranking(top, _flag(given, "return_documents"))
    return Job(served, records, candidates, _shape(served, records), reranking=wanted)


def _object(body: bytes) -> dict[str, Any]:
    try:
        given = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise malformed(f"the body is not JSON: {error}.") from error
    if not isinstance(given, dict):
        raise malformed(f"expected a JSON object, found {brief(given)}.")
    return given


def _named(
    given: Mapping[str, Any], models: Mapping[str, ServedModel], *, otherwise_first: bool = False
) -> ServedModel:
    """The model that is asked for, by default the first; the only one, if rerank clients insist on another's name."""
    name = given.get("model")
    if name is None or (otherwise_first and len(models) == 1):
        return next(iter(models.values()))
    if not isinstance(name, str) or name not in models:
        raise RequestError(404, "unknown-model", f"there is no model {brief(name)}; there are: {', '.join(models)}.")
    return models[name]


def _record(record: Any, at: int) -> Mapping[str, Any]:
    """A list with its candidates; a bare list of texts is one too."""
    if isinstance(record, list):
        return {"candidates": record}
    if not isinstance(record, dict) or not isinstance(record.get("candidates"), list):
        raise malformed(f"list {at}: expected an object with 'candidates', or a list of texts, found {brief(record)}.")
    return record


def _flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name)
    if value is not None and not isinstance(value, bool):
        raise malformed(f"'{name}' is true or false; found {brief(value)}.")
    return bool(value)


def _counted(records: Sequence[Mapping[str, Any]], settings: ServiceSettings) -> int:
    """Candidates of all lists; a `RequestError` for too many."""
    count = sum(len(record["candidates"]) for record in records)
    if max(count, len(records)) > settings.candidates:
        what = f"{count:,} candidates in {len(records):,} lists"
        raise RequestError(
            413, "too-many-candidates", f"{what} are more than this service takes at once, {settings.candidates:,}."
        )
    return count


def _shape(served: ServedModel, records: Sequence[Mapping[str, Any]]) -> Hashable:
    """What must be equal for jobs to be scored together: keys and feature names. O(candidates + features)."""
    keys: set[str] = set()
    names: set[str] = set()
    for record in records:
        candidates = record["candidates"]
        kinds = set(map(type, candidates))
        if kinds == {str}:
            keys.add("text")
            continue
        if kinds != {dict} or not record.keys() <= _ALONE:
            return None
        keys.update(*candidates)
        if "features" in keys:
            features = [candidate.get("features") for candidate in candidates]
            if set(map(type, features)) != {dict}:
                return None
            names.update(*features)
    if not keys <= _CANDIDATE:
        return None
    inputs = sum("input" in record for record in records)
    if inputs not in {0, len(records)}:
        return None
    return served.name, frozenset(keys), frozenset(names), inputs > 0
