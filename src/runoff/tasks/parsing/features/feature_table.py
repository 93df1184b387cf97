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
from runoff.tasks.parsing.features.chunk import Chunk
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS
from runoff.tasks.parsing.features.families import PRESENCE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.arrays import Bools, Ints

_PER_PASS = 1 << 30  # bytes of chunks whose names are counted at once, in about a quarter of this memory


def common_columns(paths: Sequence[Path], min_lists: int) -> tuple[pa.Array, int]:
    """Features that occur in enough lists and distinguish candidates, by first appearance; and the number of all.

    Most names are rare, and all of them may be too many for memory: they are counted in several passes over the chunks,
    each for a share of the names. O(bytes of the chunks x passes).
    """
    passes = 1 + sum(path.stat().st_size for path in paths) // _PER_PASS
    names, places, counts = zip(*(_counted(paths, min_lists, share, passes) for share in range(passes)), strict=True)
    order = np.argsort(np.concatenate(places))
    return pa.concat_arrays(names).take(pa.array(order)), sum(counts)


def _counted(paths: Sequence[Path], min_lists: int, share: int, passes: int) -> tuple[pa.Array, Ints, int]:
    """Common names of one share, the place of each among all names of the chunks, and how many the share has in all."""
    index, before = NameIndex(), 0
    seen, stored, places = np.zeros(0, np.int64), np.zeros(0, np.bool_), np.zeros(0, np.int64)
    for path in paths:
        chunk = Chunk.load(path)
        mine = np.flatnonzero(_shares(chunk, passes) == share)
        numbers = index.number_spans(
            chunk.name_letters, np.column_stack([chunk.name_ends[mine], chunk.name_ends[mine + 1]])
        )
        places = np.concatenate([places, before + mine[numbers >= places.size]])
        more = places.size - seen.size
        seen, stored = np.append(seen, np.zeros(more, np.int64)), np.append(stored, np.zeros(more, np.bool_))
        seen[numbers] += chunk.seen[mine]
        stored[numbers] |= _is_stored(chunk)[mine]
        before += len(chunk.seen)
    keep = (seen >= min_lists) & stored
    return index.names().filter(pa.array(keep)), places[keep], len(index)


def _shares(chunk: Chunk, passes: int) -> Ints:
    """The share of each name, by its length and its last letter."""
    starts, ends = chunk.name_ends[:-1], chunk.name_ends[1:]
    shares: Ints = (ends - starts + chunk.name_letters[ends - 1]) % passes
    return shares


def _is_stored(chunk: Chunk) -> Bools:
    """Which features distinguish candidates of a list."""
    found = np.zeros(len(chunk.seen), np.bool_)
    found[chunk.indices] = True
    return found


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
            rows = _rows(Chunk.load(path), columns, consensus=consensus, presence=presence)
            lengths.append(np.diff(rows.indptr))
            indices.append(rows.indices)
            values.append(rows.data)
            ones = ones and bool(np.all(rows.data == 1))
        own = pc.replace_substring(columns, ":", f"{PRESENCE}:", max_replacements=1) if presence else columns
        names = pa.concat_arrays([pa.array(consensus, pa.large_string()), own])
        indptr = np.cumsum(np.concatenate(lengths))
        return Features.from_csr(indptr, indices.mapped(), None if ones else values.mapped(), len(names), names)


def _rows(chunk: Chunk, columns: pa.Array, *, consensus: Sequence[str], presence: bool) -> sparse.csr_array:
    """Candidates of one chunk over the given columns."""
    found = _columns_of(chunk, columns)[chunk.indices]
    keep = found >= 0
    values = (np.minimum(chunk.values, 1) if presence else chunk.values)[keep].astype(np.float32)
    indptr = np.concatenate([[0], np.cumsum(keep)])[chunk.indptr]
    rows = sparse.csr_array((values, found[keep], indptr), shape=(indptr.size - 1, len(columns)))
    if consensus:
        dense = chunk.dense[:, [CONSENSUS.index(name) for name in consensus]].astype(np.float32)
        rows = sparse.hstack([sparse.csr_array(dense), rows], format="csr")
    rows.sort_indices()
    return rows


def _columns_of(chunk: Chunk, columns: pa.Array) -> Ints:
    """The column of each feature of a chunk, -1 for none."""
    names = pa.LargeStringArray.from_buffers(
        len(chunk.seen), pa.py_buffer(chunk.name_ends), pa.py_buffer(chunk.name_letters)
    )
    found: Ints = pc.fill_null(pc.index_in(names, value_set=columns), -1).to_numpy()
    return found
