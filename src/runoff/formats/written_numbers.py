"""Numbers as programs write them into text and JSON: finite, or an error that says where."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, brief

if TYPE_CHECKING:
    from pathlib import Path


def finite(written: str, what: str, path: str | Path, line: int | None = None) -> float:
    """The number in a text; `what` names it in the error.

    Examples
    --------
    >>> finite("-1.5e1", "the score", "lists.txt", 3)
    -15.0
    >>> finite("nan", "the score", "lists.txt", 3)
    Traceback (most recent call last):
    runoff.errors.DataError: lists.txt, line 3: expected a finite number for the score, found 'nan'.
    """
    value = math.nan
    if is_number(written):
        value = float(written)
    if not math.isfinite(value):
        raise DataError(f"expected a finite number for {what}, found {brief(written)}.", path=path, line=line)
    return value


def finite_value(value: Any, what: str, path: str | Path, line: int | None = None) -> float:
    """The number that a value of JSON is; texts, booleans and null are none.

    Examples
    --------
    >>> finite_value(2, "'score'", "lists.json")
    2.0
    >>> finite_value(True, "'score'", "lists.json")
    Traceback (most recent call last):
    runoff.errors.DataError: lists.json: expected a finite number for 'score', found True.
    """
    number = math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:  # an integer of hundreds of digits
            number = math.inf
    if not math.isfinite(number):
        raise DataError(f"expected a finite number for {what}, found {brief(value)}.", path=path, line=line)
    return number


def is_number(written: str) -> bool:
    """Whether a text is a number, perhaps not a finite one; `1_000`, which only Python reads as one, is none.

    Examples
    --------
    >>> is_number("1e3"), is_number("nan"), is_number("1_000"), is_number("one")
    (True, True, False, False)
    """
    try:
        float(written)
    except ValueError:
        return False
    return "_" not in written
