"""A part of an index that was in memory once: passages, their terms inverted, and the files that they are from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import ModelError
from runoff.kernels.postings import are_consistent
from runoff.tasks.answers.retrieval.text_rows import TextRows

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from runoff.arrays import Columns, Ints
    from runoff.opening.archive import Archive, ArchiveWriter

_TEXTS = ("words", "texts", "ids", "files")
_NUMBERS = ("posting_offsets", "passages", "place_offsets", "places", "lengths", "lines", "file_offsets", "stamps")


@dataclass(frozen=True, eq=False)
class Segment:
    """Passages with the postings of their terms, as arrays.

    Words are the terms in the order of their bytes; the postings of term t are those from `posting_offsets[t]` to
    `posting_offsets[t + 1]` (`runoff.kernels.postings` says what they are). Passage i has `lengths[i]` terms, begins at
    `lines[i]`, and is one of those of file f if it lies from `file_offsets[f]` to `file_offsets[f + 1]`; `stamps[f]` is
    the size of that file and when it was changed, in nanoseconds.
    """

    words: TextRows
    posting_offsets: Ints
    passages: Columns
    place_offsets: Ints
    places: Columns
    texts: TextRows
    ids: TextRows
    lengths: Columns
    lines: Columns
    files: TextRows
    file_offsets: Ints
    stamps: Ints

    def __len__(self) -> int:
        return int(self.lengths.size)

    @cached_property
    def n_terms(self) -> int:
        """Number of terms of all passages together."""
        return int(self.places.size)

    def postings(self, term: str) -> tuple[int, int]:
        """First and last posting of a term; an empty range if no passage has it. O(log words)."""
        found = self.words.find(term)
        return (0, 0) if found < 0 else (int(self.posting_offsets[found]), int(self.posting_offsets[found + 1]))

    def file_of(self, passage: int) -> int:
        """Number of the file that a passage is from."""
        return int(np.searchsorted(self.file_offsets, passage, side="right")) - 1

    def write(self, folder: ArchiveWriter) -> None:
        """Write the arrays."""
        for name in _TEXTS:
            rows: TextRows = getattr(self, name)
            folder.add_array(f"{name}.npy", rows.content)
            folder.add_array(f"{name}_offsets.npy", rows.offsets)
        for name in _NUMBERS:
            folder.add_array(f"{name}.npy", getattr(self, name))

    @classmethod
    def read(cls, folder: Archive) -> Segment:
        """Map the arrays into memory and check them in full; a `ModelError` names what is wrong. O(bytes)."""
        fields: dict[str, Any] = {
            name: TextRows.checked(
                name,
                folder.array(f"{name}.npy", mapped=True),
                folder.array(f"{name}_offsets.npy", mapped=True),
                sorted_=name == "words",
            )
            for name in _TEXTS
        }
        fields |= {name: folder.array(f"{name}.npy", mapped=True) for name in _NUMBERS}
        segment = cls(**fields)
        segment.check()
        return segment

    def check(self) -> None:
        """Raise a `ModelError` that names the array unless all of them fit together. O(places)."""
        n_passages, n_postings, n_files = len(self.texts), self.passages.size, len(self.files)
        if len(self.ids) != n_passages:
            raise ModelError("the array ids does not have a text for every passage.")
        _offsets("posting_offsets", self.posting_offsets, len(self.words), n_postings)
        _numbers("passages", self.passages, n_postings, 0, n_passages)
        _offsets("place_offsets", self.place_offsets, n_postings, self.places.size)
        _numbers("places", self.places, self.places.size, 0, np.iinfo(np.int32).max)
        _numbers("lengths", self.lengths, n_passages, 0, np.iinfo(np.int32).max)
        _numbers("lines", self.lines, n_passages, 1, np.iinfo(np.int32).max)
        _offsets("file_offsets", self.file_offsets, n_files, n_passages)
        _is("stamps", self.stamps, np.int64, (n_files, 2))
        postings = self.posting_offsets, self.passages, self.place_offsets, self.places
        if not are_consistent(*postings, self.lengths):
            raise ModelError("the postings are not those of the passages.")


def _offsets(name: str, offsets: NDArray[Any], count: int, size: int) -> None:
    """Offsets that cut `size` things into `count` rows, of which none is empty."""
    _is(name, offsets, np.int64, (count + 1,))
    if offsets[0] != 0 or offsets[-1] != size or (offsets[1:] <= offsets[:-1]).any():
        raise ModelError(f"the array {name} does not cut what it should cut into rows.")


def _numbers(name: str, numbers: NDArray[Any], count: int, least: int, end: int) -> None:
    _is(name, numbers, np.int32, (count,))
    if count and not (least <= numbers.min() and numbers.max() < end):
        raise ModelError(f"the array {name} has a number out of range.")


def _is(name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape:
        raise ModelError(f"the array {name} has {array.dtype} of shape {array.shape}; expected {shape}.")
