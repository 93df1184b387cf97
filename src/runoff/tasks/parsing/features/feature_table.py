"""Chunks merged into one table: common numbering of features, without rare ones. One chunk is in memory at a time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from runoff.nbest import Features
from runoff.nbest.name_index import NameIndex
from runoff.tasks.parsing.features.array_file import ArrayFile
from runoff.tasks.parsing.features.chunk import Chunk, FeatureNames
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS
from runoff.tasks.parsing.features.families import PRESENCE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.arrays import Bools, Columns, Ints

_PER_PASS = 1 << 29  # bytes of chunks whose names are counted at once, in about half of this memory
_PER_STEP = 2_000  # rows that are merged at once


def common_columns(paths: Sequence[Path], min_lists: int) -> tuple[pa.Array, int]:
    """Features that occur in enough lists and distinguish candidates, by first appearance; and the number of all.

    Most names are rare, and all of them may be too many for memory: they are counted in several passes over the chunks,
    each for a share of the names. O(bytes of the chunks x passes).
    """
    stored = [_is_stored(Chunk.load(path)) for path in paths]
    passes = 1 + sum(path.stat().st_size for path in paths) // _PER_PASS
    counted = [_counted(paths, stored, min_lists, share, passes) for share in range(passes)]
    names, places, sizes = zip(*counted, strict=True)
    return pa.concat_arrays(names).take(pa.array(np.argsort(np.concatenate(places)))), sum(sizes)


def _is_stored(chunk: Chunk) -> Bools:
    """Which features distinguish candidates of a list."""
    found = np.zeros(len(chunk.seen), np.bool_)
    found[chunk.indices] = True
    return found


def _counted(
    paths: Sequence[Path], stored: Sequence[Bools], min_lists: int, share: int, passes: int
) -> tuple[pa.Array, Ints, int]:
    """Common names of one share, the place of each among all names of the chunks, and how many the share has in all."""
    index, before = NameIndex(), 0
    seen, is_stored, places = np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    for path, of_chunk in zip(paths, stored, strict=True):
        chunk = FeatureNames.load(path)
        starts, ends = chunk.name_ends[:-1], chunk.name_ends[1:]
        # Any rule that gives a name the same share in every chunk will do: here its length and its last letter.
        mine = np.flatnonzero((ends - starts + chunk.name_letters[ends - 1]) % passes == share)
        numbers = index.number_spans(chunk.name_letters, np.column_stack([starts[mine], ends[mine]]))
        places = np.append(places, before + mine[numbers >= places.size])
        more = places.size - seen.size
        seen, is_stored = np.append(seen, np.zeros(more, np.int64)), np.append(is_stored, np.zeros(more, np.bool_))
        seen[numbers] += chunk.seen[mine]
        is_stored[numbers] |= of_chunk[mine]
        before += starts.size
    keep = (seen >= min_lists) & is_stored
    return index.names().filter(pa.array(keep)), places[keep], len(index)


def known_columns(names: pa.Array) -> pa.Array:
    """Names of counts for exactly these features, counts or binary."""
    plain = [_of_counts(name) for name in names.to_pylist() if name not in CONSENSUS]
    return pa.array(dict.fromkeys(plain), pa.large_string())


def _of_counts(name: str) -> str:
    family, colon, what = name.partition(":")
    return f"{family.removesuffix(PRESENCE)}{colon}{what}"


def table(paths: Sequence[Path], columns: pa.Array, *, consensus: Sequence[str], presence: bool) -> Features:
    """Features of all candidates of the chunks, in files without a name beside the chunks. O(stored values).

    The stored values are mapped into memory: the system may drop them from it, and they are gone with the data.
    """
    if not paths:
        return Features.none(0)
    beside = paths[0].parent
    folder = beside if os.access(beside, os.W_OK) else None  # a cache that is only read
    lengths, ones = [np.zeros(1, np.int64)], True
    with ArrayFile(np.int32, folder) as indices, ArrayFile(np.float32, folder) as values:
        for path in paths:
            chunk = Chunk.load(path)
            column_of = _columns_of(chunk, columns)
            for start in range(0, chunk.indptr.size - 1, _PER_STEP):
                rows = _rows(chunk, start, column_of, len(columns), consensus=consensus, presence=presence)
                lengths.append(np.diff(rows.indptr))
                indices.append(rows.indices)
                values.append(rows.data)
                ones = ones and bool(np.all(rows.data == 1))
        own = pc.replace_substring(columns, ":", f"{PRESENCE}:", max_replacements=1) if presence else columns
        names = pa.concat_arrays([pa.array(consensus, pa.large_string()), own])
        indptr = np.cumsum(np.concatenate(lengths))
        return Features.from_csr(indptr, indices.mapped(), None if ones else values.mapped(), len(names), names)


def _rows(
    chunk: Chunk, start: int, column_of: Columns, n_columns: int, *, consensus: Sequence[str], presence: bool
) -> sparse.csr_array:
    """Some candidates of a chunk over the given columns."""
    cuts = chunk.indptr[start : start + _PER_STEP + 1]
    stored = slice(int(cuts[0]), int(cuts[-1]))
    found, values = column_of[chunk.indices[stored]], chunk.values[stored]
    keep = found >= 0
    values = (np.minimum(values, 1) if presence else values)[keep].astype(np.float32)
    indptr = np.concatenate([[0], np.cumsum(keep)])[cuts - cuts[0]]
    rows = sparse.csr_array((values, found[keep], indptr), shape=(indptr.size - 1, n_columns))
    if consensus:
        dense = chunk.dense[start : start + _PER_STEP, [CONSENSUS.index(name) for name in consensus]]
        rows = sparse.hstack([sparse.csr_array(dense.astype(np.float32)), rows], format="csr")
    rows.sort_indices()
    return rows


def _columns_of(chunk: FeatureNames, columns: pa.Array) -> Columns:
    """The column of each feature of a chunk, -1 for none."""
    names = pa.LargeStringArray.from_buffers(
        len(chunk.seen), pa.py_buffer(chunk.name_ends), pa.py_buffer(chunk.name_letters)
    )
    found: Columns = pc.fill_null(pc.index_in(names, value_set=columns), -1).to_numpy()
    return found
