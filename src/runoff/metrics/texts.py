"""Texts and references as metrics need them: checked, and as flat arrays of word numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Ints
    from runoff.nbest import NBest


@dataclass(frozen=True)
class Words:
    """Words of many texts: text `i` is `ids[offsets[i]:offsets[i + 1]]`; equal words have equal numbers."""

    ids: Ints
    offsets: Ints


@dataclass(frozen=True)
class JudgedWords:
    """Words of candidates and references; references of group `i` are `references_of[i]` up to the next."""

    candidates: Words
    references: Words
    references_of: Ints


def judged_texts(data: NBest, metric: str) -> tuple[list[str], list[list[str]]]:
    """Texts of all candidates and references of all groups, or a sentence that says which are missing."""
    if data.texts is None or data.references is None:
        missing = [name for name in ("texts", "references") if getattr(data, name) is None]
        raise DataError(f"{metric} compares texts with references and this data has no {' and no '.join(missing)}.")
    texts: list[str | None] = data.texts.to_pylist()
    references: list[list[str | None] | None] = data.references.to_pylist()
    filled = data.sizes > 0
    for group, entry in enumerate(references):
        if filled[group] and (not entry or None in entry):
            place = data.group_ids[group].as_py()
            raise DataError(f"{metric} needs at least one reference for every group; group {place!r} has none.")
    if None in texts:
        row = texts.index(None)
        group = int(np.searchsorted(data.offsets, row, side="right")) - 1
        place = f"candidate {row - int(data.offsets[group])} of group {data.group_ids[group].as_py()!r}"
        raise DataError(f"{metric} needs the text of every candidate; {place} has none.")
    clean = [[text for text in entry or () if text is not None] for entry in references]
    return [text for text in texts if text is not None], clean


def judged_words(texts: Sequence[str], references: Sequence[Sequence[str]]) -> JudgedWords:
    """Split candidates and references at white space (as `str.split`) and number the words. O(words)."""
    flat = [text for entry in references for text in entry]
    words = _numbered([*texts, *flat])
    cut = words.offsets[len(texts)]
    return JudgedWords(
        Words(words.ids[:cut], words.offsets[: len(texts) + 1]),
        Words(words.ids[cut:], _frozen(words.offsets[len(texts) :] - cut)),
        _frozen(np.concatenate([[0], np.cumsum([len(entry) for entry in references], dtype=np.int64)])),
    )


def _numbered(texts: Sequence[str]) -> Words:
    # Arrow looks beyond the last text if that ends in white space, so it must not.
    split = pc.utf8_split_whitespace(pc.utf8_trim_whitespace(pa.array(texts, pa.large_string())))
    offsets, pieces = split.offsets.to_numpy().astype(np.int64), split.values
    is_word = np.asarray(pc.not_equal(pieces, ""))  # white space at the ends leaves empty pieces
    kept = np.concatenate([[0], np.cumsum(is_word, dtype=np.int64)])
    ids = pc.dictionary_encode(pieces.filter(pa.array(is_word))).indices.to_numpy()
    return Words(_frozen(ids), _frozen(kept[offsets]))


def _frozen(values: Ints) -> Ints:
    return frozen(np.ascontiguousarray(values, np.int64))
