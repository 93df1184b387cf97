"""Which sentences form a document, by what their file says, by their names, or by their position."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.parsing.treebank_files import GoldTree

BLOCK = 20  # sentences; about the length of a Wall Street Journal article
LONGEST = 500  # sentences; a longer file is a collection of documents
_NAME = re.compile(r"(.+)[.#:/-][0-9]+", re.DOTALL)


class Documents:
    """Assigns documents to sentences, file by file.

    In this order: what the file says (`doc` of a list); the sentence's name without the number at the end, as in
    ``wsj_0010.3`` or ``answers/00/a.xml#0``, if all sentences have a name and this gives more than one document, and
    fewer than sentences; the file, if there are several, unless it has more than `LONGEST` sentences; `BLOCK`
    consecutive sentences, because neighbours are more alike than random sentences.
    """

    def __init__(self, *, has_other_files: bool) -> None:
        self._has_other_files = has_other_files
        self._in_blocks = self._blocks = 0

    def of(self, sentences: Sequence[GoldTree], file: str) -> list[str]:
        """The document of each sentence of a file."""
        unknown = [each for each in sentences if each.document is None]
        found = iter(self._told_by_place(unknown, file))
        return [next(found) if each.document is None else each.document for each in sentences]

    def _told_by_place(self, sentences: Sequence[GoldTree], file: str) -> list[str]:
        names = [match[1] for each in sentences if each.is_named and (match := _NAME.fullmatch(each.id))]
        if len(names) == len(sentences) and 1 < len(set(names)) < len(sentences):
            return names
        if self._has_other_files and len(sentences) <= LONGEST:
            return [file] * len(sentences)
        self._in_blocks += len(sentences)
        self._blocks += -(-len(sentences) // BLOCK)
        begin = f"{file}#" if self._has_other_files else ""
        return [f"{begin}{at // BLOCK + 1}" for at in range(len(sentences))]

    def notes(self) -> list[str]:
        """Notes on what was assumed."""
        if not self._in_blocks:
            return []
        return [
            f"The documents of {counted(self._in_blocks, 'sentences')} are unknown: "
            f"every {BLOCK} consecutive sentences count as one document, {counted(self._blocks, 'documents')} in total."
        ]
