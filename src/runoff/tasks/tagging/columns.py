"""Sentences in columns, one token per line and a blank line after each sentence: CoNLL's formats."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief
from runoff.formats.text_file import text_of
from runoff.nbest.records import collector_paused
from runoff.tasks.tagging.column_builder import ColumnBuilder
from runoff.tasks.tagging.column_choice import DOCUMENT, SENTENCE, ColumnChoice
from runoff.tasks.tagging.column_layout import layout_of
from runoff.tasks.tagging.column_separator import BLANKS, TAB, is_blank
from runoff.tasks.tagging.corpus import Corpus
from runoff.tasks.tagging.sentence_comments import SentenceMarks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.tagging.column_choice import Chosen
    from runoff.tasks.tagging.column_layout import ColumnLayout

_BLOCK = 1 << 16  # tokens that are kept as texts before they are numbered


def read_columns(
    path: str | Path,
    columns: Chosen = None,
    *,
    ragged: bool = False,
    separator: str | None = None,
    notes: list[str] | None = None,
) -> Corpus:
    r"""Read a file of columns, plain, gzip or zstd.

    Parameters
    ----------
    path
        One token per line; a blank line ends a sentence, and any number of them count as one. `-DOCSTART-` lines and
        comments (`# newdoc id = …`, `# sent_id = …`) mark documents and sentences; other comments are left out and
        counted. A line that starts with `# ` is a comment if it stands before a sentence and has another number of
        columns than the tokens, or if it is a comment that CoNLL-U knows. A named sentence may be empty.
    columns
        Names of all columns, in order ("word,pos,chunk"; `_` for one that is not read), or names with numbers from 1
        ("word=4,pos=5", -1 is the last). Default: those that a line `# global.columns = …` names, else the first is
        `word`, the last `tag`, and others have their numbers as names. Columns that are called `document` and
        `sentence` are the same for all tokens of a sentence; they become its document and id (`document#sentence`).
    ragged
        Lines may have different numbers of columns, as long as all that are read are there.
    separator
        "\t", or " " for blanks and tabs alike; default: `separator_of` the file.
    notes
        Receives a sentence about what was left out.

    Notes
    -----
    O(characters); about a microsecond per field. The text is in memory as a whole while it is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("A DT B-NP\ncat NN I-NP\n\nYes UH O\n")
    >>> corpus = read_columns(path, "word,pos,chunk")
    >>> corpus, corpus["chunk"].texts()
    (Corpus(2 sentences, 3 tokens: word, pos, chunk), ['B-NP', 'I-NP', 'O'])
    """
    choice = ColumnChoice.of(columns)
    if separator not in (None, TAB, BLANKS):
        raise UsageError(f"the separator of columns is a tab or a blank; found {brief(separator)}.")
    if ragged and choice is None:
        raise UsageError("for lines with different numbers of columns, say which columns are read: word=1,tag=3.")
    lines = text_of(path).split("\n")
    reader = _Reader(layout_of(lines, path, choice, separator, ragged=ragged))
    with collector_paused():
        corpus = reader.read(lines)
    if notes is not None:
        notes += reader.marks.notes()
    return corpus


class _Reader:
    """Takes the lines of a file one by one."""

    def __init__(self, layout: ColumnLayout) -> None:
        self.layout, self.choice, self.path = layout, layout.choice, layout.path
        self.marks = SentenceMarks()
        self._by_sentence = bool({DOCUMENT, SENTENCE} & set(self.choice.names))
        self._rows: list[list[str]] = []
        self._builders = [ColumnBuilder() for _ in self.choice.names]
        self._sizes: list[int] = []

    def read(self, lines: Sequence[str]) -> Corpus:
        """All sentences."""
        rows, layout, split = self._rows, self.layout, self.layout.split
        size, width = 0, 0 if layout.ragged else layout.width
        for number, line in enumerate(lines, 1):
            if not line or (line[0] in " \t\r" and is_blank(line)):
                size = self._end(size, number)
                continue
            if line[0] == "-" and self.marks.is_document_start(line):
                size = self._end(size, number)
                self.marks.take_document_start(line)
                continue
            fields = split(line)
            if line[0] == "#" and not size and layout.is_comment(line, len(fields)):
                self.marks.take(line)
                continue
            if len(fields) != width:
                layout.check(fields, number)
            rows.append(fields)
            size += 1
        self._end(size, len(lines) + 1)
        if not self._sizes:
            raise DataError("the file has no sentences.", path=self.path)
        self._flush()
        made = zip(self.choice.names, self._builders, strict=True)
        columns = {name: builder.column() for name, builder in made if name not in (DOCUMENT, SENTENCE)}
        return Corpus.of(columns, self._sizes, self.marks.ids(), self.marks.documents())

    def _end(self, size: int, number: int) -> int:
        """End a sentence of so many tokens before a line; an empty one counts if it has a name."""
        if size or self.marks.has_name:
            if size and self._by_sentence:
                self._take_sentence_columns(size, number)
            self._sizes.append(size)
            self.marks.end_sentence()
            if len(self._rows) >= _BLOCK:
                self._flush()
        return 0

    def _take_sentence_columns(self, size: int, number: int) -> None:
        said: dict[str, str] = {}
        for name, place in zip(self.choice.names, self.choice.places, strict=True):
            if name not in (DOCUMENT, SENTENCE):
                continue
            found = {fields[place] for fields in self._rows[-size:]}
            if len(found) > 1:
                several = ", ".join(map(brief, sorted(found)[:3]))
                raise DataError(
                    f"expected one {name} for all tokens of a sentence, found {several}.",
                    path=self.path,
                    line=number - size,
                )
            said[name] = found.pop()
        self.marks.set(said.get(SENTENCE), said.get(DOCUMENT))

    def _flush(self) -> None:
        for builder, place in zip(self._builders, self.choice.places, strict=True):
            builder.extend(map(itemgetter(place), self._rows))
        self._rows.clear()
