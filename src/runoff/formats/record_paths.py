"""Dotted paths into nested objects: `response.body.choices.0.message.content`.

A list on the way is gone through element by element, so that the value is a list; a number in the path picks one
element instead. A key that has dots itself is found too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DEEPEST = 8  # levels of nesting that are looked through for keys


def parts_of(path: str) -> tuple[str, ...]:
    """The keys of a dotted path."""
    return tuple(path.split("."))


def value_at(record: Any, parts: Sequence[str]) -> Any:
    """The value at a path, None where there is none.

    Examples
    --------
    >>> record = {"choices": [{"message": {"content": "yes"}}, {"message": {"content": "no"}}], "a.b": 1}
    >>> value_at(record, parts_of("choices.message.content")), value_at(record, parts_of("choices.1.message.content"))
    (['yes', 'no'], 'no')
    >>> value_at(record, parts_of("a.b")), value_at(record, parts_of("choices.text")), value_at(record, parts_of("x.y"))
    (1, [None, None], None)
    """
    for at, part in enumerate(parts):
        if type(record) is dict:
            if part not in record:
                return _at_dotted_key(record, parts[at:])
            record = record[part]
        elif type(record) is list:
            if not part.isdecimal():
                return [value_at(element, parts[at:]) for element in record]
            record = record[int(part)] if int(part) < len(record) else None
        else:
            return None
    return record


def _at_dotted_key(record: dict[str, Any], parts: Sequence[str]) -> Any:
    for end in range(len(parts), 1, -1):
        key = ".".join(parts[:end])
        if key in record:
            return value_at(record[key], parts[end:])
    return None


def numbers_in(value: Any, path: str = "", depth: int = _DEEPEST) -> Iterator[tuple[str, Any]]:
    """Every number and boolean of nested objects with its path; lists are not looked into.

    Examples
    --------
    >>> list(numbers_in({"a": 1, "b": {"c": True, "d": "x"}, "e": [2]}))
    [('a', 1), ('b.c', True)]
    """
    if type(value) is dict and depth:
        for key, entry in value.items():
            yield from numbers_in(entry, f"{path}.{key}" if path else key, depth - 1)
    elif type(value) in (int, float, bool):
        yield path, value


def number_of(value: Any) -> Any:
    """Booleans as 0 and 1, also as text, and numbers that are written as text; anything else as it is.

    Examples
    --------
    >>> number_of(True), number_of("False"), number_of("-1.5"), number_of("high"), number_of(None)
    (1.0, 0.0, -1.5, 'high', None)
    """
    if type(value) is bool:
        return float(value)
    if type(value) is str:
        known = TRUTH.get(value.strip().lower())
        if known is not None:
            return known
        try:
            return float(value)
        except ValueError:
            return value
    return value


TRUTH = {"true": 1.0, "false": 0.0}
