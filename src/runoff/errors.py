"""Errors that the user can fix: where the problem is, what was expected, what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class RunoffError(Exception):
    """Any error that the user can fix; the message is a sentence for the user.

    Examples
    --------
    >>> import runoff
    >>> try:
    ...     runoff.load("nowhere.runoff")
    ... except runoff.RunoffError as error:
    ...     print(error)
    nowhere.runoff cannot be read: no such file or directory.
    """


class UsageError(RunoffError, ValueError):
    """An option, name or combination of arguments that does not exist or cannot work.

    Examples
    --------
    >>> import runoff
    >>> runoff.LogLinear().set_params(width=3)
    Traceback (most recent call last):
    runoff.errors.UsageError: LogLinear has no parameter 'width'; it has: sigma, right, scale, min_groups, ...
    """


class DataError(RunoffError, ValueError):
    """Data that cannot be used, with the place of the problem.

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
    """A model that cannot be opened or does not fit the data.

    Examples
    --------
    >>> import runoff
    >>> data = runoff.NBest.from_arrays([[1.0], [2.0]], sizes=[2])
    >>> runoff.LinearModel.of({}, base_weight=1.0).pick(data)
    Traceback (most recent call last):
    runoff.errors.ModelError: the model weighs the first round's score (by 1) and this data has none; ...
    """


def brief(value: object, limit: int = 60) -> str:
    """A value from a file as shown in a message, cut to a limit."""
    try:
        text = repr(value)
    except ValueError:  # Python does not write an integer of more than 4,300 digits
        text = "a number" if isinstance(value, int) else f"a {type(value).__name__} with a number"
        return f"{text} of thousands of digits"
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deeply"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
