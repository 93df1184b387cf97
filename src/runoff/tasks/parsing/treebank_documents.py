"""Which sentences are of one text, told from what their file says, from their names, or from where they stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.parsing.treebank_files import GoldTree

BLOCK = 20  # sentences; about as many as a text of the Wall Street Journal has
LONGEST = 500  # sentences; a file with more of them is a collection of texts
_NAME = re.compile(r"(.+)[.#:/-][0-9]+", re.DOTALL)


class Documents:
    """Gives documents to the sentences of one file after the other.

    In this order: what the file says of a sentence (`doc` of a list); its name without the number at the end, as in
    ``wsj_0010.3`` or ``answers/00/a.xml#0``, if all have one and this makes more than one document, and fewer than
    there are sentences; the file, if there are others, unless it has more than `LONGEST` sentences; `BLOCK`
    sentences in a row, because neighbours are more alike than sentences at random.
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
        """What was made up."""
        if not self._in_blocks:
            return []
        return [
            f"Nothing says which document a sentence is of ({counted(self._in_blocks, 'sentences')}): "
            f"every {BLOCK} neighbours were taken for one, {counted(self._blocks, 'documents')} in all."
        ]
