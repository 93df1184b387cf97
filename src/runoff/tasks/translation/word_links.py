"""Which words of a source stand behind which words of its translation, for those who want to look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.translation.joined_tokens import JOINER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PREFIX = "phrase:"
_MOST_STEPS = 20_000  # of the search for the places of phrases


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
    source: Sequence[str], target: Sequence[str], phrases: Iterable[str] = (), words: Sequence[int] = ()
) -> tuple[Link, ...]:
    """Links between the tokens of a source and of its translation, in the order of the translation.

    First come the phrases of which a translator made the translation, `phrase:SOURCE=TARGET`, each as often as it is
    used. Where no phrase covers a token of the translation, it is linked to the one of the source that `words` names,
    as `runoff.tasks.translation.linked_words` finds it, -1 being none.

    Examples
    --------
    >>> links_of(["he", "sees", "the", "bank"], ["er", "das", "Ufer", "sieht"],
    ...          ["phrase:the bank=das Ufer", "phrase:sees=sieht"], words=[0, 2, 3, 1])
    (Link(start=0, stop=1, target_start=0, target_stop=1), Link(start=2, stop=4, target_start=1, target_stop=3),
    Link(start=1, stop=2, target_start=3, target_stop=4))
    """
    found = _placed([_bare(token) for token in source], [_bare(token) for token in target], phrases)
    covered = {at for link in found for at in range(link.target_start, link.target_stop)}
    found += [Link(at, at + 1, to, to + 1) for to, at in enumerate(words) if at >= 0 and to not in covered]
    return tuple(sorted(found, key=lambda link: (link.target_start, link.start)))


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
    return [_bare(token) for token in side.split()]


def _bare(token: str) -> str:
    """Without joiner and capitals: translators spell first words as they are spelled elsewhere."""
    return (token.strip(JOINER) or token).lower()


def _occurrences(words: list[str], part: tuple[str, ...]) -> list[int]:
    return [at for at in range(len(words) - len(part) + 1) if tuple(words[at : at + len(part)]) == part]


def _size(phrase: _Phrase) -> int:
    return len(phrase.source) + len(phrase.target)


def _bits(start: int, stop: int) -> int:
    return (1 << stop) - (1 << start)
