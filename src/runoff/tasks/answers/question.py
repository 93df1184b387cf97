"""Questions with all that is found in them: annotation, the kind of answer, keywords."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.opening.archive import write_archive
from runoff.opening.guard import check_format, guarded_archive
from runoff.tasks.answers.annotator_file import add_annotator, read_annotator
from runoff.tasks.answers.keywords import keywords
from runoff.tasks.answers.question_types_file import add_question_types, read_question_types
from runoff.tasks.tagging.tokenizer import tokenize
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.opening.archive import Archive, ArchiveWriter
    from runoff.tasks.answers.annotated import AnnotatedSentence
    from runoff.tasks.answers.annotator import Annotator
    from runoff.tasks.answers.keywords import Keyword
    from runoff.tasks.answers.question_types import QuestionTypes
    from runoff.tasks.tagging.tag_sources import TagSource

FORMAT, VERSION, HEADER = "runoff-question-analyser", 1, "analyser.json"
_WHAT, _ANNOTATOR, _TYPES = "question analyser", "annotator", "types"


@dataclass(frozen=True)
class Question:
    """A question, what its words are, the probability of every kind of answer, and its keywords.

    Examples
    --------
    >>> from runoff.tasks.answers.annotated import AnnotatedSentence
    >>> words = AnnotatedSentence(("Who", "died", "?"), ("WP", "VBD", "."))
    >>> Question("Who died?", words, {"HUM:ind": 0.9, "DESC:def": 0.1}, keywords(words)).type
    'HUM:ind'
    """

    text: str
    annotated: AnnotatedSentence
    types: Mapping[str, float]
    keywords: tuple[Keyword, ...]

    @property
    def type(self) -> str:
        """The most probable kind of answer."""
        return max(self.types, key=lambda name: self.types[name])


@dataclass(frozen=True, eq=False)
class QuestionAnalyser:
    """Analyses questions.

    Examples
    --------
    >>> analyser = load_analyser("analyser.runoff")  # doctest: +SKIP
    >>> analyser.analyse(["Who wrote Hamlet?"])[0].type  # doctest: +SKIP
    'HUM:ind'
    """

    annotator: Annotator
    question_types: QuestionTypes

    def analyse(self, texts: Sequence[str]) -> list[Question]:
        """Analyse questions that are given as running text."""
        words = [[token.text for token in tokenize(text)] for text in texts]
        return self._analysed(list(texts), self.annotator.annotate_words(words))

    def analyse_words(self, sentences: Sequence[Sequence[str]]) -> list[Question]:
        """Analyse questions that are given as words."""
        return self._analysed([" ".join(words) for words in sentences], self.annotator.annotate_words(sentences))

    def _analysed(self, texts: list[str], annotated: list[AnnotatedSentence]) -> list[Question]:
        classes = self.question_types.classes
        rows = self.question_types.predict_proba(annotated).tolist()
        return [
            Question(text, sentence, dict(zip(classes, row, strict=True)), keywords(sentence))
            for text, sentence, row in zip(texts, annotated, rows, strict=True)
        ]

    def save(self, path: str | Path) -> None:
        """Write one file that `load_analyser` opens; nothing in it can run code."""
        with write_archive(path) as archive:
            add_analyser(self, archive)


def add_analyser(analyser: QuestionAnalyser, archive: ArchiveWriter) -> None:
    """Write an analyser into an archive, or a folder of one."""
    archive.add_json(HEADER, {"format": FORMAT, "version": VERSION, "runoff": __version__})
    add_annotator(analyser.annotator, archive.folder(_ANNOTATOR))
    add_question_types(analyser.question_types, archive.folder(_TYPES))


def read_analyser(archive: Archive, path: str | Path, **taggers: TagSource | None) -> QuestionAnalyser:
    """An analyser from an archive, or a folder of one; inside of `guarded_archive`. Taggers: see `read_annotator`."""
    header = archive.json(HEADER) if HEADER in archive.names else {}
    check_format(header, path, _WHAT, FORMAT, VERSION)
    annotator = read_annotator(archive.folder(_ANNOTATOR), path, **taggers)
    return QuestionAnalyser(annotator, read_question_types(archive.folder(_TYPES), path))


def load_analyser(path: str | Path, **taggers: TagSource | None) -> QuestionAnalyser:
    """Open an analyser that `QuestionAnalyser.save` wrote; everything in it is checked.

    Examples
    --------
    >>> load_analyser("analyser.runoff")  # doctest: +SKIP
    """
    with guarded_archive(path, _WHAT) as archive:
        return read_analyser(archive, path, **taggers)
