"""What goes wrong, said to the person: where it is, what was expected, what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class RunoffError(Exception):
    """Any mistake that a person can mend; its text is a sentence for that person."""


class UsageError(RunoffError, ValueError):
    """An option, name or combination of arguments that does not exist or cannot work."""


class DataError(RunoffError, ValueError):
    """Data that cannot be used, with the place where the trouble is.

    Examples
    --------
    >>> print(DataError("expected a number for quality, found 'good'.", path="a.jsonl", line=3))
    a.jsonl, line 3: expected a number for quality, found 'good'.
    """

    def __init__(self, message: str, *, path: str | Path | None = None, line: int | None = None) -> None:
        self.message, self.path, self.line = message, path, line
        place = ", ".join([*([str(path)] if path is not None else []), *([f"line {line}"] if line else [])])
        super().__init__(f"{place}: {message}" if place else message)


class ModelError(RunoffError, ValueError):
    """A model file that cannot be opened or does not fit what it is asked to do."""


def brief(value: object, limit: int = 60) -> str:
    """Show a value from somebody's file in a message without flooding the terminal."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
