"""A phrase table as arrays for an archive, and the arrays of a file as a phrase table, checked in full."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import ModelError
from runoff.tasks.translation.phrase_table import PhraseTable
from runoff.tasks.translation.phrase_table_validation import check_phrase_table, check_spelling

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from runoff.opening.archive import Archive, ArchiveWriter

_WORDS = ("source_words", "target_words")
_ARRAYS = (
    "phrase_offsets",
    "phrase_words",
    "option_offsets",
    "target_offsets",
    "target_ids",
    "scores",
    "link_offsets",
    "links",
    "counts",
)
_OPTIONAL = "reordering"


def to_arrays(table: PhraseTable) -> dict[str, NDArray[Any]]:
    """The arrays of a table; words are UTF-8 bytes, with an array that says where each begins."""
    arrays: dict[str, NDArray[Any]] = {}
    for name in _WORDS:
        words = pa.concat_arrays([getattr(table, name).cast(pa.large_string())])  # without what a slice leaves out
        arrays[name], arrays[f"{name}_offsets"] = _bytes_of(words)
    arrays |= {name: getattr(table, name) for name in _ARRAYS}
    return arrays if table.reordering is None else arrays | {_OPTIONAL: table.reordering}


def from_arrays(arrays: Mapping[str, NDArray[Any]]) -> PhraseTable:
    """The table of arrays, which it does not copy; a `ModelError` names the array that is not as it should be.

    Everything is looked at once: O(bytes).

    Examples
    --------
    >>> from runoff.tasks.translation.phrase_table import PhraseTable
    >>> empty = {name: np.zeros(1, np.int64) for name in ("phrase_offsets", "option_offsets", "target_offsets")}
    >>> from_arrays(empty)
    Traceback (most recent call last):
    runoff.errors.ModelError: the array source_words of the phrase table is missing.
    """
    needed = [*_WORDS, *(f"{name}_offsets" for name in _WORDS), *_ARRAYS]
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise ModelError(f"the array {missing[0]} of the phrase table is missing.")
    strange = sorted(arrays.keys() - {*needed, _OPTIONAL})
    if strange:
        raise ModelError(f"a phrase table has no array {strange[0]}.")
    words = [check_spelling(name, arrays[name], arrays[f"{name}_offsets"]) for name in _WORDS]
    reordering = arrays.get(_OPTIONAL)
    given: dict[str, Any] = {name: frozen(arrays[name]) for name in _ARRAYS}
    given[_OPTIONAL] = None if reordering is None else frozen(reordering)
    table = PhraseTable(*words, **given)
    check_phrase_table(table)
    return table


def add_phrase_table(table: PhraseTable, archive: ArchiveWriter) -> None:
    """Write a table into (a folder of) an archive; where that is not compressed, the arrays can be mapped."""
    for name, array in to_arrays(table).items():
        archive.add_array(f"{name}.npy", array)


def read_phrase_table(archive: Archive) -> PhraseTable:
    """The table of (a folder of) an archive, with arrays that are mapped where they can be."""
    return from_arrays({name.removesuffix(".npy"): archive.array(name, mapped=True) for name in sorted(archive.names)})


def _bytes_of(words: pa.Array) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    _, offsets, data = words.buffers()
    starts = np.frombuffer(offsets, np.int64)[: len(words) + 1] if len(words) else np.zeros(1, np.int64)
    content = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    return content[starts[0] : starts[-1]], starts - starts[0]
