"""Chunks merged into one table: common numbering of features, without rare ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from runoff.nbest import Features
from runoff.nbest.name_index import NameIndex
from runoff.tasks.parsing.features.chunk import Chunk
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS
from runoff.tasks.parsing.features.families import PRESENCE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.arrays import Columns


@dataclass(frozen=True)
class ColumnMap:
    """Columns of a feature table: their names, and the column of each name of a vocabulary, -1 for none."""

    vocabulary: NameIndex
    column_of: Columns
    names: pa.Array


def common_columns(paths: Sequence[Path], min_lists: int) -> tuple[ColumnMap, int]:
    """Columns for features that occur in enough lists and distinguish candidates; and the number of all features."""
    vocabulary = NameIndex()
    seen, stored = np.zeros(0, np.int64), np.zeros(0, np.bool_)
    for path in paths:
        chunk = Chunk.load(path)
        numbers = _numbers(vocabulary, chunk)
        more = len(vocabulary) - seen.size
        seen, stored = (
            np.concatenate([seen, np.zeros(more, np.int64)]),
            np.concatenate([stored, np.zeros(more, np.bool_)]),
        )
        seen[numbers] += chunk.seen
        stored[numbers[chunk.indices]] = True
    keep = (seen >= min_lists) & stored
    return _columns(vocabulary, keep), int(keep.size)


def known_columns(names: pa.Array) -> ColumnMap:
    """Columns for exactly these features, counts or binary."""
    vocabulary = NameIndex()
    plain = [_of_counts(name) for name in names.to_pylist() if name not in CONSENSUS]
    if plain:
        vocabulary.number(plain)
    return _columns(vocabulary, np.ones(len(vocabulary), np.bool_))


def _of_counts(name: str) -> str:
    family, colon, what = name.partition(":")
    return f"{family.removesuffix(PRESENCE)}{colon}{what}"


def _columns(vocabulary: NameIndex, keep: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> ColumnMap:
    column_of = np.full(len(vocabulary), -1, np.int32)
    column_of[keep] = np.arange(int(keep.sum()))
    return ColumnMap(vocabulary, column_of, vocabulary.names().filter(pa.array(keep)))


def table(paths: Sequence[Path], columns: ColumnMap, *, consensus: Sequence[str], presence: bool) -> Features:
    """Features of all candidates of the chunks. O(stored values), twice their memory."""
    parts = [_rows(Chunk.load(path), columns, consensus=consensus, presence=presence) for path in paths]
    own = pc.replace_substring(columns.names, ":", f"{PRESENCE}:", max_replacements=1) if presence else columns.names
    names = pa.concat_arrays([pa.array(consensus, pa.large_string()), own])
    if not parts:
        return Features.none(0)
    lengths = np.concatenate([np.diff(part.indptr) for part in parts])
    indices = np.concatenate([part.indices for part in parts])
    values = np.concatenate([part.data for part in parts])
    ones = bool(np.all(values == 1))
    return Features.from_csr(
        np.concatenate([[0], np.cumsum(lengths)]), indices, None if ones else values, len(names), names
    )


def _rows(chunk: Chunk, columns: ColumnMap, *, consensus: Sequence[str], presence: bool) -> sparse.csr_array:
    """Candidates of one chunk over the given columns."""
    known = np.full(len(chunk.seen), -1, np.int32)
    numbers = _numbers(columns.vocabulary, chunk)
    is_known = numbers < columns.column_of.size
    known[is_known] = columns.column_of[numbers[is_known]]
    found = known[chunk.indices]
    keep = found >= 0
    values = (np.minimum(chunk.values, 1) if presence else chunk.values)[keep].astype(np.float32)
    indptr = np.concatenate([[0], np.cumsum(keep)])[chunk.indptr]
    rows = sparse.csr_array((values, found[keep], indptr), shape=(indptr.size - 1, len(columns.names)))
    if consensus:
        dense = chunk.dense[:, [CONSENSUS.index(name) for name in consensus]].astype(np.float32)
        rows = sparse.hstack([sparse.csr_array(dense), rows], format="csr")
    rows.sort_indices()
    return rows


def _numbers(vocabulary: NameIndex, chunk: Chunk) -> Columns:
    return vocabulary.number_spans(chunk.name_letters, np.column_stack([chunk.name_ends[:-1], chunk.name_ends[1:]]))
