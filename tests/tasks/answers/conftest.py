"""What tests of answers share."""

from __future__ import annotations

import pytest

from helpers.annotated_sentences import tagged_corpus
from runoff.tasks.answers.annotator import Annotator
from runoff.tasks.tagging.corpus import Corpus


@pytest.fixture(scope="session")
def columns() -> dict[str, Corpus]:
    """Sentences of a few words with parts of speech, chunks and entities, each for the tagger that learns them."""
    corpus = tagged_corpus()
    own = {"pos": "pos", "chunks": "chunk", "entities": "ne"}
    names = {"pos": "pos", "chunks": "chunk", "entities": "entity"}
    return {
        part: Corpus({"word": corpus["word"], names[part]: corpus[column]}, corpus.offsets)
        for part, column in own.items()
    }


@pytest.fixture(scope="session")
def annotator(columns: dict[str, Corpus]) -> Annotator:
    """One that was trained on them."""
    return Annotator.train(**columns)
