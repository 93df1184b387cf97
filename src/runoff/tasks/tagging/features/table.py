"""The table of features of lists of taggings: parts of candidates times features of parts."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff.features.columns import concat_columns
from runoff.nbest import Features
from runoff.tasks.tagging.features import consensus, document
from runoff.tasks.tagging.features.families import Namer
from runoff.tasks.tagging.features.parts import neighbour_parts, phrase_parts, window_parts
from runoff.tasks.tagging.features.tagged_lists import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from runoff.tasks.tagging.features.parts import TaggingParts
    from runoff.tasks.tagging.features.tagged_lists import TaggedLists


def feature_table(
    lists: TaggedLists, families: tuple[str, ...], *, vocabulary: pa.Array | None = None, min_lists: int = 1
) -> Features:
    """Features of all candidates: those of the vocabulary, or those that distinguish candidates in enough lists.

    O(parts of all lists, and what candidates store of them).
    """
    columns = {name: column.texts() for name, column in lists.words.columns.items()}
    words = columns.pop("word")
    namer = Namer(families, words, columns, set(lists.words.offsets.tolist()))
    of_phrases, phrases = phrase_parts(lists)
    kinds: list[tuple[TaggingParts, Iterable[Iterable[str]]]] = [(of_phrases, (namer.phrase(each) for each in phrases))]
    if "sequence" in families:
        of_pairs, pairs = neighbour_parts(lists)
        kinds.append((of_pairs, (namer.neighbours(*each) for each in pairs)))
    if "tags" in families:
        of_windows, windows = window_parts(lists)
        kinds.append((of_windows, (namer.window(*each) for each in windows)))
    blocks = [table_of_parts(lists, kinds, vocabulary=vocabulary, min_lists=min_lists)]
    if "consensus" in families:
        blocks.append(Features.of(consensus.consensus(lists), names_of(list(consensus.NAMES))))
    if "document" in families and lists.documents() is not None:
        blocks.append(Features.of(document.document(lists, of_phrases, phrases), names_of(list(document.NAMES))))
    return concat_columns(*blocks)


def table_of_parts(
    lists: TaggedLists,
    kinds: Sequence[tuple[TaggingParts, Iterable[Iterable[str]]]],
    *,
    vocabulary: pa.Array | None = None,
    min_lists: int = 1,
) -> Features:
    """How often candidates have every feature of their parts; `kinds` are parts with the names of their features.

    O(names of all parts, and what candidates store of them).
    """
    number = {name: at for at, name in enumerate(() if vocabulary is None else vocabulary.to_pylist())}
    known = vocabulary is not None
    tables = [_of_parts(parts, names, number, known=known) for parts, names in kinds]
    kept = np.arange(len(number))
    if vocabulary is None:
        kept = np.flatnonzero(_lists_with([parts for parts, _ in kinds], tables, len(number)) >= min_lists)
    shape = lists.data.n_candidates
    total: Any = sparse.csr_array((shape, kept.size), dtype=np.float32)
    for (parts, _), table in zip(kinds, tables, strict=True):
        ones = np.ones(parts.candidate.size, np.float32)
        has = sparse.csr_array((ones, (parts.candidate, parts.part)), shape=(shape, len(parts)))
        total = total + has @ _widened(table, len(number))[:, kept]
    names = list(number)
    return Features.of(total.tocsr(), names_of([names[at] for at in kept.tolist()]))


def _of_parts(parts: TaggingParts, names: Iterable[Iterable[str]], number: dict[str, int], *, known: bool) -> Any:
    """Features of every part; new names get a number unless the vocabulary is known."""
    sizes, found = [], []
    for each in names:
        if known:
            mine = [number[name] for name in each if name in number]
        else:
            mine = [number.setdefault(name, len(number)) for name in each]
        sizes.append(len(mine))
        found.append(mine)
    indices = np.fromiter(chain.from_iterable(found), np.int64, sum(sizes))
    indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ones = np.ones(indices.size, np.float32)
    return sparse.csr_array((ones, indices, indptr), shape=(len(parts), max(len(number), 1)))


def _widened(table: Any, width: int) -> Any:
    """A table with further columns, as later kinds of parts have found more features."""
    return sparse.csr_array((table.data, table.indices, table.indptr), shape=(table.shape[0], width))


def _lists_with(several: list[TaggingParts], tables: list[Any], width: int) -> Any:
    """In how many lists every feature distinguishes candidates."""
    seen = np.zeros(width, np.int64)
    pairs = [
        np.repeat(parts.group, np.diff(table.indptr)) * width + table.indices
        for parts, table in zip(several, tables, strict=True)
    ]
    for_all = np.unique(np.concatenate([*pairs, np.zeros(0, np.int64)]))
    np.add.at(seen, for_all % width if width else for_all, 1)
    return seen
