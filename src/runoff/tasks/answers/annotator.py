"""Taggers of parts of speech, chunks and entities, which together annotate questions and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from runoff.progress import progress
from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.tagging.corpus import WORD, Corpus
from runoff.tasks.tagging.schemes import phrases
from runoff.tasks.tagging.tagger_settings import TaggerSettings
from runoff.tasks.tagging.tokenizer import tokenize
from runoff.tasks.tagging.training import finished

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.tagging.spans import Span
    from runoff.tasks.tagging.tag_sources import TagSource

POS, CHUNK, ENTITY = "pos", "chunk", "entity"
PARTS = ("pos", "chunks", "entities")  # in the order in which they need each other
_BLOCK = 2_000  # sentences that are annotated at once


@dataclass(frozen=True, eq=False)
class Annotator:
    """Annotates sentences: taggers of chunks and entities may look at what was found before them.

    Each of the three is a tagger of Runoff, or anything else with a method `label` (`SpacyTags`, `StanzaTags`), whose
    chunks and entities are tags such as B-NP, I-NP and O.

    Examples
    --------
    >>> pos = Corpus.of({"word": ["Ada", "wrote", "a", "note"], "pos": ["NNP", "VBD", "DT", "NN"]}, sizes=[4])
    >>> chunks = Corpus.of({"word": ["a", "note", "fell"], "chunk": ["B-NP", "I-NP", "B-VP"]}, sizes=[3])
    >>> entities = Corpus.of({"word": ["Ada", "fell"], "entity": ["B-PERSON", "O"]}, sizes=[2])
    >>> annotator = Annotator.train(pos, chunks, entities)
    >>> annotator.annotate(["Ada wrote a note"])[0].pos
    ('NNP', 'VBD', 'DT', 'NN')
    """

    pos: TagSource
    chunks: TagSource
    entities: TagSource

    @classmethod
    def train(
        cls,
        pos: Corpus | TagSource,
        chunks: Corpus | TagSource,
        entities: Corpus | TagSource,
        *,
        verbose: bool = False,
    ) -> Annotator:
        """Train the taggers on sentences in columns: `word` with `pos`, with `chunk`, and with `entity`.

        In place of sentences there may be a tagger that is ready. Those of chunks and entities learn with the tags that
        the taggers before them find, as these will stand beside new sentences.
        """
        first = _trained(pos, POS, "pos", verbose=verbose)
        second = _trained(_tagged(chunks, POS, first), CHUNK, "chunks", verbose=verbose)
        third = _trained(_tagged(entities, POS, first), ENTITY, "entities", verbose=verbose)
        return cls(first, second, third)

    def annotate(self, texts: Sequence[str], *, verbose: bool = False) -> list[AnnotatedSentence]:
        """Annotate sentences given as running text, one each; see `tokenize` for their words."""
        return self.annotate_words([[token.text for token in tokenize(text)] for text in texts], verbose=verbose)

    def annotate_words(self, sentences: Sequence[Sequence[str]], *, verbose: bool = False) -> list[AnnotatedSentence]:
        """Annotate sentences given as words. O(tokens); memory for a few thousand sentences at once."""
        found: list[AnnotatedSentence] = []
        with progress("annotating sentences", len(sentences), verbose=verbose) as step:
            for first in range(0, len(sentences), _BLOCK):
                found += self._block(sentences[first : first + _BLOCK])
                step(len(found))
        return found

    def _block(self, sentences: Sequence[Sequence[str]]) -> list[AnnotatedSentence]:
        words = (word for sentence in sentences for word in sentence)
        corpus = Corpus.of({WORD: words}, sizes=[len(sentence) for sentence in sentences])
        if not corpus.n_tokens:
            return [AnnotatedSentence((), ()) for _ in sentences]
        corpus = corpus.with_column(POS, self.pos.label(corpus))
        corpus = corpus.with_column(CHUNK, self.chunks.label(corpus))
        corpus = corpus.with_column(ENTITY, self.entities.label(corpus))
        tags, chunks, entities = corpus[POS].texts(), _spans(corpus, CHUNK), _spans(corpus, ENTITY)
        bounds = list(pairwise(corpus.offsets.tolist()))
        return [
            AnnotatedSentence(tuple(sentence), tuple(tags[start:stop]), chunks[at], entities[at])
            for at, (sentence, (start, stop)) in enumerate(zip(sentences, bounds, strict=True))
        ]

    def save(self, path: str | Path) -> None:
        """Write one file that `load_annotator` opens; nothing in it can run code."""
        from runoff.tasks.answers.annotator_file import save_annotator

        save_annotator(self, path)


def _trained(given: Any, column: str, recipe: str, *, verbose: bool) -> Any:
    if not isinstance(given, Corpus):
        return given
    return finished(TaggerSettings(recipe).train(given, column, verbose=verbose))  # type: ignore[arg-type]


def _tagged(given: Any, column: str, tagger: TagSource) -> Any:
    """Sentences with the tags of a tagger, and nothing beside them but what is to be learned."""
    if not isinstance(given, Corpus):
        return given
    kept = Corpus({name: given[name] for name in given.columns if name in (WORD, CHUNK, ENTITY)}, given.offsets)
    return kept.with_column(column, tagger.label(kept))


def _spans(corpus: Corpus, column: str) -> list[tuple[Span, ...]]:
    """The phrases of every sentence."""
    found: list[list[Span]] = [[] for _ in range(len(corpus))]
    for span in phrases(corpus, column).of(corpus.offsets):
        found[span.sentence].append(span._replace(sentence=0))
    return [tuple(spans) for spans in found]
