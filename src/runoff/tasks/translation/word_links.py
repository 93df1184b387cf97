"""Which words of a source stand behind which words of its translation, for those who want to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.compute as pc

from runoff.tasks.translation.joined_tokens import JOINER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.arrays import Floats
    from runoff.tasks.translation.lexical_table import LexicalTable

PREFIX = "phrase:"
_MOST_STEPS = 20_000  # of the search for the places of phrases
_LEAST = 0.01  # probability of a link between words


class Link(NamedTuple):
    """Words of the source, from start to stop, and the words of the translation that stand for them."""

    start: int
    stop: int
    target_start: int
    target_stop: int


class _Phrase(NamedTuple):
    source: tuple[str, ...]
    target: tuple[str, ...]


def links_of(
    source: Sequence[str],
    target: Sequence[str],
    phrases: Iterable[str] = (),
    lexicon: LexicalTable | None = None,
) -> tuple[Link, ...]:
    """Links between the tokens of a source and of its translation, in the order of the translation.

    First come the phrases of which a translator made the translation, `phrase:SOURCE=TARGET`, each as often as it is
    used; words that none of them covers are linked by a lexicon, p(target word | source word), else left alone.

    Examples
    --------
    >>> links_of(["he", "sees", "the", "bank"], ["er", "das", "Ufer", "sieht"],
    ...          ["phrase:the bank=das Ufer", "phrase:sees=sieht", "phrase:he=er"])
    (Link(start=0, stop=1, target_start=0, target_stop=1), Link(start=2, stop=4, target_start=1, target_stop=3),
    Link(start=1, stop=2, target_start=3, target_stop=4))
    """
    ours, theirs = ([token.strip(JOINER) or token for token in side] for side in (source, target))
    found = _placed([word.lower() for word in ours], [word.lower() for word in theirs], phrases)
    if lexicon is not None and ours and theirs:
        free_source = {*range(len(ours))} - {at for link in found for at in range(link.start, link.stop)}
        free_target = {*range(len(theirs))} - {
            at for link in found for at in range(link.target_start, link.target_stop)
        }
        found += _by_words(source, target, lexicon, sorted(free_source), sorted(free_target))
    return tuple(sorted(found, key=lambda link: (link.target_start, link.start)))


# ------------------------------------------------------------------------ phrases


def _placed(source: list[str], target: list[str], names: Iterable[str]) -> list[Link]:
    """Where the phrases stand: from left to right in the translation, every source word once.

    Stops at the first way to place all of them, or with the one that covers most words so far.
    """
    waiting = sorted((phrase for name in names for phrase in _read(name, source, target)), key=_size, reverse=True)
    best: list[Link] = []
    steps = 0
    stack: list[tuple[int, int, int, list[Link]]] = [(0, 0, 0, [])]  # place, words covered, phrases used, links
    most = -1
    while stack and steps < _MOST_STEPS:
        steps += 1
        at, covered, used, links = stack.pop()
        if covered > most:
            best, most = links, covered
        if len(links) == len(waiting) or at >= len(target):
            if len(links) == len(waiting):
                break
            continue
        stack.append((at + 1, covered, used, links))  # a word that no phrase makes
        taken = 0
        for link in links:
            taken |= _bits(link.start, link.stop)
        tried = set()
        for number, phrase in enumerate(waiting):
            stop = at + len(phrase.target)
            if used >> number & 1 or phrase in tried or tuple(target[at:stop]) != phrase.target:
                continue
            tried.add(phrase)
            for start in reversed(_occurrences(source, phrase.source)):
                end = start + len(phrase.source)
                if not taken & _bits(start, end):
                    more = [*links, Link(start, end, at, stop)]
                    stack.append((stop, covered + _size(phrase), used | 1 << number, more))
    return best


def _read(name: str, source: list[str], target: list[str]) -> list[_Phrase]:
    """The phrase that a feature names; none if it is not of this sentence pair. Words may have equals signs."""
    sides = name.removeprefix(PREFIX)
    for at, letter in enumerate(sides):
        if letter == "=":
            found = _Phrase(*(tuple(_words(side)) for side in (sides[:at], sides[at + 1 :])))
            if all(found) and _occurrences(source, found.source) and _occurrences(target, found.target):
                return [found]
    return []


def _words(side: str) -> list[str]:
    return [(token.strip(JOINER) or token).lower() for token in side.split()]


def _occurrences(words: list[str], part: tuple[str, ...]) -> list[int]:
    return [at for at in range(len(words) - len(part) + 1) if tuple(words[at : at + len(part)]) == part]


def _size(phrase: _Phrase) -> int:
    return len(phrase.source) + len(phrase.target)


def _bits(start: int, stop: int) -> int:
    return (1 << stop) - (1 << start)


# ------------------------------------------------------------------------ words


def _by_words(
    source: Sequence[str], target: Sequence[str], lexicon: LexicalTable, places: list[int], targets: list[int]
) -> list[Link]:
    """Every target word with its most probable source word, the nearest of equal ones, unless NULL is more probable."""
    if not places or not targets:
        return []
    chances = _probabilities([source[at] for at in places], [target[at] for at in targets], lexicon)
    found = []
    for row, at in enumerate(targets):
        slope = len(source) / len(target)
        near = -np.abs(np.array(places) + 0.5 - (at + 0.5) * slope)
        best = int(np.lexsort((near, chances[row, 1:]))[-1])
        if chances[row, best + 1] >= max(chances[row, 0], _LEAST):
            found.append(Link(places[best], places[best] + 1, at, at + 1))
    return found


def _probabilities(source: list[str], target: list[str], lexicon: LexicalTable) -> Floats:
    """p(target word | NULL or source word): a row for every target word. Spelled as they are, else in lower case."""
    ours, theirs = _numbers(source, lexicon.source_words), _numbers(target, lexicon.target_words)
    columns = np.concatenate([[-1], ours])
    found = np.zeros((len(target), len(source) + 1))
    for row, word in enumerate(theirs):
        known = np.flatnonzero((columns >= 0) | (np.arange(columns.size) == 0))
        if word >= 0:
            found[row, known] = lexicon.lookup(columns[known], np.full(known.size, word))
    return found


def _numbers(words: list[str], known: object) -> list[int]:
    numbers = []
    for word in words:
        places = (pc.index(known, spelled).as_py() for spelled in (word, word.lower()))
        numbers.append(next((place for place in places if place >= 0), -1))
    return numbers
