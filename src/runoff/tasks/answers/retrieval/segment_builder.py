"""Passages one after the other, until they are a segment."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.postings import in_order, inverted
from runoff.tasks.answers.retrieval.segment import Segment
from runoff.tasks.answers.retrieval.terms import normaliser, words_of
from runoff.tasks.answers.retrieval.text_rows import TextRows

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from runoff.tasks.answers.retrieval.terms import Stemmer

# Of a segment, so that building one takes about 300 MB whatever the size of the collection.
MOST_TERMS, MOST_BYTES = 1 << 22, 1 << 26


class _TermNumbers(dict[str, int]):
    """Numbers of words: words with the same term have the same number, that of its first appearance."""

    def __init__(self, term_of: Callable[[str], str]) -> None:
        super().__init__()
        self._term_of = term_of
        self.terms: dict[str, int] = {}

    def __missing__(self, word: str) -> int:
        number = self[word] = self.of_term(self._term_of(word))
        return number

    def of_term(self, term: str) -> int:
        return self.terms.setdefault(term, len(self.terms))


class SegmentBuilder:
    """Collects passages; `build` makes a segment of them. O(terms) memory.

    Examples
    --------
    >>> builder = SegmentBuilder("porter")
    >>> builder.begin_file("fruit.txt", (9, 0))
    >>> builder.add("fruit.txt#1", "Red apples.", 1)
    True
    >>> segment = builder.build()
    >>> len(segment), segment.postings("appl")
    (1, (0, 1))
    """

    def __init__(self, stemmer: Stemmer) -> None:
        self._numbers = _TermNumbers(normaliser(stemmer))
        self._terms, self._lengths, self._lines = array("i"), array("i"), array("i")
        self._texts: list[str] = []
        self._ids: list[str] = []
        self._files: list[str] = []
        self._stamps: list[tuple[int, int]] = []
        self._starts = array("q")
        self._size = 0

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def is_full(self) -> bool:
        """Whether it is time for the next segment."""
        return len(self._terms) >= MOST_TERMS or self._size >= MOST_BYTES

    def begin_file(self, name: str, stamp: tuple[int, int]) -> None:
        """Say which file the next passages are from."""
        if self._starts and self._starts[-1] == len(self._texts):  # the one before had none
            self._starts.pop(), self._files.pop(), self._stamps.pop()
        self._starts.append(len(self._texts))
        self._files.append(name)
        self._stamps.append(stamp)

    def add(self, id_: str, text: str, line: int) -> bool:
        """Add a passage; False, and nothing is added, if it has no words."""
        numbers = self._numbers
        terms = [numbers[word] for word in words_of(text)]
        if terms:
            self._terms.extend(terms)
            self._append(id_, text, line, len(terms))
        return bool(terms)

    def take(self, segment: Segment, dropped: Collection[str]) -> None:
        """Add the passages of another segment, but for those of some files. O(terms of the segment)."""
        offsets = np.concatenate([[0], np.cumsum(segment.lengths, dtype=np.int64)])
        postings = segment.posting_offsets, segment.passages, segment.place_offsets, segment.places
        known = [self._numbers.of_term(segment.words[number]) for number in range(len(segment.words))]
        terms = np.array(known, np.int32)[in_order(*postings, offsets)]
        for file in range(len(segment.files)):
            name = segment.files[file]
            if name in dropped:
                continue
            size, changed = segment.stamps[file].tolist()
            self.begin_file(name, (size, changed))
            first, last = segment.file_offsets[file : file + 2].tolist()
            self._terms.frombytes(terms[offsets[first] : offsets[last]].tobytes())
            for at in range(first, last):
                self._append(segment.ids[at], segment.texts[at], int(segment.lines[at]), int(segment.lengths[at]))

    def _append(self, id_: str, text: str, line: int, length: int) -> None:
        self._ids.append(id_)
        self._texts.append(text)
        self._lines.append(line)
        self._lengths.append(length)
        self._size += len(text)

    def build(self) -> Segment:
        """All passages as a segment; there must be at least one. O(terms)."""
        self.begin_file("", (0, 0))  # drops the last file if it had no passage
        used = sorted(self._numbers.terms, key=str.encode)  # terms of files that were dropped have no posting
        rank = np.zeros(len(used), np.int32)
        numbers = self._numbers.terms
        rank[[numbers[term] for term in used]] = np.arange(len(used), dtype=np.int32)
        terms = rank[np.frombuffer(self._terms, np.int32)]
        present = np.bincount(terms, minlength=len(used)) > 0
        terms = (np.cumsum(present) - 1).astype(np.int32)[terms]
        words = [term for term, is_present in zip(used, present.tolist(), strict=True) if is_present]
        lengths = np.array(self._lengths, np.int32)
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        posting_offsets, passages, place_offsets, places = inverted(terms, offsets, len(words))
        return Segment(
            words=TextRows.of(words),
            posting_offsets=posting_offsets,
            passages=passages,
            place_offsets=place_offsets,
            places=places,
            texts=TextRows.of(self._texts),
            ids=TextRows.of(self._ids),
            lengths=lengths,
            lines=np.array(self._lines, np.int32),
            files=TextRows.of(self._files[:-1]),
            file_offsets=np.array(self._starts, np.int64),
            stamps=np.array(self._stamps[:-1], np.int64).reshape(-1, 2),
        )
