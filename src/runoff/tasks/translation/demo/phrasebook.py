"""Synthetic parallel text: English clauses and their German ones, with another order and with words of two meanings.

The verb of a German clause comes last, after what was said about time and place; and what a bank is depends on who goes
there, which is too far away for a language model of three words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Item = TypeVar("Item")


class _Noun(NamedTuple):
    english: str
    nominative: str
    accusative: str = ""  # of those that nothing happens to


class _Ambiguity(NamedTuple):
    """A word with two meanings, the first the commoner one, and the people who mean the one or the other."""

    english: str
    meanings: tuple[str, str]
    people: tuple[tuple[_Noun, ...], tuple[_Noun, ...]]


AMBIGUITIES = (
    _Ambiguity(
        "the bank",
        ("die Bank", "das Ufer"),
        (
            (_Noun("the banker", "der Bankier"), _Noun("the robber", "der Räuber")),
            (_Noun("the fisherman", "der Fischer"), _Noun("the swimmer", "die Schwimmerin")),
        ),
    ),
    _Ambiguity(
        "the key",
        ("den Schlüssel", "die Taste"),
        (
            (_Noun("the locksmith", "der Schlosser"), _Noun("the guard", "der Wächter")),
            (_Noun("the pianist", "die Pianistin"), _Noun("the typist", "der Schreiber")),
        ),
    ),
    _Ambiguity(
        "the match",
        ("das Spiel", "das Streichholz"),
        (
            (_Noun("the referee", "der Schiedsrichter"), _Noun("the coach", "die Trainerin")),
            (_Noun("the cook", "der Koch"), _Noun("the smoker", "der Raucher")),
        ),
    ),
    _Ambiguity(
        "the bat",
        ("die Fledermaus", "den Schläger"),
        (
            (_Noun("the biologist", "die Biologin"), _Noun("the owl", "die Eule")),
            (_Noun("the batsman", "der Schlagmann"), _Noun("the catcher", "der Fänger")),
        ),
    ),
    _Ambiguity(
        "the nail",
        ("den Nagel", "den Fingernagel"),
        (
            (_Noun("the carpenter", "die Tischlerin"), _Noun("the roofer", "der Dachdecker")),
            (_Noun("the manicurist", "die Kosmetikerin"), _Noun("the nurse", "der Pfleger")),
        ),
    ),
)
_PEOPLE = (
    _Noun("the woman", "die Frau", "die Frau"),
    _Noun("the man", "der Mann", "den Mann"),
    _Noun("the girl", "das Mädchen", "das Mädchen"),
    _Noun("my brother", "mein Bruder", "meinen Bruder"),
    _Noun("her aunt", "ihre Tante", "ihre Tante"),
    _Noun("the old dog", "der alte Hund", "den alten Hund"),
)
_THINGS = (
    _Noun("a house", "ein Haus", "ein Haus"),
    _Noun("the tree", "der Baum", "den Baum"),
    _Noun("a small boat", "ein kleines Boot", "ein kleines Boot"),
    _Noun("the letters", "die Briefe", "die Briefe"),
    _Noun("an apple", "ein Apfel", "einen Apfel"),
)
_VERBS = (
    ("sees", "sieht"),
    ("finds", "findet"),
    ("needs", "braucht"),
    ("draws", "zeichnet"),
    ("shows", "zeigt"),
    ("loves", "liebt"),
)
_FRAMES = (
    ("I think that", "ich glaube , dass"),
    ("she says that", "sie sagt , dass"),
    ("we know that", "wir wissen , dass"),
    ("nobody believes that", "niemand glaubt , dass"),
    ("it is true that", "es stimmt , dass"),
)
_TIMES = (
    ("in the morning", "am Morgen"),
    ("every day", "jeden Tag"),
    ("after the long summer", "nach dem langen Sommer"),
    ("on Monday", "am Montag"),
    ("at half past ten", "um halb elf"),
)
_PLACES = (
    ("in the city", "in der Stadt"),
    ("behind the church", "hinter der Kirche"),
    ("near the school", "bei der Schule"),
    ("in front of the station", "vor dem Bahnhof"),
)
_COMMON = 0.7  # how often an ambiguous word has its commoner meaning
_TELLING = 0.9  # how often who does it says what is meant
_AMBIGUOUS = 0.6  # clauses with an ambiguous word


def phrasebook(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """So many English sentences and their German translations.

    Examples
    --------
    >>> english, german = phrasebook(2, seed=1)
    >>> english[1]
    'She says that the fisherman shows the bank behind the church every day.'
    >>> german[1]
    'Sie sagt, dass der Fischer jeden Tag hinter der Kirche das Ufer zeigt.'
    """
    random = np.random.default_rng(seed)
    pairs = [_pair(random) for _ in range(count)]
    return [source for source, _ in pairs], [target for _, target in pairs]


def _pair(random: np.random.Generator) -> tuple[str, str]:
    frame, verb, time, place = (_one(random, each) for each in (_FRAMES, _VERBS, _TIMES, _PLACES))
    if random.random() < _AMBIGUOUS:
        word = _one(random, AMBIGUITIES)
        meaning = int(random.random() > _COMMON)
        people = word.people[meaning] if random.random() < _TELLING else _PEOPLE
        subject, thing = _one(random, people), _Noun(word.english, "", word.meanings[meaning])
    else:
        subject, thing = _one(random, _PEOPLE), _one(random, (*_THINGS, *_PEOPLE))
    english = f"{frame[0]} {subject.english} {verb[0]} {thing.english} {place[0]} {time[0]}."
    german = f"{frame[1]} {subject.nominative} {time[1]} {place[1]} {thing.accusative} {verb[1]}."
    return _sentence(english), _sentence(german)


def _one(random: np.random.Generator, of: Sequence[Item]) -> Item:
    return of[int(random.integers(len(of)))]


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:].replace(" ,", ",")


# Of all sentences of both languages.
BEGINNINGS = tuple(_sentence(side).encode() for frame in _FRAMES for side in frame)
