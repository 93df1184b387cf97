"""Supersenses of nouns and verbs (Ciaramita & Johnson 2003): the lexicographer's file of a word's first sense."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from runoff.errors import UsageError
from runoff.tasks.answers.wordnet_files import LEXICOGRAPHERS, WordNetFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NOUN, VERB = "noun", "verb"
_TAGS = {NOUN: ("NN", "NOUN", "PROPN"), VERB: ("VB", "VERB", "AUX")}  # of the Penn Treebank, and universal
# Endings and what takes their place: morphy(7WN).
_ENDINGS = {
    NOUN: (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    VERB: (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
}


def word_kind(tag: str) -> str | None:
    """Noun or verb, by a part of speech.

    Examples
    --------
    >>> word_kind("NNS"), word_kind("VERB"), word_kind("IN")
    ('noun', 'verb', None)
    """
    return next((kind for kind, beginnings in _TAGS.items() if tag.startswith(beginnings)), None)


@dataclass(frozen=True, eq=False)
class SenseTable:
    """First senses of the words of one part of speech.

    Examples
    --------
    >>> table = SenseTable({"dog": (5, 1)}, {}, ("animal.n.01", "dog.n.01"), (-1, 0))
    >>> table.path(1)
    ('dog.n.01', 'animal.n.01')
    """

    words: Mapping[str, tuple[int, int]]  # the lexicographer's file, and the closest of the concepts, or -1
    exceptions: Mapping[str, str]
    concepts: tuple[str, ...]  # meanings that others stand below, by their first words
    parents: tuple[int, ...]  # the concept above each, or -1; always one with a smaller number

    @classmethod
    def of(cls, files: WordNetFiles, letter: str) -> SenseTable:
        """From WordNet's files; concepts are named as NLTK names them: word, letter, number of the sense."""
        above = {each.hypernym for each in files.synsets.values() if each.hypernym is not None}

        def depth(place: int) -> int:
            steps, seen = 0, {place}
            at = files.synsets[place].hypernym
            while at is not None and at not in seen:
                seen.add(at)
                steps, at = steps + 1, files.synsets[at].hypernym
            return steps

        order = sorted(above, key=lambda place: (depth(place), place))
        number = {place: at for at, place in enumerate(order)}
        parents, names = [], []
        for at, place in enumerate(order):
            synset = files.synsets[place]
            parent = number.get(-1 if synset.hypernym is None else synset.hypernym, -1)
            parents.append(parent if parent < at else -1)  # two verbs of WordNet 3.0 are above each other
            senses = files.words.get(synset.word, [])
            names.append(f"{synset.word}.{letter}.{senses.index(place) + 1 if place in senses else 0:02d}")
        words = {}
        for word, (first, *_) in files.words.items():
            synset = files.synsets[first]
            closest = number.get(first, number.get(-1 if synset.hypernym is None else synset.hypernym, -1))
            words[word] = (synset.lexicographer, closest)
        return cls(words, files.exceptions, tuple(names), tuple(parents))

    def path(self, concept: int) -> tuple[str, ...]:
        """A concept and all above it."""
        found = []
        while concept >= 0:
            found.append(self.concepts[concept])
            concept = self.parents[concept]
        return tuple(found)


@dataclass(frozen=True, eq=False)
class Supersenses:
    """What kind of thing a noun or verb means, by its most frequent sense in WordNet.

    Examples
    --------
    >>> senses = Supersenses.shipped()
    >>> senses.of("geese", "NNS"), senses.of("wrote", "VBD"), senses.of("blue", "JJ")
    ('noun.animal', 'verb.creation', None)
    """

    tables: Mapping[str, SenseTable]

    @classmethod
    def shipped(cls) -> Supersenses:
        """Those of WordNet 3.0, from the table that comes with Runoff; read once, in a fraction of a second."""
        return _shipped()

    @classmethod
    def from_wordnet(cls, folder: str | Path) -> Supersenses:
        """Those of a WordNet in a folder: `index.*`, `data.*` and `*.exc` of nouns and verbs.

        Examples
        --------
        >>> Supersenses.from_wordnet("/usr/share/wordnet").of("dogs", "NNS")  # doctest: +SKIP
        'noun.animal'
        """
        return cls({kind: SenseTable.of(WordNetFiles(folder, kind), kind[0]) for kind in (NOUN, VERB)})

    def of(self, word: str, pos: str) -> str | None:
        """The supersense of a word with this part of speech, such as noun.person; None where WordNet has none.

        A word of several is written with blanks or underscores between them.
        """
        found = self._lookup(word, pos)
        return None if found is None else LEXICOGRAPHERS[found[1][0]]

    def lemma(self, word: str, pos: str) -> str | None:
        """The base form by which WordNet knows a noun or verb, as morphy(7WN) finds it.

        Examples
        --------
        >>> senses = Supersenses.shipped()
        >>> senses.lemma("Wolves", "NNS"), senses.lemma("denied", "VBD"), senses.lemma("xyzzies", "NNS")
        ('wolf', 'deny', None)
        """
        found = self._lookup(word, pos)
        return None if found is None else found[0]

    def hypernyms(self, word: str, pos: str) -> tuple[str, ...]:
        """What a word is a kind of, closest first: of its first sense, along the first hypernym of each.

        Examples
        --------
        >>> Supersenses.shipped().hypernyms("poodle", "NN")[:4]
        ('poodle.n.01', 'dog.n.01', 'canine.n.02', 'carnivore.n.01')
        """
        found, kind = self._lookup(word, pos), word_kind(pos)
        return () if found is None or kind is None else self.tables[kind].path(found[1][1])

    def save(self, path: str | Path) -> None:
        """Write one file that `load_supersenses` opens."""
        from runoff.tasks.answers.supersenses_file import save_supersenses

        save_supersenses(self, path)

    def _lookup(self, word: str, pos: str) -> tuple[str, tuple[int, int]] | None:
        if (word, pos) not in self._found:
            self._found[word, pos] = self._search(word, pos)
        return self._found[word, pos]

    @cached_property
    def _found(self) -> dict[tuple[str, str], tuple[str, tuple[int, int]] | None]:
        """What was looked up before: a text has few different words."""
        return {}

    def _search(self, word: str, pos: str) -> tuple[str, tuple[int, int]] | None:
        kind = word_kind(pos)
        if kind is None:
            return None
        if kind not in self.tables:
            raise UsageError(f"there are no supersenses of the kind {kind!r}.")
        table = self.tables[kind]
        lower = word.lower().replace(" ", "_")
        return next(((each, table.words[each]) for each in _forms(lower, kind, table) if each in table.words), None)


def _forms(word: str, kind: str, table: SenseTable) -> Iterator[str]:
    """Base forms that a word may have: the irregular one, itself, and those that the endings leave."""
    if word in table.exceptions:
        yield table.exceptions[word]
    yield word
    stem, tail = (word.removesuffix("ful"), "ful") if kind == NOUN and word.endswith("ful") else (word, "")
    if kind == NOUN and not tail and (stem.endswith("ss") or len(stem) <= 2):
        return
    for ending, other in _ENDINGS[kind]:
        if stem.endswith(ending) and len(stem) > len(ending):
            yield f"{stem[: -len(ending)]}{other}{tail}"


@cache
def _shipped() -> Supersenses:
    from importlib.resources import as_file, files

    from runoff.tasks.answers.supersenses_file import load_supersenses

    with as_file(files("runoff.tasks.answers") / "wordnet" / "supersenses.runoff") as path:
        return load_supersenses(path)
