"""Sentences with what taggers found in them: parts of speech, chunks, entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.schemes import phrases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.tagging.spans import Span

_LETTERS = ("B", "I")


@dataclass(frozen=True)
class AnnotatedSentence:
    """Words, a part of speech for each, and the chunks and entities among them, in order; `Span.sentence` is 0.

    Examples
    --------
    >>> from runoff.tasks.tagging.spans import Span
    >>> sentence = AnnotatedSentence(("Ada", "wrote"), ("NNP", "VBD"), entities=(Span(0, 0, 1, "PERSON"),))
    >>> sentence.text, sentence.words_of(sentence.entities[0]), sentence.labels(sentence.entities)
    ('Ada wrote', ('Ada',), ('PERSON', None))
    """

    words: tuple[str, ...]
    pos: tuple[str, ...]
    chunks: tuple[Span, ...] = ()
    entities: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if len(self.pos) != len(self.words):
            raise DataError(
                f"the sentence {brief(self.text)} has {len(self.words):,} words and {len(self.pos):,} parts of speech."
            )

    def __len__(self) -> int:
        return len(self.words)

    @property
    def text(self) -> str:
        """The words with blanks between them."""
        return " ".join(self.words)

    def words_of(self, span: Span) -> tuple[str, ...]:
        """The words of a stretch."""
        return self.words[span.start : span.stop]

    def labels(self, spans: Sequence[Span]) -> tuple[str | None, ...]:
        """For every word the label of the stretch that it lies in; None outside of all."""
        found: list[str | None] = [None] * len(self.words)
        for span in spans:
            found[span.start : span.stop] = [span.label] * (span.stop - span.start)
        return tuple(found)


def spans_of_tags(tags: Sequence[str]) -> tuple[Span, ...]:
    """The stretches that the tags of one sentence mark, letters before types (B-NP) or after them (PERSON-B).

    Examples
    --------
    >>> spans_of_tags(["B-NP", "I-NP", "O"]), spans_of_tags(["-", "PER_DESC-B", "PER_DESC-I"])
    ((Span(sentence=0, start=0, stop=2, label='NP'),), (Span(sentence=0, start=1, stop=3, label='PER_DESC'),))
    """
    corpus = Corpus.of({"tag": map(leading_letter, tags)}, sizes=[len(tags)])
    return tuple(phrases(corpus).of(corpus.offsets))


def leading_letter(tag: str) -> str:
    """A tag with its letter before its type: PERSON-B is B-PERSON, and - is O.

    Examples
    --------
    >>> leading_letter("PERSON-B"), leading_letter("B-PERSON"), leading_letter("-"), leading_letter("O")
    ('B-PERSON', 'B-PERSON', 'O', 'O')
    """
    kind, _, letter = tag.rpartition("-")
    if tag == "-":
        return "O"
    return f"{letter}-{kind}" if kind and letter in _LETTERS and not tag.startswith(("B-", "I-")) else tag
