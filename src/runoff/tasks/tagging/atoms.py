"""What templates can ask of a text: affixes, shapes and flags, computed once for every different text."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_NUMBER = re.compile(r"[-+]?\d[\d,.:/]*(?:st|nd|rd|th|s|%)?")
_SEVERAL = re.compile(r"(.)\1+", re.DOTALL)
_YES = "yes"


def shape(text: str) -> str:
    """Classes of the letters: X for upper case, x for other letters, 9 for digits, else the letter itself.

    Examples
    --------
    >>> shape("McDonald's"), shape("F-16")
    ("XxXxxxxx'x", 'X-99')
    """
    return "".join(
        "X" if letter.isupper() else "x" if letter.isalpha() else "9" if letter.isdigit() else letter for letter in text
    )


def short_shape(text: str) -> str:
    """A shape in which repeated classes count once.

    Examples
    --------
    >>> short_shape("McDonald's"), short_shape("1998-99")
    ("XxXx'x", '9-9')
    """
    return _SEVERAL.sub(r"\1", shape(text))


def _is_symbol(text: str) -> bool:
    return bool(text) and all(unicodedata.category(letter)[0] in "PS" for letter in text)


_FLAGS: dict[str, Callable[[str], bool]] = {
    "digit": lambda text: any(letter.isdigit() for letter in text),
    "capital": lambda text: text[:1].isupper(),
    "upper": lambda text: text.isupper(),
    "mixed": lambda text: any(letter.isupper() for letter in text[1:]) and not text.isupper(),
    "hyphen": lambda text: "-" in text,
    "period": lambda text: "." in text,
    "number": lambda text: _NUMBER.fullmatch(text) is not None,
    "symbol": _is_symbol,
}
LENGTHS = ("prefix", "suffix", "lower-prefix", "lower-suffix")
FUNCTIONS = ("lower", "shape", "short-shape", *LENGTHS, *_FLAGS)


def atom_values(function: str, length: int, texts: Iterable[str]) -> list[str | None]:
    """The value of every text; None where it has none, as an empty one. O(letters).

    Examples
    --------
    >>> atom_values("suffix", 3, ["walking", "ox"]), atom_values("capital", 0, ["Ann", "an"])
    (['ing', None], ['yes', None])
    """
    if not function:
        return [text or None for text in texts]
    if function.startswith("lower-"):
        return atom_values(function.removeprefix("lower-"), length, map(str.lower, texts))
    if function == "prefix":
        return [text[:length] if len(text) >= length else None for text in texts]
    if function == "suffix":
        return [text[-length:] if len(text) >= length else None for text in texts]
    if function in _FLAGS:
        holds = _FLAGS[function]
        return [_YES if holds(text) else None for text in texts]
    apply = {"lower": str.lower, "shape": shape, "short-shape": short_shape}[function]
    return [apply(text) or None for text in texts]
