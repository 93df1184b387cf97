"""Words for text features: split at white space, with surrounding punctuation split off, for any language."""

from __future__ import annotations

import unicodedata

_PUNCTUATION = frozenset("PS")  # first letters of the Unicode categories of punctuation and symbols
# Scripts without spaces between words: Han, Hiragana and Katakana.
_UNSPACED = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))


def tokenize(chunk: str) -> list[str]:
    """Split a chunk without white space into words; every punctuation mark at its ends is a word of its own.

    Punctuation inside a word stays, as in "don't", "3.14" and "well-known". Han, Hiragana and Katakana characters are
    words of their own. O(characters).

    Examples
    --------
    >>> tokenize('"Don\\'t!"'), tokenize("3.14,"), tokenize("東京に")
    (['"', "Don't", '!', '"'], ['3.14', ','], ['東', '京', 'に'])
    """
    start, stop = 0, len(chunk)
    while start < stop and is_punctuation(chunk[start]):
        start += 1
    while stop > start and is_punctuation(chunk[stop - 1]):
        stop -= 1
    inside = chunk[start:stop]
    words = _split_unspaced(inside) if any(map(_is_unspaced, inside)) else [inside]
    return [*chunk[:start], *filter(None, words), *chunk[stop:]]


def is_punctuation(character: str) -> bool:
    """Whether a character is punctuation or a symbol."""
    return unicodedata.category(character)[0] in _PUNCTUATION


def _split_unspaced(text: str) -> list[str]:
    words: list[str] = []
    after_single = True
    for character in text:
        single = _is_unspaced(character) or is_punctuation(character)
        if single or after_single:
            words.append(character)
        else:
            words[-1] += character
        after_single = single
    return words


def _is_unspaced(character: str) -> bool:
    code = ord(character)
    return code >= 0x3040 and any(low <= code <= high for low, high in _UNSPACED)
