"""The almanac as files: texts to index, questions, and what taggers and a classifier of questions learn from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from runoff.errors import UsageError
from runoff.files import reason
from runoff.formats.streams import create_bytes
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.corpus_files import write_corpus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from runoff.tasks.answers.demo.almanac import Almanac, AlmanacQuestion
    from runoff.tasks.answers.demo.markup import TaggedText

COLUMNS = {"word": "text", "pos": "pos", "chunk": "chunk", "entity": "entity"}  # of a corpus, by field of a word


class AlmanacFiles(NamedTuple):
    """Where everything is.

    Examples
    --------
    >>> from pathlib import Path
    >>> AlmanacFiles.in_folder(Path("demo")).texts.as_posix()
    'demo/texts'
    """

    texts: Path
    training: Path
    test: Path
    sentences: Path
    question_types: Path

    @classmethod
    def in_folder(cls, folder: Path) -> AlmanacFiles:
        """The files of a folder."""
        names = ("texts", "train.jsonl", "test.jsonl", "sentences.conll", "question-types.txt")
        return cls(*(folder / name for name in names))


def corpus_of(texts: Sequence[TaggedText]) -> Corpus:
    """Sentences in columns: word, pos, chunk and entity.

    Examples
    --------
    >>> from runoff.tasks.answers.demo.markup import TaggedText
    >>> corpus_of([TaggedText.of("[NP It/PRP ] [VP fell/VBD ] ./.", {})])["chunk"].texts()
    ['B-NP', 'B-VP', 'O']
    """
    columns = {name: [tag for text in texts for tag in text.column(field)] for name, field in COLUMNS.items()}
    return Corpus.of(columns, sizes=[len(text.words) for text in texts])


def write_almanac(almanac: Almanac, folder: Path) -> AlmanacFiles:
    """Write the texts, the questions as JSON lines, the tagged sentences, and the classes of training questions.

    Texts of another almanac in the folder are removed.
    """
    files = AlmanacFiles.in_folder(folder)
    try:
        files.texts.mkdir(parents=True, exist_ok=True)
        kept = {files.texts / article.file for article in almanac.articles}
        for kind in {path.parent for path in kept}:
            kind.mkdir(exist_ok=True)
            for path in set(kind.glob("*.txt")) - kept:
                path.unlink()
        for article in almanac.articles:
            (files.texts / article.file).write_text(str(article), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be written to: {reason(error)}.") from error
    _write_lines(files.training, (orjson.dumps(question.record()) for question in almanac.training))
    _write_lines(files.test, (orjson.dumps(question.record()) for question in almanac.test))
    write_corpus(corpus_of(almanac.tagged()), files.sentences)
    _write_lines(files.question_types, map(_typed, almanac.training))
    return files


def _typed(question: AlmanacQuestion) -> bytes:
    return f"{question.type} {' '.join(question.text.column('text'))}".encode()


def _write_lines(path: Path, lines: Iterable[bytes]) -> None:
    with create_bytes(path) as stream:
        stream.writelines(line + b"\n" for line in lines)
