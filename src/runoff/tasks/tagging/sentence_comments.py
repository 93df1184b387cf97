"""Comments between sentences, and what they say: document and name of the sentences that follow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.tasks.tagging.corpus import Corpus

# Comments that CoNLL-U knows, and that no line of columns looks like.
_KNOWN = re.compile(
    r"#[ \t]*(newdoc(?=[ \t]|$)|newpar(?=[ \t]|$)|sent_id[ \t]*=|text[ \t]*=|global\.columns[ \t]*=)[ \t]*(.*)"
)
_DOCUMENT_START = "-DOCSTART-"
_NOTHING_SAID = frozenset({"-X-", "-DOCSTART-", "O", "-", "_", ""})
_NO_DOCUMENT = "0"  # the document of sentences before the first one that is marked


class SentenceMarks:
    """Documents and names of sentences, as the lines between them say.

    Examples
    --------
    >>> marks = SentenceMarks()
    >>> marks.take("# newdoc id = a"), marks.take("# sent_id = a-1"), marks.take("# by hand")
    (True, True, False)
    >>> marks.end_sentence()
    >>> marks.ids(), marks.documents()
    (('a-1',), ('a',))
    """

    def __init__(self) -> None:
        self.columns: list[str] | None = None  # what global.columns names
        self.others = 0  # comments of which nothing is kept
        self._number = 0
        self._document: str | None = None
        self._id: str | None = None
        self._ids: list[str | None] = []
        self._documents: list[str | None] = []

    @staticmethod
    def is_known(line: str) -> bool:
        """Whether a line is a comment that CoNLL-U knows."""
        return line[:1] == "#" and _KNOWN.fullmatch(line) is not None

    @staticmethod
    def is_document_start(line: str) -> bool:
        """Whether a line marks a document as in CoNLL-2003."""
        return line.startswith(_DOCUMENT_START) and line[len(_DOCUMENT_START) :][:1] in ("", " ", "\t")

    @property
    def has_name(self) -> bool:
        """Whether the sentence that follows has been named."""
        return self._id is not None

    def take(self, line: str) -> bool:
        """Take what a comment says; False if it is one that says nothing here."""
        found = _KNOWN.fullmatch(line)
        kind = found[1].rstrip("= \t") if found else ""
        value = found[2].strip(" \t") if found else ""
        if kind == "sent_id":
            self._id = value
        elif kind == "newdoc":
            name = value[2:].lstrip(" \t").removeprefix("=").strip(" \t") if value.startswith("id") else value
            self._start_document(name)
        elif kind == "global.columns":
            self.columns = value.split()
        else:
            self.others += 1
            return False
        return True

    def take_document_start(self, line: str) -> None:
        """Take a line that starts with -DOCSTART-; further fields that say something are the document's name."""
        said = [field for field in line.replace("\t", " ").split(" ")[1:] if field not in _NOTHING_SAID]
        self._start_document(" ".join(said))

    def _start_document(self, name: str) -> None:
        self._number += 1
        self._document = name or str(self._number)

    def set(self, sentence: str | None, document: str | None) -> None:
        """Take the document of a sentence and its name there from columns of the file."""
        self._document = self._document if document is None else document
        if sentence is not None:
            self._id = sentence if document is None else f"{document}#{sentence}"

    def end_sentence(self) -> None:
        """The sentence is complete."""
        self._ids.append(self._id)
        self._documents.append(self._document)
        self._id = None

    def ids(self) -> tuple[str, ...] | None:
        """The name of every sentence, its number where it has none; None if no sentence has one."""
        if all(each is None for each in self._ids):
            return None
        return tuple(str(at) if each is None else each for at, each in enumerate(self._ids, 1))

    def documents(self) -> tuple[str, ...] | None:
        """The document of every sentence, "0" before the first; None if no document is marked."""
        if all(each is None for each in self._documents):
            return None
        return tuple(_NO_DOCUMENT if each is None else each for each in self._documents)

    def notes(self) -> list[str]:
        """What was left out."""
        return [f"Comments that name no document or sentence were left out: {self.others:,}."] if self.others else []


def comments_of(corpus: Corpus) -> Iterator[str]:
    r"""The comment lines of every sentence, as one text each.

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"word": ["a", "b"]}, [1, 1], ids=["s1", "s2"], documents=["d", "d"])
    >>> list(comments_of(corpus))
    ['# newdoc id = d\n# sent_id = s1\n', '# sent_id = s2\n']
    """
    before: str | None = None
    for at in range(len(corpus)):
        text = ""
        if corpus.documents is not None and corpus.documents[at] != before:
            before = corpus.documents[at]
            text += f"# newdoc id = {_one_line(before, 'document', at)}\n"
        if corpus.ids is not None:
            text += f"# sent_id = {_one_line(corpus.ids[at], 'id', at)}\n"
        yield text


def _one_line(name: str, what: str, at: int) -> str:
    if not name or name != name.strip(" \t") or any(mark in name for mark in "\n\r\0"):
        raise DataError(
            f"the {what} of sentence {at + 1} cannot be written as a comment: {brief(name)}; expected one line of text "
            "without blanks at its ends."
        )
    return name
