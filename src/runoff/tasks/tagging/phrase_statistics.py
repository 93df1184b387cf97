"""Statistics of conlleval for taggings that are compared with gold taggings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.phrase_counts import phrase_counts
from runoff.tasks.tagging.corpus import Column
from runoff.tasks.tagging.tag_letters import TagTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Columns, Floats, Ints
    from runoff.nbest import NBest

COLUMNS = ("correct", "guessed", "gold", "right tags", "tokens")
CORRECT, GUESSED, GOLD, RIGHT_TAGS, TOKENS = range(len(COLUMNS))


@dataclass(frozen=True, eq=False)
class PhraseStatistics:
    """A row of statistics for every tagging, and right, guessed and gold phrases of every type, of all together."""

    rows: Floats
    by_type: Mapping[str, tuple[int, int, int]]  # in the order of conlleval: sorted; "" for phrases without a type


def compare(
    values: Sequence[str], gold: Columns, gold_starts: Ints, guesses: Columns, offsets: Ints, *, raw: bool = False
) -> PhraseStatistics:
    """Compare taggings with gold ones; tags are numbers of `values`. O(tokens), compiled.

    Examples
    --------
    >>> tags = np.array([0, 1, 2], np.int32)
    >>> found = compare(["B-NP", "I-NP", "O"], tags, np.array([0]), tags[[0, 2, 2]], np.array([0, 3]))
    >>> found.rows.tolist(), found.by_type
    ([[0.0, 1.0, 1.0, 2.0, 3.0]], {'NP': (0, 1, 1)})
    """
    table = TagTable.of(values, raw=raw)
    rows = np.zeros((offsets.size - 1, len(COLUMNS)))
    by_type = np.zeros((len(table.types) + 1, 3), np.int64)
    same = table.same_as
    phrase_counts(
        np.ascontiguousarray(same[gold]),
        np.ascontiguousarray(gold_starts, np.int64),
        np.ascontiguousarray(same[guesses]),
        np.ascontiguousarray(offsets, np.int64),
        np.ascontiguousarray(table.letter_of),
        np.ascontiguousarray(table.type_of),
        rows,
        by_type,
    )
    kinds = zip(("", *table.types), by_type.tolist(), strict=True)
    counts = {kind: (right, guessed, real) for kind, (right, guessed, real) in kinds}
    return PhraseStatistics(frozen(rows), {kind: counts[kind] for kind in sorted(counts) if any(counts[kind][1:])})


def of_candidates(data: NBest, metric: str, *, raw: bool = False, candidates: Ints | None = None) -> PhraseStatistics:
    """Compare candidates (default: all) with the references of their lists; tags are separated by one blank.

    O(characters), most of it in splitting them.
    """
    return compare(*coded_tags(data, metric, candidates), raw=raw)


class CodedTags(NamedTuple):
    """Gold and guessed tags as numbers of `values`; those of guess i begin at `offsets[i]` and `gold_starts[i]`."""

    values: list[str]
    gold: Columns
    gold_starts: Ints
    guesses: Columns
    offsets: Ints


def coded_tags(data: NBest, metric: str, candidates: Ints | None = None) -> CodedTags:
    """The tags of candidates (default: all) and of the first references of their lists, which have as many.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["B-NP O", "B-NP I-NP"], sizes=[2], references=["B-NP I-NP"])
    >>> found = coded_tags(data, "conlleval")
    >>> found.values, found.gold.tolist(), found.guesses.tolist()
    (['B-NP', 'I-NP', 'O'], [0, 1], [0, 2, 0, 1])
    """
    if data.texts is None or data.references is None:
        missing = [name for name in ("texts", "references") if getattr(data, name) is None]
        raise DataError(f"{metric} compares tags with gold tags, and this data has no {' and no '.join(missing)}.")
    rows = np.arange(data.n_candidates) if candidates is None else candidates
    group = data.group_of[rows]
    judged = np.unique(group)
    gold = _first_references(data, data.references, judged, metric)
    texts = data.texts.take(pa.array(rows))
    if texts.null_count:
        at = int(np.flatnonzero(texts.is_null().to_numpy(zero_copy_only=False))[0])
        raise DataError(f"{metric} needs the tags of every candidate; {place_of(data, rows[at])} has none.")
    sizes, words = split_texts(pa.concat_arrays([gold, texts]))
    ends = np.concatenate([[0], np.cumsum(sizes)])
    gold_of = np.searchsorted(judged, group)
    differing = np.flatnonzero(sizes[judged.size :] != sizes[gold_of])
    if differing.size:
        at = int(differing[0])
        raise DataError(
            f"{metric} needs as many tags as the gold tagging has, {sizes[gold_of[at]]:,}; "
            f"{place_of(data, rows[at])} has {sizes[judged.size + at]:,}."
        )
    tags = column_of(words)
    first = int(ends[judged.size])
    return CodedTags(
        list(tags.values), tags.codes[:first], ends[:-1][gold_of], tags.codes[first:], ends[judged.size :] - first
    )


def _first_references(data: NBest, all_references: pa.Array, groups: Ints, metric: str) -> pa.Array:
    references = all_references.take(pa.array(groups))
    counts = pc.list_value_length(references).fill_null(0).to_numpy(zero_copy_only=False)
    if (counts == 0).any():
        group = int(groups[np.flatnonzero(counts == 0)[0]])
        raise DataError(f"{metric} needs gold tags for every list; list {data.group_ids[group].as_py()!r} has none.")
    return pc.list_element(references, 0)


def split_texts(texts: pa.Array) -> tuple[Ints, pa.Array]:
    """Number of words of every text, and all words; one blank stands between two."""
    empty = pc.equal(texts, "").to_numpy(zero_copy_only=False)
    filled = texts.filter(pa.array(~empty))
    parts = pc.split_pattern(filled, " ")
    sizes = np.zeros(len(texts), np.int64)
    sizes[~empty] = pc.list_value_length(parts).to_numpy(zero_copy_only=False)
    return sizes, parts.flatten()


def column_of(words: pa.Array) -> Column:
    """A column of these words, as quick as Arrow numbers them."""
    encoded = words.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32)
    return Column(tuple(encoded.dictionary.to_pylist()), frozen(codes))


def place_of(data: NBest, row: int) -> str:
    """A candidate in words."""
    group = int(np.searchsorted(data.offsets, row, side="right")) - 1
    return f"candidate {int(row) - int(data.offsets[group])} of list {data.group_ids[group].as_py()!r}"
