"""The arrays of a phrase table, checked in full: compiled loops read them without looking at bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.errors import ModelError
from runoff.kernels.phrase_lookup import first_out_of_order
from runoff.tasks.translation.phrase_table import DIRECT, MOST_WORDS

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from runoff.arrays import Ints
    from runoff.tasks.translation.phrase_table import PhraseTable

_PIECE = 1 << 20  # links at a time


def check_spelling(name: str, content: NDArray[Any], offsets: NDArray[Any]) -> pa.Array:
    """The words that are spelled in some bytes, without a copy; all different. O(bytes)."""
    _is(name, content, np.uint8, (content.size,))
    _offsets(f"{name}_offsets", offsets, content.size)
    words = pa.LargeStringArray.from_buffers(offsets.size - 1, pa.py_buffer(offsets), pa.py_buffer(content))
    try:
        words.validate(full=True)
    except pa.ArrowException as error:
        raise ModelError(f"the array {name} is not UTF-8.") from error
    if len(words.unique()) < len(words):
        raise ModelError(f"the array {name} has a word twice.")
    return words


def check_phrase_table(table: PhraseTable) -> None:
    """Raise a `ModelError` that names the array unless all of them are those of a table. O(size)."""
    _numbers("phrase_words", table.phrase_words, len(table.source_words))
    _cuts("phrase_offsets", table.phrase_offsets, table.phrase_words.size)
    _offsets("option_offsets", table.option_offsets, table.n_options, len(table))
    _numbers("target_ids", table.target_ids, len(table.target_words))
    _cuts("target_offsets", table.target_offsets, table.target_ids.size)
    _logs("scores", table.scores, (table.n_options, 4))
    if table.reordering is not None:
        _logs("reordering", table.reordering, (table.n_options, 6))
    _is("counts", table.counts, np.float32, (table.n_options, 3))
    if not (np.isfinite(table.counts).all() and (table.counts >= 0).all()):
        raise ModelError("the array counts has a number that is negative or not finite.")
    _check_order(table)
    _is("links", table.links, np.uint8, (table.links.size // 2, 2))
    _offsets("link_offsets", table.link_offsets, len(table.links), table.n_options)
    _check_links(table)


def _check_order(table: PhraseTable) -> None:
    everything, no_scores = np.array([0, len(table)]), np.zeros(len(table), np.float32)
    if first_out_of_order(everything, no_scores, table.phrase_offsets, table.phrase_words) >= 0:
        raise ModelError("the phrases are not all different and in order.")
    direct = np.ascontiguousarray(table.scores[:, DIRECT])
    if first_out_of_order(table.option_offsets, direct, table.target_offsets, table.target_ids) >= 0:
        raise ModelError("the options of a phrase are not all different and in order.")


def _check_links(table: PhraseTable) -> None:
    """Links must be inside of their phrases, in the order of the target, each once."""
    per_phrase = np.diff(table.option_offsets)
    n_source = np.repeat(np.diff(table.phrase_offsets), per_phrase)
    n_target, per_option = np.diff(table.target_offsets), np.diff(table.link_offsets)
    options = np.repeat(np.arange(table.n_options), per_option)
    for start in range(0, len(table.links), _PIECE):
        own = options[start : start + _PIECE]
        source, target = table.links[start : start + _PIECE].T
        if (source >= n_source[own]).any() or (target >= n_target[own]).any():
            raise ModelError("the array links has a place outside of its phrase.")
        more = slice(start, start + _PIECE + 1)
        codes = (options[more] << 16) + (table.links[more, 1].astype(np.int64) << 8) + table.links[more, 0]
        if (np.diff(codes) <= 0).any():
            raise ModelError("the array links is not in order.")


def _cuts(name: str, offsets: Ints, size: int) -> None:
    """Offsets of phrases, of which none is empty or too long for its links."""
    _offsets(name, offsets, size)
    lengths = np.diff(offsets)
    if lengths.size and not 1 <= lengths.min() <= lengths.max() <= MOST_WORDS:
        raise ModelError(f"the array {name} has a phrase that is empty or has more than {MOST_WORDS} words.")


def _offsets(name: str, offsets: NDArray[Any], size: int, count: int | None = None) -> None:
    _is(name, offsets, np.int64, (max(offsets.size, 1) if count is None else count + 1,))
    if offsets[0] != 0 or offsets[-1] != size or (offsets[1:] < offsets[:-1]).any():
        raise ModelError(f"the array {name} does not cut what it should cut into rows.")


def _numbers(name: str, numbers: NDArray[Any], count: int) -> None:
    _is(name, numbers, np.int32, (numbers.size,))
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < count:
        raise ModelError(f"the array {name} has a number that is no word's.")


def _logs(name: str, logs: NDArray[Any], shape: tuple[int, ...]) -> None:
    _is(name, logs, np.float32, shape)
    if not np.isfinite(logs).all() or (logs > 0).any():
        raise ModelError(f"the array {name} has a number that is not the logarithm of a probability.")


def _is(name: str, array: NDArray[Any], dtype: DTypeLike, shape: tuple[int, ...]) -> None:
    if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
        raise ModelError(
            f"the array {name} has {array.dtype} of shape {array.shape}; expected {np.dtype(dtype)} of shape {shape}, "
            "row by row."
        )
