"""Whatever gives tags to words: a tagger of Runoff, or a pipeline of spaCy or Stanza that the user has."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from runoff.errors import DataError, UsageError
from runoff.tasks.tagging.corpus import WORD, Column

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.tasks.tagging.corpus import Corpus

_ATTRIBUTES = {"pos": ("tag_", "xpos"), "upos": ("pos_", "upos"), "lemma": ("lemma_", "lemma")}
_OUTSIDE = "O"


@runtime_checkable
class TagSource(Protocol):
    """Anything that labels sentences; `Tagger` is one.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> class Shouts:
    ...     def label(self, corpus):
    ...         return Column.of("UP" if word.isupper() else "LOW" for word in corpus["word"].texts())
    >>> isinstance(Shouts(), TagSource), Shouts().label(Corpus.of({"word": ["NO", "way"]}, sizes=[2])).texts()
    (True, ['UP', 'LOW'])
    """

    def label(self, corpus: Corpus) -> Column:
        """A tag for every token."""


@dataclass
class SpacyTags:
    """Tags of a spaCy pipeline: `SpacyTags("en_core_web_sm", "pos")`, or a pipeline that is loaded already.

    `what` is "pos" (fine tags), "upos", "lemma" or "entities" (as B-TYPE, I-TYPE, O). Words stay as they are.

    Examples
    --------
    >>> SpacyTags("en_core_web_sm", "entities").label(corpus)  # doctest: +SKIP
    """

    pipeline: Any
    what: str = "pos"

    def __post_init__(self) -> None:
        _check(self.what)
        if isinstance(self.pipeline, str):
            self.pipeline = _module("spacy", "pip install spacy").load(self.pipeline)

    def label(self, corpus: Corpus) -> Column:
        """A tag for every token."""
        made = _module("spacy", "pip install spacy").tokens.Doc
        sentences = [words for words in _sentences(corpus) if words]
        documents = self.pipeline.pipe(made(self.pipeline.vocab, words=words) for words in sentences)
        return _column(corpus, (_of_spacy(token, self.what) for document in documents for token in document))


@dataclass
class StanzaTags:
    """Tags of a Stanza pipeline that was made with `tokenize_pretokenized=True`; see `SpacyTags`.

    Examples
    --------
    >>> StanzaTags("en", "upos").label(corpus)  # doctest: +SKIP
    """

    pipeline: Any
    what: str = "pos"

    def __post_init__(self) -> None:
        _check(self.what)
        if isinstance(self.pipeline, str):
            needed = "tokenize,ner" if self.what == "entities" else "tokenize,pos,lemma"
            stanza = _module("stanza", "pip install stanza")
            self.pipeline = stanza.Pipeline(self.pipeline, processors=needed, tokenize_pretokenized=True)

    def label(self, corpus: Corpus) -> Column:
        """A tag for every token."""
        sentences = [words for words in _sentences(corpus) if words]
        found = self.pipeline(sentences).sentences if sentences else []
        return _column(corpus, (_of_stanza(token, self.what) for sentence in found for token in sentence.tokens))


def _check(what: str) -> None:
    if what not in (*_ATTRIBUTES, "entities"):
        raise UsageError(f"there are no tags {what!r}; there are: {', '.join(_ATTRIBUTES)}, entities.")


def _module(name: str, install: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(f"{name} is not installed; install it with `{install}`.") from error


def _sentences(corpus: Corpus) -> Iterable[list[str]]:
    words, offsets = corpus[WORD].texts(), corpus.offsets.tolist()
    return (words[first:last] for first, last in pairwise(offsets))


def _column(corpus: Corpus, tags: Iterable[str]) -> Column:
    column = Column.of(tags)
    if len(column) != corpus.n_tokens:
        raise DataError(
            f"the pipeline gave {len(column):,} tags for {corpus.n_tokens:,} tokens; it must not change the words."
        )
    return column


def _of_spacy(token: Any, what: str) -> str:
    if what == "entities":
        return f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else _OUTSIDE
    return str(getattr(token, _ATTRIBUTES[what][0]))


def _of_stanza(token: Any, what: str) -> str:
    if what == "entities":
        return str(token.ner)
    return str(getattr(token.words[0], _ATTRIBUTES[what][1]))
