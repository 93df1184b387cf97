"""The surface form of a text: capitals, digits, punctuation, unbalanced brackets and quotes, script."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.tasks.text.tokenizer import is_punctuation

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats
    from runoff.tasks.text.distinct_texts import DistinctTexts

NAMES = (
    "shape:begins with a capital",
    "shape:ends with a mark",
    "shape:ends a sentence",
    "shape:capitals",
    "shape:all capitals",
    "shape:numbers",
    "shape:marks",
    "shape:left open",
    "shape:line breaks",
    "shape:other script",
)
_ENDS = frozenset(".!?…。！？؟।")
_PAIRS = {")": "(", "]": "[", "}": "{", "»": "«", "”": "“"}
_BRACKETS = '[]["(){}«»“”]'
_OF_WORDS = 4  # columns of single words: capitals, all capitals, numbers, marks


def shape_features(lists: DistinctTexts) -> tuple[tuple[str, ...], Floats]:
    """Shares of words with capitals, with digits or of punctuation alone; how the text begins and ends.

    `left open` counts unbalanced brackets and quotes. `other script` is the share of letters outside the list's most
    frequent script. O(characters), in Python once for each distinct word and text.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["It is (NOT) 5.", "it is (not"], sizes=[2])
    >>> names, table = shape_features(DistinctTexts.of(data))
    >>> dict(zip(names, table[1].tolist()))["shape:left open"], table[0, 4].round(2).item()
    (1.0, 0.14)
    """
    words = lists.words
    of_word = np.array([_word(word) for word in words.spelling.to_pylist()], np.float64).reshape(-1, _OF_WORDS)
    end = int(words.offsets[lists.n_texts])
    text_of = np.repeat(np.arange(lists.n_texts), words.lengths[: lists.n_texts])
    counts = np.column_stack(
        [np.bincount(text_of, of_word[words.ids[:end], at], lists.n_texts) for at in range(_OF_WORDS)]
    )
    shares = counts / np.maximum(words.lengths[: lists.n_texts], 1)[:, None]
    return NAMES, np.column_stack([*_ends(lists.texts), shares, *_insides(lists.texts), _other_script(lists)])


def _ends(texts: pa.Array) -> list[Floats]:
    """Whether a text begins with a capital, ends with punctuation, and ends a sentence."""
    bare = pc.utf8_trim_whitespace(texts)
    first, last = pc.utf8_slice_codeunits(bare, 0, 1), pc.utf8_slice_codeunits(bare, -1)
    return [
        _of_characters(first, str.isupper),
        _of_characters(last, lambda character: bool(character) and is_punctuation(character)),
        _of_characters(last, _ENDS.__contains__),
    ]


def _of_characters(characters: pa.Array, holds: Callable[[str], bool]) -> Floats:
    """Apply a predicate to characters, once for each distinct one."""
    encoded = characters.dictionary_encode()
    answers = np.array([holds(character) for character in encoded.dictionary.to_pylist()], np.float64)
    found: Floats = answers[encoded.indices.to_numpy()]
    return found


def _insides(texts: pa.Array) -> list[Floats]:
    """Unbalanced brackets and quotes, and line breaks."""
    unmatched = np.zeros(len(texts))
    some = np.flatnonzero(pc.match_substring_regex(texts, _BRACKETS).to_numpy(zero_copy_only=False))
    unmatched[some] = [_left_open(text) for text in texts.take(pa.array(some)).to_pylist()]
    return [unmatched, pc.count_substring(pc.utf8_trim_whitespace(texts), "\n").to_numpy().astype(np.float64)]


def _word(word: str) -> tuple[bool, bool, bool, bool]:
    return (
        word[:1].isupper(),
        len(word) > 1 and word.isupper(),
        any(map(str.isdigit, word)),
        all(map(is_punctuation, word)),
    )


def _left_open(text: str) -> int:
    open_ones: list[str] = []
    unmatched = text.count('"') % 2
    for character in text:
        if character in _PAIRS.values():
            open_ones.append(character)
        elif character in _PAIRS:
            if open_ones and open_ones[-1] == _PAIRS[character]:
                open_ones.pop()
            else:
                unmatched += 1
    return unmatched + len(open_ones)


def _other_script(lists: DistinctTexts) -> Floats:
    """Share of the letters of every text that are not in the list's main script."""
    out = np.zeros(lists.n_texts)
    foreign = ~pc.string_is_ascii(lists.texts).to_numpy(zero_copy_only=False)
    if not foreign.any():
        return out
    texts: list[str] = lists.texts.to_pylist()
    scripts: dict[str, str] = {}
    for at in np.unique(lists.list_of[foreign]).tolist():
        rows = range(int(lists.offsets[at]), int(lists.offsets[at + 1]))
        counts = [_scripts(texts[row], scripts) for row in rows]
        totals: dict[str, float] = {}
        for row, count in zip(rows, counts, strict=True):
            for name, number in count.items():
                totals[name] = totals.get(name, 0) + number * lists.copies[row]
        if not totals:
            continue
        main = max(sorted(totals), key=totals.__getitem__)
        for row, count in zip(rows, counts, strict=True):
            letters = sum(count.values())
            out[row] = 1 - count.get(main, 0) / letters if letters else 0.0
    return out


def _scripts(text: str, known: dict[str, str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for character in text:
        if character.isalpha():
            if character not in known:
                known[character] = unicodedata.name(character, "unknown").partition(" ")[0]
            name = known[character]
            counts[name] = counts.get(name, 0) + 1
    return counts
