"""Lemmas of predicates: those of training sentences, and suffix rules of English for other words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

VERB, NOUN, ADJECTIVE, OTHER = "V", "N", "J", ""
WORD_CLASSES = (VERB, NOUN, ADJECTIVE, OTHER)
_TAGS = {VERB: ("VB", "VERB", "AUX"), NOUN: ("NN", "NOUN", "PROPN"), ADJECTIVE: ("JJ", "ADJ")}
_DOUBLED = re.compile(r"([bdfgklmnprtz])\1\Z")
_SHORT = re.compile(r"[^aeiouy]*(?:[aeiouy]|qu[aeiou])[^aeiouwxy]\Z")  # hop, bak, quot: without an e, the last doubles
_WANTS_E = re.compile(r"(?:at|[cuvz]|[dr]g|[^aeiou]l|[aeiou]s)\Z")  # creat, danc, argu, solv, judg, handl, rais
_OF_VERBS = ("ation", "ion", "ment", "ance", "ence", "able", "al")


def word_class(tag: str) -> str:
    """V, N or J for the tags of verbs, nouns and adjectives, of the Penn Treebank or universal; else nothing.

    Examples
    --------
    >>> word_class("VBD"), word_class("NOUN"), word_class("JJR"), word_class("IN")
    ('V', 'N', 'J', '')
    """
    return next((each for each, beginnings in _TAGS.items() if tag.startswith(beginnings)), OTHER)


def stems(word: str) -> list[str]:
    """Lemmas that a word may have by the rules for -s, -ed and -ing, likelier ones first, at last the word itself.

    Examples
    --------
    >>> stems("tries"), stems("planned")[0], stems("baked")[0], stems("dancing")[0], stems("walked")[0]
    (['try', 'trie', 'tries'], 'plan', 'bake', 'dance', 'walk')
    """
    return list(dict.fromkeys([*_stems(word), word]))


def _stems(word: str) -> Iterator[str]:
    for ending, least in (("ing", 2), ("ed", 2)):
        stem = word.removesuffix(ending)
        if stem == word or len(stem) < least or not re.search("[aeiouy]", stem):
            continue
        if ending == "ed" and stem.endswith("i"):
            yield f"{stem[:-1]}y"
        if _DOUBLED.search(stem):
            # Two l or z may belong to the word: fill, buzz.
            yield from (stem, stem[:-1]) if stem[-1] in "lz" else (stem[:-1], stem)
        elif _SHORT.match(stem) or _WANTS_E.search(stem):
            yield from (f"{stem}e", stem)
        else:
            yield from (stem, f"{stem}e")
        return
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        if word.endswith("ies"):
            yield f"{word[:-3]}y"
        elif word.endswith(("sses", "shes", "ches", "xes", "zes", "oes")):
            yield word[:-2]
        yield word[:-1]


def _verbs(word: str) -> Iterator[str]:
    """Verbs that a noun or an adjective may be made from: donation, prevention, excitement, predictable."""
    for ending in _OF_VERBS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            yield from (stem, f"{stem}e", f"{stem}ate")


@dataclass(frozen=True)
class Lemmas:
    """The most frequent lemma of every word in its class, and the most frequent roleset of every lemma.

    Examples
    --------
    >>> lemmas = Lemmas({("left", "V"): "leave", ("hoped", "V"): "hope"}, {"leave": "leave.01"})
    >>> lemmas.of("Left", "VBD"), lemmas.of("hopes", "VBZ"), lemmas.of("zipped", "VBD"), lemmas.of("left", "JJ")
    ('leave', 'hope', 'zip', 'leave')
    """

    of_words: dict[tuple[str, str], str]  # by the word in small letters and its class
    rolesets: dict[str, str]

    @classmethod
    def learn(cls, seen: Iterable[tuple[str, str, str, str | None]]) -> Lemmas:
        """From words with their tag, lemma and roleset; ties go to what is first in the alphabet.

        Examples
        --------
        >>> Lemmas.learn([("Left", "VBD", "leave", "leave.01"), ("left", "VBN", "leave", None)]).rolesets
        {'leave': 'leave.01'}
        """
        words: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        rolesets: dict[str, Counter[str]] = defaultdict(Counter)
        for word, tag, lemma, roleset in seen:
            words[word.lower(), word_class(tag)][lemma] += 1
            if roleset is not None:
                rolesets[lemma][roleset] += 1
        return cls(
            {key: _most_frequent(words[key]) for key in sorted(words)},
            {lemma: _most_frequent(rolesets[lemma]) for lemma in sorted(rolesets)},
        )

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.of_words.values())

    def of(self, word: str, tag: str) -> str:
        """The lemma of a word with this part of speech.

        That of training, of the same class if there is one; else that of the first of its `stems` that training knows,
        or the verb that a noun or an adjective is made from; else the first stem, where its class has such endings.
        """
        lower, own = word.lower(), word_class(tag)
        possible = stems(lower)
        for key in [*((lower, each) for each in (own, *WORD_CLASSES)), *((stem, own) for stem in possible)]:
            if key in self.of_words:
                return self.of_words[key]
        verbs = [] if own == VERB else [verb for stem in possible for verb in _verbs(stem)]
        for lemma in (*possible, *verbs):
            if lemma in self._known:
                return lemma
        has_ending = own == VERB or (own == NOUN and not lower.endswith(("ing", "ed")))
        return possible[0] if has_ending else lower


def _most_frequent(counts: Counter[str]) -> str:
    found: str = min(counts, key=lambda each: (-counts[each], each))
    return found
