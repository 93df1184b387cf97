"""Stems of English words by the algorithm of Porter (1980), with its author's two later changes."""

from __future__ import annotations

from functools import lru_cache

_VOWELS = frozenset("aeiou")
# Endings by step, longest first where one ends another: the first that fits is the only one that is tried.
_SECOND = (
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
)
_THIRD = (
    ("icate", "ic"),
    ("ative", ""),
    ("alize", "al"),
    ("iciti", "ic"),
    ("ical", "ic"),
    ("ful", ""),
    ("ness", ""),
)
_FOURTH = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ou", "ism"),
    *("ate", "iti", "ous", "ive", "ize"),
)


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """The stem of a word in lower case; what is not of the letters a to z stays as it is. O(letters).

    Examples
    --------
    >>> [stem(word) for word in ("bridges", "relational", "inventor", "invented", "1990s")]
    ['bridg', 'relat', 'inventor', 'invent', '1990s']
    """
    if len(word) <= 2 or not (word.isascii() and word.isalpha()):
        return word
    word = _first(word)
    word = _replaced(word, _SECOND)
    word = _replaced(word, _THIRD)
    return _fifth(_fourth(word))


def _first(word: str) -> str:
    """Plurals, -ed and -ing, and y after a vowel."""
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _measure(word[:-3]) else word
    else:
        for ending in ("ed", "ing"):
            if word.endswith(ending):
                rest = word[: -len(ending)]
                word = _mended(rest) if "v" in _form(rest) else word
                break
    return word[:-1] + "i" if word.endswith("y") and "v" in _form(word[:-1]) else word


def _mended(rest: str) -> str:
    """What -ed or -ing was taken from, with the e that it had or without the letter that it doubled."""
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _form(rest)[-1] == "c":
        return rest if rest[-1] in "lsz" else rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, new in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + new if _measure(rest) else word
    return word


def _fourth(word: str) -> str:
    for ending in _FOURTH:
        if word.endswith(ending):
            rest = word[: -3 if ending in ("sion", "tion") else -len(ending)]  # of -ion, the s or t stays
            return rest if _measure(rest) > 1 else word
    return word


def _fifth(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _form(word: str) -> str:
    """The word with c for every consonant and v for every vowel; y is a vowel after a consonant."""
    form = ""
    for letter in word:
        is_vowel = letter in _VOWELS or (letter == "y" and form.endswith("c"))
        form += "v" if is_vowel else "c"
    return form


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    return _form(word).count("vc")


def _ends_short(word: str) -> bool:
    """Whether it ends with consonant, vowel and a consonant other than w, x and y."""
    return _form(word).endswith("cvc") and word[-1] not in "wxy"
