"""What tests of answers share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.annotated_sentences import tagged_corpus
from runoff.tasks.answers.annotator import Annotator
from runoff.tasks.answers.answer_sources import analyser_for
from runoff.tasks.answers.answerer_settings import AnswererSettings
from runoff.tasks.answers.answerer_training import train_answerer
from runoff.tasks.answers.demo.almanac import Almanac
from runoff.tasks.answers.demo.almanac_files import write_almanac
from runoff.tasks.answers.question_file import read_questions
from runoff.tasks.answers.retrieval import PassageIndex
from runoff.tasks.tagging.corpus import Corpus

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.answers.answerer import Answerer
    from runoff.tasks.answers.demo.almanac_files import AlmanacFiles


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


@pytest.fixture(scope="session")
def almanac(tmp_path_factory: pytest.TempPathFactory) -> AlmanacFiles:
    """The texts and questions of the demo."""
    return write_almanac(Almanac.of(0), tmp_path_factory.mktemp("almanac"))


@pytest.fixture(scope="session")
def index(almanac: AlmanacFiles) -> PassageIndex:
    """The texts, indexed."""
    return PassageIndex.build(almanac.texts, almanac.texts.parent / "texts.index")


@pytest.fixture(scope="session")
def answerer(almanac: AlmanacFiles) -> Answerer:
    """One that was trained on some questions, without tuning."""
    records = read_questions(almanac.training)
    analyser = analyser_for(records, say=lambda _: None)
    settings = AnswererSettings(best=20, folds=2, tuning=0, passages=20)
    return train_answerer(records, analyser, settings, say=lambda _: None)


@pytest.fixture(scope="session")
def answerer_file(answerer: Answerer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its file."""
    path = tmp_path_factory.mktemp("answerer") / "answers.runoff"
    answerer.save(path)
    return path
