"""Words for features: what white space separates, with the marks around it cut off, whatever the language."""

from __future__ import annotations

import unicodedata

_MARKS = frozenset("PS")  # punctuation and symbols, by the first letter of their category
# Scripts without spaces between words: every sign of Han, Hiragana and Katakana stands for itself.
_SIGNS = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


def cut(piece: str) -> list[str]:
    """Cut a piece without white space into words; each mark before and after them is a word of its own.

    Marks inside, as in "don't", "3.14" and "well-known", stay. O(characters).

    Examples
    --------
    >>> cut('"Don\\'t!"'), cut("3.14,"), cut("東京に")
    (['"', "Don't", '!', '"'], ['3.14', ','], ['東', '京', 'に'])
    """
    start, stop = 0, len(piece)
    while start < stop and is_mark(piece[start]):
        start += 1
    while stop > start and is_mark(piece[stop - 1]):
        stop -= 1
    inside = piece[start:stop]
    words = _cut_signs(inside) if any(map(_is_sign, inside)) else [inside]
    return [*piece[:start], *filter(None, words), *piece[stop:]]


def is_mark(character: str) -> bool:
    """Whether a character is punctuation or a symbol."""
    return unicodedata.category(character)[0] in _MARKS


def _cut_signs(text: str) -> list[str]:
    words: list[str] = []
    after_sign = True
    for character in text:
        single = _is_sign(character) or is_mark(character)
        if single or after_sign:
            words.append(character)
        else:
            words[-1] += character
        after_sign = single
    return words


def _is_sign(character: str) -> bool:
    code = ord(character)
    return code >= 0x3040 and any(low <= code <= high for low, high in _SIGNS)
