"""What the service's own description (OpenAPI) says of its requests and answers."""

from __future__ import annotations

import html
import json
from typing import Any

_TEXT, _NUMBER, _FLAG = {"type": "string"}, {"type": "number"}, {"type": "boolean"}


def _body(schema: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}


_CANDIDATE = {
    "description": "A text, or an object.",
    "oneOf": [
        _TEXT,
        {
            "type": "object",
            "properties": {
                "text": _TEXT,
                "base": {**_NUMBER, "description": "The first round's score."},
                "features": {"type": "object", "additionalProperties": _NUMBER},
                "id": _TEXT,
            },
        },
    ],
}
_LIST = {
    "type": "object",
    "required": ["candidates"],
    "properties": {"id": _TEXT, "input": _TEXT, "candidates": {"type": "array", "items": _CANDIDATE}},
}
CHOOSE = _body(
    {
        "type": "object",
        "description": "`lists`, or one list with its `candidates`, in Runoff's JSON.",
        "properties": {
            "lists": {"type": "array", "items": _LIST},
            **_LIST["properties"],  # type: ignore[dict-item]
            "model": {**_TEXT, "description": "Default: the first model."},
            "explain": {**_FLAG, "description": "Say what spoke for the choice, against the first round's."},
            "scores": {**_FLAG, "description": "Return scores, probabilities and ranks of all candidates."},
            "min_confidence": {**_NUMBER, "description": "Abstain below it (calibrated models)."},
        },
    },
    {"lists": [{"id": "utterance-17", "candidates": ["the cats at", "the cat sat"]}], "explain": True},
)
RERANK = _body(
    {
        "type": "object",
        "required": ["query", "documents"],
        "properties": {
            "query": _TEXT,
            "documents": {"type": "array", "items": _CANDIDATE},
            "top_n": {"type": "integer", "minimum": 1},
            "return_documents": _FLAG,
            "model": {**_TEXT, "description": "Default: the first model; ignored if there is only one."},
        },
    },
    {"query": "who wrote it?", "documents": ["She wrote it.", "It rained."], "top_n": 1},
)
_PROBLEM = {
    "type": "object",
    "properties": {"code": _TEXT, "message": {**_TEXT, "description": "A sentence for people."}},
}
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {"description": what, "content": {"application/json": {"schema": _PROBLEM}}}
    for status, what in (
        (400, "The body is not what it should be."),
        (401, "The token is missing or wrong."),
        (404, "There is no such model."),
        (408, "The request did not arrive in time."),
        (413, "The body is too large, or has too many candidates."),
        (422, "The model cannot choose from this."),
        (503, "Too busy, or no answer in time."),
    )
}


def page(schema: dict[str, Any]) -> str:
    """The description as a page without anything from elsewhere."""
    parts = []
    for path, methods in schema["paths"].items():
        for method, about in methods.items():
            example = about.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            call = f"curl http://HOST{path}" + ("" if example is None else f" -d '{json.dumps(example)}'")
            parts.append(
                f"<section><h2><code>{method.upper()} {html.escape(path)}</code></h2>"
                f"<p>{html.escape(about.get('description') or about.get('summary', ''))}</p>"
                f"<pre>{html.escape(call)}</pre></section>"
            )
    style = (
        ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;"
        "padding:0 1rem}pre{overflow-x:auto;padding:.75rem;border:1px solid}h2{font-size:1rem;margin-top:2rem}"
    )
    title, version = (html.escape(schema["info"][key]) for key in ("title", "version"))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{style}</style><h1>{title}</h1>'
        f'<p>Version {version}. For programs: <a href="/openapi.json">openapi.json</a>.</p>{"".join(parts)}</html>'
    )
