"""Shapes of rare and unknown words: letters, digits, case, position and suffix."""

from __future__ import annotations

import re

UNKNOWN = "unknown"
_NUMBER = re.compile(r"[\d.,:/\-]*\d[\d.,:/\-]*")
_SUFFIXES = [  # of English, the longest first
    "ness",
    "ment",
    "able",
    "ible",
    "tion",
    "sion",
    "ings",
    "ing",
    "ers",
    "ies",
    "est",
    "ity",
    "ous",
    "ful",
    "ive",
    "ism",
    "ist",
    "ion",
    "ely",
    "lly",
    "ess",
    "ed",
    "ly",
    "er",
    "al",
    "ic",
    "or",
    "ry",
    "ty",
    "us",
    "is",
    "en",
    "an",
    "th",
    "s",
    "y",
    "e",
]
_LONG_ENOUGH = 4  # letters, for an ending to be a suffix


def word_shapes(word: str, is_first: bool) -> tuple[str, str, str]:
    """Three shapes of a word, from fine to coarse; the last is that of any word.

    Examples
    --------
    >>> word_shapes("unbelievably", False), word_shapes("Smith-Jones", False)[0], word_shapes("1,024", False)[0]
    (('a+ly', 'a', 'unknown'), 'C-', '0')
    >>> shown = [("Running", True), ("Running", False), ("NATO", False), ("3rd", False)]
    >>> [word_shapes(*word)[0] for word in shown]
    ['F+ing', 'C+ing', 'CC', '0a']
    """
    if _NUMBER.fullmatch(word):
        return "0", "0", UNKNOWN
    letters = [letter for letter in word if letter.isalpha()]
    if not letters:
        return "?", "?", UNKNOWN
    coarse = _case(word, letters, is_first)
    coarse = f"0{coarse}" if any(letter.isdigit() for letter in word) else coarse
    coarse += "-" if "-" in word else ""
    suffix = _suffix(word.lower()) if coarse[-1] in "aCF" and len(letters) >= _LONG_ENOUGH else ""
    return (f"{coarse}+{suffix}" if suffix else coarse), coarse, UNKNOWN


def _case(word: str, letters: list[str], is_first: bool) -> str:
    """Lower case, initial capital (F: at the start of a sentence, where it says little), or all capitals."""
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return "CC"
    if word[0].isupper():
        return "F" if is_first else "C"
    return "a"


def _suffix(word: str) -> str:
    return next((suffix for suffix in _SUFFIXES if word.endswith(suffix)), "")
