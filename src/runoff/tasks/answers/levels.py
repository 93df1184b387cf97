"""Two ways to write a sentence for translators: its words (Level1), and an abstract form of it (Level2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from runoff.tasks.answers.quotations import quotations

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.answers.annotated import AnnotatedSentence

ANSWER, QUOTED = "ANSWER", "QUOTED"


class SenseSource(Protocol):
    """Gives the supersense of a noun or verb; see `Supersenses`."""

    def of(self, word: str, pos: str) -> str | None:
        """The supersense of the most frequent sense, such as noun.artifact; None for other words."""


@dataclass(frozen=True)
class Level:
    """A sentence as units, one for each word; a unit of several words is written once, where it begins.

    Examples
    --------
    >>> level = Level(("the", "PERSON", "PERSON", "sang"), (True, True, False, True))
    >>> level.units(), level.units(answer=(2, 3)), level.units(answer=(1, 3))
    (['the', 'PERSON', 'sang'], ['the', 'PERSON', 'ANSWER', 'sang'], ['the', 'ANSWER', 'sang'])
    """

    tags: tuple[str, ...]
    begins: tuple[bool, ...]

    def units(self, answer: tuple[int, int] | None = None) -> list[str]:
        """The units; with the words from the first to before the second number as ANSWER. O(words)."""
        if answer is None:
            return [tag for tag, begin in zip(self.tags, self.begins, strict=True) if begin]
        start, stop = answer
        before = [tag for tag, begin in zip(self.tags[:start], self.begins[:start], strict=True) if begin]
        after = [
            tag for at, tag in enumerate(self.tags[stop:]) if at == 0 or self.begins[stop + at]
        ]  # what is left of a unit that the answer was cut from is a unit
        return [*before, ANSWER, *after]


def level1(sentence: AnnotatedSentence) -> Level:
    """Words in lower case.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> level1(AnnotatedSentence(("Ada", "wrote"), ("NNP", "VBD"))).units()
    ['ada', 'wrote']
    """
    words = tuple(word.lower() for word in sentence.words)
    return Level(words, (True,) * len(words))


def level2(sentence: AnnotatedSentence, senses: SenseSource, quoted: Sequence[tuple[str, ...]] = ()) -> Level:
    """QUOTED for what the question quotes, classes of entities, supersenses of nouns and verbs, other words.

    España-Bonet & Comas (2012), section 3. What an earlier rule has taken, no later one changes. Tags are letters only,
    so that translators take each for one word: PERSON for entities, nounPerson and verbStative for supersenses.

    Parameters
    ----------
    sentence
        A question, or a sentence of the collection.
    senses
        Supersenses of words.
    quoted
        Expressions that the question has in quotes; see `quoted_expressions`.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> from runoff.tasks.tagging.spans import Span
    >>> class Few:
    ...     def of(self, word, pos):
    ...         return {"nickname": "noun.communication"}.get(word)
    >>> words = ("Karl", "Malone", "'s", "nickname")
    >>> sentence = AnnotatedSentence(words, ("NNP", "NNP", "POS", "NN"), entities=(Span(0, 0, 2, "PERSON"),))
    >>> level2(sentence, Few()).units()
    ['PERSON', "'s", 'nounCommunication']
    """
    words = [word.lower() for word in sentence.words]
    tags, begins = list(words), [True] * len(words)
    taken = [False] * len(words)

    def mark(start: int, stop: int, tag: str) -> None:
        if any(taken[start:stop]):
            return
        for at in range(start, stop):
            tags[at], begins[at], taken[at] = tag, at == start, True

    for expression in quoted:
        for start in range(len(words) - len(expression) + 1):
            if tuple(words[start : start + len(expression)]) == expression:
                mark(start, start + len(expression), QUOTED)
    for span in sentence.entities:
        mark(span.start, span.stop, entity_tag(span.label))
    for at, (word, pos) in enumerate(zip(sentence.words, sentence.pos, strict=True)):
        if not taken[at] and (sense := senses.of(word, pos)):
            tags[at] = sense_tag(sense)
    return Level(tuple(tags), tuple(begins))


def entity_tag(label: str) -> str:
    """The word that stands for an entity of a class.

    Examples
    --------
    >>> entity_tag("PER_DESC")
    'PERDESC'
    """
    return "".join(filter(str.isalpha, label)).upper() or "ENTITY"


def sense_tag(sense: str) -> str:
    """The word that stands for a supersense.

    Examples
    --------
    >>> sense_tag("noun.act"), sense_tag("verb.stative")
    ('nounAct', 'verbStative')
    """
    kind, _, name = sense.partition(".")
    return kind.lower() + "".join(filter(str.isalpha, name)).capitalize()


def quoted_expressions(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """What stands in quotes, in lower case and without the marks; the longest first, so that they are found first.

    Examples
    --------
    >>> quoted_expressions(["Who", "sang", "``", "Blue", "Moon", "''", "?"])
    (('blue', 'moon'),)
    """
    found = {tuple(word.lower() for word in words[start:stop]) for start, stop in quotations(words)}
    return tuple(sorted(found, key=lambda each: (-len(each), each)))
