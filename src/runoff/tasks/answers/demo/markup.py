"""Templates of sentences: words with parts of speech, chunks in brackets, and slots for names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_NO_BLANK_BEFORE, _QUOTES = frozenset((",", ".", "?")), ("``", "''")


class TaggedWord(NamedTuple):
    """A word with its part of speech, and chunk and entity as tags such as B-NP, I-NP and O."""

    text: str
    pos: str
    chunk: str
    entity: str


class Name(NamedTuple):
    """What fills a slot: its words, their parts of speech, and the class of entity (empty if it is none).

    Examples
    --------
    >>> Name("Iron Bridge", "NNP NNP", "FAC").words
    ('Iron', 'Bridge')
    """

    text: str
    pos: str
    entity: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words."""
        return tuple(self.text.split())


@dataclass(frozen=True)
class TaggedText:
    """A sentence of tagged words.

    Examples
    --------
    >>> river = {"river": Name("Arle", "NNP", "LOCATION")}
    >>> text = TaggedText.of("[NP It/PRP ] [VP crosses/VBZ ] [NP the/DT {river} ] ./.", river)
    >>> print(text)
    It crosses the Arle.
    >>> text.column("chunk"), text.column("entity")
    (['B-NP', 'B-VP', 'B-NP', 'I-NP', 'O'], ['O', 'O', 'O', 'B-LOCATION', 'O'])
    """

    words: tuple[TaggedWord, ...]

    @classmethod
    def of(cls, template: str, names: Mapping[str, Name]) -> TaggedText:
        """Fill the slots of a template. `[NP` begins a chunk, `]` ends it, `word/POS` is a word, `{slot}` a name."""
        found: list[TaggedWord] = []
        chunk, letter = "", "B"
        for part in template.split():
            if part.startswith("["):
                chunk, letter = part[1:], "B"
                continue
            if part == "]":
                chunk = ""
                continue
            for text, pos, entity in _filled(part, names):
                found.append(TaggedWord(text, pos, f"{letter}-{chunk}" if chunk else "O", entity))
                letter = "I"
        return cls(tuple(found))

    def column(self, name: str) -> list[str]:
        """One of the fields of all words."""
        return [getattr(word, name) for word in self.words]

    def __str__(self) -> str:
        text, is_open = "", True
        for word in self.words:
            is_close = word.text in _NO_BLANK_BEFORE or word.pos == _QUOTES[1]
            text += word.text if is_open or is_close else f" {word.text}"
            is_open = word.pos == _QUOTES[0]
        return text


def _filled(part: str, names: Mapping[str, Name]) -> list[tuple[str, str, str]]:
    if not part.startswith("{"):
        word, _, pos = part.rpartition("/")
        return [(word, pos, "O")]
    name = names[part[1:-1]]
    tags = zip(name.words, name.pos.split(), strict=True)
    return [
        (word, pos, f"{'I' if at else 'B'}-{name.entity}" if name.entity else "O")
        for at, (word, pos) in enumerate(tags)
    ]
