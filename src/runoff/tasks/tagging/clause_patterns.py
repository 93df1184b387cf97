"""What stands before and after a token in its whole sentence, as columns: for clauses, whose ends lie far apart.

After the sentence features of Carreras & Màrquez (2001): patterns of what matters to clauses (verbs, conjunctions,
relative words, punctuation), and how often it occurs on either side.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.tasks.tagging.corpus import WORD, Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Columns, Ints
    from runoff.tasks.tagging.corpus import Corpus

POS = "pos"
_LETTERS = {  # parts of speech of the Penn Treebank, then universal ones; others leave no letter
    "V": "MD VBZ VBP VBD VERB AUX",
    "B": "VB",
    "G": "VBG",
    "P": "VBN",
    "T": "TO PART",
    "W": "WP WP$ WDT WRB",
    "I": "IN ADP SCONJ",
    "C": "CC CCONJ",
    ",": ", PUNCT",
    ":": ": HYPH NFP",
    "q": "`` ''",
    "(": "-LRB- -RRB-",
    ".": ".",
    "n": "NN NNS NNP NNPS PRP EX CD NOUN PROPN PRON NUM",
}
_LETTER_OF = {tag: letter for letter, tags in _LETTERS.items() for tag in tags.split()}
_NOUN, _OPEN = "n", "["
_COUNTED = {"verbs": "V", "links": "WI", "quotes": "q", "breaks": ",:C"}
_VERBS = "VBGP"
_LENGTH = 6  # letters of a pattern
_MOST, _MOST_STARTS, _MOST_LETTERS = 4, 6, 2  # larger counts are taken as these
_NONE = "^"
SIDES = ("before", "after", *(f"{name}-{side}" for name in _COUNTED for side in ("before", "after")))
OF_STARTS = ("start", "starts-before", "starts-after", "opener", "opener-pos", "verbs-since")


def with_patterns(corpus: Corpus, starts: Ints | None = None) -> Corpus:
    """The corpus with the columns `SIDES` and, where the numbers of clauses that start are known, `OF_STARTS`.

    `before` and `after` have a letter for every token that matters, the nearest six; nouns in a row have one. With
    starts they have a `[` too, and `before` has what the token itself adds, because a clause ends after its last token.
    Without a column `pos` there are no such columns. O(tokens).

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> words, tags = ["I", "know", "that", "he", "left"], ["PRP", "VBP", "IN", "PRP", "VBD"]
    >>> made = with_patterns(Corpus.of({"word": words, "pos": tags}, sizes=[5]))
    >>> made["before"].texts()[3], made["after"].texts()[0], made["verbs-after"].texts()
    ('^^^nVI', 'VInV$$', ['2', '1', '1', '1', '0'])
    >>> made = with_patterns(made, np.array([1, 0, 1, 1, 0]))
    >>> made["before"].texts()[4], made["opener"].texts()
    ('V[I[nV', ['i', 'i', 'that', 'he', 'he'])
    """
    if POS not in corpus.columns:
        return corpus
    pos = corpus[POS]
    letters = [_LETTER_OF.get(tag, "") for tag in pos.values]
    columns = dict(zip(SIDES, _patterns(corpus, letters, starts), strict=False))
    for name, counted in _COUNTED.items():
        before, after = _on_both_sides(_flags(letters, counted)[pos.codes], corpus)
        columns |= {f"{name}-before": _counts(before, _MOST), f"{name}-after": _counts(after, _MOST)}
    if starts is not None:
        columns |= _of_starts(corpus, _flags(letters, _VERBS)[pos.codes], starts)
    for name, column in columns.items():
        corpus = corpus.with_column(name, column)
    return corpus


def _patterns(corpus: Corpus, letters: Sequence[str], starts: Ints | None) -> tuple[Column, Column]:
    codes, opened = corpus[POS].codes.tolist(), [0] * corpus.n_tokens if starts is None else starts.tolist()
    pieces: list[str] = []
    left: list[int] = []
    right: list[int] = []
    at = 0
    for first, stop in pairwise(corpus.offsets.tolist()):
        pieces.append(_NONE * _LENGTH)
        at += _LENGTH
        last = ""
        for token in range(first, stop):
            piece = _OPEN * min(opened[token], _MOST_LETTERS)
            letter = letters[codes[token]]
            if letter and (piece or not letter == last == _NOUN):
                piece += letter
            left.append(at)
            if piece:
                pieces.append(piece)
                at += len(piece)
                last = piece[-1]
            right.append(at)
        pieces.append("$" * _LENGTH)
        at += _LENGTH
    text = "".join(pieces)
    before = left if starts is None else right
    return Column.of(text[at - _LENGTH : at] for at in before), Column.of(text[at : at + _LENGTH] for at in right)


def _of_starts(corpus: Corpus, is_verb: Ints, starts: Ints) -> dict[str, Column]:
    before, after = _on_both_sides(starts, corpus)
    first = np.repeat(corpus.offsets[:-1], corpus.sizes)
    tokens = np.arange(corpus.n_tokens)
    last = np.maximum.accumulate(np.where(starts > 0, tokens, -1)) if tokens.size else tokens
    has_one = last >= first
    since = np.cumsum(is_verb) - (np.cumsum(is_verb) - is_verb)[np.where(has_one, last, first)]
    words, tags = corpus[WORD], corpus[POS]
    return {
        "start": _counts(starts, _MOST),
        "starts-before": _counts(before + starts, _MOST_STARTS),
        "starts-after": _counts(after, _MOST_STARTS),
        "opener": _at([word.lower() for word in words.values], words.codes, last, has_one),
        "opener-pos": _at(tags.values, tags.codes, last, has_one),
        "verbs-since": _counts(since, _MOST),
    }


def _flags(letters: Sequence[str], wanted: str) -> Ints:
    return np.array([bool(letter) and letter in wanted for letter in letters], np.int64)


def _on_both_sides(numbers: Ints, corpus: Corpus) -> tuple[Ints, Ints]:
    """Sums over the tokens before every token of its sentence, and over those after it."""
    sums = np.concatenate([[0], np.cumsum(numbers)])
    first, stop = (np.repeat(each, corpus.sizes) for each in (corpus.offsets[:-1], corpus.offsets[1:]))
    return sums[:-1] - sums[first], sums[stop] - sums[1:]


def _counts(numbers: Ints, most: int) -> Column:
    return Column(tuple(map(str, range(most + 1))), frozen(np.minimum(numbers, most).astype(np.int32)))


def _at(values: Sequence[str], codes: Columns, tokens: Ints, is_there: Bools) -> Column:
    """The values of these tokens; where there is none, a mark."""
    number: dict[str, int] = {}
    table = np.array([number.setdefault(text, len(number)) for text in values], np.int32)
    none = number.setdefault(_NONE, len(number))
    found = table[codes[tokens]] if codes.size else codes
    return Column(tuple(number), frozen(np.where(is_there, found, none).astype(np.int32)))
