"""What files of language models have in common: scores of tokens, lists of messages, and references from elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from runoff.errors import brief

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest.record_blocks import RecordSource

MEAN, TOKENS = "logprob:mean", "logprob:tokens"


def scored(text: str, logprobs: Sequence[Any] | None, total: float | None = None) -> dict[str, Any]:
    """A candidate with the sum of its tokens' log-probabilities as its base score, and their mean and number.

    Examples
    --------
    >>> scored("yes", [-1.0, -2.0])
    {'text': 'yes', 'base': -3.0, 'features': {'logprob:mean': -1.5, 'logprob:tokens': 2}}
    """
    if logprobs is None:
        return {"text": text}
    known = [value for value in logprobs if value is not None]  # the first token of an echoed prompt has none
    base = float(sum(known)) if total is None else total
    features = {MEAN: base / len(known), TOKENS: len(known)} if known else {TOKENS: 0}
    return {"text": text, "base": base, "features": features}


def is_finite_number(value: Any) -> bool:
    """Whether a value of a JSON file is a finite number that a float can hold."""
    try:
        return type(value) in (int, float) and math.isfinite(float(value))
    except OverflowError:
        return False


def said_last(messages: Any) -> str | None:
    """What the input of a chat was: the last message of the user, else the last one; a prompt is its own text."""
    if isinstance(messages, str):
        return messages
    if not isinstance(messages, list):
        return None
    said = [each if isinstance(each, dict) else {"content": each} for each in messages]
    of_users = [each for each in said if each.get("role") == "user"]
    for message in reversed(of_users or said):
        text = message_text(message.get("content"))
        if text is not None:
            return text
    return None


def message_text(content: Any) -> str | None:
    """The text of a message, which may come in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return None


def wanted(what: str, found: object, source: RecordSource, number: int) -> Exception:
    """The error for a value of another kind than the tool writes."""
    return source.error(f"expected {what}, found {brief(found)}.", number)
