"""CoNLL-U, the format of Universal Dependencies: ten columns, of which a corpus keeps all but the numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError, brief
from runoff.formats.streams import create_bytes
from runoff.formats.text_file import text_of
from runoff.nbest.records import collector_paused
from runoff.tables import counted
from runoff.tasks.tagging.column_builder import ColumnBuilder
from runoff.tasks.tagging.column_separator import is_blank
from runoff.tasks.tagging.corpus import WORD, Column, Corpus
from runoff.tasks.tagging.sentence_comments import SentenceMarks, comments_of

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (WORD, "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
NOTHING = "_"
_RANGE, _EMPTY_NODE = re.compile(r"[0-9]+-[0-9]+"), re.compile(r"[0-9]+\.[0-9]+")


def read_conllu(path: str | Path, *, notes: list[str] | None = None) -> Corpus:
    r"""Read words with their columns, by the names of `NAMES`; columns that are `_` throughout are left out.

    Lines of multiword tokens (`3-4`) and of empty nodes (`3.1`) are left out and counted, as are comments other than
    `sent_id` and `newdoc`. A file may be plain, gzip or zstd. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conllu"
    >>> rest = "_\t_\t_\t_\t_\t_\n"
    >>> _ = path.write_text(f"1-2\tim\t_\t_\t{rest}1\tin\tin\tADP\t{rest}2\tdem\tder\tDET\t{rest}\n")
    >>> notes = []
    >>> corpus = read_conllu(path, notes=notes)
    >>> corpus, notes
    (Corpus(1 sentence, 2 tokens: word, lemma, upos), ['Lines that are no words were left out: 1 multiword token.'])
    """
    reader = _ConlluReader(path)
    with collector_paused():
        corpus = reader.read(text_of(path).split("\n"))
    if notes is not None:
        notes += reader.notes()
    return corpus


class _ConlluReader:
    """Takes the lines of a file one by one."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._marks = SentenceMarks()
        self._ranges = self._empty_nodes = 0

    def read(self, lines: list[str]) -> Corpus:
        builders = [ColumnBuilder() for _ in NAMES]
        sizes: list[int] = []
        rows: list[list[str]] = []
        for number, line in enumerate([*lines, ""], 1):
            if is_blank(line):
                if rows or self._marks.has_name:
                    sizes.append(len(rows))
                    self._marks.end_sentence()
                for builder, texts in zip(builders, zip(*rows, strict=True), strict=bool(rows)):
                    builder.extend(texts)
                rows = []
            elif line[0] == "#":
                self._marks.take(line)
            else:
                fields = line.split("\t")
                if len(fields) != len(NAMES) + 1:
                    raise self._misfit("10 columns between tabs", f"{len(fields)}: {brief(line)}", number)
                if fields[0] == str(len(rows) + 1):
                    rows.append(fields[1:])
                else:
                    self._skip(fields[0], len(rows) + 1, number)
        if not sizes:
            raise DataError("the file has no sentences.", path=self._path)
        columns = {name: builder.column() for name, builder in zip(NAMES, builders, strict=True)}
        kept = {name: column for name, column in columns.items() if name == WORD or column.values != (NOTHING,)}
        if not int(np.sum(sizes)):
            kept = {WORD: Column.of([])}
        return Corpus.of(kept, sizes, self._marks.ids(), self._marks.documents())

    def _skip(self, place: str, expected: int, number: int) -> None:
        if _RANGE.fullmatch(place):
            self._ranges += 1
        elif _EMPTY_NODE.fullmatch(place):
            self._empty_nodes += 1
        else:
            raise self._misfit(f"{expected} as the number of the word", brief(place), number)

    def _misfit(self, wanted: str, found: str, number: int) -> DataError:
        return DataError(f"expected {wanted}; found {found}.", path=self._path, line=number)

    def notes(self) -> list[str]:
        """What was left out."""
        parts = [
            counted(count, what)
            for count, what in ((self._ranges, "multiword tokens"), (self._empty_nodes, "empty nodes"))
            if count
        ]
        skipped = [f"Lines that are no words were left out: {', '.join(parts)}."] if parts else []
        return [*skipped, *self._marks.notes()]


def write_conllu(corpus: Corpus, path: str | Path) -> None:
    r"""Write the columns of `NAMES` that the corpus has, and `_` for the others; `read_conllu` gives it back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "one.conllu"
    >>> write_conllu(Corpus.of({"word": ["Yes"], "upos": ["INTJ"]}, sizes=[1], ids=["a"]), path)
    >>> path.read_text()
    '# sent_id = a\n1\tYes\t_\tINTJ\t_\t_\t_\t_\t_\t_\n\n'
    """
    unknown = [name for name in corpus.columns if name not in NAMES]
    if unknown or WORD not in corpus.columns:
        found = ", ".join(corpus.columns)
        raise DataError(f"CoNLL-U has the columns {', '.join(NAMES)}, of which {WORD} must be there; found {found}.")
    columns = []
    for name in NAMES:
        if name not in corpus.columns:
            columns.append([NOTHING] * corpus.n_tokens)
            continue
        for code in np.unique(corpus[name].codes).tolist():
            text = corpus[name].values[code]
            if not text or any(mark in text for mark in "\t\n\r\0"):
                raise DataError(f"CoNLL-U cannot show an empty text, nor tabs and line ends in one: {brief(text)}.")
        columns.append(corpus[name].texts())
    lines = list(map("\t".join, zip(*columns, strict=True)))
    offsets = corpus.offsets.tolist()
    with create_bytes(path) as stream:
        for at, comment in enumerate(comments_of(corpus)):
            words = lines[offsets[at] : offsets[at + 1]]
            if not words and "sent_id" not in comment:
                raise DataError(f"sentence {at + 1} is empty, which CoNLL-U shows only where it has an id.")
            numbered = "".join(f"{number}\t{line}\n" for number, line in enumerate(words, 1))
            stream.write(f"{comment}{numbered}\n".encode())
